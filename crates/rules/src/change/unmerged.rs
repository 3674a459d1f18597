//! `coverage/unmerged-write`: a session of the change wrote files that the change does not hold.

use super::{ChangeHit, ChangeSite, Changed, Check, Rule, bounded, listed, weigh};
use agent_strace_git::change_set::Extent;
use agent_strace_model::finding::{Level, RuleId};

pub(crate) static RULE: Rule = Rule {
    id: RuleId::CoverageUnmergedWrite,
    level: Level::Note,
    summary: "a session wrote files that the change does not hold",
    spec: include_str!("../../specs/coverage-unmerged-write.md"),
    check: Check::Change(check),
};

fn check(changed: &Changed<'_>, hits: &mut Vec<ChangeHit>) {
    if changed.change.extent == Extent::Tampering {
        return;
    }
    let Some((weight, location)) = weigh(changed.policy, &RULE, Level::Note) else { return };
    let mut found = Vec::new();
    for (at, session) in changed.sessions.iter().enumerate().filter(|(_, session)| session.is_new) {
        let strays = session.recorded.strays();
        let Some(first) = strays.first() else { continue };
        let noun =
            if strays.len() == 1 { "1 file that is".to_owned() } else { format!("{} files that are", strays.len()) };
        let names = listed(strays.iter().map(|stray| stray.path.as_str()));
        found.push(ChangeHit {
            weight,
            message: format!("wrote {noun} not in the change: {names}"),
            site: ChangeSite::Session { at, event: first.event, line: first.line, tool: first.tool.clone() },
            location: location.clone(),
            about: strays.iter().map(|stray| stray.path.clone()).collect(),
        });
    }
    hits.extend(bounded(found));
}
