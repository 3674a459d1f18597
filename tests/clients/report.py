"""What came out, for people: rows by client, and one line that sums them up."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from client import Pin

HERE = Path(__file__).parent
# The row of a client that is no scenario's.
INSTALLED = "installed"


@dataclass(frozen=True)
class Known:
    """Why a row does not hold yet."""

    client: str
    row: str
    why: str
    # What its problem says: a row that fails in another way is a failure.
    shows: str


def known() -> dict[tuple[str, str], Known]:
    entries = [Known(**entry) for entry in json.loads((HERE / "known.json").read_text())["rows"]]
    return {(entry.client, entry.row): entry for entry in entries}


@dataclass
class Report:
    expected: dict[tuple[str, str], Known] = field(default_factory=known)
    counts: dict[str, int] = field(default_factory=lambda: {"holds": 0, "known": 0, "fails": 0})

    def client(self, pin: Pin, title: str) -> None:
        print(f"\n{title} {pin.version} ({pin.name})", flush=True)

    def installed(self, pin: Pin, is_there: bool) -> None:
        """A client that does not install is a failure like any other; one that does is not worth a line."""
        problems = [] if is_there else [f"{pin.package} {pin.version} did not install: nothing was played"]
        if problems or (pin.name, INSTALLED) in self.expected:
            self.row(pin, INSTALLED, problems)

    def row(self, pin: Pin, row: str, problems: list[str]) -> None:
        expected = self.expected.get((pin.name, row))
        if not problems and expected is None:
            self.line("holds", row)
        elif not problems:
            self.line("fails", row, "it holds, and known.json says that it does not: take it out there")
        elif expected is not None and expected.shows in "; ".join(problems):
            self.line("known", row, f"{expected.why} ({problems[0]})")
        else:
            self.line("fails", row, "; ".join(problems))

    def line(self, kind: str, row: str, said: str = "") -> None:
        self.counts[kind] += 1
        shown = {"holds": "ok", "known": "known", "fails": "FAIL"}[kind]
        text = " ".join(said.split())
        print(f"  {shown:5} {row}" + (f": {text[:600]}" if text else ""), flush=True)

    def end(self) -> int:
        holds, known, fails = (self.counts[kind] for kind in ("holds", "known", "fails"))
        print(f"\nclients: {holds} rows hold, {known} are known not to hold, {fails} fail")
        return 1 if fails or holds == 0 else 0
