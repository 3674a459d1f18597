//! What a git command runs besides itself: settings and hooks that this session put in place.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::command::argument::Arg;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::write_mode::WriteMode;
use crate::world::AliasKind;
use crate::{About, Reason};

/// A setting by its full name in lower case.
pub(super) type Setting = (String, Arg);

/// The settings that a git command uses, as far as the session made them.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// In order of increasing weight.
    pub(super) made: Vec<Setting>,
    /// The session changed others in a way that is not known, or made git read those of another repository: nothing is left of
    /// what the owner of the repository configured.
    pub(super) is_altered: bool,
}

impl Settings {
    /// Adds settings of more weight.
    pub(super) fn then(mut self, mut more: Self) -> Self {
        self.made.append(&mut more.made);
        Self { is_altered: self.is_altered || more.is_altered, ..self }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(rename = "about")]
    _about: String,
    groups: BTreeMap<String, String>,
    settings: Vec<Row>,
    /// Names that change what runs without being run themselves.
    steers: String,
    /// Names that send connections elsewhere than the URL of a remote says.
    diverts: String,
    /// Names whose value is a file that git reads.
    reads: String,
    /// The same for files that it writes.
    writes: String,
    hooks: BTreeMap<String, String>,
    #[serde(rename = "skipped by --no-verify")]
    skippable: String,
    #[serde(rename = "hook directories")]
    directories: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    names: String,
    on: String,
}

/// A test loads the data; were it broken, no setting would be known to run anything, and that test would fail.
fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| load().unwrap_or_default())
}

fn load() -> Result<Table, serde_json::Error> {
    serde_json::from_str(include_str!("git_triggers.json"))
}

fn listed(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|one| match one.split_once('*') {
        Some((before, after)) => {
            name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
        }
        None => one == name,
    })
}

/// A setting whose value is a file that git reads.
pub(super) fn names_input(name: &str) -> bool {
    listed(&table().reads, name)
}

/// A setting whose value is a file that git writes.
pub(super) fn names_output(name: &str) -> bool {
    listed(&table().writes, name)
}

/// A setting whose value is a command, a program, or decides which one runs.
pub(super) fn runs(name: &str) -> bool {
    table().settings.iter().any(|row| listed(&row.names, name)) || listed(&table().steers, name)
}

fn triggers(name: &str, sub: &str) -> bool {
    table().settings.iter().filter(|row| listed(&row.names, name)).any(|row| match row.on.strip_prefix('@') {
        Some(group) => table().groups.get(group).is_some_and(|subs| listed(subs, sub)),
        None => listed(&row.on, sub),
    })
}

/// The setting sends connections elsewhere than the URL of a remote says.
pub(super) fn diverts(name: &str, value: &Arg) -> bool {
    listed(&table().diverts, name) && !value.literal().is_some_and(|text| is_idle(name, text))
}

/// Values that people set and that run nothing of their own.
pub(super) fn is_idle(name: &str, value: &str) -> bool {
    // Git runs `ssh` itself to connect. As a pager or a monitor it is a program like any other.
    const CONNECTS: &[&str] = &["core.sshcommand", "gpg.format"];
    let harmless = [
        "",
        "cat",
        "less",
        "more",
        "true",
        "false",
        "0",
        "1",
        ":",
        "less -FRX",
        "less -R",
        "delta",
        "vim",
        "nano",
        "vi",
        "emacs",
        "code --wait",
        "store",
        "cache",
        "osxkeychain",
        "manager",
        "manager-core",
        "wincred",
        "libsecret",
        "git-lfs clean -- %f",
        "git-lfs smudge -- %f",
        "git-lfs filter-process",
        "gpg",
        "gpg2",
        "ssh",
        "rebase",
        "merge",
        "checkout",
    ];
    harmless.contains(&value) && (value != "ssh" || CONNECTS.contains(&name))
}

impl Machine<'_> {
    /// The top of the work tree that git works in; empty where that is not known.
    pub(super) fn work_tree(&self) -> &str {
        match (self.world.root(), self.world.cwd()) {
            (Some(root), Some(cwd)) if !is_within(root, cwd) => cwd,
            (Some(root), _) => root,
            (None, _) => "",
        }
    }

    /// The repository's own directory as a word: that of the repository itself, in a work tree that the session added.
    pub(super) fn git_directory(&self) -> Arg {
        if let Some(top) = self.git_made_here() {
            return Arg::exact(format!("{}/.git", top.trim_end_matches('/')));
        }
        let cwd = self.world.cwd();
        match (self.world.root(), cwd) {
            (Some(root), Some(cwd)) if !is_within(root, cwd) => match self.world.checkout_of(cwd) {
                // All work trees of a repository have one configuration.
                Some(top) => Arg::exact(format!("{}/.git", top.trim_end_matches('/'))),
                None => Arg::exact(format!("{cwd}/.git")),
            },
            (Some(root), _) => Arg::exact(format!("{}/.git", root.trim_end_matches('/'))),
            (None, _) => Arg::exact(".git"),
        }
    }

    /// The top of a repository that the session cloned or made, if git runs in one.
    fn git_made_here(&self) -> Option<String> {
        let cwd = self.world.cwd().filter(|_| self.world.has_written())?;
        let root = self.world.root().unwrap_or(".");
        let top = root.trim_end_matches('/');
        let mut directory = cwd.trim_end_matches('/');
        while directory != top && !directory.is_empty() && directory != "." {
            let made =
                |name: &str| self.world.has_entry(&self.world.locate_from(root, &format!("{directory}/{name}")).0);
            if made(".git") || made(".git/config") {
                return Some(directory.to_owned());
            }
            directory = directory.rsplit_once('/').map_or("", |(above, _)| above);
        }
        None
    }

    /// Git runs in the judged repository, or in one of its work trees.
    pub(super) fn git_is_judged(&self) -> bool {
        let Some(cwd) = self.world.cwd() else { return false };
        let is_own = match self.world.root() {
            Some(root) => is_within(root, cwd) || self.world.checkout_of(cwd).is_some(),
            None => !cwd.starts_with(['/', '~']) && !cwd.starts_with("..") && cwd.as_bytes().get(1) != Some(&b':'),
        };
        is_own && self.git_made_here().is_none()
    }

    /// Settings that this session made.
    pub(super) fn git_settings(&mut self) -> Settings {
        let mut settings = Settings::default();
        if !self.world.has_written() {
            return settings;
        }
        let own = self.git_directory();
        let files = [
            Arg::exact("/etc/gitconfig"),
            Arg::exact("~/.config/git/config"),
            Arg::exact("~/.gitconfig"),
            own.with(format!("{}/config", own.text)),
            own.with(format!("{}/config.worktree", own.text)),
        ];
        for file in files {
            self.git_file(&file, &mut settings, 0);
        }
        settings
    }

    fn git_file(&mut self, file: &Arg, settings: &mut Settings, depth: usize) {
        let (target, _) = self.world.locate_word(file);
        let texts: Vec<String> = match self.world.written(&target) {
            None => return,
            Some(Some(whole)) => vec![whole.to_owned()],
            Some(None) => self.world.parts(&target).to_vec(),
        };
        if texts.is_empty() {
            settings.is_altered = true;
            self.opaque(About::Anything, Reason::GitSettingsChanged, &[]);
        }
        for text in texts {
            for (name, value) in parsed(&text) {
                if let Some(key) = name.strip_prefix('.') {
                    // The section stands in the part of the file that nobody knows.
                    settings.is_altered = true;
                    self.opaque(About::Anything, Reason::UnknownGitSetting, &[]);
                    settings.made.extend(full_names(key).map(|name| (name, Arg::exact(value.as_str()))));
                } else if listed("include.path includeif.*", &name) {
                    self.git_included(file, value, settings, depth);
                } else {
                    settings.made.push((name, Arg::exact(value)));
                }
            }
        }
    }

    /// A configuration file includes another one.
    fn git_included(&mut self, file: &Arg, path: String, settings: &mut Settings, depth: usize) {
        let holder = file.text.rsplit_once('/').map_or("", |(holder, _)| holder);
        let free = path.starts_with(['/', '~']);
        let included = Arg::exact(if free { path } else { format!("{holder}/{path}") });
        let (target, _) = self.world.locate_word(&included);
        // A text that the session did not write may say anything.
        settings.is_altered |= depth > 0 || self.world.written(&target).flatten().is_none();
        if depth == 0 {
            self.git_file(&included, settings, 1);
        }
    }

    /// What `git sub` runs by itself.
    pub(super) fn git_triggers(&mut self, sub: &str, words: &[Arg], settings: &[Setting], io: &mut Io<'_>) {
        let mut names: Vec<&str> = settings.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names.into_iter().filter(|name| triggers(name, sub)) {
            for value in effective(settings, name) {
                self.git_triggered(name, value, io);
            }
        }
        self.git_hooks(sub, words, settings, io);
    }

    fn git_triggered(&mut self, name: &str, value: &Arg, io: &mut Io<'_>) {
        if value.literal().is_some_and(|text| is_idle(name, text)) {
            return;
        }
        let text = value.literal().map(|text| text.trim_start_matches('!').to_owned());
        self.through(
            || format!("setting {name}"),
            |machine| match text {
                Some(text) => {
                    machine.command_text(&Arg::exact(text), io);
                }
                None => machine.opaque(About::Anything, Reason::UnknownGitSetting, &[]),
            },
        );
    }

    fn git_hooks(&mut self, sub: &str, words: &[Arg], settings: &[Setting], io: &mut Io<'_>) {
        if settings.is_empty() && !self.world.has_written() && !self.world.has_aliases() {
            return;
        }
        let of = |key: &str| table().hooks.get(key).map_or("", String::as_str).split_whitespace();
        let skips =
            words.iter().any(|word| word.text == "--no-verify" || word.text == "-n" && matches!(sub, "commit" | "am"));
        let named = words.iter().skip_while(|word| word.text != "run").nth(1).filter(|_| sub == "hook");
        let hooks = of(sub).filter(|hook| !skips || !listed(&table().skippable, hook)).chain(of("*"));
        let hooks: Vec<&str> = hooks.chain(named.map(|word| word.text.as_str())).collect();
        let own = self.git_directory();
        let top = self.work_tree().trim_end_matches('/').to_owned();
        let set = effective(settings, "core.hookspath").pop().cloned();
        let mut directories: Vec<String> = table().directories.split(' ').map(|name| format!("{top}/{name}")).collect();
        match set.as_ref().map(Arg::literal) {
            Some(Some(path)) if path.starts_with(['/', '~']) => directories.push(path.to_owned()),
            Some(Some(path)) => directories.push(format!("{top}/{path}")),
            Some(None) => self.opaque(About::Anything, Reason::UnknownHooksDirectory, &[]),
            None => directories.push(format!("{}/hooks", own.text)),
        }
        let mut found = false;
        for directory in &directories {
            for hook in &hooks {
                found |= self.git_hook(&Arg::exact(format!("{directory}/{hook}")), io);
            }
        }
        if set.is_some() && !found && !of(sub).all(|hook| skips && listed(&table().skippable, hook)) {
            self.opaque(About::Anything, Reason::HooksDirectoryChanged, &[]);
        }
    }

    fn git_hook(&mut self, file: &Arg, io: &mut Io<'_>) -> bool {
        let (target, certainty) = self.world.locate_word(file);
        // A work tree of the repository is no link: its hooks are those of the repository.
        let names = self.world.originals(&target.path, certainty);
        let linked = names.iter().any(|name| name.alias_kind != AliasKind::Checkout);
        if !self.world.is_written(&target) && !linked {
            return false;
        }
        let shown = Arg { text: target.path, ..file.clone() };
        self.run_file(&shown, None, &[], &[], io);
        true
    }
}

/// `directory` is `root`, or lies below it.
fn is_within(root: &str, directory: &str) -> bool {
    let below = directory.strip_prefix(root.trim_end_matches('/'));
    below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Settings that run a command and end in `key`.
fn full_names(key: &str) -> impl Iterator<Item = String> {
    let rows = table().settings.iter().flat_map(|row| row.names.split_whitespace());
    rows.filter(move |name| name.rsplit('.').next() == Some(key)).map(|name| name.replace('*', "part"))
}

/// The values that count: the last one, or all of a setting that adds up. An empty value takes back what was before.
fn effective<'s>(settings: &'s [Setting], name: &str) -> Vec<&'s Arg> {
    let all: Vec<&Arg> = settings.iter().filter(|(own, _)| own == name).map(|(_, value)| value).collect();
    let from = all.iter().rposition(|value| value.literal() == Some("")).map_or(0, |at| at + 1);
    let valid = all.get(from..).unwrap_or_default();
    let adds_up = name.starts_with("credential.");
    if adds_up { valid.to_vec() } else { valid.last().copied().into_iter().collect() }
}

/// Names in lower case (subsections keep their dots) and values of a configuration file.
/// A key outside of any section comes back with a leading dot.
fn parsed(text: &str) -> Vec<(String, String)> {
    let mut section = String::new();
    let mut found = Vec::new();
    let joined = text.replace("\\\r\n", "").replace("\\\n", "");
    for line in joined.lines() {
        let mut line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            let Some((name, rest)) = header.split_once(']') else { continue };
            section = match name.split_once('"') {
                Some((name, sub)) => format!("{}.{}", name.trim(), sub.trim_end_matches('"')),
                None => name.trim().to_owned(),
            };
            line = rest.trim();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, "true"));
        found.push((format!("{section}.{}", key.trim()).to_lowercase(), value_of(value)));
    }
    found
}

/// Without comment, quotes and escapes.
fn value_of(written: &str) -> String {
    let mut value = String::new();
    let mut quoted = false;
    let mut characters = written.trim().chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => quoted = !quoted,
            '\\' => match characters.next() {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some(other) => value.push(other),
                None => {}
            },
            '#' | ';' if !quoted => break,
            other => value.push(other),
        }
    }
    value.trim_end().to_owned()
}

/// A setting as a configuration file has it. An empty value before it takes back the ones it replaces.
pub(super) fn written(name: &str, value: &str, mode: WriteMode) -> Option<String> {
    let (section, key) = name.rsplit_once('.')?;
    let header = match section.split_once('.') {
        Some((section, sub)) => format!("[{section} \"{sub}\"]"),
        None => format!("[{section}]"),
    };
    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let reset = match mode {
        WriteMode::Replace => format!("\t{key} =\n"),
        WriteMode::Append => String::new(),
    };
    Some(format!("\n{header}\n{reset}\t{key} = \"{value}\"\n"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_loads() {
        assert!(!super::load().unwrap().settings.is_empty());
        assert!(super::runs("filter.a.b.clean") && super::triggers("filter.a.b.clean", "add"));
        assert!(!super::runs("user.name"));
    }

    #[test]
    fn settings_are_read_as_git_does() {
        let text = "[a \"B.c\"] d = \"x # \\\"y\" # note\n[e]\n\tF\n; none\n\tg = 1 ; none\nh = a\\\n b\n";
        let expected = [("a.b.c.d", "x # \"y"), ("e.f", "true"), ("e.g", "1"), ("e.h", "a b")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(super::parsed(text), expected);
        let written =
            super::written("alias.x", "!a \"b\" # c", crate::command::write_mode::WriteMode::Replace).unwrap();
        assert_eq!(super::parsed(&written).last().unwrap(), &("alias.x".to_owned(), "!a \"b\" # c".to_owned()));
    }
}
