//! `init --ci`: the gate as a job of a forge, and what has to be set there so that nobody gets around it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use agent_strace_git::MergedInto;
use agent_strace_repos::doctor::Forge;

use clap::ValueEnum;

use super::super::Streams;
use super::super::failure::Failure;
use super::super::output;
use super::{InitArgs, refuse_to_replace};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Platform {
    Github,
    Gitlab,
}

/// Who can change the gate that judges a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Strength {
    /// Its author, and everybody sees that.
    Visible,
    /// Its author, if an owner approves.
    Reviewed,
    /// Nobody who can only propose changes.
    Enforced,
}

/// A file that is written, and what there is to do afterwards.
struct Recipe {
    file: &'static str,
    text: &'static str,
    next: Vec<String>,
}

const GITHUB_VISIBLE: &str = include_str!("templates/github-visible.yml");
const GITHUB_ENFORCED: &str = include_str!("templates/github-enforced.yml");
const GITLAB: &str = include_str!("templates/gitlab.yml");

const GITHUB_FILE: &str = ".github/workflows/agent-strace.yml";
const GITLAB_FILE: &str = ".gitlab/agent-strace.gitlab-ci.yml";

const COMMIT: &str = "commit the policy and this file to the branch; from then on pull requests are judged, and the one that \
                      brings them ends with exit code 2";
const RECORD: &str =
    "record sessions, so that pull requests bring them: `agent-strace setup --write`, and commit `.agent-traces`";
const REQUIRE: &str =
    "after the first merge, rules of the branch: require the check `agent-strace`, with GitHub Actions as its source";
const LABEL: &str = "a change to what judges passes in the run that the label `gate-reviewed` starts: give the right to set labels \
                     to people only";
const SOURCE_GITLAB: &str = "set AGENT_STRACE_URL and AGENT_STRACE_SHA256 in the file: until then the job fails";
const INCLUDE_GITLAB: &str = "`.gitlab-ci.yml`: `include: [{local: .gitlab/agent-strace.gitlab-ci.yml}]`";
const COMMIT_GITLAB: &str = "commit the policy and these files to the branch; from then on merge requests are judged";
const REQUIRE_GITLAB: &str = "after the first merge, merge requests of the project: \"Pipelines must succeed\"; those of forks \
                              are run here by a member";
const CENTRAL: &str = "in a repository of the organisation that agents can't write to: rules of the organisation, \
                       \"require workflows to pass\", with this file. In the repository itself it is as strong as \
                       its default branch";

fn recipe(platform: Platform, strength: Strength) -> Result<Recipe, Failure> {
    let texts = |steps: &[&str]| steps.iter().map(|step| (*step).to_owned()).collect::<Vec<_>>();
    let steps = |first: &str, owned: Option<Forge>, last: &[&str]| {
        let mut next = texts(&[first, RECORD]);
        next.extend(owned.map(owners));
        next.extend(texts(last));
        next
    };
    let github = |text, next| Ok(Recipe { file: GITHUB_FILE, text, next });
    let gitlab = |owned, last: &[&str]| {
        let mut next = steps(COMMIT_GITLAB, owned, last);
        next.insert(0, SOURCE_GITLAB.to_owned());
        next.insert(1, INCLUDE_GITLAB.to_owned());
        Ok(Recipe { file: GITLAB_FILE, text: GITLAB, next })
    };
    match (platform, strength) {
        (Platform::Github, Strength::Visible) => github(GITHUB_VISIBLE, steps(COMMIT, None, &[LABEL, REQUIRE])),
        (Platform::Github, Strength::Reviewed) => {
            github(GITHUB_VISIBLE, steps(COMMIT, Some(Forge::Github), &[LABEL, REQUIRE]))
        }
        (Platform::Github, Strength::Enforced) => {
            github(GITHUB_ENFORCED, steps(CENTRAL, Some(Forge::Github), &[LABEL, REQUIRE]))
        }
        (Platform::Gitlab, Strength::Visible) => gitlab(None, &[REQUIRE_GITLAB]),
        (Platform::Gitlab, Strength::Reviewed) => gitlab(Some(Forge::Gitlab), &[REQUIRE_GITLAB]),
        (Platform::Gitlab, Strength::Enforced) => {
            Err(Failure::new("for GitLab no recipe is `enforced`: a merge request can bring another job")
                .hint("what the group sets is stronger: a pipeline execution policy that runs it"))
        }
    }
}

/// The lines of CODEOWNERS that `doctor` looks for.
fn owners(forge: Forge) -> String {
    let own = forge.owners().iter().filter(|place| **place == "CODEOWNERS").map(|place| format!("/{place}"));
    let paths = forge.guarded().iter().map(|path| (*path).to_owned()).chain(own);
    let lines: Vec<String> = paths.map(|path| format!("          {path} @OWNERS")).collect();
    format!("CODEOWNERS, with a review by owners required:\n{}", lines.join("\n"))
}

pub(super) fn run(platform: Platform, args: &InitArgs, streams: &mut Streams<'_>) -> Result<u8, Failure> {
    let recipe = recipe(platform, args.strength)?;
    let merged_into = branch(args);
    let (MergedInto::Known(branch) | MergedInto::Likely(branch)) = &merged_into;
    let text = filled(platform, args, recipe.text, branch)?;
    let file = args.output.clone().unwrap_or_else(|| PathBuf::from(recipe.file));
    refuse_to_replace(&file, args.force)?;
    output::write_with_folder(&file, &text)?;
    let mut said = format!("wrote {}\n", agent_strace_report::terminal(&file.to_string_lossy()));
    if platform == Platform::Github {
        let _ = writeln!(said, "  judges changes into `{branch}`");
    }
    for (number, step) in recipe.next.iter().enumerate() {
        let label = if number == 0 { "  next: " } else { "        " };
        let _ = writeln!(said, "{label}{}. {step}", number + 1);
    }
    said.push_str("        `agent-strace doctor --ci` says what holds then\n");
    output::print(streams.stdout, &said)?;
    if platform == Platform::Github && matches!(merged_into, MergedInto::Likely(_)) {
        output::note(
            streams.stderr,
            &format!(
                "note: which branch of the remote is the default one is not known here, and `{branch}` is taken for it: \
                 `--branch` names another"
            ),
        );
    }
    if !Path::new(super::POLICY).exists() {
        output::note(streams.stderr, "note: there is no `.agent-scope.json` yet: `agent-strace init` writes one");
    }
    Ok(0)
}

/// The branch that is named, or the one that changes are merged into as far as the clone knows.
fn branch(args: &InitArgs) -> MergedInto {
    match &args.branch {
        Some(named) => MergedInto::Known(named.clone()),
        None => agent_strace_git::merged_into(Path::new(".")),
    }
}

fn filled(platform: Platform, args: &InitArgs, text: &str, branch: &str) -> Result<String, Failure> {
    if !is_branch(branch) {
        return Err(Failure::new(format!("`{branch}` is no name of a branch"))
            .hint("letters, digits and `-_./` can stand in it, such as `main`"));
    }
    if platform == Platform::Gitlab {
        if args.action.is_some() {
            return Err(Failure::new("`--action` is for GitHub").hint("leave it out with `--ci gitlab`"));
        }
        return Ok(text.to_owned());
    }
    let Some(action) = args.action.as_deref() else {
        return Err(Failure::new("the workflow runs the action at one commit, and `--action` does not say which")
            .hint(
                "`--action OWNER/agent-strace@COMMIT`: the repository that you take the action from, and all 40 digits of a \
                 commit in it; the notes of a release name its commit",
            ));
    };
    if !is_pinned(action) {
        return Err(Failure::new(format!("`{action}` is no action at a commit"))
            .hint("write OWNER/REPOSITORY@COMMIT with all 40 digits: a tag or a branch can be moved to other code"));
    }
    Ok(text.replace("@ACTION@", action).replace("@BRANCH@", branch))
}

fn is_name(text: &str, more: &[char]) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric() || more.contains(&letter))
}

fn is_branch(text: &str) -> bool {
    is_name(text, &['-', '_', '.', '/']) && !text.starts_with(['-', '/', '.'])
}

/// `OWNER/REPOSITORY@` and the 40 digits of a commit.
fn is_pinned(action: &str) -> bool {
    let Some((name, commit)) = action.split_once('@') else { return false };
    let parts: Vec<&str> = name.split('/').collect();
    parts.len() >= 2
        && parts.iter().all(|part| is_name(part, &['-', '_', '.']))
        && commit.len() == 40
        && commit.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_pinned_by_all_digits_of_a_commit() {
        let commit = "0123456789abcdef0123456789abcdef01234567";
        assert!(is_pinned(&format!("acme/agent-strace@{commit}")));
        assert!(is_pinned(&format!("acme/tools/agent-strace@{commit}")));
        for wrong in ["acme/agent-strace", "acme/agent-strace@v1", "acme/agent-strace@0123456"] {
            assert!(!is_pinned(wrong), "{wrong}");
        }
        for wrong in ["agent-strace@C", "a/b\n@C", "a/b: c@C", "/b@C", "a/b@C\n", "a/b@C0"] {
            assert!(!is_pinned(&wrong.replace('C', commit)), "{wrong}");
        }
    }

    /// What is not filled in would be written as it stands.
    #[test]
    fn nothing_but_the_action_and_the_branch_is_filled_in() {
        for text in [GITHUB_VISIBLE, GITHUB_ENFORCED] {
            assert_eq!(text.matches("@ACTION@").count(), 1);
            assert_eq!(text.matches("@BRANCH@").count(), 2);
        }
        assert!(!GITLAB.contains("@ACTION@") && !GITLAB.contains("@BRANCH@"));
    }
}
