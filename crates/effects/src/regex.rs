//! Patterns of searches: how much of a file do they show?

use crate::Purpose;

/// Characters that stand for themselves in no dialect of regular expressions.
const META: &[char] = &['.', '^', '$', '*', '+', '?', '(', ')', '{', '}', '|'];

/// The purpose of a search: one whose pattern can match every line shows whole files.
pub(crate) fn purpose_of_pattern(pattern: &str) -> Purpose {
    // Groups that look around, counts of none and classes of classes may match anything.
    if ["(?", "{0", "{,", "[\\"].iter().any(|part| pattern.contains(part)) {
        return Purpose::Whole;
    }
    let is_open = |alternative: &str| !spells_something(alternative);
    if pattern.replace("\\|", "|").split('|').any(is_open) { Purpose::Whole } else { Purpose::Search }
}

/// Some character of the text has to be in each line that matches.
fn spells_something(text: &str) -> bool {
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let literal = match character {
            '\\' => characters.next().is_some_and(|escaped| !escaped.is_ascii_alphanumeric()),
            '[' => {
                let class: String = characters.by_ref().take_while(|inside| *inside != ']').collect();
                !class.is_empty() && !class.starts_with('^') && !class.contains('-') && !class.contains(':')
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
            ("TODO", Search),
            ("KEY=", Search),
            ("a.*b", Search),
            (r"fn \w+\(", Search),
            ("[xy]", Search),
            (r"func.*initialize|Base\s*:=", Search),
        ] {
            assert_eq!(purpose_of_pattern(pattern), purpose, "{pattern}");
        }
    }
}
