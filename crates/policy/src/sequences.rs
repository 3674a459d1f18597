//! Acts that are harmless alone and forbidden one after the other: the key `sequences`.
//!
//! Here is what a step matches; the rule `sequence/policy` follows the steps through a session.

use std::sync::Arc;

use agent_strace_effects::{Certainty, Connection, Effect, Kind, PathTarget, Standing};
use agent_strace_model::finding::{Level, PolicyLocation, PolicyRule};

use super::Context;
use super::command::{CommandPattern, Match};
use super::env;
use super::host::HostPattern;
use super::name::NamePattern;
use super::path::{Files, FirstName, PathList};
use super::ran::Ran;

/// Steps, in the order in which they are forbidden.
#[derive(Debug)]
pub struct Sequence {
    pub policy_rule: Arc<PolicyRule>,
    pub steps: Vec<Step>,
    /// How many calls it may take from the first step to the last; `None`: the whole session.
    pub within: Option<u32>,
    pub level: Level,
    pub location: PolicyLocation,
}

/// One step.
#[derive(Debug)]
pub struct Step {
    /// As written.
    pub text: String,
    pub(super) wanted: Wanted,
}

/// What has to happen.
#[derive(Debug)]
pub(super) enum Wanted {
    Read(PathList),
    Write(PathList),
    Delete(PathList),
    List(PathList),
    Exec(CommandPattern),
    /// `None`: any host but this machine.
    Net(Option<HostPattern>),
    Mcp {
        server: NamePattern,
        tool: Box<NamePattern>,
    },
    Env(env::Variable),
}

/// Whether an effect is a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Done {
    No,
    /// A part of it is not known, or it may not have happened.
    Perhaps,
    Yes,
}

impl Step {
    pub fn done(&self, effect: &Effect, context: &Context<'_>) -> Done {
        let done = match (&self.wanted, &effect.kind) {
            (Wanted::Read(paths), Kind::Read(target))
            | (Wanted::Write(paths), Kind::Write(target))
            | (Wanted::Delete(paths), Kind::Delete(target))
            | (Wanted::List(paths), Kind::List(target)) => touched(paths, target, effect.certainty, context),
            (Wanted::Exec(pattern), Kind::Execute(execution)) => match pattern.denies(&Ran::new(execution, None)) {
                Match::Yes => Done::Yes,
                Match::Maybe => Done::Perhaps,
                Match::No => Done::No,
            },
            (Wanted::Net(host), Kind::Connect(connection)) => reached(host.as_ref(), connection, effect.certainty),
            (Wanted::Mcp { server, tool }, Kind::Tool { server: Some(of), tool: name }) => {
                if server.may_be(of) && tool.may_be(name) { Done::Yes } else { Done::No }
            }
            (Wanted::Env(wanted), Kind::Env { name }) => match wanted.denies(name, effect.certainty) {
                true if effect.certainty == Certainty::Pattern => Done::Perhaps,
                true => Done::Yes,
                false => Done::No,
            },
            _ => Done::No,
        };
        if effect.certainty == Certainty::Possible { done.min(Done::Perhaps) } else { done }
    }
}

fn touched(paths: &PathList, target: &PathTarget, certainty: Certainty, context: &Context<'_>) -> Done {
    let moved = context.roots.map(|roots| roots.moved(target, certainty)).unwrap_or_default();
    let there = moved.iter().map(|moved| {
        let first = FirstName { target, certainty, root: context.root };
        let context = Context { root: moved.root.as_deref(), first: Some(first), ..*context };
        let done = touched_there(paths, &moved.target, moved.certainty, &context);
        if moved.standing == Standing::Doubtful { done.min(Done::Perhaps) } else { done }
    });
    there.fold(touched_there(paths, target, certainty, context), Ord::max)
}

fn touched_there(paths: &PathList, target: &PathTarget, certainty: Certainty, context: &Context<'_>) -> Done {
    let files = Files::new(target, certainty, context);
    // Of a whole directory, or of what a pattern matches, it is not known that this one is among it.
    let one = !target.subtree && certainty != Certainty::Pattern;
    match files.denied_by(paths) {
        Some(_) if one => Done::Yes,
        Some(_) => Done::Perhaps,
        None => Done::No,
    }
}

fn reached(host: Option<&HostPattern>, connection: &Connection, certainty: Certainty) -> Done {
    let Some(host) = host else {
        let here = matches!(connection.host.as_deref(), Some("localhost" | "127.0.0.1" | "::1" | "0.0.0.0"));
        return if here { Done::No } else { Done::Yes };
    };
    match host.touches(connection, certainty) {
        Match::Yes if certainty != Certainty::Pattern => Done::Yes,
        Match::Yes | Match::Maybe => Done::Perhaps,
        Match::No => Done::No,
    }
}
