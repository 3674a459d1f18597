//! Where in the call's text effects come from.

use crate::{About, Effect, Reason};
use agent_strace_shell::{Home, Span};

use super::argument::Arg;
use super::machine::Machine;

/// A text shorter than this is not looked for in the whole call: it would be found by accident.
const TELLING: usize = 4;

impl Machine<'_> {
    /// What `inside` does comes from the piece `span` of the text, or from where the walk is.
    pub(super) fn at_span<T>(&mut self, span: Option<Span>, inside: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.at;
        self.at = span.or(outer);
        let result = inside(self);
        self.at = outer;
        result
    }

    /// What `inside` does comes from `word`, where that is part of what is being walked.
    pub(super) fn at_word<T>(&mut self, word: &Arg, inside: impl FnOnce(&mut Self) -> T) -> T {
        let span = self.own(word);
        self.at_span(span, inside)
    }

    /// What `inside` does comes from the command that `words` are, and is caused by what caused this.
    pub(super) fn at_words<T>(&mut self, words: &[Arg], inside: impl FnOnce(&mut Self) -> T) -> T {
        let parent = self.parent;
        let span = words.iter().filter_map(|word| self.own(word)).reduce(Span::join);
        let result = self.at_span(span, inside);
        self.parent = parent;
        result
    }

    /// The place of a word that stands in what is being walked: others come from elsewhere (`ls a | xargs rm`).
    fn own(&self, word: &Arg) -> Option<Span> {
        word.span.filter(|span| self.at.is_none_or(|at| at.contains(*span)))
    }

    /// Where a text stands that is run as a program: in what is being walked, or in one place of the call's text.
    pub(super) fn home(&mut self, inner: &str) -> Home {
        let inner = inner.trim_end();
        let (from, here) = self.at.and_then(|at| Some((at.start(), at.slice(self.text)?))).unwrap_or((0, ""));
        if inner.is_empty() || inner.len() > self.text.len() {
            return Home::Within(self.at);
        }
        if here.trim_end() == inner {
            return Home::piece(from, inner.len());
        }
        // Searching as often as there are nested texts must not take longer than reading them all.
        let limit = self.text.len().saturating_mul(16).saturating_add(1 << 16);
        self.searched = self.searched.saturating_add(here.len());
        if self.searched > limit {
            return Home::Within(self.at);
        }
        // Options and the program's name come before what they run.
        if let Some(at) = here.rfind(inner) {
            return Home::piece(from + at, inner.len());
        }
        self.searched = self.searched.saturating_add(self.text.len());
        if self.searched > limit || inner.len() < TELLING {
            return Home::Within(self.at);
        }
        self.only_place(inner).map_or(Home::Within(self.at), |at| Home::piece(at, inner.len()))
    }

    /// What `inside` does comes from a program that stands somewhere in the call's text.
    pub(super) fn at_program<T>(&mut self, program: &str, inside: impl FnOnce(&mut Self) -> T) -> T {
        let span = match self.home(program) {
            Home::From { offset, end } => Span::new(offset, end),
            Home::Within(span) => span,
        };
        self.at_span(span, inside)
    }

    /// What comes in through a pipe decides what runs: that comes from the whole pipeline.
    pub(super) fn opaque_input(&mut self, reason: Reason) {
        let whole = self.at.map(|at| self.pipe.map_or(at, |first| first.join(at)));
        self.at_span(whole, |machine| machine.opaque(About::Anything, reason, &[]));
    }

    fn only_place(&self, inner: &str) -> Option<usize> {
        let at = self.text.find(inner).filter(|at| self.text.rfind(inner) == Some(*at))?;
        let (before, behind) = (self.text.get(..at)?, self.text.get(at + inner.len()..)?);
        let is_part = |next: Option<char>| next.is_some_and(|next| next.is_alphanumeric() || "_-./\\".contains(next));
        (!is_part(before.chars().next_back()) && !is_part(behind.chars().next())).then_some(at)
    }

    /// A machine's effects for this one's list: `take` puts each there, if it wants it, and their causes stay the same.
    pub(super) fn adopt(&mut self, effects: Vec<Effect>, take: impl Fn(&mut Self, Effect)) {
        let (at, parent) = (self.at, self.parent);
        let mut places = Vec::with_capacity(effects.len());
        for effect in effects {
            let origin = effect.origin.moved(&places);
            (self.at, self.parent) = (origin.span.or(at), origin.parent.or(parent));
            self.last = None;
            take(self, effect);
            places.push(self.last);
        }
        (self.at, self.parent) = (at, parent);
    }
}

#[cfg(test)]
mod tests;
