//! Tools that run programs: shell text, argument vectors, code.

use std::ops::Range;

use agent_strace_model::{Scripts, ShellLanguage};

use super::UNJUDGEABLE;
use super::languages::{self, Mode};
use super::names;
use super::registry::{Entry, Flag, REGISTRY};
use super::run::{Run, objects, quoted, texts};
use super::value::{Object, Value};
use crate::world::Terminal;
use crate::{About, Certainty, Class, Effect, Kind, Reason};

/// Drops what one reading of a text does not understand, where another one, of the language that the call names,
/// understands all of it. What either of them does stays.
pub(super) fn forget_doubts(run: &mut Run<'_>, doubted: Range<usize>, sure: Range<usize>) {
    let is_doubt = |effect: &Effect| match &effect.kind {
        Kind::Opaque(opaque) => {
            matches!(opaque.reason, Reason::ShellText(_) | Reason::UnknownProgram(_) | Reason::ComputedProgram)
        }
        Kind::Execute(execution) => execution.argv.first().is_some_and(|program| !program.known),
        _ => false,
    };
    let in_range = |range: &Range<usize>| run.effects.get(range.clone()).unwrap_or_default();
    // The acts of a program of the project are unknown in any language.
    let is_unread = |effect: &Effect| match &effect.kind {
        Kind::Opaque(opaque) => matches!(opaque.class, Class::Unknown | Class::Hidden),
        _ => is_doubt(effect),
    };
    let is_sure = !in_range(&sure).iter().any(is_unread);
    if sure.is_empty() || !is_sure || !in_range(&doubted).iter().any(is_doubt) {
        return;
    }
    let mut at = 0;
    run.effects.to_mut().retain(|effect| {
        at += 1;
        !(doubted.contains(&(at - 1)) && is_doubt(effect))
    });
}

pub(super) fn command(run: &mut Run<'_>, entry: &Entry, given: &Object, own: Option<ShellLanguage>) {
    let modes = languages::modes(run.world, entry, given, own);
    let home = run.world.cwd().map(str::to_owned);
    let directories = texts(given, entry, "cwd").texts;
    for directory in directories.iter().filter(|directory| !directory.trim().is_empty()) {
        run.world.enter(directory, Certainty::Exact);
    }
    let mut judged = Judged::default();
    let before = run.effects.len();
    if let Some(terminal) = terminal(entry, given) {
        run.world.replace_terminal(terminal);
    }
    languages::in_each(run, &modes, &mut |run, mode| {
        judged = Judged::default();
        programs(run, entry, given, mode, &mut judged);
    });
    // Several commands have one status, and one in the background has none yet.
    if judged.detached || entry.detaches {
        run.detach(before);
    } else if judged.commands > 1 || modes.len() > 1 {
        run.untell(before);
    }
    if judged.malformed || judged.commands == 0 {
        run.opaque(About::Anything, UNJUDGEABLE);
    }
    if !directories.is_empty() {
        // A directory for this call alone.
        run.world.set_cwd(home);
    }
}

/// The terminal that the call says its command keeps.
fn terminal(entry: &Entry, given: &Object) -> Option<Terminal> {
    let is_terminal = |key: &str| REGISTRY.is(entry, "terminal", &names::plain(key));
    let is_no = |value: &Value| match value {
        Value::Text(text) => matches!(text.to_lowercase().as_str(), "" | "false" | "no" | "0"),
        value => matches!(value, Value::Null | Value::Bool(false)),
    };
    let mut said = given.iter().filter(|(key, _)| is_terminal(key)).map(|(_, value)| is_no(value)).peekable();
    said.peek()?;
    Some(if said.all(|no| no) { Terminal::None } else { Terminal::Kept })
}

/// A text for the shell of the session.
pub(super) fn text(run: &mut Run<'_>, text: &str) {
    let modes = languages::modes_of_text(run.world, text);
    languages::in_each(run, &modes, &mut |run, mode| text_with(run, text, &[], mode));
}

/// `runs`, the options that arguments stand for, then the operands in the order in which the entry names them.
pub(super) fn with_operands(run: &mut Run<'_>, entry: &Entry, given: &Object) {
    let home = run.world.cwd().map(str::to_owned);
    for directory in texts(given, entry, "cwd").texts {
        run.world.enter(directory, Certainty::Exact);
    }
    let mut line: Vec<String> = entry.runs.iter().map(|word| quoted(word)).collect();
    let operands: &[&str] = entry.arguments.get("operands").map_or(&[], Vec::as_slice);
    for (key, value) in given {
        let plain = names::plain(key);
        let is_other = REGISTRY.is(entry, "cwd", &plain) || operands.iter().any(|name| names::is(name, &plain));
        if !is_other {
            line.extend(options(entry, key, value).iter().map(|word| quoted(word)));
        }
    }
    for name in operands {
        for (_, value) in given.iter().filter(|(key, _)| names::plain(key) == names::plain(name)) {
            match (value, words(value)) {
                (Value::Text(text), _) if *name == "command" => line.push(text.clone()),
                (Value::Text(text), _) => line.push(quoted(text)),
                (_, Some(words)) => line.extend(words.iter().map(|word| quoted(word))),
                _ => run.opaque(About::Anything, UNJUDGEABLE),
            }
        }
    }
    run.shell(&line.join(" "));
    run.world.set_cwd(home);
}

/// The options of a program that an argument stands for.
fn options(entry: &Entry, key: &str, value: &Value) -> Vec<String> {
    let plain = names::plain(key);
    let flag = entry.flags.iter().find(|(name, _)| names::is(name, &plain)).map(|(_, flag)| flag);
    match (flag, value) {
        (Some(Flag::Named(option)), _) if option.is_empty() => Vec::new(),
        (Some(Flag::Named(option)), Value::Bool(true)) => vec![option.clone()],
        (Some(Flag::Named(option)), Value::Text(text)) => vec![format!("{option}={text}")],
        (Some(Flag::ByValue(options)), Value::Text(text)) => {
            options.get(&text.to_lowercase()).cloned().into_iter().collect()
        }
        (None, Value::Bool(true)) => vec![format!("--{}", names::words(key).join("-"))],
        (None, Value::Text(text)) if is_argument_list(&plain) => text.split_whitespace().map(str::to_owned).collect(),
        (None, Value::List(_)) if is_argument_list(&plain) => words(value).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn is_argument_list(key: &str) -> bool {
    matches!(key, "options" | "flags") || REGISTRY.has_role("arguments", key)
}

#[derive(Debug, Default)]
struct Judged {
    commands: usize,
    malformed: bool,
    /// The call returned before what it started ended.
    detached: bool,
}

fn programs(run: &mut Run<'_>, entry: &Entry, given: &Object, mode: Mode, judged: &mut Judged) {
    let arguments: Vec<String> = given
        .iter()
        .filter(|(key, _)| REGISTRY.is(entry, "arguments", &names::plain(key)))
        .filter_map(|(_, value)| words(value))
        .flatten()
        .collect();
    for (key, value) in given {
        let plain = names::plain(key);
        if REGISTRY.is(entry, "environment", &plain) {
            environment(run, value);
            continue;
        }
        if REGISTRY.is(entry, "background", &plain) {
            judged.detached |= !matches!(value, Value::Null | Value::Bool(false));
            continue;
        }
        if !REGISTRY.is(entry, "command", &plain) {
            if REGISTRY.is_container(&plain) {
                for inner in objects(value) {
                    programs(run, entry, inner, mode, judged);
                }
            }
            continue;
        }
        let several = plain.ends_with('s') && plain != "bash";
        match (value, words(value)) {
            (Value::Null, _) => {}
            (Value::Text(text), _) => {
                judged.commands += 1;
                text_with(run, text, &arguments, mode);
            }
            (Value::List(_), Some(list)) if several => {
                for text in &list {
                    judged.commands += 1;
                    match mode {
                        Mode::Shell(ShellLanguage::Posix) => run.shell_made(text),
                        _ => text_with(run, text, &[], mode),
                    }
                }
            }
            (Value::List(_), Some(argv)) if !argv.is_empty() => {
                judged.commands += 1;
                run.argv(&argv);
            }
            (Value::List(_) | Value::Object(_), _) if !objects(value).is_empty() => {
                for inner in objects(value) {
                    programs(run, entry, inner, mode, judged);
                }
            }
            _ => judged.malformed = true,
        }
    }
}

/// Variables that the program gets: `{"X": "1"}`, `["X=1"]`, `X=1`.
fn environment(run: &mut Run<'_>, value: &Value) {
    match value {
        Value::Object(variables) => {
            for (name, value) in variables {
                run.variable(name, if let Value::Text(text) = value { Some(text) } else { None });
            }
        }
        Value::List(items) => items.iter().for_each(|item| environment(run, item)),
        Value::Text(text) => {
            if let Some((name, value)) = text.split_once('=') {
                run.variable(name.trim(), Some(value));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A program, or a whole command line, with more arguments beside it.
fn text_with(run: &mut Run<'_>, text: &str, arguments: &[String], mode: Mode) {
    if mode == Mode::Shell(ShellLanguage::Posix) && arguments.is_empty() {
        return run.shell(text);
    }
    let quoted: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
    let line = format!("{text} {}", quoted.join(" "));
    let line = line.trim_end();
    match mode {
        Mode::Shell(ShellLanguage::Posix) => run.shell_made(line),
        Mode::Slashed => run.shell_made(languages::slashed(line).as_deref().unwrap_or(line)),
        Mode::Shell(ShellLanguage::PowerShell) => run.powershell(line),
        Mode::Shell(ShellLanguage::Cmd) => run.cmd(line),
        Mode::CmdProgram => run.argv(&["cmd.exe", "/c", line].map(str::to_owned)),
    }
}

pub(super) fn words(value: &Value) -> Option<Vec<String>> {
    let Value::List(items) = value else { return None };
    items
        .iter()
        .map(|item| match item {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        })
        .collect()
}

pub(super) fn input(run: &mut Run<'_>, entry: &Entry, given: &Object) {
    let found = texts(given, entry, "input");
    if found.malformed {
        run.opaque(About::Anything, UNJUDGEABLE);
    }
    for text in found.texts {
        typed(run, text);
    }
}

/// Keys typed into a terminal: a line of text is taken as a command, control keys do nothing by themselves.
pub(super) fn typed(run: &mut Run<'_>, keys: &str) {
    let printable = |character: char| !character.is_control() || matches!(character, '\n' | '\r' | '\t');
    let text: String = keys.chars().filter(|character| printable(*character)).collect();
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    if text.trim().is_empty() {
        return;
    }
    let before = run.effects.len();
    let modes = languages::modes_of_text(run.world, &text);
    languages::in_each(run, &modes, &mut |run, mode| match mode {
        Mode::Shell(ShellLanguage::Posix) if text != keys => run.shell_made(&text),
        _ => text_with(run, &text, &[], mode),
    });
    // They were typed: how it ends, the terminal shows later.
    run.untell(before);
}

pub(super) fn code(run: &mut Run<'_>, entry: &Entry, given: &Object) {
    let language = texts(given, entry, "language");
    let code = texts(given, entry, "code");
    if code.malformed || language.malformed || code.texts.is_empty() {
        run.opaque(About::Anything, UNJUDGEABLE);
    }
    let mut languages: Vec<Option<&str>> = language.texts.iter().copied().map(Some).collect();
    if languages.is_empty() || !entry.runs.is_empty() {
        languages = vec![None];
    }
    languages.sort_unstable();
    languages.dedup();
    for text in code.texts {
        // Several arguments may name a language, and the tool has a use for one of them.
        for language in &languages {
            program(run, entry, text, *language);
        }
    }
}

/// Code for an interpreter that the tool or an argument names.
pub(super) fn program(run: &mut Run<'_>, entry: &Entry, code: &str, language: Option<&str>) {
    if entry.runs.is_empty() {
        return interpreted(run, code, language);
    }
    let argv: Vec<String> = entry.runs.iter().cloned().chain([code.to_owned()]).collect();
    run.argv(&argv);
}

pub(super) fn interpreted(run: &mut Run<'_>, code: &str, language: Option<&str>) {
    let argv: &[&str] = match language.map(str::to_lowercase).as_deref() {
        Some("python" | "python3" | "py" | "ipython") => &["python3", "-c"],
        Some("javascript" | "js" | "node" | "nodejs" | "typescript" | "ts") => &["node", "-e"],
        Some("bash" | "sh" | "shell" | "zsh") => return run.shell(code),
        Some("powershell" | "pwsh" | "ps1") => return run.powershell(code),
        Some("cmd" | "bat" | "batch") => &["cmd.exe", "/c"],
        Some("ruby" | "rb") => &["ruby", "-e"],
        Some("perl") => &["perl", "-e"],
        Some("php") => &["php", "-r"],
        None if run.scripts == Scripts::Python => &["python3", "-c"],
        _ => return run.opaque(About::Anything, Reason::LanguageNotNamed),
    };
    let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).chain([code.to_owned()]).collect();
    run.argv(&argv);
}
