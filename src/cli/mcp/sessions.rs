//! `list_sessions`.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::measured::{Measured, measure};
use super::super::pipeline::Inputs;
use super::ServerContext;
use super::reply::{self, NOTICE, SHORT, ToolError, ToolResult, shown};
use agent_strace_ingest::discover::Selection;
use agent_strace_metrics::{Pricing, Profile};
use agent_strace_model::prices::dollars;
use agent_strace_policy::prices::shipped;

/// The most sessions of one answer.
const MOST: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// How many, the newest first: 1 to 200.
    #[serde(default = "few")]
    limit: usize,
    /// Only those of this agent, e.g. `claude-code`.
    #[serde(default)]
    agent: Option<String>,
}

fn few() -> usize {
    20
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    notice: &'static str,
    sessions: Vec<Row>,
    /// In the store, of this agent.
    total: usize,
    /// What could not be read: what is told is not all then.
    gaps: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Row {
    session_id: String,
    agent: String,
    /// RFC 3339.
    started: Option<String>,
    ended: Option<String>,
    duration_ms: Option<u64>,
    tool_calls: usize,
    errors: usize,
    tokens: u64,
    /// Of what has a price.
    cost_usd: f64,
    /// `recorded`, `estimated` from the length of texts, or `incomplete`: it cost more.
    cost_basis: &'static str,
    /// The session that started it.
    parent: Option<String>,
}

impl Row {
    fn of(profile: &Profile) -> Self {
        Self {
            session_id: shown(&profile.id, SHORT),
            agent: shown(&profile.agent, SHORT),
            started: reply::time(profile.first),
            ended: reply::time(profile.last),
            duration_ms: profile.duration(),
            tool_calls: profile.calls,
            errors: profile.errors(),
            tokens: profile.tokens(),
            cost_usd: dollars(profile.cost.amount),
            cost_basis: profile.cost.basis.name(),
            parent: profile.parent.as_deref().map(|parent| shown(parent, SHORT)),
        }
    }
}

pub(super) fn run(context: &ServerContext, input: &Input) -> ToolResult<Output> {
    if !(1..=MOST).contains(&input.limit) {
        return Err(ToolError::new(format!("`limit` is from 1 to {MOST}")));
    }
    let measured = context.with(|environment| {
        let all = Inputs::select(&context.trace_dir, &[], Selection::All, environment, &mut std::io::empty())?;
        measure(all, Pricing::Table(shipped()), environment)
    });
    let Measured { mut profiles, gaps, .. } = measured?;
    if let Some(agent) = &input.agent {
        profiles.retain(|profile| profile.agent.eq_ignore_ascii_case(agent));
    }
    profiles.sort_by(|one, other| Reverse(one.first).cmp(&Reverse(other.first)).then_with(|| one.id.cmp(&other.id)));
    let sessions = profiles.iter().take(input.limit).map(Row::of).collect();
    Ok((Output { notice: NOTICE, sessions, total: profiles.len(), gaps: reply::gaps(&gaps) }, None))
}
