//! Sessions that the store should not hold any more, by `retention` of the configuration.

use super::{Check, Rule, SessionHit, Whole};
use agent_strace_model::finding::{Level, PolicyLocation, RuleId};

macro_rules! retention {
    ($name:ident, $id:expr, $spec:literal, $summary:literal) => {
        pub(super) static $name: Rule = Rule {
            id: $id,
            level: Level::Warning,
            summary: $summary,
            spec: include_str!(concat!("../specs/retention-", $spec, ".md")),
            check: Check::Session(|whole, hits| check(&$name, whole, hits)),
        };
    };
}

retention!(AGE, RuleId::RetentionAge, "age", "the store keeps a session longer than the configuration allows");
retention!(COUNT, RuleId::RetentionCount, "count", "the store keeps more sessions than the configuration allows");
retention!(
    SIZE,
    RuleId::RetentionSize,
    "size",
    "the sessions of the store take more room than the configuration allows"
);
retention!(UNREADABLE, RuleId::RetentionUnreadable, "unreadable", "nothing says how long the store has kept a session");

/// Why the store should not hold a session any more, or why nobody can tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Overdue {
    pub exceeds: Exceeded,
    /// The limit.
    pub location: PolicyLocation,
}

/// What a session exceeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Exceeded {
    Age {
        began: jiff::civil::Date,
        days: u32,
    },
    Count {
        most: u32,
    },
    Size {
        megabytes: f64,
    },
    /// No record in it says when it was.
    Unknown,
}

impl Exceeded {
    fn rule(self) -> &'static Rule {
        match self {
            Self::Age { .. } => &AGE,
            Self::Count { .. } => &COUNT,
            Self::Size { .. } => &SIZE,
            Self::Unknown => &UNREADABLE,
        }
    }

    /// The same on every day: what is known of a session stays known.
    fn message(self) -> String {
        match self {
            Self::Age { began, days } => {
                let days = if days == 1 { "a day".to_owned() } else { format!("{days} days") };
                format!("it began on {began}: retention.max_age_days keeps sessions for {days}")
            }
            Self::Count { most } => {
                format!("it is not among the {most} most recent sessions, which retention.max_sessions keeps")
            }
            Self::Size { megabytes } => {
                format!("with the more recent ones it takes more than the {megabytes} MB of retention.max_size_mb")
            }
            Self::Unknown => {
                "no record in it says when it was: nobody can say whether retention.max_age_days is kept".to_owned()
            }
        }
    }
}

fn check(rule: &'static Rule, whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    if let Some(Overdue { exceeds, location }) = &whole.account.overdue
        && exceeds.rule().id == rule.id
    {
        hits.push(SessionHit { location: Some(location.clone()), ..SessionHit::whole(exceeds.message()) });
    }
}
