//! Text of a repository inside of a message: without secrets, on one line, with nothing that hides or moves text.

use std::fmt::Write as _;

use agent_strace_policy::quoted;

/// In backquotes, shortened.
pub(crate) fn shown(text: &str) -> String {
    quoted(&visible(agent_strace_secrets::redact(text).as_str()))
}

/// The words of a command, in backquotes, shortened.
pub(crate) fn shown_words<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let words: Vec<String> =
        agent_strace_secrets::redact_words(words).iter().map(|word| visible(word.as_str())).collect();
    quoted(&words.join(" "))
}

/// Characters that nobody sees are written as escapes: they are what a finding is about.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_whitespace() {
            shown.push(' ');
        } else if is_unseen(character) {
            write!(shown, "\\u{{{:x}}}", u32::from(character)).unwrap_or_default();
        } else {
            shown.push(character);
        }
    }
    shown
}

fn is_unseen(character: char) -> bool {
    matches!(character,
        '\u{1b}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hidden_and_nothing_secret_is_shown() {
        assert_eq!(shown("a\u{200b}b\nc"), "`a\\u{200b}b c`");
        let key = format!("sk-ant-api03-{}", "a1B2".repeat(24));
        assert!(!shown_words(["--api-key", &key]).contains("a1B2"));
    }
}
