"""What goes wrong with the gate itself: with `--fail-closed` nothing runs, and a recording stops no call."""

from __future__ import annotations

from play import Play

from .stage import Scenario, Stage, hooked, played, policy

ROWS = {
    "failing/broken-policy": "`--fail-closed`: nothing runs under a broken policy",
    "failing/missing-program": "`--fail-closed`: nothing runs where the program is gone",
    "failing/recording": "a recording that fails stops no call",
}


def play(stage: Stage) -> None:
    with stage.answers("failing/broken-policy"):
        play = enforced(stage, "broken-policy")
        play.write(".agent-scope.json", '{"version": 2, "files": {"read": ')
        closed(stage, "failing/broken-policy", play)
    with stage.answers("failing/missing-program"):
        play = enforced(stage, "missing-program")
        (play.bin / "agent-strace").unlink()
        closed(stage, "failing/missing-program", play)
    with stage.answers("failing/recording"):
        play = stage.play("recording")
        stage.set(play, "--write")
        # A file where the store would be.
        play.write(".agent-traces", "")
        played(play.run("closed", flags=stage.flags()))
        stage.same("failing/recording", play.leaks(), ["project/leak-closed.txt", "project/leak-written.txt"])


def enforced(stage: Stage, name: str) -> Play:
    play = stage.play(name)
    policy(play)
    stage.set(play, "--write", "--enforce", "--fail-closed")
    return play


def closed(stage: Stage, row: str, play: Play) -> None:
    run = play.run("closed", flags=stage.flags())
    # A client that goes no further than its hooks let it asks the model for nothing.
    if "hook" not in (run.stdout + run.stderr).lower():
        played(run)
    leaks = play.leaks()
    stage.hold(row, f"ran: {', '.join(leaks)}" if leaks else None)


FAILING = Scenario("failing", ROWS, hooked, play)
