//! `record` and `record-http`: what an agent and an MCP server say to each other, passed on as it is and recorded.
//!
//! A copy of the traffic goes to one thread, which follows it and writes it down ([`desk`]); nothing that happens there
//! holds up the bytes, unless the policy is to be enforced.

mod args;
mod desk;
mod facts;
mod http;
mod judge;
mod recorder;
mod stdio;
mod voice;

use std::path::Path;

use super::Streams;
use super::environment::Environment;
use super::failure::Failure;
use agent_strace_repos::repo_audit;
use args::CaptureArgs;
pub(super) use args::{EXAMPLES, HTTP_EXAMPLES, RecordArgs, RecordHttpArgs};
use desk::Desk;
use judge::Judge;
use recorder::{Clock, Recorder, SessionStart};
use voice::Voice;

/// Bytes of the largest message that is followed.
const LARGEST: usize = 64 << 20;

/// What a recording needs before there is anything to record.
struct Prepared {
    wanted: Option<super::redact::Redactor>,
    judge: Option<Judge>,
    clock: Clock,
    voice: Voice,
}

fn prepare(args: &CaptureArgs, environment: Environment, streams: &mut Streams<'_>) -> Result<Prepared, Failure> {
    let machine = environment.machine.ok_or_else(|| Failure::new("there is no clock to record by"))?;
    let voice = Voice::new(args.quiet, args.verbose)?;
    let wanted = args.private.wanted(environment.colour)?;
    let judge = args.by.enforce.then(|| Judge::new(&args.by, environment, streams));
    if judge.as_ref().is_some_and(Judge::is_broken) {
        let then =
            if args.by.fail_closed { "every call is refused" } else { "calls are passed on without a judgement" };
        voice.warn(&format!("nothing can be judged: {then}"));
    }
    Ok(Prepared { wanted, judge, clock: Clock::new(machine.now), voice })
}

pub(super) fn record(
    trace_dir: &Path,
    args: &RecordArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let Prepared { wanted, judge, clock, voice } = prepare(&args.capture, environment, streams)?;
    let words: Vec<String> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let server = stdio::start(&args.command)?;
    let begin = SessionStart {
        store: recorder::absolute(trace_dir),
        server: args::plain_name(args.capture.name.as_deref().unwrap_or(&repo_audit::server_label(&words))),
        transport: "stdio",
        started_by: words,
    };
    let (desk, thread) = Desk::open(Recorder::begin(&begin, wanted, (clock, voice)), judge);
    let code = server.attend(&desk);
    desk.close(code.as_ref().ok().map(|code| i64::from(*code)), thread);
    code
}

pub(super) fn record_http(
    trace_dir: &Path,
    args: &RecordHttpArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let url = args.url()?;
    let Prepared { wanted, judge, clock, voice } = prepare(&args.capture, environment, streams)?;
    // `mcp.example.com` is called `example`; an address of numbers says nothing.
    let host = url.domain().map(|host| host.strip_prefix("mcp.").unwrap_or(host));
    let label = host.and_then(|host| host.split('.').next()).unwrap_or("server");
    let begin = SessionStart {
        store: recorder::absolute(trace_dir),
        server: args::plain_name(args.capture.name.as_deref().unwrap_or(label)),
        transport: "http",
        started_by: vec![url.to_string()],
    };
    // A port that is taken is told of before a session begins.
    let listening = http::listen(args.port)?;
    let (desk, thread) = Desk::open(Recorder::begin(&begin, wanted, (clock, voice)), judge);
    let served = http::serve(listening, &url, &desk);
    desk.close(None, thread);
    served.map(|()| 0)
}
