"""The action in a workflow, run by act: what steps with `uses`, conditions and outputs do there is not ours to say."""

import json
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import yaml

from runner import Broken, run
from test_recipes import REVIEWED, WIDER, shown, written
from test_scenarios import BINARY, SCENARIOS
from worlds import PROJECT, World, policy

COMMIT = "0123456789abcdef0123456789abcdef01234567"
STUBS = Path(__file__).resolve().parent / "stubs"
WORKFLOW = f"""
on: [pull_request, pull_request_target]
jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - id: gate
        continue-on-error: true
        uses: acme/agent-strace@{COMMIT}
        with:
          binary: {BINARY}
          token: token-of-the-job
          comment: "true"
      - env:
          OUTCOME: ${{{{ steps.gate.outcome }}}}
          CODE: ${{{{ steps.gate.outputs.exit-code }}}}
          VERDICT: ${{{{ steps.gate.outputs.verdict }}}}
        run: echo "the gate says [$OUTCOME $CODE $VERDICT]"
"""


def program():
    found = os.environ.get("AGENT_STRACE_ACT") or shutil.which("act")
    if not found:
        raise Broken("`act` is not installed; AGENT_STRACE_ACT names it")
    return found


def stubs(workflow):
    """Each action that ours and the workflow use, at the commit that it is pinned to, and what stands for it."""
    steps = yaml.safe_load((PROJECT / "action.yml").read_text())["runs"]["steps"]
    for job in yaml.safe_load(workflow)["jobs"].values():
        steps += [step for step in job["steps"] if "agent-strace@" not in step.get("uses", "")]
    for uses in [step["uses"] for step in steps if "uses" in step]:
        name, commit = uses.split("@")
        owner, repository, *_ = name.split("/")
        yield "--local-repository"
        yield f"{owner}/{repository}@{commit}={STUBS / repository}"


def with_program(workflow):
    """The workflow with the program that was built here."""
    pinned = workflow.replace("OWNER/agent-strace@COMMIT", f"acme/agent-strace@{COMMIT}")
    inputs = rf"\1\2binary: {BINARY}\n\2token: token-of-the-job\n\2"
    return re.sub(r"(uses: acme/agent-strace@.*\n +with:\n)( +)", inputs, pinned)


class Act(unittest.TestCase):
    def world(self, *commits):
        world = World()
        self.addCleanup(world.close)
        return world.pull(*commits, behind=1)

    def act(self, event, world, workflow=WORKFLOW, changes=None, code=0):
        folder = world.workspace("base" if event.endswith("target") else "merge")
        (folder / ".github" / "workflows").mkdir(parents=True, exist_ok=True)
        for file in (folder / ".github" / "workflows").iterdir():
            file.unlink()
        (folder / ".github" / "workflows" / "act.yml").write_text(workflow)
        contract = world.contract(event, changes)
        event_file = world.root / "event.json"
        event_file.write_text(json.dumps({"number": 7, **contract["event"]}))
        settings = world.root / "gitconfig"
        settings.write_text(f'[url "file://{world.origins}/"]\n\tinsteadOf = https://github.com/\n')
        # What an action is at a commit; act copies all of it.
        action = Path(tempfile.mkdtemp(dir=world.root))
        shutil.copytree(PROJECT / ".github" / "action", action / ".github" / "action")
        shutil.copy(PROJECT / "action.yml", action)
        # Its own folder for actions and caches: nothing of this machine.
        cache = Path(tempfile.mkdtemp(dir=world.root))
        ended, said = run(
            [program(), contract["github"]["event_name"], "-P", "ubuntu-latest=-self-hosted", "-e", str(event_file),
             "--container-daemon-socket", "-", "--action-cache-path", str(cache), "--no-cache-server",
             "--action-offline-mode",
             "--env", f"GIT_CONFIG_GLOBAL={settings}", "--env", "GITHUB_REPOSITORY=acme/rates",
             "--local-repository", f"acme/agent-strace@{COMMIT}={action}", *stubs(workflow)],
            folder, {**world.environment(), "XDG_CACHE_HOME": str(cache)})
        self.assertEqual(ended, code, said)
        return said

    def test_the_verdict_reaches_the_job(self):
        for event in ("pull-request", "pull-request-target"):
            for name, outcome in (("a clean one", "success 0 pass"), ("one that reads a secret", "failure 1 fail"),
                                  ("one that makes the policy a link", "failure 1 fail")):
                with self.subTest(event=event, name=name):
                    said = self.act(event, self.world(*SCENARIOS[name][0]))
                    self.assertEqual(re.findall(r"\| the gate says \[(.*)\]", said), [outcome], said)
                    self.assertIn("stub took the report", said)
                    self.assertIn("stub took the comment", said)

    def test_what_init_writes_judges_what_it_is_started_for(self):
        world = self.world(WIDER)
        for strength, event in (("visible", "pull-request"), ("enforced", "pull-request-target")):
            workflow = with_program(written(strength))
            for changes, code, said in (({"action": "opened"}, 1, "gate/tampering"),
                                        ({"action": "labeled", **REVIEWED}, 0, "reviewed: mona"),
                                        ({"action": "synchronize"}, 1, "gate/tampering")):
                with self.subTest(strength=strength, changes=changes):
                    log = self.act(event, world, workflow, changes, code)
                    self.assertIn(said, log)
                    self.assertIn("the stub took the artifact", log)

    def test_the_first_pull_request_ends_with_what_to_do(self):
        world = World()
        self.addCleanup(world.close)
        world.commit({"README.md": "# rates\n"}, "None yet", delete=[".agent-scope.json", ".github", ".agent-traces"])
        world.pull({"files": {".agent-scope.json": policy()}, "message": "A gate"})
        said = self.act("pull-request", world, with_program(written("visible")), {"action": "opened"}, 1)
        self.assertIn("people review it and merge it", said)
        self.assertNotIn("--allow-no-policy", said)

    def test_a_review_by_people_lets_a_change_to_what_judges_pass(self):
        """act lets the environment through, as its reviewers would."""
        said = self.act("pull-request-target", self.world(WIDER), with_program(shown("approved")), {"action": "opened"}, 1)
        ends = dict(re.findall(r"^\[[^/\]]*/([^\]]*?) *\] .*Job (succeeded|failed)", said, re.MULTILINE))
        self.assertEqual(ends, {"before a review": "failed", "a review": "succeeded", "agent-strace": "succeeded"}, said)
        self.assertIn("reviewed: the reviewers of gate-review", said)


if __name__ == "__main__":
    unittest.main()
