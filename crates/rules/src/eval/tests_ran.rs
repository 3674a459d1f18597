//! Whether tests ran after the last change of a file, and went well.

use std::cell::OnceCell;

use super::Measurement;
use super::background::{Background, End};
use super::commands::{doubted, is_proven, may_be_any};
use super::rewriters::rewrites;
use super::runners::{may_tell_none, runs_in_shell, runs_none};
use crate::{Act, Log};
use agent_strace_effects::{About, Certainty, Kind, Reason};
use agent_strace_model::Status;
use agent_strace_policy::config::evals::Commands;

/// What is looked at, by its index in the session.
type Seen<'a> = Option<(usize, &'a Act<'a>)>;

/// The acts of a session, and which of them are tests.
struct TestHistory<'a> {
    commands: &'a Commands,
    acts: &'a [Act<'a>],
    /// Of each act, where somebody asked: comparing a command with many takes time.
    tests: Vec<OnceCell<bool>>,
    /// Nobody knows where the workspace is.
    anywhere: bool,
    background: Background,
}

/// What stands behind everything.
const NEVER: usize = usize::MAX;

pub(super) fn tests_ran(commands: &Commands, log: &Log<'_>) -> Measurement {
    let (acts, anywhere) = (log.acts, log.session.root.is_none());
    let background = Background::of(log);
    let history = TestHistory { commands, acts, tests: vec![OnceCell::new(); acts.len()], anywhere, background };
    let (change, doubt) = (history.last(|_, act| history.is_change(act)), history.last_doubt());
    let since = change.map_or(0, |(at, _)| at);
    let last = history.last_tests(since);
    let well = last.filter(|(_, act)| act.status == Some(Status::Ok));
    let passed = well.filter(|(at, act)| history.is_told(act) && history.doubt(*at).is_none());
    match (change, doubt, passed) {
        (None, None, passed) => Measurement::new(1.0, "nothing was changed").at(passed.map(|(_, test)| test.event)),
        (_, doubt, Some((at, test))) if doubt.is_none_or(|(doubtful, _)| doubtful < at) => {
            let reason = format!("tests ran in event {}, after the last change", test.event);
            Measurement::new(1.0, reason).at(Some(test.event))
        }
        (_, Some((index, act)), Some(_)) | (None, Some((index, act)), None) => changes_unseen(index, act),
        (Some((_, change)), ..) => match well {
            Some((at, test)) => untold(test, history.doubt(at)),
            None => history.lacking(since, change),
        },
    }
}

impl<'a> TestHistory<'a> {
    fn is_test(&self, at: usize) -> bool {
        let (Some(act), Some(known)) = (self.acts.get(at), self.tests.get(at)) else { return false };
        *known.get_or_init(|| {
            let runs = || matches!(&act.effect.kind, Kind::Execute(execution) if !runs_none(execution));
            happened(act) && is_proven(self.commands, act) && runs()
        })
    }

    /// The tests that ran last: a part of them may pass before all of them fail. Those of another project that went
    /// well say nothing of this one.
    fn last_tests(&self, since: usize) -> Seen<'a> {
        let ours = |act: &Act<'_>| !act.effect.origin.elsewhere || act.status != Some(Status::Ok);
        self.tests(since).filter(|(_, act)| ours(act)).last().or_else(|| self.tests(since).last())
    }

    /// If the call went well, the tests did.
    fn is_told(&self, test: &Act<'_>) -> bool {
        test.effect.origin.told && matches!(self.background.end(test.event), None | Some(End::Well(_)))
    }

    /// Why what passed may be no test.
    fn doubt(&self, at: usize) -> Option<&'static str> {
        let act = self.acts.get(at)?;
        if act.effect.origin.elsewhere {
            return Some("they ran outside of the workspace, or in a directory that nobody knows");
        }
        if !matches!(self.background.end(act.event), None | Some(End::Well(_))) {
            return Some("they went on in the background, and the log does not tell that they ended well");
        }
        let (before, _) = self.acts.split_at_checked(at)?;
        let of_call = before.iter().rev().take_while(|other| other.event == act.event);
        let mut names = of_call.filter(|other| happened(other));
        if names.clone().any(may_tell_none) {
            return Some("the call sets a variable that may tell it to run none");
        }
        let sets_path = |other: &Act<'_>| {
            // What a tool sets beside its command, no script reads.
            other.effect.origin.span.is_none() && matches!(&other.effect.kind, Kind::Env { name } if name == "PATH")
        };
        if act.effect.origin.shadowed || names.any(sets_path) {
            return Some("the call sets a search path that may replace the program");
        }
        let of_call = before.iter().enumerate().rev().take_while(|(_, other)| other.event == act.event);
        if of_call.into_iter().any(|(index, other)| self.may_set_anything(index, other)) {
            return Some(
                "the same shell ran text before that nobody knows, which may have replaced the program: run the tests \
                 in a call of their own, or vouch for the script in the scope",
            );
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
    fn last(&self, wanted: impl Fn(usize, &Act<'_>) -> bool) -> Seen<'a> {
        self.acts.iter().enumerate().rev().find(|(at, act)| wanted(*at, act) && !self.is_done_by_tests(*at))
    }

    /// The last that may have changed files, and where that was over: what goes on in the background changes later.
    fn last_doubt(&self) -> Seen<'a> {
        let last = self.last(|at, act| self.may_change(at, act));
        let later = self.acts.iter().enumerate().filter_map(|(at, act)| {
            let over = self.over(at, act)?;
            let changes = self.is_change(act) || self.may_change(at, act);
            (changes && !self.is_done_by_tests(at)).then_some((over, act))
        });
        later.chain(last).max_by_key(|(over, _)| *over)
    }

    /// Where an act that went on after its call was over. What the shell opens for it is opened at once.
    fn over(&self, at: usize, act: &Act<'_>) -> Option<usize> {
        if act.effect.via == "redirect" {
            return None;
        }
        match self.background.end(act.event) {
            Some(End::Well(end) | End::Badly(end)) => {
                let later = self.acts.partition_point(|other| other.event <= end);
                Some(later.saturating_sub(1).max(at))
            }
            Some(End::Untold) => Some(NEVER),
            None => act.effect.origin.detached.then_some(NEVER),
        }
    }

    /// A file of the workspace.
    fn is_change(&self, act: &Act<'_>) -> bool {
        let Some(path) = changed(act) else { return false };
        self.anywhere || !is_anchored(path)
    }

    /// What may be a change: nobody knows what was done, or it was done elsewhere, where this project may go on.
    fn may_change(&self, at: usize, act: &Act<'_>) -> bool {
        let elsewhere = !self.anywhere && changed(act).is_some_and(is_anchored);
        let unseen = may_be_any(act, &[About::Anything, About::Elsewhere, About::Writes])
            || may_be_any(act, &[About::Project])
                && (is_script(act) || self.cause(at, act).is_some_and(|cause| self.rewrites(cause)));
        elsewhere || act.status != Some(Status::Denied) && unseen
    }

    /// Functions, aliases and the search path among it.
    fn may_set_anything(&self, at: usize, act: &Act<'_>) -> bool {
        let command = || self.acts.get(self.cause(at, act)?).map(|act| &act.effect.kind);
        let is_unread = || may_be_any(act, &[About::Project]) && is_script(act);
        (may_be_any(act, &[About::Anything, About::Elsewhere]) || is_unread())
            && matches!(command(), Some(Kind::Execute(execution)) if runs_in_shell(execution))
    }

    /// The index of the command that an act belongs to.
    fn cause(&self, at: usize, act: &Act<'_>) -> Option<usize> {
        let first = self.acts.partition_point(|other| other.event < act.event);
        act.effect.origin.parent.map(|parent| first + parent as usize).filter(|cause| *cause < at)
    }

    fn rewrites(&self, cause: usize) -> bool {
        let command = self.acts.get(cause).map(|act| &act.effect.kind);
        matches!(command, Some(Kind::Execute(execution)) if rewrites(execution))
    }

    /// Tests write, too: what a command of this kind caused is its own.
    fn is_done_by_tests(&self, at: usize) -> bool {
        let mut child = self.acts.get(at).map(|act| (at, act));
        while let Some((at, act)) = child {
            let cause = self.cause(at, act);
            if cause.is_some_and(|cause| self.is_test(cause)) {
                return true;
            }
            child = cause.and_then(|cause| Some((cause, self.acts.get(cause)?)));
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

/// What may have changed files, and was over at this index.
fn changes_unseen(index: usize, act: &Act<'_>) -> Measurement {
    match &act.effect.kind {
        _ if index == NEVER => {
            let reason = "may still change files: it goes on in the background, and the log records no end of it";
            Measurement::unknown(format!("event {} {reason}", act.event)).at(Some(act.event))
        }
        Kind::Opaque(opaque) if opaque.about == About::Project && !is_script(act) => {
            let reason = "may have changed files: a command of the project is told to rewrite them";
            Measurement::unknown(format!("event {} {reason}", act.event)).at(Some(act.event))
        }
        _ => doubted("may have changed files", act),
    }
}

/// A script of the project ran whose text is not known. Unlike a build or a test, it may change files.
fn is_script(act: &Act<'_>) -> bool {
    let Kind::Opaque(opaque) = &act.effect.kind else { return false };
    matches!(opaque.reason, Reason::ScriptNotWritten | Reason::ProgramNotRead | Reason::UnreadCodeLoaded)
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
