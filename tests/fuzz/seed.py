#!/usr/bin/env python3
"""Write the corpora that fuzzing starts from: the commands of `fixtures/commands.md`, one a file, and for every format
of logs its fixtures.

    tests/fuzz/seed.py && cargo +nightly fuzz run --fuzz-dir tests/fuzz command -- -dict=tests/fuzz/shell.dict
    tests/fuzz/seed.py && cargo +nightly fuzz run --fuzz-dir tests/fuzz log tests/fuzz/corpus/log/claude
"""

import hashlib
import re
from pathlib import Path

here = Path(__file__).resolve().parent
table = (here / "../../fixtures/commands.md").read_text()
commands = re.findall(r"^\$ (.*(?:\n> .*)*)", table, re.MULTILINE)
for target, first in (("command", b""), ("session", b"\0")):
    folder = here / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    for command in commands:
        text = first + re.sub(r"\n> ", "\n", command).encode()
        (folder / hashlib.sha1(text).hexdigest()).write_bytes(text)
logs = 0
for folder in sorted((here / "../../fixtures/logs").iterdir()):
    if not folder.is_dir():
        continue
    target = here / "corpus" / "log" / folder.name
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix != ".snap":
            text = path.read_bytes()
            (target / hashlib.sha1(text).hexdigest()).write_bytes(text)
            logs += 1
print(f"{len(commands)} commands, {logs} logs")
