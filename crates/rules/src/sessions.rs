//! Sessions that the policy does not want, or that do not record what it asks for.

use super::{Check, Rule, SessionHit, Whole};
use agent_strace_model::finding::{Level, RuleId};
use agent_strace_policy::sessions::{Breach, Fault};

pub(super) static RULE: Rule = Rule {
    id: RuleId::ScopeSession,
    level: Level::Error,
    summary: "a session was run by whom, where or how the policy does not allow",
    spec: include_str!("../specs/scope-session.md"),
    check: Check::Session(check),
};

fn check(whole: &Whole<'_>, hits: &mut Vec<SessionHit>) {
    let breaches = whole.policy.sessions().breaches(|field| whole.run.values(whole.account, field));
    for Breach { field, value, fault, location } in breaches {
        let name = field.name();
        let list = match fault {
            Fault::Denied => "deny",
            Fault::NotAllowed | Fault::NotRecorded => "allow",
        };
        let key = format!("sessions.{list}.{name}");
        let message = match (fault, value) {
            (Fault::Denied, Some(value)) => format!("its {} is `{value}`: denied by {key}", words(name)),
            (_, Some(value)) => format!("its {} is `{value}`: not in {key}", words(name)),
            (_, None) => format!("its {} is not recorded: not proven to be in {key}", words(name)),
        };
        hits.push(SessionHit { location: Some(location.clone()), ..SessionHit::whole(message) });
    }
}

fn words(name: &str) -> String {
    match name {
        "cwd" => "directory".to_owned(),
        _ => name.replace('_', " "),
    }
}
