//! The words of commands, and the entries that every generated policy has. Data, no judgement.

use super::plan::Slot;

/// `git config` with any of these only shows what is set.
pub(super) const SHOWS_SETTINGS: &[&str] =
    &["--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "--show-origin"];

/// Settings of git that say who commits, and decide nothing of what runs.
pub(super) const IDENTITY: &[&str] = &["user.email", "user.name"];

/// Programs that run their operands, as code knows them: without a command they say nothing.
pub(super) const WRAPPERS: &[&str] = &["env", "xargs", "parallel", "script", "exec", "source", ".", "nohup"];

/// Runners whose first operand says what runs.
pub(super) const TARGETS: &[&str] = &[
    "make", "gmake", "just", "task", "rake", "ninja", "ant", "bazel", "bazelisk", "buck2", "pants", "scons", "waf",
    "tox", "nox", "invoke", "gradle", "gradlew", "mvn", "turbo", "nx", "lerna",
];

/// The paths that every generated policy denies. A session that touched one of them is for people to look at.
pub(super) const DENIED_PATHS: &[(Slot, &str)] = &[
    (Slot::Read, "builtin:secrets"),
    (Slot::Read, "builtin:credentials"),
    (Slot::Write, "builtin:secrets"),
    (Slot::Write, "builtin:credentials"),
    (Slot::Write, "builtin:pipelines"),
    (Slot::Delete, "builtin:pipelines"),
];

/// The built-in list of commands that every generated policy denies.
pub(super) const DENIED_COMMANDS: &str = "dangerous";

/// A program, and the built-in list of its risky commands, which a policy that allows another command of it denies.
pub(super) const RISKY: &[(&str, &str)] =
    &[("git", "git-lossy"), ("gh", "gh-lossy"), ("curl", "uploads"), ("wget", "uploads")];

/// Programs whose subcommands the built-in knowledge works out in code: the program, and its groups of subcommands.
pub(super) const SUBCOMMANDS: &[(&str, &[&str])] = &[
    ("git", &["stash", "worktree", "remote", "submodule", "bisect", "notes", "lfs"]),
    (
        "gh",
        &[
            "auth",
            "pr",
            "issue",
            "run",
            "repo",
            "release",
            "workflow",
            "gist",
            "label",
            "search",
            "cache",
            "project",
            "extension",
        ],
    ),
    ("hub", &["pr", "issue", "release"]),
    (
        "docker",
        &["compose", "container", "image", "network", "buildx", "context", "builder", "manifest", "system", "volume"],
    ),
    ("podman", &["compose", "container", "image", "network", "system", "volume"]),
    ("kubectl", &["config", "rollout", "auth", "certificate"]),
    ("helm", &["repo", "plugin", "registry", "dependency"]),
    ("svn", &[]),
    ("hg", &[]),
    ("jj", &["git", "bookmark", "operation", "config"]),
    ("bun", &["pm", "run", "x"]),
    ("deno", &["task"]),
    ("corepack", &["pnpm", "yarn", "npm"]),
];
