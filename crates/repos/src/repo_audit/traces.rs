//! The evidence that tools are in use, collected while a repository is read.

use std::collections::{BTreeMap, BTreeSet};

use super::approval::{Approvals, Whereabouts};
use super::hit::{Location, Origin};
use super::tables::{Confidence, SignalId, Tables, Tool};

/// Different pieces of evidence that are told of one signal; the others are counted.
const TOLD: usize = 10;
/// And those that are looked at, so that neither the order of commits nor a thousand authors decides.
const KEPT: usize = 5_000;

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The kind of its signal.
    pub signal: &'static str,
    pub confidence: Confidence,
    pub surface: Option<String>,
    /// What was found: text of the repository.
    pub text: String,
    /// Where it was found: of commits the newest.
    pub location: Location,
    /// When, of commits: seconds since 1970.
    pub seconds: Option<i64>,
    /// The author of the commit, where it is one.
    pub author: Option<String>,
    /// How often it was found.
    pub count: u64,
    pub approved: bool,
}

impl Evidence {
    /// What tells it from others of its tool, whichever signal found it.
    fn identity(&self) -> (&'static str, String, Option<String>, bool) {
        (self.signal, self.text.clone(), self.location.file.clone(), self.approved)
    }

    /// The newest commit speaks for all that say the same, in whatever order they come.
    fn renew(&mut self, trace: &Trace<'_>) {
        if (trace.seconds, &trace.location) > (self.seconds, &self.location) && trace.seconds.is_some() {
            self.location = trace.location.clone();
            self.seconds = trace.seconds;
            self.author = trace.author.map(str::to_owned);
        }
    }
}

/// A tool that left traces.
#[derive(Debug)]
pub struct Detected {
    pub tool: &'static Tool,
    /// Of its best evidence.
    pub confidence: Confidence,
    /// The best first.
    pub evidence: Vec<Evidence>,
    /// Pieces that are not kept.
    pub left_out: u64,
}

/// Where a trace is, as it was found.
#[derive(Debug)]
pub(super) struct Trace<'t> {
    pub(super) text: &'t str,
    pub(super) location: Location,
    pub(super) author: Option<&'t str>,
    pub(super) seconds: Option<i64>,
    /// The files that it is about; `None` where nobody can tell.
    pub(super) files: Whereabouts<'t>,
}

/// What was found of all tools.
#[derive(Debug)]
pub(super) struct Traces<'a> {
    tables: &'static Tables,
    approvals: &'a Approvals,
    /// By signal, and whether it is approved.
    found: BTreeMap<(SignalId, bool), Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// By their text, and the file where that is about one.
    pieces: BTreeMap<(String, Option<String>), Evidence>,
    left_out: u64,
}

impl<'a> Traces<'a> {
    pub(super) fn new(tables: &'static Tables, approvals: &'a Approvals) -> Self {
        Self { tables, approvals, found: BTreeMap::new() }
    }

    /// Takes note of a trace.
    pub(super) fn add(&mut self, id: SignalId, trace: &Trace<'_>) {
        let Some((tool, signal)) = self.tables.signal(id) else { return };
        let approved = self.approvals.covers_tool(tool, &trace.files);
        let kept = self.found.entry((id, approved)).or_default();
        let key = (trace.text.to_owned(), trace.location.file.clone());
        if let Some(known) = kept.pieces.get_mut(&key) {
            known.count += 1;
            known.renew(trace);
            return;
        }
        if kept.pieces.len() >= KEPT {
            kept.left_out += 1;
            return;
        }
        let confidence = match (signal.confidence, &trace.location.origin) {
            // Whoever can write into a work tree can make it; it is no part of the repository.
            (Confidence::Confirmed, Origin::Worktree) => Confidence::Likely,
            (confidence, _) => confidence,
        };
        let evidence = Evidence {
            signal: signal.form.name(),
            confidence,
            surface: signal.surface.clone(),
            text: trace.text.to_owned(),
            location: trace.location.clone(),
            author: trace.author.map(str::to_owned),
            seconds: trace.seconds,
            count: 1,
            approved,
        };
        kept.pieces.insert(key, evidence);
    }

    /// By the id of the tool.
    pub(super) fn finish(self) -> Vec<Detected> {
        let mut by_tool: BTreeMap<usize, Detected> = BTreeMap::new();
        for ((id, _), kept) in self.found {
            let Some(tool) = self.tables.tools().get(id.tool) else { continue };
            let detected = by_tool.entry(id.tool).or_insert_with(|| Detected {
                tool,
                confidence: Confidence::Weak,
                evidence: Vec::new(),
                left_out: 0,
            });
            let mut pieces: Vec<Evidence> = kept.pieces.into_values().collect();
            pieces.sort_by(|left, right| order(left).cmp(&order(right)));
            detected.left_out += kept.left_out + pieces.len().saturating_sub(TOLD) as u64;
            pieces.truncate(TOLD);
            detected.evidence.extend(pieces);
        }
        let mut all: Vec<Detected> = by_tool.into_values().collect();
        for detected in &mut all {
            detected.evidence.sort_by(|left, right| order(left).cmp(&order(right)));
            // Of several signals that say the same of the same text, the surest speaks.
            let mut known = BTreeSet::new();
            detected.evidence.retain(|evidence| known.insert(evidence.identity()));
            detected.confidence =
                detected.evidence.iter().map(|evidence| evidence.confidence).max().unwrap_or(Confidence::Weak);
        }
        all.sort_by(|left, right| left.tool.id.cmp(&right.tool.id));
        all
    }
}

/// What is sure before what is not, what is there now before what was.
fn order(evidence: &Evidence) -> impl Ord + '_ {
    (
        std::cmp::Reverse(evidence.confidence),
        !matches!(evidence.location.origin, Origin::Head),
        evidence.signal,
        std::cmp::Reverse(evidence.seconds),
        &evidence.text,
        &evidence.location,
    )
}
