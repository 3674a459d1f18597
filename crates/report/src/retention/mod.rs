//! What a store keeps longer than it may, and what was deleted: for people and as JSON. Version 1, additive changes only.

mod text;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::escape::terminal;
use super::json;
use agent_strace_secrets::redact;

/// What `retention` tells. Everything in it is fit to be shown, but for the target it is shown on.
#[derive(Debug, Default)]
pub struct RetentionReport {
    pub command: &'static str,
    pub exit_code: u8,
    pub dry_run: bool,
    /// Days, sessions, megabytes.
    pub limits: (Option<u32>, Option<u32>, Option<f64>),
    /// Bytes of what is no session.
    pub others: u64,
    /// Bytes that stay when everything is deleted that may be, where they are more than the limit.
    pub remains: Option<u64>,
    /// Deletions that were cut off and are not finished.
    pub unfinished: usize,
    finished: usize,
    store: String,
    now: Timestamp,
    sessions: Vec<Session>,
    refused: Vec<Refused>,
    failures: Vec<String>,
}

/// A session as the store tells of it.
#[derive(Debug, Clone, Copy)]
pub struct RetentionRow<'a> {
    /// Below the store.
    pub path: &'a str,
    pub started: Option<(Timestamp, &'static str)>,
    pub bytes: u64,
    pub exceeds: Option<&'static str>,
    pub held: Option<&'a str>,
    pub running: Option<&'a str>,
    pub damage: &'a [String],
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Session {
    /// Its directory, below the store.
    #[serde(rename = "session")]
    shown: String,
    #[cfg_attr(test, schemars(with = "Option<agent_strace_testing::schemas::Time>"))]
    started_at: Option<String>,
    /// What says so: `meta.json`, `events`, or `files`, when they were changed.
    started_by: Option<&'static str>,
    age_days: Option<f64>,
    bytes: u64,
    state: State,
    /// The limit it exceeds or exceeded: `age`, `count` or `size`.
    exceeds: Option<&'static str>,
    /// Why it is kept whatever the limits say, or why it could not be deleted.
    reason: Option<String>,
    /// What is wrong with its files. It is judged all the same.
    damage: Vec<String>,
    #[serde(skip)]
    path: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
enum State {
    Kept,
    Held,
    Running,
    Exceeds,
    Deleted,
    /// It could not be deleted.
    Failed,
}

/// An entry of the store that was not looked into, and is never deleted.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Refused {
    path: String,
    reason: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "agent-strace retention, version 1"))]
pub(super) struct Document<'a> {
    schema_version: u32,
    /// `status`, `check` or `clean`.
    command: &'static str,
    dry_run: bool,
    /// `pass`, `fail` (the store holds what exceeds the limits) or `incomplete` (something could not be looked into).
    verdict: &'static str,
    /// As the process's.
    exit_code: u8,
    store: &'a str,
    /// What time it was taken to be.
    #[cfg_attr(test, schemars(with = "agent_strace_testing::schemas::Time"))]
    now: String,
    limits: Limits,
    summary: Summary,
    /// The oldest first.
    sessions: &'a [Session],
    refused: &'a [Refused],
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Limits {
    #[serde(rename = "max_age_days")]
    days: Option<u32>,
    #[serde(rename = "max_sessions")]
    sessions: Option<u32>,
    /// Of 1024 × 1024 bytes.
    #[serde(rename = "max_size_mb")]
    megabytes: Option<f64>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Summary {
    sessions: usize,
    bytes: u64,
    /// Of what is no session.
    other_bytes: u64,
    exceeding: usize,
    exceeding_bytes: u64,
    deleted: usize,
    deleted_bytes: u64,
    failed: usize,
    held: usize,
    running: usize,
    damaged: usize,
    /// Deletions that were cut off and are not finished.
    unfinished_deletions: usize,
    /// The store takes more than the limit even when everything is deleted that may be; so many bytes.
    remaining_bytes: Option<u64>,
}

impl RetentionReport {
    pub fn new(store: &str, now: Timestamp) -> Self {
        Self { store: shown(store), now, ..Self::default() }
    }

    pub fn add(&mut self, row: RetentionRow<'_>) {
        let (state, reason) = match (row.held, row.running, row.exceeds) {
            (Some(reason), _, _) => (State::Held, Some(shown(reason))),
            (None, Some(reason), _) => (State::Running, Some(shown(reason))),
            (None, None, Some(_)) => (State::Exceeds, None),
            (None, None, None) => (State::Kept, None),
        };
        let age = row.started.map(|(at, _)| self.now.duration_since(at).as_secs_f64() / 86_400.0);
        self.sessions.push(Session {
            shown: shown(row.path),
            started_at: row.started.map(|(at, _)| format!("{at:.0}")),
            started_by: row.started.map(|(_, by)| by),
            age_days: age.map(|days| (days * 10.0).round() / 10.0),
            bytes: row.bytes,
            state,
            exceeds: row.exceeds,
            reason,
            damage: row.damage.iter().map(|damage| shown(damage)).collect(),
            path: row.path.to_owned(),
        });
    }

    pub fn refuse(&mut self, path: &str, reason: &str) {
        self.refused.push(Refused { path: shown(path), reason: shown(reason) });
    }

    /// What became of the sessions that were to be deleted, by their paths; what is not among them is no longer to be.
    pub fn deleted(&mut self, done: &BTreeMap<&str, Result<(), String>>) {
        for session in self.sessions.iter_mut().filter(|session| session.state == State::Exceeds) {
            session.state = match done.get(session.path.as_str()) {
                Some(Ok(())) => State::Deleted,
                Some(Err(reason)) => {
                    self.failures.push(shown(&format!("`{}` was not deleted: {reason}", session.path)));
                    session.reason = Some(shown(reason));
                    State::Failed
                }
                None => State::Kept,
            };
        }
    }

    /// What became of a deletion that had been cut off.
    pub fn finished(&mut self, done: Result<(), String>) {
        match done {
            Ok(()) => {
                self.unfinished = self.unfinished.saturating_sub(1);
                self.finished += 1;
            }
            Err(reason) => self.failures.push(shown(&format!("a deletion could not be finished: {reason}"))),
        }
    }

    pub fn has_work(&self) -> bool {
        self.unfinished > 0 || self.any(State::Exceeds)
    }

    fn any(&self, state: State) -> bool {
        self.sessions.iter().any(|session| session.state == state)
    }

    /// Number and bytes of the sessions in a state.
    fn sum(&self, state: State) -> (usize, u64) {
        let those = self.sessions.iter().filter(|session| session.state == state);
        those.fold((0, 0), |(count, bytes), session| (count + 1, bytes.saturating_add(session.bytes)))
    }

    /// For a question: what is to be deleted.
    pub fn work(&self) -> String {
        let (count, bytes) = self.sum(State::Exceeds);
        let more =
            if self.unfinished > 0 { format!(" and what is left of {}", self.unfinished) } else { String::new() };
        format!("{count} session(s) ({} MB){more}", text::megabytes(bytes))
    }

    /// What could not be deleted.
    pub fn failures(&self) -> impl Iterator<Item = String> {
        self.failures.iter().map(|failure| terminal(failure))
    }

    pub fn is_incomplete(&self) -> bool {
        !self.refused.is_empty()
    }

    fn verdict(&self) -> &'static str {
        if self.unfinished > 0 || self.any(State::Exceeds) || self.any(State::Failed) {
            "fail"
        } else if self.is_incomplete() {
            "incomplete"
        } else {
            "pass"
        }
    }

    pub fn verdict_code(&self) -> u8 {
        match self.verdict() {
            "fail" => 1,
            "incomplete" => 3,
            _ => 0,
        }
    }

    pub fn json(&self) -> String {
        let (days, sessions, megabytes) = self.limits;
        json::to_text(&Document {
            schema_version: 1,
            command: self.command,
            dry_run: self.dry_run,
            verdict: self.verdict(),
            exit_code: self.exit_code,
            store: &self.store,
            now: format!("{:.0}", self.now),
            limits: Limits { days, sessions, megabytes },
            summary: self.summary(),
            sessions: &self.sessions,
            refused: &self.refused,
        })
    }

    fn summary(&self) -> Summary {
        let (exceeding, exceeding_bytes) = self.sum(State::Exceeds);
        let (deleted, deleted_bytes) = self.sum(State::Deleted);
        Summary {
            sessions: self.sessions.len(),
            bytes: self.sessions.iter().map(|session| session.bytes).fold(0, u64::saturating_add),
            other_bytes: self.others,
            exceeding,
            exceeding_bytes,
            deleted,
            deleted_bytes,
            failed: self.sum(State::Failed).0,
            held: self.sum(State::Held).0,
            running: self.sum(State::Running).0,
            damaged: self.sessions.iter().filter(|session| !session.damage.is_empty()).count(),
            unfinished_deletions: self.unfinished,
            remaining_bytes: self.remains,
        }
    }
}

fn shown(text: &str) -> String {
    redact(text).as_str().to_owned()
}

#[test]
fn the_published_schema_is_what_is_written() {
    agent_strace_testing::schemas::keep("retention.v1", &agent_strace_testing::schemas::written::<Document<'_>>());
}
