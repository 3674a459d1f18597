//! Colours of a terminal.

use super::Colour;
use super::view::ShownFinding;
use agent_strace_model::finding::Level;

/// Colours where they are wanted.
pub(super) struct Paint(pub(super) Colour);

impl Paint {
    fn style(&self, style: anstyle::Style, text: &str) -> String {
        match self.0 {
            Colour::Plain => text.to_owned(),
            Colour::Ansi => format!("{style}{text}{style:#}"),
        }
    }

    pub(super) fn bold(&self, text: &str) -> String {
        self.style(anstyle::Style::new().bold(), text)
    }

    pub(super) fn good(&self, text: &str) -> String {
        self.style(anstyle::AnsiColor::Green.on_default().bold(), text)
    }

    pub(super) fn warning(&self, text: &str) -> String {
        self.style(anstyle::AnsiColor::Yellow.on_default().bold(), text)
    }

    pub(super) fn error(&self, text: &str) -> String {
        self.style(anstyle::AnsiColor::Red.on_default().bold(), text)
    }

    /// The word for how bad a finding is.
    pub(super) fn finding(&self, finding: &ShownFinding) -> String {
        if finding.is_incomplete() { self.warning("incomplete") } else { self.level(finding.level) }
    }

    /// The level, as wide as the longest one: for columns.
    pub(super) fn level(&self, level: Level) -> String {
        self.of_level(level, &format!("{:<7}", level.name()))
    }

    /// A text in the colour of a level.
    pub(super) fn of_level(&self, level: Level, text: &str) -> String {
        match level {
            Level::Error => self.error(text),
            Level::Warning => self.warning(text),
            Level::Note => self.bold(text),
        }
    }
}
