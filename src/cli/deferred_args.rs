//! Describes the arguments of a command only when that command runs. A hook runs at every step of an agent, and should
//! not pay for the options of forty other commands.

use std::ops::Deref;

use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// The arguments of a command, described only when they are parsed or printed.
#[derive(Debug)]
pub(super) struct DeferredArgs<A>(A);

impl<A> Deref for DeferredArgs<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.0
    }
}

impl<A: Args> Args for DeferredArgs<A> {
    fn augment_args(command: Command) -> Command {
        command.defer(described::<A>)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Keeps the help text of the command instead of that of the type of its arguments.
fn described<A: Args>(command: Command) -> Command {
    let (about, long) = (command.get_about().cloned(), command.get_long_about().cloned());
    let mut command = A::augment_args(command).about(None).long_about(None);
    if let Some(about) = about {
        command = command.about(about);
    }
    if let Some(long) = long {
        command = command.long_about(long);
    }
    command
}

impl<A: FromArgMatches> FromArgMatches for DeferredArgs<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        A::from_arg_matches(matches).map(Self)
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        A::from_arg_matches_mut(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}
