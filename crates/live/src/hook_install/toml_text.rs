//! Documents in TOML, within bounds, and tables in their text: they are added at the end and taken out again, and no other
//! byte changes.

use std::ops::Range;

use serde_json::Value;
use toml_edit::{Document, Item, TableLike};

use super::brackets::{Edit, line_break};

/// Real ones nest less deep; the library's functions call themselves.
const DEEPEST: usize = 64;

/// Reads the text, which has no byte order mark. The error says why it is no TOML, with the line.
pub(super) fn parse(text: &str) -> Result<Document<&str>, String> {
    if super::tree::depth(text) > DEEPEST || text.lines().any(|line| line.matches('.').count() > 8 * DEEPEST) {
        return Err(format!("it nests more than {DEEPEST} deep"));
    }
    Document::parse(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let line = text.get(..start).unwrap_or(text).matches('\n').count() + 1;
        format!("it is no TOML: {} on line {line}", error.message().replace('\n', ", "))
    })
}

/// Reads the values that JSON has, too. The error says why the text is no TOML, with the line.
pub(super) fn value(text: &str) -> Result<Value, String> {
    parse(text).map(|document| of_item(document.as_item()))
}

fn of_item(item: &Item) -> Value {
    let of_table = |table: &dyn TableLike| {
        Value::Object(table.iter().map(|(name, item)| (name.to_owned(), of_item(item))).collect())
    };
    match item {
        Item::Value(toml_edit::Value::Boolean(is)) => Value::Bool(*is.value()),
        Item::Value(toml_edit::Value::String(text)) => Value::String(text.value().clone()),
        _ => item.as_table_like().map_or(Value::Null, of_table),
    }
}

/// A text as TOML writes it.
pub(super) fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

/// The text with tables at its end, each after a blank line, which is the first thing of a file that was empty.
pub(super) fn with_tables(text: &str, tables: &[Vec<String>]) -> String {
    let newline = line_break(text);
    let ends = text.is_empty() || text.ends_with('\n');
    let mut whole = text.to_owned();
    for table in tables {
        let table = table.join(newline);
        let parts = if ends { [newline, &table, newline] } else { [newline, newline, &table] };
        whole.extend(parts);
    }
    whole
}

/// The text of a new file.
pub(super) fn new_file(tables: &[Vec<String>]) -> String {
    with_tables("", tables).trim_start().to_owned()
}

/// The text without a table, from its header to its last value; `None`: nothing is left of a file that began with it.
pub(super) fn without_table(text: &str, table: &Range<usize>) -> Option<String> {
    let start = text.get(..table.start)?.rfind('\n').map_or(0, |at| at + 1);
    let end = text.get(table.end..)?.find('\n').map(|at| table.end + at + 1);
    let before = text.get(..start)?;
    let mut kept = without_line_break(before).filter(|line| line.is_empty() || line.ends_with('\n')).unwrap_or(before);
    if end.is_none() {
        kept = without_line_break(kept).unwrap_or(kept);
    }
    let rest = text.get(end.unwrap_or(text.len())..)?;
    let rest = if start == 0 { rest.trim_start_matches(['\r', '\n']) } else { rest };
    (start > 0 || !rest.is_empty()).then(|| Edit::apply(text, vec![Edit::remove(kept.len()..text.len() - rest.len())]))
}

fn without_line_break(text: &str) -> Option<&str> {
    let text = text.strip_suffix('\n')?;
    Some(text.strip_suffix('\r').unwrap_or(text))
}

/// From the header of a table to its last value.
pub(super) fn place(table: &dyn TableLike, header: Range<usize>) -> Range<usize> {
    let ends = table.iter().filter_map(|(_, item)| item.as_value()?.span()).map(|span| span.end);
    header.start..ends.max().unwrap_or(header.end).max(header.end)
}

/// All of its members are values, none is a table with a header of its own.
pub(super) fn is_flat(table: &dyn TableLike) -> bool {
    table.iter().all(|(_, item)| matches!(item, Item::Value(_)))
}

/// The lines of a value, with the line break at the end.
pub(super) fn lines(text: &str, value: &Range<usize>) -> Range<usize> {
    let start = text.get(..value.start).and_then(|text| text.rfind('\n')).map_or(0, |at| at + 1);
    let end = text.get(value.end..).and_then(|text| text.find('\n')).map_or(text.len(), |at| value.end + at + 1);
    start..end
}

/// The end of the line around a place, before the line break.
pub(super) fn end_of_line(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.find(['\r', '\n']).unwrap_or(rest.len())
}
