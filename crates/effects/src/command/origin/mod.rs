//! Where in the call's text effects come from.

use crate::{About, Effect, Reason};
use agent_strace_shell::{Home, Span};

use super::argument::Arg;
use super::context::Context;
use super::machine::Machine;

/// A text shorter than this is not looked for in the whole call: it would be found by accident.
const TELLING: usize = 4;

impl Machine<'_> {
    /// Runs `inside` for the piece `span` of the text, or for what is being walked.
    pub(super) fn at_span<T>(&mut self, span: Option<Span>, inside: impl FnOnce(&mut Machine<'_>) -> T) -> T {
        inside(&mut self.with(self.context.at(span)))
    }

    /// Runs `inside` for `word`, where that is part of what is being walked.
    pub(super) fn at_word<T>(&mut self, word: &Arg, inside: impl FnOnce(&mut Machine<'_>) -> T) -> T {
        self.at_span(self.own(word), inside)
    }

    /// A machine for the command that `words` are; what caused this one causes it, too.
    pub(super) fn at_words(&mut self, words: &[Arg]) -> Machine<'_> {
        let span = words.iter().filter_map(|word| self.own(word)).reduce(Span::join);
        self.with(self.context.at(span))
    }

    /// The span of a word that is part of what is being walked: others come from elsewhere (`ls a | xargs rm`).
    fn own(&self, word: &Arg) -> Option<Span> {
        word.span.filter(|span| self.context.span.is_none_or(|at| at.contains(*span)))
    }

    /// Where a text stands that is run as a program: in what is being walked, or in one place of the call's text.
    pub(super) fn home(&mut self, inner: &str) -> Home {
        let inner = inner.trim_end();
        let (from, here) = self.context.span.and_then(|at| Some((at.start(), at.slice(self.text)?))).unwrap_or((0, ""));
        if inner.is_empty() || inner.len() > self.text.len() {
            return Home::Within(self.context.span);
        }
        if here.trim_end() == inner {
            return Home::piece(from, inner.len());
        }
        // Searching as often as there are nested texts must not take longer than reading them all.
        let limit = self.text.len().saturating_mul(16).saturating_add(1 << 16);
        if !self.emitter.may_search(here.len(), limit) {
            return Home::Within(self.context.span);
        }
        // Options and the program's name come before what they run.
        if let Some(at) = here.rfind(inner) {
            return Home::piece(from + at, inner.len());
        }
        if !self.emitter.may_search(self.text.len(), limit) || inner.len() < TELLING {
            return Home::Within(self.context.span);
        }
        self.only_index(inner).map_or(Home::Within(self.context.span), |at| Home::piece(at, inner.len()))
    }

    /// What `inside` does comes from a program that stands somewhere in the call's text.
    pub(super) fn at_program<T>(&mut self, program: &str, inside: impl FnOnce(&mut Machine<'_>) -> T) -> T {
        let span = match self.home(program) {
            Home::From { offset, end } => Span::new(offset, end),
            Home::Within(span) => span,
        };
        self.at_span(span, inside)
    }

    /// What comes in through a pipe decides what runs: that comes from the whole pipeline.
    pub(super) fn opaque_input(&mut self, reason: Reason) {
        let Context { span, pipe, .. } = self.context;
        let whole = span.map(|at| pipe.map_or(at, |first| first.join(at)));
        self.at_span(whole, |machine| machine.opaque(About::Anything, reason, &[]));
    }

    fn only_index(&self, inner: &str) -> Option<usize> {
        let at = self.text.find(inner).filter(|at| self.text.rfind(inner) == Some(*at))?;
        let (before, behind) = (self.text.get(..at)?, self.text.get(at + inner.len()..)?);
        let is_part = |next: Option<char>| next.is_some_and(|next| next.is_alphanumeric() || "_-./\\".contains(next));
        (!is_part(before.chars().next_back()) && !is_part(behind.chars().next())).then_some(at)
    }

    /// Another machine's effects for this one's list: `take` puts each there, if it wants it, and says at which index.
    /// Their causes stay the same.
    pub(super) fn adopt(&mut self, effects: Vec<Effect>, take: impl Fn(&mut Machine<'_>, Effect) -> Option<u32>) {
        let mut indices = Vec::with_capacity(effects.len());
        for effect in effects {
            let origin = effect.origin.moved(&indices);
            let parent = origin.parent.or(self.context.parent);
            let index = take(&mut self.with(Context { parent, ..self.context.at(origin.span) }), effect);
            indices.push(index);
        }
    }
}

#[cfg(test)]
mod tests;
