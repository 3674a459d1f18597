//! A generated policy for programs.

use serde::Serialize;
use serde_json::value::RawValue;

use super::Told;
use super::text;
use crate::generate::{Basis, HeldOut, Seen};
use crate::privacy;

#[derive(Serialize)]
struct Document<'t> {
    schema_version: u32,
    sessions: usize,
    entries: Vec<Entry<'t>>,
    review: Vec<Review>,
    withdrawn: &'t [String],
    probes: Vec<Probed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    held_out: Option<Measured>,
    /// As it is, or would be, in the file.
    policy: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct Entry<'t> {
    pointer: &'t str,
    text: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<&'static str>,
    #[serde(flatten)]
    seen: Counts,
}

#[derive(Serialize)]
struct Counts {
    sessions: usize,
    calls: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<String>,
}

#[derive(Serialize)]
struct Review {
    /// In one line.
    shown: String,
    effect: Effect,
    reason: &'static str,
    why: String,
    #[serde(flatten)]
    seen: Counts,
}

/// As `check` and `effects` give it.
#[derive(Serialize)]
struct Effect {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    argv: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct Probed {
    kind: &'static str,
    probes: usize,
    allowed: usize,
}

#[derive(Serialize)]
struct Measured {
    calls: usize,
    denied: usize,
    review: usize,
    sessions: Vec<Session>,
}

#[derive(Serialize)]
struct Session {
    id: String,
    calls: usize,
    denied: usize,
    review: usize,
    effects: Vec<String>,
}

pub(super) fn json(told: &Told<'_>) -> String {
    let draft = told.draft;
    let document = Document {
        schema_version: 1,
        sessions: told.observed.sessions.len(),
        entries: draft
            .entries
            .iter()
            .map(|entry| Entry {
                pointer: &entry.pointer,
                text: &entry.text,
                family: match entry.basis {
                    Basis::Seen => None,
                    Basis::Family(name) => Some(name),
                },
                seen: counts(&entry.seen),
            })
            .collect(),
        review: draft
            .review
            .iter()
            .map(|item| Review {
                shown: text::shown(&item.effect),
                effect: effect(&item.effect),
                reason: item.reason.code(),
                why: privacy::redact(&item.reason.text()).as_str().to_owned(),
                seen: counts(&item.seen),
            })
            .collect(),
        withdrawn: &draft.withdrawn,
        probes: told
            .probed
            .iter()
            .map(|one| Probed { kind: one.kind, probes: one.asked, allowed: one.allowed })
            .collect(),
        held_out: told.held_out.map(|held_out| measured(told, held_out)),
        policy: RawValue::from_string(draft.text.trim().to_owned()).ok(),
    };
    let mut json = serde_json::to_string(&document).unwrap_or_default();
    json.push('\n');
    json
}

fn effect(effect: &crate::effects::Effect) -> Effect {
    let view = effect.view();
    let redacted = |text: Option<String>| text.map(|text| privacy::redact(&text).as_str().to_owned());
    let words = |argv: Vec<String>| -> Vec<String> {
        privacy::redact_words(argv.iter().map(String::as_str)).iter().map(|word| word.as_str().to_owned()).collect()
    };
    Effect {
        kind: view.kind,
        path: redacted(view.path),
        argv: view.argv.map(words),
        host: redacted(view.host),
        server: redacted(view.server),
        tool: redacted(view.tool),
        reason: redacted(view.reason),
    }
}

fn counts(seen: &Seen) -> Counts {
    Counts {
        sessions: seen.sessions,
        calls: seen.calls,
        first: seen.first.map(|time| time.to_string()),
        last: seen.last.map(|time| time.to_string()),
    }
}

fn measured(told: &Told<'_>, held_out: &[HeldOut]) -> Measured {
    let id = |session: u32| told.observed.sessions.get(session as usize).map_or("", |session| session.id.as_str());
    Measured {
        calls: held_out.iter().map(|one| one.calls).sum(),
        denied: held_out.iter().map(|one| one.denied).sum(),
        review: held_out.iter().map(|one| one.review).sum(),
        sessions: held_out
            .iter()
            .map(|one| Session {
                id: privacy::redact(id(one.session)).as_str().to_owned(),
                calls: one.calls,
                denied: one.denied,
                review: one.review,
                effects: one.effects.iter().map(|effect| privacy::redact(effect).as_str().to_owned()).collect(),
            })
            .collect(),
    }
}
