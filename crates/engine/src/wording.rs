//! Effects in words, and what the log says about a call.

use agent_strace_effects::{Connection, Effect, Kind, PROVIDER, PathTarget, Purpose};
use agent_strace_model::{Arguments, EventKind, ToolCall};

/// The most characters of log text in one message.
pub(super) const LONGEST: usize = 160;

/// `reads `src/a.rs``, `runs `cargo test``.
pub(super) fn act(effect: &Effect) -> String {
    if effect.origin.named {
        return mention(&effect.kind);
    }
    match &effect.kind {
        Kind::Read(target) => match effect.gathered {
            None => format!("reads {}", files(target)),
            Some(Purpose::Whole) => format!("reads {}", gathered(target)),
            Some(Purpose::Search) => format!("searches {}", gathered(target)),
            Some(Purpose::Check) => format!("looks at {}", gathered(target)),
        },
        Kind::Write(target) if effect.gathered.is_some() => format!("writes {}", gathered(target)),
        Kind::Write(target) => format!("writes {}", files(target)),
        Kind::Delete(target) if effect.gathered.is_some() => format!("deletes {}", gathered(target)),
        Kind::Delete(target) => format!("deletes {}", files(target)),
        Kind::List(target) => format!("lists {}", files(target)),
        Kind::Execute(execution) => {
            let words: Vec<&str> = execution.argv.iter().map(|argument| argument.text.as_str()).collect();
            format!("runs {}", quoted(&words.join(" ")))
        }
        Kind::Connect(connection) => match &connection.host {
            Some(host) if effect.via == PROVIDER => format!("has the model's provider open a page of {}", quoted(host)),
            Some(host) => format!("connects to {}", quoted(host)),
            None => "connects to a host that is not known".to_owned(),
        },
        Kind::Tool { server: Some(server), tool } => format!("uses {}", quoted(&format!("{server}/{tool}"))),
        Kind::Tool { server: None, tool } => format!("uses {}", quoted(tool)),
        Kind::Spawn { agent: Some(agent) } => format!("starts the sub-agent {}", quoted(agent)),
        Kind::Spawn { agent: None } => "starts a sub-agent".to_owned(),
        Kind::Env { name } if name == "*" => "sets environment variables that are not known".to_owned(),
        Kind::Env { name } => format!("sets the environment variable {}", quoted(name)),
        Kind::Opaque(opaque) if opaque.foreign_code().is_some() || opaque.reason.is_about_gate() => {
            opaque.reason.to_string()
        }
        Kind::Opaque(_) => "does something that could not be resolved".to_owned(),
    }
}

/// A word of a command names something: the log does not show what the program did with it.
fn mention(kind: &Kind) -> String {
    match kind {
        Kind::Read(target) => format!("names {}, which it may read", quoted(&target.shown())),
        Kind::Write(target) => format!("names {}, which it may write", quoted(&target.shown())),
        Kind::Connect(Connection { host: Some(host), .. }) => format!("names the host {}", quoted(host)),
        Kind::Execute(execution) => {
            let words: Vec<&str> = execution.argv.iter().map(|argument| argument.text.as_str()).collect();
            format!("names the command {}", quoted(&words.join(" ")))
        }
        _ => "names what it may act on".to_owned(),
    }
}

/// Files that a program found itself.
fn gathered(target: &PathTarget) -> String {
    let found = files(target);
    if found.starts_with('`') { format!("files of {found}") } else { found }
}

/// The files, and in words what `**` stands for.
fn files(target: &PathTarget) -> String {
    let shown = quoted(&target.shown());
    match (target.path.as_str(), target.subtree) {
        (".", true) => format!("all files of the workspace ({shown})"),
        ("**" | "**/**", _) => format!("a file that is not known ({shown})"),
        _ => shown,
    }
}

/// Log text inside a message: on one line, cut between words so that redaction still recognises what is left.
pub(super) fn quoted(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((limit, _)) = line.char_indices().nth(LONGEST) else { return format!("`{line}`") };
    let head = line.get(..limit).unwrap_or_default();
    let cut = head.rsplit_once(' ').map_or(head, |(words, _)| words);
    format!("`{cut} …`")
}

/// What the log says: the command, the path, the address, as recorded.
pub fn evidence(kind: &EventKind<'_>) -> Option<String> {
    match kind {
        EventKind::Call(call) | EventKind::Copied(call) => match &call.arguments {
            Arguments::Text(text) => Some(shortened(text)),
            Arguments::Json(_) => field(
                call,
                &[
                    "command",
                    "cmd",
                    "file_path",
                    "path",
                    "notebook_path",
                    "target_file",
                    "filePath",
                    "url",
                    "pattern",
                    "query",
                    "input",
                ],
            )
            .map(|text| shortened(&text)),
            Arguments::Missing => None,
        },
        EventKind::File(file) => Some(shortened(&file.target)),
        EventKind::Hook { command } => Some(shortened(command)),
        _ => None,
    }
}

/// Long enough for any report, which shortens again after redaction.
pub(super) fn shortened(text: &str) -> String {
    const LONGEST: usize = 4_000;
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(end, _)| end);
    text.get(..end).unwrap_or(text).to_owned()
}

/// The first of the arguments that is a text, or a list of words.
fn field(call: &ToolCall<'_>, names: &[&str]) -> Option<String> {
    let arguments = call.arguments.members()?;
    names.iter().find_map(|name| match arguments.text(name) {
        Some(text) => Some(text.into_owned()).filter(|text| !text.trim().is_empty()),
        None => serde_json::from_str::<Vec<String>>(arguments.json(name)?).ok().map(|words| words.join(" ")),
    })
}
