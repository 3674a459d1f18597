"""One play: a client, a scene, and a world of their own, with a home that is thrown away."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from client import Client, Pin, Server, beside
from mock.scenes import Scenes, Turn, filled, prompt
from mock.server import Server as Model
from mock.truth import Truth
from product import Product

HERE = Path(__file__).parent
# No client takes that long. One that hangs is ended, and its play is a failure.
PATIENCE = 180

FILES = {
    "src/app.py": "def f():\n    return 1\n",
    ".env": "API_TOKEN=dummyvalue\n",
    "secrets/a": "top\n",
    "README.md": "# demo\n",
}
POLICY = '{"version": 2, "files": {"read": {"deny": [".env", "secrets/**"]}, "write": {"allow": ["src/**"]}}}\n'


@dataclass
class Played:
    """What a play left behind."""

    code: int | None
    truth: Truth
    stdout: str
    stderr: str

    def ran(self) -> str | None:
        """Why the play proves nothing, if it does not."""
        if self.code is None:
            return f"the client was still running after {PATIENCE} s: {self.stderr[-300:]}"
        if self.truth.trouble:
            return f"the model server did not understand: {self.truth.trouble[0]}"
        if not self.truth.calls():
            return f"the client (exit code {self.code}) made no call: {(self.stderr or self.stdout)[-500:]}"
        return None


def end(group: int) -> None:
    """Hooks may still run when their client has ended; what runs longer is ended."""
    try:
        for _ in range(50):
            os.killpg(group, 0)
            time.sleep(0.1)
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Play:
    """A world for one client: a project, a home, the program on the path, and a model that answers."""

    def __init__(self, work: Path, pin: Pin, client: Client, name: str, binary: Path) -> None:
        self.pin, self.client, self.name = pin, client, name
        self.work = work
        self.folder = work / "plays" / pin.name / name
        self.root = self.folder / "project"
        self.home = self.folder / "home"
        self.bin = self.folder / "bin"
        shutil.rmtree(self.folder, ignore_errors=True)
        for folder in (self.root, self.home, self.bin):
            folder.mkdir(parents=True)
        (self.bin / "agent-strace").symlink_to(binary)
        self.project()
        self.model = Model(Scenes(HERE / "scenes", client.vocabulary(), {"root": str(self.root)}))
        # Client and program run in the same shell.
        self.product = Product(self.bin / "agent-strace", self.root, self.variables())

    def project(self) -> None:
        for name, text in FILES.items():
            self.write(name, text)
        self.git("init", "-q", "-b", "main")
        self.commit()

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.root, env=self.environment(), check=True)

    def commit(self) -> None:
        self.git("add", "-A", "-f")
        self.git("commit", "-q", "-m", "Go on")

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def environment(self) -> dict[str, str]:
        """Nothing of the machine's own but the path: no keys, no settings."""
        node = [str(beside("node").installed(self.work) / "node_modules/node/bin")] if self.pin.node else []
        path = [str(self.bin), *node, os.environ["PATH"]]
        author = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "Dana Moreau"), ("EMAIL", "dana@example.com"))
        }
        return author | {
            "HOME": str(self.home),
            "PATH": ":".join(path),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "TMPDIR": str(self.folder),
        }

    def variables(self) -> dict[str, str]:
        """What the shell of the client holds."""
        asked = {key: str(filled(value, self.values(), "")) for key, value in self.client.environment.items()}
        return self.environment() | asked

    def server(self, name: str) -> Server:
        """An official server of MCP, on the files of the project."""
        modules = beside("filesystem").installed(self.work) / "node_modules"
        program = modules / "@modelcontextprotocol/server-filesystem/dist/index.js"
        return Server(name, "node", [str(program), str(self.root)])

    def values(self) -> dict[str, Any]:
        return {
            "root": str(self.root),
            "home": str(self.home),
            "play": str(self.folder),
            "server": self.model.address,
            "model": self.client.model,
        }

    def settle(self, servers: list[Server]) -> None:
        """Writes the client's settings, as they are before anything of ours is set."""
        for path, text in self.client.settings(self.values(), servers).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def logs(self) -> str:
        return str(filled(self.client.logs, self.values(), ""))

    def run(
        self,
        scene: str,
        *,
        flags: Sequence[str] = (),
        around: Sequence[str] = (),
        before: Callable[[Turn], None] | None = None,
    ) -> Played:
        """Plays a scene. `around` is a command that starts the client, `before` is called before each answer."""
        with self.model.plays(before) as truth:
            code, stdout, stderr = self.start([*around, *self.command(prompt(scene), flags)])
            if self.client.export and code is not None:
                self.start([*self.program(), *self.filled(self.client.export)], "export")
        return Played(code, truth, stdout, stderr)

    def program(self) -> list[str]:
        return [str(self.pin.installed(self.work) / self.client.program)]

    def filled(self, arguments: list[str]) -> list[str]:
        return [filled(part, self.values(), "") for part in arguments]

    def command(self, text: str, flags: Sequence[str]) -> list[str]:
        """The prompt is last in some command lines, and flags go before it."""
        arguments = [filled(part, self.values() | {"prompt": text}, "") for part in self.client.command]
        return [*self.program(), *arguments[:-1], *flags, arguments[-1]]

    def start(self, command: list[str], name: str = "std") -> tuple[int | None, str, str]:
        out, err = self.folder / f"{name}out", self.folder / f"{name}err"
        with out.open("w") as stdout, err.open("w") as stderr:
            process = subprocess.Popen(
                command,
                cwd=self.root,
                env=self.variables(),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
            code: int | None
            try:
                code = process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                end(process.pid)
        return code, out.read_text(errors="replace"), err.read_text(errors="replace")

    def leaks(self) -> list[str]:
        """Files that exist only if a call ran that had to be denied."""
        return sorted(
            str(path.relative_to(self.folder)) for path in self.folder.rglob("leak*") if "home" not in path.parts
        )
