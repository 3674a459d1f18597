//! Reviews, owners, settings and policies.

use super::*;

/// Each alternative of an expression has to rest on something that the author of a change can't set.
#[test]
fn a_review_counts_by_what_says_it() {
    let queue = "github.event_name == 'merge_group' && 'the queue'";
    let label = "github.event.action == 'labeled' && github.event.label.name == 'x' && github.event.sender.login";
    let approved = "github.event.review.state == 'approved'";
    for (expression, state) in [
        (format!("{queue} || ''"), State::Good),
        (format!("needs.review.result == 'success' && 'x' || {queue} || ''"), State::Good),
        (format!("{label} || {queue} || ''"), State::Good),
        ("contains(github.event.pull_request.labels.*.name, 'x') && 'x' || ''".to_owned(), State::Weak),
        ("needs.plain.outputs.who".to_owned(), State::Weak),
        (format!("{approved} && github.event.review.user.login"), State::Weak),
        (format!("{approved} && github.event.review.author_association != 'NONE' && 'x'"), State::Weak),
        (format!("{approved} && github.event.review.author_association == 'CONTRIBUTOR' && 'x'"), State::Weak),
        ("github.event.review.state != 'approved' && 'x'".to_owned(), State::Defeated),
        (format!("{approved} && github.event.review.author_association == 'OWNER' && 'x' || {queue}"), State::Good),
        (format!("{queue} || github.actor"), State::Defeated),
        (format!("{label} || 'x'"), State::Defeated),
        ("!contains(github.event.pull_request.labels.*.name, 'x') && 'x' || ''".to_owned(), State::Defeated),
        ("github.event_name != 'merge_group' && 'x' || ''".to_owned(), State::Defeated),
        ("github.event.pull_request.user.login".to_owned(), State::Defeated),
        ("format('{0}', 'x')".to_owned(), State::Defeated),
    ] {
        let step = format!("        with:\n          reviewed-by: >-\n            ${{{{ {expression} }}}}\n");
        let jobs = "  plain: {steps: []}\n  review: {environment: gate-review, steps: []}\n";
        let text = workflow(ON, "", &step) + jobs;
        let examination = github(&text);
        let found: Vec<State> =
            examination.checks.iter().filter(|check| check.id == "gate/reviewed").map(|check| check.state).collect();
        assert_eq!(found, [state], "{expression}");
    }
}

#[test]
fn settings_and_policies_that_take_verdicts_back_are_found() {
    let gate = workflow(ON, "", "");
    let waiver =
        "suppressions:\n  - {rule: scope/command, reason: x, owner: '@a', until: 2099-12-31, match: {command: M}}\n";
    for (settings, strength) in [
        ("fail_on: warning\n".to_owned(), Strength::Reviewed),
        ("fail_on: never\n".to_owned(), Strength::None),
        ("fial_on: error\n".to_owned(), Strength::None),
        (waiver.replace(" M}", " '*'}"), Strength::Visible),
        (waiver.replace(", match: {command: M}", ""), Strength::Visible),
        (waiver.replace(" M}", " curl}"), Strength::Reviewed),
    ] {
        let mut held = held(FILE, &gate);
        held.owners.push(("CODEOWNERS".to_owned(), "* @a/b\n".to_owned()));
        held.settings.push((".agent-strace.yaml".to_owned(), settings.clone()));
        assert_eq!(examine(&held).strength, strength, "{settings} {:#?}", examine(&held).checks);
    }
    for (policy, strength) in [
        (&b"{}"[..], Strength::None),
        (br#"{"version": 2}"#, Strength::None),
        (br#"{"network": {"deny_all": false}}"#, Strength::None),
        (br#"{"files": {"write": {"allow": ["**"]}}}"#, Strength::None),
        (br#"{"files": {"write": {"allow": ["src/**"]}}}"#, Strength::Visible),
        (br#"{"network": {"deny_all": true}}"#, Strength::Visible),
    ] {
        let held = held_with(FILE, &gate, policy);
        assert_eq!(examine(&held).strength, strength, "{}", String::from_utf8_lossy(policy));
    }
}

#[test]
fn the_last_line_of_code_owners_that_matches_decides() {
    let is_owned = |text: &str, path: &str| {
        let checks = owners::checks(Some(&("CODEOWNERS".to_owned(), text.to_owned())), &[path.to_owned()]);
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
