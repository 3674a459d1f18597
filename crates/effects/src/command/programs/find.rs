//! `find` and `fd`: where they look, which names they select, and what they run on them.

use crate::command::argument::{Arg, Known};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{About, Reason, paths};

use super::Call;

/// What `find` selects: directories to start from and a glob for the last component.
#[derive(Debug)]
struct Selection {
    starts: Vec<Arg>,
    name: Option<String>,
    /// Names with a dot in first place are among them.
    hidden: bool,
}

/// The directory in which a command runs for each selected path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunFrom {
    /// The one that the search was started in (`-exec`).
    Start,
    /// The one that holds the path (`-execdir`).
    ParentDirectory,
}

impl Selection {
    /// Globs for the selected paths.
    fn paths(&self) -> Vec<Arg> {
        self.starts.iter().flat_map(|start| self.below(start)).collect()
    }

    fn below(&self, start: &Arg) -> Vec<Arg> {
        if matches!(start.known, Known::Partly | Known::Not) {
            return vec![start.clone()];
        }
        let directory = match start.known {
            Known::Exact => escaped(&start.text),
            _ => start.text.clone(),
        };
        let directory = directory.trim_end_matches('/');
        let tilde = start.tilde;
        let glob = |text: String| Arg { tilde, ..Arg::glob(text) };
        let own = start.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
        let name = self.name.as_deref().unwrap_or("*");
        let name = if self.hidden { paths::dotted(name) } else { name.to_owned() };
        let mut paths = vec![glob(format!("{directory}/**/{name}"))];
        if self.name.is_none() || self.name.as_deref() == Some(own.as_str()) {
            paths.push(start.clone());
        }
        paths
    }
}

impl Machine<'_> {
    pub(super) fn find(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let options = call.rest.iter().take_while(|word| {
            matches!(word.literal(), Some("-H" | "-L" | "-P")) || word.text.starts_with("-O") || word.text == "-D"
        });
        let skip = options.count();
        let rest = call.rest.get(skip..).unwrap_or_default();
        let is_expression = |word: &Arg| {
            word.known != Known::Not
                && (word.text.starts_with('-') || matches!(word.literal(), Some("(" | ")" | "!" | ",")))
        };
        let count = rest.iter().take_while(|word| !is_expression(word)).count();
        let (starts, expression) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        let starts = if starts.is_empty() { vec![Arg::exact(".")] } else { starts.to_vec() };
        for start in &starts {
            self.path(Role::ListTree, start);
        }
        let selection = Selection { starts, name: selected_name(expression), hidden: true };
        self.actions(expression, &selection, io);
        let silent = expression.iter().any(|word| {
            matches!(
                word.literal(),
                Some("-exec" | "-execdir" | "-delete" | "-fprint" | "-ok" | "-okdir" | "-printf" | "-ls")
            )
        });
        if silent { Stream::Unknown } else { Stream::Names(selection.paths()) }
    }

    fn actions(&mut self, expression: &[Arg], selection: &Selection, io: &mut Io<'_>) {
        let mut at = 0;
        while let Some(word) = expression.get(at) {
            at += 1;
            let value = expression.get(at);
            match word.literal() {
                Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                    let rest = expression.get(at..).unwrap_or_default();
                    let length = command_length(rest);
                    let command = rest.get(..length).unwrap_or_default();
                    let from = if word.text.ends_with("dir") { RunFrom::ParentDirectory } else { RunFrom::Start };
                    self.run_on(command, "{}", selection, from, io);
                    at += length + 1;
                }
                Some("-delete") => {
                    for path in selection.paths() {
                        let role = if selection.name.is_none() { Role::DeleteTree } else { Role::Delete };
                        self.path(role, &path);
                    }
                }
                Some("-fprint" | "-fprint0" | "-fls" | "-fprintf") => {
                    if let Some(file) = value {
                        self.path(Role::Write, file);
                    }
                    at += if word.text == "-fprintf" { 2 } else { 1 };
                }
                Some("-newer" | "-samefile" | "-anewer" | "-cnewer" | "-files0-from") => {
                    if let Some(file) = value {
                        self.path(Role::List, file);
                    }
                    at += 1;
                }
                Some(test) if TESTS_WITH_VALUE.contains(&test) || test.starts_with("-newer") => at += 1,
                Some(_) => {}
                None => self.opaque(About::Anything, Reason::UnknownExpression, &[]),
            }
        }
    }

    /// Runs a command with the selected paths in place of `{}`.
    fn run_on(&mut self, command: &[Arg], mark: &str, selection: &Selection, from: RunFrom, io: &mut Io<'_>) {
        let cwd = self.world.cwd().map(str::to_owned);
        let paths = selection.paths();
        for path in &paths {
            let words: Vec<Arg> = command.iter().map(|word| filled(word, mark, path)).collect();
            if from == RunFrom::ParentDirectory {
                // The paths are seen from their own directories, which are below the start.
                self.world.set_cwd(cwd.clone());
            }
            self.perhaps_again().command(&words, io);
        }
        self.world.set_cwd(cwd);
    }

    pub(super) fn fd(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let (before, command) = fd_command(call.rest);
        let selection = fd_selection(before);
        for (at, word) in before.iter().enumerate() {
            match word.after('=') {
                Some((option, file)) if option == "--ignore-file" => self.path(Role::Read, &file),
                None if word.text == "--ignore-file" => {
                    if let Some(file) = before.get(at + 1) {
                        self.path(Role::Read, file);
                    }
                }
                _ => {}
            }
        }
        for start in &selection.starts {
            self.path(Role::ListTree, start);
        }
        if command.is_empty() {
            return Stream::Names(selection.paths());
        }
        let end = command_length(&command);
        let mut words = command.get(..end).unwrap_or_default().to_vec();
        if !words.iter().any(|word| word.text.contains('{')) {
            words.push(Arg::exact("{}"));
        }
        self.run_on(&words, "{}", &selection, RunFrom::Start, io);
        Stream::Unknown
    }
}

/// Words up to `;`, or `+` behind `{}`.
fn command_length(words: &[Arg]) -> usize {
    let mut before: Option<&Arg> = None;
    for (at, word) in words.iter().enumerate() {
        let ends = match word.literal() {
            Some(";" | "\\;") => true,
            Some("+") => before.is_some_and(|word| word.text == "{}"),
            _ => false,
        };
        if ends {
            return at;
        }
        before = Some(word);
    }
    words.len()
}

/// `word` with `path` in place of `mark`.
pub(super) fn filled(word: &Arg, mark: &str, path: &Arg) -> Arg {
    if !word.text.contains(mark) || word.known == Known::Not {
        return word.clone();
    }
    if word.text == mark {
        return Arg { span: word.span, ..path.clone() };
    }
    let known = match (word.known, path.known) {
        (Known::Exact, known) | (known, Known::Exact) => known,
        _ => Known::Partly,
    };
    Arg { text: word.text.replace(mark, path.target().0), known, likely: None, ..word.clone() }
}

/// The one `-name` that everything selected must match; with `-o`, `!` or several of them there is none.
fn selected_name(expression: &[Arg]) -> Option<String> {
    let is = |text: &str| expression.iter().any(|word| word.literal() == Some(text));
    if is("-o") || is("-or") || is("!") || is("-not") || is(",") {
        return None;
    }
    let mut names = expression.windows(2).filter_map(|pair| match pair {
        [test, value] if test.literal() == Some("-name") => Some(value),
        _ => None,
    });
    let first = names.next()?;
    names.next().is_none().then(|| first.literal().map(|text| text.replace("**", "*"))).flatten()
}

/// A literal text as a glob.
pub(super) fn escaped(text: &str) -> String {
    let mut glob = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '*' | '?' | '[') {
            glob.extend(['[', character, ']']);
        } else {
            glob.push(character);
        }
    }
    glob
}

const TESTS_WITH_VALUE: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-lname",
    "-ilname",
    "-regex",
    "-iregex",
    "-type",
    "-xtype",
    "-size",
    "-mtime",
    "-atime",
    "-ctime",
    "-mmin",
    "-amin",
    "-cmin",
    "-maxdepth",
    "-mindepth",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-links",
    "-inum",
    "-fstype",
    "-printf",
    "-regextype",
    "-context",
    "-used",
];

/// The words of `fd` before the option that runs a command, and that command.
fn fd_command(words: &[Arg]) -> (&[Arg], Vec<Arg>) {
    let is_option = |word: &Arg| matches!(word.literal(), Some("-x" | "-X" | "--exec" | "--exec-batch"));
    if let Some(at) = words.iter().position(is_option) {
        return (words.get(..at).unwrap_or_default(), words.get(at + 1..).unwrap_or_default().to_vec());
    }
    let attached = |word: &Arg| {
        ["--exec=", "--exec-batch="].iter().find_map(|option| Some(word.with(word.text.strip_prefix(option)?)))
    };
    match words.iter().enumerate().find_map(|(at, word)| Some((at, attached(word)?))) {
        Some((at, program)) => {
            let rest = words.get(at + 1..).unwrap_or_default();
            (words.get(..at).unwrap_or_default(), std::iter::once(program).chain(rest.iter().cloned()).collect())
        }
        None => (words, Vec::new()),
    }
}

/// A group of one-letter options that has one of the letters.
fn is_short(word: &str, letters: &[char]) -> bool {
    !word.starts_with("--") && word.contains(letters)
}

/// The files that the options and operands of `fd` select.
fn fd_selection(words: &[Arg]) -> Selection {
    let mut starts: Vec<Arg> = Vec::new();
    let (mut extension, mut pattern_seen, mut hidden) = (None, false, false);
    let mut left = words.iter();
    while let Some(word) = left.next() {
        match word.literal() {
            Some("-e" | "--extension") => extension = left.next().and_then(|value| value.literal()),
            Some(
                "-t" | "--type" | "-E" | "--exclude" | "-d" | "--max-depth" | "-j" | "--threads" | "-S" | "--size"
                | "--changed-within" | "--changed-before" | "-c" | "--color" | "--min-depth" | "--max-results" | "-o"
                | "--owner",
            ) => {
                left.next();
            }
            Some("--base-directory" | "--search-path" | "-C") => starts.extend(left.next().cloned()),
            Some(text) if text.starts_with('-') && text.len() > 1 => {
                hidden |= text == "--hidden" || text.starts_with("--unrestricted") || is_short(text, &['H', 'u']);
            }
            _ if pattern_seen => starts.push(word.clone()),
            _ => pattern_seen = true,
        }
    }
    if starts.is_empty() {
        starts.push(Arg::exact("."));
    }
    let name = match extension {
        Some(extension) => Some(format!("*.{extension}")),
        None => (!hidden).then(|| "*".to_owned()),
    };
    Selection { starts, name, hidden }
}
