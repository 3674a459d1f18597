//! Actions that run before the gate in its job: what they do with files of the change and with the machine.

/// The effect of an action on the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    Checkout,
    /// It fetches files that another job of the run made.
    Fetches,
    /// It runs no code of the workspace, and leaves nothing that the gate runs.
    Nothing,
    /// A script in its input `script`.
    Script,
    /// It unpacks a cache, which a run of the change may have written.
    Caches,
    /// It unpacks a cache where the input is set.
    CachesWith(&'static str),
    /// It unpacks a cache unless the input says `false`.
    CachesUnless(&'static str),
    /// It runs code of the workspace.
    Runs,
    /// It runs code of the workspace where the input is set.
    RunsWith(&'static str),
    /// It lets an agent work.
    Agent,
}

/// Known actions by their names in lower case. A name that ends with `/` covers all actions of an owner.
const ACTIONS: &[(&str, Does)] = &[
    ("actions/checkout", Does::Checkout),
    ("actions/download-artifact", Does::Fetches),
    ("dawidd6/action-download-artifact", Does::Fetches),
    ("actions/upload-artifact", Does::Nothing),
    ("actions/github-script", Does::Script),
    ("actions/create-github-app-token", Does::Nothing),
    ("actions/setup-python", Does::CachesWith("cache")),
    ("actions/setup-node", Does::CachesWith("cache")),
    ("actions/setup-java", Does::CachesWith("cache")),
    ("actions/setup-dotnet", Does::CachesWith("cache")),
    ("actions/setup-go", Does::CachesUnless("cache")),
    ("actions/cache", Does::Caches),
    ("actions/cache/restore", Does::Caches),
    ("actions/cache/save", Does::Nothing),
    ("swatinem/rust-cache", Does::Caches),
    ("mozilla-actions/sccache-action", Does::Caches),
    ("dtolnay/rust-toolchain", Does::Nothing),
    ("actions-rs/toolchain", Does::Nothing),
    ("actions-rust-lang/setup-rust-toolchain", Does::CachesUnless("cache")),
    ("taiki-e/install-action", Does::Nothing),
    ("astral-sh/setup-uv", Does::CachesUnless("enable-cache")),
    ("oven-sh/setup-bun", Does::Nothing),
    ("denoland/setup-deno", Does::CachesWith("cache")),
    ("gradle/actions/setup-gradle", Does::CachesUnless("cache-disabled")),
    ("ruby/setup-ruby", Does::RunsWith("bundler-cache")),
    ("pnpm/action-setup", Does::RunsWith("run_install")),
    ("step-security/harden-runner", Does::Nothing),
    ("tj-actions/changed-files", Does::Nothing),
    ("dorny/paths-filter", Does::Nothing),
    ("sigstore/cosign-installer", Does::Nothing),
    ("slsa-framework/slsa-verifier", Does::Nothing),
    ("aws-actions/configure-aws-credentials", Does::Nothing),
    ("google-github-actions/auth", Does::Nothing),
    ("azure/login", Does::Nothing),
    ("docker/login-action", Does::Nothing),
    ("docker/setup-buildx-action", Does::Nothing),
    ("docker/setup-qemu-action", Does::Nothing),
    ("jdx/mise-action", Does::Runs),
    ("pre-commit/action", Does::Runs),
    ("devcontainers/ci", Does::Runs),
    ("bahmutov/npm-install", Does::Runs),
    ("cypress-io/github-action", Does::Runs),
    ("borales/actions-yarn", Does::Runs),
    ("actions-rs/cargo", Does::Runs),
    ("golangci/golangci-lint-action", Does::Runs),
    ("wagoid/commitlint-github-action", Does::Runs),
    ("anthropics/claude-code-action", Does::Agent),
    ("anthropics/claude-code-base-action", Does::Agent),
    ("openai/codex-action", Does::Agent),
    ("google-github-actions/run-gemini-cli", Does::Agent),
    ("google-gemini/gemini-cli-action", Does::Agent),
    ("sourcegraph/amp-action", Does::Agent),
    ("github/copilot-cli-action", Does::Agent),
    ("cursor/", Does::Agent),
    ("opencode-ai/opencode", Does::Agent),
    ("sst/opencode", Does::Agent),
    ("block/goose", Does::Agent),
    ("augmentcode/", Does::Agent),
    ("factory-ai/", Does::Agent),
    ("openhands/", Does::Agent),
];

/// `None`: an action that is not known here.
pub(super) fn does(used: &str) -> Option<Does> {
    let name = used.split('@').next().unwrap_or(used).to_ascii_lowercase();
    let fits = |known: &&(&str, Does)| match known.0.strip_suffix('/') {
        Some(_) => name.starts_with(known.0),
        None => {
            name == known.0
                || name.strip_prefix(known.0).is_some_and(|rest| known.1 == Does::Agent && rest.starts_with('/'))
        }
    };
    ACTIONS.iter().find(fits).map(|(_, does)| *does)
}
