//! Brace expansion: `{a,b}` and `{1..3}`. It happens before everything else, so alternatives are words of their own.

use super::Parser;
use super::word::{Context, Parts, Position};
use crate::{Part, Span, Word};

/// More elements of a sequence are not written out.
const MAX_SEQUENCE: usize = 1000;

impl Parser<'_> {
    /// Reads from `{`. What turns out to be no expansion stays plain text, without reading it twice.
    pub(super) fn brace(&mut self, context: Context, position: Position, out: &mut Parts) {
        let position = if let Context::Brace(outer) = context { position.within(outer) } else { position };
        self.pos += 1;
        let start = self.pos;
        let (mut items, closed) = self.deeper(|parser| {
            let mut items: Vec<Word> = Vec::new();
            loop {
                items.push(parser.operand(Context::Brace(position)));
                if !parser.eat(",") {
                    return (items, parser.eat("}"));
                }
            }
        });
        let text = self.since(start);
        if closed && items.len() > 1 {
            out.push(Part::Brace(items));
        } else if closed
            && let Some(sequence) =
                sequence(text.strip_suffix('}').unwrap_or(text), self.span_since(start), self.elements)
        {
            if let Part::Brace(items) = &sequence {
                self.elements = self.elements.saturating_sub(items.len());
            }
            out.push(sequence);
        } else {
            out.literal("{");
            let last = items.len().saturating_sub(1);
            for (index, item) in items.drain(..).enumerate() {
                for part in item.parts {
                    out.push(part);
                }
                if index < last {
                    out.literal(",");
                }
            }
            if closed {
                out.literal("}");
            }
        }
    }
}

/// `1..3`, `a..e`, `01..10..3`.
fn sequence(text: &str, span: Option<Span>, most: usize) -> Option<Part> {
    let mut bounds = text.splitn(3, "..");
    let (first, last, step) = (bounds.next()?, bounds.next()?, bounds.next());
    let step = match step {
        Some(step) => step.parse::<i64>().ok()?.checked_abs()?.max(1),
        None => 1,
    };
    let words = if let (Some(first), Some(last)) = (letter(first), letter(last)) {
        steps(first, last, step, span, most, |value| {
            u32::try_from(value).ok().and_then(char::from_u32).map_or_else(String::new, String::from)
        })
    } else {
        let width = if padded(first) || padded(last) { first.len().max(last.len()) } else { 0 };
        let write = |value: i64| {
            if value < 0 { format!("-{:0>1$}", -value, width.saturating_sub(1)) } else { format!("{value:0>width$}") }
        };
        steps(bound(first)?, bound(last)?, step, span, most, write)
    };
    Some(words.map_or_else(|| Part::Unknown(format!("{{{text}}}")), Part::Brace))
}

fn letter(text: &str) -> Option<i64> {
    match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
        _ => None,
    }
}

/// A number of bounded size, so that no step overflows.
fn bound(text: &str) -> Option<i64> {
    text.parse::<i64>().ok().filter(|value| value.unsigned_abs() < 1 << 40)
}

fn padded(text: &str) -> bool {
    let digits = text.trim_start_matches(['-', '+']);
    digits.len() > 1 && digits.starts_with('0')
}

/// The elements, or nothing if there are too many.
fn steps(
    first: i64,
    last: i64,
    step: i64,
    span: Option<Span>,
    most: usize,
    write: impl Fn(i64) -> String,
) -> Option<Vec<Word>> {
    let count = usize::try_from((last.abs_diff(first)) / step.unsigned_abs()).ok()?;
    if count >= MAX_SEQUENCE.min(most) {
        return None;
    }
    let signed = if last < first { -step } else { step };
    let value = |index: usize| Some(first + signed.checked_mul(i64::try_from(index).ok()?)?);
    (0..=count)
        .map(|index| {
            let source = write(value(index)?);
            Some(Word { parts: vec![Part::Literal(source.clone())], source, span })
        })
        .collect()
}
