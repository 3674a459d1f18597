//! Which names a search is told to look into, beside the directories it starts in.

use crate::command::argument::{Arg, Arguments, Known};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;

/// Options that let a search into hidden files.
const HIDDEN: &[&str] = &["--hidden", "-."];

/// Options whose values are globs of names to look into.
const INCLUDED: &[&str] = &["--include", "-g", "--glob", "--iglob"];

impl Machine<'_> {
    /// Names that the options of a search over directories spell (`--include=.env`, `--hidden`).
    pub(super) fn searched_names(&mut self, program: &str, arguments: &Arguments, files: &[Arg]) {
        let by_itself = !program.ends_with("grep");
        if !by_itself && !arguments.has_role(Role::Tree) {
            return;
        }
        let mut names: Vec<&str> = arguments
            .values(INCLUDED)
            .filter(|word| matches!(word.known, Known::Exact | Known::Glob))
            .map(|word| word.text.as_str())
            .collect();
        names.retain(|name| !name.starts_with('!') && !name.contains(['{', '\\']));
        let unrestricted =
            arguments.options.iter().filter(|option| matches!(option.name.as_str(), "-u" | "--unrestricted"));
        if arguments.has(HIDDEN) || by_itself && unrestricted.count() > 1 {
            names.push(".*");
        }
        let here = [Arg::exact(".")];
        let starts = if files.is_empty() { &here } else { files };
        for start in starts.iter().filter(|start| matches!(start.known, Known::Exact | Known::Glob)) {
            for name in &names {
                self.path(Role::Read, &super::files::below(start, name.trim_start_matches('/')));
            }
        }
    }
}
