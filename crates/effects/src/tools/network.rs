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
    // A provider opens the pages from its own machines; their hosts learn the addresses all the same.
    let via = if entry.provider.is_some() { PROVIDER } else { "argument" };
    for (connection, certainty) in &pages {
        run.emit_as(via, Kind::Connect(connection.clone()), *certainty);
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
