//! What judges the agent where this machine keeps it: the program that its hooks run, and settings that a variable of the
//! environment moved. The floor knows them by their usual places only.

use agent_strace_effects::escaped;
use agent_strace_model::finding::RuleId;

use super::floor;
use super::fold::fold;
use super::path::{Files, OwnRule, is_anchored};

/// The top of the repository, and the home of the user, as names of folders.
const TOP: &str = ".";
const HOME: &str = "~";

/// A file that the agent may not change, and why.
#[derive(Debug, Clone)]
pub(super) struct OwnFile {
    pub(super) rule: RuleId,
    pub(super) why: &'static str,
    pub(super) own: OwnRule,
    /// The folder that holds it, folded; `.` for the top of the repository.
    folder: String,
}

impl OwnFile {
    /// A file of the policy.
    pub(super) fn of_policy(path: &str) -> Self {
        let why = "this file is part of the policy that judges the agent";
        Self { own: OwnRule::of_file(path), ..Self::at(path, RuleId::FloorPolicy, why) }
    }

    fn at(path: &str, rule: RuleId, why: &'static str) -> Self {
        let (folder, name) = path.rsplit_once('/').unwrap_or((TOP, path));
        Self::below(folder, &escaped(&fold(name)), rule, why)
    }

    /// The files of a folder that a glob names in it.
    fn below(folder: &str, glob: &str, rule: RuleId, why: &'static str) -> Self {
        let folder = fold(folder).into_owned();
        // At the top of a home or a repository, a name says nothing of files in other folders.
        let own = match folder.as_str() {
            TOP => OwnRule::in_place(glob),
            HOME => OwnRule::in_place(&format!("{HOME}/{glob}")),
            _ => OwnRule::new(&format!("{}/{glob}", escaped(&folder))),
        };
        Self { rule, why, own, folder }
    }

    /// A pattern spells the folder, and may be the file: `rm FOLDER/*`.
    pub(super) fn is_swept_by(&self, files: &Files<'_>) -> bool {
        self.folder != TOP && files.sweeps_in(&self.folder, &self.own)
    }
}

/// Absolute paths of this machine, with `/` between their parts.
#[derive(Debug, Clone, Default)]
pub struct OwnPlaces {
    /// The program that judges.
    pub programs: Vec<String>,
    /// Folders that stand for one of the user's, each with the name of that one: `.claude`.
    pub folders: Vec<(&'static str, String)>,
    /// Files of agents' settings.
    pub settings: Vec<String>,
    /// Paths below the user's home folder are also called `~/…`.
    pub home: Option<String>,
    /// Paths below the top of the repository are relative to it.
    pub root: Option<String>,
}

impl OwnPlaces {
    /// The files, under every name that an effect gives them. `policy`: the files of the policy.
    pub(super) fn files<'p>(&self, policy: impl Iterator<Item = &'p str>) -> Vec<OwnFile> {
        let mut files = Vec::new();
        for path in policy.filter(|path| is_anchored(path)) {
            files.extend(self.names(path).iter().map(|name| OwnFile::of_policy(name)));
        }
        let (rule, why) = floor::of_program();
        for path in &self.programs {
            files.extend(self.names(path).iter().map(|name| OwnFile::at(name, rule, why)));
        }
        let (rule, why) = floor::of_settings();
        for path in &self.settings {
            files.extend(self.names(path).iter().map(|name| OwnFile::at(name, rule, why)));
        }
        for (folder, path) in &self.folders {
            for name in self.names(path) {
                // At the top of a home or a repository, other files have the names that a wildcard matches.
                let counts =
                    |rest: &str| !matches!(name.as_str(), TOP | HOME) || !rest.contains('/') && !rest.starts_with('*');
                let rows = floor::below(folder).filter(|(_, _, rest)| counts(rest));
                files.extend(rows.map(|(rule, why, rest)| OwnFile::below(&name, rest, rule, why)));
            }
        }
        files
    }

    fn names(&self, path: &str) -> Vec<String> {
        let path = path.trim_end_matches('/');
        let below = |folder: &Option<String>| {
            let rest = path.strip_prefix(folder.as_deref()?.trim_end_matches('/'))?;
            if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
        };
        let at_home =
            below(&self.home).map(|rest| if rest.is_empty() { HOME.to_owned() } else { format!("{HOME}/{rest}") });
        let at_root = below(&self.root).map(|rest| if rest.is_empty() { TOP.to_owned() } else { rest.to_owned() });
        [Some(path.to_owned()), at_home, at_root].into_iter().flatten().collect()
    }
}
