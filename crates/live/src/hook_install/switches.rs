//! Settings that keep an agent from running hooks.

use serde_json::Value;

use super::{HookOptions, is_ours, json, toml_text};
use crate::hook_events::{Off, SettingsFile, Switch};

/// Whether the text of the switch's file keeps the agent from running one of the hooks. Why the text can't be read.
pub fn is_off(switch: &Switch, text: &str, options: &HookOptions) -> Result<bool, String> {
    let (SettingsFile::Project(name) | SettingsFile::User(name) | SettingsFile::Machine(name)) = switch.file;
    let is_toml = std::path::Path::new(name).extension().is_some_and(|ending| ending == "toml");
    let found = if is_toml { in_toml(switch, text)? } else { in_json(switch, text)? };
    Ok(found.is_some_and(|value| match switch.off {
        Off::True => value == Value::Bool(true),
        Off::False => value == Value::Bool(false),
        Off::Listed => value.as_array().is_some_and(|list| list.iter().any(|name| is_listed(name, options))),
    }))
}

/// The command of a hook that is wanted, or of another one of ours.
fn is_listed(name: &Value, options: &HookOptions) -> bool {
    let Some(name) = name.as_str() else { return false };
    let is_wanted = || options.agent.hooks.iter().any(|hooked| options.command(hooked.moment) == name);
    is_ours(&serde_json::json!({ "command": name })) || is_wanted()
}

fn in_json(switch: &Switch, text: &str) -> Result<Option<Value>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let whole = json::value(text)?;
    Ok(switch.keys.iter().try_fold(&whole, |value, key| value.get(key)).cloned())
}

fn in_toml(switch: &Switch, text: &str) -> Result<Option<Value>, String> {
    let whole = toml_text::parse(text)?;
    let found = switch.keys.iter().try_fold(whole.as_item(), |item, key| item.get(key));
    Ok(found.and_then(toml_edit::Item::as_bool).map(Value::Bool))
}
