//! Which of the sessions that were found are wanted.

use std::path::{Component, Path, PathBuf};

use clap::Args;

use super::environment::Environment;
use super::failure::{Failure, reason};
use super::since::{self, Since};
use agent_strace_ingest::Reading;
use agent_strace_ingest::discover;
use agent_strace_model::{Session, moment};
use agent_strace_policy::nearest;

/// Which sessions of those that were found.
#[derive(Debug, Args)]
pub(super) struct WantedArgs {
    /// Only sessions of this agent, e.g. `codex`; repeatable.
    #[arg(long = "agent", value_name = "AGENT")]
    pub(super) agents: Vec<String>,

    /// Only sessions that were active since: `7d`, `12h`, `2w`, a date, or a time with its offset.
    #[arg(long, value_name = "WHEN", value_parser = since::parse)]
    pub(super) since: Option<Since>,

    /// Only sessions that ran in this directory or below it, and those that do not say where they ran.
    #[arg(long, value_name = "DIR")]
    pub(super) project: Option<PathBuf>,
}

/// What a session has to be.
#[derive(Debug, Clone, Default)]
pub(super) struct SessionFilter {
    agents: Vec<String>,
    since: Option<jiff::Timestamp>,
    /// The same directory by its names: as given, and with all links resolved.
    projects: Vec<String>,
    unplaced: Unplaced,
}

/// What happens to sessions that do not say where they ran, where one directory is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Unplaced {
    /// They may have run there.
    #[default]
    Wanted,
    /// They may have run anywhere.
    LeftOut,
}

impl SessionFilter {
    pub(super) fn new(
        args: &WantedArgs,
        now: Option<jiff::Timestamp>,
        environment: Environment,
    ) -> Result<Self, Failure> {
        let since = match args.since {
            None => None,
            Some(since) => {
                let now = now.or_else(|| environment.machine.map(|machine| machine.now));
                let now =
                    now.ok_or_else(|| Failure::new("`--since` needs a clock: say what time it is with `--now`"))?;
                since.moment(now)
            }
        };
        let projects = args.project.as_deref().map_or_else(|| Ok(Vec::new()), names)?;
        Ok(Self { agents: args.agents.clone(), since, projects, unplaced: Unplaced::Wanted })
    }

    /// Only what was done in the repository around the current directory, or in that, unless another one was named.
    pub(super) fn here_at_least(mut self) -> Result<Self, Failure> {
        if self.projects.is_empty() {
            let here = std::path::absolute(".").ok();
            let top = here.as_deref().and_then(discover::repository_around);
            self.projects = names(top.unwrap_or(Path::new(".")))?;
        }
        Ok(self)
    }

    /// Only what ran in this repository, by its own account: of several repositories, a session that does not say where it ran
    /// belongs to none.
    pub(super) fn within(&self, repository: &Path) -> Result<Self, Failure> {
        let (agents, since) = (self.agents.clone(), self.since);
        Ok(Self { agents, since, projects: names(repository)?, unplaced: Unplaced::LeftOut })
    }

    /// What to look for on a machine.
    pub(super) fn on_machine(&self) -> Result<discover::Wanted, Failure> {
        let known: Vec<&str> = discover::agents().into_iter().collect();
        if let Some(agent) = self.agents.iter().find(|agent| !known.contains(&agent.as_str())) {
            let failure = Failure::new(format!("no agent is called `{agent}`"));
            return Err(match nearest(agent, &known) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => failure.hint(format!("known are {}", known.join(", "))),
            });
        }
        Ok(discover::Wanted { agents: self.agents.clone(), since: self.since })
    }

    /// Takes out what is not wanted. What is missing of a log counts only for those who want something of it.
    pub(super) fn apply(&self, reading: &mut Reading<'_>) {
        let any = !reading.sessions.is_empty();
        reading.sessions.retain(|session| self.wants(session));
        if any && reading.sessions.is_empty() {
            reading.gaps.clear();
        }
    }

    pub(super) fn wants(&self, session: &Session<'_>) -> bool {
        let is_agent = |name: &String| **name == *session.agent || name == session.dialect.name;
        (self.agents.is_empty() || self.agents.iter().any(is_agent)) && self.is_recent(session) && self.is_here(session)
    }

    fn is_recent(&self, session: &Session<'_>) -> bool {
        let Some(since) = self.since else { return true };
        let times = || session.events.iter().rev().filter_map(|event| moment(event.time.as_deref()?));
        times().next().is_none() || times().any(|time| time >= since)
    }

    /// What does not say where it was may have been here.
    fn is_here(&self, session: &Session<'_>) -> bool {
        let folders = || folders(session);
        if self.projects.is_empty() || !says_where(session) && self.unplaced == Unplaced::Wanted {
            return true;
        }
        // Paths of a session count from where it began, so it belongs to no other repository that it looked into.
        match session.root.as_deref().filter(|root| self.unplaced == Unplaced::LeftOut && is_whole(root)) {
            Some(root) => self.holds(root) && !self.lies_deeper(root),
            None => folders().any(|folder| self.holds(folder)),
        }
    }

    /// The folder is one of a repository inside of the repository.
    fn lies_deeper(&self, folder: &str) -> bool {
        let around = discover::repository_around(Path::new(folder)).map(plain);
        around.is_some_and(|top| !self.projects.contains(&top) && self.holds(&top))
    }

    fn holds(&self, folder: &str) -> bool {
        let folder = plain(Path::new(folder));
        let below = |project: &String| {
            folder
                .strip_prefix(project.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || project.ends_with('/'))
        };
        self.projects.iter().any(below)
    }
}

/// The directories in which it ran, as far as it names whole paths: a place on another machine, or below a folder that is not
/// named, may be anywhere.
fn folders<'s>(session: &'s Session<'_>) -> impl Iterator<Item = &'s str> {
    let calls = session.calls().filter_map(|(_, call)| call.cwd.as_deref());
    session.root.as_deref().into_iter().chain(calls).filter(|folder| is_whole(folder))
}

/// The session says where it ran.
pub(super) fn says_where(session: &Session<'_>) -> bool {
    folders(session).next().is_some()
}

/// The path of a folder on some system, from its top.
fn is_whole(folder: &str) -> bool {
    folder.starts_with(['/', '\\']) || folder.chars().nth(1) == Some(':')
}

fn names(folder: &Path) -> Result<Vec<String>, Failure> {
    let absolute = std::path::absolute(folder)
        .map_err(|error| Failure::new(format!("`{}` names no directory: {}", folder.display(), reason(&error))))?;
    let real = folder.canonicalize().ok();
    let mut names: Vec<_> = [Some(absolute), real].into_iter().flatten().map(|path| plain(&path)).collect();
    names.dedup();
    Ok(names)
}

/// Without `.` and `..`, with `/` between the parts.
fn plain(path: &Path) -> String {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    let text = parts.to_string_lossy().replace('\\', "/");
    if text.len() > 1 { text.trim_end_matches('/').to_owned() } else { text }
}
