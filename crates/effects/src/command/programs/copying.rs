//! `cp`, `mv`, `ln`, `install`: where each operand ends up, and under which other name its content is known from then on.

use crate::command::argument::{Arg, Arguments, Known};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;
use crate::command::stream::Stream;
use crate::{Certainty, Reach};

use super::Call;

/// What stands at the destination afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Makes {
    Copy,
    /// Another name of the same file.
    Link,
    SymbolicLink,
}

/// The place that sources are copied, moved or linked to.
#[derive(Debug)]
struct Destination {
    word: Arg,
    /// It is surely a directory; otherwise it may be one.
    is_directory: bool,
}

impl Destination {
    /// The names that `source` may have there. Without a trailing slash the destination may be a directory: both names
    /// count.
    fn targets(&self, source: &Arg) -> Vec<Arg> {
        let mut targets = Vec::new();
        if !self.is_directory {
            targets.push(self.word.clone());
        }
        if self.is_directory || !looks_like_file(&self.word) {
            targets.push(within(&self.word, source));
        }
        targets
    }
}

impl Machine<'_> {
    pub(super) fn copy(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        let (source, reach) =
            if arguments.has_role(Role::Tree) { (Role::ReadTree, Reach::Subtree) } else { (Role::Read, Reach::Itself) };
        let makes = if arguments.has(&["-l", "--link"]) {
            Makes::Link
        } else if arguments.has(&["-s", "--symbolic-link"]) {
            Makes::SymbolicLink
        } else {
            Makes::Copy
        };
        self.transfer(&arguments, source, reach, makes);
        let _ = io;
        Stream::nothing()
    }

    pub(super) fn rename(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        self.transfer(&arguments, Role::DeleteTree, Reach::Subtree, Makes::Copy);
        let _ = io;
        Stream::nothing()
    }

    pub(super) fn install(&mut self, call: Call<'_>, io: &mut Io<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        for program in arguments.values(&["--strip-program"]) {
            let words = Self::split_command(program);
            self.command(&words, io);
        }
        if arguments.has(&["-d", "--directory"]) {
            for word in &arguments.operands {
                self.path(Role::Write, word);
            }
        } else {
            self.transfer(&arguments, Role::Read, Reach::Itself, Makes::Copy);
        }
        Stream::nothing()
    }

    /// Sources go into a directory, or onto one destination.
    fn transfer(&mut self, arguments: &Arguments, source_role: Role, reach: Reach, makes: Makes) {
        let into = arguments
            .options
            .iter()
            .find(|option| option.role == Some(Role::WriteInto))
            .and_then(|option| option.value.clone());
        let (sources, destination) = match (into, arguments.operands.split_last()) {
            (Some(directory), _) => (arguments.operands.as_slice(), Some((directory, true))),
            (None, Some((last, []))) => (std::slice::from_ref(last), None),
            (None, Some((last, sources))) => (sources, Some((last.clone(), false))),
            (None, None) => return,
        };
        let contents: Vec<Option<String>> =
            sources.iter().map(|source| self.world.content_of(source).text().map(str::to_owned)).collect();
        for source in sources {
            // A moved directory takes its subtree along; a file's subtree is the file.
            self.path(source_role, source);
        }
        let Some((word, is_directory)) = destination else { return };
        let is_directory =
            is_directory || sources.len() > 1 || word.text.ends_with('/') || matches!(word.text.as_str(), "." | "..");
        let destination = Destination { word, is_directory };
        if arguments.has(&["--parents"]) {
            self.path(Role::WriteTree, &destination.word);
        }
        if arguments.has(&["-b", "--backup", "-S", "--suffix"]) {
            self.backups(sources, &destination);
        }
        for (source, content) in sources.iter().zip(contents) {
            self.arrive(source, &destination, reach, makes, content.as_deref());
        }
    }

    /// What was at the destination is kept beside it under a name that options and the directory decide.
    fn backups(&mut self, sources: &[Arg], destination: &Destination) {
        let mut targets: Vec<Arg> = sources.iter().map(|source| within(&destination.word, source)).collect();
        if !destination.is_directory {
            targets.push(destination.word.clone());
        }
        for target in targets.iter().filter(|target| target.is_exact()) {
            self.path(Role::Write, &Arg::glob(format!("{}*", super::find::escaped(&target.text))));
        }
    }

    fn arrive(&mut self, source: &Arg, destination: &Destination, reach: Reach, makes: Makes, content: Option<&str>) {
        let role = match reach {
            Reach::Itself => Role::Write,
            Reach::Subtree => Role::WriteTree,
        };
        let targets = destination.targets(source);
        for (at, target) in targets.iter().enumerate() {
            if at == 0 {
                self.path(role, target);
            } else if target.known != Known::Not {
                self.possible_path(role, target);
            }
            if target.is_exact() {
                let (alias, _) = self.world.locate_word(target);
                if source.is_exact() {
                    let (original, _) = self.world.locate_word(source);
                    match makes {
                        Makes::Copy => self.world.copied(&alias, &original),
                        Makes::Link => self.world.link(&alias, &original),
                        Makes::SymbolicLink => self.world.link_symbolic(&alias, &source.text, Certainty::Exact),
                    }
                }
                if content.is_some() {
                    self.world.wrote(&alias, content);
                }
            }
        }
    }

    pub(super) fn link(&mut self, call: Call<'_>) -> Stream {
        let arguments = Arguments::divide(call.entry, call.rest);
        let symbolic = arguments.has(&["-s", "--symbolic"]);
        let into = arguments
            .options
            .iter()
            .find(|option| option.role == Some(Role::WriteInto))
            .and_then(|option| option.value.clone());
        let (sources, destination) = match (into, arguments.operands.split_last()) {
            (Some(directory), _) => (arguments.operands.as_slice(), Some((directory, true))),
            (None, Some((last, []))) => (std::slice::from_ref(last), Some((Arg::exact("."), true))),
            (None, Some((last, sources))) => (sources, Some((last.clone(), false))),
            (None, None) => return Stream::nothing(),
        };
        let Some((word, is_directory)) = destination else { return Stream::nothing() };
        let is_directory = is_directory || sources.len() > 1 || word.text.ends_with('/') || word.text == ".";
        let destination = Destination { word, is_directory };
        for source in sources {
            let targets = destination.targets(source);
            if let Some(target) = targets.first() {
                self.link_name(target, None);
            }
            for target in targets.iter().skip(1).filter(|target| target.known != Known::Not) {
                self.link_name(target, Some(Certainty::Possible));
            }
            for target in targets {
                let (alias, certainty) = self.world.locate_word(&target);
                if certainty == Certainty::Pattern {
                    self.world.made_unknown_links();
                    continue;
                }
                let (text, known) = source.target();
                if symbolic {
                    self.world.link_symbolic(&alias, text, known);
                } else {
                    let (original, _) = self.world.locate_word(source);
                    self.world.link(&alias, &original);
                }
            }
        }
        Stream::nothing()
    }
}

fn looks_like_file(word: &Arg) -> bool {
    let name = word.text.rsplit('/').next().unwrap_or_default();
    name.trim_start_matches('.').contains('.')
}

/// `directory/name-of-source`.
fn within(directory: &Arg, source: &Arg) -> Arg {
    let name = source.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let base = directory.text.trim_end_matches('/');
    let known = match (directory.known, source.known) {
        (Known::Exact, Known::Exact) => Known::Exact,
        (Known::Not, _) => Known::Not,
        (Known::Partly, _) | (_, Known::Partly) => Known::Partly,
        (_, Known::Not) => {
            return Arg { text: format!("{base}/*"), known: Known::Glob, likely: None, ..directory.clone() };
        }
        _ => Known::Glob,
    };
    let base = if directory.text.starts_with('/') && base.is_empty() { "" } else { base };
    Arg { text: format!("{base}/{name}"), known, likely: None, ..directory.clone() }
}
