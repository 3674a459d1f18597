//! One file of settings.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstNode, CstObject, CstRootNode};
use serde_json::Value;

use super::HookOptions;
use super::entry::Entry;
use crate::hook_events::{Agent, Config};

/// Real ones nest less deep; the library's functions call themselves.
const DEEPEST: usize = 100;
/// The version of such files that says what they mean.
const VERSION: u32 = 1;

/// Settings that are being edited.
pub struct File {
    root: CstRootNode,
}

/// What settings say about our hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// The agent tells of the step as it is wanted.
    Set,
    /// It tells of it in another way: with other options, of another version.
    Differs,
    Missing,
}

impl File {
    /// Comments are fine, as agents allow them. Why it can't be edited, with line and column.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let file = Self { root: parse(if text.trim().is_empty() { "{}" } else { text })? };
        let Some(settings) = file.root.object_value() else { return Err("it holds no JSON object".to_owned()) };
        let Some(hooks) = settings.get("hooks") else { return Ok(file) };
        let Some(hooks) = hooks.object_value() else { return Err("its `hooks` are no JSON object".to_owned()) };
        for property in hooks.properties() {
            if property.array_value().is_none() {
                let name = property.decoded_name().unwrap_or_default();
                return Err(format!("its `hooks.{}` are no list", name.escape_default()));
            }
        }
        Ok(file)
    }

    pub fn text(&self) -> String {
        let text = self.root.to_string();
        if text.ends_with('\n') { text } else { text + "\n" }
    }

    /// The same with the hooks that are wanted, instead of any of ours that are there.
    #[must_use]
    pub fn with(self, options: &HookOptions) -> Self {
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
    pub fn without(self, agent: &Agent) -> Self {
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

    /// Nothing is left in it.
    pub fn is_empty(&self) -> bool {
        self.root.object_value().is_none_or(|settings| settings.properties().is_empty())
    }

    /// How many hooks of ours are in it.
    pub fn ours(&self) -> usize {
        self.lists().iter().flat_map(CstArray::elements).filter(holds_ours).count()
    }

    /// What it says about each step, in the order of the agent's.
    pub fn standing(&self, options: &HookOptions) -> Vec<(&'static str, Standing)> {
        let hooks = self.root.object_value().and_then(|settings| settings.object_value("hooks"));
        let of = |event: &str, wanted: &Value| {
            let list = hooks.as_ref().and_then(|hooks: &CstObject| hooks.array_value(event));
            let ours: Vec<Value> = list
                .iter()
                .flat_map(CstArray::elements)
                .filter(holds_ours)
                .filter_map(|node| node.to_serde_value())
                .collect();
            match ours.as_slice() {
                [] => Standing::Missing,
                ours if ours.contains(wanted) => Standing::Set,
                _ => Standing::Differs,
            }
        };
        let hooked = options.agent.hooks.iter();
        hooked.map(|hooked| (hooked.event, of(hooked.event, &options.entry(hooked).value()))).collect()
    }

    fn lists(&self) -> Vec<CstArray> {
        let hooks = self.root.object_value().and_then(|settings| settings.object_value("hooks"));
        let properties = hooks.map(|hooks| hooks.properties()).unwrap_or_default();
        properties.into_iter().filter_map(|property| property.array_value()).collect()
    }
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
fn depth(text: &str) -> usize {
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

/// Its command is `agent-strace hook`, wherever the program lies and whatever stands before it.
fn is_ours(hook: &Value) -> bool {
    let commands = ["command", "bash", "powershell"].iter().filter_map(|name| hook.get(name)?.as_str());
    commands.into_iter().any(|command| {
        let words: Vec<&str> = command.split_whitespace().collect();
        words.windows(2).any(|pair| {
            let [program, "hook"] = pair else { return false };
            let name = program.trim_matches(['"', '\'']).rsplit(['/', '\\']).next().unwrap_or_default();
            matches!(name, "agent-strace" | "agent-strace.exe")
        })
    })
}
