//! Whether the command that the host reports is the one that the call asked for. A host may wrap a command in a shell and
//! spell a directory in another way: that is no difference.

use std::borrow::Cow;

use crate::json::{Raw, elements, filled, parse, record, text};
use crate::paths::{is_rooted, plain};
use agent_strace_model::{Arguments, ToolCall};

/// A command that ran.
#[derive(Debug, Clone)]
pub(super) struct Command<'a> {
    pub(super) text: Raw<'a>,
    pub(super) cwd: Option<Cow<'a, str>>,
}

record! {
    struct Asked { words = "command", line = "cmd", workdir = "workdir", directory = "working_directory" }
}

/// Codex sets the encoding of a PowerShell line before the line itself.
const ENCODING: &str = "[Console]::OutputEncoding=[System.Text.Encoding]::UTF8;";

/// Whether a command that ran is another one than the call asked for, or ran elsewhere: then both are judged.
pub(super) fn differs(asked: &ToolCall<'_>, ran: &Command<'_>) -> bool {
    let Arguments::Json(json) = &asked.arguments else { return false };
    let Some(given) = parse::<Asked<'_>>(json) else { return false };
    let line = given.line.and_then(said).or_else(|| given.words.and_then(said));
    // The host may name something that is no command at all.
    let other_text = line.is_some_and(|asked| said(ran.text).is_none_or(|ran| asked != ran));
    let directory = filled(given.workdir).or_else(|| filled(given.directory));
    other_text || ran.cwd.as_deref().is_some_and(|cwd| ran_elsewhere(asked.cwd.as_deref(), directory.as_deref(), cwd))
}

/// Whether the directory of a command is surely another one than the turn's with the call's `workdir`.
fn ran_elsewhere(turn: Option<&str>, workdir: Option<&str>, ran: &str) -> bool {
    let asked = match (turn, workdir) {
        (_, Some(workdir)) if is_rooted(workdir) => workdir.to_owned(),
        (Some(turn), Some(workdir)) => format!("{turn}/{workdir}"),
        (Some(turn), None) => turn.to_owned(),
        (None, _) => return false,
    };
    is_rooted(ran) && !asked.starts_with('~') && plain(&asked) != plain(ran)
}

/// The line that a command gives to a shell.
pub(super) fn line(command: Raw<'_>) -> Option<String> {
    match words(command)?.as_slice() {
        [program, .., option, line] if is_shell(program) && takes_line(option) => Some(plain_line(line)),
        _ => None,
    }
}

fn words(command: Raw<'_>) -> Option<Vec<Cow<'_, str>>> {
    elements(Some(command)).into_iter().map(|word| text(Some(word))).collect()
}

fn plain_line(line: &str) -> String {
    line.strip_prefix(ENCODING).unwrap_or(line).trim().to_owned()
}

/// What a command says: its words, or the line that it gives to a shell, for hosts exchange the shell.
pub(super) fn said(command: Raw<'_>) -> Option<String> {
    if let Some(line) = text(Some(command)) {
        return Some(line.trim().to_owned());
    }
    line(command).or_else(|| {
        let words = words(command).filter(|words| !words.is_empty())?;
        Some(plain_line(&words.join(" ")))
    })
}

/// What a call's arguments say that it runs.
pub(super) fn asked(arguments: &Arguments<'_>) -> Option<String> {
    let Arguments::Json(json) = arguments else { return None };
    let given = parse::<Asked<'_>>(json)?;
    given.line.and_then(said).or_else(|| given.words.and_then(said))
}

/// Whether both are JSON and say the same, whatever the order of their keys.
pub(super) fn same_json(left: &Arguments<'_>, right: &Arguments<'_>) -> bool {
    let value = |arguments: &Arguments<'_>| match arguments {
        Arguments::Json(json) => serde_json::from_str::<serde_json::Value>(json).ok(),
        _ => None,
    };
    value(left).is_some_and(|left| Some(left) == value(right))
}

const SHELLS: [&str; 14] =
    ["sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish", "csh", "tcsh", "nu", "pwsh", "powershell", "cmd"];

fn is_shell(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program).to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    SHELLS.contains(&name)
}

/// `-lc`, `-Command` or `/c`.
fn takes_line(option: &str) -> bool {
    let option = option.to_ascii_lowercase();
    option == "/c" || option == "-command" || option.starts_with('-') && option.ends_with('c')
}
