//! Content that redirections of a call write, where its words hold it.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::recorded::is_of;
use super::touch::Extent;
use crate::lint::edits::Edit;
use agent_strace_effects::literals::{Content, LiteralWrite, literal_writes};
use agent_strace_effects::{Effect, Execution, Kind};
use agent_strace_model::{Session, ShellLanguage};

/// The shell text of a call, which is read when a write of it is asked for.
pub(super) struct Spelled<'e> {
    text: Option<&'e str>,
    writes: OnceCell<Option<Writes>>,
}

/// Writes by the name of the file, in the order of the text.
type Writes = BTreeMap<String, Vec<LiteralWrite>>;

/// Returns true if the shells of a session take POSIX text, as far as its log says.
pub(super) fn is_posix(session: &Session<'_>) -> bool {
    let is_drive = |root: &str| root.as_bytes().get(1) == Some(&b':') || root.starts_with('\\');
    session.shells.iter().all(|shell| *shell == ShellLanguage::Posix) && !session.root.as_deref().is_some_and(is_drive)
}

impl<'e> Spelled<'e> {
    pub(super) fn new(text: Option<&'e str>, effects: &'e [Effect]) -> Self {
        Self { text: text.map(|text| inner(text, effects).unwrap_or(text)), writes: OnceCell::new() }
    }

    /// The content that came into a file, or that may have come into it. `None`: the words of the call do not hold all of it.
    pub(super) fn contents(&self, path: &str) -> Option<Vec<(Edit, Extent)>> {
        let writes = self.writes.get_or_init(|| Some(by_name(literal_writes(self.text?)?))).as_ref()?;
        let mut contents = Vec::new();
        for write in writes.get(name(path)).into_iter().flatten() {
            let written = Edit { path: write.path.clone(), old: None, new: String::new() };
            if is_of(&written, path) {
                contents.push(match &write.content {
                    Content::Whole(new) => (Edit { new: new.clone(), ..written }, Extent::Somewhere),
                    Content::Added(new) => (Edit { new: new.clone(), ..written }, Extent::Behind),
                    Content::Unknown => return None,
                });
            }
        }
        (!contents.is_empty()).then_some(contents)
    }
}

fn by_name(writes: Vec<LiteralWrite>) -> Writes {
    let mut found = Writes::new();
    for write in writes {
        found.entry(name(&write.path).to_owned()).or_default().push(write);
    }
    found
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// The text in `bash -lc TEXT`, where the call is nothing else.
fn inner<'e>(text: &str, effects: &'e [Effect]) -> Option<&'e str> {
    let called = effects.iter().find_map(execution)?;
    let [program, option, inner] = called.argv.as_slice() else { return None };
    let name = name(&program.text);
    let is_text = matches!(option.text.as_str(), "-c" | "-lc") && inner.known;
    // A list of words, or one of the two ways to quote the text whole.
    let start = format!("{} {} ", program.text, option.text);
    let written = text.trim().strip_prefix(&start)?;
    let is_quoted =
        |mark: char| written.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark)) == Some(&inner.text);
    let is_whole = written == inner.text || is_quoted('"') || is_quoted('\'');
    (["sh", "bash", "zsh", "dash"].contains(&name) && is_text && is_whole).then_some(inner.text.as_str())
}

fn execution(effect: &Effect) -> Option<&Execution> {
    match &effect.kind {
        Kind::Execute(execution) => Some(execution),
        _ => None,
    }
}
