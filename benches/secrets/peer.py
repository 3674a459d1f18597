"""Run by the peer's own Python: its redaction over the sessions, as it has no command for logs that exist.

    peer.py find FOLDER      what its patterns and key names match, as `redact --check --format ndjson` would say it
    peer.py redact FOLDER    reads, redacts and writes every line, which is what is timed
"""

import json
import sys
from pathlib import Path

from agent_trace import redact


def patterns():
    for entry in redact.SECRET_PATTERNS:
        yield (entry.kind, entry.pattern) if hasattr(entry, "kind") else (entry.pattern, entry)


def walk(value, pointer, key):
    if isinstance(value, dict):
        for name, inner in value.items():
            at = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            yield from walk(inner, at, name)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from walk(inner, f"{pointer}/{number}", key)
    elif isinstance(value, str):
        if redact._is_sensitive_key(key):
            yield pointer, 0, len(value), "sensitive-key"
        for rule, pattern in patterns():
            for match in pattern.finditer(value):
                yield pointer, match.start(), match.end(), rule


def main():
    way, folder = sys.argv[1:]
    for path in sorted(Path(folder).iterdir()):
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                event = json.loads(line)
                if way == "redact":
                    sys.stdout.write(json.dumps(redact.redact_data(event)) + "\n")
                    continue
                for pointer, start, end, rule in walk(event, "", ""):
                    print(json.dumps({"file": path.name, "line": number, "pointer": pointer, "start": start, "end": end, "rule": rule}))


main()
