//! Whether a session can be of a change at all: by its date, and by the repository that it says it ran in.

use agent_strace_git::change_set::Change;
use agent_strace_model::{Session, moment};

/// 2020-01-01: coding agents that write such logs are younger.
const FIRST: i64 = 1_577_836_800;
/// 2090-01-01, for changes that are not dated.
const LAST: i64 = 3_786_912_000;
/// A session begins before its change is committed. Clocks differ, and dates of commits are kept by some rebases.
const SLACK: i64 = 400 * 86_400;

/// It began before there were agents, or long after the head was committed, or says that it ran in another repository. What a
/// log leaves out tells nothing.
pub(super) fn is_foreign(session: &Session<'_>, change: &Change) -> bool {
    let times = session.span.started.as_deref().into_iter();
    let first = times.chain(session.events.iter().filter_map(|event| event.time.as_deref())).find_map(moment);
    let last = change.seconds.filter(|seconds| *seconds >= FIRST).map_or(LAST, |seconds| seconds.saturating_add(SLACK));
    let is_out_of_time = first.is_some_and(|first| !(FIRST..=last).contains(&first.as_second()));
    let named = session.attribution.repository.as_deref().and_then(name);
    let judged: Vec<String> = change.addresses.iter().filter_map(|address| name(address)).collect();
    let is_elsewhere = named.is_some_and(|named| !judged.is_empty() && !judged.contains(&named));
    is_out_of_time || is_elsewhere
}

/// The name of a repository, without its owner: a fork has another one. `None`: the address names none.
fn name(address: &str) -> Option<String> {
    let plain = address.trim().trim_end_matches('/');
    let plain = plain.strip_suffix(".git").unwrap_or(plain);
    let name = plain.rsplit(['/', ':', '\\']).next().unwrap_or_default();
    (!name.is_empty() && name != "." && name != "..").then(|| name.to_lowercase())
}
