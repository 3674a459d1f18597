"""The suite itself: its data fit together, and its rows fail where something is wrong."""

from __future__ import annotations

import contextlib
import io
import re
import unittest
from collections import Counter
from pathlib import Path

import matrix
from client import Client, Pin, Server, pinned
from mock.scenes import Scenes
from report import Known, Report
from rows import SCENARIOS
from rows.stage import Stage, apart

HERE = Path(__file__).parent
PIN = Pin("codex", "codex", "npm", "codex", "1.0")


class Data(unittest.TestCase):
    def test_every_client_has_words_for_every_scene(self) -> None:
        for pin in pinned():
            client = Client.load(pin.client)
            scenes = Scenes(HERE / "scenes", client.vocabulary(), {"root": "/w"})
            for name, steps in scenes.steps.items():
                for step in range(len(steps)):
                    for call in scenes.turn(name, step, "").calls:
                        self.assertNotRegex(str(call.input), r"\{\w+\}", f"{pin.name}: {call.place}")

    def test_settings_are_filled(self) -> None:
        values = {
            "root": "/w",
            "home": "/h",
            "play": "/p",
            "server": "http://127.0.0.1:1",
            "model": "m",
        }
        for pin in pinned():
            client = Client.load(pin.client)
            servers = [Server("filesystem", "node", ["a b", "/w"])] if client.mcp is not None else []
            for path, text in client.settings(values, servers).items():
                self.assertNotRegex(f"{path}\n{text}", r"\{(root|home|play|server|model|mcp|command|args)\}", pin.name)

    def test_what_is_known_names_rows_that_there_are(self) -> None:
        self.assertEqual(matrix.unknown(), [])

    def test_rows_are_named_after_their_scenario(self) -> None:
        for scenario in SCENARIOS:
            for row in scenario.rows:
                self.assertTrue(row.startswith(f"{scenario.name}/"), row)

    def test_versions_are_exact(self) -> None:
        for pin in pinned():
            self.assertRegex(pin.version, re.compile(r"^\d+\.\d+\.\d+$"))


class Rows(unittest.TestCase):
    def report(self, expected: dict[tuple[str, str], Known], problems: list[str]) -> tuple[int, str]:
        with contextlib.redirect_stdout(io.StringIO()) as said:
            report = Report(expected)
            report.row(PIN, "reading/calls", problems)
            report.row(PIN, "reading/cost", [])
            return report.end(), said.getvalue()

    def test_a_row_that_does_not_hold_fails(self) -> None:
        self.assertEqual(self.report({}, [])[0], 0)
        self.assertEqual(self.report({}, ["3, not 4"])[0], 1)

    def test_what_is_known_not_to_hold_must_not_hold(self) -> None:
        known = {("codex", "reading/calls"): Known("codex", "reading/calls", "it can't", "3, not 4")}
        self.assertEqual(self.report(known, ["3, not 4"])[0], 0)
        self.assertEqual(self.report(known, ["2, not 4"])[0], 1)
        code, said = self.report(known, [])
        self.assertEqual(code, 1)
        self.assertIn("take it out", said)

    def test_nothing_is_no_success(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(Report({}).end(), 1)
            missing = Report({})
            missing.row(PIN, "reading/calls", [])
            missing.installed(PIN, is_there=False)
            self.assertEqual(missing.end(), 1)

    def test_counts_that_differ_are_named(self) -> None:
        same = Counter({("Read", "ok"): 2})
        self.assertIsNone(apart(same, same))
        self.assertEqual(apart(Counter({("Read", "ok"): 1}), same), "1 Read ok missing")
        self.assertEqual(apart(same, Counter()), "2 more Read ok")

    def test_one_wrong_answer_is_enough(self) -> None:
        stage = Stage(HERE, PIN, Client.load("codex"), HERE, ["a"])
        stage.same("a", 1, 1)
        stage.same("a", 1, 2)
        self.assertEqual(stage.found["a"], ["1, not 2"])


if __name__ == "__main__":
    unittest.main()
