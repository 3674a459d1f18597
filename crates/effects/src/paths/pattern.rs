//! Literal text in path patterns.

/// A literal text as a pattern: metacharacters get a class of their own.
pub fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '*' | '?' | '[') {
            pattern.extend(['[', character, ']']);
        } else {
            pattern.push(character);
        }
    }
    pattern
}

/// The one text a pattern stands for, if it is only one.
pub(crate) fn literal(pattern: &str) -> Option<String> {
    let mut text = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '*' | '?' => return None,
            '[' => {
                let mut class = characters.as_str().chars();
                match (class.next(), class.next()) {
                    (Some(only), Some(']')) if !matches!(only, '!' | '^' | ']' | '/') => {
                        text.push(only);
                        characters = class;
                    }
                    // A bracket that is not closed within its component is literal.
                    _ if characters.as_str().split('/').next().is_some_and(|rest| rest.contains(']')) => return None,
                    _ => text.push('['),
                }
            }
            other => text.push(other),
        }
    }
    Some(text)
}

pub(crate) fn has_metacharacters(pattern: &str) -> bool {
    literal(pattern).is_none()
}
