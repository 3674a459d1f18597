//! One entry of a settings file, in terms that agents share.

use regex::Regex;

use agent_strace_policy::{Glob, GlobAnswer};

use super::file::Place;
use crate::act::Act;
use crate::answer::Answer;
use crate::matching;
use crate::place::PathMatcher;
use crate::script;

/// The kind of act that a permission is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Command,
    Read,
    Edit,
    Fetch,
    WebSearch,
    Mcp,
    Agent,
}

impl Kind {
    /// Returns true if one entry of a policy's list is proven to name everything that the other does.
    pub(crate) fn covers(self, wide: &str, narrow: &str) -> bool {
        if wide == narrow || wide == "*" {
            return true;
        }
        match self {
            Self::Command => {
                let (wide, narrow): (Vec<&str>, Vec<&str>) = (wide.split(' ').collect(), narrow.split(' ').collect());
                narrow.starts_with(&wide)
                    || wide.split_last().is_some_and(|(last, first)| {
                        let start = last.strip_suffix('*');
                        narrow.starts_with(first)
                            && start.zip(narrow.get(first.len())).is_some_and(|(start, word)| word.starts_with(start))
                    })
            }
            Self::Read | Self::Edit => {
                // `/src/x` and `src/x` both count from the root; a name alone counts everywhere.
                let from_root = |text: &str| {
                    let below = text.strip_prefix('/').filter(|rest| !rest.starts_with('/') && rest.contains('/'));
                    below.unwrap_or(text).to_owned()
                };
                let (wide, narrow) = (&*from_root(wide), &*from_root(narrow));
                let below = format!("{}/**", wide.trim_end_matches("/**"));
                let wide = [&Glob::path(wide), &Glob::path(&below)];
                Glob::path(narrow).within(&wide) == GlobAnswer::Yes
            }
            _ => wide.strip_prefix('*').is_some_and(|end| narrow.ends_with(end)),
        }
    }
}

/// Which acts of its kind an entry names, as the agent compares them.
#[derive(Debug, Clone)]
pub(crate) enum Matcher {
    Any,
    /// The text of a command, or a host.
    Text(Regex),
    Path(PathMatcher),
    /// The names of a server and its tool.
    Tool(Regex, Regex),
    /// The names of a server and its tool with `_` between them.
    Joined(Regex),
}

impl Matcher {
    /// `*` is any text, and ` *` at the end is also nothing.
    pub(crate) fn command(pattern: &str) -> Option<Self> {
        let (text, end) = pattern.strip_suffix(" *").map_or((pattern, ""), |words| (words, "( .*)?"));
        let text: Vec<String> = text.split('*').map(regex::escape).collect();
        Regex::new(&format!("(?s)^{}{end}$", text.join(".*"))).ok().map(Self::Text)
    }

    /// `*` is any text.
    pub(crate) fn wildcard(text: &str) -> Option<Self> {
        matching::wildcard(text).map(Self::Text)
    }
}

/// An entry as a policy says it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Entry {
    /// The text in the list of its kind: a command by its first words, a path pattern, a host, the name of an agent.
    Listed(String),
    /// A command of exactly these words.
    Exact(Vec<String>),
    /// A command with these first words, and these words or flags anywhere behind them.
    With { first: Vec<String>, anywhere: Vec<String> },
    /// A program with one of these flags.
    Flags { program: String, flags: Vec<String> },
    /// A tool of a server; `*` is any.
    Tool { server: String, tool: String },
}

/// How a policy says what an entry names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said {
    /// Entries that together name nothing else.
    pub(crate) narrower: Vec<Entry>,
    /// Entries that together name all of it; `None`: a policy can't say it.
    pub(crate) wider: Option<Vec<Entry>>,
    /// Why `narrower` lacks something.
    pub(crate) lacks: Option<&'static str>,
    /// Patterns of commands as the settings spell them, where `narrower` has no words for them: `*` is any text.
    pub(crate) spelled: Vec<String>,
}

impl Said {
    /// The policy says the same.
    pub(crate) fn same(entries: Vec<Entry>) -> Self {
        Self { narrower: entries.clone(), wider: Some(entries), ..Self::default() }
    }

    pub(crate) fn listed(text: &str) -> Self {
        Self::same(vec![Entry::Listed(text.to_owned())])
    }
}

/// One entry of a settings file.
#[derive(Debug, Clone)]
pub(crate) struct Grant {
    pub(crate) decision: Answer,
    pub(crate) kind: Kind,
    pub(crate) matcher: Matcher,
    pub(crate) said: Said,
    pub(crate) place: Place,
    /// As the file spells it.
    pub(crate) entry: String,
    /// Where a later or a stronger entry decides: the higher rank.
    pub(crate) rank: i64,
}

impl Grant {
    /// Whether the act, or a part of it, is one that the entry names.
    pub(crate) fn names(&self, act: &Act, root: &str) -> bool {
        let any = matches!(self.matcher, Matcher::Any);
        match (act, self.kind) {
            (Act::Shell(text), Kind::Command) => {
                let pieces = || script::read(text).pieces;
                any || matches!(&self.matcher, Matcher::Text(pattern)
                    if pieces().iter().any(|piece| pattern.is_match(piece.text.trim())))
            }
            (Act::Read(files), Kind::Read) | (Act::Edit(files), Kind::Edit) => {
                any || matches!(&self.matcher, Matcher::Path(pattern)
                    if files.iter().any(|path| pattern.is_match(path, root)))
            }
            (Act::Search(path), Kind::Read) => {
                any || matches!(&self.matcher, Matcher::Path(pattern) if pattern.is_match(path, root))
            }
            (Act::Fetch(url), Kind::Fetch) => {
                any || matches!(&self.matcher, Matcher::Text(pattern) if pattern.is_match(&host_of(url)))
            }
            (Act::WebSearch, Kind::WebSearch) => any,
            (Act::Mcp { server, tool }, Kind::Mcp) => {
                any || matches!(&self.matcher, Matcher::Tool(servers, tools)
                    if servers.is_match(server) && tools.is_match(tool))
                    || matches!(&self.matcher, Matcher::Joined(names)
                    if names.is_match(&format!("{server}_{tool}")))
            }
            _ => false,
        }
    }
}

/// The host of an address, in lower case; empty where it has none.
pub(crate) fn host_of(url: &str) -> String {
    let host = url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_lowercase));
    host.unwrap_or_default().trim_end_matches('.').to_owned()
}

/// Something of a settings file that the policy does not say, or does not say in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub place: Place,
    pub entry: String,
    pub weight: Weight,
    /// Lower case, without the entry.
    pub reason: &'static str,
}

/// What it means for the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// The agent refuses or asks, and the policy may not.
    Missing,
    /// The agent lets pass more than the policy does.
    Narrower,
    /// It has no effect for the agent.
    Idle,
    /// It looks like a permission and was not understood.
    Unknown,
}

impl Weight {
    pub fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Narrower => "narrower",
            Self::Idle => "idle",
            Self::Unknown => "unknown",
        }
    }
}

/// What an agent does with acts of a kind that no entry names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unlisted {
    pub(crate) command: Answer,
    /// Of files in the workspace.
    pub(crate) read: Answer,
    pub(crate) edit: Answer,
    pub(crate) fetch: Answer,
    pub(crate) search: Answer,
    pub(crate) mcp: Answer,
    pub(crate) agent: Answer,
    /// Of files outside of the workspace, unless an entry names them.
    pub(crate) outside: Answer,
}

impl Unlisted {
    /// The agent reads and searches by itself, and asks about the rest.
    pub(crate) fn asking() -> Self {
        Self { read: Answer::Allow, search: Answer::Allow, agent: Answer::Allow, ..Self::all(Answer::Ask) }
    }

    /// One answer to everything that no entry names.
    pub(crate) fn all(answer: Answer) -> Self {
        Self {
            command: answer,
            read: answer,
            edit: answer,
            fetch: answer,
            search: answer,
            mcp: answer,
            agent: answer,
            outside: answer,
        }
    }
}
