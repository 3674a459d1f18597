//! Where the agents on a machine keep their logs: every format says so itself, in [`Home`].
//!
//! What is absent is no loss; what is there and can't be looked into is a gap.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirEntry};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::arrange::Scope;
use super::load::unreadable;
use super::{Found, beside, copies, pieces, walk};
use crate::database::{self, Database};
use crate::formats::kin::KIN;
use crate::formats::{Base, DATABASES, FORMATS, Format, Home, INDEXES, Index, SEALED, native};
use agent_strace_model::{Gap, GapKind};

/// A file that tells nothing of its session that another one beside it does not tell: Kimi's messages and its events.
const TOLD_BESIDE: &[(&str, &str)] = &[("context.jsonl", "wire.jsonl")];

/// Folders below an agent's own.
const MAX_DEPTH: usize = 16;
/// The longest list of projects.
const MAX_INDEX: u64 = 4 << 20;

/// What is to be known of a machine: handed in, so that nothing here asks the process.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    /// The values of [`variables`] that are set.
    pub variables: BTreeMap<&'static str, PathBuf>,
    /// Agents that keep logs in the project keep them here.
    pub project: PathBuf,
}

/// Which logs of a machine are looked for.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Agents or formats by name; empty: all.
    pub agents: Vec<String>,
    /// A file that was not changed since holds nothing newer.
    pub since: Option<jiff::Timestamp>,
}

impl Wanted {
    fn has(&self, Place { format, agent, .. }: &Place) -> bool {
        let names = |name: &String| name == agent || name == format.dialect.name;
        // A store holds sessions of any agent.
        let any = std::ptr::eq(*format, &raw const native::FORMAT);
        self.agents.is_empty() || any || self.agents.iter().any(names)
    }

    fn has_agent(&self, agent: &str) -> bool {
        self.agents.is_empty() || self.agents.iter().any(|name| name == agent)
    }

    /// A database is wanted by the name of its agent, or by that of a format of it.
    fn has_database(&self, database: &Database) -> bool {
        let is_format =
            |format: &&Format, name: &str| format.dialect.agent == database.agent && format.dialect.name == name;
        let names = |name: &String| name == database.agent || FORMATS.iter().any(|format| is_format(format, name));
        self.agents.is_empty() || self.agents.iter().any(names)
    }
}

/// A home, and whose it is.
struct Place {
    home: &'static Home,
    agent: &'static str,
    format: &'static Format,
}

/// The homes of all agents.
fn places() -> impl Iterator<Item = Place> {
    let of = |homes: &'static [Home], agent, format| homes.iter().map(move |home| Place { home, agent, format });
    let kin = KIN.iter().flat_map(move |kin| of(kin.homes, kin.agent, kin.format));
    FORMATS.iter().flat_map(move |format| of(format.homes, format.dialect.agent, *format)).chain(kin)
}

/// Environment variables that say where logs are.
pub fn variables() -> BTreeSet<&'static str> {
    let common = ["HOME", "USERPROFILE", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA"];
    let of_databases = DATABASES.iter().flat_map(|database| database.homes);
    let of_indexes = INDEXES.iter().map(|index| &index.home);
    let homes = places().map(|place| place.home).chain(of_databases).chain(of_indexes);
    common.into_iter().chain(homes.flat_map(|home| home.variables).copied()).collect()
}

/// The agents whose logs are known, and the formats of those that have several.
pub fn agents() -> BTreeSet<&'static str> {
    let own = FORMATS.iter().flat_map(|format| [format.dialect.agent, format.dialect.name]);
    own.chain(KIN.iter().map(|kin| kin.agent)).chain(SEALED.iter().map(|sealed| sealed.agent)).collect()
}

/// Every log in the places where agents keep them.
pub fn on_machine(machine: &Machine, wanted: &Wanted) -> Found {
    let mut search = Search {
        since: wanted.since,
        project: machine.repository(),
        found: Found::default(),
        seen: BTreeSet::new(),
        copied: BTreeSet::new(),
        numbered: walk::Numbered::default(),
    };
    for database in DATABASES.iter().filter(|database| wanted.has_database(database)) {
        for home in database.homes {
            for folder in machine.folders(home) {
                search.home(&folder, home.logs, Wants { base: home.base, kind: Kind::Database });
            }
        }
    }
    for index in INDEXES.iter().filter(|index| wanted.has_database(index.database)) {
        for folder in machine.folders(&index.home) {
            search.index(&folder.join(index.home.logs), index);
        }
    }
    for sealed in SEALED.iter().filter(|sealed| wanted.has_agent(sealed.agent)) {
        for folder in machine.folders(&sealed.home) {
            let wants = Wants { base: sealed.home.base, kind: Kind::Sealed(sealed.why) };
            search.home(&folder, sealed.home.logs, wants);
        }
    }
    for place in places().filter(|place| wanted.has(place)) {
        for folder in machine.folders(place.home) {
            search.home(&folder, place.home.logs, Wants { base: place.home.base, kind: Kind::Log });
        }
    }
    pieces::join(&mut search.found.sources);
    search.found
}

impl Machine {
    fn value(&self, variable: &str) -> Option<&Path> {
        self.variables.get(variable).map(PathBuf::as_path).filter(|path| !path.as_os_str().is_empty())
    }

    /// The directory of the project, all links resolved. Without such a directory nothing lies in it.
    fn here(&self) -> PathBuf {
        let here = if self.project.as_os_str().is_empty() { Path::new(".") } else { &self.project };
        here.canonicalize().unwrap_or_else(|_| here.to_path_buf())
    }

    /// The top of the repository around the project, or the project itself.
    fn repository(&self) -> PathBuf {
        let here = self.here();
        walk::repository_around(&here).unwrap_or(&here).to_path_buf()
    }

    /// The directories in which agents may keep what belongs to the project: itself, and those up to the top of its
    /// repository.
    fn projects(&self) -> Vec<PathBuf> {
        let (here, top) = (self.here(), self.repository());
        let above = here.ancestors().skip(1).take_while(|folder| folder.starts_with(&top)).map(Path::to_path_buf);
        std::iter::once(self.project.clone()).chain(above).collect()
    }

    /// The folders that may be an agent's.
    pub(crate) fn folders(&self, home: &Home) -> Vec<PathBuf> {
        if let Some(named) = home.variables.iter().find_map(|variable| self.value(variable)) {
            return vec![named.to_path_buf()];
        }
        let user = self.value("HOME").or_else(|| self.value("USERPROFILE"));
        let below_user = |folder: &str| user.map(|user| user.join(folder));
        let value = |variable| self.value(variable).map(Path::to_path_buf);
        let bases = match home.base {
            Base::Home => vec![user.map(Path::to_path_buf)],
            Base::Project => self.projects().into_iter().map(Some).collect(),
            Base::Data => vec![value("XDG_DATA_HOME"), below_user(".local/share")],
            Base::Config => vec![value("XDG_CONFIG_HOME"), below_user(".config")],
        };
        let elsewhere = match home.base {
            Base::Home | Base::Project => Vec::new(),
            Base::Data | Base::Config => {
                vec![below_user("Library/Application Support"), value("APPDATA"), value("LOCALAPPDATA")]
            }
        };
        bases.into_iter().chain(elsewhere).flatten().map(|base| base.join(home.folder)).collect()
    }
}

struct Search {
    since: Option<jiff::Timestamp>,
    /// All links resolved.
    project: PathBuf,
    found: Found,
    /// Files that are in scope already, all links resolved: homes may overlap.
    seen: BTreeSet<PathBuf>,
    /// Folders of agents, and ids of what the databases there hold: files of the folder that are called so are copies, which
    /// lag behind.
    copied: BTreeSet<(PathBuf, String)>,
    /// Parts of logs in the folder that was looked into last.
    numbered: walk::Numbered,
}

/// What a home is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Log,
    /// What lies where an agent keeps its database is read, or a gap.
    Database,
    /// It can't be read: the text says why.
    Sealed(&'static str),
}

/// Where a home lies, and what it is searched for.
#[derive(Debug, Clone, Copy)]
struct Wants {
    base: Base,
    kind: Kind,
}

/// A home that is searched.
#[derive(Debug, Clone, Copy)]
struct Searched<'s> {
    /// All links resolved: nothing may leave it.
    root: &'s Path,
    wants: Wants,
}

impl Search {
    fn home(&mut self, folder: &Path, logs: &str, wants: Wants) {
        let parts: Vec<&str> = logs.split('/').collect();
        match folder.canonicalize() {
            Ok(root) if wants.base == Base::Project && !root.starts_with(&self.project) => {
                self.gap(folder, GapKind::unreadable("a symbolic link that leaves the project: not followed"));
            }
            Ok(root) => self.visit(folder, Searched { root: &root, wants }, &parts, 0),
            Err(error) if is_absent(&error) => {}
            Err(error) => self.gap(folder, unreadable(&error)),
        }
    }

    /// `parts`: the rest of the pattern, for what is in `folder`.
    fn visit(&mut self, folder: &Path, home: Searched<'_>, parts: &[&str], depth: usize) {
        let Some((part, rest)) = parts.split_first() else { return };
        if depth > MAX_DEPTH {
            return self
                .gap(folder, GapKind::limit(format!("nested deeper than {MAX_DEPTH} folders: not looked into")));
        }
        if *part == "**" {
            self.visit(folder, home, rest, depth);
        }
        let entries = match fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<DirEntry>>>) {
            Ok(entries) => entries,
            Err(error) if is_absent(&error) => return,
            Err(error) => return self.gap(folder, unreadable(&error)),
        };
        let mut names: Vec<_> = entries.into_iter().map(|entry| entry.file_name()).collect();
        names.sort();
        let mut files = Vec::new();
        for name in names {
            let path = folder.join(&name);
            let matches = *part == "**" || matches(part, &name.to_string_lossy());
            // A link to a folder is not followed: what it leads to has a name of its own, or is none of the agent's.
            let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
            match (matches, is_folder) {
                (true, true) if *part == "**" => self.visit(&path, home, parts, depth + 1),
                (true, true) if !rest.is_empty() => self.visit(&path, home, rest, depth + 1),
                (true, false) if rest.is_empty() => files.push(path),
                _ => {}
            }
        }
        match home.wants.kind {
            Kind::Log => self.files(files, home),
            Kind::Database => files.iter().for_each(|path| self.database(path, home)),
            Kind::Sealed(why) => {
                files.retain(|path| self.takes(path, home).is_some());
                for path in &files {
                    self.gap(path, GapKind::unreadable(why));
                }
            }
        }
    }

    /// The databases that a file lists of projects in the repository.
    fn index(&mut self, file: &Path, index: &Index) {
        let text = match file.metadata() {
            Err(error) if is_absent(&error) => return,
            Err(error) => Err(error),
            Ok(found) if found.len() > MAX_INDEX => {
                return self.gap(file, GapKind::limit(format!("larger than {} MiB: not read", MAX_INDEX >> 20)));
            }
            Ok(_) => fs::read_to_string(file),
        };
        let text = match text {
            Ok(text) => text,
            Err(error) => return self.gap(file, unreadable(&error)),
        };
        let Some(projects) = (index.projects)(&text) else {
            let why = "the list of projects can't be read: a database of this one may lie elsewhere";
            return self.gap(file, GapKind::malformed(why));
        };
        for (project, folder) in projects {
            let project = Path::new(&project).canonicalize().unwrap_or_else(|_| PathBuf::from(&project));
            if project.starts_with(&self.project) {
                let wants = Wants { base: index.home.base, kind: Kind::Database };
                self.home(&project.join(folder), index.name, wants);
            }
        }
    }

    fn database(&mut self, path: &Path, home: Searched<'_>) {
        let Some(real) = self.takes(path, home) else { return };
        let ids = database::copied(&database::Place::File(&real));
        self.copied.extend(ids.into_iter().map(|id| (home.root.to_path_buf(), id)));
        let found = walk::single(path, Scope::Everything);
        self.found.sources.extend(found.sources);
        self.found.gaps.extend(found.gaps);
    }

    /// Whether a file is called like something that a database in the folder of the agent holds.
    fn is_copy(&self, real: &Path, home: Searched<'_>) -> bool {
        let name = real.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.split_once('.').map_or(&*name, |(stem, _)| stem);
        self.copied.contains(&(home.root.to_path_buf(), stem.strip_prefix("session_").unwrap_or(stem).to_owned()))
    }

    /// Files of one folder. Those that tell of one session are found together.
    fn files(&mut self, mut files: Vec<PathBuf>, home: Searched<'_>) {
        files.retain(|path| self.takes(path, home).is_some());
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // What a link leads to has its files beside it there.
        let is_file = |path: &&PathBuf| path.symlink_metadata().is_ok_and(|found| found.is_file());
        let beside: BTreeSet<String> =
            files.iter().filter(is_file).flat_map(|path| beside::names(&name(path))).collect();
        files.retain(|path| !beside.contains(&name(path)));
        let mut groups: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for path in files {
            let name = name(&path);
            groups.entry(copies::session(&name).map_or(name.clone(), str::to_owned)).or_default().push(path);
        }
        for group in groups.into_values() {
            let found = walk::files(&group, &mut self.numbered);
            self.found.sources.extend(found.sources);
            self.found.gaps.extend(found.gaps);
        }
    }

    /// A file that is new in scope, all links resolved; what can't be looked into is a gap.
    fn takes(&mut self, path: &Path, home: Searched<'_>) -> Option<PathBuf> {
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) => {
                self.gap(path, unreadable(&error));
                return None;
            }
        };
        if !real.starts_with(home.root) {
            self.gap(path, GapKind::unreadable("a symbolic link that leaves the agent's folder: not followed"));
            return None;
        }
        let changed = match home.wants.kind {
            Kind::Log | Kind::Sealed(_) => real.metadata().and_then(|metadata| metadata.modified()).ok(),
            Kind::Database => database::latest_change(&real),
        };
        let changed = changed.and_then(|changed| jiff::Timestamp::try_from(changed).ok());
        let old = self.since.zip(changed).is_some_and(|(since, changed)| changed < since);
        let is_copy = home.wants.kind == Kind::Log && (self.is_copy(&real, home) || is_told_beside(&real));
        (!old && !is_copy && self.seen.insert(real.clone())).then_some(real)
    }

    fn gap(&mut self, path: &Path, kind: GapKind) {
        self.found.gaps.push(Gap::of_file(walk::shown(path), kind));
    }
}

fn is_told_beside(file: &Path) -> bool {
    let is_there = |other: &str| file.with_file_name(other).symlink_metadata().is_ok_and(|found| found.is_file());
    TOLD_BESIDE.iter().any(|(name, other)| file.ends_with(name) && is_there(other))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Whether a name fits a pattern in which `*` is any text. Linear but for the last star, which backs up.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for piece in middle.split('*').filter(|piece| !piece.is_empty()) {
        let Some((_, after)) = left.split_once(piece) else { return false };
        left = after;
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_without_events_is_found_by_its_messages() {
        let world = tempfile::tempdir().unwrap();
        let machine = Machine {
            variables: BTreeMap::from([("HOME", world.path().to_path_buf())]),
            project: world.path().join("project"),
        };
        let put = |name: &str| {
            let path = world.path().join(".kimi/sessions/p").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "{\"role\": \"user\", \"content\": \"x\"}\n").unwrap();
        };
        for name in ["one/context.jsonl", "one/wire.jsonl", "two/context.jsonl"] {
            put(name);
        }
        let found = on_machine(&machine, &Wanted::default());
        let names: Vec<&str> =
            found.sources.iter().filter_map(|source| source.shown.rsplit_once("/p/")).map(|(_, name)| name).collect();
        assert_eq!(names, ["one/wire.jsonl", "two/context.jsonl"]);
    }

    #[test]
    fn names_fit_patterns() {
        for (pattern, name, expected) in [
            ("*.jsonl", "a.jsonl", true),
            ("*.jsonl", "a.json", false),
            ("rollout-*.jsonl", "rollout-1.jsonl", true),
            ("rollout-*.jsonl", "rollout.jsonl", false),
            ("*.json*", "a.jsonl", true),
            ("*", "a", true),
            ("T-*.json", "T-.json", true),
            ("a*b*c", "axbyc", true),
            ("a*b*c", "axcyb", false),
            ("ab*ba", "aba", false),
            ("wire.jsonl", "wire.jsonl", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    /// A home with a log of every format, at the place where its agent keeps it.
    #[test]
    fn every_home_is_looked_into() {
        for Place { home, agent, .. } in places() {
            let world = tempfile::tempdir().unwrap();
            let variables = BTreeMap::from([("HOME", world.path().to_path_buf())]);
            let machine = Machine { variables, project: world.path().join("project") };
            let logs = home.logs.replace("**", "x/y").replace(".json*", ".json").replace('*', "z");
            for folder in machine.folders(home) {
                let path = folder.join(&logs);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                // What is named like no log has to hold one.
                fs::write(&path, r#"{"event_type":"session_start","event_id":"a","timestamp":1}"#).unwrap();
                let found = on_machine(&machine, &Wanted::default());
                let known = found.sources.iter().any(|source| source.shown == walk::shown(&path));
                assert!(known, "{agent} {home:?}: {found:?}");
                fs::remove_file(&path).unwrap();
            }
        }
    }

    #[test]
    fn a_variable_names_the_folder_instead() {
        let world = tempfile::tempdir().unwrap();
        let log = world.path().join("elsewhere/projects/p/s.jsonl");
        fs::create_dir_all(log.parent().unwrap()).unwrap();
        fs::write(&log, "{}").unwrap();
        let home = world.path().to_path_buf();
        let mut machine = Machine { variables: BTreeMap::from([("HOME", home.clone())]), project: home.join("none") };
        assert!(on_machine(&machine, &Wanted::default()).sources.is_empty());
        machine.variables.insert("CLAUDE_CONFIG_DIR", home.join("elsewhere"));
        assert_eq!(on_machine(&machine, &Wanted::default()).sources.len(), 1);
        let codex = Wanted { agents: vec!["codex".to_owned()], since: None };
        assert!(on_machine(&machine, &codex).sources.is_empty());
        let later = Wanted { agents: Vec::new(), since: Some("2999-01-01T00:00:00Z".parse().unwrap()) };
        assert!(on_machine(&machine, &later).sources.is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_a_home_are_gaps_and_an_absent_home_is_none() {
        let world = tempfile::tempdir().unwrap();
        let home = world.path().join("home");
        let projects = home.join(".claude/projects/p");
        fs::create_dir_all(&projects).unwrap();
        fs::write(world.path().join("secret.jsonl"), "{}").unwrap();
        std::os::unix::fs::symlink(world.path().join("secret.jsonl"), projects.join("s.jsonl")).unwrap();
        let machine = Machine { variables: BTreeMap::from([("HOME", home)]), project: PathBuf::new() };
        let found = on_machine(&machine, &Wanted::default());
        assert!(found.sources.is_empty());
        assert_eq!(found.gaps.len(), 1, "{:?}", found.gaps);
    }
}
