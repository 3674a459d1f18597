"""What the modules of all APIs have in common: what a request asks, and how an answer is written."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Protocol

from .scenes import MARK, Turn
from .truth import Usage

Json = dict[str, Any]


@dataclass
class Asked:
    """What a request says, whatever its API."""

    model: str
    streamed: bool
    # What users said, oldest first.
    texts: list[str]
    # The ids of calls that the request repeats.
    ids: list[str]
    tools: list[str]
    # What the client says about calls, by their ids.
    results: dict[str, str] = field(default_factory=dict)
    # How many answers with calls stand behind the last scene's name, where calls have no ids.
    turns: int | None = None

    def scene(self) -> str | None:
        """The scene that is played. A request that offers no tools (a title, a classification) belongs to none."""
        names = [name for text in self.texts for name in MARK.findall(text)]
        return names[-1] if names and self.tools else None


@dataclass(frozen=True)
class Answer:
    """An answer before it is written in the words of an API."""

    number: int
    model: str
    turn: Turn
    usage: Usage

    def id(self, kind: str) -> str:
        return f"{kind}_{self.number:04}"


class Api(Protocol):
    """One API of a model's provider."""

    def asked(self, path: str, body: Json) -> Asked: ...

    def usage(self, step: int) -> Usage: ...

    def whole(self, answer: Answer) -> Json: ...

    def events(self, answer: Answer) -> list[tuple[str | None, Any]]: ...


def texts_of(content: Any) -> list[str]:
    """The texts of a message, whose content is one text or a list of parts."""
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    return [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]


def flat(content: Any) -> str:
    """All of a result as one text."""
    if isinstance(content, str):
        return content
    return "\n".join(texts_of(content)) or json.dumps(content)


def arguments(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
