//! Files that a change puts before those that the gate calls, and files that its programs read by themselves.

use super::*;

/// A workflow whose job runs a command.
fn runs(command: &str) -> String {
    step(&format!("run: {command}"))
}

#[test]
fn a_new_file_that_the_gate_would_take_is_found() {
    let make = "gate:\n\tagent-strace check\n";
    let task = "version: '3'\ntasks:\n  gate:\n    cmds: [agent-strace check]\n";
    let package = "{\"scripts\": {\"gate\": \"agent-strace check\"}}";
    let action = "runs: {using: composite, steps: [{run: agent-strace check, shell: bash}]}\n";
    let python = "import json, subprocess\nsubprocess.run(['agent-strace', 'check'])\n";
    let compose = "services: {gate: {command: agent-strace check}}\n";
    let pom = "<project><exec executable=\"agent-strace\"><arg value=\"check\"/></exec></project>\n";
    let gradle = "task gate(type: Exec) { commandLine 'agent-strace', 'check' }\n";
    let tox = "[testenv:gate]\ncommands = agent-strace check\n";
    for (step, files, before, read) in [
        ("run: make gate", &[("Makefile", make)][..], &["GNUmakefile", "makefile"][..], &[][..]),
        ("run: just gate", &[(".justfile", "gate:\n    agent-strace check\n")], &["justfile", "Justfile"], &[".env"]),
        ("run: task gate", &[("Taskfile.yaml", task)], &["Taskfile.yml", "taskfile.yml"], &[".env", ".taskrc.yml"]),
        ("run: task gate", &[("Taskfile.dist.yml", task)], &["Taskfile.yml", "Taskfile.yaml"], &[]),
        ("run: docker compose run gate", &[("compose.yaml", compose)], &[], &["compose.override.yaml", ".env"]),
        (
            "run: docker-compose run gate",
            &[("docker-compose.yml", compose)],
            &[],
            &["docker-compose.override.yml", "compose.yaml"],
        ),
        ("uses: ./ci/gate", &[("ci/gate/action.yml", action)], &[], &["ci/gate/action.yaml"]),
        ("run: ci/gate", &[("ci/gate.sh", CHECK)], &["ci/gate"], &[]),
        ("run: npm run gate", &[("package.json", package)], &[], &[".npmrc", "node_modules/.bin/agent-strace"]),
        ("run: npx agent-strace check", &[], &[], &["node_modules/.bin/agent-strace", ".npmrc"]),
        ("run: python3 ci/gate.py", &[("ci/gate.py", python)], &[], &["ci/json.py", "ci/subprocess.py"]),
        (
            "run: mvn -Pgate verify",
            &[("pom.xml", pom)],
            &[],
            &[".mvn/jvm.config", ".mvn/extensions.xml", ".mvn/maven.config"],
        ),
        (
            "run: ./mvnw verify",
            &[("mvnw", "exec mvn\n# agent-strace check\n"), ("pom.xml", pom)],
            &[],
            &[".mvn/wrapper/maven-wrapper.properties"],
        ),
        (
            "run: gradle gate",
            &[("build.gradle", gradle)],
            &[],
            &["gradle.properties", "buildSrc/build.gradle", "settings.gradle"],
        ),
        (
            "run: ./gradlew gate",
            &[("gradlew", "# agent-strace check\n"), ("build.gradle.kts", gradle)],
            &[],
            &["gradle/wrapper/gradle-wrapper.properties"],
        ),
        ("run: tox -e gate", &[("tox.ini", tox)], &[], &["toxfile.py", "setup.cfg"]),
        (
            "run: pytest ci/agent-strace-gate",
            &[("ci/agent-strace-gate/test_gate.py", "x = 1\n")],
            &[],
            &["conftest.py", "pytest.ini"],
        ),
        (
            "run: 'export PATH=$PWD/tools:$PATH; agent-strace check'",
            &[("tools/x", "x\n")],
            &[],
            &["tools/agent-strace", "tools/git"],
        ),
        ("run: 'echo \"$GITHUB_WORKSPACE/tools\" >> \"$GITHUB_PATH\"; agent-strace check'", &[], &[], &["tools/git"]),
        ("run: 'for f in ci/gate.d/*.sh; do . \"$f\"; done; agent-strace check'", &[], &[], &["ci/gate.d/x.sh"]),
        ("run: 'run-parts ci/gate.d; agent-strace check'", &[], &[], &["ci/gate.d/x"]),
        ("run: 'cat ci/values >> $GITHUB_ENV; agent-strace check'", &[], &[], &["ci/values"]),
        (
            "run: make -f ci/gate.make gate",
            &[("ci/gate.make", "gate:\n\tagent-strace check\ninclude ci/*.mk\n")],
            &[],
            &["ci/x.mk"],
        ),
        (
            "run: node ci/gate.js",
            &[("ci/gate.js", "require('./lib'); exec('agent-strace check')\n"), ("ci/lib/index.js", "x\n")],
            &["ci/lib.js"],
            &[],
        ),
        (
            "run: just gate",
            &[("justfile", "import? 'ci/local.just'\ngate:\n    agent-strace check\n")],
            &[],
            &["ci/local.just"],
        ),
        ("run: npm run gate --workspace=ci", &[("package.json", package)], &[], &["ci/package.json"]),
        ("{uses: acme/agent-strace@v1, if: \"hashFiles('.gate') != ''\"}", &[], &[], &[".gate"]),
        ("{run: agent-strace check, env: {BASH_ENV: ci/start}}", &[], &[], &["ci/start"]),
        ("{uses: acme/agent-strace@v1, with: {binary: ./tools/agent-strace}}", &[], &[], &["tools/agent-strace"]),
    ] {
        let workflow = self::step(step);
        let base: Vec<(&str, &str)> = files.iter().copied().chain([(WORKFLOW, workflow.as_str())]).collect();
        for path in before.iter().chain(read) {
            let found = part(&base, path, Some(b"x = 1\n"));
            assert_eq!(kind(found.as_ref()), "would be called", "{step}: adds {path}");
        }
        for path in read {
            let known: Vec<(&str, &str)> = base.iter().copied().chain([(*path, "y = 1\n")]).collect();
            let found = part(&known, path, Some(b"x = 1\n"));
            assert_eq!(kind(found.as_ref()), "called", "{step}: changes {path}");
        }
        for path in ["src/a.py", "docs/Makefile", "README.md", "src/.npmrc"] {
            let found = kind(part(&base, path, Some(b"x = 1\n")).as_ref());
            assert!(["nothing", "of an agent"].contains(&found), "{step}: {path}: {found}");
        }
    }
}

#[test]
fn a_program_that_does_not_lead_to_the_gate_may_get_settings() {
    let workflow = "jobs:\n  gate:\n    steps: [{uses: acme/agent-strace@v1}]\n  test:\n    steps: [{run: npm test}, {run: make}]\n";
    let base =
        [(WORKFLOW, workflow), ("package.json", "{\"scripts\": {\"test\": \"jest\"}}"), ("Makefile", "a:\n\tb\n")];
    for path in [".npmrc", "GNUmakefile", "node_modules/.bin/jest", "conftest.py"] {
        let found = kind(part(&base, path, Some(b"x = 1\n")).as_ref());
        assert!(["nothing", "of an agent"].contains(&found), "{path}: {found}");
    }
}

#[test]
fn submodules_and_links_that_hold_a_part_of_the_gate_are_found() {
    let modules =
        "[submodule \"ci\"]\n\tpath = vendor/ci\n\turl = ../ci\n[submodule \"x\"]\n\tpath = vendor/x\n\turl = ../x\n";
    for command in [
        "vendor/ci/gate.sh",
        "bash vendor/ci/gate.sh",
        "make -C vendor/ci gate",
        "'cd vendor/ci && make gate'",
        "npm --prefix=vendor/ci run gate",
        "python3 vendor/ci/gate.py",
    ] {
        let workflow = runs(command);
        let base = [
            (WORKFLOW, workflow.as_str()),
            (".gitmodules", modules),
            ("vendor/ci", "submodule 1"),
            ("vendor/x", "submodule 1"),
        ];
        for (path, text, expected) in [
            ("vendor/ci", Some("submodule 2"), "called"),
            ("vendor/ci", None, "called"),
            ("vendor/x", Some("submodule 2"), "nothing"),
            (".gitmodules", Some(modules.replace("../ci", "../evil").as_str()), "called"),
            (".gitmodules", Some(modules.replace("../x", "../y").as_str()), "nothing"),
            (WORKFLOW, Some("jobs: {}\n"), "runs"),
        ] {
            let found = part(&base, path, text.map(str::as_bytes));
            assert_eq!(kind(found.as_ref()), expected, "{command}: {path} {text:?}");
        }
    }
    let action = step("uses: ./vendor/ci/gate");
    let base = [(WORKFLOW, action.as_str()), ("vendor/ci", "submodule 1")];
    assert_eq!(kind(part(&base, "vendor/ci", Some(b"submodule 2")).as_ref()), "called");

    let workflow = runs("ci/gate.sh");
    let base = [
        (WORKFLOW, workflow.as_str()),
        ("ci", "link to tools/ci"),
        ("tools/ci/gate.sh", "link to ../real.sh"),
        ("tools/real.sh", CHECK),
    ];
    for path in ["ci", "tools/ci/gate.sh", "tools/real.sh"] {
        assert_eq!(kind(part(&base, path, Some(b"true\n")).as_ref()), "called", "{path}");
    }
    let circle = [(WORKFLOW, workflow.as_str()), ("ci", "link to ci2"), ("ci2", "link to ci")];
    assert_eq!(kind(part(&circle, "src/a", Some(b"x")).as_ref()), "nothing");
}

#[test]
fn everything_that_runs_before_the_gate_in_its_job_is_a_part_of_it() {
    let jobs = |steps: &str| format!("jobs:\n  gate:\n    steps: [{steps}]\n");
    let action = "runs: {using: composite, steps: [{run: ./x.sh, shell: bash}]}\n";
    let package =
        "{\"scripts\": {\"prepare\": \"node ci/prepare.js\", \"test\": \"jest\"}, \"dependencies\": {\"a\": \"1\"}}";
    let gate = "{uses: acme/agent-strace@v1}";
    for (steps, path, text, expected) in [
        (format!("{{run: ci/setup.sh}}, {gate}"), "ci/setup.sh", "echo x >> $GITHUB_ENV\n", "called"),
        (format!("{{uses: ./ci/setup}}, {gate}"), "ci/setup/action.yml", "runs: {}\n", "called"),
        (format!("{{run: make setup}}, {gate}"), "Makefile", "setup:\n\techo x\nother:\n\ta\n", "called"),
        (format!("{{run: make setup}}, {gate}"), "Makefile", "setup:\n\t./y.sh\nother:\n\tb\n", "beside"),
        (format!("{{run: make setup}}, {gate}"), "y.sh", "b\n", "called"),
        (format!("{{run: make setup}}, {gate}"), "GNUmakefile", "setup:\n\ttrue\n", "would be called"),
        (format!("{gate}, {{run: make setup}}"), "Makefile", "setup:\n\techo x\nother:\n\ta\n", "beside"),
        (format!("{gate}, {{run: make setup}}"), "y.sh", "b\n", "nothing"),
        (format!("{{run: npm ci}}, {gate}"), "package.json", &package.replace("\"1\"", "\"2\""), "beside"),
        (format!("{{run: npm ci}}, {gate}"), "package.json", &package.replace("jest", "vitest"), "beside"),
        (format!("{{run: npm ci}}, {gate}"), "package.json", &package.replace("ci/prepare", "ci/other"), "called"),
        (format!("{{run: npm ci}}, {gate}"), "package.json", &package.replace("\"test\"", "\"preinstall\""), "called"),
        (format!("{{run: npm ci}}, {gate}"), "ci/prepare.js", "x\n", "called"),
        (format!("{gate}, {{run: npm ci}}"), "package.json", &package.replace("ci/prepare", "ci/other"), "beside"),
    ] {
        let workflow = jobs(&steps);
        let base = [
            (WORKFLOW, workflow.as_str()),
            ("ci/setup.sh", "date\n"),
            ("ci/setup/action.yml", action),
            ("ci/prepare.js", "1\n"),
            ("y.sh", "date\n"),
            ("Makefile", "setup:\n\t./y.sh\nother:\n\ta\n"),
            ("package.json", package),
        ];
        assert_eq!(kind(part(&base, path, Some(text.as_bytes())).as_ref()), expected, "{steps}: {path} {text}");
    }
}

#[test]
fn a_file_that_a_pipeline_of_another_system_would_take_is_found() {
    let config = "jobs:\n  gate:\n    steps:\n      - run: make gate\n  test:\n    steps:\n      - run: make test\n";
    let make = "gate:\n\tagent-strace check\ntest:\n\tcargo test\n";
    let base = [(".circleci/config.yml", config), ("Makefile", make)];
    assert_eq!(kind(part(&base, "makefile", Some(b"gate:\n\ttrue\n")).as_ref()), "would be called");
    let other = make.replace("cargo test", "cargo test --all");
    assert_eq!(kind(part(&base, "Makefile", Some(other.as_bytes())).as_ref()), "beside");
}

#[test]
fn what_runs_before_the_gate_in_its_job_is_a_part_of_it_in_every_system() {
    let circle = "version: 2.1\ncommands:\n  judge:\n    steps:\n      - run: agent-strace check\njobs:\n  gate:\n    steps:\n      - run: ci/setup.sh\n      \
                  - judge\n  test:\n    steps:\n      - run: ci/test.sh\n";
    let bitbucket = "definitions:\n  steps:\n    - step: &test\n        script: [ci/test.sh]\npipelines:\n  default:\n    - step: *test\n    \
                     - parallel:\n        - step:\n            script:\n              - . ci/setup.sh\n              - agent-strace check\n";
    let azure = "stages:\n  - stage: a\n    jobs:\n      - job: test\n        steps: [{script: ci/test.sh}]\n      - job: gate\n        steps:\n          \
                 - script: ci/setup.sh\n          - script: agent-strace check\n";
    let buildkite = "steps:\n  - command: ci/test.sh\n  - wait\n  - group: g\n    steps:\n      - commands: [ci/setup.sh, agent-strace check]\n";
    let jenkins =
        "pipeline { stages { stage('gate') { steps { sh './ci/setup.sh all'\n sh 'agent-strace check' } } } }\n";
    for (path, text, has_jobs) in [
        (".circleci/config.yml", circle, true),
        ("bitbucket-pipelines.yml", bitbucket, true),
        ("azure-pipelines.yml", azure, true),
        (".buildkite/pipeline.yml", buildkite, true),
        ("Jenkinsfile", jenkins, false),
        (".drone.yml", "steps:\n  - commands: [ci/setup.sh]\n  - commands: [agent-strace check]\n", false),
    ] {
        let base = [(path, text), ("ci/setup.sh", "date\n"), ("ci/test.sh", "date\n")];
        assert_eq!(kind(part(&base, "ci/setup.sh", Some(b"x\n")).as_ref()), "called", "{path}");
        assert_eq!(kind(part(&base, path, Some(b"x: y\n")).as_ref()), "runs", "{path}");
        if has_jobs {
            assert_eq!(kind(part(&base, "ci/test.sh", Some(b"x\n")).as_ref()), "nothing", "{path}");
        }
    }
}

#[test]
fn a_job_whose_outputs_the_gate_reads_is_a_part_of_it() {
    let workflow = "jobs:\n  plan:\n    steps: [{run: ci/plan.sh}]\n  test:\n    steps: [{run: ci/test.sh}]\n  gate:\n    \
                    needs: [plan, test]\n    if: needs.plan.outputs.run == 'true'\n    steps: [{uses: acme/agent-strace@v1}]\n";
    let base = [(WORKFLOW, workflow), ("ci/plan.sh", "date\n"), ("ci/test.sh", "date\n")];
    assert_eq!(kind(part(&base, "ci/plan.sh", Some(b"x\n")).as_ref()), "called");
    assert_eq!(kind(part(&base, "ci/test.sh", Some(b"x\n")).as_ref()), "nothing");
}

#[test]
fn the_package_that_brings_the_gate_is_pinned() {
    let workflow = runs("'npm ci && npx agent-strace check'");
    let lock = "{\n  \"packages\": {\n    \"node_modules/agent-strace-gate\": {\n      \"version\": \"1.0.0\",\n      \
                \"integrity\": \"sha512-a\"\n    },\n    \"node_modules/b\": {\n      \"version\": \"1.0.0\"\n    }\n  }\n}\n";
    let uv = "[[package]]\nname = \"agent-strace-gate\"\nversion = \"1\"\nsource = { url = \"a\" }\n\n[[package]]\nname = \"b\"\nversion = \"1\"\n";
    for (path, text, new, expected) in [
        ("package-lock.json", lock, lock.replace("sha512-a", "sha512-b"), "pins"),
        (
            "package-lock.json",
            lock,
            lock.replace("b\": {\n      \"version\": \"1", "b\": {\n      \"version\": \"2"),
            "nothing",
        ),
        ("uv.lock", uv, uv.replace("url = \"a\"", "url = \"b\""), "pins"),
        ("uv.lock", uv, uv.replace("\"b\"\nversion = \"1\"", "\"b\"\nversion = \"2\""), "nothing"),
        ("requirements.txt", "agent-strace-gate==1\nb==1\n", "agent-strace-gate==2\nb==1\n".to_owned(), "pins"),
        ("requirements.txt", "agent-strace-gate==1\nb==1\n", "agent-strace-gate==1\nb==2\n".to_owned(), "nothing"),
        (
            "package.json",
            "{\n  \"devDependencies\": {\n    \"agent-strace-gate\": \"1\"\n  }\n}\n",
            "{\n  \"devDependencies\": {\n    \"agent-strace-gate\": \"npm:x@1\"\n  }\n}\n".to_owned(),
            "pins",
        ),
        ("web/package.json", "{}\n", "{\"scripts\": {\"gate\": \"agent-strace check\"}}\n".to_owned(), "nothing"),
        (".tool-versions", "agent-strace 1.0\nnode 20\n", "agent-strace 2.0\nnode 20\n".to_owned(), "pins"),
    ] {
        let base = [(WORKFLOW, workflow.as_str()), (path, text)];
        assert_eq!(kind(part(&base, path, Some(new.as_bytes())).as_ref()), expected, "{path}");
    }
}

#[test]
fn a_file_that_a_system_reads_in_place_of_the_gate_is_found() {
    let workflow = step("uses: acme/agent-strace@v1");
    let other = "on: push\njobs: {x: {steps: [{run: date}]}}\n";
    let steps = "steps: [{commands: [agent-strace check]}]\n";
    for (base, path, expected) in [
        (&[(WORKFLOW, workflow.as_str())][..], ".gitea/workflows/x.yml", "may supersede"),
        (&[(WORKFLOW, &workflow)], ".forgejo/workflows/x.yml", "may supersede"),
        (&[(WORKFLOW, &workflow)], ".forgejo/README.md", "nothing"),
        (&[(WORKFLOW, &workflow), (".gitea/workflows/y.yml", other)], ".gitea/workflows/x.yml", "new"),
        (&[(".gitea/workflows/g.yml", &workflow)], WORKFLOW, "new"),
        (&[(".woodpecker.yml", steps)], ".woodpecker/x.yml", "supersedes"),
        (&[(".woodpecker.yml", steps)], ".woodpecker.yaml", "supersedes"),
        (&[(".woodpecker/g.yml", steps)], ".woodpecker.yml", "nothing"),
        (&[(".buildkite/pipeline.yml", steps)], "buildkite.yml", "supersedes"),
        (&[(".buildkite/pipeline.yml", steps)], ".buildkite/other.yml", "nothing"),
    ] {
        assert_eq!(kind(part(base, path, Some(other.as_bytes())).as_ref()), expected, "{path}");
    }
}

#[test]
fn a_workflow_that_the_gate_waits_for_keeps_its_name() {
    let workflow = "on: {workflow_run: {workflows: [Build, .github/workflows/plain.yml]}}\njobs: {gate: {steps: [{uses: acme/agent-strace@v1}]}}\n";
    let build = "name: Build\non: push\njobs: {x: {steps: [{run: date}]}}\n";
    let plain = "on: push\njobs: {x: {steps: [{run: date}]}}\n";
    let paths = [".github/workflows/build.yml", ".github/workflows/plain.yml"];
    let base = [(WORKFLOW, workflow), (paths[0], build), (paths[1], plain)];
    for (path, text, expected) in [
        (paths[0], Some(build.replace("Build", "Builds")), "starts"),
        (paths[0], Some(build.replace("date", "ls")), "nothing"),
        (paths[0], None, "starts"),
        (paths[1], Some(format!("name: x\n{plain}")), "starts"),
        (paths[1], Some(plain.replace("date", "ls")), "nothing"),
    ] {
        let found = part(&base, path, text.as_deref().map(str::as_bytes));
        assert_eq!(kind(found.as_ref()), expected, "{path}: {text:?}");
    }
}
