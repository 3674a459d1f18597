//! A file of YAML, divided at the keys at its top.

use std::collections::{BTreeMap, BTreeSet};

use super::plain;
use crate::repo_audit::members;
use agent_strace_policy::json::Value;

/// A key at the top and all that is below it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment<'t> {
    pub(super) key: &'t str,
    /// Without blank lines and comments behind it.
    pub(super) text: &'t str,
    pub(super) value: &'t Value,
}

/// A segment that differs between two sides; `None`: the side does not have it.
#[derive(Debug)]
pub(super) struct Differing<'t> {
    pub(super) key: &'t str,
    pub(super) before: Option<Segment<'t>>,
    pub(super) head: Option<Segment<'t>>,
}

impl<'t> Differing<'t> {
    pub(super) fn sides(&self) -> impl Iterator<Item = &Segment<'t>> {
        [&self.before, &self.head].into_iter().flatten()
    }

    pub(super) fn is_on_both_sides(&self) -> bool {
        self.before.is_some() && self.head.is_some()
    }
}

/// The places of the keys at the top. `None`: readers may differ in which keys there are.
pub(super) fn starts(text: &str, root: &Value) -> Option<Vec<usize>> {
    let keys = members(root);
    let begins_line = |at: usize| at == 0 || text.get(..at).is_some_and(|before| before.ends_with('\n'));
    let starts: Vec<usize> = keys.iter().map(|(key, _)| key.span.start).filter(|at| begins_line(*at)).collect();
    let names: BTreeSet<&str> = keys.iter().map(|(key, _)| key.name.as_str()).collect();
    let is_sorted = starts.iter().zip(starts.iter().skip(1)).all(|(one, next)| one < next);
    // Ruby takes `:key` for a symbol, which GitLab takes for the key, and `<<` merges other keys in.
    let is_odd = |name: &&str| name.starts_with(':') || name.starts_with("<<");
    let is_plain = names.len() == keys.len() && starts.len() == keys.len() && !names.iter().any(is_odd);
    (is_plain && is_sorted && !keys.is_empty()).then_some(starts)
}

/// The segments of a file, in its order.
pub(super) fn segments<'t>(text: &'t str, root: &'t Value) -> Option<Vec<Segment<'t>>> {
    let starts = starts(text, root)?;
    let first = text.get(..*starts.first()?)?;
    if !first.split_inclusive('\n').all(is_between) {
        return None;
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let ranges = starts.iter().zip(ends).zip(members(root));
    let segments = ranges.map(|((start, end), (key, value))| {
        Some(Segment { key: key.name.as_str(), text: trimmed(text.get(*start..end)?), value })
    });
    segments.collect()
}

/// A line that belongs to no segment where it is behind one: a blank one, or a comment that begins it.
fn is_between(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with('#')
}

fn trimmed(text: &str) -> &str {
    let behind: usize = text.split_inclusive('\n').rev().take_while(|line| is_between(line)).map(str::len).sum();
    text.get(..text.len() - behind).unwrap_or(text).trim_end_matches(['\r', '\n'])
}

/// The segments that differ. `None`: the others differ in their order, or one that differs is not written plainly.
pub(super) fn differing<'t>(before: &[Segment<'t>], head: &[Segment<'t>]) -> Option<Vec<Differing<'t>>> {
    let by_key = |side: &[Segment<'t>]| -> BTreeMap<&'t str, Segment<'t>> {
        side.iter().map(|segment| (segment.key, *segment)).collect()
    };
    let (old, new) = (by_key(before), by_key(head));
    let keys: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    let all = keys.into_iter().map(|key| Differing { key, before: old.get(key).copied(), head: new.get(key).copied() });
    let text = |side: &Option<Segment<'t>>| side.map(|segment| segment.text);
    let found: Vec<Differing<'t>> = all.filter(|both| text(&both.before) != text(&both.head)).collect();
    let differ: BTreeSet<&str> = found.iter().map(|both| both.key).collect();
    let is_kept = |segment: &&Segment<'t>| !differ.contains(segment.key);
    let is_same = before.iter().filter(is_kept).map(|one| one.text).eq(head.iter().filter(is_kept).map(|one| one.text));
    let are_plain = found.iter().flat_map(Differing::sides).all(plain::is_plain_segment);
    (is_same && are_plain).then_some(found)
}
