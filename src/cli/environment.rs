//! The environment of a command, read once. Everything else depends on its arguments alone.

use std::borrow::Cow;
use std::collections::BTreeMap;
#[cfg(feature = "telemetry")]
use std::fmt;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use super::failure::Failure;
use agent_strace_ingest::discover;
#[cfg(feature = "live")]
use agent_strace_live::hook_events;

/// Longer lines are hard to read, however wide the terminal is.
const WIDEST: usize = 120;

/// The default is for tests and other programs: no colour, no progress, not in CI.
#[derive(Debug, Clone, Copy, Default)]
pub struct Environment<'a> {
    /// Standard output is a terminal that takes colours.
    pub(crate) colour: bool,
    /// Standard output is a terminal that shows more than ASCII.
    pub(crate) unicode: bool,
    /// Columns of the terminal that standard output is; `None`: it is none, and lines are not broken.
    pub(crate) width: Option<usize>,
    /// Standard error is a terminal, so progress is shown.
    pub(crate) progress: bool,
    /// Standard input and standard error are terminals, so the user can be asked.
    pub(crate) interactive: bool,
    /// The run is part of continuous integration, where a missing policy is an error.
    pub(crate) ci: bool,
    /// The machine; `None`: it must not be inspected.
    pub(crate) machine: Option<&'a Machine>,
}

/// The machine: the folders of agents' logs, the time, and variables of the environment.
#[derive(Debug)]
pub struct Machine {
    pub(crate) homes: discover::Machine,
    pub(crate) now: jiff::Timestamp,
    /// The variables by which a forge describes a job, by name.
    pub(crate) ci: BTreeMap<&'static str, String>,
    /// Where a job of GitHub Actions keeps its summary.
    pub(crate) step_summary: Option<PathBuf>,
    /// The variables by which agents name the project to their hooks, and users the folders of agents, by name.
    #[cfg(feature = "live")]
    pub(crate) of_agents: BTreeMap<&'static str, PathBuf>,
    /// The user, the home folder and the host name.
    pub(crate) people: Vec<(IdentityKind, String)>,
    /// Where telemetry goes, for exports that ask for it.
    #[cfg(feature = "telemetry")]
    pub(crate) exporters: Exporters,
}

/// Addresses and credentials by the name of their variable. They are never shown.
#[cfg(feature = "telemetry")]
#[derive(Default)]
pub(crate) struct Exporters(BTreeMap<&'static str, String>);

#[cfg(feature = "telemetry")]
impl fmt::Debug for Exporters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Exporters")
    }
}

/// Those of exporters of OpenTelemetry, and of Langfuse.
#[cfg(feature = "telemetry")]
const EXPORTER_VARIABLES: &[&str] = &[
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "LANGFUSE_HOST",
    "LANGFUSE_PUBLIC_KEY",
    "LANGFUSE_SECRET_KEY",
];

/// The meaning of a name in the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdentityKind {
    Home,
    User,
    Host,
}

/// The variables that `--policy-ref auto` reads. Jobs can't set any of them for later steps.
const CI_VARIABLES: &[&str] = &[
    "GITHUB_ACTIONS",
    "GITHUB_EVENT_NAME",
    "GITHUB_EVENT_PATH",
    "GITHUB_REF",
    "GITHUB_REPOSITORY",
    "GITHUB_SERVER_URL",
    "GITHUB_SHA",
    "GITLAB_CI",
    "CI_COMMIT_BEFORE_SHA",
    "CI_COMMIT_BRANCH",
    "CI_COMMIT_SHA",
    "CI_COMMIT_TAG",
    "CI_DEFAULT_BRANCH",
    "CI_MERGE_REQUEST_DIFF_BASE_SHA",
    "CI_MERGE_REQUEST_EVENT_TYPE",
    "CI_MERGE_REQUEST_PROJECT_ID",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA",
    "CI_MERGE_REQUEST_SOURCE_PROJECT_ID",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    "CI_MERGE_REQUEST_TARGET_BRANCH_SHA",
    "CI_PIPELINE_SOURCE",
    "CI_PROJECT_ID",
    "CI_PROJECT_URL",
];

/// Of the environment, and of the system where it keeps a file for that.
fn people() -> Vec<(IdentityKind, String)> {
    const VARIABLES: &[(&str, IdentityKind)] = &[
        ("HOME", IdentityKind::Home),
        ("USERPROFILE", IdentityKind::Home),
        ("USER", IdentityKind::User),
        ("LOGNAME", IdentityKind::User),
        ("USERNAME", IdentityKind::User),
        ("HOSTNAME", IdentityKind::Host),
        ("COMPUTERNAME", IdentityKind::Host),
    ];
    let variables = VARIABLES.iter().filter_map(|(name, what)| Some((*what, std::env::var(name).ok()?)));
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok().map(|name| (IdentityKind::Host, name));
    variables.chain(host).collect()
}

impl Machine {
    /// Of this process: variables like `HOME` and those that name agents' folders, the current directory, the clock.
    pub fn of_process() -> Self {
        let value = |name| Some((name, PathBuf::from(std::env::var_os(name)?)));
        let variables = discover::variables().into_iter().filter_map(value).collect();
        let homes = discover::Machine { variables, project: PathBuf::new() };
        let step_summary = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()).map(PathBuf::from);
        let told = |name: &&'static str| Some((*name, std::env::var(*name).ok().filter(|value| !value.is_empty())?));
        let ci = CI_VARIABLES.iter().filter_map(told).collect();
        Self {
            homes,
            now: jiff::Timestamp::now(),
            ci,
            step_summary,
            #[cfg(feature = "live")]
            of_agents: hook_events::AGENTS.iter().flat_map(hook_events::Agent::variables).filter_map(value).collect(),
            people: people(),
            #[cfg(feature = "telemetry")]
            exporters: Exporters(EXPORTER_VARIABLES.iter().filter_map(told).collect()),
        }
    }
}

impl<'a> Environment<'a> {
    /// A variable that says where telemetry goes.
    #[cfg(feature = "telemetry")]
    pub(super) fn exporter(self, name: &str) -> Option<&'a str> {
        self.machine?.exporters.0.get(name).map(String::as_str)
    }

    /// The address of the repository on its forge, from the variables of the job.
    pub(super) fn repository(self) -> Option<String> {
        let value = |name: &str| self.machine?.ci.get(name).map(String::as_str);
        let of_github = || Some(format!("{}/{}", value("GITHUB_SERVER_URL")?, value("GITHUB_REPOSITORY")?));
        let address = value("CI_PROJECT_URL").map(str::to_owned).or_else(of_github)?;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/:".contains(&byte);
        (address.starts_with("https://") && address.bytes().all(plain)).then_some(address)
    }

    /// Where agents keep their logs, with Claude Code's folder where the user says.
    pub(super) fn homes(self, claude: Option<&Path>) -> Result<Cow<'a, discover::Machine>, Failure> {
        let Some(machine) = self.machine else {
            return Err(Failure::new("there is no machine to look for logs on"));
        };
        let Some(claude) = claude else { return Ok(Cow::Borrowed(&machine.homes)) };
        let mut homes = machine.homes.clone();
        homes.variables.insert("CLAUDE_CONFIG_DIR", claude.to_path_buf());
        Ok(Cow::Owned(homes))
    }

    /// Text for standard output, with lines as long as the terminal takes them.
    pub(super) fn fitted(self, text: String) -> String {
        match self.width {
            Some(width) => agent_strace_report::wrapped(&text, width),
            None => text,
        }
    }

    /// Wraps text about a policy, of which every line may be broken.
    pub(super) fn fitted_rows(self, text: String) -> String {
        match self.width {
            Some(width) => agent_strace_report::wrapped_rows(&text, width),
            None => text,
        }
    }

    /// Adds the machine.
    #[must_use]
    pub fn on(self, machine: &'a Machine) -> Self {
        Self { machine: Some(machine), ..self }
    }

    /// Of this process: `CI`, `NO_COLOR`, and whether standard output is a terminal.
    pub fn of_process() -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let off = std::env::var_os("CI").is_some_and(|value| value == "false" || value == "0");
        // The first one that is set decides.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| std::env::var(name).ok());
        let locale = locale.unwrap_or_default().to_ascii_lowercase();
        Self {
            unicode: std::io::stdout().is_terminal() && (locale.ends_with("utf-8") || locale.ends_with("utf8")),
            colour: std::io::stdout().is_terminal() && !set("NO_COLOR"),
            width: terminal_size::terminal_size_of(std::io::stdout())
                .map(|(width, _)| usize::from(width.0).min(WIDEST)),
            progress: std::io::stderr().is_terminal(),
            interactive: std::io::stdin().is_terminal() && std::io::stderr().is_terminal(),
            ci: set("CI") && !off,
            machine: None,
        }
    }
}
