//! Well-known MCP servers: what their tools do, by server and tool.

use crate::Reason;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::registry::{Action, Entry, REGISTRY};
use super::run::{Run, texts};
use super::{Given, known, mentions, names, unknown};
use crate::{Argument, Certainty, Connection, Execution, Kind, SERVICE};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(super) struct Servers {
    #[serde(rename = "about")]
    _about: String,
    servers: Vec<Server>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Server {
    names: Vec<String>,
    /// A service's host; `**` stands for any labels.
    #[serde(default)]
    reaches: Option<String>,
    /// Command → tools that do the same.
    #[serde(default, rename = "stands for")]
    stands_for: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    tools: Vec<Entry>,
}

/// A test loads the data; were it broken, no server would be known and their tools would be judged by their arguments.
static SERVERS: LazyLock<Servers> = LazyLock::new(|| load().unwrap_or_default());

pub(super) fn load() -> Result<Servers, String> {
    serde_json::from_str(include_str!("mcp.json")).map_err(|error| error.to_string())
}

/// Names by which servers are known, the longest first.
pub(super) fn server_names() -> &'static [String] {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let listed = SERVERS.servers.iter().flat_map(|server| &server.names);
        let mut names: Vec<String> = listed.chain(&REGISTRY.vocabulary.servers).cloned().collect();
        names.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        names.dedup();
        names
    });
    &NAMES
}

impl Server {
    /// Users choose the name: `linear-server` and `plugin_x_linear` are Linear's.
    fn is_called(&self, server: &str) -> bool {
        let (plain, words) = (names::plain(server), names::words(server));
        self.names
            .iter()
            .map(|name| names::plain(name))
            .any(|name| name == plain || words.iter().any(|word| *word == name))
    }

    fn tool(&self, tool: &str) -> Option<&Entry> {
        let plain = names::plain(tool);
        self.tools.iter().find(|entry| entry.names.iter().any(|name| names::is(name, &plain)))
    }
}

/// One call of a server's tool.
pub(super) fn call(run: &mut Run<'_>, server: &str, tool: &str, given: &Given) {
    run.emit(Kind::Tool { server: Some(server.to_owned()), tool: tool.to_owned() }, Certainty::Exact);
    let servers: Vec<&'static Server> = SERVERS.servers.iter().filter(|known| known.is_called(server)).collect();
    if let Some(entry) = servers.iter().find_map(|server| server.tool(tool)) {
        // For tools that act on the agent alone, the effect above says it all.
        if entry.does != Action::Tool {
            known(run, tool, entry, given);
        }
        return;
    }
    if let Some(service) = servers.iter().find(|server| server.reaches.is_some()) {
        return service_call(run, service, tool, given);
    }
    match REGISTRY.find(tool).filter(|entry| means_the_same(entry, tool, given)) {
        Some(entry) => known(run, tool, entry, given),
        None => unknown::guessed(run, Some(server), tool, given, Reason::UnknownMcpTool),
    }
}

/// Whether a tool of a server that nobody knows is what agents call by this name: its name is no single common word,
/// and it was given what such a tool needs.
fn means_the_same(entry: &Entry, tool: &str, given: &Given) -> bool {
    let needs: &[&str] = match entry.does {
        Action::Read | Action::Delete => &["path"],
        Action::Write => &["path", "content"],
        Action::Edit => &["path", "new"],
        Action::Move | Action::Copy => &["source", "destination"],
        Action::Command => &["command"],
        Action::Code => &["code"],
        Action::Patch => &["patch"],
        _ => return false,
    };
    let Some(given) = given.object() else { return false };
    let has = |role: &&str| {
        let found = texts(given, entry, role);
        !found.malformed && found.texts.len() == 1
    };
    // The server may pass over the shell that a call names.
    let names_shell = entry.arguments.contains_key("shell") && !texts(given, entry, "shell").texts.is_empty();
    !names_shell && names::words(tool).len() > 1 && needs.iter().all(has)
}

/// What its arguments name is the service's, and perhaps ours, too: a path in a repository is both.
fn service_call(run: &mut Run<'_>, service: &Server, tool: &str, given: &Given) {
    let certainty = if service.reaches.as_deref().is_some_and(|host| host.contains('*')) {
        Certainty::Pattern
    } else {
        Certainty::Exact
    };
    let connection = Connection { host: service.reaches.clone(), port: Some(443), scheme: Some("https".to_owned()) };
    run.emit_as(SERVICE, Kind::Connect(connection), certainty);
    let plain = names::plain(tool);
    for (command, tools) in &service.stands_for {
        if tools.iter().any(|name| names::plain(name) == plain) {
            let argv = command.split(' ').map(|word| Argument { text: word.to_owned(), known: true }).collect();
            run.emit(Kind::Execute(Execution { argv, inert: false, embeds: false }), Certainty::Possible);
        }
    }
    let from = run.effects.len();
    unknown::arguments(run, tool, given);
    mentions::of_service(run, tool, given);
    for effect in run.effects.to_mut().iter_mut().skip(from) {
        if matches!(effect.kind, Kind::Read(_) | Kind::Write(_) | Kind::Delete(_) | Kind::List(_)) {
            effect.certainty = effect.certainty.guessed();
        }
    }
}
