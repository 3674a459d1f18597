//! Text in a program that is not understood: it may be a command that runs, or name a file or a host.

use agent_strace_shell::{BYTES_A_STEP, Scope};

use super::lexer::{TemplatePart, Token};
use super::scan::Value;
use super::{TOKENS_A_STEP, count};
use crate::command::argument::Arg;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;

/// Texts that are tried, and how long they may be.
const TEXTS: usize = 256;
const LENGTH: usize = 4096;

impl Machine<'_> {
    /// The texts among `tokens` may be commands, or name files and hosts.
    pub(super) fn guess(&mut self, tokens: &[Token]) {
        let mut texts = Vec::new();
        let looked = collect(tokens, &mut texts);
        count(looked);
        if !self.may_spend(looked / TOKENS_A_STEP) {
            return;
        }
        for text in texts.iter().filter(|text| !has_words(text)) {
            self.guess_text(text);
        }
        self.guess_texts(&texts);
    }

    /// Guesses what the arguments of an unknown call are.
    pub(super) fn guess_arguments(&mut self, arguments: &[Value]) {
        let mut texts = Vec::new();
        for value in arguments {
            texts_in(value, &mut texts);
        }
        self.guess_texts(&texts);
    }

    /// Texts that the name of a file was built of, among others that are not known.
    pub(super) fn guess_names(&mut self, parts: &[Value]) {
        let mut texts = Vec::new();
        for value in parts {
            texts_in(value, &mut texts);
        }
        for text in texts {
            self.guess_operand(text.trim_start_matches('/'));
        }
    }

    fn guess_texts(&mut self, texts: &[String]) {
        if !self.may_spend(texts.iter().map(|text| 1 + text.len() / BYTES_A_STEP).sum()) {
            return;
        }
        for text in texts {
            // The name of a program alone is a word like others.
            if has_words(text) {
                self.guess_text(text);
            }
            self.guess_operand(text);
        }
        // A list of words is a command, too.
        if texts.len() > 1 {
            self.guess_text(&texts.join(" "));
        }
    }

    /// A text may name a file or a host.
    pub(super) fn guess_operand(&mut self, text: &str) {
        if text.len() <= LENGTH && !text.contains('\n') {
            self.guessed(|machine| machine.possible_operand(&Arg::exact(text)));
        }
    }

    /// Quoted texts in a program of a language that is not read may be commands, or name files and hosts.
    pub(crate) fn guess_strings(&mut self, text: &str) {
        let mut left = text;
        let mut texts = Vec::new();
        for _ in 0..TEXTS {
            let Some(at) = left.find(['"', '\'', '`']) else { break };
            let Some((_, rest)) = left.split_at_checked(at) else { break };
            let quote = rest.chars().next().unwrap_or('"');
            let Some((inner, behind)) = rest.get(1..).and_then(|rest| rest.split_once(quote)) else { break };
            self.guess_text(inner.trim_end_matches("\\r").trim_end_matches("\\n"));
            texts.push(inner);
            self.guess_operand(inner);
            left = behind;
        }
        // A list of words is a command, too.
        if texts.len() > 1 {
            self.guess_text(&texts.join(" "));
        }
        for line in text.split(['\n', ';', '[']).take(TEXTS) {
            if let Some(command) = line.trim().strip_prefix("exec ").or_else(|| line.trim().strip_prefix("spawn ")) {
                self.guess_text(command.trim_end_matches(']'));
            }
        }
    }

    /// Program text or settings of some language may name commands, whole or quoted.
    pub(crate) fn guess_commands(&mut self, word: &Arg) {
        let Some(text) = word.literal().filter(|text| text.len() <= LENGTH) else { return };
        self.guess_text(text);
        if let Some((_, value)) = text.split_once('=') {
            self.guess_text(value.trim_start_matches('!'));
        }
        for part in text.split(['(', ')', '[', ']']).take(TEXTS) {
            self.guess_text(part.trim());
        }
        self.guess_strings(text);
    }

    /// Words that another program gets may be a command, if the first one is the name of a program.
    pub(crate) fn guess_argv(&mut self, words: &[Arg]) {
        let name = words.first().and_then(Arg::literal).unwrap_or_default();
        let entry = self.knowledge.entry(name.rsplit('/').next().unwrap_or(name));
        if words.len() > 1 && entry.is_some_and(|entry| !entry.inert) {
            let cwd = self.world.cwd().map(str::to_owned);
            let mut scope = Scope::default();
            self.guessed(|machine| machine.command(words, &mut Io { scope: &mut scope, input: &Stream::Unknown }));
            self.world.set_cwd(cwd);
        }
    }

    /// A text may be a command if it starts with the name of a program.
    pub(crate) fn guess_text(&mut self, text: &str) {
        let first = text.split_whitespace().next().unwrap_or_default();
        let name = first.rsplit('/').next().unwrap_or(first);
        if text.len() > LENGTH || self.knowledge.entry(name).is_none_or(|entry| entry.inert) {
            return;
        }
        let cwd = self.world.cwd().map(str::to_owned);
        self.guessed(|machine| machine.shell_text(text, &mut Scope::default(), &Stream::Unknown));
        self.world.set_cwd(cwd);
    }
}

/// Returns how many tokens it looked at.
fn collect(tokens: &[Token], texts: &mut Vec<String>) -> usize {
    for (at, token) in tokens.iter().enumerate() {
        if texts.len() >= TEXTS {
            return at;
        }
        match token {
            Token::Text(text) => texts.push(text.clone()),
            Token::Template(parts) => {
                let whole: String = parts
                    .iter()
                    .map(|part| match part {
                        TemplatePart::Text(text) => text.as_str(),
                        TemplatePart::Code(_) => "x",
                    })
                    .collect();
                texts.push(whole);
            }
            _ => {}
        }
    }
    tokens.len()
}

fn has_words(text: &str) -> bool {
    text.trim().contains(char::is_whitespace)
}

/// The texts in an argument. What is named as prose is data.
fn texts_in(value: &Value, texts: &mut Vec<String>) {
    const PROSE: &[&str] = &["help", "message", "msg", "description", "title", "body", "prompt", "label", "doc"];
    if texts.len() >= TEXTS {
        return;
    }
    match value {
        Value::Text(text) | Value::Path(text) => texts.push(text.clone()),
        Value::List(list) | Value::Each(list) => list.iter().for_each(|value| texts_in(value, texts)),
        Value::Named(name, value) if !PROSE.contains(&name.as_str()) => texts_in(value, texts),
        Value::Named(..)
        | Value::Glob(_)
        | Value::Number(_)
        | Value::Module(_)
        | Value::Object(_)
        | Value::Function(_)
        | Value::Foreign(_)
        | Value::Unknown => {}
    }
}
