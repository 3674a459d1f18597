//! What agents note about hooks and folders that their user trusts.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use toml_edit::{Document, Item};

use super::InstalledHook;
use super::brackets::{Edit, line_break};
use super::json::JsonFile;
use super::toml_text::{self, is_flat, place, with_tables};
use super::tree::{self, without_mark};

/// What Codex notes about a hook: where it is, and a digest of how it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookTrust {
    key: String,
    digest: String,
}

/// Codex ends a hook after so many seconds where its settings do not say when.
const SECONDS: u64 = 600;

impl HookTrust {
    /// Of each hook of a file, by the absolute path of the file.
    pub fn of(file: &str, installed: &[InstalledHook]) -> Vec<Self> {
        installed.iter().map(|hook| Self::of_hook(file, hook)).collect()
    }

    fn of_hook(file: &str, hook: &InstalledHook) -> Self {
        let event = snake_case(&hook.event);
        let entry = hook.entry.get("hooks").and_then(|hooks| hooks.get(hook.hook)).unwrap_or(&hook.entry);
        let handler = json!({
            "async": entry.get("async").and_then(Value::as_bool).unwrap_or(false),
            "command": entry.get("command"),
            "timeout": entry.get("timeout").and_then(Value::as_u64).unwrap_or(SECONDS),
            "type": "command",
        });
        let mut group = json!({ "event_name": event, "hooks": [handler] });
        if let (Some(group), Some(matcher)) = (group.as_object_mut(), hook.entry.get("matcher")) {
            group.insert("matcher".to_owned(), matcher.clone());
        }
        // Members of these objects are in the order of their names.
        let digest = Sha256::digest(group.to_string().as_bytes());
        let key = format!("{file}:{event}:{}:{}", hook.group, hook.hook);
        Self { key, digest: format!("sha256:{}", agent_strace_policy::hex(&digest)) }
    }
}

impl HookTrust {
    /// The table that notes it.
    fn path(&self) -> [&str; 3] {
        ["hooks", "state", &self.key]
    }
}

/// `PreToolUse` → `pre_tool_use`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// The file in which Codex keeps what its user trusts.
pub struct TrustFile {
    mark: &'static str,
    /// Without the byte order mark.
    text: String,
    is_new: bool,
}

impl TrustFile {
    /// There is no such file.
    pub fn absent() -> Self {
        Self { mark: "", text: String::new(), is_new: true }
    }

    /// Why it can't be edited, with the line.
    pub fn read(text: &str) -> Result<Self, String> {
        let (mark, text) = without_mark(text);
        toml_text::parse(text).map(|_| Self { mark, text: text.to_owned(), is_new: false })
    }

    pub fn text(&self) -> String {
        format!("{}{}", self.mark, self.text)
    }

    /// There is such a file, or it was given something to hold.
    pub fn exists(&self) -> bool {
        !(self.is_new && self.text.is_empty())
    }

    fn document(&self) -> Option<Document<&str>> {
        toml_text::parse(&self.text).ok()
    }

    /// The project is trusted under one of its names.
    pub fn trusts_folder(&self, names: &[String]) -> bool {
        let Some(document) = self.document() else { return false };
        let level = |name: &String| document.as_item().get("projects")?.get(name)?.get("trust_level")?.as_str();
        names.iter().any(|name| level(name) == Some("trusted"))
    }

    /// It is trusted as it is, and not switched off.
    pub fn trusts(&self, hook: &HookTrust) -> bool {
        let Some(document) = self.document() else { return false };
        let Some(state) = at(document.as_item(), &hook.path()) else { return false };
        let is_on = state.get("enabled").and_then(Item::as_bool).unwrap_or(true);
        is_on && state.get("trusted_hash").and_then(Item::as_str) == Some(&hook.digest)
    }

    /// Why it can't be noted.
    pub fn trust(&mut self, hook: &HookTrust) -> Result<(), String> {
        self.set(&hook.path(), "trusted_hash", &hook.digest, "enabled")
    }

    /// Why it can't be noted.
    pub fn trust_folder(&mut self, name: &str) -> Result<(), String> {
        self.set(&["projects", name], "trust_level", "trusted", "")
    }

    /// Sets a text of a table, makes the table where it is missing, and takes another value out of it. The error says why
    /// that fails.
    fn set(&mut self, path: &[&str], name: &str, text: &str, without: &str) -> Result<(), String> {
        let document = toml_text::parse(&self.text)?;
        extensible(document.as_item(), path)?;
        let line = format!("{name} = {}", toml_text::quoted(text));
        let own = at(document.as_item(), path).and_then(Item::as_table).filter(|table| !table.is_implicit());
        self.text = match own {
            None => {
                let table = vec![format!("[{}]", path.iter().copied().map(key).collect::<Vec<_>>().join(".")), line];
                let is_first = self.is_new && self.text.is_empty();
                if is_first { toml_text::new_file(&[table]) } else { with_tables(&self.text, &[table]) }
            }
            Some(table) => {
                let span = |name: &str| table.get(name).and_then(toml_edit::Item::span);
                let header = table.span().ok_or("it can't be edited")?;
                let set = match span(name) {
                    Some(range) => Edit { range, text: toml_text::quoted(text) },
                    None => Edit::insert(
                        toml_text::end_of_line(&self.text, header.end),
                        format!("{}{line}", line_break(&self.text)),
                    ),
                };
                let removed = span(without).map(|range| Edit::remove(toml_text::lines(&self.text, &range)));
                Edit::apply(&self.text, [set].into_iter().chain(removed).collect())
            }
        };
        Ok(())
    }

    /// Takes out what is noted about the hook; `None`: nothing is left of the file.
    #[must_use]
    pub fn without(mut self, hook: &HookTrust) -> Option<Self> {
        let place = self.document().and_then(|document| {
            let table = at(document.as_item(), &hook.path())?.as_table().filter(|table| is_flat(*table))?;
            Some(place(table, table.span()?))
        });
        if let Some(place) = place {
            self.text = toml_text::without_table(&self.text, &place)?;
        }
        Some(self)
    }
}

fn at<'i>(item: &'i Item, path: &[&str]) -> Option<&'i Item> {
    path.iter().try_fold(item, |item, name| item.get(name))
}

/// A name in the header of a table.
fn key(name: &str) -> String {
    toml_edit::Key::new(name).to_string()
}

/// Checks that a table may be added under its header. The error says why not, and what to do.
fn extensible(root: &Item, path: &[&str]) -> Result<(), String> {
    for end in 1..=path.len() {
        let Some(found) = at(root, path.get(..end).unwrap_or_default()) else { return Ok(()) };
        if found.as_table().is_none_or(toml_edit::Table::is_dotted) {
            let name = path.iter().take(end).copied().map(key).collect::<Vec<_>>().join(".");
            return Err(format!("its `{name}` is no table with a header of its own: write it as `[{name}]`"));
        }
    }
    Ok(())
}

/// A file in JSON in which an agent keeps the folders that its user trusts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderTrust {
    /// The list `trustedFolders`.
    List,
    /// A map from folders to levels.
    Levels,
}

const LIST: &str = "trustedFolders";

impl FolderTrust {
    /// Whether a folder, by its real path, is trusted. `real` resolves paths of the file. Why the file can't be read.
    pub fn trusts(self, text: &str, folder: &Path, real: &dyn Fn(&Path) -> PathBuf) -> Result<bool, String> {
        let path = if self == Self::List { &[LIST][..] } else { &[] };
        let whole = if text.trim().is_empty() { Value::Null } else { tree::value_with(text, path)? };
        let covers = |path: &Path| folder.starts_with(real(path));
        match self {
            Self::List => {
                let listed = whole.get(LIST).and_then(Value::as_array).into_iter().flatten();
                Ok(listed.filter_map(Value::as_str).any(|path| covers(Path::new(path))))
            }
            Self::Levels => {
                let levels = whole.as_object().into_iter().flatten();
                let ruled = levels.filter_map(|(path, level)| ruled(Path::new(path), level.as_str()?));
                let depth = |path: &Path| path.components().count();
                // The deepest folder decides, and of two the one that is not trusted.
                let decides = ruled.filter(|(path, _)| covers(path)).max_by_key(|(path, is)| (depth(&real(path)), !is));
                Ok(decides.is_some_and(|(_, is_trusted)| is_trusted))
            }
        }
    }

    /// The text of the file with the folder as a trusted one. Why the file can't be edited.
    pub fn with(self, text: &str, folder: &str) -> Result<String, String> {
        let file = JsonFile::read(text)?;
        match self {
            Self::List => file.add_to_list(LIST, folder),
            Self::Levels => file.set(folder, "TRUST_FOLDER"),
        }
    }
}

/// The folder that a level is about, and whether it is trusted.
fn ruled<'p>(path: &'p Path, level: &str) -> Option<(&'p Path, bool)> {
    match level {
        "TRUST_FOLDER" => Some((path, true)),
        "TRUST_PARENT" => Some((path.parent().unwrap_or(path), true)),
        "DO_NOT_TRUST" => Some((path, false)),
        _ => None,
    }
}

/// Whether an agent asks for trust in folders at all, by the settings of its user. Why they can't be read.
pub fn asks_for_folders(settings: &str, default: bool) -> Result<bool, String> {
    if settings.trim().is_empty() {
        return Ok(default);
    }
    let whole = tree::value_with(settings, &["security", "folderTrust", "enabled"])?;
    Ok(whole.pointer("/security/folderTrust/enabled").and_then(Value::as_bool).unwrap_or(default))
}
