//! Where this machine keeps what judges an agent: the program of the hooks, and settings that variables moved.

use std::path::{Path, PathBuf};

use super::environment::{Environment, IdentityKind};
use agent_strace_ingest::discover::repository_around;
use agent_strace_live::hook_events::AGENTS;
use agent_strace_policy::OwnPlaces;

/// The places, as the current directory belongs to the judged repository.
pub(super) fn own_places(environment: Environment) -> OwnPlaces {
    let machine = environment.machine;
    let moved = |name: &str| machine?.of_agents.get(name).filter(|path| !path.as_os_str().is_empty());
    let mut places = OwnPlaces { programs: programs(), ..OwnPlaces::default() };
    for agent in AGENTS {
        // A folder below that of the variable has its usual name.
        let folder = agent.folder.variable.filter(|_| agent.folder.below_variable.is_empty()).and_then(moved);
        let folders = folder.into_iter().flat_map(|path| names(path));
        places.folders.extend(folders.map(|path| (agent.folder.below_home, path)));
        places.settings.extend(agent.file_variables().filter_map(moved).flat_map(|path| names(path)));
    }
    let people = machine.map(|machine| machine.people.as_slice()).unwrap_or_default();
    places.home = people.iter().find(|(kind, _)| *kind == IdentityKind::Home).map(|(_, home)| slashed(Path::new(home)));
    let here = std::env::current_dir().ok();
    places.root = here.as_deref().map(|here| slashed(repository_around(here).unwrap_or(here)));
    places
}

/// This program, as it was called, as the search path has it, and behind links.
fn programs() -> Vec<String> {
    let called = std::env::args_os().next().map(PathBuf::from);
    let is_path = |called: &PathBuf| called.components().count() > 1;
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = called
        .as_ref()
        .filter(|called| !is_path(called))
        .and_then(|name| std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file()));
    let paths = [std::env::current_exe().ok(), called.filter(is_path), found];
    let mut names: Vec<String> = paths.iter().flatten().flat_map(|path| names(path)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A path as it is given, and behind links.
fn names(path: &Path) -> Vec<String> {
    let absolute = std::path::absolute(path).ok();
    let real = path.canonicalize().ok().filter(|real| Some(real) != absolute.as_ref());
    [absolute, real].iter().flatten().map(|path| slashed(path)).collect()
}

fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.trim_start_matches(r"\\?\").replace('\\', "/") } else { text.into_owned() }
}
