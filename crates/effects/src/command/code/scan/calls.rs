//! Calls of functions by their names.

use agent_strace_shell::Provenance;

use super::super::lexer::Token;
use super::expression::pure_value;
use super::tokens::split;
use super::{Given, Scan, Value, foreign};
use crate::Reason;
use crate::command::machine::Machine;
use crate::command::simple::Io;

impl Machine<'_> {
    /// Runs a call with the tokens between its parentheses; returns its value.
    pub(super) fn call(&mut self, scan: &mut Scan<'_>, name: &str, inner: &[Token], io: &mut Io<'_>) -> Value {
        let loose = scan.loose.len();
        if scan.roles(name).is_some_and(foreign::fetches) {
            // `get(url, answer => …)`
            scan.bind_parameter(&Value::Foreign(Provenance::Network), inner);
        }
        let found = self.descend(scan, |machine, scan| match machine.applied(scan, name, inner, io) {
            Some(value) => Err(value),
            None => Ok(machine.arguments(scan, inner, io)),
        });
        match found {
            Some(Ok(arguments)) => {
                self.call_with(scan, name, &Given { arguments: &arguments, tokens: inner, loose }, io)
            }
            Some(Err(value)) => value,
            None => Value::Unknown,
        }
    }

    /// Runs a call with the values of its arguments; returns its value.
    pub(super) fn call_with(&mut self, scan: &mut Scan<'_>, name: &str, given: &Given<'_>, io: &mut Io<'_>) -> Value {
        let Given { arguments, tokens: inner, loose } = *given;
        // `sh.rm('-rf', 'x')`: the module `sh` has each program as a function.
        if let Some(program) = name.strip_prefix("sh.").filter(|_| scan.loaded.contains("sh")) {
            let program = Value::Text(program.replace('_', "-"));
            let words: Vec<Value> = std::iter::once(program).chain(arguments.iter().cloned()).collect();
            self.list_command(scan, &words, io);
            return Value::Unknown;
        }
        if let Some(roles) = scan.roles(name) {
            let parts = scan.loose.split_off(loose.min(scan.loose.len()));
            let before = scan.unread.take();
            let touched = std::mem::take(&mut scan.touches_unknown);
            let output = self.called(scan, roles, arguments, io);
            if scan.touches_unknown {
                self.guess_names(&parts);
            }
            scan.touches_unknown |= touched;
            if scan.unread.is_some() {
                // What is known of a command that is not known as a whole.
                self.guess(inner);
            }
            scan.unread = scan.unread.take().or(before);
            let output = output.or_else(|| foreign::of_connection(name, roles));
            let made = scan.file_name(name, arguments).unwrap_or_else(|| scan.made(name, roles, arguments));
            return match (made, output) {
                (Value::Unknown, Some(provenance)) => Value::Foreign(provenance),
                (made, _) => made,
            };
        }
        let value = pure_value(name, arguments);
        if let Some(value) = self.decoded(scan, name, value.as_ref(), arguments) {
            scan.pure(name);
            return value;
        }
        if let Some(value) = value {
            scan.pure(name);
            return value;
        }
        if let Some(value) = scan.file_name(name, arguments) {
            return value;
        }
        if scan.names_function(arguments) {
            scan.unread = Some(Reason::FunctionPassedOn);
            self.guess(inner);
        }
        self.passed_on(scan, arguments, arguments, io);
        if scan.pure(name) {
            scan.loose.truncate(loose);
            let method = name.rsplit_once('.').map_or("", |(_, method)| method);
            self.unknown_receiver(scan, method, arguments);
        } else {
            self.guess_arguments(arguments);
        }
        match (scan.made(name, "", arguments), foreign::among(arguments)) {
            (Value::Unknown, Some(provenance)) => Value::Foreign(provenance),
            (Value::Unknown, None) if scan.is_of_library(name) => Value::Module(name.to_owned()),
            (made, _) => made,
        }
    }

    pub(super) fn arguments(&mut self, scan: &mut Scan<'_>, inner: &[Token], io: &mut Io<'_>) -> Vec<Value> {
        let mut arguments = Vec::new();
        for tokens in split(inner) {
            let spread = scan.spread(tokens);
            match self.value(scan, spread.unwrap_or(tokens), io) {
                Value::List(list) if spread.is_some() => arguments.extend(list),
                value => arguments.push(value),
            }
        }
        arguments
    }
}
