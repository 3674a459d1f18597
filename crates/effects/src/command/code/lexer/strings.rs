//! Reads strings between quotes and backquotes, and the code in them.

use super::escapes::unescaped;
use super::{Lexer, TemplatePart, Token};
use crate::command::knowledge::Language;

/// Code in strings in code.
pub(super) const DEPTH: u32 = 8;

/// The letters before a string of Python.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StringPrefix {
    /// `r`: backslashes stand for themselves.
    raw: bool,
    /// `f`, `t`: expressions stand between braces.
    formatted: bool,
}

impl StringPrefix {
    pub(super) fn of(letters: &str) -> Self {
        let letters = letters.to_ascii_lowercase();
        Self { raw: letters.contains('r'), formatted: letters.contains(['f', 't']) }
    }
}

/// A string with expressions in it while it is read.
#[derive(Debug, Default)]
struct Template {
    parts: Vec<TemplatePart>,
    /// Text since the last expression, with its escapes.
    text: String,
}

impl Template {
    fn end_text(&mut self) {
        self.parts.push(TemplatePart::Text(unescaped(&std::mem::take(&mut self.text))));
    }

    fn code(&mut self, tokens: Vec<Token>) {
        self.end_text();
        self.parts.push(TemplatePart::Code(tokens));
    }
}

impl Lexer<'_> {
    pub(super) fn string(&mut self, quote: char) -> Option<()> {
        if self.language == Language::Python {
            return self.python_string(quote, StringPrefix::default());
        }
        self.bump();
        let text = self.until(quote)?;
        let open = quote == '"'
            && match self.language {
                Language::Perl | Language::Php => {
                    text.contains('$') || text.contains('@') && self.language == Language::Perl
                }
                Language::Ruby => text.contains("#{"),
                _ => false,
            };
        if open {
            self.interpolated(&text)?;
        } else {
            let plain = quote == '\'' && self.language != Language::Javascript;
            self.tokens.push(Token::Text(if plain {
                text.replace("\\\\", "\\").replace("\\'", "'")
            } else {
                unescaped(&text)
            }));
        }
        Some(())
    }

    pub(super) fn python_string(&mut self, quote: char, prefix: StringPrefix) -> Option<()> {
        let triple: String = std::iter::repeat_n(quote, 3).collect();
        let text = if self.eat(&triple) {
            let mut text = String::new();
            loop {
                if self.eat(&triple) {
                    break text;
                }
                let character = self.bump()?;
                text.push(character);
                if character == '\\' {
                    text.extend(self.bump());
                }
            }
        } else {
            self.bump();
            self.until(quote)?
        };
        if prefix.formatted && text.contains('{') {
            return self.interpolated(&text);
        }
        self.tokens.push(Token::Text(if prefix.raw { text } else { unescaped(&text) }));
        Some(())
    }

    /// Text up to an unescaped `close`, escapes kept.
    pub(super) fn until(&mut self, close: char) -> Option<String> {
        let mut text = String::new();
        loop {
            match self.bump()? {
                '\\' => {
                    text.push('\\');
                    text.push(self.bump()?);
                }
                character if character == close => return Some(text),
                character => text.push(character),
            }
        }
    }

    pub(super) fn backquoted(&mut self) -> Option<()> {
        self.bump();
        let text = self.until('`')?;
        match self.language {
            Language::Javascript if text.contains("${") => self.interpolated(&text)?,
            Language::Javascript => self.tokens.push(Token::Text(unescaped(&text))),
            Language::Perl | Language::Php if text.contains('$') => self.tokens.push(Token::Command(None)),
            Language::Ruby if text.contains("#{") => self.tokens.push(Token::Command(None)),
            _ => self.tokens.push(Token::Command(Some(text))),
        }
        Some(())
    }

    /// A string with code in it: the code between braces is looked at, too.
    pub(super) fn interpolated(&mut self, text: &str) -> Option<()> {
        if self.depth > DEPTH {
            return None;
        }
        let mut template = Template::default();
        let mut left = text;
        while let Some(at) = left.find(['{', '$', '@']) {
            let (before, rest) = left.split_at_checked(at)?;
            let (mark, rest) = rest.split_at_checked(1)?;
            left = self.expression(before, mark, rest, &mut template)?;
        }
        template.text.push_str(left);
        template.end_text();
        self.tokens.push(Token::Template(template.parts));
        Some(())
    }

    /// Reads what `mark` starts, and returns what follows it.
    fn expression<'t>(&self, before: &'t str, mark: &str, rest: &'t str, template: &mut Template) -> Option<&'t str> {
        match (mark, self.language) {
            ("{", Language::Python) if rest.starts_with('{') => {
                template.text.push_str(before);
                template.text.push('{');
                rest.get(1..)
            }
            ("{", _) => {
                let opened = before.strip_suffix(['$', '#', '@']).filter(|_| self.language != Language::Python);
                template.text.push_str(opened.unwrap_or(before));
                let code = balanced(rest)?;
                // A format (`{x!r:>9}`) is no code.
                template.code(self.inner(code)?);
                Some(rest.get(code.len()..)?.strip_prefix('}').unwrap_or_default())
            }
            ("$" | "@", Language::Perl | Language::Php)
                if rest.starts_with(|c: char| c.is_alphabetic() || c == '_') =>
            {
                template.text.push_str(before);
                let (tokens, behind) = variable(mark, rest)?;
                template.code(tokens);
                Some(behind)
            }
            ("$" | "@", Language::Perl | Language::Php) if !rest.starts_with('{') => {
                template.text.push_str(before);
                template.code(vec![Token::Number(None)]);
                Some(rest)
            }
            _ => {
                template.text.push_str(before);
                if !rest.starts_with('{') {
                    template.text.push_str(mark);
                }
                Some(rest)
            }
        }
    }

    /// Code in a string.
    pub(super) fn inner(&self, code: &str) -> Option<Vec<Token>> {
        let mut lexer = Lexer { language: self.language, left: code, tokens: Vec::new(), depth: self.depth + 1 };
        lexer.run()?;
        Some(lexer.tokens)
    }
}

/// Code up to the brace that closes it.
pub(super) fn balanced(text: &str) -> Option<&str> {
    let mut depth = 0_u32;
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => return text.get(..at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The variable whose name starts `rest`, and what follows it. An element or a field of it is any value.
fn variable<'t>(mark: &str, rest: &'t str) -> Option<(Vec<Token>, &'t str)> {
    let mut end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    // `$FindBin::Bin`
    while let Some(tail) = rest.get(end..).and_then(|tail| tail.strip_prefix("::"))
        && let part = tail.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(tail.len())
        && part > 0
    {
        end += 2 + part;
    }
    let (name, behind) = rest.split_at_checked(end)?;
    let is_plain = mark == "$" && !behind.starts_with(['[', '{']) && !behind.starts_with("->");
    let tokens =
        if is_plain { vec![Token::Mark('$'), Token::Name(name.to_owned())] } else { vec![Token::Number(None)] };
    Some((tokens, behind))
}
