//! The key `defaults`: what holds where no entry speaks.

use crate::Decision;
use crate::grammar;
use agent_strace_effects::Class;
use agent_strace_model::finding::Level;

use super::{Data, Defaults, Parser, Value, nearest, quoted};

/// What may be done with what no entry names.
pub(crate) const DECISIONS: &[(&str, Decision)] =
    &[("allow", Decision::Allowed), ("ask", Decision::Asked), ("deny", Decision::Denied)];

/// What may be done with a tool that nobody knows.
pub(crate) const UNKNOWN_TOOLS: &[(&str, Decision)] = &[
    ("allow", Decision::Allowed),
    ("ask", Decision::Asked),
    ("deny", Decision::Denied),
    ("unresolved", Decision::Unresolved),
];

/// What it weighs that something could not be resolved.
pub(crate) const UNRESOLVED: &[(&str, Level)] =
    &[("deny", Level::Error), ("warn", Level::Warning), ("note", Level::Note)];

/// The classes of acts that can't be resolved.
pub(crate) const CLASSES: [Class; 5] = [Class::Delegated, Class::State, Class::Changed, Class::Unknown, Class::Hidden];

impl Parser<'_> {
    pub(super) fn defaults(&mut self, value: &Value, pointer: &str) -> Defaults {
        let mut defaults = Defaults::default();
        let Some(members) = self.members(value, pointer, &grammar::DEFAULTS) else { return defaults };
        for (key, value) in members {
            let below = format!("{pointer}/{}", key.name);
            let location = self.locator.location(value.span.start, &below);
            match key.name.as_str() {
                "decision" => {
                    defaults.decision = self.one_of(value, &below, DECISIONS).map(|decision| (decision, location));
                }
                "unresolved" if matches!(value.data, Data::Object(_)) => self.classes(value, &below, &mut defaults),
                "unresolved" => {
                    defaults.unresolved = self.one_of(value, &below, UNRESOLVED).map(|level| (level, location));
                }
                "unknown_tool" => {
                    defaults.unknown_tool =
                        self.one_of(value, &below, UNKNOWN_TOOLS).map(|decision| (decision, location));
                }
                _ => {}
            }
        }
        defaults
    }

    /// The level of unresolved acts for each class.
    fn classes(&mut self, value: &Value, pointer: &str, defaults: &mut Defaults) {
        let Some(members) = self.members(value, pointer, &grammar::CLASSES) else { return };
        for (key, value) in members {
            let below = format!("{pointer}/{}", key.name);
            let Some(class) = CLASSES.into_iter().find(|class| class.name() == key.name) else { continue };
            let location = self.locator.location(value.span.start, &below);
            let level = match class {
                Class::Hidden => self.hidden(value, &below),
                _ => self.one_of(value, &below, UNRESOLVED),
            };
            defaults.unresolved_classes.extend(level.map(|level| (class, (level, location))));
        }
    }

    /// The policy gives a reason for a lower level of hidden acts.
    fn hidden(&mut self, value: &Value, pointer: &str) -> Option<Level> {
        let Data::Object(_) = &value.data else {
            let level = self.one_of(value, pointer, UNRESOLVED)?;
            if level < Level::Error {
                let message = "what is hidden is an error unless a reason says why not".to_owned();
                let help = "write {\"level\": \"warn\", \"reason\": \"…\"}".to_owned();
                self.faults.push(value.span.clone(), pointer, message, Some(help));
            }
            return Some(level);
        };
        let members = self.members(value, pointer, &grammar::HIDDEN)?;
        let (mut level, mut reason) = (None, None);
        for (key, value) in &members {
            let below = format!("{pointer}/{}", key.name);
            match key.name.as_str() {
                "level" => level = self.one_of(value, &below, UNRESOLVED),
                "reason" => match &value.data {
                    Data::Text(text) => reason = Some(text.trim()).filter(|text| !text.is_empty()),
                    _ => self.wrong_type(value, &below, "a text"),
                },
                _ => {}
            }
        }
        if !members.iter().any(|(key, _)| key.name == "level") {
            let message = format!("`{}` has no `level`", super::dotted(pointer));
            self.faults.push(
                value.span.clone(),
                pointer,
                message,
                Some("add a \"level\", such as \"warn\"".to_owned()),
            );
        }
        if reason.is_none() {
            let message = "what is hidden is an error unless a reason says why not".to_owned();
            self.faults.push(value.span.clone(), pointer, message, Some("add a \"reason\"".to_owned()));
        }
        level
    }

    /// One of the words, as what it stands for.
    pub(super) fn one_of<T: Copy>(&mut self, value: &Value, pointer: &str, words: &[(&str, T)]) -> Option<T> {
        let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
        let listed = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let Data::Text(text) = &value.data else {
            self.wrong_type(value, pointer, &format!("one of {listed}"));
            return None;
        };
        if let Some((_, found)) = words.iter().find(|(name, _)| name == text) {
            return Some(*found);
        }
        let help = match nearest(text, &names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known here: {listed}"),
        };
        self.faults.push(value.span.clone(), pointer, format!("{} is unknown here", quoted(text)), Some(help));
        None
    }
}
