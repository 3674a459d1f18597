//! Text of cmd.exe → pieces: where a command ends, its words, its redirections.

use crate::command::argument::{Arg, Known};
use crate::command::write_mode::WriteMode;

/// Stands for text that is not known.
pub(super) const UNKNOWN: char = '\u{E000}';
pub(super) const UNKNOWN_TEXT: &str = "\u{E000}";
/// Stands in a word that is a pattern, for which a loop puts in each file that it matches.
pub(super) const PATTERN: char = '\u{E001}';

/// A word, and whether a part of it stood in quotes.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) word: Arg,
    pub(super) quoted: bool,
}

/// The pieces of one command.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    pub(super) words: Vec<Piece>,
    pub(super) outputs: Vec<(Arg, WriteMode)>,
    pub(super) inputs: Vec<Arg>,
    /// The text without redirections and escapes.
    pub(super) plain: String,
}

/// The mark that ends a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Terminator {
    Pipe,
    Other,
}

/// Yields the characters that stand outside of quotes and behind no `^`, with their offsets.
fn bare(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quoted = false;
    let mut characters = text.char_indices();
    std::iter::from_fn(move || {
        loop {
            match characters.next()? {
                (_, '"') => quoted = !quoted,
                // A quote ends with its line.
                (at, '\n') => {
                    quoted = false;
                    return Some((at, '\n'));
                }
                (_, '^') if !quoted => {
                    characters.next();
                }
                (at, character) if !quoted => return Some((at, character)),
                _ => {}
            }
        }
    })
}

/// Splits the first command off the text; returns it, its end, and the rest.
pub(super) fn first(text: &str) -> (&str, Terminator, &str) {
    let mut before = ' ';
    for (at, character) in bare(text) {
        let is_end = match character {
            '&' => !matches!(before, '>' | '<'),
            '|' | '\n' => true,
            _ => false,
        };
        if is_end {
            let (segment, rest) = text.split_at_checked(at).unwrap_or((text, ""));
            let rest = rest.get(1..).unwrap_or_default();
            let is_pipe = character == '|' && !rest.starts_with('|');
            let rest = rest.strip_prefix(['|', '&']).filter(|_| character != '\n').unwrap_or(rest);
            return (segment, if is_pipe { Terminator::Pipe } else { Terminator::Other }, rest);
        }
        before = character;
    }
    (text, Terminator::Other, "")
}

/// Splits the text at the bracket that closes it. Returns `None` if no bracket does.
pub(super) fn closed(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    for (at, character) in bare(text) {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return Some((text.get(..at)?, text.get(at + 1..)?)),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Splits the first line off the text.
pub(super) fn line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// Splits the first word off the text and keeps its quotes.
pub(super) fn token(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = bare(text).find(|(_, character)| character.is_whitespace()).map_or(text.len(), |(at, _)| at);
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Takes `word` from the start of the text; returns `None` if the text starts otherwise.
pub(super) fn after<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(word.len())?;
    let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
    (head.eq_ignore_ascii_case(word) && ends).then_some(rest)
}

/// Skips the condition at the start of a text that stands behind `if`; returns the rest.
pub(super) fn condition(text: &str) -> &str {
    let mut rest = text;
    loop {
        let (word, behind) = token(rest);
        match word.to_ascii_lowercase().as_str() {
            "not" | "/i" => rest = behind,
            "exist" | "defined" | "errorlevel" | "cmdextversion" => return token(behind).1,
            _ => break,
        }
    }
    rest = rest.trim_start();
    let end = bare(rest).find(|(_, c)| c.is_whitespace() || *c == '=').map_or(rest.len(), |(at, _)| at);
    let behind = rest.get(end..).unwrap_or_default().trim_start();
    match behind.strip_prefix("==") {
        Some(right) => token(right).1,
        None => token(token(behind).1).1,
    }
}

/// Makes a word of a text. The text has the mark `UNKNOWN` in place of each unknown part.
pub(super) fn word(text: &str) -> Arg {
    if !text.contains(UNKNOWN) {
        return if text.contains(PATTERN) { Arg::glob(text.replace(PATTERN, "")) } else { Arg::exact(text) };
    }
    let text = text.replace(PATTERN, "");
    let likely: String = text.chars().filter(|character| *character != UNKNOWN).collect();
    let readings = if likely.is_empty() { Vec::new() } else { vec![likely.clone()] };
    let known = if likely.is_empty() { Known::Not } else { Known::Partly };
    let shown = text.replace(UNKNOWN, if likely.is_empty() { "%?%" } else { "**" });
    Arg { readings, known, likely: Some(likely), tilde: false, ..Arg::exact(shown) }
}

/// Writes a word as a text and puts the mark `UNKNOWN` in place of each unknown part.
pub(super) fn marked(word: &Arg) -> String {
    match (&word.likely, word.known) {
        (Some(likely), Known::Partly | Known::Not) => format!("{UNKNOWN}{likely}"),
        _ => word.text.clone(),
    }
}

/// The use of the next word.
#[derive(Debug, Clone, Copy)]
enum Place {
    Word,
    Output(WriteMode),
    Input,
}

#[derive(Debug, Default)]
struct Divider {
    pieces: Pieces,
    text: String,
    started: bool,
    quoted: bool,
}

impl Divider {
    fn flush(&mut self, place: &mut Place) {
        if !std::mem::take(&mut self.started) {
            return;
        }
        let word = word(&std::mem::take(&mut self.text));
        let quoted = std::mem::take(&mut self.quoted);
        match std::mem::replace(place, Place::Word) {
            Place::Word => self.pieces.words.push(Piece { word, quoted }),
            Place::Output(mode) => self.pieces.outputs.push((word, mode)),
            Place::Input => self.pieces.inputs.push(word),
        }
    }
}

/// Divides the text of one command into its pieces.
pub(super) fn divide(text: &str) -> Pieces {
    let mut divider = Divider::default();
    let mut place = Place::Word;
    let mut in_quotes = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let plain = matches!(place, Place::Word);
        match character {
            '"' => {
                in_quotes = !in_quotes;
                divider.started = true;
                divider.quoted = true;
                if plain {
                    divider.pieces.plain.push('"');
                }
                continue;
            }
            '^' if !in_quotes => {
                let Some(escaped) = characters.next().filter(|next| !matches!(next, '\n' | '\r')) else { continue };
                divider.started = true;
                divider.text.push(escaped);
                if plain {
                    divider.pieces.plain.push(escaped);
                }
                continue;
            }
            '>' | '<' if !in_quotes => {
                if divider.text.len() == 1 && divider.text.ends_with(|c: char| c.is_ascii_digit()) && !divider.quoted {
                    divider.text.clear();
                    divider.started = false;
                    divider.pieces.plain.pop();
                }
                divider.flush(&mut place);
                let again = characters.next_if_eq(&character).is_some();
                if characters.next_if_eq(&'&').is_some() {
                    characters.next();
                } else if character == '<' {
                    place = Place::Input;
                } else {
                    place = Place::Output(if again { WriteMode::Append } else { WriteMode::Replace });
                }
                continue;
            }
            space if space.is_whitespace() && !in_quotes => {
                divider.flush(&mut place);
            }
            other => {
                divider.started = true;
                divider.text.push(other);
            }
        }
        if plain {
            divider.pieces.plain.push(character);
        }
    }
    divider.flush(&mut place);
    divider.pieces
}
