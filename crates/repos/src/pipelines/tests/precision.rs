//! Files that are not part of the gate, and limits of the walk.

use super::*;

#[test]
fn operands_that_are_data_are_no_part_of_the_gate() {
    let files = ["src/index.ts", "tests/test_a.py", "src/a.py", "dist/a.js", "pkg/a/a.go", "crates/core/src/lib.rs"];
    for (run, called) in [
        ("tsc src/index.ts", &[][..]),
        ("pytest tests/test_a.py", &[]),
        ("npx eslint dist/a.js", &[]),
        ("python -m pytest tests/test_a.py", &[]),
        ("./scripts/lint.sh src/a.py", &["scripts/lint.sh"]),
        ("bash scripts/lint.sh src/a.py", &["scripts/lint.sh"]),
        ("node --require ./scripts/hook.js scripts/size.js dist/a.js", &["scripts/hook.js", "scripts/size.js"]),
        ("timeout 60 sudo -E bash -eu scripts/lint.sh src/a.py", &["scripts/lint.sh"]),
        ("npx tsx scripts/size.js dist/a.js", &["scripts/size.js"]),
        ("unknown --flag scripts/lint.sh src/a.py", &["scripts/lint.sh"]),
        ("source scripts/lint.sh", &["scripts/lint.sh"]),
        ("go test ./pkg/a", &[]),
        ("cargo test -p core", &[]),
    ] {
        let workflow = format!("{}      - run: {run}\n", step("uses: acme/agent-strace@v1"));
        let scripts = ["scripts/lint.sh", "scripts/size.js", "scripts/hook.js"];
        let mut base: Vec<(&str, &str)> = files.iter().chain(&scripts).map(|path| (*path, "x = 1\n")).collect();
        base.push((WORKFLOW, &workflow));
        for path in files.iter().chain(&scripts) {
            let expected = if called.contains(path) { "called" } else { "nothing" };
            assert_eq!(kind(part(&base, path, Some(b"y\n")).as_ref()), expected, "{run}: {path}");
        }
    }
}

#[test]
fn recipes_beside_the_one_of_the_gate_may_change() {
    let make = "CC = cc\ngate: tools\n\tagent-strace check\ntools:\n\ttrue\nbuild:\n\t$(CC) a.c\n";
    let package = "{\"scripts\": {\"gate\": \"agent-strace check\", \"x\": \"y\"}, \"dependencies\": {\"a\": \"1\"}}";
    for (run, file, text, old, new, expected) in [
        ("make gate", "Makefile", make, "$(CC) a.c", "$(CC) -O a.c", "beside"),
        ("make gate", "Makefile", make, "agent-strace check", "true", "called"),
        ("make gate", "Makefile", make, "\ttrue", "\tfalse", "called"),
        ("make gate", "Makefile", make, "CC = cc", "CC = gcc", "called"),
        ("make gate", "Makefile", make, "CC = cc", "CC = cc\n-include x.mk", "called"),
        ("make gate", "Makefile", make, "gate: tools", "gate:", "called"),
        ("make gate", "Makefile", make, "build:", "gate:\n\ttrue\nbuild:", "called"),
        ("npm run gate", "package.json", package, "\"1\"", "\"2\"", "beside"),
        ("npm run gate", "package.json", package, "\"y\"", "\"z\"", "beside"),
        ("npm run gate", "package.json", package, "agent-strace check", "true", "called"),
        ("npm run gate", "package.json", package, "\"x\": \"y\"", "\"pregate\": \"exit 1\"", "called"),
        ("npm run gate", "package.json", package, "\"x\": \"y\"", "\"gate\": \"true\"", "called"),
    ] {
        let workflow = step(&format!("run: {run}"));
        let base = [(WORKFLOW, workflow.as_str()), (file, text)];
        let found = part(&base, file, Some(text.replace(old, new).as_bytes()));
        assert_eq!(kind(found.as_ref()), expected, "{run}: {old:?} → {new:?}");
    }
}

#[test]
fn jobs_beside_the_gate_may_change_in_its_workflow() {
    let workflow = "on: pull_request\njobs:\n  test:\n    steps:\n      - run: make test\n  gate:\n    steps:\n      \
                    - uses: actions/checkout@aaa\n      - uses: acme/agent-strace@bbb\n";
    for (old, new, expected) in [
        ("make test", "make check", "other jobs"),
        ("  test:\n", "  test:\n    name: gate\n", "takes name"),
        ("  test:\n", "  test:\n    name: ${{ vars.x }}\n", "may take name"),
        ("  test:\n", "  test:\n    permissions: {checks: write}\n", "sets checks"),
        ("checkout@aaa", "checkout@ccc", "moves actions"),
        ("strace@bbb", "strace@ccc", "moves actions"),
        ("acme/agent-strace@bbb", "acme/other@bbb", "runs"),
        ("  gate:\n", "  gate:\n    if: false\n", "runs"),
        ("on: pull_request", "on: push", "runs"),
    ] {
        let found = part(&[(WORKFLOW, workflow)], WORKFLOW, Some(workflow.replace(old, new).as_bytes()));
        assert_eq!(kind(found.as_ref()), expected, "{old} → {new}");
    }
}

#[test]
fn a_job_that_waits_for_the_gate_is_a_part_of_it() {
    let workflow = "on: pull_request\njobs:\n  test:\n    steps: [{run: make test}]\n  gate:\n    steps: [{uses: acme/agent-strace@v1}]\n  \
                    middle:\n    needs: gate\n    steps: []\n  ci-ok:\n    if: always()\n    needs: [test, middle]\n    steps:\n      \
                    - run: test '${{ contains(needs.*.result, 'failure') }}' = false\n";
    let other = ".github/workflows/x.yml";
    for (old, new, expected) in [
        ("make test", "make tests", "other jobs"),
        ("needs: [test, middle]", "needs: [test]", "runs"),
        ("needs: gate", "needs: test", "runs"),
        ("    if: always()\n", "", "runs"),
        ("test '${{ contains(needs.*.result, 'failure') }}' = false", "'true'", "runs"),
        ("  ci-ok:", "  ci-ok:\n    steps: [{run: date}]\n  old:", "runs"),
    ] {
        let found = part(&[(WORKFLOW, workflow)], WORKFLOW, Some(workflow.replace(old, new).as_bytes()));
        assert_eq!(kind(found.as_ref()), expected, "{old} → {new}");
    }
    for (key, expected) in [("ci-ok", "takes name"), ("middle", "new"), ("test", "new")] {
        let text = format!("on: push\njobs:\n  {key}:\n    steps: [{{run: date}}]\n");
        assert_eq!(kind(part(&[(WORKFLOW, workflow)], other, Some(text.as_bytes())).as_ref()), expected, "{key}");
    }
}

#[test]
fn an_edit_that_its_reader_does_not_see_is_known() {
    let workflow =
        "on: pull_request\njobs:\n  gate:\n    steps:\n      - run: |\n          date\n          agent-strace check\n";
    let pipeline =
        "a: &a\n  script: [make]\ngate:\n  script:\n    - !reference [.setup, script]\n    - agent-strace check\n";
    for (path, text, old, new, expected) in [
        (WORKFLOW, workflow, "jobs:", "# The gate.\njobs:", "unseen"),
        (WORKFLOW, workflow, "jobs:", "\n\njobs: # all", "unseen"),
        (WORKFLOW, workflow, "\n", "\r\n", "unseen"),
        (WORKFLOW, workflow, "jobs:", "# The\u{2028}gate.\njobs:", "unseen"),
        (WORKFLOW, workflow, "jobs:", "# The\u{85}gate.\njobs:", "unseen"),
        (WORKFLOW, workflow, "jobs:", "# The\rgate: x\njobs:", "runs"),
        (WORKFLOW, workflow, "date", "# date", "runs"),
        (".gitlab-ci.yml", pipeline, "gate:", "# The gate!\ngate:", "unseen"),
        (".gitlab-ci.yml", pipeline, "!reference ", "", "runs"),
    ] {
        let found = part(&[(path, text)], path, Some(text.replace(old, new).as_bytes()));
        assert_eq!(kind(found.as_ref()), expected, "{path}: {old:?} → {new:?}");
    }
}

#[test]
fn every_edit_of_a_pipeline_with_the_gate_counts() {
    let pipeline = "stages: [test]\n.base:\n  tags: [x]\nsetup:\n  script: [date]\ngate:\n  extends: .base\n  script:\n    - agent-strace check\n";
    let path = ".gitlab-ci.yml";
    for (old, new) in [
        (
            "gate:\n",
            "build:\n  stage: build\n  script: ['echo exit 0 > ci/gate.sh']\n  artifacts: {paths: [ci]}\ngate:\n",
        ),
        ("tags: [x]", "rules: [{when: never}]"),
        ("agent-strace check", "true"),
        ("script: [date]", "script: [date]\n  artifacts: {reports: {dotenv: x}}"),
        ("setup:\n", "gate:\n"),
    ] {
        let found = part(&[(path, pipeline)], path, Some(pipeline.replacen(old, new, 1).as_bytes()));
        assert_eq!(kind(found.as_ref()), "runs", "{old} → {new}");
    }
}
