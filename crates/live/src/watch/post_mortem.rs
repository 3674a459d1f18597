//! `watchdog-postmortem.json`: what was going on when a session was killed, for who goes on from there.

use std::borrow::Cow;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use agent_strace_metrics::Measured;
use agent_strace_model::prices::{dollars, rounded};
use agent_strace_model::{Arguments, EventKind, Session};

/// Texts are cut after so many characters.
const LONGEST: usize = 2_000;
/// Files that are named.
const MOST_FILES: usize = 20;

/// The document. What is not known is `null`, never a guess. It is written as it is by nobody: secrets are taken out before.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "watchdog-postmortem, version 1"))]
pub struct PostMortem {
    schema_version: u32,
    /// The directory of the session in the store; `null`: nothing was recorded.
    session_id: Option<String>,
    /// When it was killed (RFC 3339).
    #[cfg_attr(test, schemars(with = "agent_strace_testing::schemas::Time"))]
    terminated_at: String,
    /// Which limit or rule was broken, and by how much.
    reason: String,
    /// How long it had run, without the time that it was paused.
    elapsed_seconds: f64,
    /// How long it was paused.
    paused_seconds: f64,
    /// In US dollars; `null`: nobody recorded it, or not all of it.
    cost_at_death: Option<f64>,
    last_tool_call: Option<LastCall>,
    last_llm_response: Option<LastAnswer>,
    /// For who goes on: what was asked for, what was done, and what was going on.
    recovery_context: String,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LastCall {
    tool_name: String,
    /// As recorded, long texts cut; `null`: none were recorded, or they can't be read.
    #[cfg_attr(test, schemars(with = "Option<agent_strace_testing::schemas::AnyJson>"))]
    arguments: Value,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LastAnswer {
    /// `null`: it is not recorded which one answered.
    model: Option<String>,
    content: String,
}

/// The state of a session, kept for the time when it is killed.
#[derive(Debug, Clone, Default)]
pub struct SessionSnapshot {
    session: Option<String>,
    call: Option<LastCall>,
    answer: Option<LastAnswer>,
    prompt: Option<String>,
    changed: Vec<String>,
    files: u128,
    calls: usize,
}

/// Why and when.
#[derive(Debug)]
pub struct Death<'d> {
    pub reason: &'d str,
    pub time: Timestamp,
    pub elapsed: Duration,
    pub paused: Duration,
    /// Parts of a dollar, where all of it is known.
    pub cost: Option<u128>,
}

impl SessionSnapshot {
    /// `directory` is the session's directory in the store.
    pub fn of(directory: &str, session: &Session<'_>, measured: &Measured<'_>) -> Self {
        let mut snapshot = Self { session: Some(directory.to_owned()), calls: measured.calls(), ..Self::default() };
        let model = session.attribution.models.last().map(|model| (*model).to_string());
        for event in &session.events {
            match &event.kind {
                EventKind::Call(call) => {
                    let arguments = arguments(&call.arguments);
                    snapshot.call = Some(LastCall { tool_name: cut(&call.tool), arguments });
                }
                EventKind::Message(text) => {
                    snapshot.answer = Some(LastAnswer { model: model.clone(), content: cut(&text.decode()) });
                }
                EventKind::Prompt(text) if event.origin.speaker.is_user() => {
                    snapshot.prompt = Some(cut(&text.decode()));
                }
                _ => {}
            }
        }
        let whole = measured.whole();
        snapshot.files = agent_strace_metrics::series::files(&whole).total();
        for timed in &whole.effects {
            let (agent_strace_effects::Kind::Write(target) | agent_strace_effects::Kind::Delete(target)) =
                &timed.effect.kind
            else {
                continue;
            };
            if snapshot.changed.len() < MOST_FILES && !snapshot.changed.contains(&target.path) {
                snapshot.changed.push(target.path.clone());
            }
        }
        snapshot
    }

    pub fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }
}

impl PostMortem {
    pub fn new(snapshot: &SessionSnapshot, death: &Death<'_>) -> Self {
        Self {
            schema_version: 1,
            session_id: snapshot.session.clone(),
            terminated_at: death.time.to_string(),
            reason: death.reason.to_owned(),
            elapsed_seconds: seconds(death.elapsed),
            paused_seconds: seconds(death.paused),
            cost_at_death: death.cost.map(dollars),
            last_tool_call: snapshot.call.clone(),
            last_llm_response: snapshot.answer.clone(),
            recovery_context: context(snapshot, death),
        }
    }

    /// As it is written, but for what is private.
    pub fn text(&self) -> String {
        // The type has nothing in it that JSON can't say.
        serde_json::to_string_pretty(self).unwrap_or_else(|_| "{}".to_owned()) + "\n"
    }
}

fn context(snapshot: &SessionSnapshot, death: &Death<'_>) -> String {
    let spent = death.cost.map_or_else(|| "cost not known".to_owned(), |cost| format!("{} spent", rounded(cost)));
    let name =
        snapshot.session.as_deref().map_or_else(|| "The agent".to_owned(), |session| format!("Session {session}"));
    let mut said =
        vec![format!("{name} was terminated after {}s ({spent}). {}.", death.elapsed.as_secs(), death.reason)];
    if snapshot.session.is_none() {
        said.push("Nothing was recorded of what it did.".to_owned());
    } else {
        let asked = snapshot.prompt.as_ref().map(|prompt| prompt.trim_end_matches('.'));
        said.extend(asked.map(|prompt| format!("It was asked last: {prompt}.")));
        said.push(match snapshot.changed.join(", ").as_str() {
            "" => format!("Calls: {}. Files changed: none.", snapshot.calls),
            named => format!("Calls: {}. Files changed: {}: {named}.", snapshot.calls, snapshot.files),
        });
        said.extend(snapshot.call.as_ref().map(|call| format!("Its last call was {}.", call.tool_name)));
    }
    said.join(" ")
}

/// To the millisecond.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn arguments(arguments: &Arguments<'_>) -> Value {
    let json: Cow<'_, str> = match arguments {
        Arguments::Json(json) => Cow::Borrowed(json),
        Arguments::Text(text) => return Value::String(cut(text)),
        Arguments::Missing => return Value::Null,
    };
    serde_json::from_str(&json).map_or(Value::Null, shortened)
}

fn shortened(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(cut(&text)),
        Value::Array(items) => items.into_iter().take(100).map(shortened).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, shortened(value))).collect(),
        other => other,
    }
}

#[cfg(test)]
#[test]
fn the_schema_is_what_is_written() {
    agent_strace_testing::schemas::keep(
        "watchdog-postmortem.v1",
        &agent_strace_testing::schemas::written::<PostMortem>(),
    );
}
