//! Editors and development containers.

use super::super::document::{items, member, members, text};
use super::super::tables::Ecosystem;
use super::{List, Reference, container, shell};
use agent_strace_policy::json::Value;

/// `recommendations` of `.vscode/extensions.json`. What is unwanted is not in use.
pub(super) fn extensions(root: &Value, list: &mut List<'_>) {
    ids(member(root, "recommendations"), list);
}

/// `*.code-workspace`.
pub(super) fn workspace(root: &Value, list: &mut List<'_>) {
    if let Some(section) = member(root, "extensions") {
        extensions(section, list);
    }
}

fn ids(value: Option<&Value>, list: &mut List<'_>) {
    for item in value.map(items).unwrap_or_default() {
        // `-id` takes one away that a feature brought.
        if let Some(id) = text(item).filter(|id| !id.starts_with('-')) {
            let id = id.split('@').next().unwrap_or(id).to_ascii_lowercase();
            list.add_at(Reference::Extension(id), &item.span);
        }
    }
}

/// Features, extensions, the image and the commands of a development container.
pub(super) fn devcontainer(root: &Value, list: &mut List<'_>) {
    for (key, value) in members(root) {
        match key.name.as_str() {
            "features" => {
                for (feature, _) in members(value) {
                    let name = container::image(&feature.name).to_ascii_lowercase();
                    list.add_at(Reference::Feature(name), &feature.span);
                }
            }
            "image" => {
                if let Some(name) = text(value) {
                    list.package(Ecosystem::Docker, container::image(name), value.span.start);
                }
            }
            "extensions" => ids(Some(value), list),
            "customizations" => {
                for (_, editor) in members(value) {
                    ids(member(editor, "extensions"), list);
                }
            }
            name if name.ends_with("Command") => commands(value, list),
            _ => {}
        }
    }
}

/// One command, the words of one, or several by name.
fn commands(value: &Value, list: &mut List<'_>) {
    shell::in_value(value, list);
    for (_, value) in members(value) {
        shell::in_value(value, list);
    }
}
