//! Modules that a script of the gate would take from the repository.

use super::*;

/// The part of a new file, where the job of the gate runs a script.
fn added(run: &str, script: (&str, &str), path: &str) -> &'static str {
    let workflow = step(&format!("run: {run}"));
    kind(part(&[script, (WORKFLOW, &workflow)], path, Some(b"x = 1\n")).as_ref())
}

#[test]
fn a_module_beside_a_script_of_the_gate_is_found_however_it_is_imported() {
    let run = ".run(['agent-strace', 'check'])\n";
    for import in [
        "import subprocess; subprocess",
        "import os, \\\n    subprocess\nsubprocess",
        "__import__('subprocess')",
        "import importlib\nimportlib.import_module(\"subprocess\")",
        "from subprocess import run; subprocess",
        "from subprocess import (\n    run)\nsubprocess",
        "if True: import subprocess as s\ns",
    ] {
        let script = format!("{import}{run}");
        for (path, expected) in [
            ("ci/subprocess.py", "would be called"),
            ("ci/subprocess/__init__.py", "would be called"),
            ("ci/signal.py", "would be called"),
            ("ci/other.py", "nothing"),
            ("lib/subprocess.py", "nothing"),
            ("ci/subprocess.txt", "nothing"),
        ] {
            let found = added("python ci/gate.py", ("ci/gate.py", &script), path);
            assert_eq!(found, expected, "{import}: {path}");
        }
    }
}

#[test]
fn a_file_or_a_package_that_a_script_of_node_takes_is_found() {
    for (import, path) in [
        ("require(\"./run\")", "ci/run.js"),
        ("import run from './run'", "ci/run.mjs"),
        ("await import('./run.mjs')", "ci/run.mjs"),
        ("require('zx')", "node_modules/zx/index.js"),
        ("import { $ } from \"@acme/zx\"", "ci/node_modules/@acme/zx/package.json"),
    ] {
        let script = format!("{import}; x('agent-strace check')\n");
        for (path, expected) in
            [(path, "would be called"), ("ci/other.js", "nothing"), ("node_modules/other/index.js", "nothing")]
        {
            let found = added("node ci/gate.mjs", ("ci/gate.mjs", &script), path);
            assert_eq!(found, expected, "{import}: {path}");
        }
    }
}
