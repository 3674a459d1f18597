//! The key `sequences`.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::grammar;
use crate::name::NamePattern;
use crate::path::{PathList, PathSet};
use crate::sequences::{Sequence, Step, Wanted};
use agent_strace_model::finding::{Level, PolicyRule};

use super::pattern::{self, Pattern};
use super::{Data, Entry, Fault, List, Parser, Stated, Value, nearest, quoted};

/// Words that a step starts with.
const STEPS: &[&str] = &["read", "write", "delete", "list", "exec", "net", "mcp", "env"];
const SEVERITIES: &[&str] = &["error", "warning", "note"];

/// More steps than anybody can follow.
const MOST_STEPS: usize = 8;

impl Parser<'_> {
    pub(super) fn sequences(&mut self, value: &Value) -> Vec<Sequence> {
        let Data::List(items) = &value.data else {
            self.wrong_type(value, "/sequences", "a list of sequences");
            return Vec::new();
        };
        let mut ids = BTreeSet::new();
        let mut sequences = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let pointer = format!("/sequences/{index}");
            let Some(sequence) = self.sequence(item, &pointer) else { continue };
            if ids.insert(sequence.policy_rule.id.clone()) {
                sequences.push(sequence);
            } else {
                let message = format!("there are two sequences {}", quoted(&sequence.policy_rule.id));
                self.faults.push(item.span.clone(), &pointer, message, Some("give each an id of its own".to_owned()));
            }
        }
        sequences
    }

    fn sequence(&mut self, value: &Value, pointer: &str) -> Option<Sequence> {
        let members = self.members(value, pointer, &grammar::SEQUENCE)?;
        for key in ["id", "deny"].iter().filter(|key| !members.iter().any(|(member, _)| member.name == **key)) {
            let help = "a sequence is written {\"id\": \"SEQ-1\", \"deny\": [\"read .env\", \"net\"]}".to_owned();
            self.faults.push(value.span.clone(), pointer, format!("this sequence has no `{key}`"), Some(help));
        }
        let (mut id, mut owner, mut reason) = (None, None, None);
        let (mut steps, mut within, mut level) = (Vec::new(), None, Level::Error);
        for (key, value) in members {
            let below = format!("{pointer}/{}", key.name);
            match key.name.as_str() {
                "id" => id = self.line(value, &below),
                "owner" => owner = self.line(value, &below),
                "reason" => reason = self.line(value, &below),
                "deny" => steps = self.sequence_steps(value, &below),
                "within" => within = self.within(value, &below),
                "severity" => level = self.severity_of(value, &below),
                _ => {}
            }
        }
        let policy_rule = Arc::new(PolicyRule { id: id?, owner, reason });
        let location = self.locator.location(value.span.start, pointer);
        (!steps.is_empty()).then_some(Sequence { policy_rule, steps, within, level, location })
    }

    fn within(&mut self, value: &Value, pointer: &str) -> Option<u32> {
        let calls = match &value.data {
            Data::Text(text) if text == "session" => return None,
            Data::Number(number) => number.parse().ok().filter(|calls| *calls > 0),
            _ => None,
        };
        if calls.is_none() {
            let message = "this says not how far apart the steps may be".to_owned();
            let help = "write \"session\", or a number of calls from 1 on".to_owned();
            self.faults.push(value.span.clone(), pointer, message, Some(help));
        }
        calls
    }

    fn severity_of(&mut self, value: &Value, pointer: &str) -> Level {
        let named = match &value.data {
            Data::Text(text) => text.as_str(),
            _ => "",
        };
        match named {
            "error" => return Level::Error,
            "warning" => return Level::Warning,
            "note" => return Level::Note,
            _ => {}
        }
        let help = match nearest(named, SEVERITIES) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "write `error`, `warning` or `note`".to_owned(),
        };
        self.faults.push(value.span.clone(), pointer, format!("{} is no severity", quoted(named)), Some(help));
        Level::Error
    }

    fn sequence_steps(&mut self, value: &Value, pointer: &str) -> Vec<Step> {
        let Data::List(items) = &value.data else {
            self.wrong_type(value, pointer, "a list of steps");
            return Vec::new();
        };
        if !(2..=MOST_STEPS).contains(&items.len()) {
            let message = format!("a sequence has two to {MOST_STEPS} steps, this one has {}", items.len());
            let help = "what is forbidden alone belongs in a `deny` list".to_owned();
            self.faults.push(value.span.clone(), pointer, message, Some(help));
        }
        let mut steps = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let pointer = format!("{pointer}/{index}");
            let Data::Text(text) = &item.data else {
                self.wrong_type(item, &pointer, "a string");
                continue;
            };
            let stated = Stated::entry(self.locator.location(item.span.start, &pointer));
            match self.wanted(text, &stated) {
                Ok(wanted) => steps.push(Step { text: text.trim().to_owned(), wanted }),
                Err((message, help)) => self.faults.push(item.span.clone(), &pointer, message, help),
            }
        }
        steps
    }

    fn wanted(&self, text: &str, stated: &Stated) -> Result<Wanted, Fault> {
        let text = text.trim();
        if text.contains(char::is_control) {
            return Err(("this step holds a control character".to_owned(), Some("write one line".to_owned())));
        }
        let (verb, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let paths = || -> Result<PathList, Fault> {
            let pattern = PathSet::read(self, pattern::readable(rest)?)?;
            let entry = Entry { text: rest.to_owned(), pattern, stated: stated.clone(), builtin: None };
            Ok(PathList::new(Some(&List { entries: vec![entry], location: stated.location.clone() })))
        };
        match verb {
            "net" if rest.is_empty() => return Ok(Wanted::Net(None)),
            verb if STEPS.contains(&verb) && rest.is_empty() => {
                let help = format!("write what it has to {verb} behind it");
                return Err((format!("the step {} names nothing", quoted(text)), Some(help)));
            }
            _ => {}
        }
        Ok(match verb {
            "read" => Wanted::Read(paths()?),
            "write" => Wanted::Write(paths()?),
            "delete" => Wanted::Delete(paths()?),
            "list" => Wanted::List(paths()?),
            "exec" => Wanted::Exec(Pattern::read(self, pattern::readable(rest)?)?),
            "net" => Wanted::Net(Some(Pattern::read(self, pattern::readable(rest)?)?)),
            "env" => Wanted::Env(Pattern::read(self, rest)?),
            "mcp" => {
                let (server, tool) = rest.split_once('/').unwrap_or((rest, "*"));
                Wanted::Mcp { server: NamePattern::new(server.trim()), tool: Box::new(NamePattern::new(tool.trim())) }
            }
            other => {
                let help = match nearest(other, STEPS) {
                    Some(near) => format!("did you mean {}?", quoted(format!("{near} {rest}").trim())),
                    None => "a step is `read`, `write`, `delete` or `list` with a path, `exec` with a command, `net` with a \
                             host or alone, `mcp` with server/tool, `env` with a name"
                        .to_owned(),
                };
                return Err((format!("{} is no step", quoted(text)), Some(help)));
            }
        })
    }
}
