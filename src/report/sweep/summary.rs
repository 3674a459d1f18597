//! What the rows of a run add up to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::row::{Row, Verdict};

/// What was asked for: the same for every shard of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Stated {
    /// Repositories of the whole run, over all shards.
    pub(crate) repositories: usize,
    /// Which commits were looked at, as they were asked for.
    pub(crate) commits: String,
    /// What `--approved` or `--config` approve; `null`: each repository says for itself.
    pub(crate) approved: Option<Vec<String>>,
    /// The lowest level that fails.
    pub(crate) fail_on: String,
    /// Digest of the list of repositories and of everything that decides: shards of other runs are told by it.
    pub(crate) digest: String,
}

/// A part of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Shard {
    /// From 1.
    pub(crate) number: usize,
    pub(crate) of: usize,
}

/// The last line of NDJSON, and the end of every other format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace audit-tools, the last line of NDJSON, version 1"))]
pub(crate) struct Summary {
    pub(crate) schema_version: u32,
    /// `summary`.
    pub(crate) kind: String,
    pub(crate) tool: Program,
    pub(crate) verdict: Verdict,
    /// As the process's.
    pub(crate) exit_code: u8,
    /// `null`: the whole run.
    pub(crate) shard: Option<Shard>,
    pub(crate) stated: Stated,
    /// Repositories by verdict.
    pub(crate) repositories: Repositories,
    pub(crate) findings: Findings,
    pub(crate) suppressed: usize,
    pub(crate) baselined: usize,
    pub(crate) gaps: usize,
    /// By id: in how many repositories.
    pub(crate) tools: BTreeMap<String, Repeated>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) version: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Repositories {
    pub(crate) pass: usize,
    pub(crate) fail: usize,
    pub(crate) incomplete: usize,
    pub(crate) broken: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Findings {
    pub(crate) error: usize,
    pub(crate) warning: usize,
    pub(crate) note: usize,
}

/// In how many repositories a tool is, by confidence.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Repeated {
    pub(crate) confirmed: usize,
    pub(crate) likely: usize,
    pub(crate) weak: usize,
    /// Where it is not approved.
    pub(crate) unapproved: usize,
}

impl Repositories {
    pub(crate) fn sum(&self) -> usize {
        self.pass + self.fail + self.incomplete + self.broken
    }
}

impl Summary {
    pub(crate) fn new(stated: Stated, shard: Option<Shard>) -> Self {
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

    pub(crate) fn add(&mut self, row: &Row) {
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
        self.suppressed += row.suppressed;
        self.baselined += row.baselined;
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
