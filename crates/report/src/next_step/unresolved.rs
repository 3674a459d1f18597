//! Advice about an act that the log does not show in full.

use agent_strace_engine::policy_testing::{ProposedFor, Vouching, list_of_commands};
use agent_strace_secrets::Redacted;

use super::by_policy::{Decider, FOR_PEOPLE, is_for_people, list_of, taken_out};
use super::{EXCEPTION, NAME, quoted, target, version};
use crate::escape::shorten;
use crate::view::{Report, ShownEffect, ShownFinding};

pub(super) fn step(report: &Report, finding: &ShownFinding) -> Option<String> {
    let effect = finding.effect.as_deref()?;
    if effect.kind == "opaque" {
        return Some(vouching(report, effect, finding));
    }
    let exactly = if effect.kind == "connect" { "the host" } else { "what it touches" };
    let plain = || format!("let the agent name {exactly} exactly, or add {EXCEPTION}");
    let Some(location) = finding.policy.as_ref().filter(|_| !finding.is_sensitive) else { return Some(plain()) };
    let list = list_of(location);
    Some(match Decider::of(finding, location) {
        Decider::Deny | Decider::Ask => format!(
            "let the agent name {exactly} exactly, so that it can be judged; if the act is right, narrow the entry in \
             {list}, or add {EXCEPTION}"
        ),
        Decider::Unlisted if is_for_people(finding) => FOR_PEOPLE.to_owned(),
        Decider::Unlisted if location.entry.is_some() => taken_out(report, effect, location).unwrap_or_else(plain),
        Decider::Unlisted => match target(report, effect) {
            Some(entry) => {
                format!("let the agent name {exactly} exactly, or add an entry to {list} that holds all of {entry}")
            }
            None => plain(),
        },
        Decider::DenyAll => {
            format!("let the agent name the host exactly and add it to network.allow, or add {EXCEPTION}")
        }
        Decider::Default | Decider::Tools | Decider::Other => plain(),
    })
}

/// Says how a policy vouches for the act, or what else helps where no entry can.
fn vouching(report: &Report, effect: &ShownEffect, finding: &ShownFinding) -> String {
    let words: Vec<&str> = effect.vouched_by.iter().map(Redacted::as_str).collect();
    let pointer = finding.policy.as_ref().map(|location| location.pointer.as_str());
    let list = pointer.and_then(list_of_commands).unwrap_or_else(|| "commands.allow".to_owned());
    match Vouching::new(effect.class.unwrap_or_default(), &words, pointer, version(report)) {
        Vouching::Hidden => {
            format!("no entry vouches for hidden code: let the agent write the command out, or add {EXCEPTION}")
        }
        Vouching::Unnamed => match finding.tool.as_ref().and_then(|tool| tool_edit(tool.as_str())) {
            Some(entry) => format!("add {entry} to vouch for the tool, or add {EXCEPTION}"),
            None => format!("let the agent write out what it does, so that it can be judged, or add {EXCEPTION}"),
        },
        Vouching::Entry(words) => format!("put {} into {list} to vouch for it", quoted(&words)),
        Vouching::EvenIfChanged(None) => format!(
            "the session changed what runs: allow the command with `\"even_if_changed\": true` in {list} (version 2), or add {EXCEPTION}"
        ),
        Vouching::EvenIfChanged(Some(words)) => format!(
            "the session changed what runs: put `{{\"command\": \"{}\", \"even_if_changed\": true}}` into {list} (version \
             2) to vouch for it",
            shorten(&words, NAME)
        ),
        Vouching::Rule(rule) => format!("add `{rule}` to the rules of the policy to vouch for it"),
        Vouching::AnyCode(program) => format!(
            "let the agent run the command itself: an entry for {} in {list} would vouch for any code",
            quoted(&program)
        ),
        Vouching::Nothing => format!("look at what it runs, or add {EXCEPTION}"),
    }
}

/// `npm test`, as an entry of `commands.allow` says it.
pub(super) fn vouching_words(effect: &ShownEffect) -> String {
    let words: Vec<&str> = effect.vouched_by.iter().map(Redacted::as_str).collect();
    quoted(&words.join(" "))
}

/// `mcp__github__get_issue` → the edit that allows it, behind "add".
fn tool_edit(tool: &str) -> Option<String> {
    let (server, name) = tool.strip_prefix("mcp__")?.split_once("__")?;
    let edit = ProposedFor { server: Some(server), tool: Some(name), ..ProposedFor::default() }.tool_edit()?;
    Some(shorten(&edit, 2 * NAME))
}
