//! A settings file of an agent: its text, the places in it, and what is wrong with it.

use std::fmt;

use agent_strace_policy::json::{Data, Key, Value};
use agent_strace_policy::{nearest, quoted};
use agent_strace_repos::repo_audit::{Document, Language, member, members};

/// Bytes of a settings file. Real ones have a few thousand.
const LARGEST: usize = 4 << 20;

/// The owner of a settings file: some settings count only in files of some owners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// It lies in a repository, and holds for everybody who works there.
    Project,
    /// It lies in the home directory of one user.
    User,
    /// An administrator laid it down.
    Machine,
}

/// A settings file as it was read.
#[derive(Debug, Clone)]
pub struct SettingsFile {
    /// The name that messages show.
    pub path: String,
    pub text: String,
    pub owner: Owner,
}

/// A place in a settings file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)
    }
}

/// A settings file that can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFault {
    pub place: Place,
    pub message: String,
    pub help: Option<String>,
}

impl fmt::Display for SettingsFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { file, line, column } = &self.place;
        write!(formatter, "{file}:{line}:{column}: {}", self.message)
    }
}

/// A settings file that was parsed.
pub(crate) struct SettingsReader<'f> {
    pub(crate) file: &'f SettingsFile,
    pub(crate) document: Document<'f>,
}

impl<'f> SettingsReader<'f> {
    pub(crate) fn read(file: &'f SettingsFile, language: Language) -> Result<Self, SettingsFault> {
        check_size(file)?;
        let document = Document::read(language, &file.text).map_err(|fault| SettingsFault {
            place: Place { file: file.path.clone(), line: fault.line, column: fault.column },
            message: fault.reason,
            help: None,
        })?;
        let settings = Self { file, document };
        match &settings.document.root.data {
            Data::Object(_) | Data::Null => Ok(settings),
            other => {
                let message = format!("the settings have to be an object, and this is {}", other.name());
                Err(settings.fault(&settings.document.root, message, None))
            }
        }
    }

    pub(crate) fn root(&self) -> &Value {
        &self.document.root
    }

    pub(crate) fn place(&self, value: &Value) -> Place {
        self.place_at(&value.span)
    }

    pub(crate) fn place_of_key(&self, key: &Key) -> Place {
        self.place_at(&key.span)
    }

    fn place_at(&self, span: &std::ops::Range<usize>) -> Place {
        let (line, column) = self.document.place(span);
        Place { file: self.file.path.clone(), line, column }
    }

    pub(crate) fn fault(&self, value: &Value, message: String, help: Option<String>) -> SettingsFault {
        SettingsFault { place: self.place(value), message, help }
    }

    /// The member, which has to be an object where it is there.
    pub(crate) fn object<'v>(&self, value: &'v Value, name: &str) -> Result<Option<&'v Value>, SettingsFault> {
        match member(value, name) {
            None => Ok(None),
            Some(found) => match found.data {
                Data::Object(_) => Ok(Some(found)),
                Data::Null => Ok(None),
                _ => Err(self.wrong_type(found, name, "an object")),
            },
        }
    }

    /// The texts of a list, each with its place.
    pub(crate) fn texts<'v>(&self, value: &'v Value, name: &str) -> Result<Vec<(&'v str, Place)>, SettingsFault> {
        let Some(found) = member(value, name) else { return Ok(Vec::new()) };
        let items = match &found.data {
            Data::List(items) => items,
            Data::Null => return Ok(Vec::new()),
            _ => return Err(self.wrong_type(found, name, "a list of strings")),
        };
        let one = |item: &'v Value| match &item.data {
            Data::Text(text) => Ok((text.as_str(), self.place(item))),
            _ => Err(self.wrong_type(item, name, "a list of strings")),
        };
        items.iter().map(one).collect()
    }

    /// One of several words; another one is a fault that names the nearest.
    pub(crate) fn word<'v>(
        &self,
        value: &'v Value,
        name: &str,
        known: &[&str],
    ) -> Result<Option<(&'v str, Place)>, SettingsFault> {
        let Some(found) = member(value, name) else { return Ok(None) };
        let Data::Text(text) = &found.data else { return Err(self.wrong_type(found, name, "a string")) };
        if known.contains(&text.as_str()) {
            return Ok(Some((text, self.place(found))));
        }
        let help = match nearest(text, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known here: {}", listed(known)),
        };
        Err(self.fault(found, format!("`{name}` has no value {}", quoted(text)), Some(help)))
    }

    /// The member, where it is `true` or `false`.
    pub(crate) fn switch(&self, value: &Value, name: &str) -> Result<Option<bool>, SettingsFault> {
        match member(value, name).map(|found| (&found.data, found)) {
            None | Some((Data::Null, _)) => Ok(None),
            Some((Data::Bool(on), _)) => Ok(Some(*on)),
            Some((_, found)) => Err(self.wrong_type(found, name, "true or false")),
        }
    }

    pub(crate) fn wrong_type(&self, value: &Value, name: &str, wanted: &str) -> SettingsFault {
        self.fault(value, format!("`{name}` has to be {wanted}, and this is {}", value.data.name()), None)
    }
}

/// Keys that look as if they decided what an agent may do.
const TELLING: &[&str] = &[
    "permission",
    "allow",
    "deny",
    "denied",
    "forbid",
    "approv",
    "sandbox",
    "trust",
    "restrict",
    "exclude",
    "yolo",
    "bypass",
    "autorun",
    "policy",
    "policies",
];

/// The members that look like permissions and that the reader does not know.
pub(crate) fn unknown_permissions<'v>(value: &'v Value, known: &[&str]) -> impl Iterator<Item = &'v Key> {
    let known: Vec<String> = known.iter().map(|name| (*name).to_owned()).collect();
    members(value).iter().map(|(key, _)| key).filter(move |key| {
        let name = key.name.to_lowercase();
        !known.contains(&key.name) && TELLING.iter().any(|word| name.contains(word))
    })
}

pub(crate) fn check_size(file: &SettingsFile) -> Result<(), SettingsFault> {
    if file.text.len() <= LARGEST {
        return Ok(());
    }
    Err(SettingsFault {
        place: Place { file: file.path.clone(), line: 1, column: 1 },
        message: format!("the file is larger than {} MiB", LARGEST >> 20),
        help: None,
    })
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
