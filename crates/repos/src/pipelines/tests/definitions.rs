//! Files that say what a build tool runs, and other ways to the gate that no recipe names.

use super::*;

const JOB: &str = "gate = 'agent-strace check'\n";

/// A command of the gate's job, the files of the base, a file that is changed, and the part that it has.
type Row<'r> = (&'r str, Listed<'r>, &'r str, &'r str);

fn hold(rows: &[Row<'_>]) {
    for (run, files, path, expected) in rows {
        let workflow = step(&format!("run: {run}"));
        let base: Vec<(&str, &str)> = files.iter().copied().chain([(WORKFLOW, workflow.as_str())]).collect();
        let found = part(&base, path, Some(b"x = 1\n"));
        assert_eq!(kind(found.as_ref()), *expected, "{run}: {path}");
    }
}

#[test]
fn what_a_build_tool_runs_by_a_name_is_the_gate() {
    let pom = ("pom.xml", "<project><exec>agent-strace check</exec></project>\n");
    let maven = [pom, ("mvnw", "#!/bin/sh\nexec java -jar x \"$@\"\n"), (".mvn/jvm.config", "-Xmx1g\n")];
    let plugin = [
        ("build.gradle", "apply from: 'ci/gate.gradle'\n"),
        ("ci/gate.gradle", "task gate(type: Exec) { commandLine 'agent-strace', 'check' }\n"),
        ("gradlew", "#!/bin/sh\nexec java -jar x \"$@\"\n"),
        ("gradle/wrapper/gradle-wrapper.properties", "a=1\n"),
    ];
    let bazel = [
        ("ci/BUILD", "sh_binary(name='gate', srcs=['gate.sh'])\n"),
        ("ci/gate.sh", CHECK),
        (".bazelrc", "build -c opt\n"),
        ("lib/BUILD", "cc_library(name='lib')\n"),
    ];
    let label = [("ci/BUILD.bazel", "sh_binary(name='gate', srcs=['//tools:gate.sh'])\n"), ("tools/gate.sh", CHECK)];
    let meson = [
        ("meson.build", "project('a')\nrun_target('lint', command: 'x')\nsubdir('ci')\n# gate\n"),
        ("ci/meson.build", "run_target('gate', command: 'agent-strace check')\n"),
        ("src/meson.build", "executable('a')\n"),
    ];
    let project = [("ci/project.json", "{\"targets\": {\"gate\": {\"command\": \"agent-strace check\"}}}\n")];
    let moon = [("ci/moon.yml", "tasks: {gate: {command: 'agent-strace check'}}\n")];
    let pants = [("ci/BUILD", "run_shell_command(name='gate', command='agent-strace check')\n")];
    hold(&[
        ("./mvnw verify", &maven, "mvnw", "called"),
        ("./mvnw verify", &maven, "pom.xml", "called"),
        ("./mvnw verify", &maven, ".mvn/jvm.config", "called"),
        ("./mvnw verify", &maven, ".mvn/extensions.xml", "would be called"),
        ("./mvnw verify", &maven, WORKFLOW, "runs"),
        ("./gradlew check", &plugin, "gradlew", "called"),
        ("./gradlew check", &plugin, "build.gradle", "called"),
        ("./gradlew check", &plugin, "ci/gate.gradle", "called"),
        ("./gradlew check", &plugin, "gradle/wrapper/gradle-wrapper.properties", "called"),
        ("./gradlew check", &plugin, "settings.gradle", "would be called"),
        ("bazel run //ci:gate", &bazel, "ci/BUILD", "called"),
        ("bazel run //ci:gate", &bazel, "ci/gate.sh", "called"),
        ("bazel run //ci:gate", &bazel, ".bazelrc", "called"),
        ("bazel run //ci:gate", &bazel, "lib/BUILD", "nothing"),
        ("bazel run //ci:gate", &label, "ci/BUILD.bazel", "called"),
        ("bazel run //ci:gate", &label, "tools/gate.sh", "called"),
        ("meson compile gate", &meson, "meson.build", "called"),
        ("meson compile gate", &meson, "ci/meson.build", "called"),
        ("meson compile gate", &meson, "src/meson.build", "nothing"),
        ("npx nx run ci:gate", &project, "ci/project.json", "called"),
        ("moon run ci:gate", &moon, "ci/moon.yml", "called"),
        ("pants run ci:gate", &pants, "ci/BUILD", "called"),
        ("tool run gate", &[("tool.toml", JOB)], "tool.toml", "called"),
        ("tool run gate", &[("tool.toml", JOB)], WORKFLOW, "runs"),
    ]);
}

#[test]
fn a_file_that_only_holds_a_name_is_no_part_of_the_gate() {
    let poe = "[tool.poe.tasks]\ngate = 'agent-strace check'\n[tool.pytest.ini_options]\ntestpaths = ['tests']\n";
    let spelling = "{\"words\": [\"agent-strace\", \"nextest\"]}\n";
    let scope = "{\"commands\": {\"allow\": [\"agent-strace check\", \"nextest\"]}}\n";
    let readme = "# gate\n\n    agent-strace check\n";
    let action = "runs: {using: composite, steps: [{run: agent-strace check nextest, shell: bash}]}\n";
    let other = "{\"targets\": {\"serve\": {\"command\": \"x\"}}}\n";
    let workflow = "on: push\njobs:\n  test:\n    steps:\n      - run: pytest tests\n      - run: cargo nextest run\n      \
                    - run: meson compile docs\n      - run: nx run web:serve\n      - run: tool gate\n";
    let base = [
        (WORKFLOW, "on: pull_request\njobs:\n  gate:\n    steps:\n      - uses: acme/agent-strace@v1\n"),
        (".github/workflows/test.yml", workflow),
        ("pyproject.toml", poe),
        ("cspell.json", spelling),
        (".agent-scope.json", scope),
        ("action.yml", action),
        ("README.md", readme),
        ("docs/gate.md", readme),
        ("meson.build", "install_data('docs/gate.md')\nrun_target('docs')\n"),
        ("web/project.json", other),
        ("tests/test_a.py", "x = 1\n"),
    ];
    for path in ["cspell.json", "README.md", "docs/gate.md", "meson.build", "web/project.json", "tests/test_a.py"] {
        assert_eq!(kind(part(&base, path, Some(b"y\n")).as_ref()), "nothing", "{path}");
    }
    let edited = workflow.replace("pytest tests", "pytest -q tests");
    let found = part(&base, ".github/workflows/test.yml", Some(edited.as_bytes()));
    assert_eq!(kind(found.as_ref()), "nothing");
}

#[test]
fn a_text_that_a_shell_is_given_is_the_gate() {
    let text = [("ci/gate.txt", CHECK), ("ci/notes.txt", "x\n"), ("ci/env", "A=1\n"), ("ci/hooks/pre-push", CHECK)];
    hold(&[
        ("'bash -c \"$(cat ci/gate.txt)\"'", &text, "ci/gate.txt", "called"),
        ("'eval \"$(cat ci/gate.txt)\"'", &text, "ci/gate.txt", "called"),
        ("'eval \"`cat ci/gate.txt`\"'", &text, "ci/gate.txt", "called"),
        ("'eval \"$(<ci/gate.txt)\"'", &text, "ci/gate.txt", "called"),
        ("'source <(cat ci/gate.txt)'", &text, "ci/gate.txt", "called"),
        ("'. <(cat ci/gate.txt)'", &text, "ci/gate.txt", "called"),
        ("'bash -eu < ci/gate.txt'", &text, "ci/gate.txt", "called"),
        ("'cat ci/gate.txt | bash -s'", &text, "ci/gate.txt", "called"),
        ("'. ci/env; agent-strace check'", &text, "ci/env", "called"),
        ("'source ci/env; agent-strace check'", &text, "ci/env", "called"),
        ("'cat ci/notes.txt | tee log; agent-strace check'", &text, "ci/notes.txt", "nothing"),
        ("'wc -l < ci/notes.txt; agent-strace check'", &text, "ci/notes.txt", "nothing"),
        ("'git config core.hooksPath ci/hooks && git push --dry-run'", &text, "ci/hooks/pre-push", "called"),
        ("'git -c core.hooksPath=ci/hooks push --dry-run'", &text, "ci/hooks/pre-push", "called"),
        (
            "'git config core.hooksPath ci/hooks; agent-strace check'",
            &text,
            "ci/hooks/post-checkout",
            "would be called",
        ),
        ("'git config user.name ci; agent-strace check'", &text, "ci/notes.txt", "nothing"),
        ("'git switch -c ci; agent-strace check'", &text, "ci/notes.txt", "nothing"),
    ]);
}
