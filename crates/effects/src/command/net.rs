//! The net of last resort: words of a known program's command that no effect explains and no knowledge proves to be data.
//!
//! What the program does with such a word is not known, so it may read or write the path that the word is, connect to
//! the URL, or run the command. A policy judges these effects by what it forbids and by nothing else.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Argument, Certainty, Effect, Execution, Kind, PathTarget, hosts};

use super::argument::{Arg, Arguments};
use super::knowledge::{Entry, Knowledge, Language, Role, Special, Subject, git, names};
use super::machine::{Machine, is_device};
use super::operands::assign;
use super::simple::looks_like_path;
use super::steering;

/// Words of one text that are taken for commands: more of them are prose.
const MOST_TOKENS: usize = 2_000;
/// Words of one command that are looked at, and how many of those before stand in front again: an entry has few words.
const PIECE: usize = 200;
const OVERLAP: usize = 16;

/// Words that another command follows.
const LEADS_TO_COMMAND: &[&str] = &["--", "-c", "-e", "-x", "cmd", "exec", "run", "x"];

impl Machine<'_> {
    /// Mentions what is left of a command's words; `mark`: what was found since then explains them.
    pub(super) fn catch_words(&mut self, entry: &Entry, words: &[Arg], mark: usize) {
        if entry.inert || entry.special.is_some_and(Special::has_data_for_words) {
            return;
        }
        for kind in self.left(entry, words, mark) {
            self.mention(kind);
        }
    }

    /// Mentions the commands in texts among the words of a program about which nothing is known.
    pub(super) fn catch_texts(&mut self, words: &[Arg]) {
        for (before, word) in words.iter().zip(words.iter().skip(1)) {
            let Some(text) = word.literal().filter(|text| text.contains(char::is_whitespace)) else { continue };
            if !is_text(&before.text, text) {
                let leads = leads_to_command(before);
                for kind in named_commands(text, self.knowledge) {
                    self.mention(if leads { as_command(kind, text) } else { kind });
                }
            }
        }
    }

    /// A program may read or write the file that a variable of its environment names, if the tables do not list the variable.
    pub(super) fn catch_variable(&mut self, name: &str, value: Option<&str>) {
        let is_file = |text: &&str| looks_like_path(text) && !is_device(text) && !text.contains([':', '*', '?']);
        let Some(text) = value.filter(is_file) else { return };
        if steering::names_target(name).is_some() || steering::places_scratch(name) {
            return;
        }
        let (target, _) = self.world.locate_word(&Arg::exact(text));
        self.mention(Kind::Read(target.clone()));
        if !steering::is_only_run(name) {
            self.mention(Kind::Write(target));
        }
    }

    /// The paths, URLs and commands that the words name, neither explained by an effect nor data.
    fn left(&self, entry: &Entry, words: &[Arg], mark: usize) -> Vec<Kind> {
        let (grammar, start) = grammar(entry, words);
        let rest = words.get(start..).unwrap_or_default();
        let roles = Roles::of(grammar, rest);
        let explained = Explained::by(self.emitter.since(mark), words);
        let mut left = Vec::new();
        let mut kinds = Vec::new();
        let mut before = "";
        for (at, word) in rest.iter().enumerate() {
            let Some(text) = word.literal() else { continue };
            // Git reads the magic of a path specification, and takes nothing else for one.
            let is_magic = entry.special == Some(Special::Git)
                && [":(", ":!", ":^", ":/"].iter().any(|magic| text.starts_with(magic));
            let is_switch = entry.language == Some(Language::Cmd) && is_switch(text);
            let is_data = is_switch
                || roles.data.contains(&at)
                || is_text(before, text)
                || is_magic
                || is_query(entry, words)
                || is_selector(grammar, before, text);
            before = text;
            if is_data || explained.has_words(text) {
                continue;
            }
            if text.contains(char::is_whitespace) {
                // The program's function reads the statements.
                if entry.special != Some(Special::Database) {
                    let is_explained = |tokens: &[&str]| tokens.iter().all(|token| explained.words.contains(token));
                    kinds.extend(commands_in(text, self.knowledge, is_explained));
                }
            } else {
                self.targets_of_word(word, &explained, &mut kinds);
            }
            left.push(Left { word, is_plain: roles.plain.contains(&at) });
        }
        let leads = start.checked_sub(1).and_then(|at| words.get(at)).is_some_and(leads_to_command);
        kinds.extend(self.command_of_words(&left, if leads { 0 } else { subcommands(entry, start) }));
        kinds
    }

    fn targets_of_word(&self, word: &Arg, explained: &Explained<'_>, kinds: &mut Vec<Kind>) {
        for part in parts(word) {
            if part.text.contains("://") {
                let connection = hosts::connection(&part.text, Certainty::Exact);
                kinds.extend(connection.map(|(connection, _)| Kind::Connect(connection)));
            } else if looks_like_path(&part.text) && !is_device(&part.text) {
                let (target, _) = self.world.locate_word(&part);
                if target.path != "." && !explained.has_path(&target) {
                    kinds.extend([Kind::Read(target.clone()), Kind::Write(target)]);
                }
            }
        }
    }

    /// Words that may be a command; the first `subcommands` of them belong to the program itself.
    fn command_of_words(&self, words: &[Left<'_>], subcommands: usize) -> Option<Kind> {
        let operands = words.iter().enumerate().filter(|(_, left)| !left.is_plain && !is_option(left.word)).enumerate();
        let leads = |at: usize| {
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            before.is_some_and(|left| leads_to_command(left.word))
        };
        let mut operands = operands.filter(|(count, (at, _))| *count >= subcommands || leads(*at));
        let (_, (at, _)) = operands.find(|(_, (_, left))| self.names_program(left.word))?;
        operands.next()?;
        let words = words.get(at..)?.iter().map(|left| left.word);
        let argv = words.map(|word| Argument { text: word.text.clone(), known: true }).collect();
        Some(Kind::Execute(Execution { argv, inert: false, embeds: true }))
    }
}

/// `/c`, an option of programs of Windows.
fn is_switch(text: &str) -> bool {
    text.strip_prefix('/').is_some_and(|letter| letter.len() == 1 && letter.starts_with(char::is_alphabetic))
}

/// A text that stands where a command is expected is one, and no prose, if it begins with a program.
fn as_command(kind: Kind, text: &str) -> Kind {
    match kind {
        Kind::Execute(execution) => {
            let program = execution.argv.first().map_or("", |word| word.text.as_str());
            let starts = !program.is_empty() && text.trim_start().starts_with(program);
            Kind::Execute(Execution { inert: execution.inert && !starts, ..execution })
        }
        other => other,
    }
}

fn leads_to_command(word: &Arg) -> bool {
    LEADS_TO_COMMAND.contains(&word.text.as_str())
}

/// Commands that a text may hold of which nothing else is known.
pub(crate) fn named_commands(text: &str, knowledge: &Knowledge) -> Vec<Kind> {
    commands_in(text, knowledge, |_| false)
}

/// Commands inside one word, but for those whose words are explained.
fn commands_in(text: &str, knowledge: &Knowledge, is_explained: impl Fn(&[&str]) -> bool) -> Vec<Kind> {
    let value = text.strip_prefix('-').and_then(|option| option.split_once('='));
    let text = value.map_or(text, |(_, value)| value);
    let mut left = MOST_TOKENS;
    let mut kinds = Vec::new();
    for command in text.split(|letter| ";|&()`\n".contains(letter)) {
        let is_mark = |letter: char| letter.is_whitespace() || "\"'{}<>$#,".contains(letter);
        let tokens = command.split(is_mark).filter(|token| !token.is_empty()).take(left);
        let tokens: Vec<&str> = tokens.collect();
        left -= tokens.len();
        let start = tokens.iter().position(|token| knowledge.lists(token));
        let tokens = start.and_then(|start| tokens.get(start..)).unwrap_or_default();
        if !is_explained(tokens) {
            kinds.extend(pieces(tokens));
        }
    }
    kinds
}

/// A word that no effect explains.
struct Left<'w> {
    word: &'w Arg,
    /// The plain value of an option.
    is_plain: bool,
}

/// The commands that tokens may be.
fn pieces(tokens: &[&str]) -> Vec<Kind> {
    let mut kinds = Vec::new();
    let mut at = 0;
    while let Some(piece) = tokens.get(at..).filter(|piece| piece.len() > 1) {
        let piece = piece.get(..PIECE).unwrap_or(piece);
        let argv = piece.iter().map(|token| Argument { text: (*token).to_owned(), known: true }).collect();
        kinds.push(Kind::Execute(Execution { argv, inert: true, embeds: true }));
        at += if piece.len() == PIECE { PIECE - OVERLAP } else { piece.len() };
    }
    kinds
}

/// Counts the operands behind the words that the data know which may be names of subcommands.
fn subcommands(entry: &Entry, start: usize) -> usize {
    let special = entry.special.is_some_and(|special| special != Special::PackageRun);
    let has_subcommands = special || entry.otherwise.is_some() || !entry.subcommands.is_empty();
    if has_subcommands { 3_usize.saturating_sub(start) } else { 0 }
}

/// The entry that divides the words, and where its arguments begin.
fn grammar<'e>(entry: &'e Entry, words: &[Arg]) -> (&'e Entry, usize) {
    if entry.special == Some(Special::Git) {
        let mut names = words.iter().enumerate().skip(1).filter(|(_, word)| !is_option(word));
        let Some((at, sub)) = names.next() else { return (entry, 1) };
        return (git::options(&sub.text, names.next().map(|(_, word)| word.text.as_str())), at + 1);
    }
    let (mut entry, mut at) = (entry, 1);
    while let Some(name) = words.get(at) {
        let Some(sub) = entry.subcommand(&name.text) else { break };
        entry = sub;
        at += 1;
    }
    (entry, at)
}

/// Indices of words that are data, and of those that are plain values, by the roles of options and operands.
#[derive(Default)]
struct Roles {
    data: BTreeSet<usize>,
    /// Plain values of options: no command begins with one.
    plain: BTreeSet<usize>,
}

impl Roles {
    fn of(entry: &Entry, words: &[Arg]) -> Self {
        let arguments = Arguments::divide(entry, words);
        let of_options = arguments.options.iter().filter_map(|option| Some((option.role?, option.value.as_ref()?)));
        let assigned = assign(entry, &arguments);
        let of_operands = assigned.iter().map(|(role, word, _)| (*role, *word));
        // A version, or a program that the option's own effect runs or reads.
        let is_plain = |role: Role| matches!(role, Role::Value | Role::Toolchain);
        let plain = |(role, word)| is_plain(role).then_some((role, word));
        // The arguments of a package that runs may be a command.
        let is_data = |role: Role| match role {
            Role::Text | Role::Pattern | Role::AtFile | Role::Code => true,
            Role::Package | Role::NodePackage => !entry.stops,
            _ => false,
        };
        let data = |(role, word)| is_data(role).then_some((role, word));
        // One word has one role: the same text at another place has its own.
        let mut places: BTreeMap<(Option<[usize; 2]>, &str), Vec<usize>> = BTreeMap::new();
        for (at, word) in words.iter().enumerate().rev() {
            places.entry((bounds(word), word.text.as_str())).or_default().push(at);
        }
        let mut roles = Self::default();
        let of_options = of_options.filter_map(|given| data(given).or_else(|| plain(given)));
        // An operand that may be `@file` is a name of the program's own, and may be a path.
        let of_operands = of_operands.filter(|(role, _)| *role != Role::AtFile).filter_map(data);
        for (role, word) in of_options.chain(of_operands) {
            let at = places.get_mut(&(bounds(word), word.text.as_str())).and_then(Vec::pop);
            if is_plain(role) { roles.plain.extend(at) } else { roles.data.extend(at) }
        }
        roles
    }
}

/// `gh search KIND QUERY`: all that the words say is what to look for.
fn is_query(entry: &Entry, words: &[Arg]) -> bool {
    entry.special == Some(Special::Gh) && words.get(1).is_some_and(|word| word.text == "search")
}

/// Titles that choose tests, wherever a project's own tests run: of the short names, `-t` and `-k` are flags of other
/// programs, before which a title has a blank.
fn is_selector(grammar: &Entry, before: &str, text: &str) -> bool {
    let otherwise = grammar.otherwise.as_deref().and_then(|otherwise| otherwise.unproven.as_ref());
    let unproven = grammar.unproven.as_ref().or(otherwise);
    let runs_project = unproven.is_some_and(|unproven| unproven.about == Subject::Project);
    let is_title = || ["-t", "-k", "-g"].contains(&before) && text.contains(' ');
    runs_project && (before == "-run" || is_title())
}

/// Text by the name of its option, or of the field that holds it: `--title TEXT`, `--title=TEXT`, `-f title='ITS TEXT'`.
fn is_text(before: &str, text: &str) -> bool {
    let is_value = before.starts_with('-') && names::holds_text(before);
    let name = text.split_once('=').map(|(name, _)| name);
    is_value || name.is_some_and(|name| (name.starts_with('-') || text.contains(' ')) && names::holds_text(name))
}

fn bounds(word: &Arg) -> Option<[usize; 2]> {
    word.span.map(|span| [span.start(), span.end()])
}

fn is_option(word: &Arg) -> bool {
    word.text.starts_with('-')
}

/// The word itself, what is before and behind `=` or `:` in it, and what is attached to a letter.
fn parts(word: &Arg) -> Vec<Arg> {
    let text = word.text.as_str();
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let is_option = is_option(word);
    let attached = name.get(2..).filter(|_| is_option && !name.starts_with("--") && value.is_none());
    let whole = Some(text).filter(|_| !is_option && value.is_none());
    let mut parts = Vec::new();
    for part in [whole, value, attached].into_iter().flatten() {
        // `host:path`, `from:to`, `C:/x`, `https://x`
        match part.split_once(':').filter(|(before, after)| before.len() > 1 && !after.starts_with("//")) {
            Some((before, after)) => parts.extend([before, after]),
            None => parts.push(part),
        }
    }
    // `@file`: the content of a file.
    let parts = parts.into_iter().map(|part| part.strip_prefix('@').unwrap_or(part));
    parts.filter(|part| !part.is_empty() && !part.contains(['*', '?'])).map(|part| word.with(part)).collect()
}

/// The words that the effects of a command account for.
#[derive(Default)]
struct Explained<'e> {
    words: BTreeSet<&'e str>,
    paths: BTreeSet<&'e str>,
    trees: BTreeSet<&'e str>,
    hosts: BTreeSet<&'e str>,
}

impl<'e> Explained<'e> {
    fn by(effects: impl Iterator<Item = &'e Effect>, command: &[Arg]) -> Self {
        let mut explained = Self::default();
        for effect in effects {
            match &effect.kind {
                Kind::Read(target) | Kind::Write(target) | Kind::Delete(target) | Kind::List(target) => {
                    if target.subtree {
                        explained.trees.insert(&target.path);
                    }
                    explained.paths.insert(&target.path);
                }
                Kind::Execute(execution) if !is_same(&execution.argv, command) => {
                    explained.words.extend(execution.argv.iter().map(|argument| argument.text.as_str()));
                }
                Kind::Connect(connection) => explained.hosts.extend(connection.host.as_deref()),
                _ => {}
            }
        }
        explained
    }

    /// A command that runs has the words, or a connection goes to the host that the word names.
    fn has_words(&self, text: &str) -> bool {
        let value = text.split_once('=').map_or(text, |(_, value)| value);
        let has_all = |text: &str| !text.is_empty() && text.split_whitespace().all(|word| self.words.contains(word));
        self.words.contains(text) || has_all(text) || has_all(value) || self.has_host(value)
    }

    /// `host`, `user@host:path`, `https://host:80/path`
    fn has_host(&self, text: &str) -> bool {
        let behind = text.split_once("://").map_or(text, |(_, behind)| behind);
        let authority = behind.split('/').next().unwrap_or(behind);
        let host = authority.rsplit('@').next().unwrap_or(authority);
        let name = host.split(':').next().unwrap_or(host).to_ascii_lowercase();
        self.hosts.contains(name.as_str())
    }

    fn has_path(&self, target: &PathTarget) -> bool {
        let path = target.path.as_str();
        let mut parents = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
        self.paths.contains(path) || parents.any(|parent| self.trees.contains(parent))
    }
}

fn is_same(argv: &[Argument], words: &[Arg]) -> bool {
    argv.len() == words.len() && argv.iter().zip(words).all(|(argument, word)| argument.text == word.shown())
}
