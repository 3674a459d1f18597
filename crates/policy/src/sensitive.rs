//! Files that hold credentials or decide what runs in CI: touching them is worth a look whatever the policy says.

use std::sync::{LazyLock, OnceLock};

use super::glob::{Glob, Pairs};
use super::path::{Entry, Files, without_wildcards};

/// Whether reading alone matters, or only changing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    Read,
    Write,
}

/// Compared folded, so all in lower case.
const SECRETS: &[&str] = &[
    "**/.env",
    "**/.env.*",
    "**/*.env",
    "**/.envrc",
    "**/secrets.json",
    "**/secrets.yaml",
    "**/secrets.yml",
    "**/secrets.toml",
    "**/config/secrets*",
    "**/config/master.key",
    "**/*.pem",
    "**/*.key",
    "**/*.p12",
    "**/*.pfx",
    "**/*.jks",
    "**/*.keystore",
    "**/*.kdbx",
    "**/*.ppk",
    "**/.ssh/**",
    "**/id_rsa*",
    "**/id_dsa*",
    "**/id_ecdsa*",
    "**/id_ed25519*",
    "**/.aws/credentials",
    "**/.aws/config",
    "**/.aws/sso/**",
    "**/.azure/**",
    "**/.config/gcloud/**",
    "**/application_default_credentials.json",
    "**/.kube/config",
    "**/kubeconfig",
    "**/.docker/config.json",
    "**/.dockercfg",
    "**/terraform.tfstate*",
    "**/*.tfstate",
    "**/*.tfvars",
    "**/.terraform.d/credentials*",
    "**/service-account*.json",
    "**/service_account*.json",
    "**/credentials.json",
    "**/client_secret*.json",
    "**/.netrc",
    "**/_netrc",
    "**/.npmrc",
    "**/.yarnrc.yml",
    "**/.pypirc",
    "**/.cargo/credentials*",
    "**/.gem/credentials",
    "**/.git-credentials",
    "**/.config/git/credentials",
    "**/.config/gh/hosts.yml",
    "**/.pgpass",
    "**/.my.cnf",
    "**/.vault-token",
    "**/.htpasswd",
    "**/.gnupg/**",
    "**/.password-store/**",
    "**/.bash_history",
    "**/.zsh_history",
    "**/*.token",
    "**/*.password",
    "**/.claude/.credentials.json",
    "**/.codex/auth.json",
    "**/.gemini/oauth_creds.json",
    "/etc/shadow*",
    "/etc/gshadow*",
    "/etc/sudoers",
    "/etc/sudoers.d/**",
    "/etc/ssh/ssh_host_*",
    "/proc/*/environ",
    "/run/secrets/**",
    "/var/run/secrets/**",
];

/// Everybody reads them; who changes them decides what runs with the repository's credentials.
const PIPELINES: &[&str] = &[
    "**/.github/workflows/*",
    "**/.gitlab-ci.yml",
    "**/jenkinsfile",
    "**/.circleci/config.yml",
    "**/azure-pipelines.yml",
];

/// Placeholders and public halves.
const HARMLESS: &[&str] = &[
    "**/*.example",
    "**/*.sample",
    "**/*.template",
    "**/*.dist",
    "**/*.pub",
    "**/.env.example.*",
    "**/example.env",
    "**/sample.env",
    "**/known_hosts",
    // What `mktemp` makes.
    "/tmp/tmp.**",
];

struct Tables {
    secrets: Vec<Pattern>,
    pipelines: Vec<Pattern>,
    harmless: Vec<Pattern>,
}

/// One of them, compiled once a file looks like it: most processes see few files.
struct Pattern {
    text: &'static str,
    pairs: Pairs,
    glob: OnceLock<Glob>,
    spelled: OnceLock<Glob>,
    in_place: OnceLock<Glob>,
}

impl Pattern {
    fn new(text: &'static str) -> Self {
        let [glob, spelled, in_place] = [OnceLock::new(), OnceLock::new(), OnceLock::new()];
        Self { text, pairs: Pairs::of_pattern(text), glob, spelled, in_place }
    }

    fn glob(&self) -> &Glob {
        self.glob.get_or_init(|| Glob::effect(self.text))
    }

    /// The text without the `**/` in front of it.
    fn relative(&self) -> &'static str {
        self.text.strip_prefix("**/").unwrap_or(self.text)
    }
}

impl Entry for Pattern {
    fn anywhere(&self) -> &Glob {
        self.glob()
    }

    fn spelled(&self) -> &Glob {
        self.spelled.get_or_init(|| Glob::anywhere(&Glob::effect(&without_wildcards(self.relative()))))
    }

    fn in_place(&self) -> &Glob {
        self.in_place.get_or_init(|| Glob::effect(self.relative()))
    }
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let table = |globs: &[&'static str]| globs.iter().map(|glob| Pattern::new(glob)).collect();
    Tables { secrets: table(SECRETS), pipelines: table(PIPELINES), harmless: table(HARMLESS) }
});

pub(super) fn touched(files: &Files<'_>, touch: Touch) -> bool {
    let aimed =
        |patterns: &[Pattern]| patterns.iter().any(|pattern| files.may_be_of(pattern.pairs) && files.aims_at(pattern));
    (aimed(&TABLES.secrets) || touch == Touch::Write && aimed(&TABLES.pipelines))
        && !TABLES.harmless.iter().any(|pattern| files.may_be_of(pattern.pairs) && files.all_in(pattern.glob()))
}

#[cfg(test)]
mod tests {
    use super::{HARMLESS, PIPELINES, SECRETS};
    use crate::glob::{Glob, Pairs};

    #[test]
    fn a_quick_no_is_that_of_the_pattern() {
        for text in [SECRETS, PIPELINES, HARMLESS].concat() {
            assert!(!text.contains(['[', '?']), "{text}");
            assert_eq!(Pairs::of_pattern(text), Glob::effect(text).pairs(), "{text}");
        }
    }
}
