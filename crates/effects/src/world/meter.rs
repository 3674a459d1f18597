//! Counts the work that the calls of one session cost, so that no log costs more than its length allows.
//!
//! A short call may read what earlier calls wrote, so what each call may cost does not bound the session: a thousand calls
//! that run a long script are a thousand long scripts. What a session may cost grows with its calls and their texts. When
//! it is spent, each call may only cost a little, and says so in its effects if it asks for more.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Steps of work that one call may cost: nodes walked, fields expanded, texts read. Loops in loops and values that name each
/// other ask for any amount of it.
pub(crate) const STEPS: usize = 1 << 18;
/// Steps that a session may cost, however short it is.
const BASE: usize = 2 * STEPS;
/// Steps that each call adds. Few calls cost that many.
const A_CALL: usize = 512;
/// Steps that a call may always cost.
const LEAST: usize = 512;
/// Bytes of content that are read or copied for one step.
const BYTES_A_STEP: usize = 64;

/// Copies of a world count together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    /// Steps of work that no call was charged for yet.
    open: AtomicUsize,
    /// Steps that all calls cost so far.
    spent: AtomicUsize,
    /// Steps that all calls added to what the session may cost.
    allowed: AtomicUsize,
}

impl Meter {
    /// Work that the call which runs now causes.
    pub(crate) fn charge(&self, steps: usize) {
        self.0.open.fetch_add(steps, Ordering::Relaxed);
    }

    /// The call that runs now reads or copies so many bytes of content.
    pub(crate) fn charge_bytes(&self, bytes: usize) {
        self.charge(1 + bytes / BYTES_A_STEP);
    }

    /// Returns the steps that were charged and not taken yet.
    pub(crate) fn take(&self) -> usize {
        if self.0.open.load(Ordering::Relaxed) == 0 { 0 } else { self.0.open.swap(0, Ordering::Relaxed) }
    }

    /// A call of `bytes` starts. Returns the steps that it may cost.
    pub(crate) fn start(&self, bytes: usize) -> usize {
        self.0.allowed.fetch_add(A_CALL + bytes, Ordering::Relaxed);
        self.left().max(LEAST + bytes).min(STEPS)
    }

    /// Runs once more a command that started before: it costs its steps, and adds nothing to what the session may cost.
    pub(crate) fn again<T>(&self, inside: impl FnOnce() -> T) -> T {
        let allowed = self.0.allowed.load(Ordering::Relaxed);
        let done = inside();
        self.0.allowed.store(allowed, Ordering::Relaxed);
        done
    }

    /// Steps of the session that are left.
    pub(crate) fn left(&self) -> usize {
        let allowed = BASE.saturating_add(self.0.allowed.load(Ordering::Relaxed));
        allowed.saturating_sub(self.spent())
    }

    /// Steps that all calls cost so far.
    pub(crate) fn spent(&self) -> usize {
        self.0.spent.load(Ordering::Relaxed)
    }

    /// A call has cost so many steps.
    pub(crate) fn spend(&self, steps: usize) {
        self.0.spent.fetch_add(steps, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{A_CALL, BASE, LEAST, Meter, STEPS};

    #[test]
    fn what_a_session_may_cost_grows_with_its_calls() {
        let meter = Meter::default();
        let mut cost = 0;
        for _ in 0..100 {
            let limit = meter.start(0);
            cost += limit;
            meter.spend(limit);
        }
        assert!(cost <= BASE + 100 * (A_CALL + LEAST), "{cost}");
        assert_eq!(meter.start(0), LEAST);
        assert_eq!(Meter::default().start(0), STEPS);
    }

    #[test]
    fn what_is_done_again_adds_nothing() {
        let meter = Meter::default();
        meter.again(|| {
            meter.start(0);
            meter.spend(BASE);
        });
        assert_eq!(meter.left(), 0);
    }

    #[test]
    fn copies_count_together() {
        let meter = Meter::default();
        meter.clone().charge_bytes(6_400);
        assert_eq!((meter.take(), meter.take()), (101, 0));
    }
}
