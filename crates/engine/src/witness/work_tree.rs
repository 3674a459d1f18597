//! The work tree as a witness: which files of a set exist where the session runs or ran.
//!
//! Before a call runs, a look shows what the call will read, unless something makes files in between: an earlier act of the
//! same call, a command in the background, or a call or sub-agent that runs at the same time. After a call, only a file that
//! is older than the call shows anything.

use agent_strace_effects::{
    About, Approval, Certainty, Effect, Kind, PathTarget, Proof, Repository, Sight, Sighted, WorkTree,
};
use agent_strace_model::{Arguments, Status, moment};

use super::super::replay::{Replay, Step};

/// Directories for temporary files and devices, which hold no work tree but of tests.
const ELSEWHERE: &[&str] = &["/dev/", "/tmp/", "/private/tmp/", "/var/tmp/"];

/// The work tree of the sessions, and when it is looked at.
#[derive(Debug, Clone, Copy)]
pub struct TreeLook<'a> {
    pub tree: &'a dyn WorkTree,
    pub moment: Moment,
}

/// When a work tree is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The pending call is about to run.
    Before(Approval),
    /// The pending call has just ended.
    Ended,
    /// All calls ended long ago.
    Later,
}

/// A work tree, and the session that runs or ran in it.
pub(crate) struct TreeWitness<'a> {
    tree: &'a dyn WorkTree,
    moment: Moment,
    root: &'a str,
    repository: &'a Repository,
    /// The event of the call that is about to run. `None`: every call has ended.
    pending_call: Option<u32>,
    /// What runs while the pending call does.
    beside: Vec<&'a Effect>,
}

/// Where an act may make, move or link files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Makes {
    Nothing,
    /// Only in directories that links of the work tree may lead to.
    Elsewhere,
    /// In the directory that is looked at, or nobody knows where.
    Here,
}

impl<'a> TreeWitness<'a> {
    pub(crate) fn of(look: TreeLook<'a>, replay: &'a Replay<'a>, pending_call: Option<u32>) -> Option<Self> {
        let TreeLook { tree, moment } = look;
        let (root, repository) = (replay.roots.first()?, replay.roots.repository());
        let beside = pending_call.map(|number| beside(replay, number)).unwrap_or_default();
        Some(Self { tree, moment, root, repository, pending_call, beside })
    }

    /// The look at the files of one effect of a step; `None`: a look says nothing of it.
    pub(crate) fn sight<'s>(&'s self, step: &'s Step<'_>, effect: &'s Effect) -> Option<Sight<'s>> {
        effect.gathered?;
        let is_pending = self.pending_call == Some(step.event.number);
        let (proof, approval) = match self.moment {
            Moment::Before(approval) if is_pending => (self.proof_before(step, effect), approval),
            Moment::Ended if is_pending => (Proof::Presence, Approval::Impossible),
            Moment::Later if matches!(effect.kind, Kind::Read(_)) => {
                let time = moment(step.event.time.as_deref()?)?;
                (Proof::PresenceBefore(time.into()), Approval::Impossible)
            }
            Moment::Before(_) | Moment::Ended | Moment::Later => return None,
        };
        let (text, call) = (step.text.as_deref(), step.event.call());
        let sighted = Sighted { effect, effects: &step.effects, text, call, repository: self.repository };
        Some(Sight::of(self.tree, self.root, sighted, proof)?.with_approval(approval))
    }

    fn proof_before(&self, step: &Step<'_>, effect: &Effect) -> Proof {
        let Some(folder) = effect.folder().filter(|_| !may_lead_up(step)) else { return Proof::Presence };
        let own = step.effects.iter().filter(|other| !std::ptr::eq(*other, effect));
        let makes = own.chain(self.beside.iter().copied()).map(|other| makes(other, folder)).max();
        match makes {
            None | Some(Makes::Nothing) => Proof::Everything,
            Some(Makes::Elsewhere) => Proof::EverythingWithoutLinks,
            Some(Makes::Here) => Proof::Presence,
        }
    }
}

/// The call spells `..`, which behind a link is the parent of what the link leads to, or a pattern that some shells match
/// `..` with.
fn may_lead_up(step: &Step<'_>) -> bool {
    let is_start = |before: &str| {
        before.is_empty() || before.ends_with(['/', ' ', '\t', '\n', '"', '\'', '=', '(', '`', '{', ','])
    };
    let leads = |text: &str| {
        let patterns = [".*", ".?", ".["].iter().flat_map(|dots| text.match_indices(dots));
        text.contains("..") || patterns.filter_map(|(at, _)| text.get(..at)).any(is_start)
    };
    let arguments = step.event.call().map(|call| &call.arguments);
    let given = match arguments {
        Some(Arguments::Json(json)) => leads(json),
        Some(Arguments::Text(text)) => leads(text),
        Some(Arguments::Missing) | None => false,
    };
    given || step.text.as_deref().is_some_and(leads)
}

/// The effects of calls and commands that may run at the same time as the call of an event.
fn beside<'a>(replay: &'a Replay<'a>, number: u32) -> Vec<&'a Effect> {
    let earlier = || replay.steps.iter().filter(|step| step.event.number != number);
    // A call of a sub-agent runs while the call that started this sub-agent waits for it.
    let pending = replay.steps.iter().find(|step| step.event.number == number);
    let is_of_subagent = pending.and_then(|step| step.event.call()).is_some_and(|call| call.subagent.is_some());
    let is_own_start = |effect: &&Effect| matches!(effect.kind, Kind::Spawn { .. }) && is_of_subagent;
    let open = earlier().filter(|step| step.status == Some(Status::Missing)).flat_map(|step| step.effects.iter());
    let starts = open.clone().filter(is_own_start).count();
    let open = open.filter(move |effect| starts > 1 || !is_own_start(effect));
    let left = earlier().filter(|step| !matches!(step.status, Some(Status::Missing | Status::Denied)));
    let detached = left.flat_map(|step| step.effects.iter()).filter(|effect| effect.origin.detached);
    open.chain(detached).collect()
}

/// Where the act may make files that a look at `folder` would miss.
fn makes(effect: &Effect, folder: &str) -> Makes {
    match &effect.kind {
        Kind::Write(target) => writes(target, effect.certainty, folder),
        Kind::Opaque(opaque) => match opaque.about {
            About::Reads | About::Network => Makes::Nothing,
            About::Anything | About::Writes | About::Commands | About::Project | About::Elsewhere => Makes::Here,
        },
        Kind::Spawn { .. } | Kind::Tool { .. } => Makes::Here,
        Kind::Read(_) | Kind::Delete(_) | Kind::List(_) | Kind::Execute(_) | Kind::Connect(_) | Kind::Env { .. } => {
            Makes::Nothing
        }
    }
}

fn writes(target: &PathTarget, certainty: Certainty, folder: &str) -> Makes {
    let path = target.path.as_str();
    if ELSEWHERE.iter().any(|start| path.starts_with(start)) {
        return Makes::Elsewhere;
    }
    // Another path may lead into the work tree under another name.
    if path.starts_with(['/', '~']) || path.contains(':') {
        return Makes::Here;
    }
    let is_literal = certainty != Certainty::Pattern;
    let known = if is_literal { path } else { path.split(['*', '?', '[']).next().unwrap_or_default() };
    let known = if known == "." { "" } else { known.trim_end_matches('/') };
    if is_within(known, folder) || is_within(folder, known) || !is_literal && folder.starts_with(known) {
        Makes::Here
    } else {
        Makes::Elsewhere
    }
}

/// The path is the directory, or lies below it. An empty one holds everything.
fn is_within(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::{Makes, writes};
    use agent_strace_effects::{Certainty, PathTarget};

    #[test]
    fn writes_are_here_where_they_may_reach_the_directory() {
        for (path, certainty, folder, expected) in [
            ("src/a.rs", Certainty::Exact, "src", Makes::Here),
            ("src", Certainty::Exact, "src/api", Makes::Here),
            ("out.txt", Certainty::Exact, "", Makes::Here),
            (".", Certainty::Exact, "src", Makes::Here),
            ("srcs/a.rs", Certainty::Exact, "src", Makes::Elsewhere),
            ("out.txt", Certainty::Exact, "src", Makes::Elsewhere),
            ("/tmp/x", Certainty::Exact, "", Makes::Elsewhere),
            ("/home/u/x", Certainty::Exact, "src", Makes::Here),
            ("~/x", Certainty::Exact, "src", Makes::Here),
            ("**", Certainty::Pattern, "src", Makes::Here),
            ("s*/a", Certainty::Pattern, "src", Makes::Here),
            ("out/*", Certainty::Pattern, "src", Makes::Elsewhere),
            ("src/api/*", Certainty::Pattern, "src", Makes::Here),
        ] {
            assert_eq!(writes(&PathTarget::new(path), certainty, folder), expected, "{path} {folder}");
        }
    }
}
