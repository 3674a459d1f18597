//! Commands in the background may read and run the files that later calls write.

use std::collections::HashSet;
use std::sync::Arc;

use super::{About, Certainty, Effect, Effects, Kind, Opaque, Reason, World, command};

/// Commands that are kept, the latest ones: each later call that writes something runs them once more.
const MOST_JOBS: usize = 8;
/// Bytes of a command that is kept.
const MOST_BYTES: usize = 16 * 1024;

/// A command that may still run.
#[derive(Debug)]
struct Job {
    text: Arc<str>,
    cwd: Option<String>,
    /// Effects that it had so far.
    known: HashSet<Kind>,
    goes_on: Part,
}

/// The part of a command that goes on when its call has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    /// The commands that its own text puts in the background.
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
        if self.jobs.is_empty() {
            return;
        }
        let Some(write) = effects.iter().find(|effect| matches!(effect.kind, Kind::Write(_))).cloned() else { return };
        let meter = world.meter();
        for job in &mut self.jobs {
            if meter.left() == 0 {
                let opaque = Opaque::new(About::Anything, Reason::SessionTooMuchWork, Vec::new());
                effects.to_mut().push(write.like(Kind::Opaque(opaque), Certainty::Possible, write.via.clone()));
                return;
            }
            let mut world = world.clone();
            world.set_cwd(job.cwd.clone());
            for effect in meter.again(|| command::run(&job.text, &mut world)).into_vec() {
                let goes_on = job.goes_on == Part::Whole || effect.origin.detached;
                // The call that started the command told what else is open about it.
                let is_told = matches!(&effect.kind, Kind::Opaque(opaque) if opaque.foreign_code().is_none());
                if goes_on && !is_told && job.known.insert(effect.kind.clone()) {
                    let mut effect = Effect { certainty: effect.certainty.guessed(), ..effect };
                    (effect.origin.span, effect.origin.parent) = (None, None);
                    effects.to_mut().push(effect);
                }
            }
        }
    }
}
