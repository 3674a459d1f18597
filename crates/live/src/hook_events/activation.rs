//! What decides whether an agent runs hooks that its settings name: the folder of its user, trust, and settings that switch
//! hooks off.

/// The folder in which an agent keeps the settings of its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserFolder {
    /// The variable that names another place.
    pub variable: Option<&'static str>,
    /// The folder below that place; empty: it is that place.
    pub below_variable: &'static str,
    pub below_home: &'static str,
}

/// What an agent asks its user for before it runs a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Nothing.
    NotNeeded,
    /// A folder, for hooks of a project; it is not known where the answer is kept.
    Unknown,
    /// A folder, for hooks of a project, and the digest of each hook; both in the TOML file `config.toml` (Codex).
    Digests,
    /// A folder, for hooks of a project: in the list `trustedFolders` of `config.json` (Copilot).
    FolderList,
    /// A folder, for hooks of a project: in the map of `trustedFolders.json`, unless `security.folderTrust.enabled` of
    /// `settings.json` is false. The variable names another such file, the other one decides for a run.
    FolderLevels { is_default: bool, file_variable: &'static str, run_variable: Option<&'static str> },
}

/// A setting that keeps an agent from running hooks.
#[derive(Debug, PartialEq, Eq)]
pub struct Switch {
    pub file: SettingsFile,
    /// The way to its value; `*` is any member.
    pub keys: &'static [&'static str],
    pub off: Off,
}

/// A file of settings, JSON or by its ending TOML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsFile {
    /// Below the project.
    Project(&'static str),
    /// Below the agent's folder of the user.
    User(&'static str),
    /// All files below the agent's folder of the user with this ending: profiles, of which a session may have one.
    Profiles(&'static str),
    /// For all users of a machine.
    Machine(MachineFile),
}

/// Where the settings for all users of a machine are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MachineFile {
    /// The variable that names another file.
    pub variable: Option<&'static str>,
    linux: &'static str,
    macos: &'static str,
    windows: &'static str,
}

impl MachineFile {
    /// Where they are on this system.
    pub fn path(&self) -> &'static str {
        if cfg!(windows) {
            self.windows
        } else if cfg!(target_os = "macos") {
            self.macos
        } else {
            self.linux
        }
    }
}

pub(super) const fn machine(
    variable: Option<&'static str>,
    linux: &'static str,
    macos: &'static str,
    windows: &'static str,
) -> SettingsFile {
    SettingsFile::Machine(MachineFile { variable, linux, macos, windows })
}

/// The value with which a setting keeps hooks from running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Off {
    True,
    False,
    /// A list of commands that do not run.
    Listed,
}

pub(super) const fn off(file: SettingsFile, keys: &'static [&'static str], off: Off) -> Switch {
    Switch { file, keys, off }
}
