//! Configuration of other programs → values with their locations, whatever language it is written in.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use agent_strace_policy::config::yaml;
use agent_strace_policy::json::{self, Data, Key, Value};

/// What a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// With comments, and commas behind the last member, as editors take it.
    Json,
    Toml,
    Yaml,
}

impl Language {
    /// By the name of the file.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "json" | "jsonc" | "json5" | "code-workspace" => Some(Self::Json),
            "toml" | "replit" => Some(Self::Toml),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }
}

/// A file that was understood.
#[derive(Debug)]
pub struct Document<'t> {
    pub text: &'t str,
    pub root: Value,
}

/// Why a file was not understood: one line, and where.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    pub line: u32,
    /// In characters, from 1 on.
    pub column: u32,
    pub reason: String,
}

impl Fault {
    /// A fault at a byte of the text.
    pub fn at(text: &str, at: usize, reason: String) -> Self {
        let (line, column) = place_at(text, at);
        Self { line, column, reason }
    }
}

impl<'t> Document<'t> {
    pub fn read(language: Language, text: &'t str) -> Result<Self, Fault> {
        let root = match language {
            // An empty file is what an editor leaves of settings that were all removed.
            Language::Json if text.trim().is_empty() => Value { span: 0..0, data: Data::Null },
            Language::Json => json::read(text).map(|document| document.root).map_err(|error| fault(text, &error))?,
            Language::Yaml => yaml::read(text).map_err(|error| fault(text, &error))?,
            Language::Toml => of_toml(text)?,
        };
        Ok(Self { text, root })
    }

    /// The 1-based line on which something stands.
    pub fn line(&self, span: &Range<usize>) -> u32 {
        line_at(self.text, span.start)
    }

    /// The 1-based line and column at which something stands.
    pub fn place(&self, span: &Range<usize>) -> (u32, u32) {
        place_at(self.text, span.start)
    }
}

fn fault(text: &str, error: &json::SyntaxError) -> Fault {
    Fault::at(text, error.span.start, error.message.clone())
}

/// The 1-based line of a byte.
pub(crate) fn line_at(text: &str, at: usize) -> u32 {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    u32::try_from(memchr::memchr_iter(b'\n', before).count()).unwrap_or(u32::MAX - 1) + 1
}

fn place_at(text: &str, at: usize) -> (u32, u32) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or(before);
    (line_at(text, at), u32::try_from(line.chars().count()).unwrap_or(u32::MAX - 1) + 1)
}

fn of_toml(text: &str) -> Result<Value, Fault> {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    let skipped = text.len() - bare.len();
    let table = DeTable::parse(bare).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start + skipped);
        let reason = error.message().lines().next().unwrap_or("no reason is given").to_owned();
        Fault::at(text, at, format!("this is not TOML: {reason}"))
    })?;
    let span = table.span();
    Ok(Value { span: moved(&span, skipped), data: of_table(table.get_ref(), skipped) })
}

fn of_table(table: &DeTable<'_>, skipped: usize) -> Data {
    let member = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
        let key: &toml::Spanned<std::borrow::Cow<'_, str>> = key;
        let name = key.get_ref().clone().into_owned();
        (Key { span: moved(&key.span(), skipped), name }, of_item(value, skipped))
    };
    let mut members: Vec<(Key, Value)> = table.iter().map(member).collect();
    // In the order of the file, as the other readers have it.
    members.sort_by_key(|(key, _)| key.span.start);
    Data::Object(members)
}

fn of_item(item: &toml::Spanned<DeValue<'_>>, skipped: usize) -> Value {
    let data = match item.get_ref() {
        DeValue::String(text) => Data::Text(text.clone().into_owned()),
        DeValue::Integer(number) => Data::Number(number.to_string()),
        DeValue::Float(number) => Data::Number(number.to_string()),
        DeValue::Boolean(value) => Data::Bool(*value),
        DeValue::Datetime(moment) => Data::Text(moment.to_string()),
        DeValue::Array(items) => Data::List(items.iter().map(|item| of_item(item, skipped)).collect()),
        DeValue::Table(table) => of_table(table, skipped),
    };
    Value { span: moved(&item.span(), skipped), data }
}

fn moved(span: &Range<usize>, by: usize) -> Range<usize> {
    span.start + by..span.end + by
}

/// The member of an object.
pub fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    members(value).iter().find(|(key, _)| key.name == name).map(|(_, value)| value)
}

/// The members of an object; none of what is no object.
pub fn members(value: &Value) -> &[(Key, Value)] {
    match &value.data {
        Data::Object(members) => members,
        _ => &[],
    }
}

/// The items of a list; none of what is no list.
pub fn items(value: &Value) -> &[Value] {
    match &value.data {
        Data::List(items) => items,
        _ => &[],
    }
}

/// A text, and nothing else.
pub fn text(value: &Value) -> Option<&str> {
    match &value.data {
        Data::Text(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(value: &Value) -> String {
        match &value.data {
            Data::Null => "null".to_owned(),
            Data::Bool(value) => value.to_string(),
            Data::Number(number) => number.clone(),
            Data::Text(text) => format!("{text:?}"),
            Data::List(items) => format!("[{}]", items.iter().map(shape).collect::<Vec<_>>().join(" ")),
            Data::Object(members) => {
                let members = members.iter().map(|(key, value)| format!("{}={}", key.name, shape(value)));
                format!("{{{}}}", members.collect::<Vec<_>>().join(" "))
            }
        }
    }

    #[test]
    fn three_languages_say_the_same_with_their_places() {
        for (language, text) in [
            (Language::Json, "// servers\n{\"b\": {\n  \"command\": \"npx\",\n  \"args\": [\"-y\", 1, true,],\n}}"),
            (Language::Toml, "\u{feff}[b]\n# servers\ncommand = 'npx'\nargs = ['-y', 1, true]\n"),
            (Language::Yaml, "# servers\nb:\n  command: npx\n  args: [\"-y\", 1, true]\n"),
        ] {
            let document = Document::read(language, text).unwrap();
            assert_eq!(shape(&document.root), "{b={command=\"npx\" args=[\"-y\" 1 true]}}");
            let server = member(&document.root, "b").unwrap();
            assert_eq!(document.line(&member(server, "command").unwrap().span), 3, "{language:?}");
            assert_eq!(document.line(&items(member(server, "args").unwrap())[0].span), 4, "{language:?}");
        }
    }

    #[test]
    fn what_is_not_understood_has_a_place_and_a_reason() {
        for (language, text, line) in [
            (Language::Json, "{\n\"a\": }", 2),
            (Language::Toml, "a = 1\nb = \n", 2),
            (Language::Yaml, "a: 1\nb: [\n", 3),
        ] {
            let fault = Document::read(language, text).unwrap_err();
            assert!(fault.line >= line - 1 && fault.line <= line, "{language:?} {fault:?}");
            assert!(!fault.reason.contains('\n'), "{fault:?}");
        }
        assert!(Document::read(Language::Json, " \n").is_ok());
        let deep = "[".repeat(100_000);
        for language in [Language::Json, Language::Toml, Language::Yaml] {
            let text = if language == Language::Toml { format!("a = {deep}") } else { deep.clone() };
            assert!(Document::read(language, &text).is_err());
        }
    }
}
