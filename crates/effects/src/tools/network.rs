//! Tools that connect to other hosts, or start other agents.

use super::Given;
use super::registry::Entry;
use super::run::{Run, texts};
use super::value::{Object, Value};
use crate::{Certainty, Connection, Kind, PROVIDER, hosts};

pub(super) fn fetch(run: &mut Run<'_>, entry: &Entry, given: &Object) {
    let found = texts(given, entry, "url");
    let urls: Vec<&str> = found.texts.into_iter().filter(|url| !url.trim().is_empty()).collect();
    for url in &urls {
        run.connect(url);
    }
    if !urls.is_empty() {
        if found.malformed {
            run.connect_anywhere();
        }
        return;
    }
    if entry.optional && !found.malformed {
        return;
    }
    let prose = texts(given, entry, "prose").texts;
    let connections: Vec<_> = prose.into_iter().flat_map(hosts::url_in_text).collect();
    if connections.is_empty() {
        return run.connect_anywhere();
    }
    for (connection, certainty) in connections {
        run.emit(Kind::Connect(connection), certainty);
    }
}

/// A search sends its query to a host that the log doesn't name, unless the provider of the model runs it: then this machine
/// connects to nothing. Some of these tools open pages, too.
pub(super) fn search(run: &mut Run<'_>, tool: &str, entry: &Entry, given: &Given) {
    let mut pages = Vec::new();
    if let Some(object) = given.object().filter(|_| entry.fetches) {
        for (_, value) in object {
            addresses(value, &mut pages);
        }
    }
    for (connection, certainty) in &pages {
        let is_served = tool == SERVED && connection.host.as_deref().is_some_and(is_public_name);
        run.emit_as(if is_served { PROVIDER } else { "argument" }, Kind::Connect(connection.clone()), *certainty);
    }
    if let Some(name) = &entry.provider {
        let server = Some(format!("provider:{name}"));
        return run.emit(Kind::Tool { server, tool: tool.to_owned() }, Certainty::Exact);
    }
    let opens_only = pages.len() == 1 && given.object().is_some_and(is_page_view);
    if !opens_only {
        run.connect_anywhere();
    }
}

/// Codex's record of a page that the provider of its model opened, from its own machines. The page's host learns the address
/// all the same.
const SERVED: &str = "web_search_call";

/// The name of a host that a provider reaches. Addresses and names of one network may be of this machine's.
fn is_public_name(host: &str) -> bool {
    let ending = host.rsplit('.').next().unwrap_or_default();
    host.contains('.')
        && !host.contains([':', '*'])
        && ending.chars().all(|letter| letter.is_ascii_alphabetic())
        && !matches!(ending, "internal" | "lan" | "local" | "localhost")
}

/// `{"type": "open_page", "url": …}`, alone or as `action`.
fn is_page_view(given: &Object) -> bool {
    given.iter().any(|(key, value)| match value {
        Value::Text(text) => key == "type" && matches!(text.as_str(), "open_page" | "find_in_page"),
        Value::Object(inner) if key == "action" => is_page_view(inner),
        _ => false,
    })
}

fn addresses(value: &Value, found: &mut Vec<(Connection, Certainty)>) {
    match value {
        Value::Text(text) if text.starts_with("http://") || text.starts_with("https://") => {
            found.extend(hosts::connection(text, Certainty::Exact));
        }
        Value::List(items) => items.iter().for_each(|item| addresses(item, found)),
        Value::Object(object) => object.iter().for_each(|(_, item)| addresses(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {}
    }
}

pub(super) fn fixed(run: &mut Run<'_>, entry: &Entry) {
    let connection = Connection { host: entry.connects.clone(), port: Some(443), scheme: Some("https".to_owned()) };
    run.emit(Kind::Connect(connection), Certainty::Pattern);
}

pub(super) fn spawn(run: &mut Run<'_>, entry: &Entry, given: &Given) {
    let agent =
        given.object().and_then(|object| texts(object, entry, "agent").texts.first().map(|text| (*text).to_owned()));
    run.emit(Kind::Spawn { agent }, Certainty::Exact);
}
