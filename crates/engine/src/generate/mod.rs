//! What agents did → a policy that allows it and nothing more.
//!
//! [`observe`] collects every distinct effect with its calls; [`plan`] makes entries of them, or says why not:
//! [`commands`] of words, [`paths`] of files, [`workspace`] and [`agent_folders`] of what is done all over, [`kin`] and
//! [`joins`] of what others of its kind make likely; [`draft()`] settles which of them stay: it reads the text that [`compose`]
//! writes, or [`merge`] adds to, as any policy is read, and judges by it what was seen, so that the list for review is what is
//! really refused. [`shared`] is the policy that several repositories extend. [`samples`] are the tests of the policy, [`provenance`] the file beside it. [`held_out()`] and [`probe()`]
//! measure it.

mod agent_folders;
mod commands;
mod compose;
mod denies;
mod described;
mod draft;
mod families;
mod for_people;
mod form;
mod held_out;
mod joins;
mod kin;
mod merge;
mod observe;
mod paths;
mod plan;
mod probe;
mod provenance;
mod purpose;
mod reason;
mod risks;
mod samples;
mod shared;
mod start;
mod tables;
mod targets;
mod workspace;

pub(crate) use commands::{risks_beside, text as command_text};
pub use described::described;
pub use draft::{Draft, Review, Seen, Written, draft};
pub use for_people::is_for_people;
pub use form::{Form, form};
pub use held_out::{HeldOut, Refused, Verdict, held_out};
pub use observe::Observed;
pub use plan::{Basis, Slot};
pub use probe::{Probed, probe};
pub use provenance::{KnownEntries, merged as merged_provenance};
pub use reason::Reason;
pub(crate) use risks::has_risks;
pub use shared::{SharedBase, base_text};
pub use start::{Settings, Start};
