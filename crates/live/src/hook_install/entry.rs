//! Values that are put into settings, with their members in order.

use serde_json::Value;

/// A value of JSON, as far as hooks need one.
#[derive(Debug, Clone)]
pub(super) enum Entry {
    Yes,
    Text(String),
    Number(u32),
    List(Vec<Entry>),
    Object(Vec<(&'static str, Entry)>),
}

impl Entry {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn object(members: impl IntoIterator<Item = (&'static str, Entry)>) -> Self {
        Self::Object(members.into_iter().collect())
    }

    /// On one line.
    pub(super) fn on_one_line(&self) -> String {
        match self {
            Self::List(list) => format!("[{}]", list.iter().map(Self::on_one_line).collect::<Vec<_>>().join(", ")),
            Self::Object(members) => {
                let member = |(name, value): &(&str, Self)| format!("{}: {}", quoted(name), value.on_one_line());
                format!("{{ {} }}", members.iter().map(member).collect::<Vec<_>>().join(", "))
            }
            plain => plain.value().to_string(),
        }
    }

    /// Each member and each element on a line of its own, as programs write settings.
    pub(super) fn on_lines(&self, indentation: &str) -> String {
        let deeper = format!("{indentation}  ");
        let (open, parts, close) = match self {
            Self::List(list) => ('[', list.iter().map(|value| value.on_lines(&deeper)).collect::<Vec<_>>(), ']'),
            Self::Object(members) => {
                let member = |(name, value): &(&str, Self)| format!("{}: {}", quoted(name), value.on_lines(&deeper));
                ('{', members.iter().map(member).collect(), '}')
            }
            plain => return plain.value().to_string(),
        };
        format!("{open}\n{deeper}{}\n{indentation}{close}", parts.join(&format!(",\n{deeper}")))
    }

    /// As it is compared.
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Yes => Value::Bool(true),
            Self::Text(text) => Value::String(text.clone()),
            Self::Number(number) => (*number).into(),
            Self::List(list) => Value::Array(list.iter().map(Self::value).collect()),
            Self::Object(members) => {
                Value::Object(members.iter().map(|(name, value)| ((*name).to_owned(), value.value())).collect())
            }
        }
    }
}

/// A text as JSON writes it.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
