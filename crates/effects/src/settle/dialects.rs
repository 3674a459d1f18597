//! Patterns of the programs that search, in one dialect.
//!
//! A pattern that the dialects read differently, and that can't be translated for sure, is not translated at all.

use regex::bytes::{Regex, RegexBuilder};

use super::tracked::Whole;
use crate::regex::has_unlike_class;

/// Longer patterns are not compared with anything.
const LONGEST: usize = 1024;
const PATTERNS: usize = 16;
/// Memory of a compiled pattern.
const SIZE: usize = 1 << 20;

/// The dialect that a program reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Dialect {
    #[default]
    Basic,
    Extended,
    Perl,
    Rust,
    Fixed,
}

/// Patterns of a search, ready to be compared with lines.
#[derive(Debug)]
pub(super) struct Matcher(Regex);

impl Matcher {
    pub(super) fn new(dialect: Dialect, patterns: &[String], ignores_case: bool, whole: Option<Whole>) -> Option<Self> {
        if patterns.is_empty() || patterns.len() > PATTERNS {
            return None;
        }
        let patterns: Option<Vec<String>> = patterns.iter().map(|pattern| dialect.translated(pattern)).collect();
        let any = patterns?.iter().map(|pattern| format!("(?:{pattern})")).collect::<Vec<_>>().join("|");
        let text = match whole {
            None => any,
            Some(Whole::Word) => format!(r"(?:^|\W)(?:{any})(?:\W|$)"),
            Some(Whole::Line) => format!("^(?:{any})$"),
        };
        let mut builder = RegexBuilder::new(&text);
        builder.case_insensitive(ignores_case).size_limit(SIZE).dfa_size_limit(SIZE).nest_limit(64);
        builder.build().ok().map(Self)
    }

    /// A line of the text matches. Of a file that is not text, no search shows a line.
    pub(super) fn is_in(&self, content: &[u8]) -> bool {
        let text = content.strip_suffix(b"\n").unwrap_or(content);
        let mut lines = text.split(|byte| *byte == b'\n');
        !content.contains(&0) && lines.any(|line| self.0.is_match(line.strip_suffix(b"\r").unwrap_or(line)))
    }
}

impl Dialect {
    /// Translates a pattern into the dialect of the `regex` crate; `None`: the translation may differ.
    fn translated(self, pattern: &str) -> Option<String> {
        if pattern.len() > LONGEST || pattern.contains(['\n', '\0']) {
            return None;
        }
        if self == Self::Fixed {
            return Some(regex::escape(pattern));
        }
        let mut translated = String::with_capacity(pattern.len());
        let mut characters = pattern.chars();
        let mut before = None;
        if has_unlike_class(pattern) {
            return None;
        }
        while let Some(character) = characters.next() {
            match character {
                '\\' => self.escaped(characters.next()?, &mut translated)?,
                '[' => {
                    let rest = characters.as_str();
                    let length =
                        rest.char_indices().skip_while(|(at, _)| *at == 0).find(|(_, inside)| *inside == ']')?.0;
                    translated.push('[');
                    translated.push_str(rest.get(..=length)?);
                    characters = rest.get(length + 1..)?.chars();
                }
                '|' | '?' | '+' | '{' | '}' | '(' | ')' if self == Self::Basic => {
                    translated.extend(['\\', character]);
                }
                // Some dialects read a star in first place as a star, and others refuse it.
                '*' if before.is_none_or(|before| matches!(before, '^' | '(' | '|')) => return None,
                '?' if self == Self::Extended && matches!(before, Some('*' | '+' | '?')) => return None,
                // In the basic dialect these stand for themselves inside of a pattern.
                '^' if self == Self::Basic && before.is_some() => return None,
                '$' if self == Self::Basic && !characters.as_str().is_empty() => return None,
                other => translated.push(other),
            }
            before = Some(character);
        }
        Some(translated)
    }

    /// A character behind a backslash.
    fn escaped(self, character: char, translated: &mut String) -> Option<()> {
        match character {
            '|' | '?' | '+' | '{' | '}' | '(' | ')' if self == Self::Basic => translated.push(character),
            '<' | '>' if matches!(self, Self::Basic | Self::Extended) => translated.push_str("\\b"),
            'b' | 'w' | 'W' | 's' | 'S' => translated.extend(['\\', character]),
            'd' | 'D' | 't' if matches!(self, Self::Perl | Self::Rust) => translated.extend(['\\', character]),
            punctuation if punctuation.is_ascii_punctuation() && !matches!(punctuation, '<' | '>') => {
                translated.extend(['\\', punctuation]);
            }
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_they_mean_to_their_program() {
        for (dialect, pattern, line, expected) in [
            (Dialect::Basic, "TOKEN", "API_TOKEN=1", Some(true)),
            (Dialect::Basic, "a|b", "a", Some(false)),
            (Dialect::Basic, r"a\|b", "a", Some(true)),
            (Dialect::Basic, "f(x)", "call f(x)", Some(true)),
            (Dialect::Basic, r"\<key\>", "the key is", Some(true)),
            (Dialect::Basic, "^key", "a key", Some(false)),
            (Dialect::Basic, "[]x]y", "]y", Some(true)),
            (Dialect::Extended, "a|b", "b", Some(true)),
            (Dialect::Extended, r"f\(x\)", "f(x)", Some(true)),
            (Dialect::Extended, "[0-9]{3}", "a 123", Some(true)),
            (Dialect::Rust, r"\d+px", "12px", Some(true)),
            (Dialect::Fixed, "a.b", "axb", Some(false)),
            (Dialect::Fixed, "a.b", "a.b", Some(true)),
            // These are not sure.
            (Dialect::Basic, r"\d", "1", None),
            (Dialect::Basic, "*a", "a", None),
            (Dialect::Basic, r"\(a\)\1", "aa", None),
            (Dialect::Perl, "(?=a)b", "a", None),
            (Dialect::Extended, "[[:alpha:]]x", "ax", None),
            (Dialect::Rust, "a\nb", "a", None),
        ] {
            let matcher = Matcher::new(dialect, &[pattern.to_owned()], false, None);
            let found = matcher.map(|matcher| matcher.is_in(format!("x\n{line}\ny\n").as_bytes()));
            assert_eq!(found, expected, "{dialect:?} {pattern}");
        }
    }

    #[test]
    fn words_and_lines_are_whole_and_binary_files_show_nothing() {
        let matches = |whole, text: &[u8]| {
            Matcher::new(Dialect::Fixed, &["key".to_owned()], true, Some(whole)).unwrap().is_in(text)
        };
        assert!(matches(Whole::Word, b"the KEY=1"));
        assert!(!matches(Whole::Word, b"keys\n"));
        assert!(matches(Whole::Line, b"a\nkey\r\n"));
        assert!(!matches(Whole::Line, b"a key"));
        assert!(!matches(Whole::Word, b"key \0"));
    }
}
