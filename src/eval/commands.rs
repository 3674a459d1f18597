//! Which commands a session ran, and whether its tests came last.

use super::Measurement;
use crate::config::evals::Commands;
use crate::effects::{Certainty, Kind};
use crate::model::Status;
use crate::policy::{Context, Decision, Policy};
use crate::rules::{Act, Log};

/// How often commands ran: at least so often as is proven, at most so often as may be.
pub(super) fn matching(commands: &Commands, least: u64, most: Option<u64>, log: &Log<'_>) -> Measurement {
    let ran = |act: &&Act<'_>| act.status != Some(Status::Denied);
    let acts = || log.acts.iter().filter(ran);
    let proven: Vec<u32> = acts().filter(|act| is_proven(commands, act)).map(|act| act.event).collect();
    let possible: Vec<u32> = acts().filter(|act| is_possible(&commands.possible, act)).map(|act| act.event).collect();
    let (sure, perhaps) = (count(&proven), count(&possible));
    if let Some(most) = most.filter(|most| perhaps > *most) {
        let at = usize::try_from(most).ok().and_then(|most| possible.get(most)).copied();
        return Measurement::new(
            share(most, perhaps),
            format!("they ran {}, at most {most} is allowed", times(perhaps)),
        )
        .at(at);
    }
    if sure < least {
        return Measurement::new(share(sure, least), format!("they ran {}, at least {least} is demanded", times(sure)));
    }
    Measurement::new(1.0, format!("they ran {}", times(sure))).at(proven.first().copied())
}

fn times(count: u64) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

/// Options with which a program that runs tests runs none.
const RUNS_NONE: &[&str] = &[
    "--help",
    "--version",
    "--no-run",
    "--collect-only",
    "--co",
    "--list",
    "--list-tests",
    "--listTests",
    "--showConfig",
    "--dry-run",
    "--just-print",
    "--question",
    "--if-present",
    "--passWithNoTests",
    "-DskipTests",
    "-DskipTests=true",
    "-Dmaven.test.skip=true",
];

/// Whether tests ran after the last change of a file, and were recorded as having gone well.
pub(super) fn tests_ran(commands: &Commands, log: &Log<'_>) -> Measurement {
    let happened = |act: &Act<'_>| act.status != Some(Status::Denied) && act.effect.certainty != Certainty::Possible;
    let is_test = |act: &Act<'_>| happened(act) && is_proven(commands, act) && !runs_none(act);
    let mut changed = log
        .acts
        .iter()
        .enumerate()
        .filter(|(at, act)| happened(act) && is_change(act) && !is_done_by(log.acts, *at, &is_test));
    let Some((last, change)) = changed.next_back() else {
        return Measurement::new(1.0, "nothing was changed");
    };
    let after = || log.acts.iter().skip(last).filter(|act| is_test(act));
    let went_well = |act: &&Act<'_>| act.status == Some(Status::Ok);
    if let Some(test) = after().filter(went_well).find(|act| act.effect.origin.told) {
        return Measurement::new(1.0, format!("tests ran in event {}, after the last change", test.event))
            .at(Some(test.event));
    }
    if let Some(test) = after().find(went_well) {
        let reason = "the status of the call does not tell how the tests in it ended: run them last, alone, or with \
                      `set -o pipefail`";
        return Measurement::unknown(format!("{reason} (event {})", test.event)).at(Some(test.event));
    }
    let reason = if after().next().is_some() {
        "tests ran after the last change, and failed or have no recorded result"
    } else if log.acts.iter().any(is_test) {
        "a file was changed after the tests ran"
    } else {
        "files were changed, and no tests ran"
    };
    Measurement::new(0.0, format!("{reason} (last change in event {})", change.event)).at(Some(change.event))
}

fn runs_none(act: &Act<'_>) -> bool {
    let Kind::Execute(execution) = &act.effect.kind else { return false };
    execution.argv.iter().skip(1).any(|word| RUNS_NONE.contains(&word.text.as_str()))
}

/// A file of the workspace.
fn is_change(act: &Act<'_>) -> bool {
    let (Kind::Write(target) | Kind::Delete(target)) = &act.effect.kind else { return false };
    let path = target.path.as_str();
    let drive = path.as_bytes().get(1) == Some(&b':');
    !path.starts_with('/') && !path.starts_with('~') && !drive
}

/// Tests write, too: what a command of this kind caused is its own.
fn is_done_by(acts: &[Act<'_>], at: usize, is_test: &impl Fn(&Act<'_>) -> bool) -> bool {
    let Some(act) = acts.get(at) else { return false };
    let first = acts.partition_point(|other| other.event < act.event);
    let mut parent = act.effect.origin.parent;
    // A parent stands before its child.
    let mut before = at;
    while let Some(cause) = parent.map(|parent| first + parent as usize).filter(|cause| *cause < before) {
        let Some(cause_act) = acts.get(cause) else { return false };
        if is_test(cause_act) {
            return true;
        }
        (parent, before) = (cause_act.effect.origin.parent, cause);
    }
    false
}

fn is_proven(commands: &Commands, act: &Act<'_>) -> bool {
    matches!(act.effect.kind, Kind::Execute(_)) && decision(&commands.proven, act) == Decision::Allowed
}

/// It is one of them, or nobody can tell that it is not.
fn is_possible(policy: &Policy, act: &Act<'_>) -> bool {
    matches!(act.effect.kind, Kind::Execute(_))
        && matches!(decision(policy, act), Decision::Denied | Decision::Unresolved)
}

fn decision(policy: &Policy, act: &Act<'_>) -> Decision {
    policy.judge(act.effect, &Context::default()).decision
}

fn count(events: &[u32]) -> u64 {
    u64::try_from(events.len()).unwrap_or(u64::MAX)
}

#[expect(clippy::cast_precision_loss, reason = "there are fewer commands than a double can count")]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
