//! What is true of every log of one format.

/// A format that sessions are recorded in. Each format's own folder in `ingest` makes the one value there is of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The format's name in reports (`claude-stream-json`).
    pub name: &'static str,
    /// The agent that writes it, as users write it (`claude-code`). A log may name another one.
    pub agent: &'static str,
    pub shell: Shell,
    pub scripts: Scripts,
    pub carries: Carries,
    pub ends: Ends,
}

/// Whether a log of a session that ended says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// By a record of its own: a log without one was left, or goes on.
    Marked,
    /// By a record of its own, at the end of what a run prints: without one the run was cut off, or still prints.
    Printed,
    /// Not at all: the last record may be anything.
    Unmarked,
}

/// Where the next command of an agent's shell tool starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// Each call gets a shell of its own: `cd` ends with it.
    Fresh,
    /// One shell for all calls: `cd` in one call moves the next one.
    Stays,
}

/// The language of the text that a shell tool takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellLanguage {
    Posix,
    PowerShell,
    /// `cmd.exe`.
    Cmd,
}

impl ShellLanguage {
    /// The language of a shell that a name or a path names.
    pub fn of_shell(shell: &str) -> Option<Self> {
        let name = shell.trim().rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
        let name = name.split_whitespace().next().unwrap_or_default();
        match name.trim_end_matches(".exe") {
            "cmd" => Some(Self::Cmd),
            "powershell" | "pwsh" => Some(Self::PowerShell),
            "bash" | "sh" | "zsh" | "dash" | "ksh" | "gitbash" | "git-bash" | "wsl" => Some(Self::Posix),
            _ => None,
        }
    }
}

/// Scripts that call tools (code mode).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scripts {
    /// Only the script's text is known.
    Whole,
    /// What a script calls is recorded as calls of their own.
    Unfolded,
    /// Only the script's text is known; it is Python where the call names no language.
    Python,
}

/// What a log of the format can prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carries {
    /// Every call, with what it was asked to do.
    Calls,
    /// Some calls, or calls without their arguments; the text says what is missing, in lower case.
    SomeCalls(&'static str),
    /// Every request to another host that somebody between saw, as calls, and nothing else: it adds to an agent's log and
    /// stands for none.
    Requests,
    /// Who wrote something, never what was done: no call in such a log is no evidence that there was none.
    Authorship,
}

impl Carries {
    /// Whether such a log tells what an agent did.
    pub fn acts(self) -> bool {
        matches!(self, Self::Calls | Self::SomeCalls(_))
    }
}

impl Dialect {
    /// A format that records every call of an agent whose commands each start in a shell of their own.
    pub const fn new(name: &'static str, agent: &'static str) -> Self {
        Self {
            name,
            agent,
            shell: Shell::Fresh,
            scripts: Scripts::Whole,
            carries: Carries::Calls,
            ends: Ends::Unmarked,
        }
    }

    /// The agent keeps one shell for all calls.
    pub const fn shell_stays(self) -> Self {
        Self { shell: Shell::Stays, ..self }
    }

    pub const fn scripts_in_python(self) -> Self {
        Self { scripts: Scripts::Python, ..self }
    }

    pub const fn scripts_unfolded(self) -> Self {
        Self { scripts: Scripts::Unfolded, ..self }
    }

    /// Every session that ended says so.
    pub const fn end_marked(self) -> Self {
        Self { ends: Ends::Marked, ..self }
    }

    /// A run prints the log, and a record at its end.
    pub const fn end_printed(self) -> Self {
        Self { ends: Ends::Printed, ..self }
    }

    pub const fn carrying(self, carries: Carries) -> Self {
        Self { carries, ..self }
    }
}
