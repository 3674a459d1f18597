//! Effects that cannot be resolved: why, what they leave unproven, and how they are classed.

mod reason;

use std::fmt;
use std::hash::{Hash, Hasher};

use agent_strace_shell::{Provenance, Span};
use serde::Deserialize;

pub use reason::Reason;

/// Something happened that can't be resolved.
#[derive(Debug, Clone)]
pub struct Opaque {
    pub class: Class,
    pub reason: Reason,
    /// Which kind of effect is unproven.
    pub about: About,
    /// A policy that allows a command with at least these leading words vouches for it (`["npm", "test"]`): a build
    /// runner is opaque unless the policy names it. Empty: nothing vouches for it.
    pub vouched_by: Vec<String>,
    /// Other words that do so: of the program that a runner of packages or modules runs.
    pub or_by: Vec<String>,
    /// The directory it happens in, written as a path of an effect. `None`: the root, or no command did it.
    pub directory: Option<String>,
    /// The piece of the call's text that feeds its standard input: a redirection, or the earlier stages of a pipeline.
    pub input: Option<Span>,
}

impl Opaque {
    pub fn new(about: About, reason: Reason, vouched_by: Vec<String>) -> Self {
        let class = reason.class();
        let class = if about == About::Elsewhere { class.max(Class::Unknown) } else { class };
        Self { class, reason, about, vouched_by, or_by: Vec::new(), directory: None, input: None }
    }

    /// The leading words of which a policy has to allow so many.
    pub fn vouchers(&self) -> impl Iterator<Item = (&[String], usize)> {
        // An entry that allows the installer also allows the packages of its default registry.
        let is_package = matches!(self.reason, Reason::RunsPackage | Reason::FetchesPackage);
        let least = move |words: &[String]| if is_package { 1 } else { words.len() };
        let all = [self.vouched_by.as_slice(), self.or_by.as_slice()];
        all.into_iter().filter(|words| !words.is_empty()).map(move |words| (words, least(words)))
    }

    /// The origin of the code that ran, where that is a proven act, and the command that ran it.
    pub fn foreign_code(&self) -> Option<(Provenance, &str)> {
        match &self.reason {
            Reason::ForeignCode { provenance, command } => Some((*provenance, command)),
            _ => None,
        }
    }
}

/// The class explains an effect, as its origin does, and is no part of what makes two of them equal.
impl PartialEq for Opaque {
    fn eq(&self, other: &Self) -> bool {
        self.about == other.about
            && self.vouched_by == other.vouched_by
            && self.reason == other.reason
            && self.directory == other.directory
            && self.input == other.input
    }
}

impl Eq for Opaque {}

impl Hash for Opaque {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.reason, self.about, &self.vouched_by, &self.directory, self.input).hash(state);
    }
}

/// How much is known about the acts behind an opaque effect, from the most to the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Code of the repository or of an installed package runs: builds, tests, linters, scripts, packages. Neither the
    /// session nor the change altered it.
    Delegated,
    /// Files of another revision: checkout, rebase, pull, stash.
    State,
    /// Code of the repository runs that the session altered.
    Changed,
    /// A program, a tool or an option whose effects no table holds.
    Unknown,
    /// Nobody can see what runs: computed, decoded or downloaded code, text for an open shell, text that does not
    /// parse, more than the limits allow, or arguments that are missing.
    Hidden,
}

impl Class {
    /// Its name in the JSON contract.
    pub fn name(self) -> &'static str {
        match self {
            Self::Delegated => "delegated",
            Self::State => "state",
            Self::Changed => "changed",
            Self::Unknown => "unknown",
            Self::Hidden => "hidden",
        }
    }
}

/// What an opaque effect leaves unproven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum About {
    Anything,
    Reads,
    Writes,
    Commands,
    Network,
    /// Anything, by the project's own code: a known runner (`npm test`, `make`) ran what the repository says.
    Project,
    /// Anything, by code outside of the workspace or at a place that is not known.
    Elsewhere,
}

impl fmt::Display for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.about {
            About::Anything | About::Project | About::Elsewhere => "opaque: ",
            About::Reads => "opaque reads: ",
            About::Writes => "opaque writes: ",
            About::Commands => "opaque commands: ",
            About::Network => "opaque network: ",
        })?;
        self.reason.fmt(f)?;
        if !self.vouched_by.is_empty() {
            write!(f, " (vouched by `{}`)", self.vouched_by.join(" "))?;
        }
        Ok(())
    }
}
