//! What agents did → a policy that allows it and nothing more.
mod commands;
mod draft;
mod held_out;
mod observe;
mod paths;
mod plan;
mod probe;
mod reason;
mod tables;

pub(crate) use draft::{Draft, Review, Seen, Settings, Written, draft};
pub(crate) use held_out::{HeldOut, held_out};
pub(crate) use observe::Observed;
pub(crate) use plan::{Basis, Slot};
pub(crate) use probe::{Probed, probe};
