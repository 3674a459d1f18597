//! What judges the agent where this machine keeps it: the program that its hooks run, and settings that a variable of the
//! environment moved. The floor knows them by their usual places only.

use agent_strace_effects::escaped;
use agent_strace_model::finding::RuleId;

use super::floor;
use super::fold::fold;
use super::path::{OwnRule, is_anchored};

/// A file that the agent may not change, and why.
#[derive(Debug, Clone)]
pub(super) struct OwnFile {
    pub(super) rule: RuleId,
    pub(super) why: &'static str,
    pub(super) own: OwnRule,
}

impl OwnFile {
    /// A file of the policy.
    pub(super) fn of_policy(path: &str) -> Self {
        let why = "this file is part of the policy that judges the agent";
        Self { rule: RuleId::FloorPolicy, why, own: OwnRule::of_file(path) }
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
            files.extend(self.names(path).iter().map(|name| OwnFile { rule, why, own: OwnRule::of_file(name) }));
        }
        let (rule, why) = floor::of_settings();
        for path in &self.settings {
            files.extend(self.names(path).iter().map(|name| OwnFile { rule, why, own: OwnRule::of_file(name) }));
        }
        for (folder, path) in &self.folders {
            for (rule, why, rest) in floor::below(folder) {
                let glob = |name: &String| OwnRule::new(&format!("{}/{rest}", escaped(&fold(name))));
                files.extend(self.names(path).iter().map(|name| OwnFile { rule, why, own: glob(name) }));
            }
        }
        files
    }

    fn names(&self, path: &str) -> Vec<String> {
        let below = |folder: &Option<String>| {
            let rest = path.strip_prefix(folder.as_deref()?.trim_end_matches('/'))?.strip_prefix('/')?;
            Some(rest.to_owned()).filter(|rest| !rest.is_empty())
        };
        let at_home = below(&self.home).map(|rest| format!("~/{rest}"));
        [Some(path.trim_end_matches('/').to_owned()), at_home, below(&self.root)].into_iter().flatten().collect()
    }
}
