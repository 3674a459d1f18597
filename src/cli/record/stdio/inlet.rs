//! Passes the bytes of the client on to the server, except for refused calls.

use std::io::{ErrorKind, Read, Write};
use std::sync::Mutex;

use super::super::LARGEST;
use super::super::judge::Verdict;
use super::super::message_loop::MessageLoop;
use super::outlet::{self, Outlet};
use agent_strace_live::proxy::framing::{Frame, Framing, Splitter};
use agent_strace_live::proxy::message::Side;
use agent_strace_live::proxy::talk::Way;

/// Passes everything on until the client closes its output; then it closes the input of the server.
pub(super) fn pump(client: impl Read, server: impl Write, messages: &MessageLoop, outlet: &Mutex<Outlet>) {
    let mut inlet =
        Inlet { server, messages, outlet, splitter: Splitter::new(LARGEST), held: Vec::new(), is_open: true };
    read(client, |bytes| if messages.enforces { inlet.judge(bytes) } else { inlet.pass(bytes) });
    inlet.end();
}

fn read(mut client: impl Read, mut take: impl FnMut(&[u8])) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match client.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => take(buffer.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

struct Inlet<'a, W> {
    server: W,
    messages: &'a MessageLoop,
    outlet: &'a Mutex<Outlet>,
    splitter: Splitter,
    /// Bytes of a message that is not judged yet.
    held: Vec<u8>,
    is_open: bool,
}

impl<W: Write> Inlet<'_, W> {
    /// Records first, so that the answer can't be recorded before its request.
    fn pass(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (used, piece) = self.splitter.take(rest);
            rest = rest.get(used..).unwrap_or_default();
            if let Some(piece) = piece {
                self.messages.record(Side::Client, &Way::default(), piece);
            }
        }
        self.write(bytes);
    }

    fn judge(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (used, piece) = self.splitter.take(rest);
            self.held.extend_from_slice(rest.get(..used).unwrap_or_default());
            rest = rest.get(used..).unwrap_or_default();
            match piece {
                Some(piece) => self.decide(piece),
                // A message that is too large to be judged is not kept either.
                None if !self.splitter.follows() => self.let_go(),
                None => {}
            }
        }
    }

    fn decide(&mut self, piece: Frame) {
        let framing = if let Frame::Message { framing, .. } = piece { framing } else { Framing::Line };
        let held = std::mem::take(&mut self.held);
        match self.messages.verdict(Side::Client, &Way::default(), piece) {
            Verdict::Pass => self.write(&held),
            Verdict::Refuse(answer) if answer.is_empty() => {}
            Verdict::Refuse(answer) => outlet::of(self.outlet).answer(framing.wrap(&answer)),
        }
    }

    fn let_go(&mut self) {
        let held = std::mem::take(&mut self.held);
        if !self.messages.fail_closed {
            self.write(&held);
        }
    }

    fn end(mut self) {
        match self.splitter.end() {
            Some(piece) if self.messages.enforces => self.decide(piece),
            Some(piece) => self.messages.record(Side::Client, &Way::default(), piece),
            // Blank lines are passed on, too.
            None => {
                let held = std::mem::take(&mut self.held);
                self.write(&held);
            }
        }
    }

    /// If the server stops reading, the rest is lost, as it would be without the recorder.
    fn write(&mut self, bytes: &[u8]) {
        if self.is_open {
            self.is_open = self.server.write_all(bytes).and_then(|()| self.server.flush()).is_ok();
        }
    }
}
