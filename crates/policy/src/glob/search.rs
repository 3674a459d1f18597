//! Walks programs: one text, pairs of programs, a program against a set of programs.

use std::collections::{BTreeSet, VecDeque};

use super::{Glob, Step};

/// What a bounded search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Yes,
    No,
    /// The budget ran out first.
    Unknown,
}

/// How many pairs a search may visit: far more than any sensible pattern needs, a few milliseconds at most.
const BUDGET: usize = 200_000;

/// Steps that are live, each once.
struct Live {
    marks: Vec<u64>,
    list: Vec<usize>,
}

impl Live {
    fn new(steps: usize) -> Self {
        Self { marks: vec![0; steps / 64 + 1], list: Vec::new() }
    }

    fn clear(&mut self) {
        for &at in &self.list {
            if let Some(word) = self.marks.get_mut(at / 64) {
                *word = 0;
            }
        }
        self.list.clear();
    }

    /// Adds a step and all it reaches without consuming.
    fn add(&mut self, steps: &[Step], start: usize) {
        let mut open = vec_of(start);
        while let Some(at) = open.pop() {
            let Some(word) = self.marks.get_mut(at / 64) else { continue };
            if *word & (1 << (at % 64)) != 0 {
                continue;
            }
            #[cfg(test)]
            agent_strace_testing::work::count(1);
            *word |= 1 << (at % 64);
            self.list.push(at);
            match steps.get(at) {
                Some(Step::Many(_)) => open.push(at + 1),
                Some(Step::Fork(target)) => open.extend([at + 1, *target]),
                Some(Step::Jump(target)) => open.push(*target),
                Some(Step::One(_) | Step::Accept) | None => {}
            }
        }
    }
}

fn vec_of(start: usize) -> Vec<usize> {
    let mut open = Vec::with_capacity(4);
    open.push(start);
    open
}

pub(super) fn accepts(steps: &[Step], text: &str) -> bool {
    let (mut live, mut next) = (Live::new(steps.len()), Live::new(steps.len()));
    live.add(steps, 0);
    for character in text.chars() {
        next.clear();
        for &at in &live.list {
            match steps.get(at) {
                Some(Step::One(set)) if set.contains(character) => next.add(steps, at + 1),
                Some(Step::Many(set)) if set.contains(character) => next.add(steps, at),
                _ => {}
            }
        }
        if next.list.is_empty() {
            return false;
        }
        std::mem::swap(&mut live, &mut next);
    }
    live.list.iter().any(|&at| steps.get(at) == Some(&Step::Accept))
}

pub(super) fn meets(left: &[Step], right: &[Step]) -> Answer {
    if left.len().saturating_mul(right.len()) > BUDGET {
        return Answer::Unknown;
    }
    let width = right.len();
    let mut seen = vec![false; left.len() * width];
    let mut open = vec![(0, 0)];
    while let Some((at, other)) = open.pop() {
        let Some(mark) = seen.get_mut(at * width + other) else { continue };
        if std::mem::replace(mark, true) {
            continue;
        }
        let (Some(step), Some(other_step)) = (left.get(at), right.get(other)) else { continue };
        if let Some(free) = free_moves(step, at) {
            open.extend(free.into_iter().flatten().map(|at| (at, other)));
        }
        if let Some(free) = free_moves(other_step, other) {
            open.extend(free.into_iter().flatten().map(|other| (at, other)));
        }
        match (step, other_step) {
            (Step::Accept, Step::Accept) => return Answer::Yes,
            (Step::One(set), Step::One(other_set)) if set.overlaps(other_set) => open.push((at + 1, other + 1)),
            (Step::One(set), Step::Many(other_set)) if set.overlaps(other_set) => open.push((at + 1, other)),
            (Step::Many(set), Step::One(other_set)) if set.overlaps(other_set) => open.push((at, other + 1)),
            // Two loops that share a character stay where they are: nothing new.
            _ => {}
        }
    }
    Answer::No
}

/// Where a step leads without consuming.
fn free_moves(step: &Step, at: usize) -> Option<[Option<usize>; 2]> {
    match step {
        Step::Many(_) => Some([Some(at + 1), None]),
        Step::Fork(target) => Some([Some(at + 1), Some(*target)]),
        Step::Jump(target) => Some([Some(*target), None]),
        Step::One(_) | Step::Accept => None,
    }
}

/// A text that the steps accept: the way that repeats nothing.
pub(super) fn witness(steps: &[Step]) -> Option<String> {
    let (mut text, mut at) = (String::new(), 0);
    for _ in 0..=steps.len() {
        at = match steps.get(at)? {
            Step::Accept => return Some(text),
            Step::One(set) => {
                text.push(set.some()?);
                at + 1
            }
            Step::Many(_) | Step::Fork(_) => at + 1,
            Step::Jump(target) => *target,
        };
    }
    None
}

pub(super) fn within(inner: &Glob, outers: &[&Glob]) -> Answer {
    let outer = Glob::union(outers.iter().copied());
    let mut cuts: Vec<u32> = inner.cuts().iter().chain(outer.cuts()).copied().collect();
    cuts.push(0);
    cuts.sort_unstable();
    cuts.dedup();

    let mut live = Live::new(outer.steps.len());
    live.add(&outer.steps, 0);
    let start = (0, sorted(&live));
    let mut seen = BTreeSet::from([start.clone()]);
    let mut open = VecDeque::from([start]);
    let mut budget = BUDGET;
    while let Some((at, outer_live)) = open.pop_front() {
        budget = budget.saturating_sub(1 + outer_live.len());
        if budget == 0 {
            return Answer::Unknown;
        }
        let Some(step) = inner.steps.get(at) else { continue };
        let mut found = Vec::new();
        match step {
            Step::Accept if !outer_live.iter().any(|&at| outer.steps.get(at) == Some(&Step::Accept)) => {
                return Answer::No;
            }
            Step::One(set) | Step::Many(set) => {
                let to = if matches!(step, Step::One(_)) { at + 1 } else { at };
                for &cut in cuts.iter().filter(|&&cut| set.has(cut)) {
                    budget = budget.saturating_sub(1 + outer_live.len());
                    found.push((to, advance(&outer, &outer_live, cut, &mut live)));
                }
            }
            Step::Accept | Step::Fork(_) | Step::Jump(_) => {}
        }
        found.extend(free_moves(step, at).into_iter().flatten().flatten().map(|at| (at, outer_live.clone())));
        for state in found {
            if seen.insert(state.clone()) {
                open.push_back(state);
            }
        }
    }
    Answer::Yes
}

fn advance(outer: &Glob, from: &[usize], value: u32, live: &mut Live) -> Vec<usize> {
    live.clear();
    for &at in from {
        match outer.steps.get(at) {
            Some(Step::One(set)) if set.has(value) => live.add(&outer.steps, at + 1),
            Some(Step::Many(set)) if set.has(value) => live.add(&outer.steps, at),
            _ => {}
        }
    }
    sorted(live)
}

fn sorted(live: &Live) -> Vec<usize> {
    let mut list = live.list.clone();
    list.sort_unstable();
    list
}
