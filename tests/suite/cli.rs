//! Cases of the command line, as documents: `tests/cmd/*.md`.
//!
//! A document is prose with blocks. `` ```file PATH `` puts a file into the world (which starts as a copy of
//! `fixtures/demo`); `` ```console `` is one command after `$ `, what it printed (standard error behind `2> `), and its
//! exit code after `? `. Variables stand before the command, `< PATH` after it, `cd FOLDER &&` before all. `UPDATE_SPECS=1` rewrites the output.

use std::fmt::Write as _;
use std::fs;

use crate::world::{Answer, World, project, update};

#[test]
fn documents_say_what_commands_do() {
    let mut documents: Vec<_> =
        fs::read_dir(project().join("tests/cmd")).unwrap().map(|entry| entry.unwrap().path()).collect();
    documents.sort();
    assert!(documents.len() > 5, "documents are missing");
    let mut wrong = Vec::new();
    for path in documents {
        let text = fs::read_to_string(&path).unwrap();
        let (actual, commands) = replay(&text, &World::demo());
        assert!(commands > 0, "{} runs nothing", path.display());
        if update() {
            fs::write(&path, &actual).unwrap();
        } else if actual != text {
            wrong.push(format!("{}:\n{}", path.display(), difference(&text, &actual)));
        }
    }
    assert!(wrong.is_empty(), "{}\n(UPDATE_SPECS=1 writes what happened)", wrong.join("\n"));
}

/// The document with the output that its commands really have, and how many there are.
pub(crate) fn replay(text: &str, world: &World) -> (String, usize) {
    let (mut result, mut commands) = (String::new(), 0);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        result.push_str(line);
        result.push('\n');
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if let Some(path) = info.strip_prefix("file ") {
            world.write(path, &(block.join("\n") + "\n"));
        }
        if info == "console" {
            let command = block.first().and_then(|line| line.strip_prefix("$ ")).expect("a block starts with `$ `");
            commands += 1;
            write!(result, "$ {command}\n{}", shown(&execute(command, world))).unwrap();
        } else {
            for line in block {
                writeln!(result, "{line}").unwrap();
            }
        }
        result.push_str("```\n");
    }
    (result, commands)
}

fn execute(command: &str, world: &World) -> Answer {
    let (folder, command) = match command.strip_prefix("cd ").and_then(|rest| rest.split_once(" && ")) {
        Some((folder, command)) => (folder, command),
        None => (".", command),
    };
    let (command, stdin) = match command.split_once(" < ") {
        Some((command, path)) => (command, world.read(path)),
        None => (command, String::new()),
    };
    let words = words(command);
    let at = words.iter().position(|word| word == "agent-strace").expect("a command runs agent-strace");
    let variables: Vec<(&str, &str)> = words[..at].iter().map(|word| word.split_once('=').unwrap()).collect();
    let args: Vec<&str> = words[at + 1..].iter().map(String::as_str).collect();
    world.spawn(folder, &args, &variables, &stdin)
}

/// Words apart by blanks; single quotes hold them together.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut any) = (Vec::new(), String::new(), false, false);
    for character in text.chars().chain([' ']) {
        match character {
            '\'' => (quoted, any) = (!quoted, true),
            ' ' if !quoted => {
                if any {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            character => {
                word.push(character);
                any = true;
            }
        }
    }
    words
}

fn shown(answer: &Answer) -> String {
    let mut text = answer.stdout.clone();
    for line in answer.stderr.lines() {
        writeln!(text, "2> {line}").unwrap();
    }
    writeln!(text, "? {}", answer.code).unwrap();
    text
}

fn difference(expected: &str, actual: &str) -> String {
    let (mut left, mut right) = (expected.lines(), actual.lines());
    let mut number = 0;
    loop {
        number += 1;
        match (left.next(), right.next()) {
            (None, None) => return "only line ends differ".to_owned(),
            (left, right) if left == right => {}
            (left, right) => {
                return format!(
                    "line {number}\n  expected: {}\n  actual:   {}",
                    left.unwrap_or("(end)"),
                    right.unwrap_or("(end)")
                );
            }
        }
    }
}
