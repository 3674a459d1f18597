//! Values that are given to names of secrets: assignments, members, options, attributes, arguments.

use super::super::hit::Hit;
use super::keyword;
use super::name::{self, Strength};
use super::text::{self, Stretch, before, is_space, looked_at, piece, run, run_before, run_most};
use super::value::{self, Context, Syntax};

const LONGEST_NAME: usize = 80;
const LONGEST_VALUE: usize = 4096;
/// Without quotes nothing says where a value ends.
const LONGEST_UNQUOTED: usize = 1024;

/// Variables of the environment are written in capitals, and a key among them is none of a map.
fn is_variable(name: &str) -> bool {
    name.ends_with("_KEY")
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The values without quotes that were looked at last: one may hold many names.
#[derive(Default)]
pub(super) struct Unquoted {
    /// Of those that end at a break only, and of the others.
    loose: Stretch,
    strict: Stretch,
}

/// Looks at the name around a word for secrets; returns where that name ends.
pub(super) fn at(text: &str, start: usize, end: usize, unquoted: &mut Unquoted, hits: &mut Vec<Hit>) -> usize {
    let mut first = start - run_before(text, start, LONGEST_NAME, is_name);
    // The letter of `\n` is not part of the name, unless the word for secrets begins with it: `C:\token`.
    if first < start && before(text, first) == b'\\' && matches!(text::at(text, first), b'n' | b't' | b'r') {
        first += 1;
    }
    // Dashes before it make it an option.
    first += run_most(text, first, start - first, |byte| byte == b'-');
    let last = end + run_most(text, end, LONGEST_NAME, is_name);
    let name = piece(text, first, last).trim_end_matches(['-', '.']);
    let last = first + name.len();
    // Most names of code are followed by no value, which is told sooner than what they name.
    if let Some((syntax, from)) = separator(text, first, last)
        && let Some(strength) = name::strength(name)
    {
        let strength =
            if syntax == Syntax::Equals && is_variable(name) { strength.max(Strength::Strong) } else { strength };
        value(text, from, Context { strength, syntax, literal: false, certain: false }, unquoted, hits);
    }
    last.max(end)
}

/// The whole text is the value of a name: a member of JSON.
pub(super) fn whole(name: &str, text: &str, hits: &mut Vec<Hit>) {
    if !(1..=LONGEST_VALUE).contains(&text.len()) || !keyword::is_in(name) {
        return;
    }
    let Some(strength) = name::strength(name) else { return };
    if text.contains('\n') {
        return;
    }
    let scheme = ["Bearer ", "bearer ", "Basic ", "Token ", "token "].iter().find(|scheme| text.starts_with(**scheme));
    let from = scheme.map_or(0, |scheme| scheme.len());
    let context = Context { strength, syntax: Syntax::Member, literal: true, certain: true };
    value::judge(text, from, text.len(), &context, hits);
}

fn value(text: &str, from: usize, mut context: Context, unquoted: &mut Unquoted, hits: &mut Vec<Hit>) {
    let value = extent(text, from, &context, unquoted);
    let prose = matches!(context.syntax, Syntax::Argument | Syntax::Blank | Syntax::Prose | Syntax::NextLine);
    let number = piece(text, value.start, value.end).bytes().all(|byte| byte.is_ascii_digit());
    context.literal = !prose && (value.literal || number && context.strength == Strength::Password);
    // Whatever goes by a scheme of credentials is one.
    if value.schemed {
        context.strength = context.strength.max(Strength::Strong);
        context.certain = true;
    }
    if value.end > value.start {
        value::judge(text, value.start, value.end, &context, hits);
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | text::WORD_END)
}

/// Quotes, and the backslashes of texts within texts.
fn quotes(text: &str, index: usize) -> usize {
    let slashes = run(text, index, |byte| byte == b'\\');
    if matches!(text::at(text, index + slashes), b'"' | b'\'' | b'`') { slashes + 1 } else { 0 }
}

/// What stands between a name and its value, and where the value starts.
fn separator(text: &str, first: usize, last: usize) -> Option<(Syntax, usize)> {
    if let Some(index) = described(text, last) {
        return Some((Syntax::Member, index));
    }
    let closed = quotes(text, last);
    let quoted = closed > 0 && matches!(before(text, first), b'"' | b'\'' | b'`');
    let mut index = last + if quoted { closed } else { 0 };
    index += run(text, index, |byte| matches!(byte, b']' | b')'));
    let blanks = run(text, index, is_blank);
    let next = index + blanks;
    let dashes = run_before(text, first, 3, |byte| byte == b'-');
    match text::at(text, next) {
        b'=' => Some((Syntax::Equals, after_equals(text, next, blanks))).filter(|_| text::at(text, next + 1) != b'~'),
        // A part of a longer name: `arn:aws:secretsmanager:…:secret:NAME`.
        b':' if before(text, first) == b':' && !is_blank(text::at(text, next + 1)) => None,
        b':' => colon(text, next, quoted),
        b'?' | b'|' | b'.' | b'+' if text::at(text, next + 1) == b'=' => Some((Syntax::Equals, next + 2)),
        b'|' if piece(text, next, next + 3) == "||=" => Some((Syntax::Equals, next + 3)),
        b'-' if text::at(text, next + 1) == b'>' => Some((Syntax::Equals, next + 2)),
        b'!' if text::at(text, next + 1) == b'=' => {
            Some((Syntax::Equals, next + 2 + usize::from(text::at(text, next + 2) == b'=')))
        }
        b',' if quoted => Some((Syntax::Argument, next + 1)),
        b'(' if quotes(text, next + 1) > 0 => Some((Syntax::Argument, next + 1)),
        b'>' if before(text, first) == b'<' || before(text, first) == b':' => Some((Syntax::Element, next + 1)),
        _ if quoted && text.as_bytes().get(next..)?.starts_with(b"value=") => Some((Syntax::Equals, next + 6)),
        _ if blanks > 0 && dashes > 0 && !quoted => Some((Syntax::Option, next)),
        _ if blanks > 0 && !quoted && piece(text, next, next + 3) == "is " => Some((Syntax::Prose, next + 3)),
        _ if blanks > 0 && !quoted => Some((Syntax::Blank, next)),
        b'\n' if !quoted && text::at(text, next + 1) != b'\n' && blanks == 0 => Some((Syntax::NextLine, next + 1)),
        _ => None,
    }
}

/// The value of a name that is a value itself: `name: DB_PASSWORD`, `value: …` on the next line; a `default` in braces.
fn described(text: &str, last: usize) -> Option<usize> {
    const NEAR: usize = 160;
    let index = last + quotes(text, last);
    let filler = |byte: u8| is_space(byte) || matches!(byte, b',' | b'"' | b'\'' | b'\\');
    let word = index + run_most(text, index, NEAR, filler);
    let word = past_line_number(text, word).map_or(word, |next| next + run_most(text, next, NEAR, filler));
    let rest = text.as_bytes().get(word..)?;
    if index < word && rest.starts_with(b"value") {
        let end = word + 5 + quotes(text, word + 5);
        let colon = end + run_most(text, end, 8, is_blank);
        return matches!(text::at(text, colon), b':' | b'=').then_some(colon + 1);
    }
    if !rest.starts_with(b"{") {
        return None;
    }
    let inside = piece(text, word, text::floor(text, word + NEAR));
    let at = memchr::memmem::find(inside.as_bytes(), b"default")?;
    let end = word + at + "default".len();
    let equals = end + run_most(text, end, 40, is_blank);
    let only = !piece(text, word, end).contains('}');
    (only && text::at(text, equals) == b'=').then_some(equals + 1)
}

/// Behind the number that a program put before a line: `44→`, and the same with a tab or a `|`.
fn past_line_number(text: &str, index: usize) -> Option<usize> {
    let blanks = run_before(text, index, 8, |byte| byte == b' ');
    let end = index + run_most(text, index, 6, |byte| byte.is_ascii_digit());
    let mark = ["→", "\t", "|"].into_iter().find(|mark| text.get(end..).is_some_and(|rest| rest.starts_with(mark)))?;
    (end > index && before(text, index - blanks) == b'\n').then_some(end + mark.len())
}

fn after_equals(text: &str, equals: usize, _blanks: usize) -> usize {
    equals + 1 + run(text, equals + 1, |byte| matches!(byte, b'=' | b'>')).min(2)
}

/// `name: value`, `name := value`, `name: Type = value`; not `name::member`.
fn colon(text: &str, index: usize, quoted: bool) -> Option<(Syntax, usize)> {
    match text::at(text, index + 1) {
        b'=' => return Some((Syntax::Equals, index + 2)),
        b':' | b'/' => return None,
        _ => {}
    }
    let from = index + 1 + run(text, index + 1, is_blank);
    let kind = run_most(text, from, 60, |byte| byte.is_ascii_alphanumeric() || b"&_[]<>?.|:' ".contains(&byte));
    let typed = piece(text, from, text::floor(text, from + kind));
    if !quoted
        && text::at(text, from + typed.len()) == b'='
        && text::at(text, from + typed.len() + 1) != b'='
        && typed.ends_with(' ')
    {
        return Some((Syntax::Equals, from + typed.len() + 1));
    }
    Some((if quoted { Syntax::Member } else { Syntax::Colon }, index + 1))
}

/// From where to where a value goes.
struct Extent {
    start: usize,
    end: usize,
    /// It is no code that yields a value.
    literal: bool,
    /// It follows a scheme of credentials: `Bearer`.
    schemed: bool,
}

impl Extent {
    fn within(self, end: usize) -> Self {
        Self { end, ..self }
    }
}

/// The value inside its quotes, or up to a break.
fn extent(text: &str, index: usize, context: &Context, unquoted: &mut Unquoted) -> Extent {
    let mut from = index + run(text, index, is_blank);
    // A long value of YAML may start on the next line.
    if matches!(context.syntax, Syntax::Colon | Syntax::Member | Syntax::Argument) && text::at(text, from) == b'\n' {
        let next = from + 1 + run(text, from + 1, is_blank);
        if context.syntax != Syntax::Colon && quotes(text, next) > 0 {
            from = next;
        }
    }
    from = past_wrapper(text, from);
    let open = quotes(text, from);
    // `&'a [u8]` is a type with a lifetime.
    let lifetime = before(text, from) == b'&' || piece(text, from, from + 2) == "&'";
    if open > 0 && !lifetime {
        let quote = text::at(text, from + open - 1);
        let start = from + open;
        let end = text::floor(text, start + quoted_length(text, start, quote, open - 1));
        return scheme(text, start, end, true).within(end);
    }
    let loose = matches!(context.syntax, Syntax::Equals) && index == from;
    let known = if loose { &mut unquoted.loose } else { &mut unquoted.strict };
    let length = known.run(text, from, LONGEST_UNQUOTED, |byte| {
        !is_space(byte)
            && !b"\"'`;<>\\".contains(&byte)
            && (loose && byte != b'&' && byte != b')' && byte != b',' || !b",)}]&|".contains(&byte))
    });
    let end = text::floor(text, from + length);
    let glued = loose || context.syntax == Syntax::Option;
    scheme(text, from, end, glued)
}

/// A scheme of credentials is followed by these.
fn scheme(text: &str, from: usize, end: usize, literal: bool) -> Extent {
    const SCHEMES: &[&str] = &["bearer", "token", "apikey", "digest", "negotiate", "basic"];
    let word = run(text, from, |byte| byte.is_ascii_alphanumeric());
    let known = SCHEMES.iter().any(|known| piece(text, from, from + word).eq_ignore_ascii_case(known));
    if !known || text::at(text, from + word) != b' ' {
        return Extent { start: from, end, literal, schemed: false };
    }
    let start = from + word + 1;
    let length = run(text, start, |byte| !is_space(byte) && !b"\"'`;<>\\,)}]&|".contains(&byte));
    Extent { start, end: start + length, literal: true, schemed: true }
}

/// `Some("…")`, `String::from("…")`, `b"…"`, `@"…"`, `new Buffer("…")`: the text is the value.
fn past_wrapper(text: &str, from: usize) -> usize {
    let mut index = from;
    for _ in 0..2 {
        let word = run_most(text, index, 48, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.' | b'@' | b'&' | b'!')
        });
        let end = index + word;
        if word <= 2 && quotes(text, end) > 0 {
            return end;
        }
        let open = end + run(text, end, |byte| matches!(byte, b'(' | b'['));
        if open > end && open - end <= 2 && quotes(text, open) > 0 {
            return open;
        }
        if piece(text, index, end) == "new" && text::at(text, end) == b' ' {
            index = end + 1;
            continue;
        }
        break;
    }
    from
}

/// Up to the closing quote, which stands behind as many backslashes as the opening one.
fn quoted_length(text: &str, start: usize, quote: u8, slashes: usize) -> usize {
    let mut index = start;
    let limit = (start + LONGEST_VALUE).min(text.len());
    while index < limit {
        match text::at(text, index) {
            b'\n' | text::WORD_END => break,
            b'\\' => {
                let count = run(text, index, |byte| byte == b'\\');
                if text::at(text, index + count) == quote && count <= slashes {
                    return looked_at(index - start);
                }
                index += count + usize::from(text::at(text, index + count) == quote);
            }
            byte if byte == quote && slashes == 0 => return looked_at(index - start),
            // Without its backslashes the quote ends the text around it.
            byte if byte == quote => return looked_at(index - start),
            _ => index += 1,
        }
    }
    looked_at(index.min(limit) - start)
}
