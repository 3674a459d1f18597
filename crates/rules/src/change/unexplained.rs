//! `coverage/unexplained-change`: files and lines of a change that no session tells of.

use std::collections::BTreeSet;

use super::{ChangeHit, ChangeSite, Changed, Check, Rule, bounded, done_to, listed, weigh};
use agent_strace_git::change_set::Extent;
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
    /// First and last lines; empty where it is all of it.
    lines: Vec<(u32, u32)>,
    /// A commit that an agent made holds it.
    by_agent: bool,
}

fn check(changed: &Changed<'_>, hits: &mut Vec<ChangeHit>) {
    if changed.change.extent == Extent::Tampering {
        return;
    }
    let all = changed.change.files.iter().enumerate().filter(|(_, file)| !changed.change.is_recorded(&file.path));
    let of_agents = changed.change.commits.iter().filter(|commit| !commit.marks.is_empty());
    let of_agents: BTreeSet<&str> = of_agents.flat_map(|commit| &commit.files).map(String::as_str).collect();
    let unexplained: Vec<Unexplained<'_>> =
        all.filter_map(|(index, file)| Unexplained::new(changed, index, file, &of_agents)).collect();
    let (by_agents, by_people): (Vec<_>, Vec<_>) = unexplained.into_iter().partition(|found| found.by_agent);
    let mut found = Vec::new();
    for (files, usually) in [(by_agents, Level::Warning), (by_people, Level::Note)] {
        let Some((weight, location)) = weigh(changed.policy, &RULE, usually) else { continue };
        // Lines beside those that a session tells of are told one by one. Of files that no session touched there may be many,
        // and where the policy does not ask for them they are told at once.
        let (touched, untouched): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| !file.lines.is_empty());
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
        let witnesses = changed.sessions.iter().filter(|session| session.is_new);
        let touches: Vec<_> = witnesses.filter_map(|session| session.recorded.of(index)).collect();
        let lines = if touches.is_empty() {
            Vec::new()
        } else {
            let is_told = |line: &str| touches.iter().any(|touch| touch.tells(line));
            let hunks = file.hunks.iter().filter(|hunk| !hunk.added.iter().all(|line| is_told(line)));
            let lines: Vec<(u32, u32)> = hunks
                .map(|hunk| (hunk.start, hunk.start + u32::try_from(hunk.added.len()).unwrap_or(u32::MAX) - 1))
                .collect();
            if lines.is_empty() {
                return None;
            }
            lines
        };
        Some(Self { file, lines, by_agent: of_agents.contains(file.path.as_str()) })
    }

    fn hit(&self, weight: Weight, location: Option<PolicyLocation>) -> ChangeHit {
        let path = &self.file.path;
        let message = match self.lines.as_slice() {
            [] => format!("no session that is here {} `{path}`", done(self.file)),
            lines => format!("no session that is here wrote {} of `{path}`", ranges(lines)),
        };
        let line = self.lines.first().map_or_else(|| self.file.line(), |(first, _)| *first);
        let effect = Some(done_to(path, self.file.status == Status::Deleted));
        let site = ChangeSite::File { path: path.clone(), line: line.max(1), effect };
        ChangeHit { weight, message, site, location, about: vec![path.clone()] }
    }
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
fn ranges(lines: &[(u32, u32)]) -> String {
    let shown = |(first, last): &(u32, u32)| {
        if last <= first { first.to_string() } else { format!("{first}–{last}") }
    };
    let mut text: Vec<String> = lines.iter().take(RANGES).map(shown).collect();
    if lines.len() > RANGES {
        text.push(format!("{} more places", lines.len() - RANGES));
    }
    let noun = if matches!(lines, [(first, last)] if last <= first) { "line" } else { "lines" };
    format!("{noun} {}", text.join(", "))
}
