//! What is said of each value.
//!
//! A finding's fingerprint is a digest over its rule, the digest of the value, which way it went, and for a host its
//! name. The digest of the value is that of `redact --check`: SHA-256 over a fixed text, the rule and the value, of which
//! 64 bits are kept. It is the same in every session and at every line, so that a suppression or a baseline finds it
//! again; whoever guesses a value can check the guess, and nobody can read the value from it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::call::Target;
use super::found::{Exposed, File, Share, Spot, Value};
use super::listed::Listed;
use super::place::{Places, named};
use super::taken::{Taken, taken};
use super::{EventEffects, Kind, Way, kind};
use agent_strace_effects::Effect;
use agent_strace_model::finding::{Level, RuleId};
use agent_strace_model::{Event, Session, Status};

/// One finding.
#[derive(Debug)]
pub struct Told<'a> {
    pub rule: RuleId,
    pub level: Level,
    pub message: String,
    /// `None`: it stands beside all events.
    pub event: Option<&'a Event<'a>>,
    pub line: u32,
    /// Of the value in its record.
    pub pointer: Option<String>,
    /// What took the value somewhere.
    pub effect: Option<&'a Effect>,
    /// What tells it from others.
    pub about: Vec<(&'static str, String)>,
}

/// What is said of one session: the one at the place `at` in the log. `events`: what it did, in order.
pub fn look<'a>(
    exposed: &Exposed<'_>,
    at: usize,
    session: &'a Session<'a>,
    events: &'a [EventEffects<'a>],
) -> io::Result<Vec<Told<'a>>> {
    let Some(share) = exposed.share(at) else { return Ok(Vec::new()) };
    // Nothing stands in a call that does not stand in the log.
    if share.is_empty() {
        return Ok(Vec::new());
    }
    let taken = taken(exposed.wanted(), events)?;
    let left: BTreeSet<&str> = taken
        .iter()
        .filter(|taken| taken.step.status != Some(Status::Denied))
        .map(|taken| taken.fingerprint.as_str())
        .collect();
    let mut told = Listed::default();
    let mut lines: Vec<u32> = session.events.iter().map(|event| event.line).collect();
    lines.sort_unstable();
    for taken in &taken {
        told.add(taken.rule, taken.went.target.way(), || of_call(taken, share, &lines));
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut logged: Vec<(&Value, bool)> = Vec::new();
    for value in share.values.iter().filter(|value| !left.contains(value.fingerprint.as_str())) {
        let count = counts.entry(value.rule).or_default();
        *count += 1;
        logged.push((value, rule(value.rule).is_some_and(|(_, words)| *count <= words.weight.most() + 1)));
    }
    let spots = logged.iter().filter(|(_, is_told)| *is_told).filter_map(|(value, _)| value.places.first());
    let places = Places::new(session, events, exposed.wanted(), spots)?;
    for (value, _) in logged {
        told.add(value.rule, Way::Logged, || of_log(value, &places, session));
    }
    Ok(told.finish(share))
}

/// `lines`: those that events begin on.
fn of_call<'a>(taken: &Taken<'a>, share: &Share, lines: &[u32]) -> Option<Told<'a>> {
    let (rule, words) = rule(taken.rule)?;
    let Taken { step, went, fingerprint, .. } = taken;
    let noun = noun(rule, words, taken.kind);
    let more = match taken.calls {
        1 => String::new(),
        calls => format!(", in {calls} calls"),
    };
    let way = went.target.way();
    let (went_where, then) = match &went.target {
        Target::File(path) => {
            (format!("is written to `{}`", named(path)), "take it out of the file and of the history")
        }
        Target::Host(host) => (format!("is sent to `{}`", named(host)), "make sure that it may be known there"),
        Target::UnknownHost => ("is sent to a host that is not known".to_owned(), "find out who knows it now"),
    };
    let revoke = if rule.starts_with("secret/") { "revoke it, and " } else { "" };
    let denied = step.status == Some(Status::Denied);
    let attempt = if denied { "attempt: " } else { "" };
    let level = if denied { Level::Note } else { words.weight.level(way) };
    let spot = spot(taken, share, lines);
    Some(Told {
        rule,
        level,
        message: format!("{attempt}{noun} {went_where}{more}: {revoke}{then}"),
        event: Some(step.event),
        line: spot.map_or(step.event.line, |spot| spot.line),
        pointer: spot.map(|spot| spot.pointer.clone()).filter(|pointer| !pointer.is_empty()),
        effect: Some(went.effect),
        about: about(rule, fingerprint, way, went.target.host()),
    })
}

/// Where in the log the call has the value: at the same member, where that is among the places that are known.
fn spot<'s>(taken: &Taken<'_>, share: &'s Share, lines: &[u32]) -> Option<&'s Spot> {
    let line = taken.step.event.line;
    let next = lines.get(lines.partition_point(|start| *start <= line)).copied();
    let is_here =
        |spot: &&Spot| spot.file == File::Log && spot.line >= line && next.is_none_or(|next| spot.line < next);
    let value = share.value(taken.rule, &taken.fingerprint)?;
    // The arguments were searched as the only element of a list.
    let member = taken.pointer.strip_prefix("/0").unwrap_or(&taken.pointer);
    let mut here = value.places.iter().filter(is_here);
    here.clone().find(|spot| spot.pointer.ends_with(member)).or_else(|| here.next())
}

fn of_log<'a>(value: &Value, places: &Places<'a>, session: &Session<'_>) -> Option<Told<'a>> {
    let (rule, words) = rule(value.rule)?;
    let spot = value.places.first()?;
    let holder = places.holder(spot, &value.fingerprint);
    // Of a document on one line that several sessions are in, each value is told of where it is.
    if value.is_shared && holder.is_none() || is_setting(spot, session) {
        return None;
    }
    let how = match (spot.file, holder) {
        (File::Meta, _) => "stands in what the store keeps beside the session, its `meta.json`".to_owned(),
        (File::Log, Some(event)) => places.how(event),
        (File::Log, None) => "stands in the log, beside what was said and done".to_owned(),
    };
    let times = if value.count == 1 { String::new() } else { format!(", {} times in the log", value.count) };
    let advice = if rule.starts_with("secret/") {
        "revoke it: whoever can read the log can use it"
    } else {
        "`agent-strace redact --mask` takes it out of the log"
    };
    Some(Told {
        rule,
        level: words.weight.level(Way::Logged),
        message: format!("{} {how}{times}; {advice}", noun(rule, words, value.kind)),
        event: if spot.file == File::Log { holder.or_else(|| places.beside(spot)) } else { None },
        line: if spot.file == File::Log { spot.line } else { 1 },
        pointer: Some(spot.pointer.clone()).filter(|pointer| !pointer.is_empty() && spot.file == File::Log),
        effect: None,
        about: about(rule, &value.fingerprint, Way::Logged, None),
    })
}

/// `secret/log-settings` tells of it.
fn is_setting(spot: &Spot, session: &Session<'_>) -> bool {
    let keys = &session.evidence.credentials;
    let path = spot.pointer.trim_start_matches('/').replace('/', ".");
    !path.is_empty() && keys.iter().any(|key| **key == *path)
}

pub(super) fn rule(id: &str) -> Option<(RuleId, &'static Kind)> {
    let rule = super::super::find(id)?;
    Some((rule.id, kind(rule)?))
}

/// Vendors' tokens are called by their vendor.
fn noun(rule: &str, words: &Kind, kind: &str) -> String {
    if rule == "secret/vendor-token" { format!("{} ({kind})", words.noun) } else { words.noun.to_owned() }
}

fn about(rule: RuleId, fingerprint: &str, way: Way, host: Option<&str>) -> Vec<(&'static str, String)> {
    let mut about = vec![("rule", rule.to_owned()), ("value", fingerprint.to_owned()), ("way", way.name().to_owned())];
    about.extend(host.map(|host| ("host", host.to_owned())));
    about
}
