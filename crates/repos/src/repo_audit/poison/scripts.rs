//! Which script a letter is of, as far as invisible characters have an honest use in it.

/// Letters that join or that are broken by invisible characters: Arabic, Hebrew's neighbours, the scripts of India and
/// of South East Asia, Mongolian.
pub(super) fn joins(letter: char) -> bool {
    matches!(letter,
        '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{109f}' | '\u{1700}'..='\u{18af}' | '\u{1900}'..='\u{1aff}'
        | '\u{1b00}'..='\u{1c4f}' | '\u{a840}'..='\u{a87f}' | '\u{a880}'..='\u{aaff}' | '\u{abc0}'..='\u{abff}'
        | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10a00}'..='\u{10fff}' | '\u{11000}'..='\u{11fff}'
        | '\u{1e900}'..='\u{1e95f}')
}

/// Letters between which a line may be broken without a blank.
pub(super) fn breaks_anywhere(letter: char) -> bool {
    joins(letter)
        || is_han(letter)
        || matches!(letter, '\u{3000}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}' | '\u{ff00}'..='\u{ffef}')
}

pub(super) fn is_han(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{2fdf}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// Written from right to left.
pub(super) fn is_right_to_left(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// Pictures, and what changes their colour or their style.
pub(super) fn is_picture(letter: char) -> bool {
    matches!(letter,
        '\u{a9}' | '\u{ae}' | '\u{203c}'..='\u{3299}' | '\u{fe0e}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

/// Whether a word has Latin letters beside those of a script that is taken for Latin.
pub(super) fn is_mixed(text: &str) -> bool {
    let words = text.split(|letter: char| !letter.is_alphabetic());
    words.into_iter().any(|word| {
        let latin = word.chars().any(|letter| letter.is_ascii_alphabetic());
        let other = word
            .chars()
            .any(|letter| matches!(letter, '\u{370}'..='\u{52f}' | '\u{531}'..='\u{58f}' | '\u{13a0}'..='\u{13ff}'));
        latin && other
    })
}
