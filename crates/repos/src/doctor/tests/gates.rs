//! Jobs that judge, and where the doctor says what is wrong with one.

use super::*;

/// By the run that a label started, and in a queue.
const LABELED: &str = "        with:
          reviewed-by: >-
            ${{ github.event.action == 'labeled' && github.event.label.name == 'x' && github.event.sender.login
            || github.event_name == 'merge_group' && 'the queue' || '' }}
";

#[test]
fn a_job_that_judges_pull_requests_is_visible_and_with_owners_reviewed() {
    let last = "  pull_request: {types: [opened, synchronize, reopened, edited, labeled], branches: ['**', '!x/**']}\n";
    for text in [
        workflow(ON, "", ""),
        workflow(ON, "    if: always()\n    needs: [build]\n", "        if: ${{ always() }}\n"),
        workflow(ON, "    if: ${{ !cancelled() }}\n", "        with: {policy-ref: auto, fail-on: warning}\n"),
        workflow(ON, "", "        with: {policy-ref: origin/main, base: main}\n"),
        workflow(ON, "", "        with:\n          reviewed-by: ${{ needs.approval.outputs.who }}\n"),
        workflow(ON, "", LABELED),
        workflow(ON, "", "        with: {trace-dir: ./.agent-traces/, policy: other.json, source: pull-request}\n"),
        workflow(last, "", ""),
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
        held.owners.push(("CODEOWNERS".to_owned(), format!("{OWNERS}/other.json @acme/security\n")));
        assert_eq!(examine(&held).strength, Strength::Reviewed, "{:#?}", examine(&held).checks);
    }
    // The change does not bring this one.
    let examination = github(&workflow(TARGET, "", ""));
    assert_eq!((examination.strength, bad(&examination)), (Strength::Enforced, Vec::new()));
}

#[test]
fn another_job_with_the_name_of_the_check_defeats_the_gate() {
    let gate = workflow(ON, "    name: agent-strace\n", "");
    let other = |name: &str| format!("on: push\njobs:\n  x:\n    name: {name}\n    steps: []\n");
    for (text, expected) in [
        (other("agent-strace"), Some("defeated")),
        (other("\"agent\\x2dstrace\""), Some("defeated")),
        (other("${{ format('agent{0}strace', '-') }}"), Some("defeated")),
        (other("agent-${{ inputs.x }}"), Some("defeated")),
        (other("${{ inputs.x }}"), Some("weak")),
        ("on: push\njobs:\n  agent-strace: {steps: []}\n".to_owned(), Some("defeated")),
        (other("tests"), None),
    ] {
        let mut held = held(FILE, &gate);
        held.pipelines.push((".github/workflows/b.yml".to_owned(), Ok(text.clone())));
        let found: Vec<_> = bad(&examine(&held)).into_iter().filter(|(id, ..)| *id == "gate/name").collect();
        assert_eq!(found.first().map(|(_, state, _)| *state), expected, "{text}");
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
    assert!(unseen.iter().any(|message| message.contains("require `agent gate`")), "{unseen:?}");
    let independent = github(&workflow(TARGET, "", ""));
    assert!(independent.gates[0].is_independent && !examination.gates[0].is_independent);
}

#[test]
fn what_lets_a_change_through_is_found_where_it_stands() {
    for (on, job, step, wanted) in [
        (&*ON.replace("{branch", "{paths: [src/**], branch"), "", "", ("gate/filters", "defeated", 3)),
        (&*ON.replace("{branch", "{paths-ignore: [docs/**], branch"), "", "", ("gate/filters", "defeated", 3)),
        (&*ON.replace("opened, synchronize, reopened", "opened"), "", "", ("gate/filters", "defeated", 3)),
        (ON, "    if: github.actor != 'dependabot[bot]'\n", "", ("gate/skipped", "defeated", 7)),
        (ON, "    needs: build\n", "", ("gate/skipped", "defeated", 7)),
        (ON, "", "        if: failure()\n", ("gate/skipped", "defeated", 9)),
        (ON, "    continue-on-error: true\n", "", ("gate/forgiven", "defeated", 7)),
        (ON, "", "        continue-on-error: true\n", ("gate/forgiven", "defeated", 9)),
        (ON, "", "        with: {fail-on: never}\n", ("gate/forgiven", "defeated", 9)),
        (ON, "", "        with: {policy-ref: HEAD}\n", ("gate/base", "defeated", 9)),
        (ON, "", "        with: {base: '${{ github.event.pull_request.head.sha }}'}\n", ("gate/base", "defeated", 9)),
        (ON, "", "        with: {reviewed-by: dana}\n", ("gate/reviewed", "defeated", 9)),
        (ON, "", "        with: {reviewed-by: '${{ github.actor }}'}\n", ("gate/reviewed", "defeated", 9)),
        (
            ON,
            "",
            "        with: {reviewed-by: \"${{ needs.x.result || 'dana' }}\"}\n",
            ("gate/reviewed", "defeated", 9),
        ),
        (ON, "", "      - run: agent-strace check\n", ("gate/base", "defeated", 9)),
        (ON, "", "      - run: agent-strace check --policy-ref HEAD\n", ("gate/base", "defeated", 9)),
        (ON, "    permissions: write-all\n", "", ("gate/permissions", "weak", 7)),
        (ON, "    permissions: {contents: write}\n", "", ("gate/permissions", "weak", 7)),
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
    assert_eq!(bad(&github(&with("acme/agent-strace@v1"))), [("gate/pinned", "weak", 8)]);
    assert_eq!(bad(&github(&with("./.github/actions/agent-strace"))), [("gate/pinned", "defeated", 8)]);
    let checkout =
        "      - uses: actions/checkout@v6\n        with: {ref: '${{ github.event.pull_request.head.sha }}'}\n";
    assert_eq!(bad(&github(&workflow(TARGET, "", checkout))), [("gate/checkout", "defeated", 10)]);
}

#[test]
fn one_gate_that_is_intact_is_enough_and_none_is_not() {
    let mut held = held(FILE, &workflow(ON, "", "        continue-on-error: true\n"));
    assert_eq!(examine(&held).exit_code(), 1);
    let second = workflow(ON, "", "").replace("  gate:", "  second:");
    held.pipelines.push((".github/workflows/b.yml".to_owned(), Ok(second)));
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
    for policy in [PolicyFile::Missing, PolicyFile::Broken("line 1: no".to_owned())] {
        let mut held = held(FILE, &workflow(ON, "", ""));
        held.policy = Box::new(move |_| policy.clone());
        let examination = examine(&held);
        assert_eq!((examination.strength, examination.exit_code()), (Strength::None, 1));
    }
}

#[test]
fn settings_that_a_policy_refuses_judge_nothing() {
    let waiver = |rule: &str| {
        format!(
            "suppressions:\n  - rule: {rule}\n    match: {{path: a}}\n    reason: x\n    owner: '@a'\n    until: 2099-12-31\n"
        )
    };
    for (rule, expected) in [
        ("'*'", Strength::None),
        ("scope/raed", Strength::None),
        ("files.read.deny[0]", Strength::None),
        ("scope/read", Strength::Visible),
        ("commands.deny[0]", Strength::Visible),
    ] {
        let mut held = held(FILE, &workflow(ON, "", ""));
        held.settings.push((".agent-strace.yaml".to_owned(), waiver(rule)));
        let examination = examine(&held);
        assert_eq!(examination.strength, expected, "{rule}: {:?}", bad(&examination));
        assert_eq!(
            bad(&examination).contains(&("settings/there", "defeated", 1)),
            expected == Strength::None,
            "{rule}"
        );
    }
}

/// A name, what starts the workflow, its job, its step, the strength with owners everywhere, and what says so.
type Case = (&'static str, &'static str, &'static str, &'static str, Strength, &'static str);

const CASES: &[Case] = &[
    // Pull requests that start no run.
    ("ignored", "  pull_request: {branches-ignore: [main]}\n", "", "", Strength::None, "gate/filters"),
    ("ignored by a glob", "  pull_request: {branches-ignore: ['m*']}\n", "", "", Strength::None, "gate/filters"),
    ("others only", "  pull_request: {branches: ['release/**']}\n", "", "", Strength::None, "gate/filters"),
    ("none", "  pull_request: {branches: []}\n", "", "", Strength::None, "gate/filters"),
    ("taken back", "  pull_request: {branches: ['**', '!main']}\n", "", "", Strength::None, "gate/filters"),
    ("one level", "  pull_request: {branches: ['*/**']}\n", "", "", Strength::None, "gate/filters"),
    ("no filter", "  pull_request:\n", "", "", Strength::Reviewed, "gate/branches"),
    ("not retargeted", "  pull_request: {branches: [main]}\n", "", "", Strength::Reviewed, "gate/retarget"),
    // A verdict without a consequence.
    ("forgiven", ON, "    continue-on-error: ${{ github.event_name == 'x' }}\n", "", Strength::None, "gate/forgiven"),
    ("forgiven step", ON, "", "        continue-on-error: ${{ inputs.x }}\n", Strength::None, "gate/forgiven"),
    ("never", ON, "", "        with: {fail-on: Never}\n", Strength::None, "gate/forgiven"),
    ("never, computed", ON, "", "        with: {fail-on: \"${{ 'never' }}\"}\n", Strength::None, "gate/forgiven"),
    ("inputs, computed", ON, "", "        with: ${{ fromJSON(vars.X) }}\n", Strength::None, "gate/inputs"),
    ("in a pipe", ON, "", "      - run: agent-strace check --base main | tee log\n", Strength::None, "gate/forgiven"),
    ("or so", ON, "", "      - run: agent-strace check --base main || date\n", Strength::None, "gate/forgiven"),
    ("behind", ON, "", "      - run: agent-strace check --base main &\n", Strength::None, "gate/forgiven"),
    (
        "a shell",
        ON,
        "",
        "      - {run: agent-strace check --base main, shell: 'true {0}'}\n",
        Strength::None,
        "gate/shell",
    ),
    (
        "default shell",
        ON,
        "    defaults: {run: {shell: 'bash -c true {0}'}}\n",
        "      - run: agent-strace check --base main\n",
        Strength::None,
        "gate/shell",
    ),
    // Steps of an action name their shell.
    ("default shell of others", ON, "    defaults: {run: {shell: 'python {0}'}}\n", "", Strength::Reviewed, ""),
    ("matrix", ON, "    strategy: {matrix: {x: '${{ fromJSON(vars.X) }}'}}\n", "", Strength::Visible, "gate/skipped"),
    // Something else judges, or something else is judged.
    ("program", ON, "", "        with: {binary: ./bin/agent-strace}\n", Strength::None, "gate/program"),
    ("program below", ON, "", "        with: {binary: '${{ github.workspace }}/x'}\n", Strength::None, "gate/program"),
    ("program there", ON, "", "        with: {binary: /usr/local/bin/x}\n", Strength::Visible, "gate/program"),
    ("store", ON, "", "        with: {trace-dir: nowhere}\n", Strength::None, "gate/store"),
    (
        "store of a call",
        ON,
        "",
        "      - run: agent-strace --trace-dir x check --base main\n",
        Strength::None,
        "gate/store",
    ),
    ("no policy", ON, "", "        with: {policy: gone.json}\n", Strength::None, "policy/there"),
    ("weak policy", ON, "", "        with: {policy: empty.json}\n", Strength::None, "policy/empty"),
    (
        "weak, of a call",
        ON,
        "",
        "      - run: agent-strace check --base main --policy empty.json\n",
        Strength::None,
        "policy/empty",
    ),
    ("computed policy", ON, "", "        with: {policy: '${{ inputs.x }}'}\n", Strength::Visible, "gate/policy"),
    ("attested", ON, "", "        with: {source: attested}\n", Strength::None, "gate/source"),
    ("any base", ON, "", "        with: {base-branches: '${{ github.base_ref }}'}\n", Strength::None, "gate/branches"),
    ("any base", ON, "", "        with: {base-branches: 'main, *'}\n", Strength::None, "gate/branches"),
    // Where it runs.
    ("path", ON, "    env: {PATH: ./bin}\n", "", Strength::None, "gate/environment"),
    ("bash", ON, "", "        env: {BASH_ENV: ./x}\n", Strength::None, "gate/environment"),
    ("git", ON, "    env: {GIT_CONFIG_COUNT: 1}\n", "", Strength::None, "gate/environment"),
    ("all", ON, "    env: ${{ fromJSON(vars.X) }}\n", "", Strength::None, "gate/environment"),
    ("harmless", ON, "    env: {RUST_LOG: info}\n", "", Strength::Reviewed, ""),
    ("image", ON, "    container: ghcr.io/acme/x:latest\n", "", Strength::Visible, "gate/container"),
    ("image of it", ON, "    container: {image: 'x:${{ github.sha }}'}\n", "", Strength::None, "gate/container"),
    ("own machine", ON, "    runs-on: [self-hosted, linux]\n", "", Strength::Reviewed, "gate/runner"),
    ("own group", ON, "    runs-on: {group: x}\n", "", Strength::Reviewed, "gate/runner"),
    // Who reviewed it.
    (
        "never empty",
        ON,
        "",
        "        with: {reviewed-by: \"${{ needs.a.outputs.b || 'x' }}\"}\n",
        Strength::None,
        "gate/reviewed",
    ),
    (
        "text behind",
        ON,
        "",
        "        with: {reviewed-by: 'x ${{ needs.a.outputs.b }}'}\n",
        Strength::None,
        "gate/reviewed",
    ),
    (
        "label",
        ON,
        "",
        "        with: {reviewed-by: \"${{ contains(github.event.pull_request.labels.*.name, 'x') && 'x' || '' }}\"}\n",
        Strength::Reviewed,
        "gate/reviewed",
    ),
    ("step", ON, "", "        with: {reviewed-by: '${{ steps.x.outputs.y }}'}\n", Strength::Visible, "gate/reviewed"),
];

#[test]
fn each_way_around_the_gate_has_its_strength() {
    for (name, on, job, step, strength, id) in CASES {
        let mut held = held(FILE, &workflow(on, job, step));
        let owners = "* @acme/security\n/.github/ @acme/security\n";
        held.owners.push(("CODEOWNERS".to_owned(), owners.to_owned()));
        let examination = examine(&held);
        assert_eq!(examination.strength, *strength, "{name}: {:#?}", examination.checks);
        let ids: Vec<&str> = bad(&examination).iter().map(|(id, ..)| *id).collect();
        assert!(if id.is_empty() { ids.is_empty() } else { ids.contains(id) }, "{name}: {ids:?}");
    }
}

/// Each of these doubles at every level: followed without a limit, none of them would end.
#[test]
fn what_grows_at_each_level_is_followed_up_to_a_limit() {
    use std::fmt::Write as _;
    let mut functions = String::from("f0() { true; }\n");
    let (mut jobs, mut references) = (String::from(".j0: {}\n"), String::from(".r0: {script: [a]}\n"));
    for level in 1..40 {
        let below = level - 1;
        let _ = writeln!(functions, "f{level}() {{ f{below}; f{below}; }}");
        let _ = writeln!(jobs, ".j{level}: {{extends: [.j{below}, .j{below}]}}");
        let line = format!("!reference [.r{below}, script]");
        let _ = writeln!(references, ".r{level}: {{script: [{line}, {line}, {line}, {line}, {line}, {line}, {line}]}}");
    }
    let script = format!("{functions}trap f39 EXIT\nf39\nagent-strace check --base main\n");
    let step = format!(
        "      - run: |\n{}",
        script.lines().fold(String::new(), |text, line| text + "          " + line + "\n")
    );
    assert_eq!(github(&workflow(ON, "", &step)).strength, Strength::None);
    let gate = "gate:\n  extends: .j39\n  script: [agent-strace check --policy-ref auto]\n";
    let gitlab = |text: String| examine(&held(".gitlab-ci.yml", &text)).strength;
    assert_eq!(gitlab(format!("{jobs}{gate}")), Strength::Visible);
    let gate = "gate:\n  script: [!reference [.r39, script], agent-strace check --policy-ref auto]\n";
    assert_eq!(gitlab(format!("{references}{gate}")), Strength::None);
    let mut called =
        held(FILE, "on: {pull_request: {branches: [main]}}\njobs: {a: {uses: ./.github/workflows/w0.yml}}\n");
    for level in 0..12 {
        let next = format!("{{uses: ./.github/workflows/w{}.yml}}", level + 1);
        let text = format!("on: {{workflow_call: }}\njobs: {{a: {next}, b: {next}, c: {next}, d: {next}}}\n");
        called.pipelines.push((format!(".github/workflows/w{level}.yml"), Ok(text)));
    }
    assert_eq!(examine(&called).strength, Strength::None);
}

/// The rows of `.gitlab-ci.yml` beside the template that `init` writes.
fn beside_template(pipeline: &str) -> Vec<String> {
    let template = include_str!("../../../../../src/cli/init/templates/gitlab.yml");
    let include = "include: [{local: .gitlab/agent-strace.gitlab-ci.yml}]\n";
    let mut held = held(".gitlab-ci.yml", &format!("{include}{pipeline}"));
    held.pipelines.push((".gitlab/agent-strace.gitlab-ci.yml".to_owned(), Ok(template.to_owned())));
    let checks = examine(&held).checks;
    checks.iter().map(|check| format!("{} {}: {}", check.state.name(), check.id, check.message)).collect()
}

#[test]
fn a_job_that_only_reports_has_no_row_of_its_own() {
    for (fault, wanted) in [
        ("", 0),
        ("agent-strace: {allow_failure: true}\n", 1),
        ("agent-strace: {when: manual}\n", 0),
        ("agent-strace: {script: ['true']}\n", 1),
    ] {
        let rows = beside_template(fault);
        let forgiven = rows.iter().filter(|row| row.starts_with("defeated gate/forgiven")).count();
        assert_eq!(forgiven, wanted, "{fault}: {rows:#?}");
        assert!(!rows.iter().any(|row| row.contains("`agent-strace-report` judges")), "{fault}: {rows:#?}");
    }
}

/// A rule that keeps the job away under a condition would keep it away always without that.
#[test]
fn the_advice_for_rules_leads_to_a_job_that_runs() {
    let rules =
        |first: &str| format!("agent-strace:\n  rules: [{first}{{if: $SKIP, when: never}}, {{when: always}}]\n");
    let rows = beside_template(&rules(""));
    let advice = "add `- if: $CI_PIPELINE_SOURCE == \"merge_request_event\"` in front";
    assert!(rows.iter().any(|row| row.contains(advice)), "{rows:#?}");
    let rows = beside_template(&rules("{if: $CI_PIPELINE_SOURCE == \"merge_request_event\"}, "));
    assert!(!rows.iter().any(|row| row.starts_with("unknown") || row.starts_with("defeated")), "{rows:#?}");
}

/// The scripts before the gate are read once, however often it is called: this takes minutes otherwise.
#[test]
fn many_steps_and_calls_are_read() {
    let steps = "      - run: echo x\n".repeat(2000);
    let calls = "      - run: agent-strace check --policy-ref auto\n".repeat(200);
    let text = workflow(ON, "", "").replace("    steps:\n", &format!("    steps:\n{steps}")) + &calls;
    assert_eq!(github(&text).strength, Strength::Visible);
}
