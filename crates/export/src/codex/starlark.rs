//! The literal part of Starlark that rules of Codex are written in: calls with strings, lists and names. Nothing is evaluated.

use crate::import::{Place, SettingsFault, SettingsFile};

/// A literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    Text(String),
    List(Vec<Literal>),
    /// `True`, a number or `None`.
    Word(String),
}

/// One call at the top of the file, and where it starts.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) arguments: Vec<(Option<String>, Literal)>,
    pub(super) place: Place,
}

impl Call {
    pub(super) fn argument(&self, name: &str) -> Option<&Literal> {
        self.arguments.iter().find(|(key, _)| key.as_deref() == Some(name)).map(|(_, value)| value)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match self.argument(name) {
            Some(Literal::Text(text)) => Some(text),
            _ => None,
        }
    }
}

/// Lists in lists; a rule needs two.
const DEEPEST: usize = 8;
const MOST: usize = 20_000;

pub(super) fn read(file: &SettingsFile) -> Result<Vec<Call>, SettingsFault> {
    let mut reader = Reader { file, rest: &file.text, at: 0 };
    let mut calls = Vec::new();
    loop {
        reader.blank();
        if reader.rest.is_empty() {
            return Ok(calls);
        }
        if calls.len() >= MOST {
            return Err(reader.fault(&format!("there are more than {MOST} rules")));
        }
        calls.push(reader.call()?);
    }
}

struct Reader<'f> {
    file: &'f SettingsFile,
    rest: &'f str,
    at: usize,
}

impl<'f> Reader<'f> {
    fn take(&mut self, bytes: usize) -> &'f str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        self.at += taken.len();
        taken
    }

    fn blank(&mut self) {
        loop {
            let trimmed = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';' || c == '\u{feff}');
            let skipped = self.rest.len() - trimmed.len();
            self.take(skipped);
            if !self.rest.starts_with('#') {
                return;
            }
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.take(end);
        }
    }

    fn place(&self) -> Place {
        let before = self.file.text.get(..self.at).unwrap_or_default();
        let count = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX - 1) + 1;
        let line = u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX - 1) + 1;
        let column = count(before.rsplit('\n').next().unwrap_or(before));
        Place { file: self.file.path.clone(), line, column }
    }

    fn fault(&self, message: &str) -> SettingsFault {
        let help = Some("rules are read as calls with strings and lists; nothing in them is evaluated".to_owned());
        SettingsFault { place: self.place(), message: message.to_owned(), help }
    }

    fn expect(&mut self, wanted: char) -> Result<(), SettingsFault> {
        self.blank();
        if self.rest.starts_with(wanted) {
            self.take(wanted.len_utf8());
            return Ok(());
        }
        let found = self.rest.chars().next();
        let found = found.map_or("but the file ends".to_owned(), |c| format!("found `{}`", c.escape_default()));
        Err(self.fault(&format!("expected `{wanted}`, {found}")))
    }

    fn word(&mut self) -> Option<&'f str> {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').unwrap_or(self.rest.len());
        (end > 0).then(|| self.take(end))
    }

    fn call(&mut self) -> Result<Call, SettingsFault> {
        let place = self.place();
        let Some(name) = self.word() else { return Err(self.fault("expected a rule such as `prefix_rule(…)`")) };
        if !self.rest.trim_start().starts_with('(') {
            return Err(self.fault("this is no call"));
        }
        self.expect('(')?;
        let mut arguments = Vec::new();
        loop {
            self.blank();
            if self.rest.starts_with(')') {
                self.take(1);
                return Ok(Call { name: name.to_owned(), arguments, place });
            }
            arguments.push(self.argument()?);
            self.blank();
            if !self.rest.starts_with(')') {
                self.expect(',')?;
            }
        }
    }

    fn argument(&mut self) -> Result<(Option<String>, Literal), SettingsFault> {
        if self.rest.starts_with(|c: char| c.is_alphabetic() || c == '_') && !self.starts_text() {
            let name = self.word().unwrap_or_default();
            self.blank();
            if self.rest.starts_with('=') {
                self.take(1);
                return Ok((Some(name.to_owned()), self.value(0)?));
            }
            return Ok((None, Literal::Word(name.to_owned())));
        }
        Ok((None, self.value(0)?))
    }

    fn starts_text(&self) -> bool {
        let text = self.rest.strip_prefix('r').unwrap_or(self.rest);
        text.starts_with(['"', '\''])
    }

    fn value(&mut self, depth: usize) -> Result<Literal, SettingsFault> {
        self.blank();
        if depth > DEEPEST {
            return Err(self.fault(&format!("lists are nested deeper than {DEEPEST} levels")));
        }
        if self.starts_text() {
            return self.text().map(Literal::Text);
        }
        let end = match self.rest.chars().next() {
            Some('[') => ']',
            Some('(') => ')',
            _ => {
                let word = self
                    .word()
                    .filter(|word| matches!(*word, "True" | "False" | "None") || word.parse::<f64>().is_ok());
                return word
                    .map(|word| Literal::Word(word.to_owned()))
                    .ok_or_else(|| self.fault("expected a string or a list"));
            }
        };
        self.take(1);
        let mut items = Vec::new();
        loop {
            self.blank();
            if self.rest.starts_with(end) {
                self.take(1);
                return Ok(Literal::List(items));
            }
            items.push(self.value(depth + 1)?);
            self.blank();
            if !self.rest.starts_with(end) {
                self.expect(',')?;
            }
        }
    }

    fn text(&mut self) -> Result<String, SettingsFault> {
        let raw = self.rest.starts_with('r');
        if raw {
            self.take(1);
        }
        let quote = self.rest.chars().next().unwrap_or('"');
        let triple = format!("{quote}{quote}{quote}");
        let mark = if self.rest.starts_with(&triple) { triple } else { quote.to_string() };
        let opening = self.place();
        self.take(mark.len());
        let mut text = String::new();
        while !self.rest.starts_with(&mark) {
            let unclosed = self.rest.is_empty() || mark.len() == 1 && self.rest.starts_with('\n');
            if unclosed {
                let message = "this string is never closed".to_owned();
                return Err(SettingsFault { place: opening, message, help: None });
            }
            let character = self.rest.chars().next().unwrap_or_default();
            self.take(character.len_utf8());
            if character == '\\' && !raw {
                self.escape(&mut text)?;
            } else {
                text.push(character);
            }
        }
        self.take(mark.len());
        Ok(text)
    }

    fn escape(&mut self, text: &mut String) -> Result<(), SettingsFault> {
        let escaped = self.rest.chars().next().unwrap_or_default();
        let plain = match escaped {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            '\\' | '"' | '\'' => Some(escaped),
            _ => None,
        };
        if plain.is_some() || escaped == '\n' {
            self.take(1);
            text.extend(plain);
            return Ok(());
        }
        let digits = match escaped {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => return Err(self.fault("this escape is not known")),
        };
        let number = self.rest.get(1..=digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let Some(character) = number.and_then(char::from_u32) else {
            return Err(self.fault("this escape names no character"));
        };
        self.take(1 + digits);
        text.push(character);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Literal, read};
    use crate::import::{Owner, SettingsFile};

    fn file(text: &str) -> SettingsFile {
        SettingsFile { path: "x.rules".to_owned(), text: text.to_owned(), owner: Owner::Project }
    }

    #[test]
    fn calls_with_literals_are_read() {
        let text = "# a\nprefix_rule(\n  pattern = [\"git\", ['push', r\"a\\b\"]], decision=\"prompt\",\n)\nprefix_rule(pattern=[\"l\\u0073\"])";
        let calls = read(&file(text)).unwrap();
        let texts = |words: &[&str]| words.iter().map(|word| Literal::Text((*word).to_owned())).collect::<Vec<_>>();
        let expected = Literal::List(vec![Literal::Text("git".to_owned()), Literal::List(texts(&["push", "a\\b"]))]);
        assert_eq!(calls[0].argument("pattern"), Some(&expected));
        assert_eq!((calls[0].text("decision"), calls[0].place.line), (Some("prompt"), 2));
        assert_eq!(calls[1].argument("pattern"), Some(&Literal::List(texts(&["ls"]))));
    }

    #[test]
    fn what_would_have_to_be_evaluated_is_a_fault_with_its_place() {
        for (text, line, column) in [
            ("x = 1", 1, 2),
            ("prefix_rule(pattern = [\"a\"] + [\"b\"])", 1, 29),
            ("prefix_rule(\n pattern = names)", 2, 17),
            ("prefix_rule(pattern = [\"a)", 1, 24),
            ("def f():\n  pass", 1, 4),
        ] {
            let fault = read(&file(text)).unwrap_err();
            assert_eq!((fault.place.line, fault.place.column), (line, column), "{text}: {}", fault.message);
        }
        let deep = format!("prefix_rule(pattern = {}", "[".repeat(100_000));
        assert!(read(&file(&deep)).is_err());
    }
}
