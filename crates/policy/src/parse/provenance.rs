//! The key `provenance`: where entries come from. It is data for people: nothing judges by it.

use super::{Data, Parser, Value, escaped, quoted};

/// What is told about one entry.
pub(crate) const PROVENANCE: &[&str] = &["sessions", "calls", "first", "last"];

impl Parser<'_> {
    /// Each key is the JSON pointer of an entry: one that leads nowhere speaks of an entry that was removed.
    pub(super) fn provenance(&mut self, value: &Value, root: &Value) {
        for (key, told) in self.object(value, "/provenance", &[]).unwrap_or_default() {
            let pointer = format!("/provenance/{}", escaped(&key.name));
            if !leads_somewhere(root, &key.name) {
                let message = format!("{} leads to no entry of this policy", quoted(&key.name));
                let help = "remove it, or write the entry's JSON pointer, such as `/files/read/allow/0`".to_owned();
                self.faults.push(key.span.clone(), &pointer, message, Some(help));
            }
            self.told(told, &pointer);
        }
    }

    fn told(&mut self, value: &Value, pointer: &str) {
        let Some(members) = self.object(value, pointer, PROVENANCE) else { return };
        self.unknown_keys(&members, pointer, PROVENANCE, PROVENANCE);
        for (key, value) in members {
            let pointer = format!("{pointer}/{}", escaped(&key.name));
            let (fits, wanted) = match (key.name.as_str(), &value.data) {
                ("sessions" | "calls", Data::Number(number)) => (number.parse::<u64>().is_ok(), "a whole number"),
                ("sessions" | "calls", _) => (false, "a whole number"),
                ("first" | "last", Data::Text(time)) => (time.parse::<jiff::Timestamp>().is_ok(), "a time"),
                ("first" | "last", _) => (false, "a time"),
                _ => continue,
            };
            if !fits {
                let message = format!("`{}` is not {wanted}", key.name);
                let help = if wanted == "a time" { "write it as `2026-03-01T12:00:00Z`" } else { "count from 0" };
                self.faults.push(value.span.clone(), &pointer, message, Some(help.to_owned()));
            }
        }
    }
}

fn leads_somewhere(root: &Value, pointer: &str) -> bool {
    let Some(path) = pointer.strip_prefix('/') else { return false };
    let mut at = root;
    for part in path.split('/') {
        let name = part.replace("~1", "/").replace("~0", "~");
        let below = match &at.data {
            Data::Object(members) => members.iter().find(|(key, _)| key.name == name).map(|(_, value)| value),
            Data::List(items) => name.parse::<usize>().ok().and_then(|index| items.get(index)),
            _ => None,
        };
        let Some(below) = below else { return false };
        at = below;
    }
    true
}
