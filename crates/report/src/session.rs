//! Who ran a session, where and how, and what its log proves: one view for every format.

use serde::Serialize;

use super::escape::shorten;
use agent_strace_engine::SessionOutcome;
use agent_strace_model::dialect::Carries;
use agent_strace_model::evidence::{Chain, Count};
use agent_strace_secrets::{Redacted, redact};

/// Values of one fact, and sub-agents, beyond these are counted in no report: a log can name any number.
const VALUES: usize = 50;
const SUBAGENTS: usize = 1_000;
/// Values of one fact that people are shown, and how much of each.
const NAMED: usize = 3;
const LONGEST: usize = 60;

/// What a log says about who ran the session.
#[derive(Debug)]
pub(super) struct ShownWho {
    pub(super) user: Option<Redacted>,
    pub(super) host: Option<Redacted>,
    pub(super) version: Option<Redacted>,
    pub(super) entrypoint: Option<Redacted>,
    pub(super) models: Vec<Redacted>,
    pub(super) permission_modes: Vec<Redacted>,
    pub(super) sandboxes: Vec<Redacted>,
    pub(super) repository: Option<Redacted>,
    pub(super) branches: Vec<Redacted>,
    pub(super) commit: Option<Redacted>,
    pub(super) directories: Vec<Redacted>,
}

/// What a log proves.
#[derive(Debug)]
pub(super) struct ShownProof {
    pub(super) level: &'static str,
    pub(super) source: &'static str,
    pub(super) carries: &'static str,
    pub(super) chain: &'static str,
    pub(super) records: u32,
    pub(super) calls: usize,
    pub(super) answered: usize,
    pub(super) unknown_records: u32,
    pub(super) truncated: bool,
    pub(super) compactions: u32,
    pub(super) rewinds: u32,
    pub(super) removed: u32,
    pub(super) counts: Vec<Count>,
    pub(super) subagents: Vec<ShownSubagent>,
}

#[derive(Debug)]
pub(super) struct ShownSubagent {
    pub(super) id: Option<Redacted>,
    pub(super) kind: Option<Redacted>,
    pub(super) event: u32,
    pub(super) declared: Option<usize>,
    pub(super) recorded: Option<usize>,
    pub(super) missing: Option<usize>,
}

impl ShownWho {
    pub(super) fn new(session: &SessionOutcome) -> Self {
        let who = &session.account.attribution;
        let one = |fact: Option<&str>| fact.map(redact);
        let all =
            |facts: &[std::borrow::Cow<'static, str>]| facts.iter().take(VALUES).map(|fact| redact(&**fact)).collect();
        Self {
            user: one(who.user.as_deref()),
            host: one(who.host.as_deref()),
            version: one(who.version.as_deref()),
            entrypoint: one(who.entrypoint.as_deref()),
            models: all(&who.models),
            permission_modes: all(&who.permission_modes),
            sandboxes: all(&who.sandboxes),
            repository: one(who.repository.as_deref()),
            branches: all(&who.branches),
            commit: one(who.commit.as_deref()),
            directories: session.account.directories.iter().take(VALUES).map(redact).collect(),
        }
    }

    /// One line for people, where the log says anything; `escape` is the target's.
    pub(super) fn line(&self, escape: fn(&str) -> String) -> Option<String> {
        let shown = |text: &Redacted| shorten(&escape(text.as_str()), LONGEST);
        let mut parts = Vec::new();
        let mut part = |name: &str, values: &[Redacted]| {
            if values.is_empty() {
                return;
            }
            let more = values.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let named: Vec<String> = values.iter().take(NAMED).map(shown).collect();
            parts.push(format!("{name} {}{more}", named.join(", ")));
        };
        part("user", self.user.as_slice());
        part("host", self.host.as_slice());
        part("version", self.version.as_slice());
        part("model", &self.models);
        part("permissions", &self.permission_modes);
        part("sandbox", &self.sandboxes);
        part("branch", &self.branches);
        part("commit", self.commit.as_slice());
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

impl ShownProof {
    pub(super) fn new(session: &SessionOutcome) -> Self {
        let account = &session.account;
        let evidence = &account.evidence;
        let traced = account.started.iter().zip(&session.traced).take(SUBAGENTS);
        let subagents = traced.map(|(started, traced)| ShownSubagent {
            id: started.id.as_deref().map(redact),
            kind: started.kind.as_deref().map(redact),
            event: started.at.0,
            declared: traced.declared,
            recorded: traced.recorded,
            missing: traced.missing(),
        });
        Self {
            level: account.grade().name(),
            source: account.source.name(),
            carries: match account.carries {
                Carries::Calls => "calls",
                Carries::SomeCalls(_) => "some-calls",
                Carries::Requests => "requests",
                Carries::Authorship => "authorship",
            },
            chain: match evidence.chain {
                Chain::None => "none",
                Chain::Late => "late",
                Chain::Intact => "intact",
                Chain::Broken(_) => "broken",
            },
            records: evidence.records,
            calls: account.calls,
            answered: account.answered,
            unknown_records: account.unknown_records,
            truncated: evidence.truncated,
            compactions: evidence.compactions,
            rewinds: evidence.rewinds,
            removed: evidence.removed,
            counts: evidence.counts.clone(),
            subagents: subagents.collect(),
        }
    }
}

/// What the log says about who ran the session, where and how. Nothing is looked up.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Attribution<'a> {
    user: Option<&'a str>,
    host: Option<&'a str>,
    /// Of the agent.
    version: Option<&'a str>,
    /// How the agent was started.
    entrypoint: Option<&'a str>,
    models: Vec<&'a str>,
    /// What the agent may do without asking, in its own words.
    permission_modes: Vec<&'a str>,
    /// In the agent's own words.
    sandboxes: Vec<&'a str>,
    /// Without the credentials its address may hold.
    repository: Option<&'a str>,
    branches: Vec<&'a str>,
    commit: Option<&'a str>,
    /// Directories that calls ran in, the workspace root first.
    directories: Vec<&'a str>,
}

/// What the log proves.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Evidence<'a> {
    /// `E0`: the author of the change may have written it. `E1`: its chain of digests is intact, or the job that judged
    /// also ran the agent. `E2`: another job of this run produced it. `E3`: the caller verified an attestation of it.
    level: &'static str,
    /// `runner`, `artifact`, `pull-request` or `attested`, as the caller said; `pull-request` where the change holds the log.
    source: &'static str,
    /// What its format can hold: `calls`, `some-calls`, `requests` or `authorship`.
    carries: &'static str,
    /// Digests of earlier records: `none`, `late` (not from the start), `intact` or `broken`.
    chain: &'static str,
    /// Records that were read; 0 where the log holds several sessions.
    records: u32,
    calls: usize,
    /// Calls with a recorded result.
    answered: usize,
    unknown_records: u32,
    /// It ends inside a record.
    truncated: bool,
    /// How often the conversation was summarised.
    compactions: u32,
    /// How often it was taken back.
    rewinds: u32,
    /// Messages that the agent's host removed.
    removed: u32,
    /// Totals that the log keeps of itself, beside what it holds.
    counts: Vec<Total>,
    subagents: Vec<Subagent<'a>>,
}

/// A total that stands in the log. What is recorded counts.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Total {
    /// `tool-calls`, `errors` or `steps`.
    what: &'static str,
    stated: u64,
    recorded: u64,
}

/// A sub-agent that the session started.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Subagent<'a> {
    id: Option<&'a str>,
    kind: Option<&'a str>,
    /// The event that tells, 1-based.
    event: u32,
    /// Calls that it made, as far as its results say.
    declared: Option<usize>,
    /// Calls of it in all logs of the run; `null` where it left no trace.
    recorded: Option<usize>,
    /// `null` where the number is not known.
    missing: Option<usize>,
}

impl ShownWho {
    pub(super) fn document(&self) -> Attribution<'_> {
        Attribution {
            user: text(self.user.as_ref()),
            host: text(self.host.as_ref()),
            version: text(self.version.as_ref()),
            entrypoint: text(self.entrypoint.as_ref()),
            models: texts(&self.models),
            permission_modes: texts(&self.permission_modes),
            sandboxes: texts(&self.sandboxes),
            repository: text(self.repository.as_ref()),
            branches: texts(&self.branches),
            commit: text(self.commit.as_ref()),
            directories: texts(&self.directories),
        }
    }
}

impl ShownProof {
    pub(super) fn document(&self) -> Evidence<'_> {
        let subagents = self.subagents.iter().map(|subagent| Subagent {
            id: text(subagent.id.as_ref()),
            kind: text(subagent.kind.as_ref()),
            event: subagent.event,
            declared: subagent.declared,
            recorded: subagent.recorded,
            missing: subagent.missing,
        });
        let counts = self.counts.iter();
        let counts = counts.map(|&Count { what, stated, recorded }| Total { what: what.name(), stated, recorded });
        Evidence {
            level: self.level,
            source: self.source,
            carries: self.carries,
            chain: self.chain,
            records: self.records,
            calls: self.calls,
            answered: self.answered,
            unknown_records: self.unknown_records,
            truncated: self.truncated,
            compactions: self.compactions,
            rewinds: self.rewinds,
            removed: self.removed,
            counts: counts.collect(),
            subagents: subagents.collect(),
        }
    }
}

fn text(text: Option<&Redacted>) -> Option<&str> {
    text.map(Redacted::as_str)
}

fn texts(texts: &[Redacted]) -> Vec<&str> {
    texts.iter().map(Redacted::as_str).collect()
}
