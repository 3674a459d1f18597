//! The context of the part of a script that the evaluator walks. It is passed down by value: a nested walk gets a changed
//! copy, so nothing has to be restored when that walk ends.

use agent_strace_shell::Span;

use crate::{Origin, Purpose, World};

use super::outcome::Outcome;

/// A script or a setting that effects come from, as the emitter names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Via(pub(super) u32);

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Context {
    /// The span of this part in the text of the call.
    pub(super) span: Option<Span>,
    /// The span of the first command of the pipeline that this part belongs to.
    pub(super) pipe: Option<Span>,
    /// The redirection that feeds the standard input of this part.
    pub(super) fed: Option<Span>,
    /// The redirection that feeds a compound command around this part, which may read from it, too.
    pub(super) fed_around: Option<Span>,
    /// The command that is running: its index among the effects.
    pub(super) parent: Option<u32>,
    /// Whether this part ran, succeeded or failed, provided that the call succeeded.
    pub(super) outcome: Outcome,
    /// Where effects come from, if not from the call itself (`script src/x.sh`).
    pub(super) via: Option<Via>,
    /// The number of combinations of values and texts that the walk has chosen to reach this part.
    pub(super) ways: usize,
    /// Another round of the loop, or another arm of the `case`, may have run before this part.
    pub(super) repeats: bool,
    /// The part runs once for each of several lists of names: more lists inside would multiply the work.
    pub(super) unrolls: bool,
    /// How deep the walk is in nested programs.
    pub(super) depth: usize,
    /// The standard input of the part is a terminal that was opened by its name.
    pub(super) typed: bool,
    /// The part is inside a substitution.
    pub(super) substituted: bool,
    /// An assignment consists of the next substitution alone and has its exit status.
    pub(super) assigned: bool,
    /// The use that the running program makes of files which it gathers.
    pub(super) purpose: Purpose,
    /// More may run than this part: an opaque effect covers the rest.
    pub(super) guessed: bool,
    /// Another command may run instead of this part.
    pub(super) perhaps: bool,
    /// The search path was set so that another program may be found.
    pub(super) shadowed: bool,
    /// The part runs in the background, and nothing waits for it.
    pub(super) detached: bool,
    /// The script waits for what it puts in the background.
    pub(super) awaited: bool,
    /// No other command has read from the standard input of this command.
    pub(super) fresh_input: bool,
    /// The condition of a loop reads the next line.
    pub(super) condition_reads: bool,
}

impl Context {
    /// The context for the whole text of a call.
    pub(crate) fn new(text: &str) -> Self {
        Self { span: Span::new(0, text.len()), ways: 1, ..Self::default() }
    }

    pub(super) fn with_outcome(self, outcome: Outcome) -> Self {
        Self { outcome, ..self }
    }

    /// The context for the part at `span`, if that is known.
    pub(super) fn at(self, span: Option<Span>) -> Self {
        Self { span: span.or(self.span), ..self }
    }

    /// The piece of the text that feeds the standard input of this part: a redirection, or all that comes before it in its
    /// pipeline. The body of a function lies elsewhere; the first command of the pipeline is known for it.
    pub(super) fn input(&self) -> Option<Span> {
        let before =
            self.pipe.zip(self.span).map(|(first, own)| Span::new(first.start(), own.start()).unwrap_or(first));
        self.fed.or_else(|| match (before, self.fed_around) {
            (Some(before), Some(around)) => Some(before.join(around)),
            (before, around) => before.or(around),
        })
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
            named: false,
            sent: false,
            stored: false,
        }
    }
}
