//! What is known about variables, functions and positional parameters while a script is walked.

mod array;
mod assigned;
mod choices;
mod doubt;
mod functions;
mod locals;
mod map;
mod mentioned;
mod positional;
mod strictness;
mod work;

use std::sync::Arc;

use super::value::Value;
#[cfg(test)]
use agent_strace_testing::work::count;
use choices::Choices;
pub use choices::Ways;
pub use doubt::in_pairs;
pub use functions::Function;
use locals::Frame;
use map::Map;
pub use mentioned::{mentioned, mentioned_by};
use positional::Positional;
pub(crate) use strictness::Strictness;
use work::Work;

/// Variables that are copied or searched are counted for the tests.
#[cfg(not(test))]
const fn count(_: usize) {}

/// References to references end somewhere.
const MAX_REFERENCES: usize = 8;

/// Set in nearly every environment, to values nobody knows: never taken as empty.
const ENVIRONMENT: &[&str] = &[
    "BASHPID",
    "BASH",
    "BASH_VERSION",
    "DISPLAY",
    "EDITOR",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "GROUPS",
    "HOSTNAME",
    "HOSTTYPE",
    "LANG",
    "LINENO",
    "LOGNAME",
    "MACHTYPE",
    "OLDPWD",
    "OSTYPE",
    "PATH",
    "PPID",
    "PWD",
    "RANDOM",
    "SECONDS",
    "SHELL",
    "SHELLOPTS",
    "SHLVL",
    "SRANDOM",
    "TERM",
    "TMPDIR",
    "UID",
    "USER",
];

/// The shell's state, as far as it can be proven. Cloning is cheap: a subshell is a clone.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    variables: Variables,
    functions: Map<Function>,
    /// What each running function hides from its callers, the innermost last.
    frames: Arc<Vec<Frame>>,
    aliases: Map<Arc<str>>,
    positional: Positional,
    /// Some variable has had several known values.
    has_choices: bool,
    /// Any variable may have been set to anything.
    poisoned: bool,
    /// `set -a`: whatever is assigned is exported.
    exports_all: bool,
    previous_directory: Option<String>,
    directories: Vec<Option<String>>,
    strictness: Strictness,
    /// Counts the cost of copies and comparisons.
    work: Work,
}

type Variables = Map<Arc<Variable>>;

/// Variables by name, set aside while a command runs; `None`: there was none.
#[derive(Debug)]
pub struct Saved(Vec<(Arc<str>, Option<Arc<Variable>>)>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Variable {
    content: Content,
    exported: bool,
    /// `declare -i`: what is assigned is an expression.
    integer: bool,
    /// `readonly`: nothing changes it any more.
    fixed: Fixed,
    /// All contents that it may have, where several are known. `content` covers them.
    choices: Choices,
}

/// Whether a variable is read-only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Fixed {
    #[default]
    No,
    /// It depends on which part of the text ran.
    Perhaps,
    Yes,
}

impl Variable {
    fn new(content: Content) -> Self {
        Self { content, exported: false, integer: false, fixed: Fixed::No, choices: None }
    }

    /// A variable with the same attributes that is not set.
    fn flags(&self) -> Self {
        let own = Self::new(Content::Unset);
        Self { exported: self.exported, integer: self.integer, fixed: self.fixed, ..own }
    }
}

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    Scalar(Value),
    Array(Vec<Value>),
    /// An array with gaps, or with words for keys. Elements are in the order of their numbers, or as they were set.
    Keyed {
        entries: Vec<(String, Value)>,
        /// `declare -A`: keys are words, not expressions.
        words: bool,
    },
    /// An array with elements nobody knows.
    UnknownArray,
    /// `declare -n`: another name.
    Reference(String),
    /// Unset by the text itself.
    Unset,
}

/// Variables that shells set and protect from changes.
const READ_ONLY: &[&str] = &["BASHOPTS", "BASH_VERSINFO", "EUID", "PPID", "SHELLOPTS", "UID"];

impl Scope {
    /// What `name` stands for, references followed; nothing if the text never assigned it.
    pub fn content(&self, name: &str) -> Option<&Content> {
        self.variables.get(self.resolve(name)).map(|variable| &variable.content)
    }

    /// The value of `$name`.
    pub fn value(&self, name: &str) -> Value {
        match self.content(name) {
            Some(Content::Scalar(value)) => value.clone(),
            Some(Content::Array(elements)) => elements.first().cloned().unwrap_or_default(),
            Some(Content::Keyed { .. }) => self.element(name, "0"),
            Some(Content::UnknownArray | Content::Reference(_)) => Value::unknown(),
            Some(Content::Unset) => Value::default(),
            None if name == "HOME" => Value::home(),
            // A shell sets it when it starts and takes none from its environment.
            None if name == "IFS" && !self.poisoned => Value::known(" \t\n"),
            None if name == "PATH" && !self.poisoned => Value::inherited(),
            None if self.poisoned || ENVIRONMENT.contains(&name) => Value::unknown(),
            None => Value::likely(""),
        }
    }

    /// The text of `$name`, where it is known.
    pub fn known(&self, name: &str) -> Option<String> {
        self.value(name).text().map(str::to_owned)
    }

    /// Steps of work that this shell and its copies cost since they were last asked.
    pub fn take_work(&self) -> usize {
        self.work.take()
    }

    fn resolve<'a>(&'a self, name: &'a str) -> &'a str {
        let mut name = name;
        for _ in 0..MAX_REFERENCES {
            match self.variables.get(name).map(|variable| &variable.content) {
                Some(Content::Reference(target)) => name = target,
                _ => break,
            }
        }
        name
    }

    fn set(&mut self, name: &str, content: Content) {
        let name = self.resolve(name).to_owned();
        let known = self.variables.get(&name).map(|known| known.flags());
        let before = known.unwrap_or_else(|| Variable::new(Content::Unset));
        let content = match before.fixed {
            Fixed::Yes => return,
            Fixed::Perhaps => doubt::doubted(&content),
            Fixed::No => content,
        };
        self.variables.insert(name.into(), Arc::new(Variable { content, ..before }));
    }

    /// The content of a variable that is there and may be changed.
    fn content_mut(&mut self, name: &str) -> Option<&mut Content> {
        let name = self.resolve(name).to_owned();
        let shared = self.variables.get_mut(&name).filter(|variable| variable.fixed == Fixed::No)?;
        let variable = self.work.unshared(shared);
        variable.choices = None;
        Some(&mut variable.content)
    }

    /// Changes the variable of exactly this name; without one, a new one that is not set.
    fn change(&mut self, name: &str, change: impl FnOnce(&mut Variable)) {
        if let Some(shared) = self.variables.get_mut(name) {
            return change(self.work.unshared(shared));
        }
        let mut variable = Variable::new(Content::Unset);
        change(&mut variable);
        self.variables.insert(name.into(), Arc::new(variable));
    }

    /// An assignment of text to the variable can't fail.
    pub fn is_writable(&self, name: &str) -> bool {
        let is_free = |variable: &Arc<Variable>| {
            variable.fixed == Fixed::No && !variable.integer && !matches!(variable.content, Content::Reference(_))
        };
        !READ_ONLY.contains(&name) && self.variables.get(name).is_none_or(is_free)
    }

    /// `readonly name`
    pub fn make_readonly(&mut self, name: &str) {
        let name = self.resolve(name).to_owned();
        if !self.variables.contains(&name) {
            self.set(&name, Content::Scalar(self.value(&name)));
        }
        self.change(&name, |variable| variable.fixed = Fixed::Yes);
    }

    pub fn assign(&mut self, name: &str, value: Value) {
        let is_array = matches!(self.content(name), Some(Content::Array(elements)) if !elements.is_empty());
        if is_array {
            self.assign_element(name, Some("0"), value);
        } else {
            self.set(name, Content::Scalar(value));
        }
    }

    /// The value as a field has it: `None` is not known.
    pub fn assign_field(&mut self, name: &str, value: Option<&str>) {
        self.assign(name, value.map_or_else(Value::unknown, Value::known));
    }

    pub fn append(&mut self, name: &str, value: &Value) {
        let appended = self.value(name).appended(value);
        self.assign(name, appended);
    }

    /// `unset name`: without a variable of that name, the function is gone.
    pub fn unset(&mut self, name: &str) {
        if self.variables.contains(self.resolve(name)) || !self.functions.contains(name) {
            self.unset_variable(name);
        } else {
            self.undefine(name);
        }
    }

    /// `unset -v name`
    pub fn unset_variable(&mut self, name: &str) {
        if !self.reveal(name) {
            self.set(name, Content::Unset);
        }
    }

    /// `declare -n name=target`
    pub fn refer(&mut self, name: &str, target: Option<&str>) {
        let content = match target {
            Some(target) if target != name => Content::Reference(target.to_owned()),
            _ => Content::Scalar(Value::unknown()),
        };
        if self.variables.get(name).is_none_or(|variable| variable.fixed == Fixed::No) {
            self.variables.insert(name.into(), Arc::new(Variable::new(content)));
        }
    }

    /// `declare -i name`
    pub fn make_integer(&mut self, name: &str) {
        let name = self.resolve(name).to_owned();
        self.change(&name, |variable| variable.integer = true);
    }

    pub fn is_integer(&self, name: &str) -> bool {
        self.variables.get(self.resolve(name)).is_some_and(|variable| variable.integer)
    }

    /// `alias name=text`
    pub fn alias(&mut self, name: &str, text: &str) {
        self.aliases.insert(name.into(), text.into());
    }

    pub fn forget_alias(&mut self, name: &str) {
        self.aliases.remove(name);
    }

    /// What `name` would stand for if aliases were expanded.
    pub fn aliased(&self, name: &str) -> Option<String> {
        self.aliases.get(name).map(ToString::to_string)
    }

    /// Programs and shells started from here see `name`.
    pub fn export(&mut self, name: &str) {
        let name = self.resolve(name).to_owned();
        if self.variables.get(&name).is_some_and(|variable| !variable.exported) {
            self.change(&name, |variable| variable.exported = true);
        }
    }

    /// `set -a`: what is assigned from here on is exported.
    pub fn start_exporting_all(&mut self) {
        self.exports_all = true;
    }

    /// `set +a`
    pub fn stop_exporting_all(&mut self) {
        self.exports_all = false;
    }

    /// Programs started from here see what is assigned to `name`.
    pub fn exports(&self, name: &str) -> bool {
        self.exports_all || self.variables.get(self.resolve(name)).is_some_and(|variable| variable.exported)
    }

    /// Variables as they are, to be put back behind a command that has assignments of its own.
    pub fn saved<'n>(&self, names: impl Iterator<Item = &'n str>) -> Saved {
        Saved(names.map(|name| (name.into(), self.variables.get(name).map(Arc::clone))).collect())
    }

    pub fn restore(&mut self, saved: Saved) {
        // Of a name that stands there twice, all that was saved is the same.
        for (name, before) in saved.0 {
            self.put(name, before);
        }
    }

    pub fn strictness(&self) -> Strictness {
        self.strictness
    }

    pub fn strictness_mut(&mut self) -> &mut Strictness {
        &mut self.strictness
    }

    /// Characters that separate fields in expanded text.
    pub fn separators(&self) -> String {
        match self.content("IFS") {
            Some(Content::Scalar(value)) => value.text().map_or_else(|| " \t\n".to_owned(), str::to_owned),
            _ => " \t\n".to_owned(),
        }
    }

    /// `cd` leaves `directory`: it is what `cd -` returns to.
    pub fn leave_directory(&mut self, directory: Option<String>) {
        self.previous_directory = directory;
    }

    pub fn previous_directory(&self) -> Option<String> {
        self.previous_directory.clone()
    }

    pub fn push_directory(&mut self, directory: Option<String>) {
        if self.directories.len() < 64 {
            self.directories.push(directory);
        } else {
            self.directories.clear();
        }
    }

    pub fn pop_directory(&mut self) -> Option<String> {
        self.directories.pop().flatten()
    }
}
