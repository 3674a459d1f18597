"""Runs the jobs of a pipeline as GitLab's runner does, where that matters for a verdict, and as badly as it may.

All jobs share the folder of the project, as on a runner that keeps it: what an earlier job, an earlier pipeline or the
checkout of the change left there is still there. Artifacts travel as zip archives, which keep symbolic links, and are
unpacked over what is there. Jobs get the artifacts and the variables (`dotenv`) of the jobs that they need, or of all earlier
stages. Reports of a job that failed are not taken.
"""

import os
import re
import shutil
import stat
import zipfile
from pathlib import Path

import yaml

from runner import Broken, run

KEYS = {"stage", "image", "rules", "needs", "variables", "before_script", "script", "artifacts"}
GLOBAL = {"variables", "stages", "include"}
CONDITION = re.compile(r'\$(\w+) == "([^"]*)"')


class Job:
    """What became of a job: its exit code, its log, the names in its artifact and the reports that were taken."""

    def __init__(self, code, log):
        self.code, self.log, self.names, self.reports = code, log, [], {}


class Pipeline:
    """`files`: texts of YAML that are included, later ones over earlier ones. `env`: what jobs have beside variables."""

    def __init__(self, files, variables, project, env):
        self.jobs, self.stages, common = {}, ["build", "test", "deploy"], {}
        for text in files:
            for name, value in yaml.safe_load(text).items():
                if name == "variables":
                    common.update(value)
                elif name == "stages":
                    self.stages = value
                elif name not in GLOBAL and not name.startswith("."):
                    self.jobs[name] = value
        # Variables of a pipeline and predefined ones; those of the project win over what files say.
        self.common, self.variables, self.project, self.env = common, variables, Path(project), env
        self.archives, self.dotenv, self.done = {}, {}, {}

    def run(self):
        for stage in self.stages:
            for name, job in self.jobs.items():
                unknown = set(job) - KEYS
                if unknown:
                    raise Broken(f"keys of a job that this runner does not know: {sorted(unknown)}")
                if job.get("stage", "test") == stage and self.starts(job):
                    self.done[name] = self.job(name, job)
        return self.done

    def starts(self, job):
        conditions = [CONDITION.fullmatch(rule["if"]) for rule in job.get("rules", [])]
        if None in conditions:
            raise Broken("a rule that this runner does not understand")
        return not conditions or any(self.variables.get(name) == value for name, value in (c.groups() for c in conditions))

    def job(self, name, job):
        before = self.stages.index(job.get("stage", "test"))
        earlier = [other for other in self.done if self.stages.index(self.jobs[other].get("stage", "test")) < before]
        needed = job.get("needs", earlier)
        inherited = {key: value for other in needed for key, value in self.dotenv.get(other, {}).items()}
        variables = {**self.common, **job.get("variables", {}), **inherited, **self.variables}
        if variables.get("GIT_STRATEGY") != "none":
            raise Broken(f"{name}: this runner checks nothing out")
        for other in needed:
            if other in self.archives:
                unzip(self.archives[other], self.project)
        lines = [*job.get("before_script", []), *job["script"]]
        script = self.project.parent / f"{name}.sh"
        script.write_text("set -eo pipefail\n" + "\n".join(lines) + "\n")
        environment = {**self.env, "CI": "true", "GITLAB_CI": "true", "CI_PROJECT_DIR": str(self.project), **variables}
        code, log = run(["bash", "--noprofile", "--norc", str(script)], self.project, environment)
        done = Job(code, log)
        self.upload(name, job.get("artifacts", {}), done)
        return done

    def upload(self, name, artifacts, done):
        when = artifacts.get("when", "on_success")
        if done.code == 0 or when == "always":
            archive = self.project.parent / f"{name}.zip"
            done.names = zipped(artifacts.get("paths", []), self.project, archive)
            self.archives[name] = archive
        if done.code:
            return
        for kind, path in artifacts.get("reports", {}).items():
            file = self.project / path
            if not file.is_file():
                continue
            if kind == "dotenv":
                self.dotenv[name] = dict(line.split("=", 1) for line in file.read_text().splitlines() if "=" in line)
            elif Path(os.path.realpath(file)) != file:
                raise Broken(f"{name}: the report {path} lies behind a link")
            else:
                done.reports[kind] = file.read_bytes()


def zipped(paths, root, archive):
    """Files and links below the paths; links are kept as links. Their names."""
    with zipfile.ZipFile(archive, "w") as file:
        for path in paths:
            top = root / path.rstrip("/")
            found = [top] if top.is_symlink() or not top.is_dir() else sorted(top.rglob("*"))
            for entry in found:
                name = str(entry.relative_to(root))
                if entry.is_symlink():
                    info = zipfile.ZipInfo(name)
                    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
                    file.writestr(info, os.readlink(entry))
                elif entry.is_file():
                    file.write(entry, name)
        return file.namelist()


def unzip(archive, root):
    with zipfile.ZipFile(archive) as file:
        for info in file.infolist():
            target = root / info.filename
            target.parent.mkdir(parents=True, exist_ok=True)
            if stat.S_ISLNK(info.external_attr >> 16):
                if target.is_symlink() or target.is_file():
                    target.unlink()
                elif target.is_dir():
                    shutil.rmtree(target)
                target.symlink_to(file.read(info).decode())
            else:
                target.write_bytes(file.read(info))
