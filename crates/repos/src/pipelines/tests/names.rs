//! Names of checks.

use super::*;

#[test]
fn the_name_of_the_check_is_read_as_the_forge_reads_it() {
    let gate = "jobs:\n  gate:\n    name: security gate\n    steps: [{uses: acme/agent-strace@v1}]\n";
    let other = ".github/workflows/other.yml";
    let named = |name: &str| format!("on: push\njobs:\n  x:\n    name: {name}\n    steps: [{{run: 'true'}}]\n");
    let matrix = |name: &str, matrix: &str| {
        format!("jobs:\n  x:\n    name: {name}\n    strategy: {{matrix: {matrix}}}\n    steps: []\n")
    };
    let key = "jobs:\n  'security gate': {steps: []}\n".to_owned();
    let alias = "x: &n security gate\njobs:\n  x: {name: *n, steps: []}\n".to_owned();
    for (text, expected) in [
        (named("security gate"), "takes name"),
        (named("'Security Gate '"), "takes name"),
        (named("\"security\\x20gate\""), "takes name"),
        (named("\"security\\u0020gate\""), "takes name"),
        (named(">-\n      security\n      gate"), "takes name"),
        (named("${{ format('{0} {1}', 'security', 'gate') }}"), "takes name"),
        (named("security ${{ github.event.x }}"), "takes name"),
        (named("${{ 'security gate' }}"), "takes name"),
        // Forges cut off outer blanks, however many there are.
        (named(&format!("\"{}security gate\"", " ".repeat(401))), "takes name"),
        (named(&format!("\"${{{{ format('{{0}}security gate', '{}') }}}}\"", " ".repeat(401))), "takes name"),
        (named(&format!("\"${{{{ '{}' }}}}${{{{ vars.X }}}}\"", " ".repeat(401))), "may take name"),
        (named("${{ github.event.x }}"), "may take name"),
        (named("${{ fromJSON(vars.X) }}"), "may take name"),
        (named("${{ github.event.x || 'security gate' }}"), "takes name"),
        (named("${{ (github.event.x == 'a' && 'security gate') || 'lint' }}"), "takes name"),
        (named("${{ github.event.x == 'security gate' && 'a' || 'b' }}"), "new"),
        (named("${{ contains(github.ref, 'security gate') && 'a' || 'b' }}"), "new"),
        (named("${{ fromJSON('\"security gate\"') }}"), "takes name"),
        (named("${{ fromJSON('[\"security gate\"]')[0] }}"), "takes name"),
        (named("${{ join(fromJSON('[\"security\", \"gate\"]'), ' ') }}"), "takes name"),
        (named("${{ fromJSON(vars.X)['security gate'] }}"), "takes name"),
        (
            "jobs:\n  x:\n    name: ${{ matrix.x }}\n    strategy:\n      matrix: ${{ fromJSON('{\"x\":[\"security gate\"]}') }}\n"
                .to_owned(),
            "takes name",
        ),
        (matrix("${{ matrix.x }}", "'${{ fromJSON(needs.a.outputs.b) }}'"), "may take name"),
        (matrix("test ${{ matrix.x }}", "'${{ fromJSON(needs.a.outputs.b) }}'"), "new"),
        (matrix("security ${{ matrix.x }}", "{x: [a, gate]}"), "takes name"),
        (matrix("security ${{ matrix.x }}", "{x: [a, b]}"), "new"),
        (matrix("security ${{ matrix.x }}", "{include: [{x: gate}]}"), "takes name"),
        (matrix("${{ matrix.x }}", "{x: '${{ fromJSON(vars.X) }}'}"), "may take name"),
        (key, "takes name"),
        ("x: &b {name: security gate}\njobs:\n  x: {<<: *b, steps: []}\n".to_owned(), "takes name"),
        ("jobs:\n  security gate: {name: '', steps: []}\n".to_owned(), "takes name"),
        (alias, "takes name"),
        (named("tests"), "new"),
        (named("tests (${{ matrix.os }})"), "new"),
        ("permissions: {checks: write}\njobs: {x: {steps: []}}\n".to_owned(), "sets checks"),
        ("permissions: write-all\njobs: {x: {steps: []}}\n".to_owned(), "sets checks"),
        ("jobs: [\n".to_owned(), "unreadable"),
        (named("agent-strace"), "runs"),
    ] {
        let found = part(&[(WORKFLOW, gate)], other, Some(text.as_bytes()));
        assert_eq!(kind(found.as_ref()), expected, "{text}");
        let mut wide = vec![0xff, 0xfe];
        wide.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        let found = part(&[(WORKFLOW, gate)], other, Some(&wide));
        assert_eq!(kind(found.as_ref()), expected, "UTF-16: {text}");
    }
    assert_eq!(kind(part(&[(WORKFLOW, gate)], other, Some(b"name: \xff\xfe")).as_ref()), "unreadable");
    // The change did not add this.
    let open = named("${{ github.event.x }}");
    let base = [(WORKFLOW, gate), (other, open.as_str())];
    assert_eq!(kind(part(&base, other, Some(format!("{open}# more\n").as_bytes())).as_ref()), "nothing");
}

#[test]
fn checks_of_called_workflows_have_the_names_of_both() {
    let caller = "jobs:\n  gate:\n    uses: ./.github/workflows/called.yml\n";
    let called = "on: workflow_call\njobs:\n  judge:\n    steps: [{uses: acme/agent-strace@v1}]\n";
    let base = [(WORKFLOW, caller), (".github/workflows/called.yml", called)];
    let other = ".github/workflows/other.yml";
    for (name, expected) in [("gate / judge", "takes name"), ("gate / x", "new"), ("judge", "takes name"), ("x", "new")]
    {
        let text = format!("jobs:\n  a: {{name: {name}, steps: []}}\n");
        assert_eq!(kind(part(&base, other, Some(text.as_bytes())).as_ref()), expected, "{name}");
    }
    assert_eq!(kind(part(&base, WORKFLOW, None).as_ref()), "runs");
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
        (format!("jobs:\n  x:\n    name: \"{}\"\n", nested(5000)), "takes name"),
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
    let blocks = job("\n  push:\n  schedule:", "gate", "gate", "a");
    let open = job("push", "x", "'${{ vars.x }}'", "a");
    for (base, text, expected) in [
        (&base, job("push", "gate", "gate", "b"), "nothing"),
        (&base, job("pull_request", "gate", "gate", "b"), "takes name"),
        (&base, job("push", "other", "gate", "b"), "takes name"),
        (&base, job("\n  pull_request:\n  push:", "gate", "gate", "b"), "takes name"),
        (&blocks, job("\n  pull_request:\n  push:", "gate", "gate", "b"), "takes name"),
        (&blocks, job("\n  push:\n  schedule:", "gate", "gate", "b"), "nothing"),
        (&open, job("push", "x", "'${{ vars.x }}'", "b"), "nothing"),
        (&open, format!("{open}  y: {{name: '${{{{ vars.y }}}}'}}\n"), "may take name"),
    ] {
        let found = part(&[(WORKFLOW, &gate), (other, base)], other, Some(text.as_bytes()));
        assert_eq!(kind(found.as_ref()), expected, "{text}");
    }
}
