//! Sessions of the store, looked at while they are recorded. It has a thread of its own: however long a session takes to be
//! judged, clocks go on elsewhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use super::super::hook;
use super::super::processes::Process;
use super::limits::Judges;
use super::usage::OwnLogs;
use super::{News, SessionState, Stamp};
use agent_strace_engine::Replay;
use agent_strace_ingest::Log;
use agent_strace_ingest::discover::Machine;
use agent_strace_live::watch::{Breach, SessionSnapshot, Spending};
use agent_strace_metrics::Pricing;
use agent_strace_model::finding::{Finding, Level, VerdictImpact};
use agent_strace_model::{EventKind, Gap, Session};
use agent_strace_policy::prices::shipped;

const EVENTS: &str = "events.ndjson";
/// How often the store is looked at, and how much of the time may be spent on it at most: a tenth.
const PAUSE: Duration = Duration::from_millis(200);
const SHARE: u32 = 9;
/// A larger recording is not read again and again.
const LARGEST: u64 = 512 << 20;

/// Which sessions are looked at.
pub(in crate::cli) enum Scope {
    /// What is recorded from now on by what this process runs.
    OfChild { child: Option<Process>, before: BTreeMap<PathBuf, Stamp> },
    /// One, from its beginning on.
    One(PathBuf),
}

impl Scope {
    /// What is in the store by now.
    pub(in crate::cli) fn before(store: &Path) -> BTreeMap<PathBuf, Stamp> {
        let stamped = |folder: PathBuf| Stamp::of(&folder.join(EVENTS)).map(|stamp| (folder, stamp));
        folders(store).filter_map(stamped).collect()
    }
}

fn folders(store: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(store).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path())
}

pub(in crate::cli) struct Observer<'o> {
    pub(in crate::cli) store: &'o Path,
    pub(in crate::cli) scope: Scope,
    pub(in crate::cli) judges: &'o Judges,
    /// Where agents keep logs of their own; `None`: nobody may look.
    pub(in crate::cli) machine: Option<&'o Machine>,
    pub(in crate::cli) news: Sender<News>,
    /// Complete lines are handed on, too.
    pub(in crate::cli) streams: bool,
}

/// What is remembered of a session.
struct Watched {
    folder: PathBuf,
    stamp: Option<Stamp>,
    /// Bytes that were handed on.
    streamed: usize,
    logs: OwnLogs,
    /// As the recording itself has it.
    recorded: Option<Spending>,
}

impl Observer<'_> {
    /// Until `stop` says something or nobody is there any more; then once more.
    pub(in crate::cli) fn run(self, stop: &Receiver<()>) {
        let mut all = BTreeMap::new();
        let mut spending = None;
        let mut is_last = false;
        loop {
            let began = Instant::now();
            if is_last {
                all.values_mut().flatten().for_each(|watched: &mut Watched| watched.logs.search_again());
            }
            self.round(&mut all, &mut spending);
            if is_last {
                return;
            }
            let pause = PAUSE.max(began.elapsed() * SHARE);
            is_last = !matches!(stop.recv_timeout(pause), Err(RecvTimeoutError::Timeout));
        }
    }

    fn round(&self, all: &mut BTreeMap<PathBuf, Option<Watched>>, last: &mut Option<Spending>) {
        let candidates: Vec<PathBuf> = match &self.scope {
            Scope::One(folder) => vec![folder.clone()],
            Scope::OfChild { .. } => folders(self.store).collect(),
        };
        for folder in candidates {
            let stamp = Stamp::of(&folder.join(EVENTS));
            let Some(stamp) = stamp else { continue };
            let watched = match all.get_mut(&folder) {
                Some(known) => known,
                None if !self.is_new(&folder, &stamp) => continue,
                None => all.entry(folder.clone()).or_insert_with(|| self.begin(&folder)),
            };
            // `None`: somebody else's.
            let Some(watched) = watched else { continue };
            if watched.stamp.as_ref() != Some(&stamp) {
                watched.stamp = Some(stamp);
                self.look(watched);
            }
        }
        let watched = all.values_mut().flatten().map(|watched| self.spent(watched));
        let now = watched.reduce(Spending::and);
        if now != *last {
            last.clone_from(&now);
            if let Some(now) = now {
                let breaches = self.judges.watch.costs(&now);
                self.tell(News::Spending { spending: now, breaches });
            }
        }
    }

    /// Nobody to tell is no loss: then this ends.
    fn tell(&self, news: News) {
        let _ = self.news.send(news);
    }

    fn is_new(&self, folder: &Path, stamp: &Stamp) -> bool {
        match &self.scope {
            Scope::One(_) => true,
            Scope::OfChild { before, .. } => before.get(folder) != Some(stamp),
        }
    }

    /// `None`: another agent records it, which only happens to use the same store.
    fn begin(&self, folder: &Path) -> Option<Watched> {
        if let Scope::OfChild { child: Some(child), .. } = &self.scope
            && let Some(agent) = super::agent::recorded(folder)
            && agent.pid != child.pid
            && agent.pid != std::process::id()
            && !agent.ancestors().any(|ancestor| ancestor.pid == child.pid || ancestor.pid == std::process::id())
            && agent.is_there()
        {
            self.tell(News::Elsewhere(name(folder)));
            return None;
        }
        Some(Watched { folder: folder.to_owned(), stamp: None, streamed: 0, logs: OwnLogs::default(), recorded: None })
    }

    fn pricing(&self) -> Pricing<'_> {
        self.judges.config.policy.prices().map_or(Pricing::Later(|| shipped()), Pricing::Table)
    }

    fn spent(&self, watched: &mut Watched) -> Spending {
        let asked = self.judges.watch.asks_cost() || self.judges.watch.asks_context();
        let own = |logs: &mut OwnLogs| {
            // A post-mortem says what was spent, whoever asked.
            let machine = self.machine.filter(|_| asked || !self.judges.is_empty())?;
            logs.spending(machine, self.pricing())
        };
        let nobody = || Spending::unknown("neither the recording nor a log of the agent tells the usage");
        // Hooks record usage when the agent waits; its own log has it before that.
        let (recorded, own) = (watched.recorded.clone(), own(&mut watched.logs));
        recorded.into_iter().chain(own).max_by_key(|spending| spending.amount).unwrap_or_else(nobody)
    }

    fn look(&self, watched: &mut Watched) {
        let directory = name(&watched.folder);
        let bytes = match recording(&watched.folder.join(EVENTS)) {
            Ok(bytes) => bytes,
            Err(reason) => return self.tell(unread(&watched.folder, reason)),
        };
        // A line that is being written has no end yet.
        let end = memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
        let whole = bytes.get(..end).unwrap_or_default();
        if watched.logs.id.is_empty() {
            (watched.logs.id, watched.logs.agent) = agent_of(whole).unwrap_or_default();
        }
        let lines = if self.streams { lines(whole, &mut watched.streamed) } else { Vec::new() };
        let mut log = Log::new(EVENTS, whole.to_vec());
        log.store = Some(hook::entry_of(&watched.folder));
        let reading = log.read();
        let gaps: Vec<String> = reading.gaps.iter().map(Gap::reason).collect();
        let Some(session) = reading.sessions.first() else {
            return self.tell(unread(&watched.folder, "it holds no session".to_owned()));
        };
        match agent_strace_engine::guarded(session, || self.judge(session, &directory)) {
            Err(gap) => self.tell(unread(&watched.folder, gap.reason())),
            Ok((recorded, mut seen)) => {
                watched.recorded = recorded;
                seen.gaps.extend(gaps);
                (seen.folder, seen.lines) = (watched.folder.clone(), lines);
                self.tell(News::Session(Box::new(seen)));
            }
        }
    }

    fn judge(&self, session: &Session<'_>, directory: &str) -> (Option<Spending>, SessionState) {
        let policy = &self.judges.config.policy;
        let replay = Replay::new(session, policy, &self.judges.config.repository);
        let measured = replay.measured(self.pricing());
        let mut breaches = self.judges.watch.look(session, &measured);
        let (broken, unjudged) = self.by_policy(session);
        breaches.extend(broken);
        let recorded = Spending::of(measured.cost(), measured.requests());
        let span = measured.span();
        let seen = SessionState {
            directory: directory.to_owned(),
            folder: PathBuf::new(),
            breaches,
            snapshot: SessionSnapshot::of(directory, session, &measured),
            gaps: unjudged.into_iter().collect(),
            lines: Vec::new(),
            ended: matches!(session.events.last().map(|event| &event.kind), Some(EventKind::End(_))),
            began: span.first,
            last: span.last,
        };
        (recorded, seen)
    }

    /// What fails `check` by its level fails here. What is only missing of the evidence does not; why not every call could
    /// be judged is the second value.
    fn by_policy(&self, session: &Session<'_>) -> (Vec<Breach>, Option<String>) {
        if !self.judges.has_policy {
            return (Vec::new(), None);
        }
        let config = &self.judges.config;
        let outcome = agent_strace_engine::judge_by(session, Vec::new(), config.judging());
        let unjudged = outcome.unjudged().map(str::to_owned);
        let outcome = agent_strace_engine::conclude(&config.policy, vec![outcome], Vec::new(), &config.settings);
        let found = outcome.sessions.iter().flat_map(|session| &session.findings);
        let fails = |finding: &&Finding| {
            finding.event > 0 && finding.impact == VerdictImpact::ByLevel && finding.level == Level::Error
        };
        let breach = |finding: &Finding| Breach {
            key: format!("policy {} {}", finding.rule, finding.fingerprint),
            reason: format!("PolicyWatcher: {}: {} (event {})", finding.rule, finding.message, finding.event),
            action: self.judges.watch.on_limit,
            location: None,
            is_time: false,
            notify: None,
        };
        (found.filter(fails).map(breach).collect(), unjudged)
    }
}

/// Its bytes, or why nobody has them.
fn recording(path: &Path) -> Result<Vec<u8>, String> {
    let reason = |error: std::io::Error| super::super::failure::reason(&error);
    if fs::metadata(path).map_err(reason)?.len() > LARGEST {
        return Err("the recording is too large to be followed".to_owned());
    }
    fs::read(path).map_err(reason)
}

/// A session that can't be judged now.
fn unread(folder: &Path, reason: String) -> News {
    News::Session(Box::new(SessionState {
        directory: name(folder),
        folder: folder.to_owned(),
        breaches: Vec::new(),
        snapshot: SessionSnapshot::default(),
        gaps: vec![reason],
        lines: Vec::new(),
        ended: false,
        began: None,
        last: None,
    }))
}

fn name(folder: &Path) -> String {
    folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// What the agent itself calls the session, and what the agent is called: as the recording begins.
fn agent_of(bytes: &[u8]) -> Option<(String, String)> {
    let first = bytes.split(|byte| *byte == b'\n').next()?;
    let event: serde_json::Value = serde_json::from_slice(first).ok()?;
    let capture = event.get("data")?.get("capture")?;
    let text = |name: &str| capture.get(name).and_then(serde_json::Value::as_str).map(str::to_owned);
    Some((text("id")?, text("agent")?))
}

/// Lines that were not handed on yet.
fn lines(whole: &[u8], streamed: &mut usize) -> Vec<String> {
    let new = whole.get(*streamed..).unwrap_or_default();
    *streamed = whole.len();
    let lines = new.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| String::from_utf8_lossy(line).into_owned()).collect()
}
