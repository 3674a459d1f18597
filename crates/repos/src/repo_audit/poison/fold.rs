//! Text as a model understands it: without what nobody sees, every letter in its plainest form.

use unicode_normalization::UnicodeNormalization;

/// A text that can be compared, each byte with the place that it is from.
pub(super) struct Folded {
    /// ASCII only, in its case; anything else is `\u{1}`. Blanks are one, lines stay lines.
    pub(super) text: String,
    locations: Vec<usize>,
}

impl Folded {
    pub(super) fn of(text: &str) -> Self {
        let mut folded = Self { text: String::with_capacity(text.len()), locations: Vec::with_capacity(text.len()) };
        for (at, character) in text.char_indices().filter(|(_, character)| !is_invisible(*character)) {
            if character.is_ascii() {
                folded.push(at, character);
            } else {
                std::iter::once(character).nfkc().map(plain).for_each(|character| folded.push(at, character));
            }
        }
        folded
    }

    fn push(&mut self, at: usize, character: char) {
        let last = self.text.as_bytes().last().copied();
        let character = match character {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => '\n',
            // Emphasis says nothing.
            '*' | '`' => return,
            other if other.is_whitespace() => ' ',
            other if other.is_ascii() => other,
            _ => '\u{1}',
        };
        if character == ' ' && matches!(last, Some(b' ' | b'\n')) || character == '\n' && last == Some(b'\n') {
            return;
        }
        self.text.push(character);
        self.locations.push(at);
    }

    /// Where a byte of the folded text comes from.
    pub(super) fn location(&self, at: usize) -> usize {
        self.locations.get(at).copied().unwrap_or(0)
    }
}

/// Letters of other scripts that look like Latin ones, and quotation marks.
fn plain(character: char) -> char {
    match character {
        'а' | 'α' | 'ɑ' => 'a',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'с' | 'ϲ' => 'c',
        'С' => 'C',
        'ԁ' => 'd',
        'е' | 'ё' | 'ε' => 'e',
        'Е' | 'Ε' => 'E',
        'ɡ' => 'g',
        'һ' => 'h',
        'Н' | 'Η' => 'H',
        'і' | 'ι' | 'ı' => 'i',
        'І' | 'Ι' => 'I',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'К' | 'Κ' => 'K',
        'М' | 'Μ' => 'M',
        'Ν' => 'N',
        'о' | 'ο' | 'օ' => 'o',
        'О' | 'Ο' => 'O',
        'р' | 'ρ' => 'p',
        'Р' | 'Ρ' => 'P',
        'ѕ' => 's',
        'Ѕ' => 'S',
        'т' | 'τ' => 't',
        'Т' | 'Τ' => 'T',
        'υ' | 'ս' => 'u',
        'ν' | 'ѵ' => 'v',
        'х' | 'χ' => 'x',
        'Х' | 'Χ' => 'X',
        'у' | 'γ' => 'y',
        'У' | 'Υ' => 'Y',
        '\u{2018}' | '\u{2019}' | '\u{2bc}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        '\u{2010}'..='\u{2015}' => '-',
        other => other,
    }
}

/// Characters that change how a text looks at most, never what it says.
pub(super) fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{8}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
