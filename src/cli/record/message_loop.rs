//! The one thread that records. It gets all traffic in order, and makes the decisions that traffic needs.
//!
//! The threads that pass bytes on never wait for the disk. Traffic that arrives faster than it can be recorded is a gap.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use super::judge::{Judge, Verdict};
use super::recorder::{Clock, Recorder, TrafficPiece};
use super::status_printer::StatusPrinter;
use agent_strace_live::proxy::framing::Frame;
use agent_strace_live::proxy::message::Side;
use agent_strace_live::proxy::talk::Way;

/// Bytes of messages that wait to be recorded.
const BACKLOG: usize = 256 << 20;
const TOO_FAST: &str = "came faster than it could be recorded";

enum Job {
    Record(TrafficPiece),
    /// Judges before it records. The thread that passes the message on waits for the verdict.
    Judge(TrafficPiece, Box<dyn FnOnce(Verdict) + Send>),
    End(Option<i64>),
}

/// A handle to the recording thread, for the threads that pass traffic on.
#[derive(Clone)]
pub(super) struct MessageLoop {
    jobs: Sender<Job>,
    backlog: Arc<AtomicUsize>,
    clock: Clock,
    pub(super) status: StatusPrinter,
    /// Calls are judged before they are passed on.
    pub(super) enforces: bool,
    pub(super) fail_closed: bool,
}

impl MessageLoop {
    /// Starts the thread. It owns the judge and everything that the judge remembers.
    pub(super) fn start(recorder: Recorder, judge: Option<Judge>) -> (Self, JoinHandle<()>) {
        let (jobs, inbox) = mpsc::channel();
        let backlog = Arc::new(AtomicUsize::new(0));
        let messages = Self {
            jobs,
            backlog: Arc::clone(&backlog),
            clock: recorder.clock,
            status: recorder.status.clone(),
            enforces: judge.is_some(),
            fail_closed: judge.as_ref().is_some_and(|judge| judge.fail_closed),
        };
        let thread = thread::spawn(move || work(recorder, judge, &inbox, &backlog));
        (messages, thread)
    }

    /// Records a piece of the traffic.
    pub(super) fn record(&self, from: Side, way: &Way, piece: Frame) {
        let piece = match piece {
            Frame::Message { body, .. } if !self.takes(body.len()) => Frame::Lost(TOO_FAST),
            piece => piece,
        };
        let _ = self.jobs.send(Job::Record(self.timed(from, way, piece)));
    }

    /// Judges a piece of the traffic and records it; `then` gets the verdict.
    pub(super) fn judge(&self, from: Side, way: &Way, piece: Frame, then: impl FnOnce(Verdict) + Send + 'static) {
        let _ = self.jobs.send(Job::Judge(self.timed(from, way, piece), Box::new(then)));
    }

    /// Like [`Self::judge`], and waits for the verdict.
    pub(super) fn verdict(&self, from: Side, way: &Way, piece: Frame) -> Verdict {
        let (give, get) = mpsc::channel();
        self.judge(from, way, piece, move |verdict| drop(give.send(verdict)));
        get.recv().unwrap_or(if self.fail_closed { Verdict::Refuse(String::new()) } else { Verdict::Pass })
    }

    fn timed(&self, from: Side, way: &Way, piece: Frame) -> TrafficPiece {
        TrafficPiece { at: self.clock.now(), from, way: way.clone(), piece }
    }

    fn takes(&self, bytes: usize) -> bool {
        if self.backlog.fetch_add(bytes, Ordering::AcqRel).saturating_add(bytes) <= BACKLOG {
            return true;
        }
        self.backlog.fetch_sub(bytes, Ordering::AcqRel);
        false
    }

    /// Ends the session once all traffic up to now is recorded.
    pub(super) fn close(&self, exit_code: Option<i64>, thread: JoinHandle<()>) {
        let _ = self.jobs.send(Job::End(exit_code));
        if thread.join().is_err() {
            self.status.warn("the recorder broke down: this session is not recorded to its end");
        }
    }
}

fn work(mut recorder: Recorder, mut judge: Option<Judge>, inbox: &Receiver<Job>, backlog: &AtomicUsize) {
    let mut next = inbox.recv().ok();
    while let Some(job) = next {
        match job {
            Job::Record(traffic) => {
                let length = if let Frame::Message { body, .. } = &traffic.piece { body.len() } else { 0 };
                recorder.receive(&traffic);
                backlog.fetch_sub(length, Ordering::AcqRel);
            }
            Job::Judge(traffic, then) => then(match &mut judge {
                Some(judge) => judge.verdict(&mut recorder, &traffic),
                None => Verdict::Pass,
            }),
            Job::End(exit_code) => return recorder.end(exit_code),
        }
        next = inbox.try_recv().ok().or_else(|| {
            recorder.rest();
            inbox.recv().ok()
        });
    }
    recorder.end(None);
}
