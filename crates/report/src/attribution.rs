//! Who ran a session, where and how, as its log says.

use super::measured::shown;
use agent_strace_model::Session;

const SHOWN: usize = 200;

/// A few lines; what the log does not say is named, not guessed.
pub fn attribution(session: &Session<'_>) -> String {
    let who = &session.attribution;
    let one = |fact: &Option<std::borrow::Cow<'_, str>>| fact.as_deref().map(|fact| shown(fact, SHOWN));
    let all = |facts: &[std::borrow::Cow<'_, str>]| {
        let facts: Vec<String> = facts.iter().map(|fact| shown(fact, SHOWN)).collect();
        (!facts.is_empty()).then(|| facts.join(", "))
    };
    let facts = [
        ("User", one(&who.user)),
        ("Host", one(&who.host)),
        ("Provider", Some(shown(&session.agent, SHOWN))),
        ("Version", one(&who.version)),
        ("Started by", one(&who.entrypoint)),
        ("Model", all(&who.models)),
        ("Permissions", all(&who.permission_modes)),
        ("Sandbox", all(&who.sandboxes)),
        ("Repository", one(&who.repository)),
        ("Branch", all(&who.branches)),
        ("Commit", one(&who.commit)),
        ("CWD", session.root.as_deref().map(|root| shown(root, SHOWN))),
    ];
    let absent: Vec<String> =
        facts.iter().filter(|(_, fact)| fact.is_none()).map(|(name, _)| name.to_lowercase()).collect();
    let known = facts.into_iter().filter_map(|(name, fact)| Some(format!("  {:<13}{}", format!("{name}:"), fact?)));
    let mut lines = vec![format!("Session: {}", shown(&session.id, SHOWN)), "Attribution".to_owned()];
    lines.extend(known);
    // Most sessions have none.
    lines.extend(session.parent.as_deref().map(|parent| format!("  {:<13}{}", "Parent:", shown(parent, SHOWN))));
    if !absent.is_empty() {
        lines.push(format!("Not recorded: {}", absent.join(", ")));
    }
    lines.join("\n") + "\n"
}
