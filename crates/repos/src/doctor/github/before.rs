//! Steps that run before the gate in its job: code of the change could replace the program that judges it.

use super::actions::{Does, does};
use super::{Workflow, fetched, is_true, judges, uses};
use crate::doctor::answer::Fault;
use crate::doctor::harmless::{Effect, effect};
use crate::doctor::scene::{Bases, Logs, Origin, Scene, Workspace};
use crate::doctor::script::{first_call, without_expressions};
use crate::doctor::sources::{is_of_workspace, is_steering};
use crate::doctor::{Check, State};
use crate::repo_audit::{items, member, members, text};
use agent_strace_policy::json::{Data, Value};

const ID: &str = "gate/before";
/// Expressions for folders, and the variables of the same folders.
const PATHS: &[(&str, &str)] = &[
    ("runner.temp", "RUNNER_TEMP"),
    ("runner.tool_cache", "RUNNER_TOOL_CACHE"),
    ("github.workspace", "GITHUB_WORKSPACE"),
];
/// Files through which a step changes the steps behind it.
const FILES: &[&str] = &["GITHUB_PATH", "GITHUB_ENV"];
/// Texts that the author of a change, or of a comment on it, writes.
const WRITTEN: &[&str] = &[
    "pull_request.title",
    "pull_request.body",
    "pull_request.head.ref",
    "pull_request.head.label",
    "pull_request.head.repo",
    "github.head_ref",
    "review.body",
    "comment.body",
    "issue.title",
    "issue.body",
    "head_commit",
    "event.commits",
    "tojson(github)",
    "tojson(github.event)",
    "tojson(github.event.pull_request)",
];
/// Files of the repository that another one is called by, in a script of `actions/github-script`.
const REQUIRED: &[&str] = &["require('.", "require(\".", "require(`", "import(", "GITHUB_WORKSPACE", "exec("];

impl Workflow<'_> {
    /// Looks at the steps before the first one that judges, and says what is there then.
    pub(super) fn before(&self, job: &Value, scene: &mut Scene<'_>, checks: &mut Vec<Check>) {
        for step in member(job, "steps").map(items).unwrap_or_default() {
            if let Some(run) = member(step, "run") {
                self.injected(run, checks);
                self.shell_before(step, job, scene, checks);
            }
            if judges(step) {
                if member(step, "run").is_some() {
                    self.script_before(step, job, scene, checks);
                }
                return;
            }
            match member(step, "run") {
                Some(_) => self.script_before(step, job, scene, checks),
                None => self.action_before(step, scene, checks),
            }
        }
    }

    /// The shell of a step before the gate.
    fn shell_before(&self, step: &Value, job: &Value, scene: &Scene<'_>, checks: &mut Vec<Check>) {
        let Some(shell) = self.named_shell(step, job) else { return };
        self.injected(shell, checks);
        let first = text(shell).unwrap_or_default().split_whitespace().next().unwrap_or_default();
        let is_of_change = first.contains('/') && is_of_workspace(first);
        if is_of_change && scene.workspace == Workspace::Change {
            self.runs_before(shell, checks);
        }
    }

    /// A text of the change that becomes part of a script.
    fn injected(&self, script: &Value, checks: &mut Vec<Check>) {
        let said = text(script).unwrap_or_default().to_ascii_lowercase();
        let expressions = said
            .split("${{")
            .skip(1)
            .filter_map(|rest| rest.split_once("}}"))
            .map(|(inner, _)| inner.replace(' ', "").replace("['", ".").replace("']", ""));
        let found = expressions.into_iter().find(|inner| WRITTEN.iter().any(|written| inner.contains(written)));
        if let Some(inner) = found {
            let message = format!(
                "`{inner}` is written by the author of the change, and becomes part of the script: pass it by `env`"
            );
            self.report(Fault::defeats(ID, message), script, checks);
        }
    }

    fn action_before(&self, step: &Value, scene: &mut Scene<'_>, checks: &mut Vec<Check>) {
        let used = uses(step).unwrap_or_default();
        let at = member(step, "uses").unwrap_or(step);
        scene.scripts.extend(["\nuses: ", used, "\n"]);
        let has_change = scene.workspace == Workspace::Change;
        if used.starts_with("./") {
            return self.own_action_before(at, has_change, checks);
        }
        let input = |name: &str| member(step, "with").and_then(|with| member(with, name));
        let is_set = |name: &str| input(name).is_some_and(|value| !is_false(value));
        match does(used) {
            Some(Does::Checkout) => {
                scene.has_checkout = true;
                let path = input("path").and_then(text).unwrap_or_default();
                scene.checkouts.push(path.trim_start_matches("./").trim_end_matches('/').to_owned());
                scene.workspace = scene.workspace.max(Self::checked_out(step, scene));
            }
            Some(Does::Fetches) => (scene.workspace, scene.logs) = (Workspace::Change, Logs::Brought),
            Some(Does::Script) => self.github_script(input("script"), has_change, checks),
            Some(Does::Caches) => self.cached(at, scene, checks),
            Some(Does::CachesWith(name)) if is_set(name) => self.cached(at, scene, checks),
            // Without files of the project there is nothing to name a cache by.
            Some(Does::CachesUnless(name))
                if scene.workspace != Workspace::Empty && !input(name).is_some_and(is_off(name)) =>
            {
                self.cached(at, scene, checks);
            }
            Some(Does::RunsWith(name)) if has_change && is_set(name) => self.runs_before(at, checks),
            Some(Does::Runs) if has_change => self.runs_before(at, checks),
            Some(Does::Agent) => {
                scene.logs = Logs::Brought;
                self.agent_before(step, checks);
            }
            None if has_change => {
                let message = "nothing here says what this action does with files of the change, and it runs before the gate: \
                               judge in another job";
                self.report(Fault::limits(ID, message), at, checks);
            }
            None => scene.may_have_checkout |= names_checkout(step),
            _ => {}
        }
    }

    fn agent_before(&self, step: &Value, checks: &mut Vec<Check>) {
        let message = "an agent works in the job that judges it, and may leave a program or a setting behind: judge in \
                       another job";
        self.report(Fault::limits(ID, message), step, checks);
    }

    fn own_action_before(&self, at: &Value, has_change: bool, checks: &mut Vec<Check>) {
        if has_change {
            let message =
                "the change brings this action, which runs before the gate and may replace it: judge in another job";
            self.report(Fault::defeats(ID, message), at, checks);
        }
    }

    fn cached(&self, at: &Value, scene: &Scene<'_>, checks: &mut Vec<Check>) {
        if scene.origin == Origin::Change {
            let message = "an earlier run of the change may have written this cache, which is unpacked before the gate: take the \
                           cache out, or judge in another job";
            self.report(Fault::limits(ID, message), at, checks);
        }
    }

    fn runs_before(&self, at: &Value, checks: &mut Vec<Check>) {
        let message = "code of the change runs in this job before the gate, and may replace it: judge in another job";
        self.report(Fault::defeats(ID, message), at, checks);
    }

    fn github_script(&self, script: Option<&Value>, has_change: bool, checks: &mut Vec<Check>) {
        let Some(script) = script else { return };
        self.injected(script, checks);
        let said = text(script).unwrap_or_default();
        if has_change && REQUIRED.iter().any(|words| said.contains(words)) {
            return self.runs_before(script, checks);
        }
        if said.contains("addPath") || said.contains("exportVariable") {
            self.steered(script, checks);
        }
    }

    fn steered(&self, at: &Value, checks: &mut Vec<Check>) {
        let message =
            "it sets variables or the search path of the gate, which decide what is run: judge in another job";
        self.report(Fault::limits(ID, message), at, checks);
    }

    /// Whose files a step checks out.
    fn checked_out(step: &Value, scene: &Scene<'_>) -> Workspace {
        let input = |name: &str| {
            let value = member(step, "with").and_then(|with| member(with, name)).and_then(text);
            value.map(str::trim).filter(|value| !value.is_empty())
        };
        if input("repository").is_some_and(|name| !name.contains("${{")) {
            return Workspace::Base;
        }
        if input("repository").is_some() {
            return Workspace::Change;
        }
        let is_base = |reference: &str| {
            let bare = reference.strip_prefix("refs/heads/").unwrap_or(reference);
            scene.held.default_branches.iter().any(|branch| branch == bare)
                || bare.contains("github.event.repository.default_branch") && !bare.contains("||")
                || scene.bases == Bases::Named && (bare.contains("base_ref") || bare.contains("pull_request.base."))
                || scene.origin == Origin::Base && bare.replace(' ', "") == "${{github.sha}}"
        };
        match input("ref") {
            // With the rights of the base, the base is what is checked out by default.
            None if scene.origin == Origin::Base => Workspace::Base,
            Some(reference) if is_base(reference) => Workspace::Base,
            _ => Workspace::Change,
        }
    }

    fn script_before(&self, step: &Value, job: &Value, scene: &mut Scene<'_>, checks: &mut Vec<Check>) {
        let run = member(step, "run").unwrap_or(step);
        let script = &with_paths(text(run).unwrap_or_default());
        let plain = without_expressions(script);
        let plain = first_call(script).and_then(|end| plain.get(..end)).unwrap_or(&plain);
        scene.scripts.push_str(plain);
        scene.scripts.push('\n');
        let names_change = fetched::names_change(&self.with_values(script, step, job));
        scene.has_fetched |= names_change && fetched::fetches(script);
        let brings_change = (names_change || scene.has_fetched) && fetched::brings(&plain_of(script));
        if fetches_change(script) || brings_change || scene.origin == Origin::Change && clones(script) {
            scene.workspace = Workspace::Change;
        }
        let has_change = scene.workspace == Workspace::Change;
        match effect(plain) {
            Effect::Replaces => {
                let message = "the script puts another program in the place of one that judges: take it out";
                return self.report(Fault::unknown(ID, message), run, checks);
            }
            Effect::Runs if has_change => return self.runs_before(run, checks),
            Effect::Runs if scene.may_have_checkout => {
                let message = "an action before it may have checked the change out, whose code would run before the gate \
                               here: judge in another job";
                self.report(Fault::limits(ID, message), run, checks);
            }
            Effect::Places if has_change => {
                let message = "a file that may be one of the change is put where programs are looked for: fetch it into \
                               `${{ runner.temp }}`";
                self.report(Fault::limits(ID, message), run, checks);
            }
            _ => {}
        }
        self.script_steers(script, run, has_change, checks);
    }

    fn script_steers(&self, script: &str, run: &Value, has_change: bool, checks: &mut Vec<Check>) {
        let names = |line: &&str| FILES.iter().any(|file| line.contains(file));
        for line in script.lines().filter(names) {
            let said = line.split(">>").next().unwrap_or_default().trim();
            let said = said.strip_prefix("echo").or_else(|| said.strip_prefix("printf")).unwrap_or(said).trim();
            let said = said.trim_matches(['"', '\'']);
            let is_moved = line.contains("BASH_ENV") || line.contains("LD_PRELOAD");
            let is_of_change = has_change && (is_of_workspace(said) || line.contains("$(") || line.contains('`'));
            let is_variable = line.contains("GITHUB_ENV")
                && said.split_once('=').is_some_and(|(name, value)| !is_steering(name) && !value.contains(['$', '`']));
            if is_variable {
                continue;
            }
            if is_moved || is_of_change {
                let message =
                    "it sets variables or the search path of the gate, which decide what is run: judge in another job";
                self.report(Fault::defeats(ID, message), run, checks);
            } else {
                self.steered(run, checks);
            }
        }
        if script.contains("::set-env") || script.contains("::add-path") {
            self.steered(run, checks);
        }
    }

    /// A workflow with the rights of the base that checks out a change runs what its author wrote.
    pub(super) fn checks_nothing_out(&self, job: &Value, scene: &Scene<'_>, checks: &mut Vec<Check>) {
        for step in member(job, "steps").map(items).unwrap_or_default() {
            let is_checkout = uses(step).is_some_and(|used| does(used) == Some(Does::Checkout));
            if is_checkout && Self::checked_out(step, scene) == Workspace::Change {
                let at = member(step, "with").and_then(|with| member(with, "ref")).unwrap_or(step);
                let message = "it checks out the change with the rights of the base: take the step out, the gate reads \
                               commits";
                self.push("gate/checkout", State::Defeated, at, message, checks);
            }
            let script = member(step, "run").and_then(text).unwrap_or_default();
            let names_change = || fetched::names_change(&self.with_values(script, step, job));
            if fetches_change(script) || names_change() && fetched::brings(&plain_of(script)) {
                let message = "it fetches the change into the workspace with the rights of the base: take it out, the gate \
                               reads commits";
                self.report(Fault::limits("gate/checkout", message), step, checks);
            }
            let persists = member(step, "with").and_then(|with| member(with, "persist-credentials"));
            if is_checkout && persists.is_some_and(is_true) {
                self.push("gate/checkout", State::Weak, step, "the token stays in the workspace: take it out", checks);
            }
        }
    }
}

/// A script in which expressions for folders are the variables of the same folders.
fn with_paths(script: &str) -> String {
    let mut parts = script.split("${{");
    let mut done = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let inner = part.split_once("}}");
        let known =
            inner.and_then(|(name, rest)| Some((PATHS.iter().find(|(known, _)| *known == name.trim())?.1, rest)));
        match known {
            Some((variable, rest)) => done.extend(["${", variable, "}", rest]),
            None => done.extend(["${{", part]),
        }
    }
    done
}

fn plain_of(script: &str) -> String {
    without_expressions(&with_paths(script))
}

/// Whether the name or an input of an unknown action mentions a checkout.
fn names_checkout(step: &Value) -> bool {
    let with = member(step, "with").map(members).unwrap_or_default();
    let said = with.iter().filter_map(|(_, value)| text(value));
    said.chain(uses(step))
        .any(|said| said.contains("checkout") || said.contains("clone") || fetched::names_change(said))
}

/// Whether a script gets the commits of a change into the workspace.
fn fetches_change(script: &str) -> bool {
    let fetches = ["gh pr checkout", "refs/pull/", "pull/${{", "git checkout FETCH_HEAD", "git switch"];
    fetches.iter().any(|words| script.contains(words))
        || script.contains("git checkout") && (script.contains("head.sha") || script.contains("HEAD_SHA"))
}

/// Whether a script clones the repository, or fetches a file of the change.
fn clones(script: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| script.contains(word));
    let is_own = has(&[
        "github.repository",
        "GITHUB_REPOSITORY",
        "head.repo",
        "origin",
        "github.sha",
        "GITHUB_SHA",
        "GITHUB_REF",
        "head_ref",
    ]);
    is_own
        && has(&["git clone", "gh repo clone", "git checkout", "git pull", "git reset", "git worktree", "curl", "wget"])
}

fn is_false(value: &Value) -> bool {
    matches!(value.data, Data::Bool(false) | Data::Null) || text(value).is_some_and(|text| matches!(text, "" | "false"))
}

/// The input that switches a cache off: `cache: false`, or `cache-disabled: true`.
fn is_off(name: &str) -> fn(&Value) -> bool {
    if name.ends_with("disabled") { is_true } else { is_false }
}
