//! Texts with a form of their own, as regular expressions that editors understand.
//!
//! An expression refuses nothing that the reader accepts. It cannot look elsewhere in the file, so the reader refuses
//! more: names of labels that do not exist, and typing errors in names of programs.

mod forms;
mod patterns;

/// The form of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Any text, even an empty one.
    Free,
    /// A text that says something.
    Said,
    /// One line that says something, up to 500 characters.
    Line,
    /// One line that says something, of any length.
    Line1,
    /// One line that may be empty.
    MaybeEmpty,
    /// One line of up to 200 characters.
    Reason,
    /// A pattern of any text, with `*`.
    Pattern,
    /// One word of a command, or words in quotes.
    Word,
    Path,
    /// A path pattern without the names of other sets.
    LabelPath,
    Command,
    Host,
    /// A host without a port.
    ProgramHost,
    /// A name without blanks, with `*`.
    Name,
    /// The name of a tool without its server.
    Tool,
    Variable,
    Step,
    Day,
    Duration,
    Digest,
    Fingerprint,
    RuleName,
    RuleReference,
    /// A built-in rule, or all rules of a family.
    RuleOrFamily,
    /// The name of a program that a table describes.
    Program,
    /// An act, as the examples of a rule state it.
    Act,
    RelativeFile,
    File,
    LogFile,
    AbsoluteDirectory,
    /// A role and a path: `read deploy.toml`.
    Always,
    // Keys.
    AnyName,
    LabelName,
    Server,
    Selector,
    Programs,
    Options,
    Subcommands,
    /// A command, as the examples of a program state it.
    ExampleCommand,
}
