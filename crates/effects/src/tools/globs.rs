//! Globs of tools (`Glob`, `read_many_files`, include filters) → the dialect of `PathTarget`.

use crate::paths;

/// Alternatives of one glob; beyond this the choice becomes unknown text.
const ALTERNATIVES: usize = 64;

/// The patterns a tool's glob stands for. `{a,b}` is spelled out, `\x` is literal, `!(…)` and relatives are unknown.
pub(crate) fn alternatives(glob: &str) -> Vec<String> {
    let mut open = vec![without_extended(glob)];
    let mut done = Vec::new();
    while let Some(glob) = open.pop() {
        match brace(&glob) {
            None => done.push(unescaped(&glob)),
            Some((before, choices, after)) => {
                let too_many = open.len() + done.len() + choices.len() > ALTERNATIVES;
                if too_many {
                    open.push(format!("{before}**{after}"));
                } else {
                    open.extend(choices.iter().rev().map(|choice| format!("{before}{choice}{after}")));
                }
            }
        }
    }
    done
}

/// The first innermost-free brace group: what is before it, its choices, what follows.
fn brace(glob: &str) -> Option<(&str, Vec<&str>, &str)> {
    let (mut depth, mut start, mut cuts) = (0_u32, None, Vec::new());
    let mut escaped = false;
    for (at, character) in glob.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' => {
                depth += 1;
                start = start.or(Some(at));
            }
            ',' if depth == 1 => cuts.push(at),
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    let (open, close) = (start.take()?, at);
                    if cuts.is_empty() {
                        continue;
                    }
                    return Some((glob.get(..open)?, choices(glob, open, &cuts, close), glob.get(close + 1..)?));
                }
            }
            _ => {}
        }
    }
    None
}

fn choices<'g>(glob: &'g str, open: usize, cuts: &[usize], close: usize) -> Vec<&'g str> {
    let starts = std::iter::once(open).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([close]);
    starts.zip(ends).filter_map(|(start, end)| glob.get(start + 1..end)).collect()
}

/// `@(a|b)`, `!(x)`, `+(x)`, `*(x)`, `?(x)` → `**`.
fn without_extended(glob: &str) -> String {
    let mut plain = String::with_capacity(glob.len());
    let mut rest = glob;
    while let Some(at) = rest.find('(') {
        let (before, group) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let Some(head) = before.strip_suffix(['@', '!', '+', '*', '?']) else {
            plain.push_str(before);
            plain.push('(');
            rest = group.get(1..).unwrap_or_default();
            continue;
        };
        plain.push_str(head);
        plain.push_str("**");
        rest = group.find(')').and_then(|end| group.get(end + 1..)).unwrap_or_default();
    }
    plain.push_str(rest);
    plain
}

fn unescaped(glob: &str) -> String {
    let mut pattern = String::with_capacity(glob.len());
    let mut characters = glob.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some(literal) => pattern.push_str(&paths::escaped(literal.encode_utf8(&mut [0; 4]))),
                None => pattern.push('\\'),
            },
            other => pattern.push(other),
        }
    }
    pattern
}

/// A pattern below a directory; an absolute pattern stands for itself.
pub(super) fn below(directory: Option<&str>, pattern: &str) -> String {
    let drive = pattern.get(1..3).is_some_and(|colon| matches!(colon, ":/" | ":\\"));
    match directory {
        Some(directory) if !pattern.starts_with(['/', '~']) && !drive => {
            format!("{}/{pattern}", paths::escaped(directory).trim_end_matches('/'))
        }
        _ => pattern.to_owned(),
    }
}
