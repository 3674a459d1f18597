//! One name for the forms in which a module offers the same function.

use crate::command::knowledge::Language;

use super::Scan;

/// Modules that offer the functions of another one, and the ways to reach it.
const SAME: &[(&str, &str)] = &[
    ("fs/promises.", "fs."),
    ("fs.promises.", "fs."),
    ("fsPromises.", "fs."),
    ("fsp.", "fs."),
    ("fs-extra.", "fs."),
    ("fse.", "fs."),
    ("graceful-fs.", "fs."),
    ("original-fs.", "fs."),
    ("bun.", "Bun."),
    ("cp.", "child_process."),
    ("childProcess.", "child_process."),
    ("dns/promises.", "dns."),
    ("dns.promises.", "dns."),
];

impl Scan<'_> {
    /// `node:fs/promises.readFile`, `fs.promises.readFile`, `fs.readFileSync` → `fs.readFile`.
    pub(super) fn canonical(&self, name: &str) -> Option<String> {
        if self.language != Language::Javascript {
            return None;
        }
        let plain = name.trim_start_matches("globalThis.").trim_start_matches("node:").replace(".default.", ".");
        let same = SAME.iter().find_map(|(from, to)| plain.strip_prefix(from).map(|rest| format!("{to}{rest}")));
        let plain = same.unwrap_or(plain);
        let plain = plain.strip_suffix("Sync").unwrap_or(&plain);
        (plain != name).then(|| plain.to_owned())
    }
}
