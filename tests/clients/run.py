"""run.py BINARY WORKDIR NAME…: plays every scenario with clients that are installed in WORKDIR, one client at a time.

It is started by `.ci/clients`, without a network. Exit code 1: a row does not hold, or holds and is said not to.
"""

from __future__ import annotations

import sys
import time
import traceback
from pathlib import Path

from client import Client, Pin, pinned
from product import Unreadable
from report import Report
from rows import SCENARIOS
from rows.stage import Nothing, Scenario, Stage


def scenario(stage: Stage, wanted: Scenario, report: Report) -> None:
    """Plays one scenario; a row that it did not answer does not hold, and none does if it broke off."""
    broken = None
    try:
        with stage.closing:
            wanted.play(stage)
    except (Nothing, Unreadable) as nothing:
        broken = str(nothing)
    except Exception:  # A fault of the suite.
        broken = traceback.format_exc()[-600:]
    for row in stage.rows:
        problems = stage.found.get(row, ["it was not answered"])
        report.row(stage.pin, row, [*problems, broken] if broken else problems)
    for row in set(stage.found) - set(stage.rows):
        report.line("fails", row, "it is answered, but is no row of this client")


def client(work: Path, pin: Pin, binary: Path, report: Report, names: list[str]) -> None:
    known = Client.load(pin.client)
    report.client(pin, known.title)
    is_there = (pin.installed(work) / known.program).exists()
    report.installed(pin, is_there)
    for wanted in SCENARIOS if is_there else []:
        if not wanted.of(known) or (names and wanted.name not in names):
            continue
        started = time.monotonic()
        scenario(Stage(work, pin, known, binary, wanted.of(known)), wanted, report)
        print(f"        {wanted.name}: {time.monotonic() - started:.0f} s", flush=True)


def main(binary: Path, work: Path, names: list[str]) -> int:
    report = Report()
    # `NAME:SCENARIO` plays one scenario alone, while one works on it.
    asked = [(name.split(":")[0], name.split(":")[1:]) for name in names]
    for pin in pinned():
        mine = [scenarios for name, scenarios in asked if name == pin.name]
        if mine:
            client(work, pin, binary, report, sum(mine, []))
    return report.end()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
