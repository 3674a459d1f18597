#!/usr/bin/env python3
"""Counts what real logs hold, without the program: one JSON object a file, with the texts of commands that were run and
the paths that tools for files were asked to write.

usage: count.py CORPUS    (a folder with corpus_stats.py and logs)
"""
import json
import os
import re
import sys

WRITES = {
    "write", "edit", "multiedit", "notebookedit", "create", "write_file", "edit_file", "replace", "str_replace",
    "strreplace", "create_file", "fs_write", "delete",
}
PATHS = ("file_path", "filePath", "path", "notebook_path", "absolute_path")
# What SWE-agent's own tools are called: no shell runs them.
OWN = {
    "edit", "open", "goto", "create", "submit", "insert", "str_replace_editor", "search_file", "search_dir", "find_file",
    "scroll_up", "scroll_down", "exit_cost", "exit", "skip", "connect_start", "connect_sendline", "connect_exec",
    "view_image", "filemap", "set_cursors", "decompile", "disassemble",
}
PATCHES = {"apply_patch", "applypatch"}
HEADER = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.M)


def written(tool, arguments):
    """Paths one call was asked to write."""
    name = (tool or "").split(":")[-1].split(".")[-1].lower()
    if name in PATCHES:
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        return HEADER.findall(text.replace("\\n", "\n") if not isinstance(arguments, str) else text)
    if name in WRITES and isinstance(arguments, dict):
        if name == "fs_write" and arguments.get("command") == "view":
            return []
        return [arguments[key] for key in PATHS if isinstance(arguments.get(key), str)][:1]
    return []


def main():
    corpus = sys.argv[1]
    sys.path.insert(0, corpus)
    sys.dont_write_bytecode = True
    import corpus_stats

    for folder in sorted(os.listdir(corpus)):
        path = os.path.join(corpus, folder)
        if not os.path.isdir(path):
            continue
        for name in sorted(os.listdir(path)):
            if name.endswith((".md", ".txt", ".db")):
                continue
            with open(os.path.join(path, name), "rb") as file:
                text = file.read().decode("utf-8", "replace")
            objects, _ = corpus_stats.objects(text)
            kind, extract = corpus_stats.detect(objects, text)
            commands, paths = [], set()
            for _, _, tool, arguments, command, _ in extract(objects):
                if command is not None and not (kind == "swe-agent" and command.split()[0] in OWN):
                    commands.append(command)
                paths.update(written(tool, arguments))
            print(json.dumps({"file": f"{folder}/{name}", "commands": commands, "written": sorted(paths)}))


if __name__ == "__main__":
    main()
