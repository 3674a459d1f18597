//! `policy diff`: what a change of the policy allows and denies newly.

use std::path::Path;

use clap::Args;
use serde_json::Value;

use super::super::Streams;
use super::super::args::PlainFormat;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::gate;
use super::super::output;
use super::super::policy_file::{self, PolicyWithJson};
use super::super::trust::TrustBase;
use super::history::{self, HistoryArgs, PastSessions};
use agent_strace_engine::JudgementCache;
use agent_strace_engine::backtest::{self, BacktestPolicy, Change, Comparison, Programs, Rules, Version};
use agent_strace_model::{Gap, Session};
use agent_strace_report::{DiffReport, Frame};

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  agent-strace policy diff .agent-scope.json new.json            in words, and on the whole store
  agent-strace policy diff new.json                              the policy of this directory, and new.json
  agent-strace policy diff origin/main:.agent-scope.json .agent-scope.json
  agent-strace policy diff --policy-ref origin/main              the same
  agent-strace policy diff --policy-ref origin/main --fail-on-widening    for CI: a change that allows more fails
  agent-strace policy diff old.json new.json logs/ --fail-on-new-blocks

Differences are listed entry by entry; an entry that another one covers changes nothing. An entry for a
command also vouches for code that the command starts: beside `npm` an entry `npm run build` allows
more. Whatever can't be shown to allow nothing new counts as a change that may allow more.";

#[derive(Debug, Args)]
pub(in crate::cli) struct DiffArgs {
    /// The policy as it is: a file, or `REV:PATH` in this repository, where PATH counts from this directory. Alone it is NEW, compared with the policy of this
    /// directory.
    #[arg(value_name = "OLD", required_unless_present_any = ["policy_ref", "policy"])]
    old: Option<String>,

    /// The policy as it would be.
    #[arg(value_name = "NEW")]
    new: Option<String>,

    /// Sessions: an id or an unambiguous prefix in the store, a log, a folder or an archive of logs of any agent,
    /// `git:REV[:PATH]`, `entire[:WHICH]`, or `-` [default: all in the store].
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,

    /// Compare the policy of this git revision with that of this directory. OLD and NEW are sessions then.
    #[arg(long, value_name = "REV")]
    policy_ref: Option<String>,

    /// With --policy-ref: which policy [default: .agent-scope.json]. Without: NEW, compared with the policy of this directory.
    #[arg(long, value_name = "FILE")]
    policy: Option<String>,

    #[command(flatten)]
    history: HistoryArgs,

    /// Exit code 1 if a call of the past would be blocked newly.
    #[arg(long)]
    fail_on_new_blocks: bool,

    /// Exit code 1 if the new policy may allow anything that the old one does not.
    #[arg(long)]
    fail_on_widening: bool,
}

pub(super) fn run(
    trace_dir: &Path,
    args: &DiffArgs,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let coloured = args.history.coloured(environment);
    let (old, new) = args.policies(coloured)?;
    let sessions = args.sessions();
    let past = args.history.select(trace_dir, &sessions, environment, streams)?;
    let days = past.days;
    let changes = backtest::changes(version(&old), version(&new));
    let (old_rules, new_rules) = (Rules::new(&old.policy), Rules::new(&new.policy));
    let (comparison, gaps) =
        compare(past, Side { stated: &old, rules: &old_rules }, Side { stated: &new, rules: &new_rules });
    let breaches = args.breaches(&changes, &comparison);
    // What the policies themselves say needs no session; what they would do to calls does.
    let lacking = comparison.sessions == 0 && (args.fail_on_new_blocks || !sessions.is_empty());
    let exit_code = history::exit_code(&breaches, &gaps, usize::from(!lacking));
    let frame = Frame { days, gaps: &gaps, breaches: &breaches, exit_code };
    let report = DiffReport {
        frame,
        old: (&old.policy, &old_rules),
        new: (&new.policy, &new_rules),
        changes: &changes,
        comparison: &comparison,
    };
    let text = match args.history.format {
        PlainFormat::Text => environment.fitted_rows(report.text(history::glyphs(environment))),
        PlainFormat::Json => report.json(),
    };
    output::print(streams.stdout, &text)?;
    history::tell(trace_dir, &gaps, usize::from(!lacking), streams);
    if comparison.sessions == 0 && !lacking {
        output::note(streams.stderr, "note: there are no sessions to try them on; only the policies were compared");
    }
    Ok(exit_code)
}

fn version(stated: &PolicyWithJson) -> Version<'_> {
    Version { policy: &stated.policy, plain: &stated.plain }
}

/// One of the two compared policies.
#[derive(Clone, Copy)]
struct Side<'s> {
    stated: &'s PolicyWithJson,
    rules: &'s Rules<'s>,
}

/// Judges every past session by both policies. Sessions that can't be read or judged are gaps.
fn compare(past: PastSessions, old: Side<'_>, new: Side<'_>) -> (Comparison, Vec<Gap>) {
    let (repository, gap) = gate::repository_by(&new.stated.policy, TrustBase::at(None));
    let programs = programs(&old.stated.plain, &new.stated.plain);
    let (before, after) = (JudgementCache::new(&old.stated.policy), JudgementCache::new(&new.stated.policy));
    let old = BacktestPolicy { cache: &before, rules: old.rules };
    let new = BacktestPolicy { cache: &after, rules: new.rules };
    let of_session = |session: &Session<'_>| {
        agent_strace_engine::guarded(session, || backtest::compare_session(session, old, new, &repository, programs))
    };
    let (comparisons, mut gaps) = past.inputs.all(of_session);
    gaps.extend(gap);
    let mut all = Comparison::default();
    for comparison in comparisons {
        match comparison {
            Ok(comparison) => all.add(comparison),
            Err(gap) => gaps.push(gap),
        }
    }
    (all, gaps)
}

/// The programs may also differ if the policies extend different ones. Effects depend on the files that may not be read, too.
fn programs(old: &Value, new: &Value) -> Programs {
    const KEYS: &[&str] = &["programs", "extends", "files", "labels", "rules", "agents"];
    if KEYS.iter().all(|key| old.get(key) == new.get(key)) { Programs::Shared } else { Programs::Own }
}

impl DiffArgs {
    fn policies(&self, coloured: bool) -> Result<(PolicyWithJson, PolicyWithJson), Failure> {
        if let Some(revision) = &self.policy_ref {
            // A change may add or delete the nearest policy: each side has its own.
            let old = policy_file::stated_by_ref(self.policy.as_deref(), revision, coloured)?;
            let new = policy_file::named_or_found(self.policy.as_deref());
            return Ok((old, policy_file::stated(&new, coloured)?));
        }
        let here = policy_file::found();
        self.refuse_revision_alone(&here)?;
        let (old, new) = match (&self.policy, &self.old, &self.new) {
            (Some(policy), ..) => (&here, policy),
            (None, Some(old), Some(new)) => (old, new),
            (None, Some(new), None) => (&here, new),
            (None, None, _) => {
                return Err(Failure::new("two policies are needed").hint("`agent-strace policy diff OLD NEW`"));
            }
        };
        Ok((policy_file::stated(old, coloured)?, policy_file::stated(new, coloured)?))
    }

    /// A revision is what most people compare with: as the new side it would turn widenings into their opposite unseen.
    fn refuse_revision_alone(&self, here: &str) -> Result<(), Failure> {
        let alone = self.policy.as_ref().or(self.old.as_ref().filter(|_| self.new.is_none()));
        let Some(alone) = alone.filter(|alone| self.fail_on_widening && policy_file::is_in_revision(alone)) else {
            return Ok(());
        };
        let failure = format!("`{alone}` alone would be the new policy, compared with `{here}` as the old one");
        let hint = format!("name both: `agent-strace policy diff {alone} {here} --fail-on-widening`");
        Err(Failure::new(failure).hint(hint))
    }

    /// Options that name the policies leave every other argument to sessions.
    fn sessions(&self) -> Vec<String> {
        let by_option = self.policy.is_some() || self.policy_ref.is_some();
        let before = self.old.iter().chain(&self.new).filter(|_| by_option);
        before.chain(&self.sessions).cloned().collect()
    }

    /// Thresholds that are not met.
    fn breaches(&self, changes: &[Change], comparison: &Comparison) -> Vec<String> {
        let mut breaches = Vec::new();
        let (blocks, removed) = (comparison.new_blocks.tool_calls, comparison.blocks_removed.tool_calls);
        if self.fail_on_new_blocks && blocks > 0 {
            breaches.push(format!("calls of the past that would be blocked newly: {blocks}"));
        }
        if self.fail_on_widening {
            let wider = changes.iter().filter(|change| change.direction.may_widen()).count();
            if wider > 0 {
                breaches.push(format!("changes that allow more, or may: {wider}"));
            }
            if removed > 0 {
                breaches.push(format!("calls of the past that would no longer be blocked: {removed}"));
            }
        }
        breaches
    }
}
