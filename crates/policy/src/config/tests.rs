use std::sync::LazyLock;

use super::*;

static POLICY: LazyLock<Policy> = LazyLock::new(|| {
    let text = r#"{"version": 2, "files": {"read": {"deny": ["secrets/**"]}}, "commands": {"deny": ["rm"]}}"#;
    Policy::from_bytes("scope.json", None, text.as_bytes()).unwrap()
});

fn read_text(text: &str) -> Result<Configuration, String> {
    read(".agent-strace.yaml", text.as_bytes(), &POLICY).map_err(|faults| faults.to_string())
}

const WHOLE: &str = "\
# Settings of the gate.
fail_on: warning
baseline: .agent-strace/baseline.json
retention:
  max_age_days: 30
suppressions:
  - rule: files.read.deny[0]
    match: {path: [secrets/public.pem, 'secrets/*.pub']}
    reason: INC-42
    owner: '@ana'
    until: 2026-12-31
    max_uses: 3
  - {rule: scope/command, match: {command: rm -r build}, reason: a, owner: b, until: 2026-01-01}
";

#[test]
fn a_whole_file_is_read_with_its_places() {
    for text in [WHOLE.to_owned(), format!("\u{feff}{WHOLE}"), WHOLE.replace('\n', "\r\n")] {
        let configuration = read_text(&text).unwrap();
        assert_eq!(configuration.fail_on.as_deref(), Some("warning"));
        assert_eq!(configuration.baseline.as_deref(), Some(".agent-strace/baseline.json"));
        assert!(configuration.not_judged.is_empty());
        let age = configuration.retention.max_age_days.clone().unwrap();
        assert_eq!((age.value, age.location.pointer.as_str(), age.location.line), (30, "/retention/max_age_days", 5));
        let [first, second] = configuration.suppressions.as_slice() else { panic!("two suppressions") };
        assert_eq!((first.rule.as_str(), first.max_uses), ("files.read.deny[0]", Some(3)));
        assert_eq!(
            (first.location.pointer.as_str(), first.location.line, first.location.column),
            ("/suppressions/0", 7, 5)
        );
        assert_eq!(first.location.file.as_deref(), Some(".agent-strace.yaml"));
        assert_eq!((second.until.to_string().as_str(), second.location.line), ("2026-01-01", 13));
    }
}

#[test]
fn nothing_is_a_configuration_too() {
    for text in ["", "# only a comment\n", "{}\n", "---\n", "suppressions: []\n"] {
        assert!(read_text(text).unwrap().suppressions.is_empty(), "{text}");
    }
}

/// Each fault with its location, and what to do about it.
#[test]
fn faults_say_where_and_what() {
    let suppression = |lines: &str| {
        format!("suppressions:\n  - rule: scope/read\n    reason: a\n    owner: b\n    until: 2026-12-31\n{lines}")
    };
    let cases = [
        ("fail_on: warnings\n".to_owned(), "1:10: `warnings` is no level; did you mean `warning`?"),
        ("fail_on: [error]\n".to_owned(), "1:10: `fail_on` is a list, not one of"),
        ("fial_on: error\n".to_owned(), "1:1: unknown key `fial_on`; did you mean `fail_on`?"),
        ("fail_on: error\nfail_on: never\n".to_owned(), "2:1: the key `fail_on` stands here twice; merge the two"),
        ("- fail_on\n".to_owned(), "1:1: the configuration is a list, not an object"),
        ("baseline: ''\n".to_owned(), "1:11: this path is empty"),
        ("suppressions:\n  rule: x\n".to_owned(), "2:3: `suppressions` is an object, not a list of objects"),
        ("suppressions:\n  - rule: scope/read\n".to_owned(), "2:5: `owner` is missing"),
        (
            "owner: @ana\n".to_owned(),
            "1:8: this is not YAML: unexpected character: `@'; a text that starts with `@` stands in quotes",
        ),
        ("a: [1\n".to_owned(), "1:4: this is not YAML: unclosed bracket '['"),
        (suppression("    until: 2027-01-01\n"), "6:5: the key `until` stands here twice"),
        (suppression("    max_uses: 0\n"), "6:15: `0` is no number of uses; count from 1"),
        (suppression("    max_uses: three\n"), "6:15: `suppressions[0].max_uses` is a string, not a number"),
        (suppression("    match: {pth: a}\n"), "6:13: unknown key `pth`; did you mean `path`?"),
        (suppression("    match: {path: []}\n"), "this list is empty: it would cover nothing"),
        (suppression("    match: {fingerprint: abc}\n"), "6:26: `abc` is no fingerprint"),
        (
            suppression("").replace("scope/read", "scope/raed"),
            "2:11: there is no rule `scope/raed`; did you mean `scope/read`?",
        ),
        (
            suppression("").replace("scope/read", "files.read.deny[1]"),
            "2:11: there is no rule `files.read.deny[1]`; did you mean `files.read.deny[0]`?",
        ),
        (
            suppression("").replace("scope/read", "floor/policy"),
            "`floor/policy` can't be suppressed here; only an exception of the policy",
        ),
        (suppression("").replace("scope/read", "scope/sensitive"), "`scope/sensitive` can't be suppressed here"),
        (
            suppression("").replace("scope/read", "evidence/chain"),
            "`evidence/chain` can't be excepted: what is missing was not judged",
        ),
        (suppression("").replace("2026-12-31", "2026-02-30"), "5:12: `2026-02-30` is no day such as `2026-12-31`"),
        (suppression("").replace("2026-12-31", "20261231"), "5:12: `suppressions[0].until` is a number, not a day"),
        (
            suppression("").replace("reason: a", "reason:"),
            "`suppressions[0].reason` is null, not a text; remove the key",
        ),
    ];
    for (text, wanted) in cases {
        let said = read_text(&text).map_or_else(|faults| faults, |_| String::new());
        assert!(said.contains(wanted), "{text}\n{said}\nwanted: {wanted}");
    }
}

#[test]
fn a_file_without_bounds_is_refused_in_bounded_time() {
    let bomb: String = (1..30).fold("a0: &a0 [x, x, x, x]\n".to_owned(), |text, at| {
        format!("{text}a{at}: &a{at} [{}]\n", vec![format!("*a{}", at - 1); 10].join(", "))
    });
    let deep = format!("suppressions: {}", "[".repeat(100_000));
    let large = " ".repeat(2 << 20);
    for text in [bomb, deep, large, "a: \0\n".to_owned()] {
        assert!(read_text(&text).is_err());
    }
    assert!(read(".agent-strace.yaml", b"a: \xff\n", &POLICY).is_err());
}

proptest::proptest! {
    #[test]
    fn no_text_is_too_strange(text in ".{0,200}") {
        let _ = read_text(&text);
        let _ = read_text(&format!("suppressions:\n  - {text}"));
    }
}
