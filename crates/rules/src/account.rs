//! What a log proves: how much of a session it holds, where it came from, and what the other logs of the run add to it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::mcp::{Offer, Offered};
use super::retention::Overdue;
use agent_strace_model::dialect::Carries;
use agent_strace_model::evidence::{Chain, Subagent, UNNAMED};
use agent_strace_model::{Attribution, Evidence, Session, Status};
use agent_strace_policy::evidence::Grade;
use agent_strace_policy::sessions::Field;

/// Where the logs of a run came from. The caller says so: nothing in a log can.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Source {
    /// The job that judges also ran the agent, which could write there whatever it wanted.
    Runner,
    /// What another job of the same run handed over.
    Artifact,
    /// The change that is judged: whoever wrote it could write the logs.
    #[default]
    PullRequest,
    /// Wherever they came from, the caller verified an attestation of who produced them.
    Attested,
    /// The program that judges saw the calls itself, while they were made.
    Live,
}

impl Source {
    pub fn name(self) -> &'static str {
        match self {
            Self::Runner => "runner",
            Self::Artifact => "artifact",
            Self::PullRequest => "pull-request",
            Self::Attested => "attested",
            Self::Live => "live",
        }
    }
}

/// What one log proves.
#[derive(Debug)]
pub struct Account {
    /// Of the session.
    pub id: String,
    pub parent: Option<String>,
    pub agent: String,
    /// The format of its log, which no log can claim: its agent is what some logs say.
    pub format: &'static str,
    pub attribution: Attribution<'static>,
    /// Directories that calls ran in, the workspace root first.
    pub directories: Vec<String>,
    pub carries: Carries,
    pub evidence: Evidence<'static>,
    pub calls: usize,
    /// Calls whose end was recorded.
    pub answered: usize,
    pub unknown_records: u32,
    pub gaps: usize,
    /// The change itself, where it holds the log, whatever the caller says.
    pub source: Source,
    /// The source that the caller named.
    pub claimed: Source,
    /// The change that is judged holds the log.
    pub committed: bool,
    /// Calls on paths that redaction took a part out of, and that the policy can't judge without it.
    pub redacted: usize,
    /// Its store should not hold it any more.
    pub overdue: Option<Overdue>,
    /// What MCP servers said of themselves, as far as somebody looked for it.
    pub offers: Vec<Offer>,
    /// Sub-agents that this session started, each once, in the order in which they were started.
    pub started: Vec<Started>,
    /// Calls in this log by the sub-agent that made them: its id, or the call that started it.
    inside: BTreeMap<String, usize>,
}

/// A sub-agent that a session started.
#[derive(Debug, PartialEq, Eq)]
pub struct Started {
    /// Number and line of the event that tells.
    pub at: (u32, u32),
    pub id: Option<String>,
    pub kind: Option<String>,
    /// The calls that started it, and went on with it.
    calls: BTreeSet<String>,
    /// Tool calls that it made, as far as its results say.
    pub declared: Option<usize>,
    /// Its share of the calls of which the log does not say which sub-agent made them; `None` where there are none.
    shared: Option<usize>,
}

/// What became of a sub-agent's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traced {
    pub declared: Option<usize>,
    /// `None`: nothing of it is recorded anywhere in the run.
    pub recorded: Option<usize>,
}

impl Traced {
    /// Calls that nobody judged, where their number is known.
    pub fn missing(self) -> Option<usize> {
        Some(self.declared?.saturating_sub(self.recorded.unwrap_or(0)))
    }

    /// Whether calls of it may exist that are not recorded.
    pub fn is_short(self) -> bool {
        match self.declared {
            Some(_) => self.missing() != Some(0),
            None => self.recorded.is_none(),
        }
    }
}

impl Account {
    pub fn of(session: &Session<'_>, gaps: usize) -> Self {
        let mut inside: BTreeMap<String, usize> = BTreeMap::new();
        let mut directories: Vec<&str> = session.root.as_deref().into_iter().collect();
        let (mut calls, mut answered) = (0, 0);
        for (_, call) in session.recorded_calls() {
            calls += 1;
            answered += usize::from(call.status != Status::Missing);
            if let Some(name) = call.subagent.as_deref() {
                match inside.get_mut(name) {
                    Some(count) => *count += 1,
                    None => {
                        inside.insert(name.to_owned(), 1);
                    }
                }
            }
            if let Some(directory) = call.cwd.as_deref()
                && directories.last() != Some(&directory)
                && !directories.contains(&directory)
            {
                directories.push(directory);
            }
        }
        let mut started = started(session);
        if let Some(unnamed) = inside.get(UNNAMED) {
            share(&mut started, *unnamed);
        }
        Self {
            id: session.id.clone().into_owned(),
            parent: session.parent.as_deref().map(str::to_owned),
            agent: session.agent.clone().into_owned(),
            format: session.dialect.name,
            attribution: session.attribution.clone().into_owned(),
            directories: directories.into_iter().map(str::to_owned).collect(),
            carries: session.dialect.carries,
            evidence: session.evidence.clone().into_owned(),
            calls,
            answered,
            unknown_records: session.unknown_records,
            gaps,
            source: Source::default(),
            claimed: Source::default(),
            committed: false,
            redacted: 0,
            overdue: None,
            offers: Vec::new(),
            started,
            inside,
        }
    }

    /// How far the log can be trusted.
    pub fn grade(&self) -> Grade {
        match (self.source, self.evidence.chain) {
            (_, Chain::Broken(_)) | (Source::PullRequest, Chain::None | Chain::Late) => Grade::Committed,
            (Source::Attested, _) => Grade::Attested,
            (Source::Artifact | Source::Live, _) => Grade::Produced,
            (Source::Runner, _) | (Source::PullRequest, Chain::Intact) => Grade::Chained,
        }
    }

    /// What the log records of a field of the policy's conditions.
    pub fn values(&self, field: Field) -> Vec<&str> {
        let who = &self.attribution;
        match field {
            Field::Agent => vec![&self.agent],
            Field::Branch => texts(&who.branches),
            Field::Commit => single(who.commit.as_deref()),
            Field::Cwd => self.directories.iter().map(String::as_str).collect(),
            Field::Entrypoint => single(who.entrypoint.as_deref()),
            Field::Host => single(who.host.as_deref()),
            Field::Model => texts(&who.models),
            Field::PermissionMode => texts(&who.permission_modes),
            Field::Repository => single(who.repository.as_deref()),
            Field::Sandbox => texts(&who.sandboxes),
            Field::User => single(who.user.as_deref()),
            Field::Version => single(who.version.as_deref()),
        }
    }
}

fn texts<'a>(facts: &'a [Cow<'static, str>]) -> Vec<&'a str> {
    facts.iter().map(AsRef::as_ref).collect()
}

fn single(fact: Option<&str>) -> Vec<&str> {
    fact.into_iter().collect()
}

/// Sub-agents by their id: who is asked to go on is the same one, and what its results count adds up. One whose start
/// was refused never ran.
fn started(session: &Session<'_>) -> Vec<Started> {
    let refused = session.recorded_calls().filter(|(_, call)| call.status == Status::Denied);
    let refused: BTreeSet<&str> = refused.filter_map(|(_, call)| call.call_id.as_deref()).collect();
    let mut all: Vec<Started> = Vec::new();
    let mut indices: BTreeMap<String, usize> = BTreeMap::new();
    let ran = |subagent: &&Subagent<'_>| subagent.call_id.as_deref().is_none_or(|call| !refused.contains(call));
    for subagent in session.evidence.subagents.iter().filter(ran) {
        let id = named(subagent.id.as_deref());
        let index = id.as_ref().and_then(|id| indices.get(id)).copied();
        let Some(known) = index.and_then(|index| all.get_mut(index)) else {
            if let Some(id) = &id {
                indices.insert(id.clone(), all.len());
            }
            all.push(start(session, subagent, id));
            continue;
        };
        known.calls.extend(named(subagent.call_id.as_deref()));
        if let Some(calls) = subagent.calls {
            known.declared = Some(known.declared.unwrap_or(0).saturating_add(calls as usize));
        }
    }
    all
}

fn start(session: &Session<'_>, subagent: &Subagent<'_>, id: Option<String>) -> Started {
    let index = session.events.binary_search_by_key(&subagent.event, |event| event.number).ok();
    let line = index.and_then(|index| session.events.get(index)).map_or(1, |event| event.line);
    Started {
        at: (subagent.event, line),
        id,
        kind: subagent.kind.as_deref().map(str::to_owned),
        calls: named(subagent.call_id.as_deref()).into_iter().collect(),
        declared: subagent.calls.map(|calls| calls as usize),
        shared: None,
    }
}

/// Deals out calls that name no sub-agent to the sub-agents that have no name.
fn share(started: &mut [Started], mut left: usize) {
    for unnamed in started.iter_mut().filter(|started| started.id.is_none()) {
        let taken = unnamed.declared.unwrap_or(0).min(left);
        left -= taken;
        unnamed.shared = Some(taken);
    }
}

/// An id that a redactor took away names nobody.
fn named(id: Option<&str>) -> Option<String> {
    id.filter(|id| !matches!(*id, "" | "REDACTED" | "[REDACTED]")).map(str::to_owned)
}

/// All sessions of a run, whatever order their logs were read in.
#[derive(Debug, Default)]
pub struct Run<'a> {
    accounts: BTreeMap<&'a str, Vec<&'a Account>>,
    /// Sessions of sub-agents that the session which started them does not name, with their calls.
    nameless: BTreeMap<&'a str, BTreeMap<&'a str, usize>>,
    offered: Offered<'a>,
}

/// Sessions above a session that are asked for what it does not record.
const DEEPEST: usize = 16;

impl<'a> Run<'a> {
    pub fn new(accounts: impl IntoIterator<Item = &'a Account>) -> Self {
        let mut run = Self::default();
        for account in accounts {
            run.accounts.entry(&account.id).or_default().push(account);
        }
        run.nameless = run.nameless();
        run.offered = Offered::of(run.accounts.values().flatten().copied());
        run
    }

    fn nameless(&self) -> BTreeMap<&'a str, BTreeMap<&'a str, usize>> {
        let mut nameless: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        let mut named = BTreeSet::new();
        for account in self.accounts.values().flatten() {
            named.extend(
                account.started.iter().filter_map(|started| Some((account.id.as_str(), started.id.as_deref()?))),
            );
        }
        for account in self.accounts.values().flatten() {
            let Some(parent) = account.parent.as_deref() else { continue };
            let bare = account.id.strip_prefix("agent-").unwrap_or(&account.id);
            if !named.contains(&(parent, bare)) && !named.contains(&(parent, account.id.as_str())) {
                let calls = nameless.entry(parent).or_default().entry(&account.id).or_default();
                *calls = account.calls.max(*calls);
            }
        }
        nameless
    }

    /// How a server described the same thing before, in another session.
    pub(super) fn offered_before(&self, account: &Account, offer: &Offer) -> Option<(&'a str, &'a Offer)> {
        self.offered.before(account, offer)
    }

    /// What is recorded of a sub-agent: in the log of the session that started it, or in one of its own.
    pub fn trace(&self, account: &Account, started: &Started) -> Traced {
        let names = started.id.iter().chain(&started.calls);
        let inside = names.filter_map(|name| account.inside.get(name)).copied().max();
        let own = started.id.as_deref().into_iter().flat_map(|id| [id.to_owned(), format!("agent-{id}")]);
        let own = own.filter_map(|id| self.accounts.get(id.as_str())).flatten().map(|account| account.calls).max();
        // Its result was not recorded, so nobody said what it is called: one of the others that this session started.
        let other = || {
            let nobodys = account.started.iter().filter(|started| started.id.is_none());
            let index = nobodys.take_while(|other| *other != started).count();
            self.nameless.get(account.id.as_str())?.values().nth(index).copied()
        };
        let own = own.or_else(|| if started.id.is_none() { other() } else { None });
        // Where both exist they tell the same calls.
        Traced { declared: started.declared, recorded: inside.max(own).max(started.shared) }
    }

    /// The values of a field; a sub-agent that does not record them runs as the session that started it.
    pub fn values(&self, account: &'a Account, field: Field) -> Vec<&'a str> {
        let mut asked = account;
        for _ in 0..DEEPEST {
            let values = asked.values(field);
            if !values.is_empty() {
                return values;
            }
            let above = asked.parent.as_deref().and_then(|parent| self.accounts.get(parent));
            // Two logs of one session may say different things: then neither speaks for the sub-agent.
            match above.map(Vec::as_slice) {
                Some([one]) => asked = one,
                _ => break,
            }
        }
        Vec::new()
    }
}
