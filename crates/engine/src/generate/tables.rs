//! The words of commands, and the entries that every generated policy has. Data, no judgement.

use super::plan::Slot;

/// `git config` with any of these only shows what is set.
pub(super) const SHOWS_SETTINGS: &[&str] =
    &["--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "--show-origin"];

/// Settings of git that say who commits, and decide nothing of what runs.
pub(super) const IDENTITY: &[&str] = &["user.email", "user.name"];

/// Tools of agents that show what is there, or read to the agent what the repository tells it. The template has them.
pub(super) const OWN_TOOLS: &[&str] =
    &["Skill", "activate_skill", "code_intelligence", "load_skill", "lsp", "use_skill"];

/// Programs that run their operands, as code knows them: without a command they say nothing.
pub(super) const WRAPPERS: &[&str] = &["env", "xargs", "parallel", "script", "exec", "source", ".", "nohup"];

/// Runners whose first operand says what runs.
pub(super) const TARGETS: &[&str] = &[
    "make", "gmake", "just", "task", "rake", "ninja", "ant", "bazel", "bazelisk", "buck2", "pants", "scons", "waf",
    "tox", "nox", "invoke", "gradle", "gradlew", "mvn", "turbo", "nx", "lerna",
];

/// Entries of `commands.deny` that every generated policy suggests.
pub(super) const DENIED_COMMANDS: &[&str] = &[
    "sudo",
    "doas",
    "su",
    "eval",
    "rm -rf /",
    "rm -rf ~",
    "find -delete",
    "git push --force",
    "git push --force-with-lease",
    "git push --mirror",
    "git push --delete",
    "git reset --hard",
    "git clean -f",
    "git config core.hooksPath",
    "git filter-branch",
    "chmod 777",
    "chmod -R",
    "dd",
    "mkfs",
    "crontab",
    "shutdown",
    "npm publish",
    "cargo publish",
    "twine upload",
    "gem push",
    "docker push",
    "gh repo delete",
    "gh secret",
    "kubectl delete",
    "terraform destroy",
    "nc",
    "ssh",
    "scp",
    "curl --upload-file",
    "curl --data",
    "curl --form",
    "wget --post-file",
];

/// Denied whatever was done: the list, and the label. What a session did of it is for people.
pub(super) const DENIED_PATHS: &[(Slot, &str)] = &[
    (Slot::Read, "label:secret"),
    (Slot::Read, "label:credentials"),
    (Slot::Write, "label:secret"),
    (Slot::Write, "label:credentials"),
    (Slot::Write, "label:ci"),
    (Slot::Delete, "label:ci"),
];

/// What a policy holds before the first entry: denies, and what does nothing by itself: files that `mktemp` names, tools
/// of agents that show what is there or read instructions to them, and sub-agents, whose calls are judged like the rest.
pub(super) const TEMPLATE: &str = r#"{
  "version": 2,
  "defaults": { "decision": "deny", "unresolved": { "state": "deny" } },
  "labels": {
    "secret": [
      ".env", ".env.*", ".envrc", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".htpasswd",
      "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.tfstate", "*.tfvars",
      "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*",
      "*.env", "*.token", "*.password", ".dockercfg", ".pgpass", ".my.cnf", ".vault-token", "_netrc", ".yarnrc.yml",
      ".bash_history", ".zsh_history", "kubeconfig", "*.tfstate.*", "secrets.*", "service_account*.json",
      "application_default_credentials.json", "credentials.json", "service-account*.json", "client_secret*.json",
      "secrets/**", ".ssh/**", ".aws/**", ".azure/**", ".gnupg/**", ".password-store/**", ".kube/config",
      "!//tmp/tmp.*", "!//tmp/tmp.*/**", "!*.example", "!*.sample", "!*.template", "!*.dist", "!*.pub",
      "!*.c", "!*.cpp", "!*.cs", "!*.css", "!*.go", "!*.h", "!*.html", "!*.java", "!*.js", "!*.jsx", "!*.kt", "!*.md",
      "!*.mdx", "!*.php", "!*.py", "!*.rb", "!*.rs", "!*.scss", "!*.svelte", "!*.swift", "!*.ts", "!*.tsx", "!*.vue"
    ],
    "credentials": [
      "~/.ssh/**", "~/.aws/**", "~/.azure/**", "~/.config/gcloud/**", "~/.config/gh/**", "~/.docker/config.json",
      "~/.gnupg/**", "~/.kube/**", "~/.netrc", "~/.npmrc", "~/.pypirc"
    ],
    "ci": [
      ".github/workflows/**", ".github/actions/**", ".gitlab-ci.yml", ".circleci/**", ".buildkite/**", "Jenkinsfile",
      "azure-pipelines.yml"
    ]
  },
  "files": {
    "read": { "allow": ["//tmp/tmp.*", "//tmp/tmp.*/**"] },
    "write": { "allow": ["//tmp/tmp.*", "//tmp/tmp.*/**"] },
    "delete": { "allow": [] }
  },
  "network": { "deny_all": true, "allow": ["remote:origin"] },
  "mcp": {
    "servers": {
      "*": { "allow": ["Skill", "activate_skill", "code_intelligence", "load_skill", "lsp", "use_skill"] }
    }
  },
  "rules": [
    {
      "id": "SPAWN-BUILT-IN", "effect": "allow", "reason": "what an agent's own sub-agents do is judged like the rest",
      "match": {
        "spawn": [
          "Explore", "Plan", "claude-code-guide", "code-review", "codebase_investigator", "default", "explore",
          "explorer", "general-purpose", "generalist", "statusline-setup", "task", "worker"
        ]
      }
    }
  ]
}"#;

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
