#!/usr/bin/env python3
"""Write the corpus that fuzzing starts from: the commands of `fixtures/commands.md`, one a file.

    tests/fuzz/seed.py && cargo +nightly fuzz run --fuzz-dir tests/fuzz command -- -dict=tests/fuzz/shell.dict
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
print(f"{len(commands)} commands")
