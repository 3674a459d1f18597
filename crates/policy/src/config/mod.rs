//! Configuration files beside the policy; those of evals and of lint rules have modules of their own.
//!
//! `.agent-strace.yaml` → settings of the gate, suppressions and how long sessions are kept, or everything that is wrong
//! with it.
//!
//! The file is read like the policy: unknown keys, wrong types and suppressions of rules that do not exist are faults
//! with their locations. It can't suppress what the gate itself rests on (`floor/…`), files that hold credentials, and
//! missing evidence: that takes an exception of the policy, which has another owner in most repositories.

pub mod anonymize;
pub mod approved;
pub mod evals;
pub mod hooks;
pub mod lint;
pub mod private;
pub mod retention;
pub mod yaml;

use std::io::{self, Read};
use std::path::Path;

use crate::file;
use crate::grammar;
use crate::json::{Data, Value};
use crate::parse::Version;
use crate::{Diagnostics, Parser, Policy, Waiver, WaiverOrigin, nearest, quoted};

use approved::Approved;
use private::Private;
use retention::Retention;

/// The names it may have, the first one counts.
pub const NAMES: &[&str] = &[".agent-strace.yaml", ".agent-strace.yml"];

/// The names of thresholds.
pub(crate) const LEVELS: &[&str] = &["error", "warning", "note", "never"];
/// Keys of other programs that read the same file.
pub(crate) const FOREIGN: &[&str] = &["workspaces", "identities", "team_budgets", "rbac"];

/// What the file says.
#[derive(Debug, Default)]
pub struct Configuration {
    /// One of `error`, `warning`, `note` and `never`.
    pub fail_on: Option<String>,
    /// Relative to the file.
    pub baseline: Option<String>,
    pub suppressions: Vec<Waiver>,
    /// Which AI tools, MCP servers and hosts may be in the repository; `None`: that is not said.
    pub approved: Option<Vec<Approved>>,
    /// How long sessions are kept.
    pub retention: Retention,
    /// For which private data logs are searched.
    pub private: Private,
    /// Directories that are the top of the repository where agents run.
    pub roots: Vec<String>,
    /// Keys that this build does not judge.
    pub not_judged: Vec<String>,
}

/// The most bytes of a file: a thousand suppressions take a third of it.
const LARGEST: u64 = 1 << 20;

/// Whether a file was larger than what is read of it.
pub fn is_too_large(bytes: &[u8]) -> bool {
    bytes.len() as u64 > LARGEST
}

/// The bytes of a file, and one too many of one that is too large.
pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    limited(file::open(path)?)
}

/// The same of a file that need not be there.
pub fn read_bytes_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    file::open_if_there(path)?.map(limited).transpose()
}

fn limited(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a file that is not too large.
pub fn text<'b>(file: &str, bytes: &'b [u8]) -> Result<&'b str, Diagnostics> {
    if is_too_large(bytes) {
        return Err(Diagnostics::whole_file(file, format!("it is larger than {LARGEST} bytes"), None));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let message = format!("byte {} is not UTF-8 text", error.valid_up_to() + 1);
        Diagnostics::whole_file(file, message, Some("save it as UTF-8".to_owned()))
    })
}

/// `file`: as users know it. `policy`: what suppressions can be from.
pub fn read(file: &str, bytes: &[u8], policy: &Policy) -> Result<Configuration, Diagnostics> {
    let text = text(file, bytes)?;
    let mut parser = Parser::of_configuration(file, text);
    let mut configuration = document(&mut parser, text);
    configuration.suppressions = parser.suppressions(policy);
    parser.finish(configuration)
}

/// What counts for a repository, whatever its policy is.
pub fn read_for_repository(file: &str, bytes: &[u8]) -> Result<Configuration, Diagnostics> {
    let text = text(file, bytes)?;
    let mut parser = Parser::of_configuration(file, text);
    let mut configuration = document(&mut parser, text);
    configuration.suppressions = parser.built_in_suppressions();
    parser.finish(configuration)
}

/// How long sessions are kept, whatever the policy is: that suppressions are from rules that exist is not asked.
pub fn read_retention(file: &str, bytes: &[u8]) -> Result<Retention, Diagnostics> {
    let text = text(file, bytes)?;
    let mut parser = Parser::of_configuration(file, text);
    let configuration = document(&mut parser, text);
    parser.finish(configuration.retention)
}

fn document(parser: &mut Parser<'_>, text: &str) -> Configuration {
    let mut configuration = Configuration::default();
    match yaml::read(text) {
        // Nothing but comments.
        Ok(Value { data: Data::Null, .. }) => {}
        Ok(root) => members(parser, &root, &mut configuration),
        Err(error) => parser.refuse(error),
    }
    configuration
}

/// The keys of the file without those that belong into a section and stand at the top for the Python tool's sake.
fn own_keys() -> Vec<&'static str> {
    let limits = grammar::limits();
    grammar::CONFIGURATION.keys(Version::Two).into_iter().filter(|key| !limits.contains(key)).collect()
}

fn members(parser: &mut Parser<'_>, root: &Value, configuration: &mut Configuration) {
    let Data::Object(all) = &root.data else {
        let message = format!("the configuration is {}, not an object", root.data.name());
        let help = format!("keys stand at the start of a line: {}", listed(&own_keys()));
        return parser.fault(root, "", message, Some(help));
    };
    let (own, limits) = (own_keys(), grammar::limits());
    let known: Vec<&str> = [&own, &limits, FOREIGN].concat();
    let Some(members) = parser.object(root, "", &own) else { return };
    // Keys of other programs and of other times are no typing errors, and no suggestions.
    let strange = all.iter().any(|(key, _)| !known.contains(&key.name.as_str()));
    if strange {
        let others: Vec<_> = members.iter().copied().filter(|(key, _)| !known.contains(&key.name.as_str())).collect();
        parser.keys_beside(&others, "", &own, &[]);
    }
    for (key, value) in members {
        match key.name.as_str() {
            private::SECTION => configuration.private.section(parser, value),
            "retention" => configuration.retention.section(parser, value),
            name if limits.contains(&name) => configuration.retention.read(parser, key, value, ""),
            "approved" => configuration.approved = approved::section(parser, value),
            "suppressions" => parser.exceptions(value, "/suppressions", WaiverOrigin::Suppression),
            "fail_on" => configuration.fail_on = one_of(parser, value, "/fail_on", "level", LEVELS),
            "baseline" => configuration.baseline = path(parser, value),
            "roots" => configuration.roots = roots(parser, value),
            name if known.contains(&name) => configuration.not_judged.push(name.to_owned()),
            _ => {}
        }
    }
    configuration.not_judged.sort();
}

/// `what`: the noun for one of the words.
fn one_of(parser: &mut Parser<'_>, value: &Value, pointer: &str, what: &str, known: &[&str]) -> Option<String> {
    let Data::Text(text) = &value.data else {
        parser.wrong_type(value, pointer, &format!("one of {}", listed(known)));
        return None;
    };
    if !known.contains(&text.as_str()) {
        let help = match nearest(text, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write one of {}", listed(known)),
        };
        parser.fault(value, pointer, format!("{} is no {what}", quoted(text)), Some(help));
    }
    Some(text.clone())
}

fn path(parser: &mut Parser<'_>, value: &Value) -> Option<String> {
    let Data::Text(text) = &value.data else {
        parser.wrong_type(value, "/baseline", "the path of a baseline");
        return None;
    };
    if text.trim().is_empty() || text.contains(char::is_control) {
        parser.fault(value, "/baseline", "this path is empty or not one line".to_owned(), None);
    }
    Some(text.clone())
}

/// Whether a directory is absolute and one line: on Unix, on a drive, or on a server.
pub fn is_root(text: &str) -> bool {
    let drive = text.as_bytes().get(1..3).is_some_and(|rest| rest == b":/" || rest == br":\");
    (text.starts_with(['/', '\\']) || drive) && !text.contains(char::is_control)
}

fn roots(parser: &mut Parser<'_>, value: &Value) -> Vec<String> {
    let Data::List(all) = &value.data else {
        parser.wrong_type(value, "/roots", "a list of directories");
        return Vec::new();
    };
    let mut roots = Vec::new();
    for (at, root) in all.iter().enumerate() {
        let pointer = format!("/roots/{at}");
        match &root.data {
            Data::Text(text) if is_root(text) => roots.push(text.clone()),
            Data::Text(text) => {
                let help = "write the absolute path of the top of the repository where agents run".to_owned();
                parser.fault(root, &pointer, format!("{} is no absolute directory", quoted(text)), Some(help));
            }
            _ => parser.wrong_type(root, &pointer, "the absolute path of a directory"),
        }
    }
    roots
}

pub fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
