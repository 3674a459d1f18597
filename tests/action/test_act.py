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
from test_scenarios import BINARY, SCENARIOS
from worlds import EVENTS, PROJECT, World

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


def stubs():
    """Each action that ours uses, at the commit that it is pinned to, and what stands for it."""
    steps = yaml.safe_load((PROJECT / "action.yml").read_text())["runs"]["steps"]
    for uses in [step["uses"] for step in steps if "uses" in step]:
        name, commit = uses.split("@")
        owner, repository, *_ = name.split("/")
        yield "--local-repository"
        yield f"{owner}/{repository}@{commit}={STUBS / repository}"


class Act(unittest.TestCase):
    def act(self, event, commits):
        world = World()
        self.addCleanup(world.close)
        world.pull(*commits, behind=1)
        folder = world.workspace("base" if event.endswith("target") else "merge")
        (folder / ".github" / "workflows").mkdir(parents=True, exist_ok=True)
        for file in (folder / ".github" / "workflows").iterdir():
            file.unlink()
        (folder / ".github" / "workflows" / "act.yml").write_text(WORKFLOW)
        text = (EVENTS / f"{event}.json").read_text()
        for name, value in world.commits.items():
            text = text.replace(f"${name}", value)
        contract = json.loads(text)
        event_file = world.root / "event.json"
        event_file.write_text(json.dumps({"number": 7, **contract["event"]}))
        settings = world.root / "gitconfig"
        settings.write_text(f'[url "file://{world.origins}/"]\n\tinsteadOf = https://github.com/\n')
        # What an action is at a commit; act copies all of it.
        action = world.root / "action"
        shutil.copytree(PROJECT / ".github" / "action", action / ".github" / "action")
        shutil.copy(PROJECT / "action.yml", action)
        # Its own folder for actions and caches: nothing of this machine.
        cache = Path(tempfile.mkdtemp(dir=world.root))
        code, said = run(
            [program(), contract["github"]["event_name"], "-P", "ubuntu-latest=-self-hosted", "-e", str(event_file),
             "--container-daemon-socket", "-", "--action-cache-path", str(cache), "--no-cache-server",
             "--action-offline-mode",
             "--env", f"GIT_CONFIG_GLOBAL={settings}", "--env", "GITHUB_REPOSITORY=acme/rates",
             "--local-repository", f"acme/agent-strace@{COMMIT}={action}", *stubs()],
            folder, {**world.environment(), "XDG_CACHE_HOME": str(cache)})
        self.assertEqual(code, 0, said)
        return said

    def test_the_verdict_reaches_the_job(self):
        for event in ("pull-request", "pull-request-target"):
            for name, outcome in (("a clean one", "success 0 pass"), ("one that reads a secret", "failure 1 fail"),
                                  ("one that makes the policy a link", "failure 1 fail")):
                with self.subTest(event=event, name=name):
                    said = self.act(event, SCENARIOS[name][0])
                    self.assertEqual(re.findall(r"\| the gate says \[(.*)\]", said), [outcome], said)
                    self.assertIn("stub took the report", said)
                    self.assertIn("stub took the comment", said)


if __name__ == "__main__":
    unittest.main()
