//! Objects that known calls make, what their methods do, and functions that are passed on.

use super::super::lexer::Token;
use super::arguments::ELEMENTS;
use super::expression::method_value;
use super::loops::LARGEST;
use super::tokens::group;
use super::{Scan, Value, foreign};
use crate::Reason;
use crate::command::machine::Machine;
use crate::command::simple::Io;

impl Scan<'_> {
    /// Returns the value of a call.
    pub(super) fn made(&self, name: &str, roles: &str, arguments: &[Value]) -> Value {
        match (roles, arguments.first()) {
            ("require", Some(Value::Text(module))) if !module.starts_with(['.', '/']) => {
                Value::Module(module.trim_start_matches("node:").to_owned())
            }
            ("list-tree", Some(Value::Text(pattern))) if pattern.contains(['*', '?', '[']) => {
                Value::Glob(pattern.clone())
            }
            _ => self.calls.makes.get(name).map_or(Value::Unknown, |class| Value::Object(*class)),
        }
    }

    /// The table lists it, as a call or as what makes an object.
    pub(super) fn is_listed(&self, name: &str) -> bool {
        self.calls.effects.contains_key(name) || self.calls.makes.contains_key(name) || self.calls.pure.contains(name)
    }

    /// A class of a module that is loaded has a method of that name with effects.
    fn may_be_method(&self, method: &str) -> bool {
        let loaded = |name: &str| {
            let module = name.split(['.', ':']).next().unwrap_or(name);
            self.loaded.iter().any(|loaded| loaded.split(['.', ':']).next() == Some(module))
        };
        self.calls
            .makes
            .iter()
            .filter(|(name, _)| loaded(name))
            .any(|(_, class)| self.calls.classes.get(*class).is_some_and(|methods| methods.contains_key(method)))
    }
}

impl Machine<'_> {
    /// Runs `value.method(…)`, where `tokens` start at the parenthesis.
    pub(super) fn method_call(
        &mut self,
        scan: &mut Scan<'_>,
        value: &Value,
        method: &str,
        tokens: &[Token],
        io: &mut Io<'_>,
    ) -> Value {
        // To compute the value of a method takes as long as to copy the value that it belongs to.
        let is_small = value.weight(LARGEST).is_some_and(|weight| self.may_spend(weight));
        if !is_small {
            scan.unread = Some(Reason::ProgramNestedTooDeeply);
        }
        let value = if is_small { value } else { &Value::Unknown };
        let (inner, _) = group(tokens);
        match value {
            Value::Path(path) => return self.path_method(scan, path, method, tokens, io),
            Value::Function(function) => {
                if let Some(value) = self.applied_value(scan, function, method, inner, io) {
                    return value;
                }
            }
            Value::Each(values) if matches!(values.first(), Some(Value::Path(_))) => {
                if values.len() > ELEMENTS {
                    scan.lost(&[Some(Value::List(values.clone()))]);
                    self.method_call(scan, &Value::Path("**".to_owned()), method, tokens, io);
                } else {
                    for value in values {
                        self.method_call(scan, value, method, tokens, io);
                    }
                }
                return Value::Unknown;
            }
            _ => {}
        }
        scan.bind_parameter(value, inner);
        let loose = scan.loose.len();
        let arguments = self.arguments(scan, inner, io);
        let of_class = match value {
            Value::Object(class) => scan.calls.classes.get(*class).and_then(|methods| methods.get(method)).copied(),
            _ => None,
        };
        if let Some(roles) = of_class.or_else(|| scan.calls.any.get(method).copied()) {
            scan.loose.truncate(loose);
            let output = self.called(scan, roles, &arguments, io).or_else(|| foreign::of(value));
            return output.map_or(Value::Unknown, Value::Foreign);
        }
        if let Some(provenance) = self.fetched_by(scan, value, method) {
            return Value::Foreign(provenance);
        }
        self.passed_on(scan, &arguments, std::slice::from_ref(value), io);
        if scan.method(method) {
            scan.loose.truncate(loose);
            if *value == Value::Unknown {
                self.unknown_receiver(scan, method, &arguments);
            }
        } else {
            self.guess_arguments(&arguments);
        }
        if let Some(value) = scan.decoded_by(value, method, &arguments) {
            return value;
        }
        method_value(value, method, &arguments, scan.language)
    }

    /// Runs a method of something that is not known, but that may be an object whose method has effects.
    pub(super) fn unknown_receiver(&mut self, scan: &Scan<'_>, method: &str, arguments: &[Value]) {
        if scan.may_be_method(method) {
            for argument in arguments {
                if let Value::Text(text) | Value::Path(text) = argument {
                    self.guess_operand(text);
                }
            }
        }
    }

    /// Functions among `arguments` may be called with the elements of `values`: `map(os.remove, list)`.
    pub(super) fn passed_on(&mut self, scan: &mut Scan<'_>, arguments: &[Value], values: &[Value], io: &mut Io<'_>) {
        let functions = arguments.iter().filter_map(|argument| match argument {
            Value::Function(name) => Some(name),
            Value::Named(_, value) => match value.as_ref() {
                Value::Function(name) => Some(name),
                _ => None,
            },
            _ => None,
        });
        let roles: Vec<&'static str> = functions.filter_map(|name| scan.roles(name)).collect();
        if roles.is_empty() {
            return;
        }
        let mut elements = Vec::new();
        for value in values {
            elements_of(value, &mut elements);
        }
        let elements = self.at_most(ELEMENTS, elements.into_iter());
        let given = self.at_most(ELEMENTS, handed_over(values).into_iter());
        for roles in roles {
            if given.len() > 1 || matches!(given.as_slice(), [Value::List(_)]) {
                self.guessed(|machine| machine.called(scan, roles, &given, io));
            }
            if let Some(provenance) = foreign::among(values).filter(|_| foreign::runs(roles)) {
                self.foreign_code(provenance);
            }
            for element in &elements {
                self.guessed(|machine| machine.called(scan, roles, std::slice::from_ref(element), io));
            }
        }
    }
}

/// Collects the arguments that come with a function which is passed on: `submit(f, a, b)`, `Thread(target=f, args=(a, b))`.
fn handed_over(values: &[Value]) -> Vec<Value> {
    let mut given = Vec::new();
    for value in values {
        match value {
            Value::Function(_) => {}
            Value::Named(name, value) if name == "args" => match value.as_ref() {
                Value::List(list) => given.extend(list.iter().cloned()),
                value => given.push(value.clone()),
            },
            Value::Named(_, value) if matches!(value.as_ref(), Value::Function(_)) => {}
            value => given.push(value.clone()),
        }
    }
    given
}

fn elements_of(value: &Value, elements: &mut Vec<Value>) {
    match value {
        _ if elements.len() > ELEMENTS => {}
        Value::Text(_) | Value::Path(_) | Value::Glob(_) => elements.push(value.clone()),
        Value::List(list) | Value::Each(list) => list.iter().for_each(|value| elements_of(value, elements)),
        Value::Named(_, value) => elements_of(value, elements),
        Value::Number(_)
        | Value::Module(_)
        | Value::Object(_)
        | Value::Function(_)
        | Value::Foreign(_)
        | Value::Unknown => {}
    }
}
