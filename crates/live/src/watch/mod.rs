//! What a session may not do while it runs: rules and limits, and whether a session breaks them.
//!
//! A rules file is read as the policy is: everything that is wrong with it is told with its location, and nothing is watched by
//! the half of a file. Numbers come from [`agent_strace_metrics`], paths from the effects that `check` judges, and patterns of
//! paths are those of the policy, so that a rule that stops a session here is one that the gate would find, too.
//!
//! Time is not looked at here: who watches has a clock that goes on where no event comes ([`Watch::deadlines`]).

mod breach;
mod condition;
mod post_mortem;
mod read;
mod settings;
mod spending;

#[cfg(test)]
mod tests;

pub use breach::{Breach, Deadline, Watch};
pub use condition::{Action, Amount};
pub use post_mortem::{Death, PostMortem, SessionSnapshot};
pub use read::read;
pub use settings::{Settings, read as read_settings};
pub use spending::Spending;
