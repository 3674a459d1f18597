"""matrix.py --write FILE | --check FILE | --names: the document that says what holds for which client.

It follows from the pinned versions, the rows of the scenarios and the list of what is known not to hold: the suite
fails where one of them says more or less than what it saw.
"""

from __future__ import annotations

import sys
from pathlib import Path

from client import Client, Pin, pinned
from report import INSTALLED, Known, known
from rows import SCENARIOS

HEAD = """\
# Clients

What holds for which client, in which version. `.ci/clients` plays scripted sessions with unmodified clients against a
model server of its own, without a network, and holds what is read, recorded and refused against what was served. This
page is written by `.ci/clients --matrix`.

● holds · ◐ holds but for the rows below · – does not apply: the client has no hooks that we set, or no MCP servers
"""


def cell(pin: Pin, client: Client, rows: list[str], expected: dict[tuple[str, str], Known]) -> str:
    if not rows:
        return "–"
    return "◐" if any((pin.name, row) in expected for row in rows) else "●"


def table() -> list[str]:
    expected = known()
    names = [scenario.name for scenario in SCENARIOS]
    lines = ["| client | version | " + " | ".join(names) + " |", "|---" * (len(names) + 2) + "|"]
    for pin in pinned():
        client = Client.load(pin.client)
        cells = [cell(pin, client, scenario.of(client), expected) for scenario in SCENARIOS]
        lines.append(f"| {client.title} | {pin.version} | " + " | ".join(cells) + " |")
    return lines


def rows() -> list[str]:
    lines = ["## What is held", "", "| row | what it says |", "|---|---|"]
    for scenario in SCENARIOS:
        lines += [f"| `{row}` | {says} |" for row, says in scenario.rows.items()]
    return lines


def apart() -> list[str]:
    lines = ["## What does not hold yet", "", "| client | version | rows | why |", "|---|---|---|---|"]
    expected = known().values()
    for pin in pinned():
        title = Client.load(pin.client).title
        mine = [entry for entry in expected if entry.client == pin.name]
        for why in dict.fromkeys(entry.why for entry in mine):
            rows = ", ".join(f"`{entry.row}`" for entry in mine if entry.why == why)
            lines.append(f"| {title} | {pin.version} | {rows} | {why} |")
    return lines if len(lines) > 4 else []


def needs() -> list[str]:
    lines = ["## What each client needs", ""]
    for name in dict.fromkeys(pin.client for pin in pinned()):
        client = Client.load(name)
        lines.append(f"- **{client.title}**: {'; '.join(client.needs)}.")
        variables = ", ".join(f"`{key}`" for key in client.environment)
        lines.append(f"  The plays set {variables}." if variables else "  The plays set no variables.")
    return lines


def document() -> str:
    parts = [HEAD.rstrip().splitlines(), table(), apart(), needs(), rows()]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def unknown() -> list[str]:
    """Entries of the list of what is known that name no client or no row."""
    real = {
        (pin.name, row) for pin in pinned() for scenario in SCENARIOS for row in scenario.of(Client.load(pin.client))
    }
    real |= {(pin.name, INSTALLED) for pin in pinned()}
    return [f"{name} {row}" for name, row in known() if (name, row) not in real]


def main(arguments: list[str]) -> int:
    if arguments == ["--names"]:
        print("\n".join(pin.name for pin in pinned()))
        return 0
    if unknown():
        sys.exit(f"error: known.json names what is not there: {', '.join(unknown())}")
    match arguments:
        case ["--write", file]:
            Path(file).write_text(document())
        case ["--check", file]:
            if not Path(file).exists() or Path(file).read_text() != document():
                sys.exit(
                    f"error: {file} is not what the pinned versions and the rows come to: run `.ci/clients --matrix`"
                )
        case _:
            sys.exit("usage: matrix.py --write FILE | --check FILE | --names")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
