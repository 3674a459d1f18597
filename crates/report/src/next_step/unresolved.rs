//! Advice about an act that the log does not show in full.

use agent_strace_engine::generate::{Form, form};
use agent_strace_engine::policy_testing::{is_of_commands, vouching_rule, without_directory};
use agent_strace_secrets::Redacted;

use super::by_policy::{Decider, FOR_PEOPLE, is_for_people, list_of};
use super::{EXCEPTION, NAME, quoted, target, version};
use crate::escape::shorten;
use crate::view::{Report, ShownEffect, ShownFinding};

pub(super) fn step(report: &Report, finding: &ShownFinding) -> Option<String> {
    let effect = finding.effect.as_deref()?;
    if effect.kind == "opaque" {
        let has_list = finding.policy.as_ref().is_some_and(|location| is_of_commands(&location.pointer));
        return Some(if has_list {
            vouching(effect, finding.tool.as_ref().map(Redacted::as_str))
        } else {
            vouching_alone(report, effect, finding)
        });
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
        Decider::Unlisted => match target(report, effect) {
            Some(entry) => {
                format!("let the agent name {exactly} exactly, or add an entry to {list} that holds all of {entry}")
            }
            None => plain(),
        },
        Decider::DenyAll => {
            format!("let the agent name the host exactly and add it to network.allow, or add {EXCEPTION}")
        }
        Decider::Default | Decider::Other => plain(),
    })
}

/// Proposes a rule that vouches for the command. The policy has no allow list for commands, and the first entry of one would
/// refuse every command that it does not name.
fn vouching_alone(report: &Report, effect: &ShownEffect, finding: &ShownFinding) -> String {
    let words: Vec<&str> = effect.vouched_by.iter().map(Redacted::as_str).collect();
    let is_code = matches!(words.as_slice(), [program] if matches!(form(program), Form::Code | Form::Commands));
    if effect.class == Some("hidden") || words.is_empty() && effect.class != Some("changed") || is_code {
        return vouching(effect, finding.tool.as_ref().map(Redacted::as_str));
    }
    let rule = vouching_rule(&words).filter(|_| version(report) >= 2 && effect.class != Some("changed"));
    match rule {
        Some(rule) => format!("add `{rule}` to the rules of the policy to vouch for it"),
        None => format!("look at what it runs, or add {EXCEPTION}"),
    }
}

/// The entry that vouches for it, or what helps where none does.
pub(crate) fn vouching(effect: &ShownEffect, tool: Option<&str>) -> String {
    let words: Vec<&str> = effect.vouched_by.iter().map(Redacted::as_str).collect();
    let words = shorten(&words.join(" "), NAME);
    match (effect.class, words.as_str()) {
        (Some("hidden"), _) => {
            format!("no entry vouches for hidden code: let the agent write the command out, or add {EXCEPTION}")
        }
        (Some("changed"), "") => format!(
            "the session changed what runs: allow the command with `\"even_if_changed\": true` in commands.allow (version \
             2), or add {EXCEPTION}"
        ),
        (Some("changed"), words) => format!(
            "the session changed what runs: put `{{\"command\": \"{words}\", \"even_if_changed\": true}}` into \
             commands.allow (version 2) to vouch for it"
        ),
        (_, "") => match tool.and_then(tool_entry) {
            Some(entry) => format!("add {entry} to vouch for the tool, or add {EXCEPTION}"),
            None => format!("let the agent write out what it does, so that it can be judged, or add {EXCEPTION}"),
        },
        (_, words) => match effect.vouched_by.as_slice() {
            [program] if matches!(form(program.as_str()), Form::Code | Form::Commands) => format!(
                "let the agent run the command itself: an entry for `{}` in commands.allow would vouch for any code",
                without_directory(program.as_str())
            ),
            _ => format!("put `{words}` into commands.allow to vouch for it"),
        },
    }
}

/// `npm test`, as an entry of `commands.allow` says it.
pub(super) fn vouching_words(effect: &ShownEffect) -> String {
    let words: Vec<&str> = effect.vouched_by.iter().map(Redacted::as_str).collect();
    quoted(&words.join(" "))
}

/// `mcp__github__get_issue` → the entry that allows it.
fn tool_entry(tool: &str) -> Option<String> {
    let (server, name) = tool.strip_prefix("mcp__")?.split_once("__")?;
    let [server, name] = [server, name].map(|part| shorten(part, NAME));
    Some(format!("`\"mcp\": {{\"servers\": {{\"{server}\": {{\"allow\": [\"{name}\"]}}}}}}`"))
}
