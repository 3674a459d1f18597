//! `diff_sessions`.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ServerContext;
use super::lookup::profile;
use super::reply::{self, NOTICE, SHORT, ToolResult, shown};
use agent_strace_metrics::Profile;
use agent_strace_model::prices::dollars;

/// Files of one list, and failures.
const FILES: usize = 200;
const ERRORS: usize = 10;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The session of before: an id of `list_sessions`, or an unambiguous prefix.
    session_a: String,
    /// The session of now.
    session_b: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    notice: &'static str,
    session_a: String,
    session_b: String,
    /// Calls by tool.
    tool_call_diff: BTreeMap<String, Calls>,
    /// Files that one of them read or changed, up to 200 of each list.
    files_only_in_a: Vec<String>,
    files_only_in_b: Vec<String>,
    files_in_both: Vec<String>,
    /// Files that one of them changed and the other did not.
    changed_only_in_a: Vec<String>,
    changed_only_in_b: Vec<String>,
    /// Of B, less that of A.
    token_delta: i128,
    /// Absent: not all of both has a price, or one is an estimate.
    cost_delta_usd: Option<f64>,
    duration_delta_ms: Option<i128>,
    error_count_a: usize,
    error_count_b: usize,
    /// The first ten.
    errors_a: Vec<Fault>,
    errors_b: Vec<Fault>,
    gaps: Vec<String>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
struct Calls {
    a: usize,
    b: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Fault {
    event: u32,
    tool: Option<String>,
    said: Option<String>,
}

pub(super) fn run(context: &ServerContext, input: &Input) -> ToolResult<Output> {
    let (a, mut gaps) = profile(context, &input.session_a)?;
    let (b, more) = profile(context, &input.session_b)?;
    gaps.extend(more);
    let (touched_a, touched_b) = (touched(&a), touched(&b));
    let (changed_a, changed_b) = (changed(&a), changed(&b));
    let costs = a.cost.complete().zip(b.cost.complete()).filter(|_| a.cost.basis == b.cost.basis);
    let durations = a.duration().zip(b.duration());
    let output = Output {
        notice: NOTICE,
        session_a: shown(&a.id, SHORT),
        session_b: shown(&b.id, SHORT),
        tool_call_diff: tools(&a, &b),
        files_only_in_a: listed(touched_a.difference(&touched_b)),
        files_only_in_b: listed(touched_b.difference(&touched_a)),
        files_in_both: listed(touched_a.intersection(&touched_b)),
        changed_only_in_a: listed(changed_a.difference(&changed_b)),
        changed_only_in_b: listed(changed_b.difference(&changed_a)),
        token_delta: i128::from(b.tokens()) - i128::from(a.tokens()),
        cost_delta_usd: costs.map(|(a, b)| dollars(b) - dollars(a)),
        duration_delta_ms: durations.map(|(a, b)| i128::from(b) - i128::from(a)),
        error_count_a: a.errors(),
        error_count_b: b.errors(),
        errors_a: faults(&a),
        errors_b: faults(&b),
        gaps: reply::gaps(&gaps),
    };
    Ok((output, None))
}

fn touched(profile: &Profile) -> BTreeSet<&str> {
    let phases = profile.phases.iter();
    phases.flat_map(|phase| phase.read.iter().chain(&phase.changed)).map(String::as_str).collect()
}

fn changed(profile: &Profile) -> BTreeSet<&str> {
    profile.phases.iter().flat_map(|phase| &phase.changed).map(String::as_str).collect()
}

fn listed<'a>(files: impl Iterator<Item = &'a &'a str>) -> Vec<String> {
    files.take(FILES).map(|file| shown(file, SHORT)).collect()
}

fn tools(a: &Profile, b: &Profile) -> BTreeMap<String, Calls> {
    let mut tools: BTreeMap<String, Calls> = BTreeMap::new();
    for (name, used) in a.tools.iter().take(FILES) {
        tools.entry(shown(name, SHORT)).or_default().a += used.calls;
    }
    for (name, used) in b.tools.iter().take(FILES) {
        tools.entry(shown(name, SHORT)).or_default().b += used.calls;
    }
    tools
}

fn faults(profile: &Profile) -> Vec<Fault> {
    let first = profile.failures.iter().take(ERRORS);
    let fault = first.map(|failure| Fault {
        event: failure.event,
        tool: failure.tool.as_deref().map(|tool| shown(tool, SHORT)),
        said: failure.said.as_deref().map(|said| shown(said, SHORT)),
    });
    fault.collect()
}
