//! The one place in the repository that a finding is shown at.

use super::Checkout;
use super::view::{Report, ShownFinding};

/// Where a policy stands when there is none.
const DEFAULT_POLICY: &str = ".agent-scope.json";

/// A line of a file, named relative to the current directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Anchor {
    pub(super) path: String,
    /// 1-based.
    pub(super) line: u32,
}

impl Anchor {
    /// The policy line that was violated: it is always in the repository, and the same for every session. Otherwise the
    /// top of the policy. Never the log: its path names the session, so no alert would ever be found again.
    pub(super) fn of(report: &Report, finding: &ShownFinding) -> Self {
        let judged = finding.policy.as_ref().and_then(|place| Some((inside(report.file(place))?, place.line.max(1))));
        judged.map_or_else(|| Self::of_run(report), |(path, line)| Self { path, line })
    }

    /// Where something stands that is about no line: the top of the policy.
    pub(super) fn of_run(report: &Report) -> Self {
        let policy = report.policy.as_ref().map(|policy| policy.path.as_str()).and_then(inside);
        Self { path: policy.unwrap_or_else(|| DEFAULT_POLICY.to_owned()), line: 1 }
    }

    /// From the top of the repository.
    pub(super) fn path_from_top(&self, checkout: &Checkout<'_>) -> String {
        format!("{}{}", checkout.prefix, self.path)
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
