//! Turns agents' hook calls into events of the store, and decisions into answers that agents understand.
//!
//! Agents run a program at each step of a session and give it a JSON object. The names of steps and members differ between
//! agents. [`HookEvent`] is the common form, [`record()`] writes it into a session that is recorded while it runs, and
//! [`reply()`] puts a decision into the form of the agent that asked.

mod activation;
mod agents;
mod payload;
mod record;
mod reply;
mod settled;
mod step;
#[cfg(test)]
mod tests;
mod unhooked;
mod usage;

pub use activation::{MachineFile, Off, SettingsFile, Switch, Trust, UserFolder};
pub use agents::{AGENTS, Agent, Config, agent};

pub(crate) use agents::Hooked;
pub use payload::{After, Before, HookEvent, What};
pub use record::{Called, Recording, line, record, refuse, stage};
pub use reply::{Answer, Decision, reply};
pub use settled::settle;
pub use step::HookStep;
pub use unhooked::{Asked, Joined, JoinedFamily, LoggedSession, REFUSAL, UnhookedCall, Way, join};
pub use usage::{OwnLog, Quiet, lacks_an_answer, spend};
