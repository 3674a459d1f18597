//! What an option's value or an operand is for.

use serde::Deserialize;

/// What one word means to the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A plain value: a number, a format, a mode.
    Value,
    /// Data that names nothing to touch: a message, a title, a prompt, a name or pattern that selects or leaves out.
    Text,
    /// Data that an operand holds where no option does (`grep PATTERN`, `grep -e PATTERN`).
    Pattern,
    /// A file that is read in place of the pattern operand (`grep -f FILE`).
    PatternFile,
    Read,
    ReadTree,
    /// Content or attributes change (`touch`, `chmod`).
    Write,
    WriteTree,
    /// A program that a compiler makes from the project's sources.
    Built,
    /// Read and written.
    Edit,
    Delete,
    DeleteTree,
    List,
    ListTree,
    /// `cp -t DIRECTORY`: takes the place of the last operand.
    WriteInto,
    /// The working directory of what follows.
    Directory,
    Host,
    Url,
    /// A URL that takes the place of the default registry.
    Registry,
    /// A package, or a URL, or a path (`pip install x`, `./x`, `https://host/x`).
    Package,
    /// The same for a registry of npm: `owner/name` is a repository of a host.
    NodePackage,
    /// An image of containers: a host may stand before the name.
    Image,
    /// An image that the program writes.
    ImageTarget,
    /// A file or directory whose code runs: the project's own, unless it lies outside of the workspace.
    Project,
    /// What is copied or served, if it is a file or directory: the words of a remote are none.
    PossibleTree,
    /// Shell text that runs.
    Command,
    /// This word and all after it are a command.
    Argv,
    /// A program by name or path that runs without arguments of ours.
    Program,
    /// A program that runs what the project brings, or the folder of such programs, by version, name or path
    /// (`--python 3.12`, `JAVA_HOME`): it is read and run, and never written.
    Toolchain,
    /// A file with a program: what it does is not known, unless it is in the language of an interpreter that has code.
    Script,
    /// Program text in the entry's language.
    Code,
    /// It may name a file that is read or written, or a host.
    Possible,
    /// A file, or a URL that is fetched.
    Source,
    /// A page that a browser shows: a URL, a host or a file.
    Page,
    /// A file that names hosts or URLs which are contacted (`nmap -iL`).
    Hosts,
    /// A file that names files which are read (`wc --files0-from`).
    Names,
    /// `@file` reads a file, anything else is data.
    AtFile,
    /// Settings that can make the program do anything.
    Config,
    /// A flag: operands cover their subtrees.
    Tree,
    /// A flag: operands that are read are written, too.
    InPlace,
    /// A flag: it does more than the other arguments say.
    Unproven,
    /// A flag: operands that are read or written are deleted, too.
    Remove,
    /// A flag: nothing is touched (`--help`, `--version`, `--dry-run`).
    Harmless,
}

/// A role, and whether the value is only ever attached (`-i.bak`, `--color=auto`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "&str")]
pub struct OptionRole {
    pub role: Role,
    pub attached: bool,
}

/// A role, and whether any number of operands have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "&str")]
pub struct OperandRole {
    pub role: Role,
    pub many: bool,
}

impl Role {
    /// It is a flag by nature.
    pub fn is_flag(self) -> bool {
        matches!(self, Self::Tree | Self::InPlace | Self::Remove | Self::Unproven | Self::Harmless)
    }

    /// By its name in the data.
    pub fn named(name: &str) -> Option<Self> {
        ROLES.iter().find_map(|(known, role)| (*known == name).then_some(*role))
    }

    /// What it names is run, or decides what is run, or nobody knows what it does.
    pub fn runs(self) -> bool {
        matches!(
            self,
            Self::Command | Self::Argv | Self::Program | Self::Script | Self::Code | Self::Config | Self::Unproven
        )
    }

    /// An option or operand in this role has effects of its own.
    pub fn has_effects(self) -> bool {
        self == Self::Unproven || !self.is_flag() && !matches!(self, Self::Value | Self::Text | Self::Pattern)
    }

    /// It names a file or directory that is touched.
    pub fn is_of_files(self) -> bool {
        matches!(
            self,
            Self::Read
                | Self::ReadTree
                | Self::Built
                | Self::Write
                | Self::WriteTree
                | Self::Edit
                | Self::Delete
                | Self::DeleteTree
                | Self::List
                | Self::ListTree
        )
    }

    /// Whether an operand can have it.
    pub fn is_of_operands(self) -> bool {
        !self.is_flag() && !matches!(self, Self::PatternFile | Self::WriteInto | Self::Registry)
    }
}

/// Every role by its name.
pub const ROLES: &[(&str, Role)] = &[
    ("value", Role::Value),
    ("text", Role::Text),
    ("pattern", Role::Pattern),
    ("pattern-file", Role::PatternFile),
    ("read", Role::Read),
    ("read-tree", Role::ReadTree),
    ("write", Role::Write),
    ("write-tree", Role::WriteTree),
    ("built", Role::Built),
    ("edit", Role::Edit),
    ("delete", Role::Delete),
    ("delete-tree", Role::DeleteTree),
    ("list", Role::List),
    ("list-tree", Role::ListTree),
    ("write-into", Role::WriteInto),
    ("directory", Role::Directory),
    ("host", Role::Host),
    ("url", Role::Url),
    ("registry", Role::Registry),
    ("package", Role::Package),
    ("node-package", Role::NodePackage),
    ("image", Role::Image),
    ("image-target", Role::ImageTarget),
    ("project", Role::Project),
    ("possible-tree", Role::PossibleTree),
    ("command", Role::Command),
    ("argv", Role::Argv),
    ("program", Role::Program),
    ("toolchain", Role::Toolchain),
    ("script", Role::Script),
    ("code", Role::Code),
    ("possible", Role::Possible),
    ("source", Role::Source),
    ("page", Role::Page),
    ("hosts", Role::Hosts),
    ("names", Role::Names),
    ("at-file", Role::AtFile),
    ("config", Role::Config),
    ("tree", Role::Tree),
    ("in-place", Role::InPlace),
    ("remove", Role::Remove),
    ("unproven", Role::Unproven),
    ("harmless", Role::Harmless),
];

impl TryFrom<&str> for OptionRole {
    type Error = String;

    fn try_from(text: &str) -> Result<Self, String> {
        let (name, attached) = text.strip_suffix('?').map_or((text, false), |name| (name, true));
        let role = Role::named(name).ok_or_else(|| format!("`{text}` is not a role"))?;
        Ok(Self { role, attached })
    }
}

impl TryFrom<&str> for OperandRole {
    type Error = String;

    fn try_from(text: &str) -> Result<Self, String> {
        let (name, many) = text.strip_suffix('*').map_or((text, false), |name| (name, true));
        let role = Role::named(name).ok_or_else(|| format!("`{text}` is not a role"))?;
        Ok(Self { role, many })
    }
}
