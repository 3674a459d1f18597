//! The system that runs the session's commands, as far as the log shows it.

use agent_strace_model::{Arguments, EventKind, Session, ShellLanguage};

use super::World;

/// What the whole session shows of the system, beside its directories.
#[derive(Debug, Clone, Default)]
pub(crate) struct System {
    /// The languages of the shells that the host says its tools use.
    shells: Vec<ShellLanguage>,
    /// A call of the session names a file on a drive.
    names_drives: bool,
    /// The agent gives the texts of its tool `bash` to the shell that it finds.
    bash_is_any: bool,
    /// The agent does not tell hooks whether a command keeps a terminal.
    hides_terminals: bool,
}

/// Agents whose tool `bash` runs PowerShell or cmd on a Windows without bash.
const ANY_BASH: &[&str] = &["opencode"];

/// Agents that start programs with a terminal, run no hook when they type into them, and do not tell hooks of the terminal.
const HIDES_TERMINALS: &[&str] = &["codex"];

/// These agents name this tool to their hooks. In their own logs they name others, and say which commands keep a terminal.
const HOOKED_SHELL: &str = "Bash";

/// A terminal into which later calls may type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Terminal {
    #[default]
    None,
    /// The call says that it keeps one.
    Kept,
    /// The record does not say whether it keeps one.
    Unsaid,
    /// Another program keeps the terminal, and passes what the agent types on to the input of this command.
    KeptInput,
    /// Another program may keep a terminal, and would pass on what the agent types.
    UnsaidInput,
}

impl Terminal {
    /// The terminal of a command that gets nothing but its input through another one.
    pub(crate) fn input(self) -> Self {
        match self {
            Self::Kept => Self::KeptInput,
            Self::Unsaid => Self::UnsaidInput,
            other => other,
        }
    }

    /// The call says that it keeps one.
    pub(crate) fn is_kept(self) -> bool {
        matches!(self, Self::Kept | Self::KeptInput)
    }
}

/// The family of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Platform {
    Posix,
    Windows,
    /// No directory and no path of the log shows it.
    Unknown,
}

impl System {
    pub(crate) fn of(session: &Session<'_>) -> Self {
        // Where the log names a directory, that tells the system.
        let names_drives = session.root.is_none() && session.events.iter().any(|event| names_drive(&event.kind));
        let bash_is_any = ANY_BASH.contains(&session.dialect.agent);
        let hides_terminals = HIDES_TERMINALS.contains(&session.agent.as_ref());
        Self { shells: session.shells.clone(), names_drives, bash_is_any, hides_terminals }
    }
}

impl World {
    /// Takes over what the session shows of its system.
    pub(crate) fn on(self, system: System) -> Self {
        Self { system, ..self }
    }

    /// The languages of the shells that the host says its tools use.
    pub(crate) fn shells(&self) -> &[ShellLanguage] {
        &self.system.shells
    }

    /// The terminal of the command that runs now.
    pub(crate) fn terminal(&self) -> Terminal {
        self.terminal
    }

    /// Sets the terminal, and returns the one before.
    pub(crate) fn replace_terminal(&mut self, terminal: Terminal) -> Terminal {
        std::mem::replace(&mut self.terminal, terminal)
    }

    /// The terminal of a tool's command, where its arguments name none.
    pub(crate) fn terminal_of(&self, tool: &str) -> Terminal {
        if self.system.hides_terminals && tool == HOOKED_SHELL { Terminal::Unsaid } else { Terminal::None }
    }

    /// The tool `bash` may run another shell.
    pub(crate) fn bash_is_any(&self) -> bool {
        self.system.bash_is_any
    }

    pub(crate) fn platform(&self) -> Platform {
        let directories = || [&self.root, &self.cwd].into_iter().flatten();
        if self.system.names_drives || directories().any(|directory| is_on_windows(directory)) {
            Platform::Windows
        } else if directories().any(|directory| directory.starts_with('/')) {
            Platform::Posix
        } else {
            Platform::Unknown
        }
    }
}

/// `C:/x`, `C:\x`, `\\server\share`, and `//server/share`, which is how a directory of a log is kept.
pub(crate) fn is_on_windows(path: &str) -> bool {
    let is_server = path
        .strip_prefix(r"\\")
        .or_else(|| path.strip_prefix("//"))
        .is_some_and(|rest| rest.starts_with(|first: char| first.is_alphanumeric()));
    is_server || is_on_drive(path.as_bytes(), b"/\\")
}

/// A letter, a colon and one of `separators`.
fn is_on_drive(path: &[u8], separators: &[u8]) -> bool {
    matches!(path, [letter, b':', separator, ..] if letter.is_ascii_alphabetic() && separators.contains(separator))
}

/// Returns whether a text spells a path of Windows somewhere: `C:\x`, `\\server\share`.
pub(crate) fn spells_windows_path(text: &str) -> bool {
    text.match_indices('\\').any(|(at, _)| {
        let (before, behind) = text.split_at_checked(at).unwrap_or_default();
        begins_on_drive(before, behind) || begins_on_server(before, behind)
    })
}

/// `C:` before a backslash, and a name behind it.
fn begins_on_drive(before: &str, behind: &str) -> bool {
    let mut before = before.chars().rev();
    before.next() == Some(':')
        && before.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && !before.next().is_some_and(char::is_alphanumeric)
        && behind.chars().nth(1).is_some_and(|next| !next.is_whitespace())
}

/// A word begins with two backslashes, a name and another backslash.
fn begins_on_server(before: &str, behind: &str) -> bool {
    let is_start = before.chars().next_back().is_none_or(|before| before.is_whitespace() || "\"'=(,".contains(before));
    let Some(rest) = behind.strip_prefix(r"\\").filter(|_| is_start) else { return false };
    let name = rest.split(|c: char| !(c.is_ascii_alphanumeric() || ".-_$".contains(c))).next().unwrap_or_default();
    name.len() > 1 && rest.get(name.len()..).is_some_and(|rest| rest.starts_with('\\'))
}

/// Returns whether a record names a file on a drive where a path stands: as the whole value of an argument.
fn names_drive(kind: &EventKind<'_>) -> bool {
    match kind {
        EventKind::Call(call) | EventKind::Copied(call) => {
            call.cwd.as_deref().is_some_and(is_on_windows)
                || matches!(&call.arguments, Arguments::Json(json) if json.match_indices('"').any(|(at, _)| {
                    let value = json.get(at + 1..).unwrap_or_default();
                    let end = value.find(['"', ' ']);
                    is_on_drive(value.as_bytes(), b"\\") && end.is_some_and(|end| value.get(end..).is_some_and(|rest| rest.starts_with('"')))
                }))
        }
        EventKind::File(file) => is_on_drive(file.target.as_bytes(), b"/\\"),
        _ => false,
    }
}
