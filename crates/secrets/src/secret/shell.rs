//! Words of a shell command, and whether one of them is the name of a program.

use super::text::{at, before, ceil, floor, is_space, looked_at, piece, run_before};

/// How much of a command is looked at, as a power of two: options of programs come first, and who asks at every word must
/// not look far.
pub(super) const FAR: usize = 1 << 11;
/// How far back the start of a command is looked for.
const BACK: usize = 300;
/// The most bytes of a place holder such as `<password>`.
const PLACE_HOLDER: usize = 40;

/// A word of a command, without its quotes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'t> {
    pub(super) start: usize,
    pub(super) text: &'t str,
}

impl<'t> Word<'t> {
    pub(super) fn is_option(&self) -> bool {
        self.text.starts_with('-')
    }

    /// The word from its last part on, of which some bytes are left out.
    pub(super) fn from(&self, part: &'t str, skipped: usize) -> Self {
        let start = self.start + (self.text.len() - part.len()) + skipped;
        Word { start, text: part.get(skipped..).unwrap_or_default() }
    }
}

/// The words of a command from an offset to its end, without redirections. Quotes around a word, or around the value that
/// is glued to an option, are not part of it.
pub(super) fn words(text: &str, start: usize) -> impl Iterator<Item = Word<'_>> {
    let limit = floor(text, start + FAR);
    let first = step(text, start, limit);
    std::iter::successors(first, move |last| step(text, last.end, limit)).filter_map(|step| step.word)
}

/// A part of a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'t> {
    /// `None`: a redirection.
    pub(super) word: Option<Word<'t>>,
    pub(super) end: usize,
}

/// The part of a command that begins at an offset or behind the blanks there. `None`: the command ends.
pub(super) fn step(text: &str, from: usize, limit: usize) -> Option<Step<'_>> {
    let start = skip_blanks(text, from, limit);
    let end = word_end(text, start, limit);
    let word = piece(text, start, floor(text, end));
    let is_redirection = redirects(text, end, limit) && word.bytes().all(|byte| byte.is_ascii_digit());
    let end = if is_redirection { redirection_end(text, end, limit) } else { end };
    looked_at(end - from);
    if is_redirection {
        return Some(Step { word: None, end });
    }
    (!word.is_empty()).then(|| Step { word: Some(unquoted(word, start)), end })
}

fn skip_blanks(text: &str, mut index: usize, limit: usize) -> usize {
    while index < limit
        && (at(text, index) != b'\n' && is_space(at(text, index))
            || at(text, index) == b'\\' && at(text, index + 1) == b'\n')
    {
        index += 1 + usize::from(at(text, index) == b'\\');
    }
    index.min(limit)
}

/// Where a word ends. A substitution and a place holder belong to it.
pub(super) fn word_end(text: &str, start: usize, limit: usize) -> usize {
    let mut index = start + place_holder(text, start);
    let mut quote = 0;
    while index < limit {
        match at(text, index) {
            b'\\' if quote != b'\'' => index += 1,
            byte if quote != 0 && byte == quote => quote = 0,
            byte @ (b'"' | b'\'') if quote == 0 => quote = byte,
            b'$' if quote == 0 && at(text, index + 1) == b'(' => index = substitution_end(text, index + 1, limit),
            // One that follows a word ends the command that is written between two of them.
            b'`' if quote == 0 && index == start => match closing_backtick(text, index, limit) {
                Some(end) => index = end,
                None => break,
            },
            byte if quote == 0 && (is_space(byte) || b";|&()`<>".contains(&byte)) => break,
            _ => {}
        }
        index += 1;
    }
    index.min(limit)
}

/// The offset of the `)` that belongs to a `(`, or the last offset before the limit.
fn substitution_end(text: &str, open: usize, limit: usize) -> usize {
    let mut depth = 0_usize;
    for index in open..limit {
        match at(text, index) {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b'\n' => return index - 1,
            _ => {}
        }
        if depth == 0 {
            return index;
        }
    }
    limit
}

fn closing_backtick(text: &str, open: usize, limit: usize) -> Option<usize> {
    (open + 1..limit).take_while(|index| at(text, *index) != b'\n').find(|index| at(text, *index) == b'`')
}

/// The bytes of `<password>`, which is no redirection.
fn place_holder(text: &str, start: usize) -> usize {
    if at(text, start) != b'<' || !at(text, start + 1).is_ascii_alphabetic() {
        return 0;
    }
    let near = (1..PLACE_HOLDER).map(|length| (length, at(text, start + length)));
    let mut inner = near.skip_while(|(_, byte)| byte.is_ascii_alphanumeric() || b"-_ ".contains(byte));
    inner.next().filter(|(_, byte)| *byte == b'>').map_or(0, |(length, _)| length + 1)
}

fn redirects(text: &str, index: usize, limit: usize) -> bool {
    let is_arrow = |index| matches!(at(text, index), b'<' | b'>');
    let is_both = at(text, index) == b'&' && at(text, index + 1) == b'>';
    index < limit && (is_arrow(index) && place_holder(text, index) == 0 || is_both)
}

/// Where `< file`, `2>&1` or `<<< word` ends.
fn redirection_end(text: &str, mut index: usize, limit: usize) -> usize {
    while index < limit && matches!(at(text, index), b'<' | b'>' | b'&' | b'|') {
        index += 1;
    }
    if at(text, index) == b'(' {
        return (substitution_end(text, index, limit) + 1).min(limit);
    }
    word_end(text, skip_blanks(text, index, limit), limit)
}

/// A word that starts at an offset, without its quotes.
pub(super) fn unquoted(word: &str, start: usize) -> Word<'_> {
    match word.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let inner = word.get(1..).unwrap_or_default();
            Word { start: start + 1, text: inner.strip_suffix(quote).unwrap_or(inner) }
        }
        _ => Word { start, text: word },
    }
}

/// Whether a shell would run the word at an offset: it starts a command, or follows a program that runs others.
pub(super) fn is_program(text: &str, name: usize) -> bool {
    let path = run_before(text, name, BACK, |byte| !is_space(byte) && !b"\"'`;&|(){}=".contains(&byte));
    let mut start = ceil(text, name - path);
    // `--network=mysql`, `HEAD:mysql`: only a path may stand before the name.
    if path > 0 && !matches!(before(text, name), b'/' | b'\\') || before(text, start) == b'=' {
        return false;
    }
    if matches!(before(text, start), b'"' | b'\'') {
        let near = piece(text, name, floor(text, name + BACK));
        let closes = near.find(['"', '\'', ' ']);
        if closes.is_none_or(|length| at(text, name + length) != before(text, start)) {
            return true;
        }
        start -= 1;
    }
    let Some(from) = command_start(text, start) else { return false };
    let before: Vec<&str> = words(text, from).take_while(|word| word.start < start).map(|word| word.text).collect();
    super::wrapper::leaves_a_program(&before)
}

/// Where the command starts that goes on at an offset. `None`: too far away.
fn command_start(text: &str, end: usize) -> Option<usize> {
    let mut index = end;
    while index > 0 {
        if end - index > BACK {
            return None;
        }
        let byte = before(text, index);
        looked_at(0);
        match byte {
            b';' | b'|' | b'(' | b'{' | b'`' => return Some(index),
            b'\n' if index < 2 || at(text, index - 2) != b'\\' => return Some(index),
            b'&' if !matches!(at(text, index), b'>' | b'0'..=b'9') => return Some(index),
            // A quote that something follows starts a text that is a command.
            b'"' | b'\'' if !is_space(at(text, index)) => return Some(index),
            b'"' | b'\'' => index -= 1 + run_before(text, index - 1, BACK, |before| before != byte),
            _ => {}
        }
        index = index.saturating_sub(1);
    }
    Some(0)
}
