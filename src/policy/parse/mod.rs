//! JSON with places → the lists of a version 1 scope, or everything that is wrong with it.

mod entry;
mod evidence;
mod programs;

#[cfg(test)]
pub(super) use evidence::EVIDENCE;

#[cfg(test)]
pub(super) use entry::{PROGRAM, SUBCOMMAND, operand_roles, option_roles};

use std::sync::Arc;

use crate::effects::knowledge::Knowledge;
use crate::finding::PolicyPlace;

use super::diagnostics::{Diagnostics, Locator, quoted};
use super::evidence::EvidenceRules;
use super::glob::{self, Answer, Glob};
use super::json::{self, Data, Key, Value};
use super::sessions::Conditions;
use super::words;

/// One entry of a list.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) text: String,
    pub(super) place: PolicyPlace,
}

/// A list that stands in the file, possibly empty.
#[derive(Debug, Clone)]
pub(super) struct List {
    pub(super) entries: Vec<Entry>,
    pub(super) place: PolicyPlace,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Pair {
    pub(super) allow: Option<List>,
    pub(super) deny: Option<List>,
}

#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) read: Pair,
    pub(super) write: Pair,
    pub(super) commands: Pair,
    pub(super) network: Option<Network>,
    pub(super) programs: Arc<Knowledge>,
    pub(super) evidence: EvidenceRules,
    pub(super) sessions: Conditions,
}

#[derive(Debug, Clone)]
pub(super) struct Network {
    pub(super) deny_all: Option<PolicyPlace>,
    pub(super) allow: Option<List>,
    pub(super) place: PolicyPlace,
}

/// What an entry is a pattern of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Path,
    Command,
    Host,
    /// What a log says of a session.
    Value,
}

/// The keys of each object: the one source for reading, suggestions and the published schema.
pub(super) const ROOT: &[&str] =
    &["$schema", "version", "files", "commands", "network", "programs", "evidence", "sessions"];
pub(super) const FILES: &[&str] = &["read", "write"];
pub(super) const PAIR: &[&str] = &["allow", "deny"];
pub(super) const NETWORK: &[&str] = &["deny_all", "allow"];

/// Keys of version 2: worth a better answer than "unknown".
const LATER: &[&str] = &[
    "extends",
    "defaults",
    "labels",
    "delete",
    "mcp",
    "env",
    "agents",
    "budgets",
    "sequences",
    "rules",
    "exceptions",
    "tests",
    "unresolved",
];

pub(super) fn parse(file: &str, text: &str) -> Result<Scope, Diagnostics> {
    let mut parser = Parser { faults: Diagnostics::new(file, text), locator: Locator::new(text), examples: Vec::new() };
    let scope = match json::read(text) {
        Ok(root) => parser.root(&root),
        Err(error) => {
            parser.faults.push(error.span, "", error.message, error.help);
            Scope::default()
        }
    };
    if parser.faults.list.is_empty() {
        return Ok(scope);
    }
    parser.faults.sort();
    Err(parser.faults)
}

struct Parser<'a> {
    faults: Diagnostics,
    locator: Locator<'a>,
    /// Examples that are still to be checked.
    examples: Vec<programs::Example>,
}

impl Parser<'_> {
    fn root(&mut self, root: &Value) -> Scope {
        let mut scope = Scope::default();
        let Some(members) = self.object(root, "", ROOT) else { return scope };
        if let Some((_, value)) = members.iter().find(|(key, _)| key.name == "version")
            && !self.version(value)
        {
            // The rest follows other rules: judging half of it would be worse than judging nothing.
            return scope;
        }
        self.unknown_keys(&members, "", ROOT);
        for (key, value) in members {
            match key.name.as_str() {
                "$schema" if !matches!(value.data, Data::Text(_)) => self.wrong_type(value, "/$schema", "a string"),
                "files" => self.files(value, &mut scope),
                "commands" => scope.commands = self.pair(value, "/commands", Dialect::Command),
                "network" => scope.network = self.network(value),
                "programs" => scope.programs = self.programs(value),
                "evidence" => scope.evidence = self.evidence(value),
                "sessions" => scope.sessions = self.sessions(value),
                _ => {}
            }
        }
        scope
    }

    fn version(&mut self, value: &Value) -> bool {
        let (message, help) = match &value.data {
            Data::Number(number) if number == "1" => return true,
            Data::Number(number) => {
                (format!("version {} is not supported: this build reads version 1", quoted(number)), None)
            }
            other => {
                (format!("`version` is {}, not a number", other.name()), Some("write `\"version\": 1`".to_owned()))
            }
        };
        self.faults.push(value.span.clone(), "/version", message, help);
        false
    }

    fn files(&mut self, value: &Value, scope: &mut Scope) {
        let Some(members) = self.object(value, "/files", FILES) else { return };
        self.unknown_keys(&members, "/files", FILES);
        for (key, value) in members {
            match key.name.as_str() {
                "read" => scope.read = self.pair(value, "/files/read", Dialect::Path),
                "write" => scope.write = self.pair(value, "/files/write", Dialect::Path),
                _ => {}
            }
        }
    }

    fn pair(&mut self, value: &Value, pointer: &str, dialect: Dialect) -> Pair {
        let mut pair = Pair::default();
        let Some(members) = self.object(value, pointer, PAIR) else { return pair };
        self.unknown_keys(&members, pointer, PAIR);
        for (key, value) in members {
            match key.name.as_str() {
                "allow" => pair.allow = self.list(value, &format!("{pointer}/allow"), dialect),
                "deny" => pair.deny = self.list(value, &format!("{pointer}/deny"), dialect),
                _ => {}
            }
        }
        pair
    }

    fn network(&mut self, value: &Value) -> Option<Network> {
        let members = self.object(value, "/network", NETWORK)?;
        self.unknown_keys(&members, "/network", NETWORK);
        let place = self.locator.place(value.span.start, "/network");
        let mut network = Network { deny_all: None, allow: None, place };
        for (key, value) in members {
            match (key.name.as_str(), &value.data) {
                ("deny_all", Data::Bool(true)) => {
                    network.deny_all = Some(self.locator.place(value.span.start, "/network/deny_all"));
                }
                ("deny_all", Data::Bool(false)) => {}
                ("deny_all", _) => self.wrong_type(value, "/network/deny_all", "`true` or `false`"),
                ("allow", _) => network.allow = self.list(value, "/network/allow", Dialect::Host),
                _ => {}
            }
        }
        Some(network)
    }

    fn list(&mut self, value: &Value, pointer: &str, dialect: Dialect) -> Option<List> {
        let Data::List(items) = &value.data else {
            self.wrong_type(value, pointer, "a list of strings");
            return None;
        };
        let place = self.locator.place(value.span.start, pointer);
        let mut entries = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let pointer = format!("{pointer}/{index}");
            let Data::Text(text) = &item.data else {
                self.wrong_type(item, &pointer, "a string");
                continue;
            };
            match check(text, dialect) {
                Ok(text) => entries.push(Entry { text, place: self.locator.place(item.span.start, &pointer) }),
                Err((message, help)) => self.faults.push(item.span.clone(), &pointer, message, help),
            }
        }
        Some(List { entries, place })
    }

    /// The members of an object. A key that stands twice is reported: which one counts differs between readers.
    fn object<'v>(&mut self, value: &'v Value, pointer: &str, keys: &[&str]) -> Option<Vec<(&'v Key, &'v Value)>> {
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

    fn unknown_keys(&mut self, members: &[(&Key, &Value)], pointer: &str, known: &[&str]) {
        for (key, _) in members.iter().filter(|(key, _)| !known.contains(&key.name.as_str())) {
            let help = if LATER.contains(&key.name.as_str()) {
                "this key belongs to version 2 of the format; this build reads version 1".to_owned()
            } else if let Some(near) = nearest(&key.name, known) {
                format!("did you mean `{near}`?")
            } else {
                let known: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
                format!("known here: {}", known.join(", "))
            };
            let message = format!("unknown key {}", quoted(&key.name));
            self.faults.push(key.span.clone(), &format!("{pointer}/{}", escaped(&key.name)), message, Some(help));
        }
    }

    fn wrong_type(&mut self, value: &Value, pointer: &str, wanted: &str) {
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

type Fault = (String, Option<String>);

/// The entry in its comparable form, or why it can't mean anything.
fn check(text: &str, dialect: Dialect) -> Result<String, Fault> {
    if text.trim().is_empty() {
        return Err((
            "this pattern is empty".to_owned(),
            Some("an empty pattern matches nothing; remove it".to_owned()),
        ));
    }
    if text.chars().count() > glob::LONGEST {
        return Err((format!("this pattern is longer than {} characters", glob::LONGEST), None));
    }
    if text.chars().any(char::is_control) {
        return Err(("this pattern holds a control character".to_owned(), None));
    }
    match dialect {
        Dialect::Path => check_path(text),
        Dialect::Command => words::split(text).map(|_| text.trim().to_owned()).ok_or_else(|| {
            (format!("the quotes in {} are not closed", quoted(text)), Some("write a quote as `\\\\'`".to_owned()))
        }),
        Dialect::Host => check_host(text),
        Dialect::Value => Ok(text.trim().to_owned()),
    }
}

fn check_path(text: &str) -> Result<String, Fault> {
    let mut path = text.replace('\\', "/");
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.to_owned();
    }
    while path.contains("//") {
        path = path.replace("//", "/");
    }
    let never = || format!("{} can never match", quoted(text));
    if path.split('/').any(|component| component == "..") {
        let help = "paths are compared after `..` is resolved; name the path itself".to_owned();
        return Err((never(), Some(help)));
    }
    if path.len() > 1 && path.ends_with('/') {
        let help = format!("paths have no `/` at their end; for all below it write {}", quoted(&format!("{path}**")));
        return Err((never(), Some(help)));
    }
    if Glob::path(&path).meets(&Glob::effect("**")) == Answer::No {
        return Err((never(), Some("a class such as `[z-a]` has no members".to_owned())));
    }
    Ok(path)
}

fn check_host(text: &str) -> Result<String, Fault> {
    let host = text.trim();
    if host.contains('/') || host.contains('@') {
        let rest = host.split_once("://").map_or(host, |(_, rest)| rest);
        let authority = rest.split('/').next().unwrap_or(rest);
        let bare = authority.rsplit('@').next().unwrap_or(authority);
        let message = format!("{} can never match: hosts are compared without scheme, user and path", quoted(text));
        return Err((message, (!bare.is_empty()).then(|| format!("write {}", quoted(bare)))));
    }
    if host.contains(char::is_whitespace) {
        return Err((format!("{} can never match: a host has no spaces", quoted(text)), None));
    }
    Ok(host.to_lowercase())
}

/// A key as it stands in a JSON pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// `/files/read/deny/0` as people say it: `files.read.deny[0]`.
fn dotted(pointer: &str) -> String {
    let mut name = String::new();
    for part in pointer.split('/').skip(1) {
        if part.chars().all(|character| character.is_ascii_digit()) {
            name.extend(["[", part, "]"]);
        } else {
            if !name.is_empty() {
                name.push('.');
            }
            name.push_str(&part.replace("~1", "/").replace("~0", "~"));
        }
    }
    name
}

/// The candidate a typing error away, if one is.
pub(crate) fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let name: String = name.chars().take(64).collect::<String>().to_lowercase();
    candidates
        .iter()
        .map(|candidate| (distance(&name, candidate), *candidate))
        .filter(|(distance, candidate)| {
            let length = candidate.chars().count();
            let alike = name.chars().zip(candidate.chars()).take_while(|(one, other)| one == other).count();
            *distance < length && (*distance <= (length / 3).max(1) + 1 || alike >= 3 && alike + 1 >= length)
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Edit distance.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, character) in left.chars().enumerate() {
        let mut next = vec![at + 1];
        for ((other, above), above_left) in right.iter().zip(row.iter().skip(1)).zip(&row) {
            let beside = next.last().copied().unwrap_or(0);
            next.push((above_left + usize::from(*other != character)).min(above + 1).min(beside + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}
