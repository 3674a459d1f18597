//! Arithmetic: only what it runs and what it changes matters.

use super::Parser;
use super::word::Context;
use crate::{Part, Problem, Script, Word};

impl Parser<'_> {
    /// The offset of the `))` that closes an expression from `start`; nothing if the text is a subshell in brackets.
    pub(super) fn arithmetic_end(&mut self, start: usize) -> Option<usize> {
        let bytes = self.text.as_bytes().get(..self.end)?;
        let mut depth = 0_usize;
        let mut at = start;
        while let Some(byte) = bytes.get(at) {
            super::count(1);
            self.lookahead = self.lookahead.checked_sub(1)?;
            match byte {
                b'\\' => at += 1,
                b'"' => at = skip_quotes(bytes, at, &mut self.lookahead)?,
                b'\'' if depth > 0 => {
                    at += 1 + bytes.get(at + 1..)?.iter().position(|byte| *byte == b'\'')?;
                }
                b'(' => depth += 1,
                b')' if depth > 0 => depth -= 1,
                b')' => return (bytes.get(at + 1) == Some(&b')')).then_some(at),
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// The offset of the `]` that closes a subscript from `start`.
    pub(super) fn subscript_end(&mut self, start: usize) -> Option<usize> {
        let bytes = self.text.as_bytes().get(..self.end)?;
        let (mut brackets, mut parentheses) = (0_usize, 0_usize);
        let mut at = start;
        while let Some(byte) = bytes.get(at) {
            super::count(1);
            self.lookahead = self.lookahead.checked_sub(1)?;
            match byte {
                b'\\' => at += 1,
                b'"' => at = skip_quotes(bytes, at, &mut self.lookahead)?,
                b'\'' => at += 1 + bytes.get(at + 1..)?.iter().position(|byte| *byte == b'\'')?,
                b'(' => parentheses += 1,
                b')' => parentheses = parentheses.checked_sub(1)?,
                b'[' => brackets += 1,
                b']' if brackets > 0 => brackets -= 1,
                b']' if parentheses == 0 => return Some(at),
                b'\n' | b';' | b'&' | b'|' if parentheses == 0 => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Reads the subscript up to `end`.
    pub(super) fn index(&mut self, end: usize) -> Word {
        self.pos += 1;
        let start = self.pos;
        let outer = std::mem::replace(&mut self.end, end);
        let parts = self.parts(Context::Subscript);
        if self.pos < end {
            self.problem(Problem::SubscriptNotUnderstood);
        }
        self.end = outer;
        Word { parts, source: self.text.get(start..end).unwrap_or("").to_owned(), span: self.home.span(start, end) }
    }

    /// Reads the expression up to `end` and leaves the position there.
    pub(super) fn arithmetic(&mut self, end: usize) -> Part {
        let start = self.pos;
        let outer = std::mem::replace(&mut self.end, end);
        let inner = self.deeper(|parser| parser.parts(Context::Arithmetic));
        self.end = outer;
        self.pos = end;
        part(inner, self.text.get(start..end).unwrap_or(""))
    }
}

fn skip_quotes(bytes: &[u8], open: usize, lookahead: &mut usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        super::count(1);
        *lookahead = lookahead.checked_sub(1)?;
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// An expression of `parts`, written as `text`.
pub(super) fn part(parts: Vec<Part>, text: &str) -> Part {
    let mut scripts: Vec<Script> = Vec::new();
    let mut words = Vec::new();
    for part in parts {
        match part {
            Part::Substitution { script, .. } => scripts.push(script),
            Part::Arithmetic { scripts: inner, .. } => scripts.extend(inner),
            // Quoted text is evaluated, too; without an expansion in it nothing can run.
            Part::Literal(text) | Part::Quoted(text) if !text.contains(['$', '`']) => {}
            other => words.push(other),
        }
    }
    Part::Arithmetic {
        scripts,
        words,
        names: names(text),
        assigns: assigns(text),
        value: text.trim().parse().ok().filter(|_| !text.trim().starts_with('0') || text.trim() == "0"),
    }
}

/// Variables the expression mentions: their values are evaluated as expressions, too.
fn names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = text
        .split(|character: char| character != '_' && !character.is_ascii_alphanumeric())
        .filter(|word| super::word::is_name(word))
        .map(str::to_owned)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether the expression may change variables: `=`, `+=`, `++` and the like.
fn assigns(text: &str) -> bool {
    let bytes = text.as_bytes();
    if text.contains("++") || text.contains("--") {
        return true;
    }
    bytes.iter().enumerate().any(|(at, byte)| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at)).copied();
        let before_that = at.checked_sub(2).and_then(|at| bytes.get(at)).copied();
        let shift = matches!((before_that, before), (Some(b'<'), Some(b'<')) | (Some(b'>'), Some(b'>')));
        *byte == b'='
            && bytes.get(at + 1) != Some(&b'=')
            && (shift || !matches!(before, Some(b'=' | b'!' | b'<' | b'>')))
    })
}
