//! One file of settings: hooks are written, verified and taken out.

use std::fs;

use super::super::Streams;
use super::super::environment::Environment;
use super::super::failure::{Failure, reason};
use super::super::output;
use super::place::{Place, Scope, project};
use super::program;
use agent_strace_live::hook_install::{File, HookOptions, Standing};
use agent_strace_report::terminal;

/// The file of an agent, and the hooks that are wanted in it.
pub(super) struct Target<'t> {
    pub(super) place: &'t Place,
    pub(super) options: &'t HookOptions,
    pub(super) scope: Scope,
    /// The agent is to trust the hooks.
    pub(super) trust: bool,
    pub(super) environment: Environment<'t>,
}

impl Target<'_> {
    pub(super) fn read(&self) -> Result<Option<(String, File)>, Failure> {
        let unusable = |why: String| Failure::new(format!("`{}` can't be edited: {why}", terminal(&self.place.shown)));
        let Some(text) = self.place.read().map_err(unusable)? else { return Ok(None) };
        let file = File::read(&text, self.options.agent).map_err(unusable)?;
        Ok(Some((text, file)))
    }

    pub(super) fn put(&self, place: &Place, text: &str) -> Result<(), Failure> {
        // Users keep their own settings elsewhere at times; what a project links to is not followed.
        let is_of_project = self.scope == Scope::Project && place.path == self.place.path;
        let real = if is_of_project { None } else { place.path.canonicalize().ok() };
        let path = real.as_deref().unwrap_or(&place.path);
        let permissions = fs::metadata(path).ok().map(|found| found.permissions());
        output::write_with_folder(path, text)?;
        match permissions.map(|permissions| fs::set_permissions(path, permissions)) {
            Some(Err(error)) => {
                Err(Failure::new(format!("`{}` has new permissions now: {}", place.shown, reason(&error))))
            }
            _ => Ok(()),
        }
    }

    fn tell(&self, what: &str, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let (name, shown) = (self.options.agent.name, terminal(&self.place.shown));
        output::print(streams.stdout, &format!("{name}: {shown}: {what}\n"))
    }

    /// The command that does something else with the same hooks.
    pub(super) fn command(&self, verb: &str) -> String {
        let mut words = vec![format!("agent-strace setup {verb} --agent {}", self.options.agent.name)];
        if self.scope == Scope::User {
            words.push("--global".to_owned());
        }
        if verb != "--remove" {
            words.extend(self.options.options.iter().chain(&self.options.of_calls).cloned());
            let program = Some(&self.options.program).filter(|program| *program != "agent-strace");
            words.extend(program.map(|program| format!("--program {}", super::quoted(program))));
        }
        terminal(&words.join(" "))
    }

    /// Everything is worked out before the first file is written.
    pub(super) fn write(&self, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        let (before, file) = match self.read()? {
            Some((text, file)) => (Some(text), file),
            None => (None, File::absent(self.options.agent)),
        };
        if let Some(name) = file.twice() {
            let failure = Failure::new(format!("`{}` {}", terminal(&self.place.shown), is_twice(&name)));
            return Err(failure.hint("leave one of them; nothing was written"));
        }
        let installed = file.installed();
        let file = file.with(self.options);
        let text = file.text();
        let is_there = before.as_deref() == Some(text.as_str());
        // What was trusted is another hook now.
        let outdated = if is_there { &[][..] } else { &installed };
        let change = self.trust_change(outdated, self.trust.then_some(&file))?;
        if is_there {
            self.tell("the hooks are there already", streams)?;
        } else {
            self.put(self.place, &text)?;
            let count = self.options.agent.hooks.len();
            let shared = match self.scope {
                Scope::User => "",
                Scope::Project => "commit this file and, with the work, `.agent-traces`; ",
            };
            let set = format!("{count} hooks are set; {shared}`{}` removes them", self.command("--remove"));
            self.tell(&set, streams)?;
        }
        if let Some(said) = self.change(change)? {
            self.tell(&said, streams)?;
        }
        let obstacles = self.obstacles();
        if !obstacles.is_empty() {
            self.tell(&self.said_of(&obstacles), streams)?;
        }
        if self.trust && self.cannot_trust() {
            self.tell(&self.untold_trust(), streams)?;
        }
        Ok(false)
    }

    pub(super) fn remove(&self, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        let Some((_, file)) = self.read()? else {
            self.tell("nothing to remove: there is no such file", streams)?;
            return Ok(false);
        };
        let installed = file.installed();
        if installed.is_empty() {
            self.tell("nothing to remove: no hook in it runs agent-strace", streams)?;
            return Ok(false);
        }
        self.change(self.trust_change(&installed, None)?)?;
        self.put_or_delete(self.place, file.without(self.options.agent).map(|file| file.text()).as_deref())?;
        self.tell(&format!("{} hooks are removed", installed.len()), streams)?;
        Ok(false)
    }

    /// Writes a file, or deletes it where nothing is left of it, with the folders that held nothing else.
    pub(super) fn put_or_delete(&self, place: &Place, text: Option<&str>) -> Result<(), Failure> {
        if let Some(text) = text {
            return self.put(place, text);
        }
        fs::remove_file(&place.path)
            .map_err(|error| Failure::new(format!("`{}` can't be removed: {}", place.shown, reason(&error))))?;
        // One that holds something stays, and so do those around it.
        let _ = place.folders().map(fs::remove_dir).find(Result::is_err);
        Ok(())
    }

    /// A variable as the agent's hooks have it.
    fn value_of(&self, name: &str) -> Option<String> {
        let of_project = self.options.agent.variable.filter(|variable| *variable == name);
        of_project.map(|_| project().to_string_lossy().into_owned()).or_else(|| program::from_environment(name))
    }

    pub(super) fn verify(&self, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        let Some((_, file)) = self.read()? else {
            self.tell("no hooks: there is no such file", streams)?;
            return Ok(false);
        };
        let standing = file.standing(self.options);
        let named = |wanted: Standing| {
            let events = standing.iter().filter(|(_, standing)| *standing == wanted).map(|(event, _)| *event);
            events.collect::<Vec<_>>().join(", ")
        };
        let (missing, differ) = (named(Standing::Missing), named(Standing::Differs));
        let mut said = Vec::new();
        said.extend(file.twice().map(|name| is_twice(&name)));
        if !missing.is_empty() {
            said.push(format!("missing for {missing}"));
        }
        if !differ.is_empty() {
            said.push(format!("not as asked for at {differ}: another command, option or matcher"));
        }
        said.extend(program::fault(&self.options.program, &|name| self.value_of(name)));
        let obstacles = self.obstacles();
        if !obstacles.is_empty() {
            said.push(self.said_of(&obstacles));
        }
        let whole = said.is_empty();
        if whole {
            said.push(format!("all {} hooks are set", standing.len()));
            said.extend(self.cannot_trust().then(|| self.untold_trust()));
        }
        let text = said.join("; ");
        self.tell(&text, streams)?;
        Ok(whole)
    }
}

fn is_twice(name: &str) -> String {
    format!("has `{}` more than once, and agents read one of them", terminal(name))
}
