//! The same calls by two policies: which would be blocked newly, and which no longer.

use std::collections::BTreeMap;

use agent_strace_model::Session;

use super::decider::Decider;
use super::ruling::Ruling;
use super::tally::{LISTED, Listed, Window, extend};

/// What changes from one policy to another.
#[derive(Debug, Default)]
pub struct Comparison {
    pub sessions: usize,
    pub tool_calls: usize,
    pub window: Window,
    pub old: Side,
    pub new: Side,
    pub new_blocks: Shift,
    pub blocks_removed: Shift,
}

/// One policy by itself.
#[derive(Debug, Default)]
pub struct Side {
    pub blocked: usize,
    pub sessions: usize,
}

/// Calls whose verdict changes one way.
#[derive(Debug, Default)]
pub struct Shift {
    pub tool_calls: usize,
    /// By who blocks: in the policy that does.
    pub by_rule: BTreeMap<Decider, usize>,
    /// The first ones, as the policy that blocks them has them.
    pub calls: Vec<Listed>,
}

impl Comparison {
    /// `old` and `new`: all calls of the session, in order.
    pub fn of_session(session: &Session<'_>, old: &[Ruling<'_>], new: &[Ruling<'_>]) -> Self {
        let mut comparison =
            Self { sessions: 1, tool_calls: new.len(), window: Window::of(session), ..Self::default() };
        for (old, new) in old.iter().zip(new) {
            match (old.verdict.blocks(), new.verdict.blocks()) {
                (false, true) => comparison.new_blocks.count(session, new),
                (true, false) => comparison.blocks_removed.count(session, old),
                _ => {}
            }
        }
        comparison.old = Side::of(old);
        comparison.new = Side::of(new);
        comparison
    }

    /// Adds what follows in the order of the logs.
    pub fn add(&mut self, later: Self) {
        self.sessions += later.sessions;
        self.tool_calls += later.tool_calls;
        self.window = self.window.with(later.window);
        self.old.add(&later.old);
        self.new.add(&later.new);
        self.new_blocks.add(later.new_blocks);
        self.blocks_removed.add(later.blocks_removed);
    }
}

impl Side {
    fn of(rulings: &[Ruling<'_>]) -> Self {
        let blocked = rulings.iter().filter(|ruling| ruling.verdict.blocks()).count();
        Self { blocked, sessions: usize::from(blocked > 0) }
    }

    fn add(&mut self, later: &Self) {
        self.blocked += later.blocked;
        self.sessions += later.sessions;
    }
}

impl Shift {
    fn count(&mut self, session: &Session<'_>, ruling: &Ruling<'_>) {
        self.tool_calls += 1;
        *self.by_rule.entry(ruling.decider.clone()).or_default() += 1;
        if self.calls.len() < LISTED {
            self.calls.push(Listed::new(session, ruling));
        }
    }

    fn add(&mut self, later: Self) {
        self.tool_calls += later.tool_calls;
        for (decider, count) in later.by_rule {
            *self.by_rule.entry(decider).or_default() += count;
        }
        extend(&mut self.calls, later.calls, LISTED);
    }
}
