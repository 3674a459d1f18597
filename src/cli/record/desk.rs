//! The one thread that records: everything that is heard comes here in its order, and what has to be decided is decided here.
//!
//! Whoever passes bytes on never waits for the disk. What comes faster than it can be recorded is a gap.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use super::judge::{Judge, Verdict};
use super::recorder::{Clock, Heard, Recorder};
use super::voice::Voice;
use agent_strace_live::proxy::framing::Piece;
use agent_strace_live::proxy::message::Side;
use agent_strace_live::proxy::talk::Way;

/// Bytes of messages that wait to be recorded.
const BACKLOG: usize = 256 << 20;
const TOO_FAST: &str = "came faster than it could be recorded";

enum Order {
    Hear(Heard),
    /// The same; whoever passes it on waits for the verdict.
    Judge(Heard, Box<dyn FnOnce(Verdict) + Send>),
    End(Option<i64>),
}

/// Where everybody brings what they heard.
#[derive(Clone)]
pub(super) struct Desk {
    orders: Sender<Order>,
    backlog: Arc<AtomicUsize>,
    clock: Clock,
    pub(super) voice: Voice,
    /// Calls are judged before they are passed on.
    pub(super) enforces: bool,
    pub(super) fail_closed: bool,
}

impl Desk {
    /// Opens the desk. The judge is made where it works: what it knows is its own.
    pub(super) fn open(recorder: Recorder, judge: Option<Judge>) -> (Self, JoinHandle<()>) {
        let (orders, inbox) = mpsc::channel();
        let backlog = Arc::new(AtomicUsize::new(0));
        let desk = Self {
            orders,
            backlog: Arc::clone(&backlog),
            clock: recorder.clock,
            voice: recorder.voice.clone(),
            enforces: judge.is_some(),
            fail_closed: judge.as_ref().is_some_and(|judge| judge.fail_closed),
        };
        let thread = thread::spawn(move || work(recorder, judge, &inbox, &backlog));
        (desk, thread)
    }

    /// Brings a piece of the traffic.
    pub(super) fn hear(&self, from: Side, way: &Way, piece: Piece) {
        let piece = match piece {
            Piece::Message { body, .. } if !self.takes(body.len()) => Piece::Lost(TOO_FAST),
            piece => piece,
        };
        let _ = self.orders.send(Order::Hear(self.heard(from, way, piece)));
    }

    /// The same; `then` gets the verdict.
    pub(super) fn judge(&self, from: Side, way: &Way, piece: Piece, then: impl FnOnce(Verdict) + Send + 'static) {
        let _ = self.orders.send(Order::Judge(self.heard(from, way, piece), Box::new(then)));
    }

    /// The same, waiting for it.
    pub(super) fn verdict(&self, from: Side, way: &Way, piece: Piece) -> Verdict {
        let (give, get) = mpsc::channel();
        self.judge(from, way, piece, move |verdict| drop(give.send(verdict)));
        get.recv().unwrap_or(if self.fail_closed { Verdict::Refuse(String::new()) } else { Verdict::Pass })
    }

    fn heard(&self, from: Side, way: &Way, piece: Piece) -> Heard {
        Heard { at: self.clock.now(), from, way: way.clone(), piece }
    }

    fn takes(&self, bytes: usize) -> bool {
        if self.backlog.fetch_add(bytes, Ordering::AcqRel).saturating_add(bytes) <= BACKLOG {
            return true;
        }
        self.backlog.fetch_sub(bytes, Ordering::AcqRel);
        false
    }

    /// Ends the session when everything that was brought so far is recorded.
    pub(super) fn close(&self, exit_code: Option<i64>, thread: JoinHandle<()>) {
        let _ = self.orders.send(Order::End(exit_code));
        if thread.join().is_err() {
            self.voice.warn("the recorder broke down: this session is not recorded to its end");
        }
    }
}

fn work(mut recorder: Recorder, mut judge: Option<Judge>, inbox: &Receiver<Order>, backlog: &AtomicUsize) {
    let mut next = inbox.recv().ok();
    while let Some(order) = next {
        match order {
            Order::Hear(heard) => {
                let length = if let Piece::Message { body, .. } = &heard.piece { body.len() } else { 0 };
                recorder.hear(&heard);
                backlog.fetch_sub(length, Ordering::AcqRel);
            }
            Order::Judge(heard, then) => then(match &mut judge {
                Some(judge) => judge.verdict(&mut recorder, &heard),
                None => Verdict::Pass,
            }),
            Order::End(exit_code) => return recorder.end(exit_code),
        }
        next = inbox.try_recv().ok().or_else(|| {
            recorder.rest();
            inbox.recv().ok()
        });
    }
    recorder.end(None);
}
