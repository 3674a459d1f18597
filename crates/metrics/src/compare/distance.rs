//! How far two things are apart.

use std::collections::BTreeMap;

/// Longer lists are compared by their first so many items: the work grows with the square.
const LONGEST: usize = 2_000;

/// Insertions, deletions and replacements that make one list the other.
pub(super) fn edits<T: PartialEq>(one: &[T], other: &[T]) -> usize {
    let (one, other) = (one.get(..LONGEST).unwrap_or(one), other.get(..LONGEST).unwrap_or(other));
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, left) in one.iter().enumerate() {
        let mut next = vec![at + 1];
        let mut diagonal_and_above = row.iter().zip(row.iter().skip(1));
        for right in other {
            let Some((diagonal, above)) = diagonal_and_above.next() else { break };
            let before = next.last().copied().unwrap_or(at);
            let replaced = diagonal + usize::from(left != right);
            next.push(replaced.min(above + 1).min(before + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

/// Pairs of places of a longest common subsequence; ties advance the first list.
pub(super) fn common<T: PartialEq>(one: &[T], other: &[T]) -> Vec<(usize, usize)> {
    let (one, other) = (one.get(..LONGEST).unwrap_or(one), other.get(..LONGEST).unwrap_or(other));
    // Lengths of what is common to the rests, from the end on.
    let mut rows: Vec<Vec<usize>> = vec![vec![0; other.len() + 1]];
    for left in one.iter().rev() {
        let below = rows.last().cloned().unwrap_or_default();
        let mut row = vec![0; other.len() + 1];
        for (at, right) in other.iter().enumerate().rev() {
            let of = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(0);
            let length = if left == right { of(&below, at + 1) + 1 } else { of(&below, at).max(of(&row, at + 1)) };
            if let Some(cell) = row.get_mut(at) {
                *cell = length;
            }
        }
        rows.push(row);
    }
    rows.reverse();
    let length = |left: usize, right: usize| rows.get(left).and_then(|row| row.get(right)).copied().unwrap_or(0);
    let (mut left, mut right, mut pairs) = (0, 0, Vec::new());
    while let (Some(one), Some(other)) = (one.get(left), other.get(right)) {
        if one == other {
            pairs.push((left, right));
            (left, right) = (left + 1, right + 1);
        } else if length(left + 1, right) >= length(left, right + 1) {
            left += 1;
        } else {
            right += 1;
        }
    }
    pairs
}

/// The Jensen-Shannon divergence of two distributions, from 0 for the same to 1 for nothing in common.
pub(super) fn divergence(one: &BTreeMap<String, f64>, other: &BTreeMap<String, f64>) -> f64 {
    let (whole, others) = (one.values().sum::<f64>(), other.values().sum::<f64>());
    if whole <= 0.0 || others <= 0.0 {
        // Nothing at all beside something is as far apart as can be.
        return if whole <= 0.0 && others <= 0.0 { 0.0 } else { 1.0 };
    }
    let share = |of: &BTreeMap<String, f64>, key: &str, all: f64| of.get(key).copied().unwrap_or(0.0) / all;
    let keys: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let part = |share: f64, mean: f64| if share > 0.0 { share * (share / mean).log2() } else { 0.0 };
    let sum: f64 = keys
        .into_iter()
        .map(|key| {
            let (left, right) = (share(one, key, whole), share(other, key, others));
            let mean = f64::midpoint(left, right);
            f64::midpoint(part(left, mean), part(right, mean))
        })
        .sum();
    sum.clamp(0.0, 1.0)
}
