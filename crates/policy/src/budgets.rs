//! How much one session, and each sub-agent in it, may spend: the key `budgets`.
//!
//! A limit is broken by the first unit above it, so `0` allows none. What is spent is counted by the rule
//! `budget/exceeded`; here is only what can be limited, and how a limit is written.

use agent_strace_model::finding::PolicyLocation;
pub use agent_strace_model::prices::DOLLAR;
use agent_strace_model::prices::{Dollars, Rates};

/// What can be limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    CostUsd,
    DelegatedTasks,
    Duration,
    FilesChanged,
    InputTokens,
    ModelCalls,
    ModelTurns,
    NetworkHosts,
    OutputTokens,
    ReasoningTokens,
    SessionTurns,
    Subagents,
    ToolCalls,
    TotalTokens,
}

impl Measure {
    pub const ALL: &[Self] = &[
        Self::CostUsd,
        Self::DelegatedTasks,
        Self::Duration,
        Self::FilesChanged,
        Self::InputTokens,
        Self::ModelCalls,
        Self::ModelTurns,
        Self::NetworkHosts,
        Self::OutputTokens,
        Self::ReasoningTokens,
        Self::SessionTurns,
        Self::Subagents,
        Self::ToolCalls,
        Self::TotalTokens,
    ];

    /// As a key of the policy.
    pub fn name(self) -> &'static str {
        match self {
            Self::CostUsd => "cost_usd",
            Self::DelegatedTasks => "delegated_tasks",
            Self::Duration => "duration",
            Self::FilesChanged => "files_changed",
            Self::InputTokens => "input_tokens",
            Self::ModelCalls => "model_calls",
            Self::ModelTurns => "model_turns",
            Self::NetworkHosts => "network_hosts",
            Self::OutputTokens => "output_tokens",
            Self::ReasoningTokens => "reasoning_tokens",
            Self::SessionTurns => "session_turns",
            Self::Subagents => "subagents",
            Self::ToolCalls => "tool_calls",
            Self::TotalTokens => "total_tokens",
        }
    }

    /// Where the runtimes that know the same limits check it among the others: of several that are passed at once, they
    /// tell the first. Limits that they do not know come last.
    pub fn check_rank(self) -> usize {
        const ORDER: &[Measure] = &[
            Measure::TotalTokens,
            Measure::InputTokens,
            Measure::OutputTokens,
            Measure::ReasoningTokens,
            Measure::CostUsd,
            Measure::ToolCalls,
            Measure::DelegatedTasks,
            Measure::ModelCalls,
            Measure::ModelTurns,
        ];
        ORDER.iter().position(|measure| *measure == self).unwrap_or(ORDER.len())
    }

    /// Whether a log tells it of each sub-agent that runs inside a session.
    pub(crate) fn of_subagents(self) -> bool {
        matches!(self, Self::Duration | Self::FilesChanged | Self::NetworkHosts | Self::ToolCalls)
    }

    /// An amount of it, without what it is an amount of.
    pub fn amount(self, amount: u128) -> String {
        match self {
            Self::CostUsd => format!("{} USD", Dollars(amount)),
            Self::Duration => span(amount),
            _ => amount.to_string(),
        }
    }

    /// What somebody did who spent it.
    pub fn spent(self, amount: u128) -> String {
        let (verb, what) = match self {
            Self::CostUsd => return format!("cost {}", self.amount(amount)),
            Self::Duration => return format!("took {}", self.amount(amount)),
            Self::DelegatedTasks => ("delegated", "task"),
            Self::FilesChanged => ("changed", "file"),
            Self::InputTokens => ("used", "input token"),
            Self::ModelCalls => ("made", "model call"),
            Self::ModelTurns => ("took", "model turn"),
            Self::NetworkHosts => ("contacted", "host"),
            Self::OutputTokens => ("used", "output token"),
            Self::ReasoningTokens => ("used", "reasoning token"),
            Self::SessionTurns => ("took", "turn"),
            Self::Subagents => ("started", "sub-agent"),
            Self::ToolCalls => ("made", "tool call"),
            Self::TotalTokens => ("used", "token"),
        };
        let plural = if amount == 1 { "" } else { "s" };
        format!("{verb} {amount} {what}{plural}")
    }
}

/// Milliseconds as `1h 2m 3s`.
fn span(milliseconds: u128) -> String {
    let seconds = milliseconds / 1000;
    let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")];
    let said: Vec<String> =
        parts.iter().filter(|(amount, _)| *amount > 0).map(|(amount, unit)| format!("{amount}{unit}")).collect();
    match milliseconds % 1000 {
        0 if said.is_empty() => "0s".to_owned(),
        rest if said.is_empty() => format!("{rest}ms"),
        _ => said.join(" "),
    }
}

/// The most there may be of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    pub measure: Measure,
    /// Milliseconds for a duration, parts of a [`DOLLAR`] for money, else a count.
    pub most: u128,
    pub location: PolicyLocation,
    /// What tokens cost by this policy's account, where money is limited and the policy says so.
    pub prices: Option<Rates>,
}

/// Every limit of a policy, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Budgets {
    pub limits: Vec<Limit>,
    /// Of each sub-agent by itself.
    pub per_subagent: Vec<Limit>,
}

impl Budgets {
    /// Takes over the limits of a base on what this one does not limit.
    pub(super) fn inherit(&mut self, base: Self) {
        let stated = base.limits.iter().find_map(|limit| limit.prices);
        for limit in self.limits.iter_mut().filter(|limit| limit.measure == Measure::CostUsd) {
            limit.prices = limit.prices.or(stated);
        }
        for (own, base) in [(&mut self.limits, base.limits), (&mut self.per_subagent, base.per_subagent)] {
            let stated: Vec<Measure> = own.iter().map(|limit| limit.measure).collect();
            own.extend(base.into_iter().filter(|limit| !stated.contains(&limit.measure)));
        }
    }

    /// Every limit of the other one holds, too.
    pub(super) fn narrow(&mut self, floor: Self) {
        self.limits.extend(floor.limits);
        self.per_subagent.extend(floor.per_subagent);
    }

    pub fn is_empty(&self) -> bool {
        self.limits.is_empty() && self.per_subagent.is_empty()
    }
}
