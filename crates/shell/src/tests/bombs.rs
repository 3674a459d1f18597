//! Text that is meant to hurt the parser.

use std::time::{Duration, Instant};

use crate::{Problem, parse};

/// Generous for a debug build on a busy machine; quadratic work on these texts takes minutes.
const LIMIT: Duration = Duration::from_secs(5);

const OPENERS: &[&str] = &[
    "(",
    "{ ",
    "$(",
    "\"$(",
    "`",
    "\\`",
    "${x:-",
    "\"${x:-",
    "((",
    "$((",
    "$[",
    "[[ (",
    "[[ a ",
    "if ",
    "while ",
    "until ",
    "case a in a) ",
    "case ",
    "<(",
    ">(",
    "{a,",
    "{",
    "a=(",
    "! ",
    "time ",
    "f() ",
    "function f ",
    "coproc ",
    "a && ",
    "a | ",
    "@(",
    "[",
    "a[",
    "a[$(",
    "${a[",
    "$'",
    "'",
    "\"",
    "<<E ",
    "<<E\n",
    "<<< ",
    "> ",
    "a;",
    "for x in ",
    "for ((",
    "select x in ",
    "if a; then b; elif ",
    "~",
    "{1..9}",
    "\"$(( \" ",
    "$((a) ",
    "[a",
    "\\",
    "#",
    "${",
    "${ ",
    "a )",
    "}",
    "$",
    "&",
    ";;",
];

#[test]
fn depth_and_length_are_bounded() {
    let mut slow = Vec::new();
    for opener in OPENERS {
        let text = opener.repeat(8_000);
        let started = Instant::now();
        parse(&text);
        let took = started.elapsed();
        if took > LIMIT {
            slow.push(format!("{opener:?} {took:?}"));
        }
    }
    assert!(slow.is_empty(), "too slow: {}", slow.join(", "));
}

#[test]
fn nesting_beyond_the_limit_is_a_problem() {
    for opener in ["(", "{ ", "$(", "`x`$(", "${x:-", "{a,", "if "] {
        let text = opener.repeat(200);
        assert!(format!("{:?}", parse(&text)).contains("NestedTooDeeply"), "{opener:?}");
    }
}

#[test]
fn text_over_the_limit_is_a_problem() {
    let script = parse(&"echo x\n".repeat(200_000));
    assert!(script.problems.contains(&Problem::TextTooLong));
    assert!(script.nodes.len() > 100_000);
}
