//! The key `labels`: names for sets of paths.

use std::collections::BTreeMap;

use crate::builtin::BUILTIN;
use crate::path::PathSet;

use super::names::escaped;
use super::{Data, Parser, Value, paths, pattern, quoted};

/// The patterns of each label as they are written: for who shows or translates them.
pub(super) fn texts(value: &Value) -> BTreeMap<String, Vec<String>> {
    let Data::Object(members) = &value.data else { return BTreeMap::new() };
    let patterns = |value: &Value| match &value.data {
        Data::List(items) => items.iter().filter_map(|item| text_of(&item.data)).collect(),
        _ => Vec::new(),
    };
    members.iter().map(|(key, value)| (key.name.clone(), patterns(value))).collect()
}

fn text_of(data: &Data) -> Option<String> {
    if let Data::Text(text) = data { Some(text.trim().to_owned()) } else { None }
}

impl Parser<'_> {
    /// Read before every list: each may name them.
    pub(super) fn labels(&mut self, value: &Value) {
        let Some(members) = self.object(value, "/labels", &[]) else { return };
        for (key, value) in members {
            let pointer = format!("/labels/{}", escaped(&key.name));
            let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
            if key.name.is_empty() || !key.name.chars().all(plain) {
                let message = format!("{} is no name of a label", quoted(&key.name));
                let help = "letters, digits, `-`, `_` and `.` make one".to_owned();
                self.faults.push(key.span.clone(), &pointer, message, Some(help));
                continue;
            }
            let set = self.label(value, &pointer);
            if set.is_exclusion() && matches!(&value.data, Data::List(_)) {
                let message = format!("the label {} names nothing", quoted(&key.name));
                let help = "give it a pattern without `!`".to_owned();
                self.faults.push(value.span.clone(), &pointer, message, Some(help));
            }
            self.labels.insert(key.name.clone(), set);
        }
    }

    fn label(&mut self, value: &Value, pointer: &str) -> PathSet {
        let mut set = PathSet::default();
        let Data::List(items) = &value.data else {
            self.wrong_type(value, pointer, "a list of strings");
            return set;
        };
        for (index, item) in items.iter().enumerate() {
            let pointer = format!("{pointer}/{index}");
            let Data::Text(text) = &item.data else {
                self.wrong_type(item, &pointer, "a string");
                continue;
            };
            let read = pattern::readable(text).and_then(|text| {
                let (excluded, rest) = paths::excluded(text)?;
                if rest.starts_with(paths::LABEL) {
                    let help = "name its patterns here".to_owned();
                    return Err((format!("{}: a label can't stand for another one", quoted(text)), Some(help)));
                }
                if rest.starts_with(BUILTIN) {
                    let help = "name the built-in list beside the label, in the list of the policy".to_owned();
                    return Err((format!("{}: a label can't stand for a built-in list", quoted(text)), Some(help)));
                }
                Ok((excluded, paths::pattern(rest)?))
            });
            match read {
                Ok((true, pattern)) => set.except.push(pattern),
                Ok((false, pattern)) => set.any_of.push(pattern),
                Err((message, help)) => self.faults.push(item.span.clone(), &pointer, message, help),
            }
        }
        set
    }
}
