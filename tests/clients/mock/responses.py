"""The Responses API of OpenAI."""

from __future__ import annotations

from typing import Any

from .api import Answer, Asked, Json, arguments, flat, texts_of
from .truth import Usage

CALLS = ("function_call", "custom_tool_call")
RESULTS = ("function_call_output", "custom_tool_call_output")


def asked(path: str, body: Json) -> Asked:
    given = body.get("input", [])
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    # Some models get their tools in an item, by groups, and not beside the items.
    added = [tool for item in items if item.get("type") == "additional_tools" for tool in item.get("tools") or []]
    offered = [one for tool in [*(body.get("tools") or []), *added] for one in tool.get("tools", [tool])]
    spoken = [item for item in items if item.get("type", "message") in ("message", "agent_message")]
    return Asked(
        model=body.get("model", ""),
        streamed=bool(body.get("stream")),
        texts=[text for item in spoken if item.get("role", "user") == "user" for text in said(item.get("content"))],
        ids=[item["call_id"] for item in items if item.get("type") in CALLS],
        tools=[tool.get("name") or tool.get("type", "") for tool in offered],
        results={item["call_id"]: flat(item.get("output")) for item in items if item.get("type") in RESULTS},
    )


def said(content: Any) -> list[str]:
    """What a user or another agent says. The provider seals what agents say to each other: this server."""
    parts = content if isinstance(content, list) else []
    sealed = [part["encrypted_content"] for part in parts if part.get("type") == "encrypted_content"]
    return texts_of(content) + sealed


def usage(step: int) -> Usage:
    return Usage(input=1000 + 10 * step, output=50 + step, cache_read=300 + step, reasoning=5)


def counts(used: Usage) -> Json:
    read = used.input + used.cache_read
    return {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": used.cache_read},
        "output_tokens": used.output,
        "output_tokens_details": {"reasoning_tokens": used.reasoning},
        "total_tokens": read + used.output,
    }


def items(answer: Answer) -> list[Json]:
    made: list[Json] = []
    for at, text in enumerate(answer.turn.texts):
        part = {"type": "output_text", "text": text, "annotations": []}
        made.append(
            {
                "type": "message",
                "id": answer.id(f"msg{at}"),
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
        )
    for at, call in enumerate(answer.turn.calls):
        item: Json = {"id": answer.id(f"fc{at}"), "call_id": call.id, "name": call.tool, "status": "completed"}
        if call.freeform:
            item |= {"type": "custom_tool_call", "input": call.input}
        else:
            item |= {"type": "function_call", "arguments": arguments(call.input)}
        if call.namespace:
            item["namespace"] = call.namespace
        made.append(item)
    return made


def whole(answer: Answer) -> Json:
    return {
        "id": answer.id("resp"),
        "object": "response",
        "created_at": 1_790_000_000,
        "status": "completed",
        "model": answer.model,
        "output": items(answer),
        "usage": counts(answer.usage),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
    }


def events(answer: Answer) -> list[tuple[str | None, Any]]:
    begun = whole(answer) | {"status": "in_progress", "output": [], "usage": None}
    made: list[Json] = [{"type": "response.created", "response": begun}]
    for index, item in enumerate(items(answer)):
        made.extend(event | {"output_index": index} for event in item_events(item))
    made.append({"type": "response.completed", "response": whole(answer)})
    return [(event["type"], event | {"sequence_number": number}) for number, event in enumerate(made)]


def item_events(item: Json) -> list[Json]:
    if item["type"] == "message":
        text, field, kind = item["content"][0]["text"], "text", "output_text"
        begun = item | {"status": "in_progress", "content": []}
    elif item["type"] == "function_call":
        text, field, kind = item["arguments"], "arguments", "function_call_arguments"
        begun = item | {"status": "in_progress", "arguments": ""}
    else:
        text, field, kind = item["input"], "input", "custom_tool_call_input"
        begun = item | {"status": "in_progress", "input": ""}
    place: Json = {"item_id": item["id"]} | ({"content_index": 0} if kind == "output_text" else {})
    return [
        {"type": "response.output_item.added", "item": begun},
        place | {"type": f"response.{kind}.delta", "delta": text},
        place | {"type": f"response.{kind}.done", field: text},
        {"type": "response.output_item.done", "item": item},
    ]
