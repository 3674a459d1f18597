//! Calls that open a file, where a text says how, or says that it is a command or a URL.

use super::super::lexer::Token;
use super::tokens::word;
use super::{Scan, Value};
use crate::Reason;
use crate::command::argument::Arg;
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;

impl Machine<'_> {
    /// `open(file, mode)` as each language has it: what is read from it, where that is a command's output.
    pub(super) fn opened_file(
        &mut self,
        scan: &mut Scan<'_>,
        roles: &str,
        arguments: &[Value],
        io: &mut Io<'_>,
    ) -> Stream {
        let skip = usize::from(roles == "perl-open");
        let mut plain = arguments.iter().skip(skip).filter(|value| !matches!(value, Value::Named(..)));
        let find = |names: [&str; 3]| {
            arguments.iter().find_map(|value| match value {
                Value::Named(name, value) if names.contains(&name.as_str()) => Some(value.as_ref()),
                _ => None,
            })
        };
        let (named_file, named_mode) = (find(["file", "filename", "path"]), find(["mode", "flags", "mode"]));
        let (file, mode) = if roles == "perl-open" {
            let mode = plain.next();
            match (mode, plain.next()) {
                // `open(F, '-|', 'program', 'argument')`
                (Some(Value::Text(mode)), Some(program)) if mode.contains('|') && arguments.len() > skip + 2 => {
                    let words: Vec<Value> = std::iter::once(program).chain(plain).cloned().collect();
                    return self.list_command(scan, &words, io);
                }
                (Some(mode), Some(file)) => (Some(file), Some(mode)),
                (Some(Value::Text(text)), None) => return self.opened_by_text(text, io),
                _ => {
                    scan.unread = Some(Reason::UnknownOpened);
                    return Stream::Unknown;
                }
            }
        } else {
            (plain.next().or(named_file), plain.next().or(named_mode))
        };
        if let (Some(Value::Text(text)), "ruby-open" | "perl-open") = (file, roles)
            && (text.starts_with('|') || matches!(mode, Some(Value::Text(mode)) if mode.contains('|')))
        {
            let words: Vec<Value> = file.into_iter().chain(plain).cloned().collect();
            return match words.as_slice() {
                [_, _, ..] if roles == "perl-open" => self.list_command(scan, &words, io),
                _ => self.command_text(&Arg::exact(text.trim_start_matches('|')), io),
            };
        }
        if let (Some(Value::Text(text)), "php-open" | "ruby-open") = (file, roles)
            && self.wrapped(text)
        {
            return Stream::Unknown;
        }
        let target = word(file);
        scan.touches_unknown |= !target.is_exact();
        if let Some(Value::List(_)) = file {
            self.by_role(scan, "edit", file);
            return Stream::Unknown;
        }
        match mode {
            Some(Value::Text(mode)) if mode.contains('+') => self.path(Role::Edit, &target),
            Some(Value::Text(mode)) if mode.contains(['w', 'a', 'x', '>']) => self.path(Role::Write, &target),
            None | Some(Value::Text(_)) => self.path(Role::Read, &target),
            Some(_) => self.path(Role::Edit, &target),
        }
        Stream::Unknown
    }

    /// A name of a file with a scheme; returns whether it is one.
    pub(super) fn wrapped(&mut self, text: &str) -> bool {
        let Some((scheme, rest)) = text.split_once("://") else { return false };
        match (scheme, rest.split_once("resource=")) {
            ("php", Some((_, file))) => self.path(Role::Read, &Arg::exact(file)),
            ("php" | "data", None) => {}
            ("phar" | "zip" | "glob" | "compress.zlib" | "compress.bzip2", _) => {
                self.path(Role::Edit, &Arg::exact(rest.split('#').next().unwrap_or(rest)));
            }
            _ => self.connect(&Arg::exact(text)),
        }
        true
    }

    /// `@ARGV = ('file')`: what `<>` opens is set by the program.
    pub(super) fn perl_arguments(&mut self, tokens: &[Token], io: &mut Io<'_>) {
        for statement in tokens.split(|token| *token == Token::End) {
            let Some(at) = statement.iter().position(|token| matches!(token, Token::Name(name) if name == "ARGV"))
            else {
                continue;
            };
            let (before, behind) = statement.split_at_checked(at + 1).unwrap_or((statement, &[]));
            let pushed = before
                .iter()
                .any(|token| matches!(token, Token::Name(word) if matches!(word.as_str(), "push" | "unshift")));
            if !(pushed || behind.contains(&Token::Mark('='))) {
                continue;
            }
            for token in behind {
                if let Token::Text(text) = token {
                    self.opened_by_text(text, io);
                }
            }
        }
    }

    /// Perl's `open F, "TEXT"`: the text says whether it is a file or a command.
    fn opened_by_text(&mut self, text: &str, io: &mut Io<'_>) -> Stream {
        let text = text.trim();
        let command = text.strip_prefix('|').or_else(|| text.strip_suffix('|'));
        let written = text.strip_prefix("+<").or_else(|| text.strip_prefix('>'));
        match (command, written) {
            // The program forks.
            (Some("-"), _) => {}
            (Some(command), _) => return self.command_text(&Arg::exact(command), io),
            (None, Some(file)) => self.path(Role::Write, &Arg::exact(file.trim_start_matches('>').trim())),
            (None, None) => self.path(Role::Read, &Arg::exact(text.trim_start_matches('<').trim())),
        }
        Stream::Unknown
    }
}
