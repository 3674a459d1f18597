//! Commands before the gate: whether one of them runs code that the workspace brings.

use super::script::shape;
use crate::repo_audit::{commands, program};

/// Commands that look at files, fetch some or set the machine up, and run nothing of the workspace.
const HARMLESS: &[&str] = &[
    "echo",
    "printf",
    "cat",
    "ls",
    "test",
    "[",
    "[[",
    "true",
    "false",
    ":",
    "cd",
    "pwd",
    "mkdir",
    "date",
    "env",
    "grep",
    "head",
    "tail",
    "wc",
    "sort",
    "jq",
    "exit",
    "set",
    "export",
    "sleep",
    "gh",
    "git",
    "curl",
    "wget",
    "sha256sum",
    "shasum",
    "tar",
    "unzip",
    "gzip",
    "zstd",
    "install",
    "chmod",
    "chown",
    "mv",
    "cp",
    "ln",
    "rm",
    "touch",
    "mktemp",
    "find",
    "xargs",
    "cut",
    "tr",
    "sed",
    "awk",
    "uniq",
    "diff",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "uname",
    "id",
    "whoami",
    "df",
    "free",
    "nproc",
    "which",
    "type",
    "command",
    "read",
    "tee",
    "trap",
    "shift",
    "local",
    "declare",
    "unset",
    "break",
    "continue",
    "return",
    "sudo",
    "timeout",
    "time",
    "nice",
    "apt",
    "apt-get",
    "apk",
    "dnf",
    "yum",
    "microdnf",
    "brew",
    "choco",
    "update-ca-certificates",
    "cosign",
    "slsa-verifier",
    "minisign",
    "gpg",
    "rustup",
    "cargo-binstall",
    "base64",
    "seq",
    "kill",
    "wait",
    "shopt",
];
/// Commands that put files somewhere.
const PLACING: &[&str] = &["cp", "mv", "install", "ln"];
/// Commands that install packages of a system, or a package by its name.
const PACKAGES: &[&str] = &["apt", "apt-get", "apk", "dnf", "yum", "microdnf", "brew", "choco"];
/// Commands that fetch files from elsewhere.
const FETCHING: &[&str] = &["curl", "wget", "gh"];
/// Programs that the gate runs.
const JUDGING: &[&str] = &["agent-strace", "git"];
/// Letters of options with a value, of each of those commands.
const VALUES: &[(&str, &str)] = &[("install", "mogSt"), ("cp", "St"), ("mv", "St"), ("ln", "St")];
/// Paths of a run, which no commit holds.
const OF_RUN: &[&str] = &["$RUNNER_TEMP", "${RUNNER_TEMP}", "$RUNNER_TOOL_CACHE", "${RUNNER_TOOL_CACHE}"];
/// Options by which commands read what they do from a file.
const BY_FILE: &[(&str, &[&str])] =
    &[("awk", &["-f", "--file"]), ("sed", &["-f", "--file"]), ("xargs", &["-a", "--arg-file"])];
/// Options by which archives are unpacked into a folder.
const UNPACKING: &[(&str, &[&str])] = &[("tar", &["-C", "--directory"]), ("unzip", &["-d"])];
/// Subcommands and options of git that run other commands.
const STARTS: &[&str] = &["foreach", "bisect", "-x", "--exec", "-c", "difftool", "mergetool", "commit", "merge", "am"];
/// Words and operators before a command.
const LEADING: &[&str] = &[
    "if", "!", "then", "do", "else", "while", "until", "&&", "||", "{", "(", "$(", "timeout", "env", "time", "time -p",
];

/// The effect of a script on the workspace and the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effect {
    Nothing,
    /// It puts a file that may be one of the workspace where programs are looked for.
    Places,
    /// It runs code of the workspace.
    Runs,
    /// It puts another program in the place of one that judges.
    Replaces,
}

/// Installers of one package by its name, which read no settings of the workspace.
fn installs_by_name(name: &str, rest: &[String]) -> bool {
    let words: Vec<&str> = rest.iter().map(String::as_str).collect();
    let packages =
        |from: usize| words.get(from..).unwrap_or_default().iter().filter(|word| !word.starts_with('-')).copied();
    let is_named = |from: usize| {
        let mut all = packages(from).peekable();
        all.peek().is_some() && all.all(|package| !package.starts_with(['.', '/', '~', '$']) && !package.contains('/'))
    };
    let has = |options: &[&str]| words.iter().any(|word| options.contains(word));
    match (name, words.as_slice()) {
        ("pip" | "pip3", ["install", ..]) => {
            is_named(1) && !has(&["-e", "--editable", "-r", "--requirement", "-c", "--constraint"])
        }
        ("python" | "python3", ["-m", "pip", "install", ..]) => {
            is_named(3) && !has(&["-e", "--editable", "-r", "--requirement"])
        }
        ("pipx", ["install", ..]) => is_named(1),
        ("uv", ["tool", "install", ..]) => is_named(2),
        ("npm", ["install" | "i", ..]) => has(&["-g", "--global"]) && is_named(1),
        (_, ["--version" | "-V" | "version"]) => ["python", "python3", "node", "npm", "go", "rustc"].contains(&name),
        _ => false,
    }
}

/// The worst effect of the commands of a script.
pub(super) fn effect(script: &str) -> Effect {
    let script = OF_RUN.iter().fold(closed(script).to_owned(), |script, path| script.replace(path, "/tmp"));
    let script = script.as_str();
    let commands = commands(script);
    if commands.is_empty() {
        let is_said = script.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
        let sets_only =
            script.lines().all(|line| line.split_once('=').is_some_and(|(name, _)| !name.trim().contains(' ')));
        return if is_said && !sets_only { Effect::Runs } else { Effect::Nothing };
    }
    let shape = shape(script);
    let fetches =
        commands.iter().any(|words| words.first().is_some_and(|first| FETCHING.contains(&program(first).as_str())));
    let is_own = |words: &&Vec<String>| words.first().is_some_and(|first| shape.functions.contains(first));
    let of_commands = commands.iter().filter(|words| !is_own(words)).map(|words| of_command(words, fetches));
    let of_files = shape.written.iter().map(|file| of_file(file));
    of_commands.chain(of_files).max().unwrap_or(Effect::Nothing)
}

/// A file that is written: where programs and settings of shells are looked for, or elsewhere outside of the workspace.
fn of_file(path: &str) -> Effect {
    let is_log = ["/dev/", "/tmp/", "$GITHUB_", "$RUNNER_TEMP", "$("].iter().any(|start| path.starts_with(start));
    let is_named = |name: &str| program(path) == name;
    if JUDGING.iter().any(|name| is_named(name)) && path.contains('/') {
        Effect::Replaces
    } else if is_log || !path.starts_with(['/', '~']) && !path.starts_with("$HOME") {
        Effect::Nothing
    } else if path.contains("/bin/") || path.ends_with("rc") || path.contains("profile") {
        Effect::Runs
    } else {
        Effect::Places
    }
}

/// A script that was cut before a command, without the words that lead to it.
fn closed(script: &str) -> &str {
    let mut rest = script.trim_end();
    while let Some(shorter) = LEADING.iter().find_map(|word| rest.strip_suffix(word)) {
        if shorter.ends_with(|letter: char| letter.is_alphanumeric()) {
            break;
        }
        rest = shorter.trim_end();
    }
    rest
}

fn of_command(words: &[String], fetches: bool) -> Effect {
    let Some((first, rest)) = words.split_first() else { return Effect::Nothing };
    let name = program(first);
    let is_path = first.starts_with('.') || first.contains('/') && !first.starts_with(['/', '~', '$']);
    if is_path {
        return Effect::Runs;
    }
    if installs_by_name(&name, rest) || name == "agent-strace" {
        return Effect::Nothing;
    }
    if name == "git" && rest.iter().any(|word| STARTS.contains(&word.as_str())) {
        return Effect::Runs;
    }
    if PACKAGES.contains(&name.as_str()) && rest.iter().any(|word| word.starts_with("./")) {
        return Effect::Runs;
    }
    if name == "git" && rest.first().is_some_and(|word| word == "config") && rest.iter().any(|word| is_running(word)) {
        return Effect::Runs;
    }
    if name == "ln" && replaces(rest) {
        return Effect::Replaces;
    }
    if name == "tee" {
        return rest.iter().map(|word| of_file(word)).max().unwrap_or(Effect::Nothing);
    }
    if BY_FILE.iter().any(|(known, options)| *known == name && rest.iter().any(|word| options.contains(&word.as_str())))
    {
        return Effect::Runs;
    }
    if let Some((_, options)) = UNPACKING.iter().find(|(known, _)| *known == name) {
        return unpacked(rest, options, fetches);
    }
    if PLACING.contains(&name.as_str()) {
        return put(&name, rest, fetches);
    }
    if HARMLESS.contains(&name.as_str()) || name.is_empty() { Effect::Nothing } else { Effect::Runs }
}

/// A setting of git that names commands.
fn is_running(word: &str) -> bool {
    let folded = word.to_ascii_lowercase();
    ["core.", "alias.", "filter.", "diff.", "merge.", "credential."].iter().any(|start| folded.starts_with(start))
        && !["core.autocrlf", "core.longpaths", "core.quotepath", "core.symlinks"].contains(&folded.as_str())
}

/// A link with the name of a program that judges, to something of another name.
fn replaces(rest: &[String]) -> bool {
    let operands: Vec<String> = rest.iter().filter(|word| !word.starts_with('-')).map(|word| program(word)).collect();
    match operands.as_slice() {
        [from, to] => JUDGING.contains(&to.as_str()) && from != to,
        _ => false,
    }
}

/// An archive of the workspace that is unpacked elsewhere.
fn unpacked(rest: &[String], options: &[&str], fetches: bool) -> Effect {
    let at = rest.iter().position(|word| options.contains(&word.as_str()));
    let Some(target) = at.and_then(|at| rest.get(at + 1)) else { return Effect::Nothing };
    let archive = rest.iter().filter(|word| !word.starts_with('-') && *word != target && word.contains('.'));
    let words: Vec<String> = archive.chain([target]).cloned().collect();
    placed(&words, fetches)
}

/// A command that puts files somewhere: the place comes last, or is named by `-t`.
fn put(name: &str, rest: &[String], fetches: bool) -> Effect {
    let values = VALUES.iter().find(|(known, _)| *known == name).map_or("", |(_, letters)| letters);
    let (mut operands, mut target) = (Vec::new(), None);
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        if let Some(folder) = word.strip_prefix("--target-directory=") {
            target = Some(folder.to_owned());
        } else if word == "--target-directory" || is_short(word) && word.ends_with('t') && values.contains('t') {
            target = words.next().cloned();
        } else if is_short(word) && word.ends_with(|letter| values.contains(letter)) {
            words.next();
        } else if !word.starts_with('-') {
            operands.push(word.clone());
        }
    }
    operands.extend(target);
    placed(&operands, fetches)
}

fn is_short(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && !word.starts_with("--")
}

/// A file of the workspace that is put elsewhere: one that was fetched before may be meant.
fn placed(rest: &[String], fetches: bool) -> Effect {
    let mut operands = rest.iter().filter(|word| !word.starts_with('-'));
    let Some(target) = operands.next_back() else { return Effect::Nothing };
    let is_out = target.starts_with(['/', '~', '$'])
        && !target.contains("GITHUB_WORKSPACE")
        && !target.contains("CI_PROJECT_DIR");
    // An installer copies git there under its own name; a program of another name replaces git.
    if program(target) == "git" && target.starts_with('/') && operands.clone().any(|word| program(word) != "git") {
        return Effect::Replaces;
    }
    let is_of_workspace = operands.any(|word| super::sources::is_of_workspace(word));
    match (is_out && is_of_workspace, fetches) {
        (false, _) => Effect::Nothing,
        (true, true) => Effect::Places,
        (true, false) => Effect::Runs,
    }
}
