//! Reads regular expressions, and the quotes of Perl and Ruby whose delimiters the text chooses.

use super::escapes::unescaped;
use super::{Lexer, Token};
use crate::command::knowledge::Language;

impl Lexer<'_> {
    /// A regular expression and its flags.
    pub(super) fn pattern(&mut self, delimiter: char) -> Option<()> {
        self.bump();
        let text = self.until(delimiter)?;
        self.left = self.left.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        self.tokens.push(Token::Pattern(self.holds_code(&text)));
        Some(())
    }

    /// Perl runs `(?{…})` within an expression.
    fn holds_code(&self, expression: &str) -> bool {
        self.is(&[Language::Perl]) && (expression.contains("(?{") || expression.contains("(??{"))
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
        let first = self.until(close)?;
        match name {
            "q" | "qw" => self.tokens.push(Token::Text(first)),
            "qq" if first.contains(['$', '@']) => self.interpolated(&first)?,
            "qq" => self.tokens.push(Token::Text(unescaped(&first))),
            "qx" => self.tokens.push(Token::Command((!first.contains('$')).then_some(first))),
            "m" | "qr" => {
                self.flags();
                self.tokens.push(Token::Pattern(self.holds_code(&first)));
            }
            _ => {
                if open == close {
                    self.until(close)?;
                } else {
                    self.left = self.left.trim_start();
                    let second = self.bump()?;
                    self.until(closing(second))?;
                }
                let flags = self.flags();
                let runs = self.holds_code(&first) || name == "s" && flags.contains('e');
                self.tokens.push(Token::Pattern(runs));
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
        let text = self.until(close)?;
        match kind {
            Some('x') => self.tokens.push(Token::Command((!text.contains("#{")).then_some(text))),
            Some('w' | 'W' | 'i' | 'I' | 'r' | 's') => self.tokens.push(Token::Number),
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
