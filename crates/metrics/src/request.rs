//! Requests to the model: each once, with what it sent and what came back.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::asked::is_main;
use super::money::{Pricing, Unpriced, model_of};
use super::series::{event_of, total_tokens};
use agent_strace_model::prices::Row;
use agent_strace_model::{RecordRole, Session, Spent, Usage, moment};

/// A pause after which what the provider had in its cache is lost, in seconds.
const PAUSE: i64 = 120;

/// One request, as the log tells it.
#[derive(Debug, Clone)]
pub struct Request {
    /// The event that it stands with.
    pub event: u32,
    pub at: Option<Timestamp>,
    /// In the session's own conversation, not in one of its sub-agents'.
    pub is_main: bool,
    pub model: Option<Arc<str>>,
    /// How it was served, where not as usual.
    pub tier: Option<String>,
    pub usage: Usage,
    /// Tokens that were sent: fresh ones, and those that a cache gave back or took in. `None`: the record is not of one
    /// request.
    pub prompt: Option<u64>,
    /// The most tokens that the model takes. A prompt above what is known of its own model shows that it takes more.
    pub window: Option<u64>,
    /// In parts of a dollar, or why it has no price.
    pub cost: Result<u128, Unpriced>,
}

/// The size of a prompt, of a record that is about one request and tells it. Every request sends something.
pub(super) fn prompt(usage: &Usage) -> Option<u64> {
    let sent = usage.input.saturating_add(usage.cache_read).saturating_add(usage.cache_write);
    Some(sent).filter(|sent| *sent > 0 && usage.requests == 1 && !usage.partial)
}

/// Each request once, in order. Logs repeat the usage of a message: the last report counts.
pub(super) fn requests(session: &Session<'_>, pricing: &Pricing<'_>) -> Vec<Request> {
    let mut requests: Vec<Request> = Vec::with_capacity(session.spent.len());
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let is_chosen = matches!(pricing, Pricing::Model(_));
    // Most requests of a session go to the same model.
    let mut last: Option<(Option<Arc<str>>, Option<&Row>)> = None;
    for spent in session.spent.iter().filter(|spent| spent.usage.requests > 0) {
        let (model, prompt) = (model_of(session, spent), prompt(&spent.usage));
        let (model, row) = match &last {
            Some((known, row)) if known.as_deref() == model.as_deref() => (known.clone(), *row),
            _ => last.insert((model.as_deref().map(Arc::from), pricing.row(model.as_deref()))).clone(),
        };
        let window = row.map(|row| row.window);
        let event = event_of(session, spent);
        let time = spent.time.as_deref().or_else(|| {
            let before = session.events.get(spent.after.checked_sub(1)?)?;
            before.time.as_deref()
        });
        let request = Request {
            event,
            at: time.and_then(moment),
            // What a sub-agent reports to its parent as it goes stands in the parent's log.
            is_main: is_main(session, spent.origin.stream) && spent.origin.role == RecordRole::Primary,
            cost: pricing.request_by(row, model.as_deref(), spent),
            model,
            tier: spent.tier.as_deref().map(str::to_owned),
            usage: spent.usage,
            prompt,
            window: window.filter(|window| is_chosen || prompt.is_none_or(|prompt| prompt <= *window)),
        };
        let before = spent.message.as_deref().and_then(|message| known.get(message).copied());
        if let Some(before) = before.and_then(|index| requests.get_mut(index)) {
            // It began where it was first told of.
            *before = Request { event: before.event, at: before.at, ..request };
            continue;
        }
        if let Some(message) = spent.message.as_deref() {
            known.insert(message, requests.len());
        }
        requests.push(request);
    }
    requests
}

/// What answers used that no single request is known of, each once: the last report of a message counts.
pub(super) fn untold<'s>(session: &'s Session<'s>) -> impl Iterator<Item = &'s Spent<'s>> {
    let has_cost =
        |spent: &&Spent<'_>| spent.usage.requests == 0 && (total_tokens(&spent.usage) > 0 || spent.usage.partial);
    let last: BTreeMap<&str, usize> = session
        .spent
        .iter()
        .enumerate()
        .filter(|(_, spent)| has_cost(spent))
        .filter_map(|(index, spent)| Some((spent.message.as_deref()?, index)))
        .collect();
    let counts = move |index: usize, spent: &Spent<'_>| {
        spent.message.as_deref().is_none_or(|message| last.get(message) == Some(&index))
    };
    let all = session.spent.iter().enumerate();
    all.filter(move |(index, spent)| has_cost(spent) && counts(*index, spent)).map(|(_, spent)| spent)
}

/// What the session's total has beyond its requests.
pub(super) fn rest(session: &Session<'_>) -> Usage {
    let mut messages: BTreeMap<&str, Usage> = BTreeMap::new();
    let mut sum = Usage::default();
    for spent in &session.spent {
        match spent.message.as_deref() {
            Some(message) => {
                messages.insert(message, spent.usage);
            }
            None => sum.add(&spent.usage),
        }
    }
    for usage in messages.values() {
        sum.add(usage);
    }
    session.usage.beyond(&sum)
}

/// How often the session's own conversation paused for more than two minutes between two requests.
pub(super) fn resets(requests: &[Request]) -> usize {
    let times: Vec<Timestamp> =
        requests.iter().filter(|request| request.is_main).filter_map(|request| request.at).collect();
    let pauses = times.iter().zip(times.iter().skip(1));
    pauses.filter(|(before, after)| after.duration_since(**before).as_secs() > PAUSE).count()
}
