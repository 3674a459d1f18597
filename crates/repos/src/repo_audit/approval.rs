//! Which tools, MCP servers and hosts may be there, on whose word and until when.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use jiff::civil::Date;

use super::tables::{Tables, Tool};
use agent_strace_policy::Glob;
use agent_strace_policy::config::approved::{Approved, Subject};

/// What is approved. Nothing at all may have been said: then nothing is unapproved either.
#[derive(Debug, Default)]
pub struct Approvals {
    tools: Option<Vec<Approval<&'static Tool>>>,
    servers: Option<Vec<Approval<Glob>>>,
    hosts: Option<Vec<Approval<Glob>>>,
    /// Names of tools, as they were approved, in their order.
    pub shown: Vec<String>,
    /// Approvals whose last day is over.
    pub expired: Vec<Expired>,
}

/// An approval that can't be applied.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct ApprovalError {
    pub what: Wrong,
    /// Its line in the file; 0 where it was given on the command line.
    pub line: u32,
}

#[derive(Debug, thiserror::Error)]
pub enum Wrong {
    #[error("no tool is called `{0}`")]
    Tool(String),
    #[error("`{0}` is no glob of paths")]
    Glob(String),
}

/// An approval that held once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expired {
    pub name: String,
    pub until: Date,
    /// Its line in the file.
    pub line: u32,
}

#[derive(Debug)]
struct Approval<T> {
    what: T,
    /// `None`: everywhere.
    paths: Option<GlobSet>,
}

/// Which files something is about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Whereabouts<'a> {
    File(&'a str),
    /// All that a commit changed.
    Files(&'a [String]),
    /// Nobody can tell.
    Anywhere,
}

impl<T> Approval<T> {
    fn holds_for(&self, files: &Whereabouts<'_>) -> bool {
        let Some(paths) = &self.paths else { return true };
        match files {
            Whereabouts::File(file) => paths.is_match(file),
            Whereabouts::Files(files) => !files.is_empty() && files.iter().all(|file| paths.is_match(file)),
            Whereabouts::Anywhere => false,
        }
    }
}

impl Approvals {
    /// `today`: an approval holds until the end of its last day, in UTC.
    pub fn new(tables: &'static Tables, approved: &[Approved], today: Date) -> Result<Self, ApprovalError> {
        let mut all = Self::default();
        for approved in approved {
            all.add(tables, approved, today)?;
        }
        Ok(all)
    }

    /// That something was said about tools, even that none may be there.
    pub fn stating(mut self) -> Self {
        self.tools.get_or_insert_default();
        self
    }

    fn add(&mut self, tables: &'static Tables, approved: &Approved, today: Date) -> Result<(), ApprovalError> {
        let wrong = |what| ApprovalError { what, line: approved.line };
        let paths = paths(&approved.paths).map_err(|glob| wrong(Wrong::Glob(glob)))?;
        let holds = approved.until.is_none_or(|until| until >= today);
        // One that is over still says that such things are to be approved.
        match &approved.subject {
            Subject::Tool(name) => {
                let what = tables.named(name).ok_or_else(|| wrong(Wrong::Tool(name.clone())))?;
                let list = self.tools.get_or_insert_default();
                list.extend(holds.then_some(Approval { what, paths }));
            }
            Subject::Server(name) => {
                let list = self.servers.get_or_insert_default();
                list.extend(holds.then(|| Approval { what: Glob::fnmatch(name), paths }));
            }
            Subject::Host(name) => {
                let list = self.hosts.get_or_insert_default();
                list.extend(holds.then(|| Approval { what: Glob::fnmatch(&name.to_ascii_lowercase()), paths }));
            }
        }
        match approved.until.filter(|_| !holds) {
            Some(until) => self.expired.push(Expired { name: approved.shown(), until, line: approved.line }),
            None => self.shown.push(approved.shown()),
        }
        Ok(())
    }

    pub fn judges_tools(&self) -> bool {
        self.tools.is_some()
    }

    pub fn judges_servers(&self) -> bool {
        self.servers.is_some()
    }

    pub fn judges_hosts(&self) -> bool {
        self.hosts.is_some()
    }

    /// Whoever reads what is no tool of its own vouches for it.
    pub(crate) fn covers_tool(&self, tool: &Tool, files: &Whereabouts<'_>) -> bool {
        let is = |approved: &Tool| approved.id == tool.id || tool.read_by.contains(&approved.id);
        self.tools.iter().flatten().any(|approval| is(approval.what) && approval.holds_for(files))
    }

    pub(crate) fn covers_server(&self, name: &str, file: &str) -> bool {
        let files = Whereabouts::File(file);
        self.servers.iter().flatten().any(|approval| approval.what.matches(name) && approval.holds_for(&files))
    }

    /// `provider`: its id, which approves all its hosts.
    pub fn covers_host(&self, provider: Option<&str>, host: Option<&str>, file: &str) -> bool {
        let files = Whereabouts::File(file);
        let names = || [provider, host].into_iter().flatten();
        self.hosts.iter().flatten().any(|approval| {
            names().any(|name| approval.what.matches(&name.to_ascii_lowercase())) && approval.holds_for(&files)
        })
    }
}

/// `Err`: the glob that is none.
fn paths(globs: &[String]) -> Result<Option<GlobSet>, String> {
    if globs.is_empty() {
        return Ok(None);
    }
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(GlobBuilder::new(glob).literal_separator(true).build().map_err(|_| glob.clone())?);
    }
    set.build().map(Some).map_err(|_| globs.join(", "))
}
