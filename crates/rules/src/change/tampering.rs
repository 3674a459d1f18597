//! `gate/tampering`: a change touches what judges it, what records it, or what decides whether it is judged at all.

use super::{ChangeHit, ChangeSite, Changed, Check, Rule, bounded, done_to};
use agent_strace_git::change_set::Change;
use agent_strace_git::{ChangedFile, Status};
use agent_strace_model::finding::{Level, RuleId};
use agent_strace_policy::evidence::Weight;
use agent_strace_policy::{floor_above, floor_of};

pub(crate) static RULE: Rule = Rule {
    id: RuleId::GateTampering,
    level: Level::Error,
    summary: "a change touches what it is judged by",
    spec: include_str!("../../specs/gate-tampering.md"),
    check: Check::Change(check),
};

/// Where code owners are looked for.
const OWNERS: &[&str] = &["codeowners", ".github/codeowners", ".gitlab/codeowners", "docs/codeowners"];

fn check(changed: &Changed<'_>, hits: &mut Vec<ChangeHit>) {
    let change = changed.change;
    let found = change.files.iter().filter_map(|file| {
        let touched = touched(change, file)?;
        let (level, review) = level(change, touched.level);
        let message = format!("{} `{}`: {}{review}", verb(file), file.path, touched.why);
        let is_gone = file.status == Status::Deleted;
        let site =
            ChangeSite::File { path: file.path.clone(), line: file.line(), effect: Some(done_to(&file.path, is_gone)) };
        let weight = Weight::Level(level);
        Some(ChangeHit { weight, message, site, location: None, about: vec![verb(file).to_owned(), file.path.clone()] })
    });
    // The worst first, so that what is only counted is the least.
    let mut found: Vec<ChangeHit> = found.collect();
    found.sort_by_key(|hit| std::cmp::Reverse(hit.weight.level()));
    hits.extend(bounded(found));
}

struct Touched {
    level: Level,
    why: &'static str,
}

fn touched(change: &Change, file: &ChangedFile) -> Option<Touched> {
    let folded = file.path.to_lowercase();
    let error = |why| Some(Touched { level: Level::Error, why });
    if change.judging.contains(&folded) {
        return error(if is_plain(file) {
            "this change is judged by it"
        } else {
            "this change is judged by it, and what is no plain file would judge by something else"
        });
    }
    if change.gates.contains(&file.path) {
        return error("it decides whether changes are judged");
    }
    if change.is_recorded(&file.path) {
        return record(change, file);
    }
    if let Some((_, why)) = floor_of(&file.path) {
        return error(why);
    }
    if !is_plain(file) && (floor_above(&folded) || stands_above(change, &folded)) {
        return error("what judges and records is looked for below it");
    }
    let owners = OWNERS.contains(&folded.as_str());
    owners.then_some(Touched { level: Level::Warning, why: "it decides who reviews what changes are judged by" })
}

/// The record may grow, and sessions may be added to it.
fn record(change: &Change, file: &ChangedFile) -> Option<Touched> {
    let error = |why| Some(Touched { level: Level::Error, why });
    let goes_on = |file: &ChangedFile| file.status == Status::Modified && change.grown.contains_key(&file.path);
    if !is_plain(file) && file.status != Status::Deleted {
        return error("a record is read as it is, never through a link");
    }
    match file.status {
        Status::Added => None,
        Status::Deleted => error("the record of an earlier session is taken away"),
        Status::Modified if goes_on(file) => None,
        // What is told about a session changes as the session goes on.
        Status::Modified if is_beside_what_grows(change, file) => None,
        Status::Modified | Status::TypeChanged => error("the record of an earlier session is changed"),
    }
}

/// `meta.json` of a session whose events went on.
fn is_beside_what_grows(change: &Change, file: &ChangedFile) -> bool {
    let folder = file.path.strip_suffix("meta.json");
    folder.is_some_and(|folder| folder.ends_with('/') && change.grown.contains_key(&format!("{folder}events.ndjson")))
}

fn stands_above(change: &Change, folded: &str) -> bool {
    let below = format!("{folded}/");
    let store = change.store.as_ref().map(|store| store.to_lowercase());
    change.judging.iter().chain(&store).any(|path| path.starts_with(&below) || path.as_str() == folded)
}

fn is_plain(file: &ChangedFile) -> bool {
    !file.is_link() && !file.is_submodule()
}

fn verb(file: &ChangedFile) -> &'static str {
    match file.status {
        _ if file.is_link() => "puts a link at",
        _ if file.is_submodule() => "puts a submodule at",
        Status::Added => "adds",
        Status::Modified | Status::TypeChanged => "changes",
        Status::Deleted => "deletes",
    }
}

/// Where people looked at it, or where it is too late, it is told and keeps nothing out.
fn level(change: &Change, level: Level) -> (Level, String) {
    match &change.reviewed {
        Some(who) => (Level::Note, format!(" (reviewed: {who})")),
        None if change.landed => (level.min(Level::Warning), " (it is on the branch already)".to_owned()),
        None => (level, String::new()),
    }
}
