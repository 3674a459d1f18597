"""The Messages API of Anthropic."""

from __future__ import annotations

import json
from typing import Any

from .api import Answer, Asked, Json, flat, texts_of
from .truth import Usage


def asked(path: str, body: Json) -> Asked:
    messages = body.get("messages", [])
    parts = [part for message in messages if isinstance(message["content"], list) for part in message["content"]]
    results = [part for part in parts if part.get("type") == "tool_result"]
    return Asked(
        model=body.get("model", ""),
        streamed=bool(body.get("stream")),
        texts=[text for message in messages if message["role"] == "user" for text in texts_of(message["content"])],
        ids=[part["id"] for part in parts if part.get("type") == "tool_use"],
        tools=[tool.get("name", "") for tool in body.get("tools") or []],
        results={part["tool_use_id"]: flat(part.get("content")) for part in results},
    )


def usage(step: int) -> Usage:
    return Usage(input=1000 + 10 * step, output=50 + step, cache_read=300 + step, cache_write=200 + step)


def counts(answer: Answer) -> Json:
    used = answer.usage
    return {
        "input_tokens": used.input,
        "cache_creation_input_tokens": used.cache_write,
        "cache_read_input_tokens": used.cache_read,
        "output_tokens": used.output,
    }


def blocks(answer: Answer) -> list[Json]:
    said: list[Json] = [{"type": "text", "text": text} for text in answer.turn.texts]
    used = [{"type": "tool_use", "id": call.id, "name": call.tool, "input": call.input} for call in answer.turn.calls]
    return said + used


def stop(answer: Answer) -> str:
    return "tool_use" if answer.turn.calls else "end_turn"


def whole(answer: Answer) -> Json:
    return message(answer) | {"content": blocks(answer), "stop_reason": stop(answer), "usage": counts(answer)}


def message(answer: Answer) -> Json:
    return {
        "id": answer.id("msg"),
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": counts(answer) | {"output_tokens": 1},
    }


def events(answer: Answer) -> list[tuple[str | None, Any]]:
    made: list[Json] = [{"type": "message_start", "message": message(answer)}]
    for index, block in enumerate(blocks(answer)):
        if block["type"] == "text":
            empty, delta = block | {"text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty, delta = (
                block | {"input": {}},
                {"type": "input_json_delta", "partial_json": json.dumps(block["input"])},
            )
        made.append({"type": "content_block_start", "index": index, "content_block": empty})
        made.append({"type": "content_block_delta", "index": index, "delta": delta})
        made.append({"type": "content_block_stop", "index": index})
    ended = {"stop_reason": stop(answer), "stop_sequence": None}
    made.append({"type": "message_delta", "delta": ended, "usage": counts(answer)})
    made.append({"type": "message_stop"})
    return [(event["type"], event) for event in made]
