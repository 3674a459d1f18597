//! Commands in containers that see directories of ours.

use std::borrow::Cow;

use crate::command::argument::Arg;
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::{Certainty, Effect, Kind};

/// A directory of the host inside a container.
#[derive(Debug)]
pub(super) struct Mount {
    pub(super) host: Arg,
    pub(super) inside: String,
}

impl Machine<'_> {
    /// The image's own command, which may do anything to the directories of ours that it sees.
    pub(super) fn possible_mounts(&mut self, mounts: &[Mount]) {
        for mount in mounts {
            self.possible_path(Role::ReadTree, &mount.host);
            self.possible_path(Role::WriteTree, &mount.host);
        }
    }

    /// A command inside a container that sees directories of ours.
    pub(super) fn mounted(&mut self, command: &[Arg], mounts: &[Mount], working: Option<&Arg>, io: &mut Io<'_>) {
        let cwd = self.world.cwd().map(str::to_owned);
        if let Some(working) = working {
            self.world.enter_word(&outside(working, mounts));
        }
        let words: Vec<Arg> = command.iter().map(|word| outside(word, mounts)).collect();
        let input = io.input.clone();
        let mut scope = io.scope.child();
        let mark = self.emitter.mark();
        self.command(&words, &mut Io { scope: &mut scope, input: &input });
        self.seen_from_outside(mark, mounts);
        self.world.set_cwd(cwd);
    }

    /// Paths below a mount that program text spells are ours.
    fn seen_from_outside(&mut self, mark: usize, mounts: &[Mount]) {
        let ours = |effect: &Effect| {
            let inside = Arg::exact(effect.kind.path()?.path.as_str());
            let host = outside(&inside, mounts);
            (host != inside).then(|| (effect.kind.clone(), effect.certainty, host))
        };
        let found: Vec<(Kind, Certainty, Arg)> = self.emitter.since(mark).filter_map(ours).collect();
        for (mut kind, certainty, host) in found {
            let place = self.world.locate_word(&host).0.path;
            if let Some(target) = kind.path_mut() {
                target.path = place;
            }
            self.emit(kind, certainty, "argument");
        }
    }
}

/// The path without `.` and `..`, which the container resolves before it looks for a mount. Other texts stay as they are.
fn without_steps(text: &str) -> Cow<'_, str> {
    if !text.starts_with('/') || !text.split('/').any(|part| matches!(part, "." | "..")) {
        return Cow::Borrowed(text);
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Cow::Owned(format!("/{}", parts.join("/")))
}

/// A word of a command in a container, as seen from here: the innermost mount counts.
fn outside(word: &Arg, mounts: &[Mount]) -> Arg {
    let inside = without_steps(&word.text);
    let below = |mount: &Mount| {
        let rest = inside.strip_prefix(without_steps(&mount.inside).trim_end_matches('/'))?;
        let host = mount.host.text.trim_end_matches('/');
        match rest {
            "" => Some(mount.host.text.clone()),
            _ => rest.starts_with('/').then(|| format!("{host}{rest}")),
        }
    };
    let found = mounts.iter().filter_map(|mount| Some((mount, below(mount)?)));
    match found.max_by_key(|(mount, _)| mount.inside.trim_end_matches('/').len()) {
        Some((mount, text)) => Arg { text, ..mount.host.clone() },
        None => word.clone(),
    }
}
