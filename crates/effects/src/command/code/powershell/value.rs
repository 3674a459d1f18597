//! Values of PowerShell that are known, and the variables that hold them.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use agent_strace_shell::Provenance;

use super::expression::Parser;
use super::strings;

/// Bytes of one value.
pub(super) const LENGTH: usize = 1 << 16;
/// Values of one list.
pub(super) const ITEMS: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    List(Vec<Value>),
    /// `@{ name = value }`
    Table(Vec<(String, Value)>),
    /// One of these: a branch that may not run assigned another one.
    Either(Vec<String>),
    /// Text that nobody knows, from a known origin.
    Foreign(Provenance),
}

impl Value {
    /// Each text that it stands for as the argument of a command.
    pub(super) fn texts(&self) -> Option<Vec<String>> {
        match self {
            Self::Text(text) => Some(vec![text.clone()]),
            Self::List(items) => items.iter().map(|item| item.text().map(str::to_owned)).collect(),
            Self::Either(texts) => Some(texts.clone()),
            Self::Table(_) | Self::Foreign(_) => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The value where either this one or `other` was assigned.
    pub(super) fn or(&self, other: &Self) -> Option<Self> {
        let texts = |value: &Self| match value {
            Self::Text(text) => Some(vec![text.clone()]),
            Self::Either(texts) => Some(texts.clone()),
            _ => None,
        };
        let (mut all, new) = (texts(self)?, texts(other)?);
        all.extend(new.into_iter().filter(|text| !all.contains(text)).collect::<Vec<_>>());
        (all.len() <= ITEMS).then_some(Self::Either(all))
    }

    fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::List(items) => items.iter().map(Self::size).sum(),
            Self::Table(entries) => entries.iter().map(|(name, value)| name.len() + value.size()).sum(),
            Self::Either(texts) => texts.iter().map(String::len).sum(),
            Self::Foreign(_) => 0,
        }
    }

    pub(super) fn items(self) -> Vec<Self> {
        if let Self::List(items) = self { items } else { vec![self] }
    }

    pub(super) fn joined(self, separator: &str) -> Option<String> {
        let texts: Option<Vec<String>> = self.items().into_iter().map(|item| item.text().map(str::to_owned)).collect();
        Some(texts?.join(separator))
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        match (self, other) {
            // Numbers are added, and what looks like two of them may be.
            (Self::Text(first), Self::Text(second)) if is_number(&first) && is_number(&second) => None,
            (Self::Text(mut first), Self::Text(second)) => {
                first.push_str(&second);
                Self::limited(first)
            }
            (Self::List(mut items), other) => {
                items.extend(other.items());
                (items.len() <= ITEMS).then_some(Self::List(items))
            }
            (Self::Text(text), list @ Self::List(_)) => Some(Self::Text(text + &list.joined(" ")?)),
            (Self::Table(mut entries), Self::Table(more)) => {
                entries.extend(more);
                (entries.len() <= ITEMS).then_some(Self::Table(entries))
            }
            _ => None,
        }
    }

    pub(super) fn limited(text: String) -> Option<Self> {
        (text.len() <= LENGTH).then_some(Self::Text(text))
    }
}

/// A text that may stand for a number.
pub(super) fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty()
}

/// Variables with known values, by their names in lower case.
#[derive(Debug, Default)]
pub(super) struct Variables {
    known: BTreeMap<String, Value>,
    /// Names that were assigned something unknown.
    lost: BTreeSet<String>,
    /// Bytes that were copied out of values.
    copied: Cell<usize>,
}

/// Variables that are followed.
const VARIABLES: usize = 1_000;
/// Bytes that may be copied out of values: `$a$a$a` asks for any amount.
const COPIED: usize = 1 << 22;

impl Variables {
    pub(super) fn get(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.known.get(name) {
            self.copied.set(self.copied.get().saturating_add(value.size()));
            return (self.copied.get() <= COPIED).then(|| value.clone());
        }
        let text = match name {
            "home" | "env:userprofile" | "env:home" => "~",
            "pwd" => ".",
            "true" => "True",
            "false" => "False",
            _ => return None,
        };
        Some(Value::Text(text.to_owned()))
    }

    pub(super) fn known(&self, name: &str) -> Option<&Value> {
        self.known.get(name)
    }

    pub(super) fn set(&mut self, name: &str, value: Option<Value>) {
        if let Some(value) = value.filter(|_| self.known.len() < VARIABLES) {
            self.lost.remove(name);
            self.known.insert(name.to_owned(), value);
        } else {
            self.known.remove(name);
            self.lost.insert(name.to_owned());
        }
    }

    /// The variable holds something unknown.
    pub(super) fn is_lost(&self, name: &str) -> bool {
        self.lost.contains(name)
    }

    /// What a table or a list holds after `.Name = value`, `['Name'] = value` or `.Add(…)`, if that is what `text` starts
    /// with, and what follows it. An inner `None`: something that is not known.
    pub(super) fn with_member<'t>(&self, name: &str, text: &'t str) -> Option<(Option<Value>, &'t str)> {
        let value = self.known.get(name)?.clone();
        if let Some(arguments) = text.get(..5).filter(|call| call.eq_ignore_ascii_case(".add(")).and(text.get(5..)) {
            let (arguments, rest) = strings::closed(arguments, '(', ')');
            let arguments: Option<Vec<Value>> =
                strings::parts(arguments).into_iter().map(|part| self.value_of(part)).collect();
            return Some((arguments.and_then(|arguments| added(value, &arguments)), rest));
        }
        let (key, behind) = if let Some(rest) = text.strip_prefix('.') {
            let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
            rest.split_at_checked(end)?
        } else {
            let (key, rest) = strings::until(text.strip_prefix('[')?, ']')?;
            (key.trim_matches(['\'', '"']), rest)
        };
        if !strings::starts_assignment(behind) {
            return None;
        }
        let assigned = behind.trim_start().strip_prefix('=').and_then(|new| self.leading(new));
        let (Value::Table(mut entries), Some((new, rest))) = (value, assigned) else { return Some((None, behind)) };
        entries.retain(|(known, _)| !known.eq_ignore_ascii_case(key));
        entries.push((key.to_owned(), new));
        Some((Some(Value::Table(entries)).filter(|value| value.size() <= LENGTH), rest))
    }

    /// The value of the whole of `text`.
    pub(super) fn value_of(&self, text: &str) -> Option<Value> {
        let (value, rest) = self.leading(text)?;
        rest.trim().is_empty().then_some(value)
    }

    /// The value of the expression that `text` starts with, and what follows it.
    pub(super) fn leading<'t>(&self, text: &'t str) -> Option<(Value, &'t str)> {
        Parser::new(self, text).expression()
    }

    /// The same without operators, as an argument of a command is read.
    pub(super) fn operand<'t>(&self, text: &'t str) -> Option<(Value, &'t str)> {
        Parser::new(self, text).operand()
    }
}

/// What a table or a list holds after `.Add(…)`.
fn added(value: Value, arguments: &[Value]) -> Option<Value> {
    match (value, arguments) {
        (table @ Value::Table(_), [Value::Text(key), new]) => {
            table.plus(Value::Table(vec![(key.clone(), new.clone())]))
        }
        (list @ Value::List(_), [new]) => list.plus(Value::List(vec![new.clone()])),
        _ => None,
    }
}
