//! The redacted view of an outcome: all that renderers get.

use std::collections::BTreeMap;

use super::activity::ShownActivity;
use super::change::{AfterMerge, ShownChange};
use super::command_line::RunOptions;
pub(crate) use super::finding::ShownEffect;
pub(super) use super::finding::ShownFinding;
use super::ids::ShortIds;
pub(crate) use super::location::ShownLocation;
use super::session::{ShownProof, ShownWho};
pub(super) use super::waived::{ShownUse, ShownWaived};
use super::work_tree::ShownTree;
use agent_strace_engine::{Entry, FailOn, Outcome, SessionOutcome, Verdict};
use agent_strace_model::finding::{Finding, Level, VerdictImpact};
use agent_strace_model::{Gap, Status};
use agent_strace_policy::hooks::Manifest;
use agent_strace_policy::{Decision, Extended, PolicyIdentity, WaiverOrigin};
use agent_strace_secrets::{Known, Redacted, redact};

/// What was judged and found, fit to be shown once it is escaped.
#[derive(Debug)]
pub struct Report {
    pub(super) verdict: Verdict,
    pub(super) policy: Option<ShownPolicy>,
    pub(super) manifests: Vec<ShownManifest>,
    pub(super) sessions: Vec<ShownSession>,
    /// Of the whole run: inputs that did not become a session first, then the sessions'.
    pub(super) gaps: Vec<ShownGap>,
    /// About the change, not about a session.
    pub(super) of_change: Vec<ShownFinding>,
    pub(super) change: Option<ShownChange>,
    pub(super) work_tree: Option<ShownTree>,
    /// About the run, not about a session: what exceptions and suppressions themselves are worth reporting.
    pub(super) remarks: Vec<ShownFinding>,
    /// Findings that do not count.
    pub(super) waived: Vec<ShownWaived>,
    /// Exceptions and suppressions that were used.
    pub(super) uses: Vec<ShownUse>,
    /// The short names of the findings of this report.
    pub(super) ids: ShortIds,
    /// The options of the run, for commands that lead to the same answer.
    pub(super) called_with: RunOptions,
    stale: usize,
    fail_on: FailOn,
}

#[derive(Debug)]
pub(super) struct ShownPolicy {
    pub(super) path: Redacted,
    pub(super) revision: Option<Redacted>,
    pub(super) sha256: String,
    pub(super) version: u32,
    pub(super) extends: Vec<ShownExtended>,
}

/// A hook policy of an agent runtime.
#[derive(Debug)]
pub(super) struct ShownManifest {
    pub(super) path: Redacted,
    pub(super) sha256: String,
}

/// A file that the policy extends.
#[derive(Debug)]
pub(super) struct ShownExtended {
    pub(super) path: Redacted,
    pub(super) sha256: String,
    pub(super) role: &'static str,
}

#[derive(Debug)]
pub(super) struct ShownSession {
    pub(super) id: Redacted,
    pub(super) agent: Redacted,
    pub(super) source: Redacted,
    pub(super) parent: Option<Redacted>,
    pub(super) events: usize,
    pub(super) tool_calls: usize,
    pub(super) judged: usize,
    pub(super) effects: usize,
    pub(super) opaque: usize,
    pub(super) attempts: usize,
    pub(super) unknown_records: u32,
    pub(super) who: ShownWho,
    pub(super) proof: ShownProof,
    pub(super) verdict: Verdict,
    /// The base of the change that is judged has its log already.
    pub(super) is_of_base: bool,
    pub(super) findings: Vec<ShownFinding>,
    pub(super) gaps: Vec<ShownGap>,
    pub(super) activity: ShownActivity,
    pub(super) entries: Vec<ShownEntry>,
}

#[derive(Debug)]
pub(super) struct ShownGap {
    pub(super) file: Redacted,
    pub(super) line: Option<u32>,
    pub(super) kind: &'static str,
    pub(super) reason: Redacted,
}

#[derive(Debug)]
pub(super) struct ShownEntry {
    pub(super) event: u32,
    pub(super) tool: Redacted,
    pub(super) status: Status,
    pub(super) effect: ShownEffect,
    pub(super) decision: Decision,
    pub(super) reason: Redacted,
    pub(super) sensitive: bool,
    /// What stands against it does not count.
    pub(super) waived: bool,
}

impl Report {
    /// Takes the outcome apart: there may be very many findings, and nobody needs them twice.
    pub fn new(outcome: Outcome) -> Self {
        let Outcome { policy, manifests, sessions, gaps, verdict, .. } = outcome;
        let Outcome { of_change, change, work_tree, remarks, waived, uses, stale, fail_on, .. } = outcome;
        let gaps = gaps.iter().chain(sessions.iter().flat_map(|session| &session.gaps)).map(ShownGap::new).collect();
        let mut of_sessions: BTreeMap<usize, Vec<&Finding>> = BTreeMap::new();
        for waived in &waived {
            of_sessions.entry(waived.session).or_default().push(&waived.finding);
        }
        let secrets: Vec<Known> = sessions.iter().map(|session| session.secrets.clone()).collect();
        let sessions = sessions.into_iter().enumerate().map(|(index, session)| {
            let waived = of_sessions.get(&index).map(Vec::as_slice).unwrap_or_default();
            let is_of_base = change.as_ref().is_some_and(|change| change.settled.contains(&session.source));
            ShownSession { is_of_base, ..ShownSession::new(session, waived) }
        });
        let report = Self {
            verdict,
            policy: policy.as_ref().map(ShownPolicy::new),
            manifests: manifests.iter().map(ShownManifest::new).collect(),
            gaps,
            sessions: sessions.collect(),
            of_change: of_change.into_iter().map(ShownFinding::of_run).collect(),
            change: change.as_deref().map(ShownChange::new),
            work_tree: work_tree.as_ref().map(ShownTree::new),
            remarks: remarks.into_iter().map(ShownFinding::of_run).collect(),
            waived: waived
                .into_iter()
                .map(|waived| {
                    let secrets = secrets.get(waived.session);
                    ShownWaived::new(waived, &uses, secrets)
                })
                .collect(),
            ids: ShortIds::default(),
            called_with: RunOptions::default(),
            stale,
            fail_on,
            uses: uses.iter().filter(|used| used.uses > 0).map(ShownUse::new).collect(),
        };
        let ids = ShortIds::new(report.findings().map(|(_, finding)| finding.fingerprint.as_str()));
        Self { ids, ..report }
    }

    /// With what will judge once the change is merged.
    pub fn after_merge(mut self, after_merge: AfterMerge) -> Self {
        if let Some(change) = &mut self.change {
            change.after_merge = Some(after_merge);
        }
        self
    }

    pub fn called_with(self, called_with: RunOptions) -> Self {
        Self { called_with, ..self }
    }

    /// Everything that counts, with its session where it is about one.
    pub(super) fn findings(&self) -> impl Iterator<Item = (Option<&ShownSession>, &ShownFinding)> {
        let of_sessions = self
            .sessions
            .iter()
            .flat_map(|session| session.findings.iter().map(move |finding| (Some(session), finding)));
        let about_none = self.of_change.iter().chain(&self.remarks);
        of_sessions.chain(about_none.map(|finding| (None, finding)))
    }

    /// Findings that an exception or a suppression waived.
    pub(super) fn waived_by(&self, origin: WaiverOrigin) -> usize {
        self.uses.iter().filter(|used| used.origin == origin).map(|used| used.uses).sum()
    }

    /// Entries of the baseline that no finding of this run matched.
    pub fn stale(&self) -> usize {
        self.stale
    }

    /// Findings that the baseline knows.
    pub(super) fn baselined(&self) -> usize {
        self.waived.iter().filter(|waived| waived.by.is_none()).count()
    }

    /// The file of a location of the policy; empty where no file judged.
    pub(super) fn file<'a>(&'a self, location: &'a ShownLocation) -> &'a str {
        location.file(self.policy.as_ref().map_or("", |policy| policy.path.as_str()))
    }

    /// The file that a finding about no session stands in: of the change from the top of the repository.
    pub(super) fn file_of<'a>(&'a self, finding: &'a ShownFinding) -> &'a str {
        match &finding.file {
            Some(file) => file.as_str(),
            None => finding.policy.as_ref().map_or("", |location| self.file(location)),
        }
    }

    /// Findings that count by this level.
    pub(super) fn count(&self, level: Level) -> usize {
        self.findings().filter(|(_, finding)| finding.counts_as(level)).count()
    }

    /// Findings of missing evidence.
    pub(super) fn incomplete(&self) -> usize {
        self.findings().filter(|(_, finding)| finding.is_incomplete()).count()
    }

    /// It failed the run.
    pub(super) fn fails(&self, finding: &ShownFinding) -> bool {
        match self.fail_on {
            FailOn::Never => false,
            FailOn::Level(level) => finding.impact == VerdictImpact::ByLevel && finding.level >= level,
        }
    }

    pub(super) fn sum(&self, part: impl Fn(&ShownSession) -> usize) -> usize {
        self.sessions.iter().map(part).sum()
    }

    pub fn exit_code(&self) -> u8 {
        match self.verdict {
            Verdict::Pass => 0,
            Verdict::Fail => 1,
            Verdict::Incomplete => 3,
        }
    }
}

impl ShownPolicy {
    fn new(policy: &PolicyIdentity) -> Self {
        Self {
            path: redact(&policy.path),
            revision: policy.revision.as_deref().map(redact),
            sha256: policy.sha256.clone(),
            version: policy.version,
            extends: policy.extends.iter().map(ShownExtended::new).collect(),
        }
    }
}

impl ShownManifest {
    fn new(manifest: &Manifest) -> Self {
        Self { path: redact(&manifest.path), sha256: manifest.sha256.clone() }
    }
}

impl ShownExtended {
    fn new(extended: &Extended) -> Self {
        Self { path: redact(&extended.path), sha256: extended.sha256.clone(), role: extended.role.name() }
    }
}

impl ShownSession {
    fn new(session: SessionOutcome, waived: &[&Finding]) -> Self {
        let secrets = &session.secrets;
        Self {
            who: ShownWho::new(&session),
            proof: ShownProof::new(&session),
            id: redact(session.id),
            agent: redact(session.agent),
            source: redact(session.source),
            parent: session.parent.map(redact),
            events: session.events,
            tool_calls: session.tool_calls,
            judged: session.judged,
            effects: session.effects,
            opaque: session.opaque,
            attempts: session.attempts,
            unknown_records: session.unknown_records,
            verdict: session.verdict,
            is_of_base: false,
            findings: session.findings.into_iter().map(|finding| ShownFinding::new(finding, secrets)).collect(),
            gaps: session.gaps.iter().map(ShownGap::new).collect(),
            activity: ShownActivity::new(&session.activity, secrets),
            entries: session.entries.iter().map(|entry| ShownEntry::new(entry, waived, secrets)).collect(),
        }
    }
}

impl ShownGap {
    pub(super) fn new(gap: &Gap) -> Self {
        Self { file: redact(&gap.file), line: gap.line, kind: gap.kind.name(), reason: redact(gap.reason()) }
    }
}

impl ShownEntry {
    fn new(entry: &Entry, waived: &[&Finding], secrets: &Known) -> Self {
        let view = entry.effect.view();
        let is_own = |finding: &&&Finding| {
            (finding.event, finding.rule) == (entry.event, entry.rule) && finding.effect.as_deref() == Some(&view)
        };
        Self {
            event: entry.event,
            tool: redact(&entry.tool),
            status: entry.status,
            waived: waived.iter().any(|finding| is_own(&finding)),
            effect: ShownEffect::new(view, secrets),
            decision: entry.decision,
            reason: secrets.redact(&entry.reason),
            sensitive: entry.sensitive,
        }
    }
}
