//! What an event says of itself, in a line or a few: the command, the path, the words.

use agent_strace_model::{Arguments, EventKind, Members, ToolCall, decode_json};

use super::cut;

/// What stands below an event. Raw log text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detail {
    /// What a shell is asked to run.
    Command(String),
    /// Files, and what of them is replaced where only that is.
    Files {
        paths: Vec<String>,
        replaces: Option<String>,
    },
    /// What is looked for, and where.
    Pattern {
        pattern: String,
        path: Option<String>,
    },
    Url(String),
    /// What somebody asks: a user, or the agent a search engine or another agent.
    Words(String),
    /// What the model says, in Markdown.
    Message(String),
    /// What a tool answered, why something failed, a decision.
    Text(String),
    /// An argument that has no meaning known to us, or the names of several.
    Argument(String),
}

/// Names of arguments, the first that is there tells what a call is about.
const COMMANDS: &[&str] = &["command", "cmd", "commands", "script"];
const PATTERNS: &[&str] = &["pattern", "glob", "regex", "glob_pattern"];
const URLS: &[&str] = &["url", "uri"];
const PATHS: &[&str] = &[
    "file_path",
    "path",
    "notebook_path",
    "target_file",
    "filePath",
    "filename",
    "file",
    "relative_path",
    "absolute_path",
    "dir_path",
    "directory",
];
const QUESTIONS: &[&str] = &["query", "prompt", "message", "question", "task"];
const REPLACED: &[&str] = &["old_string", "old_str", "oldString"];
/// A longer argument tells nothing at a glance.
const GLANCE: usize = 150;
/// More files of a patch are not told.
const FILES: usize = 20;

pub(super) fn of(kind: &EventKind<'_>) -> Option<Detail> {
    match kind {
        EventKind::Call(call) | EventKind::Copied(call) => of_call(call),
        EventKind::Prompt(text) | EventKind::Instruction(text) | EventKind::Command(text) => {
            Some(Detail::Words(cut(&text.decode())))
        }
        EventKind::Message(text) => Some(Detail::Message(cut(&text.decode()))),
        EventKind::Reasoning(text) | EventKind::Failure(text) | EventKind::Decision(text) => {
            Some(Detail::Text(cut(&text.decode())))
        }
        EventKind::Result(result) => result.text.as_ref().map(|text| Detail::Text(cut(&text.decode()))),
        EventKind::File(file) => Some(Detail::Files { paths: vec![cut(&file.target)], replaces: None }),
        EventKind::Hook { command } => Some(Detail::Command(cut(command))),
        EventKind::End(_) => ended(kind).map(|text| Detail::Text(cut(&text))),
        EventKind::Offer(offer) => Some(Detail::Text(cut(&format!("{} of {}", offer.what.name(), offer.server)))),
        EventKind::Start | EventKind::Repeat(_) | EventKind::Notice | EventKind::Other => None,
    }
    .filter(|detail| !detail.is_empty())
}

/// How a session ended, in the words of its record; `None` where it says nothing of that.
pub(super) fn ended(kind: &EventKind<'_>) -> Option<String> {
    let EventKind::End(ending) = kind else { return None };
    let words: Vec<&str> = [&ending.status, &ending.reason].into_iter().flatten().map(|word| &**word).collect();
    let code = ending.exit_code.filter(|code| *code != 0).map(|code| format!("exit code {code}"));
    let words: Vec<&str> = words.into_iter().chain(code.as_deref()).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

impl Detail {
    fn is_empty(&self) -> bool {
        match self {
            Self::Command(text)
            | Self::Url(text)
            | Self::Words(text)
            | Self::Message(text)
            | Self::Text(text)
            | Self::Argument(text) => text.trim().is_empty(),
            Self::Files { paths, .. } => paths.is_empty(),
            Self::Pattern { pattern, .. } => pattern.is_empty(),
        }
    }
}

/// What a call is about.
pub(crate) fn of_call(call: &ToolCall<'_>) -> Option<Detail> {
    match &call.arguments {
        Arguments::Missing => None,
        Arguments::Text(text) => Some(of_patch(text).unwrap_or_else(|| Detail::Command(cut(text)))),
        Arguments::Json(json) => match Members::of(json) {
            Some(members) => Some(of_members(&members)),
            None => Some(Detail::Argument(cut(&decode_json(json)))),
        },
    }
}

fn of_members(members: &Members<'_>) -> Detail {
    let first = |names: &[&str]| names.iter().find_map(|name| words(members, name));
    if let Some(command) = first(COMMANDS) {
        return Detail::Command(cut(&command));
    }
    if let Some(patch) = ["input", "patch", "raw"].iter().find_map(|name| of_patch(&members.text(name)?)) {
        return patch;
    }
    if let Some(pattern) = first(PATTERNS) {
        return Detail::Pattern { pattern: cut(&pattern), path: first(PATHS).map(|path| cut(&path)) };
    }
    if let Some(url) = first(URLS) {
        return Detail::Url(cut(&url));
    }
    if let Some(path) = first(PATHS) {
        return Detail::Files { paths: vec![cut(&path)], replaces: first(REPLACED).map(|text| cut(&text)) };
    }
    if let Some(question) = first(QUESTIONS) {
        return Detail::Words(cut(&question));
    }
    let texts = members.iter().filter(|(_, json)| json.starts_with('"') && json.len() <= GLANCE);
    let short = texts.map(|(_, json)| decode_json(json)).find(|text| !text.trim().is_empty());
    let names = || members.iter().map(|(name, _)| name).collect::<Vec<_>>().join(", ");
    Detail::Argument(cut(&short.map_or_else(names, std::borrow::Cow::into_owned)))
}

/// A text, or a list of words, that is not empty.
fn words(members: &Members<'_>, name: &str) -> Option<String> {
    let text = match members.text(name) {
        Some(text) => text.into_owned(),
        None => serde_json::from_str::<Vec<String>>(members.json(name)?).ok()?.join(" "),
    };
    (!text.trim().is_empty()).then_some(text)
}

/// What stands before the names of files in a patch.
const MARKS: &[&str] = &["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];

/// The files of a patch in the format of `apply_patch`.
fn of_patch(text: &str) -> Option<Detail> {
    if !text.trim_start().starts_with("*** Begin Patch") {
        return None;
    }
    let named = text.lines().filter_map(|line| MARKS.iter().find_map(|mark| line.strip_prefix(mark)));
    Some(Detail::Files { paths: named.take(FILES).map(|path| cut(path.trim())).collect(), replaces: None })
}

/// Markdown without its marks, on one line: what is said, at a glance.
pub fn plain(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let mut fenced = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let line = if fenced { line } else { line.trim_start_matches(['#', '>']).trim_start() };
        for word in line.split_whitespace() {
            let word = if fenced { word.to_owned() } else { word.replace("**", "").replace("__", "").replace('`', "") };
            if !word.is_empty() {
                if !said.is_empty() {
                    said.push(' ');
                }
                said.push_str(&word);
            }
        }
    }
    said
}
