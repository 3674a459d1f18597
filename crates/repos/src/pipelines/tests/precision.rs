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
fn names_of_hostile_workflows_are_bounded() {
    let gate = step("uses: acme/agent-strace@v1");
    let other = ".github/workflows/lint.yml";
    let calls: Vec<String> = (0..12).map(|at| format!("  j{at}:\n    uses: ./{other}\n")).collect();
    let calls = calls.concat();
    let nested = |count: usize| format!("${{{{ {}'gate'{} }}}}", "format('{0}', ".repeat(count), ")".repeat(count));
    let matrix: Vec<u32> = (0..16).collect();
    let long = "agent-strac".repeat(35);
    let many: Vec<String> = (0..800)
        .map(|at| {
            format!(
                "  j{at}:\n    strategy: {{matrix: {{a: {matrix:?}, b: {matrix:?}}}}}\n    name: {long}${{{{ matrix.a }}}}${{{{ matrix.b }}}}\n"
            )
        })
        .collect();
    let many = many.concat();
    for (text, expected) in [
        (format!("on: workflow_call\njobs:\n{calls}"), "new"),
        (format!("jobs:\n  x:\n    name: \"{}\"\n", nested(20)), "takes name"),
        (format!("jobs:\n  x:\n    name: \"{}\"\n", nested(5000)), "may take name"),
        (format!("on: push\njobs:\n{many}"), "unreadable"),
    ] {
        let found = part(&[(WORKFLOW, &gate)], other, Some(text.as_bytes()));
        assert_eq!(kind(found.as_ref()), expected, "{}", text.get(..80).unwrap_or(&text));
    }
}

#[test]
fn names_that_a_job_had_before_are_not_taken_by_the_change() {
    let gate = step("uses: acme/agent-strace@v1");
    let other = ".github/workflows/lint.yml";
    let job = |on: &str, key: &str, name: &str, run: &str| {
        format!("on: {on}\njobs:\n  {key}:\n    name: {name}\n    steps: [{{run: {run}}}]\n")
    };
    let base = job("push", "gate", "gate", "a");
    let open = job("push", "x", "'${{ vars.x }}'", "a");
    for (base, text, expected) in [
        (&base, job("push", "gate", "gate", "b"), "nothing"),
        (&base, job("pull_request", "gate", "gate", "b"), "takes name"),
        (&base, job("push", "other", "gate", "b"), "takes name"),
        (&open, job("push", "x", "'${{ vars.x }}'", "b"), "nothing"),
        (&open, format!("{open}  y: {{name: '${{{{ vars.y }}}}'}}\n"), "may take name"),
    ] {
        let found = part(&[(WORKFLOW, &gate), (other, base)], other, Some(text.as_bytes()));
        assert_eq!(kind(found.as_ref()), expected, "{text}");
    }
}
