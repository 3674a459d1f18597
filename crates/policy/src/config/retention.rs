//! The `retention` section of `.agent-strace.yaml` → how long sessions are kept, or what is wrong with it.
//!
//! The Python tool of this name reads the same keys at the top of the file, too, and so does this. A limit that would
//! delete everything at once is a fault, never a policy.

use crate::grammar;
use crate::json::{Data, Key, Value};
use crate::{Glob, Parser, quoted};
use agent_strace_model::finding::PolicyLocation;

/// What is done when something was deleted.
pub(crate) const ON_DELETE: &[&str] = &["log", "silent"];
/// How a log of deletions is called: a line that is appended to anything else may be taken for a command there.
const LOGS: &[&str] = &["log", "jsonl", "ndjson"];
/// More days than anybody keeps anything.
const LONGEST_DAYS: u32 = 36_500;

/// How long sessions are kept.
#[derive(Debug, Clone, Default)]
pub struct Retention {
    pub max_age_days: Option<Stated<u32>>,
    pub max_sessions: Option<Stated<u32>>,
    pub max_size_mb: Option<Stated<f64>>,
    /// Nobody wants to know what was deleted.
    pub silent: bool,
    /// Relative to the file.
    pub log_path: Option<String>,
    pub holds: Vec<Hold>,
}

/// A limit, and where it stands.
#[derive(Debug, Clone)]
pub struct Stated<T> {
    pub value: T,
    pub location: PolicyLocation,
}

/// Sessions that somebody needs, whatever the limits say.
#[derive(Debug, Clone)]
pub struct Hold {
    pub session: String,
    pub reason: String,
    pattern: Glob,
}

impl Hold {
    /// `name`: of a session's directory. Two logs with one session id have the directories `ID` and `ID.2`: a hold on
    /// the id is about both.
    pub fn covers(&self, name: &str) -> bool {
        let id = name.rsplit_once('.').filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
        self.pattern.matches(name) || id.is_some_and(|(id, _)| self.pattern.matches(id))
    }
}

impl Retention {
    /// It says what has to be deleted.
    pub fn limits_anything(&self) -> bool {
        self.max_age_days.is_some() || self.max_sessions.is_some() || self.max_size_mb.is_some()
    }

    /// Reads a member of the section, or one of the keys that may stand at the top of the file.
    pub(super) fn read(&mut self, parser: &mut Parser<'_>, key: &Key, value: &Value, above: &str) {
        let pointer = format!("{above}/{}", key.name);
        match key.name.as_str() {
            "max_age_days" => {
                self.max_age_days = whole(parser, value, &pointer, LONGEST_DAYS, self.max_age_days.take());
            }
            "max_sessions" => self.max_sessions = whole(parser, value, &pointer, u32::MAX, self.max_sessions.take()),
            "max_size_mb" => {
                let known = self.max_size_mb.take();
                self.max_size_mb = once(parser, value, &pointer, known, |parser| size(parser, value, &pointer));
            }
            "on_delete" => self.silent = self::silent(parser, value, &pointer),
            "log_path" => self.log_path = log_path(parser, value, &pointer),
            "hold" => self.holds = holds(parser, value, &pointer),
            _ => {}
        }
    }

    pub(super) fn section(&mut self, parser: &mut Parser<'_>, value: &Value) {
        // An empty section sets no limit, as it does for the Python tool.
        if matches!(value.data, Data::Null) {
            return;
        }
        let Some(members) = parser.members(value, "/retention", &grammar::RETENTION) else { return };
        for (key, value) in members {
            self.read(parser, key, value, "/retention");
        }
    }
}

/// A limit may stand in the section or at the top of the file: which one counts must not be a guess.
fn once<T>(
    parser: &mut Parser<'_>,
    value: &Value,
    pointer: &str,
    known: Option<Stated<T>>,
    read: impl FnOnce(&mut Parser<'_>) -> Option<T>,
) -> Option<Stated<T>> {
    if let Some(known) = known {
        let name = pointer.rsplit('/').next().unwrap_or_default();
        let message = format!("`{name}` stands in line {}, too", known.location.line);
        parser.fault(value, pointer, message, Some("keep the one below `retention`".to_owned()));
        return Some(known);
    }
    let location = parser.location(value, pointer);
    read(parser).map(|value| Stated { value, location })
}

fn whole(
    parser: &mut Parser<'_>,
    value: &Value,
    pointer: &str,
    most: u32,
    known: Option<Stated<u32>>,
) -> Option<Stated<u32>> {
    once(parser, value, pointer, known, |parser| {
        let wanted = "a whole number from 1 on";
        let Data::Number(text) = &value.data else {
            parser.wrong_type(value, pointer, wanted);
            return None;
        };
        let number = text.parse::<u32>().ok().filter(|number| (1..=most).contains(number));
        if number.is_none() {
            let help = "a limit that would delete everything is none; without the key there is no such limit";
            parser.fault(value, pointer, format!("{} is not {wanted}", quoted(text)), Some(help.to_owned()));
        }
        number
    })
}

fn size(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Option<f64> {
    let wanted = "a number of megabytes above 0";
    let Data::Number(text) = &value.data else {
        parser.wrong_type(value, pointer, wanted);
        return None;
    };
    let number = text.parse().ok().filter(|number| is_size(*number));
    if number.is_none() {
        let help = "a limit that would delete everything is none; without the key there is no such limit";
        parser.fault(value, pointer, format!("{} is not {wanted}", quoted(text)), Some(help.to_owned()));
    }
    number
}

/// Whether a number of megabytes can be a limit.
pub fn is_size(megabytes: f64) -> bool {
    // A million terabytes: more is a mistake, and no number of bytes any more.
    megabytes > 0.0 && megabytes <= 1e12
}

/// Whether a number of days can be a limit.
pub fn is_age(days: u32) -> bool {
    (1..=LONGEST_DAYS).contains(&days)
}

fn silent(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> bool {
    super::one_of(parser, value, pointer, "way to tell of deletions", ON_DELETE).as_deref() == Some("silent")
}

fn log_path(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Option<String> {
    let Data::Text(text) = &value.data else {
        parser.wrong_type(value, pointer, "the path of a log");
        return None;
    };
    let fault = if text.trim().is_empty() || text.contains(char::is_control) {
        Some(("this path is empty or not one line".to_owned(), "write `retention.log`"))
    } else if text.split(['/', '\\']).any(|part| part == "..") {
        Some((format!("{} leaves the folder of this file", quoted(text)), "name a file below it, or an absolute path"))
    } else if !text.rsplit_once('.').is_some_and(|(_, extension)| LOGS.contains(&extension)) {
        Some((format!("{} is not named like a log", quoted(text)), "end it in `.log`, `.jsonl` or `.ndjson`"))
    } else {
        None
    };
    if let Some((message, help)) = fault {
        parser.fault(value, pointer, message, Some(help.to_owned()));
    }
    Some(text.clone())
}

fn holds(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Vec<Hold> {
    let Data::List(items) = &value.data else {
        parser.wrong_type(value, pointer, "a list of objects with `session`, `reason`");
        return Vec::new();
    };
    let hold = |(index, item)| hold(parser, item, &format!("{pointer}/{index}"));
    items.iter().enumerate().filter_map(hold).collect()
}

fn hold(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Option<Hold> {
    let members = parser.members(value, pointer, &grammar::HOLD)?;
    let mut text = |name: &str, example: &str| {
        let Some((_, found)) = members.iter().find(|(key, _)| key.name == name) else {
            let help = format!("write `{name}: {example}`");
            parser.fault(value, pointer, format!("`{name}` is missing"), Some(help));
            return None;
        };
        let pointer = format!("{pointer}/{name}");
        let Data::Text(text) = &found.data else {
            parser.wrong_type(found, &pointer, "a text");
            return None;
        };
        if text.trim().is_empty() || text.contains(char::is_control) {
            let help = Some("write one line".to_owned());
            parser.fault(found, &pointer, "this text is empty or not one line".to_owned(), help);
            return None;
        }
        Some(text.clone())
    };
    let session = text("session", "'3f9a*'");
    let reason = text("reason", "the case it is needed for");
    let session = session?;
    Some(Hold { pattern: Glob::fnmatch(&session), session, reason: reason? })
}
