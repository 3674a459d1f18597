//! Checks that have the name of a gate's: a branch takes either of them for the one that it requires.

use super::{Check, Gate, Held, State, is_github};
use crate::pipelines::{CheckName, Content, Contents, Likeness, Work, Workflows};

/// Jobs with their file, their key, a line and names.
type Named = (String, String, u32, Vec<CheckName>);

impl Contents for Held<'_> {
    fn read(&self, path: &str) -> Content {
        match self.pipelines.iter().find(|(name, _)| name == path) {
            None => Content::Missing,
            Some((_, Ok(text))) => Content::Text(text.clone()),
            Some((_, Err(why))) => Content::Unreadable(why.clone()),
        }
    }
}

pub(super) fn examine(held: &Held<'_>, gates: &mut [Gate]) {
    let (mut jobs, mut unread): (Vec<Named>, Vec<Check>) = (Vec::new(), Vec::new());
    let work = Work::new();
    let workflows = Workflows::new(held, &work);
    for (path, _) in held.pipelines.iter().filter(|(path, _)| is_github(path)) {
        let found = match workflows.jobs(path) {
            Ok(found) => found,
            Err((reason, line)) => {
                let message =
                    format!("its jobs can't be read, so one of them may have the name of the check: {reason}");
                unread.push(Check::new("gate/name", State::Unknown, message).at(path, line));
                continue;
            }
        };
        jobs.extend(found.iter().map(|job| (path.clone(), job.key.clone(), job.line, job.names.clone())));
    }
    for gate in gates.iter_mut().filter(|gate| is_github(&gate.file)) {
        let is_own = |job: &&Named| job.0 == gate.file && job.1 == gate.key;
        let own: Vec<CheckName> = jobs.iter().filter(is_own).flat_map(|job| job.3.clone()).collect();
        let others = jobs.iter().filter(|job| !is_own(job));
        let checks = others.filter_map(|other| alike(other, &own, &gate.job, &work));
        let checks: Vec<Check> = checks.collect();
        gate.checks.extend(checks);
        let of_others =
            unread.iter().filter(|check| check.location.as_ref().is_none_or(|(path, _)| *path != gate.file));
        gate.checks.extend(of_others.cloned());
        if work.is_spent() {
            let message = format!("not every name is compared with the check `{}`: jobs have too many names", gate.job);
            gate.checks.push(Check::new("gate/name", State::Unknown, message).at(&gate.file, gate.line));
        }
    }
}

/// Another job whose name is, or may be, that of the check of a gate.
fn alike((path, _, line, names): &Named, own: &[CheckName], gate: &str, work: &Work) -> Option<Check> {
    let likeness = names.iter().map_while(|name| name.may_be_any(own, work).ok()).max().flatten()?;
    let (state, message) = match likeness {
        Likeness::Fits => {
            (State::Defeated, format!("this job has the name of the check `{gate}`, too, and may pass in its place"))
        }
        Likeness::Unknown => {
            (State::Weak, format!("only a run knows the name of this job, which may be that of the check `{gate}`"))
        }
    };
    Some(Check::new("gate/name", state, message).at(path, *line))
}
