//! The command `watch`.

mod clock;
mod interrupts;
mod session;

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::super::Streams;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::output;
use super::super::redact::{PersonalData, Redactor, clean_text};
use super::agent::{self, Agent, Order};
use super::args::{OnViolation, WatchArgs};
use super::limits::{Judges, settings};
use super::post::{Batch, Poster};
use super::{Alerts, KnownSessions, News, Observer, Scope, death};
use agent_strace_live::watch::{Action, Breach, Deadline, Death};
use agent_strace_report::terminal;
use clock::Clock;
use interrupts::Interrupts;
use session::{no_process, session};

const STEP: Duration = Duration::from_millis(50);
/// The editor's button: the agent stands still as long as this file is there.
const PAUSE_REQUEST: &str = ".pause-request";

pub(in crate::cli) fn run(
    trace_dir: &Path,
    args: &WatchArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let settings = settings(args.config.as_deref(), environment.colour)?;
    let usual = if args.limits.on_death.is_some() { OnViolation::Kill } else { OnViolation::Terminal };
    let on_violation = args.on_violation.unwrap_or(usual);
    let webhook = args.webhook.clone().or_else(|| settings.webhook.clone());
    let judges = args.limits.judges(on_violation.action(), settings, environment, streams)?;
    let Some(folder) = session(trace_dir, args.session.as_deref())? else {
        let shown = terminal(&trace_dir.display().to_string());
        output::note(streams.stderr, &format!("error: no session was found in `{shown}`: nothing was watched"));
        return Ok(3);
    };
    let agent = agent::find(args.pid, &folder)?;
    if judges.acts() && !args.limits.dry_run && agent.is_none() {
        return Err(no_process(&folder));
    }
    let was_gone = args.pid.is_none() && agent.is_none() && agent::is_gone(&folder, environment);
    let alerts = Alerts::new("watch", trace_dir, on_violation, webhook.as_deref())?;
    let tail = Tail { was_gone, ..Tail::new(args, trace_dir, &judges, agent, alerts, environment)? };
    tail.introduce(&folder, streams);
    let (news, heard) = channel();
    let (stop, stopped) = channel();
    let machine = environment.machine.map(|machine| &machine.homes);
    let (scope, streaming) = (Scope::One(folder), tail.stream.is_some());
    let observer = Observer { store: trace_dir, scope, judges: &judges, machine, news, streams: streaming };
    std::thread::scope(|threads| {
        threads.spawn(move || observer.run(&stopped));
        tail.follow(&heard, stop, streams)
    })
}

/// The agent stands still.
struct Pausing {
    since: Instant,
    /// The file asked for it: it goes on when that is gone.
    by_file: bool,
}

struct Tail<'t> {
    args: &'t WatchArgs,
    store: &'t Path,
    judges: &'t Judges,
    agent: Option<Agent>,
    alerts: Alerts,
    stream: Option<Poster>,
    clean: Redactor,
    known: KnownSessions,
    clock: Clock,
    pausing: Option<Pausing>,
    /// A rule or a limit was broken.
    broke: bool,
    /// Events that could not be searched for secrets.
    unsent: usize,
    /// The agent's process was gone before anybody watched: what is recorded is all there will be.
    was_gone: bool,
}

/// Why a watch is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndReason {
    Ended,
    Gone,
    Asked,
    Killed,
}

impl<'t> Tail<'t> {
    fn new(
        args: &'t WatchArgs,
        store: &'t Path,
        judges: &'t Judges,
        agent: Option<Agent>,
        alerts: Alerts,
        environment: Environment,
    ) -> Result<Self, Failure> {
        let batch = Batch {
            most: usize::from(args.stream_batch_size),
            interval: args.stream_flush_interval,
            kind: "application/x-ndjson",
        };
        let stream = args.stream_to.as_deref().map(|address| Poster::new("`--stream-to`", address, batch));
        let now = super::now(environment)?;
        Ok(Self {
            args,
            store,
            judges,
            agent,
            alerts: alerts.of(args.limits.rules.as_deref(), args.limits.dry_run),
            stream: stream.transpose()?,
            clean: Redactor::of_recorder(&[], PersonalData::Keep, environment.colour)?,
            known: KnownSessions::default(),
            clock: Clock { now, began: Instant::now(), before: None, ended: None, paused: Duration::ZERO },
            pausing: None,
            broke: false,
            unsent: 0,
            was_gone: false,
        })
    }
}

impl Tail<'_> {
    fn introduce(&self, folder: &Path, streams: &mut Streams<'_>) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let of = self.agent.as_ref().map(|agent| format!(" ({}, process {})", agent.process.name, agent.pid()));
        self.alerts.note(&format!("session {name}{}", of.unwrap_or_default()), streams);
        if self.judges.is_empty() && self.stream.is_none() {
            self.alerts.note("no rule and no limit is set: only the pause button is looked at", streams);
        }
    }

    fn follow(mut self, heard: &Receiver<News>, stop: Sender<()>, streams: &mut Streams<'_>) -> Result<u8, Failure> {
        let mut interrupts = Interrupts::new()?;
        let mut deadlines = self.judges.watch.deadlines();
        let over = loop {
            let over = match heard.recv_timeout(STEP) {
                Ok(news) => self.hear(news, streams),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => Some(EndReason::Ended),
            };
            let over = over.or_else(|| self.time(&mut deadlines, streams)).or_else(|| {
                let is_gone = match &self.agent {
                    Some(agent) => !agent.is_there(),
                    None => self.was_gone && !self.known.is_empty(),
                };
                if interrupts.any() { Some(EndReason::Asked) } else { is_gone.then_some(EndReason::Gone) }
            });
            self.pause_button(streams);
            self.note_pause(streams);
            self.problems(streams);
            if let Some(over) = over {
                break over;
            }
        };
        drop(stop);
        // What was recorded last counts, too.
        for news in heard {
            self.hear_last(news, streams);
        }
        Ok(self.conclude(over, streams))
    }

    fn hear(&mut self, news: News, streams: &mut Streams<'_>) -> Option<EndReason> {
        let mut ended = false;
        if let News::Session(seen) = &news {
            self.clock.hear(seen);
            self.send(&seen.lines);
            ended = seen.ended;
        }
        let broken = self.known.hear(news);
        let killed = broken.iter().any(|(session, breach)| self.act(breach, session.as_deref(), streams));
        if killed {
            return Some(EndReason::Killed);
        }
        ended.then_some(EndReason::Ended)
    }

    /// The same where it is over: nothing is left to be stopped.
    fn hear_last(&mut self, news: News, streams: &mut Streams<'_>) {
        if let News::Session(seen) = &news {
            self.clock.hear(seen);
            self.send(&seen.lines);
        }
        for (session, breach) in self.known.hear(news) {
            self.broke = true;
            let breach = Breach { action: Action::Alert, ..breach };
            self.alerts.breach(&breach, session.as_deref(), streams);
        }
    }

    fn send(&mut self, lines: &[String]) {
        let Some(stream) = &mut self.stream else { return };
        for line in lines {
            // What can't be searched for secrets is not sent.
            match clean_text(&self.clean, line) {
                Ok(clean) => stream.send(clean),
                Err(_) => self.unsent += 1,
            }
        }
    }

    fn time(&mut self, deadlines: &mut Vec<Deadline>, streams: &mut Streams<'_>) -> Option<EndReason> {
        if self.pausing.is_some() {
            return None;
        }
        let elapsed = self.clock.elapsed();
        while deadlines.first().is_some_and(|deadline| deadline.after <= elapsed) {
            let Deadline { breach, .. } = deadlines.remove(0);
            if self.known.fire(&breach) && self.act(&breach, None, streams) {
                return Some(EndReason::Killed);
            }
        }
        None
    }

    /// Whether the agent was killed.
    fn act(&mut self, breach: &Breach, session: Option<&str>, streams: &mut Streams<'_>) -> bool {
        self.broke = true;
        self.alerts.breach(breach, session, streams);
        if self.args.limits.dry_run {
            return false;
        }
        match breach.action {
            Action::Alert => false,
            Action::Pause => {
                self.pause(false, streams);
                false
            }
            Action::Kill => self.kill(breach, session, streams),
        }
    }

    fn kill(&mut self, breach: &Breach, session: Option<&str>, streams: &mut Streams<'_>) -> bool {
        let Some(agent) = &self.agent else { return false };
        let elapsed = self.clock.elapsed();
        if let Err(failure) = agent.end(self.args.limits.grace) {
            self.alerts.note(&format!("error: {}", failure.summary()), streams);
            return false;
        }
        let (folder, snapshot) = self.known.snapshot(session, self.store);
        let death = Death {
            reason: &breach.reason,
            time: jiff::Timestamp::now(),
            elapsed,
            paused: self.clock.paused,
            cost: self.known.spending.as_ref().and_then(agent_strace_live::watch::Spending::known),
        };
        match death::write(&folder, &snapshot, &death) {
            Ok(path) => {
                self.alerts.note(&format!("killed; the post-mortem is {}", path.display()), streams);
                if let Some(command) = &self.args.limits.on_death {
                    death::run(command, &path, &self.alerts, streams);
                }
            }
            Err(failure) => self.alerts.note(&format!("error: {}", failure.summary()), streams),
        }
        true
    }

    fn pause(&mut self, by_file: bool, streams: &mut Streams<'_>) {
        let Some(agent) = self.agent.as_ref().filter(|_| self.pausing.is_none()) else { return };
        let pids: Vec<String> = std::iter::once(agent.pid())
            .chain(agent.process.descendants().iter().map(|process| process.pid))
            .map(|pid| pid.to_string())
            .collect();
        match agent.tell(Order::Stop) {
            Ok(()) => {
                let how = if by_file {
                    format!("until `{PAUSE_REQUEST}` is gone")
                } else {
                    format!("`kill -CONT {}` lets it go on", pids.join(" "))
                };
                self.alerts.note(&format!("paused: {how}"), streams);
                self.pausing = Some(Pausing { since: Instant::now(), by_file });
            }
            Err(failure) => self.alerts.note(&format!("error: {}", failure.summary()), streams),
        }
    }

    fn pause_button(&mut self, streams: &mut Streams<'_>) {
        let is_asked = self.store.join(PAUSE_REQUEST).symlink_metadata().is_ok();
        let by_file = self.pausing.as_ref().is_some_and(|pausing| pausing.by_file);
        if is_asked && self.pausing.is_none() && !self.args.limits.dry_run {
            if self.agent.is_none() && self.known.fire(&button_without_process()) {
                self.alerts.note("can't pause: no process of the agent is known (`--pid PID`)", streams);
            }
            self.pause(true, streams);
        } else if !is_asked && by_file {
            let told = self.agent.as_ref().map(|agent| agent.tell(Order::Continue));
            if let Some(Err(failure)) = told {
                self.alerts.note(&format!("error: {}", failure.summary()), streams);
            }
        }
    }

    /// Whether somebody let the agent go on.
    fn note_pause(&mut self, streams: &mut Streams<'_>) {
        const SETTLED: Duration = Duration::from_millis(200);
        let (Some(agent), Some(pausing)) = (&self.agent, &self.pausing) else { return };
        if pausing.since.elapsed() < SETTLED || agent.process.stands_still() {
            return;
        }
        let paused = pausing.since.elapsed();
        // What it started stands still until somebody tells it, too.
        let _ = agent.tell(Order::Continue);
        self.pausing = None;
        self.clock.paused += paused;
        self.alerts.note(&format!("goes on after {}s of pause, which do not count", paused.as_secs()), streams);
    }

    fn problems(&self, streams: &mut Streams<'_>) {
        self.alerts.problems(streams);
        for problem in self.stream.iter().flat_map(Poster::problems) {
            self.alerts.note(&format!("warning: stream: {problem}"), streams);
        }
    }

    fn conclude(mut self, over: EndReason, streams: &mut Streams<'_>) -> u8 {
        let mut deadlines = self.judges.watch.deadlines();
        deadlines.retain(|deadline| over == EndReason::Ended && deadline.after <= self.clock.elapsed());
        for Deadline { breach, .. } in deadlines {
            if self.known.fire(&breach) {
                self.broke = true;
                self.alerts.breach(&Breach { action: Action::Alert, ..breach }, None, streams);
            }
        }
        let said = match over {
            EndReason::Ended => Some("the session has ended"),
            EndReason::Gone => Some("the agent is gone"),
            EndReason::Asked if self.pausing.is_some() => Some("the agent stays paused"),
            EndReason::Asked | EndReason::Killed => None,
        };
        for problem in self.stream.take().into_iter().flat_map(Poster::finish) {
            self.alerts.note(&format!("warning: stream: {problem}"), streams);
        }
        if self.unsent > 0 {
            let said =
                format!("warning: stream: {} events could not be searched for secrets and were not sent", self.unsent);
            self.alerts.note(&said, streams);
        }
        if let Some(said) = said {
            self.alerts.note(said, streams);
        }
        let lacking = self.known.lacking(self.judges);
        for lack in &lacking {
            self.alerts.note(&format!("error: {lack}"), streams);
        }
        self.alerts.finish(streams);
        match (self.broke, lacking.is_empty()) {
            (true, _) => 1,
            (false, false) => 3,
            (false, true) => 0,
        }
    }
}

/// Told once, as a breach is.
fn button_without_process() -> Breach {
    Breach {
        key: PAUSE_REQUEST.to_owned(),
        reason: String::new(),
        action: Action::Alert,
        location: None,
        is_time: false,
        notify: None,
    }
}
