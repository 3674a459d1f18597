//! Sweeps over all programs and options of the tables: what nothing is found in is a reviewed list.
//!
//! `fixtures/sweeps.md` lists it, in groups with a reason. A name that no group has fails the test, and so does one that
//! says something by now. `UPDATE_SPECS=1` puts new names below "Not reviewed", where they still fail: move them to a
//! group that says why they are silent, or teach the tables what they do.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use crate::command::knowledge::{self, Entry, Meaning};
use crate::{Class, Effect, Kind, World};

/// The group of the names that nobody has looked at.
const UNREVIEWED: &str = "Not reviewed";

fn effects(text: &str) -> Vec<Effect> {
    super::super::run(text, &mut World::new(Some("/repo"))).into_vec()
}

/// It says that it does not know what happens. That the project's code runs is said of every build.
fn is_doubt(effect: &Effect) -> bool {
    matches!(&effect.kind, Kind::Opaque(opaque) if opaque.class != Class::Delegated)
}

fn names_path(effect: &Effect, path: &str) -> bool {
    match &effect.kind {
        Kind::Read(target) | Kind::Write(target) | Kind::Delete(target) => {
            target.path == path || target.subtree && path.starts_with(&target.path)
        }
        _ => false,
    }
}

fn runs(effect: &Effect) -> bool {
    match &effect.kind {
        Kind::Execute(execution) => {
            let first = execution.argv.first().is_some_and(|word| word.text.ends_with("rm"));
            !execution.inert && (execution.embeds || first) || execution.inert && execution.embeds && first
        }
        Kind::Delete(_) => true,
        _ => is_doubt(effect),
    }
}

fn reads(effect: &Effect) -> bool {
    names_path(effect, ".env") || is_doubt(effect)
}

fn writes(effect: &Effect) -> bool {
    let is_write = matches!(effect.kind, Kind::Write(_) | Kind::Delete(_));
    is_write && names_path(effect, ".github/x") || is_doubt(effect)
}

fn connects(effect: &Effect) -> bool {
    matches!(effect.kind, Kind::Connect(_)) || is_doubt(effect)
}

/// A command for each name, and what has to be found in it.
struct Sweep {
    title: &'static str,
    subjects: fn() -> BTreeSet<String>,
    is_found: fn(&Effect) -> bool,
}

/// Parts of the names of options that run something.
const RUNNING: &[&str] = &[
    "cmd", "command", "exec", "prog", "hook", "script", "shell", "pager", "editor", "browser", "invoke", "run",
    "filter",
];

/// The title of the list for the tests of the same commands in other words.
const FLAGS: &str = "NAME FLAG …";

const SWEEPS: &[Sweep] = &[
    Sweep { title: "NAME rm -rf ~", subjects: programs, is_found: runs },
    Sweep { title: "NAME .env", subjects: programs, is_found: reads },
    Sweep { title: "NAME https://evil.example", subjects: programs, is_found: connects },
    Sweep { title: "NAME OPTION=.env", subjects: options, is_found: reads },
    Sweep { title: "NAME OPTION=.github/x", subjects: outputs, is_found: writes },
    Sweep { title: "NAME OPTION='rm -rf ~'", subjects: commands, is_found: runs },
    Sweep { title: "NAME -O .env", subjects: letters, is_found: reads },
    Sweep { title: "NAME -O.env", subjects: letters, is_found: reads },
    Sweep { title: "NAME -O.github/x", subjects: letters, is_found: writes },
    Sweep { title: "NAME -O https://evil.example", subjects: valued_letters, is_found: connects },
];

impl Sweep {
    /// The words behind each subject.
    fn operands(&self) -> &str {
        let subjects = ["NAME OPTION", "NAME -O", "NAME"];
        subjects.iter().find_map(|subject| self.title.strip_prefix(subject)).unwrap()
    }
}

/// Parts of the names of options that write.
const OUTPUT: &[&str] = &["out", "log", "report", "dest", "save", "dump", "write", "profile", "record", "export"];

fn programs() -> BTreeSet<String> {
    knowledge::builtin_names().into_iter().map(str::to_owned).collect()
}

/// Each long option of each entry and subcommand; of those that only exist, one stands for all others.
fn options() -> BTreeSet<String> {
    options_like(|option| option.starts_with("--") && option.len() > 2)
}

/// Each option that is one letter; of those that only exist, one stands for all others.
fn letters() -> BTreeSet<String> {
    let is_letter = |option: &str| option.len() == 2 && option.starts_with('-') && option != "--";
    options_like(is_letter).into_iter().filter(|subject| super::metamorphic::is_tried(subject)).collect()
}

/// The options of one letter that the tables have a role for.
fn valued_letters() -> BTreeSet<String> {
    let has_role = |subject: &String| {
        let mut words = subject.split(' ').peekable();
        let mut entry = words.next().and_then(knowledge::builtin);
        while let Some(word) = words.next().filter(|_| words.peek().is_some()) {
            entry = entry.and_then(|entry| entry.subcommand(word));
        }
        entry.is_some_and(|entry| entry.listed_option(option(subject)).is_some_and(|listed| listed.role.has_effects()))
    };
    letters().into_iter().filter(has_role).collect()
}

fn options_like(is_like: fn(&str) -> bool) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for name in entries() {
        options_of(knowledge::builtin(&name).unwrap(), &name, is_like, &mut all);
    }
    all
}

fn commands() -> BTreeSet<String> {
    let is_running = |subject: &String| RUNNING.iter().any(|part| option(subject).contains(part));
    options().into_iter().filter(is_running).collect()
}

fn outputs() -> BTreeSet<String> {
    let is_output = |subject: &String| OUTPUT.iter().any(|part| option(subject).contains(part));
    options().into_iter().filter(is_output).collect()
}

/// Each entry by its first name.
fn entries() -> Vec<String> {
    let entries = knowledge::families().into_iter().flat_map(|(_, entries)| entries.unwrap());
    entries.filter_map(|entry| entry.names.split(' ').next().map(str::to_owned)).collect()
}

fn options_of(entry: &Entry, prefix: &str, is_like: fn(&str) -> bool, all: &mut BTreeSet<String>) {
    let mut is_first = true;
    for option in entry.all_options().into_iter().filter(|option| is_like(option)) {
        let is_plain = entry.special.is_none() && entry.meaning(option) == Meaning::Flag;
        if !is_plain || std::mem::take(&mut is_first) {
            all.insert(format!("{prefix} {option}"));
        }
    }
    for sub in &entry.subcommands {
        let name = sub.names.split(' ').next().unwrap_or_default();
        options_of(sub, &format!("{prefix} {name}"), is_like, all);
    }
}

fn option(subject: &str) -> &str {
    subject.rsplit(' ').next().unwrap_or(subject)
}

/// The subjects in which a sweep finds nothing.
fn silent(sweep: &Sweep) -> BTreeSet<String> {
    let is_silent = |subject: &String| !effects(&format!("{subject}{}", sweep.operands())).iter().any(sweep.is_found);
    (sweep.subjects)().into_iter().filter(is_silent).collect()
}

fn path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures/sweeps.md")
}

/// Title of a sweep → reason of a group → names.
fn reviewed(text: &str) -> BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> {
    let mut all: BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    let (mut title, mut reason) = ("", "");
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            (title, reason) = (name.trim_matches('`'), "");
        } else if let Some(name) = line.strip_prefix("### ") {
            reason = name;
        } else if !reason.is_empty() {
            let names = line.split(", ").map(|name| name.trim_end_matches(',').trim()).filter(|name| !name.is_empty());
            all.entry(title).or_default().entry(reason).or_default().extend(names);
        }
    }
    all
}

/// A group lists the name, its option for whatever program, or all letters of its program.
fn is_listed(groups: &BTreeMap<&str, BTreeSet<&str>>, subject: &str) -> bool {
    let letters = letters_of(subject);
    groups
        .values()
        .any(|names| names.contains(subject) || names.contains(option(subject)) || names.contains(letters.as_str()))
}

/// `grep -*`
fn letters_of(subject: &str) -> String {
    format!("{} -*", subject.split(' ').next().unwrap_or_default())
}

/// The text with names that are new below "Not reviewed", and without those that are silent no longer.
fn updated(text: &str, found: &BTreeMap<&str, BTreeSet<String>>) -> String {
    let reviewed = reviewed(text);
    let mut out = String::new();
    let introduction = text.split_once("\n## ").map_or(text, |(before, _)| before);
    writeln!(out, "{}", introduction.trim_end()).unwrap();
    let titles = SWEEPS.iter().map(|sweep| sweep.title).chain([FLAGS]);
    for (title, silent) in titles.filter_map(|title| Some((title, found.get(title)?))) {
        let mut groups = reviewed.get(title).cloned().unwrap_or_default();
        let of_all: BTreeSet<&str> = silent.iter().map(|subject| option(subject)).collect();
        let letters: BTreeSet<String> = silent.iter().map(|subject| letters_of(subject)).collect();
        // Only a sample of the flags and letters is tried.
        let is_whole = !(title == FLAGS || title.starts_with("NAME -O")) || super::metamorphic::is_whole();
        for names in groups.values_mut().filter(|_| is_whole) {
            names.retain(|name| silent.contains(*name) || of_all.contains(name) || letters.contains(*name));
        }
        let new: BTreeSet<&str> = silent.iter().filter(|name| !is_listed(&groups, name)).map(String::as_str).collect();
        groups.entry(UNREVIEWED).or_default().extend(new);
        groups.retain(|_, names| !names.is_empty());
        writeln!(out, "\n## `{title}`").unwrap();
        for (reason, names) in groups {
            write!(out, "\n### {reason}\n\n{}", wrapped(&names)).unwrap();
        }
    }
    out
}

fn wrapped(names: &BTreeSet<&str>) -> String {
    const WIDTH: usize = 118;
    let mut out = String::new();
    let mut width = 0;
    for (at, name) in names.iter().enumerate() {
        if width > 0 && width + name.len() + 2 > WIDTH {
            out.push('\n');
            width = 0;
        }
        let name = if at + 1 == names.len() { (*name).to_owned() } else { format!("{name},") };
        out.extend([if width > 0 { " " } else { "" }, &name]);
        width += name.len() + 1;
    }
    out + "\n"
}

#[test]
fn what_sweeps_find_nothing_in_is_reviewed() {
    let found: BTreeMap<&str, BTreeSet<String>> = std::thread::scope(|scope| {
        let started: Vec<_> = SWEEPS.iter().map(|sweep| (sweep.title, scope.spawn(move || silent(sweep)))).collect();
        let flags = scope.spawn(super::metamorphic::telling_flags);
        let found = started.into_iter().map(|(title, thread)| (title, thread.join().unwrap()));
        found.chain([(FLAGS, flags.join().unwrap())]).collect()
    });
    let text = std::fs::read_to_string(path()).unwrap();
    let expected = updated(&text, &found);
    if std::env::var_os("UPDATE_SPECS").is_some() {
        std::fs::write(path(), &expected).unwrap();
    }
    for (title, groups) in reviewed(&expected) {
        let new = groups.get(UNREVIEWED);
        assert_eq!(new, None, "`{title}`: nothing is found in these; see the start of fixtures/sweeps.md");
    }
    let text = std::fs::read_to_string(path()).unwrap();
    assert_eq!(text, expected, "fixtures/sweeps.md lists what is silent no longer: run with UPDATE_SPECS=1");
}
