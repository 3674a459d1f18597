"""Gaps: calls that got past the hook are found, and no others."""

from __future__ import annotations

from collections import Counter

from mock.scenes import Call, Turn
from play import Play

from .stage import Scenario, Stage, hooked, plain, played, policy

ROWS = {
    "gaps/halfway": "`gaps`: the calls after the hook's program was replaced, and no others",
    "gaps/spoof": "`gaps`: a call that prints our refusal while no hook runs",
}


def play(stage: Stage) -> None:
    with stage.answers("gaps/halfway"):
        halfway(stage)
    with stage.answers("gaps/spoof"):
        play = stage.play("spoof")
        policy(play)
        run = played(play.run("spoof"))
        stage.same("gaps/spoof", lapses(stage, play), tools(run.truth.calls()))


def halfway(stage: Stage) -> None:
    play = stage.play("halfway")
    policy(play)
    stage.set(play, "--write", "--enforce")

    def replace(turn: Turn) -> None:
        if any(call.name == "past" for call in turn.calls):
            silence(play)

    run = played(play.run("halfway", before=replace, flags=stage.flags()))
    past = [call for call in run.truth.calls() if call.name == "past"]
    stage.same("gaps/halfway", lapses(stage, play), tools(past))


def tools(calls: list[Call]) -> Counter[str]:
    return Counter(plain(call.inside or call.tool) for call in calls)


def silence(play: Play) -> None:
    """The program that hooks start is one that says nothing from now on."""
    program = play.bin / "agent-strace"
    program.unlink(missing_ok=True)
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)


def lapses(stage: Stage, play: Play) -> Counter[str]:
    # The program itself is asked, not what a play put in its place.
    play.product.program = stage.binary
    sessions = play.product.report("gaps", play.logs())["sessions"]
    return Counter(plain(lapse["tool"]) for session in sessions for lapse in session["lapses"])


GAPS = Scenario("gaps", ROWS, hooked, play)
