//! What sessions cost and how full the model's context was, as far as anybody recorded it.

use agent_strace_metrics::{Basis, Cost, Request};

/// What was recorded of what was spent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spending {
    /// In parts of a dollar: at least so much.
    pub amount: u128,
    /// Why it may have been more.
    pub unknown: Option<String>,
    /// The fullest request.
    pub fullest: Option<Fullness>,
    /// Why not every request could be held against what its model takes.
    pub unmeasured: Option<String>,
}

/// How much of what the model takes a request was, in tenths of a percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fullness(pub u64);

impl Spending {
    /// Of one log; `None`: it records no usage.
    pub fn of(cost: &Cost, requests: &[Request]) -> Option<Self> {
        let recorded = !requests.is_empty() || (cost.basis != Basis::Estimated && cost.amount > 0);
        if !recorded || cost.basis == Basis::Estimated {
            return None;
        }
        let unknown = cost.why.iter().next().map(ToString::to_string).filter(|_| cost.complete().is_none());
        let main = requests.iter().filter(|request| request.is_main);
        let fullness = |request: &Request| {
            let (prompt, window) = (request.prompt?, request.window?);
            u64::try_from(u128::from(prompt) * 1_000 / u128::from(window.max(1))).ok().map(Fullness)
        };
        let unmeasured = main.clone().find(|request| fullness(request).is_none()).map(|request| {
            let model = request.model.as_deref().map_or_else(|| "its model".to_owned(), |model| format!("`{model}`"));
            format!("how many tokens {model} takes, or what was sent to it, is not known")
        });
        let fullest = main.filter_map(fullness).max_by_key(|fullness| fullness.0);
        Some(Self { amount: cost.amount, unknown, fullest, unmeasured })
    }

    pub fn unknown(why: &str) -> Self {
        Self { amount: 0, unknown: Some(why.to_owned()), fullest: None, unmeasured: Some(why.to_owned()) }
    }

    /// What both say together.
    pub fn and(self, other: Self) -> Self {
        Self {
            amount: self.amount.saturating_add(other.amount),
            unknown: self.unknown.or(other.unknown),
            fullest: self.fullest.into_iter().chain(other.fullest).max_by_key(|fullness| fullness.0),
            unmeasured: self.unmeasured.or(other.unmeasured),
        }
    }

    /// What is known to be all of it.
    pub fn known(&self) -> Option<u128> {
        self.unknown.is_none().then_some(self.amount)
    }
}
