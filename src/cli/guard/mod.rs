//! `guard -- CMD`: starts an agent, watches what hooks record of it, and stops it where it breaks a limit.
//!
//! Who starts a process knows which one it is, and may end all of what it started: that is why this is surer than `watch`.

#[cfg(unix)]
mod group;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod terminal;

#[cfg(unix)]
pub(super) use run::run;

/// There are no process groups and no signals to stop one by.
#[cfg(not(unix))]
pub(super) fn run(
    _: &std::path::Path,
    _: &super::watch::GuardArgs,
    _: super::environment::Environment,
    _: &mut super::Streams<'_>,
) -> Result<u8, super::failure::Failure> {
    Err(super::failure::Failure::new("`guard` is not supported on this system")
        .hint("`agent-strace watch` follows a session and tells what it breaks"))
}
