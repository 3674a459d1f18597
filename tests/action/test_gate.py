"""What the scripts of the action do, with a program in the place of ours that says what it was called with."""

import json
import re
import unittest
from pathlib import Path

from worlds import TOKEN, World

RECORDER = Path(__file__).resolve().parent / "recorder"
REPORT = """{
  "verdict": "fail",
  "exit_code": 1,
  "policy": {
    "path": "\\"sha256\\": \\"ffff\\",",
    "sha256": "00ff",
    "version": 1
  },
  "summary": {
    "findings": {
      "error": 2,
      "warning": 0,
      "note": 5,
      "incomplete": 0
    }
  }
}
"""
REPORTS = {"sarif": "{}", "json": REPORT, "markdown": "# Report\n", "html": "<html></html>",
           "github": "::error file=src/a.py,line=1,title=scope/read::reads .env\n"}
SIDES = {
    "pull-request": ("BASE", "HEAD", True, True),
    "fork": ("BASE", "HEAD", False, False),
    "dependabot": ("BASE", "HEAD", False, False),
    "pull-request-target": ("BASE", "HEAD", True, True),
    "pull-request-target-fork": ("BASE", "HEAD", False, True),
    "merge-group": ("BASE", "MERGE", False, False),
    "workflow-run": ("BASE", "HEAD", False, False),
    "workflow-run-fork": ("BASE", "HEAD", False, False),
}
CHANGE = {"files": {"src/a.py": "A = 2\n"}, "message": "Two"}


class Case(unittest.TestCase):
    def setUp(self):
        self.world = World()
        self.addCleanup(self.world.close)

    def act(self, event="pull-request", code=0, reports=REPORTS, stdout="", stderr="", inputs=None, **more):
        told = self.world.root / "told"
        told.write_text(json.dumps({"code": code, "reports": reports, "stdout": stdout, "stderr": stderr}))
        result = self.world.run(event, {"binary": str(RECORDER), **(inputs or {})}, env={"RECORDER": str(told)}, **more)
        heard = told.with_name("told.heard")
        self.heard = json.loads(heard.read_text()) if heard.exists() else None
        return result

    def option(self, name):
        found = [argument.split("=", 1)[1] for argument in self.heard["args"] if argument.startswith(f"--{name}=")]
        self.assertLessEqual(len(found), 1, self.heard)
        return found[0] if found else None

    def commit(self, name):
        """The commit that an option names in the repository that the program is to read, or that was fetched for `auto`."""
        option = self.option(name)
        revision = f"refs/gate/{name}" if option in (None, "auto") else option
        return self.world.git("-C", self.option("git-dir"), "rev-parse", f"{revision}^{{commit}}")

    def sides(self):
        return self.commit("base"), self.commit("head")

    def between(self):
        """What was fetched of the change."""
        return self.world.git("-C", self.option("git-dir"), "rev-list", "--count", "..".join(self.sides()))

    def positional(self):
        arguments = self.heard["args"]
        return arguments[arguments.index("--") + 1:] if "--" in arguments else []


class Events(Case):
    def test_each_event_has_its_sides_whatever_was_checked_out(self):
        self.world.pull(CHANGE, behind=3)
        for event, (base, head, can_upload, can_comment) in SIDES.items():
            for workspace in ("merge", "head", "none"):
                with self.subTest(event=event, workspace=workspace):
                    result = self.act(event, workspace=workspace)
                    self.assertEqual(result.code, 0, result.log)
                    self.assertEqual(self.sides(), (self.world.commits[base], self.world.commits[head]))
                    # Which of them judges is for the program to say.
                    self.assertEqual([self.option(name) for name in ("policy-ref", "base", "head")], ["auto", "auto", None])
                    ancestor = self.world.git("-C", self.option("git-dir"), "merge-base", *self.sides())
                    self.assertEqual(ancestor, self.world.commits["BASE" if head == "MERGE" else "OLD_BASE"])
                    self.assertEqual(result.outputs["can-upload"], str(can_upload).lower())
                    self.assertEqual(len([use for use in result.used if "upload-sarif" in use["uses"]]), can_upload)
            with self.subTest(event=event, comment=True):
                commented = self.act(event, workspace="none", inputs={"comment": "true"})
                self.assertEqual(len([use for use in commented.used if "script" in use["uses"]]), can_comment)

    def test_a_push_is_judged_by_what_was_there_before(self):
        self.world.pull(CHANGE, behind=1)
        result = self.act("push", workspace="base")
        self.assertEqual(result.code, 0, result.log)
        self.assertEqual(self.sides(), (self.world.commits["OLD_BASE"], self.world.commits["BASE"]))
        self.assertEqual(result.outputs["can-upload"], "true")

    def test_a_push_to_another_branch_is_judged_by_the_default_branch(self):
        self.world.pull(CHANGE, behind=1)
        result = self.act("push-topic", workspace="head")
        self.assertEqual(result.code, 0, result.log)
        self.assertEqual(self.sides(), (self.world.commits["BASE"], self.world.commits["HEAD"]))

    def test_without_a_base_nothing_is_judged(self):
        self.world.pull(CHANGE)
        result = self.act("no-base")
        self.assertEqual((result.code, result.outputs["exit-code"], result.outputs["verdict"]), (2, "2", "error"))
        self.assertIsNone(self.heard)
        self.assertIn("no branch to merge into", result.annotations[0][2])
        self.assertIn("could not judge", result.summary)
        named = self.act("no-base", inputs={"base": "main"})
        self.assertEqual(named.code, 0, named.log)
        self.assertEqual((self.option("base"), self.option("policy-ref")), ("origin/main", None))
        self.assertEqual(self.commit("base"), self.world.commits["BASE"])

    def test_a_base_that_is_not_there_is_no_pass(self):
        self.world.pull(CHANGE)
        for base in ("gone", "0" * 40, "a b", "--upload-pack=touch /tmp/x", "main:refs/heads/x", "../x"):
            with self.subTest(base=base):
                result = self.act(inputs={"base": base})
                self.assertEqual((result.code, result.outputs["exit-code"]), (2, "2"), result.log)

    def test_histories_without_a_common_commit_are_no_pass(self):
        self.world.git("checkout", "-q", "--orphan", "elsewhere", folder=self.world.origin)
        self.world.commit({"src/a.py": "A = 9\n"}, "Another beginning")
        self.world.git("checkout", "-q", "main", folder=self.world.origin)
        self.world.pull(CHANGE)
        result = self.act(inputs={"base": "elsewhere"})
        self.assertEqual(result.code, 2)
        self.assertIn("no common history", result.annotations[0][2])

    def test_the_history_is_fetched_until_both_sides_meet(self):
        commits = [{"files": {"src/a.py": f"A = {number}\n"}, "message": f"{number}"} for number in range(30)]
        self.world.pull(*commits, behind=140)
        result = self.act(workspace="none")
        self.assertEqual(result.code, 0, result.log)
        self.assertEqual(self.between(), "30")
        ancestor = self.world.git("-C", self.option("git-dir"), "merge-base", *self.sides())
        self.assertEqual(ancestor, self.world.commits["OLD_BASE"])

    def test_a_branch_that_was_merged_in_is_not_cut_off(self):
        world = self.world
        world.git("checkout", "-q", "-b", "long", folder=world.origin)
        for number in range(40):
            world.commit({"docs/long.md": f"{number}\n"}, f"long {number}")
        world.git("checkout", "-q", "main", folder=world.origin)
        world.git("checkout", "-q", "-b", "topic", folder=world.origin)
        world.commit({"src/a.py": "A = 3\n"}, "Three")
        world.git("merge", "-q", "--no-ff", "-m", "take long", "long", folder=world.origin)
        world.git("checkout", "-q", "main", folder=world.origin)
        world.git("branch", "-q", "-m", "topic", "kept", folder=world.origin)
        world.git("checkout", "-q", "kept", folder=world.origin)
        world.commits.update(HEAD=world.head(), BASE=world.head("main"), MERGE=world.head())
        result = self.act(workspace="none")
        self.assertEqual(result.code, 0, result.log)
        self.assertEqual(self.between(), "42")


class Trust(Case):
    def test_the_token_is_sent_once_and_stays_nowhere(self):
        self.world.pull(CHANGE)
        folder = self.world.workspace("merge")
        # As a checkout leaves it that persists its credentials.
        self.world.git("config", f"http.{self.world.server.url}/.extraheader", "AUTHORIZATION: basic other", folder=folder)
        result = self.act(folder=folder)
        self.assertEqual(result.code, 0, result.log)
        self.assertTrue(self.world.server.asked)
        self.assertIsNone(self.heard["token"])
        for file in result.temp.rglob("*"):
            if file.is_file():
                self.assertNotIn(TOKEN.encode(), file.read_bytes(), file)
        self.assertNotIn(TOKEN, result.log)

    def test_without_the_token_nothing_is_judged(self):
        self.world.pull(CHANGE)
        result = self.act(inputs={"token": ""})
        self.assertEqual((result.code, result.outputs["exit-code"]), (2, "2"), result.log)

    def test_settings_of_the_workspace_are_not_followed(self):
        self.world.pull(CHANGE)
        folder, trap = self.world.workspace("merge"), self.world.root / "trap"
        for key, value in {"core.fsmonitor": f"touch {trap}", "core.hooksPath": str(folder),
                           "core.sshCommand": f"touch {trap}", "remote.origin.url": "file:///nowhere"}.items():
            self.world.git("config", key, value, folder=folder)
        for hook in ("reference-transaction", "post-checkout"):
            (folder / hook).write_text(f"#!/bin/sh\ntouch {trap}\n")
            (folder / hook).chmod(0o755)
        result = self.act(folder=folder)
        self.assertEqual(result.code, 0, result.log)
        self.assertFalse(trap.exists())

    def test_a_start_file_of_the_shell_is_not_run(self):
        self.world.pull(CHANGE)
        trap, start = self.world.root / "trap", self.world.root / "start.sh"
        start.write_text(f"touch {trap}\n")
        told = self.world.root / "told"
        told.write_text(json.dumps({"code": 0, "reports": REPORTS}))
        result = self.world.run("pull-request", {"binary": str(RECORDER)},
                                env={"RECORDER": str(told), "BASH_ENV": str(start)})
        self.assertEqual(result.code, 0, result.log)
        self.assertFalse(trap.exists())

    def test_another_policy_is_fetched_by_its_name(self):
        self.world.git("branch", "rules", folder=self.world.origin)
        self.world.pull(CHANGE, behind=1)
        for name in ("rules", "origin/rules", self.world.commits["OLD_BASE"]):
            result = self.act(inputs={"policy-ref": name})
            self.assertEqual(result.code, 0, result.log)
            self.assertEqual(self.commit("policy-ref"), self.world.commits["OLD_BASE"])
            # The base is still the one of the event.
            self.assertEqual((self.option("base"), self.option("head")), ("auto", None))
        self.assertEqual(self.act(inputs={"policy-ref": "gone"}).code, 2)

    def test_a_program_that_breaks_off_has_judged_nothing(self):
        self.world.pull(CHANGE)
        for code in (2, 4, 101, 134):
            result = self.act(code=code, reports={})
            self.assertEqual((result.code, result.outputs["exit-code"], result.outputs["verdict"]), (2, "2", "error"))
            self.assertEqual(result.annotations[-1][0], "error")

    def test_why_nothing_was_judged_is_shown_where_people_look(self):
        self.world.pull(CHANGE)
        hostile = "error: no `a`\n  hint: do b\n::set-output name=exit-code::0\n  hint: ![x](https://x) @all <img> ##[error]c\n"
        result = self.act(code=2, reports={}, stderr=hostile)
        self.assertEqual((result.code, result.outputs["exit-code"]), (2, "2"))
        self.assertIn("no `a`\n- do b\n- ![x]", result.annotations[-1][2])
        shown = result.summary.splitlines()
        self.assertEqual([line for line in shown if "x](" in line], ["    - ![x](https://x) @all <img> ##[error]c"])
        self.assertNotIn("##[error]c", result.annotations[-1][2])
        self.assertIn("    no `a`", shown)
        self.assertIn("exit code 2", result.summary)


class Outputs(Case):
    def test_outputs_say_what_the_report_says(self):
        self.world.pull(CHANGE)
        result = self.act(code=1)
        self.assertEqual(result.code, 1)
        wanted = {"exit-code": "1", "verdict": "fail", "findings": "7", "highest-level": "error", "policy-digest": "00ff",
                  "can-upload": "true"}
        self.assertEqual({name: result.outputs[name] for name in wanted}, wanted)
        for name in ("sarif", "json", "markdown", "html"):
            file = Path(result.outputs[f"{name}-file"])
            self.assertEqual(file.read_text(), REPORTS[name])
            self.assertTrue(file.is_relative_to(result.temp))
        self.assertEqual(result.summary, REPORTS["markdown"])
        self.assertEqual([name for name, _, _ in result.annotations], ["error"])
        [upload] = [use for use in result.used if "upload-sarif" in use["uses"]]
        self.assertEqual(upload["with"]["sarif_file"], result.outputs["sarif-file"])
        self.assertEqual((upload["with"]["ref"], upload["with"]["sha"]), ("", ""))

    def test_alerts_of_a_run_on_the_base_belong_to_the_change(self):
        self.world.pull(CHANGE)
        result = self.act("pull-request-target", workspace="none")
        [upload] = [use for use in result.used if "upload-sarif" in use["uses"]]
        self.assertEqual((upload["with"]["ref"], upload["with"]["sha"]), ("refs/pull/7/head", self.world.commits["HEAD"]))

    def test_each_exit_code_has_its_verdict(self):
        self.world.pull(CHANGE)
        for code, verdict in ((0, "pass"), (1, "fail"), (3, "incomplete")):
            result = self.act(code=code)
            self.assertEqual((result.code, result.outputs["verdict"]), (code, verdict))

    def test_nothing_is_uploaded_or_commented_that_is_not_there_or_not_asked_for(self):
        self.world.pull(CHANGE)
        for reports, inputs in (({}, {"comment": "true"}), (REPORTS, {"upload-sarif": "false"})):
            self.assertEqual(self.act(reports=reports, inputs=inputs).used, [])
        for name in ("upload-sarif", "comment"):
            self.assertEqual(self.act(inputs={name: "yes"}).code, 2)

    def test_what_a_log_says_is_no_command(self):
        self.world.pull(CHANGE)
        hostile = "::set-output name=exit-code::0\n  ::add-mask::a\n##[set-output name=x]y\n::stop-commands::t\n::error::x\n"
        result = self.act(code=1, stdout=hostile)
        self.assertEqual((result.code, result.outputs["exit-code"]), (1, "1"))
        tokens = re.findall(r"^::stop-commands::([0-9a-f]{32})$", result.log, re.MULTILINE)
        again = re.findall(r"^::stop-commands::([0-9a-f]{32})$", self.act(code=1).log, re.MULTILINE)
        self.assertNotEqual(tokens, again)

    def test_a_summary_that_would_not_be_shown_is_replaced(self):
        self.world.pull(CHANGE)
        result = self.act(code=1, reports={**REPORTS, "markdown": "x" * 1_100_000})
        self.assertEqual(result.code, 1)
        self.assertIn("too long", result.summary)


class Inputs(Case):
    def test_inputs_are_options_and_never_more(self):
        self.world.pull(CHANGE)
        result = self.act(inputs={"trace-dir": "--help", "policy": "-x $(touch /tmp/x)", "fail-on": "warning; true",
                                  "source": "runner", "reviewed-by": "dana\n--fail-on=never",
                                  "base-branches": "\n next \r\nrelease/**\n--base=helper"})
        self.assertEqual(result.code, 0, result.log)
        self.assertEqual(self.heard["args"][:2], ["--trace-dir=--help", "check"])
        self.assertEqual(self.option("policy"), "-x $(touch /tmp/x)")
        self.assertEqual(self.option("fail-on"), "warning; true")
        self.assertEqual(self.option("source"), "runner")
        self.assertEqual(self.option("tampering-reviewed"), "dana\n--fail-on=never")
        named = [argument for argument in self.heard["args"] if argument.startswith("--base-branch=")]
        self.assertEqual(named, ["--base-branch=next", "--base-branch=release/**", "--base-branch=--base=helper"])

    def test_sessions_are_paths_globs_ids_and_places_in_git(self):
        self.world.git("branch", "entire/checkpoints/v1", folder=self.world.origin)
        self.world.pull(CHANGE)
        folder = self.world.workspace("merge")
        (folder / "logs" / "deep").mkdir(parents=True)
        (folder / "logs" / ".git").mkdir()
        (folder / "logs" / ".hidden").mkdir()
        for name in ("logs/b 2.jsonl", "logs/a.jsonl", "logs/deep/c.jsonl", "logs/.git/d.jsonl", "logs/.hidden/e.jsonl"):
            (folder / name).write_text("{}\n")
        lines = "\n  logs/**/*.jsonl \r\n\nabc123\n-x\nnone-*.jsonl\n.agent-traces\ngit:refs/gate/head:other\nentire\nentire:x\n"
        result = self.act(inputs={"sessions": lines}, folder=folder)
        self.assertEqual(result.code, 0, result.log)
        head = self.world.commits["HEAD"]
        self.assertEqual(self.positional(), [
            "logs/.hidden/e.jsonl", "logs/a.jsonl", "logs/b 2.jsonl", "logs/deep/c.jsonl", "abc123", "-x", "none-*.jsonl",
            f"git:{head}:.agent-traces", "git:refs/gate/head:other", f"entire:origin/main..{head}", "entire:x",
        ])
        self.assertEqual(self.world.git("-C", self.option("git-dir"), "rev-parse", "origin/entire/checkpoints/v1"),
                         self.world.commits["OLD_BASE"])

    def test_links_that_a_pattern_matches_are_not_followed(self):
        self.world.pull(CHANGE)
        outside = self.world.root / "outside"
        outside.mkdir()
        (outside / "a.jsonl").write_text("{}\n")
        for name, target in (("logs/b.jsonl", outside / "a.jsonl"), ("logs/x", outside), ("logs/c.jsonl", "a.jsonl"),
                             ("logs/gone.jsonl", "nowhere")):
            folder = self.world.workspace("merge")
            (folder / "logs").mkdir()
            (folder / "logs" / "a.jsonl").write_text("{}\n")
            (folder / name).symlink_to(target)
            with self.subTest(name=name):
                pattern = "logs/*/*.jsonl" if name == "logs/x" else "logs/*.jsonl"
                result = self.act(inputs={"sessions": pattern}, folder=folder)
                self.assertEqual((result.code, result.outputs["exit-code"]), (2, "2"), result.log)
                self.assertIn(f"`{name}`", result.annotations[0][2])
                # The folder that the workflow names itself may be one.
                (folder / "artifacts").symlink_to("logs")
                (folder / name).unlink()
                result = self.act(inputs={"sessions": "artifacts/**/*.jsonl"}, folder=folder)
                self.assertEqual((result.code, self.positional()), (0, ["artifacts/a.jsonl"]), result.log)

    def test_checkpoints_that_are_not_there_are_no_pass(self):
        self.world.pull(CHANGE)
        self.assertEqual(self.act(inputs={"sessions": "entire"}).code, 2)

    def test_names_of_another_length_are_not_supported(self):
        self.world.pull(CHANGE)
        result = self.act(inputs={"head": "a" * 64})
        self.assertEqual((result.code, result.outputs["exit-code"]), (2, "2"))
        self.assertIn("SHA-256, which is not supported", result.summary)

    def test_other_sides_can_be_named(self):
        self.world.pull(CHANGE)
        result = self.act("push", inputs={"base": "main", "head": self.world.commits["HEAD"]}, workspace="none")
        self.assertEqual(result.code, 0, result.log)
        self.assertEqual((self.option("base"), self.option("head")), ("origin/main", self.world.commits["HEAD"]))


if __name__ == "__main__":
    unittest.main()
