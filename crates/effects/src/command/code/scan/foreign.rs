//! Texts that a program fetches or decodes, and may run.

use agent_strace_shell::Provenance;

use super::super::lexer::Token;
use super::tokens::{group, word};
use super::{Scan, Value};
use crate::command::argument::Arg;
use crate::command::knowledge::Language;
use crate::command::machine::Machine;
use crate::command::stream::Stream;

/// The call fetches a text, and does not just save it.
pub(super) fn fetches(roles: &str) -> bool {
    let mut roles = roles.split(' ');
    roles.clone().any(|role| role == "url") && !roles.any(|role| role.starts_with("write"))
}

/// Where the text comes from that the other side of a connection sends, which this call opens.
pub(super) fn of_connection(name: &str, roles: &str) -> Option<Provenance> {
    let connects = roles.split(' ').any(|role| matches!(role, "host" | "hosts" | "port-host"));
    let is_socket = ["ocket", "sockopen", "net.", "telnet"].iter().any(|part| name.contains(part));
    connects.then_some(if is_socket { Provenance::Socket } else { Provenance::Network })
}

/// What a program reads that is started with this input.
pub(super) fn input(value: Option<&Value>) -> Option<Stream> {
    Some(match value? {
        Value::Text(text) => Stream::of(text.clone()),
        Value::Foreign(provenance) => Stream::Foreign(*provenance),
        _ => Stream::Unknown,
    })
}

/// The call runs the text that it is given.
pub(super) fn runs(roles: &str) -> bool {
    matches!(roles, "code" | "code-last" | "command" | "words" | "process" | "program")
}

/// Where a value comes from.
pub(super) fn of(value: &Value) -> Option<Provenance> {
    match value {
        Value::Foreign(provenance) => Some(*provenance),
        Value::Named(_, value) => of(value),
        _ => None,
    }
}

/// Where the first foreign one of the values comes from.
pub(super) fn among(values: &[Value]) -> Option<Provenance> {
    values.iter().find_map(of)
}

/// What follows the text is a command of its own.
pub(super) fn starts_command(text: &str) -> bool {
    let text = text.trim_end_matches([' ', '\t']);
    text.is_empty() || text.ends_with([';', '|', '&', '(', '{', '\n'])
}

/// Where a file comes from that has a scheme for a name.
pub(super) fn of_address(text: &str) -> Option<Provenance> {
    let (scheme, _) = text.split_once(':')?;
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" | "ftp" | "ftps" => Some(Provenance::Network),
        "data" => Some(Provenance::Decoded),
        _ => None,
    }
}

impl Scan<'_> {
    /// `text += part`, `parts.push(part)`: a variable that collects what is fetched.
    pub(super) fn accumulated(&mut self, name: &str, behind: &[Token]) {
        let (variable, part) = match behind {
            [Token::Mark('+' | '.'), Token::Mark('='), part @ ..] => (name, part),
            [Token::Mark('='), part @ ..] if !matches!(part.first(), Some(Token::Mark(_))) => (name, part),
            [Token::Mark('('), part @ ..] => match name.rsplit_once('.') {
                Some((list, "push" | "append" | "extend" | "write" | "concat")) => (list, part),
                _ => return,
            },
            _ => return,
        };
        let part = part.strip_prefix(&[Token::Mark('$')]).unwrap_or(part);
        let Some(Token::Name(part)) = part.first() else { return };
        if let Some(provenance) = self.foreign_name(part) {
            self.variables.insert(variable.to_owned(), Value::Foreign(provenance));
        }
    }

    /// Where a variable comes from, or the object whose attribute the name is.
    pub(super) fn foreign_name(&self, name: &str) -> Option<Provenance> {
        let head = name.split('.').next().unwrap_or(name);
        self.variables.get(name).or_else(|| self.variables.get(head)).and_then(of)
    }

    /// What is behind `[…]` and `{…}`, if they take a part of a foreign value.
    pub(super) fn behind_index<'t>(&self, value: &Value, tokens: &'t [Token]) -> &'t [Token] {
        let mut left = tokens;
        if of(value).is_some() {
            let braces = matches!(self.language, Language::Perl | Language::Php);
            loop {
                let behind = left.strip_prefix(&[Token::Mark('-'), Token::Mark('>')]).unwrap_or(left);
                if !matches!(behind.first(), Some(Token::Mark(mark)) if *mark == '[' || *mark == '{' && braces) {
                    break;
                }
                left = group(behind).1;
            }
        }
        left
    }

    /// What a method makes of a text that it decodes: `['…'].pack('m')`, `'…'.unpack1('m')`.
    pub(super) fn decoded_by(&self, value: &Value, method: &str, arguments: &[Value]) -> Option<Value> {
        if let Some(provenance) = of(value) {
            return Some(Value::Foreign(provenance));
        }
        let decodes = self.language == Language::Ruby
            && matches!(method, "pack" | "unpack" | "unpack1")
            && matches!(arguments.first(), Some(Value::Text(format)) if format.starts_with(['m', 'M', 'H', 'h', 'u']));
        decodes.then_some(Value::Foreign(Provenance::Decoded))
    }
}

impl Machine<'_> {
    /// The value of a call that decodes its argument; `None`: it does nothing of the kind. `text`: what it is known to be.
    pub(super) fn decoded(
        &mut self,
        scan: &Scan<'_>,
        name: &str,
        text: Option<&Value>,
        arguments: &[Value],
    ) -> Option<Value> {
        if !scan.decodes(name, arguments) {
            return None;
        }
        match text {
            Some(Value::Text(text)) => {
                self.remember_decoded(text);
                Some(Value::Text(text.clone()))
            }
            _ => Some(Value::Foreign(among(arguments).unwrap_or(Provenance::Decoded))),
        }
    }

    /// `URI('https://…').read`, `socket.recv(1024)`
    pub(super) fn fetched_by(&mut self, scan: &Scan<'_>, value: &Value, method: &str) -> Option<Provenance> {
        if scan.language == Language::Python && matches!(method, "recv" | "recvfrom") {
            return Some(Provenance::Socket);
        }
        let Value::Text(text) = value else { return None };
        let reads = scan.language == Language::Ruby && matches!(method, "read" | "open");
        let provenance = of_address(text).filter(|_| reads)?;
        self.connect(&Arg::exact(text.as_str()));
        Some(provenance)
    }

    /// What was fetched is in that file now.
    pub(super) fn saved(&mut self, file: Option<&Value>) {
        let file = word(file);
        if file.is_exact() {
            let (target, _) = self.world.locate_word(&file);
            self.world.wrote_from(&target, Provenance::Network);
        }
    }

    /// Where the text of a file comes from: it has a scheme for a name, or the session fetched it.
    pub(super) fn file_origin(&self, file: Option<&Value>) -> Option<Provenance> {
        match file? {
            Value::Text(text) => of_address(text).or_else(|| self.origin_of(&word(file))),
            Value::Path(_) => self.origin_of(&word(file)),
            _ => None,
        }
    }

    /// Where the content of a file comes from that the session wrote.
    pub(super) fn origin_of(&self, file: &Arg) -> Option<Provenance> {
        self.world.content_of(file).provenance()
    }
}

impl Scan<'_> {
    fn decodes(&self, name: &str, arguments: &[Value]) -> bool {
        let encoding = || match arguments.get(1) {
            Some(Value::Text(encoding)) => Some(encoding.as_str()),
            _ => None,
        };
        match name {
            "Buffer.from" => matches!(encoding(), Some("base64" | "hex" | "base64url")),
            "codecs.decode" => !matches!(encoding(), None | Some("utf-8" | "utf8" | "ascii" | "latin-1")),
            "pack" | "unpack" => matches!(
                (self.language, arguments.first()),
                (Language::Perl | Language::Php, Some(Value::Text(format))) if format.starts_with(['H', 'h', 'u', 'm'])
            ),
            _ => {
                self.calls.decodes.contains(name)
                    || self.canonical(name).is_some_and(|name| self.calls.decodes.contains(name.as_str()))
            }
        }
    }
}
