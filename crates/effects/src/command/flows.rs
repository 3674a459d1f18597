//! Follows what commands read through the pipes and substitutions of a text to the connections and files that get it.
//!
//! The shell connects the commands, so it says which of them get what others read. What a program makes of its input is
//! not looked at: it may pass on all of it.

use std::ops::Range;

use agent_strace_shell::{Simple, mentioned_by};

use crate::{Effect, Kind};

use super::emitter::Emitter;
use super::machine::Machine;

/// Effects that are looked at for the price of one step of work.
const EFFECTS_A_STEP: usize = 16;
/// Variables whose content is followed at a time.
const HELD: usize = 64;

/// Effects of one text, by the marks before and after them.
pub(super) type Found = Range<usize>;

/// The parts of a simple command.
pub(super) struct Parts {
    /// The effects of its words and redirections.
    pub(super) before: Found,
    /// It prints to a connection.
    pub(super) has_socket: bool,
    /// It prints to a file or to a connection.
    pub(super) is_redirected: bool,
}

impl Machine<'_> {
    /// The stages of a pipeline have run: what each of them read flows to those after it. `marks`: where the effects of each
    /// stage start.
    pub(super) fn flows_through_pipeline(&mut self, marks: &[usize]) {
        let Some([first, second, ..]) = marks.first_chunk::<2>() else { return };
        let end = self.emitter.mark();
        if !self.may_spend((end - first) / EFFECTS_A_STEP) {
            return;
        }
        let ends = marks.iter().skip(1).copied().chain([end]);
        let stages = marks.iter().copied().zip(ends).skip(1);
        let last = stages.filter(|(from, to)| self.emitter.has_sink(*from..*to)).last();
        if let Some((from, _)) = last {
            self.emitter.flow(*first..from, *second..end);
        }
    }

    /// A command has run: what its words and redirections read flows to where its program sends or writes, and what it reads
    /// flows to where its redirections lead.
    pub(super) fn flows_of_command(&mut self, parts: &Parts) {
        let Found { start, end: ran } = parts.before;
        let end = self.emitter.mark();
        if ran > start {
            self.emitter.flow(start..ran, ran..end);
        }
        if parts.is_redirected {
            self.emitter.flow(start..end, start..ran);
        }
        if parts.has_socket {
            self.emitter.change(start..end, |effect| effect.origin.sent |= is_read(effect));
        }
    }

    /// What variables hold flows to where a command that mentions them sends or writes, and into variables that it assigns.
    pub(super) fn flows_of_variables(&mut self, simple: &Simple, mark: usize) {
        let end = self.emitter.mark();
        let assigns = !simple.assignments.is_empty() && self.emitter.between(mark..end).any(is_read);
        if self.shell.held.is_empty() && !assigns {
            return;
        }
        let mentioned = mentioned_by(simple);
        let held = self.shell.held.iter().filter(|(name, _)| mentioned.contains(name.as_str()));
        let mut flowing: Vec<Found> = held.map(|(_, found)| found.clone()).collect();
        if !self.may_spend(flowing.len()) {
            return;
        }
        for found in &flowing {
            self.emitter.flow(found.clone(), mark..end);
        }
        if assigns {
            flowing.push(mark..end);
        }
        for assignment in &simple.assignments {
            self.hold(&assignment.name, &flowing);
        }
    }

    /// The variable of a loop holds what its words read.
    pub(super) fn flows_into_loop(&mut self, variable: &str, mark: usize) {
        let found = mark..self.emitter.mark();
        if self.emitter.between(found.clone()).any(is_read) {
            self.hold(variable, &[found]);
        }
    }

    fn hold(&mut self, variable: &str, flowing: &[Found]) {
        let room = HELD.saturating_sub(self.shell.held.len());
        let new = flowing.iter().map(|found| (variable.to_owned(), found.clone()));
        self.shell.held.extend(new.take(room));
    }
}

/// A connection that the shell itself opened gets what commands print to it.
pub(super) fn sends(effect: &mut Effect) {
    effect.origin.sent |= matches!(effect.kind, Kind::Connect(_));
}

fn is_read(effect: &Effect) -> bool {
    matches!(effect.kind, Kind::Read(_))
}

impl Emitter {
    fn has_sink(&self, range: Range<usize>) -> bool {
        self.between(range).any(|effect| matches!(effect.kind, Kind::Connect(_) | Kind::Write(_)))
    }

    /// What the first effects read goes to the connections and files among the others.
    fn flow(&mut self, from: Range<usize>, to: Range<usize>) {
        if !self.between(from.clone()).any(is_read) {
            return;
        }
        let sends = self.between(to.clone()).any(|effect| matches!(effect.kind, Kind::Connect(_)));
        let stores = self.between(to.clone()).any(|effect| matches!(effect.kind, Kind::Write(_)));
        if sends || stores {
            self.change(from, |effect| {
                effect.origin.sent |= sends && is_read(effect);
                effect.origin.stored |= stores && is_read(effect);
            });
            self.change(to, |effect| {
                effect.origin.sent |= matches!(effect.kind, Kind::Connect(_));
                effect.origin.stored |= matches!(effect.kind, Kind::Write(_));
            });
        }
    }
}
