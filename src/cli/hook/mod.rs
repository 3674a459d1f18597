//! `hook`: what an agent tells at each step is recorded, and calls are kept from running where the policy says so.
//!
//! The agent waits for the answer, so whatever goes wrong must not stop it, unless that was asked for: one line on standard
//! error, exit code 1, which agents show and pass over. Exit code 2 would keep the call from running.

mod attribution;
mod ended;
mod judge;
mod project;
mod subagent_logs;
mod transcript;

use judge::PendingCall;
pub(super) use judge::entry as entry_of;
#[cfg(unix)]
pub(super) use project::around as project_around;

use std::io::Read as _;
use std::path::Path;
use std::time::Instant;

use clap::Args;
use jiff::Timestamp;

use super::Streams;
use super::args::parse_now;
use super::environment::Environment;
use super::failure::Failure;
use super::output;
use super::recording::{EnforceArgs, PrivateArgs};
use super::redact;
use agent_strace_effects::{Approval, LookedAt};
use agent_strace_live::hook_events::{self, Agent, Answer, Called, Decision, HookEvent, HookStep, Recording, What};
use agent_strace_secrets::redact as shown;
use agent_strace_store::StoreError;
use agent_strace_store::live::{Begun, Decided, Live, Looked, Stage};

pub(super) const EXAMPLES: &str = "\
Agents run it: `agent-strace setup --write` tells them to. What they say comes on standard input.

Examples:
  agent-strace hook pre-tool                              a step of Claude Code
  agent-strace hook pre-tool --agent codex                one of another agent
  agent-strace hook pre-tool --enforce                    deny what the policy denies, ask where it asks
  agent-strace hook pre-tool --enforce --fail-closed      and deny what can't be judged
  agent-strace hook --agent cursor                        the step is the one that the agent names

Steps: session-start, user-prompt, pre-tool, post-tool, post-tool-failure, response, thought, stop,
subagent-start, subagent-stop, error, session-end, other; agents' own names of them are known, too.

With --enforce, files that a wildcard or a search takes in are looked up in the work tree, if the policy
may deny one of them.

Secrets are taken out before anything is written. Exit code 0, and 1 where something was not recorded
or judged: agents go on then. For Copilot, which denies a call after exit code 1, it is 0. Only with
--fail-closed a call that can't be judged is denied.";

/// More than this is no call.
const LARGEST: u64 = 64 << 20;

#[derive(Debug, Args)]
pub(super) struct HookArgs {
    /// The step of the session [default: the one that the agent names].
    #[arg(value_name = "EVENT")]
    event: Option<String>,

    /// Who runs this: claude-code, codex, gemini-cli, cursor, copilot-cli, qwen-code, kimi.
    #[arg(long, value_name = "AGENT", default_value = "claude-code")]
    agent: String,

    #[command(flatten)]
    pub(super) by: EnforceArgs,

    /// Judge by the built-in rules where there is no policy.
    #[arg(long, requires = "enforce", conflicts_with = "policy")]
    allow_no_policy: bool,

    #[command(flatten)]
    private: PrivateArgs,

    /// When this runs [default: what the agent says, else the clock].
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    now: Option<Timestamp>,
}

pub(super) fn run(
    trace_dir: &Path,
    args: &HookArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let began = Instant::now();
    let agent = agent_of(args).ok_or_else(|| unknown_agent(&args.agent));
    let stated = args.event.as_deref().map(|event| HookStep::named(event).ok_or_else(|| unknown_event(event)));
    let is_call = !matches!(stated, Some(Ok(moment)) if moment != HookStep::PreTool);
    let done = agent.and_then(|agent| {
        let hook = Hook { agent, args, trace_dir, environment, began };
        let stated = stated.transpose()?;
        hook.run(stated, streams)
    });
    let problem = match done {
        Ok(()) => return Ok(0),
        Err(problem) => problem,
    };
    output::note(streams.stderr, &format!("agent-strace: {}", agent_strace_report::terminal(problem.summary())));
    if !args.by.fail_closed || !is_call {
        return Ok(agent_of(args).map_or(1, |agent| agent.failed));
    }
    let reason = format!("agent-strace could not judge this call: {}", shown(problem.summary()).as_str());
    match agent_of(args) {
        Some(agent) => {
            let answer = Answer { decision: Decision::Deny, reason: &reason };
            output::print(streams.stdout, &hook_events::reply(agent, &answer))?;
            Ok(0)
        }
        // Nobody knows how to tell this agent, but for what all of them understand.
        None => Ok(2),
    }
}

fn agent_of(args: &HookArgs) -> Option<&'static Agent> {
    hook_events::agent(&args.agent)
}

fn unknown_agent(name: &str) -> Failure {
    let names: Vec<&str> = hook_events::AGENTS.iter().map(|agent| agent.name).collect();
    Failure::new(format!("`{name}` is not an agent with known hooks; known agents: {}", names.join(", ")))
}

fn unknown_event(name: &str) -> Failure {
    let words: Vec<&str> = HookStep::words().collect();
    Failure::new(format!("`{name}` is not a step of a session; the steps are {}", words.join(", ")))
}

/// One run.
struct Hook<'h> {
    agent: &'static Agent,
    args: &'h HookArgs,
    trace_dir: &'h Path,
    environment: Environment<'h>,
    began: Instant,
}

/// A call that was recorded, and what judges it.
struct Recorded<'r> {
    live: Live,
    event: &'r HookEvent<'r>,
    called: Called,
    time: Timestamp,
}

impl Hook<'_> {
    fn run(&self, stated: Option<HookStep>, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let json = read(streams)?;
        let event = HookEvent::read(&json, stated).map_err(Failure::new)?;
        let root = project::root(self.agent, self.environment.machine, event.cwd.as_deref());
        let store = if self.trace_dir.is_absolute() { self.trace_dir.to_owned() } else { root.join(self.trace_dir) };
        let clean = self.clean(&json)?;
        let kept = clean.as_deref().map(|clean| HookEvent::read(clean, stated)).transpose().map_err(Failure::new)?;
        let kept = kept.as_ref().unwrap_or(&event);
        let time = self.time(&event)?;
        let recorded = self.record(&store, &event, kept, time);
        let recorded = recorded.map_err(|error| Failure::new(format!("not recorded: {error}")))?;
        let Some((live, called)) = recorded else { return Ok(()) };
        let recorded = Recorded { live, event: &event, called, time };
        match event.what {
            What::Before(_) if self.judges(&event) => self.enforce(&root, recorded, streams),
            What::After(_) => self.look_again(&root, recorded, streams),
            _ => Ok(()),
        }
    }

    fn judges(&self, event: &HookEvent<'_>) -> bool {
        self.args.by.enforce && matches!(event.what, What::Before(_))
    }

    /// When it happened: as somebody says, else now.
    fn time(&self, event: &HookEvent<'_>) -> Result<Timestamp, Failure> {
        let now = self.args.now.or(event.time).or_else(|| self.environment.machine.map(|machine| machine.now));
        now.ok_or_else(|| Failure::new("there is no clock").hint("`--now` says what time it is"))
    }

    /// What was said, without what is private; `None`: it is written as it is.
    fn clean(&self, json: &str) -> Result<Option<String>, Failure> {
        let Some(wanted) = self.args.private.wanted(self.environment.colour)? else { return Ok(None) };
        redact::clean_text(&wanted, json).map(Some)
    }

    /// The event of the call, where it is one that is about to run or has ended.
    fn record(
        &self,
        store: &Path,
        event: &HookEvent<'_>,
        kept: &HookEvent<'_>,
        time: Timestamp,
    ) -> Result<Option<(Live, Called)>, StoreError> {
        let mut live = Live::open(store, &event.session)?;
        let is_new = live.is_new();
        let is_redacted = !self.args.private.no_redact;
        let called = hook_events::record(&mut live, kept, Recording { agent: self.agent, time, is_redacted })?;
        transcript::catch_up(&mut live, event, time)?;
        let attribution = if is_new { attribution::of(self.agent, event, self.environment) } else { Vec::new() };
        let how = match &event.what {
            What::Began(Some(source)) => source,
            _ => "hook",
        };
        let command = format!("{} ({how})", self.agent.name);
        let (agent, parent) = (self.agent.name, event.parent.as_deref());
        let begun = Begun { agent, command: &command, attribution: &attribution, parent };
        let stage = hook_events::stage(event, is_new, begun);
        // Who judges comes back to write its decision down, and notes both.
        if !(self.judges(event) && stage == Stage::Running) {
            live.keep(&stage)?;
        }
        Ok(called.map(|called| (live, called)))
    }

    /// Judges a call by everything that is recorded and what it really is, answers, and writes the answer down.
    fn enforce(&self, root: &Path, recorded: Recorded<'_>, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let Recorded { mut live, event, called, time } = recorded;
        let text = live.text().map_err(|error| Failure::new(error.to_string()))?;
        let What::Before(before) = &event.what else { return Ok(()) };
        let line = hook_events::line(&live, event, before, &called, time);
        let directory = live.directory().to_owned();
        let folder = live.folder().to_owned();
        // Others may record while this one judges.
        let left = live.leave();
        let call = PendingCall { root, session: &folder, recorded: text, number: called.event, line: &line };
        let approval = if self.agent.asks { Approval::Possible } else { Approval::Impossible };
        let judged = judge::call(self.args, call, approval, self.environment, streams);
        let (verdict, problem) = match judged {
            Ok(verdict) => (verdict, None),
            Err(problem) => (judge::Verdict::none(self.args.by.fail_closed), Some(problem)),
        };
        let verdict = judge::Verdict { decision: verdict.decision.by(self.agent), ..verdict };
        let reason = match &problem {
            Some(problem) => format!("agent-strace could not judge this call: {}", shown(problem.summary()).as_str()),
            None => verdict.reason.clone(),
        };
        let answer = Answer { decision: verdict.decision, reason: &reason };
        output::print(streams.stdout, &hook_events::reply(self.agent, &answer))?;
        let decided = self.decided(&called, &before.tool, time, &verdict, problem.as_ref());
        let store = folder.parent().unwrap_or(root);
        let noted = Live::come_back(store, &event.session, &left).and_then(|mut live| {
            // Another recording of the same session has nothing to do with it.
            if live.directory() == directory {
                live.decide(decided)?;
                if let Some(watched) = &verdict.watched {
                    live.watch(&called.event_id, watched.clone());
                }
                if verdict.decision == Decision::Deny {
                    hook_events::refuse(&mut live, &called, &before.tool, &reason, time)?;
                }
            }
            live.finish(&Stage::Running)
        });
        match (problem, noted) {
            // It was answered already.
            (Some(problem), _) if self.args.by.fail_closed => {
                output::note(
                    streams.stderr,
                    &format!("agent-strace: {}", agent_strace_report::terminal(problem.summary())),
                );
                Ok(())
            }
            (Some(problem), _) => Err(problem),
            (None, Err(error)) => {
                output::note(streams.stderr, &format!("agent-strace: the decision was not written down: {error}"));
                Ok(())
            }
            (None, Ok(())) => Ok(()),
        }
    }
}

impl Hook<'_> {
    fn decided(
        &self,
        called: &Called,
        tool: &str,
        time: Timestamp,
        verdict: &judge::Verdict,
        problem: Option<&Failure>,
    ) -> Decided {
        Decided {
            time: time.to_string(),
            event: called.event,
            event_id: called.event_id.clone(),
            tool_use_id: called.call_id.clone(),
            tool_name: shown(tool).as_str().to_owned(),
            decision: if problem.is_some() { "error" } else { verdict.decision.name() }.to_owned(),
            enforced: verdict.decision >= Decision::Ask,
            judged: verdict.judged.clone(),
            looked_at: verdict.looks.iter().map(looked).collect(),
            error: problem.map(|problem| shown(problem.summary()).as_str().to_owned()),
            policy_sha256: verdict.policy_sha256.clone(),
            duration_ms: (self.began.elapsed().as_secs_f64() * 1e6).round() / 1e3,
            prev_hash: None,
        }
    }
}

/// A look at the work tree, as decisions keep it.
fn looked(look: &LookedAt) -> Looked {
    Looked { path: shown(&look.folder).as_str().to_owned(), files: look.files, complete: look.is_complete }
}

fn read(streams: &mut Streams<'_>) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = (&mut *streams.stdin).take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::new(format!("standard input can't be read: {}", super::failure::reason(&error))))?;
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::new(format!("what is on standard input is larger than {} MiB", LARGEST >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| Failure::new("what is on standard input is not UTF-8 text"))
}
