//! Characters that nobody sees and a model reads.

use super::Indicator;
use super::scripts::{breaks_anywhere, is_han, is_picture, is_right_to_left, joins};
use crate::repo_audit::shown::shown;

/// Flags of parts of countries are a black flag and five letters; nothing longer is one.
const FLAG: usize = 7;
/// So many invisible characters in a row are no accident.
const RUN: usize = 4;
/// Of one kind one place is enough to look at all of them.
const MOST: usize = 3;

/// All hidden text of `text`, in its order.
pub(crate) fn hidden(text: &str) -> Vec<Indicator> {
    let mut found = Vec::new();
    for reason in [tags, selectors, directions, zero_width, escapes] {
        found.extend(reason(text).into_iter().take(MOST));
    }
    found.sort_by_key(|indicator: &Indicator| indicator.at);
    found
}

/// Neighbouring characters that a test holds for, with the character before and the one behind.
struct Run<'t> {
    at: usize,
    text: &'t str,
    before: Option<char>,
    after: Option<char>,
}

fn runs(text: &str, is: impl Fn(char) -> bool) -> Vec<Run<'_>> {
    let mut found = Vec::new();
    let (mut before, mut rest, mut at) = (None, text, 0);
    while let Some(start) = rest.find(&is) {
        let (skipped, from) = rest.split_at_checked(start).unwrap_or((rest, ""));
        let end = from.find(|letter| !is(letter)).unwrap_or(from.len());
        super::count(start + end);
        let (run, behind) = from.split_at_checked(end).unwrap_or((from, ""));
        before = skipped.chars().next_back().or(before);
        at += start;
        found.push(Run { at, text: run, before, after: behind.chars().next() });
        at += end;
        before = run.chars().next_back();
        rest = behind;
    }
    found
}

/// ASCII, moved to where nothing is drawn.
fn tags(text: &str) -> Vec<Indicator> {
    let runs = runs(text, |letter| matches!(letter, '\u{e0000}'..='\u{e007f}'));
    let hides = |run: &Run<'_>| {
        let flag =
            run.before == Some('\u{1f3f4}') && run.text.ends_with('\u{e007f}') && run.text.chars().count() <= FLAG;
        if flag {
            return None;
        }
        let said: String = run.text.chars().filter_map(|letter| char::from_u32(u32::from(letter) - 0xe0000)).collect();
        let said: String = said.chars().filter(|letter| !letter.is_control()).collect();
        let what = if said.is_empty() {
            "hides text in tag characters".to_owned()
        } else {
            format!("hides text in tag characters: {}", shown(&said))
        };
        Some(Indicator::strong(run.at, what))
    };
    runs.iter().filter_map(hides).collect()
}

/// Bytes, written as variants of a character: one behind a character is a variant, several are a message.
fn selectors(text: &str) -> Vec<Indicator> {
    let runs = runs(text, |letter| matches!(letter, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}'));
    let hides = |run: &Run<'_>| {
        let several = run.text.chars().nth(1).is_some();
        let ideographic = run.text.starts_with(|letter| letter >= '\u{e0100}');
        let stray = ideographic && !run.before.is_some_and(|letter| is_han(letter) || breaks_anywhere(letter));
        if !several && !stray {
            return None;
        }
        let bytes = run.text.chars().filter_map(|letter| match u32::from(letter) {
            small @ 0xfe00..=0xfe0f => u8::try_from(small - 0xfe00).ok(),
            large => u8::try_from(large.checked_sub(0xe0100)? + 16).ok(),
        });
        let bytes: Vec<u8> = bytes.collect();
        let said = String::from_utf8(bytes).ok().filter(|said| said.len() > 2 && !said.contains(char::is_control));
        let said = said.map_or_else(String::new, |said| format!(": {}", shown(&said)));
        Some(Indicator::strong(run.at, format!("hides text in variation selectors{said}")))
    };
    runs.iter().filter_map(hides).collect()
}

/// What turns the direction of text where no text of that direction is.
fn directions(text: &str) -> Vec<Indicator> {
    let (mut found, mut at) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let turns =
            line.char_indices().find(|(_, letter)| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'));
        let forces = line.char_indices().find(|(_, letter)| matches!(letter, '\u{202d}' | '\u{202e}'));
        let honest = line.chars().any(is_right_to_left);
        if let Some((location, _)) = forces.or(turns.filter(|_| !honest)) {
            found.push(Indicator::strong(
                at + location,
                "changes the direction of text so that it reads as something else",
            ));
        }
        at += line.len();
    }
    found
}

/// Joiners, breaks and fillers without an honest use where they stand.
fn zero_width(text: &str) -> Vec<Indicator> {
    let has_right_to_left = text.chars().any(is_right_to_left);
    let runs = runs(text, is_zero_width);
    let hides = |run: &Run<'_>| {
        let count = run.text.chars().count();
        let hidden = count >= RUN || is_out_of_place(run, has_right_to_left);
        hidden.then(|| {
            let what = if count >= RUN {
                format!("hides text in {count} characters in a row that nobody sees")
            } else {
                "splits words with characters that nobody sees".to_owned()
            };
            Indicator::strong(run.at, what)
        })
    };
    runs.iter().filter_map(hides).collect()
}

fn is_zero_width(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}')
}

/// Inside of a word of letters that know no such characters.
fn is_out_of_place(run: &Run<'_>, has_right_to_left: bool) -> bool {
    let letters = |test: fn(char) -> bool| run.before.is_some_and(test) || run.after.is_some_and(test);
    let inside = run.before.is_some_and(char::is_alphanumeric) && run.after.is_some_and(char::is_alphanumeric);
    let one = |letter: char| match letter {
        // A hyphen that shows where a word may be broken.
        '\u{ad}' => run.text.chars().nth(1).is_some(),
        '\u{200c}' | '\u{200d}' => inside && !letters(joins) && !letters(is_picture),
        '\u{200b}' | '\u{2060}' | '\u{feff}' => inside && !letters(breaks_anywhere),
        '\u{200e}' | '\u{200f}' | '\u{61c}' => inside && !has_right_to_left,
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => !letters(breaks_anywhere),
        _ => inside && !letters(joins),
    };
    run.text.chars().any(one)
}

/// Sequences by which a terminal hides, moves or overwrites text.
fn escapes(text: &str) -> Vec<Indicator> {
    let starts = text.char_indices().filter(|(_, letter)| matches!(letter, '\u{1b}' | '\u{9b}' | '\u{8}'));
    let first = starts.take(1).map(|(at, _)| Indicator::strong(at, "hides text from terminals with control sequences"));
    first.collect()
}
