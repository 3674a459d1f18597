"""The Chat Completions API of OpenAI, which many providers speak."""

from __future__ import annotations

from typing import Any

from .api import Answer, Asked, Json, arguments, flat, texts_of
from .truth import Usage


def asked(path: str, body: Json) -> Asked:
    messages = body.get("messages", [])
    calls = [call for message in messages for call in message.get("tool_calls") or []]
    answers = [message for message in messages if message["role"] == "tool"]
    return Asked(
        model=body.get("model", ""),
        streamed=bool(body.get("stream")),
        texts=[text for message in messages if message["role"] == "user" for text in texts_of(message.get("content"))],
        ids=[call["id"] for call in calls],
        tools=[tool["function"]["name"] for tool in body.get("tools") or [] if "function" in tool],
        results={message["tool_call_id"]: flat(message.get("content")) for message in answers},
    )


def usage(step: int) -> Usage:
    return Usage(input=1000 + 10 * step, output=50 + step, cache_read=300 + step)


def counts(used: Usage) -> Json:
    read = used.input + used.cache_read
    return {
        "prompt_tokens": read,
        "completion_tokens": used.output,
        "total_tokens": read + used.output,
        "prompt_tokens_details": {"cached_tokens": used.cache_read},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


def tool_calls(answer: Answer) -> list[Json]:
    return [
        {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments(call.input)}}
        for call in answer.turn.calls
    ]


def base(answer: Answer) -> Json:
    return {"id": answer.id("chatcmpl"), "created": 1_790_000_000, "model": answer.model, "system_fingerprint": "mock"}


def finish(answer: Answer) -> str:
    return "tool_calls" if answer.turn.calls else "stop"


def whole(answer: Answer) -> Json:
    message: Json = {"role": "assistant", "content": "".join(answer.turn.texts) or None}
    if answer.turn.calls:
        message["tool_calls"] = tool_calls(answer)
    choice = {"index": 0, "message": message, "finish_reason": finish(answer), "logprobs": None}
    return base(answer) | {"object": "chat.completion", "choices": [choice], "usage": counts(answer.usage)}


def events(answer: Answer) -> list[tuple[str | None, Any]]:
    def chunk(delta: Json, ended: str | None = None) -> Json:
        choice = {"index": 0, "delta": delta, "finish_reason": ended, "logprobs": None}
        return base(answer) | {"object": "chat.completion.chunk", "choices": [choice]}

    made = [chunk({"role": "assistant", "content": ""})]
    made += [chunk({"content": text}) for text in answer.turn.texts]
    for index, call in enumerate(tool_calls(answer)):
        function = call["function"]
        begun = call | {"index": index, "function": function | {"arguments": ""}}
        made.append(chunk({"tool_calls": [begun]}))
        made.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": function["arguments"]}}]}))
    made.append(chunk({}, finish(answer)))
    made.append(base(answer) | {"object": "chat.completion.chunk", "choices": [], "usage": counts(answer.usage)})
    return [(None, event) for event in made] + [(None, "[DONE]")]
