//! Pieces of PowerShell text: strings, names, brackets, and what separates statements and arguments.

/// The text of a string in single quotes, from behind the first one, and what follows it.
pub(super) fn single(text: &str) -> Option<(String, &str)> {
    let mut string = String::new();
    let mut left = text;
    loop {
        let (before, after) = left.split_once('\'')?;
        string.push_str(before);
        match after.strip_prefix('\'') {
            Some(rest) => {
                string.push('\'');
                left = rest;
            }
            None => return Some((string, after)),
        }
    }
}

/// The body of a string in double quotes, from behind the first one, and what follows it. Quotes within `$( … )` are its own.
pub(super) fn double(text: &str) -> Option<(String, &str)> {
    let mut body = String::new();
    let mut depth = 0_usize;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' if depth == 0 && characters.as_str().starts_with('"') => {
                characters.next();
                body.push_str("`\"");
            }
            '"' if depth == 0 => return Some((body, characters.as_str())),
            '`' => {
                body.push('`');
                body.extend(characters.next());
            }
            other => {
                depth += usize::from(other == '(' && (depth > 0 || body.ends_with('$')));
                depth -= usize::from(other == ')' && depth > 0);
                body.push(other);
            }
        }
    }
    None
}

/// `@'…'@`, `@"…"@`: the text, whether variables in it count, and what follows.
pub(super) fn here(text: &str) -> Option<(&str, bool, &str)> {
    let text = text.strip_prefix('@')?;
    let quote = text.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    let (_, body) = text.split_once('\n')?;
    let end = if quote == '"' { "\n\"@" } else { "\n'@" };
    let (text, rest) = match body.strip_prefix(end.trim_start()) {
        Some(rest) => ("", rest),
        None => body.split_once(end).unwrap_or((body, "")),
    };
    Some((text, quote == '"', rest))
}

/// Puts what a backtick and the start of `text` stand for into `into`; returns the rest.
pub(super) fn escape<'t>(text: &'t str, into: &mut String) -> &'t str {
    let mut characters = text.chars();
    match characters.next() {
        Some('n') => into.push('\n'),
        Some('t') => into.push('\t'),
        other => into.extend(other),
    }
    characters.as_str()
}

/// Characters of a name.
const NAME: usize = 256;

/// The name before `end`, and what follows that.
pub(super) fn until(text: &str, end: char) -> Option<(&str, &str)> {
    let (at, _) = text.char_indices().take(NAME).find(|(_, character)| *character == end)?;
    Some((text.get(..at)?, text.get(at + end.len_utf8()..)?))
}

/// In lower case, and what follows it.
pub(super) fn variable_name(text: &str) -> (String, &str) {
    if let Some((name, rest)) = text.strip_prefix('{').and_then(|text| until(text, '}')) {
        return (name.to_lowercase(), rest);
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':' || c == '?')).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    (name.to_lowercase(), rest)
}

/// The characters that stand in no quotes and behind no backtick, with their offsets.
fn bare(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quote = None;
    let mut characters = text.char_indices();
    std::iter::from_fn(move || {
        loop {
            let (at, character) = characters.next()?;
            match quote {
                Some(end) if character == end => quote = None,
                Some('"') | None if character == '`' => {
                    characters.next();
                }
                None if matches!(character, '\'' | '"') => quote = Some(character),
                None => return Some((at, character)),
                Some(_) => {}
            }
        }
    })
}

/// Splits the text at the bracket that closes.
pub(super) fn closed(text: &str, open: char, close: char) -> (&str, &str) {
    let mut depth = 0_usize;
    for (at, character) in bare(text) {
        if character == open {
            depth += 1;
        } else if character == close && depth == 0 {
            return (text.get(..at).unwrap_or(text), text.get(at + close.len_utf8()..).unwrap_or(""));
        } else if character == close {
            depth -= 1;
        }
    }
    (text, "")
}

/// The arguments of a method, as they are separated.
pub(super) fn parts(text: &str) -> Vec<&str> {
    divided(text, |character| character == ',')
}

/// The entries of a table.
pub(super) fn statements(text: &str) -> Vec<&str> {
    divided(text, |character| matches!(character, ';' | '\n'))
}

/// The parts of `text` between separators that stand in no brackets and no quotes.
fn divided(text: &str, separates: impl Fn(char) -> bool) -> Vec<&str> {
    let (mut depth, mut from) = (0_usize, 0);
    let mut parts = Vec::new();
    for (at, character) in bare(text) {
        match character {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 && separates(character) => {
                parts.push(text.get(from..at).unwrap_or_default());
                from = at + character.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text.get(from..).unwrap_or_default());
    parts
}

/// `=` or `+=` stands here.
pub(super) fn starts_assignment(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with('=') && !rest.starts_with("==") || rest.starts_with("+=")
}
