//! Command entries against what was run.
//!
//! A deny is read generously: whatever spells the same command is that command. An allow is read strictly: it covers
//! the words it has, all of them known, and no other program of the same name.
//! Version 1 compares the text of a command as well; version 2 its parts alone ([`Parts`]).

mod goals;
mod index;
mod matches;
mod parts;
mod settings;
mod synonyms;

use std::sync::OnceLock;

use agent_strace_effects::{Argument, Execution, Opaque};
use agent_strace_model::finding::PolicyLocation;

use super::glob::Glob;
use super::parse::{List, Stated};
use super::ran::{Ran, Spelled, basename};

use index::Index;
use matches::{flag_matches, has_wildcard, is_flag, operands_match, program_matches, word_matches, words_match};
pub(super) use parts::Parts;
pub(super) use synonyms::other_names;

#[derive(Debug, Clone, Default)]
pub(super) struct CommandList {
    pub(super) rules: Vec<CommandRule>,
    location: Option<PolicyLocation>,
    index: OnceLock<Index>,
}

impl CommandList {
    pub(super) fn new(list: Option<&List<CommandPattern>>) -> Self {
        let Some(list) = list else { return Self::default() };
        let rules = list
            .entries
            .iter()
            .map(|entry| CommandRule { stated: entry.stated.clone(), pattern: entry.pattern.clone() });
        let rules = rules.collect();
        let location = Some(list.location.clone()).filter(|_| !list.entries.is_empty());
        Self { rules, location, index: OnceLock::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// A rule with a name of its own: it belongs to the list, and closes it no more than it was.
    pub(super) fn add(&mut self, stated: &Stated, pattern: &CommandPattern) {
        self.rules.push(CommandRule { stated: stated.clone(), pattern: pattern.clone() });
        self.rules.sort_by_key(|rule| rule.stated.rank());
        self.index.take();
    }

    /// The first entry that allows the command.
    pub(super) fn allowing(&self, execution: &Execution) -> Option<&CommandRule> {
        let program = execution.argv.first()?.text.as_str();
        let candidates = self.index.get_or_init(|| Index::new(&self.rules)).candidates(program);
        let rules = candidates.filter_map(|index| Some((index, self.rules.get(index)?)));
        rules.filter(|(_, rule)| rule.pattern.allows(execution)).min_by_key(|(index, _)| *index).map(|(_, rule)| rule)
    }

    /// Whether an entry could allow the command if its unknown words were known.
    pub(super) fn may_allow(&self, execution: &Execution) -> bool {
        execution.argv.iter().any(|argument| !argument.known)
            && self.rules.iter().any(|rule| rule.pattern.may_allow(execution))
    }

    /// The entry that speaks of the command, and the one that may.
    pub(super) fn strictest(&self, ran: &Ran<'_>) -> (Option<&CommandRule>, Option<&CommandRule>) {
        let mut perhaps = None;
        for rule in &self.rules {
            match rule.pattern.denies(ran) {
                Match::Yes => return (Some(rule), None),
                Match::Maybe => perhaps = perhaps.or(Some(rule)),
                Match::No => {}
            }
        }
        (None, perhaps)
    }

    /// The first entry whose words stand in the command in order. An entry of one word says too little about text, and
    /// where nothing follows the word.
    pub(super) fn named(&self, ran: &Ran<'_>, mentioned: Mentioned) -> Option<&CommandRule> {
        let speaks = |rule: &&CommandRule| match rule.pattern.size() {
            Size::Any => false,
            Size::Word => {
                mentioned == Mentioned::InWords && ran.commands.iter().any(|command| rule.pattern.names(command))
            }
            Size::Words => rule.pattern.denies(ran) == Match::Yes,
        };
        self.rules.iter().find(speaks)
    }

    /// Where the list stands, if it demands anything.
    pub(super) fn list_location(&self) -> Option<&PolicyLocation> {
        self.location.as_ref()
    }

    /// Without the entries that are less than an error.
    pub(super) fn drop_mild(&mut self) {
        self.rules.retain(|rule| rule.stated.is_firm());
        self.index.take();
    }

    /// Without one entry, or without any where it is the list that stands there.
    pub(super) fn drop_location(&mut self, location: &PolicyLocation) {
        if self.location.as_ref() == Some(location) {
            *self = Self::default();
        } else {
            self.rules.retain(|rule| rule.stated.location != *location);
            self.index.take();
        }
    }
}

/// One entry that names commands.
#[derive(Debug, Clone)]
pub(super) struct CommandRule {
    pub(super) stated: Stated,
    pub(super) pattern: CommandPattern,
}

/// What an entry names.
#[derive(Debug, Clone)]
pub(super) enum CommandPattern {
    /// As version 1 reads it: the command's text counts, too.
    Text(Box<TextPattern>),
    Parts(Parts),
}

impl CommandPattern {
    pub(super) fn version_1(text: &str, words: Vec<String>) -> Self {
        Self::Text(Box::new(TextPattern::new(text, words)))
    }

    /// Entries of a list that deny part of what this one does, and no more.
    pub(super) fn forms(&self) -> Vec<String> {
        match self {
            Self::Text(_) => Vec::new(),
            Self::Parts(parts) => parts.forms(),
        }
    }

    pub(super) fn denies(&self, ran: &Ran<'_>) -> Match {
        match self {
            Self::Text(text) => text.denies(ran),
            Self::Parts(parts) => parts.denies(ran),
        }
    }

    /// How much of a command it names.
    fn size(&self) -> Size {
        let (programs, more) = match self {
            Self::Text(text) => (text.words.get(..1).unwrap_or_default(), text.words.len() > 1),
            Self::Parts(parts) => (parts.programs.as_slice(), parts.names_more()),
        };
        match more {
            _ if programs.is_empty() || programs.iter().any(|program| has_wildcard(program)) => Size::Any,
            true => Size::Words,
            false => Size::Word,
        }
    }

    /// The command is one that the entry denies, and more follows than the program.
    fn names(&self, command: &Spelled<'_>) -> bool {
        let found = match self {
            Self::Text(text) => text.denies_command(command),
            Self::Parts(parts) => parts.denies_command(command),
        };
        found == Match::Yes && command.arguments.iter().any(|argument| !is_flag(&argument.text))
    }

    /// The programs that it is about, where an allow of it is about no others.
    fn programs(&self) -> Option<&[String]> {
        let programs = match self {
            Self::Text(text) if text.whole.is_some() => return None,
            Self::Text(text) => text.words.get(..1)?,
            Self::Parts(parts) => parts.programs.as_slice(),
        };
        programs.iter().all(|program| !has_wildcard(program)).then_some(programs)
    }

    pub(super) fn allows(&self, execution: &Execution) -> bool {
        match self {
            Self::Text(text) => text.allows(execution),
            Self::Parts(parts) => parts.allows(execution),
        }
    }

    /// Whether a command with unknown words could be allowed if they were known.
    fn may_allow(&self, execution: &Execution) -> bool {
        match self {
            Self::Text(text) => text.may_allow(execution),
            Self::Parts(parts) => parts.may_allow(execution),
        }
    }

    /// Returns true if the entry names the words that vouch for the act, or the first of them and `*`.
    pub(super) fn vouches_for(&self, opaque: &Opaque) -> bool {
        opaque.vouchers().any(|(wanted, least)| match self {
            Self::Text(text) => vouch(&text.words, wanted, least),
            Self::Parts(parts) => parts.vouches_for(wanted, least),
        })
    }

    /// The entry, also for code that the session changed in a way that no log shows. `None`: version 1 has no such entries.
    pub(super) fn even_if_changed(&self) -> Option<Self> {
        match self {
            Self::Text(_) => None,
            Self::Parts(parts) => Some(Self::Parts(parts.clone().also_if_changed())),
        }
    }

    /// No words alone say what it matches.
    pub(crate) fn says_more_than_words(&self) -> bool {
        match self {
            Self::Text(_) => false,
            Self::Parts(parts) => parts.says_more_than_words(),
        }
    }

    pub(super) fn is_even_if_changed(&self) -> bool {
        matches!(self, Self::Parts(parts) if parts.even_if_changed)
    }

    /// The entry allows the command, whatever the session changed in what it runs.
    pub(super) fn vouches_for_changed(&self, execution: &Execution) -> bool {
        matches!(self, Self::Parts(parts) if parts.even_if_changed && parts.allows(execution))
    }

    /// The entry names the program, and all flags that it may have.
    pub(super) fn lists_flags_of(&self, execution: &Execution) -> bool {
        let Self::Parts(parts) = self else { return false };
        parts.only_flags.is_some() && self.programs().is_some() && parts.may_be_about(execution)
    }

    /// The entry is `*`: it allows every command.
    pub(super) fn is_for_all(&self) -> bool {
        match self {
            Self::Text(text) => matches!(text.words.as_slice(), [word] if word == "*"),
            Self::Parts(parts) => parts.is_for_all(),
        }
    }
}

fn vouch(words: &[String], wanted: &[String], least: usize) -> bool {
    // `npm run *`: whatever follows.
    let family = words.split_last().filter(|(last, rest)| *last == "*" && !rest.is_empty()).map(|(_, rest)| rest);
    let words = family.unwrap_or(words);
    (family.is_some() || words.len() >= least)
        && words.iter().zip(wanted).all(|(word, wanted)| {
            let is_pattern = has_wildcard(word) && word.chars().any(char::is_alphanumeric);
            if word.contains('/') {
                here(word) == here(wanted) || is_pattern && is_path_within(word, wanted)
            } else {
                word == wanted || is_pattern && Glob::fnmatch(word).matches(wanted)
            }
        })
}

/// `./scripts/*` covers the files of one directory, `./scripts/**` those below it, too.
fn is_path_within(pattern: &str, path: &str) -> bool {
    let leads_up = path.split('/').any(|part| part == "..");
    !leads_up && path.contains('/') && Glob::path(here(pattern)).matches(here(path))
}

/// A path below the working directory, however it is spelled.
fn here(word: &str) -> &str {
    word.strip_prefix("./").filter(|rest| rest.contains('/')).unwrap_or(word)
}

#[derive(Debug, Clone)]
pub(super) struct TextPattern {
    words: Vec<String>,
    /// What the words say in the words that commands are compared in.
    canonical: Vec<Vec<String>>,
    /// The entry as a whole, where it has wildcards: as written, and folded.
    whole: Option<(Glob, Glob)>,
    /// In lower case, as version 1 compared it.
    lower: String,
}

/// Where a command is mentioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mentioned {
    /// Its words are words of another command.
    InWords,
    /// Its words stand in one word of another command.
    InText,
}

/// How much of a command an entry names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    /// Any program, or any of a pattern.
    Any,
    /// A program.
    Word,
    /// A program, and more.
    Words,
}

/// How well a deny matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Match {
    No,
    /// An unknown word may make it match.
    Maybe,
    Yes,
}

/// Directories whose programs are what their names say.
const SYSTEM: &[&str] =
    &["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/", "/opt/homebrew/bin/"];

impl TextPattern {
    fn new(text: &str, words: Vec<String>) -> Self {
        let lower = text.to_lowercase();
        let whole = has_wildcard(text).then(|| (Glob::fnmatch(text), Glob::fnmatch(&lower)));
        let canonical = canonical_words(&words);
        Self { words, canonical, whole, lower }
    }

    fn denies(&self, ran: &Ran<'_>) -> Match {
        if ran.raw.as_ref().is_some_and(|raw| self.matches_text(raw)) {
            return Match::Yes;
        }
        let cut = if ran.cut { Match::Maybe } else { Match::No };
        ran.commands.iter().map(|command| self.denies_command(command)).max().unwrap_or(Match::No).max(cut)
    }

    /// Version 1: the text, the text and a space, or the whole text by wildcards; in lower case.
    fn matches_text(&self, lower: &str) -> bool {
        lower.strip_prefix(self.lower.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            || self.whole.as_ref().is_some_and(|(_, folded)| folded.matches(lower))
    }

    fn denies_command(&self, command: &Spelled<'_>) -> Match {
        if command.joined.as_ref().is_some_and(|joined| self.matches_text(joined)) {
            return Match::Yes;
        }
        let spellings = std::iter::once(&self.words).chain(&self.canonical);
        spellings.map(|words| words_match(words, command)).max().unwrap_or(Match::No)
    }

    fn allows(&self, execution: &Execution) -> bool {
        let Some((program, _)) = execution.argv.split_first() else { return false };
        if !program.known {
            return false;
        }
        if let Some((whole, _)) = &self.whole {
            let joined = shielded(execution);
            return joined.iter().any(|text| whole.matches(text));
        }
        let Some((wanted, rest)) = self.words.split_first() else { return false };
        same_program(wanted, &program.text)
            && execution.argv.len() > rest.len()
            && rest
                .iter()
                .zip(execution.argv.iter().skip(1))
                .all(|(word, argument)| argument.known && argument.text == *word)
    }

    fn may_allow(&self, execution: &Execution) -> bool {
        match (execution.argv.first(), self.words.first()) {
            (Some(program), Some(wanted)) if program.known => {
                has_wildcard(wanted) || same_program(wanted, &program.text)
            }
            _ => true,
        }
    }
}

/// The words of an entry as commands are compared, where that differs.
fn canonical_words(words: &[String]) -> Vec<Vec<String>> {
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let arguments: Vec<Argument> = rest.iter().map(|text| Argument { text: text.clone(), known: true }).collect();
    let program = basename(program);
    let mut found: Vec<Vec<String>> = synonyms::of_entry(&program, &arguments)
        .into_iter()
        .map(|(program, arguments)| {
            std::iter::once(program).chain(arguments.into_iter().map(|argument| argument.text)).collect()
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

/// The program an allow names: bare, or in a system directory, or spelled with the same place.
fn same_program(wanted: &str, program: &str) -> bool {
    if wanted == program {
        return true;
    }
    // Most programs are one plain word, compared with many.
    let has_directory = |text: &str| text.bytes().any(|byte| byte == b'/');
    if !has_directory(program) && !has_directory(wanted) {
        return false;
    }
    if has_directory(wanted) {
        let below = |text: &str| text.strip_prefix("./").filter(|rest| rest.contains('/')).unwrap_or(text).to_owned();
        return below(wanted) == below(program);
    }
    system_name(program) == Some(wanted)
}

/// The name of a program that stands in a system directory.
fn system_name(program: &str) -> Option<&str> {
    SYSTEM.iter().find_map(|folder| program.strip_prefix(folder)).filter(|name| !name.contains('/'))
}

/// The command as text for an allow with wildcards. Blanks inside words and unknown words are shielded: only a
/// wildcard covers them.
fn shielded(execution: &Execution) -> Vec<String> {
    let words: Vec<String> = execution
        .argv
        .iter()
        .map(|argument| {
            if argument.known {
                argument.text.chars().map(|c| if c.is_whitespace() { '\u{f8fd}' } else { c }).collect()
            } else {
                "\u{f8fe}\u{f8ff}\u{f8fe}\u{f8ff}".to_owned()
            }
        })
        .collect();
    let joined = words.join(" ");
    let bare = execution.argv.first().and_then(|program| {
        let name = system_name(&program.text)?;
        let rest = words.get(1..).unwrap_or_default().join(" ");
        Some(if rest.is_empty() { name.to_owned() } else { format!("{name} {rest}") })
    });
    std::iter::once(joined).chain(bare).collect()
}
