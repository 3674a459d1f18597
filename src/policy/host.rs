//! Host entries against connections.

use crate::effects::{Certainty, Connection};
use crate::finding::PolicyPlace;

use super::command::Match;
use super::glob::{Answer, Glob};
use super::parse::{List, Stated};

#[derive(Debug, Clone, Default)]
pub(super) struct HostList {
    pub(super) rules: Vec<HostRule>,
}

impl HostList {
    pub(super) fn new(list: Option<&List<HostPattern>>) -> Self {
        let Some(list) = list else { return Self::default() };
        let rules =
            list.entries.iter().map(|entry| HostRule { stated: entry.stated.clone(), pattern: entry.pattern.clone() });
        Self { rules: rules.collect() }
    }

    /// Without one entry.
    pub(super) fn drop_place(&mut self, place: &PolicyPlace) {
        self.rules.retain(|rule| rule.stated.place != *place);
    }

    /// The entry that speaks of the connection, and the one that may.
    pub(super) fn strictest(
        &self,
        connection: &Connection,
        certainty: Certainty,
    ) -> (Option<&HostRule>, Option<&HostRule>) {
        let mut perhaps = None;
        for rule in &self.rules {
            match rule.pattern.touches(connection, certainty) {
                Match::Yes => return (Some(rule), None),
                Match::Maybe => perhaps = perhaps.or(Some(rule)),
                Match::No => {}
            }
        }
        (None, perhaps)
    }
}

/// One entry that names hosts.
#[derive(Debug, Clone)]
pub(super) struct HostRule {
    pub(super) stated: Stated,
    pub(super) pattern: HostPattern,
}

/// What an entry names.
#[derive(Debug, Clone)]
pub(super) struct HostPattern {
    host: Glob,
    /// `None`: any port.
    port: Option<u16>,
}

impl HostPattern {
    pub(super) fn version_1(text: &str) -> Self {
        let (host, port) = split_port(text);
        Self { host: Glob::fnmatch(host), port }
    }

    pub(super) fn includes(&self, connection: &Connection, certainty: Certainty) -> bool {
        let port = self.port.is_none() || self.port == connection.port;
        let host = connection.host.as_deref().is_some_and(|host| match certainty {
            Certainty::Pattern => Glob::fnmatch(&host.to_lowercase()).within(&[&self.host]) == Answer::Yes,
            _ => self.host.matches(&host.to_lowercase()),
        });
        port && host
    }

    /// Whether the connection may be to what the entry names: a port that nobody knows may be any.
    pub(super) fn touches(&self, connection: &Connection, certainty: Certainty) -> Match {
        if let (Some(port), Some(wanted)) = (connection.port, self.port)
            && port != wanted
        {
            return Match::No;
        }
        let Some(host) = &connection.host else { return Match::Maybe };
        let host = host.to_lowercase();
        let same = match certainty {
            Certainty::Pattern => Glob::fnmatch(&host).meets(&self.host) != Answer::No,
            _ => self.host.matches(&host),
        };
        if same { Match::Yes } else { Match::No }
    }
}

/// `host:443` and `[::1]:443`; `registry:npm` and `::1` have no port.
fn split_port(text: &str) -> (&str, Option<u16>) {
    if let Some(rest) = text.strip_prefix('[')
        && let Some((host, after)) = rest.split_once(']')
    {
        return (host, after.strip_prefix(':').and_then(|port| port.parse().ok()));
    }
    match text.split_once(':') {
        Some((host, port)) if !port.contains(':') => match port.parse() {
            Ok(port) => (host, Some(port)),
            Err(_) if port == "*" => (host, None),
            Err(_) => (text, None),
        },
        _ => (text, None),
    }
}
