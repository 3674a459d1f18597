//! Shell commands that agents really ran, taken from logs in whatever shape they have.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use agent_strace_testing::corpus::Data;
use serde_json::Value;

use super::jail::WORKSPACE;
use super::judge::{Origin, Text};

/// Names of tools that run shell text, in lower case.
const TOOLS: &[&str] = &[
    "bash",
    "shell",
    "shell_command",
    "exec_command",
    "run_shell_command",
    "execute_bash",
    "run_terminal_cmd",
    "execute",
    "local_shell",
    "container.exec",
    "run_terminal_command",
    "run_command",
    "terminal",
    "runterminalcommand",
    "run_in_terminal",
    "exec",
    "execute_shell",
    "fs_bash",
    "developer__shell",
    "shelltoolcall",
];

const DEPTH: usize = 40;

/// Every different command of real logs, with the directory it was recorded in.
pub(super) fn recorded(data: &[Data]) -> Vec<Text> {
    let mut found = BTreeMap::new();
    let is_log = |path: &PathBuf| path.extension().is_some_and(|extension| extension != "bin" && extension != "tsv");
    for file in data.iter().flat_map(Data::logs).filter(is_log) {
        let Ok(content) = fs::read_to_string(&file) else { continue };
        let mut search = Search { directory: None, found: &mut found };
        match serde_json::from_str::<Value>(&content) {
            Ok(value) => search.value(&value, 0),
            Err(_) => {
                for line in content.lines() {
                    let values = serde_json::Deserializer::from_str(line).into_iter::<Value>();
                    values.map_while(Result::ok).for_each(|value| search.value(&value, 0));
                }
            }
        }
    }
    let text = |(program, directory): (String, Option<String>)| Text {
        source: "sessions".to_owned(),
        program,
        directory: directory.unwrap_or_else(|| WORKSPACE.to_owned()),
        origin: Origin::Recorded,
    };
    found.into_iter().map(text).collect()
}

struct Search<'a> {
    /// The last one that the log named.
    directory: Option<String>,
    found: &'a mut BTreeMap<String, Option<String>>,
}

impl Search<'_> {
    fn value(&mut self, value: &Value, depth: usize) {
        if depth > DEPTH {
            return;
        }
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.value(value, depth + 1)),
            Value::Object(fields) => {
                if let Some(directory) = fields.get("cwd").and_then(Value::as_str).and_then(usable) {
                    self.directory = Some(directory);
                }
                self.call(value);
                for field in fields.values() {
                    self.value(field, depth + 1);
                }
            }
            Value::String(text) if text.starts_with(['{', '[']) => {
                if let Ok(inner) = serde_json::from_str::<Value>(text) {
                    self.value(&inner, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, value: &Value) {
        let names = ["name", "tool_name", "tool", "toolName"];
        let local = (value["type"] == "local_shell_call").then_some("local_shell");
        let Some(name) = names.iter().find_map(|key| value[*key].as_str()).or(local) else { return };
        let name = name.to_lowercase();
        if !TOOLS.contains(&name.rsplit("__").next().unwrap_or(&name)) {
            return;
        }
        for key in ["input", "arguments", "args", "parameters", "action", "tool_input", "params", "state", "data"] {
            let parsed = value[key].as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
            let arguments = parsed.as_ref().unwrap_or(&value[key]);
            let arguments = if arguments["input"].is_object() { &arguments["input"] } else { arguments };
            if let Some(text) = ["command", "cmd", "CommandLine"].iter().find_map(|key| command(&arguments[*key])) {
                let own = ["workdir", "cwd", "dir_path"].iter().find_map(|key| usable(arguments[*key].as_str()?));
                let directory = own.or_else(|| self.directory.clone());
                self.found.entry(text).or_insert(directory);
            }
        }
    }
}

fn command(value: &Value) -> Option<String> {
    if let Some(text) = value.as_str() {
        return Some(text.to_owned());
    }
    let words: Vec<&str> = value.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    match words.as_slice() {
        [_, "-lc" | "-c", text] => Some((*text).to_owned()),
        words => Some(words.join(" ")),
    }
}

/// A directory that can stand in the jail.
fn usable(text: &str) -> Option<String> {
    let taken = ["/usr", "/bin", "/etc", "/proc", "/dev", "/sys", "/lib", "/sbin", "/tmp", "/var", "/home/agent"];
    let whole = super::line::absolute("/", text);
    let fine = text.starts_with('/') && whole == text && text.len() > 1 && text.len() < 200;
    let free = !taken.iter().any(|taken| text == *taken || text.starts_with(&format!("{taken}/"))) && text != "/home";
    (fine && free).then_some(whole)
}
