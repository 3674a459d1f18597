//! Several ways through a text. Each starts from the same state. Behind them a variable holds what all of them agree on, and a
//! file, or a descriptor, what one of them left.

use std::collections::BTreeSet;
use std::sync::Arc;

use agent_strace_shell::{Scope, Ways, in_pairs};

use super::context::Context;
use super::descriptors::{Descriptor, Descriptors};
use super::machine::Machine;
use super::stream::Stream;
use crate::world::Replaced;
use crate::{About, Reason, World};

/// Choices among the values of variables, and among the texts of files, that are followed inside each other.
pub(super) const WAYS: usize = 64;

/// The files and descriptors of the session at one place of the text.
#[derive(Debug, Clone)]
pub(super) struct Before {
    world: World,
    descriptors: Descriptors,
    failed_cd_dir: Option<String>,
    globbed_dir: Option<String>,
}

/// Why a part of the text may not have run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard {
    /// A loop may have had no round.
    Loop,
    /// It depends on a test, or on a failure.
    Test,
}

/// The files and descriptors that parts replaced which may not have run. They may be back behind the list or the loop that
/// the parts belong to.
#[derive(Debug, Default)]
pub(super) struct Skipped {
    files: Vec<Replaced>,
    descriptors: Vec<Descriptors>,
}

impl Before {
    pub(super) fn of(machine: &Machine<'_>) -> Self {
        Self {
            world: machine.world.clone(),
            descriptors: machine.shell.descriptors.clone(),
            failed_cd_dir: machine.shell.failed_cd_dir.clone(),
            globbed_dir: machine.shell.globbed_dir.clone(),
        }
    }

    /// Starts again from here.
    fn restore(&self, machine: &mut Machine<'_>) -> Self {
        let Self { world, descriptors, failed_cd_dir, globbed_dir } = self.clone();
        Self {
            world: std::mem::replace(machine.world, world),
            descriptors: std::mem::replace(&mut machine.shell.descriptors, descriptors),
            failed_cd_dir: std::mem::replace(&mut machine.shell.failed_cd_dir, failed_cd_dir),
            globbed_dir: std::mem::replace(&mut machine.shell.globbed_dir, globbed_dir),
        }
    }

    /// Takes over another way, which started at `start`.
    fn join(&mut self, other: Self, start: &World) {
        if self.world.cwd() != other.world.cwd() {
            self.world.set_cwd(None);
        }
        self.world.join(&other.world, start);
        merge(&mut self.descriptors, &other.descriptors);
        self.failed_cd_dir = self.failed_cd_dir.take().or(other.failed_cd_dir);
        self.globbed_dir = self.globbed_dir.take().or(other.globbed_dir);
    }
}

impl Skipped {
    /// The part that ran since `before` may not have run.
    pub(super) fn add(&mut self, machine: &Machine<'_>, before: &Before, guard: Guard) {
        let replaced = machine.world.replaced_since(&before.world).into_iter();
        self.files.extend(replaced.filter(|file| guard == Guard::Test || file.was_written()));
        if !is_same(&machine.shell.descriptors, &before.descriptors) {
            self.descriptors.push(before.descriptors.clone());
        }
    }

    /// Each file and each descriptor may be as it was before.
    pub(super) fn restore(self, machine: &mut Machine<'_>) {
        for file in &self.files {
            machine.world.restore_perhaps(file);
        }
        for before in &self.descriptors {
            merge(&mut machine.shell.descriptors, before);
        }
    }
}

impl Machine<'_> {
    /// Walks parts of which at most one runs, each from the same state. In a loop, what one of them writes the others may find
    /// in the next round.
    pub(super) fn alternatives<P>(
        &mut self,
        parts: impl Iterator<Item = P>,
        scope: &mut Scope,
        walk: impl Fn(&mut Machine<'_>, P, &mut Scope) -> Stream,
    ) -> Option<Stream> {
        let before = scope.clone();
        let start = Before::of(self);
        let mut next = start.clone();
        let (mut shells, mut ends) = (Vec::new(), Vec::new());
        let mut output: Option<Stream> = None;
        for part in parts {
            let mut own = before.clone();
            let printed = walk(self, part, &mut own).doubted();
            output = Some(match output {
                Some(output) => output.then(printed),
                None => printed,
            });
            shells.push(own);
            if self.context.repeats {
                next.world.join(self.world, &start.world);
            }
            ends.push(next.restore(self));
        }
        self.meet(shells, ends, &start, scope);
        output
    }

    /// Walks a command, and walks it again for each other text of a file that it looks at.
    pub(super) fn with_each_text(
        &mut self,
        scope: &mut Scope,
        walk: &dyn Fn(&mut Machine<'_>, &mut Scope) -> Stream,
    ) -> Stream {
        if !self.world.has_others() {
            return walk(self, scope);
        }
        let (before, start) = (scope.clone(), Before::of(self));
        let is_outermost = self.shell.outermost.is_none();
        self.shell.outermost.get_or_insert_with(|| start.world.clone());
        let mut looked_at = self.world.take_looked_at();
        let mut printed = walk(self, scope);
        // The outermost command runs again with each text of the files that it found when it started.
        let outermost = self.shell.outermost.as_ref().filter(|_| !is_outermost);
        let is_outer = |path: &String| outermost.is_some_and(|outermost| outermost.has_same(path, &start.world));
        let (outer, own) = self.world.take_looked_at().into_iter().partition::<BTreeSet<String>, _>(is_outer);
        looked_at.extend(outer);
        self.world.put_looked_at(looked_at);
        if is_outermost {
            self.shell.outermost = None;
        }
        let others = |path: String| (start.world.others(&path), path);
        let found: Vec<(Vec<String>, String)> = own.into_iter().map(others).collect();
        let ways = found.iter().fold(self.context.ways, |ways, (texts, _)| ways.saturating_mul(1 + texts.len()));
        if ways > WAYS {
            self.opaque(About::Anything, Reason::TooManyWays, &[]);
            return printed;
        }
        if ways == self.context.ways {
            return printed;
        }
        let (mut shells, mut ends) = (vec![scope.clone()], vec![start.restore(self)]);
        for (at, (texts, path)) in found.iter().enumerate() {
            let ways = self.context.ways.saturating_mul(1 + texts.len());
            for text in texts {
                // The files before it hold what they held in the first walk; those behind it hold each of their texts.
                found.iter().take(at).for_each(|(_, known)| self.world.settle(known));
                self.world.choose(path, text);
                let mut own = before.clone();
                let mut way = self.with(Context { ways, ..self.context });
                printed = printed.doubted().then(way.with_each_text(&mut own, walk).doubted());
                shells.push(own);
                ends.push(start.restore(self));
            }
        }
        self.meet(shells, ends, &start, scope);
        printed
    }

    /// The ways that ended in these states meet.
    fn meet(&mut self, shells: Vec<Scope>, ends: Vec<Before>, start: &Before, scope: &mut Scope) {
        if let Some(merged) = Scope::merged(shells) {
            *scope = merged;
        }
        if let Some(end) = in_pairs(ends, |one, other| one.join(other, &start.world)) {
            end.restore(self);
        }
    }

    /// A loop may have had no round: the files may be as they were at `before`.
    pub(super) fn may_have_been_skipped(&mut self, before: &Before) {
        let mut skipped = Skipped::default();
        skipped.add(self, before, Guard::Loop);
        skipped.restore(self);
    }

    /// Keeps what is certain after a part that may not have run.
    pub(super) fn rejoin(&mut self, before: &Scope, cwd: Option<&str>, scope: &mut Scope, ways: Ways) {
        scope.merge(before, ways);
        if self.world.cwd() != cwd {
            self.world.set_cwd(None);
        }
    }
}

/// Each descriptor is what it is on one way or on the other.
fn merge(here: &mut Descriptors, other: &Descriptors) {
    if is_same(here, other) {
        return;
    }
    let numbers: BTreeSet<u32> = here.keys().chain(other.keys()).copied().collect();
    for number in numbers {
        let one_of = match (here.get(&number), other.get(&number)) {
            (Some(one), Some(other)) if Arc::ptr_eq(one, other) => continue,
            (Some(one), Some(other)) => one.or(other),
            (Some(one), None) | (None, Some(one)) => one.or(&Descriptor::Input(Stream::nothing())),
            (None, None) => continue,
        };
        here.insert(number, Arc::new(one_of));
    }
}

fn is_same(here: &Descriptors, other: &Descriptors) -> bool {
    here.len() == other.len()
        && here.iter().zip(other).all(|((one, here), (two, there))| one == two && Arc::ptr_eq(here, there))
}
