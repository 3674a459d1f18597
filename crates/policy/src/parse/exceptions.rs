//! The key `exceptions`, and `suppressions` of the configuration: what may be although a rule forbids it.

use std::ops::Range;

use jiff::civil::Date;

use crate::Policy;
use crate::command::CommandList;
use crate::glob::Glob;
use crate::grammar;
use crate::host::HostList;
use crate::path::PathList;
use crate::waivers::{self, Condition, Demand, Names, Origin, Subject, Target, Waiver, WaiverTerms, words_of};
use agent_strace_model::finding::PolicyLocation;

use super::pattern::Pattern;
use super::{Data, Entry, List, Parser, Stated, Value, escaped, quoted};

const LONGEST_REASON: usize = 500;
const MOST: usize = 1_000;

/// An exception whose rule is still to be looked for.
#[derive(Debug)]
pub(super) struct Pending {
    waiver: Waiver,
    /// Where its rule is named.
    rule: (Range<usize>, String),
}

impl Parser<'_> {
    /// The suppressions that were read, from rules of the policy.
    pub fn suppressions(&mut self, policy: &Policy) -> Vec<Waiver> {
        self.with_rules(policy.names())
    }

    /// The suppressions of built-in rules. Whether others name rules of the policy is for who reads that one to say.
    pub(crate) fn built_in_suppressions(&mut self) -> Vec<Waiver> {
        let all = std::mem::take(&mut self.exceptions);
        let built_in = |pending: &Pending| waivers::built_in(&pending.waiver.rule).is_some();
        all.into_iter().filter(built_in).map(|pending| pending.waiver).collect()
    }

    /// All entries of the list. What is no exception is a fault, and the others are still read.
    pub fn exceptions(&mut self, value: &Value, pointer: &str, origin: Origin) {
        let Data::List(items) = &value.data else {
            self.wrong_type(value, pointer, "a list of objects");
            return;
        };
        if let Some(surplus) = items.get(MOST) {
            let message = format!("this list has more than {MOST} entries");
            self.faults.push(surplus.span.clone(), pointer, message, None);
        }
        let items = items.iter().take(MOST).enumerate();
        for (index, item) in items {
            let pending = self.exception(item, &format!("{pointer}/{index}"), origin);
            self.exceptions.extend(pending);
        }
    }

    fn exception(&mut self, value: &Value, pointer: &str, origin: Origin) -> Option<Pending> {
        let before = self.faults.list.len();
        let members = self.members(value, pointer, &grammar::EXCEPTION)?;
        let member = |name: &str| members.iter().find(|(key, _)| key.name == name).map(|(_, value)| *value);
        for name in grammar::EXCEPTION.required().iter().filter(|name| member(name).is_none()) {
            let message = format!("`{name}` is missing: an exception has a rule, a reason, an owner and an end");
            self.faults.push(value.span.start..value.span.start, pointer, message, Some(example(name)));
        }
        let mut text = |name: &str| self.line(member(name)?, &format!("{pointer}/{name}"));
        let (rule, reason, owner) = (text("rule"), text("reason"), text("owner"));
        let until = member("until").and_then(|value| self.day(value, &format!("{pointer}/until")));
        let max_uses = member("max_uses").and_then(|value| self.uses(value, &format!("{pointer}/max_uses")));
        let conditions = member("match").map(|value| self.conditions(value, &format!("{pointer}/match")));
        if self.faults.list.len() > before {
            return None;
        }
        let span = member("rule")?.span.clone();
        let location = self.locator.location(value.span.start, pointer);
        let terms = WaiverTerms { rule: rule?, reason: reason?, owner: owner?, until: until?, max_uses };
        let waiver = Waiver::new(origin, terms, conditions.unwrap_or_default(), location);
        Some(Pending { waiver, rule: (span, format!("{pointer}/rule")) })
    }

    /// A text on one line that says something.
    pub(super) fn line(&mut self, value: &Value, pointer: &str) -> Option<String> {
        let Data::Text(text) = &value.data else {
            self.wrong_type(value, pointer, "a text");
            return None;
        };
        let length = text.chars().count();
        let text = text.trim();
        if text.is_empty() || length > LONGEST_REASON || text.contains(char::is_control) {
            let message = format!("this text is empty, longer than {LONGEST_REASON} characters, or not one line");
            self.faults.push(value.span.clone(), pointer, message, None);
            return None;
        }
        Some(text.to_owned())
    }

    pub fn day(&mut self, value: &Value, pointer: &str) -> Option<Date> {
        let Data::Text(text) = &value.data else {
            self.wrong_type(value, pointer, "a day such as \"2026-12-31\"");
            return None;
        };
        let day = text.parse::<Date>().ok().filter(|day| is_usual(text, *day));
        if day.is_none() {
            let help = "write year, month and day: it holds until that day ends in UTC".to_owned();
            let message = format!("{} is no day such as `2026-12-31`", quoted(text));
            self.faults.push(value.span.clone(), pointer, message, Some(help));
        }
        day
    }

    fn uses(&mut self, value: &Value, pointer: &str) -> Option<u32> {
        let Data::Number(number) = &value.data else {
            self.wrong_type(value, pointer, "a number");
            return None;
        };
        let uses = number.parse::<u32>().ok().filter(|uses| *uses > 0);
        if uses.is_none() {
            let message = format!("{} is no number of uses", quoted(number));
            let help = "count from 1; without the key there is no limit".to_owned();
            self.faults.push(value.span.clone(), pointer, message, Some(help));
        }
        uses
    }

    fn conditions(&mut self, value: &Value, pointer: &str) -> Vec<Demand> {
        let Some(members) = self.members(value, pointer, &grammar::SUBJECTS) else { return Vec::new() };
        let mut demands = Vec::new();
        for (key, value) in members {
            let Some(subject) = Subject::ALL.iter().find(|subject| subject.name() == key.name) else { continue };
            demands.extend(self.demand(*subject, value, &format!("{pointer}/{}", escaped(&key.name))));
        }
        demands
    }

    fn demand(&mut self, subject: Subject, value: &Value, pointer: &str) -> Option<Demand> {
        let texts = self.patterns::<()>(value, pointer)?;
        let written: Vec<String> = texts.entries.into_iter().map(|entry| entry.text).collect();
        let condition = match subject {
            Subject::Path => Condition::Path(PathList::new(Some(&self.patterns(value, pointer)?))),
            Subject::Command => {
                let commands = CommandList::new(Some(&self.patterns(value, pointer)?));
                Condition::Command(commands, written.iter().map(|text| words_of(text)).collect())
            }
            Subject::Host => Condition::Host(HostList::new(Some(&self.patterns(value, pointer)?))),
            Subject::Target => Condition::Target(self.target(&written, &texts.location)),
            Subject::Fingerprint => {
                self.fingerprints(&written, value, pointer);
                Condition::Fingerprint(written.clone())
            }
            Subject::Agent | Subject::Env | Subject::Session | Subject::Tool => {
                Condition::Name(subject, written.iter().map(|text| Glob::fnmatch(text)).collect())
            }
        };
        Some(Demand { subject, written, condition })
    }

    /// One pattern, or a list of which one has to hold.
    fn patterns<P: Pattern>(&mut self, value: &Value, pointer: &str) -> Option<List<P>> {
        // Locations of single patterns are those of lists with one entry.
        let wrapped;
        let list = if matches!(value.data, Data::Text(_)) {
            wrapped = Value { span: value.span.clone(), data: Data::List(vec![value.clone()]) };
            &wrapped
        } else {
            value
        };
        if matches!(&list.data, Data::List(items) if items.is_empty()) {
            let message = "this list is empty: it would cover nothing".to_owned();
            let help = "remove it, or name what is covered".to_owned();
            self.faults.push(value.span.clone(), pointer, message, Some(help));
        }
        let before = self.faults.list.len();
        self.list(list, pointer).filter(|_| self.faults.list.len() == before)
    }

    /// The same texts as whatever they can be: what they can't be they don't cover.
    fn target(&self, written: &[String], location: &PolicyLocation) -> Target {
        Target {
            paths: PathList::new(Some(&self.readable(written, location))),
            hosts: HostList::new(Some(&self.readable(written, location))),
            names: written.iter().map(|text| Glob::fnmatch(text)).collect(),
            words: written.iter().map(|text| words_of(text)).collect(),
        }
    }

    fn readable<P: Pattern>(&self, written: &[String], location: &PolicyLocation) -> List<P> {
        let entries = written.iter().filter_map(|text| {
            let pattern = P::read(self, text).ok()?;
            Some(Entry { text: text.clone(), pattern, stated: Stated::entry(location.clone()), builtin: None })
        });
        List { entries: entries.collect(), location: location.clone() }
    }

    fn fingerprints(&mut self, written: &[String], value: &Value, pointer: &str) {
        let is_hex =
            |text: &String| text.len() == 32 && text.chars().all(|digit| matches!(digit, '0'..='9' | 'a'..='f'));
        for text in written.iter().filter(|text| !is_hex(text)) {
            let message = format!("{} is no fingerprint", quoted(text));
            let help = "a report of `--format json` has one for every finding".to_owned();
            self.faults.push(value.span.clone(), pointer, message, Some(help));
        }
    }

    /// Every exception has to be from a rule that there is.
    pub(crate) fn with_rules(&mut self, names: &Names) -> Vec<Waiver> {
        let mut known = Vec::with_capacity(self.exceptions.len());
        for Pending { mut waiver, rule: (span, pointer) } in std::mem::take(&mut self.exceptions) {
            match names.level(&waiver.rule, waiver.origin) {
                Ok(level) => {
                    waiver.level = level;
                    known.push(waiver);
                }
                Err((message, help)) => self.faults.push(span, &pointer, message, help),
            }
        }
        known
    }
}

fn example(name: &str) -> String {
    let value = match name {
        "rule" => "files.write.deny[0]",
        "reason" => "INC-42: why this may be",
        "owner" => "@who-answers-for-it",
        _ => "2026-12-31",
    };
    format!("add `{name}`, for example {value}")
}

/// Other notations name the same day, but people compare texts.
pub(crate) fn is_usual(text: &str, day: Date) -> bool {
    text.len() == "2026-12-31".len() && day.to_string() == text
}
