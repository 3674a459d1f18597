"""MCP: an official server behind `record`, and our own server, in the hands of a client."""

from __future__ import annotations

from collections import Counter

from client import Client, Server, beside
from play import Play

from .stage import Scenario, Stage, plain, played, policy

ROWS = {
    "servers/recorded": "`record -- npx …`: the store holds the calls of the server",
    "servers/unchanged": "`record -- npx …`: the client gets the server's answers",
    "servers/scope": "`mcp`: `check_scope` says what the policy says",
    "servers/sessions": "`mcp`: `list_sessions` answers",
}


def asks(client: Client, row: str) -> bool:
    return client.mcp is not None


def play(stage: Stage) -> None:
    play = stage.play("servers", servers)
    policy(play)
    run = played(play.run("servers"))
    said = {call.id: run.truth.results.get(call.id, "") for call in run.truth.calls()}
    answers = [said[call.id] for call in run.truth.calls() if call.action == "mcp"]
    stage.hold("servers/unchanged", None if "# demo" in answers[0] and "denied" in answers[1] else f"{answers[:2]}")
    stage.hold("servers/scope", None if "deny" in answers[2] and "files.read.deny" in answers[2] else answers[2][:300])
    stage.hold("servers/sessions", None if "sessions" in answers[3] else answers[3][:300])
    calls = Counter((plain(tool), status) for tool, status in play.product.calls().elements())
    stage.same("servers/recorded", calls, Counter({("read_text_file", "ok"): 1, ("read_text_file", "error"): 1}))


def servers(play: Play) -> list[Server]:
    program = str(play.bin / "agent-strace")
    return [recorded(play, program), Server("scope", program, ["mcp"])]


def recorded(play: Play, program: str) -> Server:
    """As a user writes it, by `npx`, which takes what the project has installed and needs no network."""
    (play.root / "node_modules").symlink_to(beside("filesystem").installed(play.work) / "node_modules")
    npx = ["npx", "-y", "@modelcontextprotocol/server-filesystem", str(play.root)]
    store = ["--trace-dir", str(play.root / ".agent-traces")]
    return Server("filesystem", program, [*store, "record", "--name", "filesystem", "--", *npx])


SERVERS = Scenario("servers", ROWS, asks, play)
