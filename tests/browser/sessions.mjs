// Sessions of the native store, and everything that a log could say to make a page do something.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

const STARTED = 1_790_300_000;

// `events`: pairs of a type and its data, a second apart. `more`: of meta.json.
export const write = async (store, id, events, more = {}) => {
  const meta = { session_id: id, started_at: STARTED, agent_name: "claude-code", ...more };
  const lines = events.map(([type, data], at) =>
    JSON.stringify({
      event_type: type,
      timestamp: STARTED + at,
      event_id: at.toString(16).padStart(12, "0"),
      session_id: id,
      ...(type === "tool_result" || type === "error" ? { parent_id: (at - 1).toString(16).padStart(12, "0") } : {}),
      data,
    }),
  );
  const folder = path.join(store, id);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "meta.json"), JSON.stringify(meta));
  await writeFile(path.join(folder, "events.ndjson"), lines.join("\n") + "\n");
};

// All of it would set `owned`, ask a server for something, change the page or lead out of it.
export const HOSTILE = [
  "<script>globalThis.owned = 1</script>",
  "</script><script>globalThis.owned = 1</script>",
  "</style><script>globalThis.owned = 1</script>",
  "</pre></details></main></body></html><script>globalThis.owned = 1</script>",
  "<img src=x onerror=globalThis.owned=1>",
  '"><img src=https://evil.example/x.png onerror=globalThis.owned=1>',
  "' autofocus onfocus=globalThis.owned=1 x='",
  "<svg/onload=globalThis.owned=1>",
  "<iframe srcdoc='<script>parent.owned=1</script>'></iframe>",
  '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
  "<base href=https://evil.example/>",
  "<link rel=stylesheet href=https://evil.example/x.css>",
  "<style>body{display:none}</style>",
  "<a href=javascript:globalThis.owned=1>x</a>",
  "<form action=https://evil.example/><button>x</button></form>",
  "<!-- <![CDATA[ ]]> -->",
  "&lt;script&gt;globalThis.owned=1&lt;/script&gt; &#60;b&#62;",
  "<details open ontoggle=globalThis.owned=1>",
  "<template><script>globalThis.owned=1</script></template>",
  "a\u202egnp.exe\u200b\ufeff \u001b[2J\u0000\u0007",
  "::error file=a::forged\n##[error]forged",
  "x".repeat(20_000),
  "\u0301".repeat(500),
  "line\n".repeat(500),
  "{{constructor.constructor('globalThis.owned=1')()}} ${globalThis.owned=1} `globalThis.owned=1`",
];
