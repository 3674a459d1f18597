//! Commands in files: read by the shell grammar that judges what agents run.

use super::super::document::{items, text};
use super::super::tables::Ecosystem;
use super::lines::{requirement, without_version};
use super::{List, Reference};
use agent_strace_effects::Kind;
use agent_strace_policy::Policy;
use agent_strace_policy::json::Value;

/// A longer script is generated, and its commands are not an agent's.
const LONGEST: usize = 200_000;

/// Commands of a text, or of a list of texts.
pub(super) fn in_value(value: &Value, list: &mut List<'_>) {
    if let Some(script) = text(value) {
        in_text(script, value.span.start, list);
    }
    let (mut words, mut texts) = (Vec::new(), 0);
    for item in items(value) {
        texts += usize::from(text(item).is_some());
        words.extend(text(item));
        in_value(item, list);
    }
    // `["npx", "-y", "name"]`: the words of one command.
    if texts > 1 && texts == words.len() && words.iter().all(|word| !word.contains(' ')) {
        let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        command(&words, value.span.start, list);
    }
}

/// Commands of a script that stands at a byte of the file.
pub(super) fn in_text(script: &str, at: usize, list: &mut List<'_>) {
    if script.len() > LONGEST || !may_name_a_tool(script) {
        return;
    }
    let script = without_expressions(script);
    for effect in agent_strace_effects::of_command(&script, Policy::none().programs()) {
        let Kind::Execute(execution) = &effect.kind else { continue };
        let offset = effect.span().map_or(0, |[start, _]| start);
        let words: Vec<String> = execution.argv.iter().map(|argument| argument.text.clone()).collect();
        command(&words, at_line(list.text, at, &script, offset), list);
    }
}

/// A byte on the line of the file on which a byte of the script stands. Scripts that a format folds are told at their
/// start, at worst.
fn at_line(text: &str, start: usize, script: &str, offset: usize) -> usize {
    let before = script.as_bytes().get(..offset).unwrap_or_default();
    let mut skip = memchr::memchr_iter(b'\n', before).count();
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    // A block of YAML starts behind the line of its key.
    skip += usize::from(rest.starts_with(b"|"));
    if skip == 0 {
        return start;
    }
    memchr::memchr_iter(b'\n', rest).nth(skip - 1).map_or(start, |at| start + at + 1)
}

/// Expressions of workflows are no shell; each becomes one word.
fn without_expressions(script: &str) -> String {
    let mut shown = String::with_capacity(script.len());
    let mut rest = script;
    while let Some((before, after)) = rest.split_once("${{") {
        shown.push_str(before);
        let Some((expression, behind)) = after.split_once("}}") else { break };
        shown.push_str("EXPRESSION");
        // Lines stay where they are.
        shown.extend(expression.chars().filter(|character| *character == '\n'));
        rest = behind;
    }
    shown.push_str(rest);
    shown
}

/// How programs start that install others.
const INSTALLERS: &[&str] =
    &["npm", "npx", "pnpm", "yarn", "bun", "pip", "uv", "brew", "cargo", "go", "docker", "podman", "gem"];

/// To read a script takes its time: only those are read that hold the first word of some command, or install something.
fn may_name_a_tool(script: &str) -> bool {
    let Ok(tables) = super::super::tables::tables() else { return true };
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_' | '.');
    script.split(|character: char| !is_word(character)).any(|word| {
        tables.commands.contains_key(word) || INSTALLERS.iter().any(|installer| word.starts_with(installer))
    })
}

fn command(words: &[String], at: usize, list: &mut List<'_>) {
    let Some((program, arguments)) = words.split_first() else { return };
    let program = program.rsplit('/').next().unwrap_or(program).to_owned();
    let names = arguments.iter().filter(|argument| !argument.starts_with('-'));
    let ecosystem = match program.as_str() {
        "npm" | "npx" | "pnpm" | "pnpx" | "yarn" | "bun" | "bunx" => Some(Ecosystem::Npm),
        "pip" | "pip3" | "pipx" | "uv" | "uvx" => Some(Ecosystem::Pypi),
        "brew" => Some(Ecosystem::Brew),
        "cargo" => Some(Ecosystem::Cargo),
        "go" => Some(Ecosystem::Go),
        "gem" => Some(Ecosystem::Gem),
        "docker" | "podman" => Some(Ecosystem::Docker),
        _ => None,
    };
    for name in names {
        match ecosystem {
            Some(Ecosystem::Pypi) => {
                if let Some(name) = requirement(name) {
                    list.package(Ecosystem::Pypi, name, at);
                }
            }
            Some(Ecosystem::Docker) => list.package(Ecosystem::Docker, super::container::image(name), at),
            Some(ecosystem) => list.package(ecosystem, without_version(name), at),
            None => {}
        }
    }
    let words = std::iter::once(program).chain(arguments.iter().cloned()).collect();
    list.add(Reference::Command(words), at);
}
