//! The one place in the repository that a finding is shown at.

use super::line_hash::line_hash;
use crate::report::Checkout;
use crate::report::escape::uri;
use crate::report::view::{Report, ShownFinding, ShownSession};

/// Where a policy stands when there is none.
const DEFAULT_POLICY: &str = ".agent-scope.json";

/// A line of a file, named relative to the current directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Anchor {
    pub(super) path: String,
    pub(super) line: u32,
}

impl Anchor {
    /// The policy line that was violated: it is always in the repository, and the same for every session. Otherwise
    /// the line of the log, where the log lies in the repository. Otherwise the top of the policy.
    pub(super) fn of(report: &Report, session: Option<&ShownSession>, finding: &ShownFinding) -> Self {
        if let Some(place) = &finding.policy
            && let Some(path) = inside(report.file(place))
        {
            return Self { path, line: place.line.max(1) };
        }
        if let Some(path) = session.and_then(|session| inside(session.source.as_str())) {
            return Self { path, line: finding.line.max(1) };
        }
        let policy = report.policy.as_ref().map(|policy| policy.path.as_str()).and_then(inside);
        Self { path: policy.unwrap_or_else(|| DEFAULT_POLICY.to_owned()), line: 1 }
    }

    pub(super) fn uri(&self, checkout: &Checkout<'_>) -> String {
        uri(&format!("{}{}", checkout.prefix, self.path))
    }

    pub(super) fn hash(&self, checkout: &Checkout<'_>) -> Option<String> {
        line_hash(&(checkout.read)(&self.path)?, self.line)
    }
}

/// `path` without `./`, when it stays below the current directory.
pub(super) fn inside(path: &str) -> Option<String> {
    if path.starts_with('/') || path.contains('\\') || path.contains(':') || path == "-" {
        return None;
    }
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}
