//! Settings in front of a text in Markdown.

/// The YAML between two lines of `---`, with an empty line for the first one, so that lines keep their numbers. `None`:
/// there is none.
pub(crate) fn of(text: &str) -> Option<String> {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = bare.split_inclusive('\n');
    lines.next().filter(|line| line.trim_end() == "---")?;
    let mut matter = "\n".to_owned();
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            return Some(matter);
        }
        matter.push_str(line);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn only_what_stands_first_and_ends_is_front_matter() {
        assert_eq!(of("---\na: 1\n---\ntext").as_deref(), Some("\na: 1\n"));
        assert_eq!(of("\u{feff}---\r\na: 1\r\n---\r\n").as_deref(), Some("\na: 1\r\n"));
        assert_eq!(of("---\na: 1\n"), None);
        assert_eq!(of("text\n---\na: 1\n---\n"), None);
    }
}
