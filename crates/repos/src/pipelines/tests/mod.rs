use std::collections::BTreeMap;

use super::*;
use agent_strace_git::Special;
use agent_strace_git::change_set::Part;

mod definitions;
mod git;
mod gitlab;
mod modules;
mod names;
mod ordinary;
mod precision;
mod prompts;
mod record;
mod shadows;
mod systems;

/// Paths with a text, or with what is expected of them.
type Listed<'l> = &'l [(&'l str, &'l str)];

/// The files of one state.
#[derive(Default)]
struct Files {
    paths: Vec<String>,
    texts: BTreeMap<String, Vec<u8>>,
}

/// Texts that stand for what is no plain file.
const LINK: &str = "link to ";
const SUBMODULE: &str = "submodule ";

impl Files {
    fn of(files: &[(&str, &str)]) -> Self {
        let texts: BTreeMap<String, Vec<u8>> =
            files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
        Self { paths: texts.keys().cloned().collect(), texts }
    }

    fn with(mut self, path: &str, bytes: Option<Vec<u8>>) -> Self {
        match bytes {
            Some(bytes) => drop(self.texts.insert(path.to_owned(), bytes)),
            None => drop(self.texts.remove(path)),
        }
        self.paths = self.texts.keys().cloned().collect();
        self
    }
}

impl Contents for Files {
    fn read(&self, path: &str) -> Content {
        match self.special(path) {
            Some(_) => Content::Unreadable("it is no plain file".to_owned()),
            None => self.texts.get(path).map_or(Content::Missing, |bytes| text_of(bytes.clone())),
        }
    }

    fn read_lossily(&self, path: &str) -> Content {
        let text = |bytes: &Vec<u8>| Content::Text(String::from_utf8_lossy(bytes).into_owned());
        match self.special(path) {
            Some(_) => self.read(path),
            None => self.texts.get(path).map_or(Content::Missing, text),
        }
    }

    fn special(&self, path: &str) -> Option<Special> {
        let text = str::from_utf8(self.texts.get(path)?).ok()?;
        let link = text.strip_prefix(LINK).map(|target| Special::Link(target.to_owned()));
        link.or_else(|| text.starts_with(SUBMODULE).then_some(Special::Submodule))
    }
}

impl Tree for Files {
    fn paths(&self) -> &[String] {
        &self.paths
    }
}

/// The part that a file has where it is changed to a text; `None` deletes it.
pub(super) fn part(base: &[(&str, &str)], path: &str, text: Option<&[u8]>) -> Option<Part> {
    let head = Files::of(base).with(path, text.map(<[u8]>::to_vec));
    let base = Files::of(base);
    let paths = vec![ChangedPath { path, is_gone: text.is_none() }];
    let changed = Changed { base: &base, before: &base, head: &head, paths, store: Some(".agent-traces") };
    let touches = touches(&changed);
    assert!(!touches.is_cut);
    touches.parts.into_values().next()
}

pub(super) fn kind(part: Option<&Part>) -> &'static str {
    match part {
        None => "nothing",
        Some(Part::Runs) => "runs",
        Some(Part::Called { .. } | Part::RunsBefore { .. }) => "called",
        Some(Part::WouldBeCalled { .. }) => "would be called",
        Some(Part::PinsGate) => "pins",
        Some(Part::MovesActions { .. }) => "moves actions",
        Some(Part::OtherJobs) => "other jobs",
        Some(Part::Supersedes { .. }) => "supersedes",
        Some(Part::MaySupersede { .. }) => "may supersede",
        Some(Part::Starts { .. }) => "starts",
        Some(Part::Unseen) => "unseen",
        Some(Part::GivesRights { .. }) => "gives rights",
        Some(Part::Instructs) => "instructs",
        Some(Part::TakesName { .. }) => "takes name",
        Some(Part::MayTakeName) => "may take name",
        Some(Part::Unreadable { .. } | Part::UnreadableRecord { .. }) => "unreadable",
        Some(Part::SetsChecks) => "sets checks",
        Some(Part::MayRun { .. }) => "may run",
        Some(Part::NamesGate { is_only: true }) => "only gate",
        Some(Part::NamesGate { is_only: false }) => "names gate",
        Some(Part::IgnoresRecord) => "ignores",
        Some(Part::RewritesRecord { .. }) => "rewrites",
        Some(Part::HidesRecord { .. }) => "hides",
        Some(Part::Beside { .. }) => "beside",
        Some(Part::NewWorkflow) => "new",
        Some(Part::OfAgent { .. }) => "of an agent",
    }
}

pub(super) const WORKFLOW: &str = ".github/workflows/gate.yml";

/// A workflow with one step.
pub(super) fn step(step: &str) -> String {
    format!("on: pull_request\njobs:\n  gate:\n    steps:\n      - {step}\n")
}

const CHECK: &str = "agent-strace check --policy-ref origin/main\n";

#[test]
fn what_the_gate_calls_is_the_gate() {
    let action = "runs:\n  using: composite\n  steps:\n    - {run: \"$GITHUB_ACTION_PATH/run.sh\", shell: bash}\n";
    let task = "version: '3'\ntasks:\n  gate:\n    cmds:\n      - ./ci/gate.sh\n";
    let cases: &[(&str, Listed<'_>, Listed<'_>)] = &[
        (
            "run: scripts/gate.sh",
            &[("scripts/gate.sh", CHECK), ("scripts/other.sh", "date\n")],
            &[(WORKFLOW, "runs"), ("scripts/gate.sh", "called"), ("scripts/other.sh", "nothing")],
        ),
        (
            "run: bash ./ci/a.sh main",
            &[("ci/a.sh", ". ci/lib.sh\n\"$here/b.sh\"\n"), ("ci/b.sh", CHECK), ("ci/lib.sh", "set -e\n")],
            &[(WORKFLOW, "runs"), ("ci/a.sh", "called"), ("ci/b.sh", "called"), ("ci/lib.sh", "called")],
        ),
        ("run: cd ci && ./gate.sh", &[("ci/gate.sh", CHECK)], &[("ci/gate.sh", "called")]),
        ("run: cd z; cd y; cd x; cd w; ./run.sh", &[("z/y/x/w/run.sh", CHECK)], &[("z/y/x/w/run.sh", "called")]),
        ("{run: ./gate.sh, working-directory: ci}", &[("ci/gate.sh", CHECK)], &[("ci/gate.sh", "called")]),
        ("run: '${{ github.workspace }}/ci/gate.sh'", &[("ci/gate.sh", CHECK)], &[("ci/gate.sh", "called")]),
        ("run: python3 -m ci.gate", &[("ci/gate.py", "run('agent-strace check')\n")], &[("ci/gate.py", "called")]),
        ("run: node ci/gate", &[("ci/gate.js", "exec('agent-strace check')\n")], &[("ci/gate.js", "called")]),
        ("run: go run ./ci/gate", &[("ci/gate/main.go", "// agent-strace check\n")], &[("ci/gate/main.go", "called")]),
        (
            "run: make gate",
            &[("Makefile", "gate:\n\tagent-strace check\n")],
            &[(WORKFLOW, "runs"), ("Makefile", "called")],
        ),
        (
            "run: make build",
            &[("Makefile", "build:\n\tcc a.c\ngate:\n\tagent-strace check\n")],
            &[(WORKFLOW, "nothing"), ("Makefile", "only gate")],
        ),
        (
            "run: task gate",
            &[("Taskfile.yml", task), ("ci/gate.sh", CHECK)],
            &[("Taskfile.yml", "called"), ("ci/gate.sh", "called")],
        ),
        (
            "run: task ci:gate",
            &[
                ("Taskfile.yml", "includes: {ci: ./ci/Tasks.yml}\n"),
                ("ci/Tasks.yml", "tasks: {gate: {cmds: [agent-strace check]}}\n"),
            ],
            &[("Taskfile.yml", "called"), ("ci/Tasks.yml", "called"), (WORKFLOW, "runs")],
        ),
        (
            "run: make gate",
            &[("Makefile", "include ci/gate.mk\n"), ("ci/gate.mk", "gate:\n\tagent-strace check\n")],
            &[("ci/gate.mk", "called"), (WORKFLOW, "runs")],
        ),
        ("run: just gate", &[("justfile", "gate:\n    agent-strace check\n")], &[("justfile", "called")]),
        (
            "run: npm run gate",
            &[("package.json", "{\"scripts\": {\"gate\": \"sh ci/g.sh\"}}"), ("ci/g.sh", CHECK)],
            &[("package.json", "called"), ("ci/g.sh", "called")],
        ),
        (
            "run: python3 ci/gate.py",
            &[("ci/gate.py", "import os, helper\n# agent-strace check\n"), ("ci/helper.py", "x = 1\n")],
            &[("ci/gate.py", "called"), ("ci/helper.py", "called")],
        ),
        (
            "run: cargo xtask gate",
            &[("xtask/src/main.rs", "// agent-strace check\n")],
            &[("xtask/src/main.rs", "called"), (WORKFLOW, "runs")],
        ),
        (
            "run: docker compose run gate",
            &[("compose.yaml", "services: {gate: {command: agent-strace check}}\n")],
            &[("compose.yaml", "called"), (WORKFLOW, "runs")],
        ),
        ("run: rake gate", &[("Rakefile", "sh 'agent-strace check'\n")], &[("Rakefile", "called")]),
        (
            "run: docker build -f ci/Dockerfile .",
            &[("ci/Dockerfile", "RUN agent-strace check\n")],
            &[("ci/Dockerfile", "called")],
        ),
        (
            "uses: ./ci/gate",
            &[("ci/gate/action.yml", action), ("ci/gate/run.sh", CHECK)],
            &[(WORKFLOW, "runs"), ("ci/gate/action.yml", "called"), ("ci/gate/run.sh", "called")],
        ),
        ("uses: acme/agent-strace@v1", &[("scripts/build.sh", "date\n")], &[("scripts/build.sh", "nothing")]),
    ];
    for (called, files, expected) in cases {
        let workflow = step(called);
        let base: Vec<(&str, &str)> = files.iter().copied().chain([(WORKFLOW, workflow.as_str())]).collect();
        for (path, wanted) in *expected {
            let found = part(&base, path, Some(b"true\n"));
            // A workflow is always read.
            let found = kind(found.as_ref());
            assert_eq!(found, *wanted, "{called}: {path}");
        }
    }
}

#[test]
fn a_job_beside_the_gate_calls_nothing_of_it() {
    let workflow = "jobs:\n  gate:\n    steps: [{uses: acme/agent-strace@v1}, {run: npm ci}]\n  test:\n    steps: [{run: ci/test.sh}]\n";
    let base = [
        (WORKFLOW, workflow),
        ("ci/test.sh", "date\n"),
        ("package.json", "{\"scripts\": {\"install\": \"node x.js\"}}"),
    ];
    assert_eq!(kind(part(&base, "ci/test.sh", Some(b"x")).as_ref()), "nothing");
    assert_eq!(kind(part(&base, "package.json", Some(b"{}")).as_ref()), "beside");
}

#[test]
fn workflows_of_other_repositories_run_the_gate_where_they_are_called_like_it() {
    let uses = |key: &str, file: &str| format!("jobs:\n  {key}:\n    uses: acme/ci/.github/workflows/{file}@main\n");
    for (key, file, expected) in [
        ("gate", "x.yml", "runs"),
        ("x", "gate.yml", "runs"),
        ("check", "agent-gate.yml", "runs"),
        ("agent-strace", "all.yml", "runs"),
        ("build", "build.yml", "may run"),
    ] {
        let text = uses(key, file);
        let found = part(&[(WORKFLOW, &text)], WORKFLOW, Some(b"jobs: {}\n"));
        assert_eq!(kind(found.as_ref()), expected, "{key} {file}");
    }
    let action = step("uses: acme/agent-gate@v1");
    assert_eq!(kind(part(&[(WORKFLOW, &action)], WORKFLOW, Some(b"jobs: {}\n")).as_ref()), "runs");
    for (include, expected) in [
        ("[{component: $CI_SERVER_FQDN/sec/agent-gate/gate@1}]", "runs"),
        ("[{project: sec/ci, file: /gate.yml}]", "runs"),
        ("[{project: sec/ci, file: /build.yml}]", "may run"),
    ] {
        let text = format!("include: {include}\n");
        let found = part(&[(".gitlab-ci.yml", &text)], ".gitlab-ci.yml", Some(b"x: {script: [date]}\n"));
        assert_eq!(kind(found.as_ref()), expected, "{include}");
    }
    // Where another file runs the gate, a job called "quality gate" is not the gate.
    let (gate, quality) = (step("uses: acme/agent-strace@v1"), uses("quality", "quality-gate.yml"));
    let base = [(WORKFLOW, gate.as_str()), (".github/workflows/q.yml", quality.as_str())];
    assert_eq!(kind(part(&base, ".github/workflows/q.yml", Some(b"jobs: {}\n")).as_ref()), "nothing");
}

#[test]
fn pipelines_of_every_system_are_read() {
    for path in [
        ".travis.yml",
        ".forgejo/workflows/gate.yml",
        ".gitea/workflows/g.yaml",
        ".drone.yml",
        ".tekton/gate.yaml",
        "ci/Jenkinsfile",
        ".circleci/config.yml",
        ".buildkite/pipeline.yml",
        "azure-pipelines.yml",
        ".azure/pipelines/gate.yml",
        "bitbucket-pipelines.yml",
        ".woodpecker/gate.yml",
        "appveyor.yml",
        "cloudbuild.yaml",
        ".gitlab-ci.yml",
    ] {
        let direct = [(path, "script: agent-strace check --policy-ref origin/main\n")];
        assert_eq!(kind(part(&direct, path, Some(b"script: 'true'\n")).as_ref()), "runs", "{path}");
        if path.contains("workflows") {
            continue;
        }
        let text = if path == "ci/Jenkinsfile" {
            "node { sh 'ci/gate.sh main' }\n"
        } else {
            "gate: {script: [ci/gate.sh main]}\n"
        };
        let through = [(path, text), ("ci/gate.sh", CHECK)];
        assert_eq!(kind(part(&through, path, Some(b"x: {script: ['true']}\n")).as_ref()), "runs", "{path}");
        assert_eq!(kind(part(&through, "ci/gate.sh", None).as_ref()), "called", "{path}");
    }
}

#[test]
fn what_gitlab_includes_is_part_of_its_pipeline() {
    let gate = ("ci/gate.yml", "gate: {script: ['agent-strace check']}\n");
    for include in ["include: ci/gate.yml\n", "include: [{local: /ci/gate.yml}]\n", "include:\n  - local: 'ci/*.yml'\n"]
    {
        let base = [(".gitlab-ci.yml", include), gate];
        assert_eq!(kind(part(&base, "ci/gate.yml", Some(b"gate: {script: ['true']}\n")).as_ref()), "runs", "{include}");
        assert_eq!(kind(part(&base, ".gitlab-ci.yml", Some(b"a: {script: ['true']}\n")).as_ref()), "runs", "{include}");
    }
    let include = "include: [{local: ci/gate.yml}, {local: 'ci/jobs/*.yml'}]\n";
    let job = "t: {script: [make]}\n";
    let base = [(".gitlab-ci.yml", include), gate, ("ci/jobs/a.yml", job), ("ci/b.yml", job)];
    for (path, text, expected) in [
        ("ci/jobs/a.yml", "t: {script: [make, x]}\n", "nothing"),
        ("ci/jobs/a.yml", "gate: {script: ['true']}\n", "takes name"),
        ("ci/jobs/a.yml", "\"g\\x61te\": {script: ['true']}\n", "takes name"),
        ("ci/jobs/new.yml", "gate: {script: ['true']}\n", "takes name"),
        ("ci/jobs/new.yml", "u: {script: ['true']}\n", "nothing"),
        ("ci/jobs/a.yml", "workflow: {rules: [{when: never}]}\n", "runs"),
        ("ci/jobs/a.yml", "default: {before_script: [exit 0]}\n", "runs"),
        ("ci/jobs/a.yml", "variables: {BASH_ENV: ./x}\n", "runs"),
        ("ci/jobs/a.yml", "default:\n  before_script:\n    - exit 0\n", "runs"),
        ("ci/jobs/a.yml", "x: [\n", "unreadable"),
        ("ci/b.yml", "variables: {BASH_ENV: ./x}\n", "nothing"),
    ] {
        assert_eq!(kind(part(&base, path, Some(text.as_bytes())).as_ref()), expected, "{path}: {text}");
    }
    let shared = "default:\n  before_script:\n    - date\n";
    let base = [(".gitlab-ci.yml", include), gate, ("ci/jobs/a.yml", shared)];
    for (old, new, expected) in [("- date", "- exit 0", "runs"), ("    - date", "      - date # now", "nothing")] {
        let found = part(&base, "ci/jobs/a.yml", Some(shared.replace(old, new).as_bytes()));
        assert_eq!(kind(found.as_ref()), expected, "{new}");
    }
    let extending = ("ci/gate.yml", ".own: {extends: .base}\ngate: {extends: .own, script: ['agent-strace check']}\n");
    let base = [(".gitlab-ci.yml", include), extending, ("ci/jobs/a.yml", ".base: {tags: [x]}\nt: {script: [make]}\n")];
    for (text, expected) in [
        (".base: {tags: [x]}\nt: {script: [make, x]}\n", "nothing"),
        (".base: {rules: [{when: never}]}\nt: {script: [make]}\n", "runs"),
        (".base: {tags: [x]}\n.own: {rules: [{when: never}]}\nt: {script: [make]}\n", "runs"),
    ] {
        assert_eq!(kind(part(&base, "ci/jobs/a.yml", Some(text.as_bytes())).as_ref()), expected, "{text}");
    }
    let base = [(".gitlab-ci.yml", "include: ci/gate.yml\n"), gate];
    assert_eq!(kind(part(&base, ".gitlab/x.yml", Some(b"gate: {script: ['true']}\n")).as_ref()), "takes name");
}

#[test]
fn hostile_trees_end() {
    // Files that call each other, and more of them than are followed.
    let loops = [(WORKFLOW, step("run: ./a.sh")), ("a.sh", "./b.sh\n".to_owned()), ("b.sh", "./a.sh\n".to_owned())];
    let loops: Vec<(&str, &str)> = loops.iter().map(|(path, text)| (*path, text.as_str())).collect();
    assert_eq!(kind(part(&loops, "a.sh", Some(b"x")).as_ref()), "nothing");
    let many: Vec<(String, String)> =
        (0..10_100).map(|at| (format!("s/{at}.sh"), format!("s/{}.sh\n", at + 1))).collect();
    let start = step("run: s/0.sh");
    let many: Vec<(&str, &str)> =
        many.iter().map(|(path, text)| (path.as_str(), text.as_str())).chain([(WORKFLOW, start.as_str())]).collect();
    let base = Files::of(&many);
    let paths = vec![ChangedPath { path: "s/9.sh", is_gone: false }];
    let changed = Changed { base: &base, before: &base, head: &base, paths, store: None };
    assert!(touches(&changed).is_cut);
    let long = format!("jobs:\n  x: {{name: {:?}, steps: []}}\n", "${{ a }}-".repeat(5000));
    assert_ne!(kind(part(&[], ".github/workflows/x.yml", Some(long.as_bytes())).as_ref()), "runs");
}
