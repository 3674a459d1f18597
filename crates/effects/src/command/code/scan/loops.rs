//! Names that get their values in other ways than by an assignment: loops, `with`, parameters of callbacks; and texts whose
//! use is not known.

use super::super::lexer::Token;
use super::tokens::{group, is_keyword, split, trimmed};
use super::{Scan, Value};
use crate::Reason;
use crate::command::knowledge::Language;
use crate::command::machine::Machine;
use crate::command::simple::Io;

/// Texts whose use is not known; more are not kept.
const LOOSE: usize = 256;
/// The weight of the largest value that a variable is followed with.
pub(super) const LARGEST: usize = 1 << 14;
/// The weight of the largest value that is kept for a guess.
const KEPT: usize = 64;

impl Scan<'_> {
    /// `… as name`
    pub(super) fn bind(&mut self, value: Value, behind: &[Token]) {
        if let [Token::Name(word), Token::Name(name), ..] = behind
            && word == "as"
            && self.language == Language::Python
            && self.single.contains(name)
        {
            self.variables.insert(name.clone(), value);
        }
    }

    /// `list.forEach(name => …)`, `list.map(function (name) …)`; what is fetched is handed to any function among the
    /// arguments.
    pub(super) fn bind_parameter(&mut self, value: &Value, inner: &[Token]) {
        match value {
            Value::List(list) => self.bind_first(&Value::Each(list.clone()), inner),
            Value::Foreign(_) => split(inner).into_iter().for_each(|argument| self.bind_first(value, argument)),
            _ => {}
        }
    }

    /// The first parameter of the function that is written here.
    fn bind_first(&mut self, value: &Value, function: &[Token]) {
        let name = match trimmed(function) {
            [Token::Name(name), Token::Mark('='), Token::Mark('>'), ..] | [Token::Mark('('), Token::Name(name), ..] => {
                name
            }
            [Token::Name(word), Token::Name(name), Token::Mark('='), ..]
            | [Token::Name(word), Token::Mark('('), Token::Name(name), ..]
                if matches!(word.as_str(), "async" | "function") =>
            {
                name
            }
            _ => return,
        };
        if self.is_bound_once(name) || matches!(value, Value::Foreign(_)) {
            self.variables.insert(name.clone(), value.clone());
        }
    }

    /// A parameter or the variable of a loop, which nothing else sets. Such a binding counts twice, but once in a loop of
    /// Python.
    fn is_bound_once(&self, name: &str) -> bool {
        let limit = if self.language == Language::Python { 1 } else { 2 };
        self.bindings.get(name).is_none_or(|count| *count <= limit)
    }

    /// `list.each { |name| … }`, `list.each do |name|`
    pub(super) fn bind_block(&mut self, value: &Value, method: &str, behind: &[Token]) {
        if self.language != Language::Ruby {
            return;
        }
        let element = match value {
            Value::List(list) if !matches!(method, "reduce" | "inject") => Value::Each(list.clone()),
            // A pattern stands for each of its files.
            Value::Path(pattern) | Value::Glob(pattern) if pattern.contains('*') && is_each(method) => value.clone(),
            _ => return,
        };
        if let [open, Token::Mark('|'), Token::Name(name), Token::Mark('|'), ..] = behind
            && (*open == Token::Mark('{') || *open == Token::Name("do".to_owned()))
            && self.is_bound_once(name)
        {
            self.variables.insert(name.clone(), element);
        }
    }

    /// Finds the loops of the program, each with what it walks through.
    pub(super) fn find_loops(&mut self, tokens: &[Token]) {
        let mut found: Vec<(&str, &[Token])> = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let Token::Name(word) = token else { continue };
            if !matches!(word.as_str(), "for" | "foreach") {
                continue;
            }
            if found.len() >= LOOSE {
                break;
            }
            let mut behind = tokens.get(at + 1..).unwrap_or_default();
            // `for (list)`, `… for list`: each element is `$_`.
            let named = matches!(
                behind,
                [Token::Mark('$'), Token::Name(_), Token::Mark('('), ..] | [Token::Name(_), Token::Mark('$'), ..]
            );
            if self.language == Language::Perl && !named {
                found.push(("_", expression(behind)));
                continue;
            }
            while let [Token::Mark('(' | '$'), rest @ ..] = behind {
                behind = rest;
            }
            if let [Token::Name(word), rest @ ..] = behind
                && matches!(word.as_str(), "const" | "let" | "var" | "my")
            {
                behind = rest.strip_prefix(&[Token::Mark('$')]).unwrap_or(rest);
            }
            match behind {
                [Token::Name(name), Token::Name(word), rest @ ..] if matches!(word.as_str(), "in" | "of") => {
                    found.push((name, expression(rest)));
                }
                // `foreach my $name (list)`
                [Token::Name(name), Token::Mark('('), ..] if self.language == Language::Perl => {
                    found.push((name, group(behind.get(1..).unwrap_or_default()).0));
                }
                _ => {}
            }
        }
        for (name, walked) in found.into_iter().take(LOOSE) {
            if !self.is_bound_once(name) {
                continue;
            }
            // Two loops with the same variable: neither is followed.
            let walked = if self.loops.contains_key(name) { &[][..] } else { walked };
            self.loops.insert(name.to_owned(), walked.to_vec());
        }
    }

    /// Values that an expression holds, but whose part in it is not known.
    pub(super) fn lost(&mut self, values: &[Option<Value>]) {
        let texts =
            values.iter().flatten().filter(|value| matches!(value, Value::Text(_) | Value::Path(_) | Value::List(_)));
        for text in texts {
            if self.loose.len() < LOOSE {
                self.loose.push(text.clone());
            }
        }
    }

    /// A copy for a guess, if the value is small enough.
    pub(super) fn kept(&self, value: &Value) -> Option<Value> {
        (self.loose.len() < LOOSE && value.weight(KEPT).is_some()).then(|| value.clone())
    }

    /// A text outside of a call. What is compared or names an entry is data.
    pub(super) fn note_loose(&mut self, text: &str, all: &[Token], here: &[Token]) {
        let at = all.len() - here.len();
        let before = |back: usize| at.checked_sub(back).and_then(|at| all.get(at));
        let compared = matches!(before(1), Some(Token::Mark('='))) && matches!(before(2), Some(Token::Mark('=' | '!')))
            || matches!(here.get(1..3), Some([Token::Mark('=' | '!'), Token::Mark('=')]))
            || matches!(before(1), Some(Token::Name(word)) if is_comparison(word))
            || matches!(here.get(1), Some(Token::Name(word)) if is_comparison(word));
        let entry = matches!(here.get(1), Some(Token::Mark(':')))
            || matches!(before(1), Some(Token::Mark('[')))
                && matches!(before(2), Some(Token::Name(word)) if !is_keyword(word));
        if !compared && !entry && self.loose.len() < LOOSE {
            self.loose.push(Value::Text(text.to_owned()));
        }
    }
}

/// Whether a method of a list calls its block with each element.
fn is_each(method: &str) -> bool {
    matches!(method, "each" | "each_with_index" | "map" | "flat_map" | "select" | "filter" | "reject")
}

fn is_comparison(word: &str) -> bool {
    matches!(word, "in" | "not" | "eq" | "ne" | "case" | "when" | "is")
}

/// The expression at the start of `tokens`, up to what ends it.
fn expression(tokens: &[Token]) -> &[Token] {
    let mut depth = 0_usize;
    let end = tokens.iter().position(|token| match token {
        Token::Mark('(' | '[') => {
            depth += 1;
            false
        }
        Token::Mark(')' | ']' | '}' | ':' | '{') if depth == 0 => true,
        Token::Mark(')' | ']') => {
            depth -= 1;
            false
        }
        Token::End => depth == 0,
        Token::Name(word) => depth == 0 && word == "if",
        _ => false,
    });
    tokens.get(..end.unwrap_or(tokens.len())).unwrap_or_default()
}

impl Machine<'_> {
    /// Returns the value of a name. The first use of a loop variable evaluates the expression of its loop.
    pub(super) fn variable(&mut self, scan: &mut Scan<'_>, name: &str, io: &mut Io<'_>) -> Value {
        if let Some(value) = scan.variables.get(name) {
            // Variables that hold each other's values double a value with each of them.
            let is_small = value.weight(LARGEST).is_some_and(|weight| self.may_spend(weight));
            if !is_small {
                scan.unread = Some(Reason::ProgramNestedTooDeeply);
            }
            return if is_small { value.clone() } else { Value::Unknown };
        }
        let Some(walked) = scan.loops.remove(name) else {
            return scan.foreign_name(name).map_or(Value::Unknown, Value::Foreign);
        };
        let value = match self.value(scan, &walked, io) {
            Value::List(list) => Value::Each(list),
            path @ (Value::Path(_) | Value::Glob(_)) => path,
            foreign @ Value::Foreign(_) => foreign,
            text @ Value::Text(_) if scan.language == Language::Perl => Value::Each(vec![text]),
            _ => Value::Unknown,
        };
        scan.variables.insert(name.to_owned(), value.clone());
        value
    }
}
