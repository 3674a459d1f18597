//! The key `agents`: parts of a policy that are for some agents only.

use crate::agents::{SELECTORS, Selected, Selector};
use crate::grammar;

use super::{Document, Key, Parser, Rulebook, Value, escaped, nearest, quoted};

/// A part of a policy, and who it is for.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub selected: Selected,
    pub(crate) rulebook: Rulebook,
}

impl Parser<'_> {
    pub(super) fn agents(&mut self, value: &Value, document: &mut Document) {
        let Some(members) = self.object(value, "/agents", SELECTORS) else { return };
        for (key, value) in members {
            let pointer = format!("/agents/{}", escaped(&key.name));
            let Some(selector) = Selector::new(&key.name) else {
                self.no_selector(key, &pointer);
                continue;
            };
            let mut rulebook = Rulebook::default();
            let known = grammar::PART.keys(self.version);
            let Some(members) = self.members(value, &pointer, &grammar::PART) else { continue };
            for (key, value) in members.iter().filter(|(key, _)| known.contains(&key.name.as_str())) {
                self.rulebook(&key.name, value, &pointer, &mut rulebook);
            }
            document.agents.push(Part { selected: Selected { text: key.name.clone(), selector }, rulebook });
        }
    }

    fn no_selector(&mut self, key: &Key, pointer: &str) {
        let (kind, pattern) = key.name.split_once(':').unwrap_or((&key.name, ""));
        let kinds: Vec<&str> = SELECTORS.iter().map(|selector| selector.trim_end_matches(':')).collect();
        let help = match nearest(kind, &kinds) {
            Some("main") => "did you mean `main`?".to_owned(),
            Some(kind) if pattern.trim().is_empty() => format!("write \"{kind}:*\", or name one behind the colon"),
            Some(kind) => format!("did you mean {}?", quoted(&format!("{kind}:{pattern}"))),
            None => "write `main`, `subagent:TYPE`, `agent:NAME` or `mode:NAME`, each with `*` for any text".to_owned(),
        };
        let message = format!("{} selects no agent", quoted(&key.name));
        self.faults.push(key.span.clone(), pointer, message, Some(help));
    }
}
