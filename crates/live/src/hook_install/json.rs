//! Settings in JSON.

use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use serde_json::Value;

use super::brackets::{Brackets, Edit, line_break};
use super::entry::{Entry, quoted};
use super::tree::{members, of_array, of_object, parse, serde, twice, without_mark};
use super::{HookOptions, InstalledHook, MOST, Standing, is_ours, standing_of, too_many};
use crate::hook_events::{AGENTS, Agent, Config};

/// The version of such files that says what they mean.
const VERSION: u32 = 1;

/// Settings that are being edited.
pub(super) struct JsonFile {
    pub(super) mark: &'static str,
    /// Without the byte order mark.
    pub(super) text: String,
    pub(super) is_new: bool,
}

impl JsonFile {
    /// There is no such file.
    pub(super) fn absent() -> Self {
        Self { mark: "", text: String::new(), is_new: true }
    }

    /// Comments are fine, as agents allow them. Why it can't be edited, with line and column.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let (mark, text) = without_mark(text);
        let file = Self { mark, text: text.to_owned(), is_new: false };
        if text.trim().is_empty() {
            return Ok(file);
        }
        let root = parse(&file.text)?;
        let Some(settings) = root.as_object() else { return Err("it holds no JSON object".to_owned()) };
        for hooks in members(settings, "hooks") {
            let Some(hooks) = hooks.value.as_object() else { return Err("its `hooks` are no JSON object".to_owned()) };
            let is_list = |property: &&ObjectProp<'_>| property.value.as_array().is_some();
            let wrong = hooks.properties.iter().filter(|property| !is_list(property));
            if let Some(step) = wrong.map(|property| property.name.as_str()).find(|name| is_step(name)) {
                return Err(format!("its `hooks.{}` are no list", step.escape_default()));
            }
        }
        if file.count() > MOST {
            return Err(too_many());
        }
        Ok(file)
    }

    pub(super) fn text(&self) -> String {
        format!("{}{}", self.mark, self.text)
    }

    /// A name that is there twice where it decides about hooks.
    pub(super) fn twice(&self) -> Option<String> {
        let root = parse(&self.text).ok()?;
        [&["hooks"][..], &["version"]].iter().find_map(|path| twice(&root, path))
    }

    /// The same with the hooks that are wanted, instead of any of ours that are there.
    #[must_use]
    pub(super) fn with(self, options: &HookOptions) -> Self {
        if self.is_whole(options) {
            return self;
        }
        let file = self.without(options.agent).unwrap_or_else(Self::absent);
        if file.is_new {
            return Self { text: settings(options).on_lines("") + "\n", is_new: false, ..file };
        }
        let text = match parse(&file.text).ok().as_ref().and_then(Node::as_object) {
            Some(root) => Edit::apply(&file.text, with_hooks(&file.text, root, options)),
            None => in_empty_file(&file.text, options),
        };
        Self { text, ..file }
    }

    fn is_whole(&self, options: &HookOptions) -> bool {
        let standing = self.standing(options);
        let is_set = standing.iter().all(|(_, standing)| *standing == Standing::Set);
        is_set && self.count() == standing.len() && (!needs_version(options.agent) || self.has_version())
    }

    fn has_version(&self) -> bool {
        parse(&self.text).is_ok_and(|root| root.as_object().is_some_and(|root| members(root, "version").count() > 0))
    }

    /// How many hooks of ours are there, also those of one group.
    fn count(&self) -> usize {
        let count = |value: &Value| {
            let inner = value.get("hooks").and_then(Value::as_array).into_iter().flatten();
            usize::from(is_ours(value)) + inner.filter(|hook| is_ours(hook)).count()
        };
        self.entries().iter().map(|(_, _, entry)| count(entry)).sum()
    }

    /// The elements of all lists of `hooks`, with the names of the lists and their places there.
    fn entries(&self) -> Vec<(String, usize, Value)> {
        let Ok(root) = parse(&self.text) else { return Vec::new() };
        let hooks = root.as_object().into_iter().flat_map(|root| members(root, "hooks"));
        let properties = hooks.filter_map(|hooks| hooks.value.as_object()).flat_map(|hooks| &hooks.properties);
        let mut entries = Vec::new();
        for property in properties {
            let elements = property.value.as_array().map(|list| list.elements.as_slice()).unwrap_or_default();
            let named = |(at, element)| (property.name.as_str().to_owned(), at, serde(element));
            entries.extend(elements.iter().enumerate().map(named));
        }
        entries
    }

    /// Our hooks, in the order of the file.
    pub(super) fn installed(&self) -> Vec<InstalledHook> {
        let place = |(event, group, entry): (String, usize, Value)| {
            let inner = entry.get("hooks").and_then(Value::as_array);
            let within = || inner.and_then(|hooks| hooks.iter().position(is_ours));
            let hook = if is_ours(&entry) { Some(0) } else { within() }?;
            Some(InstalledHook { event, group, hook, entry })
        };
        self.entries().into_iter().filter_map(place).collect()
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

    /// Adds a text to a list, and makes the list where it is missing. The error says why that fails.
    pub(super) fn add_to_list(&self, name: &str, text: &str) -> Result<String, String> {
        let new = Entry::List(vec![Entry::text(text)]);
        self.edited(name, &new, |found| match &found.value {
            Node::Array(array) => {
                let list = of_array(&self.text, array);
                Ok(list.append(&Layout::of(&list, "    ").separator(&list), &[quoted(text)]))
            }
            _ => Err(format!("its `{name}` is no list")),
        })
    }

    /// Sets a member to a text. The error says why that fails.
    pub(super) fn set(&self, name: &str, text: &str) -> Result<String, String> {
        self.edited(name, &Entry::text(text), |found| {
            let member = format!("{}: {}", quoted(name), quoted(text));
            Ok(vec![Edit { range: found.range.start..found.range.end, text: member }])
        })
    }

    /// The text with a member, which is changed or added.
    fn edited(
        &self,
        name: &str,
        new: &Entry,
        change: impl Fn(&ObjectProp<'_>) -> Result<Vec<Edit>, String>,
    ) -> Result<String, String> {
        if self.text.trim().is_empty() {
            return Ok(format!("{}{{\n  {}: {}\n}}\n", self.mark, quoted(name), new.on_lines("  ")));
        }
        let root = parse(&self.text)?;
        let Some(root) = root.as_object() else { return Err("it holds no JSON object".to_owned()) };
        let edits = match members(root, name).collect::<Vec<_>>().as_slice() {
            [] => {
                let whole = of_object(&self.text, root);
                let separator = Layout::of(&whole, "  ").separator(&whole);
                whole.append(&separator, &[format!("{}: {}", quoted(name), new.on_one_line())])
            }
            [found] => change(found)?,
            _ => return Err(format!("it has `{}` more than once: leave one", name.escape_default())),
        };
        Ok(format!("{}{}", self.mark, Edit::apply(&self.text, edits)))
    }
}

/// Where new elements go.
struct Layout {
    /// `None`: the whole file is one line, and stays so.
    newline: Option<&'static str>,
    indentation: String,
}

impl Layout {
    fn of(brackets: &Brackets<'_>, otherwise: &str) -> Self {
        let is_one_line = !brackets.text.trim().contains('\n') && brackets.text.trim() != "{}";
        let newline = (!is_one_line).then(|| line_break(brackets.text));
        Self { newline, indentation: brackets.indentation().unwrap_or(otherwise).to_owned() }
    }

    /// Before an element of a list: lists that are one line stay so.
    fn separator(&self, brackets: &Brackets<'_>) -> String {
        match self.newline {
            Some(newline) if !brackets.is_on_one_line() => format!("{newline}{}", self.indentation),
            _ => " ".to_owned(),
        }
    }

    /// Before a member of an object.
    fn line(&self) -> String {
        self.newline.map_or_else(|| " ".to_owned(), |newline| format!("{newline}{}", self.indentation))
    }
}

/// Returns the edits that add our hooks to settings without any of ours.
fn with_hooks(text: &str, root: &Object<'_>, options: &HookOptions) -> Vec<Edit> {
    let whole = of_object(text, root);
    let layout = Layout::of(&whole, "  ");
    let Some(property) = members(root, "hooks").next() else {
        let mut new = new_members(options, &layout);
        if members(root, "version").next().is_some() {
            // The hooks come last.
            new.drain(..new.len().saturating_sub(1));
        }
        let newline = line_break(text);
        if text.get(whole.range.clone()) == Some("{}") {
            let lines = new.join(&format!(",{newline}  "));
            return vec![Edit::insert(whole.range.start + 1, format!("{newline}  {lines}{newline}"))];
        }
        return whole.append(&layout.line(), &new);
    };
    let mut edits = Vec::new();
    if needs_version(options.agent) && members(root, "version").next().is_none() {
        edits = whole.append(&layout.line(), &[version_of_ours()]);
    }
    let Some(hooks) = property.value.as_object() else { return edits };
    let steps = of_object(text, hooks);
    let deeper = Layout::of(&steps, &layout.indentation.repeat(2));
    let mut new = Vec::new();
    for hooked in options.agent.hooks {
        let entry = options.entry(hooked).on_one_line();
        match members(hooks, hooked.event).next().and_then(|property| property.value.as_array()) {
            Some(array) => {
                let list = of_array(text, array);
                let separator = Layout::of(&list, &layout.indentation.repeat(3)).separator(&list);
                edits.extend(list.append(&separator, &[entry]));
            }
            None => new.push(format!("{}: [{entry}]", quoted(hooked.event))),
        }
    }
    if !new.is_empty() {
        edits.extend(steps.append(&deeper.line(), &new));
    }
    edits
}

/// A blank line after the opening bracket says that the file was empty.
fn in_empty_file(text: &str, options: &HookOptions) -> String {
    let newline = line_break(text);
    let layout = Layout { newline: Some(newline), indentation: "  ".to_owned() };
    let members = new_members(options, &layout).join(&format!(",{}", layout.line()));
    format!("{{{newline}{}{members}{newline}}}{text}", layout.line())
}

/// The members of settings that have none of them yet.
fn new_members(options: &HookOptions, layout: &Layout) -> Vec<String> {
    let steps = options.agent.hooks.iter();
    let steps = steps.map(|hooked| format!("{}: [{}]", quoted(hooked.event), options.entry(hooked).on_one_line()));
    let steps: Vec<String> = steps.collect();
    let hooks = match layout.newline {
        None => format!("\"hooks\": {{{}}}", steps.join(", ")),
        Some(newline) => {
            let end = format!("{newline}{}", layout.indentation);
            let line = format!("{newline}{}", layout.indentation.repeat(2));
            format!("\"hooks\": {{{line}{}{end}}}", steps.join(&format!(",{line}")))
        }
    };
    let version = needs_version(options.agent).then(version_of_ours);
    version.into_iter().chain([hooks]).collect()
}

/// The settings of a file that holds nothing else.
fn settings(options: &HookOptions) -> Entry {
    let steps = options.agent.hooks.iter();
    let steps = steps.map(|hooked| (hooked.event, Entry::List(vec![options.entry(hooked)])));
    let version = needs_version(options.agent).then_some(("version", Entry::Number(VERSION)));
    Entry::object(version.into_iter().chain([("hooks", Entry::object(steps))]))
}

pub(super) fn needs_version(agent: &Agent) -> bool {
    agent.config != Config::Groups
}

/// The version that is added to settings of others: no program spaces it so, which says whose it is.
pub(super) fn version_of_ours() -> String {
    format!("\"version\" :{VERSION}")
}

/// The name of a step of any agent. Other members of `hooks` are settings.
fn is_step(name: &str) -> bool {
    AGENTS.iter().flat_map(|agent| agent.hooks).any(|hooked| hooked.event == name)
}
