#!/usr/bin/env python3
"""Run agent-strace and other scanners over the same generated sessions, and score what they find against the labels.

    cargo build --release
    python3 benches/secrets/generate.py --size-mb 100 --out /tmp/agent-strace-secrets
    python3 benches/secrets/measure.py --binary target/release/agent-strace --corpus /tmp/agent-strace-secrets \\
        --tools gitleaks,betterleaks=/path/to/betterleaks,kingfisher,peer49=/tmp/p49/bin/python

A tool is `NAME` (found on PATH) or `NAME=PATH`; for a peer the path is that of the Python it is installed in. Every tool
runs as a whole process; speed is the best of `--runs`, CPU seconds and peak memory come from the kernel's accounting.

A planted secret counts as found where a finding overlaps it, and as covered where findings overlap all of it. Findings
that overlap each other are one. A finding that overlaps no planted secret is a false positive: `--details DIR` gets all
of them with the text around, to be read by eye, and what was missed by kind. agent-strace and the peers say where in the
decoded value a secret lies; the others read raw lines, and the labels say where it lies there, too.
"""

import argparse
import base64
import bisect
import collections
import html
import json
import os
import re
import shutil
import sys
import tempfile
import urllib.parse
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from common import Finding, pointed, read_lines, resolve, run  # noqa: E402

HERE = Path(__file__).parent


class Corpus:
    def __init__(self, folder):
        self.sessions = folder / "sessions"
        self.labels = [json.loads(line) for line in open(folder / "labels.jsonl")]
        self.stays = [json.loads(line) for line in open(folder / "must-stay.jsonl")]
        self.stays_by_line = collections.defaultdict(list)
        for label in self.stays:
            self.stays_by_line[label["file"], label["line"]].append(label)
        self.bytes = sum(path.stat().st_size for path in self.sessions.iterdir())
        self.cache, self.by_line = {}, collections.defaultdict(list)
        for label in self.labels:
            self.by_line[label["file"], label["line"]].append(label)

    def line(self, file, number):
        if file not in self.cache:
            self.cache[file] = (self.sessions / file).read_bytes().split(b"\n")
        return self.cache[file][number - 1]


def parent(pointer):
    return pointer.rsplit("/", 1)[0]


def overlap(finding, label):
    if (finding.file, finding.line) != (label["file"], label["line"]):
        return None
    if finding.pointer is None:
        start, end = label["raw_start"], label["raw_end"]
    elif finding.pointer == label["pointer"] or label.get("in_key") and parent(label["pointer"]) in (finding.pointer, parent(finding.pointer)):
        # A pointer to a member whose name is a secret may be masked itself, so its parent decides.
        start, end = label["start"], label["end"]
    else:
        return None
    low, high = max(start, finding.start), min(end, finding.end)
    return (low - start, high - start, end - start) if low < high else None


def merge(findings):
    """Findings that overlap become one, with the rules of all."""
    groups = collections.defaultdict(list)
    for finding in findings:
        groups[finding.file, finding.line, finding.pointer].append(finding)
    merged = []
    for key in sorted(groups, key=str):
        current = None
        for finding in sorted(groups[key], key=lambda f: (f.start, f.end)):
            if current and finding.start < current.end:
                rules = current.rule if finding.rule in current.rule.split("+") else f"{current.rule}+{finding.rule}"
                current = Finding(*key, current.start, max(current.end, finding.end), rules)
            else:
                merged += [current] if current else []
                current = finding
        merged.append(current)
    return merged


@dataclass
class Score:
    findings: list
    false: list
    found: set
    covered: set


def score(corpus, findings):
    by_line = collections.defaultdict(list)
    for number, label in enumerate(corpus.labels):
        by_line[label["file"], label["line"]].append(number)
    merged, false, pieces = merge(findings), [], collections.defaultdict(list)
    for finding in merged:
        hits = [(number, part) for number in by_line[finding.file, finding.line] if (part := overlap(finding, corpus.labels[number]))]
        false += [] if hits else [finding]
        for number, part in hits:
            pieces[number].append(part)
    covered = set()
    for number, parts in pieces.items():
        reached = 0
        for low, high, _ in sorted(parts):
            reached = max(reached, high) if low <= reached else reached
        if reached >= parts[0][2]:
            covered.add(number)
    return Score(merged, false, set(pieces), covered)


def decodings(text, depth=3):
    """What a run of text says once an encoding is taken off, and that of it once more."""
    attempts = [
        lambda: base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_" if {"-", "_"} & set(text) else None, validate=True),
        lambda: bytes.fromhex(text),
        lambda: re.sub(r"\\+(?:u00|x)([0-9a-fA-F]{2})", lambda match: chr(int(match[1], 16)), text).encode(),
        lambda: urllib.parse.unquote(text).encode(),
        lambda: html.unescape(text).encode(),
    ]
    for attempt in attempts if depth else []:
        try:
            decoded = attempt()
        except ValueError:
            continue
        for plain in (decoded.decode(errors="replace"), decoded.decode("utf-16-le", errors="replace")):
            if plain != text:
                yield plain
                yield from decodings(plain, depth - 1)


def located(corpus, file, number, text, first, last, rule):
    """A finding of a tool that reads raw lines.

    Columns count differently from tool to tool, so the text is looked for in the line and its place nearest to the column
    counts. Where it isn't there the tool has decoded it, and what was planted encoded into this line is tried.
    """
    line, needle = corpus.line(file, number), text.encode("utf-8", "surrogateescape")
    places, at = [], line.find(needle) if needle else -1
    while at >= 0:
        places.append(at)
        at = line.find(needle, at + 1)
    if not places:
        for label in corpus.by_line[file, number]:
            start, end = label["raw_start"], label["raw_end"]
            if any(text in plain for plain in decodings(line[start:end].decode(errors="replace"))):
                return Finding(file, number, None, start, end, rule)
        return Finding(file, number, None, max(0, first - 1), max(last, first), rule)
    near = bisect.bisect_left(places, first - 1)
    start = min(places[max(0, near - 1) : near + 1], key=lambda place: abs(place - first + 1))
    return Finding(file, number, None, start, start + len(needle), rule)


class Ours:
    def __init__(self, least):
        self.least = least

    def command(self, tool, sessions, scratch):
        return [tool, "redact", "--check", sessions, "--format", "ndjson"]

    def findings(self, tool, corpus, scratch):
        return pointed(scratch / "out", self.least, "secret/")


class Gitleaks:
    def command(self, tool, sessions, scratch):
        return [tool, "dir", sessions, "--no-banner", "--report-format", "json", "--report-path", scratch / "report.json"]

    def findings(self, tool, corpus, scratch):
        rows = json.loads((scratch / "report.json").read_bytes().decode("utf-8", "surrogateescape"))
        return [located(corpus, Path(r["File"]).name, r["StartLine"], r["Secret"], r["StartColumn"], r["EndColumn"], r["RuleID"]) for r in rows]


class Betterleaks:
    def command(self, tool, sessions, scratch):
        return [tool, sessions, "--silent", "--output", scratch / "report.jsonl"]

    def findings(self, tool, corpus, scratch):
        rows = [(row["finding"], row["finding"]["location"]) for row in read_lines(scratch / "report.jsonl") if "finding" in row]
        return [located(corpus, Path(at["path"]).name, at["start_line"], f["match"]["value"], at["start_column"], at["end_column"], f["rule_id"]) for f, at in rows]


class Kingfisher:
    """Exits with 200 when it found something. Validation asks the vendors over the network: off."""

    ok = (0, 200)

    def command(self, tool, sessions, scratch):
        options = ["--no-validate", "--no-update-check", "--no-dedup", "--git-history", "none", "--format", "jsonl"]
        return ["env", f"KF_RULE_CACHE_DIR={scratch / 'rules'}", tool, "scan", sessions, *options, "--output", scratch / "report.jsonl"]

    def findings(self, tool, corpus, scratch):
        rows = [(row["rule"]["id"], row["finding"]) for row in read_lines(scratch / "report.jsonl") if "finding" in row]
        return [located(corpus, Path(f["path"]).name, f["line"], f["snippet"], f["column_start"], f["column_end"], rule) for rule, f in rows]


class Peer:
    def command(self, tool, sessions, scratch):
        return [tool, HERE / "peer.py", "redact", sessions]

    def findings(self, tool, corpus, scratch):
        run([tool, HERE / "peer.py", "find", corpus.sessions], scratch / "found")
        return pointed(scratch / "found")


SCANNERS = {"gitleaks": Gitleaks, "betterleaks": Betterleaks, "kingfisher": Kingfisher}


def scanner(name):
    if name.startswith("peer"):
        return Peer()
    if name not in SCANNERS:
        sys.exit(f"unknown tool `{name}`: one of {', '.join(SCANNERS)}, or peer…")
    return SCANNERS[name]()


def text_of(corpus, finding):
    line = corpus.line(finding.file, finding.line)
    if finding.pointer is None:
        value, start, end = line, finding.start, finding.end
        around = value[max(0, start - 60) : start], value[start:end], value[end : end + 40]
        return "{}⟦{}⟧{}".format(*(part.decode(errors="replace") for part in around))
    value = resolve(line, finding.pointer)
    value = finding.pointer if value is None else value
    return f"{value[max(0, finding.start - 60):finding.start]}⟦{value[finding.start:finding.end]}⟧{value[finding.end:finding.end + 40]}"


def lookalikes(corpus, finding):
    """Kinds of the planted look-alikes that a finding touches."""
    return sorted({label["kind"] for label in corpus.stays_by_line[finding.file, finding.line] if overlap(finding, label)})


def details(folder, corpus, name, result):
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"{name}.false.txt", "w") as out:
        for finding in result.false:
            kinds = ",".join(lookalikes(corpus, finding))
            out.write(f"{finding.rule}\t{finding.file}:{finding.line}\t{finding.pointer}\t{kinds}\t{text_of(corpus, finding)[:400]!r}\n")
    with open(folder / f"{name}.kinds.tsv", "w") as out:
        out.write("stratum\tkind\tplaces\tfound\tcovered\n")
        groups = collections.defaultdict(list)
        for number, label in enumerate(corpus.labels):
            groups[label["stratum"], label["kind"]].append(number)
        for (stratum, kind), numbers in sorted(groups.items()):
            out.write(f"{stratum}\t{kind}\t{len(numbers)}\t{sum(n in result.found for n in numbers)}\t{sum(n in result.covered for n in numbers)}\n")
    with open(folder / f"{name}.missed.jsonl", "w") as out:
        for number, label in enumerate(corpus.labels):
            if number not in result.found:
                out.write(json.dumps(label) + "\n")


def share(part, numbers):
    return f"{len(part & numbers) / len(numbers):.3f}" if numbers else "–"


def table(corpus, results):
    strata = sorted({label["stratum"] for label in corpus.labels})
    members = {stratum: {n for n, label in enumerate(corpus.labels) if label["stratum"] == stratum} for stratum in strata}
    every, mb = set(range(len(corpus.labels))), corpus.bytes / 1e6
    heads = ["tool", "recall", "covered", "precision", "FP/MB", "of them look-alikes", "MB/s wall", "MB/cpu-s", "RSS MB", "wall, × first", *(f"recall {stratum}" for stratum in strata)]
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    base = results[0][1][0]
    for name, (wall, cpu, peak), result in results:
        precision = 1 - len(result.false) / len(result.findings) if result.findings else float("nan")
        touched = sum(bool(lookalikes(corpus, finding)) for finding in result.false) / mb
        cells = [name, share(result.found, every), share(result.covered, every), f"{precision:.3f}", f"{len(result.false) / mb:.2f}", f"{touched:.2f}"]
        cells += [f"{mb / wall:.1f}", f"{mb / cpu:.1f}", f"{peak:.0f}", f"{wall / base:.2f}"]
        print("| " + " | ".join([*cells, *(share(result.found, members[stratum]) for stratum in strata)]) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", help="agent-strace; left out, only the other tools run")
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--tools", default="", metavar="NAME[=PATH],…")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--min-confidence", choices=["low", "medium", "high"], default="medium", help="of agent-strace's findings")
    parser.add_argument("--details", type=Path, help="folder for false positives, misses and figures by kind")
    arguments = parser.parse_args()
    os.environ.update(DO_NOT_TRACK="1", AGENT_STRACE_TELEMETRY="0")
    entries = [("agent-strace", arguments.binary, Ours(arguments.min_confidence))] if arguments.binary else []
    for entry in filter(None, arguments.tools.split(",")):
        name, _, path = entry.partition("=")
        path = path or shutil.which(name) or sys.exit(f"`{name}` isn't on PATH: say {name}=PATH")
        entries.append((name, path, scanner(name)))
    if not entries:
        sys.exit("nothing to run: say --binary or --tools")
    with tempfile.TemporaryDirectory() as scratch:
        measure(arguments, entries, Path(scratch))


def measure(arguments, entries, scratch):
    sessions, times = arguments.corpus / "sessions", collections.defaultdict(list)
    for name, _, _ in entries:
        (scratch / name).mkdir()
    for _ in range(arguments.runs):
        for name, path, tool in entries:
            command = tool.command(path, sessions, scratch / name)
            times[name].append(run(command, scratch / name / "out", ok=getattr(tool, "ok", (0, 1))))
    limit = run(["rg", "-c", "x", sessions], os.devnull) if shutil.which("rg") else None
    corpus, results = Corpus(arguments.corpus), []
    for name, path, tool in entries:
        result = score(corpus, tool.findings(path, corpus, scratch / name))
        wall, cpu, peak = zip(*times[name])
        results.append((name, (min(wall), min(cpu), max(peak)), result))
        if arguments.details:
            details(arguments.details, corpus, name, result)
        print(f"{name}: {len(result.findings):,} findings, {len(result.false):,} of them false", file=sys.stderr)
    print(f"{corpus.bytes / 1e6:.0f} MB, {len(corpus.labels):,} planted secrets of {len({label['kind'] for label in corpus.labels})} kinds, best of {arguments.runs} runs\n")
    table(corpus, results)
    print(f"the limit, `rg -c x`: {corpus.bytes / 1e6 / limit[0]:.0f} MB/s wall" if limit else "the limit, `rg -c x`, wasn't measured: no rg on PATH")


if __name__ == "__main__":
    main()
