//! What is known about variables, functions and positional parameters while a script is walked.

/// The shell's state, as far as it can be proven.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope {}
