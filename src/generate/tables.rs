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
pub(crate) enum What {
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
    risk("git", &["rebase"], ANY, What::Destroys),
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
    risk("git", &["push"], ANY, What::Publishes),
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
    risk("gh", &["pr"], &["create", "merge", "close", "reopen", "edit", "comment", "review", "ready"], What::Publishes),
    risk("gh", &["issue"], &["create", "close", "reopen", "edit", "comment", "delete", "transfer"], What::Publishes),
    risk("gh", &["repo"], &["create", "delete", "edit", "rename", "archive", "fork", "sync"], What::Publishes),
    risk("gh", &["run"], &["rerun", "cancel", "delete"], What::Publishes),
    risk("gh", &["workflow"], &["run", "enable", "disable"], What::Publishes),
    risk("gh", &["secret"], ANY, What::Publishes),
    risk("gh", &["variable"], ANY, What::Publishes),
    risk("gh", &["auth"], ANY, What::Elevates),
    risk("gh", &["gist"], ANY, What::Publishes),
    risk("gh", &["api"], ANY, What::Publishes),
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

/// Programs of a kind: where three of them were used, the others may be, too. What they read is judged by itself.
pub(super) struct Family {
    pub(super) name: &'static str,
    pub(super) commands: &'static [&'static str],
}

pub(super) const FAMILIES: &[Family] = &[
    Family {
        name: "programs that show what is there",
        commands: &[
            "[", "basename", "cat", "cd", "cmp", "column", "comm", "cut", "date", "diff", "dirname", "du", "echo",
            "egrep", "false", "fgrep", "file", "find", "fold", "grep", "head", "jq", "ls", "nl", "paste", "printf",
            "pwd", "readlink", "realpath", "rev", "rg", "sed", "seq", "sleep", "sort", "stat", "tac", "tail", "test",
            "tr", "tree", "true", "type", "uniq", "wc", "which",
        ],
    },
    Family {
        name: "git commands that show what is there",
        commands: &[
            "git blame",
            "git cat-file",
            "git describe",
            "git diff",
            "git diff-tree",
            "git grep",
            "git log",
            "git ls-files",
            "git ls-tree",
            "git merge-base",
            "git rev-list",
            "git rev-parse",
            "git shortlog",
            "git show",
            "git show-ref",
            "git status",
        ],
    },
    Family {
        name: "gh commands that show what is there",
        commands: &[
            "gh issue list",
            "gh issue view",
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
        ],
    },
];

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

/// What a policy holds before the first entry.
pub(super) const TEMPLATE: &str = r#"{
  "version": 2,
  "defaults": { "decision": "deny", "unresolved": "deny" },
  "labels": {
    "secret": [
      ".env", ".env.*", ".envrc", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".htpasswd",
      "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.tfstate", "*.tfvars",
      "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*",
      "credentials.json", "service-account*.json", "client_secret*.json",
      "secrets.json", "secrets.yaml", "secrets.yml", "secrets/**",
      "!*.example", "!*.sample", "!*.template", "!*.pub"
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
  "files": { "delete": { "allow": [] } },
  "network": { "deny_all": true }
}"#;

/// Programs whose subcommands the built-in knowledge works out in code: the program, and its groups of subcommands.
pub(super) const SUBCOMMANDS: &[(&str, &[&str])] = &[
    ("git", &["stash", "worktree", "remote", "submodule", "bisect", "notes", "lfs"]),
    (
        "gh",
        &[
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
