use agent_strace_testing::work::assert_linear;
use proptest::prelude::*;

use super::{is_sequence, mend};

fn check(damaged: &str, expected: &str) {
    let mended = mend(damaged).unwrap_or_default();
    let compact: String = mended.split_whitespace().collect();
    assert_eq!(compact, expected, "of {damaged}");
    assert_eq!(mended.matches('\n').count(), damaged.matches('\n').count(), "lines of {damaged}");
}

#[test]
fn what_was_cut_is_closed() {
    check(r#"{"a":1,"m":[{"i":1},{"i":2},{"i":"#, r#"{"a":1,"m":[{"i":1},{"i":2}]}"#);
    check("{\n \"a\":1,\n \"m\":[\n  {\"i\":1},\n  {\"i\":2,\n   \"x\":[", r#"{"a":1,"m":[{"i":1}]}"#);
    check(r#"[{"i":1},{"i":2"#, r#"[{"i":1}]"#);
    check(r#"{"m":[{"i":1,"c":[{"t":1},{"t":2},{"t"#, r#"{"m":[{"i":1,"c":[{"t":1},{"t":2}]}]}"#);
}

#[test]
fn what_was_never_whole_is_dropped() {
    assert_eq!(mend(r#"{"type":"call","name":"Bash","input":{"command":"rm"#), None);
    assert_eq!(mend(r#"{"m":[{"i":"#), None);
    assert_eq!(mend(r#"{"a":1}"#), None);
}

#[test]
fn reading_goes_on_at_the_next_neighbour() {
    check(
        r#"{"m":[{"i":1,"n":"a"},{"i":2,"n":"b},{"i":3,"n":"c"},{"i":4,"n":"d"}],"z":1}"#,
        r#"{"m":[{"i":1,"n":"a"},{"i":3,"n":"c"},{"i":4,"n":"d"}],"z":1}"#,
    );
    // The object that was damaged is the first one.
    check(r#"{"m":[{"i":1,"n":#},{"i":2,"n":"b"}],"z":1}"#, r#"{"m":[{"i":2,"n":"b"}],"z":1}"#);
    // Nested lists: the next block belongs to the message, the next message to the list of messages.
    check(
        r#"[{"role":"a","c":[{"t":1,"x":1},{"t":2 "x":2},{"t":3,"x":3}]},{"role":"b","c":[]}]"#,
        r#"[{"role":"a","c":[{"t":1,"x":1},{"t":3,"x":3}]},{"role":"b","c":[]}]"#,
    );
}

#[test]
fn a_list_behind_the_damage_is_found() {
    check(
        r#"{"id":"s","info":{"model":#,"time":{"a":1}},"messages":[{"i":1}],"end":2}"#,
        r#"{"id":"s","time":{"a":1},"messages":[{"i":1}],"end":2}"#,
    );
}

#[test]
fn a_damaged_line_costs_no_other_line() {
    check("{\"a\":1}\n{\"a\":#}\n{\"a\":3}", r#"{"a":1}{"a":3}"#);
    check("{\"a\":1,\"b\":2}\n{\"a\":#{\"a\":7,\"b\":8}\n{\"a\":3}", r#"{"a":1,"b":2}{"a":7,"b":8}{"a":3}"#);
}

#[test]
fn hostile_nesting_ends_soon() {
    assert_eq!(mend(&"[".repeat(20_000)), None);
    assert_eq!(mend(&"{\"a\":".repeat(10_000)), None);
    assert_eq!(mend(&"[{\"a\":".repeat(10_000)), None);
}

/// Twice the damage is twice the work.
#[test]
fn work_is_linear_in_the_log() {
    let logs: [(&str, &dyn Fn(usize) -> String); 9] = [
        ("lists", &|n| "[".repeat(n)),
        ("objects", &|n| "{\"a\":".repeat(n)),
        ("both", &|n| "[{\"a\":".repeat(n)),
        ("lists in objects", &|n| "{\"a\":1,[".repeat(n)),
        ("candidates for many lists", &|n| format!("{}#{}\n", "[".repeat(n), "{\"a\":1}".repeat(n))),
        ("candidates that do not end", &|n| format!("[#{}", "{\"a\":[1,".repeat(n))),
        ("damage in each list", &|n| format!("[{{\"a\":1}},{}", "[{\"a\":1},#".repeat(n))),
        ("damage in each element", &|n| format!("[{}]", "{\"a\":1},{\"a\":#},".repeat(n))),
        ("damaged lines", &|n| "{\"a\":1}\n{\"a\":#{\"a\":2}\n".repeat(n)),
    ];
    for (name, log) in logs {
        assert_linear(name, 500, |size| drop(mend(&log(size))));
    }
}

const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\"a\"",
    "\"b\":",
    "{\"a\":1}",
    "[1,{\"a\":2}]",
    "\n",
    " ",
    "#",
    "\\",
    "1",
    "null",
    "é",
];

proptest! {
    #[test]
    fn what_is_left_is_json(picks in proptest::collection::vec(0..PIECES.len(), 0..40)) {
        let text: String = picks.iter().map(|pick| PIECES[*pick]).collect();
        if let Some(mended) = mend(&text) {
            prop_assert_eq!(mended.matches('\n').count(), text.matches('\n').count());
            prop_assert!(is_sequence(&mended) || mended.lines().all(is_sequence), "{mended:?} of {text:?}");
        }
    }
}
