#!/usr/bin/env python3
"""Write the names of all options of the programs that the knowledge base lists.

    generate.py [--man DIR]… [--help-of]

For each program of the families the manual pages NAME and NAME-SUBCOMMAND are looked up below the folders given with `--man`
(by default those of this machine), rendered with mandoc, and searched for options. `--help-of` also asks the programs in
HELP for their help, where they are installed; no other program is run. The result replaces `options.tsv`:

    NAME[ SUBCOMMAND]<TAB>options, sorted, separated by blanks

and, from what `git SUBCOMMAND -h` and `--help-all` print, `git_options.tsv`: `=` behind an option says that it takes its value as the
next word, `?` that its value is only ever attached.

The tables say which options exist. What the value of an option is for is written by hand, in the families' files.
"""

import argparse
import collections
import glob
import json
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
KNOWLEDGE = os.path.join(HERE, "..", "src", "command", "knowledge")

# Programs whose plugins add options: no page lists them all.
OPEN = {"protoc", "pytest", "py.test"}

# Names under which manual pages describe another program than the knowledge base does.
HOMONYMS = {"bat", "beads", "drone", "forge", "fq", "gpt", "grok", "odin", "slim", "tea", "vite", "zap"}

# Programs whose help lists all options, and how to ask for it.
HELP = {
    "curl": ["curl", "--help", "all"],
    "wget": ["wget", "--help"],
    "jq": ["jq", "--help"],
    "rsync": ["rsync", "--help"],
    "rg": ["rg", "--help"],
    "node": ["node", "--help"],
    "cargo": ["cargo", "--help"],
    "rustc": ["rustc", "--help", "-v"],
    "gpg": ["gpg", "--dump-options"],
}
HELP_OF_SUBCOMMANDS = {
    "npm": (["npm", "{}", "--help"], "install ci run test exec publish pack view config audit outdated update uninstall init link ls"),
    "cargo": (["cargo", "{}", "--help"], "build check clippy test run bench doc fmt add remove update install uninstall publish fetch tree metadata clean new init search vendor"),
    "pip": (["pip", "{}", "--help"], "install download uninstall freeze list show check config search cache wheel hash debug"),
    "docker": (["docker", "{}", "--help"], "run exec build pull push create start stop rm rmi cp commit export import load save images ps logs inspect tag login logout kill attach diff events history info port rename restart stats top update wait"),
    "kubectl": (["kubectl", "{}", "--help"], "apply get describe create delete logs exec cp edit patch replace rollout scale label annotate expose run attach port-forward proxy diff kustomize wait explain"),
    "gh": (["gh", "{}", "--help"], "api browse"),
    "go": (["go", "help", "{}"], "build test run get install mod list vet fmt generate clean env"),
}
GIT = """add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout checkout-index cherry
    cherry-pick clean clone column commit commit-graph commit-tree config count-objects describe diff diff-files diff-index
    diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch for-each-ref for-each-repo format-patch fsck gc
    grep hash-object help index-pack init interpret-trailers log ls-files ls-remote ls-tree mailinfo maintenance merge
    merge-base merge-file merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects pack-refs prune pull
    push range-diff read-tree rebase reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm
    send-email send-pack shortlog show show-branch show-index show-ref sparse-checkout stash status stripspace submodule subtree
    svn switch symbolic-ref tag unpack-objects update-index update-ref var verify-commit verify-pack verify-tag whatchanged
    worktree write-tree""".split()
GIT_NESTED = {
    "stash": "push save pop apply drop list show branch clear create store",
    "worktree": "add list lock move prune remove repair unlock",
    "remote": "add rename remove set-head set-branches get-url set-url show prune update",
    "submodule": "add status init deinit update set-branch set-url summary foreach sync absorbgitdirs",
    "notes": "list add copy append edit show merge remove prune get-ref",
    "bundle": "create verify list-heads unbundle",
    "bisect": "start bad good terms skip next reset visualize replay log run",
    "reflog": "show expire delete exists list",
    "sparse-checkout": "list init set add reapply disable check-rules",
    "config": "list get set unset rename-section remove-section edit",
    "maintenance": "run start stop register unregister",
    "commit-graph": "write verify",
}

LONG = re.compile(r"(?<![\w-])--(\[no-?\])?([A-Za-z0-9][\w.-]*)")
SHORT = re.compile(r"(?<![\w/.-])([-+])([A-Za-z0-9?@#%.:!])(?![\w-])")
CLUSTER = re.compile(r"\[-([A-Za-z0-9]{2,})\]")
WORD = re.compile(r"^\s*(-[A-Za-z][\w.:-]+)")


def run(argv):
    """What a program prints, or nothing."""
    env = dict(os.environ, LC_ALL="C.UTF-8", COLUMNS="200", PAGER="cat", MANPAGER="cat", NO_COLOR="1", GIT_PAGER="cat")
    try:
        done = subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=60, env=env, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def entries():
    """Name → its entry, for each program of the families."""
    found = {}
    for family in sorted(glob.glob(os.path.join(KNOWLEDGE, "*.json"))):
        with open(family, encoding="utf-8") as file:
            for entry in json.load(file):
                found.update((name, entry) for name in entry["names"].split())
    return found


def subcommand(known, page):
    """`NAME SUB` for the page NAME-SUB, where the entry of NAME lists SUB."""
    for at, letter in enumerate(page):
        name, sub = page[:at], page[at + 1 :]
        listed = [one for entry in known.get(name, {}).get("subcommands", []) for one in entry["names"].split()]
        if letter == "-" and sub in listed:
            return f"{name} {sub}"
    return None


def options(text, words):
    """The options that a page or a help text names. `words`: options are whole words behind one dash."""
    text = re.sub(r".\x08", "", text).replace("‐", "-").replace("−", "-").replace("–", "-")
    found = set()
    for negated, name in LONG.findall(text):
        name = name.rstrip(".-")
        found.add("--" + name)
        if negated:
            found.add("--no-" + name)
    found.update(sign + letter for sign, letter in SHORT.findall(text))
    for letters in CLUSTER.findall(text):
        found.update("-" + letter for letter in letters)
    for line in text.splitlines() if words else []:
        found.update(WORD.findall(line)[:1])
    return {option for option in found if len(option) <= 48}


def pages(folders):
    """Page name → its file."""
    found = {}
    for folder in folders:
        for section in ("man1", "man8", "man6"):
            directory = os.path.join(folder, section)
            for file in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
                name = re.sub(r"\.[168][a-z]*(\.gz)?$", "", file)
                found.setdefault(name, os.path.join(directory, file))
    return found


def git_options(words):
    """Option → "", "=" or "?", from the usage of a subcommand: the whole one has options that `-h` keeps to itself."""
    return {**usage(run(["git", *words, "-h"])), **usage(run(["git", *words, "--help-all"]))}


def usage(text):
    found = {}
    for line in text.splitlines():
        match = re.match(r"^    (-.*)$", line)
        if not match:
            continue
        head = re.split(r"\s{2,}", match.group(1))[0]
        value = ""
        if re.search(r"\[=|\w\[<", head.replace("[no-]", "")):
            value = "?"
        elif re.search(r"[ =][<(\[]|\w<|\.\.\.", head.replace("[no-]", "")):
            value = "="
        for part in head.split(","):
            name = re.match(r"\s*(--?)(\[no-\])?([\w-]+)", part)
            if not name:
                continue
            dashes, negated, rest = name.groups()
            found[dashes + rest] = value
            if negated or dashes == "--" and not rest.startswith("no-"):
                found.setdefault("--no-" + rest, "")
    return found


def git_table():
    table = {}
    for sub in GIT:
        table[sub] = git_options([sub])
        for nested in GIT_NESTED.get(sub, "").split():
            table[f"{sub} {nested}"] = git_options([sub, nested])
    return {key: value for key, value in table.items() if value}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--man", action="append", metavar="DIR")
    parser.add_argument("--help-of", action="store_true")
    given = parser.parse_args()
    folders = given.man or run(["manpath", "-q"]).strip().split(":")
    known = entries()
    table = collections.defaultdict(set)
    for page, path in sorted(pages(folders).items()):
        key = page if page in known else subcommand(known, page)
        if key is None or key.split()[0] in {"git", *OPEN, *HOMONYMS}:
            continue
        words = known[key.split()[0]].get("words", False)
        table[key] |= options(run(["mandoc", "-T", "utf8", "-O", "width=200", path]), words)
    if given.help_of:
        for name, argv in HELP.items():
            table[name] |= options(run(argv), False)
        for name, (argv, subs) in HELP_OF_SUBCOMMANDS.items():
            for sub in subs.split():
                table[f"{name} {sub}"] |= options(run([sub if part == "{}" else part for part in argv]), False)
    write("options.tsv", {key: sorted(found) for key, found in table.items() if len(found) >= 2})
    write("git_options.tsv", {key: sorted(name + value for name, value in found.items()) for key, found in git_table().items()})


def write(name, table):
    with open(os.path.join(KNOWLEDGE, name), "w", encoding="utf-8") as file:
        for key in sorted(table, key=lambda key: key.encode()):
            file.write(f"{key}\t{' '.join(table[key])}\n")


if __name__ == "__main__":
    main()
