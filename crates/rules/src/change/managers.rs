//! Commands of package managers, and the files that they write beside what they fetch.

use super::commands::Command;

/// A package manager.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Manager {
    programs: &'static [&'static str],
    /// All of their content is computed.
    locks: &'static [&'static str],
    /// They name packages and versions, beside much else.
    manifests: &'static [&'static str],
    /// Commands that change which packages are wanted, and so both. A command of two words is written with a blank.
    asks: &'static [&'static str],
    /// Commands that compute the locks anew. An empty one is the program without any command.
    locks_by: &'static [&'static str],
    /// Commands that change the locks only where the manifests changed.
    follows: &'static [&'static str],
}

const MANAGERS: &[Manager] = &[
    Manager {
        programs: &["npm", "pnpm", "yarn", "bun"],
        locks: &["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"],
        manifests: &["package.json"],
        asks: &[
            "install",
            "i",
            "in",
            "add",
            "a",
            "remove",
            "rm",
            "r",
            "un",
            "uninstall",
            "unlink",
            "link",
            "update",
            "up",
            "upgrade",
            "upgrade-interactive",
            "version",
            "init",
            "pkg set",
            "pkg delete",
        ],
        locks_by: &["", "dedupe", "ddp", "audit fix", "audit --fix", "prune", "shrinkwrap", "import", "it"],
        follows: &[],
    },
    Manager {
        programs: &["cargo"],
        locks: &["Cargo.lock"],
        manifests: &["Cargo.toml"],
        asks: &["add", "remove", "rm", "upgrade", "set-version", "init", "new", "release"],
        locks_by: &["update", "generate-lockfile"],
        follows: &[
            "build", "b", "check", "c", "test", "t", "run", "r", "clippy", "doc", "d", "bench", "fetch", "metadata",
            "tree", "fix", "nextest", "vendor", "package", "publish", "rustc", "rustdoc", "llvm-cov", "deny",
        ],
    },
    Manager {
        programs: &["go"],
        locks: &["go.sum", "go.work.sum"],
        manifests: &["go.mod"],
        asks: &["get", "mod tidy", "mod edit", "mod init", "work sync"],
        locks_by: &["mod download", "mod vendor"],
        follows: &["build", "test", "run", "vet", "list", "generate", "install"],
    },
    Manager {
        programs: &["poetry", "uv", "pipenv", "pdm", "pixi"],
        locks: &["poetry.lock", "uv.lock", "Pipfile.lock", "pdm.lock", "pixi.lock"],
        manifests: &["pyproject.toml", "Pipfile", "pixi.toml"],
        asks: &["add", "remove", "rm", "version", "init", "install", "uninstall", "upgrade", "update"],
        locks_by: &["lock", "sync"],
        follows: &["run", "build", "tree", "export", "shell"],
    },
    Manager {
        programs: &["pip-compile"],
        locks: &["requirements.txt"],
        manifests: &[],
        asks: &[],
        locks_by: &["*"],
        follows: &[],
    },
    Manager {
        programs: &["uv", "poetry", "pdm"],
        locks: &["requirements.txt"],
        manifests: &[],
        asks: &[],
        locks_by: &["pip compile", "export"],
        follows: &[],
    },
    Manager {
        programs: &["bundle", "bundler"],
        locks: &["Gemfile.lock"],
        manifests: &["Gemfile"],
        asks: &["add", "remove"],
        locks_by: &["", "install", "update", "lock"],
        follows: &["exec", "check"],
    },
    Manager {
        programs: &["composer"],
        locks: &["composer.lock"],
        manifests: &["composer.json"],
        asks: &["require", "req", "r", "remove", "rm", "bump", "init"],
        locks_by: &["install", "i", "update", "u", "upgrade"],
        follows: &[],
    },
    Manager {
        programs: &["dotnet", "nuget"],
        locks: &["packages.lock.json"],
        manifests: &["Directory.Packages.props"],
        asks: &["add", "remove", "package add", "package remove", "package update", "reference add"],
        locks_by: &["restore", "install", "update"],
        follows: &["build", "test", "run", "publish", "pack"],
    },
    Manager {
        programs: &["mix"],
        locks: &["mix.lock"],
        manifests: &["mix.exs"],
        asks: &[],
        locks_by: &["deps.get", "deps.update", "deps.unlock", "deps.clean"],
        follows: &[],
    },
    Manager {
        programs: &["swift", "pod", "flutter", "dart"],
        locks: &["Package.resolved", "Podfile.lock", "pubspec.lock"],
        manifests: &["pubspec.yaml", "Package.swift", "Podfile"],
        asks: &["pub add", "pub remove", "pub upgrade"],
        locks_by: &["pub get", "pub downgrade", "package update", "package resolve", "install", "update"],
        follows: &["build", "test", "run"],
    },
    Manager {
        programs: &["terraform", "tofu"],
        locks: &[".terraform.lock.hcl"],
        manifests: &[],
        asks: &[],
        locks_by: &["init", "providers lock", "get"],
        follows: &[],
    },
    Manager {
        programs: &["nix"],
        locks: &["flake.lock"],
        manifests: &["flake.nix"],
        asks: &[],
        locks_by: &["flake update", "flake lock"],
        follows: &["build", "develop", "run", "shell", "flake check", "flake show"],
    },
    Manager {
        programs: &["gradle", "gradlew"],
        locks: &["gradle.lockfile"],
        manifests: &[],
        asks: &[],
        locks_by: &["*--write-locks", "*--update-locks"],
        follows: &[],
    },
];

/// Options whose value is the next word.
const TAKES_VALUE: &[&str] = &[
    "-C",
    "--prefix",
    "--cwd",
    "--dir",
    "--directory",
    "--project",
    "--filter",
    "-F",
    "-w",
    "--workspace",
    "--manifest-path",
    "--config",
    "--color",
    "-Z",
    "-chdir",
];

/// Options with which nothing of a project is written.
const KEEPS: &[&str] = &[
    "--version",
    "-V",
    "--help",
    "-h",
    "--dry-run",
    "--frozen-lockfile",
    "--immutable",
    "--frozen",
    "--locked",
    "--check",
    "-g",
    "--global",
    "--no-package-lock",
];

/// A command of a package manager that writes files of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Managing {
    manager: &'static Manager,
    by: By,
}

/// Which files a command writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// Manifests and locks.
    Asking,
    /// Locks.
    Locking,
    /// Locks, where the manifests changed.
    Following,
}

impl Managing {
    /// All files that the command may write: of some programs more than one kind.
    pub(super) fn of(command: &Command<'_>) -> Vec<Self> {
        let (program, words) = command.meant();
        let own: Vec<&str> = words.iter().take_while(|word| **word != "--").copied().collect();
        if own.iter().any(|word| KEEPS.contains(word)) {
            return Vec::new();
        }
        let verbs = verbs(&own);
        let managers = MANAGERS.iter().filter(|manager| manager.programs.contains(&program));
        managers.filter_map(|manager| Some(Self { manager, by: manager.by(&verbs, &own)? })).collect()
    }

    /// `is_manifest_changed`: the change holds a manifest of the manager.
    pub(super) fn writes_lock(&self, name: &str, is_manifest_changed: bool) -> bool {
        self.manager.locks.contains(&name) && (self.by != By::Following || is_manifest_changed)
    }

    pub(super) fn writes_manifest(&self, name: &str) -> bool {
        self.by == By::Asking && self.is_manifest(name)
    }

    pub(super) fn is_manifest(&self, name: &str) -> bool {
        let is_project = self.manager.programs.contains(&"dotnet") && name.ends_with(".csproj");
        let is_gem = self.manager.programs.contains(&"bundle") && name.ends_with(".gemspec");
        self.manager.manifests.contains(&name) || is_project || is_gem
    }
}

impl Manager {
    fn by(&self, verbs: &[&str], words: &[&str]) -> Option<By> {
        let is_in = |commands: &[&str]| commands.iter().any(|command| is_command(command, verbs, words));
        let kinds = [(By::Asking, self.asks), (By::Locking, self.locks_by), (By::Following, self.follows)];
        let by = kinds.into_iter().find(|(_, commands)| is_in(commands)).map(|(by, _)| by)?;
        // Without a package it installs what is wanted already.
        let names_none = verbs.iter().filter(|word| !word.starts_with('-')).count() == 1;
        let is_install = verbs.first().is_some_and(|verb| ["install", "i", "in"].contains(verb));
        Some(if by == By::Asking && is_install && names_none { By::Locking } else { by })
    }
}

/// `*`: any command; `*--option`: any command with this option.
fn is_command(command: &str, verbs: &[&str], words: &[&str]) -> bool {
    match command.strip_prefix('*') {
        Some("") => true,
        Some(option) => words.contains(&option),
        // `-v` alone asks for the version.
        None if command.is_empty() => verbs.is_empty() && !words.contains(&"-v"),
        None => command.split(' ').enumerate().all(|(at, word)| verbs.get(at) == Some(&word)),
    }
}

/// The words that are no options of the program, with those of the subcommand after it.
fn verbs<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let mut verbs = Vec::new();
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        if TAKES_VALUE.contains(&word) {
            words.next();
        } else if !verbs.is_empty() || !word.starts_with(['-', '+']) {
            verbs.push(word);
        }
    }
    // `yarn workspace web add left-pad`
    if verbs.first() == Some(&"workspace") && verbs.len() > 2 {
        verbs.drain(..2);
    }
    verbs
}
