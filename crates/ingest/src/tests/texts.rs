//! The commands of real logs, against an independent reading of them.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use agent_strace_testing::corpus::{Data, Source, data};
use agent_strace_testing::truth::{self, Sent};
use serde_json::Value;

use crate::Log;
use agent_strace_model::Arguments;

/// Where calls hold the text of a command.
const KEYS: &[&str] = &["command", "cmd", "CommandLine", "script", "code", "action", "keystrokes"];

/// File → texts of the commands in it, as a script counts them that shares nothing with this program.
#[expect(clippy::disallowed_methods, reason = "the independent count is a script")]
fn counted(corpus: &Path) -> BTreeMap<String, Vec<String>> {
    let script = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/count.py");
    let output = Command::new("python3").arg(script).arg(corpus).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        let texts = row["commands"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned());
        (row["file"].as_str().unwrap().to_owned(), texts.collect())
    };
    String::from_utf8(output.stdout).unwrap().lines().map(row).collect()
}

/// File → texts of the commands that the models behind the logs of this repository sent.
fn sent() -> BTreeMap<String, Vec<String>> {
    let text = |call: Sent| ["command", "cmd"].iter().find_map(|key| call.input[*key].as_str().map(str::to_owned));
    let texts = |calls: Vec<Sent>| calls.into_iter().filter_map(text).collect();
    truth::calls().into_iter().map(|(log, calls)| (log, texts(calls))).collect()
}

/// Texts of a call that may be a command.
fn texts(arguments: &Arguments<'_>) -> Vec<String> {
    let json = match arguments {
        Arguments::Json(json) => json,
        Arguments::Text(text) => return vec![text.clone().into_owned()],
        Arguments::Missing => return Vec::new(),
    };
    let Ok(value) = serde_json::from_str::<Value>(json) else { return Vec::new() };
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => Some(words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")),
        _ => None,
    };
    KEYS.iter().filter_map(|key| text(value.get(key)?)).collect()
}

#[test]
fn commands_of_real_logs_are_all_there() {
    for data in data() {
        let expected = match data.source {
            Source::Shipped => sent(),
            Source::Outside => counted(&data.corpus()),
        };
        all_there(&data, expected);
    }
}

fn all_there(data: &Data, expected: BTreeMap<String, Vec<String>>) {
    let (mut wrong, mut found) = (Vec::new(), 0);
    for (name, expected) in expected {
        let log = Log::new(name.clone(), fs::read(data.corpus().join(&name)).unwrap());
        let reading = log.read();
        let mut read: BTreeMap<String, usize> = BTreeMap::new();
        for (_, call) in reading.sessions.iter().flat_map(agent_strace_model::Session::calls) {
            for text in texts(&call.arguments) {
                *read.entry(text.trim().to_owned()).or_default() += 1;
            }
        }
        let mut lost = 0;
        for command in &expected {
            match read.get_mut(command.trim()) {
                Some(count) if *count > 0 => *count -= 1,
                _ => lost += 1,
            }
        }
        found += expected.len() - lost;
        if lost > 0 {
            wrong.push(format!("{name}: {lost} of {} commands are missing", expected.len()));
        }
    }
    writeln!(std::io::stderr(), "{found} commands").unwrap();
    assert!(wrong.is_empty() && found > data.either(100, 1_000), "{found} found\n{}", wrong.join("\n"));
}
