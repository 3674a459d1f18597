//! Words outside double quotes: where they end and what their characters mean.

use super::{Parser, is_hidden, is_word_end};
use crate::{Part, Problem, Quoting, Word};

/// Where a word stands: it decides what ends it and what is special in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// A word of a command: braces and a leading tilde are active.
    Command,
    /// The value of an assignment: no braces; a tilde is active at the start and behind `:`.
    Assignment,
    /// A word without brace expansion: case patterns, `[[ … ]]`.
    Plain,
    /// The right side of `=~`: brackets are part of it.
    Regex,
    /// What follows `<<`.
    Delimiter,
    /// An alternative in `{a,b}`, and the index of the braces in the word.
    Brace(Position),
    /// An alternative in `@(a|b)`.
    Group,
    /// A word in `${x:-word}`; it ends at `}` or at `stop`.
    Operand { stop: u8 },
    /// The same inside double quotes.
    QuotedOperand { stop: u8 },
    /// Between double quotes.
    Double,
    /// The body of a heredoc without quotes in its delimiter.
    HereBody,
    /// Arithmetic: all up to the parser's end.
    Arithmetic,
    /// `a[…]`.
    Subscript,
}

/// A place in a word. At the start a tilde is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    Start,
    Inside,
}

impl Position {
    /// The position in the whole word of what stands here in a part of it that starts at `outer`.
    pub(super) fn within(self, outer: Self) -> Self {
        match outer {
            Self::Start => self,
            Self::Inside => Self::Inside,
        }
    }
}

/// Parts of a word, neighbours of a kind joined.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) parts: Vec<Part>,
}

impl Parts {
    pub(super) fn literal(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Literal(last)) => last.push_str(text),
            _ => self.parts.push(Part::Literal(text.to_owned())),
        }
    }

    pub(super) fn quoted(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Quoted(last)) => last.push_str(text),
            _ => self.parts.push(Part::Quoted(text.to_owned())),
        }
    }

    pub(super) fn glob(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Glob(last)) => last.push_str(text),
            _ => self.parts.push(Part::Glob(text.to_owned())),
        }
    }

    pub(super) fn push(&mut self, part: Part) {
        match part {
            Part::Literal(text) => self.literal(&text),
            Part::Quoted(text) => self.quoted(&text),
            Part::Glob(text) => self.glob(&text),
            other => self.parts.push(other),
        }
    }
}

impl Context {
    fn ends_at(self, parser: &Parser, byte: u8) -> bool {
        let process = matches!(byte, b'<' | b'>') && parser.byte(1) == Some(b'(');
        match self {
            Self::Command | Self::Assignment | Self::Plain | Self::Delimiter => is_word_end(byte) && !process,
            Self::Brace(_) => (is_word_end(byte) && !process) || matches!(byte, b',' | b'}'),
            Self::Regex => matches!(byte, b' ' | b'\t' | b'\n'),
            Self::Group => matches!(byte, b')' | b'|'),
            Self::Operand { stop } | Self::QuotedOperand { stop } => byte == b'}' || byte == stop,
            Self::Double => byte == b'"',
            Self::Subscript => byte == b']',
            Self::HereBody | Self::Arithmetic => false,
        }
    }

    fn is_quoting(self) -> bool {
        matches!(self, Self::QuotedOperand { .. } | Self::Double | Self::HereBody | Self::Arithmetic | Self::Subscript)
    }

    fn has_braces(self) -> bool {
        matches!(self, Self::Command | Self::Brace(_))
    }
}

impl Parser<'_> {
    /// The word that starts here, if one does.
    pub(super) fn word(&mut self, context: Context) -> Option<Word> {
        let start = self.pos;
        let parts = self.parts(context);
        if self.pos == start {
            return None;
        }
        Some(Word { parts, source: self.since(start).to_owned(), span: self.span_since(start) })
    }

    /// A word that may be empty.
    pub(super) fn operand(&mut self, context: Context) -> Word {
        self.word(context).unwrap_or_default()
    }

    pub(super) fn parts(&mut self, context: Context) -> Vec<Part> {
        // Most words have one part, and a part is large.
        let mut out = Parts { parts: Vec::with_capacity(1) };
        if context.is_quoting() {
            self.quoting(context, &mut out);
        } else {
            self.unquoted(context, &mut out);
        }
        out.parts
    }

    fn unquoted(&mut self, context: Context, out: &mut Parts) {
        let start = self.pos;
        let mut group = 0_u32;
        while let Some(byte) = self.peek() {
            if context.ends_at(self, byte) && !(context == Context::Regex && group > 0) {
                return;
            }
            let position = if self.pos == start { Position::Start } else { Position::Inside };
            match byte {
                b'\\' => self.escape(out),
                b'\'' => self.single_quotes(out),
                b'"' => self.double_quotes(out),
                b'`' => self.backticks(Quoting::Unquoted, out),
                b'$' => self.dollar(Quoting::Unquoted, out),
                b'<' | b'>' if self.byte(1) == Some(b'(') && context != Context::Regex => self.process(byte, out),
                b'~' if tilde_is_active(context, out, position) => self.tilde(context, out),
                b'{' if context.has_braces() => self.brace(context, position, out),
                b'*' | b'?' | b'+' | b'@' | b'!' if self.byte(1) == Some(b'(') && context != Context::Regex => {
                    self.pattern_group(byte, out);
                }
                b'*' | b'?' => {
                    self.pos += 1;
                    out.glob(if byte == b'*' { "*" } else { "?" });
                }
                b'[' => self.class(out),
                b'(' | b')' if context == Context::Regex => {
                    group = if byte == b'(' { group + 1 } else { group.saturating_sub(1) };
                    self.pos += 1;
                    out.literal(if byte == b'(' { "(" } else { ")" });
                }
                _ => self.plain_run(context, out),
            }
        }
    }

    /// Characters without meaning of their own, up to the next that may have one.
    fn plain_run(&mut self, context: Context, out: &mut Parts) {
        let start = self.pos;
        self.bump();
        while let Some(byte) = self.peek() {
            let special = matches!(
                byte,
                b'\\' | b'\'' | b'"' | b'`' | b'$' | b'<' | b'>' | b'{' | b'*' | b'?' | b'[' | b'~' | b'(' | b')'
            ) || (matches!(byte, b'+' | b'@' | b'!') && self.byte(1) == Some(b'('));
            if special || context.ends_at(self, byte) {
                break;
            }
            // Bytes inside a character are never special.
            self.pos += 1;
        }
        let text = self.since(start);
        let printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        if !printable && text.chars().any(is_hidden) {
            self.problem(Problem::ControlCharacter);
        }
        out.literal(text);
    }

    fn escape(&mut self, out: &mut Parts) {
        self.pos += 1;
        match self.bump() {
            Some('\n') => {}
            Some(character) => out.quoted(character.encode_utf8(&mut [0; 4])),
            None => out.literal("\\"),
        }
    }

    fn tilde(&mut self, context: Context, out: &mut Parts) {
        self.pos += 1;
        let rest = self.rest();
        let length =
            rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'+')).count();
        super::count(length);
        let ends = match rest.as_bytes().get(length) {
            None | Some(b'/') => true,
            Some(b':') => context != Context::Plain,
            Some(byte) => {
                is_word_end(*byte)
                    || (matches!(context, Context::Brace(_) | Context::Operand { .. }) && matches!(byte, b',' | b'}'))
            }
        };
        if !ends {
            out.literal("~");
            return;
        }
        let user = rest.get(..length).filter(|user| !user.is_empty()).map(str::to_owned);
        self.pos += length;
        out.push(Part::Tilde(user));
    }

    /// `+(…)` and its like.
    fn pattern_group(&mut self, kind: u8, out: &mut Parts) {
        self.pos += 2;
        out.glob(match kind {
            b'*' => "*(",
            b'?' => "?(",
            b'+' => "+(",
            b'@' => "@(",
            _ => "!(",
        });
        let (inner, closed) = self.deeper(|parser| {
            let mut inner = Parts::default();
            loop {
                parser.unquoted(Context::Group, &mut inner);
                if !parser.eat("|") {
                    return (inner, parser.eat(")"));
                }
                inner.glob("|");
            }
        });
        if !closed {
            self.problem(Problem::PatternGroupNotClosed);
        }
        for part in inner.parts {
            out.push(part);
        }
        out.glob(")");
    }

    /// `[…]`: a class of characters, or a plain bracket.
    fn class(&mut self, out: &mut Parts) {
        let rest = self.rest();
        let Some((raw, members)) = class_members(rest) else {
            self.pos += 1;
            out.literal("[");
            return;
        };
        if raw.contains(['$', '`']) {
            // Which characters are meant depends on an expansion: one of any, and what the expansion runs.
            self.pos += 1;
            out.push(Part::Unknown("[".to_owned()));
            return;
        }
        self.pos += raw.len();
        out.glob(&members);
    }
}

/// A tilde counts at the start of a word, and behind `=` and `:` of what looks like an assignment.
fn tilde_is_active(context: Context, out: &Parts, position: Position) -> bool {
    if position == Position::Start {
        return match context {
            Context::Brace(outer) => outer == Position::Start,
            Context::Delimiter | Context::Regex | Context::Group => false,
            _ => true,
        };
    }
    let Some(Part::Literal(last)) = out.parts.last() else { return false };
    match context {
        Context::Assignment => last.ends_with(':'),
        Context::Command if matches!(out.parts.first(), Some(Part::Literal(first)) if assignment_name(first)) => {
            last.ends_with('=') && out.parts.len() == 1 && last.matches('=').count() == 1 || last.ends_with(':')
        }
        _ => false,
    }
}

/// `text` starts with a name and `=`.
fn assignment_name(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| is_name(name))
}

pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b == b'_' || b.is_ascii_alphabetic())
        && bytes.all(|b| b == b'_' || b.is_ascii_alphanumeric())
}

/// The class at the start of `rest` as written, and with the quotes inside it removed.
fn class_members(rest: &str) -> Option<(&str, String)> {
    let mut members = String::from("[");
    let mut characters = rest.char_indices().skip(1).peekable();
    let mut named = false;
    while let Some((at, character)) = characters.next() {
        super::count(1);
        let first = members == "[" || members == "[!";
        match character {
            ']' if named => {
                named = false;
                members.push(']');
            }
            ']' if !first => {
                members.push(']');
                return Some((rest.get(..=at)?, members));
            }
            '!' | '^' if members == "[" => members.push('!'),
            '[' if matches!(characters.peek(), Some((_, ':' | '.' | '='))) => {
                named = true;
                members.push('[');
            }
            '\'' | '"' => {}
            '\\' => members.extend(characters.next().map(|(_, next)| next)),
            ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '/' => return None,
            _ => members.push(character),
        }
        // A class is short; a longer one is read as plain text, which keeps the work linear.
        if at > 256 {
            return None;
        }
    }
    None
}
