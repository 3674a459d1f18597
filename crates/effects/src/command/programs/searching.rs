//! Which names a search is told to look into, beside the directories it starts in.

use crate::command::argument::{Arg, Arguments, Known};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::tools::globs::alternatives;

use super::files::below;

/// Options that let a search into hidden files.
const HIDDEN: &[&str] = &["--hidden", "-."];

/// Options whose values are globs of names to look into.
const INCLUDED: &[&str] = &["--include", "-g", "--glob", "--iglob"];

impl Machine<'_> {
    /// Names that the options of a search over directories spell (`--include=.env`, `--hidden`) are read.
    pub(super) fn searched_names(&mut self, program: &str, arguments: &Arguments, files: &[Arg]) {
        let by_itself = !program.ends_with("grep");
        if !by_itself && !arguments.has_role(Role::Tree) {
            return;
        }
        let here = [Arg::exact(".")];
        let starts = if files.is_empty() { &here } else { files };
        let unrestricted =
            arguments.options.iter().filter(|option| matches!(option.name.as_str(), "-u" | "--unrestricted"));
        let is_hidden = arguments.has(HIDDEN) || by_itself && unrestricted.count() > 1;
        let hidden = starts.iter().filter(|start| is_hidden && is_read(start)).map(|start| below(start, ".*"));
        for name in spelled_names(arguments, starts).into_iter().chain(hidden) {
            self.path(Role::Read, &name);
        }
    }
}

/// Globs for the names below some directories that the options of a search spell.
pub(super) fn spelled_names(arguments: &Arguments, starts: &[Arg]) -> Vec<Arg> {
    let values = arguments.values(INCLUDED).filter(|word| is_read(word)).map(|word| word.text.as_str());
    let names: Vec<String> = values.filter(|name| !name.starts_with('!')).flat_map(alternatives).collect();
    let inside = |start| names.iter().map(move |name| below(start, name.trim_start_matches('/')));
    starts.iter().filter(|start| is_read(start)).flat_map(inside).collect()
}

fn is_read(word: &Arg) -> bool {
    matches!(word.known, Known::Exact | Known::Glob)
}
