//! `.gitmodules`: where the submodules come from that the gate calls.

use super::gate::GateFiles;
use super::touches::Changed;
use super::tree::{Content, Contents};

/// Where the change lets a submodule of the gate come from somewhere else: the file that calls it.
pub(super) fn moved(changed: &Changed<'_>, gate: &GateFiles) -> Option<String> {
    let moved = |path: &&String| section(changed.before, path) != section(changed.head, path);
    let path = gate.submodules.iter().find(moved)?;
    gate.called.get(path).cloned()
}

/// All settings of the submodule at a path. `Err`: the file can't be read.
fn section(side: &dyn Contents, path: &str) -> Result<Vec<String>, String> {
    let text = match side.read(".gitmodules") {
        Content::Text(text) => text,
        Content::Missing => String::new(),
        Content::Unreadable(reason) => return Err(reason),
    };
    let mut sections: Vec<Vec<String>> = vec![Vec::new()];
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';'])) {
        if line.starts_with('[') {
            sections.push(Vec::new());
        }
        sections.last_mut().into_iter().for_each(|section| section.push(line.to_owned()));
    }
    let is_of_path = |line: &String| {
        line.split_once('=').is_some_and(|(key, value)| {
            key.trim().eq_ignore_ascii_case("path") && value.trim().trim_matches(['"', '/']) == path
        })
    };
    Ok(sections.into_iter().filter(|section| section.iter().any(is_of_path)).flatten().collect())
}
