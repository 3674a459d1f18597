//! Sequences that the policy forbids, step by step through a session.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Act, Check, Hit, Log, Rule, Site};
use agent_strace_effects::Kind;
use agent_strace_model::Status;
use agent_strace_model::finding::{Level, RuleId, VerdictImpact};
use agent_strace_policy::Context;
use agent_strace_policy::sequences::{Done, Sequence, Step};
use agent_strace_secrets::redact;

pub(super) static RULE: Rule = Rule {
    id: RuleId::SequencePolicy,
    level: Level::Error,
    summary: "acts followed each other that the policy forbids in this order",
    spec: include_str!("../specs/sequence-policy.md"),
    check: Check::Acts(check),
};

/// The first steps of a sequence, done.
#[derive(Debug, Clone)]
struct Chain {
    /// The acts that did them.
    acts: Vec<usize>,
    /// How many calls come before the first one.
    since: usize,
    /// Each of them was surely done.
    sure: bool,
}

fn check(log: &Log<'_>, hits: &mut Vec<Hit>) {
    if log.policy.sequences().is_empty() {
        return;
    }
    let walk = Walk {
        acts: log.acts,
        calls: calls(log),
        context: Context { root: log.roots.first(), roots: Some(log.roots), ..Context::default() },
    };
    for sequence in log.policy.sequences() {
        // What is not sure says nothing where the same is sure.
        let sure = walk.chains(sequence, Done::Yes);
        let event = |chain: &Chain| chain.acts.last().and_then(|act| log.acts.get(*act)).map(|act| act.event);
        let told: BTreeSet<Option<u32>> = sure.iter().map(event).collect();
        let perhaps = walk.chains(sequence, Done::Perhaps).into_iter().filter(|chain| !told.contains(&event(chain)));
        let perhaps: Vec<Chain> = perhaps.collect();
        hits.extend(sure.iter().chain(&perhaps).filter_map(|chain| hit(sequence, chain, log.acts)));
    }
}

/// The acts of each event that did something, and how many calls come before it. The order of acts within an event says
/// little, because much of it runs at once.
fn calls(log: &Log<'_>) -> Vec<(usize, Range<usize>)> {
    let numbers: Vec<u32> = log.session.recorded_calls().map(|(event, _)| event.number).collect();
    let mut calls: Vec<(usize, Range<usize>)> = Vec::new();
    let mut last = None;
    for (at, act) in log.acts.iter().enumerate() {
        match calls.last_mut().filter(|_| last == Some(act.event)) {
            Some((_, call)) => call.end = at + 1,
            None => calls.push((numbers.partition_point(|number| *number < act.event), at..at + 1)),
        }
        last = Some(act.event);
    }
    calls
}

/// The acts of a session, to be walked through.
struct Walk<'a> {
    acts: &'a [Act<'a>],
    calls: Vec<(usize, Range<usize>)>,
    context: Context<'a>,
}

impl Walk<'_> {
    /// Every way in which all steps were done; `least`: how sure each has to be.
    fn chains(&self, sequence: &Sequence, least: Done) -> Vec<Chain> {
        // By how many steps are done: the one that began last, because it is the first to be near enough.
        let mut open: Vec<Option<Chain>> = vec![None; sequence.steps.len()];
        let mut whole = Vec::new();
        for (number, call) in &self.calls {
            let done = self.done(sequence, call, least);
            if done.iter().all(Vec::is_empty) {
                continue;
            }
            let before = open.clone();
            for (step, matches) in done.iter().enumerate() {
                let from = |open: &[Option<Chain>]| match step.checked_sub(1) {
                    None => Some(Chain { acts: Vec::new(), since: *number, sure: true }),
                    Some(step) => open.get(step).cloned().flatten(),
                };
                let fresh = from(&open).and_then(|chain| extended(chain, matches));
                let chain = fresh.or_else(|| from(&before).and_then(|chain| extended(chain, matches)));
                let Some(chain) = chain else { continue };
                let near = sequence.within.is_none_or(|most| number - chain.since < most as usize);
                if step + 1 < sequence.steps.len() {
                    open.iter_mut().skip(step).take(1).for_each(|kept| *kept = Some(chain.clone()));
                } else if near {
                    whole.push(chain);
                }
            }
        }
        whole
    }

    /// The acts of a call that do each step.
    fn done(&self, sequence: &Sequence, call: &Range<usize>, least: Done) -> Vec<Vec<(usize, Done)>> {
        let acts = || self.acts.iter().enumerate().skip(call.start).take(call.len());
        let happened = || acts().filter(|(_, act)| act.status != Some(Status::Denied));
        let of_step = |step: &Step| {
            happened()
                .map(|(at, act)| (at, step.done(act.effect, &self.context)))
                .filter(|(_, done)| *done >= least)
                .collect()
        };
        sequence.steps.iter().map(of_step).collect()
    }
}

/// One step more, by an act that did none before: surely done where one surely did it.
fn extended(mut chain: Chain, matches: &[(usize, Done)]) -> Option<Chain> {
    let free = matches.iter().filter(|(act, _)| !chain.acts.contains(act));
    let (act, done) = free.max_by_key(|(act, done)| (*done, std::cmp::Reverse(*act)))?;
    chain.acts.push(*act);
    chain.sure &= *done == Done::Yes;
    Some(chain)
}

fn hit(sequence: &Sequence, chain: &Chain, acts: &[Act<'_>]) -> Option<Hit> {
    let (last, earlier) = chain.acts.split_last()?;
    let here = acts.get(*last)?;
    let (mut said, mut since) = (Vec::new(), Vec::new());
    for (step, act) in sequence.steps.iter().zip(earlier).filter_map(|(step, act)| Some((step, acts.get(*act)?))) {
        let event = if act.event == here.event { "the same call".to_owned() } else { format!("event {}", act.event) };
        said.push(format!("`{}` in {event} ({})", step.text, target(act)));
        if act.event != here.event {
            since.push((act.event, format!("`{}` ({})", step.text, target(act))));
        }
    }
    let step = sequence.steps.last()?;
    let doubt = if chain.sure { "" } else { ", as far as is known" };
    let message = format!(
        "{}: {}, then `{}` here ({}){doubt}",
        sequence.policy_rule.id,
        said.join(", then "),
        step.text,
        target(here)
    );
    let level = if chain.sure { sequence.level } else { sequence.level.min(Level::Warning) };
    Some(Hit {
        site: Site::Act(*last),
        until: None,
        level,
        message,
        rule: RULE.id,
        location: Some(sequence.location.clone()),
        policy_rule: Some(sequence.policy_rule.clone()),
        impact: VerdictImpact::ByLevel,
        about: vec![("sequence", sequence.policy_rule.id.clone())],
        since,
    })
}

/// What an act was done to.
fn target(act: &Act<'_>) -> String {
    let text = match &act.effect.kind {
        Kind::Read(target) | Kind::Write(target) | Kind::Delete(target) | Kind::List(target) => {
            target.shown().into_owned()
        }
        Kind::Execute(execution) => {
            let words: Vec<&str> = execution.argv.iter().map(|word| word.text.as_str()).collect();
            words.join(" ")
        }
        Kind::Connect(connection) => connection.host.clone().unwrap_or_else(|| "a host that is not known".to_owned()),
        Kind::Tool { server, tool } => format!("{}/{tool}", server.as_deref().unwrap_or_default()),
        Kind::Env { name } => name.clone(),
        Kind::Spawn { .. } | Kind::Opaque(_) => String::new(),
    };
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = line.join(" ");
    // Half of a secret is one that no redaction knows.
    let line = redact(line);
    let short: String = line.as_str().chars().take(80).collect();
    if short.len() < line.as_str().len() { format!("`{short}…`") } else { format!("`{short}`") }
}
