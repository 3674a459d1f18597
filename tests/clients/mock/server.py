"""The server: HTTP on loopback, on a port that the system chooses."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType
from typing import Any

from . import anthropic, chat, gemini, responses
from .api import Answer, Asked, Json
from .scenes import Scenes, Turn, answered
from .truth import Served, Truth

# More than any client sends, and less than would fill a machine.
LARGEST = 64 * 1024 * 1024


def api(path: str) -> ModuleType | None:
    if ":streamGenerateContent" in path or ":generateContent" in path:
        return gemini
    for end, module in (("/messages", anthropic), ("/responses", responses), ("/chat/completions", chat)):
        if path.endswith(end):
            return module
    return None


def nothing(turn: Turn) -> None:
    """What is done before an answer, where nothing is."""


class Server:
    """Answers one client, from its first play on, at one address."""

    def __init__(self, scenes: Scenes) -> None:
        self.scenes = scenes
        self.truth = Truth()
        self.before: Callable[[Turn], None] = nothing
        server = self

        class Handler(Requests):
            play = server

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.http.server_address[1]}"
        self.numbers = iter(range(1, 1_000_000))

    @contextmanager
    def plays(self, before: Callable[[Turn], None] | None) -> Iterator[Truth]:
        """Answers until the play is over. `before` is called before each answer: the world can change between two."""
        self.truth, self.before = Truth(), before or nothing
        thread = threading.Thread(target=self.http.serve_forever, daemon=True)
        thread.start()
        try:
            yield self.truth
        finally:
            self.http.shutdown()
            thread.join()

    def close(self) -> None:
        self.http.server_close()

    def answer(self, module: ModuleType, path: str, body: Json) -> tuple[Asked, Answer]:
        asked = module.asked(path, body)
        scene = asked.scene()
        truth = self.truth
        with truth.lock:
            number = next(self.numbers)
            truth.results.update(asked.results)
            truth.offered.update(asked.tools)
        if scene is None or scene not in self.scenes.steps:
            usage = module.usage(0)
            with truth.lock:
                truth.aside.append(usage)
            return asked, Answer(number, asked.model, Turn("aside", 0, ("ok",)), usage)
        step = asked.turns if asked.turns is not None else answered(scene, iter(asked.ids))
        turn = self.scenes.turn(scene, step, json.dumps(body))
        self.before(turn)
        usage = module.usage(step)
        with truth.lock:
            truth.served.append(Served(turn, asked.model, usage))
        return asked, Answer(number, asked.model, turn, usage)


class Requests(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    play: Server

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        names = ["mock-model", "claude-sonnet-4-5-20250929", "gpt-5.5", "gemini-2.5-pro"]
        made = [
            {
                "id": name,
                "object": "model",
                "type": "model",
                "display_name": name,
                "created": 1,
                "owned_by": "mock",
                "created_at": "2025-01-01T00:00:00Z",
            }
            for name in names
        ]
        self.send({"object": "list", "data": made, "has_more": False} if "/models" in self.path else {})

    def do_POST(self) -> None:
        path = self.path.split("?")[0]
        try:
            body = json.loads(self.body() or b"{}")
            if path.endswith(("/count_tokens", ":countTokens")):
                return self.send({"input_tokens": 1000, "totalTokens": 1000})
            module = api(path)
            if module is None:
                return self.send({})
            asked, answer = self.play.answer(module, path, body)
        except Exception as error:  # A request that is not understood is kept as trouble, and answered.
            self.play.truth.trouble.append(f"{path}: {error!r}")
            return self.send({"error": {"message": str(error)}}, 400)
        if asked.streamed:
            self.stream(module.events(answer))
        else:
            self.send(module.whole(answer))

    def body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            raw = b""
            while (size := int(self.rfile.readline().split(b";")[0], 16)) and len(raw) + size <= LARGEST:
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(min(int(self.headers.get("content-length") or 0), LARGEST))
        coding = self.headers.get("content-encoding", "identity")
        if coding == "gzip":
            return gzip.decompress(raw)
        if coding != "identity":
            raise ValueError(f"content-encoding {coding} is not known")
        return raw

    def send(self, answer: Json, status: int = 200) -> None:
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def stream(self, events: list[tuple[str | None, Any]]) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        try:
            for name, data in events:
                text = data if isinstance(data, str) else json.dumps(data)
                self.wfile.write(((f"event: {name}\n" if name else "") + f"data: {text}\n\n").encode())
        except (BrokenPipeError, ConnectionResetError):
            pass  # The client was ended, as limits do it.
