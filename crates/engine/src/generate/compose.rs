//! Entries → the text of a new policy: lists in the order of the language, entries of one purpose together.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};

use agent_strace_policy::Parts;
use agent_strace_policy::builtin::BUILTIN;

use super::plan::{Planned, Slot};
use super::purpose::Purpose;
use super::shared::SharedBase;
use super::tables::{DENIED_COMMANDS, DENIED_PATHS};

/// The text of a policy, and the place of each entry.
#[derive(Debug, Default)]
pub(super) struct Composed {
    pub(super) text: String,
    /// Pointer → the index of the entry in the plan.
    pub(super) allows: BTreeMap<String, usize>,
    /// Pointer → the index of the suggestion.
    pub(super) denies: BTreeMap<String, usize>,
}

/// An entry in its place: entries of one list follow each other by purpose.
pub(super) struct Placed<'p> {
    pub(super) entry: &'p Planned,
    pub(super) purpose: Purpose,
}

/// Columns of a line in a list that takes several lines.
const WIDTH: usize = 90;
/// Entries of a list that needs no comments.
const PLAIN: usize = 6;

/// The entries that every generated policy denies.
pub(super) fn denied() -> Vec<(Slot, String)> {
    let paths = DENIED_PATHS.iter().map(|(slot, text)| (slot.clone(), (*text).to_owned()));
    paths.chain([(Slot::Commands, format!("builtin:{DENIED_COMMANDS}"))]).collect()
}

/// A policy without entries of its own.
pub(super) fn template() -> String {
    fresh(&[], &[], &denied(), &[], None).text
}

/// `header`: comments above it. `tests`: each an object of JSON. `base`: what the policy extends, and does not repeat.
pub(super) fn fresh(
    header: &[String],
    entries: &[Placed<'_>],
    denies: &[(Slot, String)],
    tests: &[String],
    base: Option<&SharedBase>,
) -> Composed {
    let mut composed = Composed::default();
    for line in header {
        let _ = writeln!(composed.text, "// {line}");
    }
    composed.text.push_str("{\n\"version\": 2,\n");
    if let Some(base) = base {
        let _ = writeln!(composed.text, "\"extends\": {},", base.extension());
    }
    let is_open = |keys: &[&str]| base.is_none_or(|base| !base.states(keys));
    if is_open(&["defaults"]) {
        composed.text.push_str("\"defaults\": { \"decision\": \"deny\", \"unresolved\": { \"state\": \"deny\" } },\n");
    } else if is_open(&["defaults", "decision"]) {
        composed.text.push_str("\"defaults\": { \"decision\": \"deny\" },\n");
    }
    let mut writer = Writer { composed, entries, denies, base };
    writer.files();
    writer.object("commands", &[(&Slot::Commands, "allow"), (&Slot::Commands, "deny")], "");
    // An allow list of hosts means something only where the others are refused, so both are stated together.
    let has_hosts = entries.iter().any(|placed| placed.entry.slot == Slot::Network);
    let is_closed = base.is_some_and(SharedBase::refuses_other_hosts) && has_hosts;
    let closed = if is_open(&["network", "deny_all"]) || is_closed { "\"deny_all\": true, " } else { "" };
    writer.object("network", &[(&Slot::Network, "allow")], closed);
    writer.servers();
    writer.object("env", &[(&Slot::Env, "allow")], "");
    writer.rules();
    let mut composed = writer.composed;
    if let Some(labels) = base.and_then(|base| labels(base, &composed.text)) {
        composed.text.push_str(&labels);
    }
    if !tests.is_empty() {
        let _ = writeln!(composed.text, "\"tests\": [\n{}\n]", tests.join(",\n"));
    }
    composed.text.push_str("}\n");
    composed
}

/// The labels of the base that entries name which are stated again: labels of a base count in the base alone.
fn labels(base: &SharedBase, text: &str) -> Option<String> {
    let stated = Parts::read(&format!("{text}}}"))?;
    let lists = ["read", "write", "delete"].iter().flat_map(|access| ["allow", "deny"].map(|list| (access, list)));
    let entries: Vec<Value> = lists
        .filter_map(|(access, list)| stated.value(&format!("/files/{access}/{list}"))?.as_array())
        .flatten()
        .cloned()
        .collect();
    let labels: serde_json::Map<String, Value> =
        base.labels_of(&entries).into_iter().map(|(name, patterns)| (name.to_owned(), patterns.into())).collect();
    (!labels.is_empty()).then(|| format!("\"labels\": {},\n", Value::Object(labels)))
}

struct Writer<'p> {
    composed: Composed,
    entries: &'p [Placed<'p>],
    denies: &'p [(Slot, String)],
    base: Option<&'p SharedBase>,
}

impl Writer<'_> {
    fn files(&mut self) {
        let before = self.composed.text.len();
        self.composed.text.push_str("\"files\": {\n");
        let empty = self.composed.text.len();
        for slot in [Slot::Read, Slot::Write, Slot::Delete] {
            let name = slot.keys("allow").get(1).copied().unwrap_or_default();
            self.object(name, &[(&slot, "allow"), (&slot, "deny")], "");
        }
        if self.composed.text.len() == empty {
            self.composed.text.truncate(before);
        } else {
            self.composed.text.push_str("},\n");
        }
    }

    /// An object with these lists. An object without any member is left out.
    fn object(&mut self, name: &str, lists: &[(&Slot, &str)], first: &str) {
        let lists: Vec<String> = lists.iter().filter_map(|(slot, list)| self.list(slot, list)).collect();
        if !lists.is_empty() || !first.is_empty() {
            let first = if lists.is_empty() { first.trim_end_matches(", ") } else { first };
            let _ = writeln!(self.composed.text, "\"{name}\": {{ {first}{} }},", lists.join(",\n"));
        }
    }

    fn list(&mut self, slot: &Slot, list: &str) -> Option<String> {
        let keys = slot.keys(list);
        let pointer = keys.iter().fold(String::new(), |pointer, key| format!("{pointer}/{}", escaped(key)));
        let stated = self.base.map_or(&[][..], |base| base.entries(&keys));
        let mut items: Vec<(Purpose, String)> = Vec::new();
        if list == "allow" {
            let own = || self.entries.iter().enumerate().filter(|(_, placed)| placed.entry.slot == *slot);
            if own().next().is_some() {
                items.extend(stated.iter().map(|entry| (Purpose::Base, entry.to_string())));
            }
            for (index, placed) in own() {
                self.composed.allows.insert(format!("{pointer}/{}", items.len()), index);
                items.push((placed.purpose, Value::from(placed.entry.text.as_str()).to_string()));
            }
        } else if stated.is_empty() || self.restates(slot) {
            items.extend(stated.iter().map(|entry| (Purpose::Base, entry.to_string())));
            for (index, (_, text)) in self.denies.iter().enumerate().filter(|(_, (of, _))| of == slot) {
                self.composed.denies.insert(format!("{pointer}/{}", items.len()), index);
                items.push((Purpose::Other, Value::from(text.as_str()).to_string()));
            }
        }
        let name = keys.last().copied().unwrap_or(list);
        (!items.is_empty()).then(|| format!("\"{name}\": [{}]", lines(slot, &items)))
    }

    fn servers(&mut self) {
        let servers: BTreeSet<&Slot> =
            self.entries.iter().map(|placed| &placed.entry.slot).filter(|slot| matches!(slot, Slot::Mcp(_))).collect();
        let servers: Vec<Slot> = servers.into_iter().cloned().collect();
        let mut texts = Vec::new();
        for slot in &servers {
            let Slot::Mcp(server) = slot else { continue };
            if let Some(list) = self.list(slot, "allow") {
                texts.push(format!("{}: {{ {list} }}", Value::from(server.as_str())));
            }
        }
        if !texts.is_empty() {
            let _ = writeln!(self.composed.text, "\"mcp\": {{ \"servers\": {{\n{}\n}} }},", texts.join(",\n"));
        }
    }

    /// The policy needs denies that no rule can state, and that the list of the base lacks: it states the list again with them.
    fn restates(&self, slot: &Slot) -> bool {
        let is_rule = |text: &str| matched(slot, text).is_some();
        self.denies.iter().any(|(of, text)| of == slot && !is_rule(text))
    }

    /// Writes sub-agents, which have no list of their own, and denies beside a list that the base states.
    fn rules(&mut self) {
        let mut rules: Vec<String> = self.agents().into_iter().collect();
        let is_stated = |(_, (slot, _)): &(usize, &(Slot, String))| {
            self.base.is_some_and(|base| !base.entries(&slot.keys("deny")).is_empty()) && !self.restates(slot)
        };
        let beside: Vec<(usize, &(Slot, String))> = self.denies.iter().enumerate().filter(is_stated).collect();
        for (index, (slot, text)) in beside {
            if let Some(matched) = matched(slot, text) {
                self.composed.denies.insert(format!("/rules/{}", rules.len()), index);
                let id = format!("RISK-{}", index + 1);
                let id = self.base.map_or_else(|| id.clone(), |base| base.free_id(&id));
                rules.push(format!("{{ \"id\": \"{id}\", \"effect\": \"deny\", \"match\": {matched} }}"));
            }
        }
        if !rules.is_empty() {
            let _ = writeln!(self.composed.text, "\"rules\": [\n{}\n],", rules.join(",\n"));
        }
    }

    /// Sub-agents have no list of their own: one rule names them.
    fn agents(&mut self) -> Option<String> {
        let agents: Vec<(usize, &str)> = self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, placed)| placed.entry.slot == Slot::Spawn)
            .map(|(index, placed)| (index, placed.entry.text.as_str()))
            .collect();
        let all: Vec<(usize, &str)> = agents.iter().filter(|(_, name)| *name == "*").copied().collect();
        let agents = if all.is_empty() { agents } else { all };
        let (first, _) = agents.first()?;
        self.composed.allows.insert("/rules/0".to_owned(), *first);
        let names: Vec<String> = agents.iter().map(|(_, name)| Value::from(*name).to_string()).collect();
        let names = if let [name] = names.as_slice() { name.clone() } else { format!("[{}]", names.join(", ")) };
        // A rule replaces that of the base with the same id.
        let id = self.base.map_or_else(|| "SUBAGENTS".to_owned(), |base| base.free_id("OWN-SUBAGENTS"));
        Some(format!(
            "// Their calls are judged like all others.\n\
             {{ \"id\": \"{id}\", \"effect\": \"allow\", \"match\": {{ \"spawn\": {names} }} }}"
        ))
    }
}

/// The `match` of a rule that denies what an entry of a list would deny: `git branch -D`. `None`: only a list can state it.
fn matched(slot: &Slot, text: &str) -> Option<Value> {
    if *slot != Slot::Commands || text.starts_with(BUILTIN) {
        return None;
    }
    let (flags, words): (Vec<&str>, Vec<&str>) = text.split(' ').partition(|word| word.starts_with('-'));
    let (program, below) = words.split_first()?;
    let mut exec = serde_json::Map::from_iter([("program".to_owned(), Value::from(*program))]);
    if !below.is_empty() {
        exec.insert("subcommand".to_owned(), below.join(" ").into());
    }
    if !flags.is_empty() {
        exec.insert("any_flag".to_owned(), flags.into());
    }
    Some(json!({ "exec": exec }))
}

/// The entries of a list: in one line where there are few, else with a comment above those of each purpose.
fn lines(slot: &Slot, items: &[(Purpose, String)]) -> String {
    let texts = || items.iter().map(|(_, text)| text.clone());
    let flat = texts().collect::<Vec<_>>().join(", ");
    let purposes: BTreeSet<Purpose> = items.iter().map(|(purpose, _)| *purpose).collect();
    let is_plain = purposes.len() < 2 || items.len() <= PLAIN;
    if is_plain && flat.chars().count() <= WIDTH {
        return flat;
    }
    let (mut text, mut line, mut above) = ("\n".to_owned(), String::new(), None);
    for (at, ((purpose, _), entry)) in items.iter().zip(texts()).enumerate() {
        let comma = if at + 1 < items.len() { "," } else { "" };
        if !is_plain && above != Some(*purpose) {
            flush(&mut text, &mut line);
            let _ = writeln!(text, "// {}", purpose.comment(slot));
            above = Some(*purpose);
        }
        if !line.is_empty() && line.chars().count() + entry.chars().count() > WIDTH {
            flush(&mut text, &mut line);
        }
        let _ = write!(line, "{}{entry}{comma}", if line.is_empty() { "" } else { " " });
    }
    flush(&mut text, &mut line);
    text
}

fn flush(text: &mut String, line: &mut String) {
    if !line.is_empty() {
        text.push_str(line);
        text.push('\n');
        line.clear();
    }
}

/// A key as JSON pointers spell it.
pub(super) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
