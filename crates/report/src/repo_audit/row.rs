//! One repository, fit to be shown but for the target: the unit of every format.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use agent_strace_model::Gap;
use agent_strace_model::finding::Level;
use agent_strace_repos::repo_audit::{
    Declared, Detected, Evidence, Located, Location, Origin, Pin, RepositoryAudit, RepositoryHit, Transport,
};
use agent_strace_secrets::{redact, redact_words};

/// What is said of one repository.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "agent-strace audit-tools, a line of NDJSON about a repository, version 1"))]
pub struct Row {
    pub schema_version: u32,
    /// `repository`.
    pub kind: String,
    /// Its index among all repositories of the run, from 0, whatever shard it is in.
    pub index: usize,
    /// As it was named.
    pub repository: String,
    pub verdict: Verdict,
    /// Why it could not be judged at all.
    pub error: Option<String>,
    /// The commit of HEAD.
    pub head: Option<String>,
    /// What is approved in it; `null`: nobody said, so nothing is unapproved.
    pub approved: Option<Vec<String>>,
    pub files: u64,
    /// Commits that were looked at.
    pub commits: u64,
    /// By id.
    pub tools: Vec<ToolRow>,
    pub servers: Vec<ServerRow>,
    pub endpoints: Vec<EndpointRow>,
    /// Those that count.
    pub findings: Vec<FindingRow>,
    /// Findings that a suppression covers.
    pub suppressed: usize,
    /// Findings that the baseline knows.
    pub baselined: usize,
    /// Other repositories within it, which are to be swept for themselves.
    pub submodules: Vec<String>,
    /// What could not be looked at.
    pub gaps: Vec<GapRow>,
}

/// What a repository comes to. The order is that of exit codes: the worst wins, and findings are worse than gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Verdict {
    Pass,
    /// No finding fails, but not everything could be looked at.
    Incomplete,
    /// Nothing could be looked at.
    Broken,
    Fail,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Incomplete => "incomplete",
            Self::Broken => "broken",
            Self::Fail => "fail",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ToolRow {
    pub id: String,
    pub name: String,
    pub vendor: String,
    /// It is no tool of its own: many read or write it.
    pub generic: bool,
    /// `confirmed`, `likely` or `weak`.
    pub confidence: String,
    /// `null`: nobody said what is.
    pub approved: Option<bool>,
    /// The best first.
    pub evidence: Vec<EvidenceRow>,
    /// More of it, which is not listed.
    pub(crate) evidence_left_out: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EvidenceRow {
    /// What kind of trace it is: `file`, `trailer`, `identity`, `package`, `action` …
    pub signal: String,
    pub confidence: String,
    /// Which product of the family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<String>,
    pub text: String,
    #[serde(flatten)]
    pub location: LocationRow,
    /// Of the commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// How often it is there: in how many commits, for those.
    pub count: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PlaceRow"))]
pub struct LocationRow {
    /// From the top of the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// `head`, `worktree`, `history`, `reference` or `sessions`.
    pub origin: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ServerRow {
    pub name: String,
    /// The tool whose configuration declares it.
    pub tool: String,
    pub file: String,
    pub line: u32,
    /// `stdio`, `http`, `sse` or `unknown`.
    pub transport: String,
    /// Of `stdio`.
    pub command: Vec<String>,
    pub url: Option<String>,
    /// Names of variables; values are not looked at.
    pub environment: Vec<String>,
    /// Names of headers.
    pub headers: Vec<String>,
    /// What it is started from: `pinned`, `floating`, `local`, `remote` or `none` (no package that has versions).
    pub version: String,
    pub disabled: bool,
    /// Tools that run without a question.
    pub(crate) auto_approved: Vec<String>,
    /// Whether sessions used it; `null`: no session is at hand.
    pub used: Option<bool>,
    pub approved: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EndpointRow {
    /// The id of a known provider.
    pub provider: Option<String>,
    pub host: Option<String>,
    /// A variable that holds a key or an address of the provider.
    pub variable: Option<String>,
    /// `env`, `ci`, `settings` or `source`.
    pub(crate) found_in: String,
    #[serde(flatten)]
    pub location: LocationRow,
    pub approved: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FindingRow {
    pub rule: String,
    /// `error`, `warning` or `note`.
    pub level: String,
    pub message: String,
    #[serde(flatten)]
    pub location: LocationRow,
    /// The same for the same thing in any commit and on any line.
    pub fingerprint: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GapRow {
    pub file: String,
    pub line: Option<u32>,
    pub reason: String,
}

/// How findings count.
#[derive(Debug)]
pub struct Judged<'j> {
    /// Those that count.
    pub hits: Vec<&'j RepositoryHit>,
    pub suppressed: usize,
    pub baselined: usize,
    pub verdict: Verdict,
    /// What is approved; `None`: nobody said.
    pub approved: Option<Vec<String>>,
    /// Whether anything was said about servers, and about hosts.
    pub judges: (bool, bool),
}

impl Row {
    pub fn new(index: usize, repository: &str, audit: &RepositoryAudit, judged: &Judged<'_>) -> Self {
        let shown = |text: &String| safe(text);
        Self {
            verdict: judged.verdict,
            head: audit.head.clone(),
            approved: judged.approved.as_ref().map(|names| names.iter().map(shown).collect()),
            files: audit.files,
            commits: audit.commits,
            tools: audit.tools.iter().map(|detected| tool(detected, judged)).collect(),
            servers: audit.servers.iter().map(|declared| server(declared, judged)).collect(),
            endpoints: audit.endpoints.iter().map(|located| endpoint(located, judged)).collect(),
            findings: judged.hits.iter().map(|hit| FindingRow::new(hit)).collect(),
            suppressed: judged.suppressed,
            baselined: judged.baselined,
            submodules: audit.submodules.iter().map(shown).collect(),
            gaps: audit.gaps.iter().map(gap).collect(),
            ..Self::broken(index, repository, "").without_error()
        }
    }

    /// A repository that can't be looked at.
    pub fn broken(index: usize, repository: &str, error: &str) -> Self {
        Self {
            schema_version: 1,
            kind: "repository".to_owned(),
            index,
            repository: safe(repository),
            verdict: Verdict::Broken,
            error: Some(safe(error)),
            head: None,
            approved: None,
            files: 0,
            commits: 0,
            tools: Vec::new(),
            servers: Vec::new(),
            endpoints: Vec::new(),
            findings: Vec::new(),
            suppressed: 0,
            baselined: 0,
            submodules: Vec::new(),
            gaps: Vec::new(),
        }
    }

    fn without_error(self) -> Self {
        Self { error: None, ..self }
    }

    /// Findings by level.
    pub fn levels(&self) -> BTreeMap<&str, usize> {
        let mut levels = BTreeMap::new();
        for finding in &self.findings {
            *levels.entry(finding.level.as_str()).or_default() += 1;
        }
        levels
    }
}

/// Text of a repository without what nobody may see.
fn safe(text: &str) -> String {
    redact(text).as_str().to_owned()
}

fn location(location: &Location) -> LocationRow {
    let (origin, commit, reference) = match &location.origin {
        Origin::Head => ("head", None, None),
        Origin::Worktree => ("worktree", None, None),
        Origin::Commit(commit) => ("history", Some(commit.clone()), None),
        Origin::Reference(name) => ("reference", None, Some(safe(name))),
        Origin::Sessions => ("sessions", None, None),
    };
    let file = location.file.as_deref().map(safe);
    LocationRow { file, line: location.line, origin: origin.to_owned(), commit, reference }
}

fn tool(detected: &Detected, judged: &Judged<'_>) -> ToolRow {
    let approved = judged.approved.as_ref().map(|_| detected.evidence.iter().all(|evidence| evidence.approved));
    ToolRow {
        id: detected.tool.id.clone(),
        name: detected.tool.name.clone(),
        vendor: detected.tool.vendor.clone(),
        generic: detected.tool.generic,
        confidence: detected.confidence.name().to_owned(),
        approved,
        evidence: detected.evidence.iter().map(evidence).collect(),
        evidence_left_out: detected.left_out,
    }
}

fn evidence(evidence: &Evidence) -> EvidenceRow {
    EvidenceRow {
        signal: evidence.signal.to_owned(),
        confidence: evidence.confidence.name().to_owned(),
        surface: evidence.surface.clone(),
        text: safe(&evidence.text),
        location: location(&evidence.location),
        author: evidence.author.as_deref().map(safe),
        count: evidence.count,
    }
}

fn server(declared: &Declared, judged: &Judged<'_>) -> ServerRow {
    let server = &declared.server;
    let (transport, command, url) = match &server.transport {
        Transport::Stdio { command, args } => {
            let words = std::iter::once(command.as_str()).chain(args.iter().map(String::as_str));
            let words = redact_words(words).iter().map(|word| word.as_str().to_owned()).collect();
            ("stdio", words, None)
        }
        Transport::Http { url } => ("http", Vec::new(), Some(safe(url))),
        Transport::Sse { url } => ("sse", Vec::new(), Some(safe(url))),
        Transport::Unknown => ("unknown", Vec::new(), None),
    };
    let names = |names: &[String]| names.iter().map(|name| safe(name)).collect();
    ServerRow {
        name: safe(&server.name),
        tool: server.tool.to_owned(),
        file: safe(&server.file),
        line: server.line,
        transport: transport.to_owned(),
        command,
        url,
        environment: names(&server.environment),
        headers: names(&server.headers),
        version: version(&server.pinned).to_owned(),
        disabled: server.disabled,
        auto_approved: names(&server.approved),
        used: declared.used,
        approved: judged.judges.0.then_some(declared.approved),
    }
}

/// What a server is started from, in one word.
fn version(pin: &Pin) -> &'static str {
    match pin {
        Pin::Pinned { .. } | Pin::Image { why: None, .. } => "pinned",
        Pin::Floating { .. } | Pin::Image { why: Some(_), .. } => "floating",
        Pin::Local(_) => "local",
        Pin::Remote => "remote",
        Pin::NotAPackage => "none",
    }
}

fn endpoint(Located { endpoint, location: at, approved }: &Located, judged: &Judged<'_>) -> EndpointRow {
    EndpointRow {
        provider: endpoint.provider.map(str::to_owned),
        host: endpoint.host.as_deref().map(safe),
        variable: endpoint.variable.clone(),
        found_in: endpoint.kind.name().to_owned(),
        location: location(at),
        approved: judged.judges.1.then_some(*approved),
    }
}

fn gap(gap: &Gap) -> GapRow {
    GapRow { file: safe(&gap.file), line: gap.line, reason: safe(&gap.reason()) }
}

impl FindingRow {
    pub fn new(hit: &RepositoryHit) -> Self {
        Self {
            rule: hit.rule.id.to_string(),
            level: hit.level.name().to_owned(),
            message: safe(&hit.message),
            location: location(&hit.location),
            fingerprint: hit.fingerprint(),
        }
    }

    pub(super) fn level(&self) -> Level {
        match self.level.as_str() {
            "error" => Level::Error,
            "warning" => Level::Warning,
            _ => Level::Note,
        }
    }
}
