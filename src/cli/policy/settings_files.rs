//! Settings files of agents: found in their usual places, or named.

use std::path::Path;

use agent_strace_export::{Agent, Owner, SettingsFault, SettingsFile};
use clap::ValueEnum;

use super::super::environment::Environment;
use super::super::failure::{Failure, reason};
use super::super::output;

/// An agent by the name that the command line knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) struct AgentName(pub(super) Agent);

impl ValueEnum for AgentName {
    fn value_variants<'a>() -> &'a [Self] {
        ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.name()))
    }
}

const ALL: &[AgentName] = &[
    AgentName(Agent::ClaudeCode),
    AgentName(Agent::OpenCode),
    AgentName(Agent::Cursor),
    AgentName(Agent::Codex),
    AgentName(Agent::Gemini),
    AgentName(Agent::VsCode),
    AgentName(Agent::Copilot),
    AgentName(Agent::Qwen),
];
const _: () = assert!(ALL.len() == Agent::ALL.len(), "an agent has no name on the command line");

/// The settings files of one agent, the weakest first.
pub(super) struct AgentFiles {
    pub(super) agent: Agent,
    pub(super) files: Vec<SettingsFile>,
}

/// The named files, or those in the usual places of the current directory; of one agent, or of all.
pub(super) fn find(
    named: &[String],
    agent: Option<AgentName>,
    environment: Environment,
) -> Result<Vec<AgentFiles>, Failure> {
    let home = environment.machine.and_then(|machine| machine.homes.variables.get("HOME"));
    let home = home.map(|home| home.to_string_lossy().into_owned()).filter(|home| home.len() > 1);
    let read = |path: &str| read(path, home.as_deref());
    let mut found: Vec<AgentFiles> = Vec::new();
    let mut add = |agent: Agent, file: SettingsFile| match found.iter_mut().find(|known| known.agent == agent) {
        Some(known) => known.files.push(file),
        None => found.push(AgentFiles { agent, files: vec![file] }),
    };
    if !named.is_empty() {
        for path in named {
            let agent = agent.map(|name| name.0).or_else(|| Agent::of_path(&path.replace('\\', "/")));
            let agent = agent.ok_or_else(|| {
                Failure::new(format!("nothing says which agent `{path}` is for"))
                    .hint(format!("name the agent with `--from`: {}", names()))
            })?;
            add(agent, read(path)?);
        }
        return Ok(found);
    }
    for known in Agent::ALL.iter().filter(|known| agent.is_none_or(|name| name.0 == **known)) {
        for place in known.usual_places() {
            for path in expanded(place)? {
                add(*known, read(&path)?);
            }
        }
    }
    if found.is_empty() {
        let places = Agent::ALL.iter().flat_map(|agent| agent.usual_places()).copied().collect::<Vec<_>>();
        let failure = Failure::new("no settings of an agent are here");
        return Err(failure.hint(format!("name a file, or run it where one of these is: {}", places.join(", "))));
    }
    Ok(found)
}

/// A place is a file, or all files of a folder with one ending: `rules/*.rules`.
fn expanded(place: &str) -> Result<Vec<String>, Failure> {
    let Some((folder, ending)) = place.split_once("/*") else {
        return Ok(if Path::new(place).is_file() { vec![place.to_owned()] } else { Vec::new() });
    };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Failure::new(format!("can't read the folder `{folder}`: {}", reason(&error)))),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| Failure::new(format!("can't read `{folder}`: {}", reason(&error))))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(ending) && entry.path().is_file() {
            paths.push(format!("{folder}/{name}"));
        }
    }
    paths.sort();
    Ok(paths)
}

fn read(path: &str, home: Option<&str>) -> Result<SettingsFile, Failure> {
    let unreadable = |why: &str| Failure::new(format!("the settings `{path}` can't be read: {why}"));
    if !Path::new(path).exists() {
        return Err(unreadable("there is no such file"));
    }
    let bytes = output::read_small(Path::new(path))
        .ok_or_else(|| unreadable("it is a link, no file, or larger than 16 MiB"))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| unreadable(&format!("byte {} is not UTF-8 text", error.utf8_error().valid_up_to() + 1)))?;
    let shown = path.replace('\\', "/");
    let owner = owner(&shown, home);
    Ok(SettingsFile { path: shown, text, owner })
}

/// Whose file it is, by where it lies.
fn owner(path: &str, home: Option<&str>) -> Owner {
    let below_home = |home: &str| {
        let rest = path.strip_prefix(home).and_then(|rest| rest.strip_prefix('/'));
        // A project below the home directory has a folder of its own in front of the agent's.
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    if path.contains("managed-settings") || path.contains("/etc/") || path.contains("requirements.toml") {
        Owner::Machine
    } else if path.starts_with("~/") || home.is_some_and(below_home) {
        Owner::User
    } else {
        Owner::Project
    }
}

pub(super) fn fault(fault: &SettingsFault) -> Failure {
    let failure = Failure::new(fault.to_string());
    match &fault.help {
        Some(help) => failure.hint(help.clone()),
        None => failure,
    }
}

pub(super) fn names() -> String {
    Agent::ALL.iter().map(|agent| agent.name()).collect::<Vec<_>>().join(", ")
}
