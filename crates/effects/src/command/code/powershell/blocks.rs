//! Code in brackets and braces: it runs, and what it yields is not known.

use super::text::{Command, Place, Reader, Word, block};
use super::value::Value;
use super::{KEYWORDS, fetches, listed, runs_blocks, strings};
use crate::command::argument::Arg;

/// The variable that a block is run for, and its values.
#[derive(Debug)]
pub(super) struct Loop {
    pub(super) name: String,
    pub(super) values: Vec<String>,
}

impl Reader<'_, '_> {
    /// Reads code whose value is not known.
    pub(super) fn computed(&mut self, code: &str, shown: &str) {
        let from = self.program.commands.len();
        let place = self.inside();
        block(self.program, code, place);
        let ran = self.program.commands.get(from..).unwrap_or_default();
        self.word.provenance = self.word.provenance.max(ran.iter().find_map(|command| fetches(&command.words)));
        self.word.started = true;
        self.word.unknown = true;
        self.word.text.push_str(shown);
    }

    /// Reads the code in `( … )` and `{ … }`, whose value is not known.
    pub(super) fn nested(&mut self, open: char) {
        if open == '(' && self.command.words.is_empty() && listed(KEYWORDS, &self.word.text.to_lowercase()) {
            self.flush();
        }
        let is_call = self.word.started && open == '(';
        if open == '('
            && !is_call
            && let Some((texts, rest)) = self.operand()
        {
            self.rest = rest;
            self.put(texts);
            self.word.quoted = true;
            return;
        }
        let close = if open == '(' { ')' } else { '}' };
        let (code, rest) = strings::closed(self.rest, open, close);
        self.rest = rest;
        if is_call {
            self.call(code);
        } else if open == '{' {
            self.body(code);
        } else {
            self.over = self.loop_of(code);
            if self.over.is_none() {
                self.computed(code, "()");
            }
        }
    }

    /// `[Type]::Method(…)`, `.Method(…)`: literal arguments are the method's.
    pub(super) fn call(&mut self, code: &str) {
        let from = self.program.commands.len();
        let arguments = self.arguments(code);
        let name = std::mem::take(&mut self.word);
        let method = Arg { provenance: name.provenance, ..Arg::exact(format!("{}()", name.text)) };
        let words: Vec<Arg> = std::iter::once(method).chain(arguments).collect();
        // The object is in brackets of the same depth.
        let Place { depth, item, .. } = self.inside();
        self.program.commands.push(Command { words, depth, item, ..Command::default() });
        let ran = self.program.commands.get(from..).unwrap_or_default();
        let provenance = name.provenance.max(ran.iter().rev().find_map(|command| fetches(&command.words)));
        // What it returns is a value for what stands around it.
        self.word = Word { text: "()".to_owned(), started: true, unknown: true, quoted: false, provenance };
    }

    pub(super) fn arguments(&mut self, code: &str) -> Vec<Arg> {
        if code.trim().is_empty() {
            return Vec::new();
        }
        let mut arguments = Vec::new();
        for part in strings::parts(code) {
            match self.program.variables.value_of(part) {
                Some(Value::Either(readings)) => {
                    arguments.push(Arg { readings, ..Arg::unknown(part.trim()) });
                    continue;
                }
                Some(value) => {
                    if let Some(text) = value.joined(" ") {
                        arguments.push(Arg::exact(text));
                        continue;
                    }
                }
                None => {}
            }
            let word = std::mem::take(&mut self.word);
            self.computed(part, part.trim());
            let Word { text, provenance, .. } = std::mem::replace(&mut self.word, word);
            arguments.push(Arg { provenance, ..Arg::unknown(text) });
        }
        arguments
    }

    /// A block, once for each value of what it is run for.
    pub(super) fn body(&mut self, code: &str) {
        let place = Place { doubtful: true, ..self.inside() };
        let Some(Loop { name, values }) = self.over.take().or_else(|| self.piped_values()) else {
            return block(self.program, code, place);
        };
        for value in values {
            self.program.variables.set(&name, Some(Value::Text(value)));
            block(self.program, code, place);
        }
        self.program.variables.set(&name, None);
    }

    /// `foreach ($name in …)` over known values.
    pub(super) fn loop_of(&self, code: &str) -> Option<Loop> {
        let [keyword] = self.command.words.as_slice() else { return None };
        let (name, behind) = strings::variable_name(code.trim_start().strip_prefix('$')?);
        let behind = behind.trim_start();
        let values = behind.get(..3).filter(|word| word.eq_ignore_ascii_case("in ")).and(behind.get(3..))?;
        let values = self.program.variables.value_of(values)?.texts().filter(|values| !values.is_empty())?;
        keyword.text.eq_ignore_ascii_case("foreach").then_some(Loop { name, values })
    }

    /// `'a', 'b' | % { … $_ … }`
    pub(super) fn piped_values(&self) -> Option<Loop> {
        let [program, ..] = self.command.words.as_slice() else { return None };
        let before = self.program.commands.last().filter(|before| before.valued && self.command.piped)?;
        let values: Vec<String> = before.words.iter().map(|word| word.text.clone()).collect();
        let runs = runs_blocks(&program.text.to_lowercase()) && !values.is_empty();
        runs.then(|| Loop { name: "_".to_owned(), values })
    }
}
