//! Quotes: single, double, ANSI-C, backquotes, and text that is read as if between double quotes.

use super::Parser;
use super::word::{Context, Parts};
use crate::{Home, Part, Problem, Quoting};

impl Parser<'_> {
    pub(super) fn single_quotes(&mut self, out: &mut Parts) {
        self.pos += 1;
        let rest = self.rest();
        let (text, closed) = match rest.split_once('\'') {
            Some((text, _)) => (text, true),
            None => (rest, false),
        };
        self.pos += text.len() + usize::from(closed);
        if !closed {
            self.problem(Problem::QuoteNotClosed);
        }
        out.quoted(text);
    }

    pub(super) fn double_quotes(&mut self, out: &mut Parts) {
        self.pos += 1;
        // Empty quotes make a field, too.
        out.quoted("");
        self.quoting(Context::Double, out);
        if !self.eat("\"") {
            self.problem(Problem::QuoteNotClosed);
        }
    }

    /// Text in which only `$`, backquotes and the backslash are special.
    pub(super) fn quoting(&mut self, context: Context, out: &mut Parts) {
        let mut brackets = 0_u32;
        while let Some(byte) = self.peek() {
            match byte {
                b'[' if context == Context::Subscript => brackets += 1,
                b']' if context == Context::Subscript && brackets > 0 => brackets -= 1,
                b'}' | b'/' | b':' | b'"' | b']' if ends(context, byte) => return,
                _ => {}
            }
            match byte {
                b'\\' => self.quoted_escape(context, out),
                b'"' if matches!(context, Context::QuotedOperand { .. }) => self.double_quotes(out),
                b'"' | b'\'' if context == Context::Subscript => self.pos += 1,
                b'`' => self.backticks(Quoting::Quoted, out),
                b'$' => self.dollar(Quoting::Quoted, out),
                _ => {
                    let start = self.pos;
                    self.bump();
                    while self.peek().is_some_and(|byte| {
                        !matches!(byte, b'\\' | b'"' | b'\'' | b'`' | b'$' | b'}' | b'/' | b':' | b'[' | b']')
                    }) {
                        self.bump();
                    }
                    let text = self.since(start);
                    out.quoted(text);
                }
            }
        }
    }

    fn quoted_escape(&mut self, context: Context, out: &mut Parts) {
        self.pos += 1;
        match self.peek() {
            Some(b'\n') => self.pos += 1,
            Some(byte @ (b'$' | b'`' | b'\\' | b'"' | b'}')) if escapes(context, byte) => {
                if let Some(character) = self.bump() {
                    out.quoted(character.encode_utf8(&mut [0; 4]));
                }
            }
            _ => out.quoted("\\"),
        }
    }

    /// `` `…` ``: its text is unescaped first, then it is a script like any other.
    pub(super) fn backticks(&mut self, quoting: Quoting, out: &mut Parts) {
        self.pos += 1;
        let start = self.pos;
        let mut text = String::new();
        let mut closed = false;
        while let Some(character) = self.bump() {
            match character {
                '`' => {
                    closed = true;
                    break;
                }
                '\\' => match self.peek() {
                    Some(b'$' | b'`' | b'\\') => text.extend(self.bump()),
                    Some(b'"') if quoting == Quoting::Quoted => text.extend(self.bump()),
                    _ => text.push('\\'),
                },
                _ => text.push(character),
            }
        }
        if !closed {
            self.problem(Problem::BackquoteNotClosed);
        }
        let as_written = self.text.get(start..start.saturating_add(text.len())) == Some(text.as_str());
        let home = if as_written { self.home.at(start) } else { Home::Within(self.span_since(start)) };
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone is of one lifetime")]
        let script = self.within(&text, home, |inner| inner.whole_script());
        out.push(Part::Substitution { script, quoting });
    }

    /// `$'…'`: escapes as in C.
    pub(super) fn ansi_quotes(&mut self, out: &mut Parts) {
        self.pos += 2;
        let mut bytes = Vec::new();
        let mut closed = false;
        let mut cut = false;
        while let Some(character) = self.bump() {
            match character {
                '\'' => {
                    closed = true;
                    break;
                }
                '\\' => self.ansi_escape(&mut bytes),
                _ => bytes.extend(character.encode_utf8(&mut [0; 4]).bytes()),
            }
            // A decoded NUL ends the text for bash, up to the closing quote.
            if !cut && bytes.last() == Some(&0) {
                bytes.pop();
                out.quoted(&String::from_utf8_lossy(&bytes));
                cut = true;
            }
        }
        if !closed {
            self.problem(Problem::QuoteNotClosed);
        }
        if !cut {
            out.quoted(&String::from_utf8_lossy(&bytes));
        }
    }

    fn ansi_escape(&mut self, bytes: &mut Vec<u8>) {
        let Some(character) = self.bump() else { return bytes.push(b'\\') };
        let simple = match character {
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'v' => 11,
            '\\' | '\'' | '"' | '?' => u8::try_from(character).unwrap_or(b'?'),
            '0'..='7' => {
                self.pos -= 1;
                let value = self.digits(8, 3).unwrap_or(0);
                return bytes.push(u8::try_from(value & 0xff).unwrap_or(0));
            }
            'x' => return self.ansi_hex(bytes),
            'u' => return self.ansi_unicode(4, 'u', bytes),
            'U' => return self.ansi_unicode(8, 'U', bytes),
            'c' => {
                let control = self.bump().map_or(0, |next| u32::from(next) & 0x1f);
                return bytes.push(u8::try_from(control).unwrap_or(0));
            }
            other => {
                bytes.push(b'\\');
                return bytes.extend(other.encode_utf8(&mut [0; 4]).bytes());
            }
        };
        bytes.push(simple);
    }

    fn ansi_hex(&mut self, bytes: &mut Vec<u8>) {
        let braced = self.eat("{");
        match self.digits(16, if braced { 8 } else { 2 }) {
            Some(value) => bytes.push(u8::try_from(value & 0xff).unwrap_or(0)),
            None => bytes.extend(b"\\x"),
        }
        if braced {
            self.eat("}");
        }
    }

    fn ansi_unicode(&mut self, most: usize, letter: char, bytes: &mut Vec<u8>) {
        match self.digits(16, most) {
            Some(value) => {
                let character = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
                bytes.extend(character.encode_utf8(&mut [0; 4]).bytes());
            }
            None => bytes.extend(['\\', letter].iter().collect::<String>().bytes()),
        }
    }

    fn digits(&mut self, radix: u32, most: usize) -> Option<u32> {
        let rest = self.rest();
        let length = rest.bytes().take(most).take_while(|byte| char::from(*byte).is_digit(radix)).count();
        let value = u32::from_str_radix(rest.get(..length)?, radix).ok()?;
        self.pos += length;
        Some(value)
    }
}

fn ends(context: Context, byte: u8) -> bool {
    match context {
        Context::Double => byte == b'"',
        Context::QuotedOperand { stop } => byte == b'}' || byte == stop && byte != b'"',
        Context::Subscript => byte == b']',
        _ => false,
    }
}

fn escapes(context: Context, byte: u8) -> bool {
    match byte {
        b'"' => context != Context::HereBody,
        b'}' => matches!(context, Context::QuotedOperand { .. }),
        _ => true,
    }
}
