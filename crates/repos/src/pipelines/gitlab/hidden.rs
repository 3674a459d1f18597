//! Keys at the top of a file that readers other than the one here see: Ruby reads YAML 1.1.

use std::collections::BTreeMap;

use super::plain::{BREAKS, is_merge, lines_with_odd_breaks};
use crate::pipelines::formats::shape;
use crate::repo_audit::{Document, Language, members};

/// The key for which GitLab takes one: Ruby reads `:key` and `:"key"` as symbols.
pub(in crate::pipelines) fn without_colon(key: &str) -> &str {
    key.strip_prefix(':').map_or(key, |rest| rest.trim_matches(['"', '\'']))
}

/// The text with a line wherever one ends in YAML 1.1. `None`: those are the lines of the text.
pub(in crate::pipelines) fn divided(text: &str) -> Option<String> {
    let is_odd = !lines_with_odd_breaks(text).is_empty();
    is_odd.then(|| text.replace("\r\n", "\n").replace('\r', "\n").replace(BREAKS, "\n"))
}

/// Returns true if a change brings keys at the top that the data do not have, or may bring them.
pub(in crate::pipelines) fn brings_keys(before: &str, head: &str) -> bool {
    let lines = |text| lines_with_odd_breaks(text).into_iter().map(str::to_owned).collect();
    adds(lines(before), lines(head)) || adds(merged(before), merged(head))
}

/// The lines and values that are merged into the mapping at the top.
fn merged(text: &str) -> Vec<String> {
    let document = Document::read(Language::Yaml, text).ok();
    let keys = document.as_ref().map(|document| members(&document.root)).unwrap_or_default();
    let values = keys.iter().filter(|(key, _)| without_colon(&key.name) == "<<").map(|(_, value)| shape(value));
    let is_line_start = |at: usize| at == 0 || text.get(..at).is_some_and(|before| before.ends_with('\n'));
    // Otherwise the keys at the top are indented, or in brackets.
    let are_in_front = keys.first().is_some_and(|(key, _)| is_line_start(key.span.start));
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#') && is_merge(line));
    let lines = lines.filter(|line| !are_in_front || !line.starts_with([' ', '\t']));
    values.chain(lines.map(|line| line.trim_end().to_owned())).collect()
}

/// Returns true if one of the texts is not among those before, or not as often.
fn adds(before: Vec<String>, head: Vec<String>) -> bool {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for text in before {
        *counts.entry(text).or_default() += 1;
    }
    head.into_iter().any(|text| match counts.get_mut(&text) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    })
}
