//! The file beside a generated policy that says which sessions each entry comes from. Nothing judges by it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::builtin::{BUILTIN, builtin};

/// The calls behind one entry.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Record {
    /// The keys that lead to its list, with `/` between them.
    pub list: String,
    pub entry: String,
    /// [`digest`] of the two.
    pub sha256: String,
    /// `seen`: sessions did what the entry names. `family`: they did some of it.
    pub basis: String,
    pub sessions: u64,
    pub calls: u64,
    /// When the first and the last of the calls were made.
    pub first: Option<String>,
    pub last: Option<String>,
}

/// The whole file.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = ".agent-scope.provenance.json"))]
struct File {
    #[expect(dead_code, reason = "for other readers")]
    schema_version: u32,
    /// The sessions and calls that the policy was made from.
    #[expect(dead_code, reason = "for other readers")]
    sessions: u64,
    #[expect(dead_code, reason = "for other readers")]
    calls: u64,
    /// When the first and the last of the calls were made.
    #[expect(dead_code, reason = "for other readers")]
    first: Option<String>,
    #[expect(dead_code, reason = "for other readers")]
    last: Option<String>,
    entries: Vec<Record>,
}

/// Identifies an entry by its list, its text, and what the text stands for: an entry that is inserted has no record, and the
/// record of a built-in list does not fit the list of another version of this tool.
pub fn digest(list: &str, entry: &str) -> String {
    let mut hash = Sha256::new();
    let members = entry.strip_prefix(BUILTIN).and_then(builtin).map_or(&[][..], |list| &list.entries);
    for part in [list, entry].into_iter().chain(members.iter().map(String::as_str)) {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hash.finalize().iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// `.agent-scope.json` → `.agent-scope.provenance.json`, in the same folder.
pub fn file_of(policy: &Path) -> PathBuf {
    policy.with_extension("provenance.json")
}

/// The records whose digest fits: what was changed by hand proves nothing.
pub fn read(text: &str) -> Result<Vec<Record>, String> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok(file.entries.into_iter().filter(|record| record.sha256 == digest(&record.list, &record.entry)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_belongs_to_one_entry_of_one_list() {
        let one = digest("commands/allow", "npm test");
        for (list, entry) in
            [("commands/deny", "npm test"), ("commands/allow", "npm tests"), ("commands/allow\0npm", "test")]
        {
            assert_ne!(one, digest(list, entry), "{list} {entry}");
        }
        let record = |sha256: &str| {
            let entry = serde_json::json!({
                "list": "commands/allow", "entry": "npm test", "sha256": sha256, "basis": "seen", "sessions": 1, "calls": 2
            });
            serde_json::json!({ "schema_version": 1, "sessions": 1, "calls": 2, "entries": [entry] }).to_string()
        };
        assert_eq!(read(&record(&one)).map(|records| records.len()), Ok(1));
        assert_eq!(read(&record("00")).map(|records| records.len()), Ok(0));
        assert!(read("{}").is_err());
        assert_eq!(file_of(Path::new("a/.agent-scope.json")), Path::new("a/.agent-scope.provenance.json"));
    }

    #[test]
    fn the_published_schema_is_that_of_the_file() {
        agent_strace_testing::schemas::keep(
            "agent-scope-provenance",
            &agent_strace_testing::schemas::written::<File>(),
        );
    }
}
