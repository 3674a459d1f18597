//! Which files programs read by themselves in the folder where they run, and which commands read none of them. Data.

/// Programs, and the files that each of them reads in the folder where it runs. `FOLDER/*`: every file of a folder.
const READ: &[(&str, &str)] = &[
    ("npm npx pnpm pnpx yarn yarnpkg bun bunx", ".npmrc"),
    ("pnpm pnpx", ".pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml"),
    ("yarn yarnpkg", ".yarnrc .yarnrc.yml .yarn/releases/* .yarn/plugins/*"),
    ("bun bunx", "bunfig.toml"),
    ("deno", "deno.json deno.jsonc deno.lock"),
    ("tsx ts-node", "tsconfig.json"),
    ("task go-task", ".taskrc.yml .taskrc.yaml .env"),
    ("just", ".env"),
    (
        "mise",
        "mise.toml .mise.toml mise.local.toml .mise/config.toml mise/config.toml .config/mise.toml .config/mise/config.toml \
         .config/mise/conf.d/* .tool-versions",
    ),
    ("asdf", ".tool-versions .asdfrc"),
    ("direnv", ".envrc .env"),
    (
        "cargo",
        ".cargo/config.toml .cargo/config rust-toolchain rust-toolchain.toml build.rs xtask/build.rs xtask/Cargo.toml",
    ),
    ("mvn mvnw mvnd", "pom.xml .mvn/* .mvn/wrapper/* mvnw mvnw.cmd"),
    (
        "gradle gradlew",
        "settings.gradle settings.gradle.kts build.gradle build.gradle.kts gradle.properties gradlew gradlew.bat gradle/* \
         gradle/wrapper/* buildSrc/* buildSrc/src/main/groovy/* buildSrc/src/main/kotlin/* buildSrc/src/main/java/* \
         init.gradle init.gradle.kts",
    ),
    ("ant", "build.xml build.properties"),
    ("sbt", "build.sbt .sbtopts .jvmopts project/*"),
    (
        "pytest py.test",
        "conftest.py pytest.ini .pytest.ini tox.ini setup.cfg pyproject.toml pytest.toml tests/conftest.py",
    ),
    ("tox", "tox.ini setup.cfg pyproject.toml tox.toml toxfile.py"),
    ("nox", "noxfile.py"),
    ("hatch", "hatch.toml hatch_build.py pyproject.toml"),
    ("invoke inv", "tasks.py tasks/* invoke.yaml invoke.yml invoke.json invoke.py"),
    ("uv", "uv.toml .python-version"),
    ("poetry", "poetry.toml"),
    ("pdm", "pdm.toml .pdm.toml"),
    ("pip pip3", "setup.py setup.cfg"),
    ("rake bundle bundler", "Rakefile Gemfile .bundle/config .rakerc"),
    ("composer", "composer.json auth.json"),
    ("docker docker-compose podman podman-compose buildah", ".env .dockerignore"),
    ("earthly earth", ".env .arg .secret .earthly/*"),
    ("nix nix-shell nix-build devenv", "flake.nix flake.lock shell.nix default.nix devenv.nix devenv.yaml"),
    ("devbox", "devbox.json devbox.lock"),
    ("lefthook", "lefthook.yml lefthook.yaml .lefthook.yml lefthook-local.yml .lefthook-local.yml"),
    ("bazel bazelisk", ".bazelrc .bazelversion MODULE.bazel WORKSPACE WORKSPACE.bazel tools/bazel BUILD BUILD.bazel"),
    ("pants", "pants.toml BUILD"),
    ("vagrant", "Vagrantfile"),
    ("turbo", "turbo.json"),
    ("nx", "nx.json project.json"),
];

/// Commands that install or run what lies outside of the repository: programs, their subcommands, and what they read all the
/// same of the files that their programs read.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("cargo", "install binstall", ""),
    ("pip pip3", "install download wheel", ""),
    ("uv", "pip", "uv.toml"),
    ("uv", "tool self cache python", ""),
    ("docker podman", "run pull exec container login logout push tag save load cp start create inspect rm volume", ""),
    ("nix", "run shell develop build profile", ""),
];
/// Options with a reference to a file or a flake of its own behind them, which is not what the command installs.
const BESIDE: &str = "-r --requirement -c --constraint --version --root --index-url -i --extra-index-url";
/// Options that install a folder as it is.
const FOLDERS: &str = "--path -e --editable";

/// The files that a program reads where it has these words.
pub(super) fn files<'w>(name: &'w str, rest: &'w [String]) -> Vec<&'static str> {
    let rows = READ.iter().filter(|(programs, _)| is_in(programs, name));
    let files = rows.flat_map(|(_, files)| files.split_whitespace());
    match elsewhere(name, rest) {
        Some(still) => files.filter(|file| is_in(still, file)).collect(),
        None => files.collect(),
    }
}

/// Whether a command installs or runs only what lies outside of the repository.
pub(super) fn is_elsewhere(name: &str, rest: &[String]) -> bool {
    elsewhere(name, rest).is_some()
}

/// What a command reads that has nothing to do with the code of the repository. `None`: it is no such command.
fn elsewhere(name: &str, rest: &[String]) -> Option<&'static str> {
    let at = rest.iter().position(|word| !word.starts_with(['-', '+']) && !names_features(word))?;
    let (verb, behind) = (rest.get(at)?, rest.get(at + 1..)?);
    let mut rows = ELSEWHERE.iter().filter(|(programs, verbs, _)| is_in(programs, name) && is_in(verbs, verb));
    let (_, _, still) = rows.next()?;
    let is_local = match name {
        "nix" => !names_only_remote_flakes(behind),
        "cargo" | "pip" | "pip3" => names_folder(rest),
        _ => false,
    };
    (!is_local).then_some(still)
}

/// `.`, `./tool`, `tools/gate`, `--path tool`, `-e .`: a package in the repository.
fn names_folder(words: &[String]) -> bool {
    let mut is_beside = false;
    words.iter().any(|word| {
        let is_value = std::mem::replace(&mut is_beside, is_in(BESIDE, word));
        let option = word.split('=').next().unwrap_or_default();
        let is_place = word.starts_with('.') || word.contains('/') && !word.contains("://");
        is_in(FOLDERS, option) || !is_value && !word.starts_with('-') && is_place
    })
}

/// `nix run github:acme/tool -- check`, `nix shell nixpkgs#jq -c jq`: no operand is the flake of the repository.
fn names_only_remote_flakes(words: &[String]) -> bool {
    let own = words.iter().take_while(|word| !matches!(word.as_str(), "--" | "-c" | "--command"));
    let mut flakes = own.filter(|word| !word.starts_with('-') && !names_features(word)).peekable();
    let is_remote = |word: &String| {
        let is_path =
            word.starts_with(['.', '/']) || ["path:", "git+file:"].iter().any(|start| word.starts_with(start));
        !is_path && word.contains([':', '#'])
    };
    flakes.peek().is_some() && flakes.all(is_remote)
}

/// The value of `--extra-experimental-features` of nix.
fn names_features(word: &str) -> bool {
    word.split_whitespace().all(|word| matches!(word, "nix-command" | "flakes"))
}

fn is_in(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|known| known == name)
}
