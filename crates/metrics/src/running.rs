//! What a session cost, as it grew: the cost of the whole, told event by event.

use super::estimate;
use super::money::{self, Basis, Cost, Pricing, Unpriced};
use super::request::{self, Request};
use super::series::{event_of, total_tokens};
use agent_strace_model::{Session, Usage};

/// What was spent at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charge {
    /// 1-based number of the event.
    pub event: u32,
    /// The cost of everything that has a price, in parts of a dollar ([`agent_strace_model::prices::DOLLAR`]).
    pub amount: u128,
    pub basis: Basis,
}

/// In the order of events. What no event tells of (totals beyond all requests) is in the cost of the whole alone.
pub(super) fn charges(session: &Session<'_>, requests: &[Request], pricing: &Pricing<'_>) -> Vec<Charge> {
    let mut charges = Vec::new();
    if money::is_recorded(session, requests) {
        charges.extend(requests.iter().map(|request| of_usage(request.event, &request.usage, &request.cost)));
        charges.extend(
            request::untold(session)
                .map(|spent| of_usage(event_of(session, spent), &spent.usage, &pricing.request(session, spent))),
        );
    } else {
        for event in &session.events {
            let mut said = Usage::default();
            estimate::add(&mut said, &event.kind);
            if total_tokens(&said) > 0 {
                charges.push(charge(event.number, &pricing.said(session, &said)));
            }
        }
    }
    charges.sort_by_key(|charge| charge.event);
    charges
}

fn of_usage(event: u32, usage: &Usage, amount: &Result<u128, Unpriced>) -> Charge {
    let mut cost = Cost::nothing();
    cost.charge(usage, amount);
    charge(event, &cost)
}

fn charge(event: u32, cost: &Cost) -> Charge {
    Charge { event, amount: cost.amount, basis: cost.basis }
}
