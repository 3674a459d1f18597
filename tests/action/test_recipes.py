"""The workflows that `init` writes and that the README shows: which change to what judges passes, and in which run."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml

import expressions
from runner import Broken
from test_scenarios import BINARY, READS
from worlds import PROJECT, World, policy, session

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REVIEWED = {"label": {"name": "gate-reviewed"}, "sender": {"login": "mona"}}
STAYS = {"labels": [{"name": "gate-reviewed"}]}
WIDER = {"files": {".agent-scope.json": policy(network={"deny_all": True, "allow": ["docs.example.com"]})}, "message": "Docs"}
# How a run starts: the action of its event with what the event says, the exit code, and what stands in the log.
RUNS = (
    ({"action": "opened"}, 1, "gate/tampering"),
    ({"action": "labeled", **REVIEWED}, 0, "reviewed: mona"),
    # The label stays on the pull request, and says nothing about what is pushed or edited later.
    ({"action": "synchronize"}, 1, "gate/tampering"),
    ({"action": "edited", "sender": {"login": "mona"}}, 1, "gate/tampering"),
    ({"action": "labeled", "label": {"name": "bug"}, "sender": {"login": "mallory"}}, 1, "gate/tampering"),
    ({"action": "labeled", "label": {"name": "not-gate-reviewed"}, "sender": {"login": "mallory"}}, 1, "gate/tampering"),
    ({"action": "unlabeled", **REVIEWED}, 1, "gate/tampering"),
)


def written(strength):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "gate.yml"
        subprocess.run([str(BINARY), "init", "--ci", "github", "--action", f"acme/agent-strace@{COMMIT}", "--strength",
                        strength, "--output", str(file)], check=True, capture_output=True, cwd=folder)
        return file.read_text()


def shown(name):
    text = (PROJECT / "README.md").read_text()
    return re.search(rf"<!-- workflow {name}: .*? -->\n```yaml\n(.*?)```", text, re.DOTALL).group(1)


class Recipe:
    def __init__(self, text):
        # YAML takes the word `on` for true.
        self.document = {"on" if key is True else key: value for key, value in yaml.safe_load(text).items()}
        steps = [step for job in self.document["jobs"].values() for step in job["steps"]]
        self.inputs = [step for step in steps if "agent-strace@" in step.get("uses", "")][-1]["with"]

    def event(self):
        [name] = [name for name in self.document["on"] if name.startswith("pull_request")]
        return name

    def given(self, contract):
        github = {**contract["github"], "event": contract["event"]}
        return {name: expressions.text(str(value), {"github": github}) for name, value in self.inputs.items()}


class Recipes(unittest.TestCase):
    def setUp(self):
        if not BINARY.is_file():
            raise Broken(f"`{BINARY}` is not there: `cargo build --locked` makes it")

    def world(self, *commits):
        world = World()
        self.addCleanup(world.close)
        return world.pull(*commits, behind=1)

    def act(self, world, recipe, fixture, changes=None):
        inputs = recipe.given(world.contract(fixture, changes))
        return world.run(fixture, {**inputs, "binary": str(BINARY)}, workspace="none", changes=changes)

    def test_every_recipe_is_started_by_whatever_gives_a_change_another_head_or_base(self):
        for text in (written("visible"), written("reviewed"), written("enforced"), shown("visible"), shown("enforced"),
                     shown("approved"), shown("agent")):
            recipe = Recipe(text)
            settings = recipe.document["on"][recipe.event()]
            self.assertEqual(settings["branches"], ["main"])
            wanted = {"opened", "synchronize", "reopened", "edited"}
            if "label" in str(recipe.inputs):
                wanted |= {"labeled", "unlabeled"}
            self.assertEqual(set(settings["types"]), wanted)

    def test_a_review_counts_for_the_commit_that_was_labelled(self):
        world = self.world(WIDER)
        for text in (written("visible"), written("reviewed"), written("enforced"), shown("enforced")):
            recipe = Recipe(text)
            fixture = recipe.event().replace("_", "-")
            for changes, code, said in RUNS:
                request = {**world.contract(fixture)["event"]["pull_request"], **STAYS}
                with self.subTest(fixture=fixture, changes=changes):
                    result = self.act(world, recipe, fixture, {**changes, "pull_request": request})
                    self.assertEqual(result.code, code, result.log)
                    self.assertIn(said, result.log)
            queued = self.act(world, recipe, "merge-group")
            self.assertEqual(queued.code, 0, queued.log)

    def test_a_review_of_what_judges_forgives_nothing_else(self):
        world = self.world({"files": {**WIDER["files"], **session("bad00000", [READS])}, "message": "Both"})
        recipe = Recipe(written("enforced"))
        for fixture, changes in (("pull-request-target", {"action": "labeled", **REVIEWED}), ("merge-group", {})):
            result = self.act(world, recipe, fixture, changes)
            self.assertEqual(result.code, 1, result.log)
            self.assertIn("scope/read", result.log)

    def test_a_recipe_for_another_branch_names_it(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([str(BINARY), "init", "--ci", "github", "--action", f"acme/agent-strace@{COMMIT}", "--branch",
                            "release/1.x", "--output", "gate.yml"], check=True, capture_output=True, cwd=folder)
            recipe = Recipe((Path(folder) / "gate.yml").read_text())
        self.assertEqual(recipe.inputs["base-branches"], "release/1.x")
        self.assertEqual(recipe.document["on"]["pull_request"]["branches"], ["release/1.x"])


if __name__ == "__main__":
    unittest.main()
