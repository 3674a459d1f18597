//! The key `rules`: entries with a name, an owner and a reason of their own, and examples that prove them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::Decision;
use crate::env::Variable;
use crate::grammar;
use crate::host::HostPattern;
use crate::name::NamePattern;
use crate::path::PathSet;
use agent_strace_model::finding::{Level, PolicyRule};

use super::defaults::DECISIONS;
use super::document::{Matches, Rule};
use super::pattern::Pattern;
use super::{Parser, Stated, Value, member_text, quoted};

/// What a finding weighs.
pub(crate) const SEVERITIES: &[(&str, Level)] =
    &[("error", Level::Error), ("warning", Level::Warning), ("note", Level::Note)];

/// Rules of one policy: each is compared with every effect.
const MOST: usize = 2_000;
/// Characters of an id.
const LONGEST: usize = 100;

/// An act that a rule has to match, or must not.
pub(super) struct RuleExample {
    /// Its index among the rules.
    pub(super) rule: usize,
    pub(super) text: String,
    pub(super) matches: Wanted,
    pub(super) span: Range<usize>,
    pub(super) pointer: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Match,
    NoMatch,
}

impl Parser<'_> {
    pub(super) fn rules(&mut self, value: &Value, pointer: &str, rules: &mut Vec<Rule>) {
        let super::Data::List(items) = &value.data else { return self.wrong_type(value, pointer, "a list of rules") };
        let mut ids: BTreeMap<String, usize> = BTreeMap::new();
        for (index, item) in items.iter().enumerate() {
            let pointer = format!("{pointer}/{index}");
            if index >= MOST {
                self.faults.push(item.span.clone(), &pointer, format!("there are more than {MOST} rules"), None);
                return;
            }
            let before = self.faults.list.len();
            let Some(rule) = self.rule(item, &pointer, rules.len()) else { continue };
            let id = rule.stated.policy_rule.as_ref().map(|rule| rule.id.clone()).unwrap_or_default();
            if let Some(first) = ids.insert(id.to_lowercase(), index) {
                let message = format!("two rules are called {}", quoted(&id));
                let help = format!("`rules[{first}]` is the other one; give one of them another id");
                self.faults.push(item.span.clone(), &format!("{pointer}/id"), message, Some(help));
            }
            if self.faults.list.len() == before {
                rules.push(rule);
            } else {
                self.rule_examples.retain(|example| example.rule != rules.len());
            }
        }
    }

    fn rule(&mut self, value: &Value, pointer: &str, number: usize) -> Option<Rule> {
        let members = self.members(value, pointer, &grammar::RULE)?;
        let location = self.locator.location(value.span.start, pointer);
        let (mut effect, mut level, mut matches) = (None, None, None);
        for (key, value) in members {
            let below = format!("{pointer}/{}", key.name);
            match key.name.as_str() {
                "effect" => effect = self.one_of(value, &below, DECISIONS),
                "severity" => level = self.one_of(value, &below, SEVERITIES).map(|level| (level, value.span.clone())),
                "match" => matches = self.matches(value, &below),
                "examples" => self.rule_examples_of(value, &below, number),
                _ => {}
            }
        }
        let id = self.id(value, pointer)?;
        let (owner, reason) = (self.short(value, pointer, "owner"), self.short(value, pointer, "reason"));
        for (key, there) in [("effect", effect.is_some()), ("match", matches.is_some())] {
            if !there && super::programs::member(value, key).is_none() {
                let message = format!("the rule {} has no `{key}`", quoted(&id));
                self.faults.push(value.span.clone(), pointer, message, Some(format!("add `\"{key}\"`")));
            }
        }
        let (effect, (matches, text)) = (effect?, matches?);
        if let (Decision::Allowed, Some((_, span))) = (effect, &level) {
            let message = format!("the rule {} allows: it has no severity", quoted(&id));
            let pointer = format!("{pointer}/severity");
            self.faults.push(span.clone(), &pointer, message, Some("remove it".to_owned()));
        }
        let policy_rule = Some(Arc::new(PolicyRule { id, owner, reason }));
        let level = level.map_or(Level::Error, |(level, _)| level);
        Some(Rule { stated: Stated { location, policy_rule, level }, effect, matches, text })
    }

    fn id(&mut self, rule: &Value, pointer: &str) -> Option<String> {
        let Some((_, value)) = super::programs::member(rule, "id") else {
            let message = "a rule needs an id: findings and exceptions name it".to_owned();
            self.faults.push(rule.span.clone(), pointer, message, Some("add `\"id\": \"CMD-PUSH\"`".to_owned()));
            return None;
        };
        let pointer = format!("{pointer}/id");
        let Some(id) = member_text(value) else {
            self.wrong_type(value, &pointer, "a string");
            return None;
        };
        let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
        if id.is_empty() || id.len() > LONGEST || !id.chars().all(plain) {
            let message = format!("{} is no id of a rule", quoted(id));
            let help = format!("up to {LONGEST} letters, digits, `-` and `_` make one");
            self.faults.push(value.span.clone(), &pointer, message, Some(help));
            return None;
        }
        Some(id.to_owned())
    }

    fn short(&mut self, rule: &Value, pointer: &str, key: &str) -> Option<String> {
        let (_, value) = super::programs::member(rule, key)?;
        let pointer = format!("{pointer}/{key}");
        let Some(text) = member_text(value) else {
            self.wrong_type(value, &pointer, "a string");
            return None;
        };
        if text.trim().is_empty() || text.chars().any(char::is_control) || text.chars().count() > 500 {
            let message = format!("`{key}` has to be one line of 1 to 500 characters");
            self.faults.push(value.span.clone(), &pointer, message, None);
            return None;
        }
        Some(text.trim().to_owned())
    }

    fn matches(&mut self, value: &Value, pointer: &str) -> Option<(Matches, String)> {
        let members = self.members(value, pointer, &grammar::MATCH)?;
        let [(key, inner)] = members.as_slice() else {
            let message = format!("`{}` has to name one kind of act", super::dotted(pointer));
            let help = format!("one of {}; write a rule for each", listed(&grammar::MATCH.keys(self.version)));
            self.faults.push(value.span.clone(), pointer, message, Some(help));
            return None;
        };
        let below = format!("{pointer}/{}", key.name);
        match key.name.as_str() {
            "exec" => self.exec(inner, &below).map(|(pattern, text)| (Matches::Exec(pattern), text)),
            "read" => self.paths(inner, &below).map(|(set, text)| (Matches::Read(set), text)),
            "write" => self.paths(inner, &below).map(|(set, text)| (Matches::Write(set), text)),
            "delete" => self.paths(inner, &below).map(|(set, text)| (Matches::Delete(set), text)),
            "list" => self.paths(inner, &below).map(|(set, text)| (Matches::List(set), text)),
            "net" => self.some_patterns::<HostPattern>(inner, &below).map(|(hosts, text)| (Matches::Net(hosts), text)),
            "spawn" => {
                self.some_patterns::<NamePattern>(inner, &below).map(|(names, text)| (Matches::Spawn(names), text))
            }
            "env" => self.some_patterns::<Variable>(inner, &below).map(|(names, text)| (Matches::Env(names), text)),
            "mcp" => self.tools(inner, &below),
            _ => None,
        }
    }

    fn paths(&mut self, value: &Value, pointer: &str) -> Option<(PathSet, String)> {
        let (sets, text) = self.some_patterns::<PathSet>(value, pointer)?;
        let mut all = PathSet::default();
        for set in sets {
            all.any_of.extend(set.any_of);
            all.except.extend(set.except);
        }
        if all.is_exclusion() {
            let message = format!("`{}` names nothing", super::dotted(pointer));
            let help = "give it a pattern without `!`".to_owned();
            self.faults.push(value.span.clone(), pointer, message, Some(help));
            return None;
        }
        Some((all, text))
    }

    /// One pattern or several, and all of them as text.
    fn some_patterns<P: Pattern>(&mut self, value: &Value, pointer: &str) -> Option<(Vec<P>, String)> {
        let texts = self.words(value, pointer);
        let mut read = Vec::with_capacity(texts.len());
        for text in &texts {
            match P::members(self, text) {
                Ok(members) => read.extend(members.into_iter().map(|(_, pattern)| pattern)),
                Err((message, help)) => self.faults.push(value.span.clone(), pointer, message, help),
            }
        }
        if texts.is_empty() {
            let message = format!("`{}` names nothing", super::dotted(pointer));
            self.faults.push(value.span.clone(), pointer, message, Some("give it a pattern".to_owned()));
            return None;
        }
        Some((read, texts.join(", ")))
    }

    fn tools(&mut self, value: &Value, pointer: &str) -> Option<(Matches, String)> {
        let members = self.members(value, pointer, &grammar::TOOLS)?;
        let (mut server, mut tools, mut text) = (NamePattern::new("*"), vec![NamePattern::new("*")], "*".to_owned());
        for (key, value) in members {
            let below = format!("{pointer}/{}", key.name);
            match key.name.as_str() {
                "server" => {
                    let name = member_text(value).filter(|name| !name.trim().is_empty());
                    let Some(name) = name else {
                        self.wrong_type(value, &below, "the name of a server");
                        continue;
                    };
                    server = NamePattern::new(name);
                    name.clone_into(&mut text);
                }
                "tools" => tools = self.some_patterns::<NamePattern>(value, &below)?.0,
                _ => {}
            }
        }
        Some((Matches::Mcp { server: Box::new(server), tools }, text))
    }

    fn rule_examples_of(&mut self, value: &Value, pointer: &str, rule: usize) {
        let Some(members) = self.members(value, pointer, &grammar::EXAMPLES) else { return };
        for (key, value) in members {
            let below = format!("{pointer}/{}", key.name);
            let matches = match key.name.as_str() {
                "match" => Wanted::Match,
                "not_match" => Wanted::NoMatch,
                _ => continue,
            };
            let super::Data::List(items) = &value.data else {
                self.wrong_type(value, &below, "a list of strings");
                continue;
            };
            for (index, item) in items.iter().enumerate() {
                let pointer = format!("{below}/{index}");
                let Some(text) = member_text(item) else {
                    self.wrong_type(item, &pointer, "a string");
                    continue;
                };
                let (text, span) = (text.to_owned(), item.span.clone());
                self.rule_examples.push(RuleExample { rule, text, matches, span, pointer });
            }
        }
    }
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
