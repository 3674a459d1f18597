//! What a policy states, before it is compiled.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Decision;
use crate::budgets::Budgets;
use crate::command::CommandPattern;
use crate::env::{Environment, Variable};
use crate::evidence::EvidenceRules;
use crate::host::HostPattern;
use crate::inline_tests::InlineTest;
use crate::name::NamePattern;
use crate::path::PathSet;
use crate::sequences::Sequence;
use crate::sessions::Conditions;
use crate::waivers::{Names, Waiver};
use agent_strace_effects::Class;
use agent_strace_effects::knowledge::Knowledge;
use agent_strace_model::finding::{Level, PolicyLocation, PolicyRule};

use super::{Extension, Part};

/// What stands in the policy: where, under which name, and how much it weighs.
#[derive(Debug, Clone)]
pub(crate) struct Stated {
    pub location: PolicyLocation,
    pub policy_rule: Option<Arc<PolicyRule>>,
    /// Of a finding, where it forbids.
    pub level: Level,
}

impl Stated {
    /// An entry of a list: no name of its own, and an error.
    pub(crate) fn entry(location: PolicyLocation) -> Self {
        Self { location, policy_rule: None, level: Level::Error }
    }

    /// What it forbids is an error.
    pub(crate) fn is_firm(&self) -> bool {
        self.level == Level::Error
    }

    /// Where it stands among those that say the same: the strictest first, and of equals the one that says why.
    pub(crate) fn rank(&self) -> (std::cmp::Reverse<Level>, bool) {
        (std::cmp::Reverse(self.level), self.policy_rule.is_none())
    }
}

/// One entry of a list. `P`: what it is a pattern of.
#[derive(Debug, Clone)]
pub(crate) struct Entry<P> {
    /// As written, without blanks at its ends.
    pub text: String,
    pub pattern: P,
    pub stated: Stated,
    /// The built-in list that the policy names there: the entry is one of its members.
    pub builtin: Option<&'static str>,
}

/// A list that stands in the file, possibly empty.
#[derive(Debug, Clone)]
pub(crate) struct List<P> {
    pub entries: Vec<Entry<P>>,
    pub location: PolicyLocation,
}

#[derive(Debug, Clone)]
pub(crate) struct Lists<P> {
    pub allow: Option<List<P>>,
    pub deny: Option<List<P>>,
    pub ask: Option<List<P>>,
}

impl<P> Default for Lists<P> {
    fn default() -> Self {
        Self { allow: None, deny: None, ask: None }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Network {
    pub deny_all: Option<PolicyLocation>,
    /// `deny_all` stands there, `true` or `false`.
    pub(crate) states_deny_all: bool,
    pub lists: Lists<HostPattern>,
    pub location: PolicyLocation,
}

/// What tools of MCP servers may be used.
#[derive(Debug, Clone)]
pub(crate) struct Mcp {
    /// Of servers and tools that no list speaks of.
    pub default: Option<(Decision, PolicyLocation)>,
    pub servers: Vec<Server>,
}

#[derive(Debug, Clone)]
pub(crate) struct Server {
    /// The name as it is written.
    pub title: String,
    pub name: NamePattern,
    pub lists: Lists<NamePattern>,
}

/// A rule with a name of its own.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub stated: Stated,
    /// Denied, asked or allowed.
    pub effect: Decision,
    pub matches: Matches,
    /// What it matches, in short.
    pub text: String,
}

/// What a rule is about.
#[derive(Debug, Clone)]
pub(crate) enum Matches {
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
pub(crate) struct Defaults {
    /// Of what no list has an entry for; never [`Decision::Unresolved`].
    pub decision: Option<(Decision, PolicyLocation)>,
    /// How much it weighs that something could not be resolved.
    pub unresolved: Option<(Level, PolicyLocation)>,
    /// Reads the level of one class of acts.
    pub unresolved_classes: BTreeMap<Class, (Level, PolicyLocation)>,
    /// Of a tool of no server that nobody knows.
    pub(crate) unknown_tool: Option<(Decision, PolicyLocation)>,
}

impl Defaults {
    /// Returns the level that the policy sets for unresolved acts of this class. Only an entry for `hidden` lowers hidden acts.
    pub(crate) fn of_class(&self, class: Class) -> Option<Level> {
        let own = self.unresolved_classes.get(&class).map(|(level, _)| *level);
        let all = self.unresolved.as_ref().map(|(level, _)| *level);
        own.or(all.filter(|level| class != Class::Hidden || *level == Level::Error))
    }

    /// The policy says something about what could not be resolved.
    pub(crate) fn weighs_unresolved(&self) -> bool {
        self.unresolved.is_some() || !self.unresolved_classes.is_empty()
    }
}

/// The lists that judge, wherever they stand: at the root of a policy or in a part of it for some agents.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rulebook {
    pub defaults: Defaults,
    pub read: Lists<PathSet>,
    pub write: Lists<PathSet>,
    /// `None`: what is deleted is judged as if it were written.
    pub delete: Option<Lists<PathSet>>,
    pub commands: Lists<CommandPattern>,
    pub network: Option<Network>,
    pub env: Environment,
    pub mcp: Option<Mcp>,
    pub rules: Vec<Rule>,
}

/// A whole policy file.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub version: Version,
    pub extends: Vec<Extension>,
    /// Where `programs` stands in the file.
    pub(crate) programs_span: Option<std::ops::Range<usize>>,
    pub(crate) rulebook: Rulebook,
    pub programs: Arc<Knowledge>,
    pub evidence: EvidenceRules,
    pub sessions: Conditions,
    pub budgets: Budgets,
    pub tests: Vec<InlineTest>,
    /// How many examples its rules have.
    pub examples: usize,
    pub sequences: Vec<Sequence>,
    /// Parts that are for some agents only.
    pub agents: Vec<Part>,
    pub waivers: Vec<Waiver>,
    /// What exceptions and suppressions can be from.
    pub names: Names,
    /// Label → its patterns as they are written.
    pub labels: BTreeMap<String, Vec<String>>,
}

/// Which version of the language a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Version {
    #[default]
    One,
    Two,
}

impl Version {
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}
