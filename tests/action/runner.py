"""Runs the steps of a composite action as GitHub's runner does, and stricter.

A step gets the environment that the runner gives it and no input but through `env`. What it prints is read as the runner
reads it: commands are found, and a command that the action did not mean is an error here. Steps with `uses` are recorded
and not run.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import yaml

import expressions

# Of each level, for all steps of a composite action together.
MOST_ANNOTATIONS = 10
LONGEST_ANNOTATION = 4096
LARGEST_SUMMARY = 1_048_576
COMMAND = re.compile(r"^\s*::([^\s:]+)(?: (.*?))?::(.*)$")
OLD_COMMAND = re.compile(r"##\[([A-Za-z-]+)[^\]]*\](.*)$")
# All that this action has a reason to print.
MEANT = {"error", "warning", "notice", "stop-commands"}
KEYS_OF_STEPS = {"id", "if", "shell", "env", "run", "uses", "with", "continue-on-error", "name"}
SHELL = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail"]


class Broken(Exception):
    """The action does something that the runner does not do, does not allow, or does without a trace."""


class Log:
    """Reads what a step prints, as the runner does."""

    def __init__(self):
        self.lines, self.annotations, self.token = [], [], None

    def read(self, text):
        for line in text.splitlines():
            self.lines.append(line)
            self.line(line)

    def line(self, line):
        command = COMMAND.match(line)
        old = OLD_COMMAND.search(line)
        if self.token is not None:
            if command and command.group(1) == self.token:
                self.token = None
            return
        if old:
            raise Broken(f"a command of the old form would be run: {line!r}")
        if not command:
            return
        name, properties, message = command.group(1), command.group(2) or "", command.group(3)
        if name not in MEANT:
            raise Broken(f"a command would be run that the action does not mean: {line!r}")
        if name == "stop-commands":
            if len(message) < 32:
                raise Broken(f"the token can be guessed: {message!r}")
            self.token = message
            return
        if re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", message):
            raise Broken(f"control characters in an annotation: {message!r}")
        self.annotations.append((name, properties, decoded(message)))

    def finish(self):
        if self.token is not None:
            raise Broken("commands are still stopped at the end of the step")


def decoded(message):
    return message.replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%")


def read_file_command(text):
    """`GITHUB_OUTPUT` and its like: `name=value`, or `name<<DELIMITER` with lines."""
    values, lines = {}, text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line:
            continue
        equals, heredoc = line.find("="), line.find("<<")
        if heredoc >= 0 and (equals < 0 or heredoc < equals):
            name, delimiter = line.split("<<", 1)
            if len(delimiter) < 32:
                raise Broken(f"the delimiter can be guessed: {line!r}")
            if delimiter not in lines[at:]:
                raise Broken(f"no end of the output {name!r}")
            end = lines.index(delimiter, at)
            value, at = "\n".join(lines[at:end]), end + 1
        elif equals >= 0:
            name, value = line.split("=", 1)
        else:
            raise Broken(f"no output: {line!r}")
        if not name or name in values:
            raise Broken(f"the output {name!r} is set twice or has no name")
        values[name] = value
    return values


class Result:
    def __init__(self):
        self.outputs, self.used, self.steps, self.annotations = {}, [], [], []
        self.status, self.log, self.summary = "success", "", ""

    @property
    def code(self):
        """What the last step that failed ended with."""
        codes = [code for _, code, _ in self.steps if code]
        return codes[-1] if codes else 0


class Runner:
    """`github`: the context; `env`: what jobs have beside what the runner sets, PATH among them."""

    def __init__(self, action, temp, workspace, github, env):
        self.action, self.temp, self.workspace = Path(action), Path(temp), Path(workspace)
        self.definition = yaml.safe_load((self.action / "action.yml").read_text())
        self.github = {**github, "action_path": str(self.action)}
        self.env = env

    def inputs(self, given):
        declared = self.definition["inputs"]
        unknown = set(given) - set(declared)
        if unknown:
            raise Broken(f"inputs that are not declared: {sorted(unknown)}")
        contexts = {"github": self.github}
        default = lambda spec: expressions.text(str(spec.get("default", "")), contexts)
        return {name: given.get(name, default(spec)) for name, spec in declared.items()}

    def run(self, given):
        result = Result()
        contexts = {
            "github": self.github,
            "runner": {"temp": str(self.temp)},
            "inputs": self.inputs(given),
            "steps": {},
        }
        if self.definition["runs"]["using"] != "composite":
            raise Broken("this is no composite action")
        for number, step in enumerate(self.definition["runs"]["steps"]):
            self.step(number, step, contexts, result)
        for name, spec in self.definition["outputs"].items():
            if not spec.get("description"):
                raise Broken(f"the output {name} is not documented")
            result.outputs[name] = expressions.text(spec["value"], contexts)
        for level in ("error", "warning", "notice"):
            count = sum(1 for name, _, _ in result.annotations if name == level)
            if count > MOST_ANNOTATIONS:
                raise Broken(f"{count} annotations of the level {level}: only {MOST_ANNOTATIONS} are kept")
        for _, _, message in result.annotations:
            if len(message) > LONGEST_ANNOTATION:
                raise Broken(f"an annotation of {len(message)} characters is cut")
        return result

    def step(self, number, step, contexts, result):
        unknown = set(step) - KEYS_OF_STEPS
        if unknown:
            raise Broken(f"keys of a step that this runner does not know: {sorted(unknown)}")
        name = step.get("id", f"step {number}")
        if not expressions.condition(step.get("if"), contexts, result.status):
            result.steps.append((name, 0, "skipped"))
            contexts["steps"][step.get("id", "")] = {"outputs": {}, "outcome": "skipped", "conclusion": "skipped"}
            return
        fill = lambda values: {key: expressions.text(str(value), contexts) for key, value in (values or {}).items()}
        if "uses" in step:
            if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"]):
                raise Broken(f"{step['uses']} is not pinned by a commit")
            result.used.append({"uses": step["uses"], "with": fill(step.get("with")), "env": fill(step.get("env"))})
            result.steps.append((name, 0, "success"))
            return
        if step.get("shell") != "bash":
            raise Broken(f"{name}: a composite action has to name its shell")
        if "${{" in step["run"]:
            raise Broken(f"{name}: an expression in a script runs what stands in it")
        code, outputs = self.script(step["run"], fill(step.get("env")), result)
        outcome = "failure" if code else "success"
        forgiven = step.get("continue-on-error", False)
        if code and not forgiven:
            result.status = "failure"
        result.steps.append((name, code, outcome))
        conclusion = "success" if forgiven else outcome
        contexts["steps"][step.get("id", "")] = {"outputs": outputs, "outcome": outcome, "conclusion": conclusion}

    def script(self, text, env, result):
        with tempfile.TemporaryDirectory(dir=self.temp) as folder:
            files = {key: Path(folder) / key.lower() for key in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH",
                                                                  "GITHUB_STEP_SUMMARY", "GITHUB_STATE")}
            for file in files.values():
                file.touch()
            script = Path(folder) / "script.sh"
            script.write_text(text)
            environment = {
                **self.env,
                **self.variables(),
                **{key: str(file) for key, file in files.items()},
                **env,
            }
            code, printed = run(SHELL + [str(script)], self.workspace, environment)
            log = Log()
            result.log += printed
            log.read(printed)
            log.finish()
            result.annotations += log.annotations
            for key in ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE"):
                if files[key].read_text():
                    raise Broken(f"{key} changes what later steps of the job run with")
            summary = files["GITHUB_STEP_SUMMARY"].read_text()
            if len(summary.encode()) > LARGEST_SUMMARY:
                raise Broken("the summary is too large: none of it would be shown")
            result.summary += summary
            return code, read_file_command(files["GITHUB_OUTPUT"].read_text())

    def variables(self):
        """What the runner sets for every step."""
        github = self.github
        return {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(self.action),
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_EVENT_NAME": github["event_name"],
            "GITHUB_EVENT_PATH": github["event_path"],
            "GITHUB_REPOSITORY": github["repository"],
            "GITHUB_SERVER_URL": github["server_url"],
            "GITHUB_SHA": github["sha"],
            "GITHUB_REF": github["ref"],
            "GITHUB_BASE_REF": github.get("base_ref", ""),
            "GITHUB_HEAD_REF": github.get("head_ref", ""),
            "RUNNER_TEMP": str(self.temp),
            "RUNNER_OS": "Linux",
            "RUNNER_ARCH": "X64",
        }


def run(command, folder, environment, seconds=300):
    """Both streams as one, as the runner reads them."""
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True,
    )
    try:
        printed, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise Broken(f"a step takes more than {seconds} seconds") from None
    return process.returncode, printed.decode("utf-8", errors="replace")


def tool(name):
    """A program that has to be there: a test that can't run is no test."""
    found = shutil.which(name)
    if not found:
        raise Broken(f"`{name}` is not installed")
    return found
