//! What a change of the policy says: entry by entry, in words, and whether agents may do more or less.
//!
//! Whether something is wider is judged on the safe side: what can't be shown to allow nothing new may be wider.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use agent_strace_policy::{Decision, EntryView, Policy};

use super::sections::{self, Side};
use super::words;

/// One difference between two policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// `added`, `removed` or `changed`.
    pub kind: Kind,
    /// The entry as the policy that has it calls it (`commands.deny[2]`), the list, or the section.
    pub name: String,
    /// The pattern; empty for a whole list or section.
    pub text: String,
    pub direction: Direction,
    /// One sentence without a full stop.
    pub meaning: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Added,
    Removed,
    Changed,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
        }
    }
}

/// What a change does to what agents may do. Ordered as reports list them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    Wider,
    /// It is not known to allow nothing new.
    Unknown,
    Narrower,
    /// Other entries say the same.
    Same,
}

impl Direction {
    pub fn name(self) -> &'static str {
        match self {
            Self::Wider => "wider",
            Self::Unknown => "unknown",
            Self::Narrower => "narrower",
            Self::Same => "same",
        }
    }

    /// It may allow something that was not allowed.
    pub fn may_widen(self) -> bool {
        matches!(self, Self::Wider | Self::Unknown)
    }
}

/// One policy: its entries, and its file as plain JSON.
#[derive(Clone, Copy)]
pub struct Version<'p> {
    pub policy: &'p Policy,
    pub plain: &'p Value,
}

/// Everything that differs, what widens first, in the order of entries.
pub fn changes(old: Version<'_>, new: Version<'_>) -> Vec<Change> {
    let (before, after) = (Lists::new(old.policy), Lists::new(new.policy));
    let mut changes = Vec::new();
    let kinds: BTreeSet<&str> = before.kinds.keys().chain(after.kinds.keys()).map(String::as_str).collect();
    let nothing = KindLists::default();
    for scope in kinds {
        let old = before.kinds.get(scope).unwrap_or(&nothing);
        let new = after.kinds.get(scope).unwrap_or(&nothing);
        Pair { scope, old, new }.compare(&mut changes);
    }
    before.compare_rules(&after, old.plain, new.plain, &mut changes);
    let (before, after) = (pointers(old.policy), pointers(new.policy));
    let old = Side { plain: old.plain, entries: &before };
    let new = Side { plain: new.plain, entries: &after };
    sections::compare(old, new, &mut changes);
    changes.sort_by_key(|change| change.direction);
    changes
}

fn pointers(policy: &Policy) -> BTreeSet<&str> {
    let own = policy.entries().filter(|entry| entry.location.file.is_none());
    own.map(|entry| entry.location.pointer.as_str()).collect()
}

/// The entries of a policy by the part they stand in (`/files/read`, `/commands`).
#[derive(Default)]
struct Lists<'p> {
    kinds: BTreeMap<String, KindLists<'p>>,
    /// Rules with a name of their own.
    rules: BTreeMap<&'p str, Vec<&'p EntryView>>,
}

/// The lists that judge one kind of effect.
#[derive(Default)]
struct KindLists<'p> {
    entries: Vec<&'p EntryView>,
    /// Where every host is denied unless it is listed.
    deny_all: Option<&'p EntryView>,
}

impl<'p> Lists<'p> {
    fn new(policy: &'p Policy) -> Self {
        let mut lists = Self::default();
        for entry in policy.entries() {
            if let Some(rule) = &entry.policy_rule {
                lists.rules.entry(&rule.id).or_default().push(entry);
                continue;
            }
            let pointer = entry.location.pointer.as_str();
            if let Some(scope) = pointer.strip_suffix("/deny_all") {
                lists.kinds.entry(scope.to_owned()).or_default().deny_all = Some(entry);
                continue;
            }
            // `/commands/deny/2`: the part, the list, the index in it.
            let mut parts = pointer.rsplitn(3, '/');
            let scope = parts.nth(2).unwrap_or_default();
            lists.kinds.entry(scope.to_owned()).or_default().entries.push(entry);
        }
        lists
    }

    fn compare_rules(&self, new: &Self, old: &Value, after: &Value, changes: &mut Vec<Change>) {
        let (before, after) = (rules_of(old), rules_of(after));
        let ids: BTreeSet<&str> = self.rules.keys().chain(new.rules.keys()).copied().collect();
        for id in ids {
            let (kind, entry) = match (before.get(id), after.get(id)) {
                (Some(before), Some(after)) if before == after => continue,
                (Some(_), Some(_)) => (Kind::Changed, new.rules.get(id)),
                (Some(_), None) => (Kind::Removed, self.rules.get(id)),
                (None, _) => (Kind::Added, new.rules.get(id)),
            };
            changes.extend(entry.and_then(|entries| entries.first()).map(|entry| of_rule(id, kind, entry)));
        }
    }
}

/// Rules by their ids, without what judges nothing.
fn rules_of(plain: &Value) -> BTreeMap<&str, Value> {
    let rules = plain.get("rules").and_then(Value::as_array).into_iter().flatten();
    let judging = |rule: &Value| {
        let mut rule = rule.clone();
        if let Some(members) = rule.as_object_mut() {
            members.retain(|key, _| !matches!(key.as_str(), "owner" | "reason" | "examples"));
        }
        rule
    };
    rules.filter_map(|rule| Some((rule.get("id")?.as_str()?, judging(rule)))).collect()
}

fn of_rule(id: &str, kind: Kind, entry: &EntryView) -> Change {
    let direction = match (kind, entry.decision) {
        (Kind::Changed, _) => Direction::Unknown,
        (Kind::Added, Decision::Allowed) => Direction::Wider,
        (Kind::Removed, Decision::Allowed) | (Kind::Added, _) => Direction::Narrower,
        (Kind::Removed, _) => Direction::Wider,
    };
    let meaning = match kind {
        Kind::Changed => format!("the rule `{id}` says something else now: {}", words::rule(entry)),
        Kind::Added => format!("the rule `{id}` is new: {}", words::rule(entry)),
        Kind::Removed => format!("the rule `{id}` is gone: {}", words::rule(entry)),
    };
    Change { kind, name: id.to_owned(), text: entry.text.clone(), direction, meaning }
}

/// One part in both policies.
struct Pair<'c, 'p> {
    scope: &'c str,
    old: &'c KindLists<'p>,
    new: &'c KindLists<'p>,
}

impl Pair<'_, '_> {
    fn compare(&self, changes: &mut Vec<Change>) {
        self.compare_demand(changes);
        for entry in self.new.entries.iter().filter(|entry| !self.old.has(entry)) {
            changes.extend(self.added(entry));
        }
        for entry in self.old.entries.iter().filter(|entry| !self.new.has(entry)) {
            changes.extend(self.removed(entry));
        }
    }

    /// Whether what is not listed is refused: that an allow list comes or goes says more than its entries.
    fn compare_demand(&self, changes: &mut Vec<Change>) {
        match (self.old.demand(), self.new.demand()) {
            (None, Some(demand)) => changes.push(Change {
                kind: Kind::Added,
                name: self.name(demand),
                text: String::new(),
                direction: Direction::Narrower,
                meaning: words::limited(self.scope, &self.new.texts(Decision::Allowed)),
            }),
            (Some(demand), None) => changes.push(Change {
                kind: Kind::Removed,
                name: self.name(demand),
                text: String::new(),
                direction: Direction::Wider,
                meaning: words::unlimited(self.scope),
            }),
            _ => {}
        }
    }

    fn name(&self, list: &str) -> String {
        words::dotted(&format!("{}/{list}", self.scope))
    }

    /// An entry that takes something out of its own list.
    fn exclusion(kind: Kind, entry: &EntryView) -> Change {
        let direction = match (kind, entry.decision) {
            (Kind::Added, Decision::Allowed) => Direction::Narrower,
            (Kind::Removed, decision) if decision != Decision::Allowed => Direction::Narrower,
            _ => Direction::Wider,
        };
        Change::of(kind, entry, direction, words::exclusion(kind, entry))
    }

    fn added(&self, entry: &EntryView) -> Option<Change> {
        if entry.text.starts_with('!') {
            return Some(Self::exclusion(Kind::Added, entry));
        }
        let change = |direction, meaning| Some(Change::of(Kind::Added, entry, direction, meaning));
        let already = self.old.covering(entry);
        let (direction, meaning) = match entry.decision {
            Decision::Allowed => match (self.old.demand(), self.new.demand()) {
                (_, None) => (Direction::Same, words::idle(entry, "without `network.deny_all` every host is allowed")),
                // Told by the list that is new.
                (None, _) => return None,
                _ if already.is_some() => (Direction::Same, words::still(entry, already)),
                _ => match self.new.forbidding(entry) {
                    Some(stronger) => (Direction::Same, words::overruled(entry, stronger)),
                    None => (Direction::Wider, words::added(entry)),
                },
            },
            _ if already.is_some() => (Direction::Same, words::still(entry, already)),
            Decision::Asked => match self.old.forbidding(entry) {
                Some(stronger) if self.new.has(stronger) => (Direction::Same, words::overruled(entry, stronger)),
                _ => (Direction::Narrower, words::added(entry)),
            },
            _ => (Direction::Narrower, words::added(entry)),
        };
        change(direction, meaning)
    }

    fn removed(&self, entry: &EntryView) -> Option<Change> {
        if entry.text.starts_with('!') {
            return Some(Self::exclusion(Kind::Removed, entry));
        }
        let change = |direction, meaning| Some(Change::of(Kind::Removed, entry, direction, meaning));
        let remaining = self.new.covering(entry);
        let (direction, meaning) = match entry.decision {
            Decision::Allowed => match (self.old.demand(), self.new.demand()) {
                (None, _) => (Direction::Same, words::idle(entry, "it allowed what was not refused")),
                (_, None) => return None,
                _ if remaining.is_some() => (Direction::Same, words::still(entry, remaining)),
                _ => match self.old.forbidding(entry) {
                    Some(stronger) => (Direction::Same, words::overruled(entry, stronger)),
                    None => (Direction::Narrower, words::removed(entry)),
                },
            },
            _ if remaining.is_some() => (Direction::Same, words::still(entry, remaining)),
            Decision::Asked if self.new.forbidding(entry).is_some() => (Direction::Same, words::denied_instead(entry)),
            _ => (Direction::Wider, words::removed(entry)),
        };
        change(direction, meaning)
    }
}

impl KindLists<'_> {
    fn has(&self, entry: &EntryView) -> bool {
        self.of(entry.decision).any(|own| {
            own.text == entry.text && own.subject == entry.subject && own.even_if_changed == entry.even_if_changed
        })
    }

    fn of(&self, decision: Decision) -> impl Iterator<Item = &EntryView> {
        self.entries.iter().copied().filter(move |entry| entry.decision == decision)
    }

    fn texts(&self, decision: Decision) -> Vec<&str> {
        self.of(decision).map(|entry| entry.text.as_str()).collect()
    }

    /// An entry that decides the same about everything that `entry` speaks of.
    fn covering(&self, entry: &EntryView) -> Option<&EntryView> {
        self.covered_by(entry.decision, entry)
    }

    /// A deny that leaves nothing of what `entry` speaks of.
    fn forbidding(&self, entry: &EntryView) -> Option<&EntryView> {
        self.covered_by(Decision::Denied, entry)
    }

    fn covered_by(&self, decision: Decision, entry: &EntryView) -> Option<&EntryView> {
        // Who takes something out of a list may take out any part of it.
        let whole = self.of(decision).all(|own| !own.text.starts_with('!'));
        self.of(decision).find(|own| whole && own.covers(entry))
    }

    /// The list that refuses what it does not name.
    fn demand(&self) -> Option<&'static str> {
        let network = self.entries.iter().any(|entry| entry.subject.name() == "network");
        match (self.deny_all.is_some(), network) {
            (true, _) => Some("deny_all"),
            (false, true) => None,
            (false, false) => self.of(Decision::Allowed).next().map(|_| "allow"),
        }
    }
}

impl Change {
    fn of(kind: Kind, entry: &EntryView, direction: Direction, meaning: String) -> Self {
        Self { kind, name: entry.name.clone(), text: entry.text.clone(), direction, meaning }
    }
}
