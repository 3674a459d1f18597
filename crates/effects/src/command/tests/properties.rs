//! What holds for every text: it ends, it never panics, it says the same each time, and what is put around a command
//! takes no effect from it.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::{Effect, Kind, World};

fn effects(text: &str) -> Vec<Effect> {
    super::super::run(text, &mut World::new(Some("/repo"))).into_vec()
}

/// Effects but the executions that only print: those count where nothing stands before them.
fn lasting(text: &str) -> BTreeSet<String> {
    let text = format!("true; {text}");
    let inert = |effect: &Effect| matches!(&effect.kind, Kind::Execute(execution) if execution.inert);
    effects(&text).iter().filter(|effect| !inert(effect)).map(ToString::to_string).collect()
}

fn is_doubted(found: &BTreeSet<String>) -> bool {
    found.iter().any(|effect| effect.starts_with("opaque: "))
}

/// Pieces of shell text in any order: most of it is broken.
fn fragments() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "cat",
        "rm",
        " ",
        " ",
        " ",
        "\n",
        ";",
        "&&",
        "||",
        "|",
        "&",
        "(",
        ")",
        "{ ",
        "; }",
        "$(",
        "`",
        "\"",
        "'",
        "\\",
        "$x",
        "${x:-",
        "}",
        "${x[",
        "]",
        "$((",
        "))",
        "x=",
        "x=(",
        "a[0]=",
        ">",
        "<",
        "<<E\n",
        "\nE\n",
        "<<<",
        "<(",
        "if ",
        "then ",
        "fi",
        "for i in ",
        "do ",
        "done",
        "while ",
        "case x in ",
        ";;",
        "esac",
        "f() ",
        "f",
        "[[ ",
        " ]]",
        "{a,b}",
        "{1..9}",
        "*",
        "?",
        "[",
        "~",
        "/",
        "..",
        "src/a.rs",
        ".env",
        "-rf",
        "--",
        "=",
        "#",
        "!",
        "eval ",
        "bash -c ",
        "xargs ",
        "find . -exec ",
        "sed s/a/b/w",
        "awk ",
        "git -c ",
        "python -c ",
        "curl ",
        "cd ",
        "env ",
        "sudo ",
        "trap ",
        "alias ",
        "export ",
        "é",
        "\u{202e}",
        "\0",
        "\r\n",
        "\t",
        "tar -xf ",
        "ssh h ",
        "docker run ",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Whole commands that leave the shell as it was.
fn command() -> impl Strategy<Value = String> {
    let simple = prop::sample::select(vec![
        "cat src/a.rs",
        "rm -rf build",
        "grep -rn x src",
        "echo hi > out/x",
        "curl -s https://example.com/x",
        "git push origin main",
        "cp a b",
        "sed -i s/a/b/ src/a.rs",
        "tee out/y < in/z",
        "find . -name '*.rs' -delete",
        "python3 tools/x.py",
        "cat \"$HOME\"/.ssh/id",
        "ls *.txt",
        "tar czf out.tgz src",
        "unknown-program src/a",
        "mv 'a b' c",
        "cat <<< \"$(cat in/q)\"",
        "true",
    ]);
    let simple = simple.prop_map(str::to_owned);
    simple.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}; {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} && {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} || {b}")),
            inner.clone().prop_map(|a| format!("({a})")),
            inner.clone().prop_map(|a| format!("echo \"$( {a} )\"")),
            inner.prop_map(|a| format!("for i in 1 2; do {a}; done")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_ends_and_says_the_same_twice(text in prop_oneof![fragments(), ".{0,80}"]) {
        let first: Vec<String> = effects(&text).iter().map(ToString::to_string).collect();
        let second: Vec<String> = effects(&text).iter().map(ToString::to_string).collect();
        prop_assert_eq!(first, second);
    }

    #[test]
    fn what_follows_takes_no_effect_away(first in command(), second in command()) {
        let (one, both) = (lasting(&first), lasting(&format!("{first}; {second}")));
        prop_assert!(one.is_subset(&both), "{first}; {second}: lost {:?}", one.difference(&both));
    }

    #[test]
    fn what_is_put_around_a_command_takes_no_effect_away(inner in command()) {
        let quoted = inner.replace('\'', r"'\''");
        let bare = lasting(&inner);
        for outer in [
            format!("( {inner} )"),
            format!("{{ {inner}; }}"),
            format!("if true; then {inner}; fi"),
            format!("while true; do {inner}; done"),
            format!("case x in *) {inner};; esac"),
            format!("f() {{ {inner}; }}; f"),
            format!("true && {{ {inner}; }}"),
            format!("bash -c '{quoted}'"),
            format!("eval '{quoted}'"),
            format!("env A=1 sh -c '{quoted}'"),
            format!("x=$( {inner} )"),
            format!("bash <<'END'\n{inner}\nEND"),
        ] {
            let found = lasting(&outer);
            prop_assert!(is_doubted(&found) || bare.is_subset(&found), "{outer}: lost {:?}", bare.difference(&found));
        }
    }
}

/// Builtins that print nothing, and what prints its argument: `a` is no path with a directory.
const SILENT: &[&str] = &[
    ":",
    "[",
    "dirname",
    "exit",
    "false",
    "getopts",
    "let",
    "local",
    "mapfile",
    "read",
    "readarray",
    "return",
    "shift",
    "test",
    "true",
    "wait",
];

#[test]
fn what_a_program_prints_is_no_program_without_a_finding() {
    let silent: Vec<&str> = crate::command::knowledge::builtin_names()
        .into_iter()
        .filter(|name| {
            let found = effects(&format!("{name} a | sh"));
            !found.iter().any(|effect| matches!(effect.kind, Kind::Opaque(_)))
        })
        .collect();
    assert_eq!(silent, SILENT);
}
