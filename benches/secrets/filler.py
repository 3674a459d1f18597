"""Text for the sessions, out of what the machine has: nothing of it is kept in the repository.

Sources are the crates that cargo has unpacked, Python's standard library and this repository's git history. Texts that
hold a real credential by their very form (a private key of a test suite) are left out, because nobody labelled them.
"""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

from plants import MARKS
from tokens import HEX, b64, pick

SUFFIXES = {".rs", ".c", ".h", ".js", ".ts", ".css", ".json", ".md", ".toml", ".py", ".yml", ".yaml", ".html", ".cmake", ".txt", ".lock", ".stderr", ".sh"}
LARGEST = 400_000
# Credentials whose form alone tells what they are.
CREDENTIAL = re.compile(r"PRIVATE KEY(?: BLOCK)?-----|\b(?:AKIA|ASIA)[A-Z2-7]{16}\b|\bgh[pousr]_[0-9A-Za-z]{36}\b|\bey[\w-]{15,}\.ey[\w-]{15,}\.|\bAIza[\w-]{35}\b|\b[sr]k_live_[0-9A-Za-z]{24}|\bxox[bp]-\d{6,}-")
UNFIT = re.compile(f"[{MARKS}\ud800-\udfff\0]")


def default_sources():
    crates = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo")) / "registry" / "src"
    return [*sorted(crates.glob("*/")), Path(sysconfig.get_path("stdlib"))]


class Filler:
    def __init__(self, rng, folders, repository, revision, budget):
        """Reads about `budget` bytes, evenly spread over all files of the folders."""
        self.rng, self.pieces, self.names, self.left_out = rng, [], [], 0
        paths = [(folder, path) for folder in folders for path in self.files(folder)]
        if not paths:
            sys.exit(f"no source text under {', '.join(map(str, folders))}: name a folder with --source")
        rng.shuffle(paths)
        total = 0
        for folder, path in paths:
            if total >= budget:
                break
            text = self.clean(path.read_bytes())
            if text:
                total += len(text)
                self.pieces.append((path.relative_to(folder).as_posix(), text.split("\n")))
        self.history = self.git(repository, revision)
        self.tests = [name for _, lines in self.pieces for line in lines for name in re.findall(r"^\s*(?:fn|def) (test_\w+|\w+_test)\b", line)][:5000] or ["test_all"]
        self.packages = sorted({name.split("/")[0] for name, _ in self.pieces})

    def files(self, folder):
        skipped = ("site-packages", "__pycache__", "node_modules")
        found = []
        for at, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if name not in skipped)
            found += [Path(at, name) for name in names if Path(name).suffix in SUFFIXES]
        return sorted(path for path in found if path.is_file() and path.stat().st_size <= LARGEST)

    def clean(self, data):
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return None
        if CREDENTIAL.search(text):
            self.left_out += 1
            return None
        return UNFIT.sub("", text).replace("\r\n", "\n")

    def git(self, repository, revision):
        def ask(*words):
            done = subprocess.run(["git", "-C", str(repository), *words], capture_output=True)
            if done.returncode:
                sys.exit(f"git {' '.join(words)} failed in {repository}: {done.stderr.decode(errors='replace').strip()}")
            return done.stdout

        self.revision = ask("rev-parse", "--verify", revision + "^{commit}").decode().strip()
        text = self.clean(ask("log", "--stat", "--no-color", "-n", "2000", self.revision))
        return text.split("\n") if text else sys.exit(f"the history of {repository} at {revision} isn't UTF-8 or names a credential: choose another --repository")

    def size(self):
        """Lines of one text: mostly short, some long, as in imported real sessions."""
        return min(900, max(3, int(self.rng.lognormvariate(4.2, 1.0))))

    def cut(self, lines, count):
        start = self.rng.randrange(max(1, len(lines) - count))
        return [line[:2000] for line in lines[start : start + count]]

    def source(self):
        """(path, lines, number of the first line)"""
        name, lines = self.rng.choice(self.pieces)
        count = self.size()
        start = self.rng.randrange(max(1, len(lines) - count))
        return name, [line[:2000] for line in lines[start : start + count]], start + 1

    def log(self):
        return self.cut(self.history, self.size())

    def lock(self):
        rng, lines = self.rng, []
        cargo = rng.random() < 0.5
        for _ in range(self.size() // 5 + 1):
            name, version = rng.choice(self.packages), f"{rng.randrange(9)}.{rng.randrange(40)}.{rng.randrange(20)}"
            if cargo:
                lines += ["[[package]]", f'name = "{name}"', f'version = "{version}"', f'checksum = "{pick(rng, HEX, 64)}"', ""]
            else:
                url = f"https://packages.corp.example/{name}/-/{name}-{version}.tgz"
                lines += [f'    "node_modules/{name}": {{', f'      "version": "{version}",', f'      "resolved": "{url}",', f'      "integrity": "sha512-{b64(rng.randbytes(64))}"', "    },"]
        return lines

    def test_output(self):
        rng = self.rng
        names = rng.choices(self.tests, k=self.size())
        lines = [f"running {len(names)} tests"]
        for name in names:
            lines.append(f"test {rng.choice(self.packages).replace('-', '_')}::{name} ... {'FAILED' if rng.random() < 0.01 else 'ok'}")
        return [*lines, "", f"test result: ok. {len(names)} passed; 0 failed; finished in {rng.random() * 9:.2f}s"]

    def matches(self):
        lines = []
        for _ in range(self.size() // 4 + 1):
            name, text, first = self.source()
            lines += [f"{name}:{first + at}:{line}" for at, line in enumerate(text[:4])]
        return lines

    def listing(self):
        rng = self.rng
        return [f"-rw-r--r--  1 dev dev {rng.randrange(10**6):>8} Mar {rng.randrange(1, 29):>2} 1{rng.randrange(10)}:{rng.randrange(10, 60)} {rng.choice(self.pieces)[0]}" for _ in range(self.size())]

    def output(self):
        """Lines as a command prints them."""
        way = self.rng.random()
        if way < 0.45:
            return self.source()[1]
        return (self.log if way < 0.57 else self.lock if way < 0.65 else self.test_output if way < 0.75 else self.matches if way < 0.93 else self.listing)()

    def prose(self):
        """Words out of documentation comments, as an assistant would write about code."""
        for _ in range(50):
            _, lines, _ = self.source()
            words = [line.strip().lstrip("/*#! ") for line in lines if line.strip().startswith(("//", "#", "*", "///"))]
            if words:
                return " ".join(words)[: self.rng.choice([120, 300, 700])]
        return "Done."
