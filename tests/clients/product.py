"""The program under test, as a user runs it beside a client."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class Unreadable(Exception):
    """An answer that is no JSON: mostly because there was nothing to answer about."""


@dataclass(frozen=True)
class Ran:
    code: int
    stdout: str
    stderr: str

    def json(self) -> dict[str, Any]:
        try:
            read: dict[str, Any] = json.loads(self.stdout)
            return read
        except json.JSONDecodeError as error:
            raise Unreadable(f"exit code {self.code}: {self.stderr[:300]}") from error


class Product:
    def __init__(self, program: Path, folder: Path, environment: dict[str, str]) -> None:
        self.program, self.folder, self.environment = program, folder, environment

    def run(self, *arguments: str) -> Ran:
        done = subprocess.run(
            [str(self.program), *arguments],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def report(self, command: str, *arguments: str) -> dict[str, Any]:
        return self.run(command, *arguments, "--format", "json").json()

    def sessions(self, *where: str) -> list[dict[str, Any]]:
        sessions: list[dict[str, Any]] = self.report("list", *where)["sessions"]
        return sessions

    def calls(self, *where: str) -> Counter[tuple[str, str]]:
        """Calls by tool and how they ended."""
        sessions = self.report("effects", *where)["sessions"]
        events = [event for session in sessions for event in session["events"] if event["tool"] is not None]
        return Counter((event["tool"], event["status"]) for event in events)

    def decisions(self) -> list[dict[str, Any]]:
        """What hooks decided, in the store of the project."""
        files = sorted((self.folder / ".agent-traces").glob("*/decisions.ndjson"))
        return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def ended(calls: Counter[tuple[str, str]]) -> Counter[str]:
    """How many calls ended how."""
    total: Counter[str] = Counter()
    for (_, status), count in calls.items():
        total[status] += count
    return total
