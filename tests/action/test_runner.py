"""The strict runner finds what it is there to find: an action that does one thing wrong is refused."""

import tempfile
import unittest
from pathlib import Path

import expressions
from runner import Broken, Log, Runner, read_file_command

TOKEN = "0123456789abcdef0123456789abcdef"
ACTION = """
name: x
description: x
inputs:
  name: {description: x, default: "%s"}
outputs:
  out: {description: x, value: "${{ steps.one.outputs.out || 'none' }}"}
runs:
  using: composite
  steps:
    - id: one
      shell: bash
      env: {NAME: "${{ inputs.name }}"}
      run: |
%s
    - if: ${{ always() }}
      shell: bash
      run: echo last
"""


class Scripts(unittest.TestCase):
    def act(self, script, given=None):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = Path(folder.name)
        for name in ("action", "temp", "workspace"):
            (root / name).mkdir()
        lines = "\n".join(" " * 8 + line for line in script.splitlines())
        (root / "action" / "action.yml").write_text(ACTION % ("default", lines))
        github = {"event_name": "push", "event_path": "x", "repository": "a/b", "server_url": "x", "sha": "x", "ref": "x"}
        return Runner(root / "action", root / "temp", root / "workspace", github,
                      {"PATH": "/usr/bin:/bin"}).run(given or {})

    def test_steps_run_as_the_runner_runs_them(self):
        result = self.act('echo "out=$NAME" >>"$GITHUB_OUTPUT"', {"name": "a b"})
        self.assertEqual((result.outputs["out"], result.code), ("a b", 0))
        failed = self.act("false | true\necho never")
        self.assertEqual((failed.code, failed.status, failed.outputs["out"]), (1, "failure", "none"))
        self.assertIn("last", failed.log)
        self.assertNotIn("never", failed.log)

    def test_there_are_no_inputs_in_the_environment(self):
        self.assertEqual(self.act('env | grep -q ^INPUT_ && exit 9; echo "out=$NAME" >>"$GITHUB_OUTPUT"').code, 0)
        with self.assertRaisesRegex(Broken, "not declared"):
            self.act("true", {"other": "x"})

    def test_what_the_runner_would_run_or_drop_is_refused(self):
        many = "for i in $(seq 11); do echo ::%s::x; done"
        for script, reason in {
            "echo '::set-output name=a::b'": "does not mean",
            "echo '   ::add-mask::b'": "does not mean",
            "echo 'text ##[group]x'": "old form",
            "echo ::stop-commands::short": "guessed",
            f"echo ::stop-commands::{TOKEN}": "still stopped",
            "echo A=b >>\"$GITHUB_ENV\"": "GITHUB_ENV",
            "echo /x >>\"$GITHUB_PATH\"": "GITHUB_PATH",
            "printf 'out<<EOF\\nx\\nEOF\\n' >>\"$GITHUB_OUTPUT\"": "guessed",
            "printf 'out=1\\nout=2\\n' >>\"$GITHUB_OUTPUT\"": "twice",
            "head -c 1048577 /dev/zero | tr '\\0' x >>\"$GITHUB_STEP_SUMMARY\"": "too large",
            many % "error": "11 annotations", many % "warning": "11 annotations", many % "notice": "11 annotations",
            "echo \"::error::$(head -c 4097 /dev/zero | tr '\\0' x)\"": "4097",
            "printf '::error::a\\033[1m\\n'": "control",
            "echo ${{ inputs.name }}": "runs what stands",
        }.items():
            with self.subTest(script=script), self.assertRaisesRegex(Broken, reason):
                self.act(script)

    def test_nothing_is_a_command_while_commands_are_stopped(self):
        log = Log()
        log.read(f"::stop-commands::{TOKEN}\n::set-output name=a::b\n##[error]x\n::other::\n::{TOKEN}::\n::error::%25%0Ax\n")
        log.finish()
        self.assertEqual(log.annotations, [("error", "", "%\nx")])
        with self.assertRaises(Broken):
            log.read("::set-output name=a::b")


class Expressions(unittest.TestCase):
    CONTEXTS = {"github": {"event": {"list": [{"a": "x"}], "number": 7}}, "steps": {}}

    def test_values_are_those_of_the_runner(self):
        for template, value in {
            "a ${{ github.event.number }} b": "a 7 b",
            "${{ github.event.list[0].a }}${{ github.event.list[1].a }}": "x",
            "${{ github.event.none.deeper || 'other' }}": "other",
            "${{ github.event.number == 7 && 'yes' || 'no' }}": "yes",
            "${{ 'A' == 'a' }}": "true",
            "${{ !('a' != 'b') }}": "false",
            "${{ 'it''s' }}": "it's",
        }.items():
            self.assertEqual(expressions.text(template, self.CONTEXTS), value, template)

    def test_what_is_not_known_is_an_error(self):
        for template in ("${{ format('x') }}", "${{ secrets.x }}", "${{ a", "${{ github.* }}", "${{ 1 < 2 }}",
                         "${{ github.event }}", "${{ github.event.number == '7' }}", "${{ toJSON(github) }}", "${{ }}"):
            with self.subTest(template=template), self.assertRaises(expressions.Unknown):
                expressions.text(template, self.CONTEXTS)

    def test_conditions_hold_after_success_unless_they_ask(self):
        for source, status, holds in (
            (None, "success", True), (None, "failure", False), ("${{ 'a' == 'a' }}", "failure", False),
            ("always()", "failure", True), ("${{ always() && 'a' == 'b' }}", "failure", False),
            ("failure()", "failure", True), ("success()", "failure", False),
        ):
            self.assertEqual(expressions.condition(source, self.CONTEXTS, status), holds, (source, status))

    def test_files_of_outputs(self):
        long = "delimiter-" + TOKEN
        self.assertEqual(read_file_command(f"a=b=c\nd<<{long}\n1\n\ne=f\n{long}\n"), {"a": "b=c", "d": "1\n\ne=f"})
        for text in ("a", f"a<<{long}\nx\n", "=x"):
            with self.subTest(text=text), self.assertRaises(Broken):
                read_file_command(text)


if __name__ == "__main__":
    unittest.main()
