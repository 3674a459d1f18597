//! Whether tests ran after the last change of a file, and went well.

use std::cell::OnceCell;

use super::Measurement;
use super::commands::{doubted, is_proven, may_be_any};
use super::runners::{may_tell_none, runs_none};
use crate::config::evals::Commands;
use crate::effects::{About, Certainty, Kind};
use crate::model::Status;
use crate::rules::{Act, Log};

/// What is looked at, by its place in the session.
type Seen<'a> = Option<(usize, &'a Act<'a>)>;

/// The acts of a session, and which of them are tests.
struct Trail<'a> {
    commands: &'a Commands,
    acts: &'a [Act<'a>],
    /// Of each act, where somebody asked: comparing a command with many takes time.
    tests: Vec<OnceCell<bool>>,
    /// Nobody knows where the workspace is.
    anywhere: bool,
}

pub(super) fn tests_ran(commands: &Commands, log: &Log<'_>) -> Measurement {
    let (acts, anywhere) = (log.acts, log.session.root.is_none());
    let trail = Trail { commands, acts, tests: vec![OnceCell::new(); acts.len()], anywhere };
    let (change, doubt) = (trail.last(|act| trail.is_change(act)), trail.last(|act| trail.may_change(act)));
    let since = change.map_or(0, |(at, _)| at);
    // What ran last counts: a part of the tests may pass before all of them fail.
    let last = trail.tests(since).last();
    let well = last.filter(|(_, act)| act.status == Some(Status::Ok));
    let passed = well.filter(|(at, act)| act.effect.origin.told && trail.doubt(*at).is_none());
    match (change, doubt, passed) {
        (None, None, _) => Measurement::new(1.0, "nothing was changed"),
        (_, doubt, Some((at, test))) if doubt.is_none_or(|(doubtful, _)| doubtful < at) => {
            let reason = format!("tests ran in event {}, after the last change", test.event);
            Measurement::new(1.0, reason).at(Some(test.event))
        }
        (_, Some((_, act)), Some(_)) | (None, Some((_, act)), None) => doubted("may have changed files", act),
        (Some((_, change)), ..) => match well {
            Some((at, test)) => untold(test, trail.doubt(at)),
            None => trail.lacking(since, change),
        },
    }
}

impl<'a> Trail<'a> {
    fn is_test(&self, at: usize) -> bool {
        let (Some(act), Some(known)) = (self.acts.get(at), self.tests.get(at)) else { return false };
        *known.get_or_init(|| {
            let runs = matches!(&act.effect.kind, Kind::Execute(execution) if !runs_none(execution));
            runs && happened(act) && is_proven(self.commands, act)
        })
    }

    /// Why what passed may be no test.
    fn doubt(&self, at: usize) -> Option<&'static str> {
        let act = self.acts.get(at)?;
        let (before, _) = self.acts.split_at_checked(at)?;
        let of_call = before.iter().rev().take_while(|other| other.event == act.event);
        if of_call.filter(|other| happened(other)).any(may_tell_none) {
            return Some("the call sets a variable that may tell it to run none");
        }
        let Kind::Execute(execution) = &act.effect.kind else { return None };
        let program = execution.argv.first()?.text.as_str();
        let program = program.strip_prefix("./").unwrap_or(program);
        let writes = |other: &Act<'_>| matches!(&other.effect.kind, Kind::Write(target) if target.path == program);
        let own = program.contains('/') && before.iter().any(|other| happened(other) && writes(other));
        own.then_some("the session itself wrote the program that ran")
    }

    fn tests(&self, since: usize) -> impl Iterator<Item = (usize, &'a Act<'a>)> {
        self.acts.iter().enumerate().skip(since).filter(|(at, _)| self.is_test(*at))
    }

    /// The last act of a kind that no test caused.
    fn last(&self, wanted: impl Fn(&Act<'_>) -> bool) -> Seen<'a> {
        self.acts.iter().enumerate().rev().find(|(at, act)| wanted(act) && !self.is_done_by_tests(*at))
    }

    /// A file of the workspace.
    fn is_change(&self, act: &Act<'_>) -> bool {
        let Some(path) = changed(act) else { return false };
        self.anywhere || !is_anchored(path)
    }

    /// What may be a change: nobody knows what was done, or it was done elsewhere, where this project may go on.
    fn may_change(&self, act: &Act<'_>) -> bool {
        let elsewhere = !self.anywhere && changed(act).is_some_and(is_anchored);
        let unseen = act.status != Some(Status::Denied) && may_be_any(act, &[About::Anything, About::Writes]);
        elsewhere || unseen
    }

    /// Tests write, too: what a command of this kind caused is its own.
    fn is_done_by_tests(&self, at: usize) -> bool {
        let acts = self.acts;
        let Some(act) = acts.get(at) else { return false };
        let first = acts.partition_point(|other| other.event < act.event);
        let mut parent = act.effect.origin.parent;
        // A parent stands before its child.
        let mut before = at;
        while let Some(cause) = parent.map(|parent| first + parent as usize).filter(|cause| *cause < before) {
            let Some(cause_act) = acts.get(cause) else { return false };
            if self.is_test(cause) {
                return true;
            }
            (parent, before) = (cause_act.effect.origin.parent, cause);
        }
        false
    }

    /// Why tests say nothing for a change.
    fn lacking(&self, since: usize, change: &Act<'_>) -> Measurement {
        let reason = if self.tests(since).next().is_some() {
            "tests ran after the last change, and failed or have no recorded result"
        } else if self.tests(0).next().is_some() {
            "a file was changed after the tests ran"
        } else {
            "files were changed, and no tests ran"
        };
        Measurement::new(0.0, format!("{reason} (last change in event {})", change.event)).at(Some(change.event))
    }
}

fn happened(act: &Act<'_>) -> bool {
    act.status != Some(Status::Denied) && act.effect.certainty != Certainty::Possible
}

/// What was changed for good.
fn changed<'a>(act: &'a Act<'_>) -> Option<&'a str> {
    let (Kind::Write(target) | Kind::Delete(target)) = &act.effect.kind else { return None };
    // A tool for files that failed changed none; of a command that failed nobody knows.
    let failed = act.status == Some(Status::Error) && act.effect.via == "argument";
    let path = target.path.as_str();
    let scratch = path.starts_with("/tmp/") || path.starts_with('~');
    (happened(act) && !failed && !scratch).then_some(path)
}

/// `/x`, `C:/x`
fn is_anchored(path: &str) -> bool {
    path.starts_with('/') || path.as_bytes().get(1) == Some(&b':')
}

fn untold(test: &Act<'_>, doubt: Option<&str>) -> Measurement {
    let reason = doubt.unwrap_or(
        "the status of the call does not tell how the tests in it ended: run them last, alone, or with \
         `set -o pipefail`",
    );
    Measurement::unknown(format!("{reason} (event {})", test.event)).at(Some(test.event))
}
