//! One file of a repository, looked at from all sides.

use std::borrow::Cow;

use regex::Regex;

use super::approval::Whereabouts;
use super::contents::{self, Reference};
use super::document::{Document, Language, line_at, members};
use super::endpoints::{self, Kind};
use super::hit::{Location, Origin, RepositoryHit};
use super::mcp;
use super::private;
use super::repository::{Declared, Located};
use super::settings;
use super::tables::{Pattern, SignalId, Tables};
use super::traces::{Trace, Traces};
use agent_strace_model::finding::Level;
use agent_strace_model::{Gap, GapKind};
use agent_strace_policy::json::{Data, Value};
use agent_strace_rules::lint;
use agent_strace_rules::repository::PERMISSION_BYPASS;

/// What is looked for in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Looks {
    /// Packages, extensions, actions, commands.
    names: bool,
    /// Keys of settings that are traces of tools.
    keys: bool,
    ignored: bool,
    servers: bool,
    settings: bool,
    instructions: bool,
    pub(super) endpoints: Option<Kind>,
}

impl Looks {
    pub(super) fn of(tables: &Tables, path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        Self {
            names: contents::is_read(path),
            keys: tables.setting_files.matches(path),
            ignored: IGNORE_FILES.contains(&name),
            servers: mcp::is_config(path),
            settings: settings::is_settings(path),
            instructions: settings::is_instructions(path),
            endpoints: Kind::of(path),
        }
    }

    /// It tells of tools, and not only of hosts as any source may.
    pub(super) fn is_special(self) -> bool {
        self.names
            || self.keys
            || self.ignored
            || self.servers
            || self.settings
            || self.instructions
            || self.endpoints.is_some_and(|kind| kind != Kind::Source)
    }

    /// What was once in a file is looked through for keys and hosts, and for nothing else.
    pub(super) fn of_the_past(self) -> Self {
        let nothing = Self {
            names: false,
            keys: false,
            ignored: false,
            servers: false,
            settings: false,
            instructions: false,
            endpoints: None,
        };
        Self { endpoints: self.endpoints, ..nothing }
    }

    pub(super) fn is_none(self) -> bool {
        !self.is_special() && self.endpoints.is_none()
    }
}

const IGNORE_FILES: &[&str] = &[
    ".gitignore",
    ".dockerignore",
    ".npmignore",
    ".prettierignore",
    ".eslintignore",
    ".gitattributes",
    ".ignore",
    ".vercelignore",
];

/// Whether a file of the history is worth reading: what may hold keys, or configure an agent.
pub(super) fn is_worth_reading(path: &str) -> bool {
    matches!(Kind::of(path), Some(Kind::Env | Kind::Ci | Kind::Settings))
}

/// What files give away, collected.
#[derive(Debug)]
pub(super) struct Findings<'r, 'a> {
    pub(super) tables: &'static Tables,
    pub(super) traces: &'r mut Traces<'a>,
    pub(super) servers: Vec<Declared>,
    pub(super) endpoints: Vec<Located>,
    pub(super) hits: Vec<RepositoryHit>,
    pub(super) gaps: Vec<Gap>,
    /// Files that others name for their servers.
    pub(super) referenced: Vec<String>,
}

impl<'r, 'a> Findings<'r, 'a> {
    pub(super) fn new(tables: &'static Tables, traces: &'r mut Traces<'a>) -> Self {
        Self {
            tables,
            traces,
            servers: Vec::new(),
            endpoints: Vec::new(),
            hits: Vec::new(),
            gaps: Vec::new(),
            referenced: Vec::new(),
        }
    }

    /// A path that is a trace by its name.
    pub(super) fn path(&mut self, path: &str, origin: &Origin, locations: &mut Vec<usize>) {
        for id in self.tables.files.matching(path, locations) {
            let location = Location { file: Some(path.to_owned()), line: None, origin: origin.clone() };
            let trace = Trace { text: path, location, author: None, seconds: None, files: Whereabouts::File(path) };
            self.traces.add(id, &trace);
        }
    }

    /// The content of a file. `private`: whether it is searched for secrets and personal data.
    pub(super) fn content(&mut self, path: &str, origin: &Origin, bytes: &[u8], looks: Looks, private: bool) {
        let location = Location { file: Some(path.to_owned()), line: None, origin: origin.clone() };
        // No tool reads its settings from what is no text. What holds keys may hold them there, too, as what an editor
        // left beside it; in other binary files what looks like one is none.
        let Some(bytes) = as_text(bytes) else {
            if private && looks.is_special() {
                self.private(path, bytes, &location);
            }
            return;
        };
        let bytes = bytes.as_ref();
        if private {
            self.private(path, bytes, &location);
        }
        // A byte that is no UTF-8 must not hide the others.
        let text = String::from_utf8_lossy(bytes);
        if let Some(kind) = looks.endpoints {
            self.endpoints(kind, &text, &location);
        }
        if looks.names {
            self.names(path, &text, &location);
        }
        if looks.keys {
            self.keys(path, &text, &location);
        }
        if looks.ignored {
            self.ignored(&text, &location);
        }
        self.agent(path, &text, &location, looks);
    }

    fn private(&mut self, path: &str, bytes: &[u8], location: &Location) {
        match private::hits(location, path, bytes) {
            Ok(hits) => self.hits.extend(hits),
            Err(error) => self.gap(path, 0, &format!("it was not searched for secrets: {error}")),
        }
    }

    fn agent(&mut self, path: &str, text: &str, location: &Location, looks: Looks) {
        let here = |mut hit: RepositoryHit| {
            hit.location.origin = location.origin.clone();
            hit
        };
        if looks.servers {
            self.servers(path, text, location);
            self.referenced.extend(mcp::referenced(path, text));
        }
        if looks.settings {
            match settings::hits(path, text) {
                Ok(hits) => self.hits.extend(hits.into_iter().map(here)),
                Err(fault) => self.gap(path, fault.line, &fault.reason),
            }
        }
        if looks.instructions {
            self.hits.extend(settings::instructions(path, text).into_iter().map(here));
        }
    }

    fn servers(&mut self, path: &str, text: &str, location: &Location) {
        match mcp::servers(path, text) {
            Ok(servers) => self.declared(servers, location),
            Err(fault) => self.gap(path, fault.line, &fault.reason),
        }
    }

    fn declared(&mut self, servers: Vec<mcp::Server>, location: &Location) {
        for server in servers {
            self.hits.extend(mcp::hits(&server).into_iter().map(|mut hit| {
                hit.location.origin = location.origin.clone();
                hit
            }));
            self.servers.push(Declared { server, origin: location.origin.clone(), approved: false, used: None });
        }
    }

    /// A file that another one names for its servers, whatever it is called.
    pub(super) fn servers_in(&mut self, path: &str, origin: &Origin, bytes: &[u8]) {
        let location = Location { file: Some(path.to_owned()), line: None, origin: origin.clone() };
        match mcp::servers_named(path, &String::from_utf8_lossy(bytes)) {
            Ok(servers) => self.declared(servers, &location),
            Err(fault) => self.gap(path, fault.line, &fault.reason),
        }
    }

    pub(super) fn gap(&mut self, path: &str, line: u32, reason: &str) {
        let kind = GapKind::unreadable(reason.to_owned());
        let gap = Gap { file: path.to_owned(), line: Some(line).filter(|line| *line > 0), kind };
        if !self.gaps.contains(&gap) {
            self.gaps.push(gap);
        }
    }

    fn endpoints(&mut self, kind: Kind, text: &str, location: &Location) {
        match endpoints::endpoints(kind, text) {
            Ok(found) => self.endpoints.extend(found.into_iter().map(|endpoint| {
                let location = Location { line: Some(endpoint.line), ..location.clone() };
                Located { endpoint, location, approved: false }
            })),
            Err(reason) => self.gap(location.file.as_deref().unwrap_or_default(), 0, &reason),
        }
    }

    fn names(&mut self, path: &str, text: &str, location: &Location) {
        let (mentions, fault) = contents::mentions(path, text);
        if let Some(fault) = fault {
            self.gap(path, fault.line, &fault.reason);
        }
        for mention in mentions {
            let location = Location { line: Some(mention.line), ..location.clone() };
            self.hits.extend(bypass(&mention.named, &location));
            for (id, shown) in self.named(&mention.named) {
                self.trace(id, &shown, &location);
            }
        }
    }

    /// The signals that a name is, and how it is shown.
    fn named(&self, named: &Reference) -> Vec<(SignalId, String)> {
        let tables = self.tables;
        let (ids, shown) = match named {
            Reference::Package(ecosystem, name) => {
                (tables.packages.get(ecosystem).and_then(|names| names.get(name)), name.clone())
            }
            Reference::Extension(id) => (tables.extensions.get(id), id.clone()),
            Reference::Feature(name) => (tables.features.get(name), name.clone()),
            Reference::Action(name) => {
                // An action below a path of its repository is that repository's.
                let short = name.splitn(3, '/').take(2).collect::<Vec<_>>().join("/");
                (tables.actions.get(name).or_else(|| tables.actions.get(&short)), name.clone())
            }
            Reference::Command(words) => return self.command(words),
        };
        ids.into_iter().flatten().map(|id| (*id, shown.clone())).collect()
    }

    fn command(&self, words: &[String]) -> Vec<(SignalId, String)> {
        let candidates = words.first().and_then(|program| self.tables.commands.get(program));
        let starts = |(wanted, id): &(Vec<String>, SignalId)| {
            let fits =
                words.len() >= wanted.len() && words.iter().zip(wanted).all(|(word, wanted)| is_word(word, wanted));
            fits.then(|| (*id, wanted.join(" ")))
        };
        candidates.into_iter().flatten().filter_map(starts).collect()
    }

    fn trace(&mut self, id: SignalId, shown: &str, location: &Location) {
        let file = location.file.as_deref().unwrap_or_default();
        let trace = Trace {
            text: shown,
            location: location.clone(),
            author: None,
            seconds: None,
            files: Whereabouts::File(file),
        };
        self.traces.add(id, &trace);
    }

    fn keys(&mut self, path: &str, text: &str, location: &Location) {
        let language = Language::of(path).unwrap_or(Language::Json);
        // What an editor can't read configures no tool.
        let Ok(document) = Document::read(language, text) else { return };
        let mut locations = Vec::new();
        let here: Vec<SignalId> = self.tables.setting_files.matching(path, &mut locations).collect();
        let wanted: Vec<_> = self.tables.settings.iter().filter(|setting| here.contains(&setting.of)).collect();
        let mut found = Vec::new();
        each_key(&document.root, "", &mut |key, value| {
            for setting in &wanted {
                if setting.key.is_match(key) && has(value, setting.value.as_ref()) {
                    found.push((setting.of, key.to_owned(), value.span.start));
                }
            }
        });
        for (id, key, at) in found {
            self.trace(id, &key, &Location { line: Some(line_at(text, at)), ..location.clone() });
        }
    }

    fn ignored(&mut self, text: &str, location: &Location) {
        let mut candidates = Vec::new();
        let found: Vec<&(SignalId, Pattern)> =
            self.tables.ignored.candidates(text.as_bytes(), &mut candidates).collect();
        for (line, number) in text.lines().map(str::trim).zip(1..).filter(|(line, _)| !line.starts_with('#')) {
            for (id, pattern) in &found {
                if matches!(pattern, Pattern::Line(pattern) if pattern.is_match(line)) {
                    self.trace(*id, line, &Location { line: Some(number), ..location.clone() });
                }
            }
        }
    }
}

/// A command that starts an agent which asks nobody.
fn bypass(named: &Reference, location: &Location) -> Option<RepositoryHit> {
    let Reference::Command(words) = named else { return None };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (agent, flag) = lint::bypass(&words)?;
    let message = format!(
        "starts `{agent}` with `{flag}`: whoever writes what it reads decides what it does; allow what it needs instead"
    );
    // It can't ask anybody there; what it may do is for the job to limit.
    Some(RepositoryHit::new(&PERMISSION_BYPASS, location.clone(), message).about("flag", flag).at(Level::Warning))
}

/// A word of a command, with or without a version; `npm i` is short for `npm install`.
fn is_word(word: &str, wanted: &str) -> bool {
    word == wanted || contents::without_version(word) == wanted || (word, wanted) == ("i", "install")
}

/// Bytes of a text; `None` where a NUL in the beginning says that it is none, as git tells it. Some editors write UTF-16,
/// whose letters hold NULs.
fn as_text(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    let unit: Option<fn([u8; 2]) -> u16> = match bytes {
        [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
        [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
        _ => None,
    };
    if let Some(unit) = unit {
        let (pairs, _) = bytes.get(2..)?.as_chunks();
        let text = String::from_utf16_lossy(&pairs.iter().copied().map(unit).collect::<Vec<u16>>());
        return Some(Cow::Owned(text.into_bytes()));
    }
    let beginning = bytes.get(..8_000).unwrap_or(bytes);
    memchr::memchr(0, beginning).is_none().then_some(Cow::Borrowed(bytes))
}

/// Every key with its dotted path. The reader bounds the depth.
fn each_key(value: &Value, above: &str, each: &mut dyn FnMut(&str, &Value)) {
    for (key, value) in members(value) {
        let path = if above.is_empty() { key.name.clone() } else { format!("{above}.{}", key.name) };
        each(&path, value);
        each_key(value, &path, each);
    }
    if let Data::List(items) = &value.data {
        let path = format!("{above}[]");
        for item in items {
            each(&path, item);
            each_key(item, &path, each);
        }
    }
}

fn has(value: &Value, wanted: Option<&Regex>) -> bool {
    let Some(wanted) = wanted else { return true };
    match &value.data {
        Data::Text(text) | Data::Number(text) => wanted.is_match(text),
        Data::Bool(value) => wanted.is_match(if *value { "true" } else { "false" }),
        _ => false,
    }
}
