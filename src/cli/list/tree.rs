//! Sessions below the ones that started them, across files.
//!
//! Parents are what logs say: one may be missing, or a session may be its own ancestor. Every session is shown once.

use std::collections::BTreeMap;

use super::{Row, duration};

/// Deeper ones are shown at this depth.
const MAX_DEPTH: usize = 32;

/// Where a session stands.
struct TreeNode {
    row: usize,
    depth: usize,
    /// Why it stands at the top although it has a parent.
    note: Option<String>,
}

pub(super) fn text(rows: &[Row]) -> String {
    let mut text = String::new();
    for node in nodes(rows) {
        let Some(row) = rows.get(node.row) else { continue };
        let indent = "  ".repeat(node.depth);
        let facts = [
            count(row.tool_calls, "call"),
            count(row.errors, "error"),
            duration(row),
            row.started.clone().unwrap_or_else(|| "-".to_owned()),
        ];
        let note = node.note.map(|note| format!("  [{note}]")).unwrap_or_default();
        let line = format!("{indent}{}  {}  {}{note}", row.id, row.agent, facts.join("  "));
        text.push_str(&agent_strace_report::terminal(&line));
        text.push('\n');
        for subagent in &row.subagents {
            let line = format!("{indent}  sub-agent {}  {}", subagent.id, count(subagent.tool_calls, "call"));
            text.push_str(&agent_strace_report::terminal(&line));
            text.push('\n');
        }
    }
    text
}

/// The rows in the order of their trees, each with its depth.
pub(super) fn flat(rows: Vec<Row>) -> Vec<Row> {
    let nodes = nodes(&rows);
    let mut rows: Vec<_> = rows.into_iter().map(Some).collect();
    let take = |node: TreeNode| {
        let row = rows.get_mut(node.row)?.take()?;
        Some(Row { depth: Some(node.depth), ..row })
    };
    nodes.into_iter().filter_map(take).collect()
}

fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// Every session once: below its parent where that is known, else at the top, in the order of `rows`.
fn nodes(rows: &[Row]) -> Vec<TreeNode> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        first.entry(&row.id).or_insert(at);
    }
    let mut children: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut roots = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        match row.parent.as_deref().map(|parent| (parent, first.get(parent))) {
            Some((_, Some(parent))) if *parent != at => children.entry(*parent).or_default().push(at),
            Some((_, Some(_))) => roots.push((at, Some("names itself as its parent".to_owned()))),
            Some((parent, None)) => roots.push((at, Some(format!("its parent {parent} is not here")))),
            None => roots.push((at, None)),
        }
    }
    let mut shown = vec![false; rows.len()];
    let mut nodes = Vec::with_capacity(rows.len());
    for (root, note) in roots {
        node(root, note, &children, &mut shown, &mut nodes);
    }
    // What is left has only itself above it.
    for at in 0..rows.len() {
        let note = Some("its parents lead back to it".to_owned());
        node(at, note, &children, &mut shown, &mut nodes);
    }
    nodes
}

/// A session and all below it.
fn node(
    root: usize,
    note: Option<String>,
    children: &BTreeMap<usize, Vec<usize>>,
    shown: &mut [bool],
    nodes: &mut Vec<TreeNode>,
) {
    let mut open = vec![(root, 0, note)];
    while let Some((row, depth, note)) = open.pop() {
        let Some(seen) = shown.get_mut(row).filter(|seen| !**seen) else { continue };
        *seen = true;
        nodes.push(TreeNode { row, depth: depth.min(MAX_DEPTH), note });
        let below = children.get(&row).map_or(&[][..], Vec::as_slice);
        open.extend(below.iter().rev().map(|child| (*child, depth + 1, None)));
    }
}
