"""The model server answers as each API does, streamed and whole, and keeps what it served."""

from __future__ import annotations

import json
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from mock.scenes import Scenes, Vocabulary, prompt
from mock.server import Server

SCENE = {
    "steps": [
        [{"say": "Looking."}, {"do": "read", "path": "a"}, {"do": "shell", "command": "exit 3", "ends": "error"}],
        [{"do": "follow"}],
        [{"do": "nothing"}],
        [{"say": "Done."}],
    ]
}
TOOLS = {
    "read": {"tool": "Read", "input": {"file": "{root}/{path}"}},
    "shell": {"tool": "Bash", "input": {"command": "{command}"}},
    "follow": {"tool": "patch", "input": {"to": {"found": "number (\\d+)", "as": "number"}}},
    "nothing": None,
}
TOOL = {"name": "Read", "input_schema": {}}


def blocks(answer: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = answer["content"]
    return found


class Mock(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        Path(folder.name, "one.json").write_text(json.dumps(SCENE))
        self.server = Server(Scenes(Path(folder.name), Vocabulary(TOOLS), {"root": "/w"}))
        self.addCleanup(self.server.close)
        playing = self.server.plays(None)
        self.truth = playing.__enter__()
        self.addCleanup(playing.__exit__, None, None, None)

    def post(self, path: str, body: dict[str, Any]) -> str:
        request = urllib.request.Request(
            self.server.address + path, json.dumps(body).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request) as answer:
            return str(answer.read(), "utf-8")

    def events(self, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
        lines = [line[6:] for line in self.post(path, body).splitlines() if line.startswith("data: ")]
        return [json.loads(line) for line in lines if line != "[DONE]"]

    def test_anthropic_plays_a_scene_to_its_end(self) -> None:
        messages: list[dict[str, Any]] = [{"role": "user", "content": prompt("one")}]
        first = json.loads(self.post("/v1/messages", {"model": "m", "messages": messages, "tools": [TOOL]}))
        self.assertEqual([block["type"] for block in blocks(first)], ["text", "tool_use", "tool_use"])
        self.assertEqual(blocks(first)[1]["input"], {"file": "/w/a"})
        self.assertEqual(first["stop_reason"], "tool_use")
        results = [
            {"type": "tool_result", "tool_use_id": block["id"], "content": "number 7"} for block in blocks(first)[1:]
        ]
        messages += [{"role": "assistant", "content": blocks(first)}, {"role": "user", "content": results}]
        second = json.loads(self.post("/v1/messages", {"model": "m", "messages": messages, "tools": [TOOL]}))
        self.assertEqual(blocks(second)[0]["input"], {"to": 7})
        messages += [{"role": "assistant", "content": blocks(second)}]
        third = json.loads(self.post("/v1/messages", {"model": "m", "messages": messages, "tools": [TOOL]}))
        self.assertEqual((blocks(third)[0]["text"], third["stop_reason"]), ("Done.", "end_turn"))
        self.assertEqual(
            [(call.tool, call.ends) for call in self.truth.calls()],
            [("Read", "ok"), ("Bash", "error"), ("patch", "ok")],
        )
        self.assertEqual(self.truth.results[self.truth.calls()[0].id], "number 7")
        self.assertEqual(self.truth.trouble, [])

    def test_a_stream_says_what_the_whole_answer_says(self) -> None:
        body = {"model": "m", "messages": [{"role": "user", "content": prompt("one")}], "tools": [TOOL]}
        events = self.events("/v1/messages", body | {"stream": True})
        self.assertEqual(events[0]["type"], "message_start")
        text = "".join(
            event["delta"].get("partial_json", "") for event in events if event["type"] == "content_block_delta"
        )
        self.assertIn('{"file": "/w/a"}', text)
        self.assertEqual(events[-2]["usage"]["output_tokens"], self.truth.served[0].usage.output)

    def test_responses_repeat_calls_by_their_ids(self) -> None:
        tool = {"type": "function", "name": "Read"}
        given: list[dict[str, Any]] = [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": prompt("one")}]}
        ]
        events = self.events("/v1/responses", {"model": "m", "input": given, "tools": [tool], "stream": True})
        done = [event["item"] for event in events if event["type"] == "response.output_item.done"]
        self.assertEqual([item["type"] for item in done], ["message", "function_call", "function_call"])
        self.assertEqual(events[-1]["response"]["output"], done)
        given += [*done[1:], {"type": "function_call_output", "call_id": done[1]["call_id"], "output": "number 9"}]
        second = json.loads(self.post("/v1/responses", {"model": "m", "input": given, "tools": [tool]}))
        self.assertEqual(json.loads(second["output"][0]["arguments"]), {"to": 9})

    def test_chat_completions_stream_calls_and_usage(self) -> None:
        tool = {"type": "function", "function": {"name": "Read"}}
        body = {"model": "m", "messages": [{"role": "user", "content": prompt("one")}], "tools": [tool]}
        whole = json.loads(self.post("/v1/chat/completions", body))
        calls = whole["choices"][0]["message"]["tool_calls"]
        self.assertEqual([call["function"]["name"] for call in calls], ["Read", "Bash"])
        events = self.events("/v1/chat/completions", body | {"stream": True})
        self.assertEqual(events[-1]["usage"], whole["usage"])
        self.assertEqual(len(self.truth.calls()), 2, "a request that is repeated sends no new calls")

    def test_gemini_counts_steps_and_results(self) -> None:
        tool = {"functionDeclarations": [{"name": "Read"}]}
        contents: list[dict[str, Any]] = [{"role": "user", "parts": [{"text": prompt("one")}]}]
        path = "/v1beta/models/gemini-2.5-pro:generateContent"
        first = json.loads(self.post(path, {"contents": contents, "tools": [tool]}))
        parts = first["candidates"][0]["content"]["parts"]
        calls = [{"functionCall": part["functionCall"]} for part in parts if "functionCall" in part]
        said = [{"functionResponse": {"name": "Read", "response": {"output": "number 4"}}}] * 2
        contents += [{"role": "model", "parts": calls}, {"role": "user", "parts": said}]
        [second] = self.events(path.replace("generate", "streamGenerate"), {"contents": contents, "tools": [tool]})
        self.assertEqual(second["candidates"][0]["content"]["parts"][0]["functionCall"]["args"], {"to": 4})
        self.assertIn("number 4", self.truth.results[self.truth.calls()[1].id])

    def test_a_request_without_tools_belongs_to_no_scene(self) -> None:
        self.post("/v1/messages", {"model": "m", "messages": [{"role": "user", "content": prompt("one")}]})
        self.assertEqual((self.truth.calls(), len(self.truth.aside)), ([], 1))

    def test_what_is_not_understood_is_told(self) -> None:
        with self.assertRaises(urllib.error.HTTPError):
            self.post("/v1/messages", {"messages": [{"role": "user"}], "tools": [TOOL]})
        self.assertEqual(len(self.truth.trouble), 1)


if __name__ == "__main__":
    unittest.main()
