//! Repositories, made by the `git` program as everybody has it, with nothing of the machine's own settings.

use std::path::Path;
use std::process::Command;

use crate::world::World;

pub(crate) const DATE: &str = "2026-02-20T12:00:00Z";
/// The date in seconds since the epoch.
pub(crate) const DATE_SECONDS: i64 = 1_771_588_800;

/// A repository in a folder of the world.
pub(crate) struct Repository<'w> {
    pub(crate) world: &'w World,
    pub(crate) folder: String,
}

impl<'w> Repository<'w> {
    pub(crate) fn new(world: &'w World, folder: &str) -> Self {
        world.write(&format!("{folder}/.keep"), "");
        let repository = Self { world, folder: folder.to_owned() };
        repository.git(&["init", "-q", "-b", "main"]);
        repository
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        git(&self.world.path().join(&self.folder), DATE, args)
    }

    /// Runs a script of the shell as a developer here would: whether it went well, and what it printed.
    #[expect(clippy::disallowed_methods, reason = "scripts run git as agents and developers do")]
    pub(crate) fn sh(&self, script: &str) -> (bool, String) {
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(self.world.path().join(&self.folder));
        command.env("GIT_AUTHOR_DATE", DATE).env("GIT_COMMITTER_DATE", DATE);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_EDITOR", "true");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Dana Moreau").env(format!("GIT_{role}_EMAIL"), "dana@example.com");
        }
        let output = command.output().expect("a shell is needed");
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        (output.status.success(), text)
    }

    pub(crate) fn file(&self, path: &str, text: &str) -> &Self {
        self.world.write(&format!("{}/{path}", self.folder), text);
        self
    }

    pub(crate) fn commit(&self, message: &str) -> &Self {
        self.git(&["add", "-A", "-f"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self
    }
}

#[expect(clippy::disallowed_methods, reason = "repositories are made by the program that everybody makes them with")]
pub(crate) fn git(folder: &Path, date: &str, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Dana Moreau", "-c", "user.email=dana@example.com", "-c", "commit.gpgsign=false"]);
    command.args(["-c", "protocol.file.allow=always"]).args(args).current_dir(folder);
    command.env("GIT_AUTHOR_DATE", date).env("GIT_COMMITTER_DATE", date);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().expect("git is needed");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
