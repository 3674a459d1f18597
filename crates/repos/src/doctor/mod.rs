//! What a repository says about the gate in its CI: whether changes are judged at all, who could get around that, and
//! what can't be seen from the repository.
//!
//! Everything is read from one commit: what is not committed judges nothing. That a check is required, and that reviews
//! are, is a setting of the forge; it is told as something to look at, and never taken for granted.

mod call;
mod github;
mod gitlab;
mod names;
mod owners;
mod policy;
mod settings;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

pub use policy::PolicyFile;

/// Who can change the gate that judges a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// Nothing judges changes, or something takes that back.
    None,
    /// The author of the change, and everybody sees that.
    Visible,
    /// Its author, if an owner approves.
    Reviewed,
    /// Nobody who can only propose changes: the workflow is not the change's.
    Enforced,
}

impl Strength {
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Visible => "visible",
            Self::Reviewed => "reviewed",
            Self::Enforced => "enforced",
        }
    }
}

/// What one look at something came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// It could not be read: nothing is known.
    Unknown,
    /// It takes the gate out of force.
    Defeated,
    /// It could be stronger.
    Weak,
    Good,
    /// Only the settings of the forge say it.
    Unseen,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Defeated => "defeated",
            Self::Weak => "weak",
            Self::Good => "good",
            Self::Unseen => "unseen",
        }
    }
}

/// One thing that was looked at. All text of the repository in it is hostile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub id: &'static str,
    pub state: State,
    /// Lower case, one line: what it is, and what to do.
    pub message: String,
    /// A file from the top of the repository, and a line of it.
    pub location: Option<(String, u32)>,
    /// The gate is visible at most: an owner who approves may not see what this lets happen.
    limits: bool,
}

impl Check {
    fn new(id: &'static str, state: State, message: impl Into<String>) -> Self {
        Self { id, state, message: message.into(), location: None, limits: false }
    }

    fn limiting(mut self) -> Self {
        self.limits = true;
        self
    }

    fn at(mut self, file: &str, line: u32) -> Self {
        self.location = Some((file.to_owned(), line));
        self
    }
}

/// A job that judges changes.
#[derive(Debug, PartialEq, Eq)]
pub struct Gate {
    pub file: String,
    /// As the file calls it, and as the rules of a branch have to.
    pub job: String,
    key: String,
    pub line: u32,
    /// It is the same whatever the change brings: it runs as it is on the branch that is merged into.
    pub is_independent: bool,
    /// It only shows the verdict of another job of its file, and passes whatever that is.
    is_view: bool,
    /// Policies that it names, other than the usual one.
    policies: Vec<String>,
    checks: Vec<Check>,
}

impl Gate {
    fn new(file: &str, job: &str, key: &str, line: u32) -> Self {
        Self {
            file: file.to_owned(),
            job: job.to_owned(),
            key: key.to_owned(),
            line,
            is_independent: false,
            is_view: false,
            policies: Vec::new(),
            checks: Vec::new(),
        }
    }

    /// The strength that it has by itself.
    fn strength(&self) -> Strength {
        let has = |test: fn(&Check) -> bool| self.checks.iter().any(test);
        if self.is_view || has(|check| matches!(check.state, State::Defeated | State::Unknown)) {
            Strength::None
        } else if has(|check| check.limits) {
            Strength::Visible
        } else if self.is_independent {
            Strength::Enforced
        } else {
            Strength::Reviewed
        }
    }
}

/// What a commit holds, as far as it is looked at.
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

/// The answer.
#[derive(Debug)]
pub struct Examination {
    pub strength: Strength,
    pub gates: Vec<Gate>,
    /// The worst first.
    pub checks: Vec<Check>,
}

impl Examination {
    /// 0 where a gate is in force, 1 where none is, 2 where that can't be told.
    pub fn exit_code(&self) -> u8 {
        if self.checks.iter().any(|check| check.state == State::Unknown) {
            2
        } else {
            u8::from(self.strength == Strength::None)
        }
    }
}

/// Whose files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forge {
    Github,
    Gitlab,
}

impl Forge {
    /// Where it looks for code owners: the first file that is there counts.
    pub fn owners(self) -> &'static [&'static str] {
        match self {
            Self::Github => &[".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"],
            Self::Gitlab => &["CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"],
        }
    }

    /// Patterns of code owners for what judges changes there, beside the file of the owners itself.
    pub fn guarded(self) -> &'static [&'static str] {
        match self {
            Self::Github => &["/.agent-scope.json", "/.agent-strace.yaml", "/.agent-strace.yml", "/.github/"],
            Self::Gitlab => {
                &["/.agent-scope.json", "/.agent-strace.yaml", "/.agent-strace.yml", "/.gitlab/", "/.gitlab-ci.yml"]
            }
        }
    }
}

/// The forge whose jobs judge changes.
fn forge(gates: &[Gate]) -> Forge {
    if gates.is_empty() || gates.iter().any(|gate| is_github(&gate.file)) { Forge::Github } else { Forge::Gitlab }
}

/// Where the settings of the program are looked for; each decides what is judged.
const SETTINGS: &[&str] = &[".agent-strace.yaml", ".agent-strace.yml"];

pub fn examine(held: &Held<'_>) -> Examination {
    let mut gates = Vec::new();
    let mut checks = Vec::new();
    for (path, text) in &held.pipelines {
        match text {
            Err(why) => checks.push(Check::new("gate/readable", State::Unknown, why).at(path, 1)),
            Ok(text) => match read(path, text, held) {
                Err(check) => checks.push(*check),
                Ok(found) => gates.extend(found),
            },
        }
    }
    if gates.is_empty() {
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
    if gates.is_empty() || gates.iter().any(|gate| gate.policies.is_empty()) {
        checks.extend(policy::checks(held, &held.policy_path));
    }
    checks.extend(settings::checks(held));
    checks.push(store(held));
    let owners = owners::of_forge(&held.owners, forge(&gates));
    let owned = owners::checks(owners, &guarded(held, &gates, owners));
    let strength = strength(&gates, &checks, &owned);
    checks.extend(owned);
    checks.extend(gates.iter().flat_map(|gate| gate.checks.iter().cloned()));
    checks.extend(unseen(&gates));
    checks.sort_by(|left, right| (left.state, &left.location, left.id).cmp(&(right.state, &right.location, right.id)));
    checks.dedup();
    Examination { strength, gates, checks }
}

/// The best of the gates, as far as what is around them holds.
fn strength(gates: &[Gate], around: &[Check], owned: &[Check]) -> Strength {
    if around.iter().any(|check| matches!(check.state, State::Defeated | State::Unknown)) {
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

/// By the forge whose file it is.
fn read(path: &str, text: &str, held: &Held<'_>) -> Result<Vec<Gate>, Box<Check>> {
    if is_github(path) { github::gates(path, text, held) } else { gitlab::gates(path, text, held) }
}

/// Whether a path is one of a file that decides what CI does.
pub fn is_pipeline(path: &str) -> bool {
    let is_yaml = [".yml", ".yaml"].iter().any(|end| path.ends_with(end));
    is_yaml && (is_github(path) || path.starts_with(".gitlab/") || path.starts_with(".gitlab-ci."))
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

/// What nobody may change without its owners.
fn guarded(held: &Held<'_>, gates: &[Gate], owners: Option<&(String, String)>) -> Vec<String> {
    let named = gates.iter().flat_map(|gate| gate.policies.iter().cloned());
    let mut paths: Vec<String> = named.collect();
    if gates.is_empty() || gates.iter().any(|gate| gate.policies.is_empty()) {
        paths.push(held.policy_path.clone());
    }
    paths.extend(SETTINGS.iter().map(|path| (*path).to_owned()));
    paths.extend(gates.iter().map(|gate| gate.file.clone()));
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

/// What only the forge knows.
fn unseen(gates: &[Gate]) -> Vec<Check> {
    let github = gates.iter().filter(|gate| is_github(&gate.file));
    let mut checks: Vec<Check> = github
        .map(|gate| {
            let message = format!(
                "whether the check `{}` is required, with GitHub Actions as its source: rules of the branch say it",
                gate.job
            );
            Check::new("forge/required", State::Unseen, message).at(&gate.file, gate.line)
        })
        .collect();
    if gates.iter().any(|gate| gate.is_independent) {
        let message = "whether a check of the same name can come from a workflow that a change brings: only rules of the \
                       organisation that require a workflow tell the two apart";
        checks.push(Check::new("forge/same-name", State::Unseen, message));
    }
    let message = if gates.iter().any(|gate| !is_github(&gate.file)) {
        "whether pipelines must succeed, and owners must approve: settings of the project say it; a pipeline execution \
         policy of the group makes it one that nobody can change in a merge request"
    } else {
        "whether owners must approve, and whether rules of the organisation require the workflow from another repository, \
         which is what nobody can change in a pull request: settings of the forge say it"
    };
    checks.push(Check::new("forge/enforced", State::Unseen, message));
    checks
}
