//! Permissions of settings files, gathered, and the policy that says them.

use std::collections::BTreeSet;

use agent_strace_policy::Policy;
use agent_strace_secrets::redact;
use serde_json::json;

use super::engine::{GrantEngine, Order, Split};
use super::file::Place;
use super::grant::{Entry, Grant, Kind, LeftOut, Matcher, Said, Unlisted, Weight};
use super::write::{self, Draft, Line, Section};
use crate::Engine;
use crate::answer::Answer;

/// Settings as they were understood: a policy, and what it does not say.
pub struct Imported {
    /// The policy, with a comment of where each entry comes from.
    pub text: String,
    /// The entries that the policy does not take over, in the order of the files.
    pub left_out: Vec<LeftOut>,
    /// The entries of the files that hold for the agent.
    pub(crate) grants: Vec<Grant>,
    /// Settings that nothing is compared with: where, what, and why.
    pub(crate) open: Vec<(Place, String, &'static str)>,
    pub(crate) engine: Engine,
}

/// Where a permission stands, and how strong it is.
pub(crate) struct Source<'s> {
    pub(crate) place: Place,
    pub(crate) entry: &'s str,
    pub(crate) rank: i64,
}

pub(crate) struct Builder {
    open: Vec<(Place, String, &'static str)>,
    grants: Vec<Grant>,
    left_out: Vec<LeftOut>,
    /// Commands that the agent runs without an entry.
    built_in: Vec<String>,
    /// Flags of them that need one.
    flags: Vec<(Entry, Answer)>,
    pub(crate) unlisted: Unlisted,
    /// Which entry decides where several match.
    pub(crate) order: Order,
}

/// Nothing of a policy is this long.
const LONGEST: usize = 1_000;

impl Builder {
    pub(crate) fn new(unlisted: Unlisted) -> Self {
        Self {
            open: Vec::new(),
            grants: Vec::new(),
            left_out: Vec::new(),
            built_in: Vec::new(),
            flags: Vec::new(),
            unlisted,
            order: Order::Strictest,
        }
    }

    /// An entry, where its pattern can be read.
    pub(crate) fn add(&mut self, decision: Answer, kind: Kind, pattern: Option<(Matcher, Said)>, source: &Source<'_>) {
        let Source { place, entry, rank } = source;
        let Some((matcher, said)) = pattern else {
            return self.unsaid(decision, place.clone(), entry, "the pattern can't be read");
        };
        let (place, entry) = (place.clone(), (*entry).to_owned());
        self.grants.push(Grant { decision, kind, matcher, said, place, entry, rank: *rank });
    }

    /// The first entry of the kind that decides so.
    pub(crate) fn first(&self, kind: Kind, decision: Answer) -> Option<(Place, String)> {
        let found = self.grants.iter().find(|grant| grant.kind == kind && grant.decision == decision)?;
        Some((found.place.clone(), found.entry.clone()))
    }

    /// Settings that let more pass in some sessions, and that are not compared with anything.
    pub(crate) fn open(&mut self, place: Place, entry: &str, reason: &'static str) {
        self.open.push((place.clone(), entry.to_owned(), reason));
        self.left_out(place, entry, Weight::Narrower, reason);
    }

    /// The emulator of an agent whose entries are all here.
    pub(crate) fn engine(&self, split: Split) -> GrantEngine {
        GrantEngine {
            grants: self.grants.clone(),
            order: self.order,
            split,
            unlisted: self.unlisted,
            reading: self.built_in.clone(),
        }
    }

    pub(crate) fn built_in(&mut self, words: &str) {
        self.built_in.push(words.to_owned());
    }

    /// Flags with which a program does not run without an entry.
    pub(crate) fn built_in_flags(&mut self, program: &str, flags: Vec<String>, decision: Answer) {
        self.flags.push((Entry::Flags { program: program.to_owned(), flags }, decision));
    }

    pub(crate) fn left_out(&mut self, place: Place, entry: &str, weight: Weight, reason: &'static str) {
        self.left_out.push(LeftOut { place, entry: entry.to_owned(), weight, reason });
    }

    /// An entry that a policy can't say: it matters most where it forbids.
    pub(crate) fn unsaid(&mut self, decision: Answer, place: Place, entry: &str, reason: &'static str) {
        let weight = if decision == Answer::Allow { Weight::Narrower } else { Weight::Missing };
        self.left_out(place, entry, weight, reason);
    }

    pub(crate) fn unknown(&mut self, place: Place, key: &str) {
        self.left_out(place, key, Weight::Unknown, "this key looks like a permission and is not known");
    }

    pub(crate) fn finish(mut self, engine: Engine) -> Imported {
        let mut draft = Draft::default();
        let settled = self.settled();
        for grant in &settled {
            self.say(grant, &mut draft);
        }
        self.defaults(&settled, &mut draft);
        let text = write::policy(&draft);
        let text = match hosts_of_commands(&text, &draft) {
            hosts if hosts.is_empty() => text,
            hosts => {
                for host in hosts {
                    let line = Line::new(host, "reached by a command that may run");
                    draft.add(Section::Network, Answer::Allow, line);
                }
                write::policy(&draft)
            }
        };
        self.left_out.sort_by(|one, other| one.place.cmp(&other.place).then_with(|| one.entry.cmp(&other.entry)));
        self.left_out.dedup();
        Imported { text, left_out: self.left_out, grants: self.grants, open: self.open, engine }
    }

    /// The entries, without those that a list of a policy says anyway: what it does not hold is refused.
    fn settled(&mut self) -> Vec<Grant> {
        let all = std::mem::take(&mut self.grants);
        let grants = if self.order == Order::Rank { self.without_rests(&all) } else { all.clone() };
        let mut kept = Vec::with_capacity(grants.len());
        for grant in &grants {
            match self.overruled(grant, &grants) {
                Overruled::No => kept.push(grant.clone()),
                Overruled::ByAll => {
                    let reason = "a later entry lets it pass in the agent: the policy still refuses it";
                    self.left_out(grant.place.clone(), &grant.entry, Weight::Narrower, reason);
                    kept.push(grant.clone());
                }
                Overruled::InPart => {
                    let reason = "a later entry allows a part of it: the policy allows that part and lists no other";
                    self.left_out(grant.place.clone(), &grant.entry, Weight::Narrower, reason);
                }
            }
        }
        self.grants = all;
        kept
    }

    /// Where entries have ranks, the strongest one that names everything is what holds where no stronger one speaks.
    fn without_rests(&mut self, all: &[Grant]) -> Vec<Grant> {
        let names_all = |grant: &Grant| matches!(grant.matcher, Matcher::Any);
        let mut kept = Vec::with_capacity(all.len());
        for grant in all {
            let rests = all.iter().filter(|other| other.kind == grant.kind && names_all(other));
            let Some(rest) = rests.max_by_key(|other| (other.rank, other.decision)) else {
                kept.push(grant.clone());
                continue;
            };
            self.set_unlisted(rest.kind, rest.decision);
            let idle = rest.rank > grant.rank && grant.decision == Answer::Allow && rest.decision > Answer::Allow;
            if idle {
                let reason = "a stronger entry decides about everything that it names";
                self.left_out(grant.place.clone(), &grant.entry, Weight::Idle, reason);
            } else if !names_all(grant) {
                kept.push(grant.clone());
                if rest.rank > grant.rank && rest.decision < grant.decision {
                    let reason = "a stronger entry lets it pass in the agent: the policy still refuses it";
                    self.left_out(grant.place.clone(), &grant.entry, Weight::Narrower, reason);
                }
            }
        }
        kept
    }

    fn set_unlisted(&mut self, kind: Kind, decision: Answer) {
        let unlisted = &mut self.unlisted;
        let field = match kind {
            Kind::Command => &mut unlisted.command,
            Kind::Read => &mut unlisted.read,
            Kind::Edit => &mut unlisted.edit,
            Kind::Fetch => &mut unlisted.fetch,
            Kind::WebSearch => &mut unlisted.search,
            Kind::Mcp => &mut unlisted.mcp,
            Kind::Agent => &mut unlisted.agent,
        };
        *field = decision;
    }

    fn overruled(&self, grant: &Grant, all: &[Grant]) -> Overruled {
        if grant.decision == Answer::Allow {
            return Overruled::No;
        }
        let stronger = || {
            all.iter()
                .filter(|other| other.kind == grant.kind && other.decision == Answer::Allow && other.rank > grant.rank)
        };
        if stronger().any(|other| matches!(other.matcher, Matcher::Any) || covers(other, grant)) {
            return Overruled::ByAll;
        }
        // Where everything else is allowed, no list refuses what this entry names.
        let open = self.allows_unlisted(grant.kind)
            || all.iter().any(|other| {
                other.kind == grant.kind && other.decision == Answer::Allow && matches!(other.matcher, Matcher::Any)
            });
        let in_part = stronger().any(|other| matches!(grant.matcher, Matcher::Any) || covers(grant, other));
        if in_part && !open { Overruled::InPart } else { Overruled::No }
    }

    fn allows_unlisted(&self, kind: Kind) -> bool {
        self.unlisted_of(kind) == Answer::Allow
    }

    fn unlisted_of(&self, kind: Kind) -> Answer {
        let unlisted = &self.unlisted;
        match kind {
            Kind::Command => unlisted.command,
            Kind::Read => unlisted.read,
            Kind::Edit => unlisted.edit,
            Kind::Fetch => unlisted.fetch,
            Kind::WebSearch => unlisted.search,
            Kind::Mcp => unlisted.mcp,
            Kind::Agent => unlisted.agent,
        }
    }

    fn say(&mut self, grant: &Grant, draft: &mut Draft) {
        let entries =
            if grant.decision == Answer::Allow { Some(&grant.said.narrower) } else { grant.said.wider.as_ref() };
        let place = grant.place.clone();
        let Some(entries) = entries else {
            let reason = grant.said.lacks.unwrap_or("a policy can't say this pattern");
            return self.unsaid(grant.decision, place, &grant.entry, reason);
        };
        if let Some(reason) = grant.said.lacks.filter(|_| grant.decision == Answer::Allow) {
            self.left_out(place.clone(), &grant.entry, Weight::Narrower, reason);
        }
        let from = format!("{place}: {}", agent_strace_policy::quoted(&grant.entry));
        for entry in entries {
            if let Err(reason) = draft.entry(grant.kind, grant.decision, entry, &from) {
                self.unsaid(grant.decision, place.clone(), &grant.entry, reason);
            }
        }
    }

    /// The answers where no entry of the files speaks.
    fn defaults(&mut self, grants: &[Grant], draft: &mut Draft) {
        let kinds = [Kind::Command, Kind::Read, Kind::Edit, Kind::Fetch, Kind::WebSearch, Kind::Mcp, Kind::Agent];
        let refuses = self.unlisted.command == Answer::Deny && self.unlisted.fetch == Answer::Deny;
        draft.decision = if refuses { Answer::Deny } else { Answer::Ask };
        let built_in = std::mem::take(&mut self.built_in);
        for words in built_in.into_iter().filter(|_| self.unlisted.command != Answer::Deny || self.order != Order::Rank)
        {
            draft.add(Section::Commands, Answer::Allow, Line::new(words, "runs without an entry"));
        }
        for (entry, decision) in std::mem::take(&mut self.flags) {
            // Programs and flags that this crate names are words that a policy takes.
            let _ = draft.entry(Kind::Command, decision, &entry, "needs an entry of its own");
        }
        for kind in kinds {
            let decided = grants.iter().any(|grant| grant.kind == kind && matches!(grant.matcher, Matcher::Any));
            if kind == Kind::Mcp {
                draft.mcp = self.unlisted.mcp;
            } else if !decided {
                self.rest(kind, grants, draft);
            }
        }
    }

    fn rest(&self, kind: Kind, grants: &[Grant], draft: &mut Draft) {
        let unlisted = self.unlisted_of(kind);
        let has_list = grants.iter().any(|grant| grant.kind == kind && grant.decision == Answer::Allow);
        let everywhere = self.unlisted.outside == Answer::Allow;
        let all = match kind {
            Kind::Read | Kind::Edit if everywhere || unlisted == Answer::Deny => "**",
            Kind::Read | Kind::Edit => "/**",
            _ => "*",
        };
        let from = match unlisted {
            Answer::Allow => "allowed where no entry says otherwise",
            Answer::Ask => return,
            // A search by the provider of the model is a tool, for which `mcp.default` holds.
            Answer::Deny if has_list || draft.decision == Answer::Deny && kind != Kind::WebSearch => return,
            Answer::Deny => "refused where no entry says otherwise",
        };
        // Every text here is one that a policy takes.
        let _ = draft.entry(kind, unlisted, &Entry::Listed(all.to_owned()), from);
    }
}

enum Overruled {
    No,
    /// Everything that it names passes.
    ByAll,
    /// Some of it passes.
    InPart,
}

/// Returns true if the policy's words of one entry name everything that the other's do.
fn covers(wide: &Grant, narrow: &Grant) -> bool {
    let texts = |entries: &[Entry]| -> Vec<String> {
        entries
            .iter()
            .map(|entry| match entry {
                Entry::Listed(text) => text.clone(),
                Entry::Exact(words) => words.join(" "),
                Entry::With { first, .. } => first.join(" "),
                Entry::Flags { program, .. } => format!("{program} with flags"),
                Entry::Tool { server, tool } => format!("{server}/{tool}"),
            })
            .collect()
    };
    let (Some(wide_texts), narrow_texts) = (&wide.said.wider, texts(&narrow.said.narrower)) else { return false };
    let wide_texts = texts(wide_texts);
    if narrow_texts.is_empty() {
        return false;
    }
    narrow_texts.iter().all(|narrow| wide_texts.iter().any(|wide_text| wide.kind.covers(wide_text, narrow)))
}

/// Registries and remotes that commands which may run reach by themselves, and that the policy would refuse.
fn hosts_of_commands(text: &str, draft: &Draft) -> Vec<String> {
    let Ok(policy) = Policy::from_bytes("imported", None, text.as_bytes()) else { return Vec::new() };
    let mut hosts = BTreeSet::new();
    for command in draft.allowed_commands() {
        for host in crate::exported_policy::refused_hosts(&policy, command) {
            hosts.insert(host);
        }
    }
    hosts.into_iter().filter(|host| host.starts_with("registry:") || host.starts_with("remote:")).collect()
}

/// Returns true if a policy takes the entry, which is then alone in its list.
pub(super) fn is_taken(list: &[&str], entry: &serde_json::Value) -> bool {
    let text = entry.to_string();
    if text.len() > LONGEST || redact(&text).as_str() != text {
        return false;
    }
    let mut value = json!([entry]);
    for key in list.iter().rev() {
        value = json!({ *key: value });
    }
    if let Some(members) = value.as_object_mut() {
        members.insert("version".to_owned(), json!(2));
        members.insert("defaults".to_owned(), json!({ "decision": "ask" }));
    }
    Policy::from_bytes("entry", None, value.to_string().as_bytes()).is_ok()
}
