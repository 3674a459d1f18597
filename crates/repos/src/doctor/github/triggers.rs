//! Events that start a workflow, and pull requests that start no run.

use regex::Regex;

use super::{Workflow, words};
use crate::doctor::scene::Bases;
use crate::doctor::{Check, State, sides};
use crate::repo_audit::{items, member, text};
use agent_strace_policy::json::{Data, Value};

/// Types of events that have to start a workflow so that each state of a pull request is judged.
pub(super) const TYPES: &[&str] = &["opened", "synchronize", "reopened"];

/// An event by which a proposed change starts a workflow.
pub(super) struct Trigger<'v> {
    pub(super) name: &'v str,
    settings: Option<&'v Value>,
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
            let setting = |name: &str| trigger.settings.and_then(|settings| member(settings, name));
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
