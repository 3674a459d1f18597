//! The gate in the CI of a repository: whether changes are judged at all, who could get around that, and what can't be
//! seen from the repository.
//!
//! Everything is read from one commit: what is not committed judges nothing. That a check is required, and that reviews
//! are, is a setting of the forge; it is reported as something to look at, and never taken for granted.

mod answer;
mod forge;
mod github;
mod gitlab;
mod harmless;
mod names;
mod owners;
mod policy;
mod scene;
mod script;
mod settings;
mod sides;
mod sources;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

pub use answer::{Check, Examination, Gate, State, Strength};
pub use forge::Forge;
pub use policy::PolicyFile;

/// The files of a commit that are examined.
pub struct Held<'h> {
    /// Files of CI and their text; `Err`: why one can't be read.
    pub pipelines: Vec<(String, Result<String, String>)>,
    /// Files of code owners and their text, of every place that a forge looks in.
    pub owners: Vec<(String, String)>,
    /// The policy that a change is judged by, where no gate names another one.
    pub policy_path: String,
    /// The policy in a file.
    pub policy: Box<dyn Fn(&str) -> PolicyFile + 'h>,
    /// Settings of the program that are committed, and their text.
    pub settings: Vec<(String, String)>,
    /// The branch that changes are merged into, or those of which one is.
    pub default_branches: Vec<String>,
    /// Below the top of the repository.
    pub store: String,
    pub ignores_store: bool,
}

/// The forge whose jobs judge changes.
fn forge(gates: &[Gate]) -> Forge {
    if gates.is_empty() || gates.iter().any(|gate| is_github(&gate.file)) { Forge::Github } else { Forge::Gitlab }
}

/// Where the settings of the program are looked for; each decides what is judged.
const SETTINGS: &[&str] = &[".agent-strace.yaml", ".agent-strace.yml"];

pub fn examine(held: &Held<'_>) -> Examination {
    let (mut gates, mut checks) = read(held);
    let may_be_unread = checks.iter().any(|check| ["gate/included", "gate/called"].contains(&check.id));
    if gates.is_empty() && !may_be_unread {
        let message = "no job judges changes: `agent-strace init --ci github` or `--ci gitlab` writes one, and it has to be \
                       committed";
        checks.push(Check::new("gate/there", State::Defeated, message));
    }
    names::examine(held, &mut gates);
    for gate in &mut gates {
        let policies: BTreeSet<&String> = gate.policies.iter().collect();
        let policies: Vec<Check> = policies.iter().flat_map(|path| policy::checks(held, path)).collect();
        gate.checks.extend(policies);
    }
    let mut judging: BTreeSet<String> = gates.iter().flat_map(|gate| gate.policies.iter().cloned()).collect();
    if gates.is_empty() || gates.iter().any(|gate| gate.policies.is_empty()) {
        checks.extend(policy::checks(held, &held.policy_path));
        judging.insert(held.policy_path.clone());
    }
    checks.extend(settings::checks(held, &judging));
    checks.push(store(held));
    let owners = owners::of_forge(&held.owners, forge(&gates));
    let owned = owners::checks(owners, &guarded(held, &gates, owners));
    let strength = strength(&gates, &checks, &owned);
    checks.extend(owned);
    checks.extend(gates.iter().flat_map(|gate| gate.checks.iter().cloned()));
    gates.retain(|gate| !gate.is_view);
    checks.extend(unseen(&gates));
    checks.sort_by(|left, right| (left.state, &left.location, left.id).cmp(&(right.state, &right.location, right.id)));
    checks.dedup();
    Examination { strength, gates, checks }
}

/// The best of the gates, as far as what is around them holds.
fn strength(gates: &[Gate], around: &[Check], owned: &[Check]) -> Strength {
    if around.iter().any(Check::is_fatal) {
        return Strength::None;
    }
    let best = gates.iter().map(Gate::strength).max().unwrap_or(Strength::None);
    let is_owned = owned.iter().all(|check| check.state == State::Good);
    match best {
        Strength::None => Strength::None,
        _ if around.iter().any(|check| check.limits) => Strength::Visible,
        Strength::Reviewed if !is_owned => Strength::Visible,
        best => best,
    }
}

/// The gates of all files, and what can't be read.
fn read(held: &Held<'_>) -> (Vec<Gate>, Vec<Check>) {
    let (mut gates, mut checks) = (Vec::new(), Vec::new());
    for (path, text) in &held.pipelines {
        match text {
            // Those of GitLab are read where the pipeline includes them.
            _ if !is_github(path) => {}
            Err(why) => checks.push(Check::new("gate/readable", State::Unknown, why).at(path, 1)),
            Ok(text) => match github::gates(path, text, held) {
                Err(check) => checks.push(*check),
                Ok(found) => gates.extend(found),
            },
        }
    }
    gates.extend(gitlab::gates(held, &mut checks));
    if gates.is_empty() {
        let readable = held.pipelines.iter().filter(|(path, _)| is_github(path));
        let readable = readable.filter_map(|(path, text)| Some((path, text.as_deref().ok()?)));
        checks.extend(readable.flat_map(|(path, text)| github::unread(path, text)));
    }
    (gates, checks)
}

/// Whether a path is one of a file that decides what CI does.
pub fn is_pipeline(path: &str) -> bool {
    let is_yaml = [".yml", ".yaml"].iter().any(|end| path.ends_with(end));
    is_yaml && (is_github(path) || is_gitlab(path) || path.split('/').any(|folder| FOLDERS.contains(&folder)))
}

/// Folders from which pipelines of GitLab include files.
const FOLDERS: &[&str] = &["ci", ".ci", "gitlab", "gitlab-ci"];

/// Whether a file is one of GitLab by its name.
fn is_gitlab(path: &str) -> bool {
    path.starts_with(".gitlab/") || path.contains("gitlab-ci")
}

fn is_github(path: &str) -> bool {
    path.strip_prefix(".github/workflows/").is_some_and(|name| !name.contains('/'))
}

fn store(held: &Held<'_>) -> Check {
    let store = &held.store;
    if held.ignores_store {
        let message =
            format!("git ignores `{store}`, so no session that is recorded there comes with a change: take it out");
        return Check::new("store/committed", State::Weak, message);
    }
    Check::new("store/committed", State::Good, format!("git does not ignore `{store}`"))
}

/// The files that no change may touch without a review by their owners.
fn guarded(held: &Held<'_>, gates: &[Gate], owners: Option<&(String, String)>) -> Vec<String> {
    let named = gates.iter().flat_map(|gate| gate.policies.iter().cloned());
    let mut paths: Vec<String> = named.collect();
    if gates.is_empty() || gates.iter().any(|gate| gate.policies.is_empty()) {
        paths.push(held.policy_path.clone());
    }
    paths.extend(SETTINGS.iter().map(|path| (*path).to_owned()));
    paths.extend(gates.iter().flat_map(|gate| gate.parts.iter().chain([&gate.file]).cloned()));
    // A new workflow could take the name of the check.
    let new = match forge(gates) {
        Forge::Github => ".github/workflows/new.yml",
        Forge::Gitlab => ".gitlab-ci.yml",
    };
    paths.push(new.to_owned());
    paths.extend(owners.map(|(path, _)| path.clone()));
    paths.sort();
    paths.dedup();
    paths
}

/// The settings that only the forge knows.
fn unseen(gates: &[Gate]) -> Vec<Check> {
    let github = gates.iter().filter(|gate| is_github(&gate.file));
    let mut checks: Vec<Check> = github
        .map(|gate| {
            let message = format!(
                "the repository does not say which checks the branch requires: require `{}` in the rules of the branch, \
                 with GitHub Actions as its source",
                gate.job
            );
            Check::new("forge/required", State::Unseen, message).at(&gate.file, gate.line)
        })
        .collect();
    if gates.iter().any(|gate| gate.is_independent) {
        let message = "a workflow that a change brings can report a check of the same name: a rule of the organisation \
                       that requires this workflow, and not only the check, tells the two apart";
        checks.push(Check::new("forge/same-name", State::Unseen, message));
    }
    let message = if gates.iter().any(|gate| !is_github(&gate.file)) {
        "the repository does not hold the settings of the project: demand that pipelines succeed and that owners approve; a \
         pipeline execution policy of the group makes the job one that no merge request can change"
    } else {
        "the repository does not hold the settings of the forge: demand that owners approve; a rule of the organisation that \
         requires the workflow from another repository makes it one that no pull request can change"
    };
    checks.push(Check::new("forge/enforced", State::Unseen, message));
    checks
}
