//! The same for people, in the words of the Python tool as far as it has any.

use std::fmt::Write as _;

use super::super::escape::terminal;
use super::{RetentionReport, Session, State};

/// Of an id, as that tool shows it.
const SHORT: usize = 16;

impl RetentionReport {
    pub fn text(&self) -> String {
        let mut text = if self.command == "clean" { self.cleaned() } else { self.stock() };
        section(&mut text, "Kept whatever the limits say:", &self.kept());
        section(&mut text, "Damaged, and judged all the same:", &self.damaged());
        let refused = self.refused.iter().map(|refused| (refused.path.clone(), refused.reason.clone()));
        section(&mut text, "Not looked into, and never deleted:", &refused.collect::<Vec<_>>());
        if let Some(bytes) = self.remains {
            let others = megabytes(self.others);
            let _ = writeln!(
                text,
                "\nThe store still takes {} MB with what may not be deleted: {others} MB of it are no sessions.",
                megabytes(bytes)
            );
        }
        if self.command == "check" {
            let _ = writeln!(text, "\n{}", self.verdict().to_uppercase());
        }
        text
    }

    /// What is in the store.
    fn stock(&self) -> String {
        let Some(oldest) = self.sessions.iter().find(|session| session.age_days.is_some()).or(self.sessions.first())
        else {
            return format!("No sessions found.\n{}", self.interrupted());
        };
        let bytes = self.sessions.iter().map(|session| session.bytes).fold(0, u64::saturating_add);
        let id: String = terminal(&oldest.shown).chars().take(SHORT).collect();
        let age = oldest.age_days.map_or_else(|| "age not known".to_owned(), |days| format!("{days:.1} days ago"));
        let mut text = format!("Sessions:    {}\n", self.sessions.len());
        let _ = writeln!(text, "Oldest:      {id} ({age})");
        let _ = writeln!(text, "Size:        {} MB\n", megabytes(bytes));
        match self.sum(State::Exceeds) {
            (0, _) => text.push_str("No sessions exceed retention limits.\n"),
            (count, bytes) => {
                let _ = writeln!(text, "Policy would delete: {count} session(s) ({} MB)", megabytes(bytes));
                text.push_str("Run `agent-strace retention clean` to apply.\n");
            }
        }
        text + &self.interrupted()
    }

    fn interrupted(&self) -> String {
        match self.unfinished {
            0 => String::new(),
            count => format!("Deletions that were cut off: {count}; `agent-strace retention clean` ends them.\n"),
        }
    }

    fn cleaned(&self) -> String {
        let mut text = String::new();
        let (doomed, bytes) = self.sum(State::Exceeds);
        let (deleted, freed) = self.sum(State::Deleted);
        if self.dry_run && doomed > 0 {
            let _ = writeln!(text, "Would delete: {doomed} session(s) ({} MB)", megabytes(bytes));
            for session in self.sessions.iter().filter(|session| session.state == State::Exceeds) {
                let _ = writeln!(text, "  {}  ({})", terminal(&session.shown), session.exceeds.unwrap_or_default());
            }
        } else if deleted > 0 || self.any(State::Failed) {
            let _ = writeln!(text, "Deleted: {deleted} session(s) ({} MB freed)", megabytes(freed));
        } else if self.unfinished == 0 && self.finished == 0 {
            text.push_str("Nothing to delete — all sessions are within retention limits.\n");
        }
        if self.finished > 0 {
            let _ = writeln!(text, "Ended {} deletion(s) that had been cut off", self.finished);
        }
        text + &self.interrupted()
    }

    fn kept(&self) -> Vec<(String, String)> {
        let rows = self.sessions.iter().filter_map(|session| {
            let why = match session.state {
                State::Held => "held",
                State::Running => "may still run",
                _ => return None,
            };
            Some((session.shown.clone(), format!("{why}: {}", session.reason.as_deref().unwrap_or_default())))
        });
        rows.collect()
    }

    fn damaged(&self) -> Vec<(String, String)> {
        let damaged = self.sessions.iter().filter(|session| !session.damage.is_empty());
        damaged.map(|session| (session.shown.clone(), told(session))).collect()
    }
}

fn section(text: &mut String, title: &str, rows: &[(String, String)]) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{title}");
    for (name, what) in rows {
        let _ = writeln!(text, "  {}  {}", terminal(name), terminal(what));
    }
}

fn told(session: &Session) -> String {
    let by = match session.started_by {
        Some("meta.json") | None => "",
        Some("events") => "; aged by its events",
        Some(_) => "; aged by when its files were changed",
    };
    format!("{}{by}", session.damage.join("; "))
}

/// Of 1024 × 1024 bytes, with one decimal.
#[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
pub(super) fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1_048_576.0)
}
