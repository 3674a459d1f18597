// The comment on a pull request: one, of ours, whatever others write.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");

const comment = require("../../.github/action/comment.cjs");

const MARKER = "<!-- agent-strace:gate -->";
const bot = { type: "Bot", login: "github-actions[bot]" };

async function run(comments, report, number = "7") {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "comment-"));
  const file = path.join(folder, "gate.md");
  fs.writeFileSync(file, report);
  const calls = [];
  const github = {
    paginate: async (method, options) => {
      assert.strictEqual(method, "list");
      assert.deepStrictEqual(options, { owner: "acme", repo: "rates", issue_number: 7, per_page: 100 });
      return comments;
    },
    rest: {
      issues: {
        listComments: "list",
        createComment: async (options) => calls.push(["create", options]),
        updateComment: async (options) => calls.push(["update", options]),
      },
    },
  };
  const context = { repo: { owner: "acme", repo: "rates" } };
  try {
    await comment({ github, context, env: { AST_PULL_NUMBER: number, AST_MARKDOWN_FILE: file } });
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
  return calls;
}

test("the first report makes a comment", async () => {
  const [[verb, options]] = await run([{ id: 1, user: bot, body: "another bot's words" }], "# Report");
  assert.strictEqual(verb, "create");
  assert.deepStrictEqual(options, { owner: "acme", repo: "rates", issue_number: 7, body: `${MARKER}\n# Report` });
});

test("the next ones replace it", async () => {
  const comments = [
    { id: 1, user: { type: "User", login: "mallory" }, body: `${MARKER} all is fine` },
    { id: 2, user: { type: "Bot", login: "mallory[bot]" }, body: MARKER },
    { id: 3, user: null, body: MARKER },
    { id: 4, user: bot, body: `${MARKER}\nold` },
  ];
  const calls = await run(comments, `${MARKER}\nnew`);
  assert.deepStrictEqual(calls, [["update", { owner: "acme", repo: "rates", comment_id: 4, body: `${MARKER}\nnew` }]]);
});

test("a report that is too long is cut and not refused", async () => {
  const [[, options]] = await run([], "x".repeat(100000));
  assert.ok(options.body.length < 65536);
  assert.ok(options.body.startsWith(MARKER));
});

test("without a pull request there is no comment", async () => {
  for (const number of ["", "0", "-1", "7; x", undefined ?? "undefined"]) {
    await assert.rejects(run([], "x", number), /there is no pull request/);
  }
});
