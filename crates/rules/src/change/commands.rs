//! What commands do to files whose effects say no more than that they are written.

use agent_strace_effects::Execution;

/// What a command puts into the files that it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Puts {
    /// Content that its record may not hold.
    Content,
    /// Rights, and no content.
    Mode,
    /// Nothing: it makes empty files, folders, or changes dates and owners.
    Nothing,
    /// What the file was before the session changed it.
    Back,
}

/// Files that package managers write beside what they fetch.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Manager {
    programs: &'static [&'static str],
    /// All of their content is computed.
    locks: &'static [&'static str],
    /// They name packages and versions, beside much else.
    manifests: &'static [&'static str],
}

const MANAGERS: &[Manager] = &[
    Manager {
        programs: &["npm", "npx", "pnpm", "pnpx", "yarn", "bun", "corepack"],
        locks: &["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"],
        manifests: &["package.json"],
    },
    Manager { programs: &["cargo"], locks: &["Cargo.lock"], manifests: &["Cargo.toml"] },
    Manager { programs: &["go"], locks: &["go.sum", "go.work.sum"], manifests: &["go.mod"] },
    Manager {
        programs: &["pip", "pip3", "pip-compile", "poetry", "uv", "pipenv", "pdm", "hatch", "conda", "pixi"],
        locks: &["poetry.lock", "uv.lock", "Pipfile.lock", "pdm.lock", "pixi.lock", "requirements.txt"],
        manifests: &["pyproject.toml", "Pipfile", "pixi.toml"],
    },
    Manager { programs: &["bundle", "bundler", "gem"], locks: &["Gemfile.lock"], manifests: &["Gemfile"] },
    Manager { programs: &["composer"], locks: &["composer.lock"], manifests: &["composer.json"] },
    Manager {
        programs: &["dotnet", "nuget"],
        locks: &["packages.lock.json"],
        manifests: &["Directory.Packages.props"],
    },
    Manager { programs: &["mix"], locks: &["mix.lock"], manifests: &[] },
    Manager {
        programs: &["swift", "pod", "flutter", "dart"],
        locks: &["Package.resolved", "Podfile.lock", "pubspec.lock"],
        manifests: &["pubspec.yaml"],
    },
    Manager { programs: &["terraform", "tofu"], locks: &[".terraform.lock.hcl"], manifests: &[] },
    Manager { programs: &["nix"], locks: &["flake.lock"], manifests: &[] },
    Manager { programs: &["gradle", "gradlew"], locks: &["gradle.lockfile"], manifests: &[] },
];

/// Programs that change nothing but the layout of text, alone or with one of these words.
const FORMATTERS: &[(&str, &[&str])] = &[
    ("cargo", &["fmt", "clippy"]),
    ("rustfmt", &[]),
    ("gofmt", &[]),
    ("goimports", &[]),
    ("go", &["fmt"]),
    ("prettier", &[]),
    ("eslint", &["--fix"]),
    ("biome", &["format", "check", "lint"]),
    ("dprint", &["fmt"]),
    ("deno", &["fmt"]),
    ("black", &[]),
    ("isort", &[]),
    ("ruff", &["format", "--fix"]),
    ("yapf", &[]),
    ("clang-format", &[]),
    ("shfmt", &[]),
    ("ktlint", &[]),
    ("dart", &["format"]),
    ("mix", &["format"]),
    ("dotnet", &["format"]),
    ("rubocop", &["-a", "-A", "--autocorrect"]),
    ("terraform", &["fmt"]),
    ("taplo", &["fmt", "format"]),
    ("pre-commit", &["run"]),
];

/// Programs that run what a project calls so.
const RUNNERS: &[&str] = &[
    "npm", "pnpm", "yarn", "bun", "npx", "pnpx", "bunx", "uv", "uvx", "make", "just", "task", "mise", "gradle",
    "gradlew", "mvn", "poetry", "hatch", "tox",
];

/// How formatting is called by projects.
const FORMATS: &[&str] =
    &["fmt", "format", "prettier", "lint:fix", "format:fix", "fix", "style", "spotlessApply", "tidy"];

/// A command as it was called.
#[derive(Debug)]
pub(super) struct Command<'e> {
    program: &'e str,
    /// Of git and the like the subcommand.
    verb: &'e str,
    rest: Vec<&'e str>,
}

impl<'e> Command<'e> {
    pub(super) fn of(execution: &'e Execution) -> Self {
        let mut words = execution.argv.iter().map(|argument| argument.text.as_str());
        let called = words.next().unwrap_or_default();
        let name = called.rsplit(['/', '\\']).next().unwrap_or_default();
        let program = name.strip_suffix(".exe").unwrap_or(name);
        let mut rest: Vec<&str> = words.collect();
        let mut at = 0;
        while let Some(word) = rest.get(at).filter(|word| word.starts_with('-')) {
            at += if program == "git" && ["-C", "-c"].contains(word) { 2 } else { 1 };
        }
        let verb = if at < rest.len() { rest.remove(at) } else { "" };
        Self { program, verb, rest }
    }

    fn has(&self, word: &str) -> bool {
        self.verb == word || self.rest.contains(&word)
    }

    fn is_git(&self, verbs: &[&str]) -> bool {
        self.program == "git" && verbs.contains(&self.verb)
    }

    /// Words that are no options.
    fn operands(&self) -> impl Iterator<Item = &&'e str> {
        self.rest.iter().filter(|word| !word.starts_with('-'))
    }

    pub(super) fn puts(&self) -> Puts {
        match self.program {
            "touch" | "mkdir" | "rmdir" | "chown" | "chgrp" | "setfacl" | "xattr" => Puts::Nothing,
            "chmod" => Puts::Mode,
            "git" if self.takes_back() => Puts::Back,
            _ => Puts::Content,
        }
    }

    /// Git brings back files as the checked out commit has them.
    fn takes_back(&self) -> bool {
        let names_source = self.rest.iter().any(|word| word.starts_with("--source") || *word == "-s");
        match self.verb {
            "restore" => !names_source,
            "checkout" => {
                let before = self.rest.iter().take_while(|word| **word != "--");
                let named = before.filter(|word| !word.starts_with('-') && **word != "HEAD").count();
                if self.rest.contains(&"--") { named == 0 } else { named <= 1 }
            }
            _ => false,
        }
    }

    /// Everything that is not committed is given up.
    pub(super) fn resets(&self) -> bool {
        self.is_git(&["reset"]) && self.has("--hard") && self.operands().all(|word| *word == "HEAD")
    }

    /// Everything that is not committed is put aside.
    pub(super) fn puts_aside(&self) -> bool {
        let verb = self.operands().next().copied();
        self.is_git(&["stash"]) && matches!(verb, None | Some("push" | "save"))
    }

    pub(super) fn brings_back(&self) -> bool {
        self.is_git(&["stash"]) && matches!(self.operands().next(), Some(&"pop" | &"apply"))
    }

    pub(super) fn commits(&self) -> bool {
        self.is_git(&["commit", "am", "cherry-pick", "revert", "merge", "rebase"])
    }

    /// It changes rights in the index.
    pub(super) fn stages_mode(&self) -> bool {
        self.is_git(&["add", "update-index"]) && self.rest.iter().any(|word| word.starts_with("--chmod"))
    }

    /// It may have changed the layout of files, whatever they are.
    pub(super) fn formats(&self) -> bool {
        let known = FORMATTERS.iter().find(|(program, _)| *program == self.program);
        let is_one = known.is_some_and(|(_, words)| words.is_empty() || words.iter().any(|word| self.has(word)));
        is_one || RUNNERS.contains(&self.program) && FORMATS.iter().any(|word| self.has(word))
    }

    pub(super) fn manager(&self) -> Option<&'static Manager> {
        MANAGERS.iter().find(|manager| manager.programs.contains(&self.program))
    }
}

impl Manager {
    pub(super) fn writes_lock(&self, name: &str) -> bool {
        self.locks.contains(&name)
    }

    pub(super) fn writes_manifest(&self, name: &str) -> bool {
        self.manifests.contains(&name) || self.programs.contains(&"dotnet") && name.ends_with(".csproj")
    }
}

/// Whether a line of a manifest says nothing but which package is wanted in which version, or holds no word at all.
pub(super) fn is_dependency(line: &str) -> bool {
    let bare = line.trim().trim_end_matches(',');
    let quoted = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
    let is_version = |text: &str| {
        let text = text.trim_start_matches(['^', '~', '=', '>', '<', 'v', ' ']);
        let text = text.strip_prefix("workspace:").unwrap_or(text);
        text.starts_with(|first: char| first.is_ascii_digit() || first == '*')
            && text.chars().all(|each| each.is_ascii_alphanumeric() || " .*-+<>=^~|,".contains(each))
    };
    let is_name = |text: &str| {
        !text.is_empty() && text.chars().all(|each| each.is_ascii_alphanumeric() || "@/._-".contains(each))
    };
    if !bare.contains(|each: char| each.is_alphanumeric()) {
        return true;
    }
    match bare.split_once(['=', ':', ' ']) {
        Some((name, version)) => {
            let version = quoted(version.trim_start_matches(['=', ' ']));
            let version = version.strip_suffix("// indirect").unwrap_or(&version).trim_end();
            is_name(&quoted(name)) && (is_version(version) || version == "{" || version == "[")
        }
        None => false,
    }
}
