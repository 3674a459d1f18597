//! Agents' settings with our hooks in them, and without. What else is in such a file stays as it is, down to comments and
//! indentation.

mod entry;
mod file;
#[cfg(test)]
mod tests;

use crate::hook_events::{Agent, Config, Hooked, Moment};
use entry::Entry;
pub use file::{File, Standing};

/// What the hooks of an agent are to do.
#[derive(Debug, Clone)]
pub struct Wish {
    pub agent: &'static Agent,
    /// The program, as shells take it.
    pub program: String,
    /// For each step: what stands behind its name, as shells take it.
    pub options: Vec<String>,
    /// For calls that are about to run: the same.
    pub of_calls: Vec<String>,
    /// A call is kept from running where the hook fails, as far as the agent does that.
    pub fail_closed: bool,
}

impl Wish {
    fn command(&self, moment: Moment) -> String {
        let mut words = vec![self.program.clone(), "hook".to_owned(), moment.word().to_owned()];
        // Claude Code is meant where nothing is said, as in every tool of this name.
        if self.agent.name != "claude-code" {
            words.push(format!("--agent {}", self.agent.name));
        }
        words.extend(self.options.iter().cloned());
        if moment == Moment::PreTool {
            words.extend(self.of_calls.iter().cloned());
        }
        words.join(" ")
    }

    fn entry(&self, hooked: &Hooked) -> Entry {
        let command = Entry::text(self.command(hooked.moment));
        let closed = self.fail_closed && hooked.moment == Moment::PreTool;
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

    /// What a file without anything else holds.
    pub fn snippet(&self) -> Result<String, String> {
        File::read("").map(|file| file.with(self).text())
    }
}
