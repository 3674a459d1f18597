#!/usr/bin/env python3
"""Writes a git repository with a long history, for measuring how fast histories are read.

usage: generate.py FOLDER [COMMITS [MERGES]]

COMMITS (50,000 unless given) is how many there are in all; every MERGES-th of them is a merge (none unless given).
The tree has 2,000 files in 100 folders; a commit changes one to four of them, and one in fifty carries a trailer.
The same numbers always give the same repository.
"""

import random
import subprocess
import sys

FOLDERS, FILES = 100, 20


def main() -> None:
    folder = sys.argv[1]
    commits = int(sys.argv[2]) if len(sys.argv) > 2 else 50_000
    merges = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", folder], check=True)
    with subprocess.Popen(["git", "-C", folder, "fast-import", "--quiet"], stdin=subprocess.PIPE) as importer:
        write(importer.stdin, random.Random(1), commits, merges)
    if importer.returncode != 0:
        sys.exit("git fast-import failed")
    subprocess.run(["git", "-C", folder, "repack", "-adfq", "--depth=50", "--window=10"], check=True)


def write(out, chance, commits, merges) -> None:
    side = None
    for number in range(1, commits + 1):
        merge = merges and number % merges == 0 and side
        branch = "side" if merges and number % merges == merges // 2 else "main"
        trailer = "\n\nCo-authored-by: Agent <agent@example.com>" if chance.random() < 0.02 else ""
        body = " ".join(chance.choice(WORDS) for _ in range(chance.randrange(5, 60)))
        message = f"Change {number}\n\n{body}{trailer}\n".encode()
        seconds = 1_500_000_000 + number * 600
        out.write(f"commit refs/heads/{branch}\nmark :{number}\n".encode())
        out.write(f"author Somebody <somebody@example.com> {seconds} +0000\n".encode())
        out.write(f"committer Somebody <somebody@example.com> {seconds} +0000\n".encode())
        out.write(b"data %d\n%s\n" % (len(message), message))
        if branch == "side":
            out.write(f"from :{number - 1}\n".encode())
            side = number
        elif number > 1:
            # The commit after one of the side branch goes on where `main` stood before it.
            out.write(f"from :{number - 2 if side == number - 1 else number - 1}\n".encode())
        if merge:
            out.write(f"merge :{side}\n".encode())
        for _ in range(chance.randrange(1, 5)):
            path = f"folder{chance.randrange(FOLDERS)}/file{chance.randrange(FILES)}.txt"
            content = f"{number} {chance.random()}\n" + "line\n" * chance.randrange(20)
            out.write(f"M 100644 inline {path}\ndata {len(content)}\n{content}\n".encode())


WORDS = "the a parser reads history of commits and files in one walk so that nothing is left out".split()

if __name__ == "__main__":
    main()
