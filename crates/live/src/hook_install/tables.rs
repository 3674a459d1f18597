//! Settings in TOML that hold hooks as `[[hooks]]`, each with the name of its step.

use serde_json::{Value, json};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike};

use super::{HookOptions, InstalledHook, Standing, is_ours, standing_of, toml_text};

const HOOKS: &str = "hooks";

/// Settings that are being edited.
pub(super) struct TomlFile {
    document: DocumentMut,
}

impl TomlFile {
    /// Why it can't be edited, with line and column.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let document = toml_text::parse(text)?;
        match document.get(HOOKS) {
            None | Some(Item::None | Item::ArrayOfTables(_)) => Ok(Self { document }),
            Some(hooks) if is_list_of_tables(hooks) => Ok(Self { document }),
            Some(_) => Err(format!("its `{HOOKS}` are no list of tables")),
        }
    }

    pub(super) fn text(&self) -> String {
        self.document.to_string()
    }

    /// The same with the hooks that are wanted, instead of any of ours that are there.
    #[must_use]
    pub(super) fn with(self, options: &HookOptions) -> Self {
        let standing = self.standing(options);
        let is_whole = standing.iter().all(|(_, standing)| *standing == Standing::Set);
        if is_whole && self.installed().len() == standing.len() {
            return self;
        }
        let mut file = self.without();
        let new = || Item::ArrayOfTables(ArrayOfTables::new());
        let hooks = file.document.entry(HOOKS).or_insert_with(new);
        for hooked in options.agent.hooks {
            let members = [("event", hooked.event.to_owned()), ("command", options.command(hooked.moment))];
            if let Some(tables) = hooks.as_array_of_tables_mut() {
                tables.push(members.into_iter().map(|(name, text)| (name, toml_edit::value(text))).collect::<Table>());
            } else if let Some(list) = hooks.as_array_mut() {
                list.push(members.into_iter().collect::<InlineTable>());
            }
        }
        file
    }

    /// The same without ours.
    #[must_use]
    pub(super) fn without(mut self) -> Self {
        let is_empty = match self.document.get_mut(HOOKS) {
            Some(Item::ArrayOfTables(tables)) => {
                tables.retain(|table| !is_ours(&of_table(table)));
                tables.is_empty()
            }
            Some(item) => item.as_array_mut().is_some_and(|list| {
                let had = list.len();
                list.retain(|value| !value.as_inline_table().is_some_and(|table| is_ours(&of_table(table))));
                had > 0 && list.is_empty()
            }),
            None => false,
        };
        if is_empty {
            self.document.remove(HOOKS);
        }
        self
    }

    /// Nothing is left in it, no comment either.
    pub(super) fn is_empty(&self) -> bool {
        self.text().trim().is_empty()
    }

    /// Our hooks, in the order of the file.
    pub(super) fn installed(&self) -> Vec<InstalledHook> {
        let tables: Vec<Value> = match self.document.get(HOOKS) {
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
