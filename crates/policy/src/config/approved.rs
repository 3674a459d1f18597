//! The key `approved` of `.agent-strace.yaml` → which AI tools, MCP servers and hosts may be in a repository.

use jiff::civil::Date;

use crate::Parser;
use crate::grammar;
use crate::json::{Data, Value};

/// What an approval may be of: one of these.
const SUBJECTS: &[&str] = &["tool", "mcp", "host"];

/// One approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approved {
    pub subject: Subject,
    pub reason: Option<String>,
    /// The last day it holds, in UTC.
    pub until: Option<Date>,
    /// Globs of files from the top of the repository; none: everywhere.
    pub paths: Vec<String>,
    /// 1-based; 0 where it was given on the command line.
    pub line: u32,
}

/// What is approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A name of a tool.
    Tool(String),
    /// A pattern of names of MCP servers.
    Server(String),
    /// A pattern of hosts, or the id of a provider.
    Host(String),
}

impl Approved {
    /// As it is given on the command line: `cursor`, `mcp:github`, `host:*.internal.example`.
    pub fn of_text(text: &str) -> Self {
        let text = text.trim();
        let subject = match text.split_once(':') {
            Some(("mcp", name)) => Subject::Server(name.to_owned()),
            Some(("host", name)) => Subject::Host(name.to_owned()),
            _ => Subject::Tool(text.to_owned()),
        };
        Self { subject, reason: None, until: None, paths: Vec::new(), line: 0 }
    }

    /// The same text.
    pub fn shown(&self) -> String {
        match &self.subject {
            Subject::Tool(name) => name.clone(),
            Subject::Server(name) => format!("mcp:{name}"),
            Subject::Host(name) => format!("host:{name}"),
        }
    }
}

/// A list of names, of objects, or of both. An empty list approves nothing, and that is said.
pub(super) fn section(parser: &mut Parser<'_>, value: &Value) -> Option<Vec<Approved>> {
    let Data::List(items) = &value.data else {
        parser.wrong_type(value, "/approved", "a list of tools");
        return None;
    };
    let item = |(index, item)| approval(parser, item, &format!("/approved/{index}"));
    Some(items.iter().enumerate().filter_map(item).collect())
}

fn approval(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Option<Approved> {
    let line = parser.location(value, pointer).line;
    if let Data::Text(text) = &value.data {
        return one_line(parser, value, pointer, text).map(|text| Approved { line, ..Approved::of_text(&text) });
    }
    let members = parser.members(value, pointer, &grammar::APPROVAL)?;
    let (mut subject, mut reason, mut until, mut paths) = (None, None, None, Vec::new());
    let mut subjects = 0;
    for (key, value) in members {
        let pointer = format!("{pointer}/{}", key.name);
        match key.name.as_str() {
            "tool" => subject = text(parser, value, &pointer).map(Subject::Tool),
            "mcp" => subject = text(parser, value, &pointer).map(Subject::Server),
            "host" => subject = text(parser, value, &pointer).map(Subject::Host),
            "reason" => reason = text(parser, value, &pointer),
            "until" => until = parser.day(value, &pointer),
            "paths" => paths = globs(parser, value, &pointer),
            _ => {}
        }
        subjects += usize::from(SUBJECTS.contains(&key.name.as_str()));
    }
    if subjects != 1 {
        let message = "an approval is of one of `tool`, `mcp`, `host`".to_owned();
        parser.fault(value, pointer, message, Some("write `tool: cursor`".to_owned()));
    }
    if reason.is_none() {
        let help = Some("write `reason: the review it was approved in`".to_owned());
        parser.fault(value, pointer, "`reason` is missing".to_owned(), help);
    }
    Some(Approved { subject: subject?, reason, until, paths, line })
}

fn text(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Option<String> {
    let Data::Text(text) = &value.data else {
        parser.wrong_type(value, pointer, "a text");
        return None;
    };
    one_line(parser, value, pointer, text)
}

fn one_line(parser: &mut Parser<'_>, value: &Value, pointer: &str, text: &str) -> Option<String> {
    if text.trim().is_empty() || text.contains(char::is_control) {
        let help = Some("write one line".to_owned());
        parser.fault(value, pointer, "this text is empty or not one line".to_owned(), help);
        return None;
    }
    Some(text.to_owned())
}

fn globs(parser: &mut Parser<'_>, value: &Value, pointer: &str) -> Vec<String> {
    match &value.data {
        Data::Text(_) => text(parser, value, pointer).into_iter().collect(),
        Data::List(items) if !items.is_empty() => {
            let item = |(index, item)| text(parser, item, &format!("{pointer}/{index}"));
            items.iter().enumerate().filter_map(item).collect()
        }
        _ => {
            parser.wrong_type(value, pointer, "a glob of files, or a list of globs");
            Vec::new()
        }
    }
}
