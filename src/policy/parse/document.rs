//! What a policy states, before it is compiled.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::effects::knowledge::Knowledge;
use crate::finding::{Level, Named, PolicyPlace};
use crate::policy::Decision;
use crate::policy::budgets::Budgets;
use crate::policy::command::CommandPattern;
use crate::policy::env::{Environment, Variable};
use crate::policy::evidence::EvidenceRules;
use crate::policy::host::HostPattern;
use crate::policy::inline_tests::InlineTest;
use crate::policy::name::NamePattern;
use crate::policy::path::PathSet;
use crate::policy::sequences::Sequence;
use crate::policy::sessions::Conditions;
use crate::policy::waivers::{Names, Waiver};

use super::{Extension, Part};

/// What stands in the policy: where, under which name, and how much it weighs.
#[derive(Debug, Clone)]
pub(in crate::policy) struct Stated {
    pub(in crate::policy) place: PolicyPlace,
    pub(in crate::policy) named: Option<Arc<Named>>,
    /// Of a finding, where it forbids.
    pub(in crate::policy) level: Level,
}

impl Stated {
    /// An entry of a list: no name of its own, and an error.
    pub(in crate::policy) fn entry(place: PolicyPlace) -> Self {
        Self { place, named: None, level: Level::Error }
    }

    /// What it forbids is an error.
    pub(in crate::policy) fn is_firm(&self) -> bool {
        self.level == Level::Error
    }

    /// Where it stands among those that say the same: the strictest first, and of equals the one that says why.
    pub(in crate::policy) fn rank(&self) -> (std::cmp::Reverse<Level>, bool) {
        (std::cmp::Reverse(self.level), self.named.is_none())
    }
}

/// One entry of a list. `P`: what it is a pattern of.
#[derive(Debug, Clone)]
pub(in crate::policy) struct Entry<P> {
    /// As written, without blanks at its ends.
    pub(in crate::policy) text: String,
    pub(in crate::policy) pattern: P,
    pub(in crate::policy) stated: Stated,
}

/// A list that stands in the file, possibly empty.
#[derive(Debug, Clone)]
pub(in crate::policy) struct List<P> {
    pub(in crate::policy) entries: Vec<Entry<P>>,
    pub(in crate::policy) place: PolicyPlace,
}

#[derive(Debug, Clone)]
pub(in crate::policy) struct Lists<P> {
    pub(in crate::policy) allow: Option<List<P>>,
    pub(in crate::policy) deny: Option<List<P>>,
    pub(in crate::policy) ask: Option<List<P>>,
}

impl<P> Default for Lists<P> {
    fn default() -> Self {
        Self { allow: None, deny: None, ask: None }
    }
}

#[derive(Debug, Clone)]
pub(in crate::policy) struct Network {
    pub(in crate::policy) deny_all: Option<PolicyPlace>,
    /// `deny_all` stands there, `true` or `false`.
    pub(in crate::policy) states_deny_all: bool,
    pub(in crate::policy) lists: Lists<HostPattern>,
    pub(in crate::policy) place: PolicyPlace,
}

/// What tools of MCP servers may be used.
#[derive(Debug, Clone)]
pub(in crate::policy) struct Mcp {
    /// Of servers and tools that no list speaks of.
    pub(in crate::policy) default: Option<(Decision, PolicyPlace)>,
    pub(in crate::policy) servers: Vec<Server>,
}

#[derive(Debug, Clone)]
pub(in crate::policy) struct Server {
    /// The name as it is written.
    pub(in crate::policy) title: String,
    pub(in crate::policy) name: NamePattern,
    pub(in crate::policy) lists: Lists<NamePattern>,
}

/// A rule with a name of its own.
#[derive(Debug, Clone)]
pub(in crate::policy) struct Rule {
    pub(in crate::policy) stated: Stated,
    /// Denied, asked or allowed.
    pub(in crate::policy) effect: Decision,
    pub(in crate::policy) matches: Matches,
    /// What it matches, in short.
    pub(in crate::policy) text: String,
}

/// What a rule is about.
#[derive(Debug, Clone)]
pub(in crate::policy) enum Matches {
    Exec(CommandPattern),
    Read(PathSet),
    Write(PathSet),
    Delete(PathSet),
    List(PathSet),
    Net(Vec<HostPattern>),
    Mcp { server: Box<NamePattern>, tools: Vec<NamePattern> },
    Spawn(Vec<NamePattern>),
    Env(Vec<Variable>),
}

/// What holds where no list speaks.
#[derive(Debug, Clone, Default)]
pub(in crate::policy) struct Defaults {
    /// Of what no list has an entry for; never [`Decision::Unresolved`].
    pub(in crate::policy) decision: Option<(Decision, PolicyPlace)>,
    /// How much it weighs that something could not be resolved.
    pub(in crate::policy) unresolved: Option<(Level, PolicyPlace)>,
    /// Of a tool of no server that nobody knows.
    pub(in crate::policy) unknown_tool: Option<(Decision, PolicyPlace)>,
}

/// The lists that judge, wherever they stand: at the root of a policy or in a part of it for some agents.
#[derive(Debug, Clone, Default)]
pub(in crate::policy) struct Rulebook {
    pub(in crate::policy) defaults: Defaults,
    pub(in crate::policy) read: Lists<PathSet>,
    pub(in crate::policy) write: Lists<PathSet>,
    /// `None`: what is deleted is judged as if it were written.
    pub(in crate::policy) delete: Option<Lists<PathSet>>,
    pub(in crate::policy) commands: Lists<CommandPattern>,
    pub(in crate::policy) network: Option<Network>,
    pub(in crate::policy) env: Environment,
    pub(in crate::policy) mcp: Option<Mcp>,
    pub(in crate::policy) rules: Vec<Rule>,
}

/// A whole policy file.
#[derive(Debug, Default)]
pub(in crate::policy) struct Document {
    pub(in crate::policy) version: Version,
    pub(in crate::policy) extends: Vec<Extension>,
    /// Where `programs` stands in the file.
    pub(in crate::policy) programs_span: Option<std::ops::Range<usize>>,
    pub(in crate::policy) rulebook: Rulebook,
    pub(in crate::policy) programs: Arc<Knowledge>,
    pub(in crate::policy) evidence: EvidenceRules,
    pub(in crate::policy) sessions: Conditions,
    pub(in crate::policy) budgets: Budgets,
    pub(in crate::policy) tests: Vec<InlineTest>,
    /// How many examples its rules have.
    pub(in crate::policy) examples: usize,
    pub(in crate::policy) sequences: Vec<Sequence>,
    /// Parts that are for some agents only.
    pub(in crate::policy) agents: Vec<Part>,
    pub(in crate::policy) waivers: Vec<Waiver>,
    /// What exceptions and suppressions can be from.
    pub(in crate::policy) names: Names,
    /// Label → its patterns as they are written.
    pub(in crate::policy) labels: BTreeMap<String, Vec<String>>,
}

/// Which version of the language a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::policy) enum Version {
    #[default]
    One,
    Two,
}

impl Version {
    pub(in crate::policy) fn number(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }

    /// Of the keys that an object may have in each version, those of this one.
    pub(super) fn keys(self, one: &'static [&'static str], two: &'static [&'static str]) -> &'static [&'static str] {
        match self {
            Self::One => one,
            Self::Two => two,
        }
    }
}
