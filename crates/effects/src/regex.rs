//! Patterns of searches: how much of a file do they show?

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::Purpose;

/// Longer patterns are not parsed.
const LONGEST: usize = 1024;
/// A class of more characters than these says little about a line.
const FEW: u32 = 8;
/// Characters that stand for themselves in no dialect of regular expressions.
const META: &[char] = &['.', '^', '$', '*', '+', '?', '(', ')', '{', '}', '|'];

/// The purpose of a search: one whose pattern can match every line shows whole files.
pub(crate) fn purpose_of_pattern(pattern: &str) -> Purpose {
    if requires_text(pattern) { Purpose::Search } else { Purpose::Whole }
}

/// Some character of the pattern has to be in each line that matches, in every dialect.
fn requires_text(pattern: &str) -> bool {
    // Each line of a pattern is a pattern of its own.
    if pattern.len() > LONGEST || pattern.contains('\n') || QUOTING.iter().any(|part| pattern.contains(part)) {
        return false;
    }
    if has_unlike_class(pattern) {
        return requires_text_in_any_dialect(pattern);
    }
    let basic = basic_as_extended(pattern);
    match (parsed(pattern), basic.as_deref().map(parsed)) {
        (Some(extended), None) => extended,
        (Some(extended), Some(Some(basic))) => extended && basic,
        _ => requires_text_in_any_dialect(pattern),
    }
}

/// Operators that only some dialects have, and that change the meaning of the text behind them.
const QUOTING: &[&str] = &["\\p", "\\P", "\\Q", "\\g", "\\k", "(*", "\\n"];

/// A class that dialects read differently: a backslash, a class or an operation of sets in it.
pub(crate) fn has_unlike_class(pattern: &str) -> bool {
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            '[' => {
                let class: String = characters.by_ref().take_while(|inside| *inside != ']').collect();
                if class.contains(['\\', '[']) || ["&&", "--", "~~"].iter().any(|operator| class.contains(operator)) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// `None`: it is no pattern of the extended dialect.
fn parsed(pattern: &str) -> Option<bool> {
    let hir =
        regex_syntax::ParserBuilder::new().nest_limit(64).unicode(false).utf8(false).build().parse(pattern).ok()?;
    Some(hir_requires_text(&hir))
}

fn hir_requires_text(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(_) => true,
        HirKind::Class(Class::Unicode(class)) => {
            class.iter().map(|range| u32::from(range.end()) - u32::from(range.start()) + 1).sum::<u32>() <= FEW
        }
        HirKind::Class(Class::Bytes(class)) => {
            class.iter().map(|range| u32::from(range.end()) - u32::from(range.start()) + 1).sum::<u32>() <= FEW
        }
        HirKind::Repetition(repetition) => repetition.min > 0 && hir_requires_text(&repetition.sub),
        HirKind::Capture(capture) => hir_requires_text(&capture.sub),
        HirKind::Concat(parts) => parts.iter().any(hir_requires_text),
        HirKind::Alternation(parts) => parts.iter().all(hir_requires_text),
        HirKind::Empty | HirKind::Look(_) => false,
    }
}

/// A pattern of the basic dialect of `grep`, whose operators have a backslash, in the extended one; `None`: it has none.
fn basic_as_extended(pattern: &str) -> Option<String> {
    let mut extended = String::with_capacity(pattern.len());
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        match characters.peek() {
            Some(next) if character == '\\' && "|?+{}()".contains(*next) => {}
            Some(next) if character == '\\' => {
                extended.extend([character, *next]);
                characters.next();
            }
            _ => extended.push(character),
        }
    }
    (extended != pattern).then_some(extended)
}

/// Returns the answer by the characters alone, for a pattern that only some dialects can read.
fn requires_text_in_any_dialect(pattern: &str) -> bool {
    // Groups that look around, counts of none and classes of classes may match anything.
    if ["(?", "{0", "{,", "[\\"].iter().any(|part| pattern.contains(part)) {
        return false;
    }
    pattern.replace("\\|", "|").split('|').all(spells_something)
}

/// Some character of the text has to be in each line that matches.
fn spells_something(text: &str) -> bool {
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let literal = match character {
            '\\' => characters.next().is_some_and(|escaped| !escaped.is_ascii_alphanumeric()),
            '[' => {
                let class: String = characters.by_ref().take_while(|inside| *inside != ']').collect();
                if class.contains('[') {
                    // `[[:alpha:]]`
                    characters.next_if_eq(&']');
                }
                !class.is_empty() && !class.starts_with('^') && !class.contains(['-', ':', '\\', '['])
            }
            other => !META.contains(&other),
        };
        let is_optional = matches!(characters.peek(), Some('*' | '?'));
        if literal && !is_optional {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::purpose_of_pattern;
    use crate::Purpose::{Search, Whole};

    #[test]
    fn patterns_that_match_every_line_show_whole_files() {
        for (pattern, purpose) in [
            ("", Whole),
            (".", Whole),
            ("^", Whole),
            ("$", Whole),
            (".*", Whole),
            ("^.+$", Whole),
            ("x*", Whole),
            ("TODO|", Whole),
            (r"TODO\|", Whole),
            (r"\w", Whole),
            (r"[^x]", Whole),
            (r"[\s\S]", Whole),
            ("x{0}", Whole),
            ("(?=.)", Whole),
            ("[a-z]", Whole),
            ("(.*)", Whole),
            ("(?i)", Whole),
            (r"[\]|.|x]KEY", Whole),
            ("[[a]|.|x]", Whole),
            (r"[x\]\|.\|y]KEY", Whole),
            (r"[\w&&_]", Whole),
            ("[[:print:]]", Whole),
            (r"\Qx\E*", Whole),
            ("(*ACCEPT)x", Whole),
            ("TODO\n", Whole),
            (r"[\s\S]*KEY[\s\S]*", Whole),
            (r"[\w-]+TODO", Whole),
            ("(?:TODO)?", Whole),
            (r"x\{0\}", Whole),
            (r"x\?", Whole),
            (r"\(TODO\)*", Whole),
            ("x{0,2}|TODO", Whole),
            (r"(?m)^\s*", Whole),
            ("(?s).", Whole),
            (r"\pL", Whole),
            ("TODO", Search),
            ("KEY=", Search),
            ("a.*b", Search),
            (r"fn \w+\(", Search),
            ("[xy]", Search),
            ("(?i)todo|fixme-", Search),
            ("stripe.*(?:red|blue)", Search),
            ("Evaluate.{0,20}Impact|evaluate.{0,20}impact", Search),
            (r"\bfoo\b", Search),
            (r"func.*initialize|Base\s*:=", Search),
        ] {
            assert_eq!(purpose_of_pattern(pattern), purpose, "{pattern}");
        }
    }
}
