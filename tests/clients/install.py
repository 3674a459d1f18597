"""install.py WORKDIR NAME…: installs clients in their pinned versions, each into a folder of its own.

What was installed whole stays. Exit code 1: something did not install, and the suite reports it as not installed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from client import Package, beside, pinned


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


def install(wanted: Package, work: Path) -> bool:
    folder = wanted.installed(work)
    mark = folder / "is-complete"
    if mark.exists():
        return True
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        {"npm": npm, "pypi": pypi}[wanted.registry](folder, wanted.package, wanted.version)
    except subprocess.CalledProcessError as error:
        print(f"{wanted.package} {wanted.version} did not install: {error}", file=sys.stderr)
        return False
    mark.touch()
    return True


def main(work: Path, names: list[str]) -> int:
    wanted = [pin for pin in pinned() if pin.name in names]
    unknown = set(names) - {pin.name for pin in wanted}
    if unknown:
        sys.exit(f"error: no such client: {', '.join(sorted(unknown))}")
    packages = [Package(pin.registry, pin.package, pin.version) for pin in wanted] + [beside("filesystem")]
    if any(pin.node for pin in wanted):
        packages.append(beside("node"))
    return 0 if all([install(package, work) for package in packages]) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
