"""Throw-away repositories with a pull request in them, behind a server that wants the token, and the action run there."""

import base64
import http.server
import json
import os
import subprocess
import tempfile
import threading
from pathlib import Path

from runner import Runner, tool

PROJECT = Path(__file__).resolve().parents[2]
EVENTS = Path(__file__).resolve().parent / "events"
TOKEN = "token-of-the-job"
PLACE = "/home/dana/rates"

POLICY = {
    "files": {
        "read": {"allow": ["src/**", "tests/**", "*.md"], "deny": [".env", "secrets/**"]},
        "write": {"allow": ["src/**", "tests/**"]},
    },
    "commands": {"allow": ["cargo test", "cat", "ls"]},
    "network": {"deny_all": True},
}
WORKFLOW = "on: pull_request\njobs:\n  gate:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: acme/agent-strace@v1\n"


def policy(**changes):
    return json.dumps({**POLICY, **changes}, indent=2) + "\n"


def session(identifier, calls, prompt="Convert yen."):
    """A session of the native store: `calls` are pairs of a tool and its arguments. Path → text."""
    started = 1_790_000_000
    events = [("session_start", {"mode": "startup", "cwd": PLACE}), ("user_prompt", {"prompt": prompt})]
    for name, arguments in calls:
        events.append(("tool_call", {"tool_name": name, "arguments": arguments}))
        events.append(("tool_result", {"tool_name": name, "result": "done"}))
    events.append(("session_end", {"reason": "end"}))
    lines, call = [], None
    for number, (kind, data) in enumerate(events):
        event = {"event_type": kind, "timestamp": started + number, "event_id": f"{number:012x}",
                 "session_id": identifier, "data": data}
        if kind == "tool_call":
            call = event["event_id"]
        if kind == "tool_result":
            event["parent_id"] = call
        lines.append(json.dumps(event))
    meta = {"session_id": identifier, "started_at": started, "ended_at": started + len(events),
            "agent_name": "claude-code", "tool_calls": len(calls),
            "attribution": {"working_dir": PLACE, "git_branch": "topic"}}
    folder = f".agent-traces/{identifier}"
    return {f"{folder}/meta.json": json.dumps(meta), f"{folder}/events.ndjson": "\n".join(lines) + "\n"}


def writes(path, content):
    return "Write", {"file_path": f"{PLACE}/{path}", "content": content}


class World:
    """`origin` has a branch main, and a branch topic that a test fills before `pull` makes it a pull request."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.origins = self.root / "origins"
        self.origin = self.origins / "acme" / "rates"
        self.home = self.root / "home"
        self.home.mkdir()
        self.commits = {}
        self.git("init", "-q", "-b", "main", str(self.origin))
        self.commit({
            ".agent-scope.json": policy(), ".github/workflows/gate.yml": WORKFLOW, "README.md": "# rates\n",
            "src/a.py": "A = 1\n",
            **session("0a11ce00", [writes("src/a.py", "A = 1\n")], "Begin."),
        }, "The first version")
        self.commits["OLD_BASE"] = self.head()
        self.server = Server(self.origins, TOKEN)

    def close(self):
        self.server.close()
        self.folder.cleanup()

    def environment(self):
        """What git and the action get beside what they are given: nothing of this machine but its programs."""
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8",
                "TMPDIR": str(self.root)}

    def git(self, *arguments, folder=None):
        names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
                 for what, value in (("NAME", "Dana"), ("EMAIL", "dana@example.com"), ("DATE", "1790000000 +0000"))}
        answer = subprocess.run(
            [tool("git"), *arguments], cwd=folder or self.root, env={**self.environment(), **names},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if answer.returncode:
            raise AssertionError(f"git {' '.join(arguments)}: {answer.stdout}")
        return answer.stdout.strip()

    def head(self, name="HEAD"):
        return self.git("rev-parse", name, folder=self.origin)

    def commit(self, files, message, delete=(), links=()):
        for path, text in files.items():
            file = self.origin / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.unlink(missing_ok=True)
            file.write_text(text)
        for path in delete:
            self.git("rm", "-rq", path, folder=self.origin)
        for path, target in links:
            file = self.origin / path
            file.unlink(missing_ok=True)
            file.symlink_to(target)
        self.git("add", "-A", folder=self.origin)
        self.git("commit", "-q", "--allow-empty", "-m", message, folder=self.origin)

    def pull(self, *commits, behind=0):
        """`commits`: arguments of `commit`, on topic. `behind`: commits that main has and topic has not."""
        self.git("checkout", "-q", "-b", "topic", folder=self.origin)
        for arguments in commits:
            self.commit(**arguments)
        head = self.head()
        self.git("update-ref", "refs/pull/7/head", head, folder=self.origin)
        self.git("checkout", "-q", "main", folder=self.origin)
        for number in range(behind):
            self.commit({f"docs/{number}.md": f"{number}\n"}, f"Another one, {number}")
        base = self.head()
        self.git("checkout", "-q", "--detach", folder=self.origin)
        self.git("merge", "-q", "--no-ff", "-m", "merge", head, folder=self.origin)
        self.commits.update(HEAD=head, BASE=base, MERGE=self.head())
        self.git("update-ref", "refs/pull/7/merge", self.commits["MERGE"], folder=self.origin)
        queue = f"refs/heads/gh-readonly-queue/main/pr-7-{base}"
        self.git("update-ref", queue, self.commits["MERGE"], folder=self.origin)
        self.git("checkout", "-q", "main", folder=self.origin)
        # What a forge keeps is no checkout.
        self.git("config", "receive.denyCurrentBranch", "ignore", folder=self.origin)
        return self

    def backport(self, files):
        """A commit of an agent on main, and on topic the same commit without its session, to be merged into release/1."""
        self.git("branch", "release/1", "main", folder=self.origin)
        self.commits["OLD_BASE"] = self.commits["BASE"] = self.head()
        self.commit(files, "Two\n\nCo-Authored-By: Claude <noreply@anthropic.com>")
        self.git("checkout", "-q", "-b", "topic", "release/1", folder=self.origin)
        self.git("cherry-pick", "-x", "main", folder=self.origin)
        sessions = sorted({"/".join(path.split("/")[:2]) for path in files if path.startswith(".agent-traces/")})
        self.git("rm", "-rq", *sessions, folder=self.origin)
        self.git("commit", "-q", "--amend", "--no-edit", folder=self.origin)
        self.commits["HEAD"] = self.head()
        self.git("update-ref", "refs/pull/7/head", self.commits["HEAD"], folder=self.origin)
        self.git("checkout", "-q", "--detach", "release/1", folder=self.origin)
        self.git("merge", "-q", "--no-ff", "-m", "merge", "topic", folder=self.origin)
        self.commits["MERGE"] = self.head()
        self.git("update-ref", "refs/pull/7/merge", self.commits["MERGE"], folder=self.origin)
        self.git("checkout", "-q", "main", folder=self.origin)
        self.git("config", "receive.denyCurrentBranch", "ignore", folder=self.origin)
        return self

    def helper(self):
        """A branch of the author, whose policy allows everything."""
        self.git("checkout", "-q", "-b", "helper", "main", folder=self.origin)
        self.commit({".agent-scope.json": "{}\n"}, "A policy of my own")
        self.commits["HELPER"] = self.head()
        self.git("checkout", "-q", "main", folder=self.origin)
        return self

    def workspace(self, kind):
        """`none`, `merge` (as a checkout leaves it, one commit deep), `head` (the author's own commits)."""
        folder = Path(tempfile.mkdtemp(dir=self.root, prefix="workspace"))
        if kind == "none":
            return folder
        commit, depth = {"merge": ("MERGE", "1"), "head": ("HEAD", "2"), "base": ("BASE", "1")}[kind]
        self.git("init", "-q", str(folder))
        self.git("fetch", "-q", f"--depth={depth}", f"file://{self.origin}", self.commits[commit], folder=folder)
        self.git("checkout", "-q", "--detach", "FETCH_HEAD", folder=folder)
        self.git("remote", "add", "origin", f"{self.server.url}/acme/rates", folder=folder)
        return folder

    def contract(self, event, changes=None):
        """What the runner says of an event; `changes`: keys of the event that are otherwise."""
        text = (EVENTS / f"{event}.json").read_text()
        for name, value in self.commits.items():
            text = text.replace(f"${name}", value)
        contract = json.loads(text)
        contract["event"].update(changes or {})
        return contract

    def run(self, event, inputs, workspace="merge", action=PROJECT, env=None, folder=None, changes=None):
        """Runs the action; what it says of itself is in `result`, and `temp` is where its files are."""
        contract = self.contract(event, changes)
        temp = Path(tempfile.mkdtemp(dir=self.root, prefix="temp"))
        event_path = temp / "event.json"
        event_path.write_text(json.dumps(contract["event"]))
        github = {**contract["github"], "event": contract["event"], "event_path": str(event_path),
                  "repository": "acme/rates", "server_url": self.server.url, "token": TOKEN}
        folder = folder or self.workspace(workspace)
        runner = Runner(action, temp, folder, github, {**self.environment(), **(env or {})})
        result = runner.run(inputs)
        result.temp = temp
        return result


class Server:
    """A forge's side of git over HTTP, by git's own program for it. Without the token it gives nothing."""

    def __init__(self, root, token, user="x-access-token"):
        wanted = "basic " + base64.b64encode(f"{user}:{token}".encode()).decode()
        backend = [tool("git"), "http-backend"]
        self.asked = asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.answer(b"")

            def do_POST(self):
                if self.headers.get("Transfer-Encoding") == "chunked":
                    self.answer(self.chunks())
                else:
                    self.answer(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

            def chunks(self):
                body = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

            def answer(self, body):
                given = self.headers.get_all("Authorization") or []
                asked.append((self.path, given))
                if given != [wanted] and given != [wanted.replace("basic", "Basic")]:
                    # Two headers are refused, too, as forges do.
                    self.reply(401 if not given else 400, [("WWW-Authenticate", "Basic")], b"")
                    return
                path, _, query = self.path.partition("?")
                environment = {
                    "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": str(root), "GIT_HTTP_EXPORT_ALL": "1",
                    "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": self.command,
                    "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
                    "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""), "REMOTE_ADDR": "127.0.0.1",
                    "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                    "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
                }
                answer = subprocess.run(backend, input=body, env=environment, stdout=subprocess.PIPE, check=False)
                head, _, content = answer.stdout.partition(b"\r\n\r\n")
                headers = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n") if ": " in line]
                status = next((int(value.split()[0]) for name, value in headers if name == "Status"), 200)
                self.reply(status, [pair for pair in headers if pair[0] != "Status"], content)

            def reply(self, status, headers, content):
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
