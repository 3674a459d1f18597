//! Text in a program that is not understood, where a command is expected: it may run.

use agent_strace_shell::Scope;

use super::lexer::{TemplatePart, Token};
use super::scan::Value;
use crate::command::argument::Arg;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;

/// Texts that are tried, and how long they may be.
const TEXTS: usize = 16;
const LENGTH: usize = 4096;

impl Machine<'_> {
    /// The texts among `tokens` may be commands.
    pub(super) fn guess(&mut self, tokens: &[Token], _io: &mut Io<'_>) {
        let mut texts = Vec::new();
        collect(tokens, &mut texts);
        for text in texts {
            self.guess_text(&text);
        }
    }

    pub(super) fn guess_value(&mut self, value: &Value, io: &mut Io<'_>) {
        if let Value::Text(text) = value {
            self.guess(&[Token::Text(text.clone())], io);
        }
    }

    /// Quoted texts in a program of a language that is not read may be commands.
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
        self.guess_strings(text);
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

fn collect(tokens: &[Token], texts: &mut Vec<String>) {
    for token in tokens {
        if texts.len() >= TEXTS {
            return;
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
    // A list of words is a command, too.
    if texts.len() > 1 {
        texts.push(texts.join(" "));
    }
}
