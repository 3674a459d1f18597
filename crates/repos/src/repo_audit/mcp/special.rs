//! What a server says of itself, for registries: how it is started is described there, not written down.

use crate::repo_audit::document::{Document, items, member, text};
use crate::repo_audit::launch::Launch;
use crate::repo_audit::lookup;
use agent_strace_policy::json::{Data, Value};

use super::entry;
use super::formats::Dialect;
use super::{Pin, Server, Transport};

/// In the address of every version of the schema of `server.json`.
pub(super) const SCHEMA: &str = "modelcontextprotocol.io/schemas/";
const SCHEMA_OF_OLD: &str = "modelcontextprotocol/registry/";

/// Other programs have a `server.json`, too.
pub(super) fn is_registry(text: &str) -> bool {
    text.contains(SCHEMA) || text.contains(SCHEMA_OF_OLD)
}

/// One server for each package and each address.
pub(super) fn registry(document: &Document<'_>) -> Vec<(Server, std::ops::Range<usize>)> {
    let root = &document.root;
    let name = member(root, "name").and_then(text).unwrap_or_default();
    let texts: Vec<String> = member(root, "description").and_then(text).map(str::to_owned).into_iter().collect();
    let packages = member(root, "packages").into_iter().flat_map(items);
    let remotes = member(root, "remotes").into_iter().flat_map(items);
    let packages = packages.map(|value| (package(value), value.span.clone()));
    let remotes = remotes.map(|value| (entry::server(name, value, Dialect::Common), value.span.clone()));
    let whole = |(server, span)| (Server { name: name.to_owned(), texts: texts.clone(), ..server }, span);
    packages.chain(remotes).map(whole).collect()
}

fn package(value: &Value) -> Server {
    let of = |name: &str| member(value, name).and_then(text).unwrap_or_default();
    let (package, version) = (of("identifier"), of("version"));
    let package = if package.is_empty() { of("name") } else { package };
    let address = member(value, "transport").and_then(|transport| member(transport, "url")).and_then(text);
    let image = matches!(of("registryType"), "oci" | "docker");
    let pinned = match version {
        _ if image => {
            let image = if version.is_empty() { package.to_owned() } else { format!("{package}:{version}") };
            let words = ["docker", "run", &image].map(str::to_owned).to_vec();
            Pin::of(&Launch { words, ..Launch::default() })
        }
        "" => Pin::Floating { package: package.to_owned(), why: "without a version" },
        "latest" => Pin::Floating { package: package.to_owned(), why: "by a tag, which can be moved" },
        version => Pin::Pinned { package: package.to_owned(), version: version.to_owned() },
    };
    let transport = match (address, of("runtimeHint")) {
        (Some(url), _) => Transport::Http { url: url.to_owned() },
        (None, "") => Transport::Unknown,
        (None, hint) => Transport::Stdio { command: hint.to_owned(), args: vec![package.to_owned()] },
    };
    Server { transport, pinned, ..entry::server("", value, Dialect::Common).without_start() }
}

/// `smithery.yaml`: a function in JavaScript says how it is started, and that is not run here.
pub(super) fn smithery(document: &Document<'_>) -> Option<(Server, std::ops::Range<usize>)> {
    let start = lookup::at(&document.root, &["startCommand"]).first().copied();
    let span = start.map_or(0..0, |spot| spot.span());
    let known = start.is_some() || member(&document.root, "runtime").is_some();
    let empty = matches!(document.root.data, Data::Null);
    (known && !empty).then(|| (Server { name: "smithery.yaml".to_owned(), ..Server::default() }, span))
}
