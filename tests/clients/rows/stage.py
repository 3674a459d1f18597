"""What scenarios have in common: a stage to play on, and the rows that they answer."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from client import Client, Hooks, Pin, Server
from mock.scenes import Call, Turn
from play import POLICY, Play, Played
from product import Ran, Unreadable


class Nothing(Exception):
    """A play that proves nothing: none of the rows that wait for it holds."""


@dataclass
class Stage:
    """Where one client plays the scenes of one scenario, and what was found out."""

    work: Path
    pin: Pin
    client: Client
    binary: Path
    # The rows of this client.
    rows: list[str]
    # What is wrong with each row; nothing where it holds.
    found: dict[str, list[str]] = field(default_factory=dict)
    closing: ExitStack = field(default_factory=ExitStack)

    def play(self, name: str, servers: Callable[[Play], list[Server]] = lambda play: []) -> Play:
        """A world whose client has these MCP servers, if it knows any."""
        play = Play(self.work, self.pin, self.client, name, self.binary)
        self.closing.callback(play.model.close)
        play.settle(servers(play) if self.client.mcp is not None else [])
        return play

    def hold(self, row: str, problem: str | None) -> None:
        """A row is answered; it may be answered more than once, and holds if every answer says so."""
        self.found.setdefault(row, []).extend([problem] if problem else [])

    @contextmanager
    def answers(self, *rows: str) -> Iterator[None]:
        """What answers these rows, as far as they are this client's: where it comes to nothing, none of them holds."""
        try:
            yield
        except (Nothing, Unreadable) as error:
            for row in set(rows) & set(self.rows):
                self.hold(row, str(error))

    def same(self, row: str, got: object, wanted: object) -> None:
        self.hold(row, None if got == wanted else f"{got}, not {wanted}")

    def set(self, play: Play, *flags: str) -> Ran:
        """Hooks as a user sets them, where this client runs them."""
        return play.product.run("setup", *self.setup(), *flags)

    def setup(self) -> list[str]:
        return ["--agent", self.client.agent] + (["--global"] if self.hooks().user else [])

    def hooks(self) -> Hooks:
        return self.client.hooks or Hooks()

    def flags(self) -> list[str]:
        """What makes the client run hooks that nobody confirmed by hand."""
        return self.hooks().flags


@dataclass(frozen=True)
class Scenario:
    name: str
    # What each row says, for people.
    rows: dict[str, str]
    # Whether a row is one of this client's.
    asks: Callable[[Client, str], bool]
    play: Callable[[Stage], None]

    def of(self, client: Client) -> list[str]:
        return [row for row in self.rows if self.asks(client, row)]


def hooked(client: Client, row: str) -> bool:
    return client.hooks is not None


def played(run: Played) -> Played:
    problem = run.ran()
    if problem:
        raise Nothing(problem)
    return run


def patient(turn: Turn) -> None:
    """Some clients do not wait for hooks, and end right after the last answer: it comes when hooks have had time."""
    if not turn.calls:
        time.sleep(2)


def filesystem(play: Play) -> list[Server]:
    """An official server, on the files of the project."""
    return [play.server("filesystem")]


def policy(play: Play) -> None:
    play.write(".agent-scope.json", POLICY)


def plain(tool: str) -> str:
    """What a tool is called, without what names the server or the group that it belongs to."""
    return re.split(r"__|\.|-|^mcp_[a-z]+_", tool)[-1]


def sent(calls: list[Call]) -> Counter[tuple[str, str]]:
    """The calls of the ground truth, by tool and how they end."""
    outer = [call for call in calls if call.inside is not None]
    return made(calls) + Counter((plain(call.tool), "ok") for call in outer)


def made(calls: list[Call]) -> Counter[tuple[str, str]]:
    """Those that do something: what programs call, and not the programs."""
    return Counter((plain(call.inside or call.tool), call.ends) for call in calls)


def read(calls: Counter[tuple[str, str]]) -> Counter[tuple[str, str]]:
    total: Counter[tuple[str, str]] = Counter()
    for (tool, status), count in calls.items():
        total[(plain(tool), status)] += count
    return total


def apart(got: Counter[tuple[str, str]], wanted: Counter[tuple[str, str]]) -> str | None:
    """How two counts differ, in one line."""
    more, less = got - wanted, wanted - got
    if not more and not less:
        return None
    said = [f"{count} more {' '.join(key)}" for key, count in sorted(more.items())]
    said += [f"{count} {' '.join(key)} missing" for key, count in sorted(less.items())]
    return ", ".join(said)
