//! Which files a session touched that it should not have.

use std::collections::BTreeMap;

use super::Measurement;
use crate::effects::{About, Certainty, Kind};
use crate::model::Status;
use crate::policy::{Context, Decision, Policy};
use crate::rules::{Act, Log};

/// What of a session is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touches {
    All,
    Changes,
}

/// Files that were touched in one way.
#[derive(Debug, Default)]
struct Tally {
    /// What was touched, and whether that was in scope.
    touched: BTreeMap<String, bool>,
    /// The first one that was not, in words.
    first: Option<(u32, String)>,
}

impl Tally {
    fn add(&mut self, event: u32, name: String, inside: bool) {
        if !inside && self.first.is_none() {
            self.first = Some((event, name.clone()));
        }
        self.touched.entry(name).and_modify(|known| *known &= inside).or_insert(inside);
    }

    fn outside(&self) -> usize {
        self.touched.values().filter(|inside| !**inside).count()
    }

    /// Each file counts once, however often it was touched.
    #[expect(clippy::cast_precision_loss, reason = "there are fewer files than a double can count")]
    fn share(&self) -> f64 {
        if self.touched.is_empty() { 1.0 } else { 1.0 - self.outside() as f64 / self.touched.len() as f64 }
    }
}

/// The lower of two shares, of what was read and of what was changed: many reads hide no write.
pub(super) fn scoped(policy: &Policy, log: &Log<'_>, touches: Touches) -> Measurement {
    let (mut reads, mut changes) = (Tally::default(), Tally::default());
    for act in log.acts.iter().filter(|act| act.status != Some(Status::Denied)) {
        let (tally, name) = match &act.effect.kind {
            Kind::Read(target) if touches == Touches::All => (&mut reads, target.shown()),
            Kind::Write(target) | Kind::Delete(target) => (&mut changes, target.shown()),
            Kind::Opaque(opaque) => match opaque.about {
                About::Reads if touches == Touches::All => (&mut reads, opaque.reason.clone()),
                About::Writes | About::Anything => (&mut changes, opaque.reason.clone()),
                // What the project's own code does is its own affair, as in a policy that lists no commands.
                _ => continue,
            },
            _ => continue,
        };
        // An opaque effect stands beside a guess, and says all there is to say.
        if act.effect.certainty != Certainty::Possible {
            tally.add(act.event, name, is_inside(policy, act, log));
        }
    }
    let worst = if changes.share() <= reads.share() { &changes } else { &reads };
    let event = worst.first.as_ref().map(|(event, _)| *event);
    Measurement::new(worst.share(), reason(&reads, &changes, worst, touches)).at(event)
}

fn is_inside(policy: &Policy, act: &Act<'_>, log: &Log<'_>) -> bool {
    let context = Context { root: log.session.root.as_deref(), ..Context::default() };
    matches!(policy.judge(act.effect, &context).decision, Decision::Allowed | Decision::Unruled)
}

fn reason(reads: &Tally, changes: &Tally, worst: &Tally, touches: Touches) -> String {
    let counted = |count: usize| if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    let looked = match touches {
        Touches::All => format!("{} read, {} changed", counted(reads.touched.len()), changes.touched.len()),
        Touches::Changes => format!("{} changed", counted(changes.touched.len())),
    };
    match &worst.first {
        None => format!("{looked}, all in scope"),
        Some((event, name)) => {
            let outside = reads.outside() + changes.outside();
            format!("{looked}, {outside} out of scope, first `{name}` in event {event}")
        }
    }
}
