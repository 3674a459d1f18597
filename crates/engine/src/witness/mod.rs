//! The change as a witness: a session whose work is in the change left nothing else behind in the repository.
//!
//! It only speaks for acts that put files of another revision into the work tree (`git checkout`, `git pull`), and for programs
//! that change files which they gather themselves (`git restore .`, `chmod -R u+w .`). It says nothing of what ran in between,
//! and nothing where the session may have pushed something else than the head.

mod pushes;
mod work_tree;

use std::cell::RefCell;
use std::collections::HashMap;

use agent_strace_effects::{Certainty, Class, Effect, Kind, PathTarget};
use agent_strace_git::change_set::Change;
use agent_strace_git::{ChangedFile, Status};
use agent_strace_model::Status as CallStatus;
use agent_strace_policy::{Actor, ChangeReach, Context, Decision, Holds, Policy};

use super::replay::{Replay, Step};
pub(super) use work_tree::TreeWitness;
pub use work_tree::{Moment, TreeLook};

/// The change, for a session that it belongs to.
pub(super) struct ChangeWitness<'a> {
    /// The files of the change, as paths of the session count.
    files: Vec<PathTarget>,
    root: Option<&'a str>,
    /// Lines of the log that tell of earlier changes.
    before: u32,
    known: RefCell<HashMap<Vec<Holds>, ChangeReach>>,
}

impl<'a> ChangeWitness<'a> {
    /// `None`: the change does not show what the session left behind.
    pub(super) fn of(change: &Change, replay: &'a Replay<'a>) -> Option<Self> {
        let source = &replay.session.source;
        if change.settled.contains(source) || !replay.roots.repository().counts_like_policy() {
            return None;
        }
        let before = change.told_before.get(source).copied().unwrap_or_default();
        let files: Option<Vec<PathTarget>> =
            change.files.iter().filter(|file| !is_record(change, file)).map(|file| plain(change, file)).collect();
        let witness = Self { files: files?, root: replay.roots.first(), before, known: RefCell::default() };
        let is_own = replay.steps.iter().any(|step| step.event.line > before && witness.holds_work_of(step));
        (is_own && pushes::only_the_head(change, replay)).then_some(witness)
    }

    /// The call wrote one of the files.
    fn holds_work_of(&self, step: &Step<'_>) -> bool {
        let is_written = |effect: &Effect| match &effect.kind {
            Kind::Write(target) => effect.certainty == Certainty::Exact && self.files.contains(target),
            _ => false,
        };
        !matches!(step.status, Some(CallStatus::Denied | CallStatus::Error)) && step.effects.iter().any(is_written)
    }

    /// The reach of the change, for a step that needs to know it.
    pub(super) fn reach(&self, step: &Step<'_>, policy: &Policy, actor: Actor<'_>) -> ChangeReach {
        let may_leave_files = |effect: &Effect| match &effect.kind {
            Kind::Opaque(opaque) => opaque.class == Class::State,
            Kind::Write(_) => effect.gathered.is_some() && !effect.origin.elsewhere,
            _ => false,
        };
        if step.event.line <= self.before || !step.effects.iter().any(may_leave_files) {
            return ChangeReach::Unknown;
        }
        let key = policy.parts_for(&actor);
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        let context = Context { root: self.root, actor, ..Context::default() };
        let may_write = |file: &PathTarget| {
            let effect = Effect::new(Kind::Write(file.clone()), Certainty::Exact, "change");
            policy.judge(&effect, &context).decision == Decision::Allowed
        };
        let reach = if self.files.iter().all(may_write) { ChangeReach::Writable } else { ChangeReach::Unknown };
        self.known.borrow_mut().insert(key, reach);
        reach
    }
}

/// A log that the change adds, or that goes on in it: it tells of the work and is no part of it.
fn is_record(change: &Change, file: &ChangedFile) -> bool {
    let is_kept = file.status == Status::Added || change.grown.contains_key(&file.path);
    change.is_recorded(&file.path) && is_kept && !file.is_link() && !file.is_submodule()
}

/// The path of a regular file, from where the policy lies; `None`: it is something else, or lies elsewhere.
fn plain(change: &Change, file: &ChangedFile) -> Option<PathTarget> {
    let is_other = file.is_link() || file.is_submodule() || file.status == Status::TypeChanged;
    let path = file.path.strip_prefix(&change.prefix).filter(|_| !is_other)?;
    Some(PathTarget::new(path))
}
