//! JSON with locations → what a policy states, or everything that is wrong with it.
//!
//! One file per key, called from [`Parser::key`].

mod agents;
mod budgets;
mod builtins;
mod commands;
mod defaults;
mod document;
mod entry;
mod env;
mod evidence;
mod examples;
mod exceptions;
mod extends;
mod hosts;
mod inherit;
mod labels;
mod mcp;
mod names;
mod paths;
mod pattern;
mod programs;
mod rulebook;
mod rules;
mod sequences;
mod suspicious;
mod tests_key;

pub(super) use agents::Part;
pub(crate) use budgets::RATES;
pub(super) use budgets::decimal as money;
pub(crate) use builtins::{compiled_command, compiled_exec, compiled_path};
pub(crate) use defaults::{CLASSES, DECISIONS, UNKNOWN_TOOLS, UNRESOLVED};
pub(crate) use document::Version;
pub(super) use document::{Defaults, Document, Entry, List, Lists, Matches, Mcp, Network, Rule, Rulebook, Stated};
pub(crate) use entry::{file_roles, operand_roles, option_roles};
pub(crate) use exceptions::is_usual;
pub(super) use extends::Extension;
pub(crate) use extends::ROLES;
pub(crate) use extends::Role;
pub(super) use names::push_part;
pub use names::{dotted, nearest};
pub(super) use paths::{LABEL, is_named};
pub(crate) use rules::SEVERITIES;
pub(crate) use suspicious::LOOK_ALIKES;

use std::sync::Arc;

use super::diagnostics::{Diagnostics, Locator, quoted};
use super::grammar::{self, Object};
use super::json::{self, Data, Key, Value};
use super::waivers::{Names, Origin};
use agent_strace_model::finding::PolicyLocation;
use names::escaped;
use paths::Labels;

/// What is wrong, and what to do about it.
type Fault = (String, Option<String>);

/// `named`: how locations name the file, where it is not the policy itself.
pub(super) fn parse(file: &str, text: &str, named: Option<Arc<str>>) -> Result<Document, Diagnostics> {
    let mut parser = Parser::new(file, text, Version::One, named);
    let mut document = match json::read(text) {
        Ok(json) => parser.root(&json),
        Err(mut error) => {
            // YAML, an empty file, and anything else that was never meant to be JSON.
            if !text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '/']) {
                error.help = Some("a policy is a JSON object: `agent-strace init` writes one to start from".to_owned());
            }
            parser.refuse(error);
            Document::default()
        }
    };
    if parser.faults.list.is_empty() {
        document.examples = parser.rule_examples.len();
        parser.rule_examples_hold(&document);
    }
    parser.finish(document)
}

/// Reads a file whose values have locations, and collects what is wrong with it.
pub struct Parser<'a> {
    version: Version,
    faults: Diagnostics,
    locator: Locator<'a>,
    labels: Labels,
    /// Registries that `programs` of the policy names.
    symbols: Vec<String>,
    /// Examples that are still to be checked.
    examples: Vec<programs::Example>,
    /// Exceptions whose rules are still to be looked for.
    exceptions: Vec<exceptions::Pending>,
    rule_examples: Vec<rules::RuleExample>,
}

impl<'a> Parser<'a> {
    fn new(file: &str, text: &'a str, version: Version, named: Option<Arc<str>>) -> Self {
        Self {
            version,
            faults: Diagnostics::new(file, text),
            locator: Locator::new(text).of_file(named),
            labels: Labels::new(),
            symbols: Vec::new(),
            examples: Vec::new(),
            exceptions: Vec::new(),
            rule_examples: Vec::new(),
        }
    }

    /// For a file beside the policy: it has no versions, and its patterns are those of version 2.
    pub fn of_configuration(file: &str, text: &'a str) -> Self {
        Self::new(file, text, Version::Two, Some(file.into()))
    }

    /// What was read, or everything that is wrong.
    pub fn finish<T>(mut self, read: T) -> Result<T, Diagnostics> {
        if self.faults.list.is_empty() {
            return Ok(read);
        }
        self.faults.sort();
        Err(self.faults)
    }
}

impl Parser<'_> {
    /// The text is not what it should be at all.
    pub fn refuse(&mut self, error: json::SyntaxError) {
        self.faults.push(error.span, "", error.message, error.help);
    }

    /// Where a value stands.
    pub fn location(&mut self, value: &Value, pointer: &str) -> PolicyLocation {
        self.locator.location(value.span.start, pointer)
    }

    pub fn fault(&mut self, value: &Value, pointer: &str, message: String, help: Option<String>) {
        self.faults.push(value.span.clone(), pointer, message, help);
    }

    /// A whole file of plain JSON: programs that take nothing else would not read the file at all.
    pub(crate) fn strict_json(&mut self, text: &str) -> Option<Value> {
        match json::read(text) {
            Ok(json) => {
                let commas = json.trailing_commas.iter().map(|span| (span, "a trailing comma behind the last member"));
                let asides = json.asides.iter().map(|span| (span, "a comment or a byte order mark"));
                for (span, what) in commas.chain(asides) {
                    let help = "remove it: other readers of this file take plain JSON, and would not read it at all";
                    self.faults.push(span.clone(), "", format!("{what} is no JSON"), Some(help.to_owned()));
                }
                Some(json.root)
            }
            Err(error) => {
                self.refuse(error);
                None
            }
        }
    }

    fn root(&mut self, json: &json::Document) -> Document {
        let mut document = Document::default();
        let version = if states_version_2(&json.root) { Version::Two } else { Version::One };
        let known = grammar::ROOT.keys(version);
        let Some(members) = self.object(&json.root, "", &known) else { return document };
        if let Some((_, value)) = members.iter().find(|(key, _)| key.name == "version") {
            match self.version(value) {
                Some(version) => self.version = version,
                // The rest follows other rules: judging half of it would be worse than judging nothing.
                None => return document,
            }
        }
        document.version = self.version;
        self.trailing_commas(&json.trailing_commas);
        self.unknown_keys(&members, "", &grammar::ROOT);
        if let Some((_, value)) = members.iter().find(|(key, _)| key.name == "labels" && known.contains(&"labels")) {
            self.labels(value);
        }
        if let Some((_, programs)) = members.iter().find(|(key, _)| key.name == "programs") {
            symbols(programs, &mut self.symbols);
        }
        for (key, value) in members.iter().filter(|(key, _)| known.contains(&key.name.as_str())) {
            self.key(key, value, &mut document);
        }
        self.idle_hosts(&members, &document);
        document.names = Names::of(&json.root);
        document.waivers = self.with_rules(&document.names);
        document
    }

    /// One key of the root.
    fn key(&mut self, key: &Key, value: &Value, document: &mut Document) {
        match key.name.as_str() {
            "$schema" if !matches!(value.data, Data::Text(_)) => self.wrong_type(value, "/$schema", "a string"),
            // Compiled before every list.
            "labels" => document.labels = labels::texts(value),
            // Earlier versions wrote it, and nothing judges by it. A file beside the policy has taken its place.
            "provenance" => {
                self.object(value, "/provenance", &[]);
            }
            "extends" => document.extends = self.extends(value),
            "programs" => {
                document.programs_span = Some(key.span.clone());
                document.programs = self.programs(value);
            }
            "tests" => document.tests = self.tests(value),
            "evidence" => document.evidence = self.evidence(value),
            "sessions" => document.sessions = self.sessions(value),
            "agents" if self.version == Version::Two => self.agents(value, document),
            "exceptions" if self.version == Version::Two => self.exceptions(value, "/exceptions", Origin::Exception),
            "sequences" if self.version == Version::Two => document.sequences = self.sequences(value),
            "budgets" if self.version == Version::Two => document.budgets = self.budgets(value),
            name => {
                self.rulebook(name, value, "", &mut document.rulebook);
            }
        }
    }

    fn version(&mut self, value: &Value) -> Option<Version> {
        let (message, help) = match &value.data {
            Data::Number(number) if number == "1" => return Some(Version::One),
            Data::Number(number) if number == "2" => return Some(Version::Two),
            Data::Number(number) => {
                (format!("version {} is not supported: this build reads versions 1 and 2", quoted(number)), None)
            }
            other => (
                format!("`version` is {}, not a number", other.name()),
                Some("write `\"version\": 1` or `\"version\": 2`".to_owned()),
            ),
        };
        self.faults.push(value.span.clone(), "/version", message, help);
        None
    }

    /// Version 1 is also read by tools that take plain JSON only; they would do without the whole policy.
    fn trailing_commas(&mut self, commas: &[std::ops::Range<usize>]) {
        if self.version == Version::Two {
            return;
        }
        for comma in commas {
            let message = "a comma stands behind the last member".to_owned();
            let help = "remove it: other readers of version 1 would not read this policy at all".to_owned();
            self.faults.push(comma.clone(), "", message, Some(help));
        }
    }

    /// The members of an object. A key that stands twice is reported: which one counts differs between readers.
    pub fn object<'v>(&mut self, value: &'v Value, pointer: &str, keys: &[&str]) -> Option<Vec<(&'v Key, &'v Value)>> {
        let Data::Object(members) = &value.data else {
            let keys: Vec<String> =
                keys.iter().filter(|key| **key != "$schema").map(|key| format!("`{key}`")).collect();
            let with = if keys.is_empty() { String::new() } else { format!(" with {}", keys.join(", ")) };
            self.wrong_type(value, pointer, &format!("an object{with}"));
            return None;
        };
        let mut seen = std::collections::BTreeSet::new();
        for (key, _) in members {
            if !seen.insert(key.name.as_str()) {
                let message = format!("the key {} stands here twice", quoted(&key.name));
                let pointer = format!("{pointer}/{}", escaped(&key.name));
                self.faults.push(key.span.clone(), &pointer, message, Some("merge the two".to_owned()));
            }
        }
        Some(members.iter().map(|(key, value)| (key, value)).collect())
    }

    /// The members of an object that the table of settings describes; a key that it does not have is a fault.
    pub(crate) fn members<'v>(
        &mut self,
        value: &'v Value,
        pointer: &str,
        object: &Object,
    ) -> Option<Vec<(&'v Key, &'v Value)>> {
        let members = self.object(value, pointer, &object.keys(self.version))?;
        self.unknown_keys(&members, pointer, object);
        Some(members)
    }

    /// Keys of version 2 deserve a better answer in version 1 than "unknown".
    pub(crate) fn unknown_keys(&mut self, members: &[(&Key, &Value)], pointer: &str, object: &Object) {
        self.keys_beside(members, pointer, &object.keys(self.version), &object.keys(Version::Two));
    }

    /// Keys that are none of the known ones. `later`: those of version 2.
    pub fn keys_beside(&mut self, members: &[(&Key, &Value)], pointer: &str, known: &[&str], later: &[&str]) {
        for (key, _) in members.iter().filter(|(key, _)| !known.contains(&key.name.as_str())) {
            let mut message = format!("unknown key {}", quoted(&key.name));
            let help = if later.contains(&key.name.as_str()) {
                message = format!("the key {} belongs to version 2", quoted(&key.name));
                "add `\"version\": 2` to the policy".to_owned()
            } else if let Some(near) = nearest(&key.name, known) {
                format!("did you mean `{near}`?")
            } else {
                let known: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
                format!("known here: {}", known.join(", "))
            };
            self.faults.push(key.span.clone(), &format!("{pointer}/{}", escaped(&key.name)), message, Some(help));
        }
    }

    pub fn wrong_type(&mut self, value: &Value, pointer: &str, wanted: &str) {
        let name = if pointer.is_empty() { "the policy".to_owned() } else { format!("`{}`", dotted(pointer)) };
        let message = format!("{name} is {}, not {wanted}", value.data.name());
        let help = match &value.data {
            Data::Text(text) if wanted.starts_with("a list") => {
                Some(format!("write a list with one entry: [{}]", quoted(text).replace('`', "\"")))
            }
            Data::Null => Some("remove the key, or give it a value".to_owned()),
            _ => None,
        };
        self.faults.push(value.span.clone(), pointer, message, help);
    }
}

/// Texts in any depth that name a registry.
fn symbols(value: &Value, found: &mut Vec<String>) {
    match &value.data {
        Data::Text(text) if text.starts_with("registry:") => found.push(text.to_lowercase()),
        Data::List(items) => items.iter().for_each(|item| symbols(item, found)),
        Data::Object(members) => members.iter().for_each(|(_, value)| symbols(value, found)),
        _ => {}
    }
}

fn member_text(value: &Value) -> Option<&str> {
    if let Data::Text(text) = &value.data { Some(text) } else { None }
}

fn states_version_2(root: &Value) -> bool {
    let Data::Object(members) = &root.data else { return false };
    let version = members.iter().find(|(key, _)| key.name == "version").map(|(_, value)| &value.data);
    matches!(version, Some(Data::Number(number)) if number == "2")
}
