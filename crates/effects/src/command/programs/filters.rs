//! Filters and members of archivers and copiers: the names that they spell.

use crate::command::argument::{Arg, Known};
use crate::command::knowledge::Role;
use crate::command::machine::Machine;

use super::files::below;
use super::find::escaped;
use super::spelled::{Star, glob_of};

/// Names of one call that are followed.
const MOST: usize = 256;

impl Machine<'_> {
    /// `rsync --include=PATTERN -f '+ PATTERN'`: files below the sources that the rules let in.
    pub(super) fn let_in(&mut self, rules: &[String], sources: &[Arg]) {
        let pairs = sources.iter().flat_map(|source| rules.iter().map(move |rule| below(source, rule)));
        for word in self.at_most(MOST, pairs) {
            self.path(Role::Read, &word);
        }
    }

    /// `zip -i PATTERN…`: files below the operands whose stored names match. The star crosses directories.
    pub(super) fn stored(&mut self, patterns: &[Arg], files: &[Arg]) {
        let is_absolute = files.iter().any(|file| file.text.starts_with('/'));
        let starts: &[&str] = if is_absolute { &["", "/"] } else { &[""] };
        let anywhere = [Arg::exact(".")];
        let is_known = !is_absolute && files.iter().all(Arg::is_exact);
        let files = if is_known && !files.is_empty() { files } else { &anywhere };
        let globs = patterns.iter().map(|pattern| glob_of(&pattern.text, Star::Path));
        // A star in first place matches the operands that the names start with, too.
        let (open, fixed): (Vec<String>, Vec<String>) = globs.partition(|glob| glob.starts_with("**"));
        let below = files.iter().flat_map(|file| open.iter().map(move |glob| stored_below(file, glob)));
        let fixed = fixed.iter().flat_map(|glob| starts.iter().map(move |start| format!("{start}{glob}")));
        for word in self.at_most(MOST, below.chain(fixed).map(Arg::glob)) {
            self.path(Role::Read, &word);
        }
    }

    /// `tar x MEMBER…`, `unzip a.zip MEMBER…`: the members land below a directory.
    pub(super) fn unpacked(&mut self, members: &[Arg], directory: &Arg) {
        let directory = match directory.known {
            Known::Exact => escaped(&directory.text),
            Known::Glob => directory.text.clone(),
            Known::Partly | Known::Not => return,
        };
        let is_read = |member: &&Arg| matches!(member.known, Known::Exact | Known::Glob);
        let globs = members.iter().filter(is_read).map(|member| glob_of(&member.text, Star::Path));
        let words = globs.map(|glob| Arg::glob(format!("{directory}/{}", glob.trim_end_matches('/'))));
        for word in self.at_most(MOST, words) {
            self.path(Role::WriteTree, &word);
        }
    }
}

/// The names below an operand that a pattern with a star in first place matches.
fn stored_below(file: &Arg, glob: &str) -> String {
    match file.text.trim_end_matches('/') {
        "." => glob.to_owned(),
        start => format!("{}/{glob}", escaped(start)),
    }
}

/// A word that the program itself expands, whatever quotes it had.
pub(super) fn expanded(word: &Arg) -> Arg {
    match word.literal() {
        Some(text) if text.contains(['*', '?']) => Arg { span: word.span, ..Arg::glob(glob_of(text, Star::Component)) },
        _ => word.clone(),
    }
}

/// The words of a call of `zip` without the lists behind `-i` and `-x`, and the patterns behind `-i`.
pub(super) fn without_lists(words: &[Arg]) -> (Vec<Arg>, Vec<Arg>) {
    let (mut rest, mut patterns) = (Vec::new(), Vec::new());
    let mut list = None;
    for word in words {
        let text = word.text.as_str();
        if text == "@" && list.is_some() {
            list = None;
        } else if text.starts_with('-') && text.len() > 1 {
            list = match text.trim_start_matches('-').trim_start_matches(['r', 'q', 'y', 'j', '9']) {
                "i" | "include" => Some("i"),
                "x" | "exclude" => Some("x"),
                _ => None,
            };
            if list.is_none() || text.starts_with("-r") {
                rest.push(word.with(text.trim_end_matches(['i', 'x'])));
            }
        } else {
            match list {
                Some("i") => patterns.push(word.clone()),
                Some(_) => {}
                None => rest.push(word.clone()),
            }
        }
    }
    (rest, patterns)
}

/// The pattern of a rule of `rsync` that lets files in: `+ PATTERN`, `include PATTERN`.
pub(super) fn included_filter(rule: &Arg) -> Option<String> {
    let text = rule.text.trim_start();
    let rule_of = ["include", "+"].iter().find_map(|name| text.strip_prefix(name))?;
    let (modifiers, pattern) = rule_of.split_once([' ', '_'])?;
    is_modified(modifiers).then(|| included(pattern)).flatten()
}

/// The glob of a pattern of `rsync`. A pattern of directories alone lets no file in.
pub(super) fn included(pattern: &str) -> Option<String> {
    let pattern = pattern.trim().trim_start_matches('/');
    let pattern = pattern.strip_suffix("/***").map_or_else(|| pattern.to_owned(), |start| format!("{start}/**"));
    (!pattern.is_empty() && !pattern.ends_with('/') && pattern != "*").then_some(pattern)
}

/// The file of rules that a filter of `rsync` merges: `merge FILE`, `. FILE`, `dir-merge,n- FILE`, `:n- FILE`.
pub(super) fn merged_filter(rule: &Arg) -> Option<Arg> {
    let text = rule.text.trim_start();
    let merges = ["merge", "dir-merge", ".", ":"].iter().find_map(|name| text.strip_prefix(name))?;
    let (modifiers, file) = merges.split_once([' ', '_'])?;
    is_modified(modifiers).then(|| rule.with(file.trim()))
}

fn is_modified(modifiers: &str) -> bool {
    modifiers.chars().all(|letter| ",+-!/CenwrspsxH".contains(letter))
}
