//! Agents' hooks → events of the store, and answers that agents understand.
//!
//! Agents run a program at each step of a session and give it a JSON object. What they call steps and members differs; what
//! happened doesn't. [`Told`] is that, [`record()`] writes it into a session that is recorded while it runs, and [`reply()`] puts
//! a decision into the words of the agent that asked.

mod agents;
mod lapse;
mod moment;
mod payload;
mod record;
mod reply;
#[cfg(test)]
mod tests;

pub use agents::{AGENTS, Agent, Config, agent};

pub(crate) use agents::Hooked;
pub use lapse::{Lapse, REFUSAL, Way, join};
pub use moment::Moment;
pub use payload::{After, Before, Told, What};
pub use record::{Called, Recording, line, record, refuse, settle, stage};
pub use reply::{Answer, Decision, reply};
