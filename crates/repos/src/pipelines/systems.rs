//! CI systems and their files: data.

use std::sync::LazyLock;

use globset::GlobSet;

use crate::repo_audit::compiled_globs;

/// How the files of a CI system say what runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Jobs with steps, as GitHub Actions and the systems that took over its format have them.
    Workflow,
    /// A composite or another local action of these systems.
    Action,
    /// Jobs at the top of the file, and other files that it includes.
    Gitlab,
    /// Any other format: its texts may be commands.
    Other,
}

/// Keys at the top of a file of GitLab that are no jobs.
pub(crate) const GITLAB_KEYWORDS: &[&str] = &[
    "default",
    "include",
    "stages",
    "variables",
    "workflow",
    "image",
    "services",
    "cache",
    "before_script",
    "after_script",
    "spec",
    "types",
    "hooks",
];

/// Globs over paths from the top of a repository. Case does not count.
const FILES: &[(&str, Dialect)] = &[
    (".github/workflows/*.{yml,yaml}", Dialect::Workflow),
    (".gitea/workflows/*.{yml,yaml}", Dialect::Workflow),
    (".forgejo/workflows/*.{yml,yaml}", Dialect::Workflow),
    ("{.github,.gitea,.forgejo}/actions/**", Dialect::Action),
    (".gitlab-ci.{yml,yaml}", Dialect::Gitlab),
    (".gitlab-ci.*.{yml,yaml}", Dialect::Gitlab),
    ("*.gitlab-ci.{yml,yaml}", Dialect::Gitlab),
    (".gitlab/**", Dialect::Gitlab),
    (".circleci/**", Dialect::Other),
    (".buildkite/**", Dialect::Other),
    ("buildkite.{yml,yaml,json}", Dialect::Other),
    (".woodpecker/**", Dialect::Other),
    (".woodpecker.{yml,yaml}", Dialect::Other),
    ("{.azure-pipelines,azure-pipelines}*.{yml,yaml}", Dialect::Other),
    ("{.azure-pipelines,azure-pipelines,.azure,.azuredevops,.pipelines,.vsts-ci}/**/*.{yml,yaml}", Dialect::Other),
    (".{vsts-ci,vsts.ci}.{yml,yaml}", Dialect::Other),
    ("bitbucket-pipelines.{yml,yaml}", Dialect::Other),
    ("**/{jenkinsfile,jenkinsfile.*,*.jenkinsfile}", Dialect::Other),
    (".jenkins/**", Dialect::Other),
    ("{.travis,travis}.{yml,yaml}", Dialect::Other),
    (".travis/**", Dialect::Other),
    ("{.drone,drone}.{yml,yaml,star,jsonnet}", Dialect::Other),
    (".harness/**", Dialect::Other),
    (".tekton/**", Dialect::Other),
    ("tekton/**/*.{yml,yaml}", Dialect::Other),
    ("{.cirrus,cirrus}.{yml,yaml,star}", Dialect::Other),
    ("{.cloudbuild,cloudbuild}*.{yml,yaml,json}", Dialect::Other),
    ("buildspec*.{yml,yaml}", Dialect::Other),
    (".semaphore/**", Dialect::Other),
    ("{.appveyor,appveyor}.{yml,yaml}", Dialect::Other),
    ("{.prow,prow}.{yml,yaml}", Dialect::Other),
    (".prow/**", Dialect::Other),
    (".zuul.{yml,yaml}", Dialect::Other),
    ("{zuul.d,.zuul.d}/**", Dialect::Other),
    ("{.codefresh,codefresh}.{yml,yaml}", Dialect::Other),
    (".codefresh/**", Dialect::Other),
    ("{.bitrise,bitrise}.{yml,yaml}", Dialect::Other),
    ("{.codemagic,codemagic}.{yml,yaml}", Dialect::Other),
    ("{.wercker,wercker}.{yml,yaml}", Dialect::Other),
    ("{.shippable,shippable}.{yml,yaml}", Dialect::Other),
    ("{.build,.builds}.{yml,yaml}", Dialect::Other),
    (".builds/**", Dialect::Other),
    (".teamcity/**", Dialect::Other),
    (".space.kts", Dialect::Other),
    (".gocd/**", Dialect::Other),
    ("*.gocd.{yml,yaml,json}", Dialect::Other),
    (".concourse/**", Dialect::Other),
    ("{ci/pipeline,pipeline,concourse}.{yml,yaml}", Dialect::Other),
    ("bamboo-specs/**", Dialect::Other),
    (".dagger/**", Dialect::Other),
    (".screwdriver.{yml,yaml}", Dialect::Other),
    ("screwdriver.{yml,yaml}", Dialect::Other),
    ("{.ci,.ci-config}/**/*.{yml,yaml}", Dialect::Other),
    ("earthfile", Dialect::Other),
];

static GLOBS: LazyLock<GlobSet> =
    LazyLock::new(|| compiled_globs(FILES.iter().map(|(glob, _)| *glob)).unwrap_or_else(|_| GlobSet::empty()));

/// How to read a file of CI; `None`: no CI system reads the path.
pub fn dialect(path: &str) -> Option<Dialect> {
    let first = GLOBS.matches(path).into_iter().min()?;
    let (glob, dialect) = FILES.get(first)?;
    let is_folder = glob.ends_with("/**");
    (!is_folder || may_be_read(path)).then_some(*dialect)
}

/// Endings that a CI system reads or runs in its own folder. Pictures and texts lie there, too.
const READ: &[&str] = &[
    "yml",
    "yaml",
    "json",
    "toml",
    "xml",
    "star",
    "jsonnet",
    "libsonnet",
    "hcl",
    "cue",
    "kts",
    "kt",
    "groovy",
    "jenkinsfile",
    "java",
    "sh",
    "bash",
    "zsh",
    "ps1",
    "psm1",
    "cmd",
    "bat",
    "py",
    "js",
    "mjs",
    "cjs",
    "ts",
    "rb",
    "go",
    "pl",
    "php",
    "rs",
    "mk",
    "env",
    "tpl",
    "tmpl",
    "j2",
    "erb",
];

fn may_be_read(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    name.rsplit_once('.').is_none_or(|(stem, ending)| stem.is_empty() || READ.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_glob_compiles_and_files_of_ci_are_known_by_their_paths() {
        assert!(compiled_globs(FILES.iter().map(|(glob, _)| *glob)).is_ok());
        for (path, expected) in [
            (".github/workflows/gate.yml", Some(Dialect::Workflow)),
            (".GitHub/Workflows/gate.YAML", Some(Dialect::Workflow)),
            (".github/workflows/folder/gate.yml", None),
            (".forgejo/workflows/gate.yaml", Some(Dialect::Workflow)),
            (".github/actions/gate/action.yml", Some(Dialect::Action)),
            (".gitlab-ci.yml", Some(Dialect::Gitlab)),
            (".gitlab/agent-strace.gitlab-ci.yml", Some(Dialect::Gitlab)),
            ("ci/Jenkinsfile", Some(Dialect::Other)),
            ("Jenkinsfile.gate", Some(Dialect::Other)),
            (".travis.yml", Some(Dialect::Other)),
            (".drone.yml", Some(Dialect::Other)),
            (".tekton/gate.yaml", Some(Dialect::Other)),
            (".azure/pipelines/gate.yml", Some(Dialect::Other)),
            ("azure-pipelines.yml", Some(Dialect::Other)),
            ("azure-pipelines-pr.yml", Some(Dialect::Other)),
            ("appveyor.yml", Some(Dialect::Other)),
            ("src/main.rs", None),
            (".gitlab/logo.png", None),
            (".gitlab/merge_request_templates/Default.md", None),
            (".circleci/logo.PNG", None),
            (".buildkite/hooks/pre-command", Some(Dialect::Other)),
            ("Jenkinsfile.png", Some(Dialect::Other)),
            ("docs/travis.md", None),
        ] {
            assert_eq!(dialect(path), expected, "{path}");
        }
    }
}
