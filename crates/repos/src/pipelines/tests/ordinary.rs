//! Files that ordinary changes touch beside a gate that is installed as usual.

use super::*;

const GATE_CALL: &str = "agent-strace check";

/// The kind of part of a file that a change edits, and of one that it adds, where the job of the gate runs a command first.
fn kinds(command: &str, files: Listed<'_>, path: &str) -> [&'static str; 2] {
    let workflow = format!("{}      - run: {GATE_CALL}\n", step(&format!("run: {command}")));
    let new: Vec<(&str, &str)> = files.iter().copied().chain([(WORKFLOW, workflow.as_str())]).collect();
    let known: Vec<(&str, &str)> = new.iter().copied().chain([(path, "a: 1\n")]).collect();
    [known, new].map(|base| kind(part(&base, path, Some(b"b: 2\n")).as_ref()))
}

#[test]
fn a_gate_from_elsewhere_reads_no_settings_of_the_repository() {
    let docker = "docker run --rm -v .:/repo ghcr.io/acme/agent-strace check";
    for (command, path) in [
        ("pip install agent-strace-gate==1.0", "setup.py"),
        ("pip install agent-strace-gate==1.0", "setup.cfg"),
        ("python3 -m pip install -r ci/agent-strace.txt agent-strace-gate", "setup.py"),
        ("pip install git+https://example.org/acme/agent-strace", "setup.py"),
        ("uv pip install agent-strace-gate", "setup.cfg"),
        ("uv pip install agent-strace-gate", ".python-version"),
        ("uvx --from agent-strace-gate agent-strace check", ".python-version"),
        ("uvx --from agent-strace-gate agent-strace check", "uv.toml"),
        ("uv tool install agent-strace-gate", ".python-version"),
        ("uv tool run --from agent-strace-gate agent-strace check", "uv.toml"),
        ("npx --package agent-strace-gate agent-strace check", "pnpm-workspace.yaml"),
        ("npx --package agent-strace-gate agent-strace check", ".yarnrc.yml"),
        ("npm install -g agent-strace-gate", "pnpm-workspace.yaml"),
        ("cargo install --locked agent-strace", "build.rs"),
        ("cargo +stable install --git https://example.org/acme/agent-strace", "build.rs"),
        ("cargo binstall agent-strace", "rust-toolchain.toml"),
        (docker, ".dockerignore"),
        (docker, ".env"),
        (docker, "Dockerfile"),
        ("nix run github:acme/agent-strace -- check", "flake.lock"),
        ("nix --extra-experimental-features 'nix-command flakes' run github:acme/agent-strace", "flake.nix"),
        ("nix shell nixpkgs#jq github:acme/agent-strace -c agent-strace check", "flake.nix"),
        ("agent-strace check --trace-dir tools/docker", ".dockerignore"),
        ("agent-strace check --trace-dir docker", ".dockerignore"),
        ("agent-strace check --trace-dir tools/tox", "pyproject.toml"),
    ] {
        assert_eq!(kinds(command, &[], path), ["nothing"; 2], "{command}: {path}");
    }
}

#[test]
fn a_gate_of_the_repository_reads_its_settings() {
    for (command, path) in [
        ("pip install ./agent-strace", "setup.py"),
        ("pip install -e . agent-strace-gate", "setup.py"),
        ("python -m pip install . agent-strace-gate", "setup.cfg"),
        ("uv pip install agent-strace-gate", "uv.toml"),
        ("uv run agent-strace check", "uv.toml"),
        ("uv sync --only-group agent-strace", "uv.toml"),
        ("npx --package agent-strace-gate agent-strace check", ".npmrc"),
        ("pnpm exec agent-strace check", ".pnpmfile.cjs"),
        ("yarn agent-strace check", ".yarnrc.yml"),
        ("cargo run -p agent-strace", "build.rs"),
        ("cargo install --path agent-strace", "build.rs"),
        ("docker build -t agent-strace .", "Dockerfile"),
        ("docker buildx build -t agent-strace .", ".dockerignore"),
        ("docker compose run agent-strace", ".env"),
        ("'nix run .#agent-strace'", "flake.lock"),
        ("nix develop -c agent-strace check", "flake.nix"),
        ("sudo -u ci tox -e agent-strace", "toxfile.py"),
        ("python -m tox -e agent-strace", "toxfile.py"),
        ("timeout 60 sudo uv run pytest ci/agent-strace", "conftest.py"),
    ] {
        assert_eq!(kinds(command, &[], path), ["called", "would be called"], "{command}: {path}");
    }
}

#[test]
fn a_file_that_a_program_of_the_gate_reads_counts_by_the_part_that_is_read() {
    let tox = ("tox -e gate", "tox.ini", "[testenv:gate]\ncommands = agent-strace check\n");
    let npm = ("pnpm run gate", "package.json", "{\"scripts\": {\"gate\": \"agent-strace check\"}}");
    let mise = ("mise run gate", "mise.toml", "[tasks.gate]\nrun = \"agent-strace check\"\n");
    let gradle = ("gradle gate", "build.gradle", "task gate { commandLine 'agent-strace', 'check' }\n");
    let poetry =
        "[project]\nname = 'a'\ndependencies = ['x==1']\n[tool.tox]\nlegacy_tox_ini = '''\n[tox]\nenvlist = py\n'''\n";
    let cfg = "[metadata]\nversion = 1\n[tox:tox]\nx = 1\n  [metadata]\n  y = 1\n";
    let workspace = "packages: [a]\ncatalog: {b: '1'}\nshamefullyHoist: true\n";
    let properties = "version=1\norg.gradle.jvmargs=-Xmx2g\n";
    for ((run, recipes, lines), path, text, old, new, expected) in [
        (tox, "pyproject.toml", poetry, "x==1", "x==2", "nothing"),
        (tox, "pyproject.toml", poetry, "envlist = py", "envlist = py\n[testenv:gate]", "called"),
        (tox, "pyproject.toml", poetry, "[tool.tox]", "[build-system]\nbackend-path = ['ci']\n[tool.tox]", "called"),
        (tox, "pyproject.toml", poetry, "[project]", "[project", "called"),
        (tox, "setup.cfg", cfg, "version = 1", "version = 2", "nothing"),
        (tox, "setup.cfg", cfg, "x = 1", "x = 2", "called"),
        (tox, "setup.cfg", cfg, "y = 1", "y = 2", "called"),
        (npm, "pnpm-workspace.yaml", workspace, "[a]", "[a, b]", "nothing"),
        (npm, "pnpm-workspace.yaml", workspace, "b: '1'", "b: '2'", "nothing"),
        (npm, "pnpm-workspace.yaml", workspace, "packages", "scriptShell: ./x\npackages", "called"),
        (npm, "pnpm-workspace.yaml", workspace, "b: '1'", "b: '1', agent-strace-gate: '2'", "pins"),
        (mise, ".tool-versions", "nodejs 20\n", "20", "22", "nothing"),
        (mise, ".tool-versions", "nodejs 20\n", "20", "path:./node", "called"),
        (gradle, "gradle/libs.versions.toml", "[versions]\na = '1'\n", "'1'", "'2'", "nothing"),
        (gradle, "gradle.properties", properties, "version=1", "version=2", "nothing"),
        (gradle, "gradle.properties", properties, "-Xmx2g", "-javaagent:x.jar", "called"),
        (gradle, "gradle.properties", properties, "version=1", "version=1\\", "called"),
    ] {
        let workflow = step(&format!("run: {run}"));
        let base = [(WORKFLOW, workflow.as_str()), (recipes, lines), (path, text)];
        let found = part(&base, path, Some(text.replace(old, new).as_bytes()));
        assert_eq!(kind(found.as_ref()), expected, "{run}: {path}: {old:?} → {new:?}");
    }
    let workflow = step("run: tox -e gate");
    let base = [(WORKFLOW, workflow.as_str()), (tox.1, tox.2)];
    for (text, expected) in [("[project]\nname = 'a'\n", "nothing"), ("[tool.tox]\nx = 1\n", "would be called")] {
        let found = part(&base, "pyproject.toml", Some(text.as_bytes()));
        assert_eq!(kind(found.as_ref()), expected, "{text}");
    }
}

#[test]
fn code_that_stands_before_the_gate_is_a_part_of_it() {
    let alias = "[alias]\ngate = \"run -p tool --\"\n[build]\njobs = 1\n# agent-strace check\n";
    let call = "import subprocess\nsubprocess.run(['agent-strace', 'check'])\n";
    let xtask = "[package]\nname = \"xtask\"\n[dependencies]\na = \"1\"\n";
    let bin = format!("{xtask}[[bin]]\nname = \"xtask\"\npath = \"../x.rs\"\n");
    let main = ("xtask/src/main.rs", "// agent-strace check\n");
    let mise = ("mise.toml", "[tasks.gate]\nrun = \"agent-strace check\"\n");
    for (run, files, path, text, expected) in [
        ("cargo gate", &[(".cargo/config.toml", alias)][..], ".cargo/config.toml", "[alias]\n", "called"),
        (
            "cargo gate",
            &[(".cargo/config.toml", alias), ("tool/src/main.rs", "x\n")],
            "tool/src/main.rs",
            "y\n",
            "called",
        ),
        ("cargo xtask gate", &[main, ("xtask/Cargo.toml", xtask)], "xtask/Cargo.toml", &bin, "called"),
        (
            "cargo xtask gate",
            &[main, ("xtask/Cargo.toml", xtask)],
            "xtask/Cargo.toml",
            &xtask.replace('1', "2"),
            "nothing",
        ),
        ("'pip install -e .; agent-strace check'", &[("setup.py", "setup()\n")], "setup.py", "x\n", "called"),
        ("'python -m pip install .; agent-strace check'", &[("setup.py", "setup()\n")], "setup.py", "x\n", "called"),
        ("'pip install -r a.txt; agent-strace check'", &[("setup.py", "setup()\n")], "setup.py", "x\n", "nothing"),
        ("python ci/gate.py", &[("ci/gate.py", call)], "ci/subprocess/__init__.py", "x = 1\n", "would be called"),
        ("mise run gate", &[mise], ".config/mise/config.toml", "x = 1\n", "would be called"),
        ("mise run gate", &[mise], ".config/mise/conf.d/x.toml", "x = 1\n", "would be called"),
    ] {
        let workflow = step(&format!("run: {run}"));
        let base: Vec<(&str, &str)> = files.iter().copied().chain([(WORKFLOW, workflow.as_str())]).collect();
        let found = part(&base, path, Some(text.as_bytes()));
        assert_eq!(kind(found.as_ref()), expected, "{run}: {path}: {text}");
    }
}
