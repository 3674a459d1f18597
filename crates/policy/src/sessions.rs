//! Which sessions may be at all: the key `sessions`, over what a log says about who ran it, where and how.
//!
//! A deny matches if any recorded value does, in any case and spelling. An allow list wants every recorded value to be
//! one of its own, exactly; a session that does not record the field proves nothing and is not allowed.

use agent_strace_model::finding::PolicyLocation;

use super::fold::fold;
use super::glob::Glob;
use super::parse::{Entry, List};

/// What conditions can be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    Agent,
    Branch,
    Commit,
    Cwd,
    Entrypoint,
    Host,
    Model,
    PermissionMode,
    Repository,
    Sandbox,
    User,
    Version,
}

impl Field {
    pub const ALL: &[Self] = &[
        Self::Agent,
        Self::Branch,
        Self::Commit,
        Self::Cwd,
        Self::Entrypoint,
        Self::Host,
        Self::Model,
        Self::PermissionMode,
        Self::Repository,
        Self::Sandbox,
        Self::User,
        Self::Version,
    ];

    /// As a key of the policy.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Branch => "branch",
            Self::Commit => "commit",
            Self::Cwd => "cwd",
            Self::Entrypoint => "entrypoint",
            Self::Host => "host",
            Self::Model => "model",
            Self::PermissionMode => "permission_mode",
            Self::Repository => "repository",
            Self::Sandbox => "sandbox",
            Self::User => "user",
            Self::Version => "version",
        }
    }
}

/// One pattern over values.
#[derive(Debug)]
struct Pattern {
    glob: Glob,
    /// Of a deny: the same for values of another spelling.
    folded: Option<Glob>,
    location: PolicyLocation,
}

impl Pattern {
    fn exact(entry: &Entry<()>) -> Self {
        Self { glob: Glob::fnmatch(&entry.text), folded: None, location: entry.stated.location.clone() }
    }

    fn generous(entry: &Entry<()>) -> Self {
        // Folding shortens home directories, in which a pattern may have a `*`: so values count as they are, too.
        let glob = Glob::fnmatch(&entry.text.to_lowercase());
        Self { glob, folded: Some(Glob::fnmatch(&fold(&entry.text))), location: entry.stated.location.clone() }
    }

    fn matches(&self, value: &str) -> bool {
        match &self.folded {
            None => self.glob.matches(value),
            Some(folded) => self.glob.matches(&value.to_lowercase()) || folded.matches(&fold(value)),
        }
    }
}

/// What one list demands of one field.
#[derive(Debug)]
struct Demand {
    field: Field,
    patterns: Vec<Pattern>,
    location: PolicyLocation,
}

/// Conditions on sessions, in the order of the file.
#[derive(Debug, Default)]
pub struct Conditions {
    allow: Vec<Demand>,
    deny: Vec<Demand>,
}

/// A condition that a session does not meet.
#[derive(Debug, PartialEq, Eq)]
pub struct Breach<'a> {
    pub field: Field,
    /// The recorded value; `None` where none is recorded.
    pub value: Option<&'a str>,
    pub fault: Fault,
    pub location: &'a PolicyLocation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    Denied,
    NotAllowed,
    NotRecorded,
}

impl Conditions {
    pub(super) fn allow(&mut self, field: Field, list: &List<()>) {
        self.allow.push(demand(field, list, Pattern::exact));
    }

    pub(super) fn deny(&mut self, field: Field, list: &List<()>) {
        self.deny.push(demand(field, list, Pattern::generous));
    }

    /// Takes over the demands of a base on fields of which this one says nothing.
    pub(super) fn inherit(&mut self, base: Self) {
        for (own, base) in [(&mut self.allow, base.allow), (&mut self.deny, base.deny)] {
            let stated: Vec<Field> = own.iter().map(|demand| demand.field).collect();
            own.extend(base.into_iter().filter(|demand| !stated.contains(&demand.field)));
        }
    }

    /// Every demand of the other one holds, too.
    pub(super) fn narrow(&mut self, floor: Self) {
        self.allow.extend(floor.allow);
        self.deny.extend(floor.deny);
    }

    /// Everything that stands against a session; `values` tells what its log records of a field.
    pub fn breaches<'a>(&'a self, values: impl Fn(Field) -> Vec<&'a str>) -> Vec<Breach<'a>> {
        let mut breaches = Vec::new();
        for demand in &self.deny {
            for value in values(demand.field) {
                if let Some(pattern) = demand.patterns.iter().find(|pattern| pattern.matches(value)) {
                    let location = &pattern.location;
                    breaches.push(Breach { field: demand.field, value: Some(value), fault: Fault::Denied, location });
                }
            }
        }
        for demand in &self.allow {
            let (field, location) = (demand.field, &demand.location);
            let recorded = values(field);
            if recorded.is_empty() {
                breaches.push(Breach { field, value: None, fault: Fault::NotRecorded, location });
            }
            for value in recorded {
                if !demand.patterns.iter().any(|pattern| pattern.matches(value)) {
                    breaches.push(Breach { field, value: Some(value), fault: Fault::NotAllowed, location });
                }
            }
        }
        breaches
    }
}

fn demand(field: Field, list: &List<()>, pattern: fn(&Entry<()>) -> Pattern) -> Demand {
    Demand { field, patterns: list.entries.iter().map(pattern).collect(), location: list.location.clone() }
}
