//! Where the project is that an agent works on: its store and its policy lie there, wherever the agent has gone since.

use std::path::{Path, PathBuf};

use super::super::environment::Machine;
use super::super::policy_file;
use agent_strace_live::hook_events::Agent;

/// Returns the project that the host names, or the top of the repository around it where the policy lies there; else the top of the repository that holds the policy, which no command moves;
/// else the top of the repository that the hook runs in; else where it runs.
pub(super) fn root(agent: &Agent, machine: Option<&Machine>, cwd: Option<&str>) -> PathBuf {
    let told = agent.variable.and_then(|name| machine?.of_agents.get(name)).filter(|path| path.is_dir());
    told.map_or_else(|| around(cwd), |told| project_of(told))
}

/// An agent that was started in a folder of a repository names that folder. The policy of the repository judges it there too,
/// unless the folder has one of its own.
fn project_of(named: &Path) -> PathBuf {
    let real = named.canonicalize().unwrap_or_else(|_| named.to_path_buf());
    let top = real.ancestors().find(|folder| has(folder, ".git"));
    let top = top.filter(|top| has(top, policy_file::DEFAULT) && !has(named, policy_file::DEFAULT));
    top.unwrap_or(named).to_path_buf()
}

/// The same, whatever an agent says.
pub(in crate::cli) fn around(cwd: Option<&str>) -> PathBuf {
    let here = std::env::current_dir().ok().or_else(|| cwd.map(PathBuf::from)).unwrap_or_else(|| PathBuf::from("."));
    top_of(&here).map_or_else(|| here.clone(), Path::to_path_buf)
}

/// A repository in the repository, which an agent may have made, has no policy.
fn top_of(here: &Path) -> Option<&Path> {
    let mut tops = here.ancestors().filter(|folder| has(folder, ".git"));
    let judged = tops.clone().find(|folder| has(folder, policy_file::DEFAULT));
    judged.or_else(|| tops.next())
}

fn has(folder: &Path, name: &str) -> bool {
    folder.join(name).symlink_metadata().is_ok()
}
