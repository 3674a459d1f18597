//! Program text → tokens: enough to tell code from strings and comments, in the languages that agents write.

use crate::command::knowledge::Language;

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name with its dots and colons: `os.path.join`, `Net::HTTP.get`. A leading `.` continues what is before it.
    Name(String),
    Text(String),
    /// A string with expressions in it.
    Template(Vec<Piece>),
    /// Text between backquotes (or the like) that a shell runs; `None`: a part is unknown.
    Command(Option<String>),
    Number,
    /// A regular expression; `true`: its replacement is evaluated.
    Pattern(bool),
    Mark(char),
    /// The end of a statement.
    End,
}

/// A part of a string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    Code(Vec<Token>),
}

/// Tokens in order; `None`: text that does not end where it should.
pub(crate) fn tokens(language: Language, text: &str) -> Option<Vec<Token>> {
    let mut lexer = Lexer { language, left: text, tokens: Vec::new(), depth: 0 };
    lexer.run()?;
    Some(lexer.tokens)
}

struct Lexer<'a> {
    language: Language,
    left: &'a str,
    tokens: Vec<Token>,
    depth: u32,
}

impl Lexer<'_> {
    fn peek(&self) -> Option<char> {
        self.left.chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let mut characters = self.left.chars();
        let character = characters.next();
        self.left = characters.as_str();
        character
    }

    fn eat(&mut self, text: &str) -> bool {
        match self.left.strip_prefix(text) {
            Some(rest) => {
                self.left = rest;
                true
            }
            None => false,
        }
    }

    fn is(&self, languages: &[Language]) -> bool {
        languages.contains(&self.language)
    }

    fn line(&mut self) {
        let (_, rest) = self.left.split_once('\n').unwrap_or(("", ""));
        self.left = rest;
        self.tokens.push(Token::End);
    }

    fn run(&mut self) -> Option<()> {
        use Language::{Javascript, Perl, Php, Python, Ruby};
        while let Some(character) = self.peek() {
            match character {
                '\n' | ';' => {
                    self.bump();
                    self.tokens.push(Token::End);
                }
                _ if character.is_whitespace() => {
                    self.bump();
                }
                '\\' => {
                    self.bump();
                    self.bump();
                }
                '#' if self.is(&[Python, Perl, Ruby, Php]) => self.line(),
                '/' if self.is(&[Javascript, Php]) && self.left.starts_with("//") => self.line(),
                '/' if self.is(&[Javascript, Php]) && self.left.starts_with("/*") => {
                    let (_, rest) = self.left.split_once("*/")?;
                    self.left = rest;
                }
                '/' if self.is(&[Javascript, Perl, Ruby]) && self.starts_value() => self.pattern('/')?,
                '"' | '\'' => self.string(character, false)?,
                '`' => self.backquoted()?,
                '%' if self.is(&[Ruby]) && self.starts_value() && self.ruby_quote()? => {}
                '$' | '@' if self.is(&[Perl, Ruby, Php]) => {
                    self.bump();
                    self.tokens.push(Token::Mark(character));
                }
                _ if character.is_alphabetic() || character == '_' || (character == '$' && self.is(&[Javascript])) => {
                    self.word()?;
                }
                _ if character.is_ascii_digit() => self.number(),
                '.' if self
                    .left
                    .get(1..)
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '_'))
                    && !self.is(&[Perl, Php]) =>
                {
                    self.bump();
                    let name = self.name();
                    self.tokens.push(Token::Name(format!(".{name}")));
                }
                _ => {
                    self.bump();
                    self.tokens.push(Token::Mark(character));
                }
            }
        }
        self.tokens.push(Token::End);
        Some(())
    }

    /// A value can start here, so `/` opens a regular expression.
    fn starts_value(&self) -> bool {
        match self.tokens.last() {
            None | Some(Token::End) => true,
            Some(Token::Mark(mark)) => !matches!(mark, ')' | ']' | '}'),
            Some(Token::Name(name)) => matches!(
                name.as_str(),
                "return" | "if" | "unless" | "and" | "or" | "split" | "grep" | "when" | "typeof"
            ),
            _ => false,
        }
    }

    fn name(&mut self) -> String {
        let colons = self.is(&[Language::Perl, Language::Ruby]);
        let mut name = String::new();
        loop {
            let part = self.left.len()
                - self.left.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '$').len();
            let Some((head, rest)) = self.left.split_at_checked(part) else { break };
            name.push_str(head);
            self.left = rest;
            let continues = |rest: &str| rest.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
            let dotted = rest.strip_prefix("?.").or_else(|| rest.strip_prefix('.'));
            if let Some(after) =
                dotted.filter(|after| continues(after) && !matches!(self.language, Language::Perl | Language::Php))
            {
                name.push('.');
                self.left = after;
            } else if let Some(after) = rest.strip_prefix("::").filter(|after| colons && continues(after)) {
                name.push_str("::");
                self.left = after;
            } else {
                break;
            }
        }
        if self.language == Language::Ruby && self.left.starts_with(['?', '!']) && !self.left.starts_with("!=") {
            name.extend(self.bump());
        }
        name
    }

    fn number(&mut self) {
        self.left = self.left.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        self.tokens.push(Token::Number);
    }

    fn word(&mut self) -> Option<()> {
        let before = self.left;
        let name = self.name();
        if self.language == Language::Python
            && name.len() <= 2
            && name.chars().all(|c| "rbfuRBFUtT".contains(c))
            && let Some(quote @ ('"' | '\'')) = self.peek()
        {
            let lower = name.to_ascii_lowercase();
            return self.python_string(quote, lower.contains('r'), lower.contains('f') || lower.contains('t'));
        }
        if self.language == Language::Perl && self.perl_quote(&name)? {
            return Some(());
        }
        if self.language == Language::Ruby && name.is_empty() {
            self.left = before;
            self.bump();
        }
        self.tokens.push(Token::Name(name));
        Some(())
    }

    fn string(&mut self, quote: char, raw: bool) -> Option<()> {
        if self.language == Language::Python {
            return self.python_string(quote, raw, false);
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

    fn python_string(&mut self, quote: char, raw: bool, format: bool) -> Option<()> {
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
        if format && text.contains('{') {
            return self.interpolated(&text);
        }
        self.tokens.push(Token::Text(if raw { text } else { unescaped(&text) }));
        Some(())
    }

    /// Text up to an unescaped `close`, escapes kept.
    fn until(&mut self, close: char) -> Option<String> {
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

    fn backquoted(&mut self) -> Option<()> {
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
    fn interpolated(&mut self, text: &str) -> Option<()> {
        if self.depth > 8 {
            return None;
        }
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut left = text;
        while let Some(at) = left.find(['{', '$', '@']) {
            let (before, rest) = left.split_at_checked(at)?;
            let (mark, rest) = rest.split_at_checked(1)?;
            match (mark, self.language) {
                ("{", Language::Python) if rest.starts_with('{') => {
                    plain.push_str(before);
                    plain.push('{');
                    left = rest.get(1..)?;
                }
                ("{", _) => {
                    let opened = before.strip_suffix(['$', '#', '@']).filter(|_| self.language != Language::Python);
                    plain.push_str(opened.unwrap_or(before));
                    let code = balanced(rest)?;
                    // A format (`{x!r:>9}`) is no code.
                    pieces.push(Piece::Text(unescaped(&std::mem::take(&mut plain))));
                    pieces.push(Piece::Code(self.inner(code)?));
                    left = rest.get(code.len()..)?.strip_prefix('}').unwrap_or_default();
                }
                ("$" | "@", Language::Perl | Language::Php)
                    if rest.starts_with(|c: char| c.is_alphabetic() || c == '_') =>
                {
                    plain.push_str(before);
                    pieces.push(Piece::Text(unescaped(&std::mem::take(&mut plain))));
                    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                    let (name, behind) = rest.split_at_checked(end)?;
                    let is_plain = mark == "$" && !behind.starts_with(['[', '{']) && !behind.starts_with("->");
                    pieces.push(Piece::Code(if is_plain {
                        vec![Token::Mark('$'), Token::Name(name.to_owned())]
                    } else {
                        vec![Token::Number]
                    }));
                    left = behind;
                }
                ("$" | "@", Language::Perl | Language::Php) if !rest.starts_with('{') => {
                    plain.push_str(before);
                    pieces.push(Piece::Text(unescaped(&std::mem::take(&mut plain))));
                    pieces.push(Piece::Code(vec![Token::Number]));
                    left = rest;
                }
                _ => {
                    plain.push_str(before);
                    if !rest.starts_with('{') {
                        plain.push_str(mark);
                    }
                    left = rest;
                }
            }
        }
        plain.push_str(left);
        pieces.push(Piece::Text(unescaped(&plain)));
        self.tokens.push(Token::Template(pieces));
        Some(())
    }

    /// Code in a string.
    fn inner(&self, code: &str) -> Option<Vec<Token>> {
        let mut lexer = Lexer { language: self.language, left: code, tokens: Vec::new(), depth: self.depth + 1 };
        lexer.run()?;
        Some(lexer.tokens)
    }

    fn pattern(&mut self, delimiter: char) -> Option<()> {
        self.bump();
        self.until(delimiter)?;
        self.left = self.left.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        self.tokens.push(Token::Pattern(false));
        Some(())
    }

    /// `q(…)`, `qq{…}`, `qw[…]`, `qx/…/`, `m{…}`, `s/…/…/e`, `tr/…/…/`.
    fn perl_quote(&mut self, name: &str) -> Option<bool> {
        if !matches!(name, "q" | "qq" | "qw" | "qx" | "m" | "qr" | "s" | "tr" | "y") {
            return Some(false);
        }
        let Some(open) =
            self.peek().filter(|c| !c.is_alphanumeric() && !c.is_whitespace() && !matches!(c, ',' | ';' | ')' | '='))
        else {
            return Some(false);
        };
        self.bump();
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            other => other,
        };
        let first = self.until(close)?;
        match name {
            "q" | "qw" => self.tokens.push(Token::Text(first)),
            "qq" if first.contains(['$', '@']) => self.interpolated(&first)?,
            "qq" => self.tokens.push(Token::Text(unescaped(&first))),
            "qx" => self.tokens.push(Token::Command((!first.contains('$')).then_some(first))),
            "m" | "qr" => {
                self.flags();
                self.tokens.push(Token::Pattern(false));
            }
            _ => {
                if open == close {
                    self.until(close)?;
                } else {
                    self.left = self.left.trim_start();
                    let second = self.bump()?;
                    let close = match second {
                        '(' => ')',
                        '[' => ']',
                        '{' => '}',
                        '<' => '>',
                        other => other,
                    };
                    self.until(close)?;
                }
                let flags = self.flags();
                self.tokens.push(Token::Pattern(name == "s" && flags.contains('e')));
            }
        }
        Some(true)
    }

    /// `%x(…)`, `%q(…)`, `%w[…]`, `%(…)`
    fn ruby_quote(&mut self) -> Option<bool> {
        let rest = self.left.strip_prefix('%')?;
        let kind = rest.chars().next().filter(char::is_ascii_alphabetic);
        let behind = kind.map_or(rest, |kind| rest.get(kind.len_utf8()..).unwrap_or_default());
        let Some(open) = behind.chars().next().filter(|open| "([{<|!/".contains(*open)) else { return Some(false) };
        self.left = behind.get(1..)?;
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            other => other,
        };
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

/// Code up to the brace that closes it.
fn balanced(text: &str) -> Option<&str> {
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

fn unescaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut left = text.chars();
    while let Some(character) = left.next() {
        if character != '\\' {
            result.push(character);
            continue;
        }
        match left.clone().next() {
            Some('x') => {
                left.next();
                result.push(hexadecimal(&mut left, 2));
            }
            Some('u') if left.clone().nth(1) != Some('{') => {
                left.next();
                result.push(hexadecimal(&mut left, 4));
            }
            Some(escape) => {
                left.next();
                match escape {
                    'n' => result.push('\n'),
                    't' => result.push('\t'),
                    'r' => result.push('\r'),
                    '\n' => {}
                    '0'..='7' => {
                        let mut value = escape.to_digit(8).unwrap_or(0);
                        for _ in 0..2 {
                            let Some(digit) = left.clone().next().and_then(|c| c.to_digit(8)) else { break };
                            value = value * 8 + digit;
                            left.next();
                        }
                        result.push(char::from_u32(value).unwrap_or('\u{FFFD}'));
                    }
                    other => result.push(other),
                }
            }
            None => {}
        }
    }
    result
}

fn hexadecimal(left: &mut std::str::Chars<'_>, digits: usize) -> char {
    let text: String = left.clone().take(digits).collect();
    let value = u32::from_str_radix(&text, 16).ok().and_then(char::from_u32);
    if value.is_some() {
        left.nth(digits - 1);
    }
    value.unwrap_or('\u{FFFD}')
}
