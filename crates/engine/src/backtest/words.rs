//! Changes of a policy in words.

use agent_strace_policy::{Decision, EntryView};

use super::change::Kind;

/// Entries that a sentence names.
const NAMED: usize = 5;

/// `/files/read/allow` as people say it: `files.read.allow`.
pub(super) fn dotted(pointer: &str) -> String {
    let parts = pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~"));
    parts.collect::<Vec<_>>().join(".")
}

/// For whom, where a part is about some agents only.
fn whose(pointer: &str) -> String {
    let selector = pointer.strip_prefix("/agents/").and_then(|rest| rest.split('/').next());
    selector.map(|selector| format!("for `{}` ", selector.replace("~1", "/").replace("~0", "~"))).unwrap_or_default()
}

/// What an agent does with what the entry names.
fn act(entry: &EntryView) -> String {
    let text = &entry.text;
    match entry.subject.name() {
        "read" => format!("read `{text}`"),
        "write" => format!("write `{text}`"),
        "delete" => format!("delete `{text}`"),
        "command" if entry.even_if_changed => format!("run `{text}`, also where the session changed what that runs"),
        "command" => format!("run `{text}`"),
        "network" => format!("connect to `{text}`"),
        "env" => format!("set `{text}` for a program"),
        _ => format!("use `{text}`"),
    }
}

/// The same as a noun: `for reading`.
fn doing(entry: &EntryView) -> &'static str {
    match entry.subject.name() {
        "read" => "for reading",
        "write" => "for writing",
        "delete" => "for deleting",
        "command" => "as a command",
        "network" => "as a host",
        "env" => "as a variable",
        _ => "for use",
    }
}

pub(super) fn added(entry: &EntryView) -> String {
    let whose = whose(&entry.location.pointer);
    match entry.decision {
        Decision::Denied => format!("{whose}agents may no longer {}: it is denied", act(entry)),
        Decision::Asked => format!("{whose}agents need an approval to {}", act(entry)),
        _ => format!("{whose}agents may now {}", act(entry)),
    }
}

pub(super) fn removed(entry: &EntryView) -> String {
    let whose = whose(&entry.location.pointer);
    match entry.decision {
        Decision::Denied => format!("{whose}`{}` is no longer denied {}", entry.text, doing(entry)),
        Decision::Asked => format!("{whose}agents need no approval any more to {}", act(entry)),
        _ => format!("{whose}agents may no longer {}", act(entry)),
    }
}

/// An entry that takes something out of its own list.
pub(super) fn exclusion(kind: Kind, entry: &EntryView) -> String {
    let (whose, what) = (whose(&entry.location.pointer), entry.text.trim_start_matches('!'));
    let list = match (entry.decision, kind) {
        (Decision::Denied, Kind::Added) => "is taken out of what is denied",
        (Decision::Denied, _) => "is no longer taken out of what is denied",
        (Decision::Asked, Kind::Added) => "is taken out of what needs an approval",
        (Decision::Asked, _) => "is no longer taken out of what needs an approval",
        (_, Kind::Added) => "is taken out of what is allowed",
        _ => "is no longer taken out of what is allowed",
    };
    format!("{whose}`{what}` {list} {}", doing(entry))
}

/// What a rule says.
pub(super) fn rule(entry: &EntryView) -> String {
    match entry.decision {
        Decision::Denied => format!("agents may not {}", act(entry)),
        Decision::Asked => format!("agents need an approval to {}", act(entry)),
        _ => format!("agents may {}", act(entry)),
    }
}

/// Nothing changes: another entry says the same.
pub(super) fn still(entry: &EntryView, other: Option<&EntryView>) -> String {
    let (decides, who) = (decides(entry.decision), other.map_or("", |other| other.text.as_str()));
    format!("nothing changes for `{}` {}: `{who}` {decides} it as well", entry.text, doing(entry))
}

/// Nothing changes: a deny is stronger.
pub(super) fn overruled(entry: &EntryView, stronger: &EntryView) -> String {
    format!("nothing changes for `{}` {}: `{}` is denied", entry.text, doing(entry), stronger.text)
}

/// The program may run by another entry. This one also vouches for code that it starts.
pub(super) fn vouches(entry: &EntryView, shorter: &EntryView) -> String {
    let whose = whose(&entry.location.pointer);
    format!(
        "{whose}`{}` also vouches for code that it starts (scripts, builds, packages); `{}` alone does not",
        entry.text, shorter.text
    )
}

pub(super) fn vouches_no_more(entry: &EntryView, shorter: &EntryView) -> String {
    let whose = whose(&entry.location.pointer);
    format!(
        "{whose}`{}` no longer vouches for code that it starts; `{}` only lets the program run",
        entry.text, shorter.text
    )
}

/// A shorter entry still names the command, but only where it is run.
pub(super) fn only_as_command(entry: &EntryView, shorter: &EntryView) -> String {
    let (whose, decides) = (whose(&entry.location.pointer), decides(entry.decision));
    format!(
        "{whose}`{}` {decides} `{}` where it is run, and no longer where another command mentions it",
        shorter.text, entry.text
    )
}

/// A list limits what may be done, and its entries vouch for acts that another list refused.
pub(super) fn limited_and_vouched(scope: &str, listed: &[&str]) -> String {
    format!("{}; acts that could not be resolved, and were refused, may be allowed by it", limited(scope, listed))
}

/// A sensitive file that an allow list names is a warning, and an error where no list names it.
pub(super) fn sensitive(scope: &str, listed: &[&str]) -> String {
    let (whose, what) = (whose(scope), everything(scope));
    format!("{whose}agents may {} sensitive files (`.env`, keys, CI) that the list names: {}", what.only, few(listed))
}

pub(super) fn denied_instead(entry: &EntryView) -> String {
    format!("agents may not {} at all: it is denied where it needed an approval", act(entry))
}

pub(super) fn idle(entry: &EntryView, why: &str) -> String {
    format!("nothing changes for `{}` {}: {why}", entry.text, doing(entry))
}

fn decides(decision: Decision) -> &'static str {
    match decision {
        Decision::Denied => "denies",
        Decision::Asked => "asks about",
        _ => "allows",
    }
}

/// What is not listed is refused from now on.
pub(super) fn limited(scope: &str, listed: &[&str]) -> String {
    let (whose, what) = (whose(scope), everything(scope));
    if listed.is_empty() {
        return format!("{whose}agents may no longer {} at all", what.only);
    }
    format!("{whose}agents may {} only what is listed: {}", what.only, few(listed))
}

/// The first entries of a list.
fn few(listed: &[&str]) -> String {
    let mut shown: Vec<String> = listed.iter().take(NAMED).map(|text| format!("`{text}`")).collect();
    if listed.len() > NAMED {
        shown.push(format!("{} more", listed.len() - NAMED));
    }
    shown.join(", ")
}

/// What is not denied is allowed from now on.
pub(super) fn unlimited(scope: &str) -> String {
    let (whose, what) = (whose(scope), everything(scope));
    format!("{whose}agents may {} {} that is not denied", what.only, what.all)
}

struct Everything {
    only: &'static str,
    all: &'static str,
}

fn everything(scope: &str) -> Everything {
    let last = |wanted: &str| scope.ends_with(wanted);
    let (only, all) = match scope {
        _ if last("/read") => ("read", "every file"),
        _ if last("/write") => ("write", "every file"),
        _ if last("/delete") => ("delete", "every file"),
        _ if last("/commands") => ("run", "every command"),
        _ if last("/network") => ("connect to", "every host"),
        _ if last("/env") => ("set", "every variable"),
        _ => ("use", "everything"),
    };
    Everything { only, all }
}
