//! Whether an exported file and the policy agree about calls.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use agent_strace_effects::{Certainty, Repository, Roots};
use agent_strace_engine::{Entries, Entry};
use agent_strace_model::{Arguments, EventKind, Session};
use agent_strace_policy::{EntryView, Policy};

use super::act::{self, Act};
use super::answer::Answer;
use super::residual::{Residual, way};
use super::{Engine, Export};

/// How many calls of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Agreement {
    pub agree: usize,
    /// The engine asks or refuses where the policy does less.
    pub stricter: usize,
    /// The engine lets pass what the policy refuses, or asks about it, and the list says so.
    pub weaker: usize,
    /// The same, and nothing in the list says so: a defect of the export.
    pub unlisted: usize,
    /// The weaker ones that the policy refuses and the engine runs without a question.
    pub passed: usize,
    /// The engine has no such tool.
    pub elsewhere: usize,
}

impl Agreement {
    fn add(&mut self, other: Self) {
        self.agree += other.agree;
        self.stricter += other.stricter;
        self.weaker += other.weaker;
        self.unlisted += other.unlisted;
        self.passed += other.passed;
        self.elsewhere += other.elsewhere;
    }
}

/// One call about which they differ.
#[derive(Debug, Clone)]
pub struct Difference {
    pub event: u32,
    /// The log, or the file of cases.
    pub source: String,
    /// The line in it.
    pub line: u32,
    pub tool: String,
    /// The command, path, address or tool that the call is about.
    pub act: String,
    pub policy: Answer,
    pub engine: Answer,
    /// It is weaker, and the list does not say so.
    pub unlisted: bool,
    /// The answer of the policy.
    pub reason: String,
}

/// A session, compared.
#[derive(Debug, Default)]
pub struct Compared {
    pub agreement: Agreement,
    pub differences: Vec<Difference>,
}

pub fn compare(export: &Export, policy: &Policy, session: &Session<'_>, repository: &Arc<Repository>) -> Compared {
    let outcome = agent_strace_engine::judge_guarded(session, Vec::new(), policy, Entries::Keep, repository);
    let mut judged: BTreeMap<u32, Vec<Entry>> = BTreeMap::new();
    for entry in outcome.entries {
        judged.entry(entry.event).or_default().push(entry);
    }
    let roots = Roots::of(session, repository, &policy.guarded());
    let root = roots.first().unwrap_or("/");
    let mut compared = Compared::default();
    for event in &session.events {
        let EventKind::Call(call) = &event.kind else { continue };
        let entries = judged.remove(&event.number).unwrap_or_default();
        let Arguments::Json(input) = &call.arguments else {
            compared.agreement.elsewhere += 1;
            continue;
        };
        let input: Value = serde_json::from_str(input).unwrap_or(Value::Null);
        let act = act::of(&call.tool, &input);
        let Some((engine, stopped)) = answer(&export.engine, &act, root, &entries) else {
            compared.agreement.elsewhere += 1;
            continue;
        };
        let pair = Pair { export, policy, act: &act, engine, entries: &entries, stopped };
        if let Some(found) = compared.count(&pair) {
            let (source, tool) = (session.source.clone(), call.tool.clone().into_owned());
            let act = act.subject();
            compared.differences.push(Difference { event: event.number, source, line: event.line, tool, act, ..found });
        }
    }
    compared
}

/// The engine's answer, and the entries whose effects its sandbox stops all the same.
pub(super) fn answer(engine: &Engine, act: &Act, root: &str, entries: &[Entry]) -> Option<(Answer, Vec<usize>)> {
    match engine {
        Engine::Claude(engine) => Some((engine.answer(act, root)?, Vec::new())),
        Engine::Codex(engine) => engine.answer(act, root, entries),
        Engine::Gemini(engine) => Some((engine.answer(act)?, Vec::new())),
        Engine::Grants(engine) => Some((engine.answer(act, root)?, Vec::new())),
    }
}

struct Pair<'a> {
    export: &'a Export,
    policy: &'a Policy,
    act: &'a Act,
    engine: Answer,
    entries: &'a [Entry],
    stopped: Vec<usize>,
}

impl Compared {
    pub fn add(&mut self, other: Self) {
        self.agreement.add(other.agreement);
        self.differences.extend(other.differences);
    }

    /// Counts a call, and returns what it says where the two differ.
    fn count(&mut self, pair: &Pair<'_>) -> Option<Difference> {
        let strictest = pair.entries.iter().max_by_key(|entry| Answer::of(entry));
        let policy = strictest.map_or(Answer::Allow, Answer::of);
        let engine = pair.in_effect(policy);
        let unlisted = policy > engine && !pair.is_listed();
        let counter = match policy.cmp(&engine) {
            std::cmp::Ordering::Equal => &mut self.agreement.agree,
            std::cmp::Ordering::Less => &mut self.agreement.stricter,
            std::cmp::Ordering::Greater if unlisted => &mut self.agreement.unlisted,
            std::cmp::Ordering::Greater => &mut self.agreement.weaker,
        };
        *counter += 1;
        if policy > Answer::Ask && engine == Answer::Allow {
            self.agreement.passed += 1;
        }
        (policy != engine).then(|| Difference {
            event: 0,
            source: String::new(),
            line: 0,
            tool: String::new(),
            act: String::new(),
            policy,
            engine,
            unlisted,
            reason: strictest.map(|entry| entry.reason.clone()).unwrap_or_default(),
        })
    }
}

impl Pair<'_> {
    /// The list tells of everything that the engine does not see.
    fn is_listed(&self) -> bool {
        self.missed().all(|judged| {
            let way = way(self.act, judged, self.entry(judged));
            self.export.residuals.iter().any(|residual: &Residual| residual.covers(judged, way))
        })
    }

    /// The effects that the policy refuses and that neither the engine nor its sandbox refuses.
    fn missed(&self) -> impl Iterator<Item = &Entry> {
        let entries = self.entries.iter().enumerate();
        entries
            .filter(|(at, entry)| Answer::of(entry) > self.engine && !self.stopped.contains(at))
            .map(|(_, entry)| entry)
    }

    /// With the sandbox: a call is refused where all that the policy refuses of it is, or something certain that the
    /// policy does not.
    fn in_effect(&self, policy: Answer) -> Answer {
        let certain =
            |at: &usize| self.entries.get(*at).is_some_and(|entry| entry.effect.certainty == Certainty::Exact);
        let refused =
            if policy > self.engine { self.missed().next().is_none() } else { self.stopped.iter().any(certain) };
        if refused { Answer::Deny } else { self.engine }
    }

    /// The entry of the policy that decided.
    fn entry(&self, judged: &Entry) -> Option<&EntryView> {
        let location = judged.location.as_ref()?;
        self.policy.entries().find(|entry| entry.location.pointer == location.pointer)
    }
}
