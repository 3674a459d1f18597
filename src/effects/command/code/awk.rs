//! awk programs: `system`, pipes and redirections.

use crate::effects::About;
use crate::effects::command::argument::Arg;
use crate::effects::command::knowledge::Role;
use crate::effects::command::machine::Machine;
use crate::effects::command::simple::Io;

/// One token of an awk program.
#[derive(Debug, PartialEq, Eq)]
enum Token {
    Text(String),
    Word(String),
    Mark(char),
    End,
}

impl Machine<'_> {
    pub(super) fn awk_program(&mut self, text: &str, io: &mut Io<'_>) {
        let Some(tokens) = tokens(text) else {
            self.opaque(About::Anything, "runs an awk program that is not understood", &[]);
            return;
        };
        let mut prints = false;
        for (at, token) in tokens.iter().enumerate() {
            let next = tokens.get(at + 1);
            let after = tokens.get(at + 2);
            let before = at.checked_sub(1).and_then(|at| tokens.get(at));
            match token {
                Token::Word(word) if word == "system" => match (next, after, tokens.get(at + 3)) {
                    (Some(Token::Mark('(')), Some(Token::Text(command)), Some(Token::Mark(')'))) => {
                        self.command_text(&Arg::exact(command.as_str()), io);
                    }
                    _ => self.opaque(About::Anything, "runs a command whose text is not known", &[]),
                },
                Token::Word(word) if matches!(word.as_str(), "print" | "printf") => prints = true,
                Token::Word(word) if word == "getline" => match (next, after) {
                    (Some(Token::Mark('<')), Some(Token::Text(file))) => {
                        self.path(Role::Read, &Arg::exact(file.as_str()));
                    }
                    (Some(Token::Mark('<')), _) => self.path(Role::Read, &Arg::unknown("getline")),
                    (Some(Token::Word(_)), Some(Token::Mark('<'))) => match tokens.get(at + 3) {
                        Some(Token::Text(file)) => self.path(Role::Read, &Arg::exact(file.as_str())),
                        _ => self.path(Role::Read, &Arg::unknown("getline")),
                    },
                    _ => {}
                },
                Token::Word(word) if word == "ENVIRON" => self.opaque(About::Reads, "prints the environment", &[]),
                Token::Word(word) if word.starts_with('@') => {
                    self.opaque(About::Anything, "runs an awk program that is not understood", &[]);
                }
                Token::Mark('|') => {
                    let reads = matches!(next, Some(Token::Word(word)) if word == "getline");
                    let command = if reads { before } else { next };
                    match command {
                        _ if matches!(next, Some(Token::Mark('|'))) || matches!(before, Some(Token::Mark('|'))) => {}
                        Some(Token::Text(command)) => {
                            self.command_text(&Arg::exact(command.as_str()), io);
                        }
                        _ => self.opaque(About::Anything, "runs a command whose text is not known", &[]),
                    }
                }
                Token::Mark('>') if prints && !matches!(before, Some(Token::Mark('>'))) => {
                    let target = if matches!(next, Some(Token::Mark('>'))) { after } else { next };
                    match target {
                        Some(Token::Text(file)) => self.path(Role::Write, &Arg::exact(file.as_str())),
                        Some(Token::Mark('=')) => {}
                        _ => self.path(Role::Write, &Arg::unknown("print >")),
                    }
                }
                Token::End | Token::Mark('}' | '{') => prints = false,
                _ => {}
            }
        }
    }
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut left = text.chars().peekable();
    let mut depth = 0_u32;
    while let Some(character) = left.next() {
        match character {
            '\n' | ';' => tokens.push(Token::End),
            '#' => while left.next_if(|c| *c != '\n').is_some() {},
            '"' => {
                let mut text = String::new();
                loop {
                    match left.next()? {
                        '"' => break,
                        '\\' => match left.next()? {
                            'n' => text.push('\n'),
                            't' => text.push('\t'),
                            other => text.push(other),
                        },
                        other => text.push(other),
                    }
                }
                tokens.push(Token::Text(text));
            }
            '/' if !matches!(tokens.last(), Some(Token::Word(_) | Token::Text(_) | Token::Mark(')' | ']'))) => {
                loop {
                    match left.next()? {
                        '\\' => {
                            left.next();
                        }
                        '/' => break,
                        _ => {}
                    }
                }
                tokens.push(Token::Word("/re/".to_owned()));
            }
            '(' | '[' => {
                depth += 1;
                tokens.push(Token::Mark(character));
            }
            ')' | ']' => {
                depth = depth.saturating_sub(1);
                tokens.push(Token::Mark(character));
            }
            // In parentheses `>` compares.
            '>' if depth > 0 => tokens.push(Token::Mark('~')),
            _ if character.is_alphanumeric() || matches!(character, '_' | '@' | '.') => {
                let mut word = String::from(character);
                while let Some(next) = left.next_if(|c| c.is_alphanumeric() || matches!(c, '_' | '.')) {
                    word.push(next);
                }
                tokens.push(Token::Word(word));
            }
            _ if character.is_whitespace() => {}
            other => tokens.push(Token::Mark(other)),
        }
    }
    Some(tokens)
}
