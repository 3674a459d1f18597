//! Advice about an act that an entry of the policy forbids, or that no entry allows.

use std::collections::BTreeSet;

use agent_strace_engine::generate::Form;
use agent_strace_engine::policy_testing::{ONLY_WIDE, is_plain, list_of_commands};
use agent_strace_model::finding::RuleId;
use agent_strace_policy::dotted;

use super::unresolved::vouching_words;
use super::{EXCEPTION, NAME, NAMED, named, proposed_for, quoted, target, version};
use crate::escape::shorten;
use crate::view::{Report, ShownEffect, ShownFinding, ShownLocation};

/// The part of a policy that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decider {
    /// An entry that forbids.
    Deny,
    /// An entry that wants a person's approval.
    Ask,
    /// A list in which the act is missing.
    Unlisted,
    DenyAll,
    /// `defaults.decision`.
    Default,
    /// `mcp.default`.
    Tools,
    Other,
}

impl Decider {
    pub(super) fn of(finding: &ShownFinding, location: &ShownLocation) -> Self {
        let name = dotted(&location.pointer);
        let list = name.rsplit('.').next().unwrap_or_default();
        let list = list.split('[').next().unwrap_or_default();
        match list {
            "rules" if finding.rule == RuleId::ScopeApproval => Self::Ask,
            "deny" | "deny_set" | "rules" => Self::Deny,
            "ask" => Self::Ask,
            "allow" | "allow_set" => Self::Unlisted,
            "deny_all" => Self::DenyAll,
            "decision" => Self::Default,
            "default" if finding.rule == RuleId::ScopeTool => Self::Tools,
            _ => Self::Other,
        }
    }
}

/// Returns true if advice would propose to allow sensitive files.
pub(super) fn is_for_people(finding: &ShownFinding) -> bool {
    let (Some(effect), Some(location)) = (finding.effect.as_deref(), finding.policy.as_ref()) else { return false };
    matches!(Decider::of(finding, location), Decider::Unlisted | Decider::Default)
        && proposed_for(effect).is_for_people()
}

/// Advice about one act.
pub(super) fn step(report: &Report, finding: &ShownFinding) -> Option<String> {
    let (effect, location) = (finding.effect.as_deref()?, finding.policy.as_ref()?);
    if is_for_people(finding) {
        return Some(FOR_PEOPLE.to_owned());
    }
    Some(match Decider::of(finding, location) {
        Decider::Deny => denied(report, effect, location),
        Decider::Ask => format!("a person has to look at it: {EXCEPTION} in the policy approves it"),
        Decider::Unlisted if effect.kind == "tool" => allow_tool(report, effect, &list_of(location))?,
        Decider::Tools => allow_tool(report, effect, &list_of(location))?,
        Decider::Unlisted => unlisted(report, effect, location)?,
        Decider::DenyAll => allow_host(effect)?,
        Decider::Default if effect.kind == "tool" => allow_tool(report, effect, "")?,
        Decider::Default if effect.kind == "spawn" => {
            let rule = proposed_for(effect).spawning_rule()?;
            format!("add `{}` to the rules of the policy, or let the agent do without", shorten(&rule, 3 * NAME))
        }
        Decider::Default => format!(
            "add {} to {}.allow: `defaults.decision` denies what no entry allows",
            target(report, effect)?,
            proposed_for(effect).section()?
        ),
        Decider::Other => return None,
    })
}

/// Advice for an act that a list does not allow.
fn unlisted(report: &Report, effect: &ShownEffect, location: &ShownLocation) -> Option<String> {
    let (act, list) = (proposed_for(effect), list_of(location));
    if let Some(text) = taken_out(report, effect, location) {
        return Some(text);
    }
    if act.is_risky() {
        return Some(match target(report, effect) {
            Some(entry) => format!(
                "let the agent do without, or a person decides: {entry} in {list} allows this command, and a shorter entry \
                 more than it"
            ),
            None => format!("let the agent do without, or add {EXCEPTION}: {ONLY_WIDE}"),
        });
    }
    Some(match act.program() {
        Some((program, Form::Code)) => match act.script() {
            Some(script) => format!(
                "add {} to {list}, or let the agent do without: an entry for `{program}` alone allows any code",
                quoted(&format!("{program} {script}"))
            ),
            None => format!(
                "let the agent run the command itself, without `{program}`: an entry for `{program}` in {list} allows \
                 code that is not always seen"
            ),
        },
        Some((program, Form::Commands)) => {
            format!("add `{program}` to {list}: the commands that it starts are judged by themselves")
        }
        _ => format!("add {} to {list}, or let the agent do without", target(report, effect)?),
    })
}

/// Advice for a file that an entry (`!x`) takes out of an allow list: adding the file to the list does nothing.
pub(super) fn taken_out(report: &Report, effect: &ShownEffect, location: &ShownLocation) -> Option<String> {
    let excluded = location.entry.as_ref().filter(|entry| entry.as_str().starts_with('!'))?;
    Some(format!(
        "let the agent do without, or narrow or remove {} in {}, which takes the file out whatever else the list names (and \
         add {}, where no other entry allows it)",
        quoted(excluded.as_str()),
        list_of(location),
        target(report, effect)?
    ))
}

/// Advice for a tool that no entry allows.
fn allow_tool(report: &Report, effect: &ShownEffect, list: &str) -> Option<String> {
    let edit = match proposed_for(effect).tool_edit() {
        Some(edit) => shorten(&edit, 2 * NAME),
        None if effect.server.is_none() => {
            return Some(format!("let the agent do without, or add {EXCEPTION}: {NO_SERVER}"));
        }
        None => format!("{} to {list}", target(report, effect)?),
    };
    Some(format!("add {edit}, or let the agent do without"))
}

/// Returns advice for an act that an entry denies: an allow entry does not help.
fn denied(report: &Report, effect: &ShownEffect, location: &ShownLocation) -> String {
    let list = list_of(location);
    if list.ends_with("deny_set") {
        return format!("do without the variable, take it out of {list}, or add {EXCEPTION}");
    }
    let edit = match (proposed_for(effect).path_entry(version(report)), &location.id) {
        (_, Some(id)) => format!("narrow the rule {}", shorten(id.as_str(), NAME)),
        (Some(path), None) if version(report) >= 2 => {
            format!("narrow the deny with {} in {list}", quoted(&format!("!{path}")))
        }
        (Some(_), None) => format!("narrow the entry in {list} (`!pattern` takes a policy of version 2)"),
        (None, None) => format!("narrow the entry in {list}"),
    };
    format!("{NO_ALLOW}: let the agent do without, {edit}, or add {EXCEPTION}")
}

/// Advice where an entry would allow sensitive files.
pub(super) const FOR_PEOPLE: &str = "a person has to decide, because an entry for it would allow sensitive files: let the agent \
                                     do without, or add an exception with an end date";

/// The reason why no entry is proposed for a tool of no server.
const NO_SERVER: &str = "the tool belongs to no server, and `defaults.unknown_tool` would allow all such tools";

/// The reason why a deny is not mended by an entry that allows.
const NO_ALLOW: &str = "no allow overrides a deny";

fn allow_host(effect: &ShownEffect) -> Option<String> {
    let host = shorten(effect.host.as_ref()?.as_str(), NAME);
    is_plain(&host).then(|| format!("allow the host: `network.allow: [\"{host}\"]`"))
}

/// One edit for acts on several targets. Sensitive files are no part of it.
pub(super) fn step_of_several<'f>(report: &Report, findings: impl Iterator<Item = &'f ShownFinding>) -> Option<String> {
    let (sensitive, others): (Vec<&ShownFinding>, Vec<&ShownFinding>) =
        findings.partition(|one| one.is_sensitive || is_for_people(one));
    let first = *others.first()?;
    let effects: Vec<&ShownEffect> = others.iter().filter_map(|finding| finding.effect.as_deref()).collect();
    let step = edit_of_several(report, first, &effects);
    if sensitive.is_empty() {
        return step;
    }
    let step = step.or_else(|| self::step(report, first))?;
    Some(format!("{step}; not for the sensitive files among them, which take {EXCEPTION}"))
}

fn edit_of_several(report: &Report, first: &ShownFinding, effects: &[&ShownEffect]) -> Option<String> {
    let effect = first.effect.as_deref()?;
    if effect.kind == "opaque" {
        let is_vouched = |effect: &&&ShownEffect| !effect.vouched_by.is_empty() && effect.class != Some("hidden");
        let entries: BTreeSet<String> =
            effects.iter().filter(is_vouched).map(|effect| vouching_words(effect)).collect();
        // The first entry of an allow list would refuse every command that it does not name.
        let list = first.policy.as_ref().and_then(|location| list_of_commands(&location.pointer));
        let is_plain = list.is_some() && effect.class != Some("changed") && entries.len() > 1;
        return is_plain
            .then(|| format!("put those that you trust into commands.allow to vouch for them: {}", named(&entries)));
    }
    let targets: BTreeSet<String> = effects.iter().filter_map(|effect| target(report, effect)).collect();
    let location = first.policy.as_ref().filter(|_| targets.len() > 1 && first.rule != RuleId::ScopeUnresolved)?;
    let list = list_of(location);
    let reaches_far = matches!(proposed_for(effect).program(), Some((_, Form::Code | Form::Commands)));
    match (Decider::of(first, location), effect.kind) {
        (Decider::DenyAll, _) => Some(allow_hosts(&targets)),
        (Decider::Unlisted, "execute") if effects.iter().any(|effect| proposed_for(effect).is_risky()) => {
            Some(format!(
                "let the agent do without, or a person decides which of them the work needs in {list}: {}",
                named(&targets)
            ))
        }
        (Decider::Unlisted, "execute") if !reaches_far => {
            Some(format!("add those that the work needs to {list}: {}", named(&targets)))
        }
        (Decider::Unlisted | Decider::Tools | Decider::Default, "tool") => {
            let edits: BTreeSet<String> =
                effects.iter().filter_map(|effect| proposed_for(effect).tool_edit()).collect();
            Some(format!("add those that the work needs: {}", named(&edits)))
        }
        (Decider::Deny, "read" | "write" | "delete" | "list") if location.id.is_none() => Some(format!(
            "{NO_ALLOW}: let the agent do without, narrow the entry in {list} for such paths ({}), or add {EXCEPTION}",
            named(&targets)
        )),
        (Decider::Unlisted, "read" | "write" | "delete" | "list") => Some(format!(
            "add a pattern to {list} that holds such paths ({}), or let the agent do without",
            target(report, effect)?
        )),
        _ => None,
    }
}

/// `network.allow: ["a.example", "b.example"]`, for those that the work needs.
fn allow_hosts(hosts: &BTreeSet<String>) -> String {
    let named: Vec<String> = hosts.iter().take(NAMED).map(|host| host.replace('`', "\"")).collect();
    let more = hosts.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("allow the hosts that the work needs: `network.allow: [{}]`{more}", named.join(", "))
}

/// The list that decided, as people write it.
pub(super) fn list_of(location: &ShownLocation) -> String {
    let name = dotted(&location.pointer);
    let list = name.rfind('[').filter(|_| name.ends_with(']')).and_then(|end| name.get(..end));
    shorten(list.unwrap_or(&name), NAME)
}
