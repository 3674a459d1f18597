//! Who and what started a session, by the keys of `meta.json`.

use super::super::environment::{Environment, IdentityKind};
use super::super::processes::{self, Process};
use agent_strace_live::hook_events::{Agent, HookEvent};
use agent_strace_model::attribution::without_credentials;

pub(super) fn of(agent: &Agent, event: &HookEvent<'_>, environment: Environment) -> Vec<(&'static str, String)> {
    let people = environment.machine.map(|machine| machine.people.as_slice()).unwrap_or_default();
    let person =
        |what: IdentityKind| people.iter().find(|(named, _)| *named == what).map(|(_, value)| value.trim().to_owned());
    let standing =
        event.cwd.as_deref().map(|cwd| agent_strace_git::standing(std::path::Path::new(cwd))).unwrap_or_default();
    let caller = environment.machine.and_then(|_| processes::caller());
    let facts = [
        ("os_user", person(IdentityKind::User)),
        ("hostname", person(IdentityKind::Host)),
        ("agent_provider", Some(agent.name.to_owned())),
        ("agent_version", event.version.as_deref().map(str::to_owned)),
        ("git_repo", standing.remote.map(|remote| without_credentials(remote.into()).into_owned())),
        ("git_branch", standing.branch),
        ("git_commit", standing.commit),
        ("git_top", standing.top),
        ("working_dir", event.cwd.as_deref().map(str::to_owned)),
        ("pid", caller.as_ref().map(|process| process.pid.to_string())),
        ("process_name", caller.as_ref().map(|process| process.name.clone())),
        // A number alone may be another process by the time that somebody sends it a signal.
        ("process_started", caller.as_ref().and_then(Process::moment)),
    ];
    facts.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}
