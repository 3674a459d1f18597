//! Signals to this process are meant for the server: it decides when to end, and we end with it.

#[cfg(unix)]
pub(super) use unix::forward;

#[cfg(unix)]
mod unix {
    use std::io::IsTerminal as _;
    use std::thread;
    use std::time::Duration;

    use rustix::process::{Pid, Signal, kill_process, test_kill_process};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;

    use super::super::super::super::failure::{Failure, reason};
    use super::super::super::status_printer::StatusPrinter;

    /// A signal to the whole group has reached the server already: it gets the time to end by that one.
    const GRACE: Duration = Duration::from_millis(50);

    /// Hands signals on for as long as the process lives.
    pub(in super::super) fn forward(server: u32, status: &StatusPrinter) -> Result<(), Failure> {
        let Some(server) = i32::try_from(server).ok().and_then(Pid::from_raw) else { return Ok(()) };
        let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP, SIGQUIT])
            .map_err(|error| Failure::new(format!("can't wait for signals: {}", reason(&error))))?;
        let status = status.clone();
        thread::spawn(move || {
            for number in signals.forever() {
                let (signal, name) = match number {
                    SIGINT => (Signal::INT, "SIGINT"),
                    SIGHUP => (Signal::HUP, "SIGHUP"),
                    SIGQUIT => (Signal::QUIT, "SIGQUIT"),
                    _ => (Signal::TERM, "SIGTERM"),
                };
                // What is typed at a terminal goes to everybody there.
                let was_typed = matches!(number, SIGINT | SIGQUIT) && std::io::stdin().is_terminal();
                thread::sleep(GRACE);
                if !was_typed && test_kill_process(server).is_ok() {
                    status.detail(|| format!("{name} is handed on to the server"));
                    // A server that has just ended needs none.
                    let _ = kill_process(server, signal);
                }
            }
        });
        Ok(())
    }
}

/// Elsewhere the console tells every process of it.
#[cfg(not(unix))]
pub(super) fn forward(
    _server: u32,
    _voice: &super::super::status_printer::StatusPrinter,
) -> Result<(), super::super::super::failure::Failure> {
    Ok(())
}
