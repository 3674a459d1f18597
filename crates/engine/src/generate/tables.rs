//! What is never generalised, what belongs together, and what is always suggested to be denied. Data, no judgement.

use super::plan::Slot;

/// A command that destroys, publishes or gives more rights.
pub(super) struct Risk {
    pub(super) program: &'static str,
    /// Its leading words; none: whatever it is asked to do.
    pub(super) words: &'static [&'static str],
    /// Any of these options; none: with and without.
    pub(super) flags: &'static [&'static str],
    pub(super) what: What,
}

/// Why a command is for people to allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// It deletes, overwrites or changes what can't be brought back.
    Destroys,
    /// It shows or changes something outside of this machine, for others.
    Publishes,
    /// It gives more rights than the agent has, or acts on the machine itself.
    Elevates,
    /// It runs code that no record shows, elsewhere or later.
    Escapes,
}

const fn risk(
    program: &'static str,
    words: &'static [&'static str],
    flags: &'static [&'static str],
    what: What,
) -> Risk {
    Risk { program, words, flags, what }
}

const ANY: &[&str] = &[];
/// A push that takes something away from others, or sends more than one branch.
const FORCED: &[&str] =
    &["-f", "--force", "--force-with-lease", "--mirror", "-d", "--delete", "--all", "--tags", "--prune"];

/// What makes a request of `gh api` more than a look.
const API: &[&str] = &["-X", "--method", "-f", "--raw-field", "-F", "--field", "--input"];

pub(super) const RISKS: &[Risk] = &[
    risk("rm", ANY, ANY, What::Destroys),
    risk("rmdir", ANY, ANY, What::Destroys),
    risk("unlink", ANY, ANY, What::Destroys),
    risk("shred", ANY, ANY, What::Destroys),
    risk("truncate", ANY, ANY, What::Destroys),
    risk("dd", ANY, ANY, What::Destroys),
    risk("mkfs", ANY, ANY, What::Destroys),
    risk("fdisk", ANY, ANY, What::Destroys),
    risk("trash", ANY, ANY, What::Destroys),
    risk("chmod", ANY, ANY, What::Destroys),
    risk("chown", ANY, ANY, What::Destroys),
    risk("chgrp", ANY, ANY, What::Destroys),
    risk("chattr", ANY, ANY, What::Destroys),
    risk("setfacl", ANY, ANY, What::Destroys),
    risk("find", ANY, &["-delete", "-fprint", "-fprintf", "-fprint0", "-fls"], What::Destroys),
    risk("rsync", ANY, ANY, What::Destroys),
    risk("git", &["reset"], &["--hard", "--merge", "--keep"], What::Destroys),
    risk("git", &["clean"], ANY, What::Destroys),
    risk("git", &["rebase"], &["-i", "--interactive", "-x", "--exec", "--onto", "--root"], What::Destroys),
    risk("git", &["restore"], ANY, What::Destroys),
    risk("git", &["checkout"], &["-f", "--force", "--"], What::Destroys),
    risk("git", &["branch"], &["-d", "-D", "--delete", "-f", "--force", "-M"], What::Destroys),
    risk("git", &["tag"], &["-d", "--delete", "-f", "--force"], What::Destroys),
    risk("git", &["stash", "drop"], ANY, What::Destroys),
    risk("git", &["stash", "clear"], ANY, What::Destroys),
    risk("git", &["worktree", "remove"], ANY, What::Destroys),
    risk("git", &["filter-branch"], ANY, What::Destroys),
    risk("git", &["filter-repo"], ANY, What::Destroys),
    risk("git", &["update-ref"], ANY, What::Destroys),
    risk("git", &["reflog"], ANY, What::Destroys),
    risk("git", &["gc"], ANY, What::Destroys),
    risk("git", &["rm"], ANY, What::Destroys),
    risk("git", &["push"], FORCED, What::Publishes),
    risk("git", &["send-pack"], ANY, What::Publishes),
    risk("git", &["send-email"], ANY, What::Publishes),
    risk("git", &["remote"], &["add", "set-url", "remove", "rename", "rm"], What::Publishes),
    risk("git", &["config"], ANY, What::Escapes),
    risk("git", &["submodule"], ANY, What::Escapes),
    risk("npm", &["publish"], ANY, What::Publishes),
    risk("npm", &["unpublish"], ANY, What::Publishes),
    risk("npm", &["deprecate"], ANY, What::Publishes),
    risk("npm", &["dist-tag"], ANY, What::Publishes),
    risk("npm", &["owner"], ANY, What::Publishes),
    risk("npm", &["access"], ANY, What::Publishes),
    risk("npm", &["token"], ANY, What::Publishes),
    risk("pnpm", &["publish"], ANY, What::Publishes),
    risk("yarn", &["publish"], ANY, What::Publishes),
    risk("yarn", &["npm"], ANY, What::Publishes),
    risk("bun", &["publish"], ANY, What::Publishes),
    risk("cargo", &["publish"], ANY, What::Publishes),
    risk("cargo", &["yank"], ANY, What::Publishes),
    risk("cargo", &["owner"], ANY, What::Publishes),
    risk("cargo", &["login"], ANY, What::Publishes),
    risk("twine", &["upload"], ANY, What::Publishes),
    risk("poetry", &["publish"], ANY, What::Publishes),
    risk("uv", &["publish"], ANY, What::Publishes),
    risk("flit", &["publish"], ANY, What::Publishes),
    risk("gem", &["push"], ANY, What::Publishes),
    risk("gem", &["yank"], ANY, What::Publishes),
    risk("mvn", &["deploy"], ANY, What::Publishes),
    risk("gradle", &["publish"], ANY, What::Publishes),
    risk("mix", &["hex.publish"], ANY, What::Publishes),
    risk("docker", &["push"], ANY, What::Publishes),
    risk("podman", &["push"], ANY, What::Publishes),
    risk("docker", &["login"], ANY, What::Publishes),
    risk("docker", &["rm"], ANY, What::Destroys),
    risk("docker", &["rmi"], ANY, What::Destroys),
    risk("docker", &["kill"], ANY, What::Destroys),
    risk("docker", &["system"], ANY, What::Destroys),
    risk("docker", &["volume"], ANY, What::Destroys),
    risk("docker", &["run"], &["--privileged", "-v", "--volume", "--mount", "--pid", "--network"], What::Elevates),
    risk("gh", &["release"], &["create", "delete", "edit", "upload"], What::Publishes),
    // A pull request, an issue and what is said about them publish less than a push, and can be taken back.
    risk("gh", &["pr"], &["merge", "close", "reopen", "review"], What::Publishes),
    risk("gh", &["issue"], &["close", "reopen", "delete", "transfer"], What::Publishes),
    risk("gh", &["repo"], &["create", "delete", "edit", "rename", "archive", "fork", "sync"], What::Publishes),
    risk("gh", &["run"], &["rerun", "cancel", "delete"], What::Publishes),
    risk("gh", &["workflow"], &["run", "enable", "disable"], What::Publishes),
    risk("gh", &["secret"], ANY, What::Publishes),
    risk("gh", &["variable"], ANY, What::Publishes),
    risk("gh", &["auth"], &["login", "logout", "refresh", "setup-git", "switch", "token"], What::Elevates),
    risk("gh", &["gist"], ANY, What::Publishes),
    risk("gh", &["api"], API, What::Publishes),
    risk("glab", ANY, ANY, What::Publishes),
    risk("kubectl", &["delete"], ANY, What::Destroys),
    risk("kubectl", &["apply"], ANY, What::Publishes),
    risk("kubectl", &["create"], ANY, What::Publishes),
    risk("kubectl", &["replace"], ANY, What::Publishes),
    risk("kubectl", &["patch"], ANY, What::Publishes),
    risk("kubectl", &["edit"], ANY, What::Publishes),
    risk("kubectl", &["scale"], ANY, What::Publishes),
    risk("kubectl", &["rollout"], ANY, What::Publishes),
    risk("kubectl", &["drain"], ANY, What::Destroys),
    risk("kubectl", &["exec"], ANY, What::Escapes),
    risk("helm", &["install"], ANY, What::Publishes),
    risk("helm", &["upgrade"], ANY, What::Publishes),
    risk("helm", &["uninstall"], ANY, What::Destroys),
    risk("terraform", &["apply"], ANY, What::Publishes),
    risk("terraform", &["destroy"], ANY, What::Destroys),
    risk("terraform", &["import"], ANY, What::Publishes),
    risk("terraform", &["state"], ANY, What::Destroys),
    risk("tofu", &["apply"], ANY, What::Publishes),
    risk("tofu", &["destroy"], ANY, What::Destroys),
    risk("aws", ANY, ANY, What::Publishes),
    risk("gcloud", ANY, ANY, What::Publishes),
    risk("gsutil", ANY, ANY, What::Publishes),
    risk("az", ANY, ANY, What::Publishes),
    risk("vercel", ANY, ANY, What::Publishes),
    risk("netlify", ANY, ANY, What::Publishes),
    risk("heroku", ANY, ANY, What::Publishes),
    risk("fly", ANY, ANY, What::Publishes),
    risk("flyctl", ANY, ANY, What::Publishes),
    risk("wrangler", ANY, ANY, What::Publishes),
    risk("firebase", ANY, ANY, What::Publishes),
    risk("supabase", ANY, ANY, What::Publishes),
    risk("curl", ANY, UPLOADS, What::Publishes),
    risk("wget", ANY, &["--post-data", "--post-file", "--method", "--body-data", "--body-file"], What::Publishes),
    risk("http", ANY, ANY, What::Publishes),
    risk("https", ANY, ANY, What::Publishes),
    risk("mail", ANY, ANY, What::Publishes),
    risk("sendmail", ANY, ANY, What::Publishes),
    risk("scp", ANY, ANY, What::Publishes),
    risk("sftp", ANY, ANY, What::Publishes),
    risk("ftp", ANY, ANY, What::Publishes),
    risk("ssh", ANY, ANY, What::Escapes),
    risk("nc", ANY, ANY, What::Escapes),
    risk("ncat", ANY, ANY, What::Escapes),
    risk("socat", ANY, ANY, What::Escapes),
    risk("telnet", ANY, ANY, What::Escapes),
    risk("tmux", ANY, ANY, What::Escapes),
    risk("screen", ANY, ANY, What::Escapes),
    risk("crontab", ANY, ANY, What::Escapes),
    risk("at", ANY, ANY, What::Escapes),
    risk("eval", ANY, ANY, What::Escapes),
    risk("alias", ANY, ANY, What::Escapes),
    risk("sudo", ANY, ANY, What::Elevates),
    risk("doas", ANY, ANY, What::Elevates),
    risk("su", ANY, ANY, What::Elevates),
    risk("pkexec", ANY, ANY, What::Elevates),
    risk("chroot", ANY, ANY, What::Elevates),
    risk("mount", ANY, ANY, What::Elevates),
    risk("umount", ANY, ANY, What::Elevates),
    risk("systemctl", ANY, ANY, What::Elevates),
    risk("service", ANY, ANY, What::Elevates),
    risk("launchctl", ANY, ANY, What::Elevates),
    risk("iptables", ANY, ANY, What::Elevates),
    risk("useradd", ANY, ANY, What::Elevates),
    risk("usermod", ANY, ANY, What::Elevates),
    risk("passwd", ANY, ANY, What::Elevates),
    risk("kill", ANY, ANY, What::Elevates),
    risk("pkill", ANY, ANY, What::Elevates),
    risk("killall", ANY, ANY, What::Elevates),
    risk("shutdown", ANY, ANY, What::Elevates),
    risk("reboot", ANY, ANY, What::Elevates),
    risk("apt", ANY, ANY, What::Elevates),
    risk("apt-get", ANY, ANY, What::Elevates),
    risk("yum", ANY, ANY, What::Elevates),
    risk("dnf", ANY, ANY, What::Elevates),
    risk("apk", ANY, ANY, What::Elevates),
    risk("brew", &["uninstall"], ANY, What::Destroys),
];

const UPLOADS: &[&str] = &[
    "-d",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-urlencode",
    "--data-ascii",
    "--json",
    "-F",
    "--form",
    "-T",
    "--upload-file",
    "-X",
    "--request",
    "-K",
    "--config",
];

/// Programs of a kind: where some of them were used, the others may be, too. What they read is judged by itself.
pub(super) struct Family {
    pub(super) name: &'static str,
    pub(super) stands: Stands,
    pub(super) slot: Slot,
    pub(super) members: &'static [&'static str],
}

/// When programs of a kind stand for all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    /// So many of them were used.
    Together(usize),
    /// Anything of their list was.
    WithAny,
}

pub(super) const FAMILIES: &[Family] = &[
    Family {
        name: "programs that show what is there",
        stands: Stands::WithAny,
        slot: Slot::Commands,
        members: &[
            "[",
            "basename",
            "cat",
            "cd",
            "cksum",
            "clear",
            "cmp",
            "column",
            "comm",
            "command -v",
            "cut",
            "date",
            "diff",
            "dirname",
            "du",
            "echo",
            "egrep",
            "expand",
            "expr",
            "false",
            "fgrep",
            "file",
            "find",
            "fold",
            "grep",
            "head",
            "hexdump",
            "jq",
            "less",
            "ls",
            "md5sum",
            "more",
            "nl",
            "od",
            "paste",
            "printf",
            "pwd",
            "readlink",
            "realpath",
            "rev",
            "rg",
            "sed",
            "seq",
            "sha1sum",
            "sha256sum",
            "sleep",
            "sort",
            "stat",
            "strings",
            "tac",
            "tail",
            "test",
            "tr",
            "tree",
            "true",
            "type",
            "uname",
            "uniq",
            "wc",
            "which",
            "whoami",
            "xargs cat",
            "xargs grep",
            "xargs head",
            "xargs ls",
            "xargs sed",
            "xargs stat",
            "xargs tail",
            "xargs rg",
            "xargs wc",
            "xxd",
        ],
    },
    // What they write and delete is judged by itself.
    Family {
        name: "programs that make and move files",
        stands: Stands::Together(1),
        slot: Slot::Commands,
        members: &["cp", "mkdir", "mktemp", "mv", "tee", "touch"],
    },
    // What they overwrite and delete is judged by itself, and what takes something away is denied beside them.
    Family {
        name: "git commands that record work, and take over that of others",
        stands: Stands::Together(1),
        slot: Slot::Commands,
        members: &[
            "git add",
            "git branch",
            "git checkout",
            "git cherry-pick",
            "git commit",
            "git fetch",
            "git merge",
            "git pull",
            "git rebase",
            "git stash push",
            "git switch",
            "git tag",
        ],
    },
    Family {
        name: "git commands that show what is there",
        stands: Stands::WithAny,
        slot: Slot::Commands,
        members: &[
            "git blame",
            "git branch --all",
            "git branch --contains",
            "git branch --list",
            "git branch --remotes",
            "git branch --show-current",
            "git branch --verbose",
            "git cat-file",
            "git check-ignore",
            "git config --get",
            "git config --list",
            "git count-objects",
            "git describe",
            "git diff",
            "git diff-tree",
            "git for-each-ref",
            "git grep",
            "git log",
            "git ls-files",
            "git ls-tree",
            "git merge-base",
            "git name-rev",
            "git range-diff",
            "git remote --verbose",
            "git remote get-url",
            "git rev-list",
            "git rev-parse",
            "git shortlog",
            "git show",
            "git show-ref",
            "git stash list",
            "git stash show",
            "git status",
            "git tag --list",
            "git version",
            "git worktree list",
        ],
    },
    Family {
        name: "gh commands that show what is there",
        stands: Stands::Together(1),
        slot: Slot::Commands,
        members: &[
            "gh --version",
            "gh auth status",
            "gh issue list",
            "gh issue status",
            "gh issue view",
            "gh label list",
            "gh pr checks",
            "gh pr diff",
            "gh pr list",
            "gh pr status",
            "gh pr view",
            "gh release list",
            "gh release view",
            "gh repo view",
            "gh run list",
            "gh run view",
            "gh run watch",
            "gh workflow list",
            "gh workflow view",
        ],
    },
    Family {
        name: "PowerShell commands that show what is there",
        stands: Stands::Together(1),
        slot: Slot::Commands,
        members: &[
            "Format-List",
            "Format-Table",
            "Get-ChildItem",
            "Get-Command",
            "Get-Content",
            "Get-Date",
            "Get-Item",
            "Get-Location",
            "Join-Path",
            "Measure-Object",
            "Out-String",
            "Resolve-Path",
            "Select-Object",
            "Select-String",
            "Set-Location",
            "Sort-Object",
            "Split-Path",
            "Test-Path",
            "Write-Host",
            "Write-Output",
        ],
    },
    Family {
        name: "cargo commands that build and check",
        stands: Stands::Together(1),
        slot: Slot::Commands,
        members: &[
            "cargo bench",
            "cargo build",
            "cargo check",
            "cargo clippy",
            "cargo doc",
            "cargo fmt",
            "cargo metadata",
            "cargo test",
            "cargo tree",
        ],
    },
    Family {
        name: "go commands that build and check",
        stands: Stands::Together(1),
        slot: Slot::Commands,
        members: &["go build", "go doc", "go env", "go fmt", "go list", "go test", "go version", "go vet"],
    },
    Family {
        name: "variables that change no program but its output",
        stands: Stands::WithAny,
        slot: Slot::Env,
        members: &[
            "CI",
            "CLICOLOR",
            "COLUMNS",
            "FORCE_COLOR",
            "GIT_AUTHOR_DATE",
            "GIT_AUTHOR_EMAIL",
            "GIT_AUTHOR_NAME",
            "GIT_COMMITTER_DATE",
            "GIT_COMMITTER_EMAIL",
            "GIT_COMMITTER_NAME",
            "GIT_TERMINAL_PROMPT",
            "LANG",
            "LC_ALL",
            "LINES",
            "NO_COLOR",
            "PYTHONUNBUFFERED",
            "RUST_BACKTRACE",
            "RUST_LOG",
            "TERM",
            "TZ",
        ],
    },
];

/// Where two of its scripts were run, the others may be, too: the repository says what they do.
pub(super) const RUNNERS: &[&str] = &["bun run", "deno task", "mise run", "npm run", "pnpm run", "yarn run"];

/// How tools of a server are called that show what is there, and the pattern of all of them.
pub(super) const SHOWING: &[&str] = &["get_*", "list_*", "read_*", "search_*"];

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
