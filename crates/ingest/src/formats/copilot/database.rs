//! The index that Copilot CLI keeps beside the logs of its sessions.

use crate::database::{Database, Holds};

pub(in crate::formats) static DATABASE: Database = Database {
    what: "Copilot CLI's index",
    agent: "copilot-cli",
    marks: &[
        ("turns", &["session_id", "turn_index", "user_message"]),
        ("session_files", &["session_id", "file_path", "tool_name"]),
    ],
    holds: Holds::Nothing("not a log: Copilot CLI's index of its sessions; the log of each is its `events.jsonl`"),
    homes: &[],
};
