//! Which commands a session ran.

use super::Measurement;
use super::background::{Background, End};
use crate::{Act, Log};
use agent_strace_effects::{About, Certainty, Kind};
use agent_strace_model::Status;
use agent_strace_policy::config::evals::Commands;
use agent_strace_policy::{Context, Decision, Policy};

/// How often commands ran: at least so often as is proven, at most so often as may be.
pub(super) fn matching(commands: &Commands, least: u64, most: Option<u64>, log: &Log<'_>) -> Measurement {
    let Ran { proven, possible, meant, hidden } = Ran::of(commands, log);
    let (sure, perhaps) = (count(&proven), count(&possible));
    if let Some(most) = most.filter(|most| perhaps > *most) {
        let at = usize::try_from(most).ok().and_then(|most| possible.get(most)).copied();
        let reason = format!("they ran {}, at most {most} is allowed", times(perhaps));
        return Measurement::new(share(most, perhaps), reason).at(at);
    }
    if sure < least && meant >= least {
        let reason = format!("whether they ran at least {}, the log does not tell", times(least));
        return Measurement::unknown(reason).at(possible.first().copied());
    }
    if sure < least {
        return Measurement::new(share(sure, least), format!("they ran {}, at least {least} is demanded", times(sure)));
    }
    if let (Some(_), Some(act)) = (most, hidden) {
        return doubted("may have run them", act);
    }
    Measurement::new(1.0, format!("they ran {}", times(sure))).at(proven.first().copied())
}

/// What a session ran of some commands.
#[derive(Default)]
struct Ran<'l> {
    /// The events in which one of them surely ran.
    proven: Vec<u32>,
    /// Those in which one may have run.
    possible: Vec<u32>,
    /// How many of the latter do more than ask the program for its help.
    meant: u64,
    /// The first act that may have run any of them.
    hidden: Option<&'l Act<'l>>,
}

impl<'l> Ran<'l> {
    fn of(commands: &Commands, log: &Log<'l>) -> Self {
        let mut ran = Self::default();
        let background = Background::of(log);
        for act in log.acts.iter().filter(|act| act.status != Some(Status::Denied)) {
            if ran.hidden.is_none() && may_be_any(act, &[About::Anything, About::Elsewhere, About::Commands]) {
                ran.hidden = Some(act);
            }
            let asks = asks(act);
            if is_possible(&commands.possible, act) {
                ran.possible.push(act.event);
                ran.meant += u64::from(!asks);
            }
            let is_named = !asks && act.effect.certainty != Certainty::Possible && is_proven(commands, act);
            if is_named && surely_ran(log.acts, &background, act) {
                ran.proven.push(act.event);
            }
        }
        ran
    }
}

/// What a call went well without may not have run (`true || x`), nor what stands behind something else in a call that
/// failed (`false && x`) or has no recorded end.
fn surely_ran(acts: &[Act<'_>], background: &Background, act: &Act<'_>) -> bool {
    let goes_on = !matches!(background.end(act.event), None | Some(End::Well(_)));
    match act.status {
        None => true,
        Some(Status::Ok) if !goes_on => act.effect.origin.ran,
        Some(Status::Ok | Status::Error) => {
            let of_call = acts.get(acts.partition_point(|other| other.event < act.event)..).unwrap_or_default();
            let first = of_call.iter().find(|other| matches!(other.effect.kind, Kind::Execute(_)));
            first.is_some_and(|first| std::ptr::eq(first, act))
        }
        Some(Status::Denied | Status::Interrupted | Status::Missing) => false,
    }
}

/// It only asks what the program is, and what it takes.
fn asks(act: &Act<'_>) -> bool {
    let Kind::Execute(execution) = &act.effect.kind else { return false };
    let own = execution.argv.iter().take_while(|word| word.text != "--");
    own.skip(1).any(|word| matches!(word.text.as_str(), "--help" | "--version"))
}

fn times(count: u64) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

/// Nobody can tell what it did of all this, and the policy does not vouch for it.
pub(super) fn may_be_any(act: &Act<'_>, about: &[About]) -> bool {
    let Kind::Opaque(opaque) = &act.effect.kind else { return false };
    about.contains(&opaque.about) && act.judgement.decision != Decision::Allowed
}

/// What such an act leaves open.
pub(super) fn doubted(what: &str, act: &Act<'_>) -> Measurement {
    let reason = match &act.effect.kind {
        Kind::Opaque(opaque) => format!("{}, and no entry of the scope vouches for that", opaque.reason),
        Kind::Write(target) | Kind::Delete(target) => format!("`{}` lies outside of the workspace", target.shown()),
        _ => "it is not known".to_owned(),
    };
    let reason = format!("event {} {what}: {reason}", act.event);
    Measurement::unknown(reason).at(Some(act.event))
}

pub(super) fn is_proven(commands: &Commands, act: &Act<'_>) -> bool {
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
