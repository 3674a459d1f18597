//! A recorded call as the engines see one: by what kind of tool it is.

use serde_json::Value;

/// What a call asks for. Tools of different agents for the same thing are one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Act {
    Shell(String),
    /// Files that a tool reads.
    Read(Vec<String>),
    /// A directory that a tool looks through: for names, or for text in files.
    Search(String),
    /// Files that a tool creates or changes.
    Edit(Vec<String>),
    Fetch(String),
    WebSearch,
    Mcp {
        server: String,
        tool: String,
    },
    /// A tool that no engine's documentation knows.
    Other,
}

impl Act {
    /// The kind of act that it is about.
    pub(crate) fn subject(&self) -> String {
        match self {
            Self::Shell(text) | Self::Search(text) | Self::Fetch(text) => text.clone(),
            Self::Read(paths) | Self::Edit(paths) => paths.join(", "),
            Self::WebSearch | Self::Other => String::new(),
            Self::Mcp { server, tool } => format!("{server}/{tool}"),
        }
    }
}

pub(crate) fn of(tool: &str, input: &Value) -> Act {
    if let Some((server, tool)) = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        return Act::Mcp { server: server.to_owned(), tool: tool.to_owned() };
    }
    let text = |key: &str| input.get(key).and_then(Value::as_str).map(str::to_owned);
    let path = || ["file_path", "path", "notebook_path", "TargetFile"].iter().find_map(|key| text(key));
    match tool {
        "Bash" | "BashTool" | "shell" | "local_shell" | "run_shell_command" | "execute_command" | "exec_command" => {
            input.get("command").or_else(|| input.get("cmd")).and_then(shell).map_or(Act::Other, Act::Shell)
        }
        "Read" | "read_file" | "view" => path().map_or(Act::Other, |path| Act::Read(vec![path])),
        "read_many_files" => list(input, &["paths", "include"]).map_or(Act::Other, Act::Read),
        "str_replace_based_edit_tool" if text("command").as_deref() == Some("view") => {
            path().map_or(Act::Other, |path| Act::Read(vec![path]))
        }
        "Edit"
        | "Write"
        | "MultiEdit"
        | "NotebookEdit"
        | "write_file"
        | "replace"
        | "edit_file"
        | "write_to_file"
        | "str_replace_based_edit_tool" => path().map_or(Act::Other, |path| Act::Edit(vec![path])),
        "apply_patch" => ["input", "patch"].iter().find_map(|key| text(key)).map_or(Act::Other, |text| patched(&text)),
        "Grep" | "grep_search" | "Glob" | "glob" | "LS" | "list_directory" | "search_file_content" => {
            Act::Search(path().unwrap_or_else(|| ".".to_owned()))
        }
        "WebFetch" | "web_fetch" => ["url", "prompt"].iter().find_map(|key| text(key)).map_or(Act::Other, Act::Fetch),
        "WebSearch" | "google_web_search" => Act::WebSearch,
        _ => Act::Other,
    }
}

/// A command as text; of a list the text behind `-c`, where a shell runs one.
fn shell(command: &Value) -> Option<String> {
    if let Some(text) = command.as_str() {
        return Some(text.to_owned());
    }
    let words: Vec<&str> = command.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    match words.as_slice() {
        ["bash" | "sh" | "zsh" | "/bin/bash" | "/bin/sh" | "/bin/zsh", "-c" | "-lc", text] => Some((*text).to_owned()),
        words => Some(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
    }
}

fn quoted(word: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./:=@%+,".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn list(input: &Value, keys: &[&str]) -> Option<Vec<String>> {
    let values = keys.iter().find_map(|key| input.get(key)?.as_array())?;
    values.iter().map(|value| value.as_str().map(str::to_owned)).collect()
}

fn patched(text: &str) -> Act {
    const HEADS: &[&str] = &["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let paths = text.lines().filter_map(|line| HEADS.iter().find_map(|head| line.strip_prefix(head)));
    Act::Edit(paths.map(|path| path.trim().to_owned()).collect())
}
