//! Shells that may live on from one call to the next.

use std::sync::Arc;

use agent_strace_shell::Scope;

/// The functions, positional parameters, aliases and variables that earlier calls left to the shell of a call. Copies of the
/// world share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct LivingShell(Option<Arc<Scope>>);

impl LivingShell {
    /// The state with which the next text starts.
    pub(crate) fn scope(&self) -> Scope {
        self.0.as_deref().cloned().unwrap_or_default()
    }

    /// A text has left this state.
    pub(crate) fn keep(&mut self, scope: Scope) {
        self.0 = Some(Arc::new(scope));
    }
}
