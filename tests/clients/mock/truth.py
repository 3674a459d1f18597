"""The ground truth: what the server sent to a client, and what the client said to it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from .scenes import Call, Turn


@dataclass(frozen=True)
class Usage:
    """Tokens of one answer, each counted once."""

    input: int
    output: int
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0

    @property
    def total(self) -> int:
        return self.input + self.output + self.cache_read + self.cache_write


@dataclass(frozen=True)
class Served:
    turn: Turn
    model: str
    usage: Usage


@dataclass
class Truth:
    """Everything of one play; requests are served by threads."""

    served: list[Served] = field(default_factory=list)
    # The result that the client gave the model for each call, by the id of the call.
    results: dict[str, str] = field(default_factory=dict)
    # Requests outside of any scene: titles, classifications, warm-ups.
    aside: list[Usage] = field(default_factory=list)
    # The tools that the client offered to the model.
    offered: set[str] = field(default_factory=set)
    # What the server did not understand: a play with such a request proves nothing.
    trouble: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def calls(self, scene: str | None = None) -> list[Call]:
        """The calls that were sent, each once: a client may repeat a request."""
        with self.lock:
            turns = [served.turn for served in self.served]
        unique = {call.id: call for turn in turns if scene in (None, turn.scene) for call in turn.calls}
        return list(unique.values())

    def scenes(self) -> set[str]:
        with self.lock:
            return {served.turn.scene for served in self.served}

    def tokens(self) -> int:
        with self.lock:
            return sum(served.usage.total for served in self.served)

    def requests(self) -> int:
        with self.lock:
            return len(self.served)
