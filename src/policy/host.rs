//! Host entries against connections.

use crate::effects::{Certainty, Connection};
use crate::finding::PolicyPlace;

use super::glob::{Answer, Glob};
use super::parse::Entry;

#[derive(Debug)]
pub(super) struct HostRule {
    pub(super) place: PolicyPlace,
    host: Glob,
    /// `None`: any port.
    port: Option<u16>,
}

impl HostRule {
    pub(super) fn new(entry: &Entry) -> Self {
        let (host, port) = split_port(&entry.text);
        Self { place: entry.place.clone(), host: Glob::fnmatch(host), port }
    }

    pub(super) fn includes(&self, connection: &Connection, certainty: Certainty) -> bool {
        let port = self.port.is_none() || self.port == connection.port;
        let host = connection.host.as_deref().is_some_and(|host| match certainty {
            Certainty::Pattern => Glob::fnmatch(&host.to_lowercase()).within(&[&self.host]) == Answer::Yes,
            _ => self.host.matches(&host.to_lowercase()),
        });
        port && host
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
