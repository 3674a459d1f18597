//! Settings in TOML that hold hooks as `[[hooks]]`, each with the name of its step.

use serde_json::{Value, json};
use toml_edit::{Array, Document, Item, TableLike};

use super::brackets::{Brackets, Comments, Edit, line_break};
use super::toml_text::{self, is_flat, place, quoted};
use super::tree::without_mark;
use super::{HookOptions, InstalledHook, MOST, Standing, is_ours, standing_of, too_many};

const HOOKS: &str = "hooks";

/// Settings that are being edited.
pub(super) struct TomlFile {
    mark: &'static str,
    /// Without the byte order mark.
    text: String,
    is_new: bool,
}

impl TomlFile {
    /// There is no such file.
    pub(super) fn absent() -> Self {
        Self { mark: "", text: String::new(), is_new: true }
    }

    /// Why it can't be edited, with line and column.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let (mark, text) = without_mark(text);
        let document = toml_text::parse(text)?;
        let is_list = match document.as_table().get(HOOKS) {
            None | Some(Item::None) => true,
            Some(Item::ArrayOfTables(tables)) => {
                let ours = tables.iter().filter(|table| is_ours(&of_table(*table)));
                if ours.into_iter().any(|table| !is_flat(table)) {
                    return Err("a hook of agent-strace has tables of its own: take it out by hand".to_owned());
                }
                true
            }
            Some(hooks) => is_list_of_tables(hooks),
        };
        if !is_list {
            return Err(format!("its `{HOOKS}` are no list of tables"));
        }
        let file = Self { mark, text: text.to_owned(), is_new: false };
        if file.places().len() > MOST { Err(too_many()) } else { Ok(file) }
    }

    pub(super) fn text(&self) -> String {
        format!("{}{}", self.mark, self.text)
    }

    /// The same with the hooks that are wanted, instead of any of ours that are there.
    #[must_use]
    pub(super) fn with(self, options: &HookOptions) -> Self {
        let standing = self.standing(options);
        let is_whole = standing.iter().all(|(_, standing)| *standing == Standing::Set);
        if is_whole && self.installed().len() == standing.len() {
            return self;
        }
        let file = self.without().unwrap_or_else(Self::absent);
        let hooks = options.agent.hooks.iter();
        let members = hooks.map(|hooked| {
            let (event, command) = (quoted(hooked.event), quoted(&options.command(hooked.moment)));
            [format!("event = {event}"), format!("command = {command}")]
        });
        let text = if let Some(list) = file.document().as_ref().and_then(|document| inline(&file.text, document)) {
            let tables: Vec<String> = members.map(|members| format!("{{ {} }}", members.join(", "))).collect();
            let indentation = list.indentation().unwrap_or("  ");
            let line = format!("{}{indentation}", line_break(&file.text));
            Edit::apply(&file.text, list.append(if list.is_on_one_line() { " " } else { &line }, &tables))
        } else {
            let table = |members: [String; 2]| [format!("[[{HOOKS}]]")].into_iter().chain(members).collect();
            let tables: Vec<Vec<String>> = members.map(table).collect();
            if file.is_new { toml_text::new_file(&tables) } else { toml_text::with_tables(&file.text, &tables) }
        };
        Self { text, is_new: false, ..file }
    }

    /// Returns the settings without our hooks, or `None` if that leaves nothing.
    #[must_use]
    pub(super) fn without(mut self) -> Option<Self> {
        let places = self.places();
        for at in places.into_iter().rev() {
            let list = self.document().and_then(|document| {
                let list = inline(&self.text, &document)?;
                Some(Edit::apply(&self.text, list.without(list.elements.iter().position(|element| *element == at)?)))
            });
            self.text = match list {
                Some(text) => text,
                None => toml_text::without_table(&self.text, &at)?,
            };
        }
        Some(self)
    }

    /// Where ours are in the text, in its order.
    fn places(&self) -> Vec<std::ops::Range<usize>> {
        let Some(document) = self.document() else { return Vec::new() };
        match document.as_table().get(HOOKS) {
            Some(Item::ArrayOfTables(tables)) => {
                let ours = tables.iter().filter(|table| is_ours(&of_table(*table)));
                ours.filter_map(|table| Some(place(table, table.span()?))).collect()
            }
            Some(item) => {
                let ours = item.as_array().into_iter().flat_map(Array::iter).filter(|value| is_ours(&of_value(value)));
                ours.filter_map(toml_edit::Value::span).collect()
            }
            None => Vec::new(),
        }
    }

    fn document(&self) -> Option<Document<&str>> {
        toml_text::parse(&self.text).ok()
    }

    /// Our hooks, in the order of the file.
    pub(super) fn installed(&self) -> Vec<InstalledHook> {
        let Some(document) = self.document() else { return Vec::new() };
        let tables: Vec<Value> = match document.as_table().get(HOOKS) {
            Some(Item::ArrayOfTables(tables)) => tables.iter().map(|table| of_table(table)).collect(),
            Some(item) => item.as_array().into_iter().flat_map(Array::iter).map(of_value).collect(),
            None => Vec::new(),
        };
        let ours = tables.into_iter().enumerate().filter(|(_, table)| is_ours(table));
        let installed = |(group, entry): (usize, Value)| {
            let event = entry.get("event").and_then(Value::as_str).unwrap_or_default().to_owned();
            InstalledHook { event, group, hook: 0, entry }
        };
        ours.map(installed).collect()
    }

    /// What it says about each step, in the order of the agent's.
    pub(super) fn standing(&self, options: &HookOptions) -> Vec<(&'static str, Standing)> {
        let installed = self.installed();
        let of = |event: &'static str, command: String| {
            let ours = installed.iter().filter(|hook| hook.event == event).map(|hook| &hook.entry);
            (event, standing_of(ours, &json!({ "event": event, "command": command })))
        };
        options.agent.hooks.iter().map(|hooked| of(hooked.event, options.command(hooked.moment))).collect()
    }
}

/// `hooks = [{ … }]`
fn inline<'t>(text: &'t str, document: &Document<&str>) -> Option<Brackets<'t>> {
    let list = document.as_table().get(HOOKS)?.as_array()?;
    let elements = list.iter().map(toml_edit::Value::span).collect::<Option<_>>()?;
    Some(Brackets { text, comments: Comments::Hash, range: list.span()?, elements })
}

fn is_list_of_tables(item: &Item) -> bool {
    item.as_array().is_some_and(|list| list.iter().all(toml_edit::Value::is_inline_table))
}

fn of_table(table: &dyn TableLike) -> Value {
    let members = table.iter().map(|(name, item)| {
        let value = item.as_value().map_or(Value::Null, of_value);
        (name.to_owned(), value)
    });
    Value::Object(members.collect())
}

fn of_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::String(text.value().clone()),
        toml_edit::Value::InlineTable(table) => of_table(table),
        other => Value::String(other.to_string()),
    }
}
