//! The answer of an agent whose entries are [`Grant`]s. Where its documentation is silent, the weaker reading counts.

use super::grant::{Grant, Kind, Matcher, Unlisted, host_of};
use crate::act::Act;
use crate::answer::Answer;
use crate::place::is_inside;
use crate::script::{self, Piece, Shape};

/// Which entry decides where several match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// The strictest.
    Strictest,
    /// That of the highest rank; among equals the strictest.
    Rank,
}

/// How an agent takes the text of a command apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Split {
    /// Into commands, each of which has to pass; what can't be parsed is asked about.
    Commands,
    /// Like this, and a command that writes into a file outside of the workspace is asked about.
    AskOutside,
}

/// The entries of an agent, and what holds where they are silent.
#[derive(Debug, Clone)]
pub(crate) struct GrantEngine {
    pub(crate) grants: Vec<Grant>,
    pub(crate) order: Order,
    pub(crate) split: Split,
    pub(crate) unlisted: Unlisted,
    /// Commands that run without an entry, by their first words.
    pub(crate) reading: Vec<String>,
}

impl GrantEngine {
    /// An engine that refuses everything.
    pub(crate) fn refusing() -> Self {
        let deny = Answer::Deny;
        let unlisted = Unlisted {
            command: deny,
            read: deny,
            edit: deny,
            fetch: deny,
            search: deny,
            mcp: deny,
            agent: deny,
            outside: deny,
        };
        let (order, split) = (Order::Strictest, Split::Commands);
        Self { grants: Vec::new(), order, split, unlisted, reading: Vec::new() }
    }

    /// `None`: the agent has no such tool.
    pub(crate) fn answer(&self, act: &Act, root: &str) -> Option<Answer> {
        let paths = |kind: Kind, paths: &[String]| paths.iter().map(|path| self.path(kind, path, root)).max();
        match act {
            Act::Shell(text) => Some(self.shell(text, root)),
            Act::Read(files) => paths(Kind::Read, files),
            Act::Search(folder) => Some(self.path(Kind::Read, folder, root)),
            Act::Edit(files) => paths(Kind::Edit, files),
            Act::Fetch(url) => Some(self.fetch(url)),
            Act::WebSearch => {
                Some(self.decide(Kind::WebSearch, self.unlisted.search, |matcher| matches!(matcher, Matcher::Any)))
            }
            Act::Mcp { server, tool } => Some(self.decide(Kind::Mcp, self.unlisted.mcp, |matcher| match matcher {
                Matcher::Any => true,
                Matcher::Tool(servers, tools) => servers.is_match(server) && tools.is_match(tool),
                Matcher::Joined(names) => names.is_match(&format!("{server}_{tool}")),
                _ => false,
            })),
            Act::Other => None,
        }
    }

    fn decide(&self, kind: Kind, unlisted: Answer, is_met: impl Fn(&Matcher) -> bool) -> Answer {
        let met = self.grants.iter().filter(|grant| grant.kind == kind && is_met(&grant.matcher));
        let found = match self.order {
            Order::Strictest => met.map(|grant| grant.decision).max(),
            Order::Rank => met.map(|grant| (grant.rank, grant.decision)).max().map(|(_, decision)| decision),
        };
        found.unwrap_or(unlisted)
    }

    fn path(&self, kind: Kind, path: &str, root: &str) -> Answer {
        let inside = is_inside(path, root);
        let own = if kind == Kind::Read { self.unlisted.read } else { self.unlisted.edit };
        let unlisted = if inside { own } else { own.max(self.unlisted.outside) };
        self.decide(kind, unlisted, |matcher| match matcher {
            Matcher::Any => inside || self.unlisted.outside == Answer::Allow,
            Matcher::Path(pattern) => pattern.is_match(path, root),
            _ => false,
        })
    }

    fn fetch(&self, url: &str) -> Answer {
        let host = host_of(url);
        self.decide(Kind::Fetch, self.unlisted.fetch, |matcher| match matcher {
            Matcher::Any => true,
            Matcher::Text(pattern) => pattern.is_match(&host),
            _ => false,
        })
    }

    fn shell(&self, text: &str, root: &str) -> Answer {
        let reading = script::read(text);
        let pieces = || reading.pieces.iter().map(|piece| self.piece(piece, root));
        match reading.shape {
            Shape::Unparsed => pieces().max().unwrap_or(Answer::Ask).max(Answer::Ask),
            Shape::Plain | Shape::Compound => pieces().max().unwrap_or(Answer::Ask),
        }
    }

    fn piece(&self, piece: &Piece, root: &str) -> Answer {
        // Commands are compared word by word: a blank is as good as another.
        let text = piece.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = text.as_str();
        if text.is_empty() {
            return Answer::Allow;
        }
        let reads = |words: &String| {
            text.strip_prefix(words.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let known = self.reading.iter().any(reads);
        let unlisted = if known { Answer::Allow } else { self.unlisted.command };
        let answer = self.decide(Kind::Command, unlisted, |matcher| match matcher {
            Matcher::Any => true,
            Matcher::Text(pattern) => pattern.is_match(text),
            _ => false,
        });
        let written = piece.written.iter().map(|target| match (self.split, target.as_deref()) {
            (_, Some("/dev/null")) => Answer::Allow,
            (Split::AskOutside, Some(target)) if is_inside(target, root) => Answer::Allow,
            (Split::AskOutside, _) => self.unlisted.outside,
            (Split::Commands, None) => Answer::Ask,
            (Split::Commands, Some(target)) => self.path(Kind::Edit, target, root),
        });
        answer.max(written.max().unwrap_or(Answer::Allow))
    }
}
