#!/usr/bin/env python3
"""Pipe a long stream, then single long lines, into `agent-strace redact -`, and watch its memory and speed.

    python3 benches/secrets/stream.py --binary target/release/agent-strace --corpus /tmp/agent-strace-secrets

The stream is the generated sessions over and over (`--gb`, default 10); the long lines (`--line-gb`, default 1) are one
string that holds the sessions' text, and one array of the sessions' events. Peak memory is the kernel's high-water mark
of the process, read while it runs. What comes out is counted: as many lines as went in.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

GOAL_MB = 64


def watch(pid, peaks, done):
    status = Path(f"/proc/{pid}/status")
    while not done.wait(0.02):
        try:
            rows = [row for row in status.read_text().splitlines() if row.startswith("VmHWM:")]
        except (FileNotFoundError, ProcessLookupError):
            return
        peaks.extend(int(row.split()[1]) / 1024 for row in rows)


def pipe(label, binary, chunks):
    """Feeds the chunks to the binary and says what it took."""
    child = subprocess.Popen([binary, "redact", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    counter = subprocess.Popen(["wc", "-lc"], stdin=child.stdout, stdout=subprocess.PIPE, text=True)
    child.stdout.close()
    peaks, done = [], threading.Event()
    watcher = threading.Thread(target=watch, args=(child.pid, peaks, done))
    watcher.start()
    begin, written, lines, broken = time.perf_counter(), 0, 0, False
    try:
        for chunk in chunks:
            child.stdin.write(chunk)
            written, lines = written + len(chunk), lines + chunk.count(b"\n")
        child.stdin.close()
    except BrokenPipeError:
        broken = True
    out_lines, out_bytes = map(int, counter.communicate()[0].split())
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = code = os.waitstatus_to_exitcode(status)
    wall, cpu = time.perf_counter() - begin, usage.ru_utime + usage.ru_stime
    done.set()
    watcher.join()
    if broken or code not in (0, 1) or not peaks:
        sys.exit(f"{label}: {binary} redact - exited {code} after {written / 1e9:.2f} GB")
    back = "yes" if out_lines == lines else f"NO: {out_lines:,} of {lines:,}"
    speeds = f"{written / 1e6 / wall:.0f} | {written / 1e6 / max(cpu, 0.01):.0f}"
    print(f"| {label} | {written / 1e9:.2f} | {wall:.1f} | {speeds} | {max(peaks):.0f} | {out_bytes / 1e9:.2f} | {back} |", flush=True)
    return max(peaks) <= GOAL_MB and out_lines == lines


def files_of(corpus):
    return [path.read_bytes() for path in sorted((corpus / "sessions").iterdir())]


def stream(files, goal):
    written = 0
    for data in itertools.cycle(files):
        if written >= goal:
            return
        written += len(data)
        yield data


def one_string(files, goal):
    """One event whose only text is as long as the goal."""
    yield b'{"type":"user","message":{"content":"'
    for data in stream(files, goal):
        yield json.dumps(data.decode(), ensure_ascii=False)[1:-1].encode()
    yield b'"}}\n'


def one_array(files, goal):
    """One line with an array of events."""
    yield b'{"events":[null'
    for data in stream(files, goal):
        yield b"," + data.rstrip(b"\n").replace(b"\n", b",")
    yield b"]}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--gb", type=float, default=10)
    parser.add_argument("--line-gb", type=float, default=1)
    arguments = parser.parse_args()
    files, line = files_of(arguments.corpus), arguments.line_gb * 1e9
    print("| input | GB in | s | MB/s wall | MB/cpu-s | peak RSS MB | GB out | every line back |\n|---|---|---|---|---|---|---|---|")
    kept = [
        pipe("stream of sessions", arguments.binary, stream(files, arguments.gb * 1e9)),
        pipe("one line, one string", arguments.binary, one_string(files, line)),
        pipe("one line, one array", arguments.binary, one_array(files, line)),
    ]
    print(f"\ngoal: at most {GOAL_MB} MB and every line back: {'reached' if all(kept) else 'missed'}")
    sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
