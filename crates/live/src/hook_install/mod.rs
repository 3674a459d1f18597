//! Adds our hooks to agents' settings and removes them. The rest of such a file stays as it is, including comments and
//! indentation.

mod entry;
mod file;
#[cfg(test)]
mod tests;

use crate::hook_events::{Agent, Config, HookStep, Hooked};
use entry::Entry;
pub use file::{File, Standing};

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

impl HookOptions {
    fn command(&self, moment: HookStep) -> String {
        let mut words = vec![self.program.clone(), "hook".to_owned(), moment.word().to_owned()];
        // Claude Code is the default.
        if self.agent.name != "claude-code" {
            words.push(format!("--agent {}", self.agent.name));
        }
        words.extend(self.options.iter().cloned());
        if moment == HookStep::PreTool {
            words.extend(self.of_calls.iter().cloned());
        }
        words.join(" ")
    }

    fn entry(&self, hooked: &Hooked) -> Entry {
        let command = Entry::text(self.command(hooked.moment));
        let closed = self.fail_closed && hooked.moment == HookStep::PreTool;
        match self.agent.config {
            Config::Groups => {
                let hook = Entry::object([("type", Entry::text("command")), ("command", command)]);
                let matcher = hooked.matcher.then(|| ("matcher", Entry::text("")));
                Entry::object(matcher.into_iter().chain([("hooks", Entry::List(vec![hook]))]))
            }
            Config::Commands => {
                let closed = closed.then_some(("failClosed", Entry::Yes));
                Entry::object([("command", command)].into_iter().chain(closed))
            }
            Config::Shells => {
                Entry::object([("type", Entry::text("command")), ("bash", command.clone()), ("powershell", command)])
            }
        }
    }

    /// The content of a settings file with only the hooks.
    pub fn snippet(&self) -> Result<String, String> {
        File::read("").map(|file| file.with(self).text())
    }
}
