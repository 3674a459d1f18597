//! Tables for a terminal.

use super::tree::Glyphs;

/// A line as long as the longest of a table.
pub(super) fn rule(table: &str, glyphs: Glyphs) -> String {
    let width = table.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    if glyphs == Glyphs::Ascii { "-" } else { "─" }.repeat(width)
}

/// Rows as columns, two spaces apart.
pub fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..N).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}
