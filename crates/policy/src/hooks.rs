//! Hook policies: what manifests of agent runtimes forbid beside the policy (`.claw-policy.json` and its kin).
//!
//! A runtime lets later manifests override earlier ones and passes over what it can't read. Here every manifest holds:
//! of limits the strictest counts, of the same ones that of the nearest manifest, and what is denied anywhere is denied.

use super::budgets::Limit;
use agent_strace_model::finding::PolicyLocation;

/// A tool, or the tools, that may not be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    pub form: Form,
    /// As written.
    pub text: String,
    lower: String,
    pub location: PolicyLocation,
}

/// What the text of an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Name,
    /// The start of one.
    Prefix,
}

impl Denied {
    pub fn new(form: Form, text: String, location: PolicyLocation) -> Self {
        Self { form, lower: text.to_lowercase(), text, location }
    }

    /// Whether it names a tool, whose name is in lower case: runtimes compare so, in every script.
    fn names(&self, tool: &str) -> bool {
        match self.form {
            Form::Name => tool == self.lower,
            Form::Prefix => tool.starts_with(&self.lower),
        }
    }
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    pub path: String,
    /// Lower-case hex digits.
    pub sha256: String,
}

/// What one or more manifests forbid.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookPolicy {
    /// The nearest first.
    pub manifests: Vec<Manifest>,
    /// In the order of the manifests.
    pub denied: Vec<Denied>,
    /// Each measure once, in the order in which runtimes check them.
    pub limits: Vec<Limit>,
}

impl HookPolicy {
    /// Adds what a manifest says that is farther away.
    pub fn add(&mut self, other: Self) {
        self.manifests.extend(other.manifests);
        self.denied.extend(other.denied);
        for limit in other.limits {
            match self.limits.iter_mut().find(|known| known.measure == limit.measure) {
                Some(known) if limit.most < known.most => *known = limit,
                Some(_) => {}
                None => self.limits.push(limit),
            }
        }
        self.limits.sort_by_key(|limit| limit.measure.check_rank());
    }

    /// The entry that forbids a tool: the first one, so that its manifest is named.
    pub fn denies(&self, tool: &str) -> Option<&Denied> {
        let tool = tool.to_lowercase();
        self.denied.iter().find(|denied| denied.names(&tool))
    }
}
