//! What MCP servers said of themselves and their tools while a session was recorded.
//!
//! It goes into the context of the model, and hardly a client shows it. Who reads it is another module: here is what it
//! comes to, among the sessions of a run.

use std::collections::BTreeMap;

use super::{Account, Check, Rule, SessionHit, Whole};
use agent_strace_model::finding::{Level, RuleId};

pub(super) static POISONED: Rule = Rule {
    id: RuleId::McpServerPoisoned,
    level: Level::Error,
    summary: "an MCP server told the model to act against its user, in what it said of itself or its tools",
    spec: include_str!("../specs/mcp-server-poisoned.md"),
    check: Check::Session(poisoned),
};

pub(super) static CHANGED: Rule = Rule {
    id: RuleId::McpToolChanged,
    level: Level::Warning,
    summary: "a tool of an MCP server is described otherwise than before",
    spec: include_str!("../specs/mcp-tool-changed.md"),
    check: Check::Session(changed),
};

/// One tool, or the server itself, as the server described it.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// Number and line of the event that tells.
    pub at: (u32, u32),
    /// Epoch seconds.
    pub time: Option<f64>,
    /// What the recording calls the server, and what it calls itself.
    pub server: (String, String),
    /// `None`: the server itself.
    pub tool: Option<String>,
    /// What it is called in a message: `the tool …`.
    pub shown: String,
    /// Over all that the model reads of it.
    pub digest: String,
    /// How bad it is, and why, behind what it is called.
    pub poison: Option<(Level, String)>,
}

fn poisoned(whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    let mut told: Vec<String> = Vec::new();
    for offer in &whole.account.offers {
        let Some((level, reasons)) = &offer.poison else { continue };
        let message = format!("{} {reasons}: do not use it before somebody has read all of its text", offer.shown);
        // Lists come again and again.
        if !told.contains(&message) {
            told.push(message.clone());
            hits.push(SessionHit { at: Some(offer.at), level: Some(*level), ..SessionHit::whole(message) });
        }
    }
}

/// Which tool of which server.
type Key<'a> = (&'a (String, String), &'a str);

fn key(offer: &Offer) -> Option<Key<'_>> {
    Some((&offer.server, offer.tool.as_deref()?))
}

/// Each tool is held against what it was when it was last described, in this session or in an earlier one of the run.
fn changed(whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    let mut last: BTreeMap<Key<'_>, &Offer> = BTreeMap::new();
    for offer in &whole.account.offers {
        let Some(key) = key(offer) else { continue };
        let (before, wherefrom) = match last.insert(key, offer) {
            Some(before) => (Some(before), format!("since event {}", before.at.0)),
            None => match whole.run.offered_before(whole.account, offer) {
                Some((session, before)) => (Some(before), format!("since session {session}")),
                None => (None, String::new()),
            },
        };
        if before.is_some_and(|before| before.digest != offer.digest) {
            let message = format!("{} is described otherwise {wherefrom}: read what it says now", offer.shown);
            // Where it was otherwise is another place in every run.
            let known_by = Some(format!("{:?} {:?} {}", offer.server, offer.tool, offer.digest));
            hits.push(SessionHit { at: Some(offer.at), known_by, ..SessionHit::whole(message) });
        }
    }
}

/// What was offered in all sessions of a run.
#[derive(Debug, Default)]
pub(super) struct Offered<'a>(BTreeMap<Key<'a>, Vec<(&'a str, &'a Offer)>>);

impl<'a> Offered<'a> {
    pub(super) fn of(accounts: impl Iterator<Item = &'a Account>) -> Self {
        let mut all: BTreeMap<Key<'a>, Vec<(&'a str, &'a Offer)>> = BTreeMap::new();
        for account in accounts {
            for offer in &account.offers {
                // What has no time is neither before nor after.
                if let (Some(key), Some(_)) = (key(offer), offer.time) {
                    all.entry(key).or_default().push((&account.id, offer));
                }
            }
        }
        for offers in all.values_mut() {
            offers.sort_by(|one, other| {
                let time = |offer: &Offer| offer.time.unwrap_or_default();
                time(one.1).total_cmp(&time(other.1)).then_with(|| one.0.cmp(other.0)).then(one.1.at.cmp(&other.1.at))
            });
        }
        Self(all)
    }

    /// The last one before it in another session.
    pub(super) fn before(&self, account: &Account, offer: &Offer) -> Option<(&'a str, &'a Offer)> {
        let time = offer.time?;
        let offers = self.0.get(&key(offer)?)?;
        let earlier = offers.partition_point(|(_, other)| other.time.is_some_and(|other| other < time));
        offers.iter().take(earlier).rev().find(|(session, _)| *session != account.id).copied()
    }
}
