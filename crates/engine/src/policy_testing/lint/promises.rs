//! Lints of what a policy promises beside its lists: exceptions and labels.

use serde_json::Value;

use agent_strace_model::finding::{Family, Level};
use agent_strace_policy::Parts;

use super::codes::{ENDLESS_EXCEPTION, EVIDENCE_BY_PLACE, OPENED_FLOOR, UNUSED_LABEL};
use super::{Code, Lint};

/// An exception that lasts longer is forgotten.
const LONGEST_DAYS: i32 = 180;

pub(super) fn lints(parts: &Parts, now: Option<jiff::Timestamp>) -> Vec<Lint> {
    let mut found = unused_labels(parts);
    if parts.value("/provenance").is_some() {
        let message = "`provenance` goes by the places of entries, and nothing reads it".to_owned();
        let help =
            "remove it; `agent-strace policy --merge` writes the file beside the policy that says the same by text";
        found.push(lint(&EVIDENCE_BY_PLACE, Level::Warning, parts, "/provenance", message, help));
    }
    let exceptions = parts.value("/exceptions").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (index, exception) in exceptions.iter().enumerate() {
        let pointer = format!("/exceptions/{index}");
        found.extend(opened_floor(parts, exception, &pointer));
        found.extend(endless(parts, exception, &pointer, now));
    }
    found
}

fn lint(code: &'static Code, level: Level, parts: &Parts, pointer: &str, message: String, help: &str) -> Lint {
    Lint { code, level, location: parts.location(pointer), message, help: Some(help.to_owned()) }
}

fn opened_floor(parts: &Parts, exception: &Value, pointer: &str) -> Option<Lint> {
    let rule = exception.get("rule")?.as_str().filter(|rule| Family::of(rule) == Some(Family::Floor))?;
    let message = format!("this exception opens `{rule}`: what is built in to protect the gate itself");
    let help = "keep it short, and for one file; remove it when the work is done";
    Some(lint(&OPENED_FLOOR, Level::Warning, parts, &format!("{pointer}/rule"), message, help))
}

fn endless(parts: &Parts, exception: &Value, pointer: &str, now: Option<jiff::Timestamp>) -> Option<Lint> {
    let help = "say until when it is needed: \"until\": \"2026-12-31\"";
    let Some(until) = exception.get("until").and_then(Value::as_str) else {
        let message = "this exception has no end".to_owned();
        return Some(lint(&ENDLESS_EXCEPTION, Level::Error, parts, pointer, message, help));
    };
    let end: jiff::civil::Date = until.get(..10)?.parse().ok()?;
    let today = now?.to_zoned(jiff::tz::TimeZone::UTC).date();
    let days = today.until(end).ok()?.get_days();
    let message = format!("this exception lasts {days} days more, until {end}");
    let pointer = format!("{pointer}/until");
    (days > LONGEST_DAYS).then(|| lint(&ENDLESS_EXCEPTION, Level::Warning, parts, &pointer, message, help))
}

fn unused_labels(parts: &Parts) -> Vec<Lint> {
    let Some(labels) = parts.value("/labels").and_then(Value::as_object) else { return Vec::new() };
    let Some(root) = parts.value("") else { return Vec::new() };
    let mut texts = Vec::new();
    strings(root, &mut texts);
    let names = |text: &str, label: &str| {
        text.match_indices("label:").any(|(at, mark)| {
            let name = text.get(at + mark.len()..).and_then(|rest| rest.split_whitespace().next());
            name == Some(label)
        })
    };
    let unused = labels.keys().filter(|label| !texts.iter().any(|text| names(text, label)));
    unused
        .map(|label| {
            let pointer = format!("/labels/{}", label.replace('~', "~0").replace('/', "~1"));
            let message = format!("no entry names the label `{label}`");
            let help = format!("write `label:{label}` where a path pattern may stand, or remove it");
            lint(&UNUSED_LABEL, Level::Warning, parts, &pointer, message, &help)
        })
        .collect()
}

/// Every string of the policy. Its depth was limited when it was read.
fn strings<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, texts)),
        Value::Object(members) => members.values().for_each(|member| strings(member, texts)),
        _ => {}
    }
}
