//! awk programs: `system`, pipes and redirections.

use std::collections::BTreeMap;

use agent_strace_shell::Provenance;

use crate::command::argument::Arg;
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::{About, Reason};

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
            self.opaque(About::Anything, Reason::AwkNotUnderstood, &[]);
            return;
        };
        let variables = variables(&tokens);
        // Variables that hold what another host sends.
        let mut foreign: BTreeMap<&str, Provenance> = BTreeMap::new();
        let mut prints = false;
        for (at, token) in tokens.iter().enumerate() {
            let next = tokens.get(at + 1);
            let after = tokens.get(at + 2);
            let before = at.checked_sub(1).and_then(|at| tokens.get(at));
            match token {
                Token::Word(word) if word == "system" && matches!(next, Some(Token::Mark('('))) => {
                    self.awk_command(tokens.get(at + 2..).unwrap_or_default(), &variables, &foreign, io);
                }
                Token::Word(word) if word == "ARGV" => {
                    match assigned_entry(tokens.get(at + 1..).unwrap_or_default(), &variables) {
                        Some(file) => self.path(Role::Read, &Arg::exact(file)),
                        None => self.opaque(About::Reads, Reason::ProgramReads, &[]),
                    }
                }
                Token::Word(word) if matches!(word.as_str(), "print" | "printf") => prints = true,
                Token::Word(word) if word == "getline" => match (next, after) {
                    (Some(Token::Mark('<')), file) => self.path(Role::Read, &named(file, &variables)),
                    (Some(Token::Word(_)), Some(Token::Mark('<'))) => {
                        self.path(Role::Read, &named(tokens.get(at + 3), &variables));
                    }
                    _ => {}
                },
                Token::Word(word) if word == "ENVIRON" => self.opaque(About::Reads, Reason::Environment, &[]),
                Token::Word(word) if matches!(word.as_str(), "@include" | "@load") => {
                    if let (Some(Token::Text(file)), "@include") = (next, word.as_str()) {
                        self.path(Role::Read, &Arg::exact(file.as_str()));
                    }
                    self.opaque(About::Anything, Reason::LoadsLibrary, &[]);
                }
                Token::Word(word) if word.starts_with('@') => {
                    self.opaque(About::Anything, Reason::AwkNotUnderstood, &[]);
                }
                Token::Mark('|') if !matches!(before, Some(Token::Mark('|'))) => {
                    // `|&` is a pipe in both directions.
                    let both = matches!(next, Some(Token::Mark('&')));
                    let behind = tokens.get(at + 1 + usize::from(both)..).unwrap_or_default();
                    match (behind, before) {
                        ([Token::Mark('|'), ..], _) => {}
                        ([Token::Word(word), rest @ ..], Some(source)) if word == "getline" => {
                            let provenance = self.awk_source(source, &variables, &foreign, io);
                            if let (Some(provenance), Some(Token::Word(line))) = (provenance, rest.first()) {
                                foreign.insert(line, provenance);
                            }
                        }
                        ([target, ..], _) if both && endpoint(target, &variables).is_some() => {
                            self.awk_source(target, &variables, &foreign, io);
                        }
                        _ => self.awk_command(behind, &variables, &foreign, io),
                    }
                }
                Token::Mark('>') if prints && !matches!(before, Some(Token::Mark('>'))) => {
                    let target = if matches!(next, Some(Token::Mark('>'))) { after } else { next };
                    match target {
                        Some(Token::Text(file)) => self.path(Role::Write, &Arg::exact(file.as_str())),
                        Some(Token::Word(name)) if variables.contains_key(name.as_str()) => {
                            let file = variables.get(name.as_str()).copied().unwrap_or_default().to_owned();
                            self.path(Role::Write, &Arg::exact(file));
                        }
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

/// Computes the output of a program that only prints texts and fields of its input: `BEGIN { print "a" "b" }`, `{ print $2 }`.
/// Returns `None` for a program that does more, and where the input that it prints is not known.
pub(crate) fn printed(program: &str, input: Option<&str>) -> Option<String> {
    let tokens = tokens(program)?;
    let variables = variables(&tokens);
    let (starts, body) = match tokens.as_slice() {
        [Token::Word(begin), Token::Mark('{'), body @ .., Token::Mark('}')] if begin == "BEGIN" => (true, body),
        [Token::Mark('{'), body @ .., Token::Mark('}')] => (false, body),
        _ => return None,
    };
    let statements: Vec<&[Token]> = body.split(|token| *token == Token::End).filter(|part| !part.is_empty()).collect();
    let lines: Vec<&str> = if starts { vec![""] } else { input?.lines().collect() };
    let mut output = String::new();
    for line in lines {
        for statement in &statements {
            match statement {
                // Variables in capitals change how awk reads and prints.
                [Token::Word(name), Token::Mark('='), Token::Text(_)] if !name.starts_with(char::is_uppercase) => {}
                [Token::Word(print), values @ ..] if print == "print" => {
                    let parts = values.split(|token| *token == Token::Mark(','));
                    let parts: Option<Vec<String>> = parts.map(|part| joined(part, line, &variables)).collect();
                    output.push_str(&parts?.join(" "));
                    output.push('\n');
                }
                [Token::Word(print), format @ ..] if print == "printf" && !format.contains(&Token::Mark(',')) => {
                    output.push_str(&joined(format, line, &variables).filter(|text| !text.contains('%'))?);
                }
                _ => return None,
            }
            if output.len() > MOST_PRINTED {
                return None;
            }
        }
    }
    Some(output)
}

/// Bytes of the longest output that is computed.
const MOST_PRINTED: usize = 64 * 1024;

/// Joins texts, variables and fields that stand side by side. Without any, awk prints the whole line.
fn joined(tokens: &[Token], line: &str, variables: &BTreeMap<&str, &str>) -> Option<String> {
    let mut text = String::new();
    let mut left = tokens;
    if left.is_empty() {
        return Some(line.to_owned());
    }
    loop {
        left = match left {
            [] => return Some(text),
            [Token::Text(part), rest @ ..] => {
                text.push_str(part);
                rest
            }
            [Token::Mark('$'), Token::Word(number), rest @ ..] => {
                match number.parse::<usize>().ok()?.checked_sub(1) {
                    None => text.push_str(line),
                    Some(at) => text.push_str(line.split_whitespace().nth(at).unwrap_or_default()),
                }
                rest
            }
            [Token::Word(name), rest @ ..] => {
                text.push_str(variables.get(name.as_str())?);
                rest
            }
            _ => return None,
        };
    }
}

impl Machine<'_> {
    /// Returns the origin of unknown lines that awk reads: `"command" | getline`, `"/inet/tcp/0/host/80" |& getline`.
    fn awk_source(
        &mut self,
        source: &Token,
        variables: &BTreeMap<&str, &str>,
        foreign: &BTreeMap<&str, Provenance>,
        io: &mut Io<'_>,
    ) -> Option<Provenance> {
        if let Some(host) = endpoint(source, variables) {
            self.connect_host(&Arg::exact(host), None, None);
            return Some(Provenance::Socket);
        }
        match source {
            Token::Word(name) if foreign.contains_key(name.as_str()) => {
                let provenance = *foreign.get(name.as_str())?;
                self.foreign_code(provenance);
                Some(provenance)
            }
            source => match named(Some(source), variables) {
                command if command.is_exact() => self.command_text(&command, io).provenance(),
                _ => {
                    self.opaque(About::Anything, Reason::UnknownCommandRun, &[]);
                    None
                }
            },
        }
    }

    /// A command in an expression: texts and variables that hold one, joined.
    fn awk_command(
        &mut self,
        tokens: &[Token],
        variables: &BTreeMap<&str, &str>,
        foreign: &BTreeMap<&str, Provenance>,
        io: &mut Io<'_>,
    ) {
        if let Some(Token::Word(name)) = tokens.first()
            && let Some(provenance) = foreign.get(name.as_str())
        {
            return self.foreign_code(*provenance);
        }
        let mut text = String::new();
        for (at, token) in tokens.iter().enumerate() {
            match token {
                Token::Text(part) => text.push_str(part),
                Token::Word(name) if variables.contains_key(name.as_str()) => {
                    text.push_str(variables.get(name.as_str()).copied().unwrap_or_default());
                }
                Token::End | Token::Mark(')' | '}') if at > 0 => {
                    self.command_text(&Arg::exact(text), io);
                    return;
                }
                Token::Mark('$')
                    if text.is_empty() && matches!(tokens.get(at + 1), Some(Token::Word(word)) if word == "0") =>
                {
                    let input = io.input.clone();
                    self.opaque(About::Anything, Reason::UnknownCommandRun, &[]);
                    self.stream_program(&input, io);
                    return;
                }
                _ => break,
            }
        }
        self.opaque(About::Anything, Reason::UnknownCommandRun, &[]);
        self.guess_text(&format!("{text} x"));
    }
}

/// The host of `/inet/tcp/0/host/80`.
fn endpoint(token: &Token, variables: &BTreeMap<&str, &str>) -> Option<String> {
    let name = named(Some(token), variables);
    let mut parts = name.literal()?.strip_prefix("/inet")?.split('/');
    parts.nth(3).filter(|host| !host.is_empty()).map(str::to_owned)
}

/// The file that a text or a variable names.
fn named(token: Option<&Token>, variables: &BTreeMap<&str, &str>) -> Arg {
    match token {
        Some(Token::Text(file)) => Arg::exact(file.as_str()),
        Some(Token::Word(name)) => {
            variables.get(name.as_str()).map_or_else(|| Arg::unknown("getline"), |file| Arg::exact(*file))
        }
        _ => Arg::unknown("getline"),
    }
}

/// `ARGV[1] = "file"`: what is behind the name.
fn assigned_entry(behind: &[Token], variables: &BTreeMap<&str, &str>) -> Option<String> {
    let [Token::Mark('['), _, Token::Mark(']'), Token::Mark('='), value, ..] = behind else { return None };
    named(Some(value), variables).literal().map(str::to_owned)
}

/// Variables that hold one text from start to end.
fn variables(tokens: &[Token]) -> BTreeMap<&str, &str> {
    let mut held: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Word(name) = token else { continue };
        let behind = tokens.get(at + 1..).unwrap_or_default();
        let value = match behind {
            [Token::Mark('='), Token::Mark('='), ..] => continue,
            [Token::Mark('='), Token::Text(text), Token::End | Token::Mark('}' | ')'), ..] => Some(text.as_str()),
            [Token::Mark('='), ..] | [Token::Mark('+' | '-' | '*' | '/' | '%' | '^'), Token::Mark('='), ..] => None,
            [Token::Word(line), ..] if name == "getline" => {
                held.insert(line, None);
                continue;
            }
            _ if matches!(name.as_str(), "sub" | "gsub" | "split" | "for" | "function") => {
                for token in behind.iter().take(12) {
                    if let Token::Word(name) = token {
                        held.insert(name, None);
                    }
                }
                continue;
            }
            _ => continue,
        };
        let known = value.filter(|_| !held.contains_key(name.as_str()));
        held.insert(name, known);
    }
    held.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
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
