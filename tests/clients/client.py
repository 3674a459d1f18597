"""What is known about each client: how it is started, where it keeps its logs, and what it needs to run our hooks."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mock.scenes import Vocabulary, filled

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Package:
    """One version of a package of a registry."""

    registry: str
    package: str
    version: str

    def installed(self, work: Path) -> Path:
        return work / "installed" / f"{self.package.split('/')[-1]}-{self.version}"


@dataclass(frozen=True)
class Pin:
    """One version of a client that is played."""

    name: str
    client: str
    registry: str
    package: str
    version: str
    # It needs a newer Node.js than others.
    node: bool = False

    def installed(self, work: Path) -> Path:
        return Package(self.registry, self.package, self.version).installed(work)


@dataclass(frozen=True)
class Server:
    """An MCP server that a client starts."""

    name: str
    command: str
    args: list[str]


@dataclass(frozen=True)
class Hooks:
    """How a client runs hooks."""

    # Those of the user are set, as it runs those of a project only in folders that its user trusts.
    user: bool = False
    # Flags of the client that make it run hooks that its user did not confirm.
    flags: list[str] = field(default_factory=list)
    # Flags of `setup` that confirm them.
    trust: list[str] = field(default_factory=list)
    # Calls that it refuses itself before it asks a hook, or that have none: `scene/name`.
    never: list[str] = field(default_factory=list)
    # How it calls a tool when it asks, where that is not how the model calls it.
    names: dict[str, str] = field(default_factory=dict)
    # Whether its log says what was used while it runs.
    usage: bool = True


@dataclass
class Client:
    title: str
    # As our program calls it.
    agent: str
    model: str
    program: str
    environment: dict[str, str]
    # Settings that are there before it starts; a list is the lines of a text, an object is JSON.
    files: dict[str, Any]
    # How its settings name one MCP server: an object, a text, or `null` where it knows none.
    mcp: Any
    command: list[str]
    # `whole`: what it prints is a log of the session, `without-subagents`: all but what sub-agents did, `none`.
    stream: str
    logs: str
    # `null` where it has none that we set.
    hooks: Hooks | None
    tools: dict[str, Any]
    needs: list[str]
    # Arguments that make it write its session as a log, where it keeps it otherwise.
    export: list[str] = field(default_factory=list)
    # Scenes whose calls are in two of its logs.
    repeated: list[str] = field(default_factory=list)
    # Whether its log says in which folder it ran.
    says_project: bool = True
    more: dict[str, Any] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)
    # List prices of its model, in dollars for a million tokens.
    prices: dict[str, float] | None = None

    @staticmethod
    def load(name: str) -> Client:
        given = json.loads((HERE / "clients" / f"{name}.json").read_text())
        hooks = given.pop("hooks")
        return Client(**given, hooks=Hooks(**hooks) if hooks is not None else None)

    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self.tools, self.more, self.ends)

    def has(self, action: str) -> bool:
        return self.tools[action] is not None

    def settings(self, values: dict[str, Any], servers: list[Server]) -> dict[Path, str]:
        """The files that are there before the client starts, and what is in them."""
        all = values | {"mcp": self.mcp_servers(servers)}
        made = {}
        for path, content in self.files.items():
            content = filled(content, all, "")
            lines = isinstance(content, list)
            made[Path(filled(path, values, ""))] = "\n".join(content) + "\n" if lines else json.dumps(content, indent=1)
        return made

    def mcp_servers(self, servers: list[Server]) -> Any:
        entries = {}
        for server in servers:
            values: dict[str, Any] = {"name": server.name, "command": server.command, "args": server.args}
            values["whole"] = [server.command, *server.args]
            values |= {"command_json": json.dumps(server.command), "args_json": json.dumps(server.args)}
            entries[server.name] = filled(self.mcp, values, "")
        return "\n".join(entries.values()) if isinstance(self.mcp, str) else entries


def pinned() -> list[Pin]:
    return [Pin(**entry) for entry in json.loads((HERE / "pins.json").read_text())["clients"]]


def beside(name: str) -> Package:
    """What plays need beside clients: `node`, and the server of MCP `filesystem`."""
    return Package(**json.loads((HERE / "pins.json").read_text())[name])
