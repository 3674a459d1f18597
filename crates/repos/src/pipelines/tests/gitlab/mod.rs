//! Edits of a pipeline of GitLab that runs the gate.

use super::*;

mod files;
mod texts;

const ROOT: &str = ".gitlab-ci.yml";
const GATE: &str = ".gitlab/agent-strace.gitlab-ci.yml";
const JOBS: &str = "ci/jobs.yml";

/// A pipeline in one file.
const ALONE: &str = "\
# The pipeline.
stages: [build, test]

variables:
  MODE: fast

.base:
  before_script:
    - date

build:
  stage: build
  script:
    - make
  artifacts:
    paths: [out/]

# Style.
lint:
  stage: test
  extends: .base
  script:
    - make lint
    - |
      echo one
      echo two
  rules:
    - if: $CI_PIPELINE_SOURCE == \"merge_request_event\"

agent-strace:
  stage: test
  needs: []
  script:
    - agent-strace check --policy-ref=auto

deploy:
  stage: test
  image: \"debian:12\"
  script: [make deploy]
";

/// A pipeline that includes the gate, and the jobs of other files.
const INCLUDING: &str = "\
include:
  - local: .gitlab/agent-strace.gitlab-ci.yml
  - local: /ci/jobs.yml

lint:
  script:
    - make lint

test:
  script: make test
";

/// Two jobs with parts in common, as `agent-strace init` writes them.
const INCLUDED: &str = "\
variables:
  AGENT_STRACE_URL: \"https://forge.example/acme/agent-strace/releases/download/v1/agent-strace-1-x86_64.tar.gz\"

.agent-strace-rules: &rules
  - if: $CI_PIPELINE_SOURCE == \"merge_request_event\"

.agent-strace-fetch: &fetch |
  cannot() {
    exit 2
  }
  curl \"$AGENT_STRACE_URL\" || cannot \"the archive of the release can't be downloaded\"

agent-strace-report:
  rules: *rules
  needs: []
  script:
    - *fetch
    - agent-strace check || true

agent-strace:
  rules: *rules
  needs: []
  script:
    - *fetch
    - agent-strace check --policy-ref=auto
";

const MORE: &str = "docs:\n  script: [mkdocs]\nunit:\n  extends: docs\n";

fn edited(base: Listed<'_>, path: &str, old: &str, new: &str) -> &'static str {
    let (_, text) = base.iter().find(|(known, _)| *known == path).unwrap();
    let head = text.replacen(old, new, 1);
    assert_ne!(head, *text, "{old:?}");
    kind(part(base, path, Some(head.as_bytes())).as_ref())
}

fn hold(base: Listed<'_>, path: &str, expected: &str, rows: &[(&str, &str)]) {
    for (old, new) in rows {
        assert_eq!(edited(base, path, old, new), expected, "{path}: {old:?} → {new:?}");
    }
}

/// The pipeline with another gate.
fn with_gate(old: &str, new: &str) -> String {
    let text = ALONE.replacen(old, new, 1);
    assert_ne!(text, ALONE, "{old:?}");
    text
}

#[test]
fn jobs_beside_the_gate_may_change() {
    hold(
        &[(ROOT, ALONE)],
        ROOT,
        "other jobs",
        &[
            ("make lint", "make lint-all"),
            ("    - make lint\n", "    - make lint\n    - make style\n"),
            ("    - make lint\n", "    - make lint && make style || exit 1\n"),
            ("    - make lint\n", "    - make lint > log 2>&1\n"),
            ("    - make lint\n", "    - 'make lint all' # all\n"),
            ("    - make lint\n", "    - if ! make lint; then exit 1; fi\n"),
            ("    - make lint\n", "    - echo \"it's done\"\n"),
            ("      echo one\n", "      echo one\n\n      f() {\n        date\n      }\n"),
            ("      echo one\n", "      cat <<EOF\n      x: [y]\n      EOF\n"),
            ("extends: .base", "extends: [.base]"),
            ("  extends: .base\n", ""),
            ("    - if: $CI_PIPELINE_SOURCE == \"merge_request_event\"", "    - when: always"),
            ("  rules:\n", "  allow_failure: true\n  rules:\n"),
            ("  rules:\n", "  variables: {A: \"1\", B: [c]}\n  rules:\n"),
            ("lint:\n  stage: test\n", "lint:\n  # It is quick.\n  stage: build\n"),
            ("lint:\n  stage: test\n", "lint:\n  stage: test\n  needs: [build]\n"),
            ("debian:12", "debian:13"),
            ("[make deploy]", "[make deploy, date]"),
            ("paths: [out/]", "paths:\n      - out/\n    expire_in: 1 week"),
            ("paths: [out/]", "reports: {dotenv: out.env}"),
            ("deploy:\n", "new job:\n  script: [date]\n\ndeploy:\n"),
            ("deploy:\n", "test:unit-1/2_a.b:\n  script: [date]\n\ndeploy:\n"),
            ("agent-strace:\n", "early:\n  stage: .pre\n  script: [date]\n\nagent-strace:\n"),
            ("\ndeploy:\n  stage: test\n  image: \"debian:12\"\n  script: [make deploy]\n", ""),
            ("deploy:\n", "release:\n"),
            ("# Style.\nlint:", "# Style!\nlint:\n  timeout: 1h"),
            ("lint:\n  stage: test", "\n\nlint:\n  retry: 1\n  stage: test"),
            ("script: [make deploy]\n", "script: [make deploy]\n  cache: {paths: [x]}\n"),
            ("script: [make deploy]\n", "script: [make deploy]\nlast:\n  script: date\n"),
            ("make lint", "make lint *.c"),
            ("make lint", "echo $CI_JOB_NAME ${A}"),
        ],
    );
    hold(
        &[(ROOT, INCLUDING), (GATE, INCLUDED), (JOBS, MORE)],
        ROOT,
        "other jobs",
        &[
            ("make lint", "make style"),
            ("script: make test", "script:\n    - make test"),
            ("test:\n", "new:\n  script: date\n\ntest:\n"),
            ("test:\n", "tests:\n"),
            ("test:\n", "release:\n"),
            ("test:\n", "check:\n"),
            ("\nlint:\n  script:\n    - make lint\n", ""),
        ],
    );
}

#[test]
fn settings_of_all_jobs_and_the_gate_itself_may_not_change() {
    hold(
        &[(ROOT, ALONE)],
        ROOT,
        "runs",
        &[
            ("agent-strace check", "true"),
            ("needs: []", "needs: [build]"),
            ("  needs: []\n", ""),
            ("agent-strace:\n", "agent-strace:\n  allow_failure: true\n"),
            ("agent-strace:\n", "agent-strace:\n  extends: .base\n"),
            ("agent-strace:\n", "agent-strace:\n  cache: {paths: [bin]}\n"),
            ("agent-strace:\n", "agent-strace2:\n"),
            ("agent-strace:\n", ".agent-strace:\n"),
            ("agent-strace:\n", "\"agent-strace\":\n  when: manual\n"),
            ("agent-strace:\n", "agent-strace: # now\n  when: manual\n"),
            ("stages: [build, test]", "stages: [build]"),
            ("stages: [build, test]\n", ""),
            ("MODE: fast", "PATH: ./bin"),
            ("# Style.\n", "default:\n  before_script: [exit 0]\n\n"),
            ("# Style.\n", "workflow:\n  rules: [{when: never}]\n\n"),
            ("# Style.\n", "include: [ci/jobs.yml]\n\n"),
            ("# Style.\n", "include: https://example.com/x.yml\n\n"),
            ("# Style.\n", "image:\n  name: evil\n\n"),
            ("# Style.\n", "services: {a: b}\n\n"),
            ("# Style.\n", "cache:\n  paths: [bin]\n\n"),
            ("# Style.\n", "before_script: {a: b}\n\n"),
            ("# Style.\n", "after_script: [exit 0]\n\n"),
            ("# Style.\n", "spec: {inputs: {}}\n\n"),
            ("# Style.\n", "types: [test]\n\n"),
            ("# Style.\n", "pages:\n  script: [date]\n\n"),
        ],
    );
    // The same jobs in another order.
    let build = "build:\n  stage: build\n  script:\n    - make\n  artifacts:\n    paths: [out/]\n";
    assert!(ALONE.contains(build));
    let moved = format!("{}\n{build}", ALONE.replacen(build, "", 1));
    assert_eq!(kind(part(&[(ROOT, ALONE)], ROOT, Some(moved.as_bytes())).as_ref()), "runs");
}

#[test]
fn a_gate_that_takes_something_of_other_jobs_is_one_with_them() {
    let artifacts = "agent-strace:\n  needs: [build]";
    for (old, new) in [
        ("  needs: []\n", ""),
        ("needs: []", "needs: [build]"),
        ("needs: []", "needs: [{job: build, artifacts: false}]"),
        ("needs: []", "dependencies: [build]"),
        ("needs: []", "needs: []\n  dependencies: [build]"),
        ("needs: []", "needs: [build]\n  dependencies: []"),
        ("needs: []", "needs: []\n  extends: .base"),
        ("needs: []", "needs: []\n  cache: {paths: [x]}"),
        ("needs: []", "needs: []\n  trigger: acme/gate"),
        ("variables:\n", "cache: {paths: [x]}\nvariables:\n"),
        ("variables:\n", "default: {cache: [{paths: [x]}]}\nvariables:\n"),
        ("agent-strace:\n  stage: test\n  needs: []", artifacts),
        ("- agent-strace check", "- !reference [.base, before_script]\n    - agent-strace check"),
    ] {
        let text = with_gate(old, new);
        assert_eq!(edited(&[(ROOT, &text)], ROOT, "make lint", "make style"), "runs", "{new:?}");
    }
    for (old, new) in [
        ("needs: []", "dependencies: []"),
        ("needs: []", "needs: []\n  dependencies: []"),
        ("needs: []", "needs: []\n  cache: []"),
        ("agent-strace:\n  stage: test\n  needs: []", "cache: {paths: [x]}\nagent-strace:\n  needs: []\n  cache: {}"),
        ("needs: []", "needs: []\n  tags: [docker]"),
    ] {
        let text = with_gate(old, new);
        assert_eq!(edited(&[(ROOT, &text)], ROOT, "make lint", "make style"), "other jobs", "{new:?}");
    }
    // Values that name a job.
    for (old, named, expected) in [
        ("needs: []", "needs: []\n  variables: {OF: Lint}", "runs"),
        ("needs: []", "needs: []\n  variables: {URL: \"$CI_API_V4_URL/jobs/artifacts/main/raw/x?job=lint\"}", "runs"),
        ("needs: []", "needs: []\n  after_script: [glab ci artifact main (lint), date]", "runs"),
        ("needs: []", "needs: []\n  after_script: [fetch lint, date]", "other jobs"),
        ("needs: []", "needs: []\n  after_script: [fetch lint-all, lint2 _lint slint]", "other jobs"),
        ("stage: test\n  needs: []", "stage: lint\n  needs: []", "other jobs"),
        ("MODE: fast", "OF: x/jobs/lint", "runs"),
        ("MODE: fast", "OF: x/lint", "other jobs"),
        ("variables:\n", "default:\n  before_script: [fetch artifacts lint]\nvariables:\n", "runs"),
    ] {
        let text = with_gate(old, named);
        assert_eq!(edited(&[(ROOT, &text)], ROOT, "make lint", "make style"), expected, "{named}");
        assert_eq!(edited(&[(ROOT, &text)], ROOT, "make deploy", "make it"), "other jobs", "{named}");
    }
    // A part of the gate in another file.
    let hidden = "include: ci/jobs.yml\nlint: {script: [a]}\n.agent-strace:\n  script: [agent-strace check]\n";
    let base = [(ROOT, hidden), (JOBS, "gate: {extends: .agent-strace, needs: []}\n")];
    assert_eq!(edited(&base, ROOT, "[a]", "[b]"), "runs");
    let hidden = ".agent-strace:\n  script: [agent-strace check]\nlint: {script: [a]}\n";
    assert_eq!(edited(&[(ROOT, hidden)], ROOT, "[a]", "[b]"), "runs");
}

#[test]
fn an_image_that_only_a_run_knows_may_be_made_by_other_jobs() {
    let gate = |more: &str| format!("needs: []\n  {more}");
    let all = |more: &str| format!("{more}\nvariables:\n");
    for (old, new, expected) in [
        ("needs: []", gate("image: $CI_REGISTRY_IMAGE/ci"), "runs"),
        ("needs: []", gate("image: {name: \"${X}\"}"), "runs"),
        ("needs: []", gate("image: a\n  services: [$X]"), "runs"),
        ("needs: []", gate("image: a"), "other jobs"),
        ("needs: []", gate("image: a\n  services: [b]"), "other jobs"),
        ("variables:\n", all("image: $X"), "runs"),
        ("variables:\n", all("services: [{name: $X}]"), "runs"),
        ("variables:\n", all("default:\n  image: $X"), "runs"),
        ("variables:\n", all("default:\n  image: x"), "other jobs"),
    ] {
        let text = with_gate(old, &new);
        assert_eq!(edited(&[(ROOT, &text)], ROOT, "make lint", "make style"), expected, "{new:?}");
    }
    let own = with_gate("needs: []", &gate("image: a")).replacen("variables:\n", &all("image: $X"), 1);
    assert_eq!(edited(&[(ROOT, &own)], ROOT, "make lint", "make style"), "other jobs");
}

#[test]
fn what_a_job_extends_may_not_reach_beyond_it() {
    for (member, expected) in [
        ("timeout: 1h", "other jobs"),
        ("trigger: acme/other", "runs"),
        (":trigger: acme/other", "runs"),
        ("resource_group: x", "runs"),
        ("id_tokens: {T: {aud: x}}", "runs"),
        ("needs: [agent-strace]", "runs"),
        ("tags: [x]", "runs"),
    ] {
        let text = ALONE.replacen("lint:\n", &format!(".down:\n  {member}\n\nlint:\n"), 1);
        let base = [(ROOT, text.as_str())];
        let new = "new:\n  extends: .down\n  script: [x]\n\ndeploy:\n";
        assert_eq!(edited(&base, ROOT, "deploy:\n", new), expected, "{member}");
        assert_eq!(edited(&base, ROOT, "deploy:\n", "deploy:\n  extends: .down\n"), expected, "{member}");
        assert_eq!(edited(&base, ROOT, "make lint", "make style"), "other jobs", "{member}");
    }
}

#[test]
fn a_job_does_not_come_to_the_machine_of_the_gate() {
    let untagged = ALONE.replacen("build:\n", "build:\n  tags: [docker]\n  inherit: {default: false}\n", 1);
    let of_base = untagged.replacen(".base:\n", ".base:\n  extends: .tags\n.tags:\n  tags: [x]\n", 1);
    let hidden = untagged.replacen(".base:\n", ".base:\n  :tags: [x]\n", 1);
    let text = with_gate("needs: []", "needs: []\n  tags: [guarded]");
    let tagged = text.replacen("lint:\n", "lint:\n  tags: [docker]\n", 1);
    let all = tagged.replacen("variables:\n", "default:\n  tags: [guarded]\nvariables:\n", 1);
    let unknown = text.replacen("build:\n", "build:\n  tags: [$RUNNER]\n", 1);
    let new = |more: &str| format!("new:\n  {more}\n  script: [x]\ndeploy:\n");
    for (text, old, new, expected) in [
        (&text, "make lint", "make style", "other jobs"),
        (&text, "lint:\n", "lint:\n  tags: [docker]\n", "runs"),
        (&text, "lint:\n", "lint:\n  tags: [docker, guarded]\n", "runs"),
        (&text, "lint:\n", "lint:\n  tags: [\" guarded\"]\n", "runs"),
        (&text, "lint:\n", "lint:\n  inherit: {default: false}\n", "runs"),
        (&text, "extends: .base", "extends: .other", "other jobs"),
        (&text, "deploy:\n", &new("timeout: 1h"), "other jobs"),
        (&text, "deploy:\n", &new("extends: .base"), "other jobs"),
        (&text, "deploy:\n", &new("extends: [.base, build]"), "other jobs"),
        (&unknown, "deploy:\n", &new("extends: [.base, build]"), "runs"),
        (&text, "deploy:\n", &new("extends: agent-strace"), "runs"),
        (&text, "deploy:\n", &new("tags: [other]"), "runs"),
        (&text, "deploy:\n", &new("inherit: {default: false}"), "runs"),
        (&tagged, "  tags: [docker]\n", "", "runs"),
        (&tagged, "make lint", "make style", "other jobs"),
        (&unknown, "make lint", "make style", "other jobs"),
        (&all, "  tags: [docker]\n", "", "runs"),
        (&all, "make lint", "make style", "other jobs"),
        (&untagged, "  tags: [docker]\n", "", "runs"),
        (&untagged, "  tags: [docker]\n", "  tags: [shell]\n", "runs"),
        (&untagged, "  inherit: {default: false}\n", "", "runs"),
        (&untagged, "  extends: .base\n", "", "other jobs"),
        (&of_base, "  extends: .base\n", "", "runs"),
        (&of_base, "extends: .base\n", "extends: .tags\n", "runs"),
        (&hidden, "  extends: .base\n", "", "runs"),
        (&of_base, "make lint", "make style", "other jobs"),
        (&untagged, "deploy:\n", &new("tags: [docker]"), "other jobs"),
        (&of_base, "deploy:\n", &new("extends: .base"), "runs"),
        (&untagged, "\ndeploy:\n  stage: test\n  image: \"debian:12\"\n  script: [make deploy]\n", "", "other jobs"),
    ] {
        assert_eq!(edited(&[(ROOT, text)], ROOT, old, new), expected, "{old:?} → {new:?}");
    }
}
