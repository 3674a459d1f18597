//! What an option's value or an operand is for.

use serde::Deserialize;

/// What one word means to the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Data: a number, a format, a message.
    Value,
    /// Data that an operand holds where no option does (`grep PATTERN`, `grep -e PATTERN`).
    Pattern,
    /// A file that is read in place of the pattern operand (`grep -f FILE`).
    PatternFile,
    Read,
    ReadTree,
    /// Content or attributes change (`touch`, `chmod`).
    Write,
    WriteTree,
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
    /// Shell text that runs.
    Command,
    /// This word and all after it are a command.
    Argv,
    /// A program by name or path that runs without arguments of ours.
    Program,
    /// A file with a program in the entry's language.
    Script,
    /// Program text in the entry's language.
    Code,
    /// `@file` reads a file, anything else is data.
    AtFile,
    /// Settings that can make the program do anything.
    Config,
    /// A flag: operands cover their subtrees.
    Tree,
    /// A flag: operands that are read are written, too.
    InPlace,
    /// A flag: nothing is touched (`--help`, `--version`, `--dry-run`).
    Harmless,
}

/// A role, and whether the value is only ever attached (`-i.bak`, `--color=auto`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "&str")]
pub(crate) struct OptionRole {
    pub(crate) role: Role,
    pub(crate) attached: bool,
}

/// A role, and whether any number of operands have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "&str")]
pub(crate) struct OperandRole {
    pub(crate) role: Role,
    pub(crate) many: bool,
}

impl Role {
    /// It is a flag by nature.
    pub(crate) fn is_flag(self) -> bool {
        matches!(self, Self::Tree | Self::InPlace | Self::Harmless)
    }

    /// By its name in the data.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "value" => Self::Value,
            "pattern" => Self::Pattern,
            "pattern-file" => Self::PatternFile,
            "read" => Self::Read,
            "read-tree" => Self::ReadTree,
            "write" => Self::Write,
            "write-tree" => Self::WriteTree,
            "edit" => Self::Edit,
            "delete" => Self::Delete,
            "delete-tree" => Self::DeleteTree,
            "list" => Self::List,
            "list-tree" => Self::ListTree,
            "write-into" => Self::WriteInto,
            "directory" => Self::Directory,
            "host" => Self::Host,
            "url" => Self::Url,
            "registry" => Self::Registry,
            "package" => Self::Package,
            "command" => Self::Command,
            "argv" => Self::Argv,
            "program" => Self::Program,
            "script" => Self::Script,
            "code" => Self::Code,
            "at-file" => Self::AtFile,
            "config" => Self::Config,
            "tree" => Self::Tree,
            "in-place" => Self::InPlace,
            "harmless" => Self::Harmless,
            _ => return None,
        })
    }
}

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
