//! Text that is meant to hurt the parser.

use agent_strace_testing::work::assert_linear;

use crate::{Problem, parse};

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
    for opener in OPENERS {
        assert_linear(opener, 4_000, |size| drop(parse(&opener.repeat(size))));
    }
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
