//! The arguments of a native tool call, in the shapes its writers give them.

use std::borrow::Cow;

use super::event::Data;
use super::repr;
use crate::json::{Raw, text};
use crate::scan::is_json;
use agent_strace_model::Arguments;

/// A call's arguments as recorded.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) arguments: Arguments<'a>,
    /// The recorder shortened a value.
    pub(super) cut: bool,
    /// The value that they were read from, where that is no piece of it.
    pub(super) source: Option<Raw<'a>>,
}

/// The arguments of a `tool_call` event; `raw` is its whole `data`.
pub(super) fn of<'a>(raw: impl FnOnce() -> Option<Raw<'a>>, data: &Data<'a>) -> Call<'a> {
    let whole = |arguments| Call { arguments, cut: false, source: None };
    let named = data.arguments.or(data.tool_input).or(data.input).or(data.args).or(data.parameters);
    match named.filter(|value| !is_empty(*value) || !has_more(data)) {
        Some(value) => match text(Some(value)) {
            Some(text) => whole(from_text(text)),
            None => repr::unquoted(value.get()).map_or_else(
                || whole(Arguments::Json(Cow::Borrowed(value.get()))),
                |values| {
                    let arguments = Arguments::Json(Cow::Owned(values.json));
                    Call { arguments, cut: values.cut, source: Some(value) }
                },
            ),
        },
        // Some writers put the arguments beside the tool's name.
        None if has_more(data) => {
            let arguments = raw().map_or(Arguments::Missing, |raw| Arguments::Json(Cow::Borrowed(raw.get())));
            Call { arguments, cut: false, source: named }
        }
        None => whole(Arguments::Missing),
    }
}

/// Arguments recorded as a string: usually an object that was encoded twice.
fn from_text(text: Cow<'_, str>) -> Arguments<'_> {
    let is_json = text.trim_start().starts_with(['{', '[']) && is_json(&text);
    if is_json { Arguments::Json(text) } else { Arguments::Text(text) }
}

fn is_empty(value: Raw<'_>) -> bool {
    matches!(value.get(), "{}" | "[]" | "\"\"")
}

fn has_more(data: &Data<'_>) -> bool {
    data.others > 0
        || [data.command, data.path, data.file_path, data.uri, data.content, data.text].iter().any(Option::is_some)
}
