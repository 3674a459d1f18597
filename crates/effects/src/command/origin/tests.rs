//! The literate table of origins, and what holds for the origins of any text.

use std::fmt::Write as _;
use std::path::Path;

use proptest::prelude::*;

use crate::{Effect, Kind, World, causes};
use agent_strace_testing::corpus::commands as corpus_commands;

/// `fixtures/origins.md`; see there. `UPDATE_SPECS=1` writes what is found.
#[test]
fn the_table_of_origins_holds() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures/origins.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let found = regenerated(&text);
    if std::env::var_os("UPDATE_SPECS").is_some() {
        std::fs::write(&path, &found).unwrap();
        return;
    }
    let differs = text.lines().zip(found.lines()).enumerate().find(|(_, (old, new))| old != new);
    if let Some((at, (old, new))) = differs {
        panic!("fixtures/origins.md:{}: expected\n  {old}\nfound\n  {new}\nrun with UPDATE_SPECS=1", at + 1);
    }
    assert_eq!(text.lines().count(), found.lines().count(), "fixtures/origins.md has lines too many or too few");
}

fn regenerated(table: &str) -> String {
    let mut out = String::new();
    let mut world: Option<World> = None;
    let mut lines = table.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            world = if world.is_none() { Some(World::new(Some("/repo"))) } else { None };
        }
        match (&mut world, line.strip_prefix("$ ")) {
            (Some(world), Some(command)) => {
                let mut text = command.to_owned();
                writeln!(out, "{line}").unwrap();
                while let Some(more) = lines.peek().and_then(|line| line.strip_prefix("> ")) {
                    writeln!(out, "> {more}").unwrap();
                    write!(text, "\n{more}").unwrap();
                    lines.next();
                }
                out.push_str(&shown(&text, &super::super::run(&text, world)));
            }
            (Some(_), None) if !line.starts_with("```") => {}
            _ => writeln!(out, "{line}").unwrap(),
        }
    }
    out
}

fn shown(text: &str, effects: &[Effect]) -> String {
    let mut out = String::new();
    for (index, effect) in effects.iter().enumerate() {
        let cause = effect.origin.parent.map_or(String::new(), |parent| format!("<{parent}"));
        let piece = effect.origin.span.map_or("", |span| span.slice(text).unwrap());
        writeln!(out, "[{index}{cause}] {effect} {{{}}}", piece.replace('\n', "\\n")).unwrap();
    }
    out
}

/// What is wrong with the origins of a text's effects.
fn faults(text: &str) -> Vec<String> {
    let effects = super::super::run(text, &mut World::new(Some("/repo")));
    let mut faults = Vec::new();
    for (index, effect) in effects.iter().enumerate() {
        match effect.origin.span {
            Some(span) if span.slice(text).is_some_and(|piece| !piece.is_empty()) => {}
            Some(span) => faults.push(format!("{effect}: {span:?} is no piece of {text:?}")),
            None if text.is_empty() => {}
            None => faults.push(format!("{effect}: no span in {text:?}")),
        }
        if let Some(parent) = effect.origin.parent {
            let cause = effects.get(parent as usize).filter(|_| (parent as usize) < index);
            if !cause.is_some_and(|cause| matches!(cause.kind, Kind::Execute(_))) {
                faults.push(format!("{effect}: {parent} is no earlier command in {text:?}"));
            }
        }
    }
    let all: Vec<&Effect> = effects.iter().collect();
    let causes = causes(&all);
    for index in 0..effects.len() {
        // Two steps for one: who runs in a circle meets himself.
        let (mut slow, mut fast) = (Some(index), causes[index]);
        while let Some(next) = fast {
            if Some(next) == slow {
                faults.push(format!("{}: it causes itself in {text:?}", effects[index]));
                break;
            }
            slow = slow.and_then(|index| causes[index]);
            fast = causes[next].and_then(|next| causes[next]);
        }
        if causes[index].is_some_and(|cause| !matches!(effects[cause].kind, Kind::Execute(_))) {
            faults.push(format!("{}: what caused it is no command in {text:?}", effects[index]));
        }
    }
    faults
}

#[test]
fn origins_are_pieces_of_real_commands_and_a_forest() {
    let commands = corpus_commands();
    assert!(commands.len() >= 50, "{} commands", commands.len());
    let wrong: Vec<String> = commands.iter().flat_map(|text| faults(text)).take(10).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A carriage return is no part of a line for us, but of the text.
#[test]
fn spans_count_carriage_returns_and_what_was_cut_out() {
    let text = "cat x\r\nbash <<'E'\r\nrm y\r\nE\r\nrm z > w\r\n";
    let effects = super::super::run(text, &mut World::new(Some("/repo")));
    let pieces: Vec<_> = effects.iter().map(|effect| effect.origin.span.unwrap().slice(text).unwrap()).collect();
    assert_eq!(pieces, ["cat x", "x", "bash <<'E'", "rm y", "y", "> w", "rm z > w", "z"]);
}

/// What our own search for a text passes over, another reader may count as part of a word.
#[test]
fn spans_end_where_their_text_was_found() {
    let text = "ssh h <<< awk 'BEGIN { system(\"rm y\") }'\u{2028} | ";
    assert_eq!(faults(text), [""; 0]);
}

/// Pieces that nest, quote, cut and hide text.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "rm -rf x",
        "cat ",
        "ls",
        " | ",
        " && ",
        "; ",
        "\n",
        "\r\n",
        "bash -c ",
        "'",
        "\"",
        "`",
        "$(",
        ")",
        "<<E\n",
        "\nE\n",
        "<<-E\n\t",
        "<<< ",
        " > out",
        " 2>> é",
        "xargs ",
        "find . -exec ",
        " \\;",
        "eval ",
        "f() { ",
        "; }; f ",
        "🦀",
        "ä",
        "\\",
        "$X",
        "X=",
        "{a,b}",
        "{1..3}",
        "env -S ",
        "sudo ",
        "ssh h ",
        "[REDACTED]",
        "\u{1b}[31m",
        "\0",
        "\u{2028}",
        "# ",
        "for i in 1 2; do ",
        "; done",
        "python3 -c ",
        "import os; os.remove('x')",
        "git -c alias.x=",
        "!",
        "((",
        "))",
        "trap ",
        " EXIT",
        "printf '%s\\n' ",
        " | bash",
        "> s.sh",
        "; bash s.sh",
        "$'\\n'",
        "awk 'BEGIN { system(\"rm y\") }'",
    ]);
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]
    #[test]
    fn origins_are_pieces_of_any_text_and_a_forest(text in hostile()) {
        let wrong = faults(&text);
        prop_assert!(wrong.is_empty(), "{:#?}", wrong);
    }
}
