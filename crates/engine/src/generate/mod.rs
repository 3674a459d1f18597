//! What agents did → a policy that allows it and nothing more.
//!
//! [`observe`] collects every distinct effect with its calls; [`plan`] makes entries of them, or says why not:
//! [`commands`] of words, [`paths`] of files, [`workspace`] and [`agent_folders`] of what is done all over, [`kin`] of what
//! others of its kind make likely; [`draft()`] writes the text, reads it as any policy is read, and judges by it what was
//! seen, so that the list for review is what is really refused. [`held_out()`] and [`probe()`] measure it.

mod agent_folders;
mod commands;
mod draft;
mod families;
mod for_people;
mod form;
mod held_out;
mod kin;
mod observe;
mod paths;
mod plan;
mod probe;
mod reason;
mod risks;
mod tables;
mod workspace;

pub use draft::{Draft, Review, Seen, Settings, Written, draft};
pub use for_people::is_for_people;
pub use form::{Form, form};
pub use held_out::{HeldOut, Refused, Verdict, held_out};
pub use observe::Observed;
pub use plan::{Basis, Slot};
pub use probe::{Probed, probe};
pub use reason::Reason;
