//! Effects in words, and what the log says about a call.

use std::borrow::Cow;

use agent_strace_effects::{Connection, Effect, Kind, PROVIDER, PathTarget, Purpose};
use agent_strace_model::{Arguments, EventKind, ToolCall};
use agent_strace_secrets::redact;

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

/// Log text inside a message: on one line, cut between words. Redaction comes before the cut, because half of a secret is one
/// that no detector knows.
pub(super) fn quoted(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.char_indices().nth(LONGEST).is_none() {
        return format!("`{line}`");
    }
    let line = redact(shortened(&line));
    let Some((limit, _)) = line.as_str().char_indices().nth(LONGEST) else { return format!("`{}`", line.as_str()) };
    let head = line.as_str().get(..limit).unwrap_or_default();
    let cut = head.rsplit_once(' ').map_or(head, |(words, _)| words);
    format!("`{cut} …`")
}

/// A reason, which may name a word of the log, whole: it is redacted before it is cut.
pub(super) fn sentence(reason: &str) -> Cow<'_, str> {
    const LONGEST: usize = 2 * super::wording::LONGEST;
    if reason.char_indices().nth(LONGEST).is_none() {
        return Cow::Borrowed(reason);
    }
    let reason = redact(reason);
    let cut = reason.as_str().char_indices().nth(LONGEST).and_then(|(limit, _)| reason.as_str().get(..limit));
    Cow::Owned(cut.map_or_else(|| reason.as_str().to_owned(), |head| format!("{head} …")))
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

/// Long enough for any report, which shortens again after redaction. It ends between words where it can, and so with no half
/// of a secret.
pub(super) fn shortened(text: &str) -> String {
    const LONGEST: usize = 4_000;
    let Some((limit, _)) = text.char_indices().nth(LONGEST) else { return text.to_owned() };
    let (head, tail) = text.split_at(limit);
    if tail.starts_with(char::is_whitespace) {
        return head.to_owned();
    }
    match head.rfind(char::is_whitespace) {
        Some(end) => head.get(..end).unwrap_or_default().to_owned(),
        // In one long word nothing says where a secret ends.
        None => redact(text).as_str().chars().take(LONGEST).collect(),
    }
}

/// The first of the arguments that is a text, or a list of words.
fn field(call: &ToolCall<'_>, names: &[&str]) -> Option<String> {
    let arguments = call.arguments.members()?;
    names.iter().find_map(|name| match arguments.text(name) {
        Some(text) => Some(text.into_owned()).filter(|text| !text.trim().is_empty()),
        None => serde_json::from_str::<Vec<String>>(arguments.json(name)?).ok().map(|words| words.join(" ")),
    })
}

#[cfg(test)]
mod tests {
    use super::{quoted, sentence, shortened};

    const TOKEN: &str = "ghp_k9X2mQ7vL4tR8wZ1nB6cY3sD5fH0jG2pA7eU";

    /// A report redacts what is whole. A detector knows a token by its length: half of one passes.
    fn is_safe(text: &str) -> bool {
        text.contains(TOKEN) || !text.contains("ghp_")
    }

    #[test]
    fn no_cut_leaves_half_of_a_secret() {
        for before in 130..200 {
            let path = format!("/{}/{TOKEN}/x", "a/".repeat(before / 2));
            assert!(is_safe(&quoted(&path)), "{}", quoted(&path));
        }
        for before in 3_950..4_010 {
            let path = format!("{}/{TOKEN}/x", "a".repeat(before));
            assert!(is_safe(&shortened(&path)));
            let words = format!("{} {TOKEN}/x", "a".repeat(before));
            assert!(is_safe(&shortened(&words)));
        }
    }

    #[test]
    fn a_reason_is_redacted_before_it_is_cut() {
        for before in 250..330 {
            let reason = format!("the program `{}{TOKEN}` is not known", "x/".repeat(before / 2));
            assert!(is_safe(&sentence(&reason)), "{}", sentence(&reason));
        }
        assert_eq!(sentence("the program `frob` is not known"), "the program `frob` is not known");
    }

    #[test]
    fn long_text_is_cut_between_words() {
        assert_eq!(quoted("a  b\nc"), "`a b c`");
        let words = "word ".repeat(40);
        assert_eq!(quoted(&words), format!("`{} …`", ["word"; 32].join(" ")));
        let path = "x".repeat(200);
        assert_eq!(quoted(&path), format!("`{} …`", "x".repeat(160)));
    }
}
