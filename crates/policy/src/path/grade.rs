//! Grades how surely an entry forbids files that a program gathers, or files whose names are known in part.

use agent_strace_effects::{Certainty, PathTarget, Purpose};
use agent_strace_model::finding::{Level, PolicyLocation};

use crate::Context;
use crate::glob::{Answer, Glob};

use super::seen::Seen;
use super::{Files, Names, PathList, PathPattern, PathRule, spells_a_dot};

/// The part of a denied name that a pattern has to spell to ask for it.
const SPELLED: usize = 2;

/// Committed files of one entry in which a search is looked for, at most.
const SEARCHED: usize = 32;

/// Directories of home directories that hold no repositories.
const OF_USERS: &[&str] = &["AppData", "Applications", "Library", "bin"];

/// The certainty with which an entry names one of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Grade {
    /// It may speak of one of them, at this level.
    Open(Level),
    /// It names one of them, the directory that they are in, or what the pattern spells.
    Certain,
}

/// An entry that speaks of some of the files.
#[derive(Debug, Clone)]
pub(crate) struct Met<'r> {
    pub(crate) rule: &'r PathRule,
    pub(crate) grade: Grade,
    /// One of them for sure.
    pub(crate) member: Option<Member>,
}

/// A file that is known to be among those that a program gathers, and that an entry names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Member {
    /// It exists in the work tree.
    Exists(String),
    /// It is tracked, and shown whole.
    Tracked(String),
    /// It is tracked, and a search shows a line of it.
    Matched(String),
}

impl Files<'_> {
    /// The entry of the list that speaks of any of the files the most surely. Files that the call names are all there.
    pub(crate) fn met_by<'r>(&self, list: &'r PathList) -> Option<Met<'r>> {
        if self.gathered.is_none() && self.certainty != Certainty::Pattern && !self.may_be_of_workspace() {
            return self.denied_by(list).map(|rule| Met { rule, grade: Grade::Certain, member: None });
        }
        if list.is_empty() {
            return None;
        }
        let grade = |rule: &PathRule| rule.set.any_of.iter().filter_map(|pattern| self.grade(pattern)).max();
        // Links lead to files of any name. Nobody looks where no entry speaks of the names.
        let is_looked_at =
            self.sight.is_some() && list.rules.iter().chain(&list.named).any(|rule| grade(rule).is_some());
        let met = |rule: &'r PathRule| {
            let Some(grade) = grade(rule) else {
                return if is_looked_at { self.linked_by(rule, list) } else { None };
            };
            if self.is_excepted(&rule.set.except) {
                return None;
            }
            let member = match self.seen(|name| rule.may_name(name), |file| file.is_forbidden_by(rule, list)) {
                Seen::File(file) => Some(Member::Exists(file)),
                Seen::Nothing => return None,
                Seen::Open => self.shown_of(rule, list),
            };
            Some(Met { rule, grade: if member.is_some() { Grade::Certain } else { grade }, member })
        };
        let strictest = |rules: &'r [PathRule]| {
            // The first of equal entries wins: a rule with a name of its own gives a reason.
            rules.iter().filter_map(met).reduce(|known, other| if stricter(&other, &known) { other } else { known })
        };
        let listed = strictest(&list.rules).filter(|_| !self.is_excepted(&list.except));
        match (strictest(&list.named), listed) {
            (Some(named), Some(listed)) if stricter(&listed, &named) => Some(listed),
            (named, listed) => named.or(listed),
        }
    }

    /// The entry speaks of none of the names, but of a file that a link among them leads to.
    fn linked_by<'r>(&self, rule: &'r PathRule, list: &PathList) -> Option<Met<'r>> {
        match self.seen(|name| rule.may_name(name), |file| file.is_forbidden_by(rule, list)) {
            Seen::File(file) => Some(Met { rule, grade: Grade::Certain, member: Some(Member::Exists(file)) }),
            Seen::Nothing | Seen::Open => None,
        }
    }

    /// The entry that forbids every one of the files, whatever they are called in full.
    pub(crate) fn covered_by<'r>(&self, list: &'r PathList) -> Option<&'r PathRule> {
        let is_left_out = |except: &[PathPattern]| except.iter().any(|pattern| self.touched_by(pattern));
        let covers = |rule: &&PathRule| {
            rule.set.any_of.iter().any(|pattern| self.lies_in(pattern)) && !is_left_out(&rule.set.except)
        };
        let listed = || list.rules.iter().find(covers).filter(|_| !is_left_out(&list.except));
        list.named.iter().find(covers).or_else(listed)
    }

    /// The entry (`!x`) of an allow list that takes some of the files out of it: no other entry of the list allows them.
    pub(crate) fn taken_out_by<'r>(&self, list: &'r PathList) -> Option<&'r PolicyLocation> {
        // Of many files some may be in the list and others not.
        let is_one = matches!(self.own.names, Names::One(..));
        let is_held = || list.rules.iter().any(|rule| self.within(rule.set.any_of.iter()));
        let (_, location) = list.exclusions().find(|(pattern, _)| self.touched_by(pattern))?;
        (is_one || is_held()).then_some(location)
    }

    fn grade(&self, pattern: &PathPattern) -> Option<Grade> {
        if !self.touched_by(pattern) {
            return None;
        }
        if pattern.is_whole_home() && self.may_be_of_workspace() {
            return Some(Grade::Open(Level::Warning));
        }
        let is_named = self.gathered.is_none() && self.certainty != Certainty::Pattern;
        if is_named || self.lies_in(pattern) || self.spells(pattern) {
            return Some(Grade::Certain);
        }
        Some(Grade::Open(match self.gathered {
            Some(Purpose::Whole) | None if self.asks_for_dots(pattern) => return Some(Grade::Certain),
            Some(Purpose::Whole) if self.is_directory_only(pattern) => Level::Note,
            Some(Purpose::Whole) | None => Level::Warning,
            Some(Purpose::Search | Purpose::Check) => Level::Note,
        }))
    }

    /// The log does not say where the session ran, and the files lie where people keep their repositories: an entry for whole
    /// home directories (`~/**`), which speaks of places outside of the workspace, may not mean them.
    pub(crate) fn may_be_of_workspace(&self) -> bool {
        if !self.is_rootless || self.certainty == Certainty::Pattern {
            return false;
        }
        let mut parts = self.target.path.split('/').skip(1);
        let in_homes = parts.next().is_some_and(|top| matches!(top, "home" | "Users"));
        let below: Vec<&str> = parts.skip(1).collect();
        let is_kept = |folder: &&str| !OF_USERS.iter().any(|name| folder.eq_ignore_ascii_case(name));
        in_homes
            && below.len() >= 2
            && below.first().is_some_and(is_kept)
            && !below.iter().any(|part| part.starts_with('.'))
    }

    /// All of them are files that the entry covers.
    fn lies_in(&self, pattern: &PathPattern) -> bool {
        let below = || self.target.subtree && self.below().within(&[&pattern.folded]) == Answer::Yes;
        self.folded().names.within([&pattern.folded].into_iter()) || below()
    }

    /// The files, or the directories on the way to them, are called in part as the entry spells it.
    fn spells(&self, pattern: &PathPattern) -> bool {
        let Some(name) = &pattern.name else { return false };
        let path = &self.folded().path;
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        ends.filter_map(|end| path.get(..end)).any(|start| {
            let last = start.rsplit('/').next().unwrap_or(start);
            let meets = || match self.certainty {
                Certainty::Pattern => Glob::shell(start).meets(name) != Answer::No,
                Certainty::Exact | Certainty::Possible => name.matches(start),
            };
            let is_whole_name = || {
                let plain = start_of(start, last) + &last.replace('*', "");
                last.contains('*') && plain.len() > start_of(start, last).len() && name.matches(&plain)
            };
            // Unknown text spells nothing. Among files that a program gathers, `**` is what a wildcard matches.
            let is_unknown = self.gathered.is_none() && last.starts_with("**");
            !is_unknown && spelled_letters(last) >= SPELLED && meets() || is_whole_name()
        })
    }

    /// The pattern asks for names with a leading dot, and the entry spells such a name.
    fn asks_for_dots(&self, pattern: &PathPattern) -> bool {
        let path = &self.folded().path;
        let name = pattern.name.as_ref().filter(|_| self.certainty == Certainty::Pattern && spells_a_dot(path));
        name.is_some_and(|name| self.folded().names.meets(name))
    }

    /// A file of the repository that is among the gathered ones, that the entry of the list speaks of, and of which the program
    /// shows all or a line.
    fn shown_of(&self, rule: &PathRule, list: &PathList) -> Option<Member> {
        let members = || rule.set.any_of.iter().flat_map(|pattern| self.tracked(pattern));
        let members = || members().filter(|file| !self.leaves_out(rule, list, file) && !self.is_unchanged(file));
        match (self.gathered?, self.search) {
            (Purpose::Whole, _) => members().next().map(|file| Member::Tracked(file.to_owned())),
            (Purpose::Search, Some(search)) => {
                let shown = members().take(SEARCHED).find(|file| search.shows(file));
                shown.map(|file| Member::Matched(file.to_owned()))
            }
            (Purpose::Search | Purpose::Check, _) => None,
        }
    }

    /// The program may have changed the file, but the session left it as it is at the base.
    fn is_unchanged(&self, file: &str) -> bool {
        self.is_shown_by_change && self.repository.is_some_and(|repository| repository.keeps(file))
    }

    /// The entry, or the list that it is of, leaves out the file.
    fn leaves_out(&self, rule: &PathRule, list: &PathList, file: &str) -> bool {
        if rule.set.except.is_empty() && list.except.is_empty() {
            return false;
        }
        let target = PathTarget::new(file);
        let context = Context { root: self.root, ..Context::default() };
        Files::new(&target, Certainty::Exact, &context).is_left_out_by(rule, list)
    }

    fn is_left_out_by(&self, rule: &PathRule, list: &PathList) -> bool {
        let is_named = list.named.iter().any(|named| std::ptr::eq(named, rule));
        let of_list: &[PathPattern] = if is_named { &[] } else { &list.except };
        self.is_excepted(&rule.set.except) || self.is_excepted(of_list)
    }

    /// The entry of the list names the file.
    fn is_forbidden_by(&self, rule: &PathRule, list: &PathList) -> bool {
        rule.set.any_of.iter().any(|pattern| self.touched_by(pattern)) && !self.is_left_out_by(rule, list)
    }

    fn tracked<'f>(&'f self, pattern: &PathPattern) -> impl Iterator<Item = &'f str> {
        let names = &self.folded().names;
        let prefix = match names {
            Names::Many(paths) => paths.prefix(),
            Names::One(path, _) => path,
        };
        let tracked = self.repository.into_iter().flat_map(|repository| repository.tracked_below(prefix));
        let is_meant = |(folded, _): &(&str, &str)| names.has(folded) && pattern.folded.matches(folded);
        tracked.filter(is_meant).map(|(_, file)| file)
    }

    /// The entry is a name, and only a directory of that name would hold any of the files.
    fn is_directory_only(&self, pattern: &PathPattern) -> bool {
        let is_glob = self.certainty == Certainty::Pattern && !self.target.subtree;
        is_glob && pattern.itself.as_ref().is_some_and(|itself| !self.folded().names.meets(itself))
    }
}

/// The more severe of two entries that speak of the same files.
fn stricter(one: &Met<'_>, other: &Met<'_>) -> bool {
    (one.grade, one.rule.stated.level) > (other.grade, other.rule.stated.level)
}

/// The path before its last component.
fn start_of(path: &str, last: &str) -> String {
    path.strip_suffix(last).unwrap_or_default().to_owned()
}

/// The letters of a component that stand for themselves. An ending behind a wildcard (`*.json`) names a kind of files and no
/// file.
fn spelled_letters(component: &str) -> usize {
    let stem = match component.rsplit_once('.') {
        Some((stem, _)) if stem.ends_with(['*', '?', ']']) => stem,
        _ => component,
    };
    let mut letters = 0;
    let mut left = stem.chars();
    while let Some(character) = left.next() {
        match character {
            '*' | '?' => {}
            // A class of one character is that character.
            '[' => letters += usize::from(left.by_ref().take_while(|inside| *inside != ']').count() == 1),
            _ => letters += 1,
        }
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::spelled_letters;

    #[test]
    fn endings_behind_wildcards_spell_no_name() {
        for (component, letters) in [
            ("*.json", 0),
            (".e*", 2),
            (".*", 1),
            ("*rsa", 3),
            ("cr*.json", 2),
            ("a[xy]c", 2),
            ("*", 0),
            (".env", 4),
            ("[s][e]c*", 3),
        ] {
            assert_eq!(spelled_letters(component), letters, "{component}");
        }
    }
}
