//! Build systems and package managers: the files that show that a repository uses one, and its usual commands.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

const DATA: &str = include_str!("ecosystems.json");

/// A build system or package manager.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ecosystem {
    pub name: String,
    /// Names of files that only its projects have, `*` for any beginning.
    pub files: Vec<String>,
    pub or: Option<Fallback>,
    /// Other files that its projects always have.
    #[serde(default)]
    pub beside: Vec<String>,
    /// Hosts of its packages, as symbols.
    pub registries: Vec<String>,
    pub rules: Vec<Rule>,
    /// Commands that no policy may allow because of the rules.
    pub refused: Vec<String>,
}

/// A file that shows the ecosystem where the files of others are missing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fallback {
    pub file: String,
    pub without: Vec<String>,
}

/// Commands with one purpose.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub id: String,
    #[serde(default)]
    pub is: Use,
    /// `match.exec` of a rule.
    pub exec: Value,
    pub examples: Vec<String>,
}

/// The purpose of commands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    #[default]
    Work,
    /// It starts programs that were built here.
    Run,
    /// Other people's code is fetched and may run.
    Packages,
    /// It publishes artifacts that were built here: policies refuse it.
    Release,
    /// The command itself brings the code that runs: policies refuse it.
    Foreign,
}

impl Use {
    /// Policies refuse such commands.
    pub fn is_refused(self) -> bool {
        matches!(self, Self::Release | Self::Foreign)
    }
}

impl Rule {
    /// The commands, in one line.
    pub fn description(&self, ecosystem: &str) -> String {
        let do_what = match self.is {
            Use::Work => "build, test and format the project",
            Use::Run => "start a program of the project, or of its packages",
            Use::Packages => "add, fetch or remove packages",
            Use::Release => "publish or deploy what was made here",
            Use::Foreign => "bring the code that they run",
        };
        let such_as = self.examples.first().map_or_else(String::new, |example| format!(", such as `{example}`"));
        format!("commands of {ecosystem} that {do_what}{such_as}")
    }

    /// The reason for a rule that allows or refuses the commands.
    pub fn summary(&self, ecosystem: &str) -> String {
        match self.is {
            Use::Work => format!("building, testing and formatting with {ecosystem} runs code of the project"),
            Use::Run => format!("{ecosystem} starts a program of the project, or of its packages"),
            Use::Packages => format!("{ecosystem} fetches packages, which may bring code of their own"),
            Use::Release => "what was made here is given to others by people".to_owned(),
            Use::Foreign => "the command brings the code that runs: write it into a file of the project".to_owned(),
        }
    }
}

static ALL: LazyLock<Vec<Ecosystem>> = LazyLock::new(|| serde_json::from_str(DATA).unwrap_or_default());

/// All ecosystems, in the order of the table.
pub fn all() -> &'static [Ecosystem] {
    &ALL
}
