//! The members of one object, read by name, each fault at its location.

use crate::grammar::Object;
use crate::json::{Data, Key, Value};
use crate::{Parser, nearest, quoted};
use agent_strace_model::finding::PolicyLocation;

/// An object that is being read.
pub(super) struct Fields<'p, 'a, 'v> {
    parser: &'p mut Parser<'a>,
    value: &'v Value,
    pointer: String,
    members: Vec<(&'v Key, &'v Value)>,
}

impl<'p, 'a, 'v> Fields<'p, 'a, 'v> {
    pub(super) fn of(parser: &'p mut Parser<'a>, value: &'v Value, pointer: &str) -> Option<Self> {
        let members = parser.object(value, pointer, &[])?;
        Some(Self { parser, value, pointer: pointer.to_owned(), members })
    }

    /// Any key that the table of settings does not have is a fault.
    pub(super) fn only(&mut self, object: &Object) {
        self.parser.unknown_keys(&self.members, &self.pointer, object);
    }

    /// Any other key is a fault.
    pub(super) fn only_these(&mut self, known: &[&str]) {
        self.parser.keys_beside(&self.members, &self.pointer, known, &[]);
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.member(name).is_some()
    }

    fn member(&self, name: &str) -> Option<&'v Value> {
        self.members.iter().find(|(key, _)| key.name == name).map(|(_, value)| *value)
    }

    fn pointer_of(&self, name: &str) -> String {
        format!("{}/{name}", self.pointer)
    }

    /// Where the object stands.
    pub(super) fn location(&mut self) -> PolicyLocation {
        self.parser.location(self.value, &self.pointer)
    }

    pub(super) fn location_of(&mut self, name: &str) -> PolicyLocation {
        let value = self.member(name).unwrap_or(self.value);
        self.parser.location(value, &self.pointer_of(name))
    }

    pub(super) fn fault(&mut self, message: String, help: &str) {
        self.parser.fault(self.value, &self.pointer, message, Some(help.to_owned()));
    }

    pub(super) fn fault_at(&mut self, name: &str, message: String, help: &str) {
        let value = self.member(name).unwrap_or(self.value);
        self.parser.fault(value, &self.pointer_of(name), message, Some(help.to_owned()));
    }

    fn wrong<T>(&mut self, name: &str, value: &Value, wanted: &str) -> Option<T> {
        self.parser.wrong_type(value, &self.pointer_of(name), wanted);
        None
    }

    /// A key that has to be there.
    pub(super) fn demand(&mut self, name: &str, example: &str) -> bool {
        if !self.has(name) {
            self.fault(format!("`{name}` is missing"), &format!("write `{name}: {example}`"));
        }
        self.has(name)
    }

    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        let value = self.member(name)?;
        let Data::Text(text) = &value.data else { return self.wrong(name, value, "a text") };
        if text.trim().is_empty() || text.contains(char::is_control) {
            self.fault_at(name, "this text is empty or not one line".to_owned(), "write one line");
            return None;
        }
        Some(text.clone())
    }

    /// One or several texts.
    pub(super) fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        let value = self.member(name)?;
        let Data::List(items) = &value.data else { return self.wrong(name, value, "a list of texts") };
        if items.is_empty() {
            self.fault_at(name, "this list is empty".to_owned(), "list what is meant, or remove the scorer");
            return None;
        }
        let mut texts = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match &item.data {
                Data::Text(text) => texts.push(text.clone()),
                _ => self.parser.wrong_type(item, &format!("{}/{index}", self.pointer_of(name)), "a text"),
            }
        }
        (texts.len() == items.len()).then_some(texts)
    }

    /// What is wrong with one text of a list.
    pub(super) fn fault_in(&mut self, name: &str, index: usize, message: String, help: Option<String>) {
        let Some(Value { data: Data::List(items), .. }) = self.member(name) else { return };
        let Some(item) = items.get(index) else { return };
        self.parser.fault(item, &format!("{}/{index}", self.pointer_of(name)), message, help);
    }

    /// A number from 0 on.
    pub(super) fn number(&mut self, name: &str) -> Option<f64> {
        let value = self.member(name)?;
        let Data::Number(text) = &value.data else { return self.wrong(name, value, "a number") };
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        if number.is_none() {
            self.fault_at(name, format!("{} is no amount", quoted(text)), "write a number from 0 on");
        }
        number
    }

    /// A number above 0 and at most 1.
    pub(super) fn share(&mut self, name: &str) -> Option<f64> {
        let number = self.number(name)?;
        if number > 0.0 && number <= 1.0 {
            return Some(number);
        }
        let help = "a score is from 0 to 1: 0 would let everything pass, more than 1 nothing";
        self.fault_at(name, format!("`{number}` is no score that can be demanded"), help);
        None
    }

    pub(super) fn whole(&mut self, name: &str) -> Option<u64> {
        let value = self.member(name)?;
        let Data::Number(text) = &value.data else { return self.wrong(name, value, "a whole number") };
        let number = text.parse().ok();
        if number.is_none() {
            self.fault_at(name, format!("{} is no count", quoted(text)), "write a whole number from 0 on");
        }
        number
    }

    pub(super) fn flag(&mut self, name: &str) -> Option<bool> {
        let value = self.member(name)?;
        let Data::Bool(flag) = value.data else { return self.wrong(name, value, "`true` or `false`") };
        Some(flag)
    }

    /// A number or a text.
    pub(super) fn scalar(&mut self, name: &str) -> Option<Data> {
        let value = self.member(name)?;
        match &value.data {
            Data::Text(_) | Data::Number(_) => Some(value.data.clone()),
            _ => self.wrong(name, value, "a number or a text"),
        }
    }

    /// One of several names; `what`: what they name.
    pub(super) fn one_of<T: Copy>(&mut self, name: &str, what: &str, known: &[(&str, T)]) -> Option<T> {
        let text = self.text(name)?;
        let found = known.iter().find(|(known, _)| *known == text);
        if found.is_none() {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            let help = match nearest(&text, &names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known here: {}", super::super::listed(&names)),
            };
            self.fault_at(name, format!("{} is no {what}", quoted(&text)), &help);
        }
        found.map(|(_, value)| *value)
    }
}
