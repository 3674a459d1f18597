//! Literals of a script as JSON: strings in any quotes, numbers, lists, objects with bare keys, constants by name.

use std::collections::BTreeMap;

use super::mask;

/// Nesting of real arguments is below ten.
const MAX_DEPTH: u32 = 32;

/// A literal.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Text(String),
    /// JSON text of anything that is not a string.
    Json(String),
    /// The call has no argument.
    Nothing,
}

/// Reads one argument.
#[derive(Debug)]
pub(super) struct Parser<'s, 'b> {
    rest: &'s str,
    constants: &'b BTreeMap<&'s str, &'s str>,
    /// Bytes that constants may still add: a name is short, its value is not.
    budget: &'b mut usize,
}

impl<'s, 'b> Parser<'s, 'b> {
    pub(super) fn new(rest: &'s str, constants: &'b BTreeMap<&'s str, &'s str>, budget: &'b mut usize) -> Self {
        Self { rest, constants, budget }
    }

    pub(super) fn rest(&self) -> &'s str {
        self.rest
    }

    /// The only argument of a call, up to and with the closing parenthesis.
    pub(super) fn argument(&mut self) -> Option<Value> {
        if self.eat(')') {
            return Some(Value::Nothing);
        }
        let value = self.value(0)?;
        self.eat(',');
        self.eat(')').then_some(value)
    }

    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("//") {
                self.rest = comment.split_once(mask::ends_line).map_or("", |(_, rest)| rest);
            } else if let Some((_, rest)) = self.rest.strip_prefix("/*").and_then(|comment| comment.split_once("*/")) {
                self.rest = rest;
            } else {
                return;
            }
        }
    }

    fn eat(&mut self, character: char) -> bool {
        self.skip();
        match self.rest.strip_prefix(character) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self, depth: u32) -> Option<Value> {
        let mut value = self.single(depth)?;
        // Long texts are often added up of pieces.
        while self.eat('+') {
            match (&mut value, self.single(depth)?) {
                (Value::Text(text), Value::Text(more)) => text.push_str(&more),
                _ => return None,
            }
        }
        Some(value)
    }

    fn single(&mut self, depth: u32) -> Option<Value> {
        self.skip();
        if depth > MAX_DEPTH {
            return None;
        }
        match self.rest.chars().next()? {
            quote @ ('"' | '\'' | '`') => self.string(quote).map(Value::Text),
            '{' => self.object(depth).map(Value::Json),
            '[' => self.list(depth).map(Value::Json),
            '-' | '0'..='9' => self.number().map(Value::Json),
            _ => self.name(depth),
        }
    }

    fn json(&mut self, depth: u32) -> Option<String> {
        match self.value(depth)? {
            Value::Text(text) => serde_json::to_string(&text).ok(),
            Value::Json(json) => Some(json),
            Value::Nothing => None,
        }
    }

    fn object(&mut self, depth: u32) -> Option<String> {
        self.eat('{');
        let mut fields: Vec<String> = Vec::new();
        while !self.eat('}') {
            let bare = !self.rest.starts_with(['"', '\'']);
            let key = if bare { self.word()?.to_owned() } else { self.string(self.rest.chars().next()?)? };
            let value = if self.eat(':') {
                self.json(depth + 1)?
            } else if bare {
                // `{cmd}` is short for `{cmd: cmd}`.
                self.constant(&key, depth + 1).and_then(json_of)?
            } else {
                return None;
            };
            fields.push(format!("{}:{value}", serde_json::to_string(&key).ok()?));
            if !self.eat(',') && !self.rest.starts_with('}') {
                return None;
            }
        }
        Some(format!("{{{}}}", fields.join(",")))
    }

    fn list(&mut self, depth: u32) -> Option<String> {
        self.eat('[');
        let mut items = Vec::new();
        while !self.eat(']') {
            items.push(self.json(depth + 1)?);
            if !self.eat(',') && !self.rest.starts_with(']') {
                return None;
            }
        }
        Some(format!("[{}]", items.join(",")))
    }

    fn number(&mut self) -> Option<String> {
        let end = self.rest.find(|character: char| !matches!(character, '0'..='9' | '-' | '+' | '.' | 'e' | 'E' | '_'));
        let (number, rest) = self.rest.split_at_checked(end.unwrap_or(self.rest.len()))?;
        self.rest = rest;
        let number = number.replace('_', "");
        serde_json::from_str::<serde::de::IgnoredAny>(&number).is_ok().then_some(number)
    }

    fn word(&mut self) -> Option<&'s str> {
        self.skip();
        let end = self.rest.find(|character| !super::is_word(character)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    fn name(&mut self, depth: u32) -> Option<Value> {
        let word = self.word()?;
        match word {
            "true" | "false" | "null" => Some(Value::Json(word.to_owned())),
            "undefined" => Some(Value::Json("null".to_owned())),
            _ => {
                let value = self.constant(word, depth + 1)?;
                // A property or a method of a constant is not the constant.
                (!self.rest.trim_start().starts_with(['.', '[', '(', '?'])).then_some(value)
            }
        }
    }

    fn constant(&mut self, name: &str, depth: u32) -> Option<Value> {
        let source = *self.constants.get(name)?;
        let mut parser = Parser::new(source, self.constants, self.budget);
        let value = parser.declared(depth + 1);
        // What can't be resolved may have cost all of its text to find out.
        let cost = match &value {
            Some(Value::Text(text) | Value::Json(text)) => text.len(),
            _ => source.len(),
        };
        *self.budget = self.budget.checked_sub(cost)?;
        value
    }

    /// The value of a declaration that ends after it: otherwise it is only part of an expression.
    fn declared(&mut self, depth: u32) -> Option<Value> {
        let value = self.value(depth)?;
        let ends = self.rest.trim_start_matches([' ', '\t', '\r']);
        let complete = ends.is_empty() || ends.starts_with([';', '\n']);
        let goes_on = ends.trim_start().starts_with(['.', '[', '(', '?', '+', '*', '|', '&', ',']);
        (complete && !goes_on).then_some(value)
    }

    fn string(&mut self, quote: char) -> Option<String> {
        self.rest = self.rest.strip_prefix(quote)?;
        let mut text = String::new();
        let mut characters = self.rest.chars();
        loop {
            let character = characters.next()?;
            match character {
                _ if character == quote => break,
                '$' if quote == '`' && characters.as_str().starts_with('{') => return None,
                '\n' if quote != '`' => return None,
                '\\' => escape(&mut characters, &mut text)?,
                _ => text.push(character),
            }
        }
        self.rest = characters.as_str();
        Some(text)
    }
}

fn json_of(value: Value) -> Option<String> {
    match value {
        Value::Text(text) => serde_json::to_string(&text).ok(),
        Value::Json(json) => Some(json),
        Value::Nothing => None,
    }
}

fn escape(characters: &mut std::str::Chars<'_>, text: &mut String) -> Option<()> {
    let character = match characters.next()? {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        '\n' => return Some(()),
        'x' => code(characters, 2)?,
        'u' => unicode(characters)?,
        digit @ '0'..='9' => {
            if digit != '0' || characters.as_str().starts_with(|next: char| next.is_ascii_digit()) {
                return None;
            }
            '\0'
        }
        other => other,
    };
    text.push(character);
    Some(())
}

fn unicode(characters: &mut std::str::Chars<'_>) -> Option<char> {
    if let Some(rest) = characters.as_str().strip_prefix('{') {
        let (digits, rest) = rest.split_once('}')?;
        *characters = rest.chars();
        return char::from_u32(u32::from_str_radix(digits, 16).ok()?);
    }
    let high = unit(characters, 4)?;
    if !(0xd800..0xdc00).contains(&high) {
        return Some(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    let Some(rest) = characters.as_str().strip_prefix("\\u") else { return Some(char::REPLACEMENT_CHARACTER) };
    *characters = rest.chars();
    let low = unit(characters, 4)?.checked_sub(0xdc00)?;
    char::from_u32(0x10000 + ((high - 0xd800) << 10) + low)
}

fn code(characters: &mut std::str::Chars<'_>, digits: usize) -> Option<char> {
    char::from_u32(unit(characters, digits)?)
}

fn unit(characters: &mut std::str::Chars<'_>, digits: usize) -> Option<u32> {
    let hex: String = characters.by_ref().take(digits).collect();
    (hex.len() == digits).then(|| u32::from_str_radix(&hex, 16).ok())?
}
