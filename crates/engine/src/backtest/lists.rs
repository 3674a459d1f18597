//! Lists of two policies, compared entry by entry.

use std::collections::{BTreeMap, BTreeSet};

use agent_strace_policy::{Decision, EntryView, Policy, Subject};

use super::change::{Change, Direction, Kind};
use super::words;

/// The entries of a policy, by the lists that judge together.
#[derive(Default)]
pub(super) struct Lists<'p> {
    pub(super) kinds: BTreeMap<Group, KindLists<'p>>,
}

/// A part of a policy that judges one kind of act.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Group {
    /// The floor that has the part. The lists of a base count as those of the policy itself.
    floor: Option<String>,
    /// `/files/read`, `/commands`, `/agents/main/network`.
    pub(super) scope: String,
}

impl Group {
    /// `/agents/main`; empty for the part that is for all agents.
    fn part(&self) -> &str {
        let selector = self.scope.strip_prefix("/agents/").and_then(|rest| rest.split('/').next());
        selector.map_or("", |selector| self.scope.split_at("/agents/".len() + selector.len()).0)
    }

    fn is_of(&self, floor: Option<&str>, part: &str) -> bool {
        self.floor.as_deref() == floor && self.part() == part
    }
}

/// The lists that judge one kind of act.
#[derive(Default)]
pub(super) struct KindLists<'p> {
    entries: Vec<&'p EntryView>,
    /// The entry that denies every host that is not listed.
    deny_all: Option<&'p EntryView>,
}

impl<'p> Lists<'p> {
    pub(super) fn new(policy: &'p Policy) -> Self {
        let extends = policy.identity().map_or(&[][..], |identity| &identity.extends);
        let floors: Vec<&str> = extends.iter().filter(|file| file.is_floor()).map(|file| file.path.as_str()).collect();
        let mut lists = Self::default();
        for entry in policy.entries().filter(|entry| entry.policy_rule.is_none()) {
            let floor = entry.location.file.as_deref().filter(|file| floors.contains(file)).map(str::to_owned);
            let pointer = entry.location.pointer.as_str();
            if let Some(scope) = pointer.strip_suffix("/deny_all") {
                lists.kinds.entry(Group { floor, scope: scope.to_owned() }).or_default().deny_all = Some(entry);
                continue;
            }
            // `/commands/deny/2`: the part, the list, the index in it.
            let scope = pointer.rsplitn(3, '/').nth(2).unwrap_or_default().to_owned();
            lists.kinds.entry(Group { floor, scope }).or_default().entries.push(entry);
        }
        lists
    }
}

/// The defaults and other lists in the part of the policy that a list belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ground {
    /// The decision about what no entry names.
    rest: Option<Decision>,
    weight: Weight,
    others: Others,
}

/// The weight of an act that can't be resolved: built in, or stated by the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    BuiltIn,
    Stated,
}

/// Lists of other kinds: one that refuses what it does not name also refuses acts that can't be resolved, and for those an
/// entry that allows a command or a tool may vouch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Others {
    Open,
    Demanding,
}

impl Ground {
    pub(super) fn new(policy: &Policy, lists: &Lists<'_>, group: &Group) -> Self {
        let (floor, part) = (group.floor.as_deref(), group.part());
        let is_main = floor.is_none() && part.is_empty();
        let forbids = |decision: &Decision| matches!(decision, Decision::Denied | Decision::Asked);
        let rest = policy.default_decision().filter(forbids).filter(|_| is_main);
        let of_tools = [policy.default_of_tools(), policy.default_of_unknown_tools()];
        let of_tools = of_tools.into_iter().flatten().find(|decision| *decision != Decision::Allowed);
        let demanding =
            lists.kinds.iter().any(|(other, kind)| other != group && other.is_of(floor, part) && kind.is_closed());
        let others = if demanding || rest.is_some() || of_tools.is_some() { Others::Demanding } else { Others::Open };
        let weight = if policy.weighs_unresolved() { Weight::Stated } else { Weight::BuiltIn };
        Self { rest, weight, others }
    }
}

/// One part in both policies.
pub(super) struct Pair<'c, 'p> {
    pub(super) scope: &'c str,
    pub(super) old: (&'c KindLists<'p>, Ground),
    pub(super) new: (&'c KindLists<'p>, Ground),
}

impl Pair<'_, '_> {
    pub(super) fn compare(&self, changes: &mut Vec<Change>) {
        self.compare_demand(changes);
        for entry in self.new.0.entries.iter().filter(|entry| !self.old.0.has(entry)) {
            changes.extend(self.added(entry));
        }
        for entry in self.old.0.entries.iter().filter(|entry| !self.new.0.has(entry)) {
            changes.extend(self.removed(entry));
        }
    }

    fn demands(&self) -> (Option<&'static str>, Option<&'static str>) {
        (self.old.0.demand(self.scope, self.old.1), self.new.0.demand(self.scope, self.new.1))
    }

    /// An allow list that comes or goes says more than its entries: it refuses what it does not name.
    fn compare_demand(&self, changes: &mut Vec<Change>) {
        let of_list = |kind, list, direction, meaning| {
            let name = words::dotted(&format!("{}/{list}", self.scope));
            Change { kind, name, text: String::new(), direction, meaning }
        };
        match self.demands() {
            (None, Some(demand)) => {
                let allowed = self.new.0.texts(Decision::Allowed);
                let (direction, meaning) = match self.limits() {
                    Direction::Narrower => (Direction::Narrower, words::limited(self.scope, &allowed)),
                    direction => (direction, words::limited_and_vouched(self.scope, &allowed)),
                };
                changes.push(of_list(Kind::Added, demand, direction, meaning));
                // Without the list every sensitive file is an error. With it one that an entry names is a warning.
                let is_of_files =
                    |entry: &EntryView| matches!(entry.subject, Subject::Read | Subject::Write | Subject::Delete);
                if self.new.0.of(Decision::Allowed).any(is_of_files) {
                    let meaning = words::sensitive(self.scope, &allowed);
                    changes.push(of_list(Kind::Added, demand, Direction::Unknown, meaning));
                }
            }
            (Some(demand), None) => {
                changes.push(of_list(Kind::Removed, demand, Direction::Wider, words::unlimited(self.scope)));
            }
            _ => {}
        }
    }

    /// Returns the direction of a change that adds an allow list.
    fn limits(&self) -> Direction {
        let vouches = |entry: &EntryView| matches!(entry.subject, Subject::Command | Subject::Tool);
        let is_vouching = self.new.0.of(Decision::Allowed).any(vouches);
        let Ground { weight, others, .. } = self.old.1;
        if weight == Weight::Stated || is_vouching && others == Others::Demanding {
            Direction::Unknown
        } else {
            Direction::Narrower
        }
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
        let already = self.old.0.covering(entry).or_else(|| self.narrower(entry));
        let (direction, meaning) = match entry.decision {
            Decision::Allowed => self.allowed(entry, already)?,
            _ if already.is_some() => (Direction::Same, words::still(entry, already)),
            Decision::Asked => match self.old.0.overruling(entry) {
                Some(stronger) if self.new.0.has(stronger) => (Direction::Same, words::overruled(entry, stronger)),
                _ => (Direction::Narrower, words::added(entry)),
            },
            _ => (Direction::Narrower, words::added(entry)),
        };
        Some(Change::of(Kind::Added, entry, direction, meaning))
    }

    /// An old entry that allows all that `entry` names, where the new list takes out of it what the old one did.
    fn narrower(&self, entry: &EntryView) -> Option<&EntryView> {
        let excluders = |lists: &KindLists<'_>| -> BTreeSet<String> {
            lists.texts(entry.decision).into_iter().filter(|text| text.starts_with('!')).map(str::to_owned).collect()
        };
        let is_kept = excluders(self.old.0).is_subset(&excluders(self.new.0));
        let is_allow = entry.decision == Decision::Allowed;
        self.old.0.of(entry.decision).find(|own| is_allow && is_kept && own.covers(entry))
    }

    /// `already`: an entry that said the same before. `None`: the list that is new says it.
    fn allowed(&self, entry: &EntryView, already: Option<&EntryView>) -> Option<(Direction, String)> {
        let said = match self.demands() {
            (_, None) => match self.new.1.weight {
                Weight::BuiltIn => {
                    (Direction::Same, words::idle(entry, "without `network.deny_all` every host is allowed"))
                }
                Weight::Stated => (Direction::Unknown, words::added(entry)),
            },
            (None, _) => return None,
            _ if already.is_some() => (Direction::Same, words::still(entry, already)),
            _ => match (self.new.0.overruling(entry), self.old.0.naming(entry)) {
                (Some(stronger), _) => (Direction::Same, words::overruled(entry, stronger)),
                (None, Some(shorter)) => (Direction::Unknown, words::vouches(entry, shorter)),
                (None, None) => (Direction::Wider, words::added(entry)),
            },
        };
        Some(said)
    }

    fn removed(&self, entry: &EntryView) -> Option<Change> {
        if entry.text.starts_with('!') {
            return Some(Self::exclusion(Kind::Removed, entry));
        }
        let remaining = self.new.0.covering(entry);
        let (direction, meaning) = match entry.decision {
            Decision::Allowed => match self.demands() {
                (None, _) => (Direction::Same, words::idle(entry, "it allowed what was not refused")),
                (_, None) => return None,
                _ if remaining.is_some() => (Direction::Same, words::still(entry, remaining)),
                _ => match (self.old.0.overruling(entry), self.new.0.naming(entry)) {
                    (Some(stronger), _) => (Direction::Same, words::overruled(entry, stronger)),
                    (None, Some(shorter)) => (Direction::Narrower, words::vouches_no_more(entry, shorter)),
                    (None, None) => (Direction::Narrower, words::removed(entry)),
                },
            },
            _ if remaining.is_some() => (Direction::Same, words::still(entry, remaining)),
            Decision::Asked if self.new.0.overruling(entry).is_some() => {
                (Direction::Same, words::denied_instead(entry))
            }
            _ => match self.new.0.naming(entry) {
                Some(shorter) => (Direction::Unknown, words::only_as_command(entry, shorter)),
                None => (Direction::Wider, words::removed(entry)),
            },
        };
        Some(Change::of(Kind::Removed, entry, direction, meaning))
    }
}

impl KindLists<'_> {
    fn has(&self, entry: &EntryView) -> bool {
        self.entries.iter().any(|own| {
            own.decision == entry.decision
                && own.text == entry.text
                && own.subject == entry.subject
                && own.even_if_changed == entry.even_if_changed
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
        self.whole(entry.decision).find(|own| own.covers(entry))
    }

    /// A shorter entry of the same list, which names all commands that `entry` names and may do less for them.
    fn naming(&self, entry: &EntryView) -> Option<&EntryView> {
        let is_shorter = |own: &&EntryView| own.text != entry.text && own.names_all_of(entry);
        self.whole(entry.decision).find(|own| entry.subject == Subject::Command && is_shorter(own))
    }

    /// A deny that leaves nothing of what `entry` speaks of.
    fn overruling(&self, entry: &EntryView) -> Option<&EntryView> {
        self.whole(Decision::Denied).find(|own| own.overrules(entry))
    }

    /// The entries of a list, if none of them takes out a part of another one.
    fn whole(&self, decision: Decision) -> impl Iterator<Item = &EntryView> {
        let may_exclude = |entry: &EntryView| entry.text.starts_with('!');
        let is_whole = !self.of(decision).any(may_exclude);
        self.of(decision).filter(move |_| is_whole)
    }

    /// An allow list, or `deny_all`, refuses what is not listed.
    fn is_closed(&self) -> bool {
        let is_network = self.entries.iter().any(|entry| entry.subject == Subject::Network);
        self.deny_all.is_some() || !is_network && self.of(Decision::Allowed).next().is_some()
    }

    /// Returns the list or default that refuses an act which no entry names.
    fn demand(&self, scope: &str, ground: Ground) -> Option<&'static str> {
        let has_own_default = scope.ends_with("/env") || scope.contains("/mcp/");
        match ground.rest {
            _ if self.deny_all.is_some() => Some("deny_all"),
            _ if self.is_closed() => Some("allow"),
            // Tools have defaults of their own, and one for those of no server.
            Some(_) if !has_own_default => Some("default"),
            _ => None,
        }
    }
}
