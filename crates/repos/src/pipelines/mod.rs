//! CI files of a repository: which of them run the gate, what they call, and what their checks are called.
//!
//! Everything is read from commits, and bounded: nothing is run, and nothing is fetched. [`touches()`] says what a change
//! does to the gate; [`crate::doctor`] uses the names of checks, too.

mod calls;
mod cargo;
mod definitions;
mod formats;
mod gate;
mod gitlab;
mod ignored;
mod inherited;
mod jobs;
mod modules;
mod names;
mod operands;
mod order;
mod others;
mod parts;
mod pins;
mod prompts;
mod reads;
mod recipes;
mod record;
mod resolve;
mod startup;
mod submodules;
mod systems;
#[cfg(test)]
mod tests;
mod touches;
mod tree;
mod walk;
mod wild;
mod work;
mod workflow;

pub use names::{CheckName, Likeness};
pub(crate) use systems::GITLAB_KEYWORDS;
pub use systems::{Dialect, dialect};
pub use touches::{Changed, Touches, touches};
pub use tree::{ChangedPath, Content, Contents, Tree, text_of};
pub(crate) use work::Work;
pub(crate) use workflow::Workflows;
