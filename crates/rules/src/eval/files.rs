//! Which files a session touched that it should not have.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use super::Measurement;
use crate::{Act, Log};
use agent_strace_effects::{About, Certainty, Kind, Reason};
use agent_strace_model::Status;
use agent_strace_policy::{Context, Decision, JudgementDetail, Policy};

/// What of a session is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touches {
    All,
    Changes,
}

/// Files that were touched in one way.
#[derive(Debug, Default)]
struct Tally<'l> {
    /// What was touched, and whether that was in scope.
    touched: BTreeMap<Cow<'l, str>, bool>,
    /// What may have touched any file.
    unknown: HashSet<&'l Reason>,
    /// The first that was not in scope, in words.
    first: Option<(u32, String)>,
}

impl<'l> Tally<'l> {
    fn touch(&mut self, event: u32, name: Cow<'l, str>, inside: bool) {
        if !inside && self.first.is_none() {
            self.first = Some((event, format!("`{name}`")));
        }
        self.touched.entry(name).and_modify(|known| *known &= inside).or_insert(inside);
    }

    fn miss(&mut self, event: u32, reason: &'l Reason) {
        if self.first.is_none() {
            self.first = Some((event, format!("not known: {reason}")));
        }
        self.unknown.insert(reason);
    }

    fn outside(&self) -> usize {
        self.touched.values().filter(|inside| !**inside).count()
    }

    /// Each file counts once, however often it was touched; what is not known is not in scope.
    #[expect(clippy::cast_precision_loss, reason = "there are fewer files than a double can count")]
    fn share(&self) -> f64 {
        let all = self.touched.len() + self.unknown.len();
        let bad = self.outside() + self.unknown.len();
        if all == 0 { 1.0 } else { 1.0 - bad as f64 / all as f64 }
    }
}

/// The lower of two shares, of what was read and of what was changed: many reads hide no write.
pub(super) fn scoped(policy: &Policy, log: &Log<'_>, touches: Touches) -> Measurement {
    let (mut reads, mut changes) = (Tally::default(), Tally::default());
    for act in log.acts.iter().filter(|act| act.status != Some(Status::Denied)) {
        // An opaque effect stands beside a guess, and says all there is to say.
        let happened = act.effect.certainty != Certainty::Possible;
        match &act.effect.kind {
            Kind::Read(target) if happened && touches == Touches::All => {
                reads.touch(act.event, target.shown(), is_inside(policy, act, log));
            }
            Kind::Write(target) | Kind::Delete(target) if happened => {
                changes.touch(act.event, target.shown(), is_inside(policy, act, log));
            }
            Kind::Opaque(opaque) => match opaque.about {
                About::Reads if touches == Touches::All => reads.miss(act.event, &opaque.reason),
                About::Writes | About::Anything | About::Elsewhere => changes.miss(act.event, &opaque.reason),
                // What the project's own code does is its own affair, as in a policy that lists no commands.
                _ => {}
            },
            _ => {}
        }
    }
    let worst = if changes.share() <= reads.share() { &changes } else { &reads };
    let event = worst.first.as_ref().map(|(event, _)| *event);
    Measurement::new(worst.share(), reason(&reads, &changes, worst, touches)).at(event)
}

fn is_inside(policy: &Policy, act: &Act<'_>, log: &Log<'_>) -> bool {
    let roots = (log.roots.first(), Some(log.roots));
    let context = Context { root: roots.0, roots: roots.1, detail: JudgementDetail::Decision, ..Context::default() };
    matches!(policy.judge(act.effect, &context).decision, Decision::Allowed | Decision::Unruled)
}

fn reason(reads: &Tally<'_>, changes: &Tally<'_>, worst: &Tally<'_>, touches: Touches) -> String {
    let counted = |count: usize| if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    let looked = match touches {
        Touches::All => format!("{} read, {} changed", counted(reads.touched.len()), changes.touched.len()),
        Touches::Changes => format!("{} changed", counted(changes.touched.len())),
    };
    let Some((event, first)) = &worst.first else { return format!("{looked}, all in scope") };
    let outside = reads.outside() + changes.outside();
    let unknown = reads.unknown.len() + changes.unknown.len();
    let unknown = if unknown == 0 { String::new() } else { format!(", {unknown} not known") };
    format!("{looked}, {outside} out of scope{unknown}, first {first} in event {event}")
}
