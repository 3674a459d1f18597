//! `record`: a server that is a program, between its standard streams and those of this process.

mod inlet;
mod outlet;
mod signals;

use std::ffi::OsString;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::super::failure::{Failure, reason};
use super::message_loop::MessageLoop;
use super::status_printer::of_process;
use outlet::Outlet;

/// After the server has ended, a child of it may still hold its standard output: the recorder waits this long for more.
const SILENCE: Duration = Duration::from_millis(500);

/// A server that runs.
pub(super) struct Server {
    child: Child,
}

/// Starts the server. Its standard error is ours.
pub(super) fn start(command: &[OsString]) -> Result<Server, Failure> {
    let (program, arguments) = command.split_first().ok_or_else(|| Failure::new("no command of a server was named"))?;
    #[expect(clippy::disallowed_methods, reason = "whoever runs `record` names the server, and no input does")]
    let mut started = Command::new(program);
    let started = started.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn();
    let child = started.map_err(|error| {
        let shown = Path::new(program).display();
        let failure = Failure::new(format!("can't start the server `{shown}`: {}", reason(&error)));
        if error.kind() == ErrorKind::NotFound {
            failure.hint("the command behind `--` is started as it is, without a shell, and looked for in PATH")
        } else {
            failure
        }
    })?;
    Ok(Server { child })
}

impl Server {
    /// Passes everything on until the server ends: its exit code.
    pub(super) fn run(mut self, messages: &MessageLoop) -> Result<u8, Failure> {
        let (to_server, from_server) = (self.child.stdin.take(), self.child.stdout.take());
        let (Some(to_server), Some(from_server)) = (to_server, from_server) else {
            return Err(Failure::new("the server has no standard streams"));
        };
        let client = of_process(&io::stdin())?;
        let outlet = Arc::new(Mutex::new(Outlet::new(of_process(&io::stdout())?, messages.clone())));
        signals::forward(self.child.id(), &messages.status)?;
        let answers = Arc::clone(&outlet);
        let inlet = messages.clone();
        // This thread may wait for the client for ever, so it is not joined.
        thread::spawn(move || inlet::pump(client, to_server, &inlet, &answers));
        let backwards = Arc::clone(&outlet);
        let outlet_thread = thread::spawn(move || backward(from_server, &backwards));
        let status = self
            .child
            .wait()
            .map_err(|error| Failure::new(format!("can't learn how the server ended: {}", reason(&error))))?;
        drain(&outlet, &outlet_thread);
        outlet::of(&outlet).finish();
        Ok(code(status))
    }
}

/// Everything that the server writes goes to the client.
fn backward(mut from: impl Read, outlet: &Mutex<Outlet>) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => {
                // If the client is gone, reading stops, so that the server notices, too.
                if !outlet::of(outlet).pass(buffer.get(..length).unwrap_or_default()) {
                    return;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Waits for what is still on its way from a server that has ended.
fn drain(outlet: &Mutex<Outlet>, thread: &JoinHandle<()>) {
    let (mut seen, mut since) = (None, Instant::now());
    while !thread.is_finished() && since.elapsed() < SILENCE {
        thread::sleep(Duration::from_millis(2));
        // A thread that is writing at the moment is not silent.
        let passed = outlet.try_lock().ok().map(|outlet| outlet.passed());
        if passed.is_none() || passed != seen {
            (seen, since) = (passed, Instant::now());
        }
    }
}

#[cfg(unix)]
fn code(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt as _;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

#[cfg(not(unix))]
fn code(status: ExitStatus) -> u8 {
    status.code().map_or(u8::MAX, |code| u8::try_from(code).unwrap_or(u8::MAX))
}
