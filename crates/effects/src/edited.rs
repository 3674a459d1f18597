//! A text in which some pieces were replaced, and where they were.

use super::{Certainty, Effect, REDACTED, START};
use agent_strace_shell::Span;

#[derive(Debug)]
pub(super) struct Edited {
    pub(super) text: String,
    /// In the order of the text.
    replacements: Vec<Replacement>,
}

/// The start and end of a replaced piece, before and after.
#[derive(Debug)]
struct Replacement {
    before: (usize, usize),
    now: (usize, usize),
}

impl Edited {
    /// `None`: the text holds no `from`.
    pub(super) fn new(original: &str, from: &str, to: &str) -> Option<Self> {
        let mut text = String::new();
        let mut replacements = Vec::new();
        let mut done = 0;
        for (start, _) in original.match_indices(from) {
            text.push_str(original.get(done..start)?);
            done = start + from.len();
            let now = (text.len(), text.len() + to.len());
            text.push_str(to);
            replacements.push(Replacement { before: (start, done), now });
        }
        text.push_str(original.get(done..)?);
        (!replacements.is_empty()).then_some(Self { text, replacements })
    }

    /// Spans in the edited text become spans in the original one. A path from a replaced piece is one that redaction took a
    /// part out of.
    pub(super) fn restore(&self, effects: &mut [Effect]) {
        for effect in effects {
            let Some(span) = effect.origin.span else { continue };
            // A program that gathers files has the span of the whole command.
            let is_open = effect.certainty != Certainty::Exact && effect.gathered.is_none() && effect.via != START;
            let is_open = is_open && effect.kind.path().is_some();
            if is_open && self.touches(span) {
                effect.via = REDACTED.into();
            }
            effect.origin.span = self.original(span);
        }
    }

    fn touches(&self, span: Span) -> bool {
        let before = self.replacements.partition_point(|replacement| replacement.now.1 <= span.start());
        self.replacements.get(before).is_some_and(|replacement| replacement.now.0 < span.end())
    }

    /// What touches a replaced piece comes from all of it.
    fn original(&self, span: Span) -> Option<Span> {
        let (start, end) = (span.start(), span.end());
        let count = self.replacements.partition_point(|replacement| replacement.now.0 <= start);
        let start = match count.checked_sub(1).and_then(|last| self.replacements.get(last)) {
            Some(replacement) if start < replacement.now.1 => replacement.before.0,
            Some(replacement) => replacement.before.1 + (start - replacement.now.1),
            None => start,
        };
        let count = self.replacements.partition_point(|replacement| replacement.now.0 < end);
        let end = match count.checked_sub(1).and_then(|last| self.replacements.get(last)) {
            Some(replacement) => replacement.before.1 + end.saturating_sub(replacement.now.1),
            None => end,
        };
        Span::new(start, end)
    }
}
