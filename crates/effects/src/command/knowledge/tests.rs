//! The knowledge base as a whole, and the examples of its entries in `fixtures/programs/FAMILY.md`.
//!
//! A `##` heading names an entry by its first name; below it every `$ command` runs in a session of its own in `/repo`,
//! and the line after it states all its effects, but the execution of the command as it stands.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use crate::command::run;
use crate::{Effect, Kind, World};

use super::{Entry, OperandRole, Role, Special};

fn all_families() -> Vec<(&'static str, Vec<Entry>)> {
    let parsed = |(family, entries): (&'static str, Result<_, serde_json::Error>)| match entries {
        Ok(entries) => (family, entries),
        Err(error) => panic!("{family}.json: {error}"),
    };
    super::families().into_iter().map(parsed).collect()
}

fn file(family: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures/programs").join(format!("{family}.md"))
}

fn read(family: &str) -> String {
    let path = file(family);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn each_program_has_one_entry() {
    let mut seen = BTreeMap::new();
    let mut twice = Vec::new();
    for (family, entries) in all_families() {
        for name in entries.iter().flat_map(|entry| entry.names.split(' ')) {
            if let Some(first) = seen.insert(name.to_owned(), family) {
                twice.push(format!("{name}: {first} and {family}"));
            }
        }
    }
    assert!(twice.is_empty(), "{twice:#?}");
}

/// A misspelt function never leaves a program to the data alone.
#[test]
fn unknown_special_functions_are_refused() {
    let parsed = |json: &'static str| serde_json::from_str::<Entry>(json).map(|entry| entry.special);
    assert_eq!(parsed(r#"{"names":"sed","special":"sed"}"#).unwrap(), Some(Special::Sed));
    for json in [r#"{"names":"sed","special":"sedd"}"#, r#"{"names":"sed","special":""}"#] {
        assert!(parsed(json).is_err(), "{json}");
    }
}

/// `UPDATE_SPECS=1` writes what is found; read it before you believe it.
#[test]
fn the_examples_of_programs_hold() {
    let mut wrong = Vec::new();
    for (family, _) in super::FAMILIES {
        let text = read(family);
        let found = regenerated(&text);
        if std::env::var_os("UPDATE_SPECS").is_some() {
            std::fs::write(file(family), &found).unwrap();
            continue;
        }
        for (at, (old, new)) in text.lines().zip(found.lines()).enumerate().filter(|(_, (old, new))| old != new) {
            wrong.push(format!("fixtures/programs/{family}.md:{}: expected\n  {old}\nfound\n  {new}", at + 1));
        }
        if text.lines().count() != found.lines().count() {
            wrong.push(format!("fixtures/programs/{family}.md has lines too many or too few"));
        }
    }
    assert!(wrong.is_empty(), "{}\nrun with UPDATE_SPECS=1 and read the difference", wrong.join("\n"));
}

/// Every entry has its section, in the order of the data, with enough examples of it.
#[test]
fn every_program_has_examples() {
    let mut missing = Vec::new();
    for (family, entries) in all_families() {
        let text = read(family);
        let sections = sections(&text);
        let mut wanted = Vec::new();
        for entry in &entries {
            let name = entry.names.split(' ').next().unwrap();
            wanted.push(name);
            let commands = sections.iter().find(|(title, _)| *title == name).map_or(&[][..], |(_, commands)| commands);
            if let Some(problem) = lacking(entry, commands) {
                missing.push(format!("fixtures/programs/{family}.md: `{name}` {problem}"));
            }
        }
        let titles: Vec<&str> = sections.iter().map(|(title, _)| *title).collect();
        if missing.is_empty() {
            assert_eq!(titles, wanted, "fixtures/programs/{family}.md: sections in the order of {family}.json");
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

fn lacking(entry: &Entry, commands: &[&str]) -> Option<String> {
    let least = if acts(entry) { 2 } else { 1 };
    if commands.len() < least {
        return Some(format!("needs {least} examples, has {}", commands.len()));
    }
    let names = |entry: &Entry, command: &str| entry.names.split(' ').any(|name| mentions(command, name));
    if let Some(other) = commands.iter().find(|command| !names(entry, command)) {
        return Some(format!("is not in its example `{other}`"));
    }
    let bare = entry.subcommands.iter().find(|sub| !commands.iter().any(|command| names(sub, command)));
    bare.map(|sub| format!("has no example of its subcommands `{}`", sub.names))
}

/// The program is a word of the command, by its name or by a path.
fn mentions(command: &str, name: &str) -> bool {
    command.split([' ', '\n', '\'', '"', '(']).any(|word| word == name || word.rsplit('/').next() == Some(name))
}

/// It may do more than read.
fn acts(entry: &Entry) -> bool {
    let harmless = |role: Role| {
        use Role::{Harmless, InPlace, List, ListTree, Pattern, PatternFile, Read, ReadTree, Text, Tree, Value};
        matches!(
            role,
            Value | Text | Pattern | PatternFile | Read | ReadTree | List | ListTree | Tree | InPlace | Harmless
        )
    };
    let operands = entry.operands.iter().map(|OperandRole { role, .. }| *role);
    let options = entry.options.values().map(|option| option.role);
    entry.special.is_some()
        || entry.unproven.is_some()
        || !entry.connect.is_empty()
        || !entry.subcommands.is_empty()
        || operands.chain(options).any(|role| !harmless(role))
}

/// Headings with the commands below them.
fn sections(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut all: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            all.push((title, Vec::new()));
        } else if let (Some(command), Some((_, commands))) = (line.strip_prefix("$ "), all.last_mut()) {
            commands.push(command);
        }
    }
    all
}

fn regenerated(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    let mut pending: Option<String> = None;
    for line in text.lines() {
        let fence = line.starts_with("```");
        if let (true, Some(more), Some(command)) = (inside, line.strip_prefix("> "), &mut pending) {
            writeln!(out, "{line}").unwrap();
            write!(command, "\n{more}").unwrap();
            continue;
        }
        if inside && !fence && !line.starts_with("$ ") {
            continue;
        }
        if let Some(command) = pending.take() {
            writeln!(out, "{}", outcome(&command)).unwrap();
        }
        writeln!(out, "{line}").unwrap();
        inside ^= fence;
        pending = line.strip_prefix("$ ").filter(|_| inside).map(str::to_owned);
    }
    out
}

/// All effects of a command on one line; its own plain execution is left out.
fn outcome(command: &str) -> String {
    let effects = run(command, &mut World::new(Some("/repo")));
    // Redirections are opened before the command runs.
    let own = effects.iter().position(|effect| effect.via != "redirect");
    let shown = |(at, effect): (usize, &Effect)| match &effect.kind {
        Kind::Execute(execution) if own == Some(at) && execution.argv.iter().all(|argument| argument.known) => {
            match (execution.inert, execution.embeds) {
                (true, _) => Some("inert".to_owned()),
                (false, true) => Some("embeds".to_owned()),
                (false, false) => None,
            }
        }
        _ => Some(effect.to_string()),
    };
    let shown: Vec<String> = effects.iter().enumerate().filter_map(shown).collect();
    if shown.is_empty() { "nothing".to_owned() } else { shown.join("; ") }
}
