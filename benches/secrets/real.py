#!/usr/bin/env python3
"""Count what `redact --check` finds in real transcripts, where nothing secret is: every finding is one to read by eye.

    AGENT_STRACE_ACCEPTANCE=FOLDER python3 benches/secrets/real.py --binary target/release/agent-strace

reads FOLDER/corpus. Findings of secrets count from `--min-confidence` (default medium) on; the goal is none. They are
printed masked: the rule, the place, a few characters before it, and the first and last ones of what was found.
"""

import argparse
import collections
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from common import ORDER, read_lines, resolve, run  # noqa: E402


def masked(text):
    return f"{text[:4]}…{text[-2:]} ({len(text)} characters)" if len(text) > 12 else f"… ({len(text)} characters)"


def show(row):
    lines = Path(row["file"]).read_bytes().split(b"\n")
    try:
        value = resolve(lines[row["line"] - 1], row["pointer"])
    except (IndexError, json.JSONDecodeError):
        value = None
    if value is None:
        return "(its place is not in a line of its own)"
    start, end = row["start"], row["end"]
    return f"{value[max(0, start - 30) : start]!r} {masked(value[start:end])}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--min-confidence", choices=list(ORDER), default="medium")
    parser.add_argument("--rules", default="secret/", help="count rules that begin like this")
    parser.add_argument("--show", type=int, default=200, help="how many findings to print")
    arguments = parser.parse_args()
    home = os.environ.get("AGENT_STRACE_ACCEPTANCE")
    if not home or not (Path(home) / "corpus").is_dir():
        sys.exit("AGENT_STRACE_ACCEPTANCE has to name a folder with `corpus/` in it: nothing was checked")
    folders = sorted(path for path in (Path(home) / "corpus").iterdir() if path.is_dir())
    size = sum(path.stat().st_size for folder in folders for path in folder.rglob("*") if path.is_file())
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch, "findings")
        wall, cpu, peak = run([arguments.binary, "redact", "--check", *folders, "--format", "ndjson"], out, ok=(0, 1, 3))
        rows = read_lines(out)
    counted = [row for row in rows if row["rule"].startswith(arguments.rules) and ORDER[row["confidence"]] >= ORDER[arguments.min_confidence]]
    for row in counted[: arguments.show]:
        print(f"{row['rule']}\t{row['confidence']}\t{row['file']}:{row['line']}{row['pointer']}\t{show(row)}")
    by_rule = collections.Counter((row["rule"], row["confidence"]) for row in rows)
    print("\nall findings: " + (", ".join(f"{rule} {confidence} {count}" for (rule, confidence), count in sorted(by_rule.items())) or "none"))
    print(f"{size / 1e6:.1f} MB of real transcripts, {wall:.2f} s wall, {cpu:.2f} s cpu, {peak:.0f} MB peak")
    print(f"{len(counted)} findings of {arguments.rules}* at {arguments.min_confidence} or above, goal 0")
    sys.exit(1 if counted else 0)


if __name__ == "__main__":
    main()
