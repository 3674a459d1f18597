//! The words of a PowerShell command: values, and parameters by any name that abbreviates theirs.

use agent_strace_shell::Scope;

use super::cmdlets::table;
use super::{aliased, listed};
use crate::command::argument::Arg;

/// Values without a name, parameters with a value, and flags.
#[derive(Debug, Default)]
pub(in crate::command::code) struct Given {
    pub(in crate::command::code) plain: Vec<Arg>,
    /// The place of each plain value: those of one list share it.
    places: Vec<usize>,
    pub(in crate::command::code) named: Vec<(String, Arg)>,
    pub(in crate::command::code) flags: Vec<String>,
    /// Values behind parameters of which nobody knows whether they take one.
    pub(super) doubtful: Vec<Arg>,
}

/// What a parameter does with the word behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Parameter {
    Flag(String),
    Named(String),
    Doubtful,
}

/// Where the next word of a list goes.
#[derive(Debug, Clone)]
enum Slot {
    Plain,
    Named(String),
    Doubtful,
}

impl Given {
    /// Words of which each stands alone.
    pub(in crate::command::code) fn of(plain: Vec<Arg>, flags: Vec<String>) -> Self {
        let places = (0..plain.len()).collect();
        Self { plain, places, flags, ..Self::default() }
    }

    /// Divides the words behind a command that has parameters of its `own`, each with its role; `lists` are the places of
    /// words that follow a comma.
    pub(super) fn divide(words: &[Arg], lists: &[usize], own: &[(&str, &str)]) -> Self {
        let mut given = Self::default();
        let mut pending = None;
        let mut slot = Slot::Plain;
        let mut only_values = false;
        let mut lists = lists.iter().peekable();
        for (at, word) in words.iter().enumerate() {
            while lists.next_if(|listed| **listed < at).is_some() {}
            if lists.peek() == Some(&&at) && !given.is_empty() {
                given.put(&slot, word, 0);
                continue;
            }
            if word.literal() == Some("--") {
                only_values = true;
                continue;
            }
            let Some((name, attached)) = parameter(word).filter(|_| !only_values) else {
                slot = match pending.take() {
                    Some(Parameter::Named(name)) => Slot::Named(name),
                    Some(Parameter::Doubtful) => Slot::Doubtful,
                    Some(Parameter::Flag(_)) | None => Slot::Plain,
                };
                given.put(&slot, word, 1);
                continue;
            };
            given.leave(pending.take());
            match (meaning(&name, own), attached) {
                (Parameter::Flag(name), _) => given.flags.push(name),
                (Parameter::Named(name), Some(value)) => given.named.push((name, value)),
                (Parameter::Doubtful, Some(value)) => given.doubtful.push(value),
                (Parameter::Doubtful, None) => {
                    given.flags.push(name);
                    pending = Some(Parameter::Doubtful);
                }
                (named, None) => pending = Some(named),
            }
        }
        given.leave(pending);
        given
    }

    fn is_empty(&self) -> bool {
        self.plain.is_empty() && self.named.is_empty() && self.doubtful.is_empty()
    }

    /// Puts a value where it belongs, `ahead` places behind the last plain one.
    fn put(&mut self, slot: &Slot, word: &Arg, ahead: usize) {
        match slot {
            Slot::Plain => {
                self.places.push(self.places.last().map_or(0, |last| last.saturating_add(ahead)));
                self.plain.push(word.clone());
            }
            Slot::Named(name) => self.named.push((name.clone(), word.clone())),
            Slot::Doubtful => self.doubtful.push(word.clone()),
        }
    }

    /// A parameter got no value.
    fn leave(&mut self, pending: Option<Parameter>) {
        if let Some(Parameter::Named(name)) = pending {
            self.flags.push(name);
        }
    }

    /// Each plain value with its place.
    pub(super) fn placed(&self) -> impl Iterator<Item = (usize, &Arg)> {
        self.places.iter().copied().zip(&self.plain)
    }

    /// `Set-Alias NAME PROGRAM`
    pub(super) fn set_alias(&self, scope: &mut Scope) {
        let mut plain = self.plain.iter();
        let name = self.value(&["-name"]).or_else(|| plain.next());
        let program = self.value(&["-value"]).or_else(|| plain.next());
        if let (Some(name), Some(program)) = (name.and_then(Arg::literal), program.and_then(Arg::literal)) {
            scope.alias(&aliased(&name.to_lowercase()), program);
        }
    }

    /// The value of the parameter that has one of these names.
    pub(super) fn value(&self, names: &[&str]) -> Option<&Arg> {
        self.named.iter().find(|(name, _)| names.contains(&name.as_str())).map(|(_, value)| value)
    }

    /// The same, or the first plain value.
    pub(super) fn first(&self, names: &[&str]) -> Option<&Arg> {
        self.value(names).or(self.plain.first())
    }
}

/// `-Name`, `-Name:value`: the name in lower case, and the value. PowerShell takes other dashes, too.
fn parameter(word: &Arg) -> Option<(String, Option<Arg>)> {
    let text = word.literal()?.strip_prefix(['-', '–', '—', '―'])?;
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return None;
    }
    let value = match rest.strip_prefix(':') {
        Some(value) => Some(value).filter(|value| !value.is_empty()).map(Arg::exact),
        None if rest.is_empty() => None,
        None => return None,
    };
    Some((format!("-{}", name.to_lowercase()), value))
}

/// The parameter that `name` is or abbreviates. Those of the command itself come first.
fn meaning(name: &str, own: &[(&str, &str)]) -> Parameter {
    let table = table();
    if own.iter().any(|(one, _)| *one == name) || listed(&table.values, name) {
        return Parameter::Named(name.to_owned());
    }
    if listed(&table.flags, name) {
        return Parameter::Flag(name.to_owned());
    }
    let full = |list: &'static str| list.split(' ').find(|one| one.starts_with(name));
    let (flag, value) = (full(&table.flags), full(&table.values));
    let mut mine = own.iter().filter(|(one, _)| one.starts_with(name));
    if let Some((first, role)) = mine.next().filter(|_| name.len() > 2 || flag.or(value).is_none()) {
        let is_clear = mine.all(|(_, other)| other == role);
        return if is_clear { Parameter::Named((*first).to_owned()) } else { Parameter::Doubtful };
    }
    match (flag, value) {
        (Some(flag), None) => Parameter::Flag(flag.to_owned()),
        (None, Some(value)) => Parameter::Named(value.to_owned()),
        _ => Parameter::Doubtful,
    }
}
