//! What a call takes from files and puts into them, as far as its arguments say.

use std::borrow::Cow;

use agent_strace_effects::patch;
pub(crate) use agent_strace_effects::patch::PatchedFile as Edit;
use agent_strace_model::{Arguments, Members, ToolCall};

/// Names that tools have for the file.
const PATHS: &[&str] = &[
    "file_path",
    "path",
    "filePath",
    "target_file",
    "TargetFile",
    "filename",
    "file",
    "relative_path",
    "notebook_path",
    "absolute_path",
    "uri",
];

/// Names that tools have for what is replaced, and for what replaces it.
const REPLACED: &[(&str, &str)] = &[
    ("old_string", "new_string"),
    ("old_str", "new_str"),
    ("oldString", "newString"),
    ("oldText", "newText"),
    ("old_text", "new_text"),
    ("TargetContent", "ReplacementContent"),
    ("search", "replace"),
    ("old", "new"),
];

/// Names that tools have for a whole content.
const CONTENTS: &[&str] =
    &["content", "contents", "file_text", "fileContent", "CodeContent", "code", "new_source", "text"];

/// Names that tools have for a list of replacements.
const LISTS: &[&str] = &["edits", "replacements", "ReplacementChunks", "changes"];

/// Names that tools have for a patch.
const PATCHES: &[&str] = &["input", "patch", "patchText", "patch_text", "diff", "command", "cmd"];

/// How a patch begins that is given to a tool or to a shell.
const PATCH: &str = "*** Begin Patch";

/// The edits of a call. Commands are read only where they hold a patch.
pub(crate) fn of(call: &ToolCall<'_>) -> Vec<Edit> {
    if let Arguments::Text(text) = &call.arguments {
        return patch_in(text);
    }
    let Some(arguments) = call.arguments.members() else { return Vec::new() };
    let patches = PATCHES.iter().filter_map(|key| arguments.text(key)).map(|text| patch_in(&text));
    if let Some(edits) = patches.into_iter().find(|edits| !edits.is_empty()) {
        return edits;
    }
    let Some(path) = PATHS.iter().find_map(|key| arguments.text(key)) else { return Vec::new() };
    let lists = LISTS.iter().flat_map(|key| arguments.objects(key));
    let parts: Vec<Edit> = lists.filter_map(|part| replaced(&part, &path)).collect();
    if !parts.is_empty() {
        return parts;
    }
    let whole = || CONTENTS.iter().find_map(|key| arguments.text(key));
    let whole = || whole().map(|new| Edit { path: path.clone().into_owned(), old: None, new: new.into_owned() });
    replaced(&arguments, &path).or_else(whole).into_iter().collect()
}

fn patch_in(text: &str) -> Vec<Edit> {
    match text.find(PATCH) {
        Some(at) => {
            let patch = text.get(at..).unwrap_or_default();
            let end = patch.find("*** End Patch").unwrap_or(patch.len());
            patch::texts(patch.get(..end).unwrap_or(patch))
        }
        None => Vec::new(),
    }
}

/// An empty piece to replace is how some tools create a file.
fn replaced(part: &Members<'_>, path: &str) -> Option<Edit> {
    let (old, new) = REPLACED.iter().find_map(|(old, new)| Some((part.text(old)?, part.text(new)?)))?;
    let old = Some(old).filter(|old| !old.is_empty()).map(Cow::into_owned);
    Some(Edit { path: path.to_owned(), old, new: new.into_owned() })
}

/// The last component of a path, however it is written.
pub(super) fn name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}
