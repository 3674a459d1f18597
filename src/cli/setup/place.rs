//! Where an agent's settings are: those of the project, of its user, and of the machine.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::environment::{Environment, IdentityKind};
use super::super::failure::{Failure, reason};
use agent_strace_live::hook_events::{Agent, SettingsFile};

/// Real ones are a few kilobytes.
const LARGEST: u64 = 4 << 20;

/// A file of settings.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    /// As messages name it.
    pub(super) shown: String,
}

/// Whose settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Of the current directory, for everybody who works there.
    Project,
    /// Of this user, for all projects.
    User,
}

impl Place {
    pub(super) fn of_project(name: &str) -> Self {
        Self { path: PathBuf::from(name), shown: name.to_owned() }
    }

    pub(super) fn of_user(agent: &Agent, name: &str, environment: Environment) -> Result<Self, Failure> {
        let folder = &agent.folder;
        let machine = environment.machine;
        let variable = folder.variable.and_then(|variable| machine?.of_agents.get(variable));
        if let Some(place) = variable.filter(|place| !place.as_os_str().is_empty()) {
            let path = place.join(folder.below_variable).join(name);
            return Ok(Self { shown: path.display().to_string(), path });
        }
        let people = machine.map(|machine| machine.people.as_slice()).unwrap_or_default();
        let home = people.iter().find(|(named, home)| *named == IdentityKind::Home && !home.is_empty());
        let (_, home) = home.ok_or_else(|| Failure::new("there is no home folder: `HOME` is not set"))?;
        let below = format!("{}/{name}", folder.below_home);
        Ok(Self { path: Path::new(home).join(&below), shown: format!("~/{below}") })
    }

    pub(super) fn of(file: SettingsFile, agent: &Agent, environment: Environment) -> Result<Self, Failure> {
        match file {
            SettingsFile::Project(name) => Ok(Self::of_project(name)),
            SettingsFile::User(name) => Self::of_user(agent, name, environment),
            SettingsFile::Machine(path) => Ok(Self { path: PathBuf::from(path), shown: path.to_owned() }),
        }
    }

    /// `None`: there is no such file. Why it can't be read.
    pub(super) fn read(&self) -> Result<Option<String>, String> {
        match fs::metadata(&self.path) {
            Ok(found) if found.len() > LARGEST => Err(format!("it is larger than {} MiB", LARGEST >> 20)),
            Ok(_) => fs::read_to_string(&self.path).map(Some).map_err(|error| reason(&error)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            // A file in place of a folder holds no settings either.
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => Ok(None),
            Err(error) => Err(reason(&error)),
        }
    }

    /// The file behind links, by its absolute path.
    pub(super) fn real(&self) -> PathBuf {
        real(&self.path)
    }
}

/// The path without links, or as it is where nothing is there.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

/// The current directory.
pub(super) fn here() -> PathBuf {
    real(Path::new("."))
}

/// The top of the repository around the current directory, else that directory.
pub(super) fn project() -> PathBuf {
    let here = here();
    here.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_path_buf).unwrap_or(here)
}

/// The repository that the project is a linked work tree of.
pub(super) fn main_work_tree(project: &Path) -> Option<PathBuf> {
    let link = project.join(".git");
    let is_link = fs::metadata(&link).is_ok_and(|found| found.is_file() && found.len() < LARGEST);
    let text = is_link.then(|| fs::read_to_string(&link).ok()).flatten()?;
    let folder = real(Path::new(text.strip_prefix("gitdir:")?.trim()));
    let git = folder.ancestors().find(|folder| folder.ends_with(".git"))?;
    git.parent().map(Path::to_path_buf)
}
