//! Agents that have every tool unless their front matter takes some away.

use crate::repo_audit::{items, member, members, text};
use agent_strace_policy::json::{Data, Key, Value};

/// How an agent is kept from tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    /// It has those that `tools` lists.
    Listed,
    /// It has all that nothing denies.
    Denied,
}

/// Folders of agents.
const FOLDERS: &[(&str, Limit)] = &[
    (".claude/agents/", Limit::Listed),
    (".opencode/agent/", Limit::Denied),
    (".opencode/agents/", Limit::Denied),
    (".opencode/mode/", Limit::Denied),
    (".opencode/modes/", Limit::Denied),
];

/// The tools by which an agent changes something, each with all its names in the settings of tools, and in those of permissions.
const CHANGING: &[(&[&str], &[&str])] = &[(&["edit", "write"], &["edit"]), (&["bash"], &["bash", "shell"])];

/// The reason why an agent has all tools. `folded`: its path in lower case. `keys`: its front matter, if it has one.
pub(super) fn all_tools(folded: &str, keys: Option<&[(Key, Value)]>) -> Option<&'static str> {
    let is_below = |folder: &str| folded.starts_with(folder) || folded.contains(&format!("/{folder}"));
    let (_, limit) = FOLDERS.iter().find(|(folder, _)| is_below(folder))?;
    match limit {
        Limit::Listed => {
            let listed = |(key, value): &(Key, Value)| key.name.eq_ignore_ascii_case("tools") && !is_null(value);
            // Without a front matter it is no agent.
            (!keys?.iter().any(listed)).then_some("no `tools` in its front matter, so that it has all of them")
        }
        Limit::Denied => {
            let keys = keys.unwrap_or_default();
            let are_limited = CHANGING.iter().all(|names| is_limited(keys, names));
            (!are_limited).then_some("its front matter leaves it `edit` or `bash` without asking")
        }
    }
}

fn is_null(value: &Value) -> bool {
    matches!(value.data, Data::Null)
}

fn is_limited(keys: &[(Key, Value)], (tools, actions): &(&[&str], &[&str])) -> bool {
    let of = |name: &str| keys.iter().rev().find(|(key, _)| key.name == name).map(|(_, value)| value);
    let is_off =
        |value: &Value, name: &str| matches!(member(value, name).map(|value| &value.data), Some(Data::Bool(false)));
    let by_tools = of("tools").is_some_and(|all| tools.iter().all(|name| is_off(all, name) || is_off(all, "*")));
    let by_permission = of("permission").is_some_and(|all| {
        let named = actions.iter().find_map(|name| member(all, name));
        keeps(named.or_else(|| member(all, "*")).unwrap_or(all))
    });
    let by_list = of("permissions").is_some_and(|all| {
        let is_named = |rule: &&Value| {
            let action = member(rule, "action").and_then(text).unwrap_or_default();
            let resource = member(rule, "resource").and_then(text).unwrap_or("*");
            resource == "*" && (action == "*" || actions.contains(&action))
        };
        // The last one that fits decides.
        items(all).iter().rfind(is_named).and_then(|rule| member(rule, "effect")).is_some_and(keeps)
    });
    by_tools || by_permission || by_list
}

/// `deny` or `ask`, for every pattern of arguments.
fn keeps(value: &Value) -> bool {
    match members(value) {
        [] => matches!(text(value), Some("deny" | "ask")),
        patterns => {
            patterns.iter().any(|(key, _)| key.name == "*")
                && patterns.iter().all(|(_, value)| matches!(text(value), Some("deny" | "ask")))
        }
    }
}
