//! What is said of a server.

use crate::repo_audit::hit::{Location, RepositoryHit};
use crate::repo_audit::hosts;
use crate::repo_audit::launch::{Danger, program};
use crate::repo_audit::poison::{self, Indicator, Strength};
use crate::repo_audit::shown::shown;
use agent_strace_model::finding::Level;
use agent_strace_rules::repository::{AUTO_APPROVE, SERVER_FLOATING, SERVER_POISONED, SERVER_UNSAFE};

use super::pins::{self, Pin};
use super::{Server, ToolDescription, Transport};

/// Names of approved tools in one message.
const MOST: usize = 3;

/// Everything about one server.
pub(crate) fn hits(server: &Server) -> Vec<RepositoryHit> {
    let mut found = Vec::new();
    floating(server, &mut found);
    unsafe_start(server, &mut found);
    approved(server, &mut found);
    let location = Location::head(&server.file, server.line);
    let own =
        poison::in_name(&server.name).into_iter().chain(server.texts.iter().flat_map(|text| poison::indicators(text)));
    found.extend(said(&location, &format!("the server {}", shown(&server.name)), &server.name, own.collect()));
    found.extend(poisoned(&location, &server.tools));
    if server.disabled {
        found.iter_mut().filter(|hit| hit.level < Level::Error).for_each(|hit| hit.level = Level::Note);
    }
    found
}

/// Of tools as their server describes them, wherever that was written down.
fn poisoned(location: &Location, tools: &[ToolDescription]) -> Vec<RepositoryHit> {
    let about =
        |tool: &ToolDescription| said(location, &format!("the tool {}", shown(&tool.name)), &tool.name, of_tool(tool));
    tools.iter().filter_map(about).collect()
}

/// Reasons to distrust a tool, by what its server says of it.
pub(super) fn of_tool(tool: &ToolDescription) -> Vec<Indicator> {
    let texts = std::iter::once(&tool.description).chain(&tool.schema);
    poison::in_name(&tool.name).into_iter().chain(texts.flat_map(|text| poison::indicators(text))).collect()
}

/// One remark for one thing, by the worst that is said of it.
fn said(location: &Location, what: &str, name: &str, found: Vec<Indicator>) -> Option<RepositoryHit> {
    let (level, reasons) = worst(found)?;
    let message = format!("{what} {reasons}: do not use it before somebody has read all of its text");
    Some(RepositoryHit::new(&SERVER_POISONED, location.clone(), message).about("name", name).at(level))
}

/// The worst of several reasons: how bad it is, and why.
pub(super) fn worst(mut found: Vec<Indicator>) -> Option<(Level, String)> {
    found.sort_by_key(|indicator| std::cmp::Reverse(indicator.strength));
    let worst = found.first()?.strength;
    let mut reasons: Vec<&str> = Vec::new();
    for indicator in found.iter().filter(|indicator| indicator.strength == worst) {
        if reasons.len() < REASONS && !reasons.contains(&indicator.what.as_str()) {
            reasons.push(&indicator.what);
        }
    }
    let level = if worst == Strength::Strong { Level::Error } else { Level::Warning };
    Some((level, reasons.join(", and ")))
}

/// So many reasons are told in one message.
const REASONS: usize = 2;

fn floating(server: &Server, found: &mut Vec<RepositoryHit>) {
    let (package, why, advice) = match &server.pinned {
        Pin::Floating { package, why } => (package, *why, "name an exact version"),
        Pin::Image { image, why: Some(why) } => (image, *why, "name its digest (`@sha256:…`)"),
        _ => return,
    };
    let message = format!(
        "the server {} starts {} {why}, so that whoever publishes it decides what runs: {advice}",
        shown(&server.name),
        shown(package)
    );
    let hit = RepositoryHit::new(&SERVER_FLOATING, Location::head(&server.file, server.line), message);
    found.push(hit.about("server", &server.name).about("package", package));
}

fn unsafe_start(server: &Server, found: &mut Vec<RepositoryHit>) {
    for (level, what) in reasons(server) {
        let message = format!("the server {} {what}", shown(&server.name));
        let hit = RepositoryHit::new(&SERVER_UNSAFE, Location::head(&server.file, server.line), message).at(level);
        found.push(hit.about("server", &server.name).about("reason", what));
    }
}

/// Why a server should not be started like that; each once.
fn reasons(server: &Server) -> Vec<(Level, &'static str)> {
    let mut found = match &server.transport {
        Transport::Http { url } | Transport::Sse { url } if hosts::is_open(url) => vec![(Level::Warning, OPEN)],
        Transport::Stdio { command, args } => started(server, command, args),
        _ => Vec::new(),
    };
    found.sort_by(|one, other| other.cmp(one));
    found.dedup();
    found
}

const OPEN: &str = "is spoken to without encryption, so that anybody on the way reads and writes along: use `https://`";
const DOWNLOADS: &str = "runs what it downloads without a look at it: install it in a version that was looked at";
const SENDS: &str = "sends data to another machine when it starts: take that out of its command";
const DECODES: &str = "runs a text that was encoded, so that nobody reads it: write the command in clear";
const SCRIPT: &str = "is started by a script in its settings: put the script into a file of the repository";
const ELEVATED: &str = "runs as the administrator: run it as the user";
const TEMPORARY: &str = "is started from a folder that everybody may write to: install it where only its owner may";

fn started(server: &Server, command: &str, args: &[String]) -> Vec<(Level, &'static str)> {
    let mut found: Vec<(Level, &'static str)> = Vec::new();
    let launch = &server.launch;
    for danger in &launch.dangers {
        found.push((
            Level::Error,
            match danger {
                Danger::RunsDownload => DOWNLOADS,
                Danger::Sends => SENDS,
                Danger::Decodes => DECODES,
            },
        ));
    }
    if launch.is_script && found.is_empty() {
        found.push((Level::Warning, SCRIPT));
    }
    if launch.elevated {
        found.push((Level::Warning, ELEVATED));
    }
    let words = std::iter::once(command).chain(args.iter().map(String::as_str));
    let file = match &server.pinned {
        Pin::Local(file) => Some(file.as_str()),
        _ => None,
    };
    if words.take(1).chain(launch.words.first().map(String::as_str)).chain(file).any(is_temporary) {
        found.push((Level::Warning, TEMPORARY));
    }
    found.extend(pins::risks(&launch.words).into_iter().map(|risk| (Level::Warning, risk)));
    // A bridge to another machine.
    let bridges = |word: &String| {
        let name = word.rsplit('/').next().unwrap_or(word);
        ["mcp-remote", "supergateway", "mcp-proxy"].iter().any(|bridge| name.starts_with(bridge))
    };
    if launch.words.iter().any(bridges) && launch.words.iter().any(|word| hosts::is_open(word)) {
        found.push((Level::Warning, OPEN));
    }
    found
}

fn is_temporary(word: &str) -> bool {
    let plain = word.replace('\\', "/").to_ascii_lowercase();
    let starts = ["/tmp/", "/var/tmp/", "/private/tmp/", "/dev/shm/", "%temp%/", "%tmp%/", "$tmpdir/", "${tmpdir}/"];
    let inside = ["/windows/temp/", "/appdata/local/temp/", "/users/public/", "/users/shared/"];
    !program(word).is_empty()
        && (starts.iter().any(|start| plain.starts_with(start)) || inside.iter().any(|part| plain.contains(part)))
}

fn approved(server: &Server, found: &mut Vec<RepositoryHit>) {
    let Some(first) = server.approved.first() else { return };
    let tools = if server.approved.iter().any(|tool| tool == "*") {
        "all of its tools".to_owned()
    } else {
        let names: Vec<String> = server.approved.iter().take(MOST).map(|tool| shown(tool)).collect();
        let more = if server.approved.len() > MOST { " and others" } else { "" };
        format!("{}{more}", names.join(", "))
    };
    let name = shown(&server.name);
    let message = format!(
        "the server {name} may use {tools} without a question, for everybody who opens the repository: let users decide"
    );
    let hit = RepositoryHit::new(&AUTO_APPROVE, Location::head(&server.file, server.line), message);
    found.push(hit.about("server", &server.name).about("tool", first));
}
