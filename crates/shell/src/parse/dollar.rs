//! What `$` starts, and process substitution.

use super::Parser;
use super::word::{Context, Parts};
use crate::{Direction, Operation, Part, Problem, Quoting, Variable};

impl Parser<'_> {
    pub(super) fn dollar(&mut self, quoting: Quoting, out: &mut Parts) {
        // Line continuations are gone before the shell looks at what follows `$`.
        while self.byte(1) == Some(b'\\') && self.byte(2) == Some(b'\n') {
            self.pos += 2;
        }
        match self.byte(1) {
            Some(b'\'') if quoting == Quoting::Unquoted => self.ansi_quotes(out),
            Some(b'"') if quoting == Quoting::Unquoted => {
                self.pos += 1;
                self.double_quotes(out);
            }
            Some(b'(') => self.dollar_paren(quoting, out),
            Some(b'[') => self.legacy_arithmetic(out),
            Some(b'{') => self.dollar_brace(quoting, out),
            Some(byte) if byte == b'_' || byte.is_ascii_alphabetic() => {
                self.pos += 1;
                let name = self.plain_name();
                out.push(plain(&name, quoting));
            }
            Some(byte) if byte.is_ascii_digit() || is_special(byte) => {
                self.pos += 1;
                let start = self.pos;
                self.pos += 1;
                let part = plain(self.since(start), quoting);
                out.push(part);
            }
            _ => {
                self.pos += 1;
                match quoting {
                    Quoting::Quoted => out.quoted("$"),
                    Quoting::Unquoted => out.literal("$"),
                }
            }
        }
    }

    /// A name, over line continuations.
    fn plain_name(&mut self) -> String {
        let mut name = String::new();
        loop {
            let rest = self.rest();
            let length = rest.bytes().take_while(|b| *b == b'_' || b.is_ascii_alphanumeric()).count();
            name.push_str(rest.get(..length).unwrap_or(""));
            self.pos += length;
            if !self.starts_with("\\\n") {
                return name;
            }
            self.pos += 2;
        }
    }

    fn dollar_paren(&mut self, quoting: Quoting, out: &mut Parts) {
        if self.byte(2) == Some(b'(')
            && let Some(end) = self.arithmetic_end(self.pos + 3)
        {
            self.pos += 3;
            let arithmetic = self.arithmetic(end);
            self.pos = self.pos.max(end + 2);
            out.push(arithmetic);
            return;
        }
        self.pos += 2;
        let script = self.deeper(|parser| parser.nested(|parser, nodes| parser.until(")", nodes)));
        out.push(Part::Substitution { script, quoting });
    }

    /// Commands up to the bracket that closes them.
    fn until(&mut self, closing: &str, nodes: &mut Vec<crate::Node>) {
        loop {
            self.list(nodes);
            if self.eat(closing) {
                return;
            }
            if self.at_end() {
                self.problem(Problem::SubstitutionNotClosed);
                return;
            }
            self.problem(Problem::ClosingWithoutOpening);
            self.skip_stray();
        }
    }

    pub(super) fn process(&mut self, operator: u8, out: &mut Parts) {
        self.pos += 2;
        let script = self.deeper(|parser| parser.nested(|parser, nodes| parser.until(")", nodes)));
        let direction = if operator == b'>' { Direction::Input } else { Direction::Output };
        out.push(Part::Process { script, direction });
    }

    fn dollar_brace(&mut self, quoting: Quoting, out: &mut Parts) {
        self.pos += 2;
        let part = match self.peek() {
            // `${ command; }`, `${| command; }`
            Some(b' ' | b'\t' | b'\n' | b'|' | b'(') => {
                self.eat("|");
                let script = self.deeper(|parser| parser.nested(|parser, nodes| parser.until("}", nodes)));
                Some(Part::Substitution { script, quoting })
            }
            _ => self.deeper(|parser| Some(parser.parameter(quoting))),
        };
        out.parts.extend(part);
    }

    fn legacy_arithmetic(&mut self, out: &mut Parts) {
        self.pos += 2;
        let start = self.pos;
        let part = self.deeper(|parser| {
            let inner = parser.parts(Context::Subscript);
            let text = parser.since(start);
            Some(super::arithmetic::part(inner, text))
        });
        if !self.eat("]") {
            self.problem(Problem::SubstitutionNotClosed);
        }
        out.parts.extend(part);
    }
}

pub(super) fn is_special(byte: u8) -> bool {
    matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}

fn plain(name: &str, quoting: Quoting) -> Part {
    Part::Variable(Box::new(Variable { name: name.to_owned(), quoting, operation: Operation::Plain, subscript: None }))
}
