//! What directories of the store are called while they are being deleted.
//!
//! A deletion takes two steps, so that one that is cut off can be finished: the directory is given such a name first, and
//! with it is out of the store. No reader of the store takes it for a session.

/// It is to be deleted, and nothing is said of that in the log of deletions yet.
pub const DOOMED: &str = ".retention-doomed.";
/// The log of deletions says that it is deleted; what is left of it has to go.
pub const LOGGED: &str = ".retention-logged.";

/// Whether a directory with this name is on its way out.
pub fn is_tombstone(name: &str) -> bool {
    name.starts_with(DOOMED) || name.starts_with(LOGGED)
}
