//! `coverage/no-session`: a commit says that an agent made it, and no session of that agent tells how.

use super::made::{Made, Maker};
use super::told::Told;
use super::{ChangeHit, ChangeSite, Changed, Check, Rule, Witness, bounded, weigh};
use agent_strace_git::change_set::{Commit, Extent, Mark};
use agent_strace_model::finding::{Level, RuleId};

pub(crate) static RULE: Rule = Rule {
    id: RuleId::CoverageNoSession,
    level: Level::Error,
    summary: "a commit says that an agent made it, and no session of that agent is here",
    spec: include_str!("../../specs/coverage-no-session.md"),
    check: Check::Change(check),
};

/// Digits of a commit's name that are shown.
const DIGITS: usize = 12;

fn check(changed: &Changed<'_>, hits: &mut Vec<ChangeHit>) {
    if changed.change.extent == Extent::Tampering {
        return;
    }
    let Some((weight, location)) = weigh(changed.policy, &RULE, Level::Error) else { return };
    let made = Made::of(changed, |session, commit| commit.marks.iter().any(|mark| is_by(session.agent, mark)));
    let mut found = Vec::new();
    for (index, commit) in changed.change.commits.iter().enumerate() {
        let makers = made.makers(index);
        // What a merge brings along has commits of its own.
        let unseen = commit.marks.iter().find(|mark| !is_covered(changed, commit, mark, makers));
        let is_own = !commit.is_merge && !commit.files.is_empty() && commit.picked_from.is_none();
        let Some(mark) = unseen.filter(|_| is_own) else { continue };
        let short = commit.id.get(..DIGITS).unwrap_or(&commit.id);
        let message = format!(
            "the commit {short} says that {} made it (`{}`), and {}",
            mark.name,
            mark.said,
            missing(changed, commit, mark, makers)
        );
        let about = vec![mark.tool.clone(), commit.id.clone()];
        found.push(ChangeHit { weight, message, site: site(changed, commit), location: location.clone(), about });
    }
    hits.extend(bounded(found));
}

/// Says which session is missing, or why the one that is here does not count.
fn missing(changed: &Changed<'_>, commit: &Commit, mark: &Mark, makers: &[Maker<'_>]) -> String {
    let would_cover = |session: &&Witness<'_>| session.foreign.is_some() && covers(changed, session, commit, mark);
    if let Some(foreign) = changed.sessions.iter().find(would_cover).and_then(|session| session.foreign) {
        return format!("the session that touches its files does not account for them: {foreign}");
    }
    if makers.iter().any(|maker| is_by(maker.session.agent, mark)) {
        return "the session that committed it neither touches its files nor runs anything that may have brought them"
            .to_owned();
    }
    "no session of it that touches its files or made the commit is here".to_owned()
}

/// Some session of the tool, recorded with the change, touched a file of the commit, or brought files and committed it.
fn is_covered(changed: &Changed<'_>, commit: &Commit, mark: &Mark, makers: &[Maker<'_>]) -> bool {
    changed.sessions.iter().any(|session| session.is_new && covers(changed, session, commit, mark))
        || makers.iter().any(|maker| maker.brings && is_by(maker.session.agent, mark))
}

/// A session of the tool touched a file of the commit.
fn covers(changed: &Changed<'_>, session: &Witness<'_>, commit: &Commit, mark: &Mark) -> bool {
    let touches = |path: &String| {
        let index = changed.change.files.binary_search_by(|file| file.path.cmp(path)).ok();
        // A later commit may have taken it back: it is not in the change any more, but it was in the session.
        index.is_some_and(|index| session.recorded.touches(index) || is_empty(changed, session, index))
            || session.recorded.strayed_to(path)
    };
    let is_layout =
        |path: &String| changed.change.file(path).is_some_and(|file| Told::is_layout(file, session.recorded.formats));
    is_by(session.agent, mark) && commit.files.iter().any(|path| touches(path) || is_layout(path))
}

/// It made an empty file.
fn is_empty(changed: &Changed<'_>, session: &Witness<'_>, index: usize) -> bool {
    let file = changed.change.files.get(index);
    file.is_some_and(|file| file.whole && file.hunks.is_empty()) && session.recorded.of(index).is_some()
}

/// Agents and tools are called in more than one way: `claude-code` and `Claude Code`, `gemini-cli` and `gemini`. A mark that
/// names no tool is anybody's.
fn is_by(agent: &str, mark: &Mark) -> bool {
    let (agent, tool) = (words(agent), words(&mark.tool));
    let begin_alike = agent.iter().zip(&tool).all(|(agent, tool)| agent == tool);
    let is_same = agent.concat() == tool.concat();
    tool.is_empty() || is_same || begin_alike && !agent.is_empty()
}

/// Names are compared by whole words: `c` does not begin `claude-code`.
fn words(name: &str) -> Vec<String> {
    let words = name.split(|each: char| !each.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// A file of the commit that the change still holds.
fn site(changed: &Changed<'_>, commit: &Commit) -> ChangeSite {
    let held = |path: &String| changed.change.file(path).filter(|file| !changed.change.is_recorded(&file.path));
    let file = commit.files.iter().find_map(held);
    let path = file.map_or_else(|| commit.files.first().cloned().unwrap_or_default(), |file| file.path.clone());
    ChangeSite::File { path, line: file.map_or(1, agent_strace_git::ChangedFile::line), effect: None }
}
