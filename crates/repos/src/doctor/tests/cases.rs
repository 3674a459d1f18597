//! Tables of pipelines, and what the doctor says of each.

use super::*;

/// One pipeline of a table.
struct Case<'t> {
    name: &'t str,
    /// The strength, the state and id of a row (`-`: no row is worse than weak), and words that say how it is put together.
    expected: Vec<&'t str>,
    body: &'t str,
}

fn cases(table: &str) -> Vec<Case<'_>> {
    let cases = table.split("\n## ").skip(1).map(|text| {
        let (name, rest) = text.split_once('\n').unwrap();
        let (expected, body) = rest.split_once('\n').unwrap_or((rest, ""));
        Case { name, expected: expected.split_whitespace().collect(), body }
    });
    cases.collect()
}

/// The files of a text in which `--- PATH` begins one.
fn files(first: &str, text: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for (number, part) in format!("\n{text}").split("\n--- ").enumerate() {
        let (path, content) = if number == 0 { (first, part) } else { part.split_once('\n').unwrap() };
        if !content.trim().is_empty() {
            files.push((path.to_owned(), content.trim_start_matches('\n').to_owned()));
        }
    }
    files
}

fn indented(text: &str, by: usize) -> String {
    let blank = " ".repeat(by);
    text.lines().filter(|line| !line.is_empty()).flat_map(|line| [&blank, line, "\n"]).collect()
}

/// A workflow with one job.
fn with_job(on: &str, job: &str) -> String {
    format!("on:\n  merge_group:\n{on}permissions: {{contents: read}}\njobs:\n  gate:\n{}", indented(job, 4))
}

/// Holds each case of a table against what is said of its files.
fn hold(table: &str, files: impl Fn(&Case<'_>) -> Vec<(String, String)>) {
    let template = include_str!("../../../../../src/cli/init/templates/gitlab.yml");
    let mut wrong = Vec::new();
    for case in cases(table) {
        let put =
            |text: &str| text.replace("GATE\n", &format!("acme/agent-strace@{COMMIT}\n")).replace("TEMPLATE", template);
        let mut held = held(FILE, "");
        held.pipelines = files(&case).into_iter().map(|(path, text)| (path, Ok(put(&text)))).collect();
        held.owners.push(("CODEOWNERS".to_owned(), "* @acme/security\n".to_owned()));
        let examination = examine(&held);
        let rows: Vec<String> =
            examination.checks.iter().map(|check| format!("{} {}", check.state.name(), check.id)).collect();
        let is_fatal = |row: &String| row.starts_with("defeated") || row.starts_with("unknown");
        let is_said = match case.expected.get(1..3) {
            Some([state, id]) if *state != "-" => rows.contains(&format!("{state} {id}")),
            _ => examination.strength != Strength::None || !rows.iter().any(is_fatal),
        };
        if examination.strength.name() != case.expected[0] || !is_said {
            let said: Vec<String> = examination
                .checks
                .iter()
                .filter(|check| check.state < State::Good)
                .map(|check| format!("{check:?}"))
                .collect();
            wrong.push(format!("{}: {} and\n  {}", case.name, examination.strength.name(), said.join("\n  ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn workflows_that_only_look_like_a_gate_are_found() {
    hold(include_str!("github.txt"), |case| {
        let on = if case.expected.contains(&"target") { TARGET } else { ON };
        let is_whole = case.body.starts_with("on:") || case.body.starts_with("--- ");
        files(FILE, &if is_whole { case.body.to_owned() } else { with_job(on, case.body) })
    });
}

#[test]
fn scripts_whose_exit_code_may_be_another_one_are_found() {
    hold(include_str!("scripts.txt"), |case| {
        let steps = format!("steps:\n  - uses: actions/checkout@v6\n  -\n{}", indented(case.body, 4));
        files(FILE, &with_job(ON, &steps))
    });
}

#[test]
fn steps_before_the_gate_that_may_replace_it_are_found() {
    hold(include_str!("before.txt"), |case| {
        let steps = format!("steps:\n{}  - uses: GATE\n", indented(case.body, 2));
        files(FILE, &with_job(ON, &steps))
    });
}

#[test]
fn honest_workflows_are_not_called_defeated() {
    hold(include_str!("honest.txt"), |case| files(FILE, case.body));
}

#[test]
fn workflows_that_are_called_are_judged_as_if_they_stood_in_the_caller() {
    hold(include_str!("called.txt"), |case| files(FILE, case.body));
}

#[test]
fn pipelines_of_gitlab_are_judged_as_they_run() {
    hold(include_str!("gitlab.txt"), |case| files(".gitlab-ci.yml", case.body));
}
