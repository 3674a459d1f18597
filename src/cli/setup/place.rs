//! Where an agent's settings are: those of the project, of its user, and of the machine.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::environment::{Environment, IdentityKind};
use super::super::failure::{Failure, reason};
use agent_strace_live::hook_events::{Agent, SettingsFile};
use agent_strace_report::terminal;

/// Real ones are a few kilobytes.
const LARGEST: u64 = 4 << 20;

/// A file of settings.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    /// As messages name it.
    pub(super) shown: String,
    /// The folder that stays when the file goes; those below it go with the file where nothing else is in them.
    pub(super) base: PathBuf,
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
        Self { path: PathBuf::from(name), shown: name.to_owned(), base: PathBuf::new() }
    }

    pub(super) fn of_user(agent: &Agent, name: &str, environment: Environment) -> Result<Self, Failure> {
        let folder = &agent.folder;
        let machine = environment.machine;
        let variable = folder.variable.and_then(|variable| machine?.of_agents.get(variable));
        if let Some(place) = variable.filter(|place| !place.as_os_str().is_empty()) {
            let path = place.join(folder.below_variable).join(name);
            return Ok(Self { shown: path.display().to_string(), path, base: place.clone() });
        }
        let people = machine.map(|machine| machine.people.as_slice()).unwrap_or_default();
        let home = people.iter().find(|(named, home)| *named == IdentityKind::Home && !home.is_empty());
        let (_, home) = home.ok_or_else(|| Failure::new("there is no home folder: `HOME` is not set"))?;
        let below = format!("{}/{name}", folder.below_home);
        Ok(Self { path: Path::new(home).join(&below), shown: format!("~/{below}"), base: PathBuf::from(home) })
    }

    /// A file outside the agent's folder.
    pub(super) fn elsewhere(path: &Path) -> Self {
        let folder = path.parent().unwrap_or(Path::new(""));
        Self { path: path.to_owned(), shown: path.display().to_string(), base: folder.to_owned() }
    }

    /// The files of settings that there may be. Why they are not known.
    pub(super) fn each(file: SettingsFile, agent: &Agent, environment: Environment) -> Result<Vec<Self>, String> {
        // Without a home folder there are no settings of a user.
        let of_user = |name: &str| Self::of_user(agent, name, environment).ok();
        match file {
            SettingsFile::Project(name) => Ok(vec![Self::of_project(name)]),
            SettingsFile::User(name) => Ok(of_user(name).into_iter().collect()),
            SettingsFile::Profiles(ending) => of_user("").map_or(Ok(Vec::new()), |folder| folder.ending_in(ending)),
            SettingsFile::Machine(file) => {
                let given = file.variable.and_then(|name| environment.machine?.of_agents.get(name));
                let given = given.map(PathBuf::as_path).filter(|path| !path.as_os_str().is_empty());
                Ok(vec![Self::elsewhere(given.unwrap_or(Path::new(file.path())))])
            }
        }
    }

    /// The files of this folder with an ending. Why it can't be listed.
    fn ending_in(&self, ending: &str) -> Result<Vec<Self>, String> {
        let unlisted =
            |error: &std::io::Error| format!("`{}` can't be listed: {}", terminal(&self.shown), reason(error));
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unlisted(&error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.map_err(|error| unlisted(&error))?.file_name();
            // The agent names a profile in Unicode.
            names.extend(name.into_string().ok().filter(|name| name.ends_with(ending)));
        }
        names.sort_unstable();
        let shown = |name: &str| format!("{}/{name}", self.shown.trim_end_matches('/'));
        let place = |name: String| Self { path: self.path.join(&name), shown: shown(&name), base: self.base.clone() };
        Ok(names.into_iter().map(place).collect())
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

    /// The folders around the file that may have been made for it, from the inside.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.path.ancestors().skip(1).take_while(|folder| *folder != self.base && folder.starts_with(&self.base))
    }

    /// The file behind links, by its absolute path.
    pub(super) fn real(&self) -> PathBuf {
        real(&self.path)
    }
}

/// The path without links, as far as something is there.
pub(super) fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let resolved = absolute.ancestors().find_map(|folder| {
        let rest = absolute.strip_prefix(folder).ok().filter(|rest| !rest.as_os_str().is_empty());
        let real = folder.canonicalize().ok()?;
        Some(rest.map_or_else(|| real.clone(), |rest| real.join(rest)))
    });
    resolved.unwrap_or(absolute)
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
