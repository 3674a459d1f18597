//! Judges a call that is about to run as `check` would.

use std::path::Path;

use super::super::Streams;
use super::super::args::GateArgs;
use super::super::environment::Environment;
use super::super::failure::Failure;
use super::super::gate::{GateCommand, GateRequest, LintMode};
use super::super::judge_config::JudgeConfig;
use super::super::recording::EnforceArgs;
use super::super::trust::Trust;
use super::super::work_tree::DiskTree;
use super::{HookArgs, ended};
use agent_strace_effects::{Approval, LookedAt};
use agent_strace_engine::{FailOn, Judging, Moment, SessionOutcome, Share, TreeLook};
use agent_strace_ingest::{Log, StoreEntry};
use agent_strace_live::hook_events::{Decision, REFUSAL};
use agent_strace_model::GapKind;
use agent_strace_model::finding::{Family, Finding, Level, RuleId, VerdictImpact};
use agent_strace_rules::private::{Exposed, Wanted};
use agent_strace_secrets::redact;
use agent_strace_store::live::{Judged, Watched};

/// The verdict on a call.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) decision: Decision,
    /// One line, without anything private.
    pub(super) reason: String,
    pub(super) judged: Vec<Judged>,
    pub(super) policy_sha256: Option<String>,
    /// What is looked at once more when the call ends.
    pub(super) watched: Option<Watched>,
    /// The directories of the work tree that were looked at.
    pub(super) looks: Vec<LookedAt>,
}

impl Verdict {
    /// The verdict on a call that could not be judged.
    pub(super) fn none(is_denied: bool) -> Self {
        let decision = if is_denied { Decision::Deny } else { Decision::Pass };
        Self {
            decision,
            reason: String::new(),
            judged: Vec::new(),
            policy_sha256: None,
            watched: None,
            looks: Vec::new(),
        }
    }
}

/// A person has to approve it.
const APPROVAL: RuleId = RuleId::ScopeApproval;

/// A recorded call that waits for its verdict.
pub(super) struct PendingCall<'c> {
    /// The folder of the project.
    pub(super) root: &'c Path,
    /// The folder of the session in the store.
    pub(super) session: &'c Path,
    /// The recording of the session.
    pub(super) recorded: Vec<u8>,
    /// The event of the call.
    pub(super) number: u32,
    /// The line of this event before redaction.
    pub(super) line: &'c str,
}

/// Judges the call before it runs.
pub(super) fn call(
    args: &HookArgs,
    call: PendingCall<'_>,
    approval: Approval,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Verdict, Failure> {
    let (number, line, session, root) = (call.number, call.line, call.session, call.root);
    let gate = GateArgs::of_call(&args.by, args.allow_no_policy, args.now);
    let Looked { mut outcome, config } = look(&gate, call, Moment::Before(approval), environment, streams)?;
    let watched = watched(&args.by, root, session, &config, &outcome);
    if let Some(wanted) = &config.private {
        outcome.findings.extend(private(
            session,
            line,
            Judging { work_tree: None, ..config.judging() },
            wanted,
            number,
        )?);
    }
    let outcome = agent_strace_engine::conclude(&config.policy, vec![outcome], Vec::new(), &config.settings);
    let sha256 = outcome.policy.as_ref().map(|policy| policy.sha256.clone());
    let found = outcome.sessions.iter().flat_map(|session| &session.findings);
    let mut found: Vec<&Finding> = found.filter(|finding| is_of(finding, number)).collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    let verdict = verdict(&found, config.settings.fail_on, sha256);
    let looks = outcome.work_tree.map(|tree| tree.looks).unwrap_or_default();
    Ok(Verdict { watched, looks, ..verdict })
}

/// A judged call, and what judged it.
pub(super) struct Looked {
    pub(super) outcome: SessionOutcome,
    config: JudgeConfig,
}

/// What was seen of the work tree, if anybody looked at it.
fn watched(
    by: &EnforceArgs,
    root: &Path,
    session: &Path,
    config: &JudgeConfig,
    outcome: &SessionOutcome,
) -> Option<Watched> {
    config.settings.work_tree.as_ref().filter(|tree| !tree.looks().is_empty())?;
    let files = ended::digests(root, session, outcome.watched.iter().map(String::as_str));
    let seen = outcome.seen.clone();
    Some(Watched { policy: by.policy.clone(), policy_ref: by.policy_ref.clone(), seen, files })
}

/// Judges the call with a look at the work tree.
pub(super) fn look(
    gate: &GateArgs,
    PendingCall { root, session, recorded, number, line }: PendingCall<'_>,
    moment: Moment,
    environment: Environment,
    streams: &mut Streams<'_>,
) -> Result<Looked, Failure> {
    // Paths of the policy and its settings are relative to the project.
    std::env::set_current_dir(root)
        .map_err(|error| Failure::new(format!("can't go to the project: {}", super::super::failure::reason(&error))))?;
    let trust = Trust::establish(gate, environment)?;
    // A work tree that can't be looked at settles nothing. In CI nobody looks.
    let work_tree = if environment.ci { None } else { DiskTree::at(root).ok() };
    let request = GateRequest {
        lints: LintMode::WhereConfigured,
        work_tree: work_tree.as_ref(),
        ..GateRequest::new(GateCommand::Hook, gate)
    };
    let config = JudgeConfig::load_complete(request, trust.base(), environment, streams)?;
    let work_tree = config.settings.work_tree.as_deref().map(|tree| TreeLook { tree, moment });
    let judging = Judging { pending_call: Some(number), work_tree, ..config.judging() };
    let outcome = judged(&entry(session), before(recorded, number, line), judging, None)?;
    Ok(Looked { outcome, config })
}

/// Findings about this call that count by their level. Missing evidence is not held against it.
fn is_of(finding: &Finding, number: u32) -> bool {
    finding.is_of(number) && finding.impact == VerdictImpact::ByLevel
}

fn verdict(found: &[&Finding], fail_on: FailOn, policy_sha256: Option<String>) -> Verdict {
    let fails = |finding: &&&Finding| matches!(fail_on, FailOn::Level(level) if finding.level >= level);
    let failing: Vec<&&Finding> = found.iter().filter(fails).collect();
    let worth_saying: Vec<&&Finding> = found.iter().filter(|finding| finding.level > Level::Note).collect();
    let (decision, told) = match (failing.as_slice(), worth_saying.as_slice()) {
        ([], []) => (Decision::Pass, Vec::new()),
        ([], told) => (Decision::Context, told.to_vec()),
        (failing, _) if failing.iter().all(|finding| finding.rule == APPROVAL) => (Decision::Ask, failing.to_vec()),
        (failing, _) => (Decision::Deny, failing.to_vec()),
    };
    let judged = found.iter().map(|finding| Judged {
        rule: finding.rule.to_string(),
        level: finding.level.name().to_owned(),
        message: redact(&finding.message).as_str().to_owned(),
        pointer: finding.policy.as_ref().map(|location| location.pointer.clone()),
        fingerprint: finding.fingerprint.clone(),
    });
    let (reason, judged) = (reason(decision, &told), judged.collect());
    Verdict { decision, reason, judged, policy_sha256, watched: None, looks: Vec::new() }
}

/// The reason for agents and users: the finding, the policy entry, and the way out.
fn reason(decision: Decision, told: &[&&Finding]) -> String {
    const MOST: usize = 5;
    let one = |finding: &&&Finding| {
        let location = finding.policy.as_ref().map(|location| format!(" ({})", location.pointer)).unwrap_or_default();
        format!("{}: {}{location}", finding.rule, redact(&finding.message).as_str())
    };
    let mut said: Vec<String> = told.iter().take(MOST).map(one).collect();
    if told.len() > MOST {
        said.push(format!("and {} more", told.len() - MOST));
    }
    let head = match decision {
        Decision::Deny => format!("{REFUSAL} does not allow this call"),
        Decision::Ask => format!("{REFUSAL} asks for an approval of this call"),
        Decision::Context | Decision::Pass => "agent-strace: about this call".to_owned(),
    };
    if said.is_empty() { String::new() } else { format!("{head}: {}", said.join("; ")) }
}

/// The entry of the session in the store, as readers of the store get it.
pub(in crate::cli) fn entry(folder: &Path) -> StoreEntry {
    let id = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let meta = std::fs::read(folder.join("meta.json"))
        .map_err(|error| GapKind::unreadable(super::super::failure::reason(&error)));
    StoreEntry::in_memory(id, meta)
}

/// The recording before the event, and the event itself.
fn before(mut recorded: Vec<u8>, number: u32, line: &str) -> Vec<u8> {
    let (mut earlier, mut end) = (number.saturating_sub(1), 0);
    for at in memchr::memchr_iter(b'\n', &recorded).chain([recorded.len()]) {
        if earlier == 0 {
            break;
        }
        // Empty lines are no events, whoever wrote them.
        let is_event = recorded.get(end..at).is_some_and(|line| !line.trim_ascii().is_empty());
        earlier -= u32::from(is_event);
        end = (at + 1).min(recorded.len());
    }
    recorded.truncate(end);
    if !recorded.is_empty() && !recorded.ends_with(b"\n") {
        recorded.push(b'\n');
    }
    recorded.extend_from_slice(line.as_bytes());
    recorded.push(b'\n');
    recorded
}

fn judged(
    entry: &StoreEntry,
    bytes: Vec<u8>,
    judging: Judging<'_>,
    wanted: Option<&Wanted>,
) -> Result<SessionOutcome, Failure> {
    let mut log = Log::new("events.ndjson", bytes);
    log.store = Some(entry.clone());
    let reading = log.read();
    let Some(session) = reading.sessions.first() else {
        return Err(Failure::new("what was recorded of the session can't be read"));
    };
    let exposed = match wanted {
        None => None,
        Some(wanted) => {
            let searched =
                agent_strace_engine::guarded(session, || Exposed::of(wanted, log.bytes(), None, &reading.sessions));
            let searched = searched.map_err(|gap| Failure::new(gap.reason()))?;
            Some(
                searched
                    .map_err(|error| Failure::new(agent_strace_engine::not_searched(&log.shown, &error).reason()))?,
            )
        }
    };
    let exposed = exposed.as_ref().map(|exposed| Share { exposed, at: 0 });
    let outcome = agent_strace_engine::judge_by(session, reading.gaps.clone(), Judging { exposed, ..judging });
    if let Some(reason) = outcome.unjudged() {
        return Err(Failure::new(reason.to_owned()));
    }
    Ok(outcome)
}

/// Private data in the call itself. The rest of the session was searched earlier.
fn private(
    folder: &Path,
    line: &str,
    judging: Judging<'_>,
    wanted: &Wanted,
    number: u32,
) -> Result<Vec<Finding>, Failure> {
    let outcome = judged(&entry(folder), format!("{line}\n").into_bytes(), judging, Some(wanted))?;
    let is_private =
        |finding: &Finding| finding.rule.family() == Family::Secret || finding.rule.family() == Family::Pii;
    let renumbered = |finding: Finding| Finding { event: number, line: number, ..finding };
    Ok(outcome.findings.into_iter().filter(is_private).filter(|finding| finding.event == 1).map(renumbered).collect())
}
