//! Which sessions exceed the limits: age, then number, then size, each on what the one before it leaves.

use jiff::{SignedDuration, Timestamp};

use super::Survey;

/// How much is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    pub days: Option<u32>,
    pub sessions: Option<u32>,
    /// Of 1024 × 1024 bytes, as the Python tool counts them.
    pub megabytes: Option<f64>,
}

/// What a session exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    Age,
    Count,
    Size,
}

impl Limit {
    pub fn name(self) -> &'static str {
        match self {
            Self::Age => "age",
            Self::Count => "count",
            Self::Size => "size",
        }
    }
}

/// What becomes of each session, in the order of the survey.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub exceeds: Vec<Option<Limit>>,
    /// Nobody can say how old they are, and a limit is about that.
    pub unknown: Vec<usize>,
    /// The store takes more than the limit when everything is deleted that may be.
    pub remains: Option<u64>,
}

impl Plan {
    /// The indices of the sessions that have to go.
    pub fn doomed(&self) -> impl Iterator<Item = (usize, Limit)> {
        self.exceeds.iter().enumerate().filter_map(|(index, limit)| Some((index, (*limit)?)))
    }
}

/// `is_kept`: of the session at a place. What is kept for another reason does not count against the limits on number and
/// size: no other session is deleted in its place.
pub fn plan(survey: &Survey, limits: Limits, is_kept: impl Fn(usize) -> bool, now: Timestamp) -> Plan {
    let mut plan = Plan { exceeds: vec![None; survey.sessions.len()], ..Plan::default() };
    let free: Vec<usize> = (0..survey.sessions.len()).filter(|index| !is_kept(*index)).collect();
    plan.by_age(survey, &free, limits.days, now);
    let left = plan.left(&free);
    if let Some(most) = limits.sessions {
        let surplus = left.len().saturating_sub(most as usize);
        plan.mark(left.iter().take(surplus), Limit::Count);
    }
    if let Some(most) = limits.megabytes {
        plan.by_size(survey, &free, megabytes(most));
    }
    plan
}

impl Plan {
    fn by_age(&mut self, survey: &Survey, free: &[usize], days: Option<u32>, now: Timestamp) {
        let Some(days) = days else { return };
        // So long ago that no time is: nothing is older.
        let Ok(oldest) = now.checked_sub(SignedDuration::from_hours(i64::from(days) * 24)) else { return };
        for index in free {
            let Some(session) = survey.sessions.get(*index) else { continue };
            match session.started {
                Some(started) if started.at < oldest => self.mark([index], Limit::Age),
                Some(_) => {}
                None => self.unknown.push(*index),
            }
        }
    }

    fn by_size(&mut self, survey: &Survey, free: &[usize], most: u64) {
        let bytes = |index: &usize| survey.sessions.get(*index).map_or(0, |session| session.bytes);
        let left = self.left(free);
        let mut total = left.iter().map(bytes).fold(0, u64::saturating_add);
        let surplus = left.iter().take_while(|index| {
            let exceeds = total > most;
            if exceeds {
                total -= bytes(index);
            }
            exceeds
        });
        self.mark(surplus.collect::<Vec<_>>(), Limit::Size);
        let kept = survey.sessions.iter().zip(&self.exceeds).filter(|(_, exceeds)| exceeds.is_none());
        let all = kept.map(|(session, _)| session.bytes).fold(survey.others, u64::saturating_add);
        self.remains = Some(all).filter(|all| *all > most);
    }

    /// Those of which no limit has said that they go.
    fn left(&self, free: &[usize]) -> Vec<usize> {
        free.iter().copied().filter(|index| self.exceeds.get(*index) == Some(&None)).collect()
    }

    fn mark<'p>(&mut self, indices: impl IntoIterator<Item = &'p usize>, limit: Limit) {
        for index in indices {
            if let Some(exceeds) = self.exceeds.get_mut(*index) {
                *exceeds = Some(limit);
            }
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "limits are positive; a larger one is none"
)]
fn megabytes(most: f64) -> u64 {
    (most * 1_048_576.0) as u64
}
