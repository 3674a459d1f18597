//! Jobs that have nothing to do with the gate.

use std::collections::BTreeSet;

use super::own::Own;
use super::segments::{Differing, Segment};
use crate::pipelines::calls::names_gate;
use crate::pipelines::formats::{shape, visit_texts};
use crate::pipelines::systems::GITLAB_KEYWORDS;
use crate::pipelines::work::Work;
use crate::repo_audit::{items, member, members};
use agent_strace_policy::json::{Data, Value};

/// Jobs that GitLab treats in a way of its own.
const SPECIAL: &[&str] = &["pages", "pages:deploy"];

/// Words that some readers of YAML take for something else than a text.
const WORDS: &[&str] = &["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nil"];

/// Members that reach beyond the job: they have to stay as they are.
const REACHING: &[&str] = &["resource_group", "id_tokens", "secrets", "identity"];

/// Returns true if a job that differs is an ordinary one, on each side that has it.
pub(super) fn is_ordinary(job: &Differing<'_>, own: &Own<'_>, work: &Work) -> bool {
    let of = |side: &Option<Segment<'_>>, name: &str| side.and_then(|side| member(side.value, name).map(shape));
    has_plain_name(job.key)
        && !own.is_named_like(job.key)
        && !own.mentions(job.key, work)
        && job.sides().all(|side| is_beside(side.value, own) && has_plain_keys(side.value))
        && REACHING.iter().all(|name| of(&job.before, name) == of(&job.head, name))
}

/// Returns true if a job may be extended by any other one: it has nothing that reaches beyond a job.
pub(super) fn is_ordinary_base(job: &Value, own: &Own<'_>) -> bool {
    is_beside(job, own) && has_plain_keys(job) && REACHING.iter().all(|name| member(job, name).is_none())
}

fn has_plain_name(key: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_./:- ".contains(letter);
    let folded = key.to_ascii_lowercase();
    let is_word = [WORDS, GITLAB_KEYWORDS, SPECIAL].iter().any(|words| words.contains(&folded.as_str()));
    key.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && key.chars().all(is_plain)
        && !key.contains("  ")
        && !key.ends_with([' ', ':'])
        && !is_word
}

/// Returns true if a job does not name the gate, and starts no other pipeline.
fn is_beside(job: &Value, own: &Own<'_>) -> bool {
    let mut names = false;
    visit_texts(job, &mut |text| names |= names_gate(text) || own.has(text));
    matches!(job.data, Data::Object(_)) && !names && member(job, "trigger").is_none()
}

/// Returns true if every reader has the same members of a value: Ruby takes `:tags` for `tags` and `<<` for the members of
/// another value, and readers differ in which of two equal keys they take.
pub(super) fn has_plain_keys(value: &Value) -> bool {
    let mut seen = BTreeSet::new();
    let is_plain = |name: &str| !name.starts_with(':') && name != "<<";
    items(value).iter().all(has_plain_keys)
        && members(value)
            .iter()
            .all(|(key, value)| is_plain(&key.name) && seen.insert(key.name.as_str()) && has_plain_keys(value))
}
