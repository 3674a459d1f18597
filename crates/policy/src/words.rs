//! Splits a command pattern into words, as a shell would: quotes group, a backslash takes the next character.

/// `None` when a quote is never closed.
pub fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some('"') | None, '\\') => {
                // Windows paths keep their separators: only what a shell would treat specially is escaped.
                let special = |next: &char| matches!(next, '"' | '\'' | '\\' | ' ' | '$' | '`');
                word.get_or_insert_default().push(characters.next_if(special).unwrap_or('\\'));
            }
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}
