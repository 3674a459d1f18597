"""What the secret benches share: running a child, reading `redact --check --format ndjson`, finding a value by pointer."""

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ORDER = {"low": 0, "medium": 1, "high": 2}


@dataclass(frozen=True)
class Finding:
    file: str
    line: int
    #: A JSON pointer, or None where start and end are bytes of the raw line.
    pointer: str | None
    start: int
    end: int
    rule: str


def run(command, output, environment=None, ok=(0, 1)):
    """(wall, cpu, peak MB) of one child; what it prints goes into a file.

    Call it while this process is small: the kernel counts the memory that a child shares with it before it starts.
    """
    begin = time.perf_counter()
    with open(output, "wb") as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen([str(part) for part in command], stdout=out, stderr=err, env=os.environ | (environment or {}))
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - begin
        child.returncode = code = os.waitstatus_to_exitcode(status)
        if code not in ok:
            err.seek(0)
            sys.exit(f"{' '.join(map(str, command))} exited {code}: {err.read().decode(errors='replace')[-500:]}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def read_lines(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def pointed(path, least=None, rules=""):
    """Findings as agent-strace says them, of at least this confidence and of rules that begin like this."""
    rows = [row for row in read_lines(path) if not least or ORDER[row["confidence"]] >= ORDER[least]]
    return [Finding(Path(row["file"]).name, row["line"], row["pointer"], row["start"], row["end"], row["rule"]) for row in rows if row["rule"].startswith(rules)]


def resolve(line, pointer):
    """The string at a pointer, or None where it leads to no string."""
    value = json.loads(line) if pointer else line.decode(errors="replace")
    for token in pointer.split("/")[1:]:
        token = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and token.isdecimal() and int(token) < len(value):
            value = value[int(token)]
        elif isinstance(value, dict) and token in value:
            value = value[token]
        else:
            return None
    return value if isinstance(value, str) else None
