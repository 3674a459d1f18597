//! Files that programs read by themselves: beside the files of recipes, they decide what a command runs.

use std::collections::BTreeSet;

use super::operands;
use super::reads;
use super::resolve::{Place, resolved};
use super::tree::{Tree, files_in};
use crate::repo_audit::program;

/// Files of one folder.
const FOLDER: usize = 100;
/// Programs that one command starts, one through another.
const PROGRAMS_OF_COMMAND: usize = 32;

/// Runners that look for programs of packages before those of the machine.
const OF_PACKAGES: &str = "npm npx pnpm pnpx yarn yarnpkg bun bunx run-s run-p npm-run-all turbo nx lerna";
/// Where such programs lie.
const PROGRAMS: &[&str] =
    &["node_modules/.bin", "node_modules/.pnpm/node_modules/.bin", "vendor/bin", ".venv/bin", "venv/bin"];

/// Variables by which a program finds code, without those that name a place of the machine.
const STEERING: &[&str] = &[
    "PATH",
    "BASH_ENV",
    "ENV",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "RUBYOPT",
    "RUBYLIB",
    "PERL5OPT",
    "PERL5LIB",
    "PERL5DB",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "GIT_CONFIG",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_EXEC_PATH",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "JAVA_TOOL_OPTIONS",
    "MAKEFILES",
    "MAVEN_OPTS",
    "GRADLE_OPTS",
    "NPM_CONFIG_SCRIPT_SHELL",
    "NPM_CONFIG_USERCONFIG",
    "PROMPT_COMMAND",
    "ZDOTDIR",
    "DOCKER_CONFIG",
    "COMPOSE_FILE",
    "JUST_JUSTFILE",
    "RUSTC_WRAPPER",
];

/// Shells, which run their input and the text behind `-c`.
const SHELLS: &[&str] = &["sh", "bash", "dash", "ash", "zsh", "ksh"];
/// Commands that run the text that they are given.
const TAKES_TEXT: &[&str] = &["eval", "source", "iex", "Invoke-Expression"];

/// Files of the repository that a command reads before it does what it is asked for.
pub(super) fn read_by(tree: &dyn Tree, words: &[String], place: &Place) -> BTreeSet<String> {
    let files = started(words).into_iter().flat_map(|(name, rest)| reads::files(&name, rest));
    let mut found: BTreeSet<String> = files.flat_map(|file| files_at(tree, file, place)).collect();
    found.extend(programs_of_packages(tree, words, place));
    found
}

/// The programs that a command starts, each with its words: the first one, and those that wrappers and `-m` start.
pub(super) fn started(words: &[String]) -> Vec<(String, &[String])> {
    let mut found = Vec::new();
    let mut open = vec![words];
    while let Some(words) = open.pop().filter(|_| found.len() < PROGRAMS_OF_COMMAND) {
        let Some((first, rest)) = words.split_first() else { continue };
        let name = program(first);
        if let Some(command) = operands::of_command(&name, rest, &|_| false).command {
            open.push(command);
            // The wrapper may take the word behind its last option as a value: `sudo -u ci tox`.
            let at = rest.len() - command.len();
            let is_perhaps_value =
                at.checked_sub(1).and_then(|at| rest.get(at)).is_some_and(|word| word.starts_with('-'));
            open.extend(command.get(1..).filter(|_| is_perhaps_value));
        }
        open.extend(operands::module(&name, rest));
        found.push((name, rest));
    }
    found
}

/// Programs in the folders of packages that a command would run in place of those of the machine.
fn programs_of_packages(tree: &dyn Tree, words: &[String], place: &Place) -> Vec<String> {
    let is_runner = words.first().is_some_and(|first| OF_PACKAGES.split(' ').any(|name| name == program(first)));
    let words = words.iter().skip(usize::from(is_runner)).filter(|word| !word.contains('/'));
    let words = words.take(if is_runner { usize::MAX } else { 1 });
    words
        .flat_map(|word| PROGRAMS.iter().flat_map(move |folder| resolved(tree, &format!("{folder}/{word}"), place)))
        .collect()
}

fn files_at(tree: &dyn Tree, file: &str, place: &Place) -> Vec<String> {
    let Some(folder) = file.strip_suffix("/*") else { return resolved(tree, file, place) };
    files_below(tree, folder, place)
}

/// The files directly in a folder.
pub(super) fn files_below(tree: &dyn Tree, folder: &str, place: &Place) -> Vec<String> {
    let folders = place.folders().iter().filter_map(|from| super::resolve::joined(from, folder));
    folders.flat_map(|folder| files_in(tree, &folder).take(FOLDER).map(str::to_owned).collect::<Vec<_>>()).collect()
}

pub(super) fn is_steering(variable: &str) -> bool {
    STEERING.contains(&variable.to_ascii_uppercase().as_str())
}

/// Folders of the repository that a text of a shell puts into the search path.
pub(super) fn search_path(text: &str) -> BTreeSet<String> {
    let is_edge = |letter: char| letter.is_whitespace() || "\"'`;|&()<>,=:".contains(letter);
    let lines = text.lines().filter(|line| line.contains("GITHUB_PATH") || line.contains("PATH="));
    let tokens = lines.flat_map(|line| line.split(is_edge));
    let folders = tokens.filter(|token| token.contains('/')).map(super::resolve::without_variables);
    folders.map(|folder| folder.trim_matches('/').to_owned()).filter(|folder| !folder.is_empty()).collect()
}

/// Lines that write variables for the steps behind them: files that they name hold those variables.
pub(super) fn lines_for_later(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| ["GITHUB_ENV", "GITHUB_PATH", "BASH_ENV"].iter().any(|name| line.contains(name)))
}

/// Patterns of files that a loop goes through: `for file in ci/gate.d/*.sh`.
pub(super) fn patterns_of_loops(text: &str) -> impl Iterator<Item = &str> {
    let loops = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("for ")?.split_once(" in "))
        .map(|(_, rest)| rest);
    let words = loops.flat_map(|rest| rest.split(';').next().unwrap_or_default().split_whitespace());
    words.map(|word| word.trim_matches(['"', '\''])).filter(|word| word.contains('*') && word.contains('/'))
}

/// Lines in which a shell runs a text that another program gives it, or a file that it reads as its input:
/// `eval "$(cat ci/gate.txt)"`, `bash < ci/gate.txt`, `cat ci/gate.txt | sh`.
pub(super) fn lines_that_run_text(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| runs_substitution(line) || runs_input(line))
}

fn is_shell(word: &str) -> bool {
    SHELLS.contains(&program(word.trim_matches(['"', '\'', '(', ')'])).as_str())
}

/// `eval "$(…)"`, `bash -c "$(…)"`, `source <(…)`
fn runs_substitution(line: &str) -> bool {
    let is_given = line.contains('`') || line.contains("$(") || line.contains("<(");
    let words = || line.split(|letter: char| letter.is_whitespace() || ";|&({".contains(letter));
    let follows = |(word, next): (&str, &str)| {
        TAKES_TEXT.contains(&word) || is_shell(word) && next.starts_with('-') && next.ends_with('c')
    };
    is_given && (words().zip(words().skip(1)).any(follows) || line.contains(". <("))
}

/// `… | sh`, `bash < FILE`
fn runs_input(line: &str) -> bool {
    let begins = |part: &str| part.split_whitespace().next().is_some_and(is_shell);
    let is_open = |part: &str| part.split_whitespace().rev().find(|word| !word.starts_with('-')).is_some_and(is_shell);
    line.split('|').skip(1).any(begins) || line.rsplit_once('<').is_some_and(|(before, _)| is_open(before))
}

/// Files of the repository that a command puts into the settings of git: hooks, helpers, other settings.
pub(super) fn set_for_git(tree: &dyn Tree, words: &[String], place: &Place) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (key, value) in settings_of_git(words) {
        let key = key.to_ascii_lowercase();
        if key.ends_with("path") || key.ends_with("dir") {
            found.extend(files_below(tree, value, place));
        }
        // A value may be a command with its words.
        for part in value.split_whitespace().map(|part| part.trim_start_matches('!')) {
            found.extend(resolved(tree, part, place));
        }
    }
    found
}

/// `git -c KEY=VALUE …`, `git config KEY VALUE`
fn settings_of_git(words: &[String]) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let Some((_, rest)) = words.split_first().filter(|(first, _)| program(first) == "git") else { return found };
    let mut left = rest.iter().map(String::as_str);
    while let Some(word) = left.next() {
        match word {
            "-c" => found.extend(left.next().and_then(|setting| setting.split_once('='))),
            "-C" => drop(left.next()),
            "config" => {
                let mut named = left.filter(|word| !word.starts_with('-') && *word != "set");
                let key = named.next().unwrap_or_default();
                found.extend(named.map(|value| (key, value)));
                return found;
            }
            _ if word.starts_with('-') => {}
            _ => return found,
        }
    }
    found
}
