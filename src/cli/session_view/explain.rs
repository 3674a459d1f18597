//! `explain`: what an agent did, phase by phase; or one finding, from what was asked to what can be done about it.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;

use super::super::Streams;
use super::super::args::PlainFormat;
use super::super::effects::glyphs;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::measured::{MeasuredArgs, measure_telling};
use super::super::output;
use super::super::pipeline::Inputs;
use super::judged::{ByArgs, JudgedSessions, MissingPolicy, ViewRequest};
use super::replay::several;
use agent_strace_engine::Entry;
use agent_strace_ingest::discover::{SelectError, Selection, select_in};
use agent_strace_metrics::Pricing;
use agent_strace_model::Session;
use agent_strace_policy::prices::shipped;
use agent_strace_report::replay::Looks;
use agent_strace_report::{Colour, Explained};
use agent_strace_session_view::events::events;

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace explain                        the latest session, phase by phase
  agent-strace explain abc123 --format json
  agent-strace explain 5ec6950e               a finding, by the start of its fingerprint
  agent-strace explain scope/write            the same by its rule, where there is one such finding
  agent-strace explain scope/write --session rollout-x.jsonl

A phase is what was done from one prompt to the next; it failed if it ended in a failure that was
not made good. Times, retries and files are those of `cost` and `stats`.
Of a finding it tells the prompt, what the agent said, the call, what that did, the entry of the
policy that judged it, and what can be done: in the agent, in the policy, or by accepting it. It is
looked for in all sessions of the store. `check --format json` and `replay` tell fingerprints.";

#[derive(Debug, Args)]
pub(in crate::cli) struct ExplainArgs {
    #[command(flatten)]
    measured: MeasuredArgs,

    /// Explain this finding: a rule, or at least 6 digits of a fingerprint. It may stand for SESSION, too.
    #[arg(long, value_name = "FINDING", conflicts_with_all = ["sessions", "all"])]
    finding: Option<String>,

    /// With a finding: the sessions it is looked for in; repeatable [default: all in the store].
    #[arg(long = "session", value_name = "SESSION")]
    of: Vec<String>,

    #[command(flatten)]
    by: ByArgs,
}

pub(in crate::cli) fn run(
    trace_dir: &Path,
    args: &ExplainArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    match args.finding(trace_dir) {
        Some(name) => args.explain(trace_dir, &name.to_ascii_lowercase(), environment, streams),
        None if args.of.is_empty() => phases(trace_dir, args, environment, streams),
        None => Err(Failure::new("`--session` says where a finding is looked for, and none is named")
            .hint("`agent-strace explain SESSION` explains a session")),
    }
}

fn phases(
    trace_dir: &Path,
    args: &ExplainArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let selection = args.measured.selection();
    let inputs = Inputs::select(trace_dir, &args.measured.sessions, selection, environment, streams.stdin)?;
    let pricing = Pricing::Table(shipped());
    let (mut measured, told) = measure_telling(inputs, pricing, environment, events)?;
    let profiles = std::mem::take(&mut measured.profiles).into_iter();
    let sessions: Vec<Explained> = profiles.zip(told).map(|(profile, events)| Explained { profile, events }).collect();
    let text = agent_strace_report::explain(&sessions, args.measured.form(&measured.gaps, environment));
    output::print(streams.stdout, &text)?;
    measured.profiles = sessions.into_iter().map(|session| session.profile).collect();
    Ok(measured.concluded(streams))
}

impl ExplainArgs {
    /// What is asked for, where it is a finding: a name that no session has.
    fn finding(&self, trace_dir: &Path) -> Option<&str> {
        if let Some(name) = &self.finding {
            return Some(name);
        }
        let [name] = self.measured.sessions.as_slice() else { return None };
        let is_fingerprint = (6..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let may_be = is_fingerprint || agent_strace_rules::find(name).is_some();
        let is_session = || {
            let found = select_in(trace_dir, Path::new("."), std::slice::from_ref(name), Selection::Latest);
            !matches!(found, Err(SelectError::NotFound(_)))
        };
        (may_be && !is_session()).then_some(name)
    }

    fn explain(
        &self,
        trace_dir: &Path,
        name: &str,
        environment: Environment,
        streams: &mut Streams<'_>,
    ) -> Result<u8, Failure> {
        if self.measured.format == PlainFormat::Json {
            return Err(Failure::new("a finding is explained as text")
                .hint("`agent-strace check --format json` has all parts of a finding"));
        }
        let inputs = Inputs::select(trace_dir, &self.of, Selection::All, environment, streams.stdin)?;
        let view = ViewRequest {
            missing_policy: MissingPolicy::BuiltIn,
            finding: Some(name),
            entries: false,
            more: |_: &Session<'_>, _: Option<&[Entry]>| (),
        };
        let JudgedSessions { replay, gaps, .. } = self.by.judge(trace_dir, inputs, &view, environment, streams)?;
        for line in agent_strace_report::gap_lines(&gaps) {
            output::note(streams.stderr, &line);
        }
        let found = replay.findings(name);
        let acts: BTreeSet<&str> = found.iter().map(|found| found.fingerprint.as_str()).collect();
        if acts.len() > 1 {
            return Err(several(name, &found));
        }
        let looks = Looks {
            colour: if environment.colour { Colour::Ansi } else { Colour::Plain },
            glyphs: glyphs(environment),
        };
        let read = |path: &str| output::read_small(Path::new(path));
        let Some(story) = replay.story(&found, &read, looks) else { return Err(self.unknown(name)) };
        output::print(streams.stdout, &story)?;
        Ok(if gaps.is_empty() { 0 } else { 3 })
    }

    fn unknown(&self, name: &str) -> Failure {
        let among = if self.of.is_empty() { "in the store" } else { "in these sessions" };
        Failure::new(format!("no finding {among} is called `{name}`, and no session either"))
            .hint("`agent-strace check` lists findings, `--format json` with their fingerprints; `agent-strace list` lists sessions")
            .hint("what is suppressed, excepted or known from a baseline is no finding")
    }
}
