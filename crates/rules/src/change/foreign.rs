//! `coverage/foreign-session`: a session would account for files of the change, and says that it is of something else.

use super::{ChangeHit, ChangeSite, Changed, Check, Foreign, Rule, Witness, bounded, weigh};
use agent_strace_git::change_set::Extent;
use agent_strace_model::finding::{Level, RuleId};

pub(crate) static RULE: Rule = Rule {
    id: RuleId::CoverageForeignSession,
    level: Level::Warning,
    summary: "a session of another repository or another time touches files of the change",
    spec: include_str!("../../specs/coverage-foreign-session.md"),
    check: Check::Change(check),
};

fn check(changed: &Changed<'_>, hits: &mut Vec<ChangeHit>) {
    if changed.change.extent == Extent::Tampering {
        return;
    }
    let Some((weight, location)) = weigh(changed.policy, &RULE, Level::Warning) else { return };
    let mut found = Vec::new();
    for (at, session) in changed.sessions.iter().enumerate() {
        let Some(foreign) = session.foreign.filter(|_| touches_any(changed, session)) else { continue };
        found.push(ChangeHit {
            weight,
            message: message(foreign),
            site: ChangeSite::Session { at, event: 1, line: 1, tool: None },
            location: location.clone(),
            about: vec![foreign.to_string()],
        });
    }
    hits.extend(bounded(found));
}

fn touches_any(changed: &Changed<'_>, session: &Witness<'_>) -> bool {
    (0..changed.change.files.len()).any(|index| session.recorded.of(index).is_some())
}

fn message(foreign: &Foreign) -> String {
    let advice = match foreign {
        Foreign::Repository { .. } => {
            "; if both are one repository, add the first name to `evidence.repositories` of the policy"
        }
        Foreign::TooEarly(_) | Foreign::TooLate { .. } => "",
    };
    format!("it does not account for the change: {foreign}{advice}")
}
