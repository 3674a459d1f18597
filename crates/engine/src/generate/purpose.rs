//! The purpose of an entry: a generated policy lists entries with one purpose together, below a comment.

use agent_strace_effects::knowledge::Knowledge;
use agent_strace_policy::builtin::ecosystems;

use super::families::RUNNERS;
use super::joins;
use super::plan::{Basis, Planned, Slot};
use super::tables::TARGETS;
use super::workspace::{PROSE, SOURCE};

/// In the order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Purpose {
    /// The base that the policy extends has it.
    Base,
    Look,
    Change,
    Build,
    Forge,
    Text,
    Scripts,
    Content,
    Other,
    /// Files outside of the workspace.
    Outside,
    Strangers,
    /// One session did it, and others did not.
    Rare,
    Except,
}

impl Purpose {
    pub(super) const ALL: [Self; 13] = [
        Self::Base,
        Self::Look,
        Self::Change,
        Self::Build,
        Self::Forge,
        Self::Text,
        Self::Scripts,
        Self::Content,
        Self::Other,
        Self::Outside,
        Self::Strangers,
        Self::Rare,
        Self::Except,
    ];

    pub(super) fn comment(self, slot: &Slot) -> &'static str {
        match self {
            Self::Base => "From the base: a list that stands here replaces that of the base.",
            Self::Look => "Look around.",
            Self::Change => "Change files, and record the change.",
            Self::Build => "Build, test and format.",
            Self::Forge => "The forge.",
            Self::Text => "Text for interpreters: what it does is judged by itself.",
            Self::Scripts => "Scripts and programs of the project.",
            Self::Content => "Source code and documents.",
            Self::Other if *slot == Slot::Commands => "Other programs.",
            Self::Other => "Other files of the repository.",
            Self::Outside => "Outside of the repository.",
            Self::Strangers => "Not known to agent-strace: an entry allows all that the program does.",
            Self::Rare => "In one session only: is it meant for all?",
            Self::Except => "Not these: agents obey them, or a user refused one of them once.",
        }
    }
}

/// `is_rare`: one session of several did it.
pub(super) fn purpose(entry: &Planned, is_rare: bool) -> Purpose {
    match (&entry.basis, &entry.slot) {
        (Basis::Except, _) => Purpose::Except,
        (Basis::Stranger, _) => Purpose::Strangers,
        (Basis::Builtin(name), Slot::Commands) => joins::purpose_of(name),
        (Basis::Seen, Slot::Commands) if is_rare => Purpose::Rare,
        (_, Slot::Commands) => of_command(&entry.text),
        (_, Slot::Read | Slot::Write | Slot::Delete) if is_outside(&entry.text) => Purpose::Outside,
        (Basis::Seen, Slot::Read | Slot::Write | Slot::Delete) if is_rare => Purpose::Rare,
        (_, Slot::Read | Slot::Write | Slot::Delete) => of_path(&entry.text),
        _ => Purpose::Other,
    }
}

fn of_command(text: &str) -> Purpose {
    let program = text.split(' ').next().unwrap_or(text).trim_matches('"');
    let programs = Knowledge::default();
    let is_runner = TARGETS.contains(&program) || RUNNERS.iter().any(|runner| text.starts_with(runner));
    match program {
        "git" => Purpose::Change,
        "gh" | "glab" | "hub" => Purpose::Forge,
        _ if program.contains('/') => Purpose::Scripts,
        _ if is_runner || builds(program) => Purpose::Build,
        _ if programs.entry(program).is_some_and(|entry| entry.language.is_some()) => Purpose::Scripts,
        _ => Purpose::Other,
    }
}

/// A program of a build system or package manager.
fn builds(program: &str) -> bool {
    let mut rules = ecosystems().iter().flat_map(|ecosystem| &ecosystem.rules);
    rules.any(|rule| match rule.exec.get("program") {
        Some(serde_json::Value::String(one)) => one == program,
        Some(serde_json::Value::Array(several)) => several.iter().any(|one| one == program),
        _ => false,
    })
}

fn is_outside(text: &str) -> bool {
    text.starts_with("//") || text.starts_with('~') || text.starts_with("builtin:")
}

fn of_path(text: &str) -> Purpose {
    let ending = text.rsplit_once('.').map_or("", |(_, ending)| ending);
    if SOURCE.contains(&ending) || PROSE.contains(&ending) {
        Purpose::Content
    } else if text == "/**" {
        Purpose::Look
    } else {
        Purpose::Other
    }
}
