//! Changes of a policy that would change a judgement, for its author, in words that name the line of the policy.
//!
//! Readers of a report get other advice, because they have people, suppressions and the agent at hand. Both propose the same
//! entries, and neither proposes one for a sensitive file.

use super::proposal::{ProposedFor, Vouching, list_of_commands};
use crate::Entry;
use crate::generate::Form;
use agent_strace_effects::{Kind, Opaque};
use agent_strace_model::finding::Family;
use agent_strace_policy::{Decision, dotted};

/// Entries to write into the policy, or to take out, for another answer. `version`: of the policy.
pub fn advice(entry: &Entry, version: u32) -> Option<String> {
    let location = entry.location.as_ref();
    let list = location.map(|location| dotted(&location.pointer)).unwrap_or_default();
    let name = entry.policy_rule.as_ref().map_or_else(|| list.clone(), |rule| rule.id.clone());
    let line = location.map_or_else(String::new, |location| format!(" (line {})", location.line));
    let view = entry.effect.view();
    let act = ProposedFor::of(&view);
    let target = || act.entry(version).map(|entry| format!("`{entry}`"));
    let key = list.rsplit('.').next().unwrap_or_default();
    let is_unlisted = matches!(key, "allow" | "decision");
    let refuses = matches!(entry.decision, Decision::Denied | Decision::Asked | Decision::Unresolved);
    if refuses && entry.sensitive && entry.rule.family() != Family::Floor {
        return Some(
            "the file is a sensitive one: only an exception with an end date lets an agent have it".to_owned(),
        );
    }
    if refuses && is_unlisted && act.is_for_people() {
        return Some(
            "let a person decide, because an entry for it would allow sensitive files; an exception with an end date allows less"
                .to_owned(),
        );
    }
    if let Some(text) = of_allow_list(entry, &act, version) {
        return Some(text);
    }
    Some(match entry.decision {
        Decision::Denied if entry.rule.family() == Family::Floor || name.is_empty() => {
            "it is built in: no entry allows it, only an exception with an end does".to_owned()
        }
        Decision::Denied if key == "allow" => match (act.program(), act.script()) {
            (Some((program, Form::Code)), None) => {
                format!("run the command itself: an entry for `{program}` in {list}{line} would allow any code")
            }
            (Some((program, Form::Code)), Some(script)) => {
                format!("add `{program} {script}` to {list}{line}: an entry for `{program}` alone would allow any code")
            }
            _ => format!("add {} to {list}{line}", target()?),
        },
        Decision::Denied if key == "deny_all" => format!("add {} to network.allow", target()?),
        Decision::Denied if key == "decision" => format!("add {} to {}.allow", target()?, act.section()?),
        Decision::Denied => format!("narrow or remove {name}{line}: a deny wins over every allow"),
        Decision::Asked if name.is_empty() => "let an exception with an end approve it".to_owned(),
        Decision::Asked => format!("take it out of {name}{line}, or let an exception with an end approve it"),
        Decision::Unresolved => match &entry.effect.kind {
            Kind::Opaque(opaque) => vouching(opaque, location.map(|location| location.pointer.as_str()), version),
            _ if key == "allow" => format!("name it exactly, or add an entry to {list}{line} that holds all of it"),
            // What is built in may forbid it: no entry is in question.
            _ if name.is_empty() => "name it exactly".to_owned(),
            _ => format!("name it exactly: {name}{line} may be meant"),
        },
        Decision::Allowed if name.is_empty() || key == "network" => {
            format!("nothing denies it: add {} to {}.deny", target()?, act.section()?)
        }
        Decision::Allowed => format!("narrow or remove {name}{line}, or add {} to {}.deny", target()?, act.section()?),
        Decision::Unruled => format!("no entry covers it: add {} to {}.deny", target()?, act.section()?),
    })
}

/// Advice where more than an entry for the target of the act is to be said of an allow list that lacks it.
fn of_allow_list(entry: &Entry, act: &ProposedFor<'_>, version: u32) -> Option<String> {
    let target = || act.entry(version).map(|entry| format!("`{entry}`"));
    if let Some((excluded, target)) = entry.taken_out_by.as_ref().zip(target()) {
        let (name, line) = (dotted(&excluded.pointer), excluded.line);
        return Some(format!(
            "narrow or remove {name} (line {line}), which takes the file out whatever else the list names, and add {target} \
             where no other entry allows it"
        ));
    }
    let key = entry.location.as_ref()?.pointer.rsplit('/').next()?;
    if entry.decision != Decision::Denied || !matches!(key, "allow" | "decision" | "default") {
        return None;
    }
    if act.is_risky() && target().is_none() {
        return Some(format!("let a person decide: {ONLY_WIDE}"));
    }
    act.tool_edit()
        .map(|edit| format!("add {edit}"))
        .or_else(|| act.spawning_rule().map(|rule| format!("add `{rule}` to the rules")))
}

/// The reason why no entry is proposed for a command.
pub const ONLY_WIDE: &str = "no entry allows this command alone, and a wider one would allow commands that destroy, publish or \
                             give more rights";

/// Says how a policy vouches for an act that is not resolved.
fn vouching(opaque: &Opaque, pointer: Option<&str>, version: u32) -> String {
    let list = pointer.and_then(list_of_commands).unwrap_or_else(|| "commands.allow".to_owned());
    let words: Vec<&str> = opaque.vouched_by.iter().map(String::as_str).collect();
    match Vouching::new(opaque.class.name(), &words, pointer, version) {
        Vouching::Hidden => {
            "no entry vouches for hidden code: write the command out, or take an exception with an end date".to_owned()
        }
        Vouching::Unnamed => {
            "say in the command itself what it touches, or take an exception with an end date".to_owned()
        }
        Vouching::Entry(words) => format!("put `{words}` into {list} to vouch for it"),
        Vouching::EvenIfChanged(None) => {
            format!("allow the command with `\"even_if_changed\": true` in {list} (version 2) to vouch for it")
        }
        Vouching::EvenIfChanged(Some(words)) => format!(
            "put `{{\"command\": \"{words}\", \"even_if_changed\": true}}` into {list} (version 2) to vouch for it"
        ),
        Vouching::Rule(rule) => format!("add `{rule}` to the rules to vouch for it"),
        Vouching::AnyCode(program) => {
            format!("run the command itself: an entry for `{program}` would vouch for any code")
        }
        Vouching::Nothing => "look at what it runs, or take an exception with an end date".to_owned(),
    }
}
