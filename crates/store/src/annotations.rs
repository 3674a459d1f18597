//! What people noted at events of a session: `annotations.jsonl` beside its events, one note a line.
//!
//! The keys are those of other readers of the store. Notes are added by one write at the end of the file and taken out by
//! replacing it, so that no reader sees half of one. They are no evidence: nothing is judged by them.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{StoreError, name};
use agent_strace_model::{Gap, GapKind};

pub const NAME: &str = "annotations.jsonl";
/// A larger file is not read.
const LARGEST: u64 = 16 << 20;
/// Digits of an id.
const ID: usize = 12;
const TRIES: u32 = 100;

/// One note.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "annotation"))]
pub struct Annotation {
    /// 12 hex digits.
    #[serde(rename = "annotation_id")]
    pub id: String,
    pub session_id: String,
    /// The id of the event's record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// The number of the event in its session, as findings have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<u32>,
    /// Of the event, since the session started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset_seconds: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bookmark: bool,
    /// RFC 3339; other writers have epoch seconds.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "agent_strace_testing::schemas::Time"))]
    pub created_at: serde_json::Value,
}

/// Every note of a session, and the lines that hold none.
pub fn read(folder: &Path) -> (Vec<Annotation>, Vec<Gap>) {
    let path = folder.join(NAME);
    let gap = |line, kind| Gap { file: shown(&path), line, kind };
    let text = match text_of(&path) {
        Ok(Some(text)) => text,
        Ok(None) => return (Vec::new(), Vec::new()),
        Err(reason) => return (Vec::new(), vec![gap(None, GapKind::unreadable(reason))]),
    };
    let (mut notes, mut gaps) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(note) => notes.push(note),
            Err(_) => gaps.push(gap(Some(number), GapKind::malformed("a note that can't be read"))),
        }
    }
    (notes, gaps)
}

/// Adds a note; its id is that of what it says and of how many there are.
pub fn add(folder: &Path, mut note: Annotation) -> Result<Annotation, StoreError> {
    let path = folder.join(NAME);
    let failed = |reason: String| StoreError { path: shown(&path), reason };
    let text = text_of(&path).map_err(failed)?.unwrap_or_default();
    note.id = String::new();
    let content = serde_json::to_string(&note).map_err(|error| failed(error.to_string()))?;
    note.id = name::hex(format!("{} {content}", text.lines().count()).as_bytes(), ID);
    let line = serde_json::to_string(&note).map_err(|error| failed(error.to_string()))?;
    // A line that was cut off ends here, so that it takes no other with it.
    let start = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    private(&mut options);
    let mut file = options.open(&path).map_err(|error| failed(reason(&error)))?;
    let written = file.write_all(format!("{start}{line}\n").as_bytes()).and_then(|()| file.sync_all());
    written.map_err(|error| failed(reason(&error)))?;
    Ok(note)
}

/// Takes the note with this id out; the others stay as they are written. `false`: there is none.
pub fn delete(folder: &Path, id: &str) -> Result<bool, StoreError> {
    let path = folder.join(NAME);
    let failed = |reason: String| StoreError { path: shown(&path), reason };
    let Some(text) = text_of(&path).map_err(failed)? else { return Ok(false) };
    let is_it = |line: &&str| serde_json::from_str::<Annotation>(line).is_ok_and(|note| note.id == id);
    let (gone, kept): (Vec<&str>, Vec<&str>) = text.lines().partition(is_it);
    if gone.is_empty() {
        return Ok(false);
    }
    let kept: String = kept.iter().flat_map(|line| [line, "\n"]).collect();
    replace(&path, &kept).map_err(|error| failed(reason(&error)))?;
    Ok(true)
}

/// `None`: there is no such file.
fn text_of(path: &Path) -> Result<Option<String>, String> {
    match path.symlink_metadata() {
        Ok(found) if !found.is_file() => return Err("it is not a plain file".to_owned()),
        Ok(found) if found.len() > LARGEST => return Err("it is larger than 16 MiB".to_owned()),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(reason(&error)),
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| reason(&error))?;
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| reason(&error))?;
    String::from_utf8(bytes).map(Some).map_err(|_| "it is not UTF-8 text".to_owned())
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    for attempt in 0..TRIES {
        let temporary = path.with_file_name(format!(".{NAME}.{}-{attempt}.tmp", std::process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        private(&mut options);
        let mut file = match options.open(&temporary) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        };
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        return written.and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
            // Nothing refers to the temporary file.
            let _ = fs::remove_file(&temporary);
        });
    }
    Err(io::Error::from(ErrorKind::AlreadyExists))
}

/// As the events beside it: only their owner reads them.
#[cfg_attr(not(unix), expect(unused_variables, reason = "only there a file has a mode"))]
fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "it does not exist".to_owned(),
        kind => kind.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Annotation, NAME, add, delete, read};

    fn note(text: &str) -> Annotation {
        Annotation {
            id: String::new(),
            session_id: "s".to_owned(),
            event_id: Some("e".to_owned()),
            event: Some(1),
            offset_seconds: None,
            label: None,
            note: Some(text.to_owned()),
            author: None,
            bookmark: false,
            created_at: "2026-03-01T12:00:00Z".into(),
        }
    }

    #[test]
    fn notes_are_added_and_taken_out_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        assert_eq!(read(folder.path()), (Vec::new(), Vec::new()));
        let [one, two] = [note("a"), note("a")].map(|note| add(folder.path(), note).unwrap());
        assert_ne!(one.id, two.id);
        assert_eq!(read(folder.path()).0, [one.clone(), two.clone()]);
        // What another writer left behind stays, and takes nothing with it.
        let text = std::fs::read_to_string(&path).unwrap() + "{\"annotation_id\":";
        std::fs::write(&path, text).unwrap();
        let three = add(folder.path(), note("b")).unwrap();
        let (notes, gaps) = read(folder.path());
        assert_eq!((notes, gaps.len()), (vec![one.clone(), two, three], 1));
        assert!(delete(folder.path(), &one.id).unwrap());
        assert!(!delete(folder.path(), &one.id).unwrap());
        assert_eq!((read(folder.path()).0.len(), read(folder.path()).1.len()), (2, 1));
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = folder.path().join("elsewhere");
        std::fs::write(&elsewhere, "x").unwrap();
        std::os::unix::fs::symlink(&elsewhere, folder.path().join(NAME)).unwrap();
        assert!(add(folder.path(), note("a")).is_err());
        assert_eq!(read(folder.path()).1.len(), 1);
        assert_eq!(std::fs::read_to_string(elsewhere).unwrap(), "x");
    }

    #[test]
    fn the_schema_is_that_of_the_type() {
        agent_strace_testing::schemas::keep(
            "store-annotation",
            &agent_strace_testing::schemas::written::<Annotation>(),
        );
    }
}
