//! Rows as JSON: values that are JSON already stay as they were written.

use super::table::{Row, Value};
use crate::scan::is_json;
use agent_strace_model::GapKind;

/// One session of a database, as a log.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) id: String,
    pub(crate) text: String,
    /// Why it may not be all.
    pub(crate) flaws: Vec<GapKind>,
    /// The directory of the project, where only the database says it.
    pub(crate) project: Option<String>,
}

/// A JSON object that is being written.
#[derive(Debug)]
pub(crate) struct Object {
    text: String,
}

/// A JSON list that is being written, one element a line.
#[derive(Debug, Default)]
pub(crate) struct List {
    text: String,
}

impl Object {
    pub(crate) fn new() -> Self {
        Self { text: "{".to_owned() }
    }

    /// A value that is JSON.
    pub(crate) fn raw(&mut self, key: &str, json: &str) -> &mut Self {
        if self.text.len() > 1 {
            self.text.push(',');
        }
        self.text.push_str(&quoted(key));
        self.text.push(':');
        self.text.push_str(json);
        self
    }

    pub(crate) fn text(&mut self, key: &str, text: &str) -> &mut Self {
        self.raw(key, &quoted(text))
    }

    /// A column under another name. An absent one is left out, one that can't be read is a flaw.
    pub(crate) fn column(&mut self, key: &str, row: &Row, column: &str, flaws: &mut Vec<GapKind>) -> &mut Self {
        match row.get(column) {
            None => {}
            Some(Value::Integer(value)) => drop(self.raw(key, &value.to_string())),
            Some(Value::Real(value)) if value.is_finite() => drop(self.raw(key, &plain(*value))),
            Some(Value::Text(text)) => drop(self.text(key, text)),
            Some(Value::Blob(_)) if row.text(column).is_some() => {
                self.text(key, row.text(column).unwrap_or_default());
            }
            Some(Value::Broken) => flaws.push(row.flaw(&format!("`{column}` is text that is not UTF-8"))),
            Some(Value::Real(_) | Value::Blob(_)) => flaws.push(row.flaw(&format!("`{column}` is of the wrong type"))),
        }
        self
    }

    /// Columns under their own names.
    pub(crate) fn columns(&mut self, row: &Row, columns: &[&str], flaws: &mut Vec<GapKind>) -> &mut Self {
        for column in columns {
            self.column(column, row, column, flaws);
        }
        self
    }

    /// Adds a column that holds JSON. Any other text is a flaw.
    pub(crate) fn json(&mut self, key: &str, row: &Row, column: &str, flaws: &mut Vec<GapKind>) -> &mut Self {
        if let Some(json) = json(row, column, flaws) {
            self.raw(key, json);
        }
        self
    }

    /// The fields of an object that a column holds become fields of this one.
    pub(crate) fn spread(&mut self, row: &Row, column: &str, flaws: &mut Vec<GapKind>) -> &mut Self {
        let Some(json) = json(row, column, flaws) else { return self };
        let inner = json.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).map(str::trim);
        match inner {
            None => flaws.push(row.flaw(&format!("`{column}` is not an object"))),
            Some("") => {}
            Some(fields) => {
                if self.text.len() > 1 {
                    self.text.push(',');
                }
                self.text.push_str(fields);
            }
        }
        self
    }

    pub(crate) fn finish(&mut self) -> String {
        let mut text = std::mem::take(&mut self.text);
        text.push('}');
        text
    }
}

impl List {
    pub(crate) fn push(&mut self, json: &str) {
        if !self.text.is_empty() {
            self.text.push_str(",\n");
        }
        self.text.push_str(json);
    }

    pub(crate) fn finish(self) -> String {
        format!("[\n{}\n]", self.text)
    }
}

/// The JSON that a column holds, if it is one whole value.
pub(crate) fn json<'r>(row: &'r Row, column: &str, flaws: &mut Vec<GapKind>) -> Option<&'r str> {
    row.get(column)?;
    let Some(text) = row.text(column) else {
        flaws.push(row.flaw(&format!("`{column}` is no text, or it is not UTF-8")));
        return None;
    };
    if !is_json(text) {
        flaws.push(GapKind::InvalidJson(format!("row {} of `{}`: `{column}` is not JSON", row.id, row.table).into()));
        return None;
    }
    Some(text)
}

pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn plain(value: f64) -> String {
    serde_json::Number::from_f64(value).map_or_else(|| "null".to_owned(), |number| number.to_string())
}
