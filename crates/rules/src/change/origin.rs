//! Whether a session can be of a change at all: by its date, and by the repository that it says it ran in.

use std::fmt;

use agent_strace_git::change_set::Change;
use agent_strace_model::{Session, moment};
use jiff::Timestamp;

/// 2020-01-01: coding agents that write such logs are younger.
const FIRST: i64 = 1_577_836_800;
/// 2090-01-01, for changes that are not dated.
const LAST: i64 = 3_786_912_000;
/// A session begins before its change is committed. Clocks differ, and dates of commits are kept by some rebases.
const SLACK: i64 = 400 * 86_400;
/// Digits of a commit's name that tell commits apart; `git rev-parse --short` prints at least as many.
const LEAST_DIGITS: usize = 7;

/// Why a session can't be of the change that is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Foreign {
    /// It names a repository that is not the judged one.
    Repository { named: String, judged: String },
    /// It began before there were agents.
    TooEarly(Timestamp),
    /// It began long after the head was committed.
    TooLate { began: Timestamp, committed: Option<Timestamp> },
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let day = |time: &Timestamp| time.strftime("%F").to_string();
        match self {
            Self::Repository { named, judged } => {
                write!(f, "its log names the repository `{}`, and the change is of `{}`", clip(named), clip(judged))
            }
            Self::TooEarly(began) => write!(f, "it began on {}, before there were agents to record", day(began)),
            Self::TooLate { began, committed: Some(committed) } => {
                write!(f, "it began on {}, and the change was committed on {}", day(began), day(committed))
            }
            Self::TooLate { began, committed: None } => write!(f, "it began on {}", day(began)),
        }
    }
}

/// The most characters of an address in a message.
const SHOWN: usize = 200;

/// The end of a long address: the name of a repository is there.
fn clip(address: &str) -> String {
    let more = address.chars().count().saturating_sub(SHOWN);
    if more == 0 { address.to_owned() } else { format!("…{}", address.chars().skip(more).collect::<String>()) }
}

/// Why the session can't be of the change; `None`: it may be. What a log leaves out says nothing.
pub fn foreign(session: &Session<'_>, change: &Change) -> Option<Foreign> {
    out_of_time(session, change).or_else(|| elsewhere(session, change))
}

fn out_of_time(session: &Session<'_>, change: &Change) -> Option<Foreign> {
    let times = session.span.started.as_deref().into_iter();
    let began = times.chain(session.events.iter().filter_map(|event| event.time.as_deref())).find_map(moment)?;
    let committed = change.seconds.filter(|seconds| *seconds >= FIRST);
    let last = committed.map_or(LAST, |seconds| seconds.saturating_add(SLACK));
    if began.as_second() < FIRST {
        return Some(Foreign::TooEarly(began));
    }
    let committed = committed.and_then(|seconds| Timestamp::from_second(seconds).ok());
    (began.as_second() > last).then_some(Foreign::TooLate { began, committed })
}

/// It names another repository than the judged one, by all the addresses that are known of it. One that began at a commit of
/// the change, or at its base, ran in the same repository whatever that was called.
fn elsewhere(session: &Session<'_>, change: &Change) -> Option<Foreign> {
    let address = session.attribution.repository.as_deref()?;
    let named = Address::of(address)?;
    let judged: Vec<(&String, Address)> =
        change.addresses.iter().filter_map(|address| Some((address, Address::of(address)?))).collect();
    if judged.iter().any(|(_, judged)| judged.name == named.name) || began_here(session, change) {
        return None;
    }
    // A clone of a folder of this machine has the name of that folder, which tells nothing of a forge's name.
    let (comparable, _) = judged.iter().find(|(_, judged)| judged.is_local == named.is_local)?;
    Some(Foreign::Repository { named: address.to_owned(), judged: (*comparable).clone() })
}

fn began_here(session: &Session<'_>, change: &Change) -> bool {
    let Some(began) = session.attribution.commit.as_deref().filter(|began| began.len() >= LEAST_DIGITS) else {
        return false;
    };
    let ends = [&change.base.commit, &change.head.commit].into_iter().chain(&change.merge_base);
    ends.chain(change.commits.iter().map(|commit| &commit.id)).any(|commit| commit.starts_with(began))
}

/// The address of a repository, as far as two spellings of it agree.
#[derive(Debug, PartialEq, Eq)]
struct Address {
    /// Without its owner: a fork has another one.
    name: String,
    /// A folder of a machine.
    is_local: bool,
}

impl Address {
    /// `None`: the address names no repository.
    fn of(address: &str) -> Option<Self> {
        let address = address.trim().to_lowercase();
        let is_drive = matches!(address.get(1..3), Some(":/" | ":\\")) && address.starts_with(char::is_alphabetic);
        let is_relative =
            matches!(address.as_str(), "." | "..") || address.starts_with("./") || address.starts_with("../");
        let is_local = is_drive || is_relative || address.starts_with("file:") || address.starts_with(['/', '~', '\\']);
        let path = match address.split_once("://") {
            // The rest is the host, and what begins with `?` or `#` no part of the path. Folders may be called so.
            Some((_, rest)) if !is_local => rest.split_once('/')?.1.split(['?', '#']).next().unwrap_or_default(),
            _ => address.as_str(),
        };
        let separators = ['/', '\\'];
        // `rates.git`, and `rates/.git` of a work tree.
        let path = path.trim_end_matches(separators);
        let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches(separators);
        let name = path.rsplit(['/', ':', '\\']).next().unwrap_or_default();
        let is_name = !name.is_empty() && name != "." && name != "..";
        is_name.then(|| Self { name: name.to_owned(), is_local })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(address: &str) -> Option<(String, bool)> {
        Address::of(address).map(|address| (address.name, address.is_local))
    }

    #[test]
    fn one_repository_has_one_name_in_all_spellings_of_its_address() {
        let spellings = [
            "https://forge.example/acme/rates",
            "https://forge.example/acme/rates.git",
            "https://forge.example/acme/rates.git/",
            "HTTPS://Forge.Example/Acme/Rates.GIT",
            "https://dana@forge.example:8443/acme/rates.git",
            "https://forge.example/acme/rates?ref=main#readme",
            "http://forge.example/scm/~dana/rates.git",
            "git@forge.example:acme/rates.git",
            "forge-of-work:acme/rates",
            "forge.example:rates.git",
            "ssh://git@forge.example/acme/rates.git",
            "ssh://git@forge.example:2222/acme/rates",
            "git+ssh://git@forge.example/acme/rates.git",
            "git://forge.example/rates.git",
            "https://dev.forge.example/acme/project/_git/rates",
            "git@ssh.dev.forge.example:v3/acme/project/rates",
            "acme/rates",
            "rates",
            " https://forge.example/acme/rates\n",
        ];
        for spelling in spellings {
            let found = name(spelling);
            assert_eq!(found, Some(("rates".to_owned(), false)), "{spelling}");
        }
        for address in [".rates", "g:acme/rates", "acme/.rates"] {
            assert!(Address::of(address).is_some_and(|address| !address.is_local), "{address}");
        }
        for folder in ["/srv/git/rates.git", "file:///srv/git/rates", "../rates", "~/rates/.git", r"C:\src\rates\"] {
            assert_eq!(name(folder), Some(("rates".to_owned(), true)), "{folder}");
        }
    }

    #[test]
    fn an_address_without_a_path_names_no_repository() {
        for address in
            ["", " ", "https://forge.example", "https://forge.example/", "git@forge.example:", "..", "/", "."]
        {
            assert_eq!(name(address), None, "{address}");
        }
    }
}
