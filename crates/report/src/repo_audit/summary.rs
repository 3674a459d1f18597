//! What the rows of a run add up to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::row::{Row, Verdict};

/// What was asked for: the same for every shard of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Stated {
    /// Repositories of the whole run, over all shards.
    pub repositories: usize,
    /// Which commits were looked at, as they were asked for.
    pub commits: String,
    /// What `--approved` or `--config` approve; `null`: each repository says for itself.
    pub approved: Option<Vec<String>>,
    /// The lowest level that fails.
    pub fail_on: String,
    /// Digest of the list of repositories and of everything that decides: shards of other runs are told by it.
    pub digest: String,
}

/// A part of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Shard {
    /// From 1.
    pub number: usize,
    pub of: usize,
}

/// The last line of NDJSON, and the end of every other format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace audit-tools, the last line of NDJSON, version 1"))]
pub struct Summary {
    pub schema_version: u32,
    /// `summary`.
    pub kind: String,
    pub tool: Program,
    pub verdict: Verdict,
    /// As the process's.
    pub exit_code: u8,
    /// `null`: the whole run.
    pub shard: Option<Shard>,
    pub stated: Stated,
    /// Repositories by verdict.
    pub repositories: Repositories,
    pub findings: Findings,
    pub suppressed: usize,
    pub baselined: usize,
    pub gaps: usize,
    /// By id: in how many repositories.
    pub tools: BTreeMap<String, Repeated>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Program {
    pub name: String,
    pub version: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Repositories {
    pub pass: usize,
    pub fail: usize,
    pub incomplete: usize,
    pub broken: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Findings {
    pub error: usize,
    pub warning: usize,
    pub note: usize,
}

/// In how many repositories a tool is, by confidence.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Repeated {
    pub confirmed: usize,
    pub likely: usize,
    pub weak: usize,
    /// Where it is not approved.
    pub unapproved: usize,
}

impl Repositories {
    pub fn sum(&self) -> usize {
        self.pass + self.fail + self.incomplete + self.broken
    }
}

impl Summary {
    pub fn new(stated: Stated, shard: Option<Shard>) -> Self {
        Self {
            schema_version: 1,
            kind: "summary".to_owned(),
            tool: Program { name: "agent-strace".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            verdict: Verdict::Pass,
            exit_code: 0,
            shard,
            stated,
            repositories: Repositories::default(),
            findings: Findings::default(),
            suppressed: 0,
            baselined: 0,
            gaps: 0,
            tools: BTreeMap::new(),
        }
    }

    pub fn add(&mut self, row: &Row) {
        let count = match row.verdict {
            Verdict::Pass => &mut self.repositories.pass,
            Verdict::Fail => &mut self.repositories.fail,
            Verdict::Incomplete => &mut self.repositories.incomplete,
            Verdict::Broken => &mut self.repositories.broken,
        };
        *count += 1;
        for (level, count) in row.levels() {
            match level {
                "error" => self.findings.error += count,
                "warning" => self.findings.warning += count,
                _ => self.findings.note += count,
            }
        }
        self.suppressed = self.suppressed.saturating_add(row.suppressed);
        self.baselined = self.baselined.saturating_add(row.baselined);
        self.gaps += row.gaps.len();
        for tool in &row.tools {
            let repeated = self.tools.entry(tool.id.clone()).or_default();
            match tool.confidence.as_str() {
                "confirmed" => repeated.confirmed += 1,
                "likely" => repeated.likely += 1,
                _ => repeated.weak += 1,
            }
            repeated.unapproved += usize::from(tool.approved == Some(false));
        }
        self.verdict = self.verdict.max(row.verdict);
        self.exit_code = self.code();
    }

    /// Findings before what is missing; where nothing of the whole run could be looked at, nothing was judged.
    fn code(&self) -> u8 {
        match self.verdict {
            Verdict::Pass => 0,
            Verdict::Fail => 1,
            Verdict::Broken if self.repositories.broken == self.stated.repositories => 2,
            Verdict::Incomplete | Verdict::Broken => 3,
        }
    }
}
