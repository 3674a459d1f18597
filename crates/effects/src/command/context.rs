//! What holds for the piece of a script that is being walked. It is passed down by value: a nested walk gets a changed
//! copy, so that nothing has to be put back when it ends.

use agent_strace_shell::Span;

use crate::{Origin, World};

use super::outcome::Outcome;

/// A script or a setting that effects come from, as the emitter names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Via(pub(super) u32);

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Context {
    /// The piece of the call's text that is being walked.
    pub(super) span: Option<Span>,
    /// The first command of the pipeline that is being walked.
    pub(super) pipe: Option<Span>,
    /// The command that is running: its index among the effects.
    pub(super) parent: Option<u32>,
    /// What the success of the call says of what is being walked.
    pub(super) outcome: Outcome,
    /// Where effects come from, if not from the call itself (`script src/x.sh`).
    pub(super) via: Option<Via>,
    /// How deep the walk is in nested programs.
    pub(super) depth: usize,
    /// It is part of a substitution.
    pub(super) substituted: bool,
    /// The next substitution is all that is assigned: the assignment's status is its own.
    pub(super) assigned: bool,
    /// It may be only a part of what runs, and an opaque effect stands for the rest.
    pub(super) guessed: bool,
    /// The search path was set so that another program may be found.
    pub(super) shadowed: bool,
    /// It runs in the background, and nothing waits for it.
    pub(super) detached: bool,
    /// The script waits for what it puts in the background.
    pub(super) awaited: bool,
    /// The command's standard input is its own: no other command read from it before.
    pub(super) fresh_input: bool,
    /// The condition of a loop reads the next line.
    pub(super) condition_reads: bool,
}

impl Context {
    /// Of the whole of a call's text.
    pub(crate) fn new(text: &str) -> Self {
        Self { span: Span::new(0, text.len()), ..Self::default() }
    }

    pub(super) fn with_outcome(self, outcome: Outcome) -> Self {
        Self { outcome, ..self }
    }

    /// The piece `span`, where it is known.
    pub(super) fn at(self, span: Option<Span>) -> Self {
        Self { span: span.or(self.span), ..self }
    }

    /// Where what happens now comes from.
    pub(super) fn origin(&self, world: &World) -> Origin {
        let Outcome { ran, succeeded, .. } = self.outcome;
        let sure = !self.guessed;
        Origin {
            span: self.span,
            parent: self.parent,
            ran: ran && sure,
            told: succeeded && sure,
            detached: self.detached,
            elsewhere: world.is_elsewhere(),
            shadowed: self.shadowed,
        }
    }
}
