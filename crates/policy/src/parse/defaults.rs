//! The key `defaults`: what holds where no entry speaks.

use crate::Decision;
use agent_strace_model::finding::Level;

use super::keys::DEFAULTS;
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

impl Parser<'_> {
    pub(super) fn defaults(&mut self, value: &Value, pointer: &str) -> Defaults {
        let mut defaults = Defaults::default();
        let Some(members) = self.object(value, pointer, DEFAULTS) else { return defaults };
        self.unknown_keys(&members, pointer, DEFAULTS, &[]);
        for (key, value) in members {
            let below = format!("{pointer}/{}", key.name);
            let location = self.locator.location(value.span.start, &below);
            match key.name.as_str() {
                "decision" => {
                    defaults.decision = self.one_of(value, &below, DECISIONS).map(|decision| (decision, location));
                }
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
