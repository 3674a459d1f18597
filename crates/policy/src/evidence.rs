//! How much missing evidence weighs: the key `evidence`.
//!
//! The policy comes from the base branch and may say how much each kind of missing evidence weighs. Two of them can't be
//! weighed down: what nobody could read nobody judged, and no policy makes a pass of it.

use std::collections::BTreeMap;

use agent_strace_model::finding::{Level, PolicyLocation, RuleId};

/// What a finding about evidence does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// It is not reported.
    Off,
    /// It counts like any other finding of this level.
    Level(Level),
    /// The verdict is no pass, whatever `--fail-on` says.
    Incomplete,
}

impl Weight {
    pub(super) const NAMES: &[&str] = &["off", "note", "warning", "error", "incomplete"];

    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "off" => Self::Off,
            "note" => Self::Level(Level::Note),
            "warning" => Self::Level(Level::Warning),
            "error" => Self::Level(Level::Error),
            "incomplete" => Self::Incomplete,
            _ => return None,
        })
    }

    /// As a level, where one has to be told.
    pub fn level(self) -> Level {
        match self {
            Self::Off => Level::Note,
            Self::Level(level) => level,
            Self::Incomplete => Level::Warning,
        }
    }

    /// An error fails; what is incomplete is no pass whatever the threshold.
    fn strictness(self) -> u8 {
        match self {
            Self::Off => 0,
            Self::Level(Level::Note) => 1,
            Self::Level(Level::Warning) => 2,
            Self::Incomplete => 3,
            Self::Level(Level::Error) => 4,
        }
    }

    /// It keeps a verdict from being a pass, or at least from passing by default.
    pub(super) fn closes(self) -> bool {
        matches!(self, Self::Incomplete | Self::Level(Level::Error))
    }
}

/// The rules about evidence and about what sessions account for, sorted, and what they weigh where the policy does not say.
///
/// What means that calls may exist that nobody judged is incomplete. What the agent's host does to its own conversation
/// while all calls stay on record takes nothing away from a verdict: it is counted in reports, and a finding only where
/// the policy wants one.
pub(crate) const DEFAULTS: &[(RuleId, Weight)] = &[
    (RuleId::CoverageForeignSession, Weight::Level(Level::Warning)),
    (RuleId::CoverageNoSession, Weight::Level(Level::Error)),
    (RuleId::CoverageUnexplainedChange, Weight::Level(Level::Note)),
    (RuleId::CoverageUnmergedWrite, Weight::Level(Level::Note)),
    (RuleId::EvidenceChain, Weight::Level(Level::Error)),
    (RuleId::EvidenceCompacted, Weight::Off),
    (RuleId::EvidenceCounts, Weight::Incomplete),
    (RuleId::EvidenceLevel, Weight::Level(Level::Error)),
    (RuleId::EvidenceMissingSubagent, Weight::Incomplete),
    (RuleId::EvidenceNoCalls, Weight::Incomplete),
    (RuleId::EvidenceRedacted, Weight::Level(Level::Warning)),
    (RuleId::EvidenceRemoved, Weight::Incomplete),
    (RuleId::EvidenceRewound, Weight::Off),
    (RuleId::EvidenceTruncated, Weight::Incomplete),
    (RuleId::EvidenceUnanswered, Weight::Off),
    (RuleId::EvidenceUnknownRecords, Weight::Off),
    (RuleId::EvidenceUnreadable, Weight::Incomplete),
];

/// What was not read was not judged: these stay at least incomplete.
pub(super) const NEVER_OPEN: &[RuleId] = &[RuleId::EvidenceTruncated, RuleId::EvidenceUnreadable];

/// How far a log can be trusted not to have been changed by whom it speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Whoever wrote the change could write the log.
    Committed,
    /// Its chain of digests is intact, or the job that judges also ran the agent.
    Chained,
    /// Another job of this run produced it.
    Produced,
    /// Who calls the gate verified an attestation of it: who produced it is proven.
    Attested,
}

impl Grade {
    /// The names a policy may demand.
    pub(super) const NAMES: &[&str] = &["E0", "E1", "E2", "E3"];

    pub(super) fn named(name: &str) -> Option<Self> {
        [Self::Committed, Self::Chained, Self::Produced, Self::Attested].into_iter().find(|grade| grade.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Committed => "E0",
            Self::Chained => "E1",
            Self::Produced => "E2",
            Self::Attested => "E3",
        }
    }
}

/// What a policy says about evidence.
#[derive(Debug, Clone, Default)]
pub struct EvidenceRules {
    pub(super) minimum: Option<(Grade, PolicyLocation)>,
    pub(super) weights: BTreeMap<RuleId, (Weight, PolicyLocation)>,
    /// Other names of the repository.
    pub(super) repositories: Vec<String>,
}

impl EvidenceRules {
    /// Takes over from a base what this one does not state.
    pub(super) fn inherit(&mut self, base: Self) {
        self.minimum = self.minimum.take().or(base.minimum);
        for (rule, weight) in base.weights {
            self.weights.entry(rule).or_insert(weight);
        }
        if self.repositories.is_empty() {
            self.repositories = base.repositories;
        }
    }

    /// The stricter demand of the two counts, rule by rule.
    pub(super) fn narrow(&mut self, floor: &Self) {
        if let Some((grade, location)) = &floor.minimum
            && self.minimum.as_ref().is_none_or(|(own, _)| own < grade)
        {
            self.minimum = Some((*grade, location.clone()));
        }
        for (rule, (weight, location)) in &floor.weights {
            if weight.strictness() > self.weight(*rule).0.strictness() {
                self.weights.insert(*rule, (*weight, location.clone()));
            }
        }
        // They say what a repository is called, and demand nothing.
        self.repositories.extend(floor.repositories.iter().cloned());
    }

    /// The least grade that every log has to have.
    pub fn minimum(&self) -> Option<(Grade, &PolicyLocation)> {
        self.minimum.as_ref().map(|(grade, location)| (*grade, location))
    }

    /// Addresses or names that the repository has beside those of its remotes, such as the one before it was renamed.
    pub fn repositories(&self) -> &[String] {
        &self.repositories
    }

    /// What the policy itself says that a rule weighs, and the entry that does.
    pub fn stated(&self, rule: RuleId) -> Option<(Weight, &PolicyLocation)> {
        self.weights.get(&rule).map(|(weight, location)| (*weight, location))
    }

    /// What a rule weighs, and the entry that says so.
    pub fn weight(&self, rule: RuleId) -> (Weight, Option<&PolicyLocation>) {
        if let Some((weight, location)) = self.stated(rule) {
            return (weight, Some(location));
        }
        let default = DEFAULTS.iter().find(|(known, _)| *known == rule);
        (default.map_or(Weight::Incomplete, |(_, weight)| *weight), None)
    }
}
