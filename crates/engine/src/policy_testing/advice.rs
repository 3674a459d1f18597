//! What would change a judgement, in words that name the line of the policy.

use crate::Entry;
use agent_strace_effects::{Class, Effect, Kind};
use agent_strace_model::finding::Family;
use agent_strace_policy::{Decision, dotted};

/// Words of a command that an entry would name.
const WORDS: usize = 2;

/// What to write into the policy, or to take out, for another answer.
pub fn advice(entry: &Entry) -> Option<String> {
    let location = entry.location.as_ref();
    let list = location.map(|location| dotted(&location.pointer)).unwrap_or_default();
    let name = entry.policy_rule.as_ref().map_or_else(|| list.clone(), |rule| rule.id.clone());
    let line = location.map_or_else(String::new, |location| format!(" (line {})", location.line));
    let target = target(&entry.effect);
    Some(match entry.decision {
        Decision::Denied if entry.rule.family() == Family::Floor => {
            "it is built in: no entry allows it, only an exception with an end does".to_owned()
        }
        Decision::Denied if list.rsplit('.').next() == Some("allow") => format!("add {} to {list}{line}", target?),
        Decision::Denied if list.rsplit('.').next() == Some("deny_all") => format!("add {} to network.allow", target?),
        Decision::Denied => format!("narrow or remove {name}{line}: a deny wins over every allow"),
        Decision::Asked => format!("take it out of {name}{line}, or let an exception with an end approve it"),
        Decision::Unresolved => match &entry.effect.kind {
            Kind::Opaque(opaque) if opaque.vouched_by.is_empty() && opaque.class == Class::Changed => {
                "allow the command with `\"even_if_changed\": true` in commands.allow (version 2) to vouch for it"
                    .to_owned()
            }
            Kind::Opaque(opaque) if opaque.class == Class::Hidden => {
                "no entry vouches for hidden code: write the command out, or take an exception with an end date"
                    .to_owned()
            }
            Kind::Opaque(opaque) if opaque.vouched_by.is_empty() => {
                "say in the command itself what it touches, or take an exception with an end date".to_owned()
            }
            Kind::Opaque(opaque) => {
                format!("put `{}` into commands.allow to vouch for it", opaque.vouched_by.join(" "))
            }
            _ if list.rsplit('.').next() == Some("allow") => {
                format!("name it exactly, or add an entry to {list}{line} that holds all of it")
            }
            _ => format!("name it exactly: {name}{line} may be meant"),
        },
        Decision::Allowed if name.is_empty() || list.rsplit('.').next() == Some("network") => {
            format!("nothing denies it: add {} to {}.deny", target?, section(&entry.effect)?)
        }
        Decision::Allowed => {
            format!("narrow or remove {name}{line}, or add {} to {}.deny", target?, section(&entry.effect)?)
        }
        Decision::Unruled => format!("no entry covers it: add {} to {}.deny", target?, section(&entry.effect)?),
    })
}

/// Returns the text of an entry that covers the target of an effect.
fn target(effect: &Effect) -> Option<String> {
    let text = match &effect.kind {
        Kind::Read(target) | Kind::Write(target) | Kind::Delete(target) | Kind::List(target) => {
            target.shown().into_owned()
        }
        Kind::Execute(execution) => {
            let words = execution.argv.iter().filter(|word| word.known && !word.text.starts_with('-'));
            words.take(WORDS).map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
        }
        Kind::Connect(connection) => connection.host.clone()?,
        Kind::Tool { server, tool } => {
            server.as_ref().map_or_else(|| tool.clone(), |server| format!("{server}/{tool}"))
        }
        Kind::Spawn { agent } => agent.clone()?,
        Kind::Env { .. } | Kind::Opaque(_) => return None,
    };
    Some(format!("`{text}`"))
}

/// The key of the policy that speaks of such effects.
fn section(effect: &Effect) -> Option<&'static str> {
    Some(match &effect.kind {
        Kind::Read(_) | Kind::List(_) => "files.read",
        Kind::Write(_) => "files.write",
        Kind::Delete(_) => "files.delete",
        Kind::Execute(_) => "commands",
        Kind::Connect(_) => "network",
        Kind::Tool { .. } | Kind::Spawn { .. } | Kind::Env { .. } | Kind::Opaque(_) => return None,
    })
}
