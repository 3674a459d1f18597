//! What agents did → a policy that allows it and nothing more.
//!
//! [`observe`] collects every distinct effect with its calls; [`plan`] makes entries of them, or says why not:
//! [`commands`] of words, [`paths`] of files, [`workspace`] and [`places`] of what is done all over; [`draft()`] writes the
//! text, reads it as any policy is read, and judges by it what was seen, so that the list for review is what is really
//! refused. [`held_out()`] and [`probe()`] measure it.

mod commands;
mod draft;
mod held_out;
mod observe;
mod paths;
mod places;
mod plan;
mod probe;
mod reason;
mod tables;
mod workspace;

pub(crate) use draft::{Draft, Review, Seen, Settings, Written, draft};
pub(crate) use held_out::{HeldOut, Refused, Verdict, held_out};
pub(crate) use observe::Observed;
pub(crate) use plan::{Basis, Slot};
pub(crate) use probe::{Probed, probe};
pub(crate) use reason::Reason;
