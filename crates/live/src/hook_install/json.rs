//! Settings in JSON.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstNode, CstRootNode};
use serde_json::Value;

use super::entry::Entry;
use super::{HookOptions, InstalledHook, Standing, is_ours, standing_of};
use crate::hook_events::{AGENTS, Agent, Config};

/// Real ones nest less deep; the library's functions call themselves.
const DEEPEST: usize = 100;
/// The version of such files that says what they mean.
const VERSION: u32 = 1;

/// Settings that are being edited.
pub(super) struct JsonFile {
    root: CstRootNode,
    /// All of it is one line, and stays so.
    is_one_line: bool,
    ends_its_line: bool,
}

impl JsonFile {
    /// Comments are fine, as agents allow them. Why it can't be edited, with line and column.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = if text.trim().is_empty() { "{}\n" } else { text };
        let is_one_line = !text.trim().contains('\n') && !is_nothing(text);
        let file = Self { root: parse(text)?, is_one_line, ends_its_line: text.ends_with('\n') };
        let Some(settings) = file.root.object_value() else { return Err("it holds no JSON object".to_owned()) };
        let Some(hooks) = settings.get("hooks") else { return Ok(file) };
        let Some(hooks) = hooks.object_value() else { return Err("its `hooks` are no JSON object".to_owned()) };
        for property in hooks.properties() {
            let name = property.decoded_name().unwrap_or_default();
            if property.array_value().is_none() && is_step(&name) {
                return Err(format!("its `hooks.{}` are no list", name.escape_default()));
            }
        }
        Ok(file)
    }

    pub(super) fn text(&self) -> String {
        let text = self.root.to_string();
        let text = if self.is_one_line { on_one_line(text.trim_end()) } else { text.trim_end().to_owned() };
        if self.ends_its_line { text + "\n" } else { text }
    }

    /// The same with the hooks that are wanted, instead of any of ours that are there.
    #[must_use]
    pub(super) fn with(self, options: &HookOptions) -> Self {
        let settings = self.root.object_value_or_set();
        if options.agent.config != Config::Groups && settings.get("version").is_none() {
            settings.insert(0, "version", Entry::Number(VERSION).input());
        }
        let hooks = settings.object_value_or_set("hooks");
        for hooked in options.agent.hooks {
            let entry = options.entry(hooked);
            let list = hooks.array_value_or_set(hooked.event);
            let ours: Vec<CstNode> = list.elements().into_iter().filter(holds_ours).collect();
            if let [only] = ours.as_slice()
                && only.to_serde_value() == Some(entry.value())
            {
                continue;
            }
            take_out_of(&list);
            list.ensure_multiline();
            list.append(entry.input());
        }
        self
    }

    /// The same without ours.
    #[must_use]
    pub(super) fn without(self, agent: &Agent) -> Self {
        let Some(settings) = self.root.object_value() else { return self };
        let Some(hooks) = settings.object_value("hooks") else { return self };
        for property in hooks.properties() {
            let Some(list) = property.array_value() else { continue };
            let had = !list.elements().is_empty();
            take_out_of(&list);
            if had && list.elements().is_empty() {
                property.remove();
            }
        }
        if hooks.properties().is_empty()
            && let Some(property) = settings.get("hooks")
        {
            property.remove();
        }
        let only_version =
            settings.properties().iter().all(|property| property.decoded_name().as_deref() == Some("version"));
        if agent.config != Config::Groups && only_version {
            settings.properties().into_iter().for_each(jsonc_parser::cst::CstObjectProp::remove);
        }
        self
    }

    /// Nothing is left in it, no comment either.
    pub(super) fn is_empty(&self) -> bool {
        is_nothing(&self.root.to_string())
    }

    /// Our hooks, in the order of the file.
    pub(super) fn installed(&self) -> Vec<InstalledHook> {
        let hooks = self.root.object_value().and_then(|settings| settings.object_value("hooks"));
        let properties = hooks.map(|hooks| hooks.properties()).unwrap_or_default();
        let mut installed = Vec::new();
        for property in properties {
            let event = property.decoded_name().unwrap_or_default();
            for (group, element) in property.array_value().iter().flat_map(CstArray::elements).enumerate() {
                let Some(value) = element.to_serde_value() else { continue };
                let inner = value.get("hooks").and_then(Value::as_array);
                let hook =
                    if is_ours(&value) { Some(0) } else { inner.and_then(|hooks| hooks.iter().position(is_ours)) };
                if let Some(hook) = hook {
                    installed.push(InstalledHook { event: event.clone(), group, hook, entry: value });
                }
            }
        }
        installed
    }

    /// What it says about each step, in the order of the agent's.
    pub(super) fn standing(&self, options: &HookOptions) -> Vec<(&'static str, Standing)> {
        let installed = self.installed();
        let of = |event: &str, wanted: &Value| {
            let ours = installed.iter().filter(|hook| hook.event == event).map(|hook| &hook.entry);
            standing_of(ours, wanted)
        };
        let hooked = options.agent.hooks.iter();
        hooked.map(|hooked| (hooked.event, of(hooked.event, &options.entry(hooked).value()))).collect()
    }

    /// Adds a text to a list, which is made where there is none.
    pub(super) fn add_to_list(&self, name: &str, text: &str) {
        let list = self.root.object_value_or_set().array_value_or_set(name);
        list.append(Entry::text(text).input());
    }

    pub(super) fn set(&self, name: &str, text: &str) {
        let whole = self.root.object_value_or_set();
        let value = Entry::text(text).input();
        match whole.get(name) {
            Some(property) => property.set_value(value),
            None => drop(whole.append(name, value)),
        }
    }
}

/// The name of a step of any agent. Other members of `hooks` are settings.
fn is_step(name: &str) -> bool {
    AGENTS.iter().flat_map(|agent| agent.hooks).any(|hooked| hooked.event == name)
}

/// An object without members and comments.
fn is_nothing(text: &str) -> bool {
    text.chars().filter(|letter| !letter.is_whitespace()).eq("{}".chars())
}

/// Takes out line breaks with the indentation after them: none of them is in a string.
fn on_one_line(text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |whole, line| whole + line.trim_start())
}

/// The value of a text. Why it is none, with line and column.
pub(super) fn value(text: &str) -> Result<Value, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    parse(text)?.to_serde_value().ok_or_else(|| "it holds no JSON value".to_owned())
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    if depth(text) > DEEPEST {
        return Err(format!("it nests more than {DEEPEST} deep"));
    }
    CstRootNode::parse(text, &options()).map_err(|error| {
        let (line, column) = (error.line_display(), error.column_display());
        format!("it is no JSON: {} on line {line}, column {column}", error.kind())
    })
}

/// JSON with comments and commas at the end of lists, and nothing else.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// At least as deep as the text nests: brackets in strings and comments count, too.
pub(super) fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Takes our hooks out of the list of a step; groups that hold others stay with those.
fn take_out_of(list: &CstArray) {
    for element in list.elements() {
        let Some(value) = element.to_serde_value() else { continue };
        if is_ours(&value) {
            element.remove();
            continue;
        }
        let Some(group) = element.as_object() else { continue };
        let Some(hooks) = group.array_value("hooks") else { continue };
        let (mut taken, mut left) = (0, 0);
        for hook in hooks.elements() {
            if hook.to_serde_value().is_some_and(|value| is_ours(&value)) {
                hook.remove();
                taken += 1;
            } else {
                left += 1;
            }
        }
        if taken > 0 && left == 0 {
            element.remove();
        }
    }
}

fn holds_ours(node: &CstNode) -> bool {
    let Some(value) = node.to_serde_value() else { return false };
    let inner = value.get("hooks").and_then(Value::as_array);
    is_ours(&value) || inner.is_some_and(|hooks| hooks.iter().any(is_ours))
}
