"""run.py BINARY WORK: exports policies, and asks the engines that they are made for.

An engine has to accept its file whole, and must not let a call pass that the policy refuses unless the export says so.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROJECT = HERE.parent.parent
sys.path.insert(0, str(PROJECT / "tests/clients"))

from client import pinned  # noqa: E402

CALLS = PROJECT / "fixtures/permissions/calls.jsonl"
POLICIES = [PROJECT / "policies" / f"{name}.json" for name in ("default", "strict", "web-app")]
# What the published schema of Claude Code's settings says of a permission rule (SchemaStore, 2026-11).
RULE = re.compile(r"((Bash|Edit|Read|WebFetch|WebSearch)(\([^)]+\))?|mcp__.*)")

failures: list[str] = []
passed = 0


def expect(holds: bool, message: str) -> None:
    global passed
    if holds:
        passed += 1
    else:
        failures.append(message)
        print(f"FAILED {message}", file=sys.stderr)


class Product:
    def __init__(self, binary: str) -> None:
        self.binary = binary

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.binary, *arguments], cwd=PROJECT, capture_output=True, text=True, check=False)

    def export(self, policy: Path, target: str) -> str:
        done = self.run("policy", "export", "--to", target, "--policy", str(policy))
        if done.returncode != 0:
            raise SystemExit(f"export of {policy.name} to {target}: {done.stderr}")
        return done.stdout

    def compared(self, policy: Path, target: str) -> dict[int, dict[str, Any]]:
        """What the emulator and the policy disagree about, by the line of the call."""
        arguments = ["--to", target, "--policy", str(policy), "--verify", str(CALLS), "--format", "json"]
        report = json.loads(self.run("policy", "export", *arguments).stdout)
        return {row["line"]: row for row in report["agreement"]["differences"]}

    def allows(self, policy: Path, call: dict[str, Any]) -> bool:
        arguments = ["--policy", str(policy), "--tool", call["tool"], "--input", json.dumps(call["input"])]
        done = self.run("policy", "explain", "--cwd", "/repo", *arguments)
        answer = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else ""
        return answer.startswith(("allow", "unresolved"))


def calls() -> list[tuple[int, dict[str, Any]]]:
    return list(enumerate((json.loads(line) for line in CALLS.read_text().splitlines()), start=1))


def claude(product: Product, policy: Path) -> None:
    permissions = json.loads(product.export(policy, "claude-code"))["permissions"]
    rules = [rule for name in ("allow", "ask", "deny") for rule in permissions.get(name, [])]
    wrong = [rule for rule in rules if not RULE.fullmatch(rule)]
    expect(bool(rules) and not wrong, f"{policy.name}: Claude Code has no such rules: {wrong[:3]}")


def codex(product: Product, policy: Path, program: Path, work: Path) -> None:
    home = work / f"codex-{policy.stem}"
    (home / "rules").mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(product.export(policy, "codex-config"))
    rules = home / "rules/scope.rules"
    rules.write_text(product.export(policy, "codex"))
    environment = {**os.environ, "CODEX_HOME": str(home), "HOME": str(home)}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(program), *arguments]
        return subprocess.run(command, env=environment, cwd=home, capture_output=True, text=True, check=False, timeout=60)

    started = run("features", "list")
    message = f"{policy.name}: Codex does not start with its configuration: {started.stderr.strip()[-300:]}"
    expect(started.returncode == 0 and "rror" not in started.stderr, message)
    for _, call in calls():
        # `execpolicy check` takes words: texts that a shell has to take apart are not its own.
        if call["tool"] != "Bash" or re.search(r"[;&|<>$()`]", call["input"]["command"]):
            continue
        words = shlex.split(call["input"]["command"])
        done = run("execpolicy", "check", "--rules", str(rules), "--", *words)
        if done.returncode != 0:
            expect(False, f"{policy.name}: codex execpolicy: {done.stderr.strip()[-300:]}")
            return
        decision = json.loads(done.stdout).get("decision")
        allowed = decision != "allow" or product.allows(policy, call)
        expect(allowed, f"{policy.name}: Codex allows `{shlex.join(words)}`, and the policy does not")


def opencode(product: Product, policy: Path, program: Path, work: Path) -> None:
    home = work / f"opencode-{policy.stem}"
    (home / "project").mkdir(parents=True, exist_ok=True)
    text = product.export(policy, "opencode")
    (home / "project/opencode.json").write_text(text)
    environment = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")}
    command = [str(program), "debug", "agent", "build"]
    printed = home / "agent.json"
    # It ends before a pipe has taken all that it prints.
    with printed.open("w") as out:
        done = subprocess.run(
            command, env=environment, cwd=home / "project", stdout=out, stderr=subprocess.PIPE, text=True, timeout=120
        )
    if done.returncode != 0:
        text = done.stderr or printed.read_text()
        expect(False, f"{policy.name}: OpenCode does not take its configuration: {text[-300:]}")
        return
    rules = json.loads(printed.read_text())["permission"]
    effective = [(rule["permission"], rule["pattern"], rule["action"]) for rule in rules]
    wanted = []
    for permission, value in json.loads(text)["permission"].items():
        patterns = value if isinstance(value, dict) else {"*": value}
        # Home is written out in what holds.
        wanted += [(permission, re.sub(r"^~/", f"{home}/", pattern), action) for pattern, action in patterns.items()]
    # All of them, in their order: the last that matches decides.
    rest = iter(effective)
    missing = [rule for rule in wanted if rule not in rest]
    expect(bool(wanted) and not missing, f"{policy.name}: OpenCode lacks {missing[:3]}")


def gemini(product: Product, policy: Path, folder: Path, work: Path) -> None:
    policies = work / f"gemini-{policy.stem}"
    policies.mkdir(parents=True, exist_ok=True)
    text = product.export(policy, "gemini")
    (policies / "scope.toml").write_text(text)
    bundle = folder / "node_modules/@google/gemini-cli/bundle"
    command = ["node", str(HERE / "gemini.mjs"), str(bundle), str(policies), str(CALLS)]
    environment = {**os.environ, "HOME": str(work)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode != 0:
        expect(False, f"{policy.name}: the engine of Gemini CLI does not run: {done.stderr[-300:]}")
        return
    report = json.loads(done.stdout.splitlines()[-1])
    expect(report["errors"] == [], f"{policy.name}: Gemini CLI refuses {report['errors'][:1]}")
    # A rule for several tools is one for each of them in the engine.
    rules = tomllib.loads(text)["rule"]
    expect(report["rules"] >= len(rules), f"{policy.name}: Gemini CLI has {report['rules']} of {len(rules)} rules")
    known, differences = dict(calls()), product.compared(policy, "gemini")
    for row in report["decisions"]:
        if row["decision"] != "allow":
            continue
        difference = differences.get(row["line"])
        known_weaker = difference is not None and difference["file"] == "allow"
        call = known[row["line"]]
        message = f"{policy.name}: Gemini CLI allows {call}, and neither the policy nor the emulator does"
        expect(known_weaker or product.allows(policy, call), message)


def main() -> None:
    product, work = Product(sys.argv[1]), Path(sys.argv[2])
    folders = {pin.name: pin.installed(work) for pin in pinned()}
    for policy in POLICIES:
        claude(product, policy)
        codex(product, policy, folders["codex"] / "node_modules/.bin/codex", work)
        opencode(product, policy, folders["opencode"] / "node_modules/.bin/opencode", work)
        gemini(product, policy, folders["gemini-cli"], work)
    print(f"{passed} passed, {len(failures)} failed")
    sys.exit(bool(failures))


main()
