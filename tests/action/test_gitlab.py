"""The jobs that `init --ci gitlab` writes, in pipelines of merge requests that own the folder in which they run."""

import hashlib
import json
import os
import subprocess
import tarfile
import unittest
from pathlib import Path

from gitlab import Pipeline
from runner import Broken
from test_scenarios import BINARY, GOOD, READS
from worlds import TOKEN, Server, World, policy, session

BAD = {**GOOD, **session("bad00000", [READS])}
FILES = ["gate.html", "gate.json", "gate.sarif", "gl-code-quality.json", "junit.xml"]
VERDICT, REPORT = "agent-strace", "agent-strace-report"
NOWHERE = "/proc/self/oom_score_adj"
# What a job of the change does before: it says what it likes by every way that one job reaches another one.
FORGERY = """
forgery:
  stage: build
  variables: {GIT_STRATEGY: none}
  script:
    - rm -rf agent-strace && mkdir agent-strace && echo 0 >agent-strace/exit-code
    - echo '{}' >agent-strace/gate.json && ln -s /proc/self/environ agent-strace/gate.sarif
    - printf '#!/bin/sh\\nexit 0\\n' >agent-strace/agent-strace && chmod +x agent-strace/agent-strace
    - printf 'PATH=%s:%s\\nGIT_DIR=%s\\nBASH_ENV=%s\\n' "$PWD/agent-strace" "$PATH" "$PWD/.git" "$PWD/start" >forged.env
  artifacts:
    paths: [agent-strace/]
    reports: {dotenv: forged.env}
"""


def link(path, target):
    def make(project):
        file = project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(target)
    return make


def fifo(project):
    (project / "agent-strace").mkdir()
    os.mkfifo(project / "agent-strace" / "exit-code")


def forged(project):
    (project / "agent-strace").mkdir()
    for name in FILES:
        (project / "agent-strace" / name).write_text("{}\n")


def hooks(project):
    """A repository that runs something whenever git is called in it."""
    trap = f"touch {project.parent / 'trap'}"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        file = project / ".git" / "hooks" / hook
        file.write_text(f"#!/bin/sh\n{trap}\n")
        file.chmod(0o755)
    with (project / ".git" / "config").open("a") as config:
        config.write(f'[core]\n\tfsmonitor = "{trap}"\n\tsshCommand = "{trap}"\n[filter "x"]\n\tsmudge = "{trap}"\n')


# What the folder of the project holds before the jobs begin.
FOLDERS = {
    "nothing": lambda project: None,
    "a link to a file of the kernel": link("agent-strace/exit-code", NOWHERE),
    "a link in the place of the folder": link("agent-strace", "/proc/self"),
    "a link to another folder": link("agent-strace", "../victim"),
    "a link that leads nowhere": link("agent-strace", "../gone"),
    "a link to a file": link("agent-strace", "../victim/file"),
    "a link to itself": link("agent-strace", "agent-strace"),
    "a report that is a link": link("agent-strace/gate.json", "../../victim/file"),
    "a folder where a report is to be": link("agent-strace/gate.json/x", "../../../victim/file"),
    "nested links": link("agent-strace/reports/deep", "../../../victim"),
    "a pipe": fifo,
    "hooks and filters": hooks,
    "a file": lambda project: (project / "agent-strace").write_text("0\n"),
}
# The variables by which a pipeline differs from one for the commit of the author.
KINDS = {
    "detached": {"CI_MERGE_REQUEST_EVENT_TYPE": "detached"},
    "merged results": {"CI_MERGE_REQUEST_EVENT_TYPE": "merged_result", "CI_COMMIT_SHA": "$MERGE",
                       "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "$HEAD", "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "$BASE"},
    # Behind another merge request, whose commit is not on the branch yet.
    "merge train": {"CI_MERGE_REQUEST_EVENT_TYPE": "merge_train", "CI_COMMIT_SHA": "$MERGE",
                    "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "$HEAD", "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "$BEFORE"},
    "of a fork, in the target project": {"CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "2"},
}


class GitLab(unittest.TestCase):
    def setUp(self):
        if not BINARY.is_file():
            raise Broken(f"`{BINARY}` is not there: `cargo build --locked` makes it")

    def world(self, files, policy_text=None):
        world = World()
        self.addCleanup(world.close)
        world.helper()
        world.pull({"files": files, "message": "Two"}, behind=1)
        world.git("checkout", "-q", "--detach", "main", folder=world.origin)
        world.commit({"docs/before.md": "before\n"}, "A merge request before this one")
        world.commits["BEFORE"] = world.head()
        world.git("update-ref", "refs/merge-requests/6/train", world.commits["BEFORE"], folder=world.origin)
        world.git("checkout", "-q", "main", folder=world.origin)
        self.serve(world)
        return world

    def serve(self, world):
        """A server, programs in the place of those that would reach the network, and the archive of a release."""
        world.gitlab = Server(world.origins, TOKEN, user="gitlab-ci-token")
        self.addCleanup(world.gitlab.close)
        folder = world.root / "tools"
        folder.mkdir()
        program, archive = world.root / "agent-strace", world.root / "release.tar.gz"
        program.write_text(f'#!/bin/sh\nexec {BINARY} "$@"\n')
        program.chmod(0o755)
        with tarfile.open(archive, "w:gz") as file:
            file.add(program, "agent-strace-1.2.3/agent-strace")
        curl = f'#!/bin/sh\nwhile [ $# -gt 0 ]; do [ "$1" = --output ] && cp {archive} "$2"; shift; done\n'
        for name, text in (("curl", curl), ("apt-get", "#!/bin/sh\nexit 0\n")):
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        world.release = hashlib.sha256(archive.read_bytes()).hexdigest()

    def pipeline(self, world, kind="detached", fill=lambda project: None, more=(), options="", **others):
        place = world.root / f"builds-{len(list(world.root.glob('builds-*')))}"
        project, victim = place / "project", place / "victim"
        victim.mkdir(parents=True)
        (victim / "file").write_text("kept\n")
        project.mkdir()
        fill(project)
        (project / "start").write_text(f"touch {place / 'trap'}\n")
        written = place / "written.yml"
        subprocess.run([str(BINARY), "init", "--ci", "gitlab", "--output", str(written)], check=True, capture_output=True,
                       cwd=place)
        address = world.gitlab.url.replace("http://", f"http://gitlab-ci-token:{TOKEN}@")
        variables = {
            "CI_PIPELINE_SOURCE": "merge_request_event", "CI_COMMIT_SHA": "$HEAD", "CI_DEFAULT_BRANCH": "main",
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "CI_MERGE_REQUEST_DIFF_BASE_SHA": "$OLD_BASE",
            "CI_MERGE_REQUEST_PROJECT_ID": "1", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "1", "CI_PROJECT_ID": "1",
            "CI_REPOSITORY_URL": f"{address}/acme/rates", "AGENT_STRACE_URL": "https://example.com/release.tar.gz",
            "AGENT_STRACE_SHA256": world.release, **KINDS[kind], **others,
        }
        variables = {name: world.commits.get(value[1:], value) if value.startswith("$") else value
                     for name, value in variables.items()}
        environment = {**world.environment(), "PATH": f"{world.root / 'tools'}:{os.environ['PATH']}"}
        text = written.read_text().replace("--policy-ref=auto", f"--policy-ref=auto {options}".rstrip())
        jobs = Pipeline([text, *more], variables, project, environment).run()
        self.assertEqual((victim / "file").read_text(), "kept\n")
        self.assertEqual(sorted(file.name for file in victim.iterdir()), ["file"])
        self.assertFalse((place / "trap").exists(), "something of the change was run")
        for job in jobs.values():
            self.assertNotIn(TOKEN, job.log)
        return jobs

    def codes(self, jobs):
        return jobs[REPORT].code, jobs[VERDICT].code

    def test_each_pipeline_of_a_merge_request_has_its_verdict_and_its_reports(self):
        for files, code in ((BAD, 1), (GOOD, 0)):
            world = self.world(files)
            for kind in KINDS:
                with self.subTest(kind=kind, code=code):
                    jobs = self.pipeline(world, kind)
                    self.assertEqual(self.codes(jobs), (0, code), jobs[VERDICT].log)
                    self.assertEqual(set(jobs[REPORT].reports), {"codequality", "junit", "sarif"}, jobs[REPORT].log)
                    results = json.loads(jobs[REPORT].reports["sarif"])["runs"][0]["results"]
                    self.assertEqual(any(result["level"] == "error" for result in results), code == 1)

    def test_nothing_in_the_folder_of_the_project_has_a_say(self):
        world = self.world(BAD)
        for name, fill in FOLDERS.items():
            for more in ((), (FORGERY,)):
                with self.subTest(name=name, forged=bool(more)):
                    jobs = self.pipeline(world, fill=fill, more=more)
                    self.assertEqual(jobs[VERDICT].code, 1, jobs[VERDICT].log)
                    self.assertEqual(jobs[REPORT].code, 0, jobs[REPORT].log)
                    self.assertIn("scope/read", jobs[REPORT].reports["sarif"].decode())
                    self.assertEqual(jobs[REPORT].names, [f"agent-strace/{name}" for name in FILES])

    def test_what_a_commit_brings_has_no_say_either(self):
        files = {**BAD, ".gitattributes": "* filter=x\n", ".gitmodules": '[submodule "a"]\n\tpath = a\n\turl = ../x\n',
                 ".agent-scope.json": policy(files={}), "agent-strace/exit-code": "0\n"}
        world = self.world(files)
        jobs = self.pipeline(world)
        self.assertEqual(self.codes(jobs), (0, 1), jobs[VERDICT].log)
        self.assertIn("gate/tampering", jobs[VERDICT].log)

    def test_what_can_not_be_judged_is_no_pass(self):
        world = self.world(GOOD)
        for others, said in (
            ({"CI_PROJECT_ID": "2", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "2"}, "runs in the fork (project 2)"),
            ({"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "helper"}, "`helper` may not judge"),
            ({"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "gone"}, "target branch can't be fetched"),
            ({"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": ""}, "target branch can't be fetched"),
            ({"CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "$BEFORE", "CI_COMMIT_SHA": "$BEFORE"}, "names a later commit"),
            ({"CI_COMMIT_SHA": "0" * 40}, "can't be fetched"),
            ({"CI_REPOSITORY_URL": ""}, "`main` is not here"),
            ({"AGENT_STRACE_SHA256": "0" * 64}, "another SHA-256"),
            ({"AGENT_STRACE_URL": ""}, "AGENT_STRACE_URL"),
            ({"CI_DEFAULT_BRANCH": ""}, "`main` may not judge"),
        ):
            with self.subTest(others=others):
                jobs = self.pipeline(world, fill=forged, **others)
                self.assertEqual(jobs[VERDICT].code, 2, jobs[VERDICT].log)
                self.assertIn(said, jobs[VERDICT].log)
                self.assertEqual((jobs[REPORT].names, jobs[REPORT].reports), ([], {}))

    def test_a_backport_to_a_named_branch_is_explained_by_the_default_branch(self):
        target = {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "release/1", "options": "--base-branch=release/1"}
        for others, code in (({}, 0), ({"CI_DEFAULT_BRANCH": "gone"}, 1)):
            with self.subTest(others=others):
                world = World()
                self.addCleanup(world.close)
                world.backport(GOOD)
                self.serve(world)
                jobs = self.pipeline(world, **target, **others)
                self.assertEqual(self.codes(jobs), (0, code), jobs[VERDICT].log)
                self.assertEqual("coverage/no-session" in jobs[VERDICT].log, code == 1, jobs[VERDICT].log)

    def test_other_pipelines_have_no_job(self):
        self.assertEqual(self.pipeline(self.world(GOOD), CI_PIPELINE_SOURCE="push"), {})


if __name__ == "__main__":
    unittest.main()
