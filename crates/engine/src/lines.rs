//! Sessions that tests write in lines, and policies that they write as JSON.

use std::borrow::Cow;

use serde_json::{Value, json};

use agent_strace_model::{Arguments, Dialect, Event, EventKind, Origin, Session, Status, ToolCall};
use agent_strace_policy::Policy;

static DIALECT: Dialect = Dialect::new("claude-code", "claude-code").shell_stays();

/// `$ cmd`, `read path`, `write path`, `fetch url`, each after `refused ` if it never ran, and that after `NAME: ` if the
/// sub-agent of that name did it; any other line is a call that touches nothing.
pub fn session(lines: &[String]) -> Session<'static> {
    let events = lines.iter().zip(1..).map(|(line, number)| {
        let named = line.split_once(": ").filter(|(name, _)| name.chars().all(|letter| letter.is_ascii_alphabetic()));
        let (subagent, line) = named.map_or((None, line.as_str()), |(name, line)| (Some(name), line));
        let refused = line.strip_prefix("refused ");
        let (verb, rest) = refused.unwrap_or(line).split_once(' ').unwrap();
        let (tool, arguments) = match verb {
            "$" => ("Bash", json!({"command": rest})),
            "read" => ("Read", json!({"file_path": rest})),
            "write" => ("Write", json!({"file_path": rest, "content": "x"})),
            "fetch" => ("WebFetch", json!({"url": rest})),
            _ => ("TodoWrite", json!({"todos": []})),
        };
        let call = ToolCall {
            call_id: None,
            tool: Cow::Borrowed(tool),
            arguments: Arguments::Json(Cow::Owned(arguments.to_string())),
            cwd: None,
            status: if refused.is_some() { Status::Denied } else { Status::Ok },
            subagent: subagent.map(|name| Cow::Owned(name.to_owned())),
        };
        Event { number, id: None, line: number, time: None, origin: Origin::default(), kind: EventKind::Call(call) }
    });
    Session {
        id: Cow::Borrowed("session"),
        root: Some(Cow::Borrowed("/repo")),
        events: events.collect(),
        ..Session::new(&DIALECT, "session.jsonl")
    }
}

pub fn policy(plain: &Value) -> Policy {
    Policy::from_bytes(".agent-scope.json", None, plain.to_string().as_bytes()).unwrap()
}
