//! Files in which an agent's own tools keep the plan that it shows to its user. They say nothing to later sessions and run
//! nothing, unlike its settings, memory, skills and commands; only the agent's file tools write them so, no shell.

use crate::{Certainty, World};

/// The directories below a home directory.
const FOLDERS: &[&str] = &[".claude/plans/", ".cursor/plans/"];

/// The directories that hold home directories.
const HOMES: &[&str] = &["/Users/", "/home/", "C:/Users/", "D:/Users/"];

/// The file is a plan in the agent's own directory, and no other name of it is known: no allow list has to name it.
pub(super) fn is_plan(world: &World, path: &str) -> bool {
    let (target, certainty) = world.locate(path, Certainty::Exact);
    let below = below_home(&target.path).unwrap_or_default();
    let name = FOLDERS.iter().find_map(|folder| below.strip_prefix(folder)).and_then(|name| name.strip_suffix(".md"));
    let is_plain = |name: &str| {
        !name.is_empty() && name.chars().all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '-')
    };
    let is_linked = || world.has_aliases() && !world.originals(&target.path, certainty).is_empty();
    certainty == Certainty::Exact && name.is_some_and(is_plain) && !is_linked()
}

fn below_home(path: &str) -> Option<&str> {
    let own = path.strip_prefix("~/").or_else(|| path.strip_prefix("/root/"));
    let users = || HOMES.iter().find_map(|homes| path.strip_prefix(homes)?.split_once('/'));
    own.or_else(|| users().map(|(_, below)| below))
}
