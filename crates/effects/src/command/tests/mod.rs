//! The literate table of commands, and limits.

mod bombs;
mod metamorphic;
mod outcomes;
mod properties;
mod sweeps;

use std::fmt::Write as _;
use std::path::Path;

use crate::World;

/// `fixtures/commands.md`: every block is a session in `/repo`, every `$ command` is a call of it, and the lines below
/// are its effects. `UPDATE_SPECS=1` writes what is found; read it before you believe it.
#[test]
fn the_table_of_commands_holds() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures/commands.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let found = regenerated(&text);
    if std::env::var_os("UPDATE_SPECS").is_some() {
        std::fs::write(&path, &found).unwrap();
        return;
    }
    let differs = text.lines().zip(found.lines()).enumerate().find(|(_, (old, new))| old != new);
    if let Some((at, (old, new))) = differs {
        panic!(
            "fixtures/commands.md:{}: expected\n  {old}\nfound\n  {new}\nrun with UPDATE_SPECS=1 and read the difference",
            at + 1
        );
    }
    assert_eq!(text.lines().count(), found.lines().count(), "fixtures/commands.md has lines too many or too few");
}

fn regenerated(text: &str) -> String {
    let mut out = String::new();
    let mut world = None;
    let mut pending: Option<String> = None;
    for line in text.lines() {
        let opens = line.starts_with("```");
        match (&mut world, line) {
            (None, _) => {
                assert_ne!(line, "```", "a block is closed that no line has opened");
                writeln!(out, "{line}").unwrap();
                if opens {
                    world = Some(World::new(Some("/repo")));
                }
            }
            (Some(session), _) if opens => {
                assert_eq!(line, "```", "a block starts inside of another, which no line has closed");
                flush(&mut pending, session, &mut out);
                writeln!(out, "{line}").unwrap();
                world = None;
            }
            (Some(session), line) => {
                if let Some(command) = line.strip_prefix("$ ") {
                    flush(&mut pending, session, &mut out);
                    writeln!(out, "{line}").unwrap();
                    pending = Some(command.to_owned());
                } else if let (Some(more), Some(command)) = (line.strip_prefix("> "), &mut pending) {
                    writeln!(out, "{line}").unwrap();
                    write!(command, "\n{more}").unwrap();
                }
            }
        }
    }
    out
}

fn flush(pending: &mut Option<String>, world: &mut World, out: &mut String) {
    let Some(command) = pending.take() else { return };
    for effect in super::run(&command, world).into_vec() {
        match effect.via.strip_prefix("script ") {
            Some(script) => writeln!(out, "{effect} (in {script})").unwrap(),
            None => writeln!(out, "{effect}").unwrap(),
        }
    }
}
