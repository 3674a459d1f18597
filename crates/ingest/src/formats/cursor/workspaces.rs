//! The directories of chats: each workspace of the editor has a folder of its own, which names its directory and the chats
//! that were begun in it. The chats themselves lie in one database for all.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::database::{Child, Place, Tables, room};
use crate::json::{elements, filled, object, parse, record};
use crate::paths::of_url;

/// Workspaces that are looked at.
const MOST: usize = 10_000;
/// The longest description of a workspace.
const LONGEST: u64 = 64 << 10;

static ITEMS: Child = Child { table: "ItemTable", key: "key", needed: &["value"], optional: &[], order: &[] };
const CHATS: &str = "composer.composerData";

record! {
    struct Workspace { folder = "folder" }
}

record! {
    struct Chats { all = "allComposers" }
}

record! {
    struct Chat { id = "composerId" }
}

/// The directory of each chat of a database that is known to be of one workspace. What can't be read leaves the directory
/// of its chats unknown, and those may have been anywhere.
pub(super) fn directories(database: Option<&Path>) -> BTreeMap<String, String> {
    let beside = database.and_then(|path| Some(path.parent()?.parent()?.join("workspaceStorage")));
    let entries = beside.and_then(|beside| fs::read_dir(beside).ok()).into_iter().flatten().flatten().take(MOST);
    let mut known: BTreeMap<String, Option<String>> = BTreeMap::new();
    for folder in entries.map(|entry| entry.path()) {
        for chat in chats(&folder.join("state.vscdb")) {
            // A chat that several workspaces list was in none of them alone.
            let directory = if known.contains_key(&chat) { None } else { directory(&folder) };
            known.insert(chat, directory);
        }
    }
    known.into_iter().filter_map(|(chat, directory)| Some((chat, directory?))).collect()
}

/// The directory that a workspace is open in, if it is one of this machine.
fn directory(workspace: &Path) -> Option<String> {
    let file = workspace.join("workspace.json");
    let found = file.symlink_metadata().ok()?;
    let text = (found.is_file() && found.len() <= LONGEST).then(|| fs::read_to_string(file).ok())??;
    let folder = filled(parse::<Workspace<'_>>(&text)?.folder)?;
    folder.starts_with("file://").then(|| of_url(folder).into_owned())
}

/// The chats that a workspace lists. Its other values are not read.
fn chats(file: &Path) -> Vec<String> {
    let is_file = file.symlink_metadata().is_ok_and(|found| found.is_file());
    let listed = || {
        let place = Place::File(file);
        let opened = place.open().ok()?;
        let table = ITEMS.open(&Tables::new(&opened.connection, &place)).ok()?;
        let rows = table.by(ITEMS.key).ok()?.rows.remove(CHATS)?;
        let rows = ITEMS.rows(&table, &rows, &mut room(), &mut Vec::new()).ok()?;
        let chats = parse::<Chats<'_>>(rows.first()?.text("value")?)?;
        let ids = elements(chats.all).into_iter().filter_map(|chat| filled(object::<Chat<'_>>(Some(chat))?.id));
        Some(ids.map(Cow::into_owned).collect())
    };
    is_file.then(listed).flatten().unwrap_or_default()
}
