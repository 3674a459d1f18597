// Keeps one comment with the report on the pull request: the one of ours that is there is replaced, else one is made.
// A comment of somebody else is never taken for ours, whatever stands in it: its author could change it afterwards.
"use strict";

const fs = require("node:fs");

const MARKER = "<!-- agent-strace:gate -->";
const LONGEST = 60000;

function body(report) {
  const marked = report.includes(MARKER) ? report : `${MARKER}\n${report}`;
  // What is longer is refused. The report is made to fit; a cut is for a report that was not.
  return marked.length <= LONGEST ? marked : `${marked.slice(0, LONGEST)}\n\nThe report goes on; the rest is in the job.`;
}

function isOurs(comment) {
  return comment.user?.type === "Bot" && comment.user.login === "github-actions[bot]" && comment.body?.includes(MARKER);
}

module.exports = async ({ github, context, env }) => {
  const number = Number(env.AST_PULL_NUMBER);
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new Error(`there is no pull request to comment on: its number is "${env.AST_PULL_NUMBER}"`);
  }
  const text = body(fs.readFileSync(env.AST_MARKDOWN_FILE, "utf8"));
  const comments = await github.paginate(github.rest.issues.listComments, {
    ...context.repo,
    issue_number: number,
    per_page: 100,
  });
  const ours = comments.find(isOurs);
  if (ours) {
    await github.rest.issues.updateComment({ ...context.repo, comment_id: ours.id, body: text });
  } else {
    await github.rest.issues.createComment({ ...context.repo, issue_number: number, body: text });
  }
};
