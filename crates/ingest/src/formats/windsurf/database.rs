//! Antigravity's databases: their steps are encoded, and on some systems encrypted.

use std::path::{Path, PathBuf};

use crate::database::{Database, Holds};
use crate::formats::{Base, Home};

pub(in crate::formats) static DATABASE: Database = Database {
    what: "Antigravity's",
    agent: "antigravity",
    marks: &[("steps", &["idx", "step_type", "step_payload"])],
    holds: Holds::Unread(
        "Antigravity's database: its steps are encoded; the transcript of the session, `transcript.jsonl` below `brain`, \
         can be read, and it is not there",
        transcript,
    ),
    homes: &[
        Home { variables: &[], base: Base::Home, folder: ".gemini/antigravity-cli", logs: "conversations/*.db" },
        Home { variables: &[], base: Base::Home, folder: ".gemini/antigravity", logs: "conversations/*.db" },
    ],
};

/// The readable log of the same session: `brain/<id>/.system_generated/logs/transcript.jsonl`.
fn transcript(database: &Path) -> Option<PathBuf> {
    let home = database.parent()?.parent()?;
    Some(home.join("brain").join(database.file_stem()?).join(".system_generated/logs/transcript.jsonl"))
}
