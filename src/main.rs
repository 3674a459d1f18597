//! The binary: hands the process's arguments and streams to the library and returns its exit code.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

/// The one of musl makes threads wait for each other.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let machine = agent_strace::Machine::of_process();
    let environment = agent_strace::Environment::of_process().on(&machine);
    // None of them is locked: `mcp` serves from a thread of its own.
    let mut out = BufWriter::new(std::io::stdout());
    let mut err = std::io::stderr();
    let code = agent_strace::run_in(environment, std::env::args_os(), &mut std::io::stdin(), &mut out, &mut err);
    match out.flush() {
        // A reader that closed the pipe has seen what it wanted; the verdict stands.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => ExitCode::from(2),
        _ => ExitCode::from(code),
    }
}
