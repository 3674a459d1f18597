//! Events that start a workflow, and pull requests that start no run.

use regex::Regex;

use super::{Workflow, words};
use crate::doctor::scene::Bases;
use crate::doctor::{Check, State, sides};
use crate::repo_audit::{items, member, text};
use agent_strace_policy::json::{Data, Value};

/// Types of events that have to start a workflow so that each state of a pull request is judged.
pub(super) const TYPES: &[&str] = &["opened", "synchronize", "reopened"];

/// Events whose check lands on the head commit of a change, with the types that start a run where none are named: a run of
/// one of them that skips the gate puts a check that passes beside the verdict.
const OF_HEAD: &[(&str, &[&str])] = &[
    ("pull_request", TYPES),
    ("pull_request_target", TYPES),
    ("pull_request_review", &["submitted", "edited", "dismissed"]),
    ("pull_request_review_comment", &["created", "edited", "deleted"]),
    ("push", &[""]),
    ("create", &[""]),
    ("workflow_dispatch", &[""]),
    ("deployment", &[""]),
    ("deployment_status", &[""]),
];
/// Beginnings of branches that releases are made from: the author of a change does not push to them.
const OF_RELEASES: &[&str] = &["release", "hotfix", "stable", "support", "maint", "v[", "v*", "v?"];

/// One way in which a change starts a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Occasion<'v> {
    pub(super) event: &'v str,
    pub(super) action: &'v str,
    pub(super) base: Base<'v>,
}

/// The branch that the change of a run is merged into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base<'v> {
    Default,
    /// Another branch that the workflow names.
    Named(&'v str),
    /// A branch that the author of the change picks.
    Other,
}

/// Each way in which a change starts a run whose check lands on its head commit.
pub(super) fn occasions<'v>(triggers: &'v [Trigger<'_>], default_branches: &[String]) -> Vec<Occasion<'v>> {
    let mut found = Vec::new();
    for trigger in triggers {
        let known = OF_HEAD.iter().find(|(event, _)| *event == trigger.name);
        let Some((_, usual)) = known.filter(|_| trigger.name != "push" || trigger.is_of_changes(default_branches))
        else {
            continue;
        };
        let types = trigger.setting("types").map_or_else(|| usual.to_vec(), words);
        // A change that is closed is not merged: judging it is left out rightly.
        for action in types.into_iter().filter(|action| *action != "closed") {
            let bases = trigger.bases(default_branches).into_iter();
            found.extend(bases.map(|base| Occasion { event: trigger.name, action, base }));
        }
    }
    found
}

/// An event by which a proposed change starts a workflow.
pub(super) struct Trigger<'v> {
    pub(super) name: &'v str,
    settings: Option<&'v Value>,
}

impl<'v> Trigger<'v> {
    fn setting(&self, name: &str) -> Option<&'v Value> {
        self.settings.and_then(|settings| member(settings, name))
    }

    /// The branches that changes are merged into.
    fn bases(&self, default_branches: &[String]) -> Vec<Base<'v>> {
        let Some(patterns) = self.setting("branches") else { return vec![Base::Default, Base::Other] };
        let others = words(patterns).into_iter().filter(|pattern| !pattern.starts_with('!'));
        let others = others.filter(|pattern| !default_branches.iter().any(|branch| branch == pattern));
        let is_open = |pattern: &str| pattern.contains(['*', '?', '+', '[', '$']);
        let others = others.map(|pattern| if is_open(pattern) { Base::Other } else { Base::Named(pattern) });
        [Base::Default].into_iter().chain(others).collect()
    }

    /// Whether pushes to branches of changes start a run, too.
    fn is_of_changes(&self, default_branches: &[String]) -> bool {
        let is_of_change = |pattern: &&str| {
            let is_release = OF_RELEASES.iter().any(|start| pattern.to_ascii_lowercase().starts_with(start));
            !pattern.starts_with('!') && pattern.contains('*') && !is_release
        };
        match self.setting("branches") {
            Some(patterns) => {
                let patterns = words(patterns);
                patterns
                    .iter()
                    .filter(|pattern| !default_branches.iter().any(|name| name == *pattern))
                    .any(is_of_change)
            }
            None => self.setting("tags").is_none() || self.setting("branches-ignore").is_some(),
        }
    }
}

/// `on`: a name, a list of them, or an object with their settings.
pub(super) fn of(root: &Value) -> Vec<Trigger<'_>> {
    let Some(on) = member(root, "on") else { return Vec::new() };
    match &on.data {
        Data::Text(name) => vec![Trigger { name, settings: None }],
        Data::List(names) => names.iter().filter_map(text).map(|name| Trigger { name, settings: None }).collect(),
        Data::Object(members) => {
            members.iter().map(|(key, value)| Trigger { name: &key.name, settings: Some(value) }).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether only changes into branches that the workflow names start it.
pub(super) fn bases(proposals: &[&Trigger<'_>]) -> Bases {
    let is_named = |trigger: &&Trigger<'_>| {
        let patterns =
            trigger.settings.and_then(|settings| member(settings, "branches")).map(words).unwrap_or_default();
        !patterns.is_empty() && !patterns.iter().any(|pattern| sides::is_any_branch(pattern) || pattern.contains("${{"))
    };
    if proposals.iter().all(is_named) { Bases::Named } else { Bases::Any }
}

impl Workflow<'_> {
    pub(super) fn starts(&self, proposals: &[&Trigger<'_>], all: &[Trigger<'_>], checks: &mut Vec<Check>) {
        for trigger in proposals {
            let setting = |name: &str| trigger.setting(name);
            for filter in ["paths", "paths-ignore"] {
                if let Some(value) = setting(filter) {
                    let message = "changes of other files start no run, and nothing judges them: take the filter out";
                    self.defeat("gate/filters", value, message, checks);
                }
            }
            self.types(setting("types"), checks);
            self.branches(setting("branches"), setting("branches-ignore"), checks);
        }
        if !all.iter().any(|trigger| trigger.name == "merge_group") {
            let message = "with a merge queue a required check has to run for `merge_group`, too";
            checks.push(Check::new("gate/merge-queue", State::Weak, message).at(self.path, 1));
        }
    }

    fn types(&self, types: Option<&Value>, checks: &mut Vec<Check>) {
        let given = types.map_or_else(|| TYPES.to_vec(), words);
        if let Some(types) = types.filter(|_| TYPES.iter().any(|name| !given.contains(name))) {
            let message = "not every state of a pull request is judged: leave `types` out, or name opened, synchronize, \
                           reopened and edited";
            return self.defeat("gate/filters", types, message, checks);
        }
        if !given.contains(&"edited") {
            let line = types.map_or(1, |types| self.document.line(&types.span));
            let message = "a pull request whose base branch is changed starts no run, so that its check is of the old base: \
                           `types: [opened, synchronize, reopened, edited]`";
            checks.push(Check::new("gate/retarget", State::Weak, message).at(self.path, line));
        }
    }

    /// Pull requests into the default branch have to start a run.
    fn branches(&self, taken: Option<&Value>, ignored: Option<&Value>, checks: &mut Vec<Check>) {
        let patterns = taken.or(ignored);
        let Some(patterns) = patterns else {
            let message = "without `branches` a pull request into any branch starts a run: the gate refuses every base but the \
                           default branch and those that are named to it";
            checks.push(Check::new("gate/branches", State::Weak, message).at(self.path, 1));
            return;
        };
        let names = words(patterns);
        let is_literal = match &patterns.data {
            Data::List(all) => all.len() == items(patterns).iter().filter_map(text).count(),
            Data::Text(_) => true,
            _ => false,
        };
        let default = &self.held.default_branches;
        // Which of several is the default branch only the forge knows: one that is left out by its name is taken for it.
        let states: Vec<Option<bool>> = default
            .iter()
            .map(|branch| match taken {
                Some(_) => is_taken(&names, branch),
                None => Some(!names.iter().any(|pattern| matches(pattern, branch))),
            })
            .collect();
        let is_judged = states.contains(&Some(true)) && !states.contains(&Some(false));
        if !is_literal || !is_judged {
            let named: Vec<String> = default.iter().map(|branch| format!("`{branch}`")).collect();
            let message = format!(
                "pull requests into the default branch ({}) start no run, and nothing judges them: name it in `branches`",
                named.join(" or ")
            );
            self.defeat("gate/filters", patterns, &message, checks);
        }
    }
}

/// The last pattern that matches decides; one with `!` takes back. `None`: no pattern matches.
fn is_taken(patterns: &[&str], branch: &str) -> Option<bool> {
    let mut taken = None;
    for pattern in patterns {
        match pattern.strip_prefix('!') {
            Some(pattern) if matches(pattern, branch) => taken = Some(false),
            None if matches(pattern, branch) => taken = Some(true),
            _ => {}
        }
    }
    taken
}

/// Filters of GitHub: `*`, `**`, `?` and `+` behind a letter, sets of letters.
fn matches(pattern: &str, branch: &str) -> bool {
    let mut expression = String::from("^");
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '*' if letters.next_if_eq(&'*').is_some() => expression.push_str(".*"),
            '*' => expression.push_str("[^/]*"),
            '?' | '+' | '[' | ']' => expression.push(letter),
            '-' => expression.push('-'),
            '\\' => expression.extend(letters.next().map(|next| regex::escape(&next.to_string()))),
            letter => expression.push_str(&regex::escape(&letter.to_string())),
        }
    }
    expression.push('$');
    Regex::new(&expression).is_ok_and(|expression| expression.is_match(branch))
}
