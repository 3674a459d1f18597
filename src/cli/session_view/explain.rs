//! `explain`: what an agent did, phase by phase; or one finding, from what was asked to what can be done about it.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;

use super::super::Streams;
use super::super::args::PlainFormat;
use super::super::effects::glyphs;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::gate::{self, SessionRequests};
use super::super::measured::{MeasuredArgs, measure_telling};
use super::super::output;
use super::super::pipeline::Inputs;
use super::super::trust::Trust;
use super::finding_args::FindingArgs;
use super::judged::{ByArgs, JudgedSessions, MissingPolicy, ViewRequest, Within, judge_within};
use super::replay::several;
use agent_strace_engine::Entry;
use agent_strace_ingest::discover::{SelectError, Selection, select_in};
use agent_strace_metrics::Pricing;
use agent_strace_model::Session;
use agent_strace_policy::prices::shipped;
use agent_strace_report::replay::{Looks, NotFound, ReplayReport};
use agent_strace_report::{Colour, Explained};
use agent_strace_session_view::events::events;

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace explain                        the latest session, phase by phase
  agent-strace explain abc123 --format json
  agent-strace explain 5ec6950e               a finding, by the start of its fingerprint
  agent-strace explain scope/write            the same by its rule, where there is one such finding
  agent-strace explain scope/write --session rollout-x.jsonl
  agent-strace explain 5ec6950e --base origin/main --head HEAD    a finding of a change

A phase is what was done from one prompt to the next; it failed if it ended in a failure that was
not made good. Times, retries and files are those of `cost` and `stats`.
Of a finding it tells the prompt, what the agent said, the call, what that did, the entry of the
policy that judged it, and what can be done: in the agent, in the policy, or by accepting it. It is
looked for in all sessions of the store. `check` tells the ids of findings, `--format json` whole
fingerprints.";

#[derive(Debug, Args)]
pub(in crate::cli) struct ExplainArgs {
    #[command(flatten)]
    measured: MeasuredArgs,

    /// Explain this finding: a rule, or at least 4 digits of a fingerprint. It may stand for SESSION, too.
    #[arg(long, value_name = "FINDING", conflicts_with_all = ["sessions", "all"])]
    finding: Option<String>,

    /// With a finding: the sessions it is looked for in; repeatable [default: all in the store].
    #[arg(long = "session", value_name = "SESSION")]
    of: Vec<String>,

    #[command(flatten)]
    by: ByArgs,

    #[command(flatten)]
    found_with: FindingArgs,
}

pub(in crate::cli) fn run(
    trace_dir: &Path,
    args: &ExplainArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    match args.finding(trace_dir) {
        Some(asked) => args.explain(trace_dir, &asked, environment, streams),
        None if args.of.is_empty() => phases(trace_dir, args, environment, streams),
        None => Err(Failure::new("`--session` says where a finding is looked for, and none is named")
            .hint("`agent-strace explain SESSION` explains a session")),
    }
}

/// The finding that is asked for, and the sessions in which it is looked for.
struct Asked<'a> {
    name: &'a str,
    sessions: Vec<String>,
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
    /// What is asked for, where it is a finding: a name that no session has. More names after it are sessions.
    fn finding(&self, trace_dir: &Path) -> Option<Asked<'_>> {
        if let Some(name) = &self.finding {
            return Some(Asked { name, sessions: self.of.clone() });
        }
        let (name, sessions) = self.measured.sessions.split_first()?;
        let is_fingerprint = (4..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let may_be = is_fingerprint || agent_strace_rules::find(name).is_some() || is_rule_like(name);
        let is_session = || {
            let found = select_in(trace_dir, Path::new("."), std::slice::from_ref(name), Selection::Latest);
            !matches!(found, Err(SelectError::NotFound(_)))
        };
        (may_be && !is_session()).then(|| Asked { name, sessions: [sessions, &self.of].concat() })
    }

    fn explain(
        &self,
        trace_dir: &Path,
        asked: &Asked<'_>,
        environment: Environment,
        streams: &mut Streams<'_>,
    ) -> Result<u8, Failure> {
        if self.measured.format == PlainFormat::Json {
            return Err(Failure::new("a finding is explained as text")
                .hint("`agent-strace check --format json` has all parts of a finding"));
        }
        let name = asked.name.to_ascii_lowercase();
        let args = self.found_with.gate_args(self.by.gate_args());
        let tree = self.found_with.tree(environment)?;
        let request = self.found_with.request(&args, self.by.configuration(), tree.as_ref());
        let trust = Trust::establish(&args, environment)?;
        let requests = SessionRequests { named: &asked.sessions, selection: Selection::All };
        let inputs = gate::select(&trust, trace_dir, requests, environment, streams)?;
        let view = ViewRequest {
            missing_policy: MissingPolicy::BuiltIn,
            entries: false,
            more: |_: &Session<'_>, _: Option<&[Entry]>| (),
        };
        let within = Within { request, trust: &trust };
        let JudgedSessions { replay, gaps, .. } = judge_within(trace_dir, inputs, within, &view, environment, streams)?;
        for line in agent_strace_report::gap_lines(&gaps) {
            output::note(streams.stderr, &line);
        }
        let story = told(&replay, &name, &asked.sessions, &trust, environment)?;
        output::print(streams.stdout, &environment.fitted(story))?;
        Ok(if gaps.is_empty() { 0 } else { 3 })
    }
}

/// The story of the one act with this name.
fn told(
    replay: &ReplayReport,
    name: &str,
    sessions: &[String],
    trust: &Trust<'_>,
    environment: Environment,
) -> Result<String, Failure> {
    let found = replay.findings(name);
    let acts: BTreeSet<&str> = found.iter().map(|found| found.fingerprint.as_str()).collect();
    if acts.len() > 1 {
        return Err(several(name, &found));
    }
    let colour = if environment.colour { Colour::Ansi } else { Colour::Plain };
    let looks = Looks { colour, glyphs: glyphs(environment) };
    let read = |path: &str| read_judging(trust, path);
    replay.story(&found, &read, looks).ok_or_else(|| unknown(name, sessions, &replay.not_found(name)))
}

/// `scope/wirte`: the name of a rule, with a typing error in it.
fn is_rule_like(name: &str) -> bool {
    let families = agent_strace_rules::all().iter().filter_map(|rule| rule.id.as_str().split('/').next());
    let family = name.split_once('/').filter(|(_, rest)| !rest.contains(['/', '.'])).map(|(family, _)| family);
    family.is_some_and(|family| families.clone().any(|known| known == family))
}

/// A file that judged: from the revision that judges, or from the disk.
fn read_judging(trust: &Trust<'_>, path: &str) -> Option<Vec<u8>> {
    let base = trust.base();
    match base.revision {
        Some(revision) => base.read(revision, path).ok().map(|blob| blob.bytes),
        None => output::read_small(Path::new(path)),
    }
}

fn unknown(name: &str, named: &[String], seen: &NotFound) -> Failure {
    let shown = agent_strace_report::terminal;
    if let Some(waived) = &seen.waived {
        return Failure::new(format!("the finding `{name}` does not count: {}", shown(waived)))
            .hint("`agent-strace check --no-suppressions` lists and counts it");
    }
    let among = if named.is_empty() { "in the store" } else { "in these sessions" };
    let mut failure = Failure::new(format!("no finding {among} is called `{name}`, and no session either"));
    if let Some(near) = &seen.near {
        failure = failure.hint(format!("did you mean `{}`?", shown(near)));
    }
    let listed = |names: &[String]| names.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ");
    let more = if seen.more_sessions > 0 { format!(" and {} more", seen.more_sessions) } else { String::new() };
    failure = match seen.sessions.as_slice() {
        [] => failure.hint("no session was judged: `--session LOG` names one"),
        sessions => failure.hint(format!("judged were {}{more}; `--session LOG` names others", listed(sessions))),
    };
    if !seen.rules.is_empty() {
        failure = failure.hint(format!("these rules found something: {}", listed(&seen.rules)));
    }
    failure.hint("`agent-strace check` lists findings with their ids; with `--base` it lists those of a change, too")
}
