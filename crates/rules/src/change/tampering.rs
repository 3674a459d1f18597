//! `gate/tampering`: a change touches what judges it, what records it, or what decides whether it is judged at all.

use super::{ChangeHit, ChangeSite, Changed, Check, Rule, bounded, done_to};
use std::borrow::Cow;

use agent_strace_git::change_set::{Change, Part};
use agent_strace_git::{ChangedFile, Status};
use agent_strace_model::finding::{Level, RuleId};
use agent_strace_policy::evidence::Weight;
use agent_strace_policy::{AgentFile, agent_file, floor_above, floor_of};

pub(crate) static RULE: Rule = Rule {
    id: RuleId::GateTampering,
    level: Level::Error,
    summary: "a change touches what it is judged by",
    spec: include_str!("../../specs/gate-tampering.md"),
    check: Check::Change(check),
};

/// Where code owners are looked for.
const OWNERS: &[&str] = &["codeowners", ".github/codeowners", ".gitlab/codeowners", "docs/codeowners"];

/// Settings of programs that merge changes or set the rules of a branch.
const MERGING: &[&str] = &[
    ".mergify.yml",
    ".mergify/config.yml",
    ".github/mergify.yml",
    ".github/settings.yml",
    ".github/.kodiak.toml",
    ".kodiak.toml",
    "bors.toml",
    ".github/bors.toml",
    ".bulldozer.yml",
    ".policy.yml",
];

/// Why a text for agents is a note.
const FOLLOWED: &str = "agents follow it, or work in what it sets up";

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
    why: Cow<'static, str>,
}

impl Touched {
    fn new(level: Level, why: impl Into<Cow<'static, str>>) -> Self {
        Self { level, why: why.into() }
    }
}

fn touched(change: &Change, file: &ChangedFile) -> Option<Touched> {
    let folded = file.path.to_lowercase();
    let error = |why: &'static str| Some(Touched::new(Level::Error, why));
    if change.judging.contains(&folded) {
        return error(if is_plain(file) {
            "this change is judged by it"
        } else {
            "this change is judged by it, and what is no plain file would judge by something else"
        });
    }
    let part = change.parts.get(&file.path).map(of_part);
    if let Some(part) = part.as_ref().filter(|part| part.level == Level::Error) {
        return Some(Touched::new(part.level, part.why.clone()));
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
    let forge = [
        (OWNERS, "it decides who reviews what changes are judged by"),
        (MERGING, "it decides what is merged, or which checks a branch requires"),
    ];
    let owners = forge.iter().find(|(files, _)| files.contains(&folded.as_str()));
    let owners = owners.map(|(_, why)| Touched::new(Level::Warning, *why));
    // Of a text it is known which rights are in it.
    let is_read = matches!(change.parts.get(&file.path), Some(Part::GivesRights { .. } | Part::Instructs));
    let agents = agent_file(&file.path).filter(|_| !is_read).map(|class| match class {
        AgentFile::Rights => Touched::new(Level::Warning, "it gives agents tools or rights, or runs by itself"),
        AgentFile::Instructions => Touched::new(Level::Note, FOLLOWED),
    });
    // If both have the same weight, the first one says more.
    [owners, agents, part].into_iter().flatten().reduce(|best, next| if next.level > best.level { next } else { best })
}

/// How much a part in the gate weighs.
fn of_part(part: &Part) -> Touched {
    let error = |why: String| Touched::new(Level::Error, why);
    let warning = |why: String| Touched::new(Level::Warning, why);
    let note = |why: String| Touched::new(Level::Note, why);
    match part {
        Part::Runs => error("it decides whether changes are judged".to_owned()),
        Part::MovesActions { actions } => error(format!(
            "it moves `{actions}` in the job of the gate to another version, whose code runs there: a person has to review it, \
             and `reviewed-by` of the action says who did"
        )),
        Part::OtherJobs => note("it runs the gate, and only jobs differ that the gate does not need".to_owned()),
        Part::Unseen => note("it runs the gate, and nothing but comments or blanks differs".to_owned()),
        Part::Called { by } => error(format!("the gate calls it (`{by}`)")),
        Part::RunsBefore { by } => error(format!(
            "it runs before the gate in its job (`{by}`), and could replace it there: run the gate in a job of its own, where \
             this file is no part of it"
        )),
        Part::WouldBeCalled { by } => error(format!("the gate would call it after the merge (`{by}`)")),
        Part::Supersedes { gate } => error(format!("CI would read it in place of `{gate}`, which runs the gate")),
        Part::MaySupersede { gate } => warning(format!(
            "Gitea and Forgejo would read its folder in place of the one of `{gate}`, which runs the gate"
        )),
        Part::Starts { gate } => {
            error(format!("`{gate}`, which runs the gate, starts after it by its name, and it loses that name"))
        }
        Part::PinsGate => error("it says which gate is installed, and its entry for the gate differs".to_owned()),
        Part::TakesName { name } => error(format!(
            "its job `{name}` has the name of the gate's check, and a branch that requires it takes either"
        )),
        Part::MayTakeName => {
            warning("the name of a job is only known when it runs, and may be the one of the gate's check".to_owned())
        }
        Part::Unreadable { reason } => {
            error(format!("it can't be read, so it may run the gate or take the name of its check: {reason}"))
        }
        Part::SetsChecks => warning(
            "its token may set the state of every check, the one of the gate too (`statuses`, `checks`)".to_owned(),
        ),
        Part::MayRun { used } => {
            warning(format!("no file here names the gate, and `{used}`, which it uses, may be what runs it"))
        }
        Part::IgnoresRecord => error("git ignores sessions by it, so that none is committed any more".to_owned()),
        Part::UnreadableRecord { reason } => {
            error(format!("it can't be read, so it may keep sessions out of commits, or change them: {reason}"))
        }
        Part::RewritesRecord { attribute } => {
            error(format!("`{}` lets git change sessions when they are committed", name_of(attribute)))
        }
        Part::HidesRecord { attribute } if attribute.trim_start_matches('-').starts_with("merge") => {
            let name = name_of(attribute);
            warning(format!("`{name}` decides how git merges sessions or the gate, and may drop one side"))
        }
        Part::HidesRecord { attribute } => {
            warning(format!("`{}` hides changes of sessions or of the gate from reviewers", name_of(attribute)))
        }
        Part::NamesGate { is_only } => {
            let why = "it runs the gate, and no file of CI here says who calls it";
            Touched::new(if *is_only { Level::Error } else { Level::Warning }, why)
        }
        Part::Beside { by } => note(format!("`{by}` runs recipes of it in the job of the gate")),
        Part::NewWorkflow => note("it is a new workflow: no job of it has the name of the gate's check".to_owned()),
        Part::GivesRights { by } => warning(format!("it gives agents tools or rights, or runs by itself: {by}")),
        Part::Instructs => note(FOLLOWED.to_owned()),
        Part::OfAgent { name } => note(format!("{name} reads it")),
    }
}

/// An attribute of git without its value, which may be any text, a secret too.
fn name_of(attribute: &str) -> &str {
    attribute.split('=').next().unwrap_or_default()
}

/// The record may grow, and sessions may be added to it.
fn record(change: &Change, file: &ChangedFile) -> Option<Touched> {
    let error = |why: &'static str| Some(Touched::new(Level::Error, why));
    let goes_on = |file: &ChangedFile| file.status == Status::Modified && change.grown.contains_key(&file.path);
    if !is_plain(file) && file.status != Status::Deleted {
        return error("a record is read as it is, never through a link");
    }
    match file.status {
        Status::Added => None,
        _ if is_pointer(change, file) => None,
        Status::Deleted => Some(removed(change)),
        Status::Modified if goes_on(file) => None,
        // What is told about a session changes as the session goes on.
        Status::Modified if is_beside_what_grows(change, file) => None,
        Status::Modified | Status::TypeChanged => error("the record of an earlier session is changed"),
    }
}

/// A revert takes the record with the work that it is about. The work of a session is not bounded by the commit that brought
/// its record, so no commit says what the record was about: it has to stay.
fn removed(change: &Change) -> Touched {
    let store = change.store.as_deref().unwrap_or_default();
    let advice = format!("`git checkout {} -- {store}` keeps it", change.base.name);
    Touched::new(Level::Error, format!("the record of an earlier session is taken away: {advice}"))
}

/// It names the session that is being recorded, for programs that follow it, and tells nothing of any session.
fn is_pointer(change: &Change, file: &ChangedFile) -> bool {
    let rest = change.store.as_ref().and_then(|store| file.path.strip_prefix(store.as_str()));
    rest == Some("/.active-session") && file.status != Status::TypeChanged
}

/// Files that describe a session, or how far its recording got, if its events went on.
fn is_beside_what_grows(change: &Change, file: &ChangedFile) -> bool {
    let folder = ["meta.json", "recorder.json"].iter().find_map(|name| file.path.strip_suffix(name));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_of_an_attribute_is_shown() {
        let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        for (name, part) in [
            ("filter", Part::RewritesRecord { attribute: format!("filter={secret}") }),
            ("merge", Part::HidesRecord { attribute: format!("merge={secret}") }),
            ("linguist-generated", Part::HidesRecord { attribute: format!("linguist-generated={secret}") }),
            ("-diff", Part::HidesRecord { attribute: "-diff".to_owned() }),
        ] {
            let why = of_part(&part).why;
            assert!(why.starts_with(&format!("`{name}` ")) && !why.contains(secret), "{why}");
        }
    }
}
