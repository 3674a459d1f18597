//! MCP tools and tools that no registry knows: their arguments are judged by what they are called and look like.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::registry::Entry;
use super::run::{Access, Run, quoted, texts};
use super::value::{self, Object, Value};
use super::{Given, UNJUDGEABLE, commands, mcp, mentions, names};
use crate::command::knowledge;
use crate::{About, Argument, Certainty, Execution, Kind, Reach, Reason, hosts, patch};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hints {
    #[serde(default, rename = "about")]
    _about: String,
    verbs: Verbs,
    shells: BTreeSet<String>,
    typing: Typing,
    languages: BTreeMap<String, BTreeSet<String>>,
    keys: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Verbs {
    read: BTreeSet<String>,
    list: BTreeSet<String>,
    write: BTreeSet<String>,
    delete: BTreeSet<String>,
}

/// Words of tools that type into a terminal: one of the verbs and one of the objects, or of the texts that `people` don't
/// read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Typing {
    verbs: BTreeSet<String>,
    objects: BTreeSet<String>,
    texts: BTreeSet<String>,
    people: BTreeSet<String>,
}

/// What an argument is by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Path,
    Directory,
    Source,
    Destination,
    Command,
    Code,
    Arguments,
    Url,
    Host,
    Patch,
    /// Text for people, or content: a path in it is only mentioned.
    Prose,
    Other,
}

#[derive(Debug, Default)]
struct Table {
    hints: Hints,
    roles: BTreeMap<String, Role>,
}

/// A test loads the data; were it broken, nothing would be recognised and every unknown tool would be opaque.
static TABLE: LazyLock<Table> = LazyLock::new(|| load().map(table).unwrap_or_default());

pub(super) fn load() -> Result<Hints, String> {
    serde_json::from_str(include_str!("unknown.json")).map_err(|error| error.to_string())
}

fn table(hints: Hints) -> Table {
    let mut roles = BTreeMap::new();
    for (role, keys) in &hints.keys {
        let role = match role.as_str() {
            "path" => Role::Path,
            "directory" => Role::Directory,
            "source" => Role::Source,
            "destination" => Role::Destination,
            "command" => Role::Command,
            "code" => Role::Code,
            "arguments" => Role::Arguments,
            "url" => Role::Url,
            "host" => Role::Host,
            "patch" => Role::Patch,
            "prose" => Role::Prose,
            _ => continue,
        };
        roles.extend(keys.iter().map(|key| (names::plain(key).into_owned(), role)));
    }
    Table { hints, roles }
}

/// A tool that only hands its arguments on: `CallMcpTool {server, toolName, arguments}`.
pub(super) fn handed_on(run: &mut Run<'_>, entry: &Entry, object: &Object) {
    let first = |role: &str| texts(object, entry, role).texts.first().map(|text| (*text).to_owned());
    let server = first("server");
    let Some(tool) = entry.as_tool.clone().or_else(|| first("tool")) else {
        return run.opaque(About::Anything, UNJUDGEABLE);
    };
    if entry.as_tool.is_some() {
        return tool_call(run, server.as_deref(), &tool, &Given::Object(object.clone()));
    }
    let nested = object.iter().find_map(|(key, value)| {
        let is_nested = super::REGISTRY.is(entry, "nested", &names::plain(key));
        match value {
            Value::Object(inner) if is_nested => Some(Given::Object(inner.clone())),
            Value::Text(json) if is_nested => Some(value::object(json).map_or(Given::Nothing, Given::Object)),
            _ => None,
        }
    });
    tool_call(run, server.as_deref(), &tool, &nested.unwrap_or(Given::Nothing));
}

fn tool_call(run: &mut Run<'_>, server: Option<&str>, tool: &str, given: &Given) {
    match server {
        Some(server) => mcp::call(run, server, tool, given),
        None => call(run, tool, given),
    }
}

/// A tool of no server that anybody knows.
pub(super) fn call(run: &mut Run<'_>, tool: &str, given: &Given) {
    run.emit(Kind::Tool { server: None, tool: tool.to_owned() }, Certainty::Exact);
    guessed(run, None, tool, given, Reason::UnknownTool);
}

/// Effects of what the arguments look like. Where they look like nothing, a policy's list of tools judges the call, unless
/// the tool's name says that it runs text or types it.
pub(super) fn guessed(run: &mut Run<'_>, server: Option<&str>, tool: &str, given: &Given, reason: Reason) {
    if !arguments(run, tool, given) {
        let reason = if is_judged_by_name(server, tool, given) { Reason::UnlistedTool } else { reason };
        run.opaque(About::Anything, reason);
    }
    mentions::of_unknown(run, server, tool, given);
}

/// Its arguments are named, and neither the tool's name nor what it is asked for speaks of commands, typing or a language.
fn is_judged_by_name(server: Option<&str>, tool: &str, given: &Given) -> bool {
    let words = names::words(tool);
    let Given::Object(object) = given else { return false };
    let presses = |(key, value): &(String, Value)| {
        is_selector(key) && text(value).is_some_and(|action| ACTS.contains(&action.to_ascii_lowercase().as_str()))
    };
    if object.iter().any(presses) || object.iter().any(|(_, value)| holds_act(value)) {
        return false;
    }
    let speaks = || TABLE.hints.languages.values().any(|language| words.iter().any(|word| language.contains(word)));
    let shows_environment = || words.iter().any(|word| matches!(word.as_str(), "env" | "environ" | "environment"));
    !runs_commands(tool) && !types(server, tool) && !speaks() && !shows_environment()
}

/// Words with which an argument asks a tool to run or type something.
const ACTS: &[&str] = &["command", "eval", "exec", "execute", "key", "keys", "press", "run", "shell", "type"];

/// A text that as a whole is a command, a path or a host.
fn holds_act(value: &Value) -> bool {
    match value {
        Value::Text(text) => {
            let mut words = text.split_whitespace();
            let first = words.next().unwrap_or_default();
            let is_part = |word: &str| word.starts_with('-') || word.contains(['/', '.']);
            let is_command =
                knowledge::builtin(first).is_some() && (words.clone().any(is_part) || RUNNING.contains(&first));
            let is_name = words.next().is_none()
                && (first.contains('/') || first.trim_start_matches('.').contains('.') || first.starts_with('.'));
            is_command || is_name || knowledge::builtin(first).is_some() && SHELLS.contains(&text.trim())
        }
        Value::List(items) => items.iter().any(holds_act),
        _ => false,
    }
}

/// Programs whose operands are commands.
const RUNNING: &[&str] = &["bash", "doas", "env", "eval", "git", "sh", "sudo", "xargs"];

/// Whatever argument it is: a URL or a path.
pub(super) fn is_recognised(text: &str) -> bool {
    is_url(text) || is_clearly_path(text) || text.starts_with(['{', '['])
}

/// The name of a tool says that it runs commands.
pub(super) fn runs_commands(tool: &str) -> bool {
    names::words(tool).iter().any(|word| TABLE.hints.shells.contains(word))
}

/// The names of a tool and of its server say that it types into a terminal. What `send_message` sends is read by people.
pub(super) fn types(server: Option<&str>, tool: &str) -> bool {
    let words = names::words(tool);
    let of_server = server.map(names::words).unwrap_or_default();
    let has = |names: &BTreeSet<String>| words.iter().any(|word| names.contains(word));
    let Typing { verbs, objects, texts, people } = &TABLE.hints.typing;
    let is_told = || has(people) || of_server.iter().any(|word| people.contains(word));
    has(verbs) && (has(objects) || has(texts) && !is_told())
}

/// Effects of what the arguments look like; `false`: they look like nothing.
pub(super) fn arguments(run: &mut Run<'_>, tool: &str, given: &Given) -> bool {
    let mut words = names::words(tool);
    if let Some((git, [verb, ..])) = words.split_first().filter(|(first, _)| *first == "git") {
        // Servers name their tools after the subcommand they run.
        let argv = [git, verb].map(|text| Argument { text: text.clone(), known: true }).to_vec();
        let execution = Execution { argv, inert: false, embeds: false };
        run.emit(Kind::Execute(execution), Certainty::Possible);
    }
    let joined = names::plain(tool).into_owned();
    words.push(joined);
    let mut guess = Guess { run, words, language: None, recognised: false, malformed: false };
    match given {
        Given::Object(object) => guess.object(object),
        Given::Text(text) => guess.value(Role::Other, &Value::Text(text.clone()), &[]),
        Given::Nothing => {}
    }
    let (recognised, malformed) = (guess.recognised, guess.malformed);
    if malformed {
        run.opaque(About::Anything, UNJUDGEABLE);
    }
    malformed || recognised
}

struct Guess<'r, 'w> {
    run: &'r mut Run<'w>,
    /// Of the tool's name.
    words: Vec<String>,
    /// The dialect or the language that an argument names.
    language: Option<String>,
    recognised: bool,
    /// An argument with a telling name holds something else than text.
    malformed: bool,
}

impl Guess<'_, '_> {
    fn named(&self, set: &BTreeSet<String>) -> bool {
        self.words.iter().any(|word| set.contains(word))
    }

    fn object(&mut self, object: &Object) {
        let arguments: Vec<&str> = object
            .iter()
            .filter(|(key, _)| role(key) == Role::Arguments)
            .flat_map(|(_, value)| match value {
                Value::List(items) => items.iter().filter_map(text).collect(),
                Value::Text(text) => vec![text.as_str()],
                _ => Vec::new(),
            })
            .collect();
        let mut languages = object.iter().filter(|(key, _)| names::plain(key) == "language");
        if let Some(language) = languages.find_map(|(_, value)| text(value)) {
            self.words.push(language.to_lowercase());
            self.language = Some(language.to_lowercase());
        }
        let runs = object.iter().any(|(key, value)| role(key) == Role::Command && *value != Value::Null);
        let home = self.run.world.cwd().map(str::to_owned);
        for (key, value) in object {
            match (role(key), text(value)) {
                // Where a command runs, not what it touches.
                (Role::Directory, Some(directory)) if runs => self.run.world.enter(directory, Certainty::Exact),
                _ => {}
            }
        }
        let before = self.words.len();
        let verbs = object.iter().filter(|(key, _)| is_selector(key)).filter_map(|(_, value)| text(value));
        // `{"type": "delete", "path": …}`: the item says what is done to it.
        self.words.extend(verbs.filter(|verb| verb.len() <= 40).flat_map(names::words));
        for (key, value) in object {
            let role = role(key);
            if !(runs && role == Role::Directory) {
                self.value(role, value, &arguments);
            }
        }
        self.words.truncate(before);
        if runs {
            self.run.world.set_cwd(home);
        }
    }

    fn value(&mut self, role: Role, value: &Value, arguments: &[&str]) {
        match value {
            Value::Text(text) => self.text(role, text, arguments),
            Value::List(items) if role == Role::Command && items.iter().all(|item| text(item).is_some()) => {
                self.command_list(items);
            }
            Value::List(items) => items.iter().for_each(|item| self.value(role, item, arguments)),
            Value::Object(inner) => self.object(inner),
            Value::Number(_) | Value::Bool(_) if matches!(role, Role::Path | Role::Command | Role::Url) => {
                self.malformed = true;
            }
            Value::Null | Value::Number(_) | Value::Bool(_) => {}
        }
    }

    /// One argument vector or several command lines: both, where it can't be told.
    fn command_list(&mut self, items: &[Value]) {
        let words: Vec<String> = items.iter().filter_map(text).map(str::to_owned).collect();
        self.recognised |= !words.is_empty();
        if words.iter().any(|word| word.contains(' ')) {
            for word in &words {
                self.run.shell_made(word);
            }
        } else if !words.is_empty() {
            self.run.argv(&words);
        }
    }

    fn text(&mut self, role: Role, text: &str, arguments: &[&str]) {
        if text.trim().is_empty() {
            return;
        }
        match role {
            Role::Command if arguments.is_empty() => commands::text(self.run, text),
            Role::Command => {
                let words = arguments.iter().map(|word| format!(" {}", quoted(word)));
                self.run.shell_made(&std::iter::once(text.to_owned()).chain(words).collect::<String>());
            }
            Role::Code => self.code(text),
            Role::Source if self.is_program(text) => self.code(text),
            Role::Arguments | Role::Prose => return,
            Role::Patch if text.contains('\n') => self.run.effects.to_mut().extend(patch::run(text, self.run.world)),
            Role::Host if !text.contains(char::is_whitespace) => {
                let (connection, certainty) =
                    hosts::connection(text, Certainty::Exact).unwrap_or_else(|| hosts::host(text, Certainty::Exact));
                self.run.emit(Kind::Connect(connection), certainty);
            }
            _ if is_url(text) => self.run.connect(text),
            Role::Other | Role::Path if text.starts_with(['{', '[']) => {
                let Some(inner) = value::parse(text).filter(|inner| !matches!(inner, Value::Text(_))) else { return };
                return self.value(role, &inner, arguments);
            }
            Role::Url if !text.contains(char::is_whitespace) => self.run.connect(text),
            Role::Path | Role::Directory => self.paths(role, text),
            Role::Source | Role::Destination if looks_like_path(text) => self.paths(role, text),
            _ if is_clearly_path(text) => self.paths(Role::Path, text),
            _ => return,
        }
        self.recognised = true;
    }

    /// A text of a tool that is named after a language, and that is no path.
    fn is_program(&self, text: &str) -> bool {
        let is_text = text.contains(['(', '\n', ';']) && !is_clearly_path(text);
        is_text && TABLE.hints.languages.values().any(|words| self.named(words))
    }

    fn code(&mut self, text: &str) {
        // The tool may be named after another language than an argument, which it may pass over.
        let languages: Vec<&String> =
            TABLE.hints.languages.iter().filter(|(_, words)| self.named(words)).map(|(language, _)| language).collect();
        let before = self.run.effects.len();
        for language in &languages {
            commands::interpreted(self.run, text, Some(language));
        }
        let shell = self.language.clone().filter(|language| TABLE.hints.shells.contains(language));
        match shell {
            Some(shell) => commands::interpreted(self.run, text, Some(&shell)),
            None if !languages.is_empty() => {}
            None if self.named(&TABLE.hints.shells) => commands::text(self.run, text),
            None => self.run.opaque(About::Anything, Reason::LanguageNotNamed),
        }
        if self.language.is_some() {
            self.own_shell(text, before);
        }
    }

    /// A tool that is named after a shell may pass over the language that an argument names.
    fn own_shell(&mut self, text: &str, before: usize) {
        let mut words = self.words.iter().filter(|word| SHELLS.contains(&word.as_str()));
        let Some(shell) = words.find(|word| Some(*word) != self.language.as_ref()).cloned() else { return };
        let from = self.run.effects.len();
        let shell = if shell == "terminal" { "shell" } else { shell.as_str() };
        commands::interpreted(self.run, text, Some(shell));
        commands::forget_doubts(self.run, from..self.run.effects.len(), before..from);
    }

    /// The path, and what else the text may spell: several paths, a path with a line, one below a home directory.
    fn paths(&mut self, role: Role, text: &str) {
        mentions::file_of_uri(self.run, text);
        let home = below_home(text);
        self.path_as(role, home.as_deref().unwrap_or(text), Certainty::Exact);
        if let Some(file) = without_place(text) {
            self.path_as(role, file, Certainty::Possible);
        }
        let is_list = |text: &str| !text.starts_with(['/', '~', '\\']) && text.contains([',', ' ', ';']);
        if role == Role::Path && is_list(text) {
            let mut items = text.split([',', ' ', ';']).map(str::trim).filter(|item| looks_like_path(item));
            for item in items.by_ref().take(MOST_LISTED) {
                self.path_as(role, item, Certainty::Possible);
            }
            if items.next().is_some() {
                self.run.opaque(About::Anything, Reason::TooManyItems);
            }
        }
    }

    fn path_as(&mut self, role: Role, text: &str, certainty: Certainty) {
        let verbs = &TABLE.hints.verbs;
        let (read, list) = (self.named(&verbs.read), self.named(&verbs.list));
        let (write, delete) = (self.named(&verbs.write), self.named(&verbs.delete));
        let none = !(read || list || write || delete);
        let mut accesses = Vec::new();
        match role {
            Role::Source => {
                accesses.push(Access::Read);
                accesses.extend(delete.then_some(Access::Delete));
            }
            Role::Destination => accesses.push(Access::Write),
            _ => {
                accesses.extend((read || none).then_some(Access::Read));
                accesses.extend(list.then_some(Access::List));
                accesses.extend((write || none).then_some(Access::Write));
                accesses.extend(delete.then_some(Access::Delete));
            }
        }
        let directory = role == Role::Directory;
        for access in accesses {
            let reach = if directory || access == Access::Delete { Reach::Subtree } else { Reach::Itself };
            if certainty == Certainty::Exact {
                self.run.path(access, text, reach);
            } else {
                self.run.located(access, text, reach, certainty);
            }
        }
    }
}

/// Words of tools that surely give what they get to a shell.
const SHELLS: &[&str] = &["bash", "sh", "zsh", "shell", "terminal", "cmd", "powershell"];

/// Paths of one text that are looked at: a text with more of them is no list that anybody wrote.
const MOST_LISTED: usize = 1_000;

/// Variables and signs that stand for the home directory.
const HOMES: &[&str] =
    &["%userprofile%", "$env:userprofile", "${env:userprofile}", "$home", "${home}", "$env:home", "~"];

/// `%USERPROFILE%\.ssh` as a path below `~`.
fn below_home(text: &str) -> Option<String> {
    let home =
        HOMES.iter().find(|home| text.get(..home.len()).is_some_and(|start| start.eq_ignore_ascii_case(home)))?;
    let rest = text.get(home.len()..)?;
    (rest.starts_with('\\') || rest.starts_with('/') && *home != "~").then(|| format!("~{}", rest.replace('\\', "/")))
}

/// `a.txt#L1`, `a.txt:12:3`: the file.
fn without_place(text: &str) -> Option<&str> {
    if let Some((file, place)) = text.split_once('#') {
        let is_place = place.trim_start_matches(['L', 'l']).starts_with(|c: char| c.is_ascii_digit());
        return Some(file).filter(|file| is_place && !file.is_empty());
    }
    let file = text.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '-'));
    let place = text.get(file.len()..)?;
    (place.starts_with(':') && place.len() > 1 && file.len() > 1).then_some(file)
}

fn is_selector(key: &str) -> bool {
    matches!(
        names::plain(key).as_ref(),
        "type" | "operation" | "op" | "action" | "mode" | "kind" | "method" | "edittype"
    )
}

pub(super) fn role(key: &str) -> Role {
    TABLE.roles.get(names::plain(key).as_ref()).copied().unwrap_or(Role::Other)
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn is_url(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    let plain =
        |scheme: &str| !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c));
    scheme.is_some_and(plain) && !text.contains(char::is_whitespace)
}

/// An argument that may be a path or a word: it has a separator or an extension.
fn looks_like_path(text: &str) -> bool {
    let one_line = !text.contains('\n') && !text.contains('@') && text.len() <= 4096;
    one_line
        && (is_clearly_path(text) || text.contains(['/', '\\']) || super::is_file_name(text) || text.starts_with('.'))
}

/// Absolute, below a home directory, or explicitly relative; no spaces, which prose has.
fn is_clearly_path(text: &str) -> bool {
    let drive = text.get(1..3).is_some_and(|colon| matches!(colon, ":\\" | ":/"));
    let start = ["/", "~/", "./", "../", r"\\"].iter().any(|prefix| text.starts_with(prefix));
    text.len() > 1 && text.len() <= 4096 && !text.contains(char::is_whitespace) && (start || drive)
}
