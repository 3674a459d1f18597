//! Pipelines of several files, and changes of several files.

use super::*;

#[test]
fn a_pipeline_that_is_not_known_as_a_whole_is_one_with_the_gate() {
    let edit = ("make lint", "make style");
    let root = |include: &str| INCLUDING.replacen("local: /ci/jobs.yml", include, 1);
    let files = [(GATE, INCLUDED), (JOBS, MORE)];
    for (include, expected) in [
        ("local: ci/jobs.yml", "other jobs"),
        ("local: ./ci/jobs.yml", "other jobs"),
        ("ci/jobs.yml", "other jobs"),
        ("local: ci/*.yml", "runs"),
        ("local: ci/jobs.y?ml", "runs"),
        ("local: $FILE.yml", "runs"),
        ("local: ci/missing.yml", "runs"),
        ("local: ci//jobs.yml", "runs"),
        ("local: ci/../ci/jobs.yml", "runs"),
        ("local: ci/jobs.txt", "runs"),
        ("local: [ci/jobs.yml]", "runs"),
        ("local: ci/jobs.yml\n    rules: [{when: never}]", "runs"),
        ("local: ci/jobs.yml\n    inputs: {a: b}", "runs"),
        ("https://example.com/jobs.yml", "runs"),
        ("remote: https://example.com/jobs.yml", "runs"),
        ("template: Security/SAST.gitlab-ci.yml", "runs"),
        ("component: gitlab.com/a/b@1", "runs"),
        ("project: a/b\n    file: /x.yml", "runs"),
        ("artifact: x.yml\n    job: y", "runs"),
    ] {
        let root = root(include);
        let base: Vec<(&str, &str)> = files.iter().copied().chain([(ROOT, root.as_str())]).collect();
        assert_eq!(edited(&base, ROOT, edit.0, edit.1), expected, "{include}");
    }
    for (jobs, expected) in [
        ("docs: {script: [mkdocs]}\n", "other jobs"),
        ("docs: {script: [!reference [.x, y]]}\n", "runs"),
        ("spec: {inputs: {}}\n", "runs"),
        ("spec:\n  inputs: {}\n---\ndocs: {script: [x]}\n", "runs"),
        ("include: [{remote: 'https://example.com/x.yml'}]\n", "runs"),
        ("include: .gitlab-ci.yml\n", "other jobs"),
        ("include: ci/missing.yml\n", "runs"),
        ("default: {cache: {paths: [x]}}\n", "runs"),
        ("docs: [\n", "runs"),
        (":lint: {script: [x]}\n", "runs"),
        ("lint: {script: [x]}\nlint: {script: [y]}\n", "runs"),
        ("agent-strace: {variables: {A: b}}\n", "runs"),
        ("link to ci/other.yml", "runs"),
        ("submodule x", "runs"),
    ] {
        let base = [(GATE, INCLUDED), (ROOT, INCLUDING), (JOBS, jobs), ("ci/other.yml", MORE)];
        assert_eq!(edited(&base, ROOT, edit.0, edit.1), expected, "{jobs}");
    }
    let base = [(ROOT, INCLUDING), (GATE, INCLUDED), (JOBS, MORE)];
    hold(
        &base,
        ROOT,
        "runs",
        &[
            // In another file, too, or a part of a job there.
            ("test:\n", "docs:\n  script: [x]\ntest:\n"),
            ("test:\n", "agent-strace:\n  script: [x]\ntest:\n"),
            ("test:\n", "agent-strace-report:\n  script: [x]\ntest:\n"),
            ("test:\n", ".agent-strace-fetch:\n  script: [x]\ntest:\n"),
            ("  - local: /ci/jobs.yml\n", ""),
            ("/ci/jobs.yml\n", "/ci/jobs.yml\n  - local: ci/more.yml\n"),
        ],
    );
    let extended = INCLUDING.replacen("test:\n", "test:\n  extends: lint\n", 1);
    let base = [(ROOT, extended.as_str()), (GATE, INCLUDED), (JOBS, MORE)];
    hold(&base, ROOT, "runs", &[("lint:\n", "lint2:\n"), ("lint:\n  script:\n    - make lint\n", "")]);
    hold(&base, ROOT, "other jobs", &[edit]);
    // The file of the gate has anchors, and so every edit of it counts.
    hold(
        &base,
        GATE,
        "runs",
        &[
            ("exit 2", "exit 0"),
            ("acme/agent-strace", "evil/agent-strace"),
            ("variables:", "new: {script: [x]}\nvariables:"),
        ],
    );
    // A child pipeline runs the gate.
    let child = [
        (ROOT, "lint:\n  script: [a]\nrun:\n  needs: []\n  trigger: {include: ci/gate.yml}\n"),
        ("ci/gate.yml", "gate: {needs: [], script: [agent-strace check]}\n"),
    ];
    hold(&child, ROOT, "runs", &[("[a]", "[b]")]);
}

#[test]
fn a_gate_that_is_written_in_two_places_is_one_with_the_pipeline() {
    let gate = "gate:\n  needs: []\n  script: [agent-strace check]\n";
    let root = "include: ci/gate.yml\nbuild:\n  script: [a]\n";
    for more in
        ["gate:\n  needs: [build]\n", "gate:\n  cache: {paths: [bin]}\n", "gate:\n  image: $X\n", "Gate: {tags: [x]}\n"]
    {
        let with = |text: &str| format!("{text}{more}");
        let (in_root, in_file) = (with(root), with(gate));
        let base = [(ROOT, in_root.as_str()), ("ci/gate.yml", gate)];
        assert_eq!(edited(&base, ROOT, "[a]", "[b]"), "runs", "{more}");
        let base = [(ROOT, root), ("ci/gate.yml", in_file.as_str())];
        assert_eq!(edited(&base, ROOT, "[a]", "[b]"), "runs", "{more}");
        let reversed = format!("include: ci/gate.yml\nbuild:\n  script: [a]\n{gate}");
        let base = [(ROOT, reversed.as_str()), ("ci/gate.yml", more)];
        assert_eq!(edited(&base, ROOT, "[a]", "[b]"), "runs", "{more}");
    }
    let base = [(ROOT, root), ("ci/gate.yml", gate)];
    assert_eq!(edited(&base, ROOT, "[a]", "[b]"), "other jobs");
    // Ruby has other members of the gate.
    for (old, new) in [
        ("  needs: []\n", "  needs: []\n  :needs: [build]\n"),
        ("  needs: []\n", "  needs: []\n  <<: {needs: [build]}\n"),
        ("  needs: []\n", "  needs: []\n  \"\\x3c<\": {needs: [build]}\n"),
        ("  needs: []\n", "  needs: []\n  needs: [build]\n"),
    ] {
        let text = gate.replacen(old, new, 1);
        let base = [(ROOT, root), ("ci/gate.yml", text.as_str())];
        assert_eq!(edited(&base, ROOT, "[a]", "[b]"), "runs", "{new}");
    }
}

#[test]
fn keys_that_other_readers_see_count_in_files_beside_the_gate() {
    let base = [(ROOT, INCLUDING), (GATE, INCLUDED), (JOBS, MORE)];
    for (more, expected) in [
        (":agent-strace:\n  script: [date]\n", "takes name"),
        ("\":agent-strace\":\n  script: [date]\n", "takes name"),
        (":\"agent-strace\": {script: [date]}\n", "takes name"),
        ("# x\u{2028}agent-strace: {script: [date]}\n", "takes name"),
        ("# x\u{2029}:agent-strace: {script: [date]}\n", "takes name"),
        ("# x\u{85}agent-strace: {script: [date]}\n", "takes name"),
        ("# x\ragent-strace: {script: [date]}\n", "takes name"),
        ("# x\u{2028}default: {before_script: [exit 0]}\n", "runs"),
        ("# x\u{2028}y\n", "runs"),
        ("# x\ry: {script: [z]}\n", "runs"),
        ("\"\\x3c<\": {agent-strace: {script: [date]}}\n", "runs"),
        ("\"<<\": {agent-strace: {script: [date]}}\n", "runs"),
        ("<<: {agent-strace: {script: [date]}}\n", "takes name"),
        ("<<: {x: {script: [date]}}\n", "runs"),
        ("? <<\n: {x: {script: [date]}}\n", "runs"),
        (":default:\n  before_script: [exit 0]\n", "runs"),
        (":variables:\n  PATH: ./bin\n", "runs"),
        (":workflow:\n  rules: [{when: never}]\n", "runs"),
        (":stages: [x]\n", "runs"),
        (":include: https://example.com/x.yml\n", "runs"),
        ("x: &x {script: [date]}\ny:\n  <<: *x\n", "nothing"),
        ("y:\n  script:\n    - cat <<EOF\n", "nothing"),
        (":x: {script: [date]}\n", "nothing"),
        ("# x\n", "nothing"),
    ] {
        let head = format!("{MORE}{more}");
        assert_eq!(kind(part(&base, JOBS, Some(head.as_bytes())).as_ref()), expected, "{more:?}");
    }
    let flow = [(ROOT, INCLUDING), (GATE, INCLUDED), (JOBS, "{docs: {script: [x]},\n y: {script: [x]}}\n")];
    let more = "y: {script: [x]},\n <<: {docs: {script: [y]}}}";
    assert_eq!(edited(&flow, JOBS, "y: {script: [x]}}", more), "runs");
    // They were there before.
    let odd = format!("# x\u{2028}y\n<<: {{x: {{script: [date]}}}}\n{MORE}");
    let base = [(ROOT, INCLUDING), (GATE, INCLUDED), (JOBS, odd.as_str())];
    assert_eq!(edited(&base, JOBS, "mkdocs", "mkdocs build"), "nothing");
    assert_eq!(edited(&base, JOBS, "# x\u{2028}y\n", ""), "nothing");
}

#[test]
fn the_edit_is_judged_by_the_branch_and_by_all_files_of_the_change() {
    let parts = |base: &str, head: &str, more: &[(&str, &str)]| {
        let known = [(ROOT, INCLUDING), (GATE, INCLUDED), (JOBS, MORE)];
        let before = Files::of(&known);
        let base = Files::of(&known).with(ROOT, Some(base.as_bytes().to_vec()));
        let mut head = Files::of(&known).with(ROOT, Some(head.as_bytes().to_vec()));
        let mut paths = vec![ChangedPath { path: ROOT, is_gone: false }];
        for (path, text) in more {
            head = head.with(path, Some(text.as_bytes().to_vec()));
            paths.push(ChangedPath { path, is_gone: false });
        }
        let changed = Changed { base: &base, before: &before, head: &head, paths, store: None };
        kind(touches(&changed).parts.get(ROOT))
    };
    let head = INCLUDING.replacen("make lint", "make style", 1);
    let renamed = INCLUDING.replacen("test:\n", "tests:\n", 1);
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(head.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(parts(INCLUDING, &head, &[]), "other jobs");
    // The branch went on meanwhile.
    assert_eq!(parts(&renamed, &head, &[]), "runs");
    assert_eq!(parts(INCLUDING, &head, &[(JOBS, "docs: {script: [x]}\n")]), "other jobs");
    assert_eq!(parts(INCLUDING, &head, &[(JOBS, "docs: {script: [!reference [.x, y]]}\n")]), "runs");
    assert_eq!(parts(INCLUDING, &head, &[(JOBS, "include: x.yml\n")]), "runs");
    assert_eq!(parts(INCLUDING, &head, &[(JOBS, "docs: [\n")]), "runs");
    assert_eq!(parts(INCLUDING, &head, &[(JOBS, "cache: {paths: [x]}\n")]), "runs");
    assert_eq!(parts(INCLUDING, &renamed, &[(JOBS, "docs: {script: [x]}\n")]), "other jobs");
    assert_eq!(parts(INCLUDING, &renamed, &[(JOBS, "tests: {script: [x]}\n")]), "runs");
    assert_eq!(parts(INCLUDING, &renamed, &[(JOBS, "docs: {extends: tests}\n")]), "runs");
    let base = [(ROOT, INCLUDING), (GATE, INCLUDED), (JOBS, MORE)];
    assert_eq!(kind(part(&base, ROOT, Some(&utf16)).as_ref()), "runs");
    assert_eq!(kind(part(&base, ROOT, None).as_ref()), "runs");
    assert_eq!(kind(part(&base, ROOT, Some(b"link to x")).as_ref()), "runs");
}

#[test]
fn a_large_pipeline_ends() {
    let paths: Vec<String> = (0..150).map(|at| format!("ci/{at}.yml")).collect();
    let root = format!("include: [{GATE}, {}]\nlint:\n  script: [a]\n", paths.join(", "));
    let base: Vec<(&str, &str)> =
        paths.iter().map(|path| (path.as_str(), MORE)).chain([(ROOT, root.as_str()), (GATE, INCLUDED)]).collect();
    assert_eq!(edited(&base, ROOT, "[a]", "[b]"), "runs");
    let long = format!("    - make {}\n", "\" ".repeat(100_000));
    hold(&[(ROOT, ALONE)], ROOT, "runs", &[("    - make lint\n", &long)]);
}
