"""The API of Gemini. Calls in its requests have no ids: steps are counted, and results go by their order."""

from __future__ import annotations

from typing import Any

from .api import Answer, Asked, Json, flat
from .scenes import MARK
from .truth import Usage


def asked(path: str, body: Json) -> Asked:
    contents = body.get("contents", [])
    contents = contents if isinstance(contents, list) else [contents]
    declared = [tool.get("functionDeclarations", []) for tool in body.get("tools") or []]
    since = behind_the_mark(contents)
    scene = next((name for text in texts(contents[:since]) for name in MARK.findall(text)), "")
    turns, results = 0, {}
    for content in contents[since:]:
        calls = [part for part in content.get("parts", []) if "functionCall" in part]
        if content.get("role") == "model" and calls:
            turns += 1
        answers = [part["functionResponse"] for part in content.get("parts", []) if "functionResponse" in part]
        for at, result in enumerate(answers):
            results[f"call_{scene.replace('-', '')}_{turns - 1}_{at}"] = flat(str(result.get("response")))
    return Asked(
        model=path.split("/")[-1].split(":")[0],
        streamed=":streamGenerateContent" in path,
        texts=texts(contents),
        ids=[],
        tools=[function["name"] for functions in declared for function in functions],
        results=results,
        turns=turns,
    )


def texts(contents: list[Json]) -> list[str]:
    users = [content for content in contents if content.get("role", "user") == "user"]
    return [part["text"] for content in users for part in content.get("parts", []) if isinstance(part.get("text"), str)]


def behind_the_mark(contents: list[Json]) -> int:
    """Where the scene begins that was named last."""
    named = [at for at, content in enumerate(contents) if any(MARK.search(text) for text in texts([content]))]
    return named[-1] + 1 if named else len(contents)


def usage(step: int) -> Usage:
    return Usage(input=1000 + 10 * step, output=50 + step, cache_read=300 + step, reasoning=5)


def whole(answer: Answer) -> Json:
    used = answer.usage
    parts: list[Json] = [{"text": text} for text in answer.turn.texts]
    for call in answer.turn.calls:
        function = {"id": call.id, "name": call.tool, "args": call.input}
        parts.append({"functionCall": function, "thoughtSignature": "c2ln"})
    read = used.input + used.cache_read
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": read,
            "cachedContentTokenCount": used.cache_read,
            "candidatesTokenCount": used.output - used.reasoning,
            "thoughtsTokenCount": used.reasoning,
            "totalTokenCount": read + used.output,
        },
        "modelVersion": answer.model,
        "responseId": answer.id("response"),
    }


def events(answer: Answer) -> list[tuple[str | None, Any]]:
    return [(None, whole(answer))]
