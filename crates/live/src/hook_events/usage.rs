//! Usage of a session, from the agent's own log: agents tell their hooks of none.
//!
//! Each answer is recorded once, under its message id, and again if its usage grew. Only numbers and names of models are
//! taken: a forged log can misstate costs, but no call.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Deserialize;

use agent_strace_model::conversation::RecordRole;
use agent_strace_model::{EventKind, Session, Spent, Usage};
use agent_strace_store::StoreError;
use agent_strace_store::live::{Fact, Live, Note, gap};

/// Marks events that were made of the agent's own log.
const FROM: &str = r#""transcript""#;

/// Marks events in which the agent says or does something.
const ANSWERS: [&str; 2] = [r#""event_type":"tool_call""#, r#""event_type":"assistant_response""#];

/// What the agent does at this step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quiet {
    /// Its user asks for something: what was said before is in its log.
    Asked,
    /// It answered, or ended: its log may not have the last answer yet.
    Answered,
}

/// The sessions of one log of the agent.
#[derive(Debug)]
pub struct OwnLog<'l, 'a> {
    /// The name of the file, without secrets.
    pub name: String,
    pub sessions: Vec<&'l Session<'a>>,
    /// Parts of it can't be read, or not yet, or logs beside it.
    pub is_damaged: bool,
}

/// Whether the last answer of the session is still missing from the agent's own log.
pub fn lacks_an_answer(session: &Session<'_>) -> bool {
    let is_subagent = session.parent.is_some() || session.filed_under.is_some();
    let said = session.events.iter().rev().filter(|event| event.origin.role == RecordRole::Primary);
    said.filter(|event| is_subagent || event.origin.stream == 0)
        .find_map(|event| match event.kind {
            // The host's own words, such as a notice that its user stopped the agent, ask for nothing.
            EventKind::Prompt(_) if !event.origin.speaker.is_user() => None,
            EventKind::Message(_) | EventKind::End(_) => Some(false),
            EventKind::Prompt(_) | EventKind::Result(_) | EventKind::Call(_) => Some(true),
            _ => None,
        })
        .unwrap_or(false)
}

/// Records what is new in the agent's own logs.
///
/// `clean` takes secrets out of ids.
pub fn spend(
    live: &mut Live,
    logs: &[OwnLog<'_, '_>],
    quiet: Quiet,
    clean: &dyn Fn(&str) -> String,
    time: Timestamp,
) -> Result<(), StoreError> {
    let mut known = Known::read(&live.text()?);
    for log in logs {
        let is_cut = known.misses(log, clean);
        for session in &log.sessions {
            let is_own = *session.id == *known.session;
            let lacks = is_cut || log.is_damaged || quiet == Quiet::Answered && lacks_an_answer(session);
            let mut answers = answers(session, clean);
            let id = clean(&session.id);
            let agent = (!is_own).then_some(id.as_str());
            if let Some((_, last)) = answers.last_mut().filter(|_| lacks) {
                last.usage.partial = true;
            }
            for (message, spent) in answers {
                let entry = Entry { message, spent: &spent, log: &log.name, agent };
                entry.record(live, &mut known, time)?;
            }
            // The first answer of a sub-agent may cost anything.
            let has_begun = !is_own && lacks;
            if session.usage != Usage::default() || has_begun {
                let recorded = known.sum(agent).filter(|_| is_cut);
                let all = recorded.unwrap_or(session.usage);
                let sum = Usage { partial: all.partial || lacks, ..all };
                record_sum(live, &mut known, agent, &json(&sum), time)?;
            }
        }
    }
    for lost in std::mem::take(&mut known.lost) {
        gap(&lost, |gap| live.append(time, gap))?;
    }
    Ok(())
}

/// The last record of each answer, in the order of the first ones. Answers without an id are counted.
fn answers<'a>(session: &Session<'a>, clean: &dyn Fn(&str) -> String) -> Vec<(String, Spent<'a>)> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut answers: Vec<(String, Spent<'a>)> = Vec::new();
    let mut without_id = 0_usize;
    for spent in session.spent.iter().filter(|spent| spent.usage != Usage::default()) {
        without_id += usize::from(spent.message.is_none());
        let message = spent.message.as_deref().map_or_else(|| format!("{}#{without_id}", session.id), str::to_owned);
        let message = clean(&message);
        let next = answers.len();
        let at = *places.entry(message.clone()).or_insert(next);
        match answers.get_mut(at) {
            Some((_, known)) => known.clone_from(spent),
            None => answers.push((message, spent.clone())),
        }
    }
    answers
}

/// One answer of an agent's own log.
struct Entry<'e> {
    message: String,
    spent: &'e Spent<'e>,
    log: &'e str,
    /// The sub-agent that asked.
    agent: Option<&'e str>,
}

impl Entry<'_> {
    fn record(self, live: &mut Live, known: &mut Known, time: Timestamp) -> Result<(), StoreError> {
        let usage = json(&self.spent.usage);
        if known.messages.get(&self.message).is_some_and(|(_, recorded)| *recorded == usage) {
            return Ok(());
        }
        let all = &self.spent.usage;
        let input = all.input.saturating_add(all.cache_read).saturating_add(all.cache_write);
        let mut data = vec![
            ("input_tokens", input.to_string()),
            ("output_tokens", all.output.to_string()),
            ("message_id", json(&self.message)),
        ];
        data.extend(self.agent.map(|agent| ("agent_id", json(&agent))));
        let mut recorded = vec![("usage", usage.clone()), ("from", FROM.to_owned()), ("log", json(&self.log))];
        recorded.extend(self.spent.model.as_ref().map(|model| ("model", json(model))));
        recorded.extend(self.spent.tier.as_ref().map(|tier| ("tier", json(tier))));
        recorded.extend(self.spent.window.as_ref().map(|window| ("window", json(window))));
        let note = Note {
            event_type: "llm_response",
            kind: None,
            since: None,
            data: &pairs(&data),
            recorded: &pairs(&recorded),
        };
        live.append(time, &Fact::Note(note))?;
        known.messages.insert(self.message, (self.log.to_owned(), usage));
        Ok(())
    }
}

/// Records the sum of a session, where it is another one than before. Logs may give one that is more than their answers.
fn record_sum(
    live: &mut Live,
    known: &mut Known,
    agent: Option<&str>,
    sum: &str,
    time: Timestamp,
) -> Result<(), StoreError> {
    let whose = agent.unwrap_or_default();
    // The sum of the session itself is what says that the logs hold no more.
    let is_said = agent.is_some() || !known.is_behind;
    if is_said && known.sums.get(whose).is_some_and(|recorded| recorded == sum) {
        return Ok(());
    }
    let agent = agent.map(|agent| json(&agent));
    let data: Vec<(&str, &str)> = agent.iter().map(|agent| ("agent_id", agent.as_str())).collect();
    let recorded = [("sum", sum), ("from", FROM)];
    let note = Note { event_type: "llm_response", kind: None, since: None, data: &data, recorded: &recorded };
    live.append(time, &Fact::Note(note))?;
    known.sums.insert(whose.to_owned(), sum.to_owned());
    Ok(())
}

fn pairs<'v>(values: &'v [(&'static str, String)]) -> Vec<(&'static str, &'v str)> {
    values.iter().map(|(key, json)| (*key, json.as_str())).collect()
}

fn json(value: &impl serde::Serialize) -> String {
    // These types have nothing in them that JSON can't say.
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

/// What the recording holds of the agent's own logs by now.
#[derive(Default)]
struct Known {
    /// As the agent calls the session.
    session: String,
    /// The log and the usage of each message.
    messages: BTreeMap<String, (String, String)>,
    /// The sum of each session, by the id of a sub-agent.
    sums: BTreeMap<String, String>,
    /// The agent said or did something since.
    is_behind: bool,
    /// Reasons of gaps that are recorded.
    reported: BTreeSet<String>,
    /// Reasons of gaps that are not.
    lost: Vec<String>,
}

#[derive(Deserialize)]
struct Line {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    message_id: Option<String>,
    agent_id: Option<String>,
    capture: Option<Capture>,
    #[serde(default)]
    recorded: Recorded,
}

#[derive(Deserialize)]
struct Capture {
    id: Option<String>,
}

#[derive(Default, Deserialize)]
struct Recorded {
    from: Option<String>,
    log: Option<String>,
    reason: Option<String>,
    usage: Option<Box<serde_json::value::RawValue>>,
    sum: Option<Box<serde_json::value::RawValue>>,
}

impl Known {
    fn read(events: &[u8]) -> Self {
        let mut known = Self::default();
        for line in String::from_utf8_lossy(events).lines() {
            known.is_behind |= ANSWERS.iter().any(|mark| line.contains(mark));
            // Other events are not about usage; what can't be read is damage that readers of the recording report.
            let is_about = [FROM, r#""capture":"#, r#""by":"recorder""#].iter().any(|mark| line.contains(mark));
            let Some(data) = is_about.then(|| serde_json::from_str::<Line>(line).ok()).flatten().map(|line| line.data)
            else {
                continue;
            };
            if let Some(id) = data.capture.and_then(|capture| capture.id) {
                known.session = id;
            }
            known.reported.extend(data.recorded.reason);
            if let (Some(_), Some(sum)) = (&data.recorded.from, data.recorded.sum) {
                known.sums.insert(data.agent_id.unwrap_or_default(), sum.get().to_owned());
                known.is_behind = false;
                continue;
            }
            if data.recorded.from.is_some()
                && let (Some(message), Some(usage)) = (data.message_id, data.recorded.usage)
            {
                known.messages.insert(message, (data.recorded.log.unwrap_or_default(), usage.get().to_owned()));
            }
        }
        known
    }

    /// The sum of the session, or of a sub-agent, that is recorded.
    fn sum(&self, agent: Option<&str>) -> Option<Usage> {
        serde_json::from_str(self.sums.get(agent.unwrap_or_default())?).ok()
    }

    /// Whether answers that are recorded are no longer in their log: they were removed from it.
    fn misses(&mut self, log: &OwnLog<'_, '_>, clean: &dyn Fn(&str) -> String) -> bool {
        let there: BTreeSet<String> =
            log.sessions.iter().flat_map(|session| answers(session, clean)).map(|(message, _)| message).collect();
        let recorded = self.messages.iter().filter(|(_, (name, _))| *name == log.name);
        let missing = recorded.filter(|(message, _)| !there.contains(*message)).count();
        let reason = format!("{}: answers whose usage was recorded are no longer in the agent's own log", log.name);
        if missing > 0 && self.reported.insert(reason.clone()) {
            self.lost.push(reason);
        }
        missing > 0
    }
}
