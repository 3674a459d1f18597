//! Commands in the background: what is written while they run, they may read and run.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Effect, Effects, Kind, World, command};

/// Commands that are kept: each later call that writes something runs them once more.
const MOST_JOBS: usize = 8;
const MOST_BYTES: usize = 4 * 1024;

/// A command that may still run.
#[derive(Debug)]
struct Job {
    text: Arc<str>,
    cwd: Option<String>,
    /// What it did so far.
    known: HashSet<Kind>,
    goes_on: Part,
}

/// The part of a command that goes on when its call has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    /// What its own text puts in the background.
    Detached,
}

#[derive(Debug, Default)]
pub(super) struct Jobs {
    jobs: Vec<Job>,
}

impl Jobs {
    /// Keeps a command of which a part goes on in the background.
    pub(super) fn started(&mut self, text: &Arc<str>, cwd: Option<String>, effects: &[Effect]) {
        if text.len() > MOST_BYTES || !effects.iter().any(|effect| effect.origin.detached) {
            return;
        }
        let goes_on = if effects.iter().all(|effect| effect.origin.detached) { Part::Whole } else { Part::Detached };
        self.jobs.retain(|job| job.text != *text || job.cwd != cwd);
        if self.jobs.len() == MOST_JOBS {
            self.jobs.remove(0);
        }
        let known = effects.iter().map(|effect| effect.kind.clone()).collect();
        self.jobs.push(Job { text: Arc::clone(text), cwd, known, goes_on });
    }

    /// Adds to the effects of a call what the commands may do with the files that it wrote.
    pub(super) fn go_on(&mut self, effects: &mut Effects, world: &World) {
        if self.jobs.is_empty() || !effects.iter().any(|effect| matches!(effect.kind, Kind::Write(_))) {
            return;
        }
        for job in &mut self.jobs {
            let mut world = world.clone();
            world.set_cwd(job.cwd.clone());
            for effect in command::run(&job.text, &mut world).into_vec() {
                let goes_on = job.goes_on == Part::Whole || effect.origin.detached;
                let is_known = matches!(effect.kind, Kind::Opaque(_)) || !job.known.insert(effect.kind.clone());
                if goes_on && !is_known {
                    let mut effect = Effect { certainty: effect.certainty.guessed(), ..effect };
                    (effect.origin.span, effect.origin.parent) = (None, None);
                    effects.to_mut().push(effect);
                }
            }
        }
    }
}
