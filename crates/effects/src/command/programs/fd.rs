//! `fd`: where it looks, which names it selects, and what it runs on them.

use crate::command::argument::Arg;
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::tools::globs::alternatives;

use super::Call;
use super::find::{RunFrom, Selection, command_length, escaped};
use super::spelled::{Dialect, Matched, Spelled, globs_of, spells_something};

impl Machine<'_> {
    pub(super) fn fd(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let (before, command) = fd_command(call.rest);
        let selection = Given::of(before).selection();
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
            let is_plain = !before
                .iter()
                .any(|word| ["--format", "--path-separator"].iter().any(|name| word.text.starts_with(name)));
            return if is_plain { Stream::Names(self.found_paths(&selection)) } else { Stream::Unknown };
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

/// Options whose value is the next word.
const VALUED: &str = "-t --type -E --exclude -d --max-depth -j --threads -S --size --changed-within --changed-before -c \
    --color --min-depth --max-results -o --owner --format --ignore-file --path-separator --batch-size --exact-depth";

/// The language of the pattern.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Reads {
    #[default]
    Regex,
    Glob,
    Fixed,
}

/// The options and operands that say which files are selected.
#[derive(Debug, Default)]
struct Given<'w> {
    starts: Vec<Arg>,
    extensions: Vec<&'w Arg>,
    pattern: Option<&'w Arg>,
    reads: Reads,
    /// The pattern is one of whole paths.
    is_of_paths: bool,
    hidden: bool,
}

impl<'w> Given<'w> {
    fn of(words: &'w [Arg]) -> Self {
        let mut given = Self::default();
        let mut left = words.iter();
        while let Some(word) = left.next() {
            match word.literal() {
                Some("-e" | "--extension") => given.extensions.extend(left.next()),
                Some("--base-directory" | "--search-path" | "-C") => given.starts.extend(left.next().cloned()),
                Some(text) if VALUED.split_whitespace().any(|option| option == text) => {
                    left.next();
                }
                Some(text) if text.starts_with('-') && text.len() > 1 => given.flag(text),
                _ if given.pattern.is_some() => given.starts.push(word.clone()),
                _ => given.pattern = Some(word),
            }
        }
        if given.starts.is_empty() {
            given.starts.push(Arg::exact("."));
        }
        given
    }

    fn flag(&mut self, text: &str) {
        self.hidden |= text == "--hidden" || text.starts_with("--unrestricted") || is_short(text, &['H', 'u']);
        self.is_of_paths |= text == "--full-path" || is_short(text, &['p']);
        if text == "--glob" || is_short(text, &['g']) {
            self.reads = Reads::Glob;
        } else if text == "--fixed-strings" || is_short(text, &['F']) {
            self.reads = Reads::Fixed;
        }
    }

    /// The names that the pattern spells. Where hidden names are left out, only a dot in the pattern finds a dot in first
    /// place.
    fn named(&self) -> Vec<Spelled> {
        let names = self.pattern.and_then(Arg::literal).map(|text| patterns(text, self.reads)).unwrap_or_default();
        let name = |name: String| if self.hidden { name } else { name.replace("**", "*") };
        names.into_iter().map(name).map(Spelled::Name).collect()
    }

    fn selection(self) -> Selection {
        let named = self.named();
        let ending = |word: &&Arg| word.literal().map(|text| Spelled::Name(format!("*.{text}")));
        let endings: Option<Vec<Spelled>> = self.extensions.iter().map(ending).collect();
        let cover = match endings {
            Some(endings) if !endings.is_empty() => Some(endings),
            _ if self.is_of_paths || named.is_empty() => (!self.hidden).then(|| vec![Spelled::Name("*".to_owned())]),
            _ => Some(named.clone()),
        };
        let is_covered = |name: &Spelled| cover.as_ref().is_some_and(|cover| cover.contains(name));
        let spelled = named.into_iter().filter(|name| !is_covered(name) && spells_something(name.glob())).collect();
        Selection { starts: self.starts, cover, spelled, hidden: self.hidden }
    }
}

/// Globs for the names that a pattern finds.
fn patterns(text: &str, reads: Reads) -> Vec<String> {
    match reads {
        Reads::Regex => globs_of(text, Dialect::Extended, Matched::Part),
        Reads::Glob => alternatives(text),
        Reads::Fixed => vec![format!("**{}**", escaped(text))],
    }
}
