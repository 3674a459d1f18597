//! What agents did, counted: the same few lines in every format that tells them.

use std::collections::BTreeMap;

use super::escape::shorten;
use super::text::counted;
use super::view::Report;
use agent_strace_engine::{Activity, Tally};
use agent_strace_secrets::{Known, Redacted};

/// Names of one kind that are shown, and how much of each.
const NAMED: usize = 8;
const LONGEST: usize = 80;

/// What was done in one session; see [`Activity`].
#[derive(Debug)]
pub(super) struct ShownActivity {
    written: Vec<(Redacted, usize)>,
    deleted: Vec<(Redacted, usize)>,
    programs: Vec<(Redacted, usize)>,
    hosts: Vec<(Redacted, usize)>,
    tools: Vec<(Redacted, usize)>,
    subagents: Vec<(Redacted, usize)>,
}

impl ShownActivity {
    pub(super) fn new(activity: &Activity, secrets: &Known) -> Self {
        let shown = |tally: &Tally| tally.iter().map(|(name, count)| (secrets.redact(name), *count)).collect();
        Self {
            written: shown(&activity.written),
            deleted: shown(&activity.deleted),
            programs: shown(&activity.programs),
            hosts: shown(&activity.hosts),
            tools: shown(&activity.tools),
            subagents: shown(&activity.subagents),
        }
    }
}

/// One kind of thing that agents did in all sessions.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// `wrote 12 files`, `ran 31 commands`.
    pub(super) what: String,
    /// The most frequent names first, escaped, with how often where that is told; then how many are not named.
    pub(super) names: Vec<String>,
    pub(super) more: usize,
}

/// Five lines, the same ones always: what an agent did not do is worth knowing, too. `escape` is the target's.
pub(super) fn lines(report: &Report, escape: impl Fn(&str) -> String) -> [Line; 5] {
    let sum = |part: fn(&ShownActivity) -> &[(Redacted, usize)]| sum(report, part);
    let (written, deleted) = (sum(|activity| &activity.written), sum(|activity| &activity.deleted));
    let (programs, hosts) = (sum(|activity| &activity.programs), sum(|activity| &activity.hosts));
    let (tools, subagents) = (sum(|activity| &activity.tools), sum(|activity| &activity.subagents));
    let total = |names: &[(&str, usize)]| names.iter().map(|(_, count)| count).sum::<usize>();
    let removed = match deleted.len() {
        0 => String::new(),
        count => format!(" and deleted {count}"),
    };
    let files: Vec<(&str, usize)> = written.iter().chain(&deleted).copied().collect();
    let started = total(&subagents);
    let line = |what: String, names: &[(&str, usize)], times: Times| Line {
        what,
        names: names.iter().take(NAMED).map(|(name, count)| named(name, *count, times, &escape)).collect(),
        more: names.len().saturating_sub(NAMED),
    };
    [
        line(format!("wrote {}{removed}", counted(written.len(), "file")), &files, Times::Hidden),
        line(format!("ran {}", counted(total(&programs), "command")), &programs, Times::Shown),
        line(format!("connected to {}", counted(hosts.len(), "host")), &hosts, Times::Shown),
        line(format!("called other tools {}", times(total(&tools))), &tools, Times::Shown),
        line(format!("started {}", counted(started, "sub-agent")), &subagents, Times::Shown),
    ]
}

/// Whether the number of times is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Times {
    Shown,
    Hidden,
}

fn named(name: &str, count: usize, times: Times, escape: impl Fn(&str) -> String) -> String {
    let shown = escape(&shorten(name, LONGEST));
    if times == Times::Shown && count > 1 { format!("{shown} {count}×") } else { shown }
}

fn times(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// Over all sessions, the most frequent first.
fn sum(report: &Report, part: impl Fn(&ShownActivity) -> &[(Redacted, usize)]) -> Vec<(&str, usize)> {
    let mut sum: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, count) in report.sessions.iter().flat_map(|session| part(&session.activity)) {
        *sum.entry(name.as_str()).or_default() += count;
    }
    let mut names: Vec<(&str, usize)> = sum.into_iter().collect();
    names.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    names
}
