//! The commands of a pipeline hand on texts, and the files that a lister names. Blocks and brackets have pipelines of
//! their own; `$_` is what the pipeline around a block hands to it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use agent_strace_shell::Provenance;

use super::text::Command;
use crate::command::argument::{Arg, Known};

/// Names that one command hands on.
const NAMES: usize = 16;
/// Variables that hold files.
const VARIABLES: usize = 64;
/// Properties of a file that name it.
const NAMING: &[&str] = &["", "fullname", "name", "path", "pspath", "pschildname", "providerpath", "value"];

/// What one command hands to the next.
#[derive(Debug, Default)]
pub(in crate::command::code) struct Flow {
    /// Files that it names.
    pub(in crate::command::code) names: Vec<Arg>,
    pub(in crate::command::code) text: Option<String>,
    /// Where text comes from that is not known.
    pub(super) provenance: Option<Provenance>,
    /// The files whose method is called.
    pub(super) objects: Vec<Arg>,
}

impl Flow {
    /// Texts, which may be names of files.
    pub(super) fn of(words: impl Iterator<Item = Arg>) -> Self {
        let names: Vec<Arg> = words.collect();
        let texts: Option<Vec<&str>> = names.iter().map(Arg::literal).collect();
        let text = texts.map(|texts| texts.join("\n"));
        let provenance = names.iter().filter_map(|word| word.provenance).max();
        Self { names, text, provenance, ..Self::default() }
    }

    /// Only files with one of these names are left.
    fn select(&mut self, names: &[String]) {
        let chosen = chosen(&self.names, names);
        if !chosen.is_empty() {
            self.names = chosen;
        }
    }
}

/// The pipelines that are open, by depth, and the files that variables hold.
#[derive(Debug, Default)]
pub(super) struct Pipes {
    flows: Vec<Flow>,
    /// The variable that takes what the pipeline of a depth hands on.
    takers: BTreeMap<usize, String>,
    held: BTreeMap<String, Vec<Arg>>,
}

impl Pipes {
    /// What the command reads.
    pub(super) fn take(&mut self, command: &Command) -> Flow {
        self.condition(command);
        let objects = self.objects(command);
        let Some(flow) = self.at(command.depth) else { return Flow::default() };
        let mut flow = std::mem::take(flow);
        if !command.piped {
            flow = Flow::default();
            self.takers.remove(&command.depth);
            if let Some(name) = taker(command) {
                self.takers.insert(command.depth, name.to_owned());
            }
        } else if command.words.first().is_some_and(|word| selects(&word.text)) {
            let (names, _) = conditions(command.words.get(1..).unwrap_or_default());
            flow.select(&names);
        }
        Flow { objects, ..flow }
    }

    /// The command with the files in place of what stands for them. What a variable holds may have changed: the word stays.
    pub(super) fn fill<'c>(&self, command: &'c Command) -> Cow<'c, Command> {
        if command.words.iter().all(|word| self.names_of(word, command).is_none()) {
            return Cow::Borrowed(command);
        }
        let mut filled = Command { words: Vec::new(), lists: Vec::new(), ..command.clone() };
        for (at, word) in command.words.iter().enumerate() {
            let mut follows = command.lists.contains(&at);
            let names = self.names_of(word, command).filter(|_| at > 0);
            let itself = names.is_none_or(|_| !is_item(&word.text)).then_some(word);
            for word in itself.into_iter().chain(names.into_iter().flatten()) {
                if follows {
                    filled.lists.push(filled.words.len());
                }
                filled.words.push(word.clone());
                follows = true;
            }
        }
        Cow::Owned(filled)
    }

    /// The command ran.
    pub(super) fn put(&mut self, command: &Command, mut flow: Flow) {
        self.flows.truncate(command.depth.saturating_add(2));
        if let Some(name) = self.takers.get(&command.depth).cloned() {
            if flow.names.is_empty()
                && let Some(names) = command.words.last().and_then(|word| self.names_of(word, command))
            {
                flow.names = names.to_vec();
            }
            if flow.names.is_empty() || self.held.len() >= VARIABLES {
                self.held.remove(&name);
            } else {
                self.held.insert(name, flow.names.clone());
            }
        }
        self.flows.truncate(command.depth.saturating_add(1));
        flow.names.truncate(NAMES);
        if let Some(place) = self.at(command.depth) {
            *place = flow;
        }
    }

    fn at(&mut self, depth: usize) -> Option<&mut Flow> {
        if self.flows.len() <= depth {
            self.flows.resize_with(depth.saturating_add(1), Flow::default);
        }
        self.flows.get_mut(depth)
    }

    /// The files that a word stands for: `$_`, `$file.FullName`, `(Get-Item x)`.
    fn names_of(&self, word: &Arg, command: &Command) -> Option<&[Arg]> {
        if word.is_exact() {
            return None;
        }
        let (object, property) = word.text.split_once('.').unwrap_or((&word.text, ""));
        let property = property.to_lowercase();
        NAMING.contains(&property.as_str()).then(|| self.object(object, command, command.depth + 1))?
    }

    fn object(&self, object: &str, command: &Command, below: usize) -> Option<&[Arg]> {
        let names = match object {
            "()" | "$()" => self.flows.get(below).map(|flow| flow.names.as_slice()),
            item if is_item(item) => self.flows.get(command.item?).map(|flow| flow.names.as_slice()),
            variable => self.held.get(&variable.strip_prefix('$')?.to_lowercase()).map(Vec::as_slice),
        };
        names.filter(|names| !names.is_empty())
    }

    /// The files whose method the command calls.
    fn objects(&self, command: &Command) -> Vec<Arg> {
        let method = command.words.first().and_then(|word| word.text.strip_suffix("()"));
        let object = method.and_then(|method| method.rsplit_once('.')).map(|(object, _)| object);
        object.and_then(|object| self.object(object, command, command.depth)).unwrap_or_default().to_vec()
    }

    /// `{ $_.Name -eq 'x' }` of `Where-Object` leaves files of that name; elsewhere such files are among the others.
    fn condition(&mut self, command: &Command) {
        let Some(item) = command.item.filter(|_| command.words.first().is_some_and(|word| is_item(&word.text))) else {
            return;
        };
        let (names, all) = conditions(&command.words);
        let only = all && command.depth == item.saturating_add(1);
        let Some(flow) = self.flows.get_mut(item) else { return };
        if only {
            flow.select(&names);
        } else {
            let more = chosen(&flow.names, &names);
            flow.names.extend(more);
            flow.names.truncate(NAMES);
        }
    }
}

/// `$_`, `$_.Name`
fn is_item(text: &str) -> bool {
    let object = text.split('.').next().unwrap_or_default();
    object == "$_" || object.eq_ignore_ascii_case("$psitem")
}

/// The variable that is assigned what the command hands on.
fn taker(command: &Command) -> Option<&str> {
    let [first, rest @ ..] = command.words.as_slice() else { return None };
    if let Some(name) = first.text.strip_prefix("=$") {
        return Some(name);
    }
    let loops = rest.first().is_some_and(|word| word.text.eq_ignore_ascii_case("in"));
    first.text.strip_prefix('$').filter(|_| loops)
}

fn selects(name: &str) -> bool {
    ["?", "where", "where-object"].iter().any(|one| name.eq_ignore_ascii_case(one))
}

/// The last components that conditions ask for, and whether all of them have to hold.
fn conditions(words: &[Arg]) -> (Vec<String>, bool) {
    let all = !words.iter().any(|word| word.text.eq_ignore_ascii_case("-or"));
    let is_parameter = |word: &&Arg| !["-property", "-value"].contains(&word.text.to_lowercase().as_str());
    let words: Vec<&Arg> = words.iter().filter(is_parameter).collect();
    let mut names = Vec::new();
    for triple in words.windows(3).take(NAMES) {
        let [property, operator, value] = triple else { continue };
        let property = property.text.to_lowercase();
        let property =
            if is_item(&property) { property.split_once('.').map_or("name", |(_, name)| name) } else { &property };
        let operator = operator.text.to_lowercase();
        let operator = operator.trim_start_matches('-').trim_start_matches(['c', 'i']);
        if let Some(value) = value.literal() {
            names.extend(wanted(property, operator, value));
        }
    }
    if all {
        names.truncate(1);
    }
    (names, all)
}

/// The last component of the files for which a condition holds.
fn wanted(property: &str, operator: &str, value: &str) -> Option<String> {
    let value = match operator {
        "eq" | "like" => value.to_owned(),
        "match" => of_regex(value)?,
        _ => return None,
    };
    let last = value.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    match property {
        "name" | "pschildname" | "fullname" => Some(last).filter(|name| !name.is_empty()),
        "basename" => Some(format!("{last}*")),
        "extension" => Some(format!("*{last}")),
        _ => None,
    }
}

/// A glob that matches at least what a simple regular expression finds.
fn of_regex(regex: &str) -> Option<String> {
    let (start, regex) = regex.strip_prefix('^').map_or(("*", regex), |rest| ("", rest));
    let (end, regex) = regex.strip_suffix('$').map_or(("*", regex), |rest| ("", rest));
    let mut glob = start.to_owned();
    let mut characters = regex.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => glob.push(characters.next().filter(|escaped| !escaped.is_alphanumeric())?),
            '.' => glob.push('?'),
            '[' | ']' | '(' | ')' | '{' | '}' | '|' | '*' | '+' | '?' | '^' | '$' => return None,
            other => glob.push(other),
        }
    }
    glob.push_str(end);
    Some(glob)
}

/// Files of these names where `files` lie.
fn chosen(files: &[Arg], names: &[String]) -> Vec<Arg> {
    let mut chosen: Vec<Arg> = Vec::new();
    for file in files.iter().filter(|file| file.known == Known::Glob) {
        let (directory, last) =
            file.text.rsplit_once('/').map_or(("", file.text.as_str()), |(head, last)| (head, last));
        for name in names {
            let hidden = last.starts_with('.') && name.starts_with(['*', '?']);
            let name = if hidden { format!(".{name}") } else { name.clone() };
            let text = if directory.is_empty() { name } else { format!("{directory}/{name}") };
            let text = if last == "**" {
                text.replacen(&format!("{directory}/"), &format!("{directory}/**/"), 1)
            } else {
                text
            };
            let word = if text.contains(['*', '?', '[']) { Arg::glob(text) } else { Arg::exact(text) };
            if !chosen.contains(&word) && chosen.len() < NAMES {
                chosen.push(word);
            }
        }
    }
    chosen
}

/// The files that a lister of `directory` names: those in it, or below it; `pattern` is what their names match.
pub(super) fn listed(directory: &Arg, below: bool, hidden: bool, pattern: Option<&Arg>) -> Vec<Arg> {
    if !directory.is_exact() || directory.text.contains(['*', '?', '[']) {
        return vec![directory.clone()];
    }
    let base = directory.text.trim_end_matches('/');
    let base = if matches!(base, "." | "./") { "" } else { base };
    let join = |name: &str| {
        if base.is_empty() && !directory.text.starts_with('/') { name.to_owned() } else { format!("{base}/{name}") }
    };
    if let Some(pattern) = pattern {
        let name = if below { format!("**/{}", pattern.text) } else { pattern.text.clone() };
        let text = join(&name);
        let word = if text.contains(['*', '?', '[']) { Arg::glob(text) } else { Arg::exact(text) };
        return vec![if pattern.is_exact() { word } else { Arg::unknown(&pattern.text) }];
    }
    if below {
        return vec![Arg::glob(join("**"))];
    }
    let mut names = vec![Arg::glob(join("*"))];
    if hidden {
        names.push(Arg::glob(join(".*")));
    }
    if !base.is_empty() {
        // It may be a file.
        names.push(directory.clone());
    }
    names
}
