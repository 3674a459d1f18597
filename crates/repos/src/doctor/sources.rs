//! Where a call takes sessions, the program and its variables from: from the change, from this run, or from elsewhere.

use super::answer::Fault;
use super::scene::{Logs, Scene, Workspace};
use super::sides;

const SESSIONS: &str = "gate/sessions";
const PROGRAM: &str = "gate/program";

/// Variables that decide which programs run, or what git and the gate read; `*` at the end stands for any rest. Variables of
/// a file replace those that a forge sets itself.
const STEERING: &[&str] = &[
    "PATH",
    "BASH_ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "PS4",
    "IFS",
    "LD_*",
    "DYLD_*",
    "GIT_DIR",
    "GIT_COMMON_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_*",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_GRAFT_FILE",
    "GIT_SHALLOW_FILE",
    "GIT_ATTR_*",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_GLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSL_NO_VERIFY",
    "GIT_PROXY_COMMAND",
    "GIT_ASKPASS",
    "GIT_ALLOW_PROTOCOL",
    "GIT_PROTOCOL_FROM_USER",
    "GIT_DEFAULT_*",
    "GIT_REF_*",
    "AST_*",
    "AGENT_TRACE_DIR",
    "GITHUB_ACTIONS",
    "GITHUB_ACTION_PATH",
    "GITHUB_BASE_REF",
    "GITHUB_ENV",
    "GITHUB_EVENT_*",
    "GITHUB_HEAD_REF",
    "GITHUB_OUTPUT",
    "GITHUB_PATH",
    "GITHUB_REF",
    "GITHUB_REF_*",
    "GITHUB_REPOSITORY",
    "GITHUB_SERVER_URL",
    "GITHUB_SHA",
    "GITHUB_WORKSPACE",
    "RUNNER_ARCH",
    "RUNNER_OS",
    "RUNNER_TEMP",
    "RUNNER_TOOL_CACHE",
    "RUNNER_WORKSPACE",
    "CI_API_*",
    "CI_BUILDS_DIR",
    "CI_COMMIT_*",
    "CI_DEFAULT_BRANCH",
    "CI_JOB_TOKEN",
    "CI_MERGE_REQUEST_*",
    "CI_OPEN_MERGE_REQUESTS",
    "CI_PIPELINE_SOURCE",
    "CI_PROJECT_DIR",
    "CI_PROJECT_ID",
    "CI_PROJECT_NAMESPACE",
    "CI_PROJECT_PATH",
    "CI_PROJECT_URL",
    "CI_REPOSITORY_URL",
    "CI_SERVER_*",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONPLATLIBDIR",
    "PYTHONSTARTUP",
    "PYTHONUSERBASE",
    "HOME",
    "XDG_*",
    "PSModulePath",
];

/// Programs that start another one, by what the change in the workspace has to do with it.
const RUNNERS: &[&str] = &["cargo", "uv"];
const CONFIGURED: &[&str] = &["npx", "npm", "pnpm", "yarn", "bunx", "nix", "mise"];

/// Paths of this run, which no commit holds.
const OF_RUN: &[&str] = &["runner.temp", "$RUNNER_TEMP", "steps.", "needs."];

/// Words of scripts that fetch or verify logs.
const BRINGING: &[&str] = &["download", "curl", "wget", "aws s3", "gsutil", "verify"];

pub(super) fn is_steering(name: &str) -> bool {
    let folded = name.to_ascii_uppercase();
    STEERING.iter().any(|known| match known.strip_suffix('*') {
        Some(start) => folded.starts_with(start),
        None => folded == known.to_ascii_uppercase(),
    })
}

/// Options of Node.js that load no code.
pub(super) fn is_limit(name: &str, value: &str) -> bool {
    let is_plain = |option: &str| option.starts_with("--max-") || option.starts_with("--no-warnings");
    name == "NODE_OPTIONS" && value.split_whitespace().all(is_plain)
}

/// A variable that a script sets for the gate.
pub(super) fn of_variable(name: &str) -> Option<Fault> {
    is_steering(name).then(|| {
        let message = format!("`{name}` decides which programs run, or what the gate reads: take it out of the script");
        Fault::defeats("gate/environment", message)
    })
}

/// A search path that a script sets.
pub(super) fn of_path(value: &str, scene: &Scene<'_>) -> Option<Fault> {
    let folders: Vec<&str> = value.split(':').filter(|folder| !folder.starts_with("$PATH")).collect();
    if scene.workspace != Workspace::Change {
        let is_of_job = |folder: &&&str| is_of_workspace(folder) && !folder.contains("$(…)");
        return folders.iter().find(is_of_job).map(|folder| {
            let message = format!(
                "`{folder}` comes first in the search path of the gate, and whatever puts a file there decides what judges: name \
                 a folder outside of the job's own"
            );
            Fault::weak(PROGRAM, message)
        });
    }
    if folders.iter().any(|folder| is_of_workspace(folder)) {
        let message = "programs of the change come first in the search path of the gate: take the folder out";
        return Some(Fault::defeats(PROGRAM, message));
    }
    let is_known = |folder: &&str| folder.starts_with(['/', '~']) || folder.starts_with("$HOME") || is_of_run(folder);
    (!folders.iter().all(is_known)).then(|| {
        Fault::limits(PROGRAM, "nothing here says which programs come first in the search path: write the folder out")
    })
}

fn is_of_run(path: &str) -> bool {
    OF_RUN.iter().any(|part| path.contains(part))
}

/// A path in the folder that a change is checked out into.
pub(super) fn is_of_workspace(path: &str) -> bool {
    let has = |part: &str| path.contains(part);
    has("github.workspace")
        || has("$GITHUB_WORKSPACE")
        || has("$CI_PROJECT_DIR")
        || has("$PWD")
        || has("$(…)")
        || !path.starts_with(['/', '~', '$'])
}

/// The program that a call starts, and the words before it.
pub(super) fn of_program(path: &str, before: &[String], scene: &Scene<'_>) -> Option<Fault> {
    if scene.workspace != Workspace::Change {
        return None;
    }
    if path.contains(['/', '\\']) && !path.contains(':') && is_of_workspace(path) {
        let message = "the change brings the program that judges it: install a release, and start it by its name";
        return Some(Fault::defeats(PROGRAM, message));
    }
    let first = before.iter().map(|word| crate::repo_audit::program(word)).next()?;
    if RUNNERS.contains(&first.as_str()) {
        let message =
            format!("`{first}` builds or starts what the change brings: install a release, and start it by its name");
        return Some(Fault::defeats(PROGRAM, message));
    }
    CONFIGURED.contains(&first.as_str()).then(|| {
        let message = format!(
            "settings of the change decide what `{first}` starts: install a release before the checkout, and start it by its name"
        );
        Fault::limits(PROGRAM, message)
    })
}

/// Programs that fetch a package and start it, with the words by which they do.
const FETCHERS: &[(&str, &[&str])] = &[
    ("uvx", &[]),
    ("uv", &["tool", "run"]),
    ("uv", &["x"]),
    ("pipx", &["run"]),
    ("pnpm", &["dlx"]),
    ("yarn", &["dlx"]),
    ("npx", &["-y"]),
    ("npx", &["--yes"]),
];
/// Options with the name of the package.
const PACKAGES: &[&str] = &["--from", "--spec", "--package", "-p", "--with"];

/// A package that is fetched for the call, without a version: the newest one judges.
pub(super) fn of_version(program: &str, before: &[String]) -> Option<Fault> {
    let (first, rest) = before.split_first()?;
    let name = crate::repo_audit::program(first);
    let fetches = |words: &[&str]| words.iter().all(|word| rest.iter().any(|other| other == word));
    if !FETCHERS.iter().any(|(known, words)| *known == name && fetches(words)) {
        return None;
    }
    let joined = rest.iter().filter_map(|word| word.split_once('='));
    let joined = joined.filter(|(option, _)| PACKAGES.contains(option)).map(|(_, package)| package);
    let apart = rest.iter().zip(rest.iter().skip(1)).filter(|(option, _)| PACKAGES.contains(&option.as_str()));
    let packages = joined.chain(apart.map(|(_, package)| package.as_str())).chain([program]);
    if packages.into_iter().any(names_version) {
        return None;
    }
    let message = format!(
        "`{name}` fetches whatever release is the newest one: name a version, such as `agent-strace-gate==1.2.3`"
    );
    Some(Fault::weak("gate/pinned", message))
}

/// `name==1.2`, `name@1.2`, `git+https://…@COMMIT`
fn names_version(package: &str) -> bool {
    let version = package.rsplit_once("==").or_else(|| package.rsplit_once('@')).map(|(_, version)| version);
    version
        .is_some_and(|version| version.trim_start_matches('v').starts_with(|letter: char| letter.is_ascii_hexdigit()))
}

/// Commands of git that put other files into the checkout.
const MOVING: &[&str] = &["checkout", "switch", "reset", "restore", "stash", "clean", "rm"];
/// Words for the commit of the change.
const OF_HEAD: &[&str] = &["head.sha", "HEAD_SHA", "GITHUB_SHA", "github.sha", "CI_COMMIT_SHA"];

/// The things that commands before a call change and that it reads.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moves {
    /// The checkout with its sessions.
    pub(super) checkout: bool,
    /// The branches of `origin`.
    pub(super) branches: bool,
}

pub(super) fn moves(scripts: &str, scene: &Scene<'_>) -> Moves {
    let mut moves = Moves::default();
    for words in crate::repo_audit::commands(scripts) {
        let has = |part: &str| words.iter().any(|word| word.contains(part));
        let first = words.first().map(|first| crate::repo_audit::program(first)).unwrap_or_default();
        let command = words.iter().skip(1).find(|word| !word.starts_with('-')).map_or("", String::as_str);
        let is_git = |names: &[&str]| first == "git" && names.contains(&command);
        moves.checkout |= is_git(MOVING) && !OF_HEAD.iter().any(|head| has(head));
        moves.checkout |= ["rm", "mv"].contains(&first.as_str()) && has(&scene.held.store);
        moves.branches |= is_git(&["update-ref"])
            || is_git(&["symbolic-ref"]) && !names_default_branch(&words, scripts)
            || is_git(&["branch"]) && (has("-f") || has("--force"))
            || is_git(&["remote"]) && has("set-url")
            || words.iter().any(|word| maps_elsewhere(word));
    }
    moves
}

impl Moves {
    pub(super) fn fault(self, reads_commits: bool) -> Option<Fault> {
        if self.checkout && !reads_commits {
            let message = "a command before it changes the files that sessions are read from: take it out, or name the commit with `--head`";
            return Some(Fault::unknown("gate/store", message));
        }
        let message = "a command before it moves what the base is read from: take it out";
        self.branches.then(|| Fault::unknown("gate/base", message))
    }
}

/// `git symbolic-ref refs/remotes/origin/HEAD BRANCH`, where the forge says which branch that is. Words of commands hold no
/// variables any more, so the lines of the scripts are read.
fn names_default_branch(words: &[String], scripts: &str) -> bool {
    const SAYS: &[&str] = &["origin/$CI_DEFAULT_BRANCH", "origin/${CI_DEFAULT_BRANCH}"];
    let is_head = words.iter().rev().nth(1).is_some_and(|name| name == "refs/remotes/origin/HEAD");
    let mut lines = scripts.lines().filter(|line| line.contains("symbolic-ref"));
    is_head && lines.all(|line| SAYS.iter().any(|branch| line.contains(branch)))
}

/// `FROM:refs/remotes/origin/NAME`, where `FROM` is another branch.
fn maps_elsewhere(word: &str) -> bool {
    let Some((from, name)) = word.split_once(":refs/remotes/origin/") else { return false };
    let from = from.trim_start_matches('+');
    from.strip_prefix("refs/heads/").unwrap_or(from) != name
}

/// Sessions that are named. Without any, those of the change are read.
pub(super) fn of_sessions(operands: &[String], scene: &Scene<'_>) -> Option<Fault> {
    let is_store = |path: &String| {
        let bare = path.trim_start_matches("./").trim_end_matches('/');
        bare == scene.held.store && scene.workspace != Workspace::Base
    };
    if operands.iter().any(is_store) {
        return None;
    }
    let faults = operands.iter().filter_map(|operand| of_session(operand, scene));
    faults.max_by_key(|fault| fault.state == super::State::Defeated)
}

fn of_session(operand: &str, scene: &Scene<'_>) -> Option<Fault> {
    let not_change = || {
        let message = format!(
            "`{operand}` is judged whatever sessions the change brings: leave it out, or name `{}`, too",
            scene.held.store
        );
        Some(Fault::defeats(SESSIONS, message))
    };
    if operand == "entire" || operand.starts_with("entire:") && operand.contains("..") {
        return None;
    }
    if let Some(rest) = operand.strip_prefix("git:") {
        let revision = if rest.contains("${{") {
            rest.rsplit_once("}}").map_or(rest, |(inner, _)| inner)
        } else {
            rest.split(':').next().unwrap_or_default()
        };
        let revision = if revision.contains("${{") { format!("{revision}}}}}") } else { revision.to_owned() };
        return sides::of_head(&revision, scene).and_then(|_| not_change());
    }
    if scene.logs == Logs::Brought || is_made(operand, &scene.scripts) {
        return None;
    }
    if operand.starts_with("entire:") || operand == "-" || operand.contains('$') || is_of_run(operand) {
        let message = format!(
            "nothing here says that the sessions in `{operand}` are those of the change: leave it out, or fetch them with \
             `actions/download-artifact`"
        );
        return Some(Fault::unknown(SESSIONS, message));
    }
    // Where nothing brings files, there is nothing to judge, and the gate fails.
    let is_nowhere = scene.workspace == Workspace::Empty && !operand.starts_with(['/', '~']);
    if is_nowhere { None } else { not_change() }
}

/// Whether a script before the gate names the file, and fetches or verifies files.
fn is_made(operand: &str, scripts: &str) -> bool {
    if !BRINGING.iter().any(|word| scripts.contains(word)) {
        return false;
    }
    let fixed = operand.split(['*', '?', '[']).next().unwrap_or_default();
    let fixed = fixed.trim_start_matches("./").trim_end_matches('/');
    fixed.len() > 1 && scripts.contains(fixed)
}
