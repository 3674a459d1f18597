//! What a policy allows that nobody did, as a number.
//!
//! It is asked about a fixed set of effects that no session had: every program and subcommand of the built-in
//! knowledge; in every directory that was touched a file that does not exist, and files that matter anywhere, read,
//! written and deleted; hosts; tools of the servers that were used and of others. The share that it allows is the
//! number. A probe is one effect: a command that is allowed is still judged by what it reads, writes and connects to.

use std::collections::{BTreeMap, BTreeSet};

use agent_strace_effects::{Argument, Certainty, Connection, Effect, Execution, Kind, PathTarget, knowledge};
use agent_strace_policy::{Context, Policy};

use super::observe::{Observation, Observed};
use super::paths;

/// How many effects of a kind that nobody had a policy allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probed {
    pub kind: &'static str,
    pub asked: usize,
    pub allowed: usize,
}

pub fn probe(observed: &Observed, policy: &Policy) -> Vec<Probed> {
    let done: BTreeSet<String> = observed.all().map(|observation| observation.effect.to_string()).collect();
    let ran: BTreeSet<String> = observed.all().flat_map(leading_words).collect();
    let is_new = |effect: &&Effect| !done.contains(&effect.to_string()) && !ran.contains(&words(effect));
    let asked = |kind: &'static str, effects: Vec<Effect>| {
        let effects: Vec<&Effect> = effects.iter().filter(is_new).collect();
        let is_allowed = |effect: &&&Effect| !policy.judge(effect, &Context::default()).matters();
        Probed { kind, asked: effects.len(), allowed: effects.iter().filter(is_allowed).count() }
    };
    let files = files(observed);
    let of_files =
        |make: fn(PathTarget) -> Kind| files.iter().map(|path| exact(make(PathTarget::new(path.as_str())))).collect();
    vec![
        asked("commands", commands()),
        asked("reads", of_files(Kind::Read)),
        asked("writes", of_files(Kind::Write)),
        asked("deletes", of_files(Kind::Delete)),
        asked("hosts", HOSTS.iter().map(|host| connection(host)).collect()),
        asked("tools", tools(observed)),
    ]
}

fn exact(kind: Kind) -> Effect {
    Effect::new(kind, Certainty::Exact, "argument")
}

/// The program of a command, and the program with its first operand: what a probe of the catalogue is.
fn leading_words(observation: &Observation) -> Vec<String> {
    let Kind::Execute(execution) = &observation.effect.kind else { return Vec::new() };
    let mut words = execution.argv.iter().map(|argument| argument.text.as_str()).filter(|word| !word.starts_with('-'));
    let Some(program) = words.next() else { return Vec::new() };
    let with = words.next().map(|operand| format!("{program} {operand}"));
    std::iter::once(program.to_owned()).chain(with).collect()
}

/// Those of a command; empty for any other effect.
fn words(effect: &Effect) -> String {
    let Kind::Execute(execution) = &effect.kind else { return String::new() };
    execution.argv.iter().map(|argument| argument.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Every program that is known, and each of its subcommands.
fn commands() -> Vec<Effect> {
    let mut probes = Vec::new();
    for program in knowledge::builtin_names() {
        probes.push(command(&[program]));
        let subcommands = knowledge::builtin(program).map_or(&[][..], |entry| &entry.subcommands);
        for name in subcommands.iter().filter_map(|sub| sub.names.split(' ').next()) {
            probes.push(command(&[program, name]));
        }
    }
    probes
}

fn command(words: &[&str]) -> Effect {
    let argv = words.iter().map(|word| Argument { text: (*word).to_owned(), known: true }).collect();
    exact(Kind::Execute(Execution { argv, inert: false, embeds: false }))
}

/// Files that matter anywhere; in every directory that was touched, and in one that was not, a file without a past, plain
/// and with each of the endings that are most frequent.
fn files(observed: &Observed) -> BTreeSet<String> {
    let mut files: BTreeSet<String> = FILES.iter().map(|file| (*file).to_owned()).collect();
    let (mut folders, mut endings) = (BTreeSet::from(["not-seen-before"]), BTreeMap::<&str, usize>::new());
    for observation in observed.all().filter(|observation| observation.effect.certainty == Certainty::Exact) {
        if let Kind::Read(target) | Kind::Write(target) | Kind::Delete(target) = &observation.effect.kind
            && let Some((folder, name)) = target.path.rsplit_once('/')
        {
            folders.insert(folder);
            if let Some(ending) = paths::extension(name) {
                *endings.entry(ending).or_default() += 1;
            }
        }
    }
    let mut endings: Vec<(&str, usize)> = endings.into_iter().collect();
    endings.sort_by_key(|(ending, count)| (std::cmp::Reverse(*count), *ending));
    let endings = || endings.iter().map(|(ending, _)| *ending).take(ENDINGS).chain(["txt"]);
    for folder in folders {
        files.extend(endings().map(|ending| format!("{folder}/not-seen-before.{ending}")));
    }
    files
}

/// So many endings of files are asked for in every directory.
const ENDINGS: usize = 3;

fn connection(host: &str) -> Effect {
    let (host, port) = host.split_once(' ').unwrap_or((host, ""));
    exact(Kind::Connect(Connection { host: Some(host.to_owned()), port: port.parse().ok(), scheme: None }))
}

fn tools(observed: &Observed) -> Vec<Effect> {
    let of = |observation: &Observation| match &observation.effect.kind {
        Kind::Tool { server: Some(server), .. } => Some(server.clone()),
        _ => None,
    };
    let mut servers: BTreeSet<String> = observed.all().filter_map(of).collect();
    servers.extend(["filesystem", "shell"].map(str::to_owned));
    let tool = |server| exact(Kind::Tool { server: Some(server), tool: "not_seen_before".to_owned() });
    servers.into_iter().map(tool).collect()
}

/// Files that matter wherever they are.
const FILES: &[&str] = &[
    ".env",
    ".git/config",
    ".github/workflows/ci.yml",
    ".gitignore",
    ".npmrc",
    "Cargo.toml",
    "Dockerfile",
    "Makefile",
    "README.md",
    "build.rs",
    "config/secrets.yml",
    "docs/index.md",
    "package-lock.json",
    "package.json",
    "pyproject.toml",
    "scripts/deploy.sh",
    "secrets/production.json",
    "src/main.rs",
    "src/not-seen-before.py",
    "tests/not-seen-before.py",
    "/etc/hosts",
    "/etc/passwd",
    "/tmp/not-seen-before",
    "/usr/local/bin/not-seen-before",
    "~/.aws/credentials",
    "~/.bashrc",
    "~/.ssh/id_ed25519",
    "~/Documents/not-seen-before.txt",
];

/// Hosts, some with a port.
const HOSTS: &[&str] = &[
    "169.254.169.254 80",
    "api.github.com 443",
    "api.openai.com 443",
    "example.com 443",
    "example.com 22",
    "github.com 22",
    "github.com 443",
    "localhost 8080",
    "pastebin.com 443",
    "raw.githubusercontent.com 443",
    "registry:cargo",
    "registry:npm",
    "registry:pypi",
];
