//! Words of scripts → files of the repository.

use std::collections::BTreeSet;

use super::operands;
use super::tree::{Content, Tree, files_in, located, text_at};
use crate::repo_audit::program;
use agent_strace_git::Special;
use agent_strace_git::change_set::from_top;

/// Files of one folder that a command may run.
const FOLDER: usize = 1_000;
/// Files that one text may call: the limit of the graph is reached before, and is reported.
const FILES: usize = 20_000;
/// Folders that a name may count from.
const PLACES: usize = 8;

/// Runners of recipes that the evaluator does not read, with the files that they take them from.
pub(super) const RUNNERS: &[(&[&str], &[&str])] = &[
    (&["rake"], &["Rakefile", "rakefile", "Rakefile.rb"]),
    (&["nox"], &["noxfile.py"]),
    (&["invoke", "inv"], &["tasks.py"]),
    (&["fab"], &["fabfile.py"]),
    (&["earthly", "earth"], &["Earthfile"]),
    (&["gulp"], &["gulpfile.js", "gulpfile.mjs", "gulpfile.ts"]),
    (&["grunt"], &["Gruntfile.js"]),
    (&["doit"], &["dodo.py"]),
    (&["scons"], &["SConstruct"]),
    (&["mage"], &["magefile.go"]),
    (&["pre-commit", "prek"], &[".pre-commit-config.yaml"]),
    (&["lefthook"], &["lefthook.yml", "lefthook.yaml", ".lefthook.yml"]),
    (&["docker", "podman", "buildah"], &["Dockerfile", "Containerfile"]),
    (
        &["docker-compose", "podman-compose"],
        &[
            "compose.yaml",
            "compose.yml",
            "docker-compose.yml",
            "docker-compose.yaml",
            "compose.override.yaml",
            "compose.override.yml",
            "docker-compose.override.yml",
            "docker-compose.override.yaml",
        ],
    ),
    (&["bundle"], &["Rakefile", "Gemfile"]),
    (&["devbox"], &["devbox.json"]),
    (&["nix", "nix-shell", "nix-build"], &["flake.nix", "shell.nix", "default.nix"]),
    (&["dagger"], &["dagger.json"]),
];

/// Folders in which mise keeps a task a file.
const TASK_FOLDERS: &[&str] = &["mise-tasks", ".mise-tasks", "mise/tasks", ".mise/tasks", ".config/mise/tasks"];

/// Endings that interpreters add to a name.
const ENDINGS: &[&str] = &[".sh", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".ps1", ".cmd", ".bat"];
/// Files that stand for their folder.
const INDEXES: &[&str] = &["/index.js", "/index.mjs", "/index.cjs", "/index.ts", "/__init__.py", "/__main__.py"];

/// The folders that a name may count from, from the top of the repository.
#[derive(Debug, Clone)]
pub(super) struct Place(Vec<String>);

impl Place {
    pub(super) fn top() -> Self {
        Self(vec![String::new()])
    }

    /// Scripts run at the top as often as in their own folder.
    pub(super) fn of_file(path: &str) -> Self {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folder.is_empty() { Self::top() } else { Self(vec![String::new(), folder.to_owned()]) }
    }

    pub(super) fn enter(&mut self, folder: &str) {
        let bare = without_variables(folder);
        let entered: Vec<String> = self.0.iter().filter_map(|from| joined(from, bare)).collect();
        let left = std::mem::take(&mut self.0);
        // The folder that was really entered stays the first, whatever is dropped.
        for folder in entered.into_iter().chain(left) {
            if self.0.len() < PLACES && !self.0.contains(&folder) {
                self.0.push(folder);
            }
        }
    }

    pub(super) fn folders(&self) -> &[String] {
        &self.0
    }
}

pub(super) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

pub(super) fn is_yaml(path: &str) -> bool {
    has_ending(path, "yml") || has_ending(path, "yaml")
}

/// Whether a name ends with a dot and these letters. Case does not count.
pub(super) fn has_ending(path: &str, ending: &str) -> bool {
    name_of(path).rsplit_once('.').is_some_and(|(_, found)| found.eq_ignore_ascii_case(ending))
}

/// By its ending, or by its first line.
pub(super) fn is_shell_script(path: &str, content: &str) -> bool {
    let name = name_of(path);
    let first = content.lines().next().unwrap_or_default();
    match name.rsplit_once('.') {
        Some((_, ending)) if ["sh", "bash", "zsh", "ksh", "ps1", "bat", "cmd"].contains(&ending) => true,
        _ if first.starts_with("#!") => first.contains("sh"),
        Some((stem, _)) => stem.is_empty(),
        None => true,
    }
}

/// Names of files of recipes, in lower case.
const RECIPES: &[&str] = &[
    "makefile",
    "gnumakefile",
    "justfile",
    ".justfile",
    "package.json",
    "composer.json",
    "deno.json",
    "pyproject.toml",
    "tox.ini",
    "noxfile.py",
    "tasks.py",
    "rakefile",
    "dockerfile",
    "earthfile",
    "procfile",
    "mise.toml",
    ".mise.toml",
    "taskfile.yml",
    "taskfile.yaml",
    "makefile.toml",
    "build.gradle",
    "pom.xml",
    "flake.nix",
    "devbox.json",
];

/// Returns true if a runner takes recipes from files of this name.
pub(super) fn is_of_runner(path: &str) -> bool {
    RUNNERS.iter().any(|(_, files)| files.contains(&name_of(path)))
}

/// Returns true if a file is a text for people.
pub(super) fn is_prose(path: &str) -> bool {
    ["md", "mdx", "markdown", "rst", "adoc"].iter().any(|ending| has_ending(path, ending))
}

/// Whether a file holds many recipes.
pub(super) fn is_recipes(path: &str) -> bool {
    RECIPES.contains(&name_of(path).to_lowercase().as_str())
}

/// Whether a file holds scripts or recipes: not a text that tells of them.
pub(super) fn is_code(path: &str, content: &str) -> bool {
    let name = name_of(path).to_lowercase();
    let is_script = ENDINGS.iter().chain(&[".mk", ".bash", ".zsh", ".go", ".pl"]).any(|ending| name.ends_with(ending));
    is_script || is_recipes(path) || content.starts_with("#!")
}

/// `file` from a folder, from the top.
pub(super) fn joined(folder: &str, file: &str) -> Option<String> {
    from_top(&if folder.is_empty() { String::new() } else { format!("{folder}/") }, file)
}

/// The text with expressions of the forge taken out: the shell sees what they become.
pub(super) fn without_expressions(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${{") {
        plain.push_str(before);
        let Some((expression, after)) = behind.split_once("}}") else {
            plain.push_str("${{");
            rest = behind;
            continue;
        };
        let is_folder = ["workspace", "action_path"].iter().any(|name| expression.contains(name));
        plain.push_str(if is_folder { "." } else { "x" });
        rest = after;
    }
    plain.push_str(rest);
    plain
}

/// A path behind a variable or a part that is not known.
pub(super) fn without_variables(word: &str) -> &str {
    let bare = word.trim_matches(['"', '\'', '`']);
    let bare = bare.strip_prefix("/repo/").unwrap_or(bare);
    if !bare.starts_with(['$', '%', '*']) {
        return bare;
    }
    bare.split_once(['/', '\\']).map_or(bare, |(_, rest)| rest)
}

/// The file of the repository that a word names, with the links that lead to it, or the submodule that holds it.
pub(super) fn resolved(tree: &dyn Tree, word: &str, place: &Place) -> Vec<String> {
    let word = word.replace('\\', "/");
    let bare = without_variables(&word);
    if bare.is_empty() || bare.len() > 400 || bare.contains("://") {
        return Vec::new();
    }
    let candidates = || place.folders().iter().filter_map(|folder| joined(folder, bare));
    let first = |paths: &mut dyn Iterator<Item = String>| {
        paths.map(|path| located(tree, &path)).find(|found| !found.is_empty()).unwrap_or_default()
    };
    let found = first(&mut candidates());
    if !found.is_empty() || !bare.contains('/') {
        return found;
    }
    let ended = |path: String| ENDINGS.iter().chain(INDEXES).map(move |ending| format!("{path}{ending}"));
    first(&mut candidates().flat_map(ended))
}

/// Files that a pattern of a shell fits: `ci/gate.d/*.sh`.
pub(super) fn fitting(tree: &dyn Tree, pattern: &str, place: &Place) -> Vec<String> {
    let patterns = place.folders().iter().filter_map(|folder| joined(folder, without_variables(pattern)));
    let Ok(globs) = crate::repo_audit::compiled_globs(patterns.collect::<Vec<_>>().iter().map(String::as_str)) else {
        return Vec::new();
    };
    let is_deep = pattern.contains("**");
    let depth = |path: &str| path.matches('/').count();
    let depths: BTreeSet<usize> = place
        .folders()
        .iter()
        .filter_map(|folder| joined(folder, without_variables(pattern)))
        .map(|path| depth(&path))
        .collect();
    let fits = |path: &&String| globs.is_match(path) && (is_deep || depths.contains(&depth(path)));
    tree.paths().iter().filter(fits).take(FOLDER).cloned().collect()
}

/// Submodules that a command runs in, or whose folders it is given.
fn submodules(tree: &dyn Tree, words: &[&str], place: &Place) -> BTreeSet<String> {
    let here = place.folders().first().cloned().into_iter();
    let named = words.iter().flat_map(|word| {
        let value = word.split_once('=').map_or(*word, |(_, value)| value);
        let folders = place.folders().iter();
        folders.filter_map(|folder| joined(folder, without_variables(value))).collect::<Vec<_>>()
    });
    let ends = |path: String| {
        let ends: Vec<usize> = path.match_indices('/').map(|(at, _)| at).chain([path.len()]).collect();
        ends.into_iter().filter_map(move |end| path.get(..end).map(str::to_owned)).collect::<Vec<_>>()
    };
    here.chain(named).flat_map(ends).filter(|path| tree.special(path) == Some(Special::Submodule)).collect()
}

/// Files of the repository that a command runs or reads as code.
pub(super) fn files_of_command(tree: &dyn Tree, words: &[String], place: &Place) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let Some((first, rest)) = words.split_first() else { return found };
    let name = program(first);
    let own = resolved(tree, first, place);
    if !own.is_empty() {
        // Its operands are data.
        return own.into_iter().collect();
    }
    let operands = operands::of_command(&name, rest, &|path| !resolved(tree, path, place).is_empty());
    for word in operands.files {
        let value = word.split_once('=').filter(|_| word.starts_with('-')).map_or(word, |(_, value)| value);
        found.extend(resolved(tree, value, place));
        found.extend(files_of_folder(tree, &name, value, place));
    }
    let is_script = |path: &String| matches!(tree.read(path), Content::Text(text) if is_shell_script(path, &text));
    let perhaps = operands.perhaps.iter().map(|word| resolved(tree, word, place));
    found.extend(perhaps.filter(|found| found.last().is_some_and(is_script)).flatten());
    if let Some(command) = operands.command {
        found.extend(files_of_command(tree, command, place));
    }
    if !operands::is_data(&name) {
        let words: Vec<&str> = rest.iter().map(String::as_str).collect();
        found.extend(submodules(tree, &words, place));
    }
    for (_, module) in rest.iter().zip(rest.iter().skip(1)).filter(|(option, _)| *option == "-m") {
        let path = module.replace('.', "/");
        let own = [format!("{path}.py"), format!("{path}/__main__.py")];
        // Python runs the packages around a module first.
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let around = ends.filter_map(|end| Some(format!("{}/__init__.py", path.get(..end)?)));
        found.extend(own.into_iter().chain(around).flat_map(|path| resolved(tree, &path, place)));
    }
    if let Some((module, rest)) = operands::module(&name, rest).and_then(<[String]>::split_first) {
        found.extend(files_of_runner(tree, module, rest, place));
    }
    found.extend(files_of_runner(tree, &name, rest, place));
    found
}

/// Files of recipes, and packages that are programs.
fn files_of_runner(tree: &dyn Tree, name: &str, rest: &[String], place: &Place) -> BTreeSet<String> {
    let is_compose = name == "docker" && rest.first().is_some_and(|word| word == "compose");
    let is_runner = |names: &[&str]| names.contains(&name) || is_compose && names.contains(&"docker-compose");
    let is_elsewhere = super::reads::is_elsewhere(name, rest);
    let runners = RUNNERS.iter().filter(|(names, _)| !is_elsewhere && is_runner(names));
    let mut found: BTreeSet<String> =
        runners.flat_map(|(_, files)| files.iter().flat_map(|file| resolved(tree, file, place))).collect();
    if name == "cargo" && !is_elsewhere {
        found.extend(super::cargo::files(tree, rest, place));
    }
    if matches!(name, "pip" | "pip3") && !is_elsewhere && rest.iter().any(|word| word == "install") {
        // `pip install -e .`: it runs before everything that comes later in its job.
        found.extend(resolved(tree, "setup.py", place));
    }
    if matches!(name, "npm" | "pnpm" | "yarn" | "bun") {
        // `npm run gate --workspace ci`
        let values = rest.iter().map(|word| word.split_once('=').map_or(word.as_str(), |(_, value)| value));
        found.extend(values.flat_map(|value| resolved(tree, &format!("{value}/package.json"), place)));
    }
    if name == "run-parts" {
        found.extend(rest.iter().flat_map(|folder| fitting(tree, &format!("{folder}/*"), place)));
    }
    if name == "mise" {
        let tasks = TASK_FOLDERS.iter().flat_map(|folder| rest.iter().map(move |word| format!("{folder}/{word}")));
        found.extend(tasks.flat_map(|path| located(tree, &path)));
    }
    found
}

/// Other files of recipes that one takes recipes from: `include ci/gate.mk`, `import 'ci/gate.just'`.
pub(super) fn included_by(tree: &dyn Tree, file: &str) -> BTreeSet<String> {
    const WORDS: &[&str] = &["include ", "-include ", "sinclude ", "import ", "import? ", "mod "];
    let Some(text) = text_at(tree, file) else { return BTreeSet::new() };
    let lines = text.lines().filter_map(|line| WORDS.iter().find_map(|word| line.strip_prefix(word)));
    let place = Place::of_file(file);
    let words = lines.flat_map(str::split_whitespace).take(FILES);
    let files =
        |word: &str| if word.contains('*') { fitting(tree, word, &place) } else { resolved(tree, word, &place) };
    words.flat_map(files).collect()
}

/// `go run ./ci/gate`, `python ci/gate`, `node ci/gate`: a folder is a program.
fn files_of_folder(tree: &dyn Tree, name: &str, word: &str, place: &Place) -> Vec<String> {
    let runs_folders = ["go", "python", "node", "deno", "bun", "cargo", "tsx", "dotnet"];
    let bare = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    if !runs_folders.contains(&bare) || !word.contains('/') {
        return Vec::new();
    }
    let folders = place.folders().iter().filter_map(|folder| joined(folder, without_variables(word)));
    folders.flat_map(|folder| files_in(tree, &folder).take(FOLDER).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Files of the repository that a text of any language names: with their folders, or as modules beside it.
pub(super) fn files_of_text(tree: &dyn Tree, text: &str, place: &Place) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let is_edge = |letter: char| letter.is_whitespace() || "\"'`;|&()<>,=[]{}".contains(letter);
    for token in text.split(is_edge).filter(|token| token.len() > 2) {
        let is_path = token.contains('/') || ENDINGS.iter().any(|ending| token.ends_with(ending));
        if is_path {
            found.extend(resolved(tree, token, place));
        }
        // `//ci:gate.sh` and `:gate.sh` are files by their labels.
        if let Some(label) = token.strip_prefix("//").or_else(|| token.strip_prefix(':')) {
            found.extend(resolved(tree, &label.replace(':', "/"), place));
        }
        if found.len() >= FILES {
            return found;
        }
    }
    for line in text.lines().map(str::trim) {
        // Ruby takes a file without its ending.
        if let Some(name) = line.strip_prefix("require_relative ") {
            let name = name.trim_matches([' ', '"', '\'', '(', ')']);
            found.extend(resolved(tree, &format!("{name}.rb"), place));
        }
        // Python imports modules beside the script.
        let (names, is_from) = match (line.strip_prefix("import "), line.strip_prefix("from ")) {
            (Some(names), _) => (names, false),
            (None, Some(name)) => (name, true),
            (None, None) => continue,
        };
        let names = names.split(',').take(if is_from { 1 } else { FOLDER });
        for module in
            names.filter_map(|name| name.split_whitespace().next()).filter(|name| !name.contains(['"', '\'', '/']))
        {
            let path = module.trim_start_matches('.').replace('.', "/");
            // A package goes before a module.
            let files = [format!("{path}.py"), format!("{path}/__init__.py")];
            found.extend(files.iter().flat_map(|file| resolved(tree, file, place)));
        }
    }
    found
}
