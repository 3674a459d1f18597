//! Follows what commands read through the pipes and substitutions of a text to the connections and files that get it.
//!
//! The shell connects the commands, so it says which of them get what others read. A program may pass on all of its input,
//! unless it only counts.

use std::ops::Range;

use agent_strace_shell::{Node, Simple, mentioned_by};

use crate::{About, Effect, Kind, Reason};

use super::emitter::Emitter;
use super::knowledge::COUNTING;
use super::machine::Machine;

/// Effects that are looked at for the price of one step of work.
const EFFECTS_A_STEP: usize = 16;
/// Variables whose content is followed at a time.
const HELD: usize = 1_000;

/// Builtins that put what they read into the variables that their words name.
const READING: &[&str] = &["mapfile", "read", "readarray"];

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

/// The stages of a pipeline.
pub(super) struct Stages {
    /// Where the effects of each stage start.
    marks: Vec<usize>,
    /// The last stage that only counts what it gets.
    counted: Option<usize>,
    /// The number of mentions of variables before the pipeline.
    mentioned: usize,
}

impl Stages {
    pub(super) fn push(&mut self, stage: &Node, mark: usize) {
        if let Node::Simple(simple) = stage
            && simple.words.first().is_some_and(|word| COUNTING.contains(&word.source.as_ref()))
        {
            self.counted = Some(self.marks.len());
        }
        self.marks.push(mark);
    }

    /// The effects of a stage; `end`: where those of the last one end.
    fn range(&self, at: usize, end: usize) -> Found {
        let mark = |at: usize| self.marks.get(at).copied().unwrap_or(end);
        mark(at)..mark(at + 1)
    }

    /// Where the last stage starts that sends or writes something before `end`.
    fn before_last_sink(&self, emitter: &Emitter, end: usize) -> Option<usize> {
        let stages = (1..self.marks.len()).map(|at| self.range(at, end)).filter(|stage| stage.start < end);
        let mut sinks = stages.filter(|stage| emitter.has_sink(stage.start..stage.end.min(end)));
        sinks.next_back().map(|stage| stage.start)
    }
}

impl Machine<'_> {
    /// A pipeline starts.
    pub(super) fn stages(&self) -> Stages {
        Stages { marks: Vec::new(), counted: None, mentioned: self.shell.mentioned.len() }
    }

    /// The stages of a pipeline have run. Each of them passes what it read, and what is in the variables that it mentions, to
    /// those after it.
    pub(super) fn flows_through_pipeline(&mut self, stages: &Stages) {
        let Some([first, second, ..]) = stages.marks.first_chunk::<2>() else { return };
        let end = self.emitter.mark();
        let mentioned: Vec<Found> = self.shell.mentioned.get(stages.mentioned..).unwrap_or_default().to_vec();
        if !self.may_spend((end - first) / EFFECTS_A_STEP + mentioned.len()) {
            return;
        }
        // A program that counts passes nothing on, but what comes before it does.
        let counted = stages.counted.map(|at| stages.range(at, end));
        let counted = counted.filter(|stage| !self.emitter.connects(stage.clone()));
        let open = counted.as_ref().map_or(end, |stage| stage.start);
        if let Some(from) = stages.before_last_sink(self.emitter, open) {
            self.emitter.flow(*first..from, *second..open);
        }
        for found in mentioned {
            self.emitter.flow(found, *second..open);
        }
        let Some(counted) = counted else { return };
        self.emitter.counts(*first..counted.end);
        if let Some(from) = stages.before_last_sink(self.emitter, end) {
            self.emitter.flow(*first..from, counted.end..end);
        }
    }

    /// A command has run. Its program sends or writes what its words and redirections read, and its redirections get what it
    /// reads.
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

    /// A command that mentions variables sends or writes what they hold, or assigns it to other variables.
    pub(super) fn flows_of_variables(&mut self, simple: &Simple, mark: usize) {
        let assigned = assigned(simple);
        let end = self.emitter.mark();
        let reads = !assigned.is_empty() && self.emitter.between(mark..end).any(is_read);
        if self.shell.held.is_empty() && !reads {
            return;
        }
        let mentioned = mentioned_by(simple);
        let held = self.shell.held.iter().filter(|(name, _)| mentioned.contains(name.as_str()));
        let mut flowing: Vec<Found> = held.map(|(_, found)| found.clone()).collect();
        if !self.may_spend(1 + flowing.len()) {
            return;
        }
        for found in &flowing {
            self.emitter.flow(found.clone(), mark..end);
        }
        self.shell.mentioned.extend(flowing.iter().cloned());
        if reads {
            flowing.push(mark..end);
        }
        flowing.sort_by_key(|found| (found.start, found.end));
        flowing.dedup();
        for name in assigned {
            self.hold(name, &flowing);
        }
    }

    /// The variable of a loop holds what its words read.
    pub(super) fn flows_into_loop(&mut self, variable: &str, mark: usize) {
        let found = mark..self.emitter.mark();
        if self.emitter.between(found.clone()).any(is_read) {
            self.hold(variable, &[found]);
        }
    }

    /// The variable may hold this from now on. What it held before may be in it, too: not every assignment runs.
    fn hold(&mut self, variable: &str, flowing: &[Found]) {
        for found in flowing {
            let is_known = self.shell.held.iter().any(|(name, held)| name == variable && held == found);
            if is_known {
                continue;
            }
            if self.shell.held.len() >= HELD {
                return self.opaque(About::Anything, Reason::TooManyItems, &[]);
            }
            self.shell.held.push((variable.to_owned(), found.clone()));
        }
    }
}

/// A connection that the shell itself opened gets what commands print to it.
pub(super) fn sends(effect: &mut Effect) {
    effect.origin.sent |= matches!(effect.kind, Kind::Connect(_));
}

/// The variables that a command assigns.
fn assigned(simple: &Simple) -> Vec<&str> {
    let mut names: Vec<&str> = simple.assignments.iter().map(|assignment| assignment.name.as_str()).collect();
    let words = || simple.words.iter().skip(1).map(|word| &*word.source);
    if simple.declares() {
        names.extend(words().filter_map(|word| word.split_once('=')).map(|(name, _)| name));
    }
    let program = simple.words.first().map_or("", |word| &*word.source);
    if READING.contains(&program) {
        names.extend(words().filter(|word| !word.starts_with('-')));
    }
    if program == "printf" {
        names.extend(words().skip_while(|word| *word != "-v").nth(1));
    }
    names
}

fn is_read(effect: &Effect) -> bool {
    matches!(effect.kind, Kind::Read(_))
}

impl Emitter {
    fn has_sink(&self, range: Range<usize>) -> bool {
        self.between(range).any(|effect| matches!(effect.kind, Kind::Connect(_) | Kind::Write(_)))
    }

    fn connects(&self, range: Range<usize>) -> bool {
        self.between(range).any(|effect| matches!(effect.kind, Kind::Connect(_)))
    }

    /// The connections and files among the second effects get what the first effects read.
    fn flow(&mut self, from: Found, to: Found) {
        let sends = self.connects(to.clone());
        let stores = self.between(to.clone()).any(|effect| matches!(effect.kind, Kind::Write(_)));
        if !sends && !stores {
            return;
        }
        let mut flows = false;
        for part in self.passed_on(from) {
            flows |= self.between(part.clone()).any(is_read);
            self.change(part, |effect| {
                effect.origin.sent |= sends && is_read(effect);
                effect.origin.stored |= stores && is_read(effect);
            });
        }
        if flows {
            self.change(to, |effect| {
                effect.origin.sent |= matches!(effect.kind, Kind::Connect(_));
                effect.origin.stored |= matches!(effect.kind, Kind::Write(_));
            });
        }
    }
}
