use super::*;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const OWNERS: &str = "* @acme/all\n/.agent-* @acme/security\n/.github/ @acme/security\n/CODEOWNERS @acme/security\n";

/// A workflow with a step that judges; `{}` in it stands for the commit.
fn workflow(on: &str, job: &str, step: &str) -> String {
    let text = format!(
        "on:\n  merge_group:\n{on}permissions: {{contents: read}}\njobs:\n  gate:\n{job}    steps:\n      - uses: \
         acme/agent-strace@{COMMIT}\n{step}"
    );
    text.replace("@@", COMMIT)
}

fn held(file: &str, text: &str) -> Held {
    let policy = Policy::from_bytes(".agent-scope.json", None, b"{}").unwrap();
    Held {
        pipelines: vec![(file.to_owned(), Ok(text.to_owned()))],
        owners: Vec::new(),
        policy_path: ".agent-scope.json".to_owned(),
        policy: Some(Ok(Box::new(policy))),
        store: ".agent-traces".to_owned(),
        ignores_store: false,
    }
}

const FILE: &str = ".github/workflows/gate.yml";
const ON: &str = "  pull_request:\n    branches: [main]\n";

fn github(text: &str) -> Examination {
    examine(&held(FILE, text))
}

/// Ids of what is worse than good, with the line.
fn bad(examination: &Examination) -> Vec<(&'static str, &'static str, u32)> {
    let bad = examination.checks.iter().filter(|check| check.state < State::Good && check.id != "owners/there");
    bad.map(|check| (check.id, check.state.name(), check.location.as_ref().map_or(0, |(_, line)| *line))).collect()
}

/// By the run that a label started, and in a queue.
const LABELED: &str = "        with:
          reviewed-by: >-
            ${{ github.event.action == 'labeled' && github.event.label.name == 'x' && github.event.sender.login
            || github.event_name == 'merge_group' && 'the queue' || '' }}
";

#[test]
fn a_job_that_judges_pull_requests_is_visible_and_with_owners_reviewed() {
    for text in [
        workflow(ON, "", ""),
        workflow("  pull_request_target:\n", "", ""),
        workflow(ON, "    if: always()\n    needs: [build]\n", "        if: ${{ always() }}\n"),
        workflow(ON, "    if: ${{ !cancelled() }}\n", "        with: {policy-ref: auto, fail-on: warning}\n"),
        workflow(ON, "", "        with: {policy-ref: origin/main, base: main}\n"),
        workflow(ON, "", "        with:\n          reviewed-by: ${{ needs.approval.outputs.who }}\n"),
        workflow(ON, "", LABELED),
        workflow("  pull_request: {types: [opened, synchronize, reopened, labeled]}\n", "", ""),
    ] {
        let mut held = held(FILE, &text);
        let examination = examine(&held);
        assert_eq!(
            (examination.strength, examination.exit_code()),
            (Strength::Visible, 0),
            "{:#?}",
            examination.checks
        );
        assert_eq!(bad(&examination), []);
        held.owners.push(("CODEOWNERS".to_owned(), OWNERS.to_owned()));
        assert_eq!(examine(&held).strength, Strength::Reviewed, "{:#?}", examine(&held).checks);
    }
}

#[test]
fn the_check_to_require_is_named_and_what_can_not_be_seen_is_said() {
    let examination = github(&workflow(ON, "    name: agent gate\n", ""));
    assert_eq!(examination.gates[0].job, "agent gate");
    let unseen: Vec<&str> = examination
        .checks
        .iter()
        .filter(|check| check.state == State::Unseen)
        .map(|check| check.message.as_str())
        .collect();
    assert_eq!(unseen.len(), 2);
    assert!(unseen.iter().any(|message| message.contains("`agent gate` is required")), "{unseen:?}");
    let independent = github(&workflow("  pull_request_target:\n", "", ""));
    assert!(independent.gates[0].is_independent && !examination.gates[0].is_independent);
}

#[test]
fn what_lets_a_change_through_is_found_where_it_stands() {
    for (on, job, step, wanted) in [
        ("  pull_request:\n    paths: [src/**]\n", "", "", ("gate/filters", "defeated", 4)),
        ("  pull_request:\n    paths-ignore: [docs/**]\n", "", "", ("gate/filters", "defeated", 4)),
        ("  pull_request: {types: [opened]}\n", "", "", ("gate/filters", "defeated", 3)),
        (ON, "    if: github.actor != 'dependabot[bot]'\n", "", ("gate/skipped", "defeated", 8)),
        (ON, "    needs: build\n", "", ("gate/skipped", "defeated", 8)),
        (ON, "", "        if: success()\n", ("gate/skipped", "defeated", 10)),
        (ON, "    continue-on-error: true\n", "", ("gate/forgiven", "defeated", 10)),
        (ON, "", "        continue-on-error: true\n", ("gate/forgiven", "defeated", 9)),
        (ON, "", "        with: {fail-on: never}\n", ("gate/forgiven", "defeated", 10)),
        (ON, "", "        with: {policy-ref: HEAD}\n", ("gate/base", "defeated", 10)),
        (ON, "", "        with: {base: '${{ github.event.pull_request.head.sha }}'}\n", ("gate/base", "defeated", 10)),
        (ON, "", "        with: {reviewed-by: dana}\n", ("gate/reviewed", "defeated", 10)),
        (ON, "", "        with: {reviewed-by: '${{ github.actor }}'}\n", ("gate/reviewed", "defeated", 10)),
        (
            ON,
            "",
            "        with: {reviewed-by: \"${{ needs.x.result || 'dana' }}\"}\n",
            ("gate/reviewed", "defeated", 10),
        ),
        (ON, "", "      - run: agent-strace check\n", ("gate/base", "defeated", 10)),
        (ON, "", "      - run: agent-strace check --policy-ref HEAD\n", ("gate/base", "defeated", 10)),
        (ON, "    permissions: write-all\n", "", ("gate/permissions", "weak", 8)),
        (ON, "    permissions: {contents: write}\n", "", ("gate/permissions", "weak", 8)),
    ] {
        let text = workflow(on, job, step);
        let examination = github(&text);
        assert_eq!(bad(&examination), [wanted], "{text}");
        assert_eq!(examination.exit_code(), u8::from(wanted.1 == "defeated"), "{text}");
    }
}

#[test]
fn code_that_can_be_moved_or_comes_with_the_change_is_found() {
    let with = |uses: &str| workflow(ON, "", "").replace(&format!("acme/agent-strace@{COMMIT}"), uses);
    assert_eq!(bad(&github(&with("acme/agent-strace@v1"))), [("gate/pinned", "weak", 9)]);
    assert_eq!(bad(&github(&with("./.github/actions/agent-strace"))), [("gate/pinned", "defeated", 9)]);
    let target = "  pull_request_target:\n";
    let checkout =
        "      - uses: actions/checkout@v6\n        with: {ref: '${{ github.event.pull_request.head.sha }}'}\n";
    assert_eq!(bad(&github(&workflow(target, "", checkout))), [("gate/checkout", "defeated", 10)]);
}

#[test]
fn one_gate_that_is_intact_is_enough_and_none_is_not() {
    let mut held = held(FILE, &workflow(ON, "", "        continue-on-error: true\n"));
    assert_eq!(examine(&held).exit_code(), 1);
    held.pipelines.push((".github/workflows/b.yml".to_owned(), Ok(workflow(ON, "", ""))));
    assert_eq!(examine(&held).exit_code(), 0);
    for text in [
        workflow("", "", "").replace("  merge_group:", "  push:"),
        workflow(ON, "", "").replace("acme/agent-strace@", "acme/other@"),
        workflow(ON, "", "").replace(&format!("uses: acme/agent-strace@{COMMIT}"), "run: agent-strace audit-tools ."),
        String::new(),
    ] {
        let examination = github(&text);
        assert_eq!((examination.strength, examination.exit_code()), (Strength::None, 1), "{text}");
        assert!(examination.gates.is_empty());
    }
}

#[test]
fn what_can_not_be_read_is_not_known() {
    assert_eq!(github("agent-strace: [").exit_code(), 2);
    let mut held = held(FILE, &workflow(ON, "", ""));
    held.pipelines.push((".github/workflows/b.yml".to_owned(), Err("it is a link".to_owned())));
    assert_eq!(examine(&held).exit_code(), 2);
}

#[test]
fn without_a_policy_that_can_be_used_no_gate_is_in_force() {
    let mut held = held(FILE, &workflow(ON, "", ""));
    for policy in [None, Some(Err("line 1: no".to_owned()))] {
        held.policy = policy;
        let examination = examine(&held);
        assert_eq!((examination.strength, examination.exit_code()), (Strength::None, 1));
    }
}

#[test]
fn pipelines_of_gitlab_are_read_too() {
    let template = include_str!("../../../../src/cli/init/templates/gitlab.yml");
    let file = ".gitlab/agent-strace.gitlab-ci.yml";
    let mut held = held(file, template);
    let included = |line| ("gate/included", "defeated", line);
    assert_eq!(bad(&examine(&held)), [included(60), included(86)]);
    held.pipelines.push((".gitlab-ci.yml".to_owned(), Ok(format!("include: [{{local: {file}}}]\n"))));
    let examination = examine(&held);
    assert_eq!((examination.strength, examination.exit_code()), (Strength::Visible, 0), "{:#?}", examination.checks);
    let gitlab = |text: &str| examine(&self::held(".gitlab-ci.yml", text));
    let good = "gate:\n  script: [agent-strace check --policy-ref auto]\n";
    assert_eq!(gitlab(good).exit_code(), 0);
    for (text, id) in [
        ("gate:\n  script: [agent-strace check]\n", "gate/base"),
        ("gate:\n  script: ['agent-strace check --policy-ref auto || code=$?']\n", "gate/forgiven"),
        (&*(good.to_owned() + "  allow_failure: true\n"), "gate/forgiven"),
        (&*(good.to_owned() + "  when: manual\n"), "gate/skipped"),
        (&*(good.to_owned() + "  rules: [{if: $X, changes: [src/*]}]\n"), "gate/filters"),
        (&*(good.to_owned() + "  only: {changes: [src/*]}\n"), "gate/filters"),
    ] {
        let examination = gitlab(text);
        assert_eq!(examination.exit_code(), 1, "{text}");
        assert!(bad(&examination).iter().all(|(found, ..)| *found == id), "{text} {:?}", examination.checks);
    }
}

#[test]
fn the_last_line_of_code_owners_that_matches_decides() {
    let is_owned = |text: &str, path: &str| {
        let checks = owners::checks(&[("CODEOWNERS".to_owned(), text.to_owned())], &[path.to_owned()]);
        checks[0].state == State::Good
    };
    for (text, path, wanted) in [
        ("* @a", ".agent-scope.json", true),
        ("* @a\n.agent-scope.json", ".agent-scope.json", false),
        ("/.agent-scope.json @a/b # why", ".agent-scope.json", true),
        ("/.agent-scope.json # @a", ".agent-scope.json", false),
        ("agent-scope.json @a", ".agent-scope.json", false),
        (".github/ @a", ".github/workflows/gate.yml", true),
        ("/.github @a", ".github/workflows/gate.yml", true),
        (".github/* @a", ".github/workflows/gate.yml", false),
        (".github/** @a", ".github/workflows/gate.yml", true),
        ("workflows/ a@example.com", ".github/workflows/gate.yml", true),
        ("*.yml @a", ".github/workflows/gate.yml", true),
        ("/*.yml @a", ".github/workflows/gate.yml", false),
        ("!* @a", "x", false),
        ("[Gate] @a\n/.github/", ".github/workflows/gate.yml", true),
        ("[Gate]\n/.github/", ".github/workflows/gate.yml", false),
        ("^[Gate] @a\n/.github/", ".github/workflows/gate.yml", false),
        ("my\\ file @a", "my file", true),
        ("# * @a", "x", false),
    ] {
        assert_eq!(is_owned(text, path), wanted, "{text:?} {path}");
    }
}
