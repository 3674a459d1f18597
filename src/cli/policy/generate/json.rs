//! A generated policy for programs.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use super::GenerateReport;
use super::text;
use agent_strace_engine::generate::{Basis, HeldOut, Reason, Seen, Verdict};
use agent_strace_policy::format::{self, Comments};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "generated policy"))]
struct Document<'t> {
    schema_version: u32,
    sessions: usize,
    entries: Vec<Entry<'t>>,
    review: Vec<Review>,
    over_permission: OverPermission,
    probes: Vec<Probed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    held_out: Option<Measured>,
    /// As it is, or would be, in the file.
    #[cfg_attr(test, schemars(with = "Option<serde_json::Map<String, serde_json::Value>>"))]
    policy: Option<Box<RawValue>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Entry<'t> {
    pointer: &'t str,
    text: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<&'static str>,
    #[serde(flatten)]
    seen: Counts,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Counts {
    sessions: usize,
    calls: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

/// How much is allowed that nobody did.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OverPermission {
    probes: usize,
    allowed: usize,
    /// The share of each kind of probe that is allowed, in percent; all kinds weigh the same.
    percent: f64,
}

/// Effects of a kind that no session had.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Probed {
    kind: &'static str,
    probes: usize,
    allowed: usize,
}

/// Every session in turn, judged by a policy made from the others.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Measured {
    /// What ran: calls, and changes of files that no call explains.
    calls: usize,
    /// Calls that the policy is too narrow for.
    denied: usize,
    /// Of the others, calls that are left to people however often they are seen.
    held_back: usize,
    /// Of the others, calls of which nobody can say what they do.
    unresolved: usize,
    /// Both of these.
    review: usize,
    /// `denied` in percent of `calls`.
    denied_percent: f64,
    /// What is refused, by why and by kind of effect.
    classes: Vec<Class>,
    sessions: Vec<Session>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Class {
    verdict: &'static str,
    /// As in `review`, where the verdict is not `denied`.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    kind: &'static str,
    effects: usize,
    /// A call with several such effects counts for each.
    calls: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Session {
    id: String,
    calls: usize,
    denied: usize,
    held_back: usize,
    unresolved: usize,
    review: usize,
    /// What the policy is too narrow for.
    effects: Vec<String>,
    /// Everything that is refused.
    refused: Vec<Refused>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Refused {
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    effect: String,
    calls: usize,
}

pub(super) fn json(told: &GenerateReport<'_>) -> String {
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
                    Basis::Seen | Basis::Stranger | Basis::Except => None,
                    Basis::Family(name) | Basis::Kin(name) | Basis::Builtin(name) => Some(name),
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
                why: agent_strace_secrets::redact(item.reason.text()).as_str().to_owned(),
                seen: counts(&item.seen),
            })
            .collect(),
        over_permission: OverPermission {
            probes: told.probed.iter().map(|one| one.asked).sum(),
            allowed: told.probed.iter().map(|one| one.allowed).sum(),
            percent: text::over_permission(told.probed),
        },
        probes: told
            .probed
            .iter()
            .map(|one| Probed { kind: one.kind, probes: one.asked, allowed: one.allowed })
            .collect(),
        held_out: told.held_out.map(|held_out| measured(told, held_out)),
        // JSON has no comments. The text was made here, so it can be laid out without them.
        policy: format::format("", &draft.text, Comments::Strip)
            .ok()
            .and_then(|text| RawValue::from_string(text.trim().to_owned()).ok()),
    };
    let mut json = serde_json::to_string(&document).unwrap_or_default();
    json.push('\n');
    json
}

fn effect(effect: &agent_strace_effects::Effect) -> Effect {
    let view = effect.view();
    let redacted = |text: Option<String>| text.map(|text| agent_strace_secrets::redact(&text).as_str().to_owned());
    let words = |argv: Vec<String>| -> Vec<String> {
        agent_strace_secrets::redact_words(argv.iter().map(String::as_str))
            .iter()
            .map(|word| word.as_str().to_owned())
            .collect()
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

fn measured(told: &GenerateReport<'_>, held_out: &[HeldOut]) -> Measured {
    let sum = |verdict| held_out.iter().map(|one| one.refused(verdict)).sum::<usize>();
    let calls = held_out.iter().map(|one| one.calls).sum();
    let (denied, held_back, unresolved) = (sum(Verdict::Denied), sum(Verdict::HeldBack), sum(Verdict::Unresolved));
    Measured {
        calls,
        denied,
        held_back,
        unresolved,
        review: held_back + unresolved,
        denied_percent: text::percent(denied, calls),
        classes: classes(held_out),
        sessions: held_out.iter().map(|one| session(told, one)).collect(),
    }
}

fn classes(held_out: &[HeldOut]) -> Vec<Class> {
    let mut classes: BTreeMap<_, (usize, usize)> = BTreeMap::new();
    for refused in held_out.iter().flat_map(|one| &one.effects) {
        let class = (refused.verdict, refused.reason.as_ref().map(Reason::code), refused.kind);
        let (effects, calls) = classes.entry(class).or_default();
        *effects += 1;
        *calls += refused.calls;
    }
    let class = |((verdict, reason, kind), (effects, calls)): ((Verdict, _, _), _)| Class {
        verdict: verdict.name(),
        reason,
        kind,
        effects,
        calls,
    };
    classes.into_iter().map(class).collect()
}

fn session(told: &GenerateReport<'_>, one: &HeldOut) -> Session {
    let id = told.observed.sessions.get(one.session as usize).map_or("", |session| session.id.as_str());
    let redacted = |text: &str| agent_strace_secrets::redact(text).as_str().to_owned();
    let (held_back, unresolved) = (one.refused(Verdict::HeldBack), one.refused(Verdict::Unresolved));
    let mut effects: Vec<String> = one
        .effects
        .iter()
        .filter(|refused| refused.verdict == Verdict::Denied)
        .map(|refused| redacted(&refused.effect))
        .collect();
    effects.sort();
    Session {
        id: redacted(id),
        calls: one.calls,
        denied: one.refused(Verdict::Denied),
        held_back,
        unresolved,
        review: held_back + unresolved,
        effects,
        refused: one
            .effects
            .iter()
            .map(|refused| Refused {
                verdict: refused.verdict.name(),
                reason: refused.reason.as_ref().map(Reason::code),
                effect: redacted(&refused.effect),
                calls: refused.calls,
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use agent_strace_testing::schemas::{keep, written};

    #[test]
    fn the_schema_is_that_of_the_types() {
        keep("policy-generate.v1", &written::<super::Document<'static>>());
    }
}
