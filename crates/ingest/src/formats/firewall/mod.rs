//! What the firewall of GitHub's agentic workflows saw: requests of a run, told by a proxy that the agent has no hand
//! in. Its records (`audit.jsonl`) and its log for people (`access.log`) tell the same requests.
//!
//! A request has what a call has, something asked for and an end, and is kept as one. The fields are those of the
//! `logformat` lines that github/gh-aw-firewall writes into the proxy's configuration.

use std::borrow::Cow;

use super::{Detect, Format, Input};
use crate::assembly::{Assembly, RecordLocation};
use crate::gaps::Gaps;
use crate::head::Head;
use crate::json::{record, scalar};
use agent_strace_model::dialect::Carries;
use agent_strace_model::{Arguments, Dialect, EventKind, Session, Status, ToolCall};

pub(super) static FORMAT: Format = Format {
    dialect: Dialect::new("firewall-audit", "gh-aw").carrying(Carries::Requests),
    detect: Detect::Record(claims),
    read,
    homes: &[],
};

pub(super) static ACCESS: Format = Format {
    dialect: Dialect::new("firewall-access", "gh-aw").carrying(Carries::Requests),
    detect: Detect::Text(|text| text.lines().take(LOOKED_AT).any(|line| Request::of_line(line).is_some())),
    read: read_access,
    homes: &[],
};

/// Lines of a log for people in which one must be readable.
const LOOKED_AT: usize = 20;

fn claims(head: &Head<'_>) -> bool {
    head.text("_schema").is_some_and(|schema| schema.starts_with("audit/"))
        && head.has_all(&["host", "dest", "method", "status", "decision", "url"])
}

record! {
    struct Audit {
        seconds = "ts",
        timestamp = "timestamp",
        host = "host",
        destination = "dest",
        method = "method",
        status = "status",
        decision = "decision",
        url = "url",
    }
}

/// What both logs say of a request.
struct Request<'a> {
    time: Option<Cow<'a, str>>,
    /// As the client named it. The address says where it went.
    host: Cow<'a, str>,
    /// Where the proxy connected to, as a number.
    destination: Cow<'a, str>,
    method: Cow<'a, str>,
    status: Cow<'a, str>,
    decision: Cow<'a, str>,
    /// An address, or host and port to which a tunnel was asked for.
    url: Cow<'a, str>,
}

fn read<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = input.session(&FORMAT.dialect);
    assembly.id(run(input));
    input.records::<Audit<'a>>("a record", gaps, |item, gaps| {
        let Audit { seconds, timestamp, host, destination, method, status, decision, url, .. } = item.record;
        let text = |value| scalar(value).unwrap_or(Cow::Borrowed(""));
        let request = Request {
            time: scalar(timestamp.or(seconds)),
            host: text(host),
            destination: text(destination),
            method: text(method),
            status: text(status),
            decision: text(decision),
            url: text(url),
        };
        add(&mut assembly, item.line, &request, gaps);
    });
    vec![assembly.finish()]
}

fn read_access<'a>(input: &Input<'a>, gaps: &mut Gaps) -> Vec<Session<'a>> {
    let mut assembly = input.session(&ACCESS.dialect);
    assembly.id(run(input));
    for (line, number) in input.text.lines().zip(1..) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        match Request::of_line(line) {
            Some(request) => {
                gaps.count_record();
                add(&mut assembly, number, &request, gaps);
            }
            None => gaps.malformed(number, "a line that is not a request as the firewall writes it"),
        }
    }
    vec![assembly.finish()]
}

/// The folder of the run: all runs call their files alike.
fn run<'a>(input: &Input<'a>) -> Option<Cow<'a, str>> {
    const SORTING: &[&str] = &["logs", "audit", "firewall", "sandbox", "squid-logs", "firewall-audit-logs"];
    input.log.folder(&["audit.jsonl", "access.log"], SORTING).map(Cow::Borrowed)
}

impl<'a> Request<'a> {
    /// `time client host destination protocol method status decision:hierarchy url "agent"`, where `-` is nothing.
    fn of_line(line: &'a str) -> Option<Self> {
        let mut words = line.split(' ');
        let mut word = || words.next().filter(|word| !word.is_empty());
        let (time, _client, host, destination) = (word()?, word()?, word()?, word()?);
        let (_protocol, method, status, decision, url) = (word()?, word()?, word()?, word()?, word()?);
        let is_one = time.parse::<f64>().is_ok()
            && destination.contains(':')
            && status.len() <= 3
            && status.parse::<u16>().is_ok()
            && decision.contains(':')
            && words.next().is_some_and(|agent| agent.starts_with('"'));
        is_one.then(|| Self {
            time: Some(time.into()),
            host: host.into(),
            destination: destination.into(),
            method: method.into(),
            status: status.into(),
            decision: decision.into(),
            url: url.into(),
        })
    }

    /// What the proxy could not understand, or what was given up: it went nowhere.
    fn is_none(&self) -> bool {
        self.url.starts_with("error:") && self.decision.starts_with("NONE")
    }

    /// Where it went.
    fn address(&self) -> Option<&str> {
        let all = [&*self.url, &*self.host, &*self.destination];
        all.into_iter().find(|text| !matches!(*text, "" | "-" | "-:-") && !text.starts_with("error:"))
    }

    fn ended(&self) -> Status {
        if self.decision.starts_with("TCP_DENIED") {
            return Status::Denied;
        }
        match self.status.parse::<u16>() {
            Ok(100..400) => Status::Ok,
            Ok(_) => Status::Error,
            Err(_) => Status::Missing,
        }
    }
}

fn add<'a>(assembly: &mut Assembly<'a>, line: u32, request: &Request<'a>, gaps: &mut Gaps) {
    let location = RecordLocation { line, id: None, time: request.time.clone() };
    if request.is_none() {
        return assembly.push(location, EventKind::Other);
    }
    let Some(address) = request.address() else {
        gaps.malformed(line, "a request that does not say where it went");
        return assembly.push(location, EventKind::Other);
    };
    let arguments = serde_json::json!({"method": request.method, "url": address});
    let call = ToolCall {
        call_id: None,
        tool: Cow::Borrowed("http_access"),
        arguments: Arguments::Json(Cow::Owned(arguments.to_string())),
        cwd: None,
        status: request.ended(),
        subagent: None,
    };
    assembly.call(location, call, None);
}
