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
        // How many words stand in front of `--args`.
        let mut files_end = None;
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
                Some("--args" | "--jsonargs") => files_end = files_end.or(Some(words.len())),
                _ => words.push(word.clone()),
            }
        }
        let mut arguments = Arguments::divide(call.entry, &words);
        if let Some(before) = files_end.and_then(|end| words.get(..end)) {
            // Behind `--args`, operands are data, but for the program where none stands in front.
            arguments.operands.truncate(Arguments::divide(call.entry, before).operands.len().max(1));
        }
        let program = arguments.operands.first();
        for file in program.and_then(Arg::literal).map(modules).unwrap_or_default() {
            self.named_file(file);
        }
        let prints = |word: &Arg| match word.literal() {
            Some(text) => prints_environment(text),
            None => word.text.contains("env") || word.text.contains("$ENV"),
        };
        if program.is_some_and(prints) {
            self.opaque(About::Reads, Reason::Environment, &[]);
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
                self.named_file(file);
            }
        }
        let only = arguments.operands.first().filter(|_| arguments.operands.len() == 1);
        let has_input = io.input.is_connected() || arguments.has(&["-n", "--null-input"]);
        if let Some(file) = only.filter(|_| !has_input) {
            // The expression may be left out.
            self.possible_path(Role::Read, file);
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

    /// A file that an expression names; `None`: the expression computes the name.
    fn named_file(&mut self, file: Option<String>) {
        let unknown = || Arg::unknown("a value of the expression");
        self.path(Role::Read, &file.map_or_else(unknown, Arg::exact));
    }
}

/// A program of jq has the variable `$ENV` or the function `env` in it. `.env` and `"env"` are keys like others.
fn prints_environment(program: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    program.match_indices("env").chain(program.match_indices("$ENV")).any(|(at, name)| {
        let (before, behind) =
            (program.get(..at).unwrap_or_default(), program.get(at + name.len()..).unwrap_or_default());
        let is_key = name == "env" && before.ends_with(['.', '"']);
        !is_key && !before.ends_with(is_part) && !behind.starts_with(is_part)
    })
}

/// `import "name" as n {search: "directory"};`: the files that a module may be in, where its directories are named.
fn modules(program: &str) -> Vec<Option<String>> {
    let mut files = Vec::new();
    for statement in program.split(';') {
        let Some(at) = statement.find("import").or_else(|| statement.find("include")) else { continue };
        let statement = statement.get(at..).unwrap_or_default();
        let ending = if statement.contains("as $") { "json" } else { "jq" };
        let mut texts = statement.split('"').skip(1).step_by(2);
        let Some(name) = texts.next().filter(|_| statement.contains("search")) else { continue };
        for directory in texts {
            if files.len() >= FILES {
                files.push(None);
                return files;
            }
            let path = format!("{}/{name}.{ending}", directory.trim_end_matches('/'));
            files.push(Some(path).filter(|path| !path.contains('\\')));
        }
    }
    files
}

/// `load("file")`, `load_str("file")`: the file of each call, where a text names it.
fn loaded(expression: &str) -> Vec<Option<String>> {
    const CALLS: &[&str] =
        &["load", "load_str", "strload", "load_props", "load_xml", "load_base64", "loadstr", "loadprops", "loadxml"];
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut files = Vec::new();
    for (at, _) in expression.match_indices('(') {
        let (before, behind) = expression.split_at_checked(at).unwrap_or((expression, ""));
        let before = before.trim_end();
        let name = before.get(before.trim_end_matches(is_part).len()..).unwrap_or_default();
        if !CALLS.contains(&name) {
            continue;
        }
        if files.len() >= FILES {
            files.push(None);
            break;
        }
        let text = behind.trim_start_matches('(').trim_start().strip_prefix('"').and_then(|text| text.split_once('"'));
        let whole = text.filter(|(file, behind)| !file.contains('\\') && behind.trim_start().starts_with(')'));
        files.push(whole.map(|(file, _)| file.to_owned()));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::{loaded, modules, prints_environment};

    #[test]
    fn files_of_modules_are_found() {
        let files = |program| modules(program).into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>();
        assert_eq!(files("import \"a\" as a {search: \"s\"}; 1"), ["s/a.jq"]);
        assert_eq!(files("# x\ninclude \"a\" {search: [\"s/\", \"t\"]}; 1"), ["s/a.jq", "t/a.jq"]);
        assert_eq!(files("import \"a\" as $a {\"search\": \"s\"}; 1"), ["search/a.json", "s/a.json"]);
        assert_eq!(files("import \"a\" as a {search: \"\\u0073\"}; 1"), [""]);
        assert_eq!(modules(&"import \"a\" as a {search: \"s\"};".repeat(100)).last(), Some(&None));
    }

    #[test]
    fn files_of_loads_are_found() {
        assert_eq!(loaded("load(\"a\") * load_str( \"b\" )"), [Some("a".to_owned()), Some("b".to_owned())]);
        assert_eq!(loaded("load(\".\" + \"env\") | load(.a)"), [None, None]);
        assert_eq!(loaded(&format!("{}load(\"a\")", "(".repeat(100))), [Some("a".to_owned())]);
        assert_eq!(loaded(&"load(\"a\")".repeat(100)).last(), Some(&None));
    }

    #[test]
    fn a_key_is_no_environment() {
        assert!(prints_environment("env"));
        assert!(prints_environment("$ENV.HOME") && prints_environment(".a | env.HOME"));
        assert!(!prints_environment(".env") && !prints_environment(".a[\"env\"] | .environment"));
    }
}
