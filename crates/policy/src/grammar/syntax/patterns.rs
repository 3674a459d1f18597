//! The regular expressions of texts.

use super::Syntax;
use crate::builtin::{BUILTIN, Holds, builtins};
use crate::parse::{LOOK_ALIKES, Version};
use crate::waivers;
use agent_strace_model::finding::Family;

impl Syntax {
    /// The expression for a text of this form; `None`: any text is one.
    pub(crate) fn pattern(self, version: Version) -> Option<String> {
        let text = match self {
            Self::Free | Self::AnyName | Self::Act | Self::ExampleCommand => return None,
            Self::Said => r"\S".to_owned(),
            Self::MaybeEmpty => format!("^{PRINTED}*$"),
            Self::Line | Self::RuleReference => format!(r"^\s*(?=\S){PRINTED}*\s*$"),
            Self::Line1 | Self::Reason | Self::Pattern | Self::Word | Self::File | Self::Subcommands => line(""),
            Self::Path => path(version),
            Self::LabelPath => format!(r"(?!^\s*(?:!\s*)?(?:label:|{BUILTIN_ANY})){}", path(version)),
            Self::Command => command(version),
            Self::Host => host(version),
            Self::ProgramHost => r"^\s*(?:registry:[^\s/@,]+|[^\s/@:]+)\s*$".to_owned(),
            Self::Name => named(Holds::Names, r"(?!!)\S+"),
            Self::Tool => named(Holds::Names, r"(?!!|mcp__)\S+"),
            Self::Variable => named(Holds::Variables, r"[A-Za-z0-9_*?\[\]!%().-]+"),
            Self::Step => {
                format!(r"^\s*(?:net|(?:read|write|delete|list|exec|net|mcp|env)\s+(?=\S){PRINTED}*)\s*$")
            }
            Self::Day => DAY.to_owned(),
            Self::Duration => r"^\s*[+-]?(?:[Pp](?=.*[0-9])|(?!.*[0-9]\s*(?:[dwy]|mo))[0-9].*[A-Za-z:])".to_owned(),
            Self::Digest => "^[0-9a-fA-F]{64}$".to_owned(),
            Self::Fingerprint => r"^\s*[0-9a-f]{32}\s*$".to_owned(),
            Self::RuleName => "^[A-Za-z0-9_-]+$".to_owned(),
            Self::RuleOrFamily => rule_or_family(),
            Self::Program => format!(r"^(?:\[|{PROGRAM})$"),
            Self::RelativeFile => {
                format!("^(?!.*://|[/\\\\~]|[A-Za-z]:[/\\\\]){PRINTED}*[^\\s{CONTROL}]{PRINTED}*$")
            }
            Self::LogFile => {
                format!("^(?!(?:.*[/\\\\])?\\.\\.(?:[/\\\\]|$)){PRINTED}*\\.(?:log|jsonl|ndjson)$")
            }
            Self::AbsoluteDirectory => format!("^(?:[/\\\\]|[^{CONTROL}]:[/\\\\]){PRINTED}*$"),
            Self::Always => always(),
            Self::LabelName => "^[A-Za-z0-9._-]+$".to_owned(),
            Self::Server => r"^(?!\s*mcp__)[\s\S]*\S".to_owned(),
            Self::Selector => r"^\s*(?:main|(?:subagent|agent|mode):[\s\S]*\S[\s\S]*)\s*$".to_owned(),
            Self::Programs => format!(r"^\s*(?:{PROGRAM}\s+)*{PROGRAM}\s*$"),
            Self::Options => format!(r"^\s*(?:{OPTION}\s+)*{OPTION}\s*$"),
        };
        Some(text)
    }
}

const CONTROL: &str = r"\u0000-\u001f\u007f-\u009f";
const PRINTED: &str = r"[^\u0000-\u001f\u007f-\u009f]";
/// At least one character that is printed and no blank.
const SOMETHING: &str = r"[^\u0000-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*";
const BUILTIN_ANY: &str = "[Bb][Uu][Ii][Ll][Tt][Ii][Nn]:";

/// One line that says something and is not like this.
fn line(unlike: &str) -> String {
    format!("^{unlike}{SOMETHING}$")
}

/// A text like this, or the name of a built-in list.
fn named(holds: Holds, like: &str) -> String {
    format!(r"^\s*(?:{}|(?!{BUILTIN_ANY}){like})\s*$", list(holds))
}

/// The names of the built-in lists of one kind.
fn list(holds: Holds) -> String {
    let names: Vec<&str> = builtins().filter(|list| list.holds == holds).map(|list| list.name.as_str()).collect();
    let sign = if holds == Holds::Paths { r"(?:!\s*)?" } else { "" };
    if names.is_empty() { "(?!)".to_owned() } else { format!(r"{sign}{BUILTIN}(?:{})\s*", names.join("|")) }
}

/// The syntax of other tools, in any version.
const FOREIGN_PATH: &str = concat!(
    r"(?!\s*(?:Read|Edit|Write|MultiEdit|NotebookEdit|Glob|Grep)\(.*\)\s*$)",
    r"(?!\s*\$(?:HOME|\{HOME\})(?:/|\s*$))",
    r"(?!(?:\s*|.*/)\.\.(?:/|\s*$))",
    r"(?!\s*(?:re|regex):)",
    r"(?!\s*\^.*\$\s*$)",
);

fn path(version: Version) -> String {
    if version == Version::One {
        return line(&format!(r"{FOREIGN_PATH}(?!\s*{BUILTIN_ANY})"));
    }
    let never = [
        &format!("!|{BUILTIN_ANY}"),
        r"[^\\]*\\",
        // The first brace has no end, or there are alternatives in it.
        r"(?:[^\[{]|\[(?:![^/]|[^/!])[^\]/]*\])*\{[^}]*$",
        r"(?:[^\[{]|\[(?:![^/]|[^/!])[^\]/]*\])*\{(?=(?:[^\[]|\[(?:![^/]|[^/!])[^\]/]*\])*,)(?=(?:[^\[]|\[(?:![^/]|[^/!])[^\]/]*\])*\})",
        r"(?:.*/)?\.\.(?:/|\s*$)",
        r".*[^\s/]/\s*$",
        r".*[^/\s]//",
        r".*\[[^\]/]*(?:/|$)",
        r"(?:[^\[|]|\[(?:![^/]|[^/!])[^\]/]*\])*\|",
        r"\$(?:\{|XDG_|(?:HOME|PWD|OLDPWD|USER|USERPROFILE|TMPDIR|GITHUB_WORKSPACE)(?:/|\s*$))",
        r"(?:Read|Edit|Write|MultiEdit|NotebookEdit|Glob|Grep)\(.*\)\s*$",
        r#"".*"\s*$"#,
        r"'.*'\s*$",
        r"(?:re|regex):",
        r"\^.*\$\s*$",
    ];
    format!(r"^\s*(?=\S)(?:{}|(?:!\s*)?(?!{}){SOMETHING})$", list(Holds::Paths), never.join("|"))
}

/// Refuses texts that are no command in any version.
const COMMAND: &str = concat!(
    r"(?!\s*!)",
    r"(?!\s*[A-Za-z0-9_]+\(.*\)\s*$)",
    r"(?!\s*mcp__)",
    r"(?!\s*-[^\s\x27\x22\\])",
    r"(?!\s*[^\s'\x22\\]+:\*(?:\s|$))",
);

fn command(version: Version) -> String {
    if version == Version::One {
        return line(&format!(r"{COMMAND}(?!\s*{BUILTIN_ANY})"));
    }
    let seeming: String =
        LOOK_ALIKES.iter().map(|(letters, _)| *letters).filter(|letters| *letters != DASHES).collect();
    let never = [
        BUILTIN_ANY,
        // Words between operators, where no quotes can hide them.
        r"(?=[^'\x22\\]*$)(?:.*\s)?(?:&&|\|\|?|;|&|>>?|<|--)(?:\s|$)",
        r"[A-Za-z0-9_]+=",
        r"[$`]",
        // A word without quotes that mixes ASCII with letters that only look so.
        &format!(r"(?=[{PLAIN}{seeming}]*[A-Za-z0-9])(?=[{PLAIN}]*[{seeming}])[{PLAIN}{seeming}]+(?:\s|$)"),
    ];
    format!(r"^\s*(?=\S)(?:{}|{COMMAND}(?!{}){SOMETHING})$", list(Holds::Commands), never.join("|"))
}

/// ASCII without quotes and backslashes.
const PLAIN: &str = r"!#-&(-\[\]-~";
const DASHES: &str = "‐‑‒–—−﹣－";

fn host(version: Version) -> String {
    let other = r"label:(?![0-9]+\s*$)|(?:remotes|git|repo|repository):(?![0-9]+\s*$)|[A-Za-z0-9_]+\(.*\)\s*$";
    let never = format!(r"(?!{BUILTIN_ANY}|\.\S|{other})");
    match version {
        Version::One => format!(r"^\s*(?:remote:\S+|{never}{HOST_OF_VERSION_1}+)\s*$"),
        Version::Two => format!(r"^\s*{never}(?:{HOST_OF_VERSION_2})\s*$"),
    }
}

const HOST_OF_VERSION_1: &str = r"[^\s/@,]";

const HOST_OF_VERSION_2: &str = concat!(
    r"\*(?::0*[1-9][0-9]{0,4})?",
    r"|[Rr][Ee][Gg][Ii][Ss][Tt][Rr][Yy]:[^\s/@,]+",
    r"|[Rr][Ee][Mm][Oo][Tt][Ee]:(?:\*|[A-Za-z0-9._/-]+)",
    // Addresses and networks of addresses.
    r"|[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?:/(?:[0-9]|[12][0-9]|3[0-2])|:(?!0+\s*$)0*(?:[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?",
    r"|(?=[^:]*:[^:]*:)[0-9A-Fa-f:.]+(?:/(?:[0-9][0-9]?|1[01][0-9]|12[0-8]))?",
    r"|\[[0-9A-Fa-f:.]+\](?::?(?!0+\s*$)0*(?:[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?",
    // Names. A part of an address is not a name.
    r"|(?![0-9]+(?:\.[0-9]*)*(?::[0-9]+)?\s*$)(?:\*\.)?[^\x00-,/:-@\[-^`{-\x7f\s]+",
    r"(?::(?!0+\s*$)0*(?:[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?",
);

const DAY: &str = concat!(
    r"^[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])",
    r"|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-9]))$",
);

const PROGRAM: &str = r"(?!-)[^\s\x22'`$\\*?\[\]{}()<>|&;!#=~/]{1,64}";
const OPTION: &str = r"(?!--(?:\s|$))[-+][^\s=]+";

fn rule_or_family() -> String {
    let families: Vec<&str> = Family::ALL.iter().map(|family| family.name()).collect();
    format!(r"^(?:{}|(?:{})/\**)$", waivers::built_in_ids().join("|"), families.join("|"))
}

fn always() -> String {
    format!(r"^(?:{}) (?!\s*$)[^*?\[\u0000-\u001f\u007f-\u009f]+$", crate::parse::file_roles().join("|"))
}
