//! What programs do with their options and operands: data in the `*.json` files beside this one, by family.
//!
//! An entry says which options take a value and what the value is for, what each operand is for, and what the program
//! does besides. Only what data can't express (`find`'s expressions, git's state) is code, named by `special`.
//! Adding a program is adding an entry, and examples of it to `fixtures/programs/FAMILY.md`: a test holds that every entry
//! and every subcommand has some, and that they are true. They are no part of the binary.
//!
//! # The format
//!
//! ```json
//! {"names": "cabextract", "options": {"-d --directory": "write-tree", "-F --filter": "value", "-l --list": "harmless"},
//!  "operands": ["read*"], "writes": "write-tree ."}
//! ```
//!
//! | key | what it says |
//! |---|---|
//! | `names` | the bare names of the program, separated by blanks; a version at the end (`python3.12`) is no part of it |
//! | `options` | names of options, separated by blanks → a role. List every one whose value has effects; which options exist besides, `options.tsv` says |
//! | `operands` | the role of each operand in order; `*` behind one role: any number of operands; what is left over has the last role |
//! | `stops` | options end at the first operand (wrappers) |
//! | `words` | options are whole words behind one dash (`-out FILE`); otherwise `-abc` is three flags, or `-o` with a value attached |
//! | `default`, `tree_default` | role and path of what it works on where no operand names it; the second one where a `tree` flag is given; `input_instead`: not where standard input is connected |
//! | `writes` | role and path of what it writes unless an option with a writing role says where |
//! | `reads` | role and path of what it reads unless an option that reads a file says which |
//! | `always` | roles and paths that it touches whatever its arguments are |
//! | `connect` | hosts, or symbols such as `registry:npm`, that it talks to unless a `registry` option names another one |
//! | `unproven` | acts of the program that its arguments do not show: `reason` (lower case, one line), `about` (`anything`, `project`: it runs code of the project, `reads`, `writes`, `commands`, `network`), `class` (`delegated`: it runs code of the repository or of installed packages, `hidden`: the gate cannot see what it runs; by default `delegated` if `about` is `project`, else `unknown`), `vouch`: how many leading words, without options and their values, an entry of a policy's `commands.allow` must have to vouch for it; 0: nothing does; `locked`: subcommands that without an operand install what a lock file names |
//! | `subcommands`, `otherwise` | entries of their own by the first operand, and the entry of what is not listed; without `otherwise` an unlisted one is opaque. `options` of the program count before the subcommand only |
//! | `inert` | it only prints or computes what its arguments say |
//! | `output` | what it prints, where the next stage of a pipe depends on it: `nothing`, `names`, `lines` |
//! | `language`, `special` | the language it interprets; the function that knows it better than data |
//!
//! Roles are listed at [`Role`]. `?` behind the role of an option: its value is only ever attached (`-i.bak`,
//! `--color=auto`). A flag that matters has a role, too: `tree`, `in-place`, `remove`, `harmless`, `unproven`. `argv` as the
//! role of an option: it and all that follows is a command.
//!
//! Where several programs share an entry, every option must mean the same to all of them.
//!
//! Options whose names mean the same everywhere (`--output-file`, `--cacert`) stand in `option_names.tsv`: what the table says
//! counts for the options that an entry does not mention. `variables.tsv` says what variables of the environment are for,
//! and `fronts.tsv` which programs run another one with their own arguments.

mod agents;
pub(crate) mod fronts;
pub(crate) mod git;
mod index;
mod lines;
pub(crate) mod names;
mod options;
mod purpose;
mod role;
mod special;
mod table;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::Class;

pub use agents::agent_of_package;
pub use options::spells;
pub(crate) use options::{Listed, Meaning};
pub use purpose::COUNTING;
pub(crate) use purpose::purpose_of;
pub use role::{OperandRole, OptionRole, ROLES, Role};
pub use special::Special;
pub use table::{Knowledge, Standing};
pub use text::Text;

/// Options with which `curl` sends a body or a file.
pub const CURL_BODIES: &[&str] = &[
    "-d",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-urlencode",
    "--data-ascii",
    "--json",
    "-F",
    "--form",
    "-T",
    "--upload-file",
];

/// Every family's file.
pub const FAMILIES: &[(&str, &str)] = &[
    ("agents", include_str!("agents.json")),
    ("archive", include_str!("archive.json")),
    ("build", include_str!("build.json")),
    ("cloud", include_str!("cloud.json")),
    ("compilers", include_str!("compilers.json")),
    ("containers", include_str!("containers.json")),
    ("core", include_str!("core.json")),
    ("databases", include_str!("databases.json")),
    ("editors", include_str!("editors.json")),
    ("interpreters", include_str!("interpreters.json")),
    ("linters", include_str!("linters.json")),
    ("media", include_str!("media.json")),
    ("network", include_str!("network.json")),
    ("packages", include_str!("packages.json")),
    ("security", include_str!("security.json")),
    ("shell", include_str!("shell.json")),
    ("system", include_str!("system.json")),
    ("system-packages", include_str!("system-packages.json")),
    ("tests", include_str!("tests.json")),
    ("text", include_str!("text.json")),
    ("vcs", include_str!("vcs.json")),
    ("wrappers", include_str!("wrappers.json")),
];

/// One program, or one subcommand of it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default, bound(deserialize = "'de: 'static"))]
pub struct Entry {
    /// Names it goes by, separated by blanks.
    pub names: Text,
    /// Option names (separated by blanks) → what the value is for.
    pub options: BTreeMap<Text, OptionRole>,
    pub operands: Vec<OperandRole>,
    /// It only prints or computes what its arguments say.
    pub inert: bool,
    /// Options end at the first operand.
    pub stops: bool,
    /// Options are whole words behind one dash (`openssl -in FILE`).
    pub words: bool,
    /// Its target without operands: role and path (`list .`).
    pub default: Option<Text>,
    /// The same, where a flag asks for recursion.
    pub(crate) tree_default: Option<Text>,
    /// What it writes unless an option names another place: role and path (`write a.out`, `write-tree .`).
    pub writes: Option<Text>,
    /// What it reads unless an option names another file.
    pub(crate) reads: Option<Text>,
    /// The default does not apply where standard input is connected.
    pub(crate) input_instead: bool,
    /// Hosts or registry symbols it always talks to, unless an option names another one.
    pub connect: Vec<Text>,
    /// What it touches whatever its arguments are: role and path (`read deploy.toml`).
    pub always: Vec<Text>,
    /// It runs or touches what its arguments do not say. See [`Unproven`].
    pub unproven: Option<Unproven>,
    /// What it prints, where that matters to the next stage.
    pub output: Print,
    /// The language it interprets.
    pub language: Option<Language>,
    /// The function that knows it better than data can.
    pub special: Option<Special>,
    pub subcommands: Vec<Entry>,
    /// What a subcommand that is not listed does; without it, it is opaque.
    pub otherwise: Option<Box<Entry>>,
    /// The names of the program that it is a subcommand of.
    #[serde(skip)]
    pub(crate) program: Option<Text>,
    /// All its options.
    #[serde(skip)]
    pub(crate) listed: Listed,
}

/// What remains unproven when the program ran.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Unproven {
    /// Lower case, one line.
    pub reason: Text,
    #[serde(default)]
    pub about: Subject,
    /// `None`: what the project's code does is delegated to it, anything else is unknown.
    #[serde(default)]
    pub class: Option<Class>,
    /// How many leading words (without options) a policy entry must have to vouch for it; 0: nothing vouches.
    pub vouch: usize,
    /// Subcommands that install the packages which a lock file names, unless an operand names one.
    #[serde(default)]
    pub locked: Option<Text>,
}

impl Unproven {
    pub(crate) fn class(&self) -> Class {
        let default = if self.about == Subject::Project { Class::Delegated } else { Class::Unknown };
        self.class.unwrap_or(default)
    }
}

/// The serialised form of [`crate::About`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    #[default]
    Anything,
    Reads,
    Writes,
    Commands,
    Network,
    /// Code of the project.
    Project,
}

/// What standard output holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Print {
    /// Text that is not known.
    #[default]
    Unknown,
    Nothing,
    /// Names of files among or below the operands.
    Names,
    /// A selection of the lines of standard input.
    Lines,
    /// Text that another host sent.
    Network,
    /// Text that the program decoded or unpacked.
    Decoded,
}

/// Languages whose programs are looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    Shell,
    Python,
    Javascript,
    Perl,
    Ruby,
    Php,
    Awk,
    Powershell,
    /// Batch files.
    Cmd,
    /// Known to be a program, but not one we read.
    Other,
}

impl Entry {
    /// From now on the option `name` has this role; `None`: it takes no value.
    pub fn set_option(&mut self, name: &str, role: Option<OptionRole>) {
        let others = std::mem::take(&mut self.options).into_iter().filter_map(|(names, role)| {
            if !names.split(' ').any(|one| one == name) {
                return Some((names, role));
            }
            let left: Vec<&str> = names.split(' ').filter(|one| *one != name).collect();
            (!left.is_empty()).then(|| (left.join(" ").into(), role))
        });
        self.options = others.collect();
        if let Some(role) = role {
            self.options.insert(name.to_owned().into(), role);
        }
    }

    /// From now on the subcommands that `sub` names are `sub`.
    pub fn set_subcommand(&mut self, sub: Entry) {
        for known in &mut self.subcommands {
            let others = known.names.split(' ').filter(|name| sub.subcommand_names().all(|taken| taken != *name));
            known.names = others.collect::<Vec<_>>().join(" ").into();
        }
        self.subcommands.retain(|known| !known.names.is_empty());
        self.subcommands.push(sub);
    }

    fn subcommand_names(&self) -> impl Iterator<Item = &str> {
        self.names.split(' ')
    }

    /// It and all its subcommands touch these files and hosts, too.
    pub fn inherit(&mut self, always: &[Text], connect: &[Text]) {
        if self.subcommands.is_empty() {
            self.always.extend_from_slice(always);
            self.connect.extend_from_slice(connect);
        }
        for sub in self.subcommands.iter_mut().chain(self.otherwise.as_deref_mut()) {
            sub.inherit(always, connect);
        }
    }

    /// The role of the option that is called exactly `name`.
    pub fn listed_option(&self, name: &str) -> Option<OptionRole> {
        // Names are short: a search for the blanks between them would cost more than looking at each byte.
        let is_among = |names: &str| names.as_bytes().split(|byte| *byte == b' ').any(|one| one == name.as_bytes());
        self.options.iter().find_map(|(names, role)| is_among(names).then_some(*role))
    }

    /// The entry of a subcommand.
    pub fn subcommand(&self, name: &str) -> Option<&Entry> {
        self.subcommands.iter().find(|entry| entry.names.split(' ').any(|one| one == name))
    }
}

/// What the built-in data says about `program`, by its bare name. Who judges asks [`Knowledge::entry`].
pub fn builtin(program: &str) -> Option<&'static Entry> {
    index::find(program).map(|builtin| builtin.entry)
}

/// The subcommands of a program, as far as they are known.
pub fn subcommands(program: &str) -> Vec<&'static str> {
    let listed = builtin(program).into_iter().flat_map(|entry| &entry.subcommands);
    let names = listed.flat_map(|sub| sub.names.split(' '));
    names.chain(if program == "git" { git::COMMANDS } else { "" }.split_whitespace()).collect()
}

/// Every program of the built-in data, sorted.
pub fn builtin_names() -> Vec<&'static str> {
    index::names().collect()
}

/// The shell itself acts on this word; no program of this name is ever looked for.
pub fn is_of_the_shell(name: &str) -> bool {
    super::builtins::NAMES.contains(&name) || RESERVED.contains(&name)
}

/// Words of the shell's grammar.
const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "in", "select",
    "function", "time", "coproc",
];

/// The families with their entries, or why one does not parse.
#[cfg(test)]
pub fn families() -> Vec<(&'static str, Result<Vec<Entry>, serde_json::Error>)> {
    FAMILIES.iter().map(|(name, text)| (*name, serde_json::from_str(text))).collect()
}
