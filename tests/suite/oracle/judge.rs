//! One text: run it, ask the gate, compare.

use std::collections::{BTreeMap, BTreeSet};

use super::ignored::{ignored, in_template};
use super::jail::{Jail, WORKSPACE};
use super::reported::{Claim, ReportedEffects, Surroundings};
use super::trace::{Act, ObservedAct, observed_acts};

/// A shell text and where it comes from.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub(super) source: String,
    pub(super) program: String,
    pub(super) directory: String,
    pub(super) origin: Origin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// Written for the template.
    Ours,
    /// Recorded elsewhere: files that it expects are made first.
    Recorded,
}

/// What came out of one text.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) source: String,
    pub(super) text: String,
    pub(super) opaque: bool,
    pub(super) succeeded: bool,
    pub(super) done: Vec<ObservedAct>,
    /// Observed acts without an effect, including those of texts that the gate reports as unresolved.
    pub(super) uncovered: Vec<ObservedAct>,
    /// It ended well and wrote nothing at all.
    pub(super) quiet: bool,
    pub(super) claim: Claim,
}

impl Text {
    pub(super) fn ours(source: &str, text: impl Into<String>) -> Self {
        let (source, directory) = (source.to_owned(), WORKSPACE.to_owned());
        Self { source, program: text.into(), directory, origin: Origin::Ours }
    }
}

impl Verdict {
    /// What is held against the gate.
    pub(super) fn missed(&self) -> impl Iterator<Item = &ObservedAct> {
        self.uncovered.iter().filter(|_| !self.opaque)
    }

    pub(super) fn says_too_much(&self) -> bool {
        self.quiet && self.claim >= Claim::Pattern
    }
}

pub(super) fn judge(text: &Text, template: &Jail) -> Verdict {
    let jail = template.copy(&text.directory);
    let names = name_hosts(&jail, &text.program);
    let reported = ReportedEffects::of(&text.program, &text.directory);
    if text.origin == Origin::Recorded {
        furnish(&jail, &text.program, &reported);
    }
    let before = links(template, &text.directory);
    let ran = jail.run(&text.program);
    let all: Vec<ObservedAct> = observed_acts(&ran.log, jail.directory())
        .into_iter()
        .map(|observed| really(observed, &jail, template))
        .collect();
    // A pipeline ends well although a program of it was not there to write anything.
    let found = !ran.log.contains("exit_group(127)");
    let quiet = ran.code == Some(0) && found && !all.iter().any(changes);
    let mut done: Vec<ObservedAct> = all
        .into_iter()
        .map(at_the_remote)
        .filter(|observed| !ignored(observed, &text.program, &jail, template))
        .collect();
    done.sort();
    done.dedup();
    let around = Surroundings { jail: &jail, template, names: &names, links: &before };
    let uncovered = done.iter().filter(|observed| !reported.covers(observed, &around)).cloned().collect();
    Verdict {
        source: text.source.clone(),
        text: text.program.clone(),
        opaque: reported.opaque,
        succeeded: ran.code == Some(0),
        done,
        uncovered,
        quiet,
        claim: reported.claims_writing(),
    }
}

/// A file that was opened for writing and is what it was before was only read.
fn really(observed: ObservedAct, jail: &Jail, template: &Jail) -> ObservedAct {
    let now = jail.host_path(&observed.target);
    let before = template.host_path(&in_template(&observed.target, jail));
    let same = || {
        let time = |path: &std::path::Path| path.metadata().and_then(|data| data.modified()).ok();
        now.is_file() && time(&now) == time(&before) && std::fs::read(&now).ok() == std::fs::read(&before).ok()
    };
    if observed.act == Act::Write && observed.unsure && same() {
        ObservedAct { act: Act::Read, ..observed }
    } else {
        observed
    }
}

/// The repository that stands in for a remote one: what happens there is what a server would do.
fn at_the_remote(observed: ObservedAct) -> ObservedAct {
    if observed.act != Act::Execute && observed.target.starts_with("/srv/remote.git") {
        return ObservedAct {
            act: Act::Connect,
            target: "name:remote".to_owned(),
            real: None,
            by: "git".to_owned(),
            unsure: false,
        };
    }
    observed
}

fn changes(observed: &ObservedAct) -> bool {
    matches!(observed.act, Act::Write | Act::Delete)
        && !observed.target.starts_with("/dev/")
        && !observed.target.starts_with("/proc/")
}

/// Symlinks that were there before: the gate can't know where they lead.
fn links(template: &Jail, directory: &str) -> Vec<String> {
    let names = ["link.txt", "linked", "dangling"];
    let there = names.iter().filter(|name| template.exists(&format!("{WORKSPACE}/{name}")));
    there.map(|name| format!("{directory}/{name}")).collect()
}

/// Gives every name that could be a host an address in the jail, so that connections get as far as connecting.
fn name_hosts(jail: &Jail, text: &str) -> BTreeMap<String, String> {
    let mut hosts: BTreeSet<String> = ["example.com", "git.example.com", "api.example.com"].map(str::to_owned).into();
    let part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '_');
    let candidates = text.split(|character| !part(character)).map(|word| word.trim_matches(['.', '-']));
    hosts.extend(candidates.filter(|word| is_name(word)).map(str::to_lowercase));
    let names: BTreeMap<String, String> = hosts
        .into_iter()
        .take(500)
        .enumerate()
        .map(|(at, host)| (format!("127.1.{}.{}", at / 250, at % 250 + 1), host))
        .collect();
    let lines: String = names.iter().flat_map(|(address, host)| [address, " ", host, "\n"]).collect();
    jail.write("/etc/hosts", &format!("127.0.0.1 localhost jail\n::1 localhost\n{lines}"));
    names
}

fn is_name(word: &str) -> bool {
    let ends = word.rsplit_once('.').is_some_and(|(_, last)| last.len() >= 2 && last.chars().all(char::is_alphabetic));
    ends && word.len() < 250
}

/// Makes the files and directories that a recorded command expects.
fn furnish(jail: &Jail, text: &str, reported: &ReportedEffects) {
    const SYSTEM: &[&str] = &["/usr/", "/bin/", "/sbin/", "/lib", "/etc/", "/proc/", "/dev/", "/sys/", "/.trace"];
    let ours = |path: &str| {
        let whole = super::line::absolute("/", path);
        whole == path && path.len() < 400 && !SYSTEM.iter().any(|system| path.starts_with(system)) && !jail.exists(path)
    };
    let words: Vec<&str> = text.split([' ', '\n', ';', '&', '(', ')']).collect();
    for pair in words.windows(2).filter(|pair| pair[0] == "cd") {
        let path = super::line::absolute(jail.directory(), pair[1].trim_matches(['"', '\'']));
        if ours(&path) {
            let _ = std::fs::create_dir_all(jail.host_path(&path));
        }
    }
    for path in reported.wanted(jail).into_iter().filter(|path| ours(path)).take(30) {
        let target = jail.host_path(&path);
        let made = target.parent().is_some_and(|parent| std::fs::create_dir_all(parent).is_ok());
        let last = path.rsplit('/').next().unwrap_or_default();
        let _ = match (made, last.contains('.')) {
            (true, true) => std::fs::write(target, "import os\n# one\n1 two\n"),
            // Without an extension, a name is more often a directory's than a file's.
            (true, false) => {
                std::fs::create_dir_all(&target).and_then(|()| std::fs::write(target.join("one.txt"), "1\n"))
            }
            (false, _) => Ok(()),
        };
    }
}
