//! JSON text of one line, with parts of logs in it as they were written.

use std::fmt::Write as _;

use agent_strace_secrets::redact;

/// What becomes of secrets in what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// Evidence is kept as it was recorded.
    Keep,
    /// Whatever the detectors know is replaced.
    Redact,
}

/// An object that is being written, key by key.
#[derive(Debug)]
pub(super) struct Object {
    json: String,
    secrets: Secrets,
}

impl Object {
    pub(super) fn new(secrets: Secrets) -> Self {
        Self { json: "{".to_owned(), secrets }
    }

    fn key(&mut self, key: &str) {
        if self.json.len() > 1 {
            self.json.push(',');
        }
        push_string(&mut self.json, key);
        self.json.push(':');
    }

    pub(super) fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        match self.secrets {
            Secrets::Keep => push_string(&mut self.json, text),
            Secrets::Redact => push_string(&mut self.json, redact(text).as_str()),
        }
    }

    pub(super) fn text_if_any(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(key, text);
        }
    }

    /// A word of the format itself, which is no secret.
    pub(super) fn word(&mut self, key: &str, word: &str) {
        self.key(key);
        push_string(&mut self.json, word);
    }

    pub(super) fn number(&mut self, key: &str, number: impl std::fmt::Display) {
        self.key(key);
        let _ = write!(self.json, "{number}");
    }

    /// Valid JSON, made fit for one line.
    pub(super) fn json(&mut self, key: &str, json: &str) {
        self.key(key);
        push_compact(&mut self.json, json, self.secrets);
    }

    /// What was already written by this module.
    pub(super) fn object(&mut self, key: &str, object: Object) {
        self.key(key);
        self.json.push_str(&object.finish());
    }

    pub(super) fn finish(mut self) -> String {
        self.json.push('}');
        self.json
    }
}

/// JSON without white space between its parts. Keys and numbers stay as they are written, also keys that occur twice.
pub(super) fn compact(json: &str, secrets: Secrets) -> String {
    let mut text = String::with_capacity(json.len());
    push_compact(&mut text, json, secrets);
    text
}

/// The same with secrets as they are.
pub fn on_one_line(json: &str) -> String {
    compact(json, Secrets::Keep)
}

fn push_compact(target: &mut String, json: &str, secrets: Secrets) {
    let mut rest = json;
    while let Some(at) = rest.find(['"', ' ', '\t', '\n', '\r']) {
        let (plain, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        target.push_str(plain);
        if !from.starts_with('"') {
            rest = from.trim_start_matches([' ', '\t', '\n', '\r']);
            continue;
        }
        let (literal, after) = from.split_at_checked(literal_length(from)).unwrap_or((from, ""));
        let is_key = after.trim_start_matches([' ', '\t', '\n', '\r']).starts_with(':');
        if secrets == Secrets::Redact && !is_key {
            push_string(target, redact(agent_strace_model::decode_json(literal)).as_str());
        } else {
            push_separators_escaped(target, literal);
        }
        rest = after;
    }
    target.push_str(rest);
}

/// Bytes of the string literal at the start of `text`, both quotes included.
fn literal_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn push_string(target: &mut String, text: &str) {
    // A string always has a JSON form.
    push_separators_escaped(target, &serde_json::to_string(text).unwrap_or_default());
}

/// Characters that JSON allows but that other readers of the store take for the end of a line.
fn push_separators_escaped(target: &mut String, literal: &str) {
    let mut rest = literal;
    while let Some(at) = rest.find(['\u{85}', '\u{2028}', '\u{2029}']) {
        let (plain, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        target.push_str(plain);
        let mut characters = from.chars();
        if let Some(separator) = characters.next() {
            let _ = write!(target, "\\u{:04x}", u32::from(separator));
        }
        rest = characters.as_str();
    }
    target.push_str(rest);
}
