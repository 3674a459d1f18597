//! Commands as entries of version 2 name them: words, and in rules part by part.

use crate::builtin::BUILTIN;
use crate::command::{CommandPattern, Parts};
use crate::grammar;
use crate::words;
use agent_strace_effects::knowledge;

use super::{Data, Fault, Parser, Value, pattern, quoted};

/// An entry of a list.
pub(super) fn of_words(text: &str, words: Vec<String>) -> Result<CommandPattern, Fault> {
    for word in &words {
        if let Some(operator) = ["&&", "||", "|", ";", "&", ">", ">>", "<"].iter().find(|known| *known == word) {
            let help = "every command of a line is judged by itself: write one entry for each".to_owned();
            return Err((
                format!("{} can never match: no command has the word {}", quoted(text), quoted(operator)),
                Some(help),
            ));
        }
        if word == "--" {
            let help = "leave it out: it is no word of its own".to_owned();
            return Err((format!("{} can never match: `--` only says that options end", quoted(text)), Some(help)));
        }
        if word.starts_with('[') && word.ends_with(']') && word.len() == 2 {
            return Err((format!("{} can never match", quoted(text)), None));
        }
    }
    if let Some(assigned) = words.first().filter(|word| assigns(word)) {
        let help = "variables in front of a command are no part of it: leave them out".to_owned();
        return Err((format!("{} can never match: {} is no program", quoted(text), quoted(assigned)), Some(help)));
    }
    Ok(CommandPattern::Parts(Parts::of_words(words)))
}

/// `git push` where the name of a program belongs: a name may have blanks, but no name begins with a known program and a blank.
fn names_a_command(text: &str) -> bool {
    text.split_once(' ').is_some_and(|(program, _)| knowledge::builtin(program).is_some())
}

fn assigns(word: &str) -> bool {
    let plain = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    word.split_once('=').is_some_and(|(name, _)| plain(name))
}

impl Parser<'_> {
    /// `match.exec` of a rule.
    pub(super) fn exec(&mut self, value: &Value, pointer: &str) -> Option<(CommandPattern, String)> {
        let members = self.members(value, pointer, &grammar::EXEC)?;
        let mut parts = Parts::default();
        for (key, value) in members {
            let below = format!("{pointer}/{}", key.name);
            self.no_list_in(value, &below);
            match key.name.as_str() {
                "program" => parts.programs = self.words(value, &below),
                "subcommand" => {
                    let alternatives = self.words(value, &below);
                    parts.subcommands = alternatives.iter().filter_map(|text| words::split(text)).collect();
                }
                "any_flag" => parts.any_flag = self.words(value, &below),
                "all_flags" => parts.all_flags = self.words(value, &below),
                "only_flags" => parts.only_flags = Some(self.words(value, &below)),
                "operands" => parts.operands = self.words(value, &below),
                _ => {}
            }
        }
        for text in parts.programs.iter().filter(|text| names_a_command(text)) {
            let message = format!("{} can never match: it is a program with its subcommand", quoted(text));
            let (program, rest) = text.split_once(' ').unwrap_or((text, ""));
            let help = format!("write \"program\": {program:?}, \"subcommand\": {:?}", rest.trim());
            self.faults.push(value.span.clone(), &format!("{pointer}/program"), message, Some(help));
        }
        if parts.programs.is_empty() {
            let message = format!("`{}` names no program", super::dotted(pointer));
            let help = "add `\"program\": \"…\"`; `*` is any".to_owned();
            self.faults.push(value.span.clone(), pointer, message, Some(help));
            return None;
        }
        let shown = [
            parts.programs.join("|"),
            parts.subcommands.iter().map(|words| words.join(" ")).collect::<Vec<_>>().join("|"),
        ];
        let flags = parts.all_flags.iter().chain(&parts.any_flag).cloned();
        let text: Vec<String> = shown.into_iter().chain(flags).filter(|text| !text.is_empty()).collect();
        Some((CommandPattern::Parts(parts.with_synonyms()), text.join(" ")))
    }

    /// A part of a command is words: a built-in list stands in `commands`.
    fn no_list_in(&mut self, value: &Value, pointer: &str) {
        let single = std::slice::from_ref(value);
        let items = if let Data::List(items) = &value.data { items.as_slice() } else { single };
        for item in items {
            if let Data::Text(text) = &item.data
                && text.trim().to_lowercase().starts_with(BUILTIN)
            {
                let message = format!("{} names a list of commands, and words belong here", quoted(text));
                let help = "name the list in `commands.allow`, `commands.deny` or `commands.ask`".to_owned();
                self.faults.push(item.span.clone(), pointer, message, Some(help));
            }
        }
    }

    /// One text, or a list of them.
    pub(super) fn words(&mut self, value: &Value, pointer: &str) -> Vec<String> {
        let single = std::slice::from_ref(value);
        let items = match &value.data {
            Data::List(items) => items.as_slice(),
            Data::Text(_) => single,
            _ => {
                self.wrong_type(value, pointer, "a string or a list of strings");
                return Vec::new();
            }
        };
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            let Data::Text(text) = &item.data else {
                self.wrong_type(item, pointer, "a string");
                continue;
            };
            match pattern::readable(text) {
                Ok(text) => texts.push(text.to_owned()),
                Err((message, help)) => self.faults.push(item.span.clone(), pointer, message, help),
            }
        }
        texts
    }
}
