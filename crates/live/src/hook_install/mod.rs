//! Adds our hooks to agents' settings and removes them, says whether an agent runs them, and lets it trust them. The rest of
//! such a file stays as it is, including comments and indentation.

mod brackets;
mod entry;
mod json;
mod removal;
mod switches;
mod tables;
#[cfg(test)]
mod tests;
mod toml_text;
mod tree;
mod trust;

use serde_json::Value;

use crate::hook_events::{Agent, Config, HookStep, Hooked};
use entry::Entry;
use json::JsonFile;
pub use switches::is_off;
use tables::TomlFile;
pub use trust::{FolderTrust, HookTrust, TrustFile, asks_for_folders};

/// The options of the hooks that are installed for an agent.
#[derive(Debug, Clone)]
pub struct HookOptions {
    pub agent: &'static Agent,
    /// The program, quoted for shells.
    pub program: String,
    /// Options of the hook at every step, quoted for shells.
    pub options: Vec<String>,
    /// Additional options before a call runs, quoted for shells.
    pub of_calls: Vec<String>,
    /// A call is blocked if the hook fails, as far as the agent supports that.
    pub fail_closed: bool,
}

/// A hook of ours in a file of settings.
#[derive(Debug, Clone, PartialEq)]
pub struct InstalledHook {
    /// The agent's name of the step.
    pub event: String,
    /// Its place in the list of the step, and in its group.
    pub group: usize,
    pub hook: usize,
    /// The element of that list.
    pub entry: Value,
}

/// What settings say about our hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The agent runs the hook of the step as it is wanted.
    Set,
    /// It runs it in another way: with other options, for some tools only, of another version.
    Differs,
    Missing,
}

/// No file has more hooks of ours.
const MOST: usize = 200;

/// Settings that are being edited. What is added can be taken out again, and the text is what it was before.
pub struct File(Format);

enum Format {
    Json(JsonFile),
    Toml(TomlFile),
}

impl File {
    /// There is no such file.
    pub fn absent(agent: &Agent) -> Self {
        Self(match agent.config {
            Config::Tables => Format::Toml(TomlFile::absent()),
            Config::Groups | Config::Commands | Config::Shells => Format::Json(JsonFile::absent()),
        })
    }

    /// Why it can't be edited, with line and column.
    pub fn read(text: &str, agent: &Agent) -> Result<Self, String> {
        let format = match agent.config {
            Config::Tables => Format::Toml(TomlFile::read(text)?),
            Config::Groups | Config::Commands | Config::Shells => Format::Json(JsonFile::read(text)?),
        };
        Ok(Self(format))
    }

    /// A name that the file has twice where it decides about hooks: agents read one of them.
    pub fn twice(&self) -> Option<String> {
        match &self.0 {
            Format::Json(file) => file.twice(),
            Format::Toml(_) => None,
        }
    }

    pub fn text(&self) -> String {
        match &self.0 {
            Format::Json(file) => file.text(),
            Format::Toml(file) => file.text(),
        }
    }

    /// The same with the hooks that are wanted, instead of any of ours that are there.
    #[must_use]
    pub fn with(self, options: &HookOptions) -> Self {
        Self(match self.0 {
            Format::Json(file) => Format::Json(file.with(options)),
            Format::Toml(file) => Format::Toml(file.with(options)),
        })
    }

    /// Returns the settings without our hooks, or `None` if that leaves nothing.
    #[must_use]
    pub fn without(self, agent: &Agent) -> Option<Self> {
        Some(Self(match self.0 {
            Format::Json(file) => Format::Json(file.without(agent)?),
            Format::Toml(file) => Format::Toml(file.without()?),
        }))
    }

    /// Our hooks that are exactly what is wanted. Others may have a command of ours among theirs.
    pub fn as_wanted(&self, options: &HookOptions) -> Vec<InstalledHook> {
        let is_wanted = |hook: &InstalledHook| {
            let mut hooks = options.agent.hooks.iter().filter(|hooked| hooked.event == hook.event);
            hooks.any(|hooked| options.entry(hooked).value() == hook.entry)
        };
        self.installed().into_iter().filter(is_wanted).collect()
    }

    /// Our hooks, in the order of the file.
    pub fn installed(&self) -> Vec<InstalledHook> {
        match &self.0 {
            Format::Json(file) => file.installed(),
            Format::Toml(file) => file.installed(),
        }
    }

    /// What it says about each step, in the order of the agent's.
    pub fn standing(&self, options: &HookOptions) -> Vec<(&'static str, Standing)> {
        match &self.0 {
            Format::Json(file) => file.standing(options),
            Format::Toml(file) => file.standing(options),
        }
    }
}

impl HookOptions {
    fn command(&self, moment: HookStep) -> String {
        self.plain_command(moment) + self.in_case_of_failure(moment)
    }

    fn plain_command(&self, moment: HookStep) -> String {
        let mut words = vec![self.program.clone(), "hook".to_owned(), moment.word().to_owned()];
        // Claude Code is the default.
        if self.agent.name != "claude-code" {
            words.push(format!("--agent {}", self.agent.name));
        }
        words.extend(self.options.iter().cloned());
        if moment == HookStep::PreTool {
            words.extend(self.of_calls.iter().cloned());
        }
        let command = words.join(" ");
        if self.is_run_by_powershell() { in_powershell(&command) } else { command }
    }

    /// Gemini CLI runs hooks by Windows PowerShell on Windows.
    fn is_run_by_powershell(&self) -> bool {
        cfg!(windows) && self.agent.name == "gemini-cli"
    }

    /// What a shell runs where the program is missing, is killed or crashes.
    fn in_case_of_failure(&self, moment: HookStep) -> &'static str {
        let is_call = moment == HookStep::PreTool;
        match (self.agent.config, self.fail_closed) {
            // Cursor has a setting of its own for it, and Copilot blocks a call by itself.
            (Config::Commands, _) | (Config::Shells, true) => "",
            (Config::Shells, false) if is_call => " || exit 0",
            // Windows PowerShell knows no `||`.
            (_, true) if is_call && self.is_run_by_powershell() => "; if (-not $?) { exit 2 }",
            // All others of them take exit code 2 for a refusal, and go on after any other one.
            (_, true) if is_call => " || exit 2",
            _ => "",
        }
    }

    fn entry(&self, hooked: &Hooked) -> Entry {
        let command = Entry::text(self.command(hooked.moment));
        let is_call = hooked.moment == HookStep::PreTool;
        match self.agent.config {
            Config::Groups | Config::Tables => {
                let hook = Entry::object([("type", Entry::text("command")), ("command", command)]);
                let matcher = hooked.matcher.then(|| ("matcher", Entry::text("")));
                Entry::object(matcher.into_iter().chain([("hooks", Entry::List(vec![hook]))]))
            }
            Config::Commands => {
                let closed = (self.fail_closed && is_call).then_some(("failClosed", Entry::Yes));
                Entry::object([("command", command)].into_iter().chain(closed))
            }
            Config::Shells => {
                let plain = in_powershell(&self.plain_command(hooked.moment));
                let open = if is_call && !self.fail_closed { "; exit 0" } else { "" };
                let powershell = Entry::text(plain + open);
                Entry::object([("type", Entry::text("command")), ("bash", command), ("powershell", powershell)])
            }
        }
    }

    /// The content of a settings file with only the hooks.
    pub fn snippet(&self) -> String {
        File::absent(self.agent).with(self).text()
    }
}

/// A command that is quoted for POSIX shells, as PowerShell takes it: a quoted program has to be called.
fn in_powershell(command: &str) -> String {
    let command = command.replace(r"'\''", "''");
    if command.starts_with(['"', '\'']) { format!("& {command}") } else { command }
}

fn too_many() -> String {
    format!("it holds more than {MOST} hooks of agent-strace: take them out by hand")
}

fn standing_of<'v>(ours: impl Iterator<Item = &'v Value>, wanted: &Value) -> Standing {
    let ours: Vec<&Value> = ours.collect();
    match ours.as_slice() {
        [] => Standing::Missing,
        ours if ours.contains(&wanted) => Standing::Set,
        _ => Standing::Differs,
    }
}

/// Its command is `agent-strace hook`, wherever the program lies and whatever comes before or after.
fn is_ours(hook: &Value) -> bool {
    let commands = ["command", "bash", "powershell"].iter().filter_map(|name| hook.get(name)?.as_str());
    commands.into_iter().any(|command| {
        let words: Vec<&str> = command.split_whitespace().collect();
        words.windows(2).any(|pair| matches!(pair, [program, "hook"] if is_program_of_ours(program)))
    })
}

/// The command of a program ends in `agent-strace`, or in a file of that name: hooks of others would not be found again.
pub fn is_program_of_ours(command: &str) -> bool {
    let word = command.split_whitespace().last().unwrap_or_default();
    let name = word.trim_matches(['"', '\'']).rsplit(['/', '\\']).next().unwrap_or_default();
    name.split('.').next() == Some("agent-strace")
}
