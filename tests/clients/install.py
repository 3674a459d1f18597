"""install.py WORKDIR NAME…: installs clients in their pinned versions, each into a folder of its own.

What is there is what was asked for, or it is made anew. Exit code 1: something did not install, and the suite reports
it as not installed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from client import pinned, pins


def npm(folder: Path, package: str, version: str) -> None:
    (folder / "package.json").write_text(json.dumps({"private": True}))
    subprocess.run(
        [
            "npm",
            "install",
            "--silent",
            "--no-audit",
            "--no-fund",
            "--no-package-lock",
            "--prefix",
            str(folder),
            f"{package}@{version}",
        ],
        check=True,
    )


def pypi(folder: Path, package: str, version: str) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    pip = folder / "venv/bin/pip"
    subprocess.run([str(pip), "install", "-q", "--disable-pip-version-check", f"{package}=={version}"], check=True)


def install(folder: Path, registry: str, package: str, version: str) -> bool:
    wanted, mark = f"{package} {version}", folder / "installed"
    if mark.exists() and mark.read_text() == wanted:
        return True
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        {"npm": npm, "pypi": pypi}[registry](folder, package, version)
    except subprocess.CalledProcessError as error:
        print(f"{wanted} did not install: {error}", file=sys.stderr)
        return False
    mark.write_text(wanted)
    return True


def main(work: Path, names: list[str]) -> int:
    wanted = [pin for pin in pinned() if pin.name in names]
    unknown = set(names) - {pin.name for pin in wanted}
    if unknown:
        sys.exit(f"error: no such client: {', '.join(sorted(unknown))}")
    tools = pins()
    shared = ["filesystem"] + (["node"] if any(pin.node for pin in wanted) else [])
    done = [
        install(work / "installed" / name, tools[name]["registry"], tools[name]["package"], tools[name]["version"])
        for name in shared
    ]
    done += [install(work / "installed" / pin.name, pin.registry, pin.package, pin.version) for pin in wanted]
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
