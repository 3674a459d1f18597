//! Commands that run because somebody opened the repository with an agent or an editor.

use std::sync::LazyLock;

use crate::repo_audit::document::{items, member, members, text};
use crate::repo_audit::hit::{Location, RepositoryHit};
use crate::repo_audit::hosts;
use crate::repo_audit::launch::{Launch, dangers, program};
use crate::repo_audit::lookup::{self, Paths, Spot};
use crate::repo_audit::shown::shown_words;
use agent_strace_model::finding::Level;
use agent_strace_policy::json::{Data, Value};
use agent_strace_rules::repository::HOOK_COMMAND;

use super::File;

/// Files, where in them commands stand, and when they run.
const PLACES: &[(&str, &[&str], When)] = &[
    (CLAUDE, &["hooks"], When::Event),
    (CLAUDE, &["statusLine"], When::Always("whenever it draws its status line")),
    (CLAUDE, &["subagentStatusLine"], When::Always("whenever it draws its status line")),
    (CLAUDE, &["fileSuggestion"], When::Always("whenever files are suggested")),
    (CLAUDE, &["apiKeyHelper"], When::Always("to get a key when the agent starts")),
    (CLAUDE, &["awsAuthRefresh"], When::Always("to sign in when the agent starts")),
    (CLAUDE, &["awsCredentialExport"], When::Always("to get credentials when the agent starts")),
    (CLAUDE, &["gcpAuthRefresh"], When::Always("to sign in when the agent starts")),
    (CLAUDE, &["otelHeadersHelper"], When::Always("to send measurements when the agent starts")),
    ("**/.claude/{agents,commands,skills}/**/*.md", &["hooks"], When::Event),
    ("**/{hooks/hooks,.claude-plugin/plugin}.json", &["hooks"], When::Event),
    ("**/{.cursor,.codex,.windsurf,.factory}/hooks.json", &["hooks"], When::Event),
    ("**/.factory/hooks/*.json", &["hooks"], When::Event),
    ("**/.factory/settings*.json", &["hooks"], When::Event),
    ("**/.augment/settings*.json", &["hooks"], When::Event),
    ("**/.github/hooks/*.json", &["hooks"], When::Event),
    ("**/{.amazonq/cli-agents,.amazonq/agents,.kiro/agents}/*.json", &["hooks"], When::Event),
    ("**/.kiro/hooks/*.kiro.hook", &["then"], When::Always("on what the hook waits for")),
    ("**/{.gemini,.qwen}/settings.json", &["hooks"], When::Event),
    (
        "**/{.gemini,.qwen}/settings.json",
        &["tools", "discoveryCommand"],
        When::Always("to find tools when the agent starts"),
    ),
    (
        "**/{.gemini,.qwen}/settings.json",
        &["toolDiscoveryCommand"],
        When::Always("to find tools when the agent starts"),
    ),
    ("**/{.gemini,.qwen}/settings.json", &["tools", "callCommand"], When::Always("whenever a tool is called")),
    ("**/.codex/config.toml", &["hooks"], When::Event),
    ("**/.codex/config.toml", &["notify"], When::Always("whenever the agent has something to tell")),
    ("**/.vscode/tasks.json", &["tasks"], When::Opened),
    ("**/*.code-workspace", &["tasks", "tasks"], When::Opened),
];

const CLAUDE: &str = "**/.claude/settings*.json";
/// Keys of a command, for one system or another.
const COMMANDS: &[&str] = &["command", "bash", "powershell", "windows", "osx", "linux"];
/// How a hook that is no command is shown.
const POST: &str = "POST ";
/// Lists of groups of hooks; nothing is deeper.
const DEEPEST: usize = 6;

#[derive(Debug, Clone, Copy)]
enum When {
    /// Named by the key.
    Event,
    Always(&'static str),
    /// Tasks that say so.
    Opened,
}

pub(super) static PATHS: LazyLock<Paths> = LazyLock::new(|| Paths::new(globs()));

pub(super) fn globs() -> impl Iterator<Item = &'static str> {
    PLACES.iter().map(|(glob, ..)| *glob)
}

pub(super) fn hits(file: &File<'_>, found: &mut Vec<RepositoryHit>) {
    for (_, keys, when) in PATHS.matching(file.path).into_iter().filter_map(|at| PLACES.get(at)) {
        for spot in lookup::at(&file.document.root, keys) {
            match when {
                When::Always(when) => all(file, &spot, when, found),
                When::Event if is_disabled(&spot) => {}
                When::Event => {
                    for event in lookup::each(spot.value) {
                        let when = format!("on {}", crate::repo_audit::shown::shown(event.name()));
                        all(file, &event, &when, found);
                    }
                }
                When::Opened => {
                    let opened = items(spot.value).iter().filter(|task| runs_on_open(task));
                    opened.for_each(|task| {
                        all(file, &Spot { key: None, value: task }, "when the folder is opened", found);
                    });
                }
            }
        }
    }
}

/// `hooks: {enabled: false, …}`
fn is_disabled(spot: &Spot<'_>) -> bool {
    member(spot.value, "enabled").is_some_and(|value| matches!(value.data, Data::Bool(false)))
}

fn runs_on_open(task: &Value) -> bool {
    let on = member(task, "runOptions").and_then(|options| member(options, "runOn")).and_then(text);
    on == Some("folderOpen")
}

fn all(file: &File<'_>, spot: &Spot<'_>, when: &str, found: &mut Vec<RepositoryHit>) {
    let mut commands = Vec::new();
    match &spot.value.data {
        Data::Text(line) => commands.push((line.clone(), spot.span())),
        // The words of one command, or hooks.
        Data::List(words) if words.iter().all(|word| text(word).is_some()) && !words.is_empty() => {
            let words: Vec<&str> = words.iter().filter_map(text).collect();
            commands.push((words.join(" "), spot.span()));
        }
        _ => gather(spot.value, 0, &mut commands),
    }
    for (line, span) in commands.into_iter().filter(|(line, _)| !is_ours(line)) {
        found.push(hit(file, &line, span, when));
    }
}

/// The commands of hooks, wherever in their groups.
fn gather(value: &Value, depth: usize, found: &mut Vec<(String, std::ops::Range<usize>)>) {
    if depth > DEEPEST {
        return;
    }
    let args: Vec<&str> = member(value, "args").map(items).unwrap_or_default().iter().filter_map(text).collect();
    let sends = member(value, "type").and_then(text) == Some("http");
    for (key, value) in members(value) {
        match &value.data {
            // A hook that is told of by a request.
            Data::Text(address) if sends && key.name == "url" => {
                found.push((format!("{POST}{address}"), key.span.clone()));
            }
            Data::Text(line) if COMMANDS.contains(&key.name.as_str()) && !line.trim().is_empty() => {
                let words = std::iter::once(line.as_str()).chain(args.iter().copied());
                found.push((words.collect::<Vec<_>>().join(" "), key.span.clone()));
            }
            Data::List(_) | Data::Object(_) => gather(value, depth + 1, found),
            _ => {}
        }
    }
    for item in items(value) {
        gather(item, depth + 1, found);
    }
}

/// What this program records for itself is no danger to anybody.
fn is_ours(line: &str) -> bool {
    let launch = Launch::of_line(line);
    !launch.is_script && launch.words.first().is_some_and(|word| program(word) == "agent-strace")
}

fn hit(file: &File<'_>, line: &str, span: std::ops::Range<usize>, when: &str) -> RepositoryHit {
    let location = Location::head(file.path, file.document.line(&span));
    let command = shown_words(line.split_whitespace());
    let sends = line.strip_prefix(POST).is_some_and(|address| !hosts::is_local_url(address));
    let hostile = sends || !dangers(line).is_empty();
    let message = if hostile {
        format!("runs {command} {when}, which runs a download or sends data away: take it out")
    } else {
        format!(
            "runs {command} {when}, on the machine of everybody who opens the repository: look at it, and accept it by an exception"
        )
    };
    let hit = RepositoryHit::new(&HOOK_COMMAND, location, message).about("command", line).about("when", when);
    if hostile { hit.at(Level::Error) } else { hit }
}
