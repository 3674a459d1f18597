//! Which way a value went that stands in what a call was given.
//!
//! Tools that edit say what they take from a file and what they put into it: a value that is only taken away is written
//! nowhere. Of a shell's text the commands that hold the value decide, with the ones that they are piped into: what a
//! command that connects is given goes to the host; what one prints that prints what it is given goes where its output
//! goes. A value that stands in no command (a here-document, a variable) goes wherever the text goes.

use std::collections::BTreeSet;

use super::{EventEffects, Way};
use crate::lint::edits::{self, Edit};
use crate::secret_egress::is_here;
use agent_strace_effects::{Certainty, Connection, Effect, Kind, causes};

/// Programs that print what they are given, or may.
const PRINT: &[&str] = &[
    "echo", "printf", "print", "cat", "tee", "sed", "awk", "gawk", "perl", "ruby", "node", "python", "python3", "jq",
    "yq", "base64", "envsubst", "bash", "sh", "zsh", "dd", "tr", "cut", "xargs",
];

/// Values of one call that are looked into one by one. Of what holds more of them, all is said to go everywhere.
const MOST: usize = 200;
/// Commands of one call that a value is looked for in. Of one that runs more, any may have it.
const MOST_COMMANDS: usize = 500;
/// The largest number of other hosts that are reported for one value. One more entry without a name covers the rest; no
/// suppression of the others covers it.
const MOST_HOSTS: usize = 20;

/// Where a call puts a value.
#[derive(Debug, Clone)]
pub(super) struct Went<'a> {
    pub(super) target: Target,
    pub(super) effect: &'a Effect,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    File(String),
    Host(String),
    UnknownHost,
}

impl Target {
    pub(super) fn way(&self) -> Way {
        match self {
            Self::File(_) => Way::Written,
            Self::Host(_) | Self::UnknownHost => Way::Sent,
        }
    }

    /// What of it tells two findings about one value apart.
    pub(super) fn host(&self) -> Option<&str> {
        match self {
            Self::File(_) => None,
            Self::Host(host) => Some(host),
            Self::UnknownHost => Some(""),
        }
    }
}

/// A call that may take something somewhere.
pub(super) struct Call<'a> {
    step: &'a EventEffects<'a>,
    /// What it changes in files, where it is an edit.
    edits: Vec<Edit>,
    /// For each effect the command that it belongs to.
    causes: Vec<Option<usize>>,
    /// Its commands.
    commands: Vec<usize>,
    /// Those of them that connect to another host.
    connecting: Vec<usize>,
    /// Its effects that may take something somewhere, in order.
    targets: Vec<(usize, Target)>,
    /// Values that were looked into.
    asked: usize,
    /// Where all goes that is not looked into, once it was asked for.
    everywhere: Option<Vec<Went<'a>>>,
}

/// Something that a call does would take a value somewhere.
pub(super) fn leads_somewhere(step: &EventEffects<'_>) -> bool {
    step.event.call().is_some() && step.effects.iter().any(|effect| written(effect).or_else(|| sent(effect)).is_some())
}

impl<'a> Call<'a> {
    pub(super) fn new(step: &'a EventEffects<'a>) -> Self {
        let effects = step.effects;
        let edits = step.event.call().map(edits::of).unwrap_or_default();
        let commands: Vec<usize> =
            effects.iter().enumerate().filter(|(_, effect)| program(effect).is_some()).map(|(at, _)| at).collect();
        let causes = causes(&effects.iter().collect::<Vec<_>>());
        let connecting = effects.iter().zip(&causes).filter(|(effect, _)| sent(effect).is_some());
        let connecting = connecting.filter_map(|(_, cause)| *cause).collect();
        let target = |effect| written(effect).or_else(|| sent(effect));
        let targets = effects.iter().enumerate().filter_map(|(index, effect)| Some((index, target(effect)?))).collect();
        Self { step, edits, causes, commands, connecting, targets, asked: 0, everywhere: None }
    }

    /// Every way that the value went: each host once, all files once.
    pub(super) fn ways(&mut self, value: &str) -> Vec<Went<'a>> {
        self.asked += 1;
        if self.asked > MOST {
            let everywhere = self.everywhere.take().unwrap_or_else(|| self.leading(|_, _| true));
            return self.everywhere.insert(everywhere).clone();
        }
        let edited = self.edited(value);
        let holders = self.holders(value);
        self.leading(|index, way| match way {
            Way::Sent => holders.as_ref().is_none_or(|held| self.sends(held, index)),
            _ => edited.unwrap_or_else(|| holders.as_ref().is_none_or(|held| self.writes(held, index))),
        })
    }

    /// The ways of the effects that `goes` says yes to.
    fn leading(&self, goes: impl Fn(usize, Way) -> bool) -> Vec<Went<'a>> {
        let mut ways: Vec<Went<'a>> = Vec::new();
        let (mut known, mut hosts) = (BTreeSet::new(), 0);
        for (index, target) in &self.targets {
            let is_host = target.host().is_some();
            let reported = if is_host && hosts == MOST_HOSTS { &Target::UnknownHost } else { target };
            let is_known =
                known.contains(&(target.way(), target.host())) || known.contains(&(reported.way(), reported.host()));
            let Some(effect) = self.step.effects.get(*index).filter(|_| !is_known && goes(*index, target.way())) else {
                continue;
            };
            known.insert((reported.way(), reported.host()));
            hosts += usize::from(is_host && hosts < MOST_HOSTS);
            ways.push(Went { target: reported.clone(), effect });
        }
        ways
    }

    /// Whether an edit puts the value into a file more often than it takes it from there; `None`: the call is no edit.
    fn edited(&self, value: &str) -> Option<bool> {
        let count = |text: &str| text.matches(value).count();
        let puts = |edit: &Edit| count(&edit.new) > edit.old.as_deref().map_or(0, count);
        (!self.edits.is_empty()).then(|| self.edits.iter().any(puts))
    }

    /// The commands that have to do with a value; `None`: any may have.
    fn holders(&self, value: &str) -> Option<Holders> {
        if self.commands.len() > MOST_COMMANDS {
            return None;
        }
        let effects = self.step.effects;
        let text = self.step.text.unwrap_or_default();
        let spans: Vec<(usize, usize)> =
            text.match_indices(value).map(|(at, _)| (at, at + value.len())).take(MOST).collect();
        let has = |index: usize, (start, end): &(usize, usize)| {
            effects.get(index).is_some_and(|effect| is_around(effect, *start, *end))
        };
        let words = |index: usize| match effects.get(index).map(|effect| &effect.kind) {
            Some(Kind::Execute(execution)) => execution.argv.iter().any(|word| word.text.contains(value)),
            _ => false,
        };
        let prints = |index: usize| {
            let program = effects.get(index).and_then(program);
            program.is_some_and(|program| PRINT.contains(&program))
        };
        let is_given = |index: &usize| words(*index) || spans.iter().any(|span| has(*index, span));
        let mut given: BTreeSet<usize> = self.commands.iter().copied().filter(is_given).collect();
        let is_free = |span| !self.commands.iter().any(|index| has(*index, span));
        if given.is_empty() || spans.iter().any(is_free) {
            return None;
        }
        let mut printing: BTreeSet<usize> = given.iter().copied().filter(|index| prints(*index)).collect();
        for index in &self.commands {
            if !given.contains(index) && printing.iter().any(|from| is_piped(effects, *from, *index, text)) {
                given.insert(*index);
                printing.insert(*index);
            }
        }
        Some(Holders { given, printing })
    }

    /// Whether a command that has the value connects.
    fn sends(&self, held: &Holders, index: usize) -> bool {
        let cause = self.causes.get(index).copied().flatten();
        cause.is_none_or(|cause| held.given.contains(&cause))
    }

    /// Whether a command that has the value writes it.
    fn writes(&self, held: &Holders, index: usize) -> bool {
        let (Some(effect), Some(cause)) = (self.step.effects.get(index), self.causes.get(index).copied().flatten())
        else {
            return true;
        };
        if effect.via == "redirect" {
            return held.printing.contains(&cause);
        }
        // What one that connects writes is the answer.
        let writes = held.given.contains(&cause) && !self.connecting.contains(&cause);
        writes && effect.certainty != Certainty::Possible
    }
}

/// Commands of a shell's text.
struct Holders {
    /// They are given the value, or read what one of them prints.
    given: BTreeSet<usize>,
    /// Those of them that print it.
    printing: BTreeSet<usize>,
}

/// The file of the workspace that is written.
fn written(effect: &Effect) -> Option<Target> {
    let Kind::Write(target) = &effect.kind else { return None };
    let path = target.path.as_str();
    let drive = path.as_bytes().get(1) == Some(&b':');
    let is_inside = !path.starts_with(['/', '~']) && !drive;
    is_inside.then(|| Target::File(target.shown().into_owned()))
}

/// The other host that is connected to.
fn sent(effect: &Effect) -> Option<Target> {
    let Kind::Connect(Connection { host, .. }) = &effect.kind else { return None };
    match host.as_deref() {
        Some(host) if is_here(host) => None,
        Some(host) => Some(Target::Host(host.to_owned())),
        None => Some(Target::UnknownHost),
    }
}

/// The name of the program that is run.
fn program(effect: &Effect) -> Option<&str> {
    let Kind::Execute(execution) = &effect.kind else { return None };
    let name = execution.argv.first().map_or("", |word| word.text.as_str());
    Some(name.rsplit('/').next().unwrap_or(name))
}

/// The command's piece of the text holds another piece of it (`TOKEN=… program`).
fn is_around(effect: &Effect, start: usize, end: usize) -> bool {
    effect.origin.span.is_some_and(|span| span.start() <= start && end <= span.end())
}

/// What the one prints is what the other reads.
fn is_piped(effects: &[Effect], from: usize, to: usize, text: &str) -> bool {
    let span = |index: usize| effects.get(index).and_then(|effect| effect.origin.span);
    let (Some(from), Some(to)) = (span(from), span(to)) else { return false };
    let between = text.get(from.end()..to.start()).map(str::trim);
    matches!(between, Some("|" | "|&"))
}
