//! `coverage/unexplained-change`: files and lines of a change that no session tells of.

use std::collections::BTreeSet;

use super::told::{Place, Told};
use super::touch::Touch;
use super::{ChangeHit, ChangeSite, Changed, Check, Rule, bounded, done_to, listed, weigh};
use agent_strace_git::change_set::{Commit, Extent};
use agent_strace_git::{ChangedFile, Status};
use agent_strace_model::finding::{Level, PolicyLocation, RuleId};
use agent_strace_policy::evidence::Weight;

pub(crate) static RULE: Rule = Rule {
    id: RuleId::CoverageUnexplainedChange,
    level: Level::Note,
    summary: "a file or lines of the change were written by no session that is here",
    spec: include_str!("../../specs/coverage-unexplained-change.md"),
    check: Check::Change(check),
};

/// Ranges of lines that one message lists.
const RANGES: usize = 6;

/// What of a file no session tells of.
struct Unexplained<'a> {
    file: &'a ChangedFile,
    what: What,
    /// A commit that an agent made holds it.
    by_agent: bool,
}

enum What {
    /// No session touched it.
    All,
    /// Lines: where, and what happened there.
    Lines(Vec<Place>),
    /// That it may be run.
    Mode,
    /// Its lines, which are too many to be compared with those that a session wrote.
    Unread,
}

fn check(changed: &Changed<'_>, hits: &mut Vec<ChangeHit>) {
    if changed.change.extent == Extent::Tampering {
        return;
    }
    let all = changed.change.files.iter().enumerate().filter(|(_, file)| !changed.change.is_recorded(&file.path));
    let is_made_here = |commit: &&Commit| !commit.marks.is_empty() && commit.picked_from.is_none();
    let of_agents = changed.change.commits.iter().filter(is_made_here);
    let of_agents: BTreeSet<&str> = of_agents.flat_map(|commit| &commit.files).map(String::as_str).collect();
    let unexplained: Vec<Unexplained<'_>> =
        all.filter_map(|(index, file)| Unexplained::new(changed, index, file, &of_agents)).collect();
    let (by_agents, by_people): (Vec<_>, Vec<_>) = unexplained.into_iter().partition(|found| found.by_agent);
    let mut found = Vec::new();
    for (files, usually) in [(by_agents, Level::Warning), (by_people, Level::Note)] {
        let Some((weight, location)) = weigh(changed.policy, &RULE, usually) else { continue };
        // Lines beside those that a session tells of are told one by one. Of files that no session touched there may be many,
        // and where the policy does not ask for them they are told at once.
        let (touched, untouched): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|file| !matches!(file.what, What::All));
        found.extend(touched.iter().map(|file| file.hit(weight, location.clone())));
        if location.is_none() {
            found.extend(together(&untouched, weight, location));
        } else {
            found.extend(untouched.iter().map(|file| file.hit(weight, location.clone())));
        }
    }
    hits.extend(bounded(found));
}

impl<'a> Unexplained<'a> {
    /// `None`: sessions tell of all of it.
    fn new(changed: &Changed<'_>, index: usize, file: &'a ChangedFile, of_agents: &BTreeSet<&str>) -> Option<Self> {
        let witnesses = || changed.sessions.iter().filter(|session| session.is_new).map(|session| session.recorded);
        let touches: Vec<&Touch> = witnesses().filter_map(|recorded| recorded.of(index)).collect();
        let is_formatted = witnesses().any(|recorded| recorded.formats);
        let what = untold(file, &touches, is_formatted)?;
        Some(Self { file, what, by_agent: of_agents.contains(file.path.as_str()) })
    }

    fn hit(&self, weight: Weight, location: Option<PolicyLocation>) -> ChangeHit {
        let path = &self.file.path;
        let message = match &self.what {
            What::All => format!("no session that is here {} `{path}`", done(self.file)),
            What::Mode => format!("no session that is here made `{path}` executable"),
            What::Unread => format!("`{path}` is too large to be compared with the lines that sessions wrote"),
            What::Lines(places) if places.iter().all(|place| place.is_removal) => {
                format!("no session that is here took the lines away that stood after {} of `{path}`", ranges(places))
            }
            What::Lines(places) => format!("no session that is here wrote {} of `{path}`", ranges(places)),
        };
        let line = match &self.what {
            What::Lines(places) => places.first().map_or(1, |place| place.first),
            What::All | What::Mode | What::Unread => self.file.line(),
        };
        let effect = Some(done_to(path, self.file.status == Status::Deleted));
        let site = ChangeSite::File { path: path.clone(), line: line.max(1), effect };
        ChangeHit { weight, message, site, location, about: vec![path.clone()] }
    }
}

fn untold(file: &ChangedFile, touches: &[&Touch], is_formatted: bool) -> Option<What> {
    let any = |is: fn(&Touch) -> bool| touches.iter().any(|touch| is(touch));
    let is_told = match file.status {
        Status::Deleted => any(|touch| touch.deleted || touch.anything),
        // Tools that edit text make no links and no submodules.
        _ if file.is_link() || file.is_submodule() => any(|touch| touch.anything),
        Status::TypeChanged => any(|touch| touch.anything || touch.is_spelled),
        // An empty file, or one of which only the rights changed.
        _ if file.whole && file.hunks.is_empty() => file.status == Status::Modified || !touches.is_empty(),
        _ if file.hunks.is_empty() && any(Touch::has_content) => {
            return (!any(Touch::may_be_anything)).then_some(What::Unread);
        }
        _ if file.hunks.is_empty() => false,
        _ => {
            if !any(Touch::has_content) {
                return (!Told::is_layout(file, is_formatted)).then_some(What::All);
            }
            let untold = Told::new(touches.to_vec(), file, is_formatted).untold();
            if !untold.is_empty() {
                return Some(What::Lines(untold));
            }
            true
        }
    };
    if !is_told {
        return Some(What::All);
    }
    let is_untold_mode = file.became_executable() && !any(|touch| touch.mode || touch.anything);
    is_untold_mode.then_some(What::Mode)
}

/// One finding for all of them, at the first.
fn together(found: &[Unexplained<'_>], weight: Weight, location: Option<PolicyLocation>) -> Option<ChangeHit> {
    let first = found.first()?;
    if let [one] = found {
        return Some(one.hit(weight, location));
    }
    let names = listed(found.iter().map(|unexplained| unexplained.file.path.as_str()));
    let made = if first.by_agent { " that an agent says it made" } else { "" };
    let message = format!("no session that is here tells of {} files{made}: {names}", found.len());
    let about = found.iter().map(|unexplained| unexplained.file.path.clone()).collect();
    Some(ChangeHit { message, about, ..first.hit(weight, location) })
}

fn done(file: &ChangedFile) -> &'static str {
    match file.status {
        Status::Added => "added",
        Status::Deleted => "deleted",
        Status::Modified | Status::TypeChanged => "changed",
    }
}

/// `line 3`, `lines 10–14, 30 and 2 more places`.
fn ranges(places: &[Place]) -> String {
    let shown = |place: &Place| {
        if place.last <= place.first { place.first.to_string() } else { format!("{}–{}", place.first, place.last) }
    };
    let mut text: Vec<String> = places.iter().take(RANGES).map(shown).collect();
    if places.len() > RANGES {
        text.push(format!("{} more places", places.len() - RANGES));
    }
    let noun = if matches!(places, [place] if place.last <= place.first) { "line" } else { "lines" };
    format!("{noun} {}", text.join(", "))
}
