//! A secret was read, then something left the machine; or files were sent that may be denied.

mod gathered;

use super::{Act, Check, Hit, Log, Rule};
use agent_strace_effects::{Certainty, Kind, PROVIDER};
use agent_strace_model::Status;
use agent_strace_model::finding::{Level, RuleId};
use agent_strace_policy::{Basis, Decision};

pub(super) static RULE: Rule = Rule {
    id: RuleId::SequenceSecretEgress,
    level: Level::Warning,
    summary: "a secret was read before a connection to another host, or files that may be denied were sent to one",
    spec: include_str!("../../specs/sequence-secret-egress.md"),
    check: Check::Acts(check),
};

fn check(log: &Log<'_>, hits: &mut Vec<Hit>) {
    secrets(log.acts, hits);
    gathered::check(log.acts, hits);
}

/// A secret was read, and the same call or a later one connects to another host.
fn secrets(acts: &[Act<'_>], hits: &mut Vec<Hit>) {
    let mut read_at: Option<(u32, String)> = None;
    let mut reported = std::collections::BTreeSet::new();
    // The order of effects within a call says little: a read anywhere in it counts for its connections.
    let mut from = 0;
    while let Some(first) = acts.get(from) {
        let event = first.event;
        let length = acts.iter().skip(from).take_while(|act| act.event == event).count();
        let call = acts.get(from..from + length).unwrap_or_default();
        if let Some(path) = call.iter().find_map(|act| secret_read(act, call)) {
            read_at = Some((event, path));
        }
        if let Some((read, path)) = &read_at {
            for (at, act) in call.iter().enumerate() {
                let Some(host) = egress(act) else { continue };
                let (level, when) = if *read == event {
                    (Level::Error, "the same call".to_owned())
                } else {
                    (Level::Warning, format!("event {read}"))
                };
                // A secret that may have left for a host is reported once, unless a later call sends it for sure.
                if !reported.insert((path.clone(), host.clone(), level)) {
                    continue;
                }
                let verb =
                    if act.effect.via == PROVIDER { "has the model's provider open a page of" } else { "connects to" };
                let message = format!("{verb} {host} after {when} read `{path}`");
                let since = if *read == event { Vec::new() } else { vec![(*read, format!("reads `{path}`"))] };
                hits.push(Hit { since, ..Hit::at(from + at, &RULE, level, message) });
            }
        }
        from += length;
    }
}

/// The secret that an act of the call read.
fn secret_read(act: &Act<'_>, call: &[Act<'_>]) -> Option<String> {
    let Kind::Read(target) = &act.effect.kind else { return None };
    // A search through a whole directory is not after one file, and what it found is not known.
    let one = !target.subtree && act.effect.certainty != Certainty::Pattern;
    let secret = act.judgement.sensitive
        || one
            && act.judgement.location.is_some()
            && act.judgement.decision == Decision::Denied
            && act.judgement.basis == Basis::Entry;
    let is_read = secret && happened(act) && !act.effect.origin.named && !is_own_key(act, &target.path, call);
    is_read.then(|| target.shown().into_owned())
}

/// Programs that prove with the key behind `-i` who they are, and send none. To others, such as `rsync`, the option means
/// something else.
const BY_KEY: &[&str] = &["ssh", "scp", "sftp", "autossh"];

/// `ssh -i KEY` reads the key to prove who it is: the key stays here, unless the command also names it as a file to copy.
fn is_own_key(act: &Act<'_>, path: &str, call: &[Act<'_>]) -> bool {
    let parent = act.effect.origin.parent.and_then(|parent| call.get(parent as usize));
    let Some(Kind::Execute(execution)) = parent.map(|parent| &parent.effect.kind) else { return false };
    let mut words = execution.argv.iter().map(|word| word.text.as_str());
    let name = words.next().map_or("", |program| program.rsplit('/').next().unwrap_or(program));
    let file = path.rsplit('/').next().unwrap_or(path);
    let words: Vec<&str> = words.collect();
    let is_key = |word: &str| word.rsplit('/').next() == Some(file);
    let follows = words.windows(2).any(|pair| matches!(pair, ["-i", key] if is_key(key)));
    // `ssh -iKEY`
    let is_attached =
        words.iter().any(|word| word.strip_prefix("-i").is_some_and(|key| !key.is_empty() && is_key(key)));
    let times = words.iter().filter(|word| is_key(word)).count();
    BY_KEY.contains(&name) && (follows || is_attached) && times == 1
}

/// The host that an act may have sent something to.
fn egress(act: &Act<'_>) -> Option<String> {
    let Kind::Connect(connection) = &act.effect.kind else { return None };
    // A policy without `deny_all` allows every host; only an entry says that this one is trusted.
    let is_listed = act.judgement.decision == Decision::Allowed && act.judgement.basis == Basis::Entry;
    if !happened(act) || is_listed || act.effect.origin.named {
        return None;
    }
    match connection.host.as_deref() {
        None => Some("a host that is not known".to_owned()),
        Some(host) if is_here(host) => None,
        Some(host) if host.starts_with("registry:") => None,
        Some(host) => Some(format!("`{host}`")),
    }
}

fn happened(act: &Act<'_>) -> bool {
    act.status != Some(Status::Denied)
}

/// This machine.
pub(super) fn is_here(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "::1" | "0.0.0.0")
}
