//! One entry of a settings file → one server. Tools name the same things differently; no two mean different things by
//! one name, so that all names are understood everywhere.

use crate::repo_audit::document::{items, member, members, text};
use crate::repo_audit::launch::Launch;
use agent_strace_policy::json::{Data, Value};
use agent_strace_policy::words_of;

use super::formats::Dialect;
use super::tools::ToolDescription;
use super::{Pin, Server, Transport};

const ADDRESSES: &[&str] = &["httpUrl", "serverUrl", "url", "uri", "endpoint"];
const VARIABLES: &[&str] = &["env", "environment", "envs", "env_vars", "env_keys", "environmentVariables"];
const HEADERS: &[&str] = &["headers", "http_headers", "env_http_headers"];
const APPROVED: &[&str] = &["autoApprove", "alwaysAllow", "auto_approve", "autoApproveTools"];
/// What a server says to the model, beside what its tools say.
const TEXTS: &[&str] = &["description", "instructions", "serverInstructions", "title"];

/// Of an entry that may be anything.
pub(super) fn server(name: &str, value: &Value, dialect: Dialect) -> Server {
    // An older form of Continue has all but the name one level deeper.
    let inner = member(value, "transport").filter(|inner| !members(inner).is_empty()).unwrap_or(value);
    let transport = transport(inner, dialect);
    let launch = launch(&transport);
    Server {
        name: name.to_owned(),
        pinned: pin(&transport, &launch),
        launch,
        transport,
        environment: variables(&[value, inner]),
        headers: headers(&[value, inner]),
        disabled: is(value, "disabled", true) || is(value, "enabled", false) || is(value, "isActive", false),
        approved: approved(value),
        texts: TEXTS.iter().filter_map(|name| member(value, name).and_then(text)).map(str::to_owned).collect(),
        tools: member(value, "tools").map(ToolDescription::all).unwrap_or_default(),
        ..Server::default()
    }
}

/// `None`: of a kind that is part of the tool itself.
pub(super) fn is_server(value: &Value, dialect: Dialect) -> bool {
    let has = |name: &str| member(value, name).is_some();
    match dialect {
        Dialect::Goose => {
            let kind = member(value, "type").and_then(text);
            kind.is_none_or(|kind| matches!(kind, "stdio" | "sse" | "streamable_http")) || has("cmd") || has("uri")
        }
        Dialect::Workflow => has("command") || has("container") || has("url") || has("mcp"),
        _ => true,
    }
}

fn is(value: &Value, name: &str, wanted: bool) -> bool {
    member(value, name).is_some_and(|value| matches!(value.data, Data::Bool(found) if found == wanted))
}

fn transport(value: &Value, dialect: Dialect) -> Transport {
    let kind = ["type", "transport", "transportType"].iter().find_map(|name| member(value, name).and_then(text));
    // A list of addresses has nothing else in it.
    let named = ADDRESSES.iter().find_map(|name| Some((*name, member(value, name).and_then(text)?)));
    let address = named.or_else(|| text(value).filter(|text| text.contains("://")).map(|text| ("url", text)));
    let words = words(value);
    match address {
        // A program beside an address is started, unless the kind says that the address counts.
        Some((key, url)) if words.is_none() || kind.is_some_and(|kind| !is_local(kind)) => {
            let events = match kind.map(str::to_ascii_lowercase).as_deref() {
                Some("sse") => true,
                Some(_) => false,
                None => {
                    dialect == Dialect::Events
                        || dialect == Dialect::Gemini && key == "url"
                        || url.trim_end_matches('/').ends_with("/sse")
                }
            };
            let url = url.to_owned();
            if events { Transport::Sse { url } } else { Transport::Http { url } }
        }
        _ => match words {
            Some((command, args)) => Transport::Stdio { command, args },
            None => Transport::Unknown,
        },
    }
}

fn is_local(kind: &str) -> bool {
    matches!(kind.to_ascii_lowercase().as_str(), "stdio" | "local" | "command")
}

/// The program and its arguments: a text and a list, one list, an object, or an image.
fn words(value: &Value) -> Option<(String, Vec<String>)> {
    let args = member(value, "args").or_else(|| member(value, "entrypointArgs"));
    let args = args.map(arguments).unwrap_or_default();
    if let Some(image) = member(value, "container").and_then(text) {
        let words = ["run", "--rm", "-i", image].into_iter().map(str::to_owned);
        return Some(("docker".to_owned(), words.chain(args).collect()));
    }
    let command = member(value, "command").or_else(|| member(value, "cmd"))?;
    match &command.data {
        Data::Text(program) if !program.trim().is_empty() => Some((program.clone(), args)),
        Data::List(_) => {
            let mut words = arguments(command).into_iter();
            let program = words.next()?;
            Some((program, words.chain(args).collect()))
        }
        Data::Object(_) => {
            let program = member(command, "path").or_else(|| member(command, "command")).and_then(text)?;
            let own = member(command, "args").map(arguments).unwrap_or_default();
            Some((program.to_owned(), own.into_iter().chain(args).collect()))
        }
        _ => None,
    }
}

/// Arguments in a list, or in one text.
fn arguments(value: &Value) -> Vec<String> {
    match &value.data {
        Data::List(items) => items.iter().filter_map(scalar).collect(),
        Data::Text(line) => words_of(line).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn scalar(value: &Value) -> Option<String> {
    match &value.data {
        Data::Text(text) | Data::Number(text) => Some(text.clone()),
        Data::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// A command without arguments that has blanks is a whole line: tools split it as a shell would.
fn launch(transport: &Transport) -> Launch {
    let Transport::Stdio { command, args } = transport else { return Launch::default() };
    if args.is_empty() && command.contains(char::is_whitespace) && !command.contains('\\') {
        return Launch::of_line(command);
    }
    Launch::of(&std::iter::once(command).chain(args).cloned().collect::<Vec<_>>())
}

fn pin(transport: &Transport, launch: &Launch) -> Pin {
    match transport {
        Transport::Stdio { .. } => Pin::of(launch),
        Transport::Http { .. } | Transport::Sse { .. } => Pin::Remote,
        Transport::Unknown => Pin::NotAPackage,
    }
}

/// Names, never values.
fn variables(values: &[&Value]) -> Vec<String> {
    let each = |value: &&Value| {
        let listed = VARIABLES.iter().filter_map(|name| member(value, name)).flat_map(names);
        let token = member(value, "bearer_token_env_var").and_then(text).map(str::to_owned);
        listed.chain(token).collect::<Vec<_>>()
    };
    sorted(values.iter().flat_map(each))
}

fn headers(values: &[&Value]) -> Vec<String> {
    let each = |value: &&Value| {
        let request = member(value, "requestInit").or_else(|| member(value, "requestOptions"));
        let all = HEADERS.iter().filter_map(|name| member(value, name));
        all.chain(request.and_then(|request| member(request, "headers"))).flat_map(names).collect::<Vec<_>>()
    };
    sorted(values.iter().flat_map(each))
}

fn sorted(names: impl Iterator<Item = String>) -> Vec<String> {
    let names: std::collections::BTreeSet<String> = names.collect();
    names.into_iter().collect()
}

/// The keys of a map; of a list its names: `NAME`, `NAME=value`, `{"name": …}`.
fn names(value: &Value) -> Vec<String> {
    let keys = members(value).iter().map(|(key, _)| key.name.clone());
    let listed = items(value).iter().filter_map(|item| {
        let name = text(item).or_else(|| member(item, "name").and_then(text))?;
        Some(name.split('=').next().unwrap_or(name).to_owned())
    });
    keys.chain(listed).collect()
}

/// Tools that run without a question; `*` are all.
fn approved(value: &Value) -> Vec<String> {
    let trusted = is(value, "trust", true) || APPROVED.iter().any(|name| is(value, name, true));
    if trusted {
        return vec!["*".to_owned()];
    }
    let lists = APPROVED.iter().filter_map(|name| member(value, name));
    lists.flat_map(items).filter_map(text).map(str::to_owned).collect()
}
