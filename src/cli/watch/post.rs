//! Sends lines to the address that the user gave, and nowhere else, on a thread of its own: what fails there is told, and
//! never in the way of what is watched.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use url::Url;

use super::super::failure::Failure;
use super::super::http;
use agent_strace_secrets::redact;

const TIMEOUT: Duration = Duration::from_secs(10);
/// Lines that wait for a server that is slow. More are dropped, and counted.
const WAITING: usize = 4_096;
/// How long the end of a watch may wait for what is left.
const LAST: Duration = Duration::from_secs(12);

/// How lines are put together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Batch {
    pub(super) most: usize,
    pub(super) interval: Duration,
    pub(super) kind: &'static str,
}

pub(super) struct Poster {
    lines: SyncSender<String>,
    problems: Receiver<String>,
    done: Receiver<()>,
    thread: JoinHandle<()>,
    shown: String,
    dropped: usize,
}

impl Poster {
    /// `what`: the option, for who has to correct it.
    pub(super) fn new(what: &str, address: &str, batch: Batch) -> Result<Self, Failure> {
        let what = format!("the address of {what}");
        let url = http::address(&what, address, "https://collector.example.com/events")?;
        // A path or a query may be a key by itself (`/services/T0/B0/…`).
        let shown = url.host_str().unwrap_or_default().to_owned();
        let agent = http::agent(TIMEOUT);
        let (lines, waiting) = sync_channel(WAITING);
        let (told, problems) = channel();
        let (ending, done) = channel();
        let sender = Outgoing { agent, url, batch, problems: told, host: shown.clone() };
        let thread = std::thread::spawn(move || {
            sender.run(&waiting);
            let _ = ending.send(());
        });
        Ok(Self { lines, problems, done, thread, shown, dropped: 0 })
    }

    pub(super) fn send(&mut self, line: String) {
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) = self.lines.try_send(line) {
            self.dropped += 1;
        }
    }

    /// What went wrong since somebody asked last.
    pub(super) fn problems(&self) -> Vec<String> {
        self.problems.try_iter().collect()
    }

    /// Sends what is left, as far as that does not take too long, and says what went wrong.
    pub(super) fn finish(self) -> Vec<String> {
        let Self { lines, problems, done, thread, shown, dropped } = self;
        drop(lines);
        let ended = done.recv_timeout(LAST).is_ok();
        let mut told: Vec<String> = problems.try_iter().collect();
        if ended {
            // It said so itself: there is nothing to wait for.
            let _ = thread.join();
        } else {
            told.push(format!("{shown} takes too long: not everything was sent"));
        }
        if dropped > 0 {
            told.push(format!("{shown} was too slow: {dropped} lines were not sent"));
        }
        told
    }
}

struct Outgoing {
    agent: ureq::Agent,
    url: Url,
    batch: Batch,
    problems: Sender<String>,
    host: String,
}

impl Outgoing {
    fn run(&self, lines: &Receiver<String>) {
        let mut waiting: Vec<String> = Vec::new();
        let mut since = Instant::now();
        loop {
            let patience = self.batch.interval.saturating_sub(since.elapsed());
            let next = lines.recv_timeout(patience);
            let ended = matches!(next, Err(RecvTimeoutError::Disconnected));
            if let Ok(line) = next {
                if waiting.is_empty() {
                    since = Instant::now();
                }
                waiting.push(line);
            }
            let is_due = ended || waiting.len() >= self.batch.most || since.elapsed() >= self.batch.interval;
            if is_due && !waiting.is_empty() {
                self.post(&waiting);
                waiting.clear();
            }
            if ended {
                return;
            }
            if waiting.is_empty() {
                since = Instant::now();
            }
        }
    }

    fn post(&self, lines: &[String]) {
        let body: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        let request = self.agent.post(self.url.as_str()).header("content-type", self.batch.kind);
        let problem = match request.send(body.as_bytes()) {
            Ok(answer) if answer.status().is_success() => return,
            Ok(answer) => format!("it answered {}", answer.status().as_u16()),
            Err(error) => http::reason(&error),
        };
        let count = lines.len();
        let problem = format!("{count} lines were not accepted by {}: {problem}", self.host);
        // Nobody to tell is no loss.
        let _ = self.problems.send(redact(&problem).as_str().to_owned());
    }
}
