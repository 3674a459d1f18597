//! Rules about a change as a whole: what it does to the gate, and what of it sessions account for.

mod cause;
mod commands;
mod dependency;
mod foreign;
mod formatters;
mod git;
mod made;
mod making;
mod managers;
mod no_session;
mod origin;
pub mod recorded;
mod spelled;
mod tampering;
mod told;
mod touch;
mod unexplained;
mod unmerged;

use super::{Check, Rule};
use agent_strace_effects::{Certainty, Effect, Kind, PathTarget};
use agent_strace_git::change_set::Change;
use agent_strace_model::finding::{Level, PolicyLocation};
use agent_strace_policy::Policy;
use agent_strace_policy::evidence::Weight;

pub(super) use foreign::RULE as FOREIGN;
pub(super) use no_session::RULE as NO_SESSION;
pub use origin::{Foreign, foreign};
pub use recorded::Recorded;
pub(super) use tampering::RULE as TAMPERING;
pub(super) use unexplained::RULE as UNEXPLAINED;
pub(super) use unmerged::RULE as UNMERGED;

/// Findings of one rule that are told one by one; one more stands for the others.
const MOST: usize = 200;
/// Names that one message lists.
const NAMED: usize = 5;

/// A change, what judges it, and the sessions of the run.
pub struct Changed<'a> {
    pub change: &'a Change,
    pub policy: &'a Policy,
    pub sessions: &'a [Witness<'a>],
}

/// A session, as far as it accounts for the change.
pub struct Witness<'a> {
    pub agent: &'a str,
    /// The session that started it, else its own id: a session and its sub-agents work together.
    pub family: &'a str,
    /// It was recorded with the change, not with an earlier one, and may be of it.
    pub is_new: bool,
    /// It was recorded with the change, and can't be of it.
    pub foreign: Option<&'a Foreign>,
    pub recorded: &'a Recorded,
}

/// What a rule found.
#[derive(Debug)]
pub struct ChangeHit {
    pub weight: Weight,
    pub message: String,
    /// Where: in the change, or in a session of it.
    pub site: ChangeSite,
    /// The entry of the policy that says what it weighs.
    pub location: Option<PolicyLocation>,
    /// What tells it from others of its rule.
    pub about: Vec<String>,
}

#[derive(Debug)]
pub enum ChangeSite {
    /// A file of the change and a line of it, 1-based; what was done to the file.
    File { path: String, line: u32, effect: Option<Effect> },
    /// The index of a session of the run, and the number, line and tool of an event of it.
    Session { at: usize, event: u32, line: u32, tool: Option<String> },
}

/// What a change does to a file, as the effects of agents are written.
fn done_to(path: &str, is_gone: bool) -> Effect {
    let target = PathTarget::new(path);
    Effect::new(if is_gone { Kind::Delete(target) } else { Kind::Write(target) }, Certainty::Exact, "change")
}

/// How much a rule weighs, where it is told at all: what the policy says, or else `usually`.
fn weigh(policy: &Policy, rule: &Rule, usually: Level) -> Option<(Weight, Option<PolicyLocation>)> {
    match policy.evidence().stated(rule.id) {
        None => Some((Weight::Level(usually), None)),
        Some((Weight::Off, _)) => None,
        Some((weight, location)) => Some((weight, Some(location.clone()))),
    }
}

/// `a`, `b` and 3 more.
fn listed<'t>(names: impl ExactSizeIterator<Item = &'t str>) -> String {
    let total = names.len();
    let mut shown: Vec<String> = names.take(NAMED).map(|name| format!("`{name}`")).collect();
    if total > shown.len() {
        shown.push(format!("{} more", total - shown.len()));
    }
    match shown.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => shown.concat(),
    }
}

/// At most so many; the last one counts the others.
fn bounded(mut hits: Vec<ChangeHit>) -> Vec<ChangeHit> {
    let more = hits.len().saturating_sub(MOST);
    if more > 0 {
        hits.truncate(MOST);
        if let Some(last) = hits.last_mut() {
            last.message = format!("{}; and {more} more like it", last.message);
        }
    }
    hits
}
