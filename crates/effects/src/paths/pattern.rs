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

/// A glob whose wildcards match dots in first place, too.
pub(crate) fn dotted(pattern: &str) -> String {
    let component = |component: &str| match component.strip_prefix('*') {
        Some("") => "***".to_owned(),
        Some(rest) if !rest.starts_with('*') => format!("**{rest}"),
        None if component.starts_with(['?', '[']) => format!("**{component}"),
        _ => component.to_owned(),
    };
    pattern.split('/').map(component).collect::<Vec<_>>().join("/")
}

/// The hidden names that a glob matches where its wildcards match dots in first place, too; nothing if no wildcard stands
/// there.
pub(crate) fn hidden(pattern: &str) -> Option<String> {
    let (directory, name) =
        pattern.rsplit_once('/').map_or((None, pattern), |(directory, name)| (Some(directory), name));
    let is_wild = |component: &str| component.starts_with(['*', '?', '[']) && !component.starts_with("**");
    let components = directory.into_iter().flat_map(|directory| directory.split('/'));
    let directories: Vec<&str> =
        components.clone().map(|component| if is_wild(component) { "**" } else { component }).collect();
    let name = is_wild(name).then(|| match name.strip_prefix('?') {
        Some(rest) => format!(".{rest}"),
        None if name.starts_with('*') => format!(".{name}"),
        None => format!(".{}", name.split_once(']').map_or("*", |(_, rest)| rest)),
    });
    if name.is_none() && components.eq(directories.iter().copied()) {
        return None;
    }
    let name = name.unwrap_or_else(|| pattern.rsplit('/').next().unwrap_or(pattern).to_owned());
    Some(directories.into_iter().map(str::to_owned).chain([name]).collect::<Vec<_>>().join("/"))
}
