//! What a text for a shell does that nobody can look at beforehand: it runs what it downloads, or sends what it finds.

use std::collections::BTreeSet;

use super::options::program;
use super::run::Run;
use crate::repo_audit::hosts;
use agent_strace_effects::knowledge::CURL_BODIES;
use agent_strace_effects::{About, Argument, Certainty, Effect, Kind};

/// What is dangerous about a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Danger {
    /// What comes from an address is run without a look.
    RunsDownload,
    /// Something leaves the machine.
    Sends,
    /// It is decoded first, so that nobody reads it.
    Decodes,
}

/// They send what they are given, wherever it goes.
const SENDERS: &[&str] = &["nc", "ncat", "netcat", "telnet", "scp", "sftp", "rsync", "ftp", "tftp", "sendmail", "mail"];
/// Clients of the web, and options by which those other than `curl` send a body.
const CLIENTS: &[&str] = &["curl", "wget", "http", "https", "iwr", "irm", "invoke-webrequest", "invoke-restmethod"];
const BODIES: &[&str] = &["--post-file", "--post-data", "--body-file", "--body-data", "-body", "-infile"];
/// They run what comes to them.
const INTERPRETERS: &[&str] =
    &["sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "python", "node", "perl", "ruby", "php"];

/// All of them, each once.
pub(crate) fn dangers(text: &str) -> Vec<Danger> {
    of(&Run::of(text))
}

pub(super) fn of(run: &Run) -> Vec<Danger> {
    let mut found = Vec::new();
    if runs_download(run) {
        found.push(Danger::RunsDownload);
    }
    if run.commands.iter().any(|(at, words)| sends(run, *at, words)) {
        found.push(Danger::Sends);
    }
    if runs_decoded(run) {
        found.push(Danger::Decodes);
    }
    found
}

/// A command that reached another machine, and behind it code that nobody knows: its input, its text, or a file that the
/// first one wrote.
fn runs_download(run: &Run) -> bool {
    let downloads: BTreeSet<usize> =
        run.effects.iter().enumerate().filter_map(|(at, effect)| download(run, at, effect)).collect();
    let mut written: BTreeSet<&str> = BTreeSet::new();
    for (at, effect) in run.effects.iter().enumerate() {
        let is_behind = downloads.range(..at).next().is_some();
        match &effect.kind {
            Kind::Write(target) if run.parent(at).is_some_and(|parent| downloads.contains(&parent)) => {
                written.insert(bare(&target.path));
            }
            // A file that is downloaded, and then is a program.
            Kind::Execute(execution) => {
                let is_written = |word: &Argument| written.contains(bare(&word.text));
                let is_made_one = execution.argv.first().is_some_and(|first| program(&first.text) == "chmod");
                let mut words = execution.argv.iter().take(if is_made_one { usize::MAX } else { 1 });
                if words.any(is_written) {
                    return true;
                }
            }
            Kind::Opaque(opaque) if is_behind && opaque.vouched_by.is_empty() => {
                let is_code = matches!(opaque.about, About::Anything | About::Elsewhere | About::Commands);
                let files: Vec<&str> = files(run, at).collect();
                if is_code && (files.is_empty() || files.iter().any(|file| written.contains(bare(file)))) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// The command that a connection is of. A package manager brings what has a name and a version; that is judged elsewhere.
fn download(run: &Run, at: usize, effect: &Effect) -> Option<usize> {
    let Kind::Connect(connection) = &effect.kind else { return None };
    let is_registry = connection.host.as_ref().is_some_and(|host| host.starts_with("registry:"));
    run.parent(at).filter(|_| !is_registry)
}

fn bare(path: &str) -> &str {
    path.trim_start_matches("./")
}

/// Files that the command of an effect reads.
fn files(run: &Run, at: usize) -> impl Iterator<Item = &str> {
    run.parent(at).into_iter().flat_map(|command| run.caused(command)).filter_map(|effect| match &effect.kind {
        Kind::Read(target) if effect.certainty == Certainty::Exact => Some(target.path.as_str()),
        _ => None,
    })
}

fn named(words: &[String], names: &[&str]) -> bool {
    words.first().is_some_and(|word| {
        let name = program(word);
        let bare = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        names.contains(&name.as_str()) || names.contains(&bare)
    })
}

/// To a machine that is not next to this one.
fn sends(run: &Run, at: usize, words: &[String]) -> bool {
    let is_sent = named(words, SENDERS) || named(words, CLIENTS) && words.iter().any(|word| is_body(word));
    let leaves = |effect: &Effect| match &effect.kind {
        Kind::Connect(connection) => connection.host.as_deref().is_none_or(|host| !hosts::is_local_name(host)),
        _ => false,
    };
    is_sent && run.caused(at).any(leaves)
}

fn is_body(word: &str) -> bool {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    let mut options = CURL_BODIES.iter().chain(BODIES);
    options.any(|option| option.eq_ignore_ascii_case(name))
        || word.starts_with("-d@")
        || word.starts_with("-F") && word.contains('=')
}

/// `… | base64 -d | sh`: an interpreter without a file takes what comes to it.
fn runs_decoded(run: &Run) -> bool {
    let mut decoded = false;
    for words in run.commands.values() {
        let is_fed = named(words, INTERPRETERS) && words.iter().skip(1).all(|word| word.starts_with('-'));
        if decoded && is_fed {
            return true;
        }
        decoded |= decodes(words);
    }
    false
}

fn decodes(words: &[String]) -> bool {
    let has = |options: &[&str]| words.iter().any(|word| options.contains(&word.as_str()));
    named(words, &["base64"]) && has(&["-d", "-D", "--decode"])
        || named(words, &["xxd"]) && has(&["-r", "-rp", "-p"])
        || named(words, &["openssl"]) && has(&["-d"])
}
