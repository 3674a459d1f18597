//! A small JSON reader that keeps where everything stands: diagnostics and findings point into the policy file.
//!
//! It reads JSON with comments, commas behind the last member and a byte order mark, as editors write them; whether such
//! a comma may stand is for the caller to say. Depth is limited, nothing is guessed: the first violation of the grammar
//! ends the reading with its location.

use std::ops::Range;

/// Containers inside containers; a policy needs five.
const DEEPEST: usize = 64;

#[derive(Debug, Clone)]
pub struct Value {
    /// Bytes of the value in the file.
    pub span: Range<usize>,
    pub data: Data,
}

#[derive(Debug, Clone)]
pub enum Data {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Value>),
    /// In the order of the file, duplicates included.
    Object(Vec<(Key, Value)>),
}

#[derive(Debug, Clone)]
pub struct Key {
    pub span: Range<usize>,
    pub name: String,
}

impl Data {
    /// What it is, in words for people.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

/// A whole file.
#[derive(Debug)]
pub struct Document {
    pub root: Value,
    /// Where a comma stands behind the last member of a container.
    pub(crate) trailing_commas: Vec<Range<usize>>,
    /// Where comments stand, and a byte order mark.
    pub(super) asides: Vec<Range<usize>>,
}

/// Why the text is not JSON.
#[derive(Debug)]
pub struct SyntaxError {
    pub span: Range<usize>,
    pub message: String,
    pub help: Option<String>,
}

pub fn read(text: &str) -> Result<Document, SyntaxError> {
    let mut reader = Reader { text, at: 0, trailing_commas: Vec::new(), asides: Vec::new() };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
        reader.asides.push(0..reader.at);
    }
    reader.blank()?;
    let root = reader.value(0)?;
    reader.blank()?;
    match reader.peek() {
        None => Ok(Document { root, trailing_commas: reader.trailing_commas, asides: reader.asides }),
        Some(found) => Err(reader.error(format!("unexpected {} after the end of the document", show(found)), None)),
    }
}

/// The value as plain JSON: what other readers take.
pub(super) fn plain(value: &Value) -> String {
    let text = |text: &str| serde_json::Value::from(text).to_string();
    match &value.data {
        Data::Null => "null".to_owned(),
        Data::Bool(value) => value.to_string(),
        Data::Number(number) => number.clone(),
        Data::Text(value) => text(value),
        Data::List(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(",")),
        Data::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(key, value)| format!("{}:{}", text(&key.name), plain(value))).collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

/// Whether two values are the same, wherever the members of their objects stand.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (&one.data, &other.data) {
        (Data::Null, Data::Null) => true,
        (Data::Bool(one), Data::Bool(other)) => one == other,
        (Data::Number(one), Data::Number(other)) | (Data::Text(one), Data::Text(other)) => one == other,
        (Data::List(one), Data::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Data::Object(one), Data::Object(other)) => {
            let (one, other) = (by_name(one), by_name(other));
            let alike = |((key, value), (name, other)): (&Member<'_>, &Member<'_>)| key == name && same(value, other);
            one.len() == other.len() && one.iter().zip(&other).all(alike)
        }
        _ => false,
    }
}

type Member<'v> = (&'v str, &'v Value);

fn by_name(members: &[(Key, Value)]) -> Vec<Member<'_>> {
    let mut members: Vec<Member<'_>> = members.iter().map(|(key, value)| (key.name.as_str(), value)).collect();
    members.sort_by_key(|(name, _)| *name);
    members
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    trailing_commas: Vec<Range<usize>>,
    asides: Vec<Range<usize>>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn error(&self, message: String, help: Option<&str>) -> SyntaxError {
        let length = self.peek().map_or(0, char::len_utf8);
        SyntaxError { span: self.at..self.at + length, message, help: help.map(str::to_owned) }
    }

    fn expected(&self, what: &str, help: Option<&str>) -> SyntaxError {
        match self.peek() {
            Some('\'') => {
                let help = help.unwrap_or("JSON has double quotes around keys and strings");
                self.error(format!("expected {what}, found {}", show('\'')), Some(help))
            }
            Some(found) => self.error(format!("expected {what}, found {}", show(found)), help),
            None => self.error(format!("expected {what}, but the file ends"), None),
        }
    }

    /// White space and comments.
    fn blank(&mut self) -> Result<(), SyntaxError> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches([' ', '\t', '\n', '\r']);
            let length = if trimmed.starts_with("//") {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                let Some(end) = comment.find("*/") else {
                    self.at += rest.len() - trimmed.len();
                    return Err(self.error("this comment is never closed".to_owned(), Some("close it with `*/`")));
                };
                end + 4
            } else {
                0
            };
            self.at += rest.len() - trimmed.len() + length;
            if length == 0 {
                return Ok(());
            }
            self.asides.push(self.at - length..self.at);
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, SyntaxError> {
        if depth > DEEPEST {
            return Err(self.error(format!("nested deeper than {DEEPEST} levels"), None));
        }
        let start = self.at;
        let data = match self.peek() {
            Some('{') => self.object(depth)?,
            Some('[') => self.list(depth)?,
            Some('"') => Data::Text(self.string()?),
            Some('-' | '0'..='9') => self.number()?,
            Some('\'') => return Err(self.expected("a value", Some("JSON strings stand in double quotes"))),
            _ => self.word()?,
        };
        Ok(Value { span: start..self.at, data })
    }

    fn object(&mut self, depth: usize) -> Result<Data, SyntaxError> {
        let mut members = Vec::new();
        self.take('{');
        self.blank()?;
        while !self.take('}') {
            if !members.is_empty() {
                let comma = self.at;
                if !self.take(',') {
                    return Err(self.expected("`,` or `}`", None));
                }
                self.blank()?;
                if self.take('}') {
                    self.trailing_commas.push(comma..comma + 1);
                    break;
                }
            }
            let start = self.at;
            if self.peek() != Some('"') {
                return Err(self.expected("a key in double quotes", None));
            }
            let name = self.string()?;
            let key = Key { span: start..self.at, name };
            self.blank()?;
            if !self.take(':') {
                return Err(self.expected("`:`", None));
            }
            self.blank()?;
            let value = self.value(depth + 1)?;
            self.blank()?;
            members.push((key, value));
        }
        Ok(Data::Object(members))
    }

    fn list(&mut self, depth: usize) -> Result<Data, SyntaxError> {
        let mut items = Vec::new();
        self.take('[');
        self.blank()?;
        while !self.take(']') {
            if !items.is_empty() {
                let comma = self.at;
                if !self.take(',') {
                    return Err(self.expected("`,` or `]`", None));
                }
                self.blank()?;
                if self.take(']') {
                    self.trailing_commas.push(comma..comma + 1);
                    break;
                }
            }
            items.push(self.value(depth + 1)?);
            self.blank()?;
        }
        Ok(Data::List(items))
    }

    /// Finds the closing quote; what is between is decoded by the JSON library everybody trusts.
    fn string(&mut self) -> Result<String, SyntaxError> {
        let rest = self.rest();
        let mut escaped = false;
        let end = rest.char_indices().skip(1).find_map(|(at, character)| {
            let closes = character == '"' && !escaped;
            escaped = character == '\\' && !escaped;
            (closes || character == '\n').then_some((at, character))
        });
        let Some((end, '"')) = end else {
            return Err(self.error("this string is never closed".to_owned(), Some("close it with `\"`")));
        };
        let literal = rest.get(..=end).unwrap_or_default();
        let decoded = serde_json::from_str::<String>(literal);
        let length = literal.len();
        match decoded {
            Ok(text) => {
                self.at += length;
                Ok(text)
            }
            Err(_) => Err(SyntaxError {
                span: self.at..self.at + length,
                message: "this string has an escape or a control character that JSON does not know".to_owned(),
                help: Some("write a backslash as `\\\\`".to_owned()),
            }),
        }
    }

    fn number(&mut self) -> Result<Data, SyntaxError> {
        let rest = self.rest();
        let end = rest
            .find(|character: char| !matches!(character, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'))
            .unwrap_or(rest.len());
        let text = rest.get(..end).unwrap_or_default().to_owned();
        if serde_json::from_str::<f64>(&text).is_err() {
            return Err(self.error("this is not a number".to_owned(), None));
        }
        self.at += text.len();
        Ok(Data::Number(text))
    }

    fn word(&mut self) -> Result<Data, SyntaxError> {
        let rest = self.rest();
        let end = rest.find(|character: char| !character.is_alphanumeric()).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default();
        let data = match word {
            "null" => Data::Null,
            "true" => Data::Bool(true),
            "false" => Data::Bool(false),
            _ => return Err(self.expected("a value", None)),
        };
        self.at += end;
        Ok(data)
    }
}

/// A character as it may stand in a message.
fn show(character: char) -> String {
    if character.is_control() || character.is_whitespace() {
        format!("the character U+{:04X}", u32::from(character))
    } else {
        format!("`{character}`")
    }
}
