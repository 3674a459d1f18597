"""Guard: limits end a client that would go on for a minute. Nothing here depends on how fast it is."""

from __future__ import annotations

import json

from client import Client
from play import Play, Played

from .stage import Scenario, Stage, hooked, played

ROWS = {
    "guard/timeout": "`guard --timeout` ends it, and says so",
    "guard/budget": "`guard --budget` ends it, and says so",
}


def asks(client: Client, row: str) -> bool:
    return hooked(client, row) and (row != "guard/budget" or budgeted(client))


def play(stage: Stage) -> None:
    with stage.answers("guard/timeout"):
        limited(stage, "guard/timeout", ["--timeout", "15s"], 124)
    if budgeted(stage.client) and stage.client.prices is not None:
        # What about three requests cost.
        budget = 3 * 1000 * stage.client.prices["input"] / 1_000_000
        with stage.answers("guard/budget"):
            limited(stage, "guard/budget", ["--budget", f"{budget:.4f}"], 125)


def budgeted(client: Client) -> bool:
    """A client that tells its usage only at its end can't be ended by what it spent."""
    return client.prices is not None and client.hooks is not None and client.hooks.usage


def limited(stage: Stage, row: str, limit: list[str], code: int) -> None:
    play = stage.play(row.replace("/", "-"))
    stage.set(play, "--write")
    run = played(play.run("long", around=[str(stage.binary), "guard", *limit, "--"], flags=stage.flags()))
    stage.hold(row, None if run.code == code else f"exit code {run.code}, not {code}: {run.stderr[-300:]}")
    stage.hold(row, "it went on to its end" if (play.root / "src/step-30.txt").exists() else None)
    stage.hold(row, post_mortem(play, run))


def post_mortem(play: Play, run: Played) -> str | None:
    found = sorted((play.root / ".agent-traces").glob("*/watchdog-postmortem.json"))
    if len(found) != 1:
        return f"{len(found)} post-mortems"
    return None if isinstance(json.loads(found[0].read_text()), dict) else "the post-mortem is no object"


GUARD = Scenario("guard", ROWS, asks, play)
