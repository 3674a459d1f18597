//! Text → tree: a recursive-descent parser for bash, as a non-interactive shell reads it.
//!
//! Written for hostile text: one pass, bounded depth, no step that is more than linear, and nothing is dropped without
//! a [`Problem`]. What bash would refuse as a whole is still parsed as far as it goes: a gate wants the commands, and
//! the problem beside them keeps the text from being proof.

mod arithmetic;
mod brace;
mod command;
mod compound;
mod dollar;
mod heredoc;
mod list;
mod parameter;
mod quote;
mod test_command;
mod word;

#[cfg(test)]
use agent_strace_testing::work::count;

use super::{Home, Node, Problem, Script, Span, Word};
use heredoc::Pending;

/// Bytes that are looked at are counted for the tests.
#[cfg(not(test))]
const fn count(_: usize) {}

/// Nesting of scripts, groups, substitutions, quotes and braces in each other.
const MAX_DEPTH: usize = 60;

/// Commands of a text and of all texts in it: each takes hundreds of bytes, however short it is.
const MAX_COMMANDS: usize = 1 << 17;

/// Longer text is cut: what is behind the cut is a problem, not a silence.
const MAX_TEXT: usize = 1 << 20;

/// A text of its own.
#[cfg(test)]
pub fn parse(text: &str) -> Script {
    parse_at(text, Home::piece(0, text.len()))
}

/// Parses `text` as bash. Never fails: what is not understood is listed in [`Script::problems`]. Spans are counted in
/// the text that `home` speaks of.
pub fn parse_at(text: &str, home: Home) -> Script {
    let bounded = text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or(text);
    let mut parser = Parser::new(bounded, 0, home);
    if bounded.len() < text.len() {
        parser.problem(Problem::TextTooLong);
    }
    if text.contains('\0') {
        parser.problem(Problem::NulByte);
    }
    parser.whole_script()
}

/// Parses text that is expanded as a whole, as if between double quotes: a value that is evaluated once more.
pub(crate) fn body(text: &str) -> Word {
    let bounded = text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or(text);
    let parts = Parser::new(bounded, 0, Home::Within(None)).parts(word::Context::HereBody);
    Word { parts, source: text.to_owned(), span: None }
}

/// A position in the text and what has been seen so far of the script that is being read.
struct Parser<'a> {
    text: &'a str,
    home: Home,
    pos: usize,
    /// Nothing behind this offset is read: the text's end, or that of an arithmetic expression.
    end: usize,
    depth: usize,
    problems: Vec<Problem>,
    /// Heredocs whose bodies start behind the next newline.
    pending: Vec<Pending>,
    /// Bodies read so far, in the order of their operators.
    bodies: Vec<heredoc::Body>,
    /// Bytes that looking ahead may still read, so that ambiguous text can't make it quadratic.
    lookahead: usize,
    /// Elements that sequences (`{1..9}`) may still be written out to.
    elements: usize,
    /// Commands that may still be read.
    commands: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, depth: usize, home: Home) -> Self {
        Self {
            text,
            home,
            pos: 0,
            end: text.len(),
            depth,
            problems: Vec::new(),
            pending: Vec::new(),
            bodies: Vec::new(),
            lookahead: text.len().saturating_mul(4).saturating_add(4096),
            elements: text.len() / 8 + 4096,
            commands: MAX_COMMANDS,
        }
    }

    /// Reads a text within this one, one level down. It shares what may be spent on the whole.
    fn within<T: Default>(&mut self, text: &str, home: Home, read: impl FnOnce(&mut Parser<'_>) -> T) -> T {
        let depth = self.depth + 1;
        self.deeper(|parser| {
            let mut inner = Parser::new(text, depth, home);
            (inner.lookahead, inner.elements, inner.commands) = (parser.lookahead, parser.elements, parser.commands);
            let result = read(&mut inner);
            (parser.lookahead, parser.elements, parser.commands) = (inner.lookahead, inner.elements, inner.commands);
            result
        })
    }

    /// Everything up to the end, also behind closing tokens that open nothing.
    fn whole_script(&mut self) -> Script {
        let mut nodes = Vec::new();
        loop {
            self.list(&mut nodes);
            if self.at_end() {
                break;
            }
            self.problem(Problem::ClosingWithoutOpening);
            self.skip_stray();
        }
        self.finish(nodes)
    }

    /// The script read so far, with its heredocs in place; resets what belongs to one script.
    fn finish(&mut self, mut nodes: Vec<Node>) -> Script {
        if !self.pending.is_empty() {
            self.problem(Problem::HeredocWithoutBody);
            for pending in std::mem::take(&mut self.pending) {
                self.bodies.push(pending.empty());
            }
        }
        heredoc::place(&mut nodes, &mut std::mem::take(&mut self.bodies).into_iter());
        Script { nodes, problems: std::mem::take(&mut self.problems) }
    }

    /// Reads a script that `close` ends, with state of its own, one level down.
    fn nested(&mut self, read: impl FnOnce(&mut Self, &mut Vec<Node>)) -> Script {
        let problems = std::mem::take(&mut self.problems);
        let pending = std::mem::take(&mut self.pending);
        let bodies = std::mem::take(&mut self.bodies);
        let mut nodes = Vec::new();
        read(self, &mut nodes);
        let script = self.finish(nodes);
        self.problems = problems;
        self.pending = pending;
        self.bodies = bodies;
        script
    }

    /// Runs `read` one level down. Too deep: gives up on the rest of the text, which is a problem.
    fn deeper<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            self.problem(Problem::NestedTooDeeply);
            self.pos = self.end;
            return T::default();
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn problem(&mut self, problem: Problem) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn at_end(&self) -> bool {
        self.pos >= self.end
    }

    fn peek(&self) -> Option<u8> {
        self.byte(0)
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        count(1);
        let at = self.pos.checked_add(ahead)?;
        if at < self.end { self.text.as_bytes().get(at).copied() } else { None }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.pos..self.end).unwrap_or("")
    }

    fn starts_with(&self, token: &str) -> bool {
        count(1);
        self.text.as_bytes().get(self.pos..self.end).is_some_and(|rest| rest.starts_with(token.as_bytes()))
    }

    /// Steps over `token` if it is next.
    fn eat(&mut self, token: &str) -> bool {
        let found = self.starts_with(token);
        if found {
            self.pos += token.len();
        }
        found
    }

    /// Steps over one character and returns it.
    fn bump(&mut self) -> Option<char> {
        count(1);
        let next = self.rest().chars().next()?;
        self.pos += next.len_utf8();
        Some(next)
    }

    fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.pos).unwrap_or("")
    }

    /// The same as a place.
    fn span_since(&self, start: usize) -> Option<Span> {
        self.home.span(start, self.pos)
    }

    /// Steps over blanks and line continuations.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.pos += 1,
                Some(b'\\') if self.byte(1) == Some(b'\n') => self.pos += 2,
                _ => return,
            }
        }
    }

    /// Steps over a comment, if one starts here.
    fn skip_comment(&mut self) {
        if self.peek() != Some(b'#') {
            return;
        }
        let rest = self.rest();
        let comment = rest.split('\n').next().unwrap_or(rest);
        if comment.chars().any(is_hidden) {
            self.problem(Problem::ControlCharacter);
        }
        self.pos += comment.len();
    }

    /// Steps over blanks, comments and newlines; bodies of pending heredocs follow a newline.
    fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            self.skip_comment();
            if self.peek() == Some(b'\r') && self.byte(1) == Some(b'\n') {
                self.pos += 1;
            }
            if !self.newline() {
                return;
            }
        }
    }

    fn newline(&mut self) -> bool {
        if self.peek() != Some(b'\n') {
            return false;
        }
        self.pos += 1;
        self.read_heredocs();
        true
    }

    /// The unquoted word that starts here, if it consists of plain characters and ends here: a candidate for a
    /// reserved word.
    fn plain_word(&self) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().take(12).take_while(|byte| is_plain(*byte)).count();
        match rest.as_bytes().get(length) {
            None => rest.get(..length).unwrap_or(""),
            Some(byte) if is_word_end(*byte) => rest.get(..length).unwrap_or(""),
            Some(_) => "",
        }
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.starts_with(word) && self.plain_word() == word;
        if found {
            self.pos += word.len();
        }
        found
    }

    /// Reads the reserved word that has to come here.
    fn expect_word(&mut self, word: &str) {
        if !self.eat_word(word) {
            self.problem(Problem::CompoundIncomplete);
        }
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'{' | b'}' | b'[' | b']' | b'!')
}

fn is_word_end(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
}

/// Characters that a reader of the text does not see, or sees as something else: controls, separators that are no
/// newline for the shell, bidirectional overrides.
fn is_hidden(character: char) -> bool {
    (character.is_control() && !matches!(character, '\t' | '\n' | '\r'))
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(character, '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{200b}'..='\u{200d}' | '\u{2060}')
}
