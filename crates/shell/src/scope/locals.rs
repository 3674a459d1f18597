//! Variables that belong to a function: its callers get theirs back when it ends.

use std::sync::Arc;

use super::choices::{Ways, either};
use super::doubt::doubted;
use super::map::{Difference, Map};
use super::{Fixed, Scope, Variable};

/// The variables of the callers that one running function hides, by name.
pub(super) type Frame = Map<Hidden>;

#[derive(Debug, Clone)]
pub(super) struct Hidden {
    /// `None`: there was none.
    before: Option<Arc<Variable>>,
    /// The declaration may not have run: what the function assigns may be the caller's.
    doubtful: bool,
}

impl Scope {
    /// A function starts.
    pub fn enter_function(&mut self) {
        Arc::make_mut(&mut self.frames).push(Frame::default());
    }

    /// The function that started last ends: what it hid is back.
    pub fn leave_function(&mut self) {
        let Some(frame) = Arc::make_mut(&mut self.frames).pop() else { return };
        for (name, Hidden { before, doubtful }) in frame.entries() {
            let own = self.variables.get(name).filter(|_| *doubtful);
            let left = if *doubtful && own != before.as_ref() {
                either(own.map(Arc::as_ref), before.as_deref(), Ways::More)
            } else {
                before.clone()
            };
            self.put(Arc::clone(name), left);
        }
    }

    /// `local name`: without a value, some shells leave it unset and others keep the value of the caller.
    pub fn localise(&mut self, name: &str) {
        let before = self.variables.get(name).cloned();
        let is_fixed = before.as_ref().is_some_and(|variable| variable.fixed == Fixed::Yes);
        let is_local = self.frames.last().is_none_or(|frame| frame.contains(name));
        if is_fixed || is_local {
            return;
        }
        let own = before.as_ref().map(|variable| {
            let content = doubted(&variable.content);
            let own = Variable::new(content);
            Arc::new(Variable { fixed: variable.fixed, exported: variable.exported, ..own })
        });
        if let Some(frame) = Arc::make_mut(&mut self.frames).last_mut() {
            frame.insert(name.into(), Hidden { before, doubtful: false });
        }
        self.put(name.into(), own);
    }

    /// Exchanges the variable that running functions see under `name` for the one outside of all functions.
    pub fn swap_global(&mut self, name: &str) {
        if !self.frames.iter().any(|frame| frame.contains(name)) {
            return;
        }
        let seen = self.variables.get(name).cloned();
        let outermost = Arc::make_mut(&mut self.frames).iter_mut().find_map(|frame| frame.get_mut(name));
        if let Some(outermost) = outermost {
            let outside = std::mem::replace(&mut outermost.before, seen);
            self.put(name.into(), outside);
        }
    }

    /// `unset` of a caller's local variable shows what that hid. `false`: `name` is no such variable.
    pub(super) fn reveal(&mut self, name: &str) -> bool {
        let holder = self.frames.iter().rposition(|frame| frame.contains(name));
        let Some(holder) = holder.filter(|at| at + 1 < self.frames.len()) else { return false };
        let frames = Arc::make_mut(&mut self.frames);
        if let Some(hidden) = frames.get_mut(holder).and_then(|frame| frame.remove(name)) {
            self.put(name.into(), hidden.before);
        }
        true
    }

    pub(super) fn put(&mut self, name: Arc<str>, variable: Option<Arc<Variable>>) {
        match variable {
            Some(variable) => self.variables.insert(name, variable),
            None => {
                self.variables.remove(&name);
            }
        }
    }

    /// What functions hide may have any value, too.
    pub(super) fn forget_hidden(&mut self) {
        for frame in Arc::make_mut(&mut self.frames) {
            self.work.add(frame.len());
            *frame = frame.changed(&mut |_, hidden| {
                Some(Hidden { before: hidden.before.as_ref().map(Variable::forgotten), doubtful: hidden.doubtful })
            });
        }
    }

    /// A variable that only one of two parts made local is the caller's own in the other.
    pub(super) fn merge_frames(&mut self, other: &Self) {
        if Arc::ptr_eq(&self.frames, &other.frames) {
            return;
        }
        let mut frames = (*self.frames).clone();
        for (frame, others) in frames.iter_mut().zip(other.frames.iter()) {
            let differences = frame.differences(others);
            self.work.add(1 + differences.len());
            let merged = differences.into_iter().map(|Difference { name, here, there }| {
                let (here, there) = (self.hidden(here, name), other.hidden(there, name));
                let same = here.before == there.before;
                let before = if same {
                    here.before
                } else {
                    either(here.before.as_deref(), there.before.as_deref(), Ways::More)
                };
                (Arc::clone(name), Hidden { before, doubtful: here.doubtful || there.doubtful })
            });
            let merged: Vec<(Arc<str>, Hidden)> = merged.collect();
            for (name, hidden) in merged {
                frame.insert(name, hidden);
            }
        }
        self.frames = Arc::new(frames);
    }

    /// The variable that a frame hides. One that it does not hide is the caller's own.
    fn hidden(&self, hidden: Option<&Hidden>, name: &str) -> Hidden {
        let visible = || Hidden { before: self.variables.get(name).cloned(), doubtful: true };
        hidden.cloned().unwrap_or_else(visible)
    }
}
