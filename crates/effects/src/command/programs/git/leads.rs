//! Resolves a remote: the URLs that the session gave it, or the name under which the owner of the judged repository
//! configured it.

use super::is_location;
use crate::command::argument::Arg;
use crate::command::machine::Machine;
use crate::command::programs::git_triggers::{self, Setting, Settings, diverts};
use crate::command::simple::Io;
use crate::command::write_mode::WriteMode;

/// A key of a remote: it leads where this other remote led before it got its name.
const RENAMED: &str = "renamedfrom";
/// A key of a remote: the judged repository itself is a clone of it.
pub(super) const CLONED: &str = "clonedfrom";
/// The setting for the branch of a proposal, which only the work tree of that branch follows.
pub(super) const PROPOSAL: &str = "branch.proposal.remote";
/// The most settings that are taken from `GIT_CONFIG_COUNT`.
const MOST: usize = 64;

/// Variables that make git read other settings, or connect in another way.
const DIVERTING: &[&str] = &[
    "GIT_DIR",
    "GIT_COMMON_DIR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_PROXY_COMMAND",
    "GIT_EXEC_PATH",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "HOME",
    "XDG_CONFIG_HOME",
];

/// Files, and directories of such files, that say where a host's name leads.
const DIVERTING_FILES: &[&str] =
    &["~/.ssh/config", "/etc/ssh/ssh_config", "/etc/hosts", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"];
const DIVERTING_DIRECTORIES: &[&str] = &["~/.ssh/config.d", "/etc/ssh/ssh_config.d"];

/// The way that data take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Fetch,
    Push,
}

/// The values that the session set for one key of a remote.
#[derive(Debug)]
struct Stated<'s> {
    urls: Vec<&'s Arg>,
    /// These values replace the owner's configuration.
    replaces: bool,
    /// The name under which the owner configured it.
    renamed: Option<&'s str>,
    /// The judged repository was cloned from there.
    is_cloned: bool,
}

impl<'s> Stated<'s> {
    fn new(settings: &'s [Setting], remote: &str, key: &str) -> Self {
        let name = |key: &str| format!("remote.{}.{key}", remote.to_lowercase());
        let (wanted, renamed, cloned) = (name(key), name(RENAMED), name(CLONED));
        let mut stated = Self { urls: Vec::new(), replaces: false, renamed: None, is_cloned: false };
        for (name, value) in settings {
            if *name == renamed {
                stated.renamed = value.literal();
            } else if *name == cloned {
                stated.is_cloned = true;
            } else if *name == wanted && value.literal() == Some("") {
                stated = Self { urls: Vec::new(), replaces: true, renamed: None, is_cloned: false };
            } else if *name == wanted {
                stated.urls.push(value);
            }
        }
        stated
    }
}

impl Machine<'_> {
    /// Goes to the remote that a word names, or to the default one.
    pub(super) fn git_remote_of(&mut self, remote: Option<&Arg>, way: Way, settings: &Settings) {
        match remote {
            Some(word) if is_location(&word.text) => self.git_rewritten(word, way, settings),
            Some(word) => match word.literal() {
                Some(name) => self.git_remote_named(name, way, settings),
                None => self.connect_to(None, Some("git")),
            },
            None => self.git_default_remote(way, settings),
        }
    }

    /// Goes to all remotes.
    pub(super) fn git_all_remotes(&mut self, way: Way, settings: &Settings) {
        for name in made(&settings.made, "remote.", ".url") {
            self.git_remote_named(name, way, settings);
        }
        let host = self.git_owns_remotes(settings).then_some("remote:*");
        self.connect_to(host, host.is_none().then_some("git"));
    }

    fn git_default_remote(&mut self, way: Way, settings: &Settings) {
        let is_default = |name: &str| match name.strip_prefix("branch.") {
            Some(branch) => branch.ends_with(".remote") || way == Way::Push && branch.ends_with(".pushremote"),
            None => way == Way::Push && name == "remote.pushdefault",
        };
        let has_proposal = self.holds_foreign_revision();
        let is_followed = |name: &str| is_default(name) && (has_proposal || name != PROPOSAL);
        let is_set = |(name, value): &&Setting| is_followed(name) && value.literal() != Some("");
        let set: Vec<&Setting> = settings.made.iter().filter(is_set).collect();
        for (_, remote) in &set {
            self.git_remote_of(Some(remote), way, settings);
        }
        if !set.iter().any(|(name, _)| name == "remote.pushdefault") {
            self.git_remote_named("origin", way, settings);
        }
    }

    fn git_remote_named(&mut self, name: &str, way: Way, settings: &Settings) {
        let url = Stated::new(&settings.made, name, "url");
        let push = (way == Way::Push).then(|| Stated::new(&settings.made, name, "pushurl"));
        let stated = push.filter(|push| !push.urls.is_empty()).unwrap_or(url);
        for url in &stated.urls {
            self.git_rewritten(url, way, settings);
        }
        match (stated.renamed, stated.replaces) {
            (Some(before), _) => self.git_owners(before, settings),
            (None, false) => self.git_owners(name, settings),
            (None, true) if stated.urls.is_empty() => self.connect_to(None, Some("git")),
            (None, true) => {}
        }
    }

    /// Goes where the owner of the repository configured it.
    fn git_owners(&mut self, name: &str, settings: &Settings) {
        let plain = |character: char| {
            character.is_ascii_lowercase() || character.is_ascii_digit() || matches!(character, '-' | '_' | '.' | '/')
        };
        let is_name = !name.is_empty() && name.chars().all(plain);
        let is_rewritten = made(&settings.made, "url.", "").next().is_some();
        if is_name && !is_rewritten && self.git_owns_remotes(settings) {
            self.connect_to(Some(&format!("remote:{name}")), None);
        } else {
            self.connect_to(None, Some("git"));
        }
    }

    fn git_owns_remotes(&self, settings: &Settings) -> bool {
        let is_diverted = settings.made.iter().any(|(name, value)| diverts(name, value));
        !settings.is_altered && !is_diverted && self.git_is_judged() && !self.git_is_pointed_elsewhere()
    }

    /// The session wrote a file beside git's settings that decides where connections lead. A script of the repository or its
    /// build may write one, too: an entry that allows the repository's own code covers that. A program without an entry, and
    /// code that the session altered, are findings themselves, or an entry answers for them.
    fn git_is_pointed_elsewhere(&self) -> bool {
        if !self.world.has_written() {
            return false;
        }
        let own = self.git_directory();
        let of_git = ["", "/commondir"].map(|name| own.with(format!("{}{name}", own.text)));
        let in_tree = Arg::exact(format!("{}/.lfsconfig", self.work_tree().trim_end_matches('/')));
        let elsewhere = DIVERTING_FILES.iter().map(|name| Arg::exact(*name));
        let mut files = of_git.into_iter().chain([in_tree]).chain(elsewhere);
        let trees = own.with(format!("{}/worktrees", own.text));
        let mut directories = std::iter::once(trees).chain(DIVERTING_DIRECTORIES.iter().map(|name| Arg::exact(*name)));
        files.any(|file| self.world.is_written(&self.world.locate_word(&file).0))
            || directories.any(|directory| self.world.has_written_below(&self.world.locate_word(&directory).0.path))
    }

    /// Goes to a location after what `url.BASE.insteadOf` makes of it.
    pub(super) fn git_rewritten(&mut self, location: &Arg, way: Way, settings: &Settings) {
        let Some(text) = location.literal() else { return self.git_location(location) };
        let base_of = |ending: &str| {
            let rules = settings.made.iter().filter_map(|(name, start)| {
                let base = name.strip_prefix("url.")?.strip_suffix(ending)?;
                let rest = text.strip_prefix(start.literal().filter(|start| !start.is_empty())?)?;
                Some((rest, base))
            });
            rules.min_by_key(|(rest, _)| rest.len())
        };
        let rule = (way == Way::Push).then(|| base_of(".pushinsteadof")).flatten();
        match rule.or_else(|| base_of(".insteadof")) {
            Some((rest, base)) => self.git_location(&location.with(format!("{base}{rest}"))),
            None => self.git_location(location),
        }
    }
}

/// The session gave the remote its URL, and not by cloning the judged repository.
pub(super) fn is_set_here(settings: &[Setting], remote: &str) -> bool {
    let stated = Stated::new(settings, remote, "url");
    !stated.urls.is_empty() && !stated.is_cloned
}

/// A setting of the session leads connections to another host than the one that a location names. `git@HOST:` for
/// `https://HOST/` is another way to the same host.
pub(super) fn is_led_aside(settings: &[Setting]) -> bool {
    settings.iter().any(|(name, start)| {
        let base = name.strip_prefix("url.").and_then(|rest| rest.strip_suffix(".insteadof"));
        let is_harmless =
            |base| start.literal().is_some_and(|start| start.is_empty() || host_of(start) == host_of(base));
        base.is_some_and(|base| !is_harmless(base))
    })
}

fn host_of(location: &str) -> &str {
    let location = location.split_once("://").map_or(location, |(_, rest)| rest);
    let place = location.split(['/', ':']).next().unwrap_or_default();
    place.rsplit('@').next().unwrap_or_default()
}

/// Takes over what variables of the environment say of git's settings.
pub(super) fn add_variables(settings: &mut Settings, io: &Io<'_>) {
    let is_set = |name: &str| io.scope.content(name).is_some() && io.scope.known(name).as_deref() != Some("");
    let replaced = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"]
        .into_iter()
        .any(|name| is_set(name) && io.scope.known(name).as_deref() != Some("/dev/null"));
    settings.is_altered |= replaced || DIVERTING.iter().any(|name| is_set(name));
    if !is_set("GIT_CONFIG_COUNT") {
        return;
    }
    let count = io.scope.known("GIT_CONFIG_COUNT").and_then(|count| count.parse::<usize>().ok());
    let Some(count) = count.filter(|count| *count <= MOST) else {
        settings.is_altered = true;
        return;
    };
    for index in 0..count {
        let of = |part: &str| io.scope.known(&format!("GIT_CONFIG_{part}_{index}"));
        match of("KEY").zip(of("VALUE")) {
            Some((key, value)) => settings.made.push((key.to_lowercase(), Arg::exact(value))),
            None => settings.is_altered = true,
        }
    }
}

/// Returns the middle parts of the settings whose names start and end like this.
pub(super) fn made<'s>(settings: &'s [Setting], before: &'s str, behind: &'s str) -> impl Iterator<Item = &'s str> {
    settings.iter().filter_map(move |(name, _)| name.strip_prefix(before)?.strip_suffix(behind))
}

/// A remote has a URL that is not known.
pub(super) fn remote_lost(name: &str) -> String {
    format!("\n[remote \"{name}\"]\n\turl =\n\tpushurl =\n")
}

/// From here on the host of each remote is unknown.
pub(super) const REMOTES_LOST: &str = "\n[remotes]\n\tlost = unknown\n";

/// A remote leads where `before` did.
pub(super) fn remote_renamed(before: &str, after: &str, settings: &[Setting]) -> String {
    let mut text = remote_lost(after);
    let mut add = |key: &str, value: &str| {
        let setting = git_triggers::written(&format!("remote.{after}.{key}"), value, WriteMode::Append);
        text.push_str(&setting.unwrap_or_default());
    };
    for key in ["url", "pushurl"] {
        let stated = Stated::new(settings, before, key);
        stated.urls.iter().filter_map(|url| url.literal()).for_each(|url| add(key, url));
        if key == "url" && !stated.replaces {
            add(RENAMED, stated.renamed.unwrap_or(before));
        }
    }
    text + &remote_lost(before)
}
