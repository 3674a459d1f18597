//! What an exported file can't say.

use agent_strace_engine::Entry;
use agent_strace_policy::EntryView;

use super::act::Act;
use super::script::{self, Shape};
use agent_strace_model::finding::{Family, RuleId};

/// One thing that the policy says and the file does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Residual {
    pub of: Of,
    /// The ways to do it that the engine does not see.
    pub ways: &'static [Way],
    /// Lower case, without the entry.
    pub reason: &'static str,
    /// What the engine does instead.
    pub instead: &'static str,
}

/// The part of the policy that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Of {
    /// A list, or an entry: its JSON pointer, what it is called, its line, and its text.
    Entry { pointer: String, name: String, line: u32, text: String },
    /// The files that no agent may write, whatever a policy says.
    Floor,
    /// What can't be proven to be allowed.
    Unresolved,
    /// Code from elsewhere that runs, and shells for other hosts.
    ForeignCode,
    /// Whatever of the policy is no list of paths, commands or hosts.
    Rest,
}

impl Of {
    pub(super) fn entry(entry: &EntryView) -> Self {
        Self::Entry {
            pointer: entry.location.pointer.clone(),
            name: entry.name.clone(),
            line: entry.location.line,
            text: entry.text.clone(),
        }
    }

    /// The list that this entry stands in: what it does not hold is judged by all of it.
    pub(super) fn list(entry: &EntryView) -> Self {
        let above = |text: &str, end: char| text.rsplit_once(end).map_or(text, |(above, _)| above).to_owned();
        Self::Entry {
            pointer: above(&entry.location.pointer, '/'),
            name: above(&entry.name, '['),
            line: entry.location.line,
            text: String::new(),
        }
    }
}

/// Each once, in their order: a label is many patterns.
pub(super) fn once(residuals: Vec<Residual>) -> Vec<Residual> {
    let mut seen: Vec<Residual> = Vec::with_capacity(residuals.len());
    for residual in residuals {
        if seen.last() != Some(&residual) && !seen.iter().rev().take(64).any(|known| *known == residual) {
            seen.push(residual);
        }
    }
    seen
}

/// The way in which a call does what the policy judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// A tool that is no shell, by its arguments.
    Tool,
    /// A command of the text as the entry spells it, where engines split the text.
    Plain,
    /// A command that is spelled in another way, or that another command runs.
    Hidden,
    /// A file or host that a command of the text reaches.
    Program,
    /// A file that the shell itself opens for writing.
    Redirect,
    /// It is what it is because of an earlier call: a script that was written, a link that was made.
    Earlier,
}

pub(crate) const EVERY_WAY: &[Way] = &[Way::Tool, Way::Plain, Way::Hidden, Way::Program, Way::Redirect, Way::Earlier];

/// The way of an effect; `entry`: what of the policy judged it.
pub(super) fn way(act: &Act, judged: &Entry, entry: Option<&EntryView>) -> Way {
    let Act::Shell(text) = act else { return Way::Tool };
    if judged.effect.via.starts_with("script") || judged.effect.via.starts_with("alias") {
        return Way::Earlier;
    }
    match &judged.effect.kind {
        agent_strace_effects::Kind::Execute(_) => {
            let spelled = entry.map_or("", |entry| entry.text.as_str());
            if is_plain(text, spelled) { Way::Plain } else { Way::Hidden }
        }
        _ if judged.effect.via == "redirect" && judged.effect.origin.parent.is_none() => Way::Redirect,
        _ => Way::Program,
    }
}

/// A command of a plain text starts with these words as they are written, no variable before them.
fn is_plain(text: &str, words: &str) -> bool {
    let reading = script::read(text);
    reading.shape == Shape::Plain
        && reading.pieces.iter().filter(|piece| piece.assigned.is_empty()).any(|piece| {
            piece.text.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
        })
}

impl Residual {
    /// Whether it tells of this judgement.
    pub(super) fn covers(&self, judged: &Entry, way: Way) -> bool {
        let about = match &self.of {
            Of::Entry { pointer, .. } => judged.location.as_ref().is_some_and(|location| location.pointer == *pointer),
            Of::Floor => judged.rule.family() == Family::Floor,
            Of::Unresolved => judged.decision == agent_strace_policy::Decision::Unresolved,
            Of::ForeignCode => {
                matches!(judged.rule, RuleId::ScopeRemoteCode | RuleId::ScopeDecodedCode | RuleId::ScopeRemoteShell)
            }
            Of::Rest => judged.location.as_ref().is_some_and(|location| {
                !["/files/", "/commands/", "/network"].iter().any(|list| location.pointer.starts_with(list))
            }),
        };
        about && self.ways.contains(&way)
    }
}
