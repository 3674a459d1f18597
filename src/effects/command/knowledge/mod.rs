//! What programs do with their options and operands: data in the `*.json` files beside this one, by family.
//!
//! An entry says which options take a value and what the value is for, what each operand is for, and what the program
//! does besides. Only what data can't express (`find`'s expressions, git's state) is code, named by `special`.
//! Adding a program is adding an entry with examples; the examples run as tests.

mod role;
mod table;
mod text;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

pub(crate) use role::{OperandRole, OptionRole, Role};
pub(crate) use table::Knowledge;
pub(crate) use text::Text;

/// Every family's file.
pub(crate) const FAMILIES: &[(&str, &str)] = &[
    ("archive", include_str!("archive.json")),
    ("build", include_str!("build.json")),
    ("cloud", include_str!("cloud.json")),
    ("core", include_str!("core.json")),
    ("editors", include_str!("editors.json")),
    ("interpreters", include_str!("interpreters.json")),
    ("network", include_str!("network.json")),
    ("packages", include_str!("packages.json")),
    ("shell", include_str!("shell.json")),
    ("system", include_str!("system.json")),
    ("text", include_str!("text.json")),
    ("vcs", include_str!("vcs.json")),
    ("wrappers", include_str!("wrappers.json")),
];

/// One program, or one subcommand of it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default, bound(deserialize = "'de: 'static"))]
pub(crate) struct Entry {
    /// Names it goes by, separated by blanks.
    pub(crate) names: Text,
    /// Option names (separated by blanks) → what the value is for. Options that are not listed take no value.
    pub(crate) options: BTreeMap<Text, OptionRole>,
    pub(crate) operands: Vec<OperandRole>,
    /// It only prints or computes what its arguments say.
    pub(crate) inert: bool,
    /// Options end at the first operand.
    pub(crate) stops: bool,
    /// Options are whole words behind one dash (`openssl -in FILE`).
    pub(crate) words: bool,
    /// Its target without operands: role and path (`list .`).
    pub(crate) default: Option<Text>,
    /// The same, where a flag asks for recursion.
    pub(crate) tree_default: Option<Text>,
    /// The default does not apply where standard input is connected.
    pub(crate) input_instead: bool,
    /// Hosts or registry symbols it always talks to, unless an option names another one.
    pub(crate) connect: Vec<Text>,
    /// It runs or touches what its arguments do not say. See [`Unproven`].
    pub(crate) unproven: Option<Unproven>,
    /// What it prints, where that matters to the next stage.
    pub(crate) output: Print,
    /// The language it interprets.
    pub(crate) language: Option<Language>,
    /// The function that knows it better than data can.
    pub(crate) special: Option<Text>,
    pub(crate) subcommands: Vec<Entry>,
    /// What a subcommand that is not listed does; without it, it is opaque.
    pub(crate) otherwise: Option<Box<Entry>>,
    /// Command → effects besides the execution of the command itself.
    pub(crate) examples: BTreeMap<Text, Vec<Text>>,
}

/// What remains unproven when the program ran.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(crate) struct Unproven {
    /// Lower case, one line.
    pub(crate) reason: Text,
    #[serde(default)]
    pub(crate) about: Subject,
    /// How many leading words (without options) a policy entry must have to vouch for it; 0: nothing vouches.
    pub(crate) vouch: usize,
}

/// The serialised form of [`crate::effects::About`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Subject {
    #[default]
    Anything,
    Reads,
    Writes,
    Commands,
    Network,
}

/// What standard output holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Print {
    /// Text that is not known.
    #[default]
    Unknown,
    Nothing,
    /// Names of files among or below the operands.
    Names,
    /// A selection of the lines of standard input.
    Lines,
}

/// Languages whose programs are looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Language {
    Shell,
    Python,
    Javascript,
    Perl,
    Ruby,
    Php,
    Awk,
    Powershell,
    /// Known to be a program, but not one we read.
    Other,
}

impl Entry {
    /// What an option's value is for; `None`: the option takes no value. Long options may be abbreviated.
    pub(crate) fn option(&self, name: &str) -> Option<OptionRole> {
        let exact = |(names, role): (&Text, &OptionRole)| names.split(' ').any(|one| one == name).then_some(*role);
        if let Some(role) = self.options.iter().find_map(exact) {
            return Some(role);
        }
        if !name.starts_with("--") || name.len() < 4 {
            return None;
        }
        let abbreviated =
            |(names, role): (&Text, &OptionRole)| names.split(' ').any(|one| one.starts_with(name)).then_some(*role);
        let mut candidates = self.options.iter().filter_map(abbreviated);
        let first = candidates.next()?;
        candidates.all(|other| other == first).then_some(first)
    }

    /// The entry of a subcommand.
    pub(crate) fn subcommand(&self, name: &str) -> Option<&Entry> {
        self.subcommands.iter().find(|entry| entry.names.split(' ').any(|one| one == name))
    }
}

/// What the built-in data says about `program`, by its bare name. Who judges asks [`Knowledge::entry`].
pub(crate) fn builtin(program: &str) -> Option<&'static Entry> {
    base().get(program).copied()
}

fn base() -> &'static BTreeMap<&'static str, &'static Entry> {
    static BASE: OnceLock<BTreeMap<&'static str, &'static Entry>> = OnceLock::new();
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    BASE.get_or_init(|| {
        let entries = ENTRIES.get_or_init(|| FAMILIES.iter().flat_map(|(_, text)| parse(text)).collect());
        let mut base = BTreeMap::new();
        for entry in entries {
            for name in entry.names.split(' ') {
                base.insert(name, entry);
            }
        }
        base
    })
}

/// A family that does not parse contributes nothing: its programs become unknown ones, which are opaque. A test keeps
/// that from happening.
fn parse(text: &'static str) -> Vec<Entry> {
    serde_json::from_str(text).unwrap_or_else(|_| Vec::new())
}

/// The families with their entries, or why one does not parse.
#[cfg(test)]
pub(crate) fn families() -> Vec<(&'static str, Result<Vec<Entry>, serde_json::Error>)> {
    FAMILIES.iter().map(|(name, text)| (*name, serde_json::from_str(text))).collect()
}
