//! Credentials that an agent wrote into its log with its own settings.

use super::{Check, Rule, SessionHit, Whole};
use agent_strace_model::finding::{Level, RuleId};

pub(super) static RULE: Rule = Rule {
    id: RuleId::SecretLogSettings,
    level: Level::Warning,
    summary: "a log carries a credential among the agent's settings",
    spec: include_str!("../specs/secret-log-settings.md"),
    check: Check::Session(check),
};

fn check(whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    for key in &whole.account.evidence.credentials {
        hits.push(SessionHit::whole(format!(
            "the log holds a credential of the agent in clear, at `{key}`: whoever can read the log can use it"
        )));
    }
}
