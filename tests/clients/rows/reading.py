"""Reading: what the client's own log, and what it prints, say of a session of which everything is known."""

from __future__ import annotations

from typing import Any

from client import Client
from mock.truth import Truth
from play import Play

from .stage import Scenario, Stage, apart, filesystem, played, read, sent

ROWS = {
    "reading/calls": "its log: every call, none twice",
    "reading/statuses": "its log: how each call ended",
    "reading/tokens": "its log: requests and tokens, each once",
    "reading/cost": "its log: the cost, by list prices",
    "reading/session": "its log: one session, of this agent, in this project",
    "reading/subagents": "its log: the sub-agent under who started it",
    "reading/complete": "its log: nothing is missing, and nothing said to be",
    "reading/discover": "its log is found by `--discover`, once",
    "reading/stream": "what it prints: every call and how it ended",
    "reading/stream-gap": "what it prints: the sub-agent whose calls it leaves out is missing evidence",
}


def asks(client: Client, row: str) -> bool:
    return {
        "reading/cost": client.prices is not None,
        "reading/subagents": client.has("delegate"),
        "reading/discover": not client.export,
        "reading/stream": client.stream == "whole",
        "reading/stream-gap": client.stream == "without-subagents",
    }.get(row, True)


def play(stage: Stage) -> None:
    play = stage.play("reading", filesystem)
    run = played(play.run("work"))
    truth = run.truth
    # What the client said of calls that it repeats in the log of the sub-agent is shown as each log has it.
    repeated = [call for scene in stage.client.repeated for call in truth.calls(scene)]
    with stage.answers("reading/statuses"):
        stage.hold("reading/statuses", apart(read(play.product.calls(play.logs())), sent(truth.calls() + repeated)))
    with stage.answers("reading/session", "reading/complete", "reading/subagents", "reading/discover"):
        listed(stage, play, truth)
    with stage.answers("reading/calls", "reading/tokens", "reading/cost"):
        stats = play.product.report("stats", play.logs())["sessions"]
        stage.same("reading/calls", sum(session["tool_calls"] for session in stats), sent(truth.calls()).total())
        used(stage, stats, truth)
    with stage.answers("reading/stream", "reading/stream-gap"):
        streamed(stage, play, run.stdout, truth)


def listed(stage: Stage, play: Play, truth: Truth) -> None:
    sessions = play.product.sessions(play.logs())
    roots = [session for session in sessions if session["parent"] is None]
    project = str(play.root) if stage.client.says_project else None
    stage.same(
        "reading/session",
        [(session["agent"], session["project"]) for session in roots],
        [(stage.client.agent, project)],
    )
    if stage.client.has("delegate"):
        subagents(stage, sessions, truth)
    whole(stage, play, sessions)
    if not stage.client.export:
        found = play.product.sessions("--discover", "--project", str(play.root))
        ids = [sorted(session["id"] for session in listing) for listing in (found, sessions)]
        stage.same("reading/discover", *ids)


def whole(stage: Stage, play: Play, sessions: list[dict[str, Any]]) -> None:
    checked = play.product.report("check", play.logs(), "--allow-no-policy", "--fail-on", "never")
    gaps = [gap["reason"] for gap in checked["gaps"]]
    incomplete = [f"{session['id']} is not complete" for session in sessions if not session["complete"]]
    missing = [finding["message"] for finding in checked["findings"] if finding["rule"].startswith("evidence/")]
    stage.hold("reading/complete", "; ".join(gaps + incomplete + missing) or None)


def used(stage: Stage, stats: list[dict[str, Any]], truth: Truth) -> None:
    def total(key: str) -> int:
        return sum(session["usage"][key] for session in stats)

    tokens = {key: total(key) for key in ("input", "output", "cache_read", "cache_write")}
    usage = [served.usage for served in truth.served]
    wanted = {key: sum(getattr(one, key) for one in usage) for key in tokens}
    stage.same("reading/tokens", (total("requests"), tokens), (len(usage), wanted))
    prices = stage.client.prices
    if prices is not None:
        cost = sum(session["cost_usd"] or 0 for session in stats)
        right = sum(wanted[key] * prices[key] for key in prices) / 1_000_000
        stage.hold("reading/cost", None if abs(cost - right) < 0.0001 else f"${cost:.4f}, not ${right:.4f}")


def subagents(stage: Stage, sessions: list[dict[str, Any]], truth: Truth) -> None:
    """A client keeps what a sub-agent did in a session of its own, or in that of who started it."""
    roots = {session["id"] for session in sessions if session["parent"] is None}
    own = [session["tool_calls"] for session in sessions if session["parent"] in roots]
    inside = [one["tool_calls"] for session in sessions for one in session["subagents"]]
    stage.same("reading/subagents", own or inside, [sent(truth.calls("work-sub")).total()])


def streamed(stage: Stage, play: Play, printed: str, truth: Truth) -> None:
    stream = play.folder / "stream.jsonl"
    stream.write_text(printed)
    if stage.client.stream == "whole":
        stage.hold("reading/stream", apart(read(play.product.calls(str(stream))), sent(truth.calls())))
    elif stage.client.stream == "without-subagents":
        checked = play.product.report("check", str(stream), "--allow-no-policy")
        rules = sorted({finding["rule"] for finding in checked["findings"]})
        missing = "evidence/missing-subagent" in rules and checked["exit_code"] != 0
        stage.hold("reading/stream-gap", None if missing else f"exit code {checked['exit_code']}, {rules}")


READING = Scenario("reading", ROWS, asks, play)
