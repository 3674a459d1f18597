//! Entries that name a built-in list, and the built-in lists as patterns.

use crate::builtin::{BUILTIN, BuiltinList, Holds, builtin, builtins};
use crate::command::CommandPattern;
use crate::json;
use crate::path::PathPattern;
use crate::words;

use super::{Fault, Parser, Version, commands, nearest, paths, quoted};

/// The built-in list that an entry names; `None`: the entry names none.
pub(super) fn named(version: Version, text: &str, holds: Holds) -> Result<Option<&'static BuiltinList>, Fault> {
    let Some(name) = text.trim().strip_prefix(BUILTIN) else {
        return if is_misspelt(text) {
            let help = Some(format!("write {}", quoted(&text.trim().to_lowercase())));
            Err((format!("{} names no built-in list: they begin with `{BUILTIN}`", quoted(text)), help))
        } else {
            Ok(None)
        };
    };
    if version == Version::One {
        let help = "add `\"version\": 2` to the policy".to_owned();
        return Err((format!("{} names a built-in list: they belong to version 2", quoted(text)), Some(help)));
    }
    let Some(list) = builtin(name) else {
        let fitting: Vec<&str> = builtins().filter(|list| list.holds == holds).map(|list| list.name.as_str()).collect();
        let help = match nearest(name, &fitting) {
            Some(near) => format!("did you mean `{BUILTIN}{near}`?"),
            None => "`agent-strace policy builtins` shows all of them".to_owned(),
        };
        return Err((format!("there is no built-in list {}", quoted(name)), Some(help)));
    };
    if list.holds == holds {
        return Ok(Some(list));
    }
    let message = format!("{} names {}, and this is a list of {}", quoted(text), list.holds.name(), holds.name());
    Err((message, Some(format!("`agent-strace policy builtins` shows the lists of {}", holds.name()))))
}

/// `Builtin:secrets`.
fn is_misspelt(text: &str) -> bool {
    text.trim().get(..BUILTIN.len()).is_some_and(|start| start.eq_ignore_ascii_case(BUILTIN))
}

/// A single name or host, where no built-in list may stand.
pub(super) fn none_of(text: &str) -> Result<(), Fault> {
    if !is_misspelt(text) {
        return Ok(());
    }
    Err((
        format!("{} can't stand here: no built-in list is of this kind, or one name belongs here", quoted(text)),
        None,
    ))
}

/// An entry of a list of commands without anything that a policy could have wrong.
pub(crate) fn compiled_command(text: &str) -> Option<CommandPattern> {
    commands::of_words(text, words::split(text)?).ok()
}

/// A path without `!`.
pub(crate) fn compiled_path(text: &str) -> Option<PathPattern> {
    paths::pattern(text).ok()
}

/// `match.exec` of a rule, and its words.
pub(crate) fn compiled_exec(exec: &serde_json::Value) -> Option<(CommandPattern, String)> {
    let text = exec.to_string();
    let value = json::read(&text).ok()?.root;
    Parser::of_configuration("a built-in list", &text).exec(&value, "")
}
