#!/usr/bin/env python3
"""Measure agent-strace against its peer and against the limit, as ratios taken in one run.

The peer is the Python package `agent-strace`; the limit is `rg -c x` on the same bytes. Everything is timed as a
whole process: CPU seconds and peak memory come from the kernel's accounting of each finished child.

    cargo build --release
    python3 benches/compare.py --binary target/release/agent-strace --work /tmp/agent-strace-bench

needs `rg`, and the peer in one or more virtual environments given with `--peer NAME=PATH-TO-ITS-BINARY`:

    python3 -m venv /tmp/p49 && /tmp/p49/bin/pip install agent-strace==0.49.0
    python3 benches/compare.py … --peer 0.49.0=/tmp/p49/bin/agent-strace

Without `--peer` only the limit is compared. `--big-mb` sets the size of the big store (default 1,024).
`--history CALLS` measures `policy backtest` over that many calls, and nothing else; `--hooks` what each step of an agent
costs with a hook.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

POLICY = {
    "files": {
        "read": {"allow": ["src/**", "tests/**", "docs/**", "*.md", "Cargo.toml"], "deny": [".env", "secrets/**"]},
        "write": {"allow": ["src/**", "tests/**"], "deny": [".github/**", "*.lock"]},
    },
    "commands": {
        "allow": ["cd", "cargo", "git status", "git diff", "git log", "rg", "cat", "ls", "head", "sed"],
        "deny": ["rm", "git push", "sudo"],
    },
    "network": {"deny_all": True, "allow": ["api.github.com", "localhost"]},
}
COMMANDS = [
    "cargo test --quiet 2>&1 | head -40",
    "git status && git diff --stat",
    "rg -n 'fn main' src",
    "cat src/lib.rs | head -20",
    "ls -la src tests",
    "sed -n 1,40p src/main.rs",
    "cd /repo/src && cat main.rs",
    "git log --oneline -5",
]
WORDS = "the session reads extra index files and writes exact text next to it while the parser checks every box".split()


def session(rng, identifier, events):
    """One session in the format of both peer generations, as (meta, lines).

    Sizes follow imported real sessions: about 0.9 kB a line and 3.9 kB a tool call.
    """
    start = 1_760_000_000.0 + rng.randrange(10_000_000)
    lines, calls = [], 0

    def add(kind, data, parent=None):
        event = {"event_type": kind, "timestamp": round(start + len(lines) * 1.5, 3), "event_id": f"{rng.getrandbits(48):012x}"}
        event["session_id"] = identifier
        if parent:
            event["parent_id"] = parent
        event["data"] = data
        lines.append(json.dumps(event, separators=(",", ":")))
        return event["event_id"]

    add("session_start", {"mode": "hook", "cwd": "/repo"})
    while len(lines) < events:
        add("user_prompt", {"prompt": prose(rng, 60)})
        for _ in range(rng.randint(2, 6)):
            calls += 1
            name, arguments = call_of(rng)
            call = add("tool_call", {"tool_name": name, "arguments": arguments})
            add("tool_result", {"tool_name": name, "result": prose(rng, rng.choice([60, 200, 350]))}, call)
            spent = {"model": "claude-sonnet-4-5", "input_tokens": 9000 + 400 * len(lines), "output_tokens": rng.randrange(900)}
            add("assistant_response", {"text": prose(rng, rng.choice([30, 150, 400])), **spent})
    add("session_end", {"duration_ms": len(lines) * 1500})
    meta = {"session_id": identifier, "started_at": start, "ended_at": start + len(lines) * 1.5, "agent_name": "claude-code",
            "tool_calls": calls, "attribution": {"working_dir": "/repo"}}
    return meta, lines


def call_of(rng):
    pick, word = rng.random(), rng.choice(WORDS)
    if pick < 0.45:
        command = rng.choice(COMMANDS).replace("src", f"src/{word}{rng.randrange(400)}")
        return "Bash", {"command": command, "description": prose(rng, 8)}
    path = f"/repo/src/{word}{rng.randrange(400)}.rs"
    if pick < 0.7:
        return "Read", {"file_path": path}
    if pick < 0.85:
        return "Edit", {"file_path": path, "old_string": prose(rng, 60), "new_string": prose(rng, 120)}
    if pick < 0.92:
        return "Write", {"file_path": path, "content": prose(rng, 900)}
    return "Grep", {"pattern": word, "path": "/repo/src"}


def prose(rng, words):
    return " ".join(rng.choices(WORDS, k=words))


class Project:
    """What agents do in one repository: they come back to the same files and commands, and find new ones.

    Of 412 commands of one real project 317 differ, of 128 of another one 73; their number grows with the exponent 0.76
    to 0.87, which makes about 30 % new ones where a project has 20,000. Files come back more often.
    """

    FRESH_COMMANDS, FRESH_FILES = 0.3, 0.05
    TEMPLATES = [
        "cargo test --quiet {name}_{n} 2>&1 | tail -20",
        "cd {root} && npx tsc --noEmit 2>&1 | head -{n}",
        "rg -n '{name}.{n}' {dir} --type rust",
        "grep -rn \"{name}_{n}\" {dir} --include=*.ts | head -20",
        "sed -n {n},{m}p {file}",
        "cat {file} | head -{n}",
        "git diff HEAD~{k} -- {file}",
        "git log --oneline -{n} -- {dir}",
        "git add {file} && git commit -m \"$(cat <<'EOF'\nfix({name}): {text}\n\n{text}\nEOF\n)\"",
        "gh pr view {n} --json title,body,files -q '.title, .body' && gh pr diff {n}",
        "for f in {file} {other}; do echo \"== $f\"; head -{k} \"$f\"; done",
        "python3 - <<'EOF'\nimport json\nwith open('{file}') as source:\n    print(json.load(source)['{name}'][{n}])\nEOF",
        "find {dir} -name '*{name}*' -not -path '*/node_modules/*' | head -{n}",
        "mkdir -p {dir}/{name}{n} && cp {file} {dir}/{name}{n}/",
        "curl -s http://localhost:{m}/api/{name}/{n} | jq '.items[] | .id'",
        "ls -la {dir} && wc -l {file} {other}",
    ]

    def __init__(self, rng, number):
        self.rng, self.root = rng, f"/home/dev/project-{number}"
        self.files, self.commands = [self.new_file()], ["git status", "cargo test", "git diff --stat"]

    def new_file(self):
        rng = self.rng
        return f"src/{rng.choice(WORDS)}/{rng.choice(WORDS)}{rng.randrange(100_000)}.rs"

    def known(self, pool):
        """Early ones are the ones that come back."""
        return pool[int(len(pool) * self.rng.random() ** 3)]

    def file(self):
        if self.rng.random() < self.FRESH_FILES:
            self.files.append(self.new_file())
        return self.known(self.files)

    def command(self):
        rng = self.rng
        if rng.random() >= self.FRESH_COMMANDS:
            return self.known(self.commands)
        file, n = self.file(), rng.randrange(5_000)
        parts = {"root": self.root, "file": file, "other": self.file(), "dir": file.rsplit("/", 1)[0], "n": n, "m": n + 40}
        parts |= {"k": n % 50 + 1, "name": rng.choice(WORDS), "text": text(rng, 12)}
        self.commands.append(rng.choice(self.TEMPLATES).format(**parts))
        return self.commands[-1]

    def call(self):
        """The mix and the sizes of arguments of imported real sessions."""
        rng, pick = self.rng, self.rng.random()
        if pick < 0.45:
            return "Bash", {"command": self.command(), "description": text(rng, 8)}
        path = f"{self.root}/{self.file()}"
        if pick < 0.68:
            return "Read", {"file_path": path}
        if pick < 0.84:
            return "Edit", {"file_path": path, "old_string": text(rng, 40), "new_string": text(rng, 90)}
        if pick < 0.87:
            return "Write", {"file_path": path, "content": text(rng, 500)}
        if pick < 0.94:
            return "Grep", {"pattern": rng.choice(WORDS), "path": f"{self.root}/src"}
        return "TodoWrite", {"todos": [{"content": text(rng, 8), "status": "pending"} for _ in range(6)]}


PROSE = prose(random.Random(1), 100_000)


def text(rng, words):
    """Like `prose`, cut out of one text: a million calls are written in a minute or two."""
    start = rng.randrange(len(PROSE) - 10_000)
    return PROSE[start : start + words * 5]


def make_history(folder, calls):
    """A store of many sessions of 20 projects with about 50 calls each and 3.4 kB a call."""
    done = folder / ".complete"
    if done.exists():
        return folder
    rng, number = random.Random(7), 0
    projects = [Project(rng, number) for number in range(20)]
    while calls > 0:
        identifier, project = f"{number:05x}{rng.getrandbits(44):011x}", rng.choice(projects)
        count = min(calls, rng.choice([5, 15, 40, 70, 120]))
        calls, number = calls - count, number + 1
        start, lines = 1_760_000_000.0 + number * 300, []

        def add(kind, data, parent=None):
            event = {"event_type": kind, "timestamp": round(start + len(lines) * 1.5, 3)}
            event |= {"event_id": f"{rng.getrandbits(48):012x}", "session_id": identifier}
            event |= {"parent_id": parent} if parent else {}
            lines.append(json.dumps(event | {"data": data}, separators=(",", ":")))
            return event["event_id"]

        add("session_start", {"mode": "hook", "cwd": project.root})
        for turn in range(count):
            if turn % 4 == 0:
                add("user_prompt", {"prompt": text(rng, 60)})
            name, arguments = project.call()
            call = add("tool_call", {"tool_name": name, "arguments": arguments})
            add("tool_result", {"tool_name": name, "result": text(rng, rng.choice([60, 200, 550]))}, call)
            add("assistant_response", {"text": text(rng, rng.choice([30, 150, 400]))})
        add("session_end", {"duration_ms": len(lines) * 1500})
        meta = {"session_id": identifier, "started_at": start, "ended_at": start + len(lines) * 1.5}
        meta |= {"agent_name": "claude-code", "tool_calls": count, "attribution": {"working_dir": project.root}}
        target = folder / identifier
        target.mkdir(parents=True, exist_ok=True)
        (target / "events.ndjson").write_text("\n".join(lines) + "\n")
        (target / "meta.json").write_text(json.dumps(meta))
    done.write_text("")
    return folder


def compare_history(binary, policy, store, calls, count):
    """What it takes to look back at many calls: `policy backtest`, warm files, whole processes."""
    total = sum(path.stat().st_size for path in store.rglob("events.ndjson"))
    command = [binary, "--trace-dir", store, "policy", "backtest", "--policy", policy, "--format", "json"]
    listing = [binary, "--trace-dir", store, "list", "--format", "json"]
    run(command)
    wall, cpu, peak, _ = median([run(command) for _ in range(count)])
    read = median([run(listing) for _ in range(count)])
    print(f"policy backtest: {calls:,} calls, {total / 2**20:.0f} MB; {wall:.2f} s wall, {cpu:.2f} s cpu; reading alone {read[1]:.2f} s cpu")
    row("wall, s per million calls", f"{wall * 1e6 / calls:.2f}", "<= 5")
    row("cpu, us a call, of which reading", f"{cpu * 1e6 / calls:.1f}, {read[1] * 1e6 / calls:.1f}", "(wall counts)")
    row("peak memory, MB", f"{peak:.0f}", "bounded")


def make_store(folder, sessions, events, limit_bytes=None):
    """Writes a store once; a finished one is kept for the next run."""
    done = folder / ".complete"
    if done.exists():
        return folder
    rng, written = random.Random(7), 0
    for number in range(sessions):
        identifier = f"{number:04x}{rng.getrandbits(48):012x}"
        meta, lines = session(rng, identifier, events)
        target = folder / identifier
        target.mkdir(parents=True, exist_ok=True)
        text = "\n".join(lines) + "\n"
        (target / "events.ndjson").write_text(text)
        (target / "meta.json").write_text(json.dumps(meta, indent=2))
        written += len(text)
        if limit_bytes and written >= limit_bytes:
            break
    done.write_text("")
    return folder


def run(command, ok=(0, 1), cwd=None, stdin=None):
    """(wall, cpu, peak MB, exit code) of one child, which reads the file `stdin`."""
    begin = time.perf_counter()
    child = subprocess.Popen(command, cwd=cwd, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begin
    child.returncode = code = os.waitstatus_to_exitcode(status)
    if code not in ok:
        sys.exit(f"{' '.join(map(str, command))} exited {code}: {error.decode(errors='replace')[:500]}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, code


def median(runs):
    return tuple(statistics.median(column) for column in zip(*runs))


def row(label, value, goal):
    print(f"  {label:<58} {value:>16}   goal {goal}")


def compare_limit(binary, policy, store, count, label):
    total = sum(path.stat().st_size for path in store.rglob("events.ndjson"))
    ours_command = [binary, "--trace-dir", store, "check", "--policy", policy, "--format", "json"]
    limit_command = ["rg", "-c", "x", store]
    run(ours_command), run(limit_command)
    ours, limit = [], []
    for _ in range(count):
        ours.append(run(ours_command))
        limit.append(run(limit_command))
    ours, limit = median(ours), median(limit)
    largest = max(path.stat().st_size for path in store.rglob("events.ndjson")) / 2**20
    print(f"{label}: {total / 2**20:.0f} MB; check {ours[0]:.3f} s wall, {ours[1]:.3f} s cpu; rg -c x {limit[0]:.3f} s wall, {limit[1]:.3f} s cpu")
    row("wall: check / rg -c x", f"{ours[0] / limit[0]:.2f}", "<= 3")
    row("cpu:  check / rg -c x", f"{ours[1] / limit[1]:.2f}", "(wall counts)")
    row("peak memory, MB (largest session %.1f MB)" % largest, f"{ours[2]:.0f}", "<= 64 + largest session")
    return ours


EVALS = """\
scorers:
  - type: no_errors
  - type: cost_under
    max_dollars: 10
  - type: files_scoped
    allowed_paths: ["src/", "tests/", "docs/"]
    threshold: 0.5
  - type: duration_under
    max_seconds: 100000
  - type: regex
    pattern: "\\\\b(parser|index)\\\\b"
  - type: tests_ran
    threshold: 0.01
evals:
  - {name: loops, scorer: lint_violations, fail_on: above, threshold: 100}
  - {name: errors, scorer: error_count, fail_on: above, threshold: 100}
"""


def compare_everything(binary, work, store, count):
    """`check` with lints, evals and budgets beside `check` with the policy alone, turn by turn."""
    alone, all_on = work / "alone", work / "everything"
    for folder in (alone, all_on):
        folder.mkdir(exist_ok=True)
        (folder / ".agent-scope.json").write_text(json.dumps(POLICY))
    (all_on / ".agent-strace-lint.json").write_text("{}")
    (all_on / ".agent-evals.yaml").write_text(EVALS)
    (all_on / ".claw-policy.json").write_text(json.dumps({"budget": {"maxToolCalls": 5000}}))
    runs = {alone: [], all_on: []}
    for _ in range(count + 1):
        for folder in runs:
            runs[folder].append(run([binary, "--trace-dir", store, "check", "--format", "json"], cwd=folder))
    alone, all_on = (median(runs[folder][1:]) for folder in runs)
    row("cpu:  check with everything on / policy alone", f"{all_on[1] / alone[1]:.2f}", "<= 1.3")
    row("wall: check with everything on / policy alone", f"{all_on[0] / alone[0]:.2f}", "<= 1.3")


def compare_peer(name, peer, policy, store, ours_cpu_per_session, sample):
    identifiers = sorted(path.name for path in store.iterdir() if path.is_dir())
    step = max(1, len(identifiers) // sample)
    cpu = sum(run([peer, "--trace-dir", store, "audit", identifier, "--policy", policy])[1] for identifier in identifiers[::step])
    per_session = cpu / len(identifiers[::step])
    row(f"cpu per judged session: peer {name} / check", f"{per_session / ours_cpu_per_session:.0f}x", ">= 200x")


def compare_cold(binary, peers, policy, store):
    identifier = next(path.name for path in sorted(store.iterdir()) if path.is_dir())
    ours_command = [binary, "--trace-dir", store, "check", identifier, "--policy", policy]
    run(ours_command)
    ours = [run(ours_command) for _ in range(30)]
    wall = statistics.median(entry[0] for entry in ours)
    print(f"cold process, one small session: check {wall * 1000:.2f} ms wall, {statistics.median(e[1] for e in ours) * 1000:.2f} ms cpu")
    row("wall, ms", f"{wall * 1000:.2f}", "<= 5")
    for name, peer in peers:
        theirs = [run([peer, "--trace-dir", store, "audit", identifier, "--policy", policy]) for _ in range(7)]
        ratio = statistics.median(e[1] for e in theirs) / max(statistics.median(e[1] for e in ours), 1e-6)
        row(f"cpu: peer {name} audit / check", f"{ratio:.0f}x", ">= 40x")


def hooks(binary, options, folder, count):
    """What `count` hooks cost that follow each other, 20 to a session."""
    runs = []
    for number in range(count):
        command = f"cat src/a{number}.rs && cargo test t{number}"
        told = {"session_id": f"{len(options)}-{number // 20}", "cwd": str(folder), "hook_event_name": "PreToolUse",
                "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"t{number}"}
        payload = folder / "payload.json"
        payload.write_text(json.dumps(told))
        with payload.open() as stdin:
            runs.append(run([binary, "hook", "pre-tool", *options], cwd=folder, stdin=stdin))
    return runs


def compare_hooks(binary, peers, policy, work, rounds):
    """Hooks of everybody, in turns: a machine that is shared is not as fast in one minute as in the next."""
    folder = work / "hooks"
    folder.mkdir(exist_ok=True)
    subprocess.run(["git", "init", "-q", folder], check=True)
    (folder / ".agent-scope.json").write_text(policy.read_text())
    sides = {"hook": (binary, []), "hook --enforce": (binary, ["--enforce"])}
    sides |= {f"peer {name} hook": (peer, []) for name, peer in peers}
    found = {side: [] for side in sides}
    for _ in range(rounds):
        for side, (program, options) in sides.items():
            shutil.rmtree(folder / ".agent-traces", ignore_errors=True)
            count = 20 if side.startswith("peer") else 100
            found[side].append(hooks(program, options, folder, count))
    wall = lambda runs, share: sorted(entry[0] for entry in runs)[int(len(runs) * share)] * 1000
    middle = {side: statistics.median(wall(runs, 0.5) for runs in turns) for side, turns in found.items()}
    late = {side: statistics.median(wall(runs, 0.99) for runs in turns) for side, turns in found.items()}
    cpu = {side: statistics.median(statistics.mean(entry[1] for entry in runs) for runs in turns) for side, turns in found.items()}
    print("hooks, 20 to a session")
    for side in ("hook", "hook --enforce"):
        row(f"{side}: wall, ms, p50", f"{middle[side]:.2f}", "<= 5")
        row(f"{side}: wall, ms, p99", f"{late[side]:.2f}", "<= 10")
        for name, _ in peers:
            row(f"{side}: cpu, peer {name} hook / it", f"{cpu[f'peer {name} hook'] / cpu[side]:.0f}x", ">= 40x")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/agent-strace")
    parser.add_argument("--work", type=Path, required=True, help="folder for the generated stores (about 1.2 GB)")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=BINARY")
    parser.add_argument("--big-mb", type=int, default=1024)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sample", type=int, default=25, help="sessions the peer judges, evenly spread")
    parser.add_argument("--history", type=int, metavar="CALLS", help="only `policy backtest`, over that many calls (3.4 kB each)")
    parser.add_argument("--hooks", action="store_true", help="only hooks, with the peers in turns")
    arguments = parser.parse_args()
    peers = [entry.split("=", 1) for entry in arguments.peer]
    os.environ.update(DO_NOT_TRACK="1", AGENT_STRACE_TELEMETRY="0")
    arguments.work.mkdir(parents=True, exist_ok=True)
    policy = arguments.work / "agent-scope.json"
    policy.write_text(json.dumps(POLICY, indent=2))

    if arguments.history:
        store = make_history(arguments.work / f"history-{arguments.history}", arguments.history)
        return compare_history(arguments.binary, policy, store, arguments.history, arguments.runs)
    if arguments.hooks:
        binary = Path(arguments.binary).absolute()
        return compare_hooks(binary, peers, policy, arguments.work.absolute(), arguments.runs)
    many = make_store(arguments.work / "many", 2000, 60)
    ours = compare_limit(arguments.binary, policy, many, arguments.runs, "2,000 sessions")
    compare_everything(Path(arguments.binary).absolute(), arguments.work.absolute(), many.absolute(), arguments.runs)
    for name, peer in peers:
        compare_peer(name, peer, policy, many, ours[1] / 2000, arguments.sample)
    big = make_store(arguments.work / "big", 100_000, 2400, arguments.big_mb * 2**20)
    compare_limit(arguments.binary, policy, big, arguments.runs, "big store")
    small = make_store(arguments.work / "small", 1, 20)
    compare_cold(arguments.binary, peers, policy, small)


if __name__ == "__main__":
    main()
