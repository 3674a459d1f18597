//! Decides by the policy whether a call may reach its server, as `check` would judge the session with this call.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::super::Streams;
use super::super::args::GateArgs;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::gate::{GateCommand, GateRequest};
use super::super::judge_config::JudgeConfig;
use super::super::policy_file;
use super::super::recording::EnforceArgs;
use super::super::trust::Trust;
use super::facts::{RecordedAction, action_of};
use super::recorder::{Recorder, TrafficPiece};
use agent_strace_engine::{Judging, Settings};
use agent_strace_live::proxy::framing::Frame;
use agent_strace_live::proxy::message::{Message, Parcel, Side};
use agent_strace_live::proxy::talk::{Subject, subject};
use agent_strace_model::finding::{Finding, Level, RuleId};
use agent_strace_model::{Event, EventKind, Origin, Session, Status, ToolCall};
use agent_strace_secrets::redact;

/// The decision about a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Pass,
    /// The message is not passed on, and its sender gets this answer; empty if the sender expects none.
    Refuse(String),
}

/// Findings that one answer names.
const MOST_NAMED: usize = 3;

pub(super) struct Judge {
    /// Or why nothing can be judged.
    config: Result<JudgeConfig, String>,
    policy: String,
    pub(super) fail_closed: bool,
    /// All events that were judged so far.
    session: Session<'static>,
}

impl Judge {
    /// Loads the named policy, or the default one, and all other files that `check` reads.
    pub(super) fn new(args: &EnforceArgs, environment: Environment, streams: &mut Streams<'_>) -> Self {
        let loaded = load(args, environment, streams);
        let mut session = Session::new(agent_strace_ingest::recorded(), "the recorded session");
        session.id = Cow::Borrowed("recorded");
        session.agent = Cow::Borrowed("mcp-client");
        session.root = std::env::current_dir().ok().map(|folder| Cow::Owned(folder.to_string_lossy().into_owned()));
        let config = loaded.map_err(|failure| {
            // With its location and its hints, which are not reported again.
            failure.report(streams.stderr);
            failure.summary().to_owned()
        });
        let policy = args.policy.as_deref().unwrap_or(policy_file::DEFAULT).to_owned();
        Self { config, policy, fail_closed: args.fail_closed, session }
    }

    /// Whether nothing can be judged.
    pub(super) fn is_broken(&self) -> bool {
        self.config.is_err()
    }

    /// Decides about a message of the client, and records the message with the decision.
    pub(super) fn verdict(&mut self, recorder: &mut Recorder, traffic: &TrafficPiece) -> Verdict {
        let body = match &traffic.piece {
            Frame::Message { body, .. } => body,
            Frame::Noise => return self.unreadable(recorder, traffic, "is no JSON-RPC message"),
            Frame::Lost(reason) => return self.unreadable(recorder, traffic, reason),
        };
        let Ok(text) = std::str::from_utf8(body) else {
            return self.unreadable(recorder, traffic, "is not UTF-8 text");
        };
        let parcel = match Parcel::read(text) {
            Ok(parcel) => parcel,
            Err(fault) => return self.unreadable(recorder, traffic, fault.reason()),
        };
        if let Some(fault) = parcel.messages().find_map(Result::err) {
            if self.fail_closed {
                recorder.refuse(traffic, &[]);
                return refused(recorder, traffic, fault.reason());
            }
            unjudged(recorder, fault.reason());
        }
        let messages: Vec<&Message<'_>> = parcel.messages().filter_map(Result::ok).collect();
        let reasons: Vec<Option<String>> = messages.iter().map(|message| self.reason(recorder, message)).collect();
        if reasons.iter().all(Option::is_none) {
            recorder.receive(traffic);
            if !self.fail_closed || recorder.is_whole() || !messages.iter().any(|message| is_judged(message)) {
                return Verdict::Pass;
            }
            let reason = Some("refused: it could not be recorded".to_owned());
            let reasons = vec![reason; messages.len()];
            return Verdict::Refuse(answers(&parcel, &messages, &reasons));
        }
        let reasons: Vec<Option<String>> = reasons
            .into_iter()
            .map(|reason| {
                reason.or_else(|| Some("not passed on: it came together with a call that was refused".to_owned()))
            })
            .collect();
        recorder.refuse(traffic, &reasons);
        Verdict::Refuse(answers(&parcel, &messages, &reasons))
    }

    fn unreadable(&self, recorder: &mut Recorder, traffic: &TrafficPiece, reason: &str) -> Verdict {
        recorder.receive(traffic);
        if self.fail_closed {
            return refused(recorder, traffic, reason);
        }
        unjudged(recorder, reason);
        Verdict::Pass
    }

    /// Why a message is refused; `None`: it is not.
    fn reason(&mut self, recorder: &Recorder, message: &Message<'_>) -> Option<String> {
        let (Message::Request { method, params, .. } | Message::Notification { method, params }) = message else {
            return None;
        };
        // A call that wants no answer is a call, too.
        let kind = match action_of(&recorder.server, 0, &subject(Side::Client, method, *params), *params) {
            RecordedAction::Nothing => return None,
            RecordedAction::Call(call) => EventKind::Call(ToolCall { call_id: None, ..call }),
            RecordedAction::File(file) => EventKind::File(file),
        };
        match self.judge(kind) {
            Ok(reason) => reason.inspect(|reason| recorder.status.note(reason)),
            Err(reason) if self.fail_closed => Some(format!("refused by agent-strace: it can't be judged: {reason}")),
            Err(reason) => {
                recorder.status.warn(&format!("a call is passed on without a judgement: {reason}"));
                None
            }
        }
    }

    /// Why the policy refuses the event; `None`: it does not. The error says why it can't be judged.
    fn judge(&mut self, kind: EventKind<'static>) -> Result<Option<String>, String> {
        let number = u32::try_from(self.session.events.len()).unwrap_or(u32::MAX).saturating_add(1);
        let origin = Origin::default();
        self.session.events.push(Event { number, id: None, line: number, time: None, origin, kind });
        let config = self.config.as_ref().map_err(Clone::clone)?;
        let judging = Judging { demands: None, change: None, pending_call: Some(number), ..config.judging() };
        let settings = Settings { demands: None, change: None, ..config.settings.clone() };
        let judged = agent_strace_engine::judge_by(&self.session, Vec::new(), judging);
        if let Some(gap) = judged.gaps.first() {
            return Err(gap.reason());
        }
        let outcome = agent_strace_engine::conclude(&config.policy, vec![judged], Vec::new(), &settings);
        let findings = outcome.sessions.iter().flat_map(|session| &session.findings);
        let refusing: Vec<&Finding> =
            findings.filter(|finding| finding.is_of(number) && refuses(finding)).take(MOST_NAMED).collect();
        if refusing.is_empty() {
            return Ok(None);
        }
        let said: Vec<String> = refusing.iter().map(|finding| self.words(finding)).collect();
        if let Some(Event { kind: EventKind::Call(call), .. }) = self.session.events.last_mut() {
            call.status = Status::Denied;
        } else {
            // A refused read did not happen.
            self.session.events.pop();
        }
        Ok(Some(format!("refused by agent-strace: {}", said.join("; "))))
    }

    /// The message of a finding, with its rule and the line of the policy.
    fn words(&self, finding: &Finding) -> String {
        let by = finding.policy.as_ref().map_or_else(String::new, |location| {
            let file = location.file.as_deref().unwrap_or(&self.policy);
            format!(", by {file}:{}:{} ({})", location.line, location.column, location.pointer)
        });
        redact(format!("{} [{}]{by}", finding.message, finding.rule)).as_str().to_owned()
    }
}

fn unjudged(recorder: &Recorder, reason: &str) {
    recorder.status.warn(&format!("a message of the client {reason}: it is passed on without a judgement"));
}

/// The id of the request is not known, so the answer has none. A line that is not JSON gets no answer.
fn refused(recorder: &Recorder, traffic: &TrafficPiece, reason: &str) -> Verdict {
    recorder.status.warn(&format!("a message of the client {reason}: it is refused"));
    let message = format!("refused by agent-strace: the message {reason}");
    let answer = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": message}});
    Verdict::Refuse(if traffic.piece == Frame::Noise { String::new() } else { answer.to_string() })
}

/// A call that needs an approval is refused, since there is no user to ask.
fn refuses(finding: &Finding) -> bool {
    finding.level >= Level::Error || finding.rule == RuleId::ScopeApproval
}

fn is_judged(message: &Message<'_>) -> bool {
    let (Message::Request { method, params, .. } | Message::Notification { method, params }) = message else {
        return false;
    };
    matches!(subject(Side::Client, method, *params), Subject::Tool(_) | Subject::Resource(_))
}

fn load(args: &EnforceArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<JudgeConfig, Failure> {
    let gate = GateArgs::of_call(args, false, None);
    let trust = Trust::establish(&gate, environment)?;
    JudgeConfig::load_complete(GateRequest::new(GateCommand::Hook, &gate), trust.base(), environment, streams)
}

/// The answers to messages that were refused, as one message.
fn answers(parcel: &Parcel<'_>, messages: &[&Message<'_>], reasons: &[Option<String>]) -> String {
    let answers = messages.iter().zip(reasons).filter_map(|(message, reason)| answer(message, reason.as_deref()?));
    let answers: Vec<Value> = answers.collect();
    match (parcel, answers.as_slice()) {
        (_, []) => String::new(),
        (Parcel::One(_), [one, ..]) => one.to_string(),
        (Parcel::Batch(_), all) => Value::from(all.to_vec()).to_string(),
    }
}

/// In the protocol, the failure of a tool is a result, so that the model reads the reason.
fn answer(message: &Message<'_>, reason: &str) -> Option<Value> {
    let Message::Request { id, method, params } = message else { return None };
    let id: Value = serde_json::from_str(id.json()).ok()?;
    Some(if matches!(subject(Side::Client, method, *params), Subject::Tool(_)) {
        let content = json!([{"type": "text", "text": reason}]);
        json!({"jsonrpc": "2.0", "id": id, "result": {"content": content, "isError": true}})
    } else {
        json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32000, "message": reason}})
    })
}
