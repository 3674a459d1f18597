//! Finds the logs of a session's sub-agents beside the agent's own log.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// Logs that are looked into at their beginning, at most.
const MOST_HEADS: usize = 10_000;
/// Bytes of the first record of a log, in which Codex names the session that started it.
const HEAD: u64 = 4 << 10;

/// Logs of sub-agents.
#[derive(Debug, Default)]
pub(super) struct SubagentLogs {
    /// A log comes after that of its parent.
    pub(super) paths: Vec<PathBuf>,
    /// The sub-agents whose logs are named after them.
    pub(super) ids: Vec<String>,
    /// No log is missing among them, as far as is known.
    pub(super) is_complete: bool,
}

impl SubagentLogs {
    /// The logs that belong to the session `id`, whose own log is at `path`.
    pub(super) fn of(path: &Path, id: &str) -> Self {
        let mut found = Self { is_complete: true, ..Self::default() };
        // Claude Code and Gemini keep the logs of sub-agents in folders that are named after the session.
        let folders = [Some(path.with_extension("").join("subagents")), path.parent().map(|folder| folder.join(id))];
        for folder in folders.into_iter().flatten() {
            let logs = found.in_folder(&folder);
            found.paths.extend(logs);
        }
        found.paths.sort();
        found.of_codex(path, id);
        found
    }

    /// Codex keeps all logs in folders of days (`sessions/2026/11/30/rollout-<time>-<id>.jsonl`).
    fn of_codex(&mut self, path: &Path, id: &str) {
        let Some((day, sessions)) = day_of(path) else { return };
        let mut logs: Vec<PathBuf> = Vec::new();
        for folder in self.days_since(&sessions, &day) {
            logs.extend(self.in_folder(&folder).into_iter().filter(|log| log.as_path() != path));
        }
        self.is_complete &= logs.len() <= MOST_HEADS;
        let heads = logs.into_iter().take(MOST_HEADS).map(|log| (head(&log), log));
        let mut open: Vec<(Vec<u8>, PathBuf)> = Vec::new();
        for (head, log) in heads {
            match head {
                Ok(Some(head)) if has(&head, "\"parent_thread_id\"") || has(&head, &named("session_id", id)) => {
                    open.push((head, log));
                }
                Ok(_) => {}
                Err(_) => self.is_complete = false,
            }
        }
        let mut parents = vec![named("session_id", id), named("parent_thread_id", id)];
        // A sub-agent may start sub-agents of its own.
        while let Some(parent) = parents.pop() {
            let (found, rest) = open.into_iter().partition(|(head, _)| has(head, &parent));
            open = rest;
            for (head, log) in found {
                let Some(id) = id_of(&log) else { continue };
                // It begins with what its parent did and spent.
                if has(&head, "\"forked_from_id\":\"") {
                    self.is_complete = false;
                    continue;
                }
                parents.push(named("parent_thread_id", id));
                self.ids.push(id.to_owned());
                self.paths.push(log);
            }
        }
    }

    /// The folders of this day and of later ones.
    fn days_since(&mut self, sessions: &Path, day: &[String; 3]) -> Vec<PathBuf> {
        let mut folders = vec![(Vec::<String>::new(), sessions.to_owned())];
        for _ in day {
            let mut below = Vec::new();
            for (date, folder) in folders {
                let entries = self.entries(&folder);
                below.extend(entries.into_iter().filter_map(|path| {
                    let name = path.file_name()?.to_str().filter(|name| is_number(name))?;
                    let date: Vec<String> = date.iter().cloned().chain([name.to_owned()]).collect();
                    (day.get(..date.len())? <= date.as_slice()).then_some((date, path))
                }));
            }
            folders = below;
        }
        folders.into_iter().map(|(_, folder)| folder).collect()
    }

    /// The logs in a folder, in the order of their names.
    fn in_folder(&mut self, folder: &Path) -> Vec<PathBuf> {
        let is_log = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jsonl");
        self.entries(folder).into_iter().filter(is_log).collect()
    }

    fn entries(&mut self, folder: &Path) -> Vec<PathBuf> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                self.is_complete &= matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
                return Vec::new();
            }
        };
        let mut paths = Vec::new();
        for entry in entries {
            match entry {
                Ok(entry) => paths.push(entry.path()),
                Err(_) => self.is_complete = false,
            }
        }
        paths.sort();
        paths
    }
}

/// The year, month and day of the folder of a log, and the folder of all years.
fn day_of(path: &Path) -> Option<([String; 3], PathBuf)> {
    let name = path.file_name()?.to_str()?;
    let mut folders = path.ancestors().skip(1);
    let mut part = || folders.next()?.file_name()?.to_str().filter(|part| is_number(part)).map(str::to_owned);
    let (day, month, year) = (part()?, part()?, part()?);
    name.starts_with("rollout-").then(|| folders.next())?.map(|sessions| ([year, month, day], sessions.to_owned()))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit())
}

/// The id at the end of a name: `rollout-2026-11-30T22-46-51-<id>.jsonl`.
fn id_of(log: &Path) -> Option<&str> {
    const TIME: usize = "2026-11-30T22-46-51-".len();
    log.file_stem()?.to_str()?.strip_prefix("rollout-")?.get(TIME..)
}

/// A member of the first record of a log that names another session. A log that was forked from one names it otherwise.
fn named(key: &str, id: &str) -> String {
    format!(r#""{key}":"{id}""#)
}

fn has(head: &[u8], text: &str) -> bool {
    memchr::memmem::find(head, text.as_bytes()).is_some()
}

/// The beginning of the first record; `None`: it is no file.
fn head(log: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::metadata(log) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut bytes = Vec::new();
    File::open(log)?.take(HEAD).read_to_end(&mut bytes)?;
    bytes.truncate(memchr::memchr(b'\n', &bytes).unwrap_or(bytes.len()));
    Ok(Some(bytes))
}
