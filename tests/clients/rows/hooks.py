"""Hooks: what `setup` sets runs, and the store holds what the client did."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from client import Client, Hooks

from .stage import Scenario, Stage, apart, filesystem, made, patient, played, read

ROWS = {
    "hooks/verified": "`setup --verify` says of hooks that run that they are set",
    "hooks/not-set": "`setup --verify` says of hooks that are not there that they are not",
    "hooks/calls": "the store: every call that the client starts, none twice",
    "hooks/statuses": "the store: how each call ended",
    "hooks/session": "the store: one session, of this agent, with its end",
    "hooks/subagents": "the store: the sub-agent under who started it",
    "hooks/untrusted": "`setup --verify` says of hooks that the client does not trust that they would not run",
    "hooks/trusted": "`setup --write --trust`: hooks of the project run, without a flag of the client",
    "hooks/removed": "`setup --remove` leaves the settings as they were",
}

TRUST = ("hooks/untrusted", "hooks/trusted")


def asks(client: Client, row: str) -> bool:
    if client.hooks is None:
        return False
    if row in TRUST:
        return bool(client.hooks.trust)
    if row == "hooks/verified":
        return everywhere(client.hooks)
    return row != "hooks/subagents" or client.has("delegate")


def everywhere(hooks: Hooks) -> bool:
    """Whether hooks run where they are set, without trust of the client."""
    return hooks.user or not hooks.trust


def play(stage: Stage) -> None:
    with stage.answers(*(row for row in ROWS if row not in (*TRUST, "hooks/removed"))):
        recorded(stage)
    removed(stage)
    if stage.hooks().trust:
        with stage.answers(*TRUST):
            trusted(stage)


def recorded(stage: Stage) -> None:
    play = stage.play("hooks", filesystem)
    stage.same("hooks/not-set", stage.set(play, "--verify").code, 1)
    written = stage.set(play, "--write").code, stage.set(play, "--verify").code
    if everywhere(stage.hooks()):
        stage.same("hooks/verified", written, (0, 0))
    run = played(play.run("work", flags=stage.flags(), before=patient))
    started = [call for call in run.truth.calls() if call.place not in stage.hooks().never]
    calls = read(play.product.calls())
    stage.same("hooks/calls", sum(calls.values()), len(started))
    called = stage.hooks().names
    wanted = Counter({(called.get(tool, tool), status): count for (tool, status), count in made(started).items()})
    stage.hold("hooks/statuses", apart(calls, wanted))
    sessions = play.product.sessions()
    roots = [session for session in sessions if session["parent"] is None]
    found = [(session["agent"], session["complete"]) for session in roots]
    stage.same("hooks/session", found, [(stage.client.agent, True)])
    inside = [one["tool_calls"] for session in sessions for one in session["subagents"]]
    own = [session["tool_calls"] for session in sessions if session["parent"] is not None]
    stage.same("hooks/subagents", own or inside, [sum(call.scene == "work-sub" for call in started)])


def trusted(stage: Stage) -> None:
    """Clients that run hooks of a project only where their user said so."""
    play = stage.play("trust")

    def setup(*flags: str) -> int:
        return play.product.run("setup", "--agent", stage.client.agent, *flags).code

    setup("--write")
    stage.same("hooks/untrusted", setup("--verify"), 1)
    stage.same("hooks/trusted", (setup("--write", *stage.hooks().trust), setup("--verify")), (0, 0))
    run = played(play.run("closed", before=patient))
    calls = sum(session["tool_calls"] for session in play.product.sessions())
    stage.same("hooks/trusted", calls, len(run.truth.calls()))


def removed(stage: Stage) -> None:
    """Without the client, which writes into its settings, too."""
    play = stage.play("removed", filesystem)
    before = files(play.folder)
    codes = stage.set(play, "--write").code, stage.set(play, "--remove").code
    stage.same("hooks/removed", codes, (0, 0))
    after = files(play.folder)
    wrong = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    stage.same("hooks/removed", wrong, [])


def files(folder: Path) -> dict[str, bytes]:
    places = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts]
    return {str(path.relative_to(folder)): path.read_bytes() for path in places}


HOOKS = Scenario("hooks", ROWS, asks, play)
