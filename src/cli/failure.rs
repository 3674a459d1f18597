//! Why a command could not do its job → what is printed, and the exit code. One place for both.

use std::fmt::Write as _;
use std::io::Write;

use agent_strace_policy::{file, nearest};
use agent_strace_report::terminal;
use agent_strace_secrets::redact;

/// An answer that is not a judgement: exit code 2.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// Lower case, one line.
    error: String,
    /// Hints that say how to go on.
    hints: Vec<String>,
    /// Text that is already laid out: a diagnostic that points into a file.
    details: Option<String>,
}

impl Failure {
    pub(super) fn new(error: impl Into<String>) -> Self {
        Self { error: error.into(), hints: Vec::new(), details: None }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Points to the one of `known` that is most like what was given.
    pub(super) fn did_you_mean(self, given: &str, known: &[&str]) -> Self {
        match nearest(given, known) {
            Some(near) => self.hint(format!("did you mean `{near}`?")),
            None => self,
        }
    }

    pub(super) fn details(mut self, details: String) -> Self {
        self.details = Some(details);
        self
    }

    /// What is wrong, in one line.
    pub(super) fn summary(&self) -> &str {
        &self.error
    }

    /// The same, with the first line of what is laid out.
    pub(super) fn full(&self) -> String {
        let detail = self.details.as_deref().and_then(|details| details.lines().next());
        detail.map_or_else(|| self.error.clone(), |detail| format!("{}: {detail}", self.error))
    }

    /// Hints that say how to go on.
    pub(super) fn hints(&self) -> &[String] {
        &self.hints
    }

    pub(super) fn report(&self, stderr: &mut dyn Write) -> u8 {
        // A policy, a path or a command line may contain a secret.
        let shown = |text: &str| terminal(redact(text).as_str());
        let mut text = format!("error: {}\n", shown(&self.error));
        if let Some(details) = &self.details {
            text.push_str(redact(details.trim_end()).as_str());
            text.push('\n');
        }
        for hint in &self.hints {
            let _ = writeln!(text, "  hint: {}", shown(hint));
        }
        // Where not even the error can be written, the exit code has to do.
        let _ = stderr.write_all(text.as_bytes());
        2
    }
}

/// What the system said, without its error number.
pub(super) fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        _ => file::reason(error),
    }
}
