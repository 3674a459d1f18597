//! What a policy says that is allowed, and unwise: codes with a document each.

mod codes;
mod idle;
mod lists;
mod promises;

use agent_strace_model::finding::{Level, PolicyLocation};
use agent_strace_policy::{EntryView, Parts, Policy, TestCall};

use super::fragile::{Fragility, fragility};

pub use codes::{CODES, Code};
pub use idle::{idle, taken_out};

/// One thing to look at.
pub struct Lint {
    pub code: &'static Code,
    pub level: Level,
    pub location: PolicyLocation,
    pub message: String,
    pub help: Option<String>,
}

/// Everything about one policy.
pub struct Lints {
    /// By location, then code.
    pub found: Vec<Lint>,
    pub denies: Vec<Fragility>,
}

/// `now`: what exceptions are measured by; without it their ends are not looked at.
pub fn lint(policy: &Policy, parts: &Parts, now: Option<jiff::Timestamp>) -> Lints {
    let denies = fragility(policy, parts);
    let mut found = idle(policy, parts);
    found.extend(lists::lints(policy, parts));
    found.extend(promises::lints(parts, now));
    // Why an entry forbids nothing says more than that it does.
    let out: Vec<PolicyLocation> = taken_out(policy).into_iter().map(|lint| lint.location).collect();
    found.extend(denies.iter().filter(|deny| !out.contains(&deny.entry.location)).filter_map(of_deny));
    found.sort_by(|one, other| key(one).cmp(&key(other)));
    Lints { found, denies }
}

fn key(lint: &Lint) -> (u32, u32, &str, &str) {
    (lint.location.line, lint.location.column, lint.code.id, &lint.message)
}

/// Entries that change no verdict, and paths that mean other files than they seem to: `policy validate` names them.
pub fn in_vain(policy: &Policy, parts: &Parts) -> Vec<Lint> {
    let mut found = idle(policy, parts);
    found.extend(of_repository(policy));
    found.sort_by(|one, other| key(one).cmp(&key(other)));
    found
}

/// Paths that read like those of the system, and count from the top of the repository. `check` warns of them.
pub fn of_repository(policy: &Policy) -> Vec<Lint> {
    let version_2 = policy.identity().is_some_and(|identity| identity.version == 2);
    own_entries(policy).into_iter().filter_map(|entry| lists::of_repository(entry, version_2)).collect()
}

fn lint_of(code: &'static Code, level: Level, entry: &EntryView, message: String, help: &str) -> Lint {
    Lint { code, level, location: entry.location.clone(), message, help: Some(help.to_owned()) }
}

/// What stands in the file itself, not in one that it extends.
fn own_entries(policy: &Policy) -> Vec<&EntryView> {
    policy.entries().filter(|entry| entry.location.file.is_none()).collect()
}

fn of_deny(deny: &Fragility) -> Option<Lint> {
    let entry = &deny.entry;
    let location = entry.location.clone();
    if let Some(dead) = &deny.dead {
        let message = format!("{} does not forbid {}, which it seems to mean", entry.name, shown(dead));
        let help = "say it so that this is refused, or remove it: what never matches only looks like protection";
        return Some(Lint {
            code: &codes::WITHOUT_EFFECT,
            level: Level::Error,
            location,
            message,
            help: Some(help.to_owned()),
        });
    }
    let (first, counts) = (deny.survivors.first()?, deny.counts());
    let (open, warned, tried) = (counts.passed, counts.warned, counts.tried);
    let how = match (open, warned) {
        (0, _) => format!("{warned} of {tried} disguises are only warned about"),
        (_, 0) => format!("{open} of {tried} disguises pass"),
        _ => format!("{open} of {tried} disguises pass, {warned} more are only warned about"),
    };
    let (name, family, what) = (&entry.name, first.family, first.what);
    let message = format!("{name} is fragile: {how}, such as {} ({family} {what})", shown(&first.calls));
    let help = if open == 0 {
        "an allow list of that kind, or `--fail-on warning`, refuses what can't be resolved".to_owned()
    } else {
        "deny that form, too, or allow only what is needed: what no allow list names is refused in every form"
            .to_owned()
    };
    let level = if open == 0 { Level::Note } else { Level::Warning };
    Some(Lint { code: &codes::FRAGILE_DENY, level, location, message, help: Some(help) })
}

/// Calls in one line.
pub fn shown(calls: &[TestCall]) -> String {
    let one = |call: &TestCall| {
        let arguments = serde_json::from_str::<serde_json::Value>(&call.arguments).ok();
        let get = |name: &str| arguments.as_ref()?.get(name)?.as_str();
        match (get("command").filter(|_| call.tool == "Bash"), get("file_path").or(get("path")).or(get("url"))) {
            (Some(command), _) => format!("`{command}`"),
            (None, Some(target)) => format!("{} `{target}`", call.tool),
            (None, None) => format!("{} `{}`", call.tool, call.arguments),
        }
    };
    calls.iter().map(one).collect::<Vec<_>>().join(", then ")
}

#[cfg(test)]
mod tests;
