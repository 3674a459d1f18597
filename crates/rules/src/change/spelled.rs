//! Content that a call writes by a shell, where its words hold it.

use std::cell::OnceCell;

use super::recorded::is_of;
use super::touch::Extent;
use crate::lint::edits::Edit;
use agent_strace_effects::literals::{Content, LiteralWrites, Writer, literal_writes};
use agent_strace_effects::{Effect, Execution, Kind};
use agent_strace_model::{Session, ShellLanguage};

/// The shell text of a call, which is read when a write of it is asked for.
pub(super) struct Spelled<'e> {
    text: Option<&'e str>,
    writes: OnceCell<Option<LiteralWrites>>,
}

/// The shells of a session take POSIX text, as far as its log says.
pub(super) fn is_posix(session: &Session<'_>) -> bool {
    let is_drive = |root: &str| root.as_bytes().get(1) == Some(&b':') || root.starts_with('\\');
    session.shells.iter().all(|shell| *shell == ShellLanguage::Posix) && !session.root.as_deref().is_some_and(is_drive)
}

impl<'e> Spelled<'e> {
    pub(super) fn new(text: Option<&'e str>, effects: &'e [Effect]) -> Self {
        Self { text: text.map(|text| inner(effects).unwrap_or(text)), writes: OnceCell::new() }
    }

    /// The content that came into a file, in order. `None`: the words of the call do not hold all of it.
    pub(super) fn contents(&self, path: &str, by: Writer, is_sure: bool) -> Option<Vec<(Edit, Extent)>> {
        let found = self.writes.get_or_init(|| literal_writes(self.text?)).as_ref()?;
        let of_writer = found.writes.iter().filter(|write| write.by == by);
        let mut contents = Vec::new();
        for write in of_writer {
            let written = Edit { path: write.path.clone()?, old: None, new: String::new() };
            if is_of(&written, path) {
                contents.push(edit(written, &write.content, is_sure && !found.may_stop)?);
            }
        }
        let is_clear = !found.changes_directory || contents.len() == 1;
        (is_clear && !contents.is_empty()).then_some(contents)
    }
}

/// `None`: the content is not known.
fn edit(written: Edit, content: &Content, is_sure: bool) -> Option<(Edit, Extent)> {
    Some(match content.clone() {
        Content::Whole(new) if is_sure => (Edit { new, ..written }, Extent::Whole),
        Content::Whole(new) => (Edit { new, ..written }, Extent::Somewhere),
        Content::Added(new) => (Edit { new, ..written }, Extent::Behind),
        Content::Replaced { old, new } => (Edit { old: Some(old), new, ..written }, Extent::Everywhere),
        Content::Fewer => (written, Extent::Somewhere),
        Content::Unknown => return None,
    })
}

/// The text in `bash -lc TEXT`, where the call runs nothing else.
fn inner(effects: &[Effect]) -> Option<&str> {
    let mut outer = effects.iter().filter(|effect| effect.origin.parent.is_none()).filter_map(execution);
    let (Some(called), None) = (outer.next(), outer.next()) else { return None };
    let [program, option, text] = called.argv.as_slice() else { return None };
    let name = program.text.rsplit('/').next().unwrap_or_default();
    let is_text = matches!(option.text.as_str(), "-c" | "-lc" | "-ic" | "-lic") && text.known;
    (["sh", "bash", "zsh", "dash"].contains(&name) && is_text).then_some(text.text.as_str())
}

fn execution(effect: &Effect) -> Option<&Execution> {
    match &effect.kind {
        Kind::Execute(execution) => Some(execution),
        _ => None,
    }
}
