//! Splits program text into tokens: enough to tell code from strings and comments, in the languages that agents write.

mod escapes;
mod quotes;
mod strings;

use crate::command::knowledge::Language;
use strings::StringPrefix;

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name with its dots and colons: `os.path.join`, `Net::HTTP.get`. A leading `.` continues what is before it.
    Name(String),
    Text(String),
    /// A string with expressions in it.
    Template(Vec<TemplatePart>),
    /// Text between backquotes (or the like) that a shell runs; `None`: a part is unknown.
    Command(Option<String>),
    /// `None`: no small whole number.
    Number(Option<i32>),
    /// A regular expression; `true`: its replacement is evaluated.
    Pattern(bool),
    Mark(char),
    /// The end of a statement.
    End,
}

/// A part of a string with expressions in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TemplatePart {
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
        while let Some(character) = self.peek() {
            if !self.separator(character)? {
                self.token(character)?;
            }
        }
        self.tokens.push(Token::End);
        Some(())
    }

    /// Reads white space, a comment or the end of a statement, if one starts here.
    fn separator(&mut self, character: char) -> Option<bool> {
        use Language::{Javascript, Perl, Php, Python, Ruby};
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
                if self.is(&[Perl]) && self.peek() == Some('&') {
                    return Some(true);
                }
                // `\system()` is `system()` in the outermost namespace.
                if !self.is(&[Php]) {
                    self.bump();
                }
            }
            '#' if self.is(&[Python, Perl, Ruby, Php]) => self.line(),
            '/' if self.is(&[Javascript, Php]) && self.left.starts_with("//") => self.line(),
            '/' if self.is(&[Javascript, Php]) && self.left.starts_with("/*") => {
                let (_, rest) = self.left.split_once("*/")?;
                self.left = rest;
            }
            _ => return Some(false),
        }
        Some(true)
    }

    fn token(&mut self, character: char) -> Option<()> {
        use Language::{Javascript, Perl, Php, Ruby};
        match character {
            '/' if self.is(&[Javascript, Perl, Ruby]) && self.starts_value() => self.pattern('/')?,
            '"' | '\'' => self.string(character)?,
            '`' => self.backquoted()?,
            '%' if self.is(&[Ruby]) && (self.starts_value() || self.starts_command()) && self.ruby_quote()? => {}
            '$' | '@' if self.is(&[Perl, Ruby, Php]) => {
                self.bump();
                self.tokens.push(Token::Mark(character));
            }
            _ if character.is_alphabetic() || character == '_' || (character == '$' && self.is(&[Javascript])) => {
                self.word()?;
            }
            _ if character.is_ascii_digit() => self.number(),
            '-' if self.is(&[Perl, Php])
                && self
                    .left
                    .strip_prefix("->")
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '_')) =>
            {
                self.eat("->");
                let name = self.name();
                self.tokens.push(Token::Name(format!(".{name}")));
            }
            '.' if self.left.get(1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '_'))
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
        Some(())
    }

    /// A value can start here, so `/` opens a regular expression.
    /// `puts %x(…)`: no number is followed by this.
    fn starts_command(&self) -> bool {
        let mut letters = self.left.chars().skip(1);
        letters.next() == Some('x') && letters.next().is_some_and(|open| "([{<|!/".contains(open))
    }

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
        let rest = self.left.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        let digits = self.left.strip_suffix(rest).unwrap_or_default();
        self.left = rest;
        self.tokens.push(Token::Number(whole_number(digits)));
    }

    fn word(&mut self) -> Option<()> {
        let before = self.left;
        let name = self.name();
        if self.language == Language::Python
            && name.len() <= 2
            && name.chars().all(|c| "rbfuRBFUtT".contains(c))
            && let Some(quote @ ('"' | '\'')) = self.peek()
        {
            return self.python_string(quote, StringPrefix::of(&name));
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
}

/// The value of digits in any base. A zero in front of other digits marks base 8.
fn whole_number(digits: &str) -> Option<i32> {
    let (digits, base) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (digits.get(2..)?, 16),
        [b'0', b'o' | b'O', ..] => (digits.get(2..)?, 8),
        [b'0', b'b' | b'B', ..] => (digits.get(2..)?, 2),
        [b'0', _, ..] => (digits, 8),
        _ => (digits, 10),
    };
    i32::from_str_radix(digits, base).ok()
}
