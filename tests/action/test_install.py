"""How the action gets the program: only what the commit of the action vouches for is unpacked or run."""

import hashlib
import http.server
import io
import os
import shutil
import ssl
import subprocess
import tarfile
import tempfile
import threading
import unittest
from pathlib import Path

from runner import read_file_command, run, tool
from worlds import PROJECT

SCRIPTS = PROJECT / ".github" / "action"
PROGRAM = b"#!/bin/sh\necho the program\n"


def archive(*members):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        for name, data in members:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o755
            tar.addfile(entry, io.BytesIO(data))
    return content.getvalue()


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.action = self.root / "action"
        shutil.copytree(SCRIPTS, self.action / ".github" / "action")
        for name in ("temp", "workspace", "home"):
            (self.root / name).mkdir()
        self.releases = self.action / ".github" / "action" / "releases.tsv"

    def install(self, path=None, runner=("Linux", "X64"), **env):
        output = self.root / "output"
        output.write_text("")
        environment = {
            "PATH": path or os.environ["PATH"], "HOME": str(self.root / "home"), "RUNNER_TEMP": str(self.root / "temp"),
            "GITHUB_ACTION_PATH": str(self.action), "GITHUB_OUTPUT": str(output), "RUNNER_OS": runner[0],
            "RUNNER_ARCH": runner[1], **env,
        }
        command = ["bash", str(self.action / ".github" / "action" / "install")]
        code, said = run(command, self.root / "workspace", environment)
        return code, said, read_file_command(output.read_text()).get("binary")

    def lock(self, version, address, checksums):
        file = self.root / "checksums"
        file.write_text(checksums)
        code, said = run(["bash", str(SCRIPTS / "lock-release"), version, address, str(file)], self.root,
                         {"PATH": os.environ["PATH"], "AST_RELEASES": str(self.releases)})
        return code, said


class Releases(Case):
    def setUp(self):
        super().setUp()
        certificate = self.root / "certificate.pem"
        subprocess.run(
            [tool("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(certificate) + ".key",
             "-out", str(certificate), "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
            check=True, stderr=subprocess.DEVNULL)
        self.files = files = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                content = files.get(self.path)
                self.send_response(200 if content is not None else 404)
                self.end_headers()
                self.wfile.write(content or b"")

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, str(certificate) + ".key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.address = f"https://localhost:{server.server_port}/releases"
        self.trusted = {"CURL_CA_BUNDLE": str(certificate), "NO_PROXY": "localhost", "no_proxy": "localhost"}

    def release(self, content, version="1.2.3", name="agent-strace-x86_64-unknown-linux-musl.tar.gz"):
        self.files[f"/releases/{name}"] = content
        return self.lock(version, self.address, f"{hashlib.sha256(content).hexdigest()}  {name}\n")

    def test_a_release_with_the_right_checksum_is_run(self):
        content = archive(("agent-strace-1.2.3/README.md", b"x"), ("agent-strace-1.2.3/agent-strace", PROGRAM))
        self.assertEqual(self.release(content)[0], 0)
        for version in ("", "1.2.3"):
            code, said, binary = self.install(AST_VERSION=version, **self.trusted)
            self.assertEqual(code, 0, said)
            self.assertEqual(subprocess.run([binary], capture_output=True, check=True).stdout, b"the program\n")
            self.assertTrue(Path(binary).is_relative_to(self.root / "temp"))

    def test_other_bytes_are_never_unpacked(self):
        self.release(archive(("agent-strace", PROGRAM)))
        self.files["/releases/agent-strace-x86_64-unknown-linux-musl.tar.gz"] = archive(("agent-strace", b"#!/bin/sh\n"))
        code, said, binary = self.install(**self.trusted)
        self.assertEqual((code, binary), (2, None))
        self.assertIn("not what this commit of the action vouches for", said)
        self.assertEqual(list((self.root / "temp").rglob("agent-strace")), [])

    def test_what_is_not_listed_is_not_guessed(self):
        self.release(archive(("agent-strace", PROGRAM)))
        for more in ({"AST_VERSION": "9.9.9"}, {"AST_VERSION": "latest"}, {"runner": ("Linux", "RISCV64")},
                     {"runner": ("macOS", "ARM64")}):
            code, said, binary = self.install(**self.trusted, **more)
            self.assertEqual((code, binary), (2, None), said)
            self.assertIn("not listed", said)
        summary = self.root / "summary"
        self.assertEqual(self.install(**self.trusted, AST_VERSION="9.9.9", GITHUB_STEP_SUMMARY=str(summary))[0], 2)
        self.assertIn("    release 9.9.9 for", summary.read_text())

    def test_what_can_not_be_had_is_an_error(self):
        self.release(archive(("agent-strace", PROGRAM)))
        self.files.clear()
        self.assertEqual(self.install(**self.trusted)[0], 2)
        code, said, _ = self.install()
        self.assertEqual(code, 2, "a certificate that nobody vouches for is taken")
        self.assertIn("can't be downloaded", said)

    def test_archives_hold_one_program_and_no_places(self):
        for members in ([], [("other", PROGRAM)], [("a/agent-strace", PROGRAM), ("b/agent-strace", PROGRAM)]):
            self.releases.write_text("# none\n")
            self.release(archive(*members))
            code, said, _ = self.install(**self.trusted)
            self.assertEqual(code, 2)
            self.assertIn("exactly one program", said)
        self.releases.write_text("# none\n")
        self.release(archive(("../../escaped", b"x"), ("bin/agent-strace", PROGRAM), ("/tmp/escaped", b"x")))
        code, said, binary = self.install(**self.trusted)
        self.assertEqual(code, 0, said)
        self.assertEqual([path for path in self.root.rglob("*") if path.name == "escaped"], [])
        self.assertTrue(Path(binary).is_relative_to(self.root / "temp"))


class Builds(Case):
    def folder_with(self, **programs):
        """A search path with what the scripts need and stand-ins, and nothing else."""
        folder = self.root / "bin"
        folder.mkdir(exist_ok=True)
        for name in ("bash", "grep", "tail", "cut", "mkdir", "od", "tr", "cat", "awk", "chmod"):
            link = folder / name
            if not link.exists():
                link.symlink_to(tool(name))
        for name, text in programs.items():
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        return str(folder)

    def test_without_releases_the_action_builds_its_own_commit(self):
        (self.root / "workspace" / ".cargo").mkdir()
        cargo = ('#!/bin/bash\nset -e\necho "$PWD $*" >"$RUNNER_TEMP/called"\nmkdir -p "${@: -1}/release"\n'
                 'printf "#!/bin/sh\\n" >"${@: -1}/release/agent-strace"\nchmod +x "${@: -1}/release/agent-strace"\n')
        code, said, binary = self.install(path=self.folder_with(cargo=cargo))
        self.assertEqual(code, 0, said)
        called = (self.root / "temp" / "called").read_text()
        self.assertTrue(called.startswith(f"{self.action} build --release --locked"), called)
        self.assertTrue(Path(binary).is_relative_to(self.root / "temp"))

    def test_without_cargo_nothing_is_judged(self):
        code, said, binary = self.install(path=self.folder_with())
        self.assertEqual((code, binary), (2, None))
        self.assertIn("cargo is not there", said)

    def test_a_build_that_fails_is_an_error(self):
        code, said, _ = self.install(path=self.folder_with(cargo="#!/bin/sh\nexit 101\n"))
        self.assertEqual(code, 2)
        self.assertIn("can't be built", said)

    def test_a_version_is_never_built_from_other_source(self):
        code, said, _ = self.install(path=self.folder_with(cargo="#!/bin/sh\nexit 0\n"), AST_VERSION="1.2.3")
        self.assertEqual(code, 2)
        self.assertIn("not listed", said)

    def test_a_program_that_is_named_is_taken_as_it_is(self):
        program = self.root / "mine"
        program.write_bytes(PROGRAM)
        self.assertEqual(self.install(AST_BINARY=str(program))[0], 2)
        program.chmod(0o755)
        self.assertEqual(self.install(AST_BINARY=str(program))[2], str(program))
        self.assertEqual(self.install(AST_BINARY=str(self.root))[0], 2)


class Locking(Case):
    SUM = "ab" * 32

    def test_rows_are_added_and_never_changed(self):
        before = self.releases.read_text()
        checksums = (f"{self.SUM}  agent-strace-x86_64-unknown-linux-musl.tar.gz\n"
                     f"{self.SUM} *./agent-strace-aarch64-apple-darwin.tar.gz\n"
                     f"{self.SUM}  agent-strace-x86_64-pc-windows-msvc.zip\n"
                     f"{self.SUM}  sbom.cdx.json\n{self.SUM}  agent_strace-1.0.0-py3-none-any.whl\n")
        code, said = self.lock("1.0.0", "https://example.com/v1.0.0/", checksums)
        self.assertEqual(code, 0, said)
        text = self.releases.read_text()
        self.assertTrue(text.startswith(before))
        self.assertEqual(text[len(before):].splitlines()[0].split("\t"), [
            "1.0.0", "x86_64-unknown-linux-musl", self.SUM,
            "https://example.com/v1.0.0/agent-strace-x86_64-unknown-linux-musl.tar.gz"])
        self.assertEqual(len(text.splitlines()) - len(before.splitlines()), 3)
        code, said = self.lock("1.0.0", "https://example.com/again", checksums)
        self.assertEqual(code, 2)
        self.assertIn("listed already", said)
        self.assertEqual(self.releases.read_text(), text)

    def test_what_is_no_list_of_checksums_is_refused(self):
        before = self.releases.read_text()
        good = f"{self.SUM}  agent-strace-x86_64-unknown-linux-musl.tar.gz\n"
        for version, address, checksums in (
            ("latest", "https://example.com", good), ("1.0.0", "http://example.com", good),
            ("1.0.0", "https://example.com/a b", good), ("1.0.0", "https://example.com", ""),
            ("1.0.0", "https://example.com", "abc  agent-strace-x86_64-unknown-linux-musl.tar.gz\n"),
            ("1.0.0", "https://example.com", f"{self.SUM}  ../x86_64-unknown-linux-musl.tar.gz\n"),
            ("1.0.0", "https://example.com", f"{self.SUM}  other.tar.gz\n"),
            ("1.0.0", "https://example.com", good + f"{self.SUM}  b-x86_64-unknown-linux-musl.tar.gz\n"),
        ):
            with self.subTest(version=version, address=address, checksums=checksums):
                self.assertEqual(self.lock(version, address, checksums)[0], 2)
                self.assertEqual(self.releases.read_text(), before)

    def test_the_table_of_this_commit_is_well_formed(self):
        for line in (SCRIPTS / "releases.tsv").read_text().splitlines():
            if not line.startswith("#"):
                self.assertRegex(line, r"^\d+\.\d+\.\d+\S*\t[a-z0-9_-]+\t[0-9a-f]{64}\thttps://\S+$")


if __name__ == "__main__":
    unittest.main()
