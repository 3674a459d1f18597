//! Reads regular expressions, and the quotes of Perl and Ruby whose delimiters the text chooses.

use super::escapes::unescaped;
use super::strings::{DEPTH, balanced};
use super::{Lexer, TemplatePart, Token};
use crate::command::knowledge::Language;

impl Lexer<'_> {
    /// A regular expression and its flags.
    pub(super) fn pattern(&mut self, delimiter: char) -> Option<()> {
        self.bump();
        let text = self.until(delimiter)?;
        self.pattern_code(&text)?;
        self.left = self.left.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        self.tokens.push(Token::Pattern(false));
        Some(())
    }

    /// Text up to the delimiter that closes the one before it. Brackets nest.
    fn between(&mut self, open: char, close: char) -> Option<String> {
        if open == close {
            return self.until(close);
        }
        let (mut text, mut depth) = (String::new(), 0_usize);
        loop {
            let character = self.bump()?;
            match character {
                '\\' => {
                    text.push(character);
                    text.push(self.bump()?);
                    continue;
                }
                _ if character == open => depth += 1,
                _ if character == close && depth == 0 => return Some(text),
                _ if character == close => depth -= 1,
                _ => {}
            }
            text.push(character);
        }
    }

    /// Reads the code in a regular expression of Perl: `(?{ code })`, `(??{ code })`.
    fn pattern_code(&mut self, text: &str) -> Option<()> {
        if self.language != Language::Perl {
            return Some(());
        }
        let mut left = text;
        while let Some((_, behind)) = left.split_once("(?") {
            let Some(rest) = behind.strip_prefix('?').unwrap_or(behind).strip_prefix('{') else {
                left = behind;
                continue;
            };
            let code = balanced(rest).filter(|_| self.depth <= DEPTH)?;
            self.tokens.push(Token::Template(vec![TemplatePart::Code(self.inner(code)?)]));
            left = rest.get(code.len()..)?;
        }
        Some(())
    }

    /// The words of a list between quotes.
    fn word_list(&mut self, text: &str, open: char, close: char) {
        self.tokens.push(Token::Mark(open));
        for word in text.split_whitespace() {
            self.tokens.push(Token::Text(word.to_owned()));
            self.tokens.push(Token::Mark(','));
        }
        self.tokens.push(Token::Mark(close));
    }

    /// `q(…)`, `qq{…}`, `qw[…]`, `qx/…/`, `m{…}`, `s/…/…/e`, `tr/…/…/`.
    pub(super) fn perl_quote(&mut self, name: &str) -> Option<bool> {
        if !matches!(name, "q" | "qq" | "qw" | "qx" | "m" | "qr" | "s" | "tr" | "y") {
            return Some(false);
        }
        let Some(open) =
            self.peek().filter(|c| !c.is_alphanumeric() && !c.is_whitespace() && !matches!(c, ',' | ';' | ')' | '='))
        else {
            return Some(false);
        };
        self.bump();
        let close = closing(open);
        let first = self.between(open, close)?;
        match name {
            "q" => self.tokens.push(Token::Text(first)),
            "qw" => self.word_list(&first, '(', ')'),
            "qq" if first.contains(['$', '@']) => self.interpolated(&first)?,
            "qq" => self.tokens.push(Token::Text(unescaped(&first))),
            "qx" => self.tokens.push(Token::Command((!first.contains('$')).then_some(first))),
            "m" | "qr" => {
                self.pattern_code(&first)?;
                self.flags();
                self.tokens.push(Token::Pattern(false));
            }
            _ => {
                if name == "s" {
                    self.pattern_code(&first)?;
                }
                if open == close {
                    self.until(close)?;
                } else {
                    self.left = self.left.trim_start();
                    let second = self.bump()?;
                    self.between(second, closing(second))?;
                }
                let flags = self.flags();
                self.tokens.push(Token::Pattern(name == "s" && flags.contains('e')));
            }
        }
        Some(true)
    }

    /// `%x(…)`, `%q(…)`, `%w[…]`, `%(…)`
    pub(super) fn ruby_quote(&mut self) -> Option<bool> {
        let rest = self.left.strip_prefix('%')?;
        let kind = rest.chars().next().filter(char::is_ascii_alphabetic);
        let behind = kind.map_or(rest, |kind| rest.get(kind.len_utf8()..).unwrap_or_default());
        let Some(open) = behind.chars().next().filter(|open| "([{<|!/".contains(*open)) else { return Some(false) };
        self.left = behind.get(1..)?;
        let close = closing(open);
        let text = self.between(open, close)?;
        match kind {
            Some('x') => self.tokens.push(Token::Command((!text.contains("#{")).then_some(text))),
            Some('w' | 'W' | 'i' | 'I') => self.word_list(&text, '[', ']'),
            Some('r' | 's') => self.tokens.push(Token::Number(None)),
            Some('q') => self.tokens.push(Token::Text(text)),
            _ if text.contains("#{") => self.interpolated(&text)?,
            _ => self.tokens.push(Token::Text(unescaped(&text))),
        }
        Some(true)
    }

    fn flags(&mut self) -> String {
        let mut flags = String::new();
        while let Some(flag) = self.peek().filter(char::is_ascii_alphabetic) {
            flags.push(flag);
            self.bump();
        }
        flags
    }
}

/// The delimiter that closes what `open` opens.
fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    }
}
