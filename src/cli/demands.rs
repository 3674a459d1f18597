//! `.agent-evals.yaml` and the baseline of its scores, from disk or from the revision that the policy comes from.

use std::collections::BTreeSet;
use std::path::Path;

use super::configuration;
use super::failure::{Failure, reason};
use super::policy_file;
use super::trust::TrustBase;
use agent_strace_policy::config::evals::{self, Evals};
use agent_strace_policy::config::{is_too_large, read_bytes};
use agent_strace_policy::json::{self, Data, Value};
use agent_strace_policy::quoted;
use agent_strace_rules::eval::{Baseline, BaselineFault, Verdicts};

/// Where a file is read from, and how its faults are shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin<'a> {
    pub(super) trust_base: TrustBase<'a>,
    pub(super) colour: bool,
}

/// The file that was asked for, the default one, or none.
pub(super) fn load(asked: Option<&str>, origin: Origin<'_>) -> Result<Option<Evals>, Failure> {
    let asked = asked.map(policy_file::shown);
    let names = asked.as_deref().map_or_else(|| evals::NAMES.to_vec(), |name| vec![name]);
    for name in names {
        let Some(bytes) = configuration::bytes(name, origin.trust_base, asked.is_some())? else { continue };
        let colour = policy_file::colour(origin.colour);
        return match evals::read(name, &bytes) {
            Ok(evals) => Ok(Some(evals)),
            Err(faults) => Err(policy_file::faulty("evals file", name, &faults, colour)),
        };
    }
    Ok(None)
}

/// The scores of an earlier run.
pub(super) fn baseline(path: &str, evals: &Evals, origin: Origin<'_>) -> Result<Baseline, Failure> {
    let path = policy_file::shown(path);
    let unusable = |reason: String| Failure::new(format!("the baseline `{path}` can't be used: {reason}"));
    let bytes = match origin.trust_base.revision {
        Some(revision) => origin.trust_base.read(revision, &path).map_err(|error| unusable(error.to_string()))?.bytes,
        None => read_bytes(Path::new(&path)).map_err(|error| unusable(reason(&error)))?,
    };
    let text = text(&bytes).map_err(unusable)?;
    Baseline::read(text, evals).map_err(|fault| {
        let failure = unusable(fault.to_string());
        match fault {
            BaselineFault::Missing(_) => failure.hint("a demand without a value would never be judged: save it again"),
            _ => failure.hint("`agent-strace eval --save-baseline FILE` writes one"),
        }
    })
}

/// The text of a JSON file of values by name, where no name has two of them: readers would disagree on which one counts.
pub(super) fn text(bytes: &[u8]) -> Result<&str, String> {
    if is_too_large(bytes) {
        return Err("it is larger than 1 MiB".to_owned());
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    // Invalid JSON is reported by the reader of the values.
    let document = json::read(text).ok();
    match document.as_ref().and_then(|document| twice(&document.root)) {
        Some(name) => Err(format!("{} stands twice in one object", quoted(name))),
        None => Ok(text),
    }
}

fn twice(value: &Value) -> Option<&str> {
    match &value.data {
        Data::Object(members) => {
            let mut seen = BTreeSet::new();
            let repeated = members.iter().find(|(key, _)| !seen.insert(key.name.as_str()));
            repeated.map(|(key, _)| key.name.as_str()).or_else(|| members.iter().find_map(|(_, value)| twice(value)))
        }
        Data::List(items) => items.iter().find_map(twice),
        _ => None,
    }
}

/// The recorded results of LLM judges. They come from the user and are not part of the judged change.
pub(super) fn verdicts(path: Option<&str>) -> Result<Verdicts, Failure> {
    let Some(path) = path.map(policy_file::shown) else { return Ok(Verdicts::default()) };
    let unusable = |reason: String| Failure::new(format!("the verdicts `{path}` can't be used: {reason}"));
    let bytes = read_bytes(Path::new(&path)).map_err(|error| unusable(reason(&error)))?;
    let text = text(&bytes).map_err(unusable)?;
    Verdicts::read(text).map_err(|fault| {
        unusable(fault.to_string()).hint("write {\"SESSION\": {\"SCORER\": {\"score\": 0.8, \"reason\": \"…\"}}}")
    })
}
