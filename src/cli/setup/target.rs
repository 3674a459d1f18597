//! One file of settings: hooks are written, verified and taken out.

use std::fs;
use std::path::Path;

use super::super::Streams;
use super::super::environment::Environment;
use super::super::failure::{Failure, reason};
use super::super::output;
use super::place::{Place, Scope};
use agent_strace_live::hook_install::{File, HookOptions, Standing};
use agent_strace_report::terminal;

/// The file of an agent, and the hooks that are wanted in it.
pub(super) struct Target<'t> {
    pub(super) place: &'t Place,
    pub(super) options: &'t HookOptions,
    pub(super) scope: Scope,
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

    pub(super) fn write(&self, trust: bool, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        let read = self.read()?;
        let before = read.as_ref().map(|(text, _)| text.clone());
        let file = match read {
            Some((_, file)) => file,
            None => File::read("", self.options.agent).map_err(Failure::new)?,
        };
        let text = file.with(self.options).text();
        if before.as_deref() == Some(text.as_str()) {
            self.tell("the hooks are there already", streams)?;
        } else {
            // What was trusted is another hook now.
            self.distrust()?;
            self.put(self.place, &text)?;
            let count = self.options.agent.hooks.len();
            let shared = match self.scope {
                Scope::User => "",
                Scope::Project => "commit this file and, with the work, `.agent-traces`; ",
            };
            let set = format!("{count} hooks are set; {shared}`agent-strace setup --remove` takes them out");
            self.tell(&set, streams)?;
        }
        if trust && let Some(trusted) = self.trust()? {
            self.tell(&trusted, streams)?;
        }
        let obstacles = self.obstacles();
        if !obstacles.is_empty() {
            self.tell(&obstacles.said(self.options.agent.title), streams)?;
        }
        Ok(false)
    }

    pub(super) fn remove(&self, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        let Some((_, file)) = self.read()? else {
            self.tell("there is no such file", streams)?;
            return Ok(false);
        };
        let count = file.installed().len();
        if count == 0 {
            self.tell("no hooks of ours are there", streams)?;
            return Ok(false);
        }
        self.distrust()?;
        let file = file.without(self.options.agent);
        if file.is_empty() {
            self.delete()?;
        } else {
            self.put(self.place, &file.text())?;
        }
        self.tell(&format!("{count} hooks are taken out"), streams)?;
        Ok(false)
    }

    /// A file that says nothing any more, and folders of the project that held nothing else.
    fn delete(&self) -> Result<(), Failure> {
        let path = &self.place.path;
        fs::remove_file(path)
            .map_err(|error| Failure::new(format!("`{}` can't be removed: {}", self.place.shown, reason(&error))))?;
        if self.scope == Scope::Project {
            let folders = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
            // One that holds something stays, and so do those around it.
            let _ = folders.map(fs::remove_dir).find(Result::is_err);
        }
        Ok(())
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
        if !missing.is_empty() {
            said.push(format!("missing for {missing}"));
        }
        if !differ.is_empty() {
            said.push(format!("other than asked for at {differ}"));
        }
        if !is_found(&self.options.program) {
            said.push(format!("`{}` is not in the search path", terminal(&self.options.program)));
        }
        let obstacles = self.obstacles();
        if !obstacles.is_empty() {
            said.push(obstacles.said(self.options.agent.title));
        }
        let whole = said.is_empty();
        let text = if whole { format!("all {} hooks are set", standing.len()) } else { said.join("; ") };
        self.tell(&text, streams)?;
        Ok(whole)
    }
}

/// Shells would find it.
fn is_found(program: &str) -> bool {
    let program = program.trim_matches(['"', '\'']);
    if program.contains(['/', '\\']) {
        return is_program(Path::new(program));
    }
    let folders =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>()).unwrap_or_default();
    folders.iter().any(|folder| is_program(&folder.join(program)) || is_program(&folder.join(format!("{program}.exe"))))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
