//! The summary of many repositories: the outcome for each, the differences of their policies, and the next steps.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use agent_strace_policy::Policy;
use agent_strace_report::{columns, terminal};
use agent_strace_secrets::redact;

use super::super::failure::Failure;
use super::BaseFile;

/// Differences in the text. JSON has all of them.
const MOST: usize = 12;
/// Names of repositories, or entries, in one line.
const NAMED: usize = 6;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) enum Outcome {
    Written,
    /// `--dry-run`: nothing was written.
    WouldWrite,
    /// What is there is what would have been written.
    Unchanged,
    /// Another policy is there, and stays.
    Kept,
    /// Too few sessions ran there to make a policy.
    NoSessions,
    Failed,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::WouldWrite => "would be written",
            Self::Unchanged => "unchanged",
            Self::Kept => "kept",
            Self::NoSessions => "no policy",
            Self::Failed => "failed",
        }
    }

    /// The repository has the policy, or would have it.
    fn is_done(self) -> bool {
        matches!(self, Self::Written | Self::WouldWrite | Self::Unchanged)
    }
}

/// One repository.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) struct Row {
    /// As it was named.
    pub(in crate::cli) repository: String,
    pub(in crate::cli) outcome: Outcome,
    /// The file of its policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) policy: Option<String>,
    /// Why it has no new policy, or what is missing in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) reason: Option<String>,
    /// Lines of its policy, without those of the base.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) lines: Option<usize>,
    /// `init`: the ecosystems that its files speak for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) ecosystems: Option<Vec<String>>,
    /// `policy`: what its policy was made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) sessions: Option<SessionCounts>,
    /// Logs or parts of them that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) gaps: Option<usize>,
    #[serde(skip)]
    pub(in crate::cli) hints: Vec<String>,
    /// What its policy states, with what it takes over from the base.
    #[serde(skip)]
    pub(in crate::cli) entries: Vec<String>,
    /// `--dry-run`: its policy.
    #[serde(skip)]
    pub(in crate::cli) text: Option<String>,
}

/// What sessions did, as far as a policy was made of it.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) struct SessionCounts {
    pub(in crate::cli) sessions: usize,
    pub(in crate::cli) calls: usize,
    /// Calls of these sessions that the policy does not allow.
    pub(in crate::cli) refused_calls: usize,
    /// Different acts in these calls: people decide about them.
    pub(in crate::cli) refused_acts: usize,
}

impl Row {
    pub(in crate::cli) fn new(repository: &str, outcome: Outcome) -> Self {
        Self {
            repository: repository.to_owned(),
            outcome,
            policy: None,
            reason: None,
            lines: None,
            ecosystems: None,
            sessions: None,
            gaps: None,
            hints: Vec::new(),
            entries: Vec::new(),
            text: None,
        }
    }

    pub(in crate::cli) fn failed(repository: &str, failure: &Failure) -> Self {
        let reason = redact(failure.full()).as_str().to_owned();
        let hints = failure.hints().to_vec();
        Self { reason: Some(reason), hints, ..Self::new(repository, Outcome::Failed) }
    }

    /// What a policy states, with what it takes over from the base.
    pub(in crate::cli) fn holding(mut self, policy: &Policy, text: &str) -> Self {
        self.lines = Some(text.lines().count());
        let named = policy.entries().map(|entry| {
            if entry.policy_rule.is_some() {
                return format!("rule {}", entry.name);
            }
            let list = entry.name.rsplit_once('[').map_or(entry.name.as_str(), |(list, _)| list);
            format!("{list} {}", redact(&entry.text).as_str())
        });
        self.entries = named.collect();
        self.entries.sort();
        self.entries.dedup();
        self
    }
}

/// Entries that the same repositories have, and others have not.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Difference<'r> {
    repositories: Vec<&'r str>,
    entries: Vec<&'r str>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "policies for many repositories"))]
struct Document<'r> {
    schema_version: u32,
    exit_code: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<&'r Base>,
    repositories: &'r [Row],
    differences: Vec<Difference<'r>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Base {
    file: String,
    outcome: Outcome,
    /// The name of its copy beside each policy.
    copy: String,
    sha256: String,
}

/// The outcomes of all repositories.
pub(in crate::cli) struct Summary {
    pub(in crate::cli) rows: Vec<Row>,
    /// What is to be done next.
    pub(in crate::cli) next: Vec<String>,
    /// Logs could not be read that may be about any of them.
    pub(in crate::cli) lacks_evidence: bool,
    about: About,
    base: Option<Base>,
}

/// The source of the policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum About {
    Ecosystems,
    Sessions,
}

impl Summary {
    pub(in crate::cli) fn new(about: About, base: Option<&BaseFile>) -> Self {
        let base = base.map(|base| Base {
            file: base.shown(),
            outcome: base.outcome(),
            copy: base.base.name().to_owned(),
            sha256: agent_strace_policy::digest(base.base.text().as_bytes()),
        });
        Self { rows: Vec::new(), next: Vec::new(), lacks_evidence: false, about, base }
    }

    /// A repository that failed weighs more than one without evidence.
    pub(super) fn exit_code(&self) -> u8 {
        let is_any = |wanted: &[Outcome]| self.rows.iter().any(|row| wanted.contains(&row.outcome));
        if is_any(&[Outcome::Failed, Outcome::Kept]) {
            2
        } else if self.lacks_evidence
            || is_any(&[Outcome::NoSessions])
            || self.rows.iter().any(|row| row.gaps.is_some())
        {
            3
        } else {
            0
        }
    }

    fn differences(&self) -> Vec<Difference<'_>> {
        let done: Vec<&Row> = self.rows.iter().filter(|row| row.outcome.is_done()).collect();
        let mut owners: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, row) in done.iter().enumerate() {
            row.entries.iter().for_each(|entry| owners.entry(entry).or_default().push(at));
        }
        let mut groups: BTreeMap<Vec<usize>, Vec<&str>> = BTreeMap::new();
        for (entry, owners) in owners.into_iter().filter(|(_, owners)| owners.len() < done.len()) {
            groups.entry(owners).or_default().push(entry);
        }
        let mut groups: Vec<(Vec<usize>, Vec<&str>)> = groups.into_iter().collect();
        groups.sort_by(|(one, _), (other, _)| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        let named = |owners: &[usize]| {
            owners.iter().filter_map(|at| done.get(*at)).map(|row| row.repository.as_str()).collect()
        };
        groups
            .iter()
            .map(|(owners, entries)| Difference { repositories: named(owners), entries: entries.clone() })
            .collect()
    }

    pub(super) fn json(&self) -> Result<String, Failure> {
        let document = Document {
            schema_version: 1,
            exit_code: self.exit_code(),
            base: self.base.as_ref(),
            repositories: &self.rows,
            differences: self.differences(),
        };
        let text = serde_json::to_string(&document);
        text.map(|text| text + "\n").map_err(|error| Failure::new(format!("the summary can't be written: {error}")))
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            if let Some(policy) = &row.text {
                let _ = writeln!(text, "{}:", terminal(row.policy.as_deref().unwrap_or(&row.repository)));
                policy.lines().for_each(|line| text.push_str(&(terminal(line) + "\n")));
                text.push('\n');
            }
        }
        self.table(&mut text);
        self.totals(&mut text);
        self.differing(&mut text);
        let mut hints: Vec<&String> = Vec::new();
        for hint in self.rows.iter().flat_map(|row| &row.hints) {
            if !hints.contains(&hint) {
                hints.push(hint);
            }
        }
        for hint in hints {
            let _ = writeln!(text, "hint: {}", terminal(redact(hint).as_str()));
        }
        for (number, step) in self.next.iter().enumerate() {
            let label = if number == 0 { "next: " } else { "      " };
            let _ = writeln!(text, "{label}{}. {}", number + 1, terminal(step));
        }
        text
    }

    fn table(&self, text: &mut String) {
        let counted = |number: Option<usize>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
        if self.about == About::Sessions {
            let mut rows = vec![["repository", "sessions", "calls", "refused", "lines", "policy"].map(str::to_owned)];
            rows.extend(self.rows.iter().map(|row| {
                let of = |of: fn(&SessionCounts) -> usize| counted(row.sessions.as_ref().map(of));
                [
                    terminal(&row.repository),
                    of(|counts| counts.sessions),
                    of(|counts| counts.calls),
                    of(|counts| counts.refused_calls),
                    counted(row.lines),
                    state(row),
                ]
            }));
            text.push_str(&columns(&rows));
        } else {
            let mut rows = vec![["repository", "ecosystems", "lines", "policy"].map(str::to_owned)];
            rows.extend(self.rows.iter().map(|row| {
                let ecosystems = row.ecosystems.as_ref().filter(|names| !names.is_empty());
                let ecosystems = ecosystems.map_or_else(|| "-".to_owned(), |names| names.join(", "));
                [terminal(&row.repository), ecosystems, counted(row.lines), state(row)]
            }));
            text.push_str(&columns(&rows));
        }
    }

    fn totals(&self, text: &mut String) {
        let mut counts: Vec<(Outcome, usize)> = Vec::new();
        for row in &self.rows {
            match counts.iter_mut().find(|(outcome, _)| *outcome == row.outcome) {
                Some((_, count)) => *count += 1,
                None => counts.push((row.outcome, 1)),
            }
        }
        let counts: Vec<String> = counts.iter().map(|(outcome, count)| format!("{count} {}", outcome.name())).collect();
        let repositories = if self.rows.len() == 1 { "repository" } else { "repositories" };
        let _ = writeln!(text, "\n{} {repositories}: {}", self.rows.len(), counts.join(", "));
        if let Some(base) = &self.base {
            let (file, copy) = (terminal(&base.file), terminal(&base.copy));
            let digest: String = base.sha256.chars().take(12).collect();
            let state = if base.outcome == Outcome::Unchanged { "used as it is" } else { base.outcome.name() };
            let _ = writeln!(text, "base: {file} (sha256 {digest}), {state}; each policy extends its copy {copy}");
        }
    }

    fn differing(&self, text: &mut String) {
        let differences = self.differences();
        let done = self.rows.iter().filter(|row| row.outcome.is_done()).count();
        if done < 2 {
            return;
        }
        if differences.is_empty() {
            let _ = writeln!(text, "\nAll {done} policies state the same.");
            return;
        }
        let _ = writeln!(text, "\nEntries that only some of the {done} policies have:");
        for difference in differences.iter().take(MOST) {
            let names = listed(&difference.repositories);
            let _ = writeln!(text, "  in {} ({}):", difference.repositories.len(), terminal(&names));
            let _ = writeln!(text, "    {}", terminal(&listed(&difference.entries)));
        }
        if differences.len() > MOST {
            let _ = writeln!(text, "  … and {} more groups; `--format json` lists all", differences.len() - MOST);
        }
    }
}

fn state(row: &Row) -> String {
    let reason = row.reason.as_ref().map_or_else(String::new, |reason| format!(": {}", terminal(reason)));
    format!("{}{reason}", row.outcome.name())
}

fn listed(names: &[&str]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let shown = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown}, … and {more} more") } else { shown }
}

#[cfg(test)]
mod tests {
    use agent_strace_testing::schemas::{keep, written};

    use super::{About, Outcome, Row, Summary};

    #[test]
    fn the_schema_is_that_of_the_types() {
        keep("policy-repositories.v1", &written::<super::Document<'static>>());
    }

    #[test]
    fn a_failure_weighs_more_than_missing_evidence() {
        let code = |outcomes: &[Outcome]| {
            let mut summary = Summary::new(About::Sessions, None);
            summary.rows = outcomes.iter().map(|outcome| Row::new("app", *outcome)).collect();
            summary.exit_code()
        };
        assert_eq!(code(&[Outcome::Written, Outcome::Unchanged, Outcome::WouldWrite]), 0);
        assert_eq!(code(&[Outcome::Written, Outcome::NoSessions]), 3);
        assert_eq!(code(&[Outcome::NoSessions, Outcome::Kept]), 2);
        assert_eq!(code(&[Outcome::Failed, Outcome::Written]), 2);
    }

    #[test]
    fn differences_are_grouped_by_the_repositories_that_have_them() {
        let row = |name: &str, entries: &[&str]| Row {
            entries: entries.iter().map(|entry| (*entry).to_owned()).collect(),
            ..Row::new(name, Outcome::Written)
        };
        let mut summary = Summary::new(About::Sessions, None);
        summary.rows = vec![row("a", &["x", "y", "z"]), row("b", &["x", "y"]), row("c", &["w", "x"])];
        let found: Vec<_> =
            summary.differences().iter().map(|one| (one.repositories.join(" "), one.entries.join(" "))).collect();
        let expected = [("a b", "y"), ("a", "z"), ("c", "w")];
        assert_eq!(found, expected.map(|(owners, entries)| (owners.to_owned(), entries.to_owned())));
    }
}
