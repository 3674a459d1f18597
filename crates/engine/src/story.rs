//! What was done in all of a session, and what led to each finding: for the reports that tell it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use agent_strace_effects::{Certainty, Effect, Kind};
use agent_strace_model::finding::{Cause, Finding};
use agent_strace_model::{Event, EventKind, Session, Speaker, Status, skill_name};

use super::replay::Step;
use super::wording;

/// How often something was done, by the name of what it was done to or with.
pub type Tally = BTreeMap<String, usize>;

/// What was done in a session. Refused attempts and what only may have happened are not in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity {
    pub written: Tally,
    pub deleted: Tally,
    /// Without the folders they stand in.
    pub programs: Tally,
    pub hosts: Tally,
    pub tools: Tally,
    pub subagents: Tally,
}

impl Activity {
    pub(super) fn of<'e>(acts: impl Iterator<Item = (Option<Status>, &'e Effect)>) -> Self {
        let mut activity = Self::default();
        for (status, effect) in acts {
            if status != Some(Status::Denied) && effect.certainty != Certainty::Possible {
                activity.add(effect);
            }
        }
        activity
    }

    fn add(&mut self, effect: &Effect) {
        match &effect.kind {
            Kind::Write(target) => count(&mut self.written, &target.shown()),
            Kind::Delete(target) => count(&mut self.deleted, &target.shown()),
            Kind::Execute(execution) => {
                let program = execution.argv.first().filter(|word| word.known);
                let name = program.map(|word| word.text.rsplit(['/', '\\']).next().unwrap_or(&word.text));
                count(&mut self.programs, name.unwrap_or("a program that is not known"));
            }
            Kind::Connect(connection) => {
                count(&mut self.hosts, connection.host.as_deref().unwrap_or("a host that is not known"));
            }
            Kind::Tool { server: Some(server), tool } => count(&mut self.tools, &format!("{server}/{tool}")),
            Kind::Tool { server: None, tool } => count(&mut self.tools, tool),
            Kind::Spawn { agent } => count(&mut self.subagents, agent.as_deref().unwrap_or("a sub-agent")),
            Kind::Read(_) | Kind::List(_) | Kind::Env { .. } | Kind::Opaque(_) => {}
        }
    }
}

fn count(tally: &mut Tally, name: &str) {
    match tally.get_mut(name) {
        Some(count) => *count += 1,
        None => {
            tally.insert(name.to_owned(), 1);
        }
    }
}

/// Adds to each finding what led to it: what the user had asked for, and the call that wrote the script that did it. What
/// rules remember is there already, without its lines.
pub(super) fn trace(findings: &mut [Finding], session: &Session<'_>, steps: &[Step<'_>]) {
    let mut past = Past::new(session, steps);
    for finding in findings.iter_mut().filter(|finding| finding.event > 0) {
        past.trace(finding);
    }
}

/// The events of a session that others come back to.
struct Past<'s> {
    session: &'s Session<'s>,
    steps: &'s [Step<'s>],
    /// Indices of users' prompts among the session's events.
    prompts: Vec<usize>,
    /// The same of texts of others that lead to what comes then.
    leading: Vec<usize>,
    /// The same in words, once asked for.
    asked: BTreeMap<usize, Cause>,
    /// Events that wrote each file; `None`: nobody asked yet.
    writers: Option<BTreeMap<&'s str, Vec<u32>>>,
}

impl<'s> Past<'s> {
    fn new(session: &'s Session<'s>, steps: &'s [Step<'s>]) -> Self {
        let prompts = session.events.iter().enumerate();
        let prompts = prompts.filter(|(_, event)| matches!(event.kind, EventKind::Prompt(_)));
        let speaker = |(_, event): &(usize, &Event<'_>)| event.origin.speaker;
        let at = |(at, _): (usize, &Event<'_>)| at;
        let leading = prompts.clone().filter(|prompt| leads(speaker(prompt))).map(at).collect();
        let prompts = prompts.filter(|prompt| speaker(prompt).is_user()).map(at).collect();
        Self { session, steps, prompts, leading, asked: BTreeMap::new(), writers: None }
    }

    fn trace(&mut self, finding: &mut Finding) {
        let mut causes = std::mem::take(&mut finding.causes);
        causes.extend(self.writer(finding));
        for cause in &mut causes {
            cause.line = self.line(cause.event);
        }
        let ends = causes.iter().map(|cause| cause.event).chain([finding.event]);
        let prompts: BTreeSet<usize> = ends.flat_map(|event| self.prompts_before(event)).collect();
        for prompt in prompts {
            causes.extend(self.asked(prompt));
        }
        causes.sort_by(|left, right| (left.event, &left.what).cmp(&(right.event, &right.what)));
        finding.causes = causes;
    }

    /// The call that last wrote the script which did it, where that was an earlier one.
    fn writer(&mut self, finding: &Finding) -> Option<Cause> {
        let script = finding.effect.as_deref()?.via.as_deref()?.strip_prefix("script ")?;
        let steps = self.steps;
        let writers = self.writers.get_or_insert_with(|| writers(steps));
        let events = writers.get(script)?;
        let event = *events.get(events.partition_point(|event| *event < finding.event).checked_sub(1)?)?;
        Some(Cause { event, line: 0, what: format!("writes {}", wording::quoted(script)) })
    }

    /// The last prompt of a user, and what a skill, a hook or another agent said after it last.
    fn prompts_before(&self, event: u32) -> Vec<usize> {
        let events = &self.session.events;
        let number = |index: &usize| events.get(*index).map_or(0, |event| event.number);
        let last = |indices: &[usize]| {
            let before = indices.partition_point(|index| number(index) < event).checked_sub(1)?;
            indices.get(before).copied()
        };
        let prompt = last(&self.prompts);
        let led = last(&self.leading).filter(|index| prompt.is_none_or(|prompt| prompt < *index));
        prompt.into_iter().chain(led).collect()
    }

    fn asked(&mut self, prompt: usize) -> Option<Cause> {
        let event = self.session.events.get(prompt)?;
        let EventKind::Prompt(text) = &event.kind else { return None };
        let said = |past: &Self| {
            let text = text.decode();
            let what = format!("{} {}", past.says(prompt, event.origin.speaker, &text), wording::quoted(&text));
            Cause { event: event.number, line: event.line, what }
        };
        if let Some(known) = self.asked.get(&prompt) {
            return Some(known.clone());
        }
        let cause = said(self);
        self.asked.insert(prompt, cause.clone());
        Some(cause)
    }

    /// Whose words they are, and of a skill the call that loaded it.
    fn says(&self, prompt: usize, speaker: Speaker, text: &str) -> Cow<'static, str> {
        if speaker != Speaker::Skill {
            return speaker.says().into();
        }
        let name = skill_name(text)
            .map_or_else(|| "a skill".to_owned(), |name| format!("the skill {}", wording::quoted(name)));
        let before = self.session.events.get(..prompt).unwrap_or_default();
        let is_loader = |event: &&Event<'_>| event.tool().is_some_and(|tool| tool.eq_ignore_ascii_case("skill"));
        match before.iter().rev().take(LOADED_WITHIN).find(is_loader) {
            Some(call) => format!("{name}, which the call of event {} loaded, says", call.number).into(),
            None => format!("{name} says").into(),
        }
    }

    fn line(&self, number: u32) -> u32 {
        let events = &self.session.events;
        let at = events.binary_search_by_key(&number, |event| event.number).ok();
        at.and_then(|at| events.get(at)).map_or(1, |event| event.line)
    }
}

/// Events before the text of a skill among which the call stands that loaded it.
const LOADED_WITHIN: usize = 64;

/// Whose words lead to what comes then, where no user says them.
fn leads(speaker: Speaker) -> bool {
    matches!(speaker, Speaker::Skill | Speaker::HookFeedback | Speaker::Subagent)
}

fn writers<'s>(steps: &'s [Step<'s>]) -> BTreeMap<&'s str, Vec<u32>> {
    let mut writers: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for step in steps.iter().filter(|step| step.status != Some(Status::Denied)) {
        for effect in &*step.effects {
            let Kind::Write(target) = &effect.kind else { continue };
            let events = writers.entry(target.path.as_str()).or_default();
            if events.last() != Some(&step.event.number) {
                events.push(step.event.number);
            }
        }
    }
    writers
}
