//! Settings that keep an agent from running hooks.

use serde_json::Value;

use super::tree::{self, without_mark};
use super::{HookOptions, is_ours, toml_text};
use crate::hook_events::{Off, SettingsFile, Switch};

/// Whether the text of the switch's file keeps the agent from running one of the hooks. Why the text can't be read.
pub fn is_off(switch: &Switch, text: &str, options: &HookOptions) -> Result<bool, String> {
    let name = match switch.file {
        SettingsFile::Project(name) | SettingsFile::User(name) | SettingsFile::Profiles(name) => name,
        SettingsFile::Machine(file) => file.path(),
    };
    let is_toml = std::path::Path::new(name).extension().is_some_and(|ending| ending == "toml");
    let whole = match (text.trim().is_empty(), is_toml) {
        (true, _) => Value::Null,
        (_, true) => toml_text::value(without_mark(text).1)?,
        (_, false) => tree::value_with(text, switch.keys)?,
    };
    Ok(found(&whole, switch.keys).into_iter().any(|value| match switch.off {
        Off::True => *value == Value::Bool(true),
        Off::False => *value == Value::Bool(false),
        Off::Listed => value.as_array().is_some_and(|list| list.iter().any(|name| is_listed(name, options))),
    }))
}

/// The values at the end of a path.
fn found<'v>(value: &'v Value, keys: &[&str]) -> Vec<&'v Value> {
    match keys.split_first() {
        None => vec![value],
        Some((&"*", deeper)) => value
            .as_object()
            .into_iter()
            .flat_map(|object| object.values())
            .flat_map(|value| found(value, deeper))
            .collect(),
        Some((key, deeper)) => value.get(key).into_iter().flat_map(|value| found(value, deeper)).collect(),
    }
}

/// The command of a hook that is wanted, or of another one of ours.
fn is_listed(name: &Value, options: &HookOptions) -> bool {
    let Some(name) = name.as_str() else { return false };
    let is_wanted = || options.agent.hooks.iter().any(|hooked| options.command(hooked.moment) == name);
    is_ours(&serde_json::json!({ "command": name })) || is_wanted()
}
