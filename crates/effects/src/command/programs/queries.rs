//! Expressions of `jq` and `yq`, and the files that they name.

use crate::command::argument::{Arg, Arguments};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason};

use super::Call;

/// Files that one expression names; more are not followed.
const FILES: usize = 64;

impl Machine<'_> {
    pub(super) fn jq(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        // `--arg NAME VALUE` and `--slurpfile NAME FILE` take two words.
        let mut words = Vec::new();
        let mut left = call.rest.iter();
        while let Some(word) = left.next() {
            match word.literal() {
                Some("--arg" | "--argjson") => {
                    left.next();
                    left.next();
                }
                Some("--slurpfile" | "--rawfile" | "--argfile") => {
                    left.next();
                    if let Some(file) = left.next() {
                        self.path(Role::Read, file);
                    }
                }
                Some("--args" | "--jsonargs") => break,
                _ => words.push(word.clone()),
            }
        }
        let arguments = Arguments::divide(call.entry, &words);
        let program = arguments.operands.first();
        for file in program.and_then(Arg::literal).map(modules).unwrap_or_default() {
            self.path(Role::Read, &Arg::exact(file));
        }
        if program.is_some_and(|word| word.text.contains("$ENV") || word.text.contains("env")) {
            let whole = program.and_then(Arg::literal).is_none_or(|text| {
                text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$')
                    .any(|word| matches!(word, "$ENV" | "env"))
            });
            if whole {
                self.opaque(About::Reads, Reason::Environment, &[]);
            }
        }
        self.given(call.entry, call.words, &arguments, io)
    }

    pub(super) fn yq(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let skip = usize::from(
            call.rest.first().is_some_and(|word| matches!(word.text.as_str(), "eval" | "e" | "eval-all" | "ea")),
        );
        let arguments = Arguments::divide(call.entry, call.rest.get(skip..).unwrap_or_default());
        for text in arguments.operands.first().into_iter().chain(arguments.values(&["--expression"])) {
            for file in loaded(&text.text) {
                let unknown = || Arg::unknown("a value of the expression");
                self.path(Role::Read, &file.map_or_else(unknown, Arg::exact));
            }
        }
        if let Some(names) = arguments.values(&["-s", "--split-exp"]).next() {
            let start = names.text.split('"').nth(1).map_or("", |text| text.split('\\').next().unwrap_or(text));
            self.path(Role::Write, &Arg::glob(format!("{start}*")));
            // The expression may be left out. To another `yq`, this is no option with a value.
            for file in arguments.operands.iter().take(1) {
                self.possible_path(Role::Read, file);
            }
        }
        self.given(call.entry, call.words, &arguments, io)
    }
}

/// `import "name" as n {search: "directory"};`: the file of each module with a directory of its own.
fn modules(program: &str) -> Vec<String> {
    let statements = program.split(';').map(str::trim).take(FILES);
    let loads = |statement: &&str| statement.starts_with("import") || statement.starts_with("include");
    let file = |statement: &str| {
        let name = statement.split('"').nth(1)?;
        let (_, behind) = statement.split_once("search")?;
        let directory = behind.split('"').nth(1)?;
        let ending = if statement.contains("as $") { "json" } else { "jq" };
        Some(format!("{}/{name}.{ending}", directory.trim_end_matches('/')))
    };
    statements.filter(loads).filter_map(file).collect()
}

/// `load("file")`, `load_str("file")`: the file of each call, where a text names it.
fn loaded(expression: &str) -> Vec<Option<String>> {
    const CALLS: &[&str] =
        &["load", "load_str", "strload", "load_props", "load_xml", "load_base64", "loadstr", "loadprops", "loadxml"];
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut files = Vec::new();
    for (at, _) in expression.match_indices('(').take(FILES) {
        let (before, behind) = expression.split_at_checked(at).unwrap_or((expression, ""));
        let before = before.trim_end();
        let name = before.get(before.trim_end_matches(is_part).len()..).unwrap_or_default();
        if CALLS.contains(&name) {
            let inner = behind.trim_start_matches('(').trim_start();
            files.push(inner.strip_prefix('"').and_then(|text| text.split('"').next()).map(str::to_owned));
        }
    }
    files
}
