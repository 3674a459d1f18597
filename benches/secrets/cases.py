#!/usr/bin/env python3
"""Run `redact --check` over labelled cases and write predictions for their scorer.

    python3 benches/secrets/cases.py CASES.jsonl[.xz] --binary target/release/agent-strace --rules secret --out preds.jsonl
    python3 benches/secrets/cases.py CASES.jsonl.xz --binary … --rules secret --score SCORE.py

Each case, `{"id", "text"}`, becomes the result of a tool in one line of a session of Claude Code, all of them in one
file. Findings in that text become `{"id", "findings": [{"start", "end", "rule"}]}` in code points of the case's text.
"""

import argparse
import collections
import json
import lzma
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from common import ORDER, pointed, run  # noqa: E402

POINTER = "/message/content/0/content"


def read_text(path):
    return (lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else open(path, encoding="utf-8")).read()


def event(text):
    value = {"type": "user", "message": {"content": [{"type": "tool_result", "content": text}]}}
    line = json.dumps(value, ensure_ascii=False)
    try:
        return line.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair can only be written as an escape.
        return json.dumps(value).encode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--rules", choices=["secret", "pii"], help="only findings of these rules")
    parser.add_argument("--min-confidence", choices=list(ORDER), default="low")
    parser.add_argument("--out", type=Path, help="predictions (default: standard output)")
    parser.add_argument("--score", type=Path, help="run this scorer with the cases and the predictions")
    arguments = parser.parse_args()
    text = read_text(arguments.cases)
    cases = [json.loads(line) for line in text.split("\n") if line.strip()]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        session, found = scratch / "cases.jsonl", scratch / "found"
        session.write_bytes(b"".join(event(case["text"]) + b"\n" for case in cases))
        wall, cpu, _ = run([arguments.binary, "redact", "--check", session, "--format", "ndjson"], found)
        findings = pointed(found, arguments.min_confidence, f"{arguments.rules}/" if arguments.rules else "")
        elsewhere = [finding for finding in findings if finding.pointer != POINTER]
        predictions = collections.defaultdict(list)
        for finding in findings:
            if finding.pointer == POINTER:
                predictions[cases[finding.line - 1]["id"]].append({"start": finding.start, "end": finding.end, "rule": finding.rule})
        lines = "".join(json.dumps({"id": name, "findings": rows}) + "\n" for name, rows in predictions.items())
        if arguments.out or not arguments.score:
            (arguments.out or Path("/dev/stdout")).write_text(lines)
        print(f"{len(cases):,} cases, {session.stat().st_size / 1e6:.1f} MB, {wall:.2f} s wall, {cpu:.2f} s cpu; {len(findings):,} findings in {len(predictions):,} cases", file=sys.stderr)
        if elsewhere:
            print(f"{len(elsewhere):,} findings outside the cases' texts, the first at {elsewhere[0].pointer} of line {elsewhere[0].line}: left out", file=sys.stderr)
        if arguments.score:
            plain, made = scratch / arguments.cases.name.removesuffix(".xz"), scratch / "predictions.jsonl"
            plain.write_text(text, encoding="utf-8")
            made.write_text(lines)
            sys.exit(subprocess.run([sys.executable, arguments.score, plain, made]).returncode)


if __name__ == "__main__":
    main()
