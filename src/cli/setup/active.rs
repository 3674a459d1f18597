//! Whether an agent runs the hooks that its settings name: settings that switch hooks off, and the trust of its user.

use std::path::Path;

use super::super::failure::Failure;
use super::place::{Place, Scope, here, main_work_tree, project, real};
use super::target::Target;
use agent_strace_live::hook_events::{SettingsFile, Switch, Trust};
use agent_strace_live::hook_install::{
    File, FolderTrust, HookTrust, InstalledHook, TrustFile, asks_for_folders, is_off,
};
use agent_strace_report::terminal;

/// What keeps the agent from running the hooks, a clause each.
#[derive(Debug, Default)]
pub(super) struct Obstacles {
    pub(super) switches: Vec<String>,
    pub(super) trust: Vec<String>,
}

/// The file in which the agent keeps what its user trusts, as it is going to be.
pub(super) struct TrustChange {
    place: Place,
    /// `None`: nothing is left of it.
    text: Option<String>,
    said: Option<String>,
}

impl Obstacles {
    pub(super) fn is_empty(&self) -> bool {
        self.switches.is_empty() && self.trust.is_empty()
    }
}

impl Target<'_> {
    pub(super) fn obstacles(&self) -> Obstacles {
        Obstacles { switches: self.switched_off(), trust: self.untrusted() }
    }

    /// One line.
    pub(super) fn said_of(&self, obstacles: &Obstacles) -> String {
        let clauses: Vec<&str> = obstacles.switches.iter().chain(&obstacles.trust).map(String::as_str).collect();
        let trusts = || format!("; `{}` trusts them", self.command("--write --trust"));
        let way_out = if obstacles.trust.is_empty() { String::new() } else { trusts() };
        format!("{} does not run them: {}{way_out}", self.options.agent.title, clauses.join("; "))
    }

    /// The agent runs hooks of a project only where its user trusts the folder, and keeps that in a place that is not known.
    pub(super) fn cannot_trust(&self) -> bool {
        self.options.agent.trust == Trust::Unknown && self.scope == Scope::Project
    }

    pub(super) fn untold_trust(&self) -> String {
        let title = self.options.agent.title;
        format!("{title} runs them only in a folder that its user trusts, which can't be checked or set here")
    }

    fn switched_off(&self) -> Vec<String> {
        let mut said = Vec::new();
        for switch in self.options.agent.switches {
            if matches!(switch.file, SettingsFile::Project(_)) && self.scope == Scope::User {
                continue;
            }
            match Place::each(switch.file, self.options.agent, self.environment) {
                Ok(places) => said.extend(places.iter().filter_map(|place| self.switched_off_in(switch, place))),
                Err(why) => said.push(why),
            }
        }
        said.dedup();
        said
    }

    fn switched_off_in(&self, switch: &Switch, place: &Place) -> Option<String> {
        let shown = terminal(&place.shown);
        let is_off = match place.read() {
            Ok(None) => Ok(false),
            Ok(Some(text)) => is_off(switch, &text, self.options),
            Err(why) => Err(why),
        };
        match is_off {
            Ok(false) => None,
            Ok(true) => Some(format!("`{}` in `{shown}` switches hooks off", switch.keys.join("."))),
            Err(why) => Some(format!("`{shown}` can't be read: {why}")),
        }
    }

    fn untrusted(&self) -> Vec<String> {
        let said = match self.options.agent.trust {
            Trust::NotNeeded | Trust::Unknown => Ok(Vec::new()),
            Trust::Digests => self.without_digest(),
            Trust::FolderList | Trust::FolderLevels { .. } => self.untrusted_folder(),
        };
        said.unwrap_or_else(|failure| vec![failure.summary().to_owned()])
    }

    fn without_digest(&self) -> Result<Vec<String>, Failure> {
        let place = self.trust_place()?;
        let shown = terminal(&place.shown);
        let unreadable = |why: String| Failure::new(format!("`{shown}` can't be read: {why}"));
        let text = place.read().map_err(unreadable)?.unwrap_or_default();
        let file = TrustFile::read(&text).map_err(unreadable)?;
        let mut said = Vec::new();
        if self.scope == Scope::Project && !file.trusts_folder(&names_of_project()) {
            said.push(format!("this project is not trusted in `{shown}`"));
        }
        let installed = self.read()?.map(|(_, file)| file.as_wanted(self.options)).unwrap_or_default();
        let hooks = self.hook_trusts(&installed);
        let missing = hooks.iter().filter(|hook| !file.trusts(hook)).count();
        if missing > 0 {
            said.push(format!("{missing} of {} hooks are set, but not trusted in `{shown}`", hooks.len()));
        }
        Ok(said)
    }

    fn untrusted_folder(&self) -> Result<Vec<String>, Failure> {
        if self.scope == Scope::User || !self.asks()? {
            return Ok(Vec::new());
        }
        let place = self.trust_place()?;
        let shown = terminal(&place.shown);
        let unreadable = |why: String| Failure::new(format!("`{shown}` can't be read: {why}"));
        let text = place.read().map_err(unreadable)?.unwrap_or_default();
        let is_trusted = self.folder_trust().trusts(&text, &here(), &real).map_err(unreadable)?;
        Ok(if is_trusted { Vec::new() } else { vec![format!("this folder is not trusted in `{shown}`")] })
    }

    /// Whether the agent asks for trust in folders.
    fn asks(&self) -> Result<bool, Failure> {
        let Trust::FolderLevels { is_default, run_variable, .. } = self.options.agent.trust else { return Ok(true) };
        match run_variable.and_then(|name| self.variable(name)).as_deref() {
            Some("true") => return Ok(false),
            Some("false") => return Ok(true),
            _ => {}
        }
        let place = Place::of_user(self.options.agent, "settings.json", self.environment)?;
        let read = place.read().and_then(|text| asks_for_folders(&text.unwrap_or_default(), is_default));
        read.map_err(|why| Failure::new(format!("`{}` can't be read: {why}", terminal(&place.shown))))
    }

    fn variable(&self, name: &str) -> Option<String> {
        let value = self.environment.machine?.of_agents.get(name)?;
        value.to_str().filter(|value| !value.is_empty()).map(str::to_owned)
    }

    fn folder_trust(&self) -> FolderTrust {
        if self.options.agent.trust == Trust::FolderList { FolderTrust::List } else { FolderTrust::Levels }
    }

    /// The file in which the agent keeps what its user trusts.
    fn trust_place(&self) -> Result<Place, Failure> {
        let agent = self.options.agent;
        match agent.trust {
            Trust::FolderLevels { file_variable, .. } => match self.variable(file_variable) {
                Some(path) => Ok(Place::elsewhere(Path::new(&path))),
                None => Place::of_user(agent, "trustedFolders.json", self.environment),
            },
            Trust::FolderList => Place::of_user(agent, "config.json", self.environment),
            Trust::Digests | Trust::NotNeeded | Trust::Unknown => {
                Place::of_user(agent, "config.toml", self.environment)
            }
        }
    }

    fn hook_trusts(&self, hooks: &[InstalledHook]) -> Vec<HookTrust> {
        HookTrust::of(&self.place.real().to_string_lossy(), hooks)
    }

    /// What changes where the agent keeps what its user trusts: hooks that go are not trusted any more, and those of the
    /// file are, if one is given. A folder stays trusted. `None`: nothing changes.
    pub(super) fn trust_change(
        &self,
        outdated: &[InstalledHook],
        trusted: Option<&File>,
    ) -> Result<Option<TrustChange>, Failure> {
        match self.options.agent.trust {
            Trust::NotNeeded | Trust::Unknown => Ok(None),
            Trust::Digests => self.change_of_digests(outdated, trusted),
            Trust::FolderList | Trust::FolderLevels { .. } => self.change_of_folders(trusted),
        }
    }

    fn change_of_digests(
        &self,
        outdated: &[InstalledHook],
        trusted: Option<&File>,
    ) -> Result<Option<TrustChange>, Failure> {
        let place = self.trust_place()?;
        let unusable = |why: String| Failure::new(format!("`{}` can't be edited: {why}", terminal(&place.shown)));
        let before = place.read().map_err(unusable)?;
        let read = before.as_deref().map(TrustFile::read).transpose().map_err(unusable)?;
        let mut file = read.unwrap_or_else(TrustFile::absent);
        for hook in self.hook_trusts(outdated) {
            file = file.without(&hook).unwrap_or_else(TrustFile::absent);
        }
        let mut said = None;
        if let Some(settings) = trusted {
            let project = project().to_string_lossy().into_owned();
            let mut names = Vec::new();
            if self.scope == Scope::Project && !file.trusts_folder(&names_of_project()) {
                file.trust_folder(&project).map_err(unusable)?;
                names.push(format!("`{}`", terminal(&project)));
            }
            let hooks = self.hook_trusts(&settings.as_wanted(self.options));
            let new: Vec<&HookTrust> = hooks.iter().filter(|hook| !file.trusts(hook)).collect();
            if !new.is_empty() {
                names.push(format!("{} hooks", new.len()));
            }
            for hook in new {
                file.trust(hook).map_err(unusable)?;
            }
            said = (!names.is_empty()).then(|| Self::now_trusted(&place, &names.join(", ")));
        }
        let text = file.exists().then(|| file.text());
        Ok((text != before).then_some(TrustChange { place, text, said }))
    }

    fn change_of_folders(&self, trusted: Option<&File>) -> Result<Option<TrustChange>, Failure> {
        if trusted.is_none() || self.untrusted_folder()?.is_empty() {
            return Ok(None);
        }
        let place = self.trust_place()?;
        let unusable = |why: String| Failure::new(format!("`{}` can't be edited: {why}", terminal(&place.shown)));
        let text = place.read().map_err(unusable)?.unwrap_or_default();
        let project = project().to_string_lossy().into_owned();
        let text = self.folder_trust().with(&text, &project).map_err(unusable)?;
        let said = Self::now_trusted(&place, &format!("`{}`", terminal(&project)));
        Ok(Some(TrustChange { place, text: Some(text), said: Some(said) }))
    }

    fn now_trusted(place: &Place, names: &str) -> String {
        format!("now trusted in `{}`: {names}", terminal(&place.shown))
    }

    /// Makes a change, and says so.
    pub(super) fn change(&self, change: Option<TrustChange>) -> Result<Option<String>, Failure> {
        let Some(TrustChange { place, text, said }) = change else { return Ok(None) };
        self.put_or_delete(&place, text.as_deref())?;
        Ok(said)
    }
}

/// The names under which a project may be trusted: the current directory, its repository, and the one of a work tree.
fn names_of_project() -> Vec<String> {
    let project = project();
    let names = [Some(here()), main_work_tree(&project), Some(project)];
    let text = |path: &Path| path.to_string_lossy().into_owned();
    names.iter().flatten().map(|path| text(path)).collect()
}
