//! Expressions of literals.

use super::super::lexer::{TemplatePart, Token};
use super::parts::part;
use super::tokens::{group, joined, trimmed};
use super::{Scan, Value, foreign};
use crate::command::code::decode;
use crate::command::knowledge::Language;
use crate::command::machine::Machine;
use crate::command::simple::Io;

/// Longer texts are not built.
const MAX_TEXT: usize = 64 * 1024;
/// Longer texts are not split into characters.
const MAX_CHARACTERS: usize = 256;

impl Machine<'_> {
    /// The value of an argument; calls in it have their effects.
    pub(super) fn value(&mut self, scan: &mut Scan<'_>, tokens: &[Token], io: &mut Io<'_>) -> Value {
        self.descend(scan, |machine, scan| machine.argument(scan, tokens, io)).unwrap_or(Value::Unknown)
    }

    fn argument(&mut self, scan: &mut Scan<'_>, tokens: &[Token], io: &mut Io<'_>) -> Value {
        let tokens = trimmed(tokens);
        if let [Token::Name(name) | Token::Text(name), Token::Mark(mark @ ('=' | ':')), value @ ..] = tokens
            && !matches!(value.first(), Some(Token::Mark('=')))
            && (*mark == ':'
                || matches!(tokens.first(), Some(Token::Name(_)))
                || matches!(value.first(), Some(Token::Mark('>'))))
        {
            let value = value.strip_prefix(&[Token::Mark('>')]).unwrap_or(value);
            let value = self.value(scan, value, io);
            if foreign::of(&value).is_some() {
                // `while (line = socket.gets)` sets a variable, too.
                scan.variables.insert(name.clone(), value.clone());
            }
            return Value::Named(name.clone(), Box::new(value));
        }
        if tokens.is_empty() {
            return Value::Unknown;
        }
        let (mut value, mut left) = self.operand(scan, tokens, io);
        loop {
            left = trimmed(left);
            let operator = match left.first() {
                None => break,
                Some(Token::Text(_)) if scan.language == Language::Python => '+',
                Some(Token::Mark(mark @ ('+' | '/' | '%' | '.'))) => {
                    left = left.get(1..).unwrap_or_default();
                    *mark
                }
                Some(_) => {
                    scan.lost(&[Some(value)]);
                    self.statements(scan, left, io);
                    value = Value::Unknown;
                    break;
                }
            };
            let (next, rest) = self.operand(scan, trimmed(left), io);
            let parts = [scan.kept(&value), scan.kept(&next)];
            value = combined(value, operator, next, scan.language);
            if value == Value::Unknown {
                scan.lost(&parts);
            }
            left = rest;
        }
        value
    }

    /// One operand with its methods, and what is left behind it.
    pub(super) fn operand<'t>(
        &mut self,
        scan: &mut Scan<'_>,
        tokens: &'t [Token],
        io: &mut Io<'_>,
    ) -> (Value, &'t [Token]) {
        let Some((first, rest)) = tokens.split_first() else { return (Value::Unknown, &[]) };
        let (value, left) = match first {
            Token::Name(name)
                if !matches!(
                    name.as_str(),
                    "lambda" | "await" | "not" | "function" | "new" | "async" | "my" | "qw" | "if" | "for"
                ) =>
            {
                scan.accumulated(name, rest);
                return self.chain(scan, name, rest, io);
            }
            Token::Mark('$' | '@') if matches!(rest.first(), Some(Token::Name(_))) => match rest.split_first() {
                Some((Token::Name(name), rest)) => return self.chain(scan, name, rest, io),
                _ => (Value::Unknown, rest),
            },
            Token::Text(text) => (Value::Text(text.clone()), rest),
            Token::Template(parts) => (self.template(scan, parts, io), rest),
            Token::Command(text) => {
                let output = self.backquoted(scan, text.as_deref(), io);
                (output.map_or(Value::Unknown, Value::Foreign), rest)
            }
            Token::Mark('[') => {
                let (inner, left) = group(tokens);
                (Value::List(self.arguments(scan, inner, io)), left)
            }
            Token::Name(word) if matches!(word.as_str(), "new" | "await" | "my") && !rest.is_empty() => {
                let rest = match rest {
                    [Token::Mark('$' | '@'), Token::Name(_), ..] if word == "my" => rest.get(1..).unwrap_or_default(),
                    rest => rest,
                };
                let operand = self.descend(scan, |machine, scan| machine.operand(scan, rest, io));
                return operand.unwrap_or((Value::Unknown, &[]));
            }
            // `\&name`
            Token::Mark('&')
                if scan.language == Language::Perl
                    && matches!(rest.first(), Some(Token::Name(_)))
                    && !matches!(rest.get(1), Some(Token::Mark('('))) =>
            {
                let (name, left) = rest.split_first().unwrap_or((&Token::End, &[]));
                let name = super::tokens::name_of(Some(name)).map(|name| scan.resolve(name)).unwrap_or_default();
                (scan.function(&name).unwrap_or(Value::Unknown), left)
            }
            // An object with options.
            Token::Mark('{') if scan.language == Language::Javascript && is_object(rest) => {
                let (inner, left) = group(tokens);
                (Value::List(self.arguments(scan, inner, io)), left)
            }
            Token::Mark('(') => {
                let (inner, left) = group(tokens);
                let mut parts = self.arguments(scan, inner, io);
                let is_list = parts.len() != 1 || matches!(inner.last(), Some(Token::Mark(',')));
                let value = if is_list { Value::List(parts) } else { parts.pop().unwrap_or(Value::Unknown) };
                (value, left)
            }
            Token::Number(number) => (number.map_or(Value::Unknown, Value::Number), rest),
            _ => {
                self.statements(scan, tokens, io);
                (Value::Unknown, &[][..])
            }
        };
        self.methods(scan, value, left, io)
    }

    /// A string with code in it.
    fn template(&mut self, scan: &mut Scan<'_>, parts: &[TemplatePart], io: &mut Io<'_>) -> Value {
        let mut text = Some(String::new());
        let mut foreign = None;
        for part in parts {
            let part = match part {
                TemplatePart::Text(part) => Some(part.clone()),
                TemplatePart::Code(tokens) => match self.value(scan, tokens, io) {
                    Value::Text(part) | Value::Path(part) => Some(part),
                    Value::Foreign(provenance) => {
                        let starts = text.as_deref().is_some_and(foreign::starts_command);
                        foreign = foreign.or(starts.then_some(provenance));
                        None
                    }
                    _ => None,
                },
            };
            text = text.zip(part).map(|(text, part)| text + &part).filter(|text| text.len() < MAX_TEXT);
        }
        text.map_or_else(|| foreign.map_or(Value::Unknown, Value::Foreign), Value::Text)
    }
}

/// `name: …`, `'name': …`, or nothing between braces.
fn is_object(tokens: &[Token]) -> bool {
    matches!(
        tokens,
        [Token::Mark('}'), ..]
            | [Token::Name(_) | Token::Text(_), Token::Mark(':' | ',' | '}'), ..]
            | [Token::Mark('.'), Token::Mark('.'), Token::Mark('.'), ..]
    )
}

/// `a + b`, `Path / 'x'`, `'%s' % x`
fn combined(left: Value, operator: char, right: Value, language: Language) -> Value {
    let joins = match language {
        Language::Perl | Language::Php => '.',
        _ => '+',
    };
    match (left, operator, right) {
        (Value::Each(lefts), operator, right) if !matches!(right, Value::Each(_) | Value::Unknown) => {
            Value::Each(lefts.into_iter().map(|left| combined(left, operator, right.clone(), language)).collect())
        }
        (left, operator, Value::Each(rights)) if !matches!(left, Value::Each(_) | Value::Unknown) => {
            Value::Each(rights.into_iter().map(|right| combined(left.clone(), operator, right, language)).collect())
        }
        (Value::Path(path), '+', Value::Text(part) | Value::Path(part)) if language == Language::Ruby => {
            Value::Path(joined(&path, &part))
        }
        (Value::Text(left), operator, Value::Text(right)) if operator == joins && left.len() < MAX_TEXT => {
            Value::Text(left + &right)
        }
        (Value::List(mut left), '+', Value::List(right)) => {
            left.extend(right);
            Value::List(left)
        }
        (Value::Path(path), '/', Value::Text(part) | Value::Path(part)) => Value::Path(joined(&path, &part)),
        (Value::Path(_), '/', _) => Value::Path("**".to_owned()),
        (Value::Foreign(provenance), operator, _) if operator == joins => Value::Foreign(provenance),
        (Value::Text(left), operator, Value::Foreign(provenance))
            if operator == joins && foreign::starts_command(&left) =>
        {
            Value::Foreign(provenance)
        }
        (Value::Text(format), '%', Value::Text(value)) if format.contains("%s") && format.matches('%').count() == 1 => {
            Value::Text(format.replacen("%s", &value, 1))
        }
        _ => Value::Unknown,
    }
}

/// Returns the value of a method of a text or list, as far as that is computed here.
pub(super) fn method_value(value: &Value, method: &str, arguments: &[Value], language: Language) -> Value {
    match (value, method, arguments) {
        (Value::Text(text), "decode" | "encode" | "toString" | "strip" | "trim" | "to_s" | "expanduser", _) => {
            Value::Text(text.trim().to_owned())
        }
        (Value::Text(text), "lower" | "toLowerCase" | "downcase", []) => Value::Text(text.to_lowercase()),
        (Value::Text(text), "upper" | "toUpperCase" | "upcase", []) => Value::Text(text.to_uppercase()),
        (Value::List(list), "reverse", []) => Value::List(list.iter().rev().cloned().collect()),
        (Value::Text(text), "slice", [Value::Number(first)]) => part(text, *first, None),
        (Value::Text(text), "substring", [Value::Number(first)]) => part(text, *first.max(&0), None),
        (Value::Text(text), "slice", [Value::Number(first), Value::Number(last)]) => part(text, *first, Some(*last)),
        (Value::Text(text), "substring", [Value::Number(first), Value::Number(last)]) => {
            // It takes the lower of the two places for the first one, and 0 for a negative place.
            part(text, *first.min(last).max(&0), Some(*first.max(last).max(&0)))
        }
        (Value::Text(text), "substr", [Value::Number(first), Value::Number(length)]) if *first >= 0 => {
            part(text, *first, Some(first.saturating_add(*length)))
        }
        (Value::Text(text), "rsplit", [Value::Text(separator), Value::Number(1)]) => {
            let (head, tail) = text.rsplit_once(separator.as_str()).unwrap_or((text, ""));
            Value::List([head, tail].map(|part| Value::Text(part.to_owned())).to_vec())
        }
        (Value::Text(text), "removeprefix" | "delete_prefix", [Value::Text(end)]) => {
            Value::Text(text.strip_prefix(end.as_str()).unwrap_or(text).to_owned())
        }
        (Value::Text(text), "removesuffix" | "delete_suffix", [Value::Text(end)]) => {
            Value::Text(text.strip_suffix(end.as_str()).unwrap_or(text).to_owned())
        }
        (Value::Text(text), "split", [Value::Text(separator)])
            if separator.is_empty() && text.len() < MAX_CHARACTERS =>
        {
            Value::List(text.chars().map(|character| Value::Text(character.to_string())).collect())
        }
        (Value::Text(text), "reverse", []) => Value::Text(text.chars().rev().collect()),
        (Value::Text(text), "split", []) => {
            Value::List(text.split_whitespace().map(|word| Value::Text(word.to_owned())).collect())
        }
        (Value::Text(text), "split", [Value::Text(separator)]) if !separator.is_empty() => {
            Value::List(text.split(separator.as_str()).map(|word| Value::Text(word.to_owned())).collect())
        }
        // JavaScript's `replace` changes the first place alone.
        (Value::Text(text), "replace", [Value::Text(from), Value::Text(to)]) if language == Language::Javascript => {
            Value::Text(text.replacen(from.as_str(), to, 1))
        }
        (Value::Text(text), "replace" | "replaceAll" | "gsub", [Value::Text(from), Value::Text(to)])
            if !from.is_empty() && text.len().saturating_mul(to.len().max(1)) < MAX_TEXT =>
        {
            Value::Text(text.replace(from.as_str(), to))
        }
        (Value::Text(format), "format", [Value::Text(value)])
            if format.matches('{').count() == 1 && (format.contains("{}") || format.contains("{0}")) =>
        {
            Value::Text(format.replace("{}", value).replace("{0}", value))
        }
        // Python joins by the separator, the others join the list.
        (Value::Text(separator), "join", [Value::List(list)])
        | (Value::List(list), "join", [Value::Text(separator)]) => joined_texts(list, separator),
        (Value::List(list), "join", []) => joined_texts(list, ""),
        _ => Value::Unknown,
    }
}

fn joined_texts(list: &[Value], separator: &str) -> Value {
    let texts: Option<Vec<&str>> = list
        .iter()
        .map(|value| match value {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    texts.map(|texts| texts.join(separator)).filter(|text| text.len() < MAX_TEXT).map_or(Value::Unknown, Value::Text)
}

/// Builds a text of the numbers of its characters.
fn characters(values: &[Value]) -> Option<String> {
    let numbers = match values {
        [Value::List(list)] => list,
        numbers => numbers,
    };
    let character = |value: &Value| match value {
        Value::Number(number) => u32::try_from(*number).ok().and_then(char::from_u32),
        _ => None,
    };
    numbers.iter().map(character).collect()
}

/// Returns the value of a pure function, as far as that is computed here.
pub(super) fn pure_value(name: &str, arguments: &[Value]) -> Option<Value> {
    if let ("Promise.resolve" | "Object.freeze" | "structuredClone", [value]) = (name, arguments) {
        return Some(value.clone());
    }
    if let (
        "list" | "tuple" | "set" | "iter" | "sorted" | "reversed" | "next",
        [files @ (Value::Path(_) | Value::Glob(_)), ..],
    ) = (name, arguments)
    {
        // A pattern stands for each of its files.
        return Some(files.clone());
    }
    let text = match (name, arguments) {
        (
            "base64.b64decode" | "b64decode" | "atob" | "base64_decode" | "Base64.decode64" | "decode_base64",
            [Value::Text(text), ..],
        ) => decode::base64(text),
        ("Buffer.from", [Value::Text(text), Value::Text(encoding)]) if encoding == "base64" => decode::base64(text),
        ("Buffer.from", [Value::Text(text), Value::Text(encoding)]) if encoding == "hex" => decode::hexadecimal(text),
        ("bytes.fromhex" | "bytearray.fromhex" | "binascii.unhexlify" | "hex2bin", [Value::Text(text)]) => {
            decode::hexadecimal(text)
        }
        ("Buffer.from", [Value::Text(text)])
        | ("bytes" | "String" | "URI" | "URI.parse" | "URL", [Value::Text(text), ..]) => Some(text.clone()),
        (
            "chr" | "String.fromCharCode" | "String.fromCodePoint" | "bytes" | "bytearray",
            [Value::Number(_) | Value::List(_), ..],
        ) => characters(arguments),
        ("strrev", [Value::Text(text)]) => Some(text.chars().rev().collect()),
        ("shlex.split" | "Shellwords.split", [Value::Text(text)]) => {
            let words = text.split_whitespace().map(|word| Value::Text(word.replace(['\'', '"'], "")));
            return Some(Value::List(words.collect()));
        }
        ("shlex.join", [Value::List(list)]) => return Some(joined_texts(list, " ")),
        ("join" | "implode", [Value::Text(separator), Value::List(list)]) => {
            return Some(joined_texts(list, separator));
        }
        ("join", [Value::Text(separator), rest @ ..]) => return Some(joined_texts(rest, separator)),
        _ => return None,
    };
    Some(text.map_or(Value::Unknown, Value::Text))
}
