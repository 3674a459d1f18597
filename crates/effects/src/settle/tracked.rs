//! Tells whether a search shows a line of a committed file.
//!
//! The pattern is that of the call itself. What a search leaves out (`--exclude-dir`, hidden files) it does not show, and
//! options that are not known leave the question open.

use std::cell::{Cell, OnceCell};
use std::fmt;
use std::sync::Arc;

use agent_strace_model::ToolCall;

use super::dialects::{Dialect, Matcher};
use crate::tools::globs::alternatives;
use crate::{Effect, Execution, Kind, Purpose, Repository, glob, paths};

/// Bytes of contents that one search is compared with. Beyond them, nothing is proven.
const MOST: usize = 1 << 20;
/// More filters than these are not compared with names.
const FILTERS: usize = 32;

/// The contents of committed files.
pub trait Contents: fmt::Debug + Send + Sync {
    /// The content of the file at each revision that matters, as far as it can be read and is not too large.
    fn of(&self, file: &str) -> Vec<Arc<[u8]>>;
}

/// A search, and the committed files that it may show lines of.
#[derive(Debug)]
pub struct TrackedSearch<'a> {
    effect: &'a Effect,
    effects: &'a [Effect],
    call: &'a ToolCall<'a>,
    contents: &'a dyn Contents,
    search: OnceCell<Option<Search>>,
    /// Bytes of contents that are still compared.
    left: Cell<usize>,
}

impl<'a> TrackedSearch<'a> {
    /// Returns the search behind an effect of a call; `None`: the effect is no search, or no contents can be read.
    pub fn of(
        effect: &'a Effect,
        effects: &'a [Effect],
        call: Option<&'a ToolCall<'a>>,
        repository: &'a Repository,
    ) -> Option<Self> {
        let is_search = effect.gathered == Some(Purpose::Search) && matches!(effect.kind, Kind::Read(_));
        let (call, contents) = (call.filter(|_| is_search)?, repository.contents()?);
        Some(Self { effect, effects, call, contents, search: OnceCell::new(), left: Cell::new(MOST) })
    }

    /// The pattern matches a line of the file.
    pub fn shows(&self, file: &str) -> bool {
        let Some(search) = self.search.get_or_init(|| Search::of(self.parent(), Some(self.call))) else { return false };
        let set = self.effect.kind.path().map_or("", |target| target.path.as_str());
        search.looks_into(set, file) && self.contents.of(file).iter().any(|content| self.is_in(search, content))
    }

    fn is_in(&self, search: &Search, content: &[u8]) -> bool {
        let Some(left) = self.left.get().checked_sub(content.len()) else { return false };
        self.left.set(left);
        search.matcher.is_in(content)
    }

    fn parent(&self) -> Option<&'a Execution> {
        match &self.effects.get(self.effect.origin.parent? as usize)?.kind {
            Kind::Execute(execution) => Some(execution),
            _ => None,
        }
    }
}

/// The parts of a search that decide which lines it shows.
#[derive(Debug)]
pub(super) struct Search {
    matcher: Matcher,
    includes: Vec<String>,
    excludes: Vec<String>,
    /// Names of directories that it does not go into.
    excluded_folders: Vec<String>,
    skips_hidden: bool,
    /// It leaves out files that git ignores, or that it does not track.
    pub(super) skips_ignored: bool,
}

/// Options of `grep`, `rg` and `git grep` that change no line, without and with a value.
const FLAGS: &str = "-n --line-number -r -R --recursive --dereference-recursive -H --with-filename -h --no-filename -s \
    --no-messages -I -a --text --no-color --no-heading --heading -p --pretty --line-buffered -b \
    --byte-offset -T --initial-tab --column --trim --no-ignore --no-messages --no-config -N --no-line-number \
    --hidden -. --untracked --cached";
const VALUED: &str = "-A -B -C -m --after-context --before-context --context --max-count --max-depth --max-columns -M -j \
    --threads --sort --binary-files --color --colour --colors --label --directories -d --max-filesize";

impl Search {
    /// Returns the search of a command, or else that of a tool; `None`: it is no search whose options are known.
    pub(super) fn of(command: Option<&Execution>, call: Option<&ToolCall<'_>>) -> Option<Self> {
        command.map_or_else(|| Self::of_tool(call?), Self::of_command)
    }

    fn of_tool(call: &ToolCall<'_>) -> Option<Self> {
        let given = call.arguments.members().filter(|_| &*call.tool == "Grep")?;
        let is_content = given.text("output_mode").as_deref() == Some("content");
        if !is_content || ["type", "multiline"].iter().any(|name| given.json(name).is_some_and(|json| json != "false"))
        {
            return None;
        }
        let mut matcher = Words { dialect: Dialect::Rust, skips_ignored: true, ..Words::default() };
        matcher.ignores_case = given.json("-i") == Some("true");
        matcher.patterns.push(given.text("pattern")?.into_owned());
        if let Some(filter) = given.text("glob") {
            matcher.filter(&filter);
        }
        matcher.finish()
    }

    fn of_command(execution: &Execution) -> Option<Self> {
        let words: Option<Vec<&str>> =
            execution.argv.iter().map(|word| word.known.then_some(word.text.as_str())).collect();
        let words = words?;
        let (program, rest) = words.split_first()?;
        let (dialect, rest) = match (program.rsplit('/').next()?, rest) {
            ("grep", rest) => (Dialect::Basic, rest),
            ("egrep", rest) => (Dialect::Extended, rest),
            ("fgrep", rest) => (Dialect::Fixed, rest),
            ("rg", rest) => (Dialect::Rust, rest),
            ("git", [sub, rest @ ..]) if *sub == "grep" => (Dialect::Basic, rest),
            _ => return None,
        };
        let is_ripgrep = dialect == Dialect::Rust;
        let skips_ignored = is_ripgrep || program.rsplit('/').next() == Some("git");
        let mut words = Words { is_ripgrep, dialect, skips_hidden: is_ripgrep, skips_ignored, ..Words::default() };
        words.read(rest)?;
        words.finish()
    }

    /// The search does not leave out the file.
    pub(super) fn looks_into(&self, set: &str, file: &str) -> bool {
        let rest = file.strip_prefix(set).filter(|_| set != ".").unwrap_or(file);
        let is_hidden = || rest.split('/').any(|part| part.starts_with('.'));
        let matches = |filter: &String, path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let filter = paths::dotted(filter.trim_start_matches("./").trim_matches('/'));
            let of =
                |glob: &str| if glob.contains('/') { glob::matches(glob, path) } else { glob::matches(glob, name) };
            alternatives(&filter).iter().any(|glob| of(glob) || of(&format!("**/{glob}")))
        };
        let in_folder = |folder: &String| file.split('/').any(|part| glob::matches(&paths::dotted(folder), part));
        // What leaves out a directory leaves out what is in it.
        let ends = || file.match_indices('/').map(|(at, _)| at).chain([file.len()]);
        let is_left_out = |filter: &String| {
            ends().filter_map(|end| file.get(..end)).any(|path| matches(filter, path.trim_end_matches('/')))
        };
        (self.includes.is_empty() || self.includes.iter().any(|filter| matches(filter, file)))
            && !self.excludes.iter().any(is_left_out)
            && !self.excluded_folders.iter().any(in_folder)
            && !(self.skips_hidden && is_hidden())
    }
}

/// The words of a search, as they are read.
#[derive(Debug, Default)]
struct Words {
    is_ripgrep: bool,
    dialect: Dialect,
    ignores_case: bool,
    /// Letters are ignored in their case, unless a pattern has a capital one.
    is_smart: bool,
    whole: Option<Whole>,
    patterns: Vec<String>,
    includes: Vec<String>,
    excludes: Vec<String>,
    excluded_folders: Vec<String>,
    skips_hidden: bool,
    skips_ignored: bool,
}

/// The part of a line that a match has to fill.
#[derive(Debug, Clone, Copy)]
pub(super) enum Whole {
    Word,
    Line,
}

impl Words {
    /// Reads options and operands; `None`: some option is not known to leave the lines as they are.
    fn read(&mut self, words: &[&str]) -> Option<()> {
        let (mut operands, mut named) = (Vec::new(), false);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if *word == "--" {
                operands.extend(words.by_ref().copied());
            } else if !word.starts_with('-') || *word == "-" {
                operands.push(*word);
            } else if let Some(long) = word.strip_prefix("--") {
                let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                named |= name == "regexp";
                self.long(name, value, || words.next().copied())?;
            } else {
                for (at, letter) in word.char_indices().skip(1) {
                    let attached = word.get(at + letter.len_utf8()..).filter(|rest| !rest.is_empty());
                    named |= letter == 'e';
                    if self.short(letter, attached, || words.next().copied())? == Took::Rest {
                        break;
                    }
                }
            }
        }
        // Git reads the magic of a path specification, which may leave out files.
        if operands.iter().any(|operand| operand.starts_with(':')) {
            return None;
        }
        if !named {
            self.patterns.push((*operands.first()?).to_owned());
        }
        Some(())
    }

    fn long<'w>(&mut self, name: &str, value: Option<&'w str>, next: impl FnOnce() -> Option<&'w str>) -> Option<()> {
        let option = format!("--{name}");
        match name {
            "ignore-case" => self.ignores_case = true,
            "smart-case" => self.is_smart = true,
            "word-regexp" => self.whole = Some(Whole::Word),
            "line-regexp" => self.whole = Some(Whole::Line),
            "fixed-strings" => self.dialect = Dialect::Fixed,
            "extended-regexp" => self.dialect = Dialect::Extended,
            "perl-regexp" | "pcre2" => self.dialect = Dialect::Perl,
            "regexp" => self.patterns.push(value.or_else(next)?.to_owned()),
            "glob" | "include" => self.filter(value.or_else(next)?),
            "exclude" => self.excludes.push(value.or_else(next)?.to_owned()),
            "exclude-dir" => self.excluded_folders.push(value.or_else(next)?.to_owned()),
            "color" | "colour" if !self.is_ripgrep => {}
            _ if listed(FLAGS, &option) => self.skips_hidden &= !matches!(name, "hidden"),
            _ if listed(VALUED, &option) => drop(value.or_else(next)?),
            _ => return None,
        }
        Some(())
    }

    fn short<'w>(
        &mut self,
        letter: char,
        attached: Option<&'w str>,
        next: impl FnOnce() -> Option<&'w str>,
    ) -> Option<Took> {
        let is_ripgrep = self.is_ripgrep;
        match letter {
            'i' => self.ignores_case = true,
            'S' if is_ripgrep => self.is_smart = true,
            'w' => self.whole = Some(Whole::Word),
            'x' => self.whole = Some(Whole::Line),
            'F' => self.dialect = Dialect::Fixed,
            'E' if !is_ripgrep => self.dialect = Dialect::Extended,
            'G' if !is_ripgrep => self.dialect = Dialect::Basic,
            'P' => self.dialect = Dialect::Perl,
            'o' => {}
            '.' => self.skips_hidden = false,
            // For ripgrep, `-r` replaces what it shows, and `-T` leaves out files of a type.
            'r' | 'R' | 'T' if is_ripgrep => return None,
            'e' => {
                self.patterns.push(attached.or_else(next)?.to_owned());
                return Some(Took::Rest);
            }
            'g' if is_ripgrep => {
                self.filter(attached.or_else(next)?);
                return Some(Took::Rest);
            }
            _ if listed(FLAGS, &format!("-{letter}")) => {}
            _ if listed(VALUED, &format!("-{letter}")) => {
                attached.or_else(next)?;
                return Some(Took::Rest);
            }
            _ => return None,
        }
        Some(Took::Letter)
    }

    fn filter(&mut self, filter: &str) {
        match filter.strip_prefix('!') {
            Some(out) => self.excludes.push(out.to_owned()),
            None => self.includes.push(filter.to_owned()),
        }
    }

    fn finish(self) -> Option<Search> {
        let Self { includes, excludes, excluded_folders, skips_hidden, skips_ignored, .. } = self;
        if includes.len() + excludes.len() + excluded_folders.len() > FILTERS {
            return None;
        }
        let has_capital = || self.patterns.iter().any(|pattern| pattern.contains(char::is_uppercase));
        let ignores_case = self.ignores_case || self.is_smart && !has_capital();
        let matcher = Matcher::new(self.dialect, &self.patterns, ignores_case, self.whole)?;
        Some(Search { matcher, includes, excludes, excluded_folders, skips_hidden, skips_ignored })
    }
}

/// The part of a word that an option took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Took {
    Letter,
    /// The rest of the word, or the next one.
    Rest,
}

fn listed(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|known| known == name)
}
