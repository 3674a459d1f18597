//! What agents note about hooks and folders that their user trusts.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use toml_edit::{DocumentMut, Item, Table};

use super::json::{self, JsonFile};
use super::{InstalledHook, toml_text};

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
    document: DocumentMut,
}

impl TrustFile {
    /// Why it can't be edited, with the line.
    pub fn read(text: &str) -> Result<Self, String> {
        toml_text::parse(text).map(|document| Self { document })
    }

    pub fn text(&self) -> String {
        self.document.to_string()
    }

    /// The project is trusted under one of its names.
    pub fn trusts_folder(&self, names: &[String]) -> bool {
        let level = |name: &String| self.document.get("projects")?.get(name)?.get("trust_level")?.as_str();
        names.iter().any(|name| level(name) == Some("trusted"))
    }

    /// It is trusted as it is, and not switched off.
    pub fn trusts(&self, hook: &HookTrust) -> bool {
        let Some(state) = self.state(hook) else { return false };
        let is_on = state.get("enabled").and_then(Item::as_bool).unwrap_or(true);
        is_on && state.get("trusted_hash").and_then(Item::as_str) == Some(&hook.digest)
    }

    fn state(&self, hook: &HookTrust) -> Option<&Item> {
        self.document.get("hooks")?.get("state")?.get(&hook.key)
    }

    /// Why it can't be noted.
    pub fn trust(&mut self, hook: &HookTrust) -> Result<(), String> {
        let hooks = table(self.document.as_table_mut(), "hooks")?;
        let state = table(table(hooks, "state")?, &hook.key)?;
        state.set_implicit(false);
        state.insert("trusted_hash", toml_edit::value(&hook.digest));
        state.remove("enabled");
        Ok(())
    }

    /// Why it can't be noted.
    pub fn trust_folder(&mut self, name: &str) -> Result<(), String> {
        let project = table(table(self.document.as_table_mut(), "projects")?, name)?;
        project.set_implicit(false);
        project.insert("trust_level", toml_edit::value("trusted"));
        Ok(())
    }

    /// Takes out what is noted about the hook, and tables that are empty then.
    pub fn forget(&mut self, hook: &HookTrust) {
        let Some(hooks) = self.document.get_mut("hooks").and_then(Item::as_table_mut) else { return };
        let Some(state) = hooks.get_mut("state").and_then(Item::as_table_mut) else { return };
        if state.remove(&hook.key).is_none() || !state.is_empty() {
            return;
        }
        hooks.remove("state");
        if hooks.is_empty() {
            self.document.remove("hooks");
        }
    }
}

/// The table of this name, made where there is none.
fn table<'t>(parent: &'t mut Table, name: &str) -> Result<&'t mut Table, String> {
    let made = || {
        let mut table = Table::new();
        // It is written by the tables in it.
        table.set_implicit(true);
        Item::Table(table)
    };
    let item = parent.entry(name).or_insert_with(made);
    item.as_table_mut().ok_or_else(|| format!("its `{}` is no table", name.escape_default()))
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
        let whole = if text.trim().is_empty() { Value::Null } else { json::value(text)? };
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
        Ok(file.text())
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
    let whole = json::value(settings)?;
    Ok(whole.pointer("/security/folderTrust/enabled").and_then(Value::as_bool).unwrap_or(default))
}
