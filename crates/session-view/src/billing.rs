//! What was paid: every answer of the model once, with cache writes, and reasoning as the part of the output it is.

use std::collections::HashMap;

use jiff::Timestamp;
use serde::Serialize;

use super::time;
use agent_strace_model::{Session, Usage};

/// What a conversation cost, in tokens.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Bill {
    pub requests: u64,
    #[serde(flatten)]
    pub tokens: Charged,
    /// Answer by answer, where the log tells them apart.
    pub messages: Vec<Charge>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Charged {
    pub fresh_input: u64,
    pub cache_write: u64,
    pub cache_read: u64,
    pub output: u64,
    /// Part of `output`.
    pub reasoning: u64,
    pub total: u64,
}

/// One answer of the model.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Charge {
    /// The provider's id of it.
    pub message: Option<String>,
    #[serde(serialize_with = "time::write")]
    #[cfg_attr(test, schemars(with = "Option<agent_strace_testing::schemas::Time>"))]
    pub timestamp: Option<Timestamp>,
    #[serde(flatten)]
    pub tokens: Charged,
}

impl Charged {
    fn of(usage: Usage) -> Self {
        let Usage { input, output, cache_read, cache_write, reasoning, .. } = usage;
        let total = [input, output, cache_read, cache_write].into_iter().fold(0, u64::saturating_add);
        Self { fresh_input: input, cache_write, cache_read, output, reasoning, total }
    }

    fn add(&mut self, other: Self) {
        let sum = u64::saturating_add;
        *self = Self {
            fresh_input: sum(self.fresh_input, other.fresh_input),
            cache_write: sum(self.cache_write, other.cache_write),
            cache_read: sum(self.cache_read, other.cache_read),
            output: sum(self.output, other.output),
            reasoning: sum(self.reasoning, other.reasoning),
            total: sum(self.total, other.total),
        };
    }
}

/// One bill for each conversation of a session.
pub(super) fn bills(session: &Session<'_>) -> Vec<Bill> {
    let mut bills: Vec<Bill> = session.streams.iter().map(|_| Bill::default()).collect();
    let mut known: HashMap<&str, (usize, usize)> = HashMap::new();
    for spent in session.spent.iter().filter(|spent| spent.usage.requests > 0) {
        let stream = usize::from(spent.origin.stream);
        let tokens = Charged::of(spent.usage);
        // Records of one answer repeat what it cost: the last one counts.
        let before = spent.message.as_deref().and_then(|message| known.get(message));
        if let Some(charge) = before.and_then(|(stream, at)| bills.get_mut(*stream)?.messages.get_mut(*at)) {
            charge.tokens = tokens;
            continue;
        }
        let Some(bill) = bills.get_mut(stream) else { continue };
        if let Some(message) = spent.message.as_deref() {
            known.insert(message, (stream, bill.messages.len()));
        }
        let timestamp = spent.time.as_deref().and_then(time::parse);
        bill.messages.push(Charge { message: spent.message.as_deref().map(str::to_owned), timestamp, tokens });
    }
    let mut paid = 0;
    for bill in &mut bills {
        bill.requests = u64::try_from(bill.messages.len()).unwrap_or(u64::MAX);
        for charge in &bill.messages {
            bill.tokens.add(charge.tokens);
        }
        paid += u32::from(bill.requests > 0);
    }
    // A running total outweighs the sum of its parts, but nobody can tell whose it is among several.
    if paid <= 1 {
        let payer = bills.iter_mut().rev().max_by_key(|bill| bill.requests > 0);
        if let Some(bill) = payer {
            bill.requests = session.usage.requests;
            bill.tokens = Charged::of(session.usage);
        }
    }
    bills
}
