//! Real logs, which the environment variable `AGENT_STRACE_ACCEPTANCE` finds.

use std::io::Write as _;
use std::path::Path;

/// Shell text of every call in the acceptance corpus; without one, `otherwise` says what is not tested.
pub fn commands(otherwise: &str) -> Option<Vec<String>> {
    let Some(folder) = std::env::var_os("AGENT_STRACE_ACCEPTANCE") else {
        // The test runner hides what a passing test prints the usual way.
        writeln!(std::io::stderr(), "SKIPPED: {otherwise}: AGENT_STRACE_ACCEPTANCE is not set").unwrap();
        return None;
    };
    let mut found = Vec::new();
    for agent in ["claude-code", "codex"] {
        let logs = Path::new(&folder).join("corpus").join(agent);
        let mut files: Vec<_> = std::fs::read_dir(logs).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for file in files {
            let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
            for line in text.lines() {
                if let Ok(value) = serde_json::from_str::<serde_json::Value>(line) {
                    collect(&value, &mut found);
                }
            }
        }
    }
    found.sort();
    found.dedup();
    Some(found)
}

fn collect(value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (key, inner) in fields {
                match inner.as_str() {
                    Some(text) if key == "command" || key == "cmd" => found.push(text.to_owned()),
                    // Codex keeps arguments as JSON inside a string.
                    Some(text) if key == "arguments" => {
                        if let Ok(inner) = serde_json::from_str(text) {
                            collect(&inner, found);
                        }
                    }
                    _ => collect(inner, found),
                }
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}
