#!/usr/bin/env python3
"""Write sessions of coding agents with planted secrets, and labels that say where each one lies.

    python3 benches/secrets/generate.py --size-mb 100 --seed 1 --out /tmp/agent-strace-secrets

Forty sessions look like Claude Code's logs and eight like Codex's. The text around the secrets is what the machine has
at hand (`filler.py`), the secrets are random values of published grammars (`tokens.py`) in the words that surround such
values (`plants.py`): sixteen a megabyte, and as many look-alikes that must stay. The same seed on the same machine gives
the same bytes; `manifest.json` says what went in.

    DIR/sessions/*.jsonl   what the tools read
    DIR/labels.jsonl       one planted secret a line: file, line, pointer, start, end (code points in the decoded leaf, or
                           in the member's name where `in_key` is true), raw_start, raw_end (bytes in the line), kind,
                           stratum, place, sha256 of the value, sha256 of what an encoding hides
    DIR/must-stay.jsonl    the same for look-alikes
"""

import argparse
import collections
import hashlib
import json
import random
import re
import shutil
import sys
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from filler import Filler, default_sources  # noqa: E402
from plants import MARKS, SECRET_CLOSE, SECRET_OPEN, SECRETS, STAY_CLOSE, STAY_OPEN, STAYS, stay, stays  # noqa: E402
from tokens import BASE62, b64, digest, pick  # noqa: E402

PER_MB = 16
MARKED = re.compile(f"[{MARKS}]")
CLOSE = {SECRET_OPEN: SECRET_CLOSE, STAY_OPEN: STAY_CLOSE}


def spans(text):
    """(text without marks, [(is a secret, start, end)])"""
    out, found, opened, length = [], [], None, 0
    last = 0
    for match in MARKED.finditer(text):
        out.append(text[last : match.start()])
        length += match.start() - last
        last = match.end()
        if match.group() in CLOSE:
            opened = (match.group() == SECRET_OPEN, length)
        else:
            found.append((*opened, length))
    out.append(text[last:])
    return "".join(out), found


def leaves(value, pointer=""):
    """Every string with its pointer in the order in which it is written, names of members too."""
    if isinstance(value, str):
        yield pointer, False, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            at = f"{pointer}/{spans(key)[0].replace('~', '~0').replace('/', '~1')}"
            yield at, True, key
            yield from leaves(inner, at)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, f"{pointer}/{number}")


class Session:
    """One log: takes events, takes the marks out and writes the labels."""

    def __init__(self, rng, path, filler, secrets, lookalikes):
        self.rng, self.path, self.filler = rng, path, filler
        self.secrets, self.lookalikes = secrets, lookalikes
        self.lines, self.labels, self.stays, self.bytes = [], [], [], 0
        self.clock, self.pending = 1_780_000_000 + rng.randrange(10**7), None
        self.root = f"/home/dev/{rng.choice(filler.packages)}"

    def id(self):
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    def now(self):
        self.clock += self.rng.randrange(1, 40)
        days, seconds = divmod(self.clock % (28 * 86400), 86400)
        return f"2026-03-{days + 1:02}T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{self.rng.randrange(1000):03}Z"

    def write(self, event):
        marked = json.dumps(event, separators=(",", ":"), ensure_ascii=False)
        if not MARKED.search(marked):
            line = marked.encode()
        else:
            line = self.label(event, marked)
        self.lines.append(line)
        self.bytes += len(line) + 1

    def label(self, event, marked):
        clean, _ = spans(marked)
        raw = [(secret, len(clean[:start].encode()), len(clean[:end].encode())) for secret, start, end in spans(marked)[1]]
        decoded = []
        for pointer, in_key, text in leaves(event):
            if MARKED.search(text):
                plain, found = spans(text)
                decoded += [(pointer, in_key, plain[start:end], secret, start, end) for secret, start, end in found]
        for (secret, raw_start, raw_end), (pointer, in_key, value, same, start, end) in zip(raw, decoded, strict=True):
            assert secret == same
            kind, stratum, place, plain = self.describe(pointer)
            label = {"file": self.path.name, "line": len(self.lines) + 1, "pointer": pointer, "start": start, "end": end}
            label |= {"in_key": True} if in_key else {}
            label |= {"raw_start": raw_start, "raw_end": raw_end, "kind": kind, "stratum": stratum, "place": place, "sha256": digest(value)}
            label |= {"plain_sha256": digest(plain)} if secret and plain != value else {}
            (self.labels if secret else self.stays).append(label)
        return clean.encode()

    def describe(self, pointer):
        """What was planted into the event at hand; the blobs that agents always write are known by their name."""
        if pointer.endswith(("/signature", "/encrypted_content")):
            return "agent-blob", "stay", "envelope", ""
        plant, place = self.pending
        return plant.kind, plant.stratum, place, plant.plain

    def next(self, goal):
        """The next thing to plant once its part of the bytes is written."""
        for queue, total in ((self.secrets, self.total_secrets), (self.lookalikes, self.total_stays)):
            if queue and (total - len(queue)) * goal <= self.bytes * total:
                return queue.pop()
        return None

    def insert(self, lines, plant):
        body = plant.body if isinstance(plant.body, str) else json.dumps(plant.body, ensure_ascii=False, indent=2)
        at = self.rng.randrange(len(lines) + 1)
        return [*lines[:at], *body.split("\n"), *lines[at:]]

    def run(self, goal):
        self.total_secrets, self.total_stays = len(self.secrets), len(self.lookalikes)
        self.start()
        while self.bytes < goal or self.secrets or self.lookalikes:
            plant = self.next(goal)
            self.pending = None
            self.turn(plant)
        self.path.write_bytes(b"\n".join(self.lines) + b"\n")


class Claude(Session):
    def start(self):
        self.session, self.parent, self.slug = self.id(), None, "-".join(self.rng.choices(self.filler.packages, k=2))
        self.write({"type": "permission-mode", "permissionMode": "default", "sessionId": self.session})
        self.user(self.filler.prose())

    def envelope(self):
        me = self.id()
        head = {"parentUuid": self.parent, "isSidechain": False, "userType": "external", "cwd": self.root, "sessionId": self.session, "version": "2.1.45", "gitBranch": "main", "slug": self.slug}
        self.parent = me
        return head, {"uuid": me, "timestamp": self.now()}

    def user(self, text):
        head, tail = self.envelope()
        self.write(head | {"type": "user", "message": {"role": "user", "content": text}} | tail)

    def assistant(self, block):
        head, tail = self.envelope()
        usage = {"input_tokens": self.rng.randrange(1, 9), "cache_creation_input_tokens": self.rng.randrange(20000), "cache_read_input_tokens": self.rng.randrange(150000), "output_tokens": self.rng.randrange(900), "service_tier": "standard"}
        message = {"model": "claude-opus-4-6", "id": "msg_01" + pick(self.rng, BASE62, 22), "type": "message", "role": "assistant", "content": [block], "stop_reason": None, "stop_sequence": None, "usage": usage}
        self.write(head | {"message": message, "requestId": "req_011" + pick(self.rng, BASE62, 21), "type": "assistant"} | tail)

    def think(self, text):
        signature = b64(b"\x12" + self.rng.randbytes(self.rng.choice([200, 330, 520])))
        self.assistant({"type": "thinking", "thinking": text, "signature": stay(signature)})

    def call(self, name, arguments, result, extra=None):
        rng, call = self.rng, "toolu_01" + pick(self.rng, BASE62, 22)
        self.assistant({"type": "tool_use", "id": call, "name": name, "input": arguments})
        if rng.random() < 0.12:
            head, tail = self.envelope()
            data = {"type": "hook_progress", "hookEvent": "PostToolUse", "hookName": f"PostToolUse:{name}", "command": "callback"}
            self.write(head | {"type": "progress", "data": data, "parentToolUseID": call, "toolUseID": call} | tail)
        content = [{"type": "text", "text": result}] if rng.random() < 0.2 else result
        head, tail = self.envelope()
        message = {"role": "user", "content": [{"tool_use_id": call, "type": "tool_result", "content": content}]}
        self.write(head | {"type": "user", "message": message} | tail | ({"toolUseResult": extra} if extra else {}))

    def turn(self, plant):
        rng, filler = self.rng, self.filler
        if plant and plant.shape == "object":
            return self.tool(plant)
        if plant and plant.shape == "shell":
            self.pending = (plant, "command")
            return self.call("Bash", {"command": plant.body, "description": filler.prose()[:80]}, "\n".join(filler.output()))
        if plant and plant.shape == "prose":
            return self.say(plant, plant.body)
        way = rng.random()
        if way < 0.34:
            self.bash(plant)
        elif way < 0.58:
            self.read(plant)
        elif way < 0.70:
            self.edit(plant)
        elif way < 0.78:
            self.write_file(plant)
        elif way < 0.84:
            self.search(plant)
        elif way < 0.90 and plant:
            self.tool(plant)
        else:
            self.say(plant, "\n".join(self.insert([filler.prose(), "", "", filler.prose()], plant)) if plant else filler.prose())

    def say(self, plant, text):
        way = self.rng.random()
        if way < 0.4:
            self.pending = (plant, "assistant") if plant else None
            self.assistant({"type": "text", "text": text})
        elif way < 0.75:
            self.pending = (plant, "thinking") if plant else None
            self.think(text)
        else:
            self.pending = (plant, "prompt") if plant else None
            self.user(text)

    def bash(self, plant):
        rng = self.rng
        lines = self.filler.output()
        if plant:
            lines = self.insert(lines, plant)
            self.pending = (plant, "stdout")
        text = "\n".join(lines)
        command = rng.choice(["cargo test 2>&1 | tail -80", "git log --stat", "rg -n fn src", "cat {f}", "git show HEAD -- {f}", "ls -la {f}", "make check"]).format(f=rng.choice(self.filler.pieces)[0])
        extra = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False} if rng.random() < 0.3 else {"stdout": "", "stderr": "", "interrupted": False, "isImage": False}
        self.call("Bash", {"command": command, "description": self.filler.prose()[:80]}, text, extra)

    def read(self, plant):
        name, lines, first = self.filler.source()
        if plant:
            lines = self.insert(lines, plant)
            self.pending = (plant, "read")
        numbered = [line if "→" in line[:8] else f"{first + at:>6}→{line}" for at, line in enumerate(lines)]
        self.call("Read", {"file_path": f"{self.root}/{name}"}, "\n".join(numbered))

    def edit(self, plant):
        name, old, first = self.filler.source()
        new = self.filler.source()[1]
        if plant:
            new = self.insert(new[:30], plant)
            self.pending = (plant, "edit")
        arguments = {"file_path": f"{self.root}/{name}", "old_string": "\n".join(old[:20]), "new_string": "\n".join(new), "replace_all": False}
        patch = [f"-{line}" for line in old[:20]] + [f"+{line}" for line in new]
        extra = {"filePath": arguments["file_path"], "structuredPatch": [{"oldStart": first, "oldLines": len(old[:20]), "newStart": first, "newLines": len(new), "lines": patch}], "userModified": False}
        multi = plant and "\n" in plant.body
        self.call("Edit", arguments, f"The file {self.root}/{name} has been updated.", None if multi else extra)

    def write_file(self, plant):
        name, lines, _ = self.filler.source()
        if plant:
            lines = self.insert(lines, plant)
            self.pending = (plant, "write")
        self.call("Write", {"file_path": f"{self.root}/{name}", "content": "\n".join(lines)}, f"File created successfully at: {self.root}/{name}")

    def search(self, plant):
        lines = self.filler.matches()
        if plant:
            lines = self.insert(lines, plant)
            self.pending = (plant, "search")
        self.call("Grep", {"pattern": self.rng.choice(self.filler.packages), "path": self.root, "output_mode": "content"}, "\n".join(lines))

    def tool(self, plant):
        self.pending = (plant, "arguments")
        body = plant.body if isinstance(plant.body, dict) else {"path": "notes/setup.md", "text": plant.body}
        self.call("mcp__workbench__run", {"action": "apply", **body, "dry_run": False}, self.filler.prose())


class Codex(Session):
    def record(self, kind, payload):
        self.write({"timestamp": self.now(), "type": kind, "payload": payload})

    def start(self):
        self.record("session_meta", {"id": self.id(), "cwd": self.root, "originator": "codex-tui", "cli_version": "0.141.0", "source": "cli", "model_provider": "openai", "base_instructions": {"text": self.filler.prose()}})
        self.record("turn_context", {"turn_id": self.id(), "cwd": self.root, "approval_policy": "never", "sandbox_policy": {"type": "danger-full-access"}, "model": "gpt-5.3-codex"})

    def reason(self):
        blob = "gAAAAAB" + b64(self.rng.randbytes(self.rng.choice([300, 600, 900])))
        self.pending = None
        self.record("response_item", {"type": "reasoning", "summary": [], "content": None, "encrypted_content": stay(blob)})

    def call(self, arguments, output, name="exec_command"):
        call = "call_" + pick(self.rng, BASE62, 24)
        text = json.dumps(arguments, ensure_ascii=False)
        self.record("response_item", {"type": "function_call", "name": name, "arguments": text, "call_id": call})
        head = f"Chunk ID: {pick(self.rng, '0123456789abcdef', 6)}\nWall time: 0.{self.rng.randrange(9999):04} seconds\nProcess exited with code 0\nOutput:\n"
        self.record("response_item", {"type": "function_call_output", "call_id": call, "output": head + output})

    def patch(self, plant):
        name, lines, _ = self.filler.source()
        lines = self.insert(lines[:60], plant) if plant else lines[:60]
        self.pending = (plant, "patch") if plant else None
        text = "\n".join(["*** Begin Patch", f"*** Add File: {name}", *("+" + line for line in lines), "*** End Patch"])
        self.record("response_item", {"type": "custom_tool_call", "name": "apply_patch", "input": text, "call_id": "call_" + pick(self.rng, BASE62, 24), "status": "completed"})

    def say(self, plant, text):
        self.pending = (plant, "prose") if plant else None
        role, part = self.rng.choice([("assistant", "output_text"), ("user", "input_text")])
        self.record("event_msg", {"type": "agent_message" if role == "assistant" else "user_message", "message": text})
        self.record("response_item", {"type": "message", "role": role, "content": [{"type": part, "text": text}]})

    def turn(self, plant):
        rng, filler = self.rng, self.filler
        if plant and plant.shape == "object":
            self.pending = (plant, "arguments")
            return self.call({"action": "apply", **plant.body}, filler.prose(), "workbench.run")
        if plant and plant.shape == "shell":
            self.pending = (plant, "command")
            return self.call({"cmd": plant.body, "workdir": self.root, "max_output_tokens": 12000}, "\n".join(filler.output()))
        if plant and plant.shape == "prose":
            return self.say(plant, plant.body)
        way = rng.random()
        if way < 0.2:
            self.reason()
        if way < 0.65:
            lines = self.insert(filler.output(), plant) if plant else filler.output()
            self.pending = (plant, "stdout") if plant else None
            self.call({"cmd": f"sed -n 1,200p {rng.choice(filler.pieces)[0]}", "workdir": self.root, "max_output_tokens": 12000}, "\n".join(lines))
        elif way < 0.85:
            self.patch(plant)
        elif plant:
            self.pending = (plant, "arguments")
            text = "\n".join(self.insert([filler.prose()], plant))
            self.call({"cmd": f"cat > notes.md <<'EOF'\n{text}\nEOF", "workdir": self.root}, "")
        else:
            self.say(None, filler.prose())


def deal(rng, kinds, count, sessions, make):
    """`count` plants, every kind as often as every other, dealt out to the sessions."""
    entries = [kinds[number % len(kinds)] for number in range(count)]
    rng.shuffle(entries)
    hands = [[] for _ in range(sessions)]
    for number, entry in enumerate(entries):
        hands[number % sessions].append(make(rng, entry))
    return hands


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size-mb", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--source", type=Path, action="append", help="folder with text instead of cargo's and Python's")
    parser.add_argument("--repository", type=Path, default=Path(__file__).resolve().parents[2], help="its git history is part of the text")
    parser.add_argument("--revision", default="HEAD", help="where that history ends; `manifest.json` says what it was")
    arguments = parser.parse_args()
    size, rng = arguments.size_mb * 10**6, random.Random(arguments.seed)
    sources = arguments.source or default_sources()
    filler = Filler(rng, sources, arguments.repository, arguments.revision, min(size, 60 * 10**6))
    folder = arguments.out / "sessions"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    count, agents = PER_MB * arguments.size_mb, [Claude] * 40 + [Codex] * 8
    secrets = deal(rng, SECRETS, count, len(agents), lambda r, entry: entry[1](r, entry[2]))
    lookalikes = deal(rng, STAYS, count, len(agents), stays)
    labels, kept, events, content = [], [], 0, hashlib.sha256()
    for number, agent in enumerate(agents):
        path = folder / f"{agent.__name__.lower()}-{number:02}.jsonl"
        session = agent(random.Random(rng.getrandbits(64)), path, filler, secrets[number], lookalikes[number])
        session.run(size // len(agents))
        labels, kept, events = labels + session.labels, kept + session.stays, events + len(session.lines)
        content.update(path.read_bytes())
    for name, rows in (("labels.jsonl", labels), ("must-stay.jsonl", kept)):
        (arguments.out / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    total = sum(path.stat().st_size for path in folder.iterdir())
    manifest = {
        "seed": arguments.seed, "revision": filler.revision, "bytes": total, "files": len(agents), "events": events, "sha256": content.hexdigest(), "planted": count,
        "places": len(labels), "kinds": len({row["kind"] for row in labels}), "look_alikes": len(kept), "left_out_of_the_filler": filler.left_out,
        "by_stratum": dict(sorted(collections.Counter(row["stratum"] for row in labels).items())),
        "by_place": dict(sorted(collections.Counter(row["place"] for row in labels).items())),
    }
    (arguments.out / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
    print(json.dumps(manifest, indent=2))


if __name__ == "__main__":
    main()
