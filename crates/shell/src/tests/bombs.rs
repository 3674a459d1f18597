//! Text that is meant to hurt the parser.

use agent_strace_testing::work::{assert_linear, count};

use crate::{Problem, Scope, Value, Ways, parse};

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

/// A tree takes many times the memory of the text.
#[test]
fn more_commands_than_are_read_are_a_problem() {
    let script = parse(&"a;".repeat(1 << 18));
    assert!(script.problems.contains(&Problem::TooManyCommands));
    assert!(script.nodes.len() <= 1 << 17, "{} nodes", script.nodes.len());
}

/// Texts within a text share what it may spend: each alone would write a sequence out.
#[test]
fn nested_texts_share_one_budget() {
    for text in ["`{1..999}` ", "cat <<A\n$(echo {1..999})\nA\n"] {
        let size = format!("{:?}", parse(&text.repeat(400))).matches("Literal(\"9").count();
        assert!(size < 4_000, "{text:?}: {size} elements");
    }
}

#[test]
fn elements_of_arrays_are_assigned_in_place() {
    for (name, key) in [("numbers", "1"), ("a gap", "7"), ("numbers from behind", "-")] {
        assert_linear(name, 1_000, |size| {
            let mut scope = Scope::default();
            for number in 0..size {
                let number = if key == "-" { size - number } else { number * key.parse::<usize>().unwrap() };
                scope.assign_element("a", Some(&number.to_string()), Value::known("x"));
                count(1);
            }
        });
    }
}

/// A shell with so many variables.
fn shell(count: usize) -> Scope {
    let mut scope = Scope::default();
    for number in 0..count {
        scope.assign(&format!("v{number}"), Value::known("x"));
    }
    scope
}

/// A copy of a shell that sets one of its variables.
fn changed(scope: &Scope, number: usize) -> Scope {
    let mut copy = scope.clone();
    copy.assign(&format!("v{number}"), Value::known("y"));
    copy
}

#[test]
fn copies_of_a_shell_cost_what_they_change() {
    assert_linear("copies", 500, |size| {
        let scope = shell(size);
        (0..size).for_each(|number| drop(changed(&scope, number)));
    });
    assert_linear("copies that are merged", 500, |size| {
        let mut scope = shell(size);
        (0..size).for_each(|number| scope.merge(&changed(&scope, number), Ways::Both));
    });
    assert_linear("alternatives", 500, |size| {
        let scope = shell(size);
        drop(Scope::merged((0..size).map(|number| changed(&scope, number))));
    });
    assert_linear("parameters", 500, |size| {
        let mut scope = Scope::default();
        scope.set_positional((0..size).map(|number| Value::known(number.to_string())));
        (0..size).for_each(|_| scope.shift(Some(1)));
        count(scope.parameters().len() + size);
    });
}

/// The walk of a script is charged for its copies.
#[test]
fn arrays_that_copies_share_are_charged() {
    let mut scope = Scope::default();
    scope.assign_array("a", vec![Value::known("x"); 4_000], crate::AssignmentOperator::Set);
    let mut copy = scope.clone();
    assert_eq!(scope.take_work(), 0);
    copy.assign_element("a", Some("0"), Value::known("y"));
    assert!(scope.take_work() >= 500);
}
