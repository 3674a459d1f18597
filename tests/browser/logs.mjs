// Writes logs of sessions, below the trace store of a copy of the demo, whose reports a browser is shown: one that says
// everything which could make a page do something, and some with more findings than a page holds.
//
// node logs.mjs FOLDER

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

const [store] = process.argv.slice(2);
if (!store) {
  throw new Error("expected the folder of the trace store");
}

const session = async (id, agent, calls) => {
  const started = 1_790_300_000;
  const meta = {
    session_id: id,
    started_at: started,
    agent_name: agent,
    attribution: { working_dir: "/home/dana/rates", user: HOSTILE[0], git_branch: HOSTILE[1] },
  };
  const lines = calls.map((data, at) =>
    JSON.stringify({
      event_type: "tool_call",
      timestamp: started + at,
      event_id: at.toString(16).padStart(12, "0"),
      session_id: id,
      data,
    }),
  );
  const folder = path.join(store, id);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "meta.json"), JSON.stringify(meta));
  await writeFile(path.join(folder, "events.ndjson"), lines.join("\n") + "\n");
};

// All of it would set `owned`, ask a server for something, change the page or lead out of it.
const HOSTILE = [
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

const hostile = HOSTILE.flatMap((text) => [
  { tool_name: text, arguments: { file_path: text } },
  { tool_name: "Read", arguments: { file_path: `out/${text}` } },
  { tool_name: "Bash", arguments: { command: `git push '${text}'` } },
  { tool_name: "Bash", arguments: { command: `cat ${text}\n${text}` } },
  { tool_name: "WebFetch", arguments: { url: `https://${text}.example.com/${text}` } },
  { tool_name: "Edit", arguments: { file_path: `.github/workflows/${text}` } },
]);
await session("bad00001", HOSTILE[2], hostile);

const SESSIONS = 5;
const CALLS = 5_000;
const calls = (part) =>
  Array.from({ length: CALLS }, (_, at) =>
    at % 3 === 0
      ? { tool_name: "Edit", arguments: { file_path: `.github/workflows/part-${part}-${at}.yml` } }
      : { tool_name: "Bash", arguments: { command: `cat secrets/key-${part}-${at}.pem` } },
  );
for (let part = 0; part < SESSIONS; part += 1) {
  await session(`many000${part}`, "claude-code", calls(part));
}
