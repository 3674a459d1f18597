"""Scenes: what a model says and does, step by step, and the words in which one client's tools are called.

A scene names actions (`read`, `shell`, `delegate`), and the vocabulary of a client says which tool does that. An action
that a client has no tool for is left out of its scene; its vocabulary says so by `null`, so that nothing is left out by
accident.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# How a prompt names the scene that is played.
MARK = re.compile(r"scene:([a-z][a-z-]*)")


def prompt(scene: str) -> str:
    return f"Please play scene:{scene} to its end."


@dataclass(frozen=True)
class Call:
    """One call of a tool, as it is sent to the client."""

    id: str
    scene: str
    action: str
    # What the scene calls it, where it is not just the action.
    name: str
    tool: str
    input: Any
    # How the call ends when the client does what the scene says: `ok`, `error` or `denied`.
    ends: str
    # What a policy says to it, in the scenes where one is enforced.
    denied: bool
    namespace: str | None
    # The tool that the call runs inside, where it is a program that calls tools: the call itself ends well.
    inside: str | None
    # The input is one text, not an object.
    freeform: bool

    @property
    def place(self) -> str:
        """How the data of a client names it."""
        return f"{self.scene}/{self.name}"


@dataclass(frozen=True)
class Turn:
    """One answer of the model: texts and calls, in this order."""

    scene: str
    step: int
    texts: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()


@dataclass
class Vocabulary:
    """The tools of one client."""

    tools: dict[str, Any]
    # Steps that only this client plays, by scene; they come before its last step.
    more: dict[str, list[list[dict[str, Any]]]] = field(default_factory=dict)
    # Where this client's calls end otherwise than others': `scene/action` and the status.
    ends: dict[str, str] = field(default_factory=dict)

    def tool(self, action: str) -> dict[str, Any] | None:
        if action not in self.tools:
            raise KeyError(f"the vocabulary has no entry for `{action}`; `null` says that the client has no such tool")
        found: dict[str, Any] | None = self.tools[action]
        return found


class Scenes:
    """All scenes, in the words of one client."""

    def __init__(self, folder: Path, vocabulary: Vocabulary, values: dict[str, Any]) -> None:
        self.vocabulary = vocabulary
        self.values = values
        self.steps: dict[str, list[list[dict[str, Any]]]] = {}
        for file in sorted(folder.glob("*.json")):
            steps = json.loads(file.read_text())["steps"]
            self.steps[file.stem] = self.known(steps[:-1] + vocabulary.more.get(file.stem, []) + steps[-1:])

    def known(self, steps: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
        """Without what the client has no tool for, and without steps of which no call is left."""
        made = []
        for step in steps:
            kept = [item for item in step if "do" not in item or self.vocabulary.tool(item["do"])]
            if any("do" in item for item in kept) or not any("do" in item for item in step):
                made.append(kept)
        return made

    def turn(self, scene: str, step: int, seen: str) -> Turn:
        """What the model answers at a step; `seen` is everything that the request holds."""
        steps = self.steps[scene]
        if step >= len(steps):
            return Turn(scene, step, ("Done.",))
        texts = tuple(item["say"] for item in steps[step] if "say" in item)
        made = [item for item in steps[step] if "say" not in item]
        calls = tuple(self.call(scene, f"{step}_{at}", item, seen) for at, item in enumerate(made))
        return Turn(scene, step, texts, calls)

    def call(self, scene: str, place: str, item: dict[str, Any], seen: str) -> Call:
        action = item["do"]
        made = self.vocabulary.tool(action)
        assert made is not None
        values = self.values | item
        values = {key: filled(value, self.values, seen) for key, value in values.items()}
        # Where a template is program text, a value is a literal of it.
        values |= {f"{key}_json": json.dumps(value) for key, value in values.items()}
        given = filled(made["input"], values, seen)
        name = item.get("name", action)
        return Call(
            id=f"call_{scene.replace('-', '')}_{place}",
            scene=scene,
            action=action,
            name=name,
            tool=filled(made["tool"], values, seen),
            input=given,
            ends=self.vocabulary.ends.get(f"{scene}/{name}", item.get("ends", "ok")),
            denied=bool(item.get("denied")),
            namespace=filled(made.get("namespace"), values, seen),
            inside=filled(made.get("inside"), values, seen),
            freeform=isinstance(given, str),
        )


def filled(value: Any, values: dict[str, Any], seen: str) -> Any:
    """A template with its values: `{name}` in texts, and `{"found": REGEX}` for what an earlier result said."""
    if isinstance(value, dict):
        if "found" in value:
            found = re.findall(value["found"], seen)
            text = found[-1] if found else "nothing"
            return int(text) if value.get("as") == "number" and text.isdigit() else text
        return {key: filled(part, values, seen) for key, part in value.items()}
    if isinstance(value, list):
        return [filled(part, values, seen) for part in value]
    if not isinstance(value, str):
        return value
    whole = re.fullmatch(r"\{(\w+)\}", value)
    if whole and whole[1] in values:
        return values[whole[1]]
    return re.sub(r"\{(\w+)\}", lambda match: str(values.get(match[1], match[0])), value)


def answered(scene: str, ids: Iterator[str]) -> int:
    """How many steps of a scene were answered, by the ids of the calls that a request repeats."""
    mark = re.compile(rf"call_{scene.replace('-', '')}_(\d+)_\d+")
    return max((int(match[1]) + 1 for id in ids if (match := mark.search(id))), default=0)
