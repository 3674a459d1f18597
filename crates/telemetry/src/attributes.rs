//! Attributes: keys of the semantic conventions, values of bounded size.

use std::borrow::Cow;

use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value::Value};

/// Our own, beside those of the conventions.
pub(super) const STATUS: &str = "agent_strace.tool.status";
pub(super) const TIME_BASIS: &str = "agent_strace.time_basis";
pub(super) const CUT: &str = "agent_strace.truncated";

#[derive(Debug, Default)]
pub(super) struct Attributes {
    list: Vec<KeyValue>,
    /// That were too many.
    dropped: u32,
}

impl Attributes {
    fn push(&mut self, key: impl Into<String>, value: Value) -> &mut Self {
        self.list.push(KeyValue { key: key.into(), value: Some(AnyValue { value: Some(value) }), key_strindex: 0 });
        self
    }

    pub(super) fn text(&mut self, key: impl Into<String>, value: impl Into<String>) -> &mut Self {
        self.push(key, Value::StringValue(value.into()))
    }

    /// Nothing where there is none.
    pub(super) fn text_if_any(&mut self, key: &'static str, value: Option<&str>) -> &mut Self {
        match value.filter(|value| !value.is_empty()) {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    pub(super) fn number(&mut self, key: &'static str, value: u64) -> &mut Self {
        self.push(key, Value::IntValue(i64::try_from(value).unwrap_or(i64::MAX)))
    }

    pub(super) fn flag(&mut self, key: &'static str) -> &mut Self {
        self.push(key, Value::BoolValue(true))
    }

    pub(super) fn drop_more(&mut self, count: usize) {
        self.dropped = self.dropped.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// With how many were left out.
    pub(super) fn finish(self) -> (Vec<KeyValue>, u32) {
        (self.list, self.dropped)
    }
}

/// The beginning of a text: so many characters, the last of which says that more followed.
pub(super) fn beginning(text: &str, most: usize) -> Cow<'_, str> {
    let Some((end, _)) = text.char_indices().nth(most) else { return Cow::Borrowed(text) };
    let keeps = text.char_indices().nth(most.saturating_sub(1)).map_or(end, |(at, _)| at);
    Cow::Owned(format!("{}…", text.get(..keeps).unwrap_or_default()))
}
