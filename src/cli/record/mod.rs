//! `record` and `record-http`: pass the traffic between an agent and an MCP server on unchanged, and record it.
//!
//! A copy of the traffic goes to one thread, which interprets and records it ([`message_loop`]). That thread delays the
//! traffic only if the policy is enforced.

mod args;
mod facts;
mod http;
mod judge;
mod message_loop;
mod recorder;
mod status_printer;
mod stdio;

use std::path::Path;

use super::Streams;
use super::environment::Environment;
use super::failure::Failure;
use agent_strace_repos::repo_audit;
use args::CaptureArgs;
pub(super) use args::{EXAMPLES, HTTP_EXAMPLES, RecordArgs, RecordHttpArgs};
use judge::Judge;
use message_loop::MessageLoop;
use recorder::{Clock, Recorder, SessionStart};
use status_printer::StatusPrinter;

/// Bytes of the largest message that is followed.
const LARGEST: usize = 64 << 20;

/// Everything that a recording needs before the traffic starts.
struct Prepared {
    wanted: Option<super::redact::Redactor>,
    judge: Option<Judge>,
    clock: Clock,
    status: StatusPrinter,
}

fn prepare(args: &CaptureArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<Prepared, Failure> {
    let machine = environment.machine.ok_or_else(|| Failure::new("there is no clock to record by"))?;
    let status = StatusPrinter::new(args.verbosity())?;
    let wanted = args.private.wanted(environment.colour)?;
    let judge = args.by.enforce.then(|| Judge::new(&args.by, environment, streams));
    if judge.as_ref().is_some_and(Judge::is_broken) {
        let then =
            if args.by.fail_closed { "every call is refused" } else { "calls are passed on without a judgement" };
        status.warn(&format!("nothing can be judged: {then}"));
    }
    Ok(Prepared { wanted, judge, clock: Clock::new(machine.now), status })
}

pub(super) fn record(
    trace_dir: &Path,
    args: &RecordArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let Prepared { wanted, judge, clock, status } = prepare(&args.capture, environment, streams)?;
    let words: Vec<String> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let server = stdio::start(&args.command)?;
    let begin = SessionStart {
        store: recorder::absolute(trace_dir),
        server: args::plain_name(args.capture.name.as_deref().unwrap_or(&repo_audit::server_label(&words))),
        transport: "stdio",
        started_by: words,
    };
    let (messages, thread) = MessageLoop::start(Recorder::begin(&begin, wanted, clock, status), judge);
    let code = server.run(&messages);
    messages.close(code.as_ref().ok().map(|code| i64::from(*code)), thread);
    code
}

pub(super) fn record_http(
    trace_dir: &Path,
    args: &RecordHttpArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let url = args.url()?;
    let Prepared { wanted, judge, clock, status } = prepare(&args.capture, environment, streams)?;
    // `mcp.example.com` is called `example`; an address of numbers says nothing.
    let host = url.domain().map(|host| host.strip_prefix("mcp.").unwrap_or(host));
    let label = host.and_then(|host| host.split('.').next()).unwrap_or("server");
    let begin = SessionStart {
        store: recorder::absolute(trace_dir),
        server: args::plain_name(args.capture.name.as_deref().unwrap_or(label)),
        transport: "http",
        started_by: vec![url.to_string()],
    };
    // A port that is in use is reported before the session begins.
    let listening = http::listen(args.port)?;
    let (messages, thread) = MessageLoop::start(Recorder::begin(&begin, wanted, clock, status), judge);
    let served = http::serve(listening, &url, &messages);
    messages.close(None, thread);
    served.map(|()| 0)
}
