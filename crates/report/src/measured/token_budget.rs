//! `token-budget`: how full the model's context was, request by request.

use std::fmt::Write as _;

use serde::Serialize;

use super::super::json;
use super::super::tree::Glyphs;
use super::amount::{grouped, share, span};
use super::{Form, Missing, arrow, missing, shown, told};
use agent_strace_metrics::{Profile, Request};

/// Requests that are listed in the text: the last ones count.
const SHOWN: usize = 40;

/// What requests are held against.
#[derive(Debug, Clone, Copy)]
pub struct Ceiling<'a> {
    /// The model that was asked for in place of the recorded ones.
    pub model: Option<&'a str>,
    /// Tokens; `None`: what the model of each request takes.
    pub limit: Option<u64>,
    /// In tenths of a percent.
    pub warn_at: u64,
}

/// The requests of one session.
#[derive(Debug)]
pub struct TokenBudget<'a> {
    profile: &'a Profile,
    ceiling: Ceiling<'a>,
}

/// What `agent-strace token-budget` tells.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "agent-strace token-budget, version 1"))]
pub(super) struct Document {
    schema_version: u32,
    /// From which share of the context on requests are marked.
    warn_at_percent: f64,
    sessions: Vec<OfSession>,
    /// Everything that could not be read, and so was not counted.
    gaps: Vec<Missing>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OfSession {
    id: String,
    agent: String,
    source: String,
    /// The last request of its own conversation, which holds everything that was said until then.
    last: Option<OfRequest>,
    /// The fullest request.
    peak: Option<OfRequest>,
    /// How many more fit if they grow as the last ones did.
    remaining_requests: Option<u64>,
    requests: Vec<OfRequest>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OfRequest {
    /// From 1.
    request: usize,
    event: u32,
    model: Option<String>,
    /// Tokens that were sent, those from a cache included.
    prompt: Option<u64>,
    output: u64,
    /// The most tokens that a prompt may have; `null`: not known.
    limit: Option<u64>,
    percent: Option<f64>,
    warning: bool,
}

impl<'a> TokenBudget<'a> {
    pub fn new(profile: &'a Profile, ceiling: Ceiling<'a>) -> Self {
        Self { profile, ceiling }
    }

    /// Its own conversation: each sub-agent has a context for itself.
    fn requests(&self) -> impl DoubleEndedIterator<Item = (usize, &'a Request)> {
        let main = self.profile.requests.iter().filter(|request| request.is_main && request.prompt.is_some());
        main.enumerate().collect::<Vec<_>>().into_iter()
    }

    fn limit(&self, request: &Request) -> Option<u64> {
        self.ceiling.limit.or(request.window)
    }

    /// In tenths of a percent.
    fn fullness(&self, request: &Request) -> Option<u64> {
        let limit = self.limit(request)?;
        u64::try_from(share(u128::from(request.prompt?), u128::from(limit))).ok()
    }

    /// In words, that its fullest request took so much or more, in tenths of a percent.
    pub fn breaks(&self, most: u64) -> Option<String> {
        let full = self.requests().filter_map(|(_, request)| Some((self.fullness(request)?, request.event)));
        let (peak, event) = full.max_by_key(|(fullness, event)| (*fullness, std::cmp::Reverse(*event)))?;
        let id = shown(&self.profile.id, 80);
        let said = format!("session {id}: the request at event {event} took {} of the limit", percent(peak));
        (peak >= most).then(|| format!("{said}, and from {} on it fails", percent(most)))
    }

    /// Why not all of its requests can be held against something. The fullest may be one of those.
    pub fn unknown(&self) -> Option<String> {
        let id = shown(&self.profile.id, 80);
        if self.requests().next().is_none() {
            return Some(format!("session {id}: the log records the size of no request"));
        }
        if let Some((_, request)) = self.requests().find(|(_, request)| self.limit(request).is_none()) {
            let model = request.model.as_deref();
            let model = model.map_or_else(|| "no model".to_owned(), |model| format!("`{}`", shown(model, 80)));
            let event = request.event;
            let said = format!("session {id}: how many tokens {model} takes is not known (event {event})");
            return Some(format!("{said}: state it with `--limit`"));
        }
        let main = self.profile.requests.iter().filter(|request| request.is_main);
        let untold: Vec<&Request> = main.filter(|request| request.prompt.is_none()).collect();
        let first = untold.first()?.event;
        let count = untold.len();
        Some(format!(
            "session {id}: the log does not record what {count} of its requests sent, the first at event {first}"
        ))
    }

    /// How many more requests fit, if each adds what the last ones added on average.
    fn remaining(&self) -> Option<u64> {
        let prompts: Vec<u64> = self.requests().filter_map(|(_, request)| request.prompt).collect();
        let last = *prompts.last()?;
        let limit = self.limit(self.requests().next_back()?.1)?;
        // A compaction starts anew: what grows since the last fall counts.
        let rising =
            prompts.iter().rev().zip(prompts.iter().rev().skip(1)).take_while(|(later, earlier)| later >= earlier);
        let steps = u64::try_from(rising.clone().count()).ok().filter(|steps| *steps > 0)?;
        let first = rising.last().map(|(_, earlier)| *earlier)?;
        let growth = (last - first) / steps;
        limit.saturating_sub(last).checked_div(growth)
    }

    fn of_request(&self, index: usize, request: &Request) -> OfRequest {
        let fullness = self.fullness(request);
        OfRequest {
            request: index + 1,
            event: request.event,
            model: request.model.as_deref().map(told),
            prompt: request.prompt,
            output: request.usage.output,
            limit: self.limit(request),
            percent: fullness.map(tenths),
            warning: self.warns(fullness),
        }
    }

    fn warns(&self, fullness: Option<u64>) -> bool {
        fullness.is_some_and(|fullness| fullness >= self.ceiling.warn_at)
    }

    fn text(&self, glyphs: Glyphs) -> String {
        let profile = self.profile;
        let mut text = format!("Session: {}\n", shown(&profile.id, 80));
        let requests: Vec<(usize, &Request)> = self.requests().collect();
        let hidden = requests.len().saturating_sub(SHOWN);
        if hidden > 0 {
            let _ = writeln!(text, "... {hidden} earlier requests");
        }
        let head = ["#", "event", "time", "prompt", "output", "limit", "used", ""].map(str::to_owned);
        let rows = requests.iter().skip(hidden).map(|(index, request)| self.row(*index, request, glyphs));
        let rows: Vec<[String; 8]> = std::iter::once(head).chain(rows).collect();
        if rows.len() > 1 {
            text.push_str(&super::super::columns(&rows));
        }
        if let Some((_, last)) = requests.last() {
            text.push_str(&self.closing(last));
        } else {
            text.push_str("No request with a size is recorded.\n");
        }
        text
    }

    fn row(&self, index: usize, request: &Request, glyphs: Glyphs) -> [String; 8] {
        let fullness = self.fullness(request);
        let offset = request
            .at
            .zip(self.profile.first)
            .and_then(|(at, first)| u64::try_from(at.duration_since(first).as_millis()).ok());
        let number = |number: Option<u64>| number.map_or_else(|| "?".to_owned(), grouped);
        [
            (index + 1).to_string(),
            request.event.to_string(),
            offset.map_or_else(|| "?".to_owned(), |offset| format!("+{}", span(offset))),
            number(request.prompt),
            grouped(request.usage.output),
            number(self.limit(request)),
            fullness.map_or_else(|| "?".to_owned(), percent),
            if self.warns(fullness) { format!("{} warning", arrow(glyphs)) } else { String::new() },
        ]
    }

    fn closing(&self, last: &Request) -> String {
        let prompt = last.prompt.map_or_else(|| "?".to_owned(), grouped);
        let model = self.ceiling.model.or(last.model.as_deref());
        let model = model.map_or_else(|| "a model that is not named".to_owned(), |model| shown(model, 80));
        let Some((limit, fullness)) = self.limit(last).zip(self.fullness(last)) else {
            return format!("Last request: {prompt} tokens to {model}, whose limit is not known\n");
        };
        let mut text =
            format!("Last request: {prompt} of {} tokens ({}), {model}\n", grouped(limit), percent(fullness));
        if let Some(remaining) = self.remaining() {
            let remaining = grouped(remaining);
            let _ = writeln!(text, "Remaining requests: about {remaining}, if they grow as the last ones did");
        }
        text
    }
}

fn tenths(share: u64) -> f64 {
    f64::from(u32::try_from(share).unwrap_or(u32::MAX)) / 10.0
}

fn percent(share: u64) -> String {
    format!("{}.{}%", share / 10, share % 10)
}

/// How full the contexts of sessions were.
pub fn token_budget(budgets: &[TokenBudget<'_>], warn_at: u64, form: Form<'_>) -> String {
    match form {
        Form::Text(glyphs) => budgets.iter().map(|budget| budget.text(glyphs)).collect::<Vec<_>>().join("\n"),
        Form::Json(gaps) => {
            let sessions = budgets.iter().map(of_session).collect();
            let warn_at_percent = tenths(warn_at);
            json::to_text(&Document { schema_version: 1, warn_at_percent, sessions, gaps: missing(gaps) })
        }
    }
}

fn of_session(budget: &TokenBudget<'_>) -> OfSession {
    let peak = budget.requests().rev().max_by_key(|(_, request)| (budget.fullness(request), request.prompt));
    let of = |(index, request): (usize, &Request)| budget.of_request(index, request);
    OfSession {
        id: told(&budget.profile.id),
        agent: told(&budget.profile.agent),
        source: told(&budget.profile.source),
        last: budget.requests().next_back().map(of),
        peak: peak.map(of),
        remaining_requests: budget.remaining(),
        requests: budget.requests().map(of).collect(),
    }
}
