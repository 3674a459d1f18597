//! Finds the logs of a session's sub-agents beside the agent's own log.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// Logs that are looked into at their beginning, at most.
const MOST_HEADS: usize = 2_000;
/// Bytes of the beginning of a log, in which Codex names the session that started it.
const HEAD: u64 = 4 << 10;

/// Logs of sub-agents.
#[derive(Debug, Default)]
pub(super) struct SubagentLogs {
    /// A log comes after that of its parent.
    pub(super) paths: Vec<PathBuf>,
    /// All folders could be listed.
    pub(super) is_listed: bool,
}

impl SubagentLogs {
    /// The logs that belong to the session `id`, whose own log is at `path`.
    pub(super) fn of(path: &Path, id: &str) -> Self {
        let mut found = Self { paths: Vec::new(), is_listed: true };
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
            logs.extend(self.in_folder(&folder).into_iter().filter(|log| log.file_name() > path.file_name()));
        }
        // Their names begin with their time, so parents come first.
        logs.sort_by(|left, right| left.file_name().cmp(&right.file_name()));
        self.is_listed &= logs.len() <= MOST_HEADS;
        let mut family = vec![named("session_id", id), named("parent_thread_id", id)];
        for log in logs.into_iter().take(MOST_HEADS) {
            let Some(head) = head(&log) else {
                self.is_listed = false;
                continue;
            };
            if family.iter().any(|parent| memchr::memmem::find(&head, parent.as_bytes()).is_some()) {
                family.extend(id_of(&log).map(|id| named("parent_thread_id", id)));
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
                self.is_listed &= matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
                return Vec::new();
            }
        };
        let mut paths = Vec::new();
        for entry in entries {
            match entry {
                Ok(entry) => paths.push(entry.path()),
                Err(_) => self.is_listed = false,
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

fn head(log: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::metadata(log).ok().filter(fs::Metadata::is_file)?;
    File::open(log).ok()?.take(HEAD).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
