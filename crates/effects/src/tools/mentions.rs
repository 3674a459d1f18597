//! The net of last resort for tools: arguments that name a file, a host or a command, and that the tool has no known use
//! for.
//!
//! It may read or write the file, connect to the host, or run the command. A policy judges these effects by what it
//! forbids and by nothing else.

use super::registry::{Action, Entry, REGISTRY};
use super::run::{Run, elision, is_file_url};
use super::unknown::{self, Role};
use super::value::{Object, Value};
use super::{Given, names, sql};
use crate::{About, Certainty, Effect, Kind, Reason, command, hosts};

/// Texts among the arguments of one call that are looked at.
const MOST: usize = 20_000;

/// Mentions what arguments of a known tool name. What lies deeper than lists of texts are records for people: a plan's
/// steps, findings, questions.
pub(super) fn catch(run: &mut Run<'_>, entry: &Entry, given: &Given) {
    let (Given::Object(object), Some(used)) = (given, used(entry.does)) else { return };
    let arguments = object.iter().filter(|(key, _)| {
        let plain = names::plain(key);
        !used.iter().chain(&["cwd"]).any(|role| REGISTRY.is(entry, role, &plain))
    });
    // A tool that does nothing tells people or the model of files, and opens addresses at most.
    let is_told = |text: &str| matches!(entry.does, Action::Nothing | Action::Output) && !text.contains("://");
    let texts = arguments.flat_map(|(key, value)| {
        let items = if let Value::List(items) = value { items.as_slice() } else { std::slice::from_ref(value) };
        items.iter().filter_map(move |item| if let Value::Text(text) = item { Some((key, text)) } else { None })
    });
    let mut texts = texts.filter(|(_, text)| !is_told(text));
    let mut kinds = Vec::new();
    for (key, text) in texts.by_ref().take(MOST) {
        kinds.extend(named(run, unknown::role(key), text));
    }
    let is_cut = texts.next().is_some();
    mention(run, kinds);
    if is_cut {
        run.opaque(About::Anything, Reason::TooManyItems);
    }
}

/// Schemes whose paths are those of another host or of a document.
const NETWORK: &[&str] = &[
    "http",
    "https",
    "ws",
    "wss",
    "ftp",
    "ftps",
    "sftp",
    "ssh",
    "git",
    "svn",
    "postgres",
    "postgresql",
    "mysql",
    "redis",
    "rediss",
    "mongodb",
    "amqp",
    "amqps",
    "mqtt",
    "ldap",
    "ldaps",
    "s3",
    "gs",
    "data",
    "docker",
    "registry",
    "tcp",
    "udp",
    "unix",
];

/// Mentions the file that a URI of another scheme ends in: `vscode-remote://wsl+Ubuntu/repo/a`, `jar:file:///a.jar!/x`.
pub(super) fn file_of_uri(run: &mut Run<'_>, uri: &str) {
    let uri = uri.strip_prefix("jar:").unwrap_or(uri);
    let Some((scheme, rest)) = uri.split_once(":/") else { return };
    let scheme = scheme.to_ascii_lowercase();
    let one_slash = !rest.starts_with('/');
    let is_known = NETWORK.contains(&scheme.as_str()) && !(scheme == "git" && one_slash);
    if scheme.len() < 2 || is_known || is_file_url(uri) && !uri.contains('!') {
        return;
    }
    let path = if one_slash { Some(rest) } else { rest.trim_start_matches('/').split_once('/').map(|(_, path)| path) };
    let path = if rest.starts_with("//") { Some(rest.trim_start_matches('/')) } else { path };
    let path = path.and_then(|path| path.split(['?', '#', '!']).next()).filter(|path| !path.is_empty());
    if let Some(path) = path {
        let (target, certainty) = run.world.locate(&format!("/{path}"), Certainty::Exact);
        if certainty == Certainty::Exact {
            mention(run, vec![Kind::Read(target.clone()), Kind::Write(target)]);
        }
    }
}

fn mention(run: &mut Run<'_>, kinds: Vec<Kind>) {
    for kind in kinds {
        let mut effect = Effect::new(kind, Certainty::Possible, "argument");
        effect.origin.named = true;
        run.effects.to_mut().push(effect);
    }
}

/// Arguments that name a program, or a whole command, in tools of any name.
const PROGRAMS: &[&str] = &["run", "exec", "program", "executable", "binary", "entrypoint"];

/// Arguments that are commands where the tool's name says that it runs some.
const LINES: &[&str] = &[
    "input",
    "text",
    "line",
    "lines",
    "keys",
    "keystrokes",
    "chars",
    "data",
    "statement",
    "content",
    "value",
    "query",
];

/// Programs of one call that are read with the words among the arguments: each of them reads all those words.
const PROGRAMS_OF_ONE: usize = 8;

/// The meaning of the texts that a tool sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    Commands,
    Data,
}

/// Mentions what arguments of a tool name that nobody knows, at any depth.
pub(super) fn of_unknown(run: &mut Run<'_>, server: Option<&str>, tool: &str, given: &Given) {
    let sends = unknown::runs_commands(tool) || unknown::types(server, tool);
    arguments(run, given, if sends { Sent::Commands } else { Sent::Data });
}

/// Looks through the arguments of a service's tool. Unless the tool runs commands, the texts that it sends are messages.
pub(super) fn of_service(run: &mut Run<'_>, tool: &str, given: &Given) {
    arguments(run, given, if unknown::runs_commands(tool) { Sent::Commands } else { Sent::Data });
}

fn arguments(run: &mut Run<'_>, given: &Given, sent: Sent) {
    let mut texts = Vec::new();
    match given {
        Given::Object(object) => collect("", object, &mut texts),
        Given::Text(text) => texts.push((String::new(), text.as_str())),
        Given::Nothing => {}
    }
    let mut programs = 0;
    let words: Vec<&str> =
        texts.iter().filter(|(key, _)| unknown::role(key) == Role::Arguments).map(|(_, word)| *word).collect();
    let mut kinds = Vec::new();
    for (key, text) in &texts {
        let is = |names: &[&str]| names.contains(&key.as_str());
        let role = unknown::role(key);
        if is(PROGRAMS) || sent == Sent::Commands && is(LINES) {
            programs += 1;
            let words = words.iter().copied().filter(|_| programs <= PROGRAMS_OF_ONE);
            let command = std::iter::once(*text).chain(words).collect::<Vec<_>>().join(" ");
            kinds.extend(command::named_commands(&command, run.world.knowledge()));
        }
        if role != Role::Prose || matches!(key.as_str(), "sql" | "query" | "statement") {
            for inner in sql::reached(text) {
                kinds.extend(command::named_commands(inner, run.world.knowledge()));
                kinds.extend(named(run, Role::Other, inner));
            }
        }
        // What has another role, or surely is a path or a URL, has effects of its own.
        if matches!(role, Role::Other | Role::Arguments) && !unknown::is_recognised(text) {
            kinds.extend(named(run, Role::Other, text));
        }
    }
    if programs > PROGRAMS_OF_ONE && !words.is_empty() {
        run.opaque(About::Commands, Reason::TooManyItems);
    }
    let is_cut = texts.len() >= MOST;
    mention(run, kinds);
    if is_cut {
        run.opaque(About::Anything, Reason::TooManyItems);
    }
}

/// All texts with the plain names of their arguments. The depth of a value is bounded by its parser.
fn collect<'v>(name: &str, object: &'v Object, texts: &mut Vec<(String, &'v str)>) {
    for (key, value) in object {
        // `{"0": …}` and the like say nothing.
        let plain = names::plain(key);
        let name = if plain.is_empty() || plain.bytes().all(|byte| byte.is_ascii_digit()) { name } else { &plain };
        collect_value(name, value, texts);
    }
}

fn collect_value<'v>(name: &str, value: &'v Value, texts: &mut Vec<(String, &'v str)>) {
    if texts.len() >= MOST {
        return;
    }
    match value {
        Value::Text(text) => texts.push((name.to_owned(), text)),
        Value::List(items) => items.iter().for_each(|item| collect_value(name, item, texts)),
        Value::Object(object) => collect(name, object, texts),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The roles of arguments that an action has a use for; `None`: it judges all of them.
fn used(action: Action) -> Option<&'static [&'static str]> {
    Some(match action {
        Action::Nothing | Action::Output | Action::Tool | Action::WriteFixed | Action::Connect | Action::PageScript => {
            &[]
        }
        Action::Spawn => &["agent"],
        Action::Skill => &["skill", "arguments"],
        Action::Read | Action::Delete | Action::Screenshot => &["path"],
        Action::Write => &["path", "content"],
        Action::Edit => &["path", "old", "new", "line", "content", "edits"],
        Action::ReadMany => &["many"],
        Action::Move | Action::Copy => &["source", "destination"],
        Action::List => &["directory", "path", "glob"],
        Action::Glob => &["directory", "path", "glob", "include"],
        Action::Grep => &["directory", "path", "many", "glob", "include"],
        Action::Patch => &["patch"],
        Action::Fetch => &["url", "prose"],
        Action::Program => &["operands", "arguments"],
        Action::Command | Action::PowerShell => &["command", "arguments", "environment"],
        Action::Code | Action::CodeMode => &["code", "language", "command"],
        Action::Input => &["input"],
        Action::Select | Action::Unproven | Action::SearchWeb | Action::Mcp | Action::Several => return None,
    })
}

/// What one text names.
fn named(run: &Run<'_>, role: Role, text: &str) -> Vec<Kind> {
    match role {
        Role::Prose | Role::Arguments => return Vec::new(),
        Role::Command | Role::Code => return command::named_commands(text, run.world.knowledge()),
        _ => {}
    }
    let text = hosts::opened(text.trim());
    if text.contains(|letter: char| letter.is_whitespace() || "*?{".contains(letter)) || elision(text).is_some() {
        return Vec::new();
    }
    if text.contains("://") && !is_file_url(text) {
        return hosts::connection(text, Certainty::Exact).map(|(found, _)| Kind::Connect(found)).into_iter().collect();
    }
    let (target, certainty) = run.world.locate(text, Certainty::Exact);
    let is_path = command::looks_like_path(text) && certainty == Certainty::Exact && target.path != ".";
    if is_path { vec![Kind::Read(target.clone()), Kind::Write(target)] } else { Vec::new() }
}
