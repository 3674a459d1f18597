//! The findings about private values.
//!
//! A finding's fingerprint is a digest over its rule, the digest of the value, which way it went, and for a host its
//! name. The digest of the value is that of `redact --check`: SHA-256 over a fixed text, the rule and the value, of which
//! 64 bits are kept. It is the same in every session and at every line, so that a suppression or a baseline finds it
//! again. A guessed value can be checked against it, but the value cannot be read from it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::call::Target;
use super::exposed::{Exposed, File, SessionValues, Value, ValueLocation};
use super::listed::Listed;
use super::locations::{Locations, named};
use super::transfers::{Transfer, transfers};
use super::{EventEffects, Kind, Way, kind};
use agent_strace_effects::Effect;
use agent_strace_model::finding::{Family, Level, RuleId};
use agent_strace_model::{Event, Session, Status};

/// A finding about one private value.
#[derive(Debug)]
pub struct PrivateHit<'a> {
    pub rule: RuleId,
    pub level: Level,
    pub message: String,
    /// `None`: the value is outside of all events.
    pub event: Option<&'a Event<'a>>,
    pub line: u32,
    /// JSON pointer of the value in its record.
    pub pointer: Option<String>,
    /// The effect that transferred the value.
    pub effect: Option<&'a Effect>,
    /// Distinguishes it from other findings of the rule.
    pub about: Vec<(&'static str, String)>,
}

/// The findings about the session with index `at` in the log. `events` are its effects in order.
pub fn look<'a>(
    exposed: &Exposed<'_>,
    at: usize,
    session: &'a Session<'a>,
    events: &'a [EventEffects<'a>],
) -> io::Result<Vec<PrivateHit<'a>>> {
    let Some(session_values) = exposed.session(at) else { return Ok(Vec::new()) };
    // Values of calls are also in the log.
    if session_values.is_empty() {
        return Ok(Vec::new());
    }
    let transfers = transfers(exposed.wanted(), events)?;
    let left: BTreeSet<&str> = transfers
        .iter()
        .filter(|transfer| transfer.step.status != Some(Status::Denied))
        .map(|transfer| transfer.fingerprint.as_str())
        .collect();
    let mut hits = Listed::default();
    let mut lines: Vec<u32> = session.events.iter().map(|event| event.line).collect();
    lines.sort_unstable();
    for transfer in &transfers {
        hits.add(transfer.rule, transfer.went.target.way(), || call_hit(transfer, session_values, &lines));
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut logged: Vec<(&Value, bool)> = Vec::new();
    for value in session_values.values.iter().filter(|value| !left.contains(value.fingerprint.as_str())) {
        let count = counts.entry(value.rule).or_default();
        *count += 1;
        logged.push((value, rule(value.rule).is_some_and(|(_, words)| *count <= words.weight.most() + 1)));
    }
    let asked = logged.iter().filter(|(_, is_listed)| *is_listed).filter_map(|(value, _)| value.locations.first());
    let locations = Locations::new(session, events, exposed.wanted(), asked)?;
    for (value, _) in logged {
        hits.add(value.rule, Way::Logged, || logged_hit(value, &locations, session));
    }
    Ok(hits.finish(session_values))
}

/// `lines` are the lines on which events begin.
fn call_hit<'a>(transfer: &Transfer<'a>, session_values: &SessionValues, lines: &[u32]) -> Option<PrivateHit<'a>> {
    let (rule, words) = rule(transfer.rule)?;
    let Transfer { step, went, fingerprint, .. } = transfer;
    // Git keeps the name and the address of its user there, and commits show them. No change holds that file.
    if rule.family() != Family::Secret && matches!(&went.target, Target::File(path) if is_of_git(path)) {
        return None;
    }
    let noun = noun(rule, words, transfer.kind);
    let more = match transfer.calls {
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
    let revoke = if rule.family() == Family::Secret { "revoke it, and " } else { "" };
    let denied = step.status == Some(Status::Denied);
    let attempt = if denied { "attempt: " } else { "" };
    let level = if denied { Level::Note } else { words.weight.level(way) };
    let location = location(transfer, session_values, lines);
    Some(PrivateHit {
        rule,
        level,
        message: format!("{attempt}{noun} {went_where}{more}: {revoke}{then}"),
        event: Some(step.event),
        line: location.map_or(step.event.line, |location| location.line),
        pointer: location.map(|location| location.pointer.clone()).filter(|pointer| !pointer.is_empty()),
        effect: Some(went.effect),
        about: about(rule, fingerprint, way, went.target.host()),
    })
}

/// The location of the call's value in the log, if possible at the same member.
fn location<'s>(
    transfer: &Transfer<'_>,
    session_values: &'s SessionValues,
    lines: &[u32],
) -> Option<&'s ValueLocation> {
    let line = transfer.step.event.line;
    let next = lines.get(lines.partition_point(|start| *start <= line)).copied();
    let is_here = |location: &&ValueLocation| {
        location.file == File::Log && location.line >= line && next.is_none_or(|next| location.line < next)
    };
    let value = session_values.value(transfer.rule, &transfer.fingerprint)?;
    // The arguments were searched as the only element of a list.
    let member = transfer.pointer.strip_prefix("/0").unwrap_or(&transfer.pointer);
    let mut here = value.locations.iter().filter(is_here);
    here.clone().find(|location| location.pointer.ends_with(member)).or_else(|| here.next())
}

fn logged_hit<'a>(value: &Value, locations: &Locations<'a>, session: &Session<'_>) -> Option<PrivateHit<'a>> {
    let (rule, words) = rule(value.rule)?;
    let location = value.locations.first()?;
    let holder = locations.holder(location, &value.fingerprint);
    // In a document on one line that several sessions share, each session reports its own values.
    if value.is_shared && holder.is_none() || is_setting(location, session) {
        return None;
    }
    let how = match (location.file, holder) {
        (File::Meta, _) => "stands in what the store keeps beside the session, its `meta.json`".to_owned(),
        (File::Log, Some(event)) => locations.how(event),
        (File::Log, None) => "stands in the log, beside what was said and done".to_owned(),
    };
    let times = if value.count == 1 { String::new() } else { format!(", {} times in the log", value.count) };
    let advice = if rule.family() == Family::Secret {
        "revoke it: whoever can read the log can use it"
    } else {
        "`agent-strace redact --mask` takes it out of the log"
    };
    Some(PrivateHit {
        rule,
        level: words.weight.level(Way::Logged),
        message: format!("{} {how}{times}; {advice}", noun(rule, words, value.kind)),
        event: if location.file == File::Log { holder.or_else(|| locations.beside(location)) } else { None },
        line: if location.file == File::Log { location.line } else { 1 },
        pointer: Some(location.pointer.clone()).filter(|pointer| !pointer.is_empty() && location.file == File::Log),
        effect: None,
        about: about(rule, &value.fingerprint, Way::Logged, None),
    })
}

/// `secret/log-settings` reports it.
fn is_setting(location: &ValueLocation, session: &Session<'_>) -> bool {
    let keys = &session.evidence.credentials;
    let path = location.pointer.trim_start_matches('/').replace('/', ".");
    !path.is_empty() && keys.iter().any(|key| **key == *path)
}

pub(super) fn rule(id: &str) -> Option<(RuleId, &'static Kind)> {
    let rule = super::super::find(id)?;
    Some((rule.id, kind(rule)?))
}

/// The noun of a vendor token includes the vendor.
fn noun(rule: RuleId, words: &Kind, kind: &str) -> String {
    if rule == RuleId::SecretVendorToken { format!("{} ({kind})", words.noun) } else { words.noun.to_owned() }
}

fn about(rule: RuleId, fingerprint: &str, way: Way, host: Option<&str>) -> Vec<(&'static str, String)> {
    let mut about = vec![("rule", rule.to_string()), ("value", fingerprint.to_owned()), ("way", way.name().to_owned())];
    about.extend(host.map(|host| ("host", host.to_owned())));
    about
}

/// The path is of a repository's own directory.
fn is_of_git(path: &str) -> bool {
    path.starts_with(".git/") || path.contains("/.git/")
}
