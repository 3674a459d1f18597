//! Functions with effects that a program uses as values.

use super::super::lexer::Token;
use super::tokens::{split, trimmed};
use super::{Given, Scan, Value};
use crate::Reason;
use crate::command::knowledge::Language;
use crate::command::machine::Machine;
use crate::command::simple::Io;

/// How a function that is a value is called.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// The arguments are those of the function.
    Plain,
    /// The first argument is no argument of the function.
    Behind,
    /// The last argument holds those of the function.
    List,
    /// It is called later, with these arguments first.
    Later,
}

impl Scan<'_> {
    /// The function as a value. Its calls are elsewhere, so they are not followed.
    pub(super) fn function(&mut self, name: &str) -> Option<Value> {
        self.roles(name)?;
        self.hands_over = true;
        self.unread = Some(Reason::EffectfulValue);
        Some(Value::Function(name.to_owned()))
    }

    /// How a method of a function calls it.
    fn way(&self, method: &str) -> Option<Way> {
        Some(match (self.language, method) {
            (Language::Javascript, "call") => Way::Behind,
            (Language::Javascript, "apply") => Way::List,
            (Language::Javascript, "bind") | (Language::Ruby, "curry") => Way::Later,
            (Language::Ruby, "call" | "yield") | (Language::Python, "__call__") => Way::Plain,
            _ => return None,
        })
    }
}

impl Machine<'_> {
    /// A call that only calls another function, which it names: what it returns.
    pub(super) fn applied(
        &mut self,
        scan: &mut Scan<'_>,
        name: &str,
        inner: &[Token],
        io: &mut Io<'_>,
    ) -> Option<Value> {
        let parts = split(inner);
        let (object, method) = name.rsplit_once('.').unwrap_or(("", name));
        match (scan.language, method) {
            (Language::Javascript, "apply") if object == "Reflect" => {
                let first = parts.first()?;
                let function = self.followed(scan, first, io)?;
                let rest = inner.get(first.len() + 1..).unwrap_or_default();
                Some(self.apply(scan, &function, Way::List, rest, io))
            }
            (Language::Javascript, "promisify") => {
                let function = self.followed(scan, parts.first()?, io)?;
                Some(Value::Function(function))
            }
            (Language::Ruby, "method" | "public_method" | "instance_method") => {
                scan.function(&called_name(object, &parts)?)
            }
            (Language::Ruby, "send" | "public_send" | "__send__") => {
                let function = called_name(object, &parts).filter(|function| scan.roles(function).is_some())?;
                Some(self.apply(scan, &function, Way::Behind, inner, io))
            }
            _ => {
                let way = scan.way(method).filter(|_| scan.roles(object).is_some())?;
                Some(self.apply(scan, object, way, inner, io))
            }
        }
    }

    /// `function.call(…)`, where the function is a value.
    pub(super) fn applied_value(
        &mut self,
        scan: &mut Scan<'_>,
        function: &str,
        method: &str,
        inner: &[Token],
        io: &mut Io<'_>,
    ) -> Option<Value> {
        let way = scan.way(method)?;
        Some(self.apply(scan, function, way, inner, io))
    }

    fn apply(&mut self, scan: &mut Scan<'_>, function: &str, way: Way, inner: &[Token], io: &mut Io<'_>) -> Value {
        let loose = scan.loose.len();
        let mut arguments = self.arguments(scan, inner, io);
        match way {
            Way::Plain => {}
            Way::Behind => {
                arguments = arguments.split_off(1.min(arguments.len()));
            }
            Way::List => {
                arguments = match arguments.pop() {
                    Some(Value::List(list)) => list,
                    _ => vec![Value::Unknown],
                }
            }
            Way::Later => {
                let value = scan.function(function).unwrap_or(Value::Unknown);
                self.passed_on(scan, std::slice::from_ref(&value), &arguments, io);
                return value;
            }
        }
        self.call_with(scan, function, &Given { arguments: &arguments, tokens: inner, loose }, io)
    }

    /// The name of the function that an expression stands for, whose call is followed.
    fn followed(&mut self, scan: &mut Scan<'_>, tokens: &[Token], io: &mut Io<'_>) -> Option<String> {
        let value = self.kept_function(scan, tokens, io);
        match value {
            Value::Function(name) => Some(name),
            _ => None,
        }
    }

    /// The value of an expression. A function that it stands for is followed by its name from here on.
    pub(super) fn kept_function(&mut self, scan: &mut Scan<'_>, tokens: &[Token], io: &mut Io<'_>) -> Value {
        let (unread, hands_over) = (scan.unread.clone(), scan.hands_over);
        let value = self.value(scan, tokens, io);
        if matches!(value, Value::Function(_)) {
            (scan.unread, scan.hands_over) = (unread, hands_over);
        }
        value
    }
}

/// `:name`, `'name'` as the first argument: the function of that name of the object.
fn called_name(object: &str, parts: &[&[Token]]) -> Option<String> {
    let ([Token::Mark(':'), Token::Name(name)] | [Token::Text(name)]) = trimmed(parts.first()?) else { return None };
    Some(if matches!(object, "" | "self") { name.clone() } else { format!("{object}.{name}") })
}
