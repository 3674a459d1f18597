//! What was done → the entries that allow it, or why there is none.

use std::collections::{BTreeMap, BTreeSet};

use agent_strace_effects::knowledge::Knowledge;
use agent_strace_effects::{Certainty, Effect, Execution, Kind, PathTarget, Purpose};
use agent_strace_policy::builtin::builtin;
use agent_strace_policy::{Context, Decision, Judgement, Policy};

use super::commands::{self, Besides, Command, Unlisted};
use super::observe::{Observation, Observed};
use super::paths::{self, Collapse, Outside, PathEntry, Touched};
use super::reason::Reason;
use super::{agent_folders, targets, workspace};

/// Which list an entry stands in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    Read,
    Write,
    Delete,
    Commands,
    Network,
    /// Tools of this MCP server.
    Mcp(String),
    /// Variables that programs get in their environment.
    Env,
    /// Sub-agents, each by a rule of its own.
    Spawn,
}

/// The key of rules.
pub(super) const RULES: &str = "rules";

impl Slot {
    /// The keys that lead to its list of what is allowed.
    pub fn allow(&self) -> Vec<&str> {
        self.keys("allow")
    }

    pub(super) fn keys<'s>(&'s self, list: &'s str) -> Vec<&'s str> {
        match self {
            Self::Read => vec!["files", "read", list],
            Self::Write => vec!["files", "write", list],
            Self::Delete => vec!["files", "delete", list],
            Self::Commands => vec!["commands", list],
            Self::Network => vec!["network", list],
            Self::Mcp(server) => vec!["mcp", "servers", server, list],
            Self::Env => vec!["env", "allow_set"],
            Self::Spawn => vec![RULES],
        }
    }
}

/// Why an entry is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// It was done.
    Seen,
    /// It was done, and stands for others of its kind.
    Family(&'static str),
    /// Others of its kind were done.
    Kin(&'static str),
    /// One of the acts that this built-in list names was done.
    Builtin(&'static str),
    /// A program did it that this tool does not know.
    Stranger,
    /// What a wider entry does not stand for.
    Except,
}

/// An entry that is to be written.
#[derive(Debug, Clone)]
pub(super) struct Planned {
    pub(super) slot: Slot,
    pub(super) text: String,
    /// The observations it is made of.
    pub(super) support: BTreeSet<usize>,
    pub(super) basis: Basis,
}

#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) entries: Vec<Planned>,
    /// By the index of the observation.
    pub(super) left_out: BTreeMap<usize, Reason>,
}

/// `base`: what judges already, where entries are added to a policy.
pub(super) fn plan(observed: &Observed, base: &Policy) -> Plan {
    let mut plan = Plan::default();
    let builtin = Policy::none();
    let mut paths = Paths::default();
    let mut texts: BTreeMap<(Slot, String), (BTreeSet<usize>, Basis)> = BTreeMap::new();
    for (index, observation) in observed.all().enumerate() {
        if let Some(reason) = reason_against(observation, base, &builtin) {
            // A file that was not there says nothing about its directory.
            if reason != Reason::Failed {
                paths.note_blocked(&observation.effect);
            }
            plan.left_out.insert(index, reason);
            continue;
        }
        match entry_of(observation, base) {
            Ok(Some((slot, text, basis))) => {
                texts.entry((slot, text)).or_insert((BTreeSet::new(), basis)).0.insert(index);
            }
            Ok(None) => paths.note(index, observation),
            Err(reason) => {
                plan.left_out.insert(index, reason);
            }
        }
    }
    let allowed =
        |effect: &Effect| [base, &builtin].iter().all(|policy| !forbids(&policy.judge(effect, &Context::default())));
    let observations: Vec<&Observation> = observed.all().collect();
    let sessions = |indices: &BTreeSet<usize>| {
        let calls = indices.iter().filter_map(|index| observations.get(*index)).flat_map(|one| &one.calls.done);
        calls.map(|call| call.session).collect::<BTreeSet<_>>().len()
    };
    let roots: BTreeSet<&str> = observations.iter().filter_map(|one| one.root.as_deref()).collect();
    plan.entries.extend(paths.entries(&allowed, &sessions, &roots));
    plan.entries.extend(texts.into_iter().map(|((slot, text), (support, basis))| Planned {
        slot,
        text,
        support,
        basis,
    }));
    plan
}

/// It is not for the generator to allow.
fn reason_against(observation: &Observation, base: &Policy, builtin: &Policy) -> Option<Reason> {
    let calls = &observation.calls;
    if calls.done.is_empty() {
        return Some(if calls.failed.is_empty() { Reason::Refused } else { Reason::Failed });
    }
    let context = context(observation);
    let plain = builtin.judge(&observation.effect, &context);
    if plain.sensitive {
        return Some(Reason::Sensitive);
    }
    if plain.decision == Decision::Denied {
        return Some(Reason::Floor(plain.reason));
    }
    let judged = base.judge(&observation.effect, &context);
    is_forbidden(&judged)
        .then(|| Reason::Forbidden(judged.location.map(|location| location.pointer).unwrap_or_default()))
}

pub(super) fn context(observation: &Observation) -> Context<'_> {
    let effects = observation.around.as_deref().unwrap_or_default();
    Context { root: observation.root.as_deref(), effects, ..Context::default() }
}

/// Its failure says nothing against it: a program that is known, and what was searched in the workspace. The rest may have
/// failed because it was not there, or because something kept the agent from it.
pub(super) fn is_worth_trying(effect: &Effect, programs: &Knowledge) -> bool {
    match &effect.kind {
        Kind::Execute(execution) => commands::is_known(execution, programs),
        Kind::Read(target) if effect.gathered.is_some() => paths::is_below_root(&target.path) || target.path == ".",
        Kind::Opaque(opaque) => !opaque.vouched_by.is_empty(),
        _ => false,
    }
}

/// An entry of the policy forbids it, not the lack of one.
fn is_forbidden(judged: &Judgement) -> bool {
    let by_entry = judged.location.as_ref().is_some_and(|location| {
        let pointer = location.pointer.as_str();
        !(pointer.ends_with("/allow") || pointer.ends_with("/deny_all") || pointer.starts_with("/defaults"))
    });
    by_entry && matches!(judged.decision, Decision::Denied | Decision::Asked)
}

pub(super) fn forbids(judged: &Judgement) -> bool {
    judged.sensitive || is_forbidden(judged) || judged.decision == Decision::Denied && judged.location.is_none()
}

/// `None`: a path, which is looked at among all the others; or nothing that needs an entry.
fn entry_of(observation: &Observation, base: &Policy) -> Result<Option<(Slot, String, Basis)>, Reason> {
    let certainty = observation.effect.certainty;
    let seen = |slot, text| Ok(Some((slot, text, Basis::Seen)));
    match &observation.effect.kind {
        _ if certainty == Certainty::Possible => Ok(None),
        Kind::Execute(execution) if execution.inert => Ok(None),
        Kind::Execute(execution) => {
            let command = Command {
                execution,
                inner: observation.inner,
                vouched: &observation.vouched,
                besides: observation.besides,
            };
            match commands::entry(command, base.programs()) {
                Ok(words) => Ok(Some((Slot::Commands, commands::text(&words), Basis::Seen))),
                Err(Unlisted::Stranger) => stranger(execution),
                Err(unlisted) => Err(reason_of(&unlisted)),
            }
        }
        Kind::Connect(connection) => match &connection.host {
            // In an address a wildcard is part of the name; in an entry it would match any name.
            Some(host) if host.contains(['*', '?', '!', '{', '}']) => Err(Reason::Inexpressible),
            Some(host) if certainty == Certainty::Exact => {
                seen(Slot::Network, host_entry(host, connection.port, connection.scheme.as_deref()))
            }
            _ => Err(Reason::Unresolved("the host is not known".to_owned())),
        },
        Kind::Tool { server, tool } if !is_entry(tool) || server.as_deref().is_some_and(|server| !is_key(server)) => {
            Err(Reason::Inexpressible)
        }
        Kind::Env { name } | Kind::Spawn { agent: Some(name) } if !is_entry(name) || !is_plain_name(name) => {
            Err(Reason::Inexpressible)
        }
        Kind::Tool { server: Some(server), tool } => seen(Slot::Mcp(server.clone()), paths::literal(tool)),
        // A tool of the agent itself belongs to no server, and a name for any is the only one that it answers to.
        Kind::Tool { server: None, tool } if is_own_tool(tool) || observation.besides == Besides::Known => {
            seen(Slot::Mcp("*".to_owned()), paths::literal(tool))
        }
        Kind::Tool { server: None, .. } => Err(Reason::Unresolved("what this tool does is not known".to_owned())),
        Kind::Env { name } => seen(Slot::Env, name.clone()),
        Kind::Spawn { agent } => seen(Slot::Spawn, agent.clone().unwrap_or_else(|| "*".to_owned())),
        Kind::Opaque(opaque) if opaque.vouched_by.is_empty() => Err(Reason::Unresolved(opaque.reason.to_string())),
        Kind::Read(target) | Kind::Write(target) | Kind::Delete(target)
            if certainty == Certainty::Pattern && matches!(target.path.as_str(), "**" | "**/**") =>
        {
            Err(Reason::Unresolved("the path is not known".to_owned()))
        }
        Kind::Read(_) if searches_all(&observation.effect) => Ok(None),
        Kind::Read(target) | Kind::Write(target) | Kind::Delete(target) if is_whole(target) => Err(Reason::Whole),
        Kind::List(target) if observation.effect.via == "argument" && is_whole(target) => Err(Reason::Whole),
        _ => Ok(None),
    }
}

/// A program that is not known is allowed with its first word: its entry stands among its like, for people to look at.
fn stranger(execution: &Execution) -> Result<Option<(Slot, String, Basis)>, Reason> {
    let words =
        targets::stranger(execution).ok_or_else(|| Reason::Unresolved("the program is not known".to_owned()))?;
    Ok(Some((Slot::Commands, commands::text(&words), Basis::Stranger)))
}

fn reason_of(unlisted: &Unlisted) -> Reason {
    match unlisted {
        Unlisted::Risky(what) => Reason::Risky(*what),
        Unlisted::Unknown => Reason::Unresolved("what runs is not known".to_owned()),
        Unlisted::Stranger => Reason::Unresolved("the program is not known".to_owned()),
        Unlisted::Outside => Reason::Outside,
        Unlisted::Inexpressible => Reason::Inexpressible,
        Unlisted::Bare => Reason::Bare,
    }
}

/// A tool of agents that shows what is there.
fn is_own_tool(tool: &str) -> bool {
    builtin("agent-tools").is_some_and(|list| list.entries.iter().any(|name| name == tool))
}

/// An entry of a policy can be this name, and means nothing else by it.
fn is_entry(name: &str) -> bool {
    const LONGEST: usize = 1024;
    let means_more =
        name.starts_with('!') || ["label:", "builtin:"].iter().any(|mark| name.to_lowercase().starts_with(mark));
    !name.trim().is_empty()
        && name.trim() == name
        && !means_more
        && name.len() <= LONGEST
        && !name.contains(char::is_control)
}

/// It names one thing: in a list of names, stars and brackets stand for others.
fn is_plain_name(name: &str) -> bool {
    !name.contains(|letter: char| letter.is_whitespace() || matches!(letter, '*' | '?' | '['))
}

/// A server of this name is listed under it: a pattern would speak of others.
fn is_key(name: &str) -> bool {
    is_entry(name) && !name.contains(['*', '?', '[', '{'])
}

/// It looked into all files of one ending.
fn has_ending(effect: &Effect) -> bool {
    let Kind::Read(target) = &effect.kind else { return false };
    let ending = target.path.strip_prefix("**/*.").filter(|_| !target.subtree);
    ending.is_some_and(|ending| !ending.is_empty() && ending.chars().all(|letter| letter.is_ascii_alphanumeric()))
}

/// It looked for something in all of the workspace: what it showed is no file of its own.
fn searches_all(effect: &Effect) -> bool {
    let searched = matches!(effect.gathered, Some(Purpose::Search | Purpose::Check));
    searched && matches!(&effect.kind, Kind::Read(target) if is_whole(target))
}

/// The workspace itself, or everything of a name wherever it is.
fn is_whole(target: &PathTarget) -> bool {
    target.subtree && target.path == "." || target.path.starts_with("**")
}

/// The port where it is not that of the scheme.
fn host_entry(host: &str, port: Option<u16>, scheme: Option<&str>) -> String {
    let usual = match scheme {
        Some("http" | "ws") => Some(80),
        Some("https" | "wss") | None => Some(443),
        Some("ssh" | "sftp" | "scp") => Some(22),
        Some("ftp") => Some(21),
        Some("git") => Some(9418),
        Some(_) => None,
    };
    match port.filter(|port| Some(*port) != usual) {
        None => host.to_owned(),
        Some(port) if host.contains(':') && !host.starts_with("registry:") => format!("[{host}]:{port}"),
        Some(port) => format!("{host}:{port}"),
    }
}

/// Paths that were touched, by access.
#[derive(Default)]
struct Paths<'o> {
    touched: BTreeMap<Slot, Vec<Touched<'o>>>,
    /// Observations that searched the whole workspace.
    searched: BTreeSet<usize>,
    /// Directories that must not be covered by others: refused, sensitive, forbidden.
    blocked: BTreeMap<Slot, Vec<&'o PathTarget>>,
}

impl<'o> Paths<'o> {
    fn note(&mut self, index: usize, observation: &'o Observation) {
        let certainty = observation.effect.certainty;
        if searches_all(&observation.effect) {
            self.searched.insert(index);
            // `**/*.json` may lie anywhere: an entry for the workspace does not cover it.
            if certainty != Certainty::Pattern || !has_ending(&observation.effect) {
                return;
            }
        }
        if let Some((slot, target)) = of_files(&observation.effect).filter(|_| certainty != Certainty::Possible) {
            self.touched.entry(slot).or_default().push(Touched { index, target, certainty });
        }
    }

    /// One file is left out of what is allowed around it.
    fn note_blocked(&mut self, effect: &'o Effect) {
        let whole = |target: &PathTarget| target.subtree && effect.certainty != Certainty::Pattern;
        if let Some((slot, target)) = of_files(effect).filter(|(_, target)| whole(target)) {
            self.blocked.entry(slot).or_default().push(target);
        }
    }

    fn entries(
        mut self,
        allowed: &dyn Fn(&Effect) -> bool,
        sessions: &dyn Fn(&BTreeSet<usize>) -> usize,
        roots: &BTreeSet<&str>,
    ) -> Vec<Planned> {
        let mut planned = agent_folders::take(&mut self.touched, roots);
        if !self.searched.is_empty() {
            self.touched.entry(Slot::Read).or_default();
        }
        let written = self.touched.get(&Slot::Write).cloned().unwrap_or_default();
        for (slot, touched) in self.touched {
            let blocked = self.blocked.get(&slot).map_or(&[][..], Vec::as_slice);
            let is_inside = |target: &&PathTarget| paths::is_below_root(&target.path) || target.path == ".";
            if !blocked.iter().any(is_inside) {
                planned.extend(workspace::entries(&slot, &touched, &written, &self.searched, sessions));
            }
            let may = |collapse: Collapse<'_>| may_collapse(&slot, collapse, blocked, allowed);
            let outside = if slot == Slot::Read { Outside::Together } else { Outside::AsSeen };
            planned.extend(
                paths::entries(touched, outside, &may).into_iter().map(|PathEntry { text, support }| Planned {
                    slot: slot.clone(),
                    text,
                    support,
                    basis: Basis::Seen,
                }),
            );
        }
        let of_its_own = planned.iter().filter(|entry| !matches!(entry.basis, Basis::Kin(_)));
        let known: BTreeSet<(Slot, String)> =
            of_its_own.map(|entry| (entry.slot.clone(), entry.text.clone())).collect();
        planned.retain(|entry| {
            !matches!(entry.basis, Basis::Kin(_)) || !known.contains(&(entry.slot.clone(), entry.text.clone()))
        });
        planned
    }
}

/// The list that judges a file, and the file.
fn of_files(effect: &Effect) -> Option<(Slot, &PathTarget)> {
    match &effect.kind {
        Kind::Read(target) => Some((Slot::Read, target)),
        Kind::List(target) if effect.via == "argument" => Some((Slot::Read, target)),
        Kind::Write(target) => Some((Slot::Write, target)),
        Kind::Delete(target) => Some((Slot::Delete, target)),
        _ => None,
    }
}

/// What leaves a file out of its list.
pub(super) fn exception(effect: &Effect) -> Option<(Slot, String)> {
    let (slot, target) = of_files(effect)?;
    let plain = effect.certainty != Certainty::Pattern && !target.subtree;
    plain.then(|| (slot, format!("!{}", paths::anchored(&paths::literal(&target.path)))))
}

/// A directory never stands for what may not be touched, and what was deleted only for itself.
fn may_collapse(
    slot: &Slot,
    collapse: Collapse<'_>,
    blocked: &[&PathTarget],
    allowed: &dyn Fn(&Effect) -> bool,
) -> bool {
    let hidden = collapse.folder.split('/').any(|part| part.starts_with('.'));
    if *slot == Slot::Delete || hidden && *slot == Slot::Write {
        return false;
    }
    let covers = |target: &&PathTarget| {
        target.path == collapse.folder
            || target.path.strip_prefix(collapse.folder).is_some_and(|rest| rest.starts_with('/'))
    };
    if blocked.iter().any(covers) {
        return false;
    }
    let all = PathTarget { path: collapse.folder.to_owned(), subtree: true };
    let kind = if *slot == Slot::Write { Kind::Write(all) } else { Kind::Read(all) };
    allowed(&Effect::new(kind, Certainty::Exact, "argument"))
}
