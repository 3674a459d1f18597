//! Variables in PowerShell text: what stands for them, and what is assigned to them.

use super::text::{Command, Place, Reader, Terminator, Word, ends_statement};
use super::value::Value;
use super::{fetches, strings};
use crate::command::argument::Arg;
use crate::command::programs::printing::mounted_path;

impl<'t> Reader<'_, 't> {
    pub(super) fn interpolated(&mut self, body: &str) {
        let mut left = body;
        while let Some(at) = left.find(['$', '`']) {
            let (before, after) = left.split_at_checked(at).unwrap_or((left, ""));
            self.word.text.push_str(before);
            if let Some(escaped) = after.strip_prefix('`') {
                left = strings::escape(escaped, &mut self.word.text);
                continue;
            }
            left = after.strip_prefix('$').unwrap_or(after);
            if let Some(inner) = left.strip_prefix('(') {
                let (code, rest) = strings::closed(inner, '(', ')');
                match self.program.variables.value_of(code).and_then(|value| value.joined(" ")) {
                    Some(text) => self.word.text.push_str(&text),
                    None if code.chars().all(|c| c.is_alphanumeric() || matches!(c, '$' | '_' | '.')) => {
                        self.computed(code, code);
                    }
                    None => self.computed(code, ""),
                }
                left = rest;
                continue;
            }
            let (name, rest) = strings::variable_name(left);
            self.reads_drive(&name);
            self.value(&name);
            left = rest;
        }
        self.word.text.push_str(left);
    }

    /// A bare `$name`, `$name.member`, or `$( … )`.
    pub(super) fn variable(&mut self) {
        // Before a separator it is a character, as in the name of a share.
        if self.rest.starts_with(['\\', '/']) {
            return self.push('$');
        }
        let fresh = !self.word.started;
        let typed = self.word.text.starts_with('[') && self.word.text.ends_with(']');
        let (name, behind) = strings::variable_name(self.rest);
        if self.command.words.is_empty() && (fresh || typed) && !name.is_empty() {
            if strings::starts_assignment(behind) {
                // What is assigned to keeps its name.
                self.rest = behind;
                self.word = Word { text: format!("=${name}"), started: true, ..Word::default() };
                return;
            }
            if self.changes_member(&name, behind) {
                return;
            }
        }
        if fresh && let Some((texts, rest)) = self.operand() {
            self.rest = rest;
            return self.put(texts);
        }
        self.word.started = true;
        if let Some(inner) = self.rest.strip_prefix('(') {
            let (code, rest) = strings::closed(inner, '(', ')');
            self.rest = rest;
            return self.computed(code, "$()");
        }
        self.rest = behind;
        self.reads_drive(&name);
        if fresh && behind.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphabetic)) {
            self.word.unknown = true;
            self.word.text.push('$');
            self.word.text.push_str(&name);
        } else {
            self.value(&name);
        }
    }

    /// `$p.Path = 'x'`, `$p['Path'] = 'x'`, `$p.Add('Path', 'x')`. `true`: that is all of the statement.
    pub(super) fn changes_member(&mut self, name: &str, behind: &'t str) -> bool {
        let Some(Value::Table(_) | Value::List(_)) = self.program.variables.known(name) else { return false };
        let Some((value, rest)) = self.program.variables.with_member(name, behind) else { return false };
        let all = value.is_some() && ends_statement(rest);
        self.program.assign(name, value.filter(|_| all), self.place);
        if all {
            self.rest = rest;
            self.word = Word::default();
        }
        all
    }

    /// The constant that the text behind the last character starts with, with that character.
    pub(super) fn operand(&self) -> Option<(Vec<String>, &'t str)> {
        let (value, rest) = self.program.variables.operand(self.at)?;
        value.texts().map(|texts| (texts, rest))
    }

    /// Puts each text into a word of its own.
    pub(super) fn put(&mut self, texts: Vec<String>) {
        for text in texts {
            if self.word.started {
                self.flush();
            }
            self.word.started = true;
            self.word.text = text;
        }
    }

    /// `@name` stands for what the variable holds, as arguments.
    pub(super) fn splats(&self) -> bool {
        let starts = self.rest.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let (_, behind) = strings::variable_name(self.rest);
        let ends = behind.is_empty() || behind.starts_with(|c: char| c.is_whitespace() || ";|)},".contains(c));
        !self.word.started && !self.command.words.is_empty() && starts && ends
    }

    pub(super) fn splat(&mut self) {
        let (name, behind) = strings::variable_name(self.rest);
        self.rest = behind;
        match self.program.variables.get(&name) {
            Some(Value::Table(entries)) => {
                for (option, value) in entries {
                    let text = value.text().unwrap_or_default();
                    if text == "False" {
                        continue;
                    }
                    self.command.words.push(Arg::exact(format!("-{option}")));
                    if text != "True" {
                        let texts = value.texts().map(|texts| texts.into_iter().map(Arg::exact).collect());
                        self.command.words.extend(texts.unwrap_or_else(|| vec![Arg::unknown(format!("@{name}"))]));
                    }
                }
            }
            Some(value) if value.texts().is_some() => {
                self.command.words.extend(value.texts().unwrap_or_default().into_iter().map(Arg::exact));
            }
            _ => self.command.words.push(Arg::unknown(format!("@{name}"))),
        }
    }

    pub(super) fn value(&mut self, name: &str) {
        match self.program.variables.get(name) {
            Some(Value::Text(text)) => self.word.text.push_str(&text),
            Some(list @ Value::List(_)) if list.texts().is_some() => {
                self.word.text.push_str(&list.texts().unwrap_or_default().join(" "));
            }
            _ if name == "null" => {}
            value => {
                if let Some(Value::Foreign(provenance)) = value {
                    self.word.provenance = self.word.provenance.max(Some(provenance));
                }
                self.word.unknown = true;
                self.word.text.push('$');
                self.word.text.push_str(name);
            }
        }
    }

    /// `${C:x}` is what the file holds.
    fn reads_drive(&mut self, name: &str) {
        let Some(file) = drive_path(name) else { return };
        let words = vec![Arg::exact("get-content"), Arg::exact(file)];
        let Place { depth, item, .. } = self.inside();
        self.program.commands.push(Command { words, depth, item, ..Command::default() });
    }

    pub(super) fn is_assignment(&self) -> bool {
        let operator = matches!(self.word.text.as_str(), "" | "+" | "-" | "*" | "/" | "%" | "??");
        let first = match self.command.words.as_slice() {
            [] => self.word.text.starts_with("=$"),
            [only] => only.text.starts_with("=$") && operator,
            _ => false,
        };
        first && !self.rest.starts_with('=')
    }

    pub(super) fn assign(&mut self) {
        let computed = self.command.words.len() == 1 && self.word.started;
        let operator = if computed { std::mem::take(&mut self.word).text } else { String::new() };
        self.flush();
        let name = self.command.words.first().map_or("", |word| word.text.trim_start_matches("=$")).to_owned();
        let value = self.program.variables.leading(self.rest).filter(|(_, rest)| ends_statement(rest));
        if let Some((value, rest)) = value.filter(|_| matches!(operator.as_str(), "" | "+" | "??")) {
            self.rest = rest;
            let value = if operator == "+" {
                self.program.variables.get(&name).and_then(|old| old.plus(value))
            } else {
                Some(value)
            };
            let shown = value.as_ref().and_then(Value::texts).map(|texts| Arg::exact(texts.join(" ")));
            self.command.words.push(shown.unwrap_or_else(|| Arg::unknown("@{}")));
            self.command.valued = true;
            self.end(Terminator::Statement);
            self.program.assign(&name, value, self.place);
        } else if computed && let Some(first) = self.command.words.first_mut() {
            // `$x += …`: what it holds then is not followed.
            self.program.assign(&name, None, self.place);
            *first = Arg::exact("=$+");
        }
    }

    /// What a variable is assigned that is no constant: output of a network client, or anything.
    pub(super) fn remember(&mut self, command: &Command) {
        let Some(name) = command.words.first().and_then(|word| word.text.strip_prefix("=$")) else { return };
        if command.valued {
            return;
        }
        let value = command.words.get(1..).unwrap_or_default();
        let provenance = value.first().and_then(|word| word.provenance).or_else(|| fetches(value));
        let value = provenance.map(Value::Foreign).or_else(|| mounted(value).map(Value::Text));
        self.program.assign(name, value, self.place);
    }
}

/// Returns the path that `wsl wslpath -u FILE` prints.
fn mounted(words: &[Arg]) -> Option<String> {
    let [linux, program, rest @ ..] = words else { return None };
    let is_called = |word: &Arg, name: &str| {
        word.literal().is_some_and(|text| text.to_ascii_lowercase().trim_end_matches(".exe") == name)
    };
    let path = mounted_path(rest).filter(|_| is_called(linux, "wsl") && is_called(program, "wslpath"))?;
    Some(path.trim_end().to_owned())
}

/// The file that a variable with the name of a drive is: `C:x`, `c:/x`.
pub(super) fn drive_path(name: &str) -> Option<String> {
    let (drive, path) = name.split_once(':')?;
    let is_drive = drive.len() == 1 && drive.starts_with(|c: char| c.is_ascii_alphabetic()) && !path.is_empty();
    let path = path.replace('\\', "/");
    is_drive.then(|| if path.starts_with('/') { format!("{drive}:{path}") } else { path })
}
