//! The agent from its start to its end: clocks, signals, and news of what it does.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use super::super::environment::Environment;
use super::super::failure::{Failure, reason};
use super::super::hook;
use super::super::watch::{self, Alerts, GuardArgs, KnownSessions, News, Observer, Scope};
use super::super::{Streams, output};
use super::group::{Group, NotStarted, Turn, code_of, left, pids};
use agent_strace_live::watch::{Action, Breach, Deadline, Death, Settings, Spending};

const STEP: Duration = Duration::from_millis(50);
const PAUSE_REQUEST: &str = ".pause-request";
/// After so long it is worth saying that nothing is recorded.
const SILENCE: Duration = Duration::from_secs(10);
/// What ran too long ends with this exit code, as `timeout(1)` has it; and what broke anything else.
const TOO_LONG: u8 = 124;
const BROKEN: u8 = 125;

pub(in crate::cli) fn run(
    trace_dir: &Path,
    args: &GuardArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let on_limit = args.on_violation.action();
    let judges = args.limits.judges(on_limit, Settings::default(), environment, streams)?;
    let store = store(trace_dir);
    let alerts = Alerts::new("guard", &store, args.on_violation, None)?.of(args.limits.rules(), args.limits.is_dry());
    let signals = Signals::new([SIGTERM, SIGINT, SIGHUP, SIGQUIT]);
    let signals = signals.map_err(|error| Failure::new(format!("can't wait for signals: {}", reason(&error))))?;
    let before = Scope::before(&store);
    let group = match Group::start(&args.command, &store) {
        Ok(group) => group,
        Err(NotStarted { failure, code }) => {
            failure.report(streams.stderr);
            return Ok(code);
        }
    };
    let (news, heard) = channel();
    let (stop, stopped) = channel();
    let machine = environment.machine.map(|machine| &machine.homes);
    let scope = Scope::OfChild { child: group.process(), before };
    let observer = Observer { store: &store, scope, judges: &judges, machine, news, streams: false };
    let guard = Guard::new(args, &store, &judges, group, alerts);
    std::thread::scope(|threads| {
        threads.spawn(move || observer.run(&stopped));
        guard.follow(&heard, stop, signals, streams)
    })
}

/// Where the agent's hooks record: in its project, wherever in it this runs.
fn store(trace_dir: &Path) -> PathBuf {
    if trace_dir.is_absolute() { trace_dir.to_owned() } else { hook::project_around(None).join(trace_dir) }
}

struct Pausing {
    since: Instant,
    by_file: bool,
}

struct Guard<'g> {
    args: &'g GuardArgs,
    store: &'g Path,
    judges: &'g watch::Judges,
    group: Group,
    alerts: Alerts,
    known: KnownSessions,
    began: Instant,
    paused: Duration,
    pausing: Option<Pausing>,
    /// What was broken that ends the agent, or ended it.
    fatal: Option<Breach>,
    told_silence: bool,
    /// Somebody asked this process to end: the agent was asked, too, and is killed by then.
    dying: Option<Instant>,
}

impl<'g> Guard<'g> {
    fn new(args: &'g GuardArgs, store: &'g Path, judges: &'g watch::Judges, group: Group, alerts: Alerts) -> Self {
        Self {
            args,
            store,
            judges,
            group,
            alerts,
            known: KnownSessions::default(),
            began: Instant::now(),
            paused: Duration::ZERO,
            pausing: None,
            fatal: None,
            told_silence: false,
            dying: None,
        }
    }
}

impl Guard<'_> {
    fn follow(
        mut self,
        heard: &Receiver<News>,
        stop: Sender<()>,
        mut signals: Signals,
        streams: &mut Streams<'_>,
    ) -> Result<u8, Failure> {
        let mut deadlines = self.judges.watch.deadlines();
        let status = loop {
            if let Some(status) = self.group.ended()? {
                break status;
            }
            match heard.recv_timeout(STEP) {
                Ok(news) => self.hear(news, streams)?,
                Err(RecvTimeoutError::Timeout) => {}
                // Its thread has nothing more to say; clocks go on.
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(STEP),
            }
            self.turns(streams);
            self.time(&mut deadlines, streams)?;
            self.forward(&mut signals)?;
            self.pause_button(streams);
            self.silence(streams);
            self.alerts.problems(streams);
        };
        self.group.take_terminal();
        drop(stop);
        // What was recorded last counts, too.
        for news in heard {
            let broken = self.known.hear(news);
            for (session, breach) in broken {
                self.too_late(&breach, session.as_deref(), streams);
            }
        }
        Ok(self.conclude(status, streams))
    }

    fn hear(&mut self, news: News, streams: &mut Streams<'_>) -> Result<(), Failure> {
        if let News::Elsewhere(session) = &news {
            let said = format!("session {session} is recorded by another agent: it is not watched here");
            self.alerts.note(&said, streams);
        }
        for (session, breach) in self.known.hear(news) {
            self.act(&breach, session.as_deref(), streams)?;
        }
        Ok(())
    }

    fn elapsed(&self) -> Duration {
        let pausing = self.pausing.as_ref().map(|pausing| pausing.since.elapsed()).unwrap_or_default();
        self.began.elapsed().saturating_sub(self.paused + pausing)
    }

    fn time(&mut self, deadlines: &mut Vec<Deadline>, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let elapsed = self.elapsed();
        while deadlines.first().is_some_and(|deadline| deadline.after <= elapsed) {
            let Deadline { breach, .. } = deadlines.remove(0);
            if self.known.fire(&breach) {
                self.act(&breach, None, streams)?;
            }
        }
        Ok(())
    }

    fn act(&mut self, breach: &Breach, session: Option<&str>, streams: &mut Streams<'_>) -> Result<(), Failure> {
        // It was killed for something else just now.
        if self.fatal.is_some() && !self.args.limits.is_dry() {
            self.too_late(breach, session, streams);
            return Ok(());
        }
        self.alerts.breach(breach, session, streams);
        if self.args.limits.is_dry() {
            return Ok(());
        }
        match breach.action {
            Action::Alert => {}
            Action::Pause => self.pause(false, streams),
            Action::Kill => self.kill(breach, session, streams)?,
        }
        Ok(())
    }

    /// The agent has ended by itself, or is killed already.
    fn too_late(&mut self, breach: &Breach, session: Option<&str>, streams: &mut Streams<'_>) {
        if self.args.limits.is_dry() || breach.action == Action::Alert {
            return self.alerts.breach(breach, session, streams);
        }
        self.alerts.breach(&Breach { action: Action::Alert, ..breach.clone() }, session, streams);
        if self.fatal.is_none() {
            self.alerts.note("the agent had ended by then", streams);
            self.fatal = Some(breach.clone());
        }
    }

    fn kill(&mut self, breach: &Breach, session: Option<&str>, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let elapsed = self.elapsed();
        self.note_pause_end();
        self.fatal = Some(breach.clone());
        let ended = self.group.end(self.args.limits.grace());
        let (folder, snapshot) = self.known.snapshot(session, self.store);
        let death = Death {
            reason: &breach.reason,
            time: jiff::Timestamp::now(),
            elapsed,
            paused: self.paused,
            cost: self.known.spending.as_ref().and_then(Spending::known),
        };
        match watch::write_post_mortem(&folder, &snapshot, &death) {
            Ok(path) => {
                self.alerts.note(
                    &format!("killed after {:.1}s; the post-mortem is {}", elapsed.as_secs_f64(), path.display()),
                    streams,
                );
                if let Some(command) = self.args.limits.on_death() {
                    watch::run_on_death(command, &path, &self.alerts, streams);
                }
            }
            Err(failure) => self.alerts.note(&format!("error: {}", failure.summary()), streams),
        }
        ended
    }

    fn pause(&mut self, by_file: bool, streams: &mut Streams<'_>) {
        if self.pausing.is_some() {
            return;
        }
        self.group.pause();
        self.pausing = Some(Pausing { since: Instant::now(), by_file });
        let how = if by_file {
            format!("until `{PAUSE_REQUEST}` is gone")
        } else {
            format!("`kill -CONT -{}` lets it go on, Ctrl-C ends it", self.group.id())
        };
        self.alerts.note(&format!("paused after {:.1}s: {how}", self.elapsed().as_secs_f64()), streams);
    }

    fn note_pause_end(&mut self) -> Option<Duration> {
        let paused = self.pausing.take()?.since.elapsed();
        self.paused += paused;
        Some(paused)
    }

    /// Who else stopped the agent, or let it go on.
    fn turns(&mut self, streams: &mut Streams<'_>) {
        match self.group.turn() {
            Some(Turn::Continued) => {
                if let Some(paused) = self.note_pause_end() {
                    // What left the group stands still, and the terminal is the agent's again.
                    self.group.go_on();
                    self.alerts.note(
                        &format!("goes on after {:.1}s of pause, which do not count", paused.as_secs_f64()),
                        streams,
                    );
                }
            }
            Some(Turn::Stopped) if self.pausing.is_none() => self.stopped_by_others(),
            Some(Turn::Stopped) | None => {}
        }
    }

    /// Ctrl-Z, or a signal of somebody else. A shell that waits for this process has to know.
    fn stopped_by_others(&mut self) {
        self.pausing = Some(Pausing { since: Instant::now(), by_file: false });
        if self.group.has_terminal() {
            self.group.take_terminal();
            let _ = rustix::process::kill_process(rustix::process::getpid(), Signal::STOP);
            // The shell let this go on: so does the agent.
            self.note_pause_end();
            self.group.go_on();
        }
    }

    fn pause_button(&mut self, streams: &mut Streams<'_>) {
        let is_asked = self.store.join(PAUSE_REQUEST).symlink_metadata().is_ok();
        let by_file = self.pausing.as_ref().is_some_and(|pausing| pausing.by_file);
        if is_asked && self.pausing.is_none() && !self.args.limits.is_dry() {
            self.pause(true, streams);
        } else if !is_asked && by_file {
            self.group.go_on();
        }
    }

    /// What this process is told is meant for the agent. Who ends this one means all of it.
    fn forward(&mut self, signals: &mut Signals) -> Result<(), Failure> {
        for number in signals.pending() {
            let signal = match number {
                SIGINT => Signal::INT,
                SIGQUIT => Signal::QUIT,
                SIGHUP => Signal::HUP,
                _ => Signal::TERM,
            };
            self.group.signal(signal);
            if self.pausing.is_some() {
                self.group.go_on();
            }
            if matches!(number, SIGTERM | SIGHUP) {
                self.dying.get_or_insert_with(|| Instant::now() + self.args.limits.grace());
            }
        }
        if self.dying.is_some_and(|until| Instant::now() >= until) {
            self.dying = None;
            return self.group.end(Duration::ZERO);
        }
        Ok(())
    }

    fn silence(&mut self, streams: &mut Streams<'_>) {
        let asks = self.judges.watch.asks_sessions() || self.judges.has_policy();
        if asks && !self.told_silence && self.known.is_empty() && self.elapsed() > SILENCE {
            self.told_silence = true;
            let said =
                "nothing is recorded so far, so only time limits hold: `agent-strace setup --write` makes agents tell";
            self.alerts.note(said, streams);
        }
    }

    fn conclude(self, status: ExitStatus, streams: &mut Streams<'_>) -> u8 {
        let own = code_of(status);
        if self.fatal.is_none() {
            let left = left();
            if !left.is_empty() {
                let said = format!("the agent has ended, and what it started goes on unwatched: {}", pids(&left));
                self.alerts.note(&said, streams);
            }
        }
        let lacking = self.known.lacking(self.judges);
        for lack in &lacking {
            output::note(streams.stderr, &format!("guard: error: {}", agent_strace_report::terminal(lack)));
        }
        let code = match &self.fatal {
            Some(breach) if breach.is_time => TOO_LONG,
            Some(_) => BROKEN,
            None if own == 0 && !lacking.is_empty() => 3,
            None => own,
        };
        self.alerts.finish(streams);
        code
    }
}
