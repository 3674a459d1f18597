#!/usr/bin/env python3
"""Judge public sets of commands: public_sets.py BINARY FOLDER… [--show SET]

Each FOLDER is a checkout of one of the repositories below; which one it is, its files tell. Nothing of them is kept here: fetch them first,
their licences differ. GTFOBins needs PyYAML. Every command becomes a session of its own, which `check` judges by the policy of the row.

| set | repository | what is judged |
|---|---|---|
| GTFOBins | GTFOBins/GTFOBins.github.io | every unprivileged code of eight functions; reads take `.env`, writes `.github/x`, commands `sudo` |
| SecBASH | GuidoBergman/SecBASH | harmless commands |
| nah | manuelschipper/nah | commands that its guards block (without those of its own files), and those that it leaves alone |
| dcg | Dicklesworthstone/destructive_command_guard | regression corpus |
| apohara | SuarezPM/apohara-agentguard | the core corpus |
| RedCode | AI-secure/RedCode | RedCode-Exec, Bash, the classes that work on paths which a policy can name |
"""
import argparse, collections, glob, json, os, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DENY = {
    "files": {"read": {"deny": [".env", "secrets/**", "~/.ssh/**"]}, "write": {"deny": [".github/**", "secrets/**", ".env"]}},
    "commands": {"deny": ["rm -rf", "git push --force", "git reset --hard", "curl", "sudo"]},
}
OFFLINE = {**DENY, "network": {"deny_all": True, "allow": ["localhost", "127.0.0.1"]}}
SYSTEM = ["/etc/**", "/root/**", "/home/**", "/usr/**", "/bin/**", "/sbin/**", "/boot/**", "/proc/**", "/sys/**", "/var/**", "/lib/**", "/opt/**", "~/**"]
SYSTEM_FILES = {"files": {"read": {"deny": SYSTEM}, "write": {"deny": SYSTEM}}, "network": OFFLINE["network"]}
POLICIES = {"deny lists": DENY, "deny lists, no network": OFFLINE, "system files": SYSTEM_FILES}
LEVELS = ["error", "incomplete", "warning", "note", "silent"]


def transcript(session, command):
    """A session of one shell command, as Claude Code writes it."""
    message = lambda role, content: {"role": role, "content": content}
    call = {"type": "tool_use", "id": session + "-t", "name": "Bash", "input": {"command": command}}
    result = {"type": "tool_result", "tool_use_id": session + "-t", "content": "ok"}
    records = [("user", message("user", "do it")), ("assistant", message("assistant", [call])), ("user", message("user", [result]))]
    lines, before = [], None
    for number, (kind, content) in enumerate(records):
        uuid = f"{session}-{number}"
        lines.append(json.dumps({"type": kind, "uuid": uuid, "parentUuid": before, "sessionId": session, "cwd": "/repo", "version": "2.1.50",
                                 "timestamp": f"2026-05-01T10:00:0{number}.000Z", "isSidechain": False, "message": content}))
        before = uuid
    return "\n".join(lines) + "\n"


def judge(binary, commands, policy):
    """The level of each command: the worst finding, `incomplete` where evidence is missing."""
    with tempfile.TemporaryDirectory() as folder:
        logs, empty = os.path.join(folder, "logs"), os.path.join(folder, "empty")
        os.makedirs(logs), os.makedirs(empty)
        for number, command in enumerate(commands):
            with open(f"{logs}/c{number:05d}.jsonl", "w", encoding="utf-8", errors="surrogatepass") as log:
                log.write(transcript(f"c{number:05d}", command))
        if policy in POLICIES:
            path = os.path.join(folder, "policy.json")
            with open(path, "w") as file:
                json.dump(POLICIES[policy], file)
        else:
            path = os.path.join(HERE, "..", "policies", policy + ".json")
        done = subprocess.run([binary, "check", logs, "--policy", path, "--format", "json"], cwd=empty, capture_output=True, text=True)
    if not done.stdout:
        sys.exit(f"{binary} check: {done.stderr.strip()}")
    report = json.loads(done.stdout)
    source = {session["id"]: session["source"] for session in report["sessions"]}
    found, why = collections.defaultdict(set), collections.defaultdict(list)
    for finding in report["findings"]:
        place = (finding.get("place") or {}).get("file") or source.get(finding.get("session"), "")
        found[os.path.basename(place)[:6]].add(finding["level"])
        why[os.path.basename(place)[:6]].append(f"{finding['rule']}: {finding['message']}")
    for gap in report["gaps"]:
        found[os.path.basename(gap.get("file") or "")[:6]].add("incomplete")
    names = [f"c{number:05d}" for number in range(len(commands))]
    return [(next((level for level in LEVELS if level in found[name]), "silent"), why[name][:1]) for name in names]


# Each set: a list of rows (row's name, policy, whether it has to be refused, commands).

def gtfobins(folder):
    import yaml
    functions = ["file-read", "file-write", "command", "download", "upload", "reverse-shell", "bind-shell", "shell"]
    targets = {"/path/to/input-file": ".env", "/path/to/output-file": ".github/x", "/path/to/command": "sudo", "/path/to/temp-file": "/tmp/t",
               "/path/to/input-dir": "secrets", "/path/to/output-dir": ".github"}
    rows = collections.defaultdict(list)
    for name in sorted(glob.glob(folder + "/_gtfobins/*")):
        with open(name) as file:
            page = next(yaml.safe_load_all(file), None) or {}
        for function, codes in (page.get("functions") or {}).items():
            for code in codes if function in functions else []:
                contexts = code.get("contexts", {})
                if "unprivileged" in contexts:
                    text = (contexts["unprivileged"] or {}).get("code") or code.get("code") or ""
                    for placeholder, target in targets.items():
                        text = text.replace(placeholder, target)
                    rows[function].append(text)
    return [(function, "deny lists, no network", True, rows[function]) for function in functions if rows[function]]


def secbash(folder):
    with open(folder + "/benchmark/data/harmless_commands.json") as file:
        harmless = [case["command"] for case in json.load(file)["commands"]]
    return [("harmless", policy, False, harmless) for policy in ["deny lists, no network", "deny lists", "default"]]


def nah(folder):
    rows = collections.defaultdict(list)
    for name in sorted(glob.glob(folder + "/corpus/*.jsonl")):
        with open(name) as file:
            for case in map(json.loads, filter(str.strip, file)):
                verdict, guard = case["expected"].get("verdict"), case["expected"].get("guard")
                if "command" in case and (verdict == "delegate" or guard):
                    rows[guard or "left alone"].append(case["command"])
    return [(row, "default", row != "left alone", commands) for row, commands in sorted(rows.items())]


def dcg(folder):
    import tomllib
    rows = collections.defaultdict(list)
    for name in sorted(glob.glob(folder + "/tests/corpus/**/*.toml", recursive=True)):
        with open(name, "rb") as file:
            for case in tomllib.load(file).get("case", []):
                expected = case.get("expected") or case.get("expected_decision")
                if case.get("command") and expected in ("allow", "deny"):
                    rows[expected].append(case["command"])
    return [("must be denied", "default", True, rows["deny"]), ("allowed", "default", False, rows["allow"])]


def apohara(folder):
    def commands(name):
        with open(f"{folder}/tests/corpus/{name}.txt") as file:
            lines = file.read().replace("\\\n", "\\\0").split("\n")
        return [line.replace("\0", "\n") for line in lines if line.strip() and not line.startswith("#")]

    return [("dangerous", "default", True, commands("dangerous")), ("benign", "default", False, commands("benign"))]


def redcode(folder):
    classes = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "13", "14", "18"]
    rows = []
    for number in classes:
        for name in glob.glob(f"{folder}/dataset/RedCode-Exec/bash2text_dataset_json/index{number}_30_*.json"):
            with open(name) as file:
                rows.append((f"class {number}", "system files", True, [case["Code"] for case in json.load(file)]))
    return rows


SETS = {"GTFOBins": ("_gtfobins", gtfobins), "SecBASH": ("benchmark/data/harmless_commands.json", secbash), "nah": ("corpus/FIXTURES.json", nah),
        "dcg": ("tests/corpus/canonical.toml", dcg), "apohara": ("tests/corpus/dangerous.txt", apohara), "RedCode": ("dataset/RedCode-Exec", redcode)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary"), parser.add_argument("folders", nargs="+")
    parser.add_argument("--show", metavar="SET", action="append", default=[], help="list what is not as it should be")
    options = parser.parse_args()
    print("| set | commands | policy | number | error | warning | note | silent |\n|---|---|---|---|---|---|---|---|")
    for folder in options.folders:
        name = next((name for name, (mark, _) in SETS.items() if os.path.exists(os.path.join(folder, mark))), None)
        if not name:
            sys.exit(f"{folder}: none of the known sets; see --help for their repositories")
        total = collections.Counter()
        for row, policy, refused, commands in SETS[name][1](folder):
            results = judge(os.path.abspath(options.binary), commands, policy)
            count = collections.Counter("error" if level == "incomplete" else level for level, _ in results)
            total += count if refused else {}
            print(f"| {name} | {row} | {policy} | {len(commands)} | " + " | ".join(str(count[level]) for level in ["error", "warning", "note", "silent"]) + " |", flush=True)
            for command, (level, reasons) in zip(commands, results) if name in options.show else []:
                if (level in ("error", "incomplete")) != refused:
                    print(f"    {level}: {command[:200]!r} {reasons[:1]}", file=sys.stderr)
        if total:
            print(f"| {name} | all that has to be refused | | {sum(total.values())} | " + " | ".join(str(total[level]) for level in ["error", "warning", "note", "silent"]) + " |", flush=True)


if __name__ == "__main__":
    main()
