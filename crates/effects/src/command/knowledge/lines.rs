//! Tables that are searched where they stand: a line for each name, in the order of the names' bytes, with a tab behind
//! the name. They are ASCII, so every byte is a place to cut.

use std::cmp::Ordering;

/// The name of a line.
pub(super) fn name(line: &'static str) -> &'static str {
    line.split('\t').next().unwrap_or_default()
}

/// The line of `wanted`: halves what is left of the table until the line is found.
pub(super) fn line(table: &'static str, wanted: &str) -> Option<&'static str> {
    let (mut low, mut high) = (0, table.len());
    while low < high {
        let middle = low.midpoint(high);
        let start = table.get(..middle)?.rfind('\n').map_or(0, |at| at + 1);
        let line = table.get(start..)?.lines().next()?;
        match name(line).cmp(wanted) {
            Ordering::Equal => return Some(line),
            Ordering::Less => low = start + line.len() + 1,
            Ordering::Greater => high = start,
        }
    }
    None
}
