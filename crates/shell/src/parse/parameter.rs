//! `${…}`: a parameter and what is done to it.

use super::Parser;
use super::dollar::is_special;
use super::word::Context;
use crate::{Affix, MatchLength, Matches, Operation, Part, Problem, Quoting, Variable, Word};

impl Parser<'_> {
    /// Reads from behind `${` to behind `}`.
    pub(super) fn parameter(&mut self, quoting: Quoting) -> Part {
        let sign = self.parameter_sign();
        let Some(name) = self.parameter_name() else {
            return self.bad_parameter(quoting, None);
        };
        let subscript = self.subscript();
        let operation = match sign {
            Some(b'#') => Operation::Length,
            Some(_) => self.indirect(quoting),
            None => self.operation(quoting),
        };
        if self.eat("}") {
            return Part::Variable(Box::new(Variable { name, quoting, operation, subscript }));
        }
        if self.at_end() {
            self.problem(Problem::ExpansionNotClosed);
            return Part::Variable(Box::new(Variable { name, quoting, operation, subscript }));
        }
        self.bad_parameter(quoting, subscript)
    }

    /// `#` or `!` before a name.
    fn parameter_sign(&mut self) -> Option<u8> {
        let sign = self.peek().filter(|byte| matches!(byte, b'#' | b'!'))?;
        let next = self.byte(1)?;
        let named = next == b'_' || next.is_ascii_alphanumeric() || is_special(next);
        let closed = self.byte(2);
        // `${#-x}`, `${#?}`: the name is `#` itself if an operator follows it.
        let operator = matches!(next, b'-' | b'?' | b'#') && closed != Some(b'}');
        if !named || operator {
            return None;
        }
        self.pos += 1;
        Some(sign)
    }

    fn parameter_name(&mut self) -> Option<String> {
        let rest = self.rest();
        let first = *rest.as_bytes().first()?;
        let length = if first.is_ascii_digit() {
            rest.bytes().take_while(u8::is_ascii_digit).count()
        } else if first == b'_' || first.is_ascii_alphabetic() {
            rest.bytes().take_while(|b| *b == b'_' || b.is_ascii_alphanumeric()).count()
        } else {
            usize::from(is_special(first))
        };
        let name = rest.get(..length).filter(|name| !name.is_empty())?;
        self.pos += length;
        Some(name.to_owned())
    }

    fn subscript(&mut self) -> Option<Word> {
        if !self.eat("[") {
            return None;
        }
        let word = self.operand(Context::Subscript);
        if !self.eat("]") {
            self.problem(Problem::SubscriptNotClosed);
        }
        Some(word)
    }

    /// Behind `${!name`: nothing, `@` or `*` (names with a prefix), or an operation on what the name names.
    fn indirect(&mut self, quoting: Quoting) -> Operation {
        if self.peek() == Some(b'}') {
            return Operation::Indirect;
        }
        if matches!(self.peek(), Some(b'@' | b'*')) && self.byte(1) == Some(b'}') {
            self.pos += 1;
            return Operation::Other { name: "!*".to_owned(), words: Vec::new() };
        }
        let words = match self.operation(quoting) {
            Operation::Default(word)
            | Operation::Assign(word)
            | Operation::Alternative(word)
            | Operation::Required(word)
            | Operation::Trim { pattern: word, .. } => vec![word],
            Operation::Replace { pattern, replacement, .. } => vec![pattern, replacement],
            Operation::Slice { offset, length } => std::iter::once(offset).chain(length).collect(),
            Operation::Other { words, .. } => words,
            Operation::Plain | Operation::Length | Operation::Indirect => Vec::new(),
        };
        Operation::Other { name: "!".to_owned(), words }
    }

    fn operation(&mut self, quoting: Quoting) -> Operation {
        let colon = self.peek() == Some(b':') && matches!(self.byte(1), Some(b'-' | b'=' | b'+' | b'?'));
        if colon {
            self.pos += 1;
        }
        let Some(operator) = self.peek() else { return Operation::Plain };
        if operator == b'}' {
            return Operation::Plain;
        }
        self.pos += 1;
        match operator {
            b'-' => Operation::Default(self.value(quoting)),
            b'=' => Operation::Assign(self.value(quoting)),
            b'+' => Operation::Alternative(self.value(quoting)),
            b'?' => Operation::Required(self.value(quoting)),
            b'#' | b'%' => {
                let (sign, affix) = if operator == b'#' { ("#", Affix::Prefix) } else { ("%", Affix::Suffix) };
                let length = if self.eat(sign) { MatchLength::Longest } else { MatchLength::Shortest };
                Operation::Trim { pattern: self.pattern(b'}'), affix, length }
            }
            b'/' => self.replace(quoting),
            b':' => {
                let offset = self.operand(Context::QuotedOperand { stop: b':' });
                let length = self.eat(":").then(|| self.operand(Context::QuotedOperand { stop: b'}' }));
                Operation::Slice { offset, length }
            }
            b'^' | b',' | b'~' => self.case_modification(operator),
            b'@' => {
                let letter = self.bump().map_or_else(String::new, String::from);
                Operation::Other { name: format!("@{letter}"), words: Vec::new() }
            }
            _ => {
                self.pos -= 1;
                Operation::Plain
            }
        }
    }

    /// `^`, `^^` and their like, with the pattern that the changed characters match.
    fn case_modification(&mut self, operator: u8) -> Operation {
        let twice = self.peek() == Some(operator);
        self.pos += usize::from(twice);
        let name = char::from(operator).to_string().repeat(if twice { 2 } else { 1 });
        let words = self.word(Context::Operand { stop: b'}' }).into_iter().collect();
        Operation::Other { name, words }
    }

    fn replace(&mut self, quoting: Quoting) -> Operation {
        let anchor = [("/", "//"), ("#", "/#"), ("%", "/%")].into_iter().find(|(sign, _)| self.eat(sign));
        let pattern = self.pattern(b'/');
        let replacement = if self.eat("/") { self.value(quoting) } else { Word::default() };
        match anchor {
            None => Operation::Replace { pattern, replacement, matches: Matches::First },
            Some((_, "//")) => Operation::Replace { pattern, replacement, matches: Matches::All },
            Some((_, name)) => Operation::Other { name: name.to_owned(), words: vec![pattern, replacement] },
        }
    }

    fn value(&mut self, quoting: Quoting) -> Word {
        self.operand(match quoting {
            Quoting::Quoted => Context::QuotedOperand { stop: b'}' },
            Quoting::Unquoted => Context::Operand { stop: b'}' },
        })
    }

    /// A pattern: quotes count in it, also inside double quotes.
    fn pattern(&mut self, stop: u8) -> Word {
        self.operand(Context::Operand { stop })
    }

    /// Bash refuses it. What it contains is kept, in case another shell does not.
    fn bad_parameter(&mut self, quoting: Quoting, subscript: Option<Word>) -> Part {
        self.problem(Problem::ExpansionNotUnderstood);
        let rest = self.value(quoting);
        self.eat("}");
        let words = subscript.into_iter().chain([rest]).collect();
        Part::Variable(Box::new(Variable {
            name: String::new(),
            quoting,
            operation: Operation::Other { name: "?".to_owned(), words },
            subscript: None,
        }))
    }
}
