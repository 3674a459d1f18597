//! Notes about acts whose effects the log does not show: an honest run has hundreds of them, so people get their number for
//! each cause. The machine-readable formats list each.

use std::collections::BTreeMap;

use agent_strace_model::finding::{Level, RuleId};

use super::view::{Report, ShownFinding};

/// Its cause is counted, and it is not listed.
pub(super) fn is_counted(report: &Report, finding: &ShownFinding) -> bool {
    finding.rule == RuleId::ScopeUnresolved
        && finding.level == Level::Note
        && !finding.is_incomplete()
        && !report.fails(finding)
}

/// The causes, those of most notes first, as raw text.
pub(super) fn causes(report: &Report) -> Vec<(String, usize)> {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for (_, finding) in report.findings().filter(|(_, finding)| is_counted(report, finding)) {
        *found.entry(cause(finding.message.as_str())).or_default() += 1;
    }
    let mut found: Vec<(String, usize)> = found.into_iter().collect();
    found.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    found
}

/// The message without the files that it names: `searches files of `src/**`: …` is a search.
fn cause(message: &str) -> String {
    let message = message.strip_prefix("attempt: ").unwrap_or(message);
    let Some((act, reason)) = message.split_once(": ") else { return message.to_owned() };
    match act {
        "not resolved" => reason.to_owned(),
        act => format!("{}: {reason}", act.split(' ').next().unwrap_or(act)),
    }
}

#[cfg(test)]
mod tests {
    use super::cause;

    #[test]
    fn a_cause_names_no_file() {
        assert_eq!(cause("not resolved: runs a package"), "runs a package");
        assert_eq!(cause("attempt: not resolved: runs a package"), "runs a package");
        assert_eq!(
            cause("searches files of `src/**`: the log does not show which"),
            "searches: the log does not show which"
        );
    }
}
