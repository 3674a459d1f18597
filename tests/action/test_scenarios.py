"""What the gate says about pull requests, as each event brings them: the action with the program itself."""

import concurrent.futures
import json
import os
import unittest
from pathlib import Path

from runner import Broken
from worlds import PLACE, PROJECT, TOKEN, World, policy, session, writes

BINARY = Path(os.environ.get("AGENT_STRACE_BINARY") or PROJECT / "target" / "debug" / "agent-strace")
CHANGES = ("pull-request", "fork", "dependabot", "pull-request-target", "pull-request-target-fork", "merge-group",
           "workflow-run", "workflow-run-fork")
GOOD = {"src/a.py": "A = 2\n", **session("c1ea4000", [writes("src/a.py", "A = 2\n")])}
READS = ("Read", {"file_path": f"{PLACE}/.env"})

# Name: what topic holds beside main, the exit code, and the rules of which something is found at the level of an error.
SCENARIOS = {
    "a clean one": ([{"files": GOOD, "message": "Two"}], 0, set()),
    "one of people": ([{"files": {"src/b.py": "B = 1\n"}, "message": "By hand"}], 0, set()),
    "one that reads a secret": (
        [{"files": {"src/a.py": "A = 2\n", **session("bad00000", [READS, writes("src/a.py", "A = 2\n")])}, "message": "Two"}],
        1, {"scope/read"}),
    "one that weakens the policy and uses it": (
        [{"files": {".agent-scope.json": policy(files={}), **session("bad00000", [READS])}, "message": "Two"}],
        1, {"scope/read", "gate/tampering"}),
    "one that weakens the policy in two steps": (
        [{"files": {".agent-scope.json": policy(files={}), ".agent-strace.yaml": "fail_on: never\n"}, "message": "First"},
         {"files": session("bad00000", [READS]), "message": "Then"}],
        1, {"scope/read", "gate/tampering"}),
    "one that takes the policy away": (
        [{"files": GOOD, "message": "Two", "delete": [".agent-scope.json"]}], 1, {"gate/tampering"}),
    "one that makes the policy a link": (
        [{"files": {**GOOD, "src/other.json": policy(files={})}, "message": "Two",
          "links": [(".agent-scope.json", "src/other.json")]}],
        1, {"gate/tampering"}),
    "one that takes a session away": (
        [{"files": GOOD, "message": "Two", "delete": [".agent-traces/0a11ce00"]}], 1, {"gate/tampering"}),
    "one that changes the workflow": (
        [{"files": {**GOOD, ".github/workflows/gate.yml": "on: push\njobs: {}\n"}, "message": "Two"}],
        1, {"gate/tampering"}),
    "one of an agent that left no session": (
        [{"files": {"src/a.py": "A = 3\n"}, "message": "Three\n\nCo-Authored-By: Claude <noreply@anthropic.com>"}],
        1, {"coverage/no-session"}),
}


class Scenarios(unittest.TestCase):
    def setUp(self):
        if not BINARY.is_file():
            raise Broken(f"`{BINARY}` is not there: `cargo build --locked` makes it")

    def world(self, commits, behind=1):
        world = World()
        self.addCleanup(world.close)
        return world.pull(*commits, behind=behind)

    def act(self, world, event, inputs=None, **more):
        result = world.run(event, {"binary": str(BINARY), **(inputs or {})}, **more)
        self.assertNotIn(TOKEN, result.log)
        file = result.outputs["json-file"]
        result.report = json.loads(Path(file).read_text()) if file else None
        return result

    def errors(self, result):
        return {finding["rule"] for finding in result.report["findings"] if finding["level"] == "error"}

    def test_each_event_gives_each_pull_request_its_verdict(self):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for name, (commits, code, rules) in SCENARIOS.items():
                world = self.world(commits)
                # With the author's own commits checked out, the parent of the last one has what the author likes.
                runs = [(event, workspace) for event in CHANGES
                        for workspace in (("merge", "head") if event == "pull-request" else ("none",))]
                results = pool.map(lambda run: self.act(world, run[0], workspace=run[1]), runs)
                for (event, workspace), result in zip(runs, results, strict=True):
                    with self.subTest(name=name, event=event, workspace=workspace):
                        self.expect(result, code, rules)

    def expect(self, result, code, rules):
        self.assertEqual(result.code, code, result.log)
        self.assertEqual(self.errors(result), rules, result.log)
        said = {key: result.outputs[key] for key in ("exit-code", "verdict")}
        self.assertEqual(said, {"exit-code": str(code), "verdict": "fail" if code else "pass"})
        counts = result.report["summary"]["findings"]
        total = sum(counts[level] for level in ("error", "warning", "note"))
        self.assertEqual(result.outputs["findings"], str(total))
        self.assertEqual(result.outputs["highest-level"] == "error", bool(rules))
        self.assertEqual(result.outputs["policy-digest"], result.report["policy"]["sha256"])
        self.assertTrue(result.summary.strip())
        self.assertEqual(bool([1 for level, _, _ in result.annotations if level == "error"]), bool(rules))

    def test_only_the_default_branch_and_named_ones_may_judge(self):
        commits = [{"files": session("bad00000", [READS]), "message": "Two"}]
        world = self.world(commits).helper()
        for event, inputs, code, said in (
            ("pull-request-helper", {}, 2, "`helper` may not judge"),
            ("pull-request-helper", {"base-branches": "release/**\nhelp"}, 2, "`helper` may not judge"),
            ("pull-request-helper", {"policy-ref": "main"}, 2, "`helper` may not judge"),
            ("pull-request-helper", {"head": world.commits["HEAD"]}, 2, "`helper` may not judge"),
            ("pull-request-helper", {"base-branches": "help**"}, 2, "--base-branch"),
            ("pull-request-helper", {"base-branches": "**"}, 2, "names every branch"),
            ("pull-request-helper", {"base-branches": "main\nhelp*"}, 1, "origin/helper"),
            ("pull-request-helper", {"base": "main"}, 1, "origin/main"),
            ("pull-request-retargeted", {}, 1, "origin/main"),
            ("pull-request-review", {}, 1, "origin/main"),
            ("merge-group-helper", {}, 2, "`helper` may not judge"),
            ("workflow-run-helper", {}, 2, "`helper` may not judge"),
            ("workflow-run-helper", {"base-branches": "helper"}, 1, "origin/helper"),
            ("workflow-run-two", {}, 2, "different branches (`helper`, `main`)"),
            ("workflow-run-two", {"base-branches": "helper"}, 2, "different branches (`helper`, `main`)"),
            ("workflow-run-two", {"base": "main"}, 1, "origin/main"),
            ("workflow-dispatch-topic", {}, 1, "origin/main"),
            ("push-topic", {}, 1, "origin/main"),
            ("push-tag-topic", {}, 1, "origin/main"),
        ):
            with self.subTest(event=event, inputs=inputs):
                result = self.act(world, event, inputs, workspace="none")
                self.assertEqual((result.code, result.outputs["exit-code"]), (code, str(code)), result.log)
                self.assertIn(said, result.log)
                if code == 2:
                    self.assertIn(said, result.summary)
                    self.assertIn(said, result.annotations[-1][2])

    def test_a_backport_to_a_named_branch_is_explained_by_the_default_branch(self):
        world = World()
        self.addCleanup(world.close)
        world.backport(GOOD)
        result = self.act(world, "pull-request-release", {"base-branches": "release/1"}, workspace="none")
        self.assertEqual((result.code, self.errors(result)), (0, set()), result.log)

    def test_an_event_without_a_change_is_no_pass(self):
        world = self.world([{"files": GOOD, "message": "Two"}])
        for event, said in (("issue-comment", "`issue_comment` has no change"), ("schedule", "`schedule` has no change"),
                            ("release", "`release` has no change"), ("workflow-dispatch", "`workflow_dispatch` has no change"),
                            ("push-deleted", "`push` has no change"), ("push-tag", "there is no change to judge"),
                            ("workflow-run-push", "there is no change to judge"),
                            ("push-first", "created the default branch `main`")):
            with self.subTest(event=event):
                result = self.act(world, event, workspace="none")
                self.assertEqual((result.code, result.outputs["verdict"]), (2, "error"), result.log)
                self.assertIn(said, result.summary)
        named = {"base": world.commits["OLD_BASE"], "head": world.commits["HEAD"]}
        self.assertEqual(self.act(world, "issue-comment", named, workspace="none").code, 0)

    def test_the_first_pull_request_says_what_to_do(self):
        world = World()
        self.addCleanup(world.close)
        world.commit({"README.md": "# rates\n"}, "None yet", delete=[".agent-scope.json", ".github", ".agent-traces"])
        world.pull({"files": {".agent-scope.json": policy(), ".github/workflows/gate.yml": "on: push\n"}, "message": "A gate"})
        for event in ("pull-request", "pull-request-target"):
            result = self.act(world, event, workspace="none")
            self.assertEqual((result.code, result.outputs["verdict"]), (2, "error"), result.log)
            for text in (result.summary, result.annotations[-1][2]):
                self.assertIn("has no file `.agent-scope.json`", text)
                self.assertIn("people review it and merge it, and each change after it is judged", text)
                self.assertNotIn("--allow-no-policy", text + result.log)

    def test_a_review_is_told_by_who_runs_the_gate(self):
        commits, _, _ = SCENARIOS["one that changes the workflow"]
        world = self.world(commits)
        result = self.act(world, "pull-request", {"reviewed-by": "security"})
        self.assertEqual(result.code, 0, result.log)
        self.assertIn("reviewed: security", result.log)

    def test_what_was_pushed_is_judged_and_what_people_merged_is_not_refused_again(self):
        world = self.world([{"files": GOOD, "message": "Two"}])
        self.assertEqual(self.act(world, "push", workspace="base").code, 0)
        world.commits["BASE"], world.commits["OLD_BASE"] = world.commits["HEAD"], world.commits["OLD_BASE"]
        self.assertEqual(self.act(world, "push", workspace="none").code, 0)

    def test_without_a_base_or_a_policy_there_is_no_verdict(self):
        world = self.world([{"files": GOOD, "message": "Two"}])
        for event, inputs in (("no-base", {}), ("pull-request", {"policy": "none.json"}), ("pull-request", {"fail-on": "x"}),
                              ("pull-request", {"base": "gone"}), ("pull-request", {"sessions": "none.jsonl"})):
            with self.subTest(event=event, inputs=inputs):
                result = self.act(world, event, inputs)
                self.assertIn(result.code, (2, 3), result.log)
                self.assertEqual(result.outputs["exit-code"], str(result.code))
        self.assertEqual(self.act(world, "no-base", {"base": "main"}).code, 0)

    def test_sessions_of_a_job_before_are_judged_with_the_change(self):
        world = self.world([{"files": {"src/a.py": "A = 2\n"}, "message": "Two"}])
        folder = world.workspace("merge")
        for path, text in session("0b5e4ed0", [READS, writes("src/a.py", "A = 2\n")]).items():
            file = folder / "artifacts" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        result = self.act(world, "pull-request", {"sessions": "artifacts/**/events.ndjson", "source": "artifact"}, folder=folder)
        self.assertEqual(result.code, 1, result.log)
        self.assertEqual(self.errors(result), {"scope/read"}, result.log)

    def test_what_a_session_says_is_never_a_command_or_an_output(self):
        hostile = ("::set-output name=exit-code::0\n::stop-commands::x\n##[add-mask]a\n::error::forged\n"
                   "verdict=pass\nexit-code<<EOF\n0\nEOF\n\u001b[2J@everyone <img src=x> \u202e" + "x" * 5000)
        calls = [("Read", {"file_path": f"{PLACE}/.env\n::set-output name=verdict::pass"}),
                 ("Bash", {"command": f"cat .env; echo '{hostile}'"}), (hostile[:60], {"path": hostile}),
                 *[("Read", {"file_path": f"{PLACE}/secrets/{number}\n::error::{number}"}) for number in range(40)]]
        world = self.world([{"files": session("0bad0000", calls, prompt=hostile), "message": f"x\n\n{hostile[:70]}"}])
        result = self.act(world, "pull-request")
        self.assertEqual((result.code, result.outputs["verdict"]), (1, "fail"), result.log)
        self.assertEqual(result.outputs["exit-code"], "1")
        for line in result.summary.splitlines():
            self.assertNotRegex(line, r"^\s*::|##\[|\x1b|\u202e|<img|@everyone")


if __name__ == "__main__":
    unittest.main()
