//! What a rule asks, and what is done where the answer is yes.

use std::fmt;
use std::time::Duration;

use agent_strace_effects::{Effect, Kind};
use agent_strace_model::finding::PolicyLocation;
use agent_strace_model::prices::{DOLLAR, Dollars};
use agent_strace_policy::{Context, Decision, Policy};

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// As it is called in the file, or what it says.
    pub name: String,
    pub condition: Condition,
    pub action: Action,
    /// Who is told, in the words of the file (`slack:#team`): whoever `--webhook` names.
    pub notify: Option<String>,
    pub location: PolicyLocation,
}

#[derive(Debug)]
pub enum Condition {
    /// More of something than this, or from here on.
    Number { metric: Metric, most: Amount, includes: bool },
    /// A file that a pattern names is written or deleted.
    Path(Box<Paths>),
}

/// What is done, the mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    Alert,
    Pause,
    Kill,
}

impl Action {
    pub const ALL: &'static [(&'static str, Self)] =
        &[("alert", Self::Alert), ("pause", Self::Pause), ("kill", Self::Kill)];
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Files that were written or deleted, each once.
    FilesModified,
    CostUsd,
    /// Runs of tests that failed one after the other.
    ConsecutiveTestFailures,
    DurationMinutes,
}

impl Metric {
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("files_modified", Self::FilesModified),
        ("cost_usd", Self::CostUsd),
        ("consecutive_test_failures", Self::ConsecutiveTestFailures),
        ("duration_minutes", Self::DurationMinutes),
    ];

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, metric)| *metric == self).map_or("", |(name, _)| name)
    }

    /// So much of it, in words.
    pub fn words(self, amount: Amount) -> String {
        let count = amount.0 / DOLLAR;
        let plural = if count == 1 { "" } else { "s" };
        match self {
            Self::CostUsd => format!("${} spent", Dollars(amount.0)),
            Self::FilesModified => format!("{count} file{plural} modified"),
            Self::ConsecutiveTestFailures => format!("{count} test failure{plural} in a row"),
            Self::DurationMinutes => format!("{}s elapsed", amount.minutes().map_or(0, |time| time.as_secs())),
        }
    }
}

/// A number with twelve decimals, exactly: money is counted in parts of a [`DOLLAR`], and counts and minutes as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(pub u128);

/// Of a dollar: the digits behind the point.
const DECIMALS: usize = 12;

impl Amount {
    pub fn count(count: u128) -> Self {
        Self(count.saturating_mul(DOLLAR))
    }

    /// `0.5`, `30`: digits, and at most twelve more behind a point.
    pub fn read(text: &str) -> Option<Self> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(part) || part.len() > DECIMALS || text.ends_with('.') {
            return None;
        }
        let whole: u128 = whole.parse().ok()?;
        let part: u128 = format!("{part:0<DECIMALS$}").parse().ok()?;
        whole.checked_mul(DOLLAR)?.checked_add(part).map(Self)
    }

    /// So many minutes.
    pub fn minutes(self) -> Option<Duration> {
        let nanoseconds = self.0.checked_mul(60)? / (DOLLAR / 1_000_000_000);
        let seconds = u64::try_from(nanoseconds / 1_000_000_000).ok()?;
        let rest = u32::try_from(nanoseconds % 1_000_000_000).ok()?;
        Some(Duration::new(seconds, rest))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / DOLLAR, self.0 % DOLLAR);
        let part = format!("{part:0>DECIMALS$}");
        match part.trim_end_matches('0') {
            "" => write!(f, "{whole}"),
            part => write!(f, "{whole}.{part}"),
        }
    }
}

/// Files by a pattern of the policy.
#[derive(Debug)]
pub struct Paths {
    /// Denies to read them. What may not be written has the built-in floor above it, which would answer first.
    policy: Policy,
}

impl Paths {
    /// Or what is wrong with the pattern, and what to do about it.
    pub fn new(glob: &str) -> Result<Self, (String, Option<String>)> {
        let policy = serde_json::json!({"version": 2, "files": {"read": {"deny": [glob]}}});
        let policy = Policy::from_bytes("rules", None, policy.to_string().as_bytes()).map_err(|faults| {
            let first = faults.list.first();
            first.map_or_else(
                || ("this is no pattern".to_owned(), None),
                |fault| (fault.message.clone(), fault.help.clone()),
            )
        })?;
        Ok(Self { policy })
    }

    /// The file that an effect changes and that is one of these.
    pub fn changed<'e>(&self, effect: &'e Effect, root: Option<&str>) -> Option<&'e str> {
        let (Kind::Write(target) | Kind::Delete(target)) = &effect.kind else { return None };
        let read = Effect { kind: Kind::Read(target.clone()), ..effect.clone() };
        let judgement = self.policy.judge(&read, &Context { root, ..Context::default() });
        (judgement.decision == Decision::Denied).then_some(target.path.as_str())
    }
}
