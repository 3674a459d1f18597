//! Values that are put into settings, with their members in order.

use jsonc_parser::cst::CstInputValue;
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

    /// As it is written.
    pub(super) fn input(&self) -> CstInputValue {
        match self {
            Self::Yes => CstInputValue::Bool(true),
            Self::Text(text) => CstInputValue::String(text.clone()),
            Self::Number(number) => CstInputValue::Number(number.to_string()),
            Self::List(list) => CstInputValue::Array(list.iter().map(Self::input).collect()),
            Self::Object(members) => {
                CstInputValue::Object(members.iter().map(|(name, value)| ((*name).to_owned(), value.input())).collect())
            }
        }
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
