//! The literate table of what a call's success says of its commands.

use std::fmt::Write as _;
use std::path::Path;

use crate::{Kind, World};

/// Commands that stand for what somebody wants to know about.
const ASKED: &[&str] = &["build", "lint", "test"];

/// `fixtures/outcomes.md`: `UPDATE_SPECS=1` writes what is found; read it before you believe it.
#[test]
fn the_table_of_outcomes_holds() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures/outcomes.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let found = regenerated(&text);
    if std::env::var_os("UPDATE_SPECS").is_some() {
        std::fs::write(&path, &found).unwrap();
        return;
    }
    for (at, (old, new)) in text.lines().zip(found.lines()).enumerate() {
        assert_eq!(old, new, "fixtures/outcomes.md:{}: run with UPDATE_SPECS=1 and read the difference", at + 1);
    }
    assert_eq!(text.lines().count(), found.lines().count(), "fixtures/outcomes.md has lines too many or too few");
}

fn regenerated(text: &str) -> String {
    let mut out = String::new();
    let mut pending: Option<String> = None;
    let mut inside = false;
    for line in text.lines() {
        match (line.strip_prefix("$ ").filter(|_| inside), line.strip_prefix("> "), &mut pending) {
            (None, Some(more), Some(command)) => write!(command, "\n{more}").unwrap(),
            (Some(command), ..) => {
                told(pending.replace(command.to_owned()), &mut out);
            }
            // What was found before.
            (None, None, Some(_)) if line != "```" => continue,
            _ => told(pending.take(), &mut out),
        }
        inside ^= line.starts_with("```");
        writeln!(out, "{line}").unwrap();
    }
    out
}

fn told(command: Option<String>, out: &mut String) {
    let Some(command) = command else { return };
    for effect in super::super::run(&command, &mut World::new(Some("/repo"))).iter() {
        let Kind::Execute(execution) = &effect.kind else { continue };
        let words: Vec<&str> = execution.argv.iter().map(|word| word.text.as_str()).collect();
        if !words.first().is_some_and(|program| ASKED.contains(program)) {
            continue;
        }
        if effect.origin.told {
            writeln!(out, "{}", words.join(" ")).unwrap();
        } else if effect.origin.ran {
            writeln!(out, "{}, however it ended", words.join(" ")).unwrap();
        }
    }
}
