//! What a command may know about where it runs, read once: everything else depends on its arguments alone.

use std::io::IsTerminal;

/// The default is what tests and other programs want: no colour, no progress, not in CI.
#[derive(Debug, Clone, Copy, Default)]
pub struct Environment {
    /// Standard output is a terminal that takes colours.
    pub(crate) colour: bool,
    /// Standard output is a terminal that shows more than ASCII.
    pub(crate) unicode: bool,
    /// Standard error is a terminal: somebody may be waiting.
    pub(crate) progress: bool,
    /// The run is part of continuous integration: what is missing is an error there.
    pub(crate) ci: bool,
}

impl Environment {
    /// Of this process: `CI`, `NO_COLOR`, and whether standard output is a terminal.
    pub fn of_process() -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let off = std::env::var_os("CI").is_some_and(|value| value == "false" || value == "0");
        // The first one that is set decides.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| std::env::var(name).ok());
        let locale = locale.unwrap_or_default().to_ascii_lowercase();
        Self {
            unicode: std::io::stdout().is_terminal() && (locale.ends_with("utf-8") || locale.ends_with("utf8")),
            colour: std::io::stdout().is_terminal() && !set("NO_COLOR"),
            progress: std::io::stderr().is_terminal(),
            ci: set("CI") && !off,
        }
    }
}
