//! The one location in the repository that a finding is shown at.

use super::Checkout;
use super::change::ShownChange;
use super::view::{Report, ShownFinding, ShownSession};
use agent_strace_git::change_set::from_top;

/// Where a policy stands when there is none.
const DEFAULT_POLICY: &str = ".agent-scope.json";

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Anchor {
    /// From the top of the repository.
    pub(super) path: String,
    /// 1-based.
    pub(super) line: u32,
}

impl Anchor {
    /// Of a change: the line that was changed, else the line of the log, where the log comes with a pull request. Reviewers
    /// are shown nothing that stands elsewhere. Otherwise the policy line that was violated: it is always in the repository,
    /// and the same for every session. Otherwise the top of the policy. Never a log that is not part of a pull request: its
    /// path names the session, so no alert would ever be found again.
    pub(super) fn of(
        report: &Report,
        session: Option<&ShownSession>,
        finding: &ShownFinding,
        checkout: &Checkout,
    ) -> Self {
        if let Some(change) = &report.change {
            let logged = || in_log(change, report, session?, finding, checkout);
            if let Some(anchor) = in_change(change, finding).or_else(logged) {
                return anchor;
            }
        }
        let judged = finding.policy.as_ref().and_then(|location| {
            Some(Self { path: from_top(&checkout.prefix, report.file(location))?, line: location.line.max(1) })
        });
        judged.unwrap_or_else(|| Self::of_run(report, checkout))
    }

    /// Where something stands that is about no line: the top of the policy.
    pub(super) fn of_run(report: &Report, checkout: &Checkout) -> Self {
        let policy = report.policy.as_ref().and_then(|policy| from_top(&checkout.prefix, policy.path.as_str()));
        Self { path: policy.unwrap_or_else(|| format!("{}{DEFAULT_POLICY}", checkout.prefix)), line: 1 }
    }
}

/// The line of the change that it is about: of a file, or of one that the act wrote.
fn in_change(change: &ShownChange, finding: &ShownFinding) -> Option<Anchor> {
    if let Some(file) = &finding.file {
        let line = finding.line.max(1);
        return change.lines.contains_key(file.as_str()).then(|| Anchor { path: file.as_str().to_owned(), line });
    }
    let effect = finding.effect.as_deref().filter(|effect| matches!(effect.kind, "write" | "delete"))?;
    let path = effect.path.as_ref()?.as_str();
    let (path, line) = change.lines.get_key_value(path)?;
    Some(Anchor { path: path.clone(), line: (*line).max(1) })
}

/// The line of the log, where the log is part of a pull request.
fn in_log(
    change: &ShownChange,
    report: &Report,
    session: &ShownSession,
    finding: &ShownFinding,
    checkout: &Checkout,
) -> Option<Anchor> {
    let path = log_path(report, session, checkout).filter(|_| change.is_proposed)?;
    change.lines.contains_key(&path).then(|| Anchor { path, line: finding.line.max(1) })
}

/// The file of the repository that a log was read from, from its top.
pub(super) fn log_path(report: &Report, session: &ShownSession, checkout: &Checkout) -> Option<String> {
    let source = session.source.as_str();
    let of_head =
        report.change.as_ref().and_then(|change| source.strip_prefix(&format!("git:{}:", change.head.commit)));
    match of_head {
        Some(path) => from_top("", path),
        None => from_top(&checkout.prefix, source),
    }
}
