//! Programs in languages that are compiled: calls with literal arguments that start programs, touch files or connect.
//!
//! The text is not read as a program. A call counts where its name stands outside of comments, and only its literal
//! arguments do.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::command::argument::Arg;
use crate::command::knowledge::Role;
use crate::command::machine::Machine;
use crate::command::simple::Io;

/// Names of calls that are looked at in one text.
const CALLS: usize = 5_000;
/// Characters of a line that are looked at before a call.
const LINE: usize = 1_000;
/// Bytes that the arguments of one call may take.
const ARGUMENTS: usize = 4_096;

/// Arguments that are added to a command after it was made.
const ADDED: usize = 64;
/// Characters of a name before a parenthesis.
const NAME: usize = 80;

/// The use that a call has for its literal arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Act {
    /// They are the words of a command.
    Words,
    /// The same, but the second one is only a name.
    Renamed,
    /// The first one is a program; its words are a list of texts somewhere in the source.
    ListedWords,
    /// They are the words of a command, with those of the calls behind it: `.arg("x")`.
    Builder,
    /// They are shell text.
    Text,
    /// Each one is in its role.
    Roles(Vec<Role>),
    /// A file that is relative to the source.
    Included,
    /// A file, and how it is opened.
    Opened,
    /// A file, and flags that say how it is opened.
    Flagged,
    /// A file whose method says what is done to it.
    Object,
    /// Those that are URLs.
    Urls,
    /// `"tcp", "host:port"`
    Address,
}

impl Act {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "words" => Self::Words,
            "renamed" => Self::Renamed,
            "words-of-list" => Self::ListedWords,
            "builder" => Self::Builder,
            "command" => Self::Text,
            "included" => Self::Included,
            "opened" => Self::Opened,
            "flagged" => Self::Flagged,
            "object" => Self::Object,
            "urls" => Self::Urls,
            "address" => Self::Address,
            roles => Self::Roles(roles.split(' ').map(Role::named).collect::<Option<_>>()?),
        })
    }
}

/// A test holds that every line can be read.
fn table() -> &'static HashMap<&'static str, Act> {
    static TABLE: LazyLock<HashMap<&str, Act>> = LazyLock::new(|| {
        let rows = include_str!("compiled.tsv").lines().filter(|line| !line.starts_with('#'));
        rows.filter_map(|row| row.split_once('\t')).filter_map(|(name, act)| Some((name, Act::named(act)?))).collect()
    });
    &TABLE
}

/// One call that the table knows.
struct Found<'t> {
    act: &'static Act,
    /// The text behind the parenthesis.
    behind: &'t str,
    literals: Vec<String>,
}

impl Machine<'_> {
    /// Judges the calls of a source as acts of the program that it becomes.
    pub(crate) fn compiled_text(&mut self, file: &Arg, text: &str, io: &mut Io<'_>) {
        let quotes = quotes(&file.text);
        let calls = text.match_indices('(').filter_map(|(at, _)| Some((at, called(text.get(..at)?)?)));
        let mut lists = false;
        for (at, act) in self.at_most(CALLS, calls) {
            if is_in_comment(text, at) {
                continue;
            }
            let behind = text.get(at + 1..).unwrap_or_default();
            let mut literals = arguments(behind, act, quotes);
            if *act == Act::Builder {
                literals.extend(added_later(text.get(..at).unwrap_or_default(), behind, quotes));
            }
            lists |= *act == Act::ListedWords && literals.len() < 2;
            let found = Found { act, behind, literals };
            self.guessed(|machine| {
                machine.through_script(file, |machine| machine.compiled_call(file, &found, io));
            });
        }
        if lists {
            self.listed_words(file, text, quotes, io);
        }
        for directive in text.lines().filter_map(|line| line.trim_start().strip_prefix("//go:")) {
            self.guessed(|machine| machine.through_script(file, |machine| machine.directive(directive, io)));
        }
    }

    /// Runs lists of texts that look like commands: `char *words[] = {"rm", "x", NULL}`.
    fn listed_words(&mut self, file: &Arg, text: &str, quotes: &[char], io: &mut Io<'_>) {
        let lists = text.match_indices('{').filter_map(|(at, _)| text.get(at + 1..));
        let lists = lists.filter(|behind| behind.trim_start().starts_with('"'));
        for behind in self.at_most(CALLS, lists) {
            let mut words = Vec::new();
            group(behind, '}', quotes, &mut words);
            let words: Vec<Arg> = words.into_iter().map(Arg::exact).collect();
            let is_command = words.first().is_some_and(|word| word.text.contains('/') || self.names_program(word));
            if is_command {
                self.guessed(|machine| machine.through_script(file, |machine| machine.command(&words, io)));
            }
        }
    }

    fn compiled_call(&mut self, file: &Arg, found: &Found<'_>, io: &mut Io<'_>) {
        let literals = &found.literals;
        let Some(first) = literals.first() else { return };
        let words = || literals.iter().map(|word| Arg { tilde: false, ..Arg::exact(word.as_str()) });
        let word = Arg::exact(first.as_str());
        match found.act {
            Act::ListedWords if literals.len() < 2 => {}
            Act::Words | Act::Builder => {
                self.command(&words().collect::<Vec<_>>(), io);
            }
            Act::Renamed | Act::ListedWords => {
                self.command(&words().take(1).chain(words().skip(2)).collect::<Vec<_>>(), io);
            }
            Act::Text => {
                self.command_text(&Arg::exact(literals.join(" ")), io);
            }
            Act::Roles(roles) => {
                for (role, word) in roles.iter().zip(literals) {
                    self.role(*role, &Arg::exact(word.as_str()), io);
                }
            }
            Act::Included => {
                let directory = file.text.rsplit_once('/').map_or(".", |(directory, _)| directory);
                self.role(Role::Read, &Arg::exact(format!("{directory}/{first}")), io);
            }
            Act::Opened => {
                let writes = literals.get(1).is_some_and(|mode| mode.contains(['w', 'a', '+']));
                self.role(if writes { Role::Write } else { Role::Read }, &word, io);
            }
            Act::Flagged => {
                let flags = found.behind.split(')').next().unwrap_or_default();
                let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"];
                let writes = writes.iter().any(|flag| flags.contains(flag));
                self.role(if writes { Role::Edit } else { Role::Read }, &word, io);
            }
            Act::Object => self.role(method_role(found.behind), &word, io),
            Act::Urls => {
                for url in words().filter(|word| word.text.contains("://")) {
                    self.role(Role::Url, &url, io);
                }
            }
            Act::Address => {
                if let Some(address) = literals.get(1) {
                    self.role(Role::Url, &Arg::exact(format!("tcp://{address}")), io);
                }
            }
        }
    }

    /// Runs a directive of Go: `//go:generate COMMAND`, `//go:embed FILES`.
    fn directive(&mut self, directive: &str, io: &mut Io<'_>) {
        if let Some(command) = directive.strip_prefix("generate ") {
            self.command_text(&Arg::exact(command), io);
        } else if let Some(files) = directive.strip_prefix("embed ") {
            for file in files.split_whitespace() {
                self.role(Role::Read, &Arg::exact(file), io);
            }
        }
    }
}

/// Looks up the call whose name ends the text.
fn called(before: &str) -> Option<&'static Act> {
    let name = name_at_end(before);
    if name.is_empty() {
        return None;
    }
    let table = table();
    let whole = name.trim_start_matches("std::").trim_start_matches("::");
    if let Some(act) = table.get(whole) {
        return Some(act);
    }
    for (at, separator) in name.match_indices(['.', ':']) {
        let tail = name.get(at + separator.len()..).unwrap_or_default();
        let is_function = !tail.contains(['.', ':']) && !tail.starts_with(char::is_uppercase);
        let act = if is_function { table.get(name.get(at..).unwrap_or_default()) } else { table.get(tail) };
        if act.is_some() {
            return act;
        }
    }
    // `std::ofstream out("x")`
    let behind_type = before.get(..before.len() - name.len())?.strip_suffix(' ')?;
    let kind = name_at_end(behind_type);
    let kind = kind.rsplit(':').next().unwrap_or(kind);
    kind.ends_with("stream").then(|| table.get(format!("{kind} *").as_str())).flatten()
}

/// Takes the qualified name that ends the text: `std::fs::read`, `Runtime.getRuntime().exec`.
fn name_at_end(text: &str) -> &str {
    let mut start = text.len();
    let mut letters = text.char_indices().rev().take(NAME).peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            letter if letter.is_alphanumeric() || matches!(letter, '_' | '.' | ':' | '!') => start = at,
            // `()` within a name calls something without arguments.
            ')' if start < text.len() && letters.next_if(|(_, open)| *open == '(').is_some() => start = at - 1,
            _ => break,
        }
    }
    text.get(start..).unwrap_or_default()
}

/// The characters that open and close a text in a source, by the ending of the file.
fn quotes(file: &str) -> &'static [char] {
    match file.rsplit('.').next() {
        Some("gradle" | "groovy" | "v" | "pas" | "f90") => &['"', '`', '\''],
        _ => &['"', '`'],
    }
}

/// Finds the role of a file by the methods behind it: `new File("x").delete()`.
fn method_role(behind: &str) -> Role {
    let line = behind.split(['\n', ';']).next().unwrap_or_default();
    let called = |names: &[&str]| names.iter().any(|name| line.contains(name));
    if called(&[".deleteRecursively", ".deleteDir"]) {
        Role::DeleteTree
    } else if called(&[".delete", ".Delete"]) {
        Role::Delete
    } else if called(&[".write", ".append", ".createNewFile", ".mkdir", ".setText", "<<", ".renameTo", ".Create"]) {
        Role::Write
    } else {
        Role::Read
    }
}

/// Finds the arguments that a command gets after it was made: `let mut c = Command::new("x"); c.arg("y");`.
fn added_later(before: &str, behind: &str, quotes: &[char]) -> Vec<String> {
    let Some((left, _)) = line_at_end(before).split_once('=') else { return Vec::new() };
    let name = left.trim().trim_end_matches(':').split_whitespace().last().unwrap_or_default();
    let mut added = Vec::new();
    if name.is_empty() || !name.chars().all(|letter| letter.is_alphanumeric() || letter == '_') {
        return added;
    }
    for method in [".arg(", ".args("] {
        let call = format!("{name}{method}");
        for (at, _) in behind.get(..behind.len().min(ARGUMENTS)).unwrap_or_default().match_indices(&call).take(ADDED) {
            group(behind.get(at + call.len()..).unwrap_or_default(), ')', quotes, &mut added);
        }
    }
    added
}

/// Returns whether the call is surely part of a comment.
fn is_in_comment(text: &str, at: usize) -> bool {
    is_comment(line_at_end(text.get(..at).unwrap_or_default()))
}

/// The last line of a text, or its last part if it is long.
fn line_at_end(text: &str) -> &str {
    let line = text.char_indices().rev().take(LINE).take_while(|(_, letter)| *letter != '\n').last();
    line.and_then(|(start, _)| text.get(start..)).unwrap_or_default()
}

/// The text before a call on its line opens a comment. Where it could be code, it is code.
fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    let is_star = line.starts_with("* ") || line.starts_with("/*");
    let is_hash = line.starts_with("# ") && !line.contains("define");
    let trails = line.find(" //").and_then(|at| line.get(..at));
    line.starts_with("//")
        || is_hash
        || is_star && !["*/", "=", ";"].iter().any(|mark| line.contains(mark))
        || trails.is_some_and(|code| !code.contains(['"', '\'', '`']))
}

/// The literal texts among the arguments of a call.
fn arguments(behind: &str, act: &Act, quotes: &[char]) -> Vec<String> {
    let mut literals = Vec::new();
    let mut left = group(behind, ')', quotes, &mut literals);
    while let (Act::Builder, Some(rest)) = (act, left.trim_start().strip_prefix('.')) {
        let Some((name, rest)) = rest.split_once('(') else { break };
        let mut more = Vec::new();
        left = group(rest, ')', quotes, &mut more);
        if matches!(name.trim(), "arg" | "args") {
            literals.append(&mut more);
        }
    }
    literals
}

/// Takes the literal texts up to the bracket that closes, and returns what is behind it.
fn group<'t>(text: &'t str, close: char, quotes: &[char], literals: &mut Vec<String>) -> &'t str {
    let open = if close == '}' { '{' } else { '(' };
    let mut depth = 1_usize;
    let mut letters = text.char_indices().take_while(|(at, _)| *at < ARGUMENTS);
    while let Some((at, letter)) = letters.next() {
        match letter {
            letter if letter == open => depth += 1,
            letter if letter == close => depth -= 1,
            letter if quotes.contains(&letter) => {
                let mut literal = String::new();
                while let Some((_, next)) = letters.next() {
                    match next {
                        next if next == letter => break,
                        '\\' if letter == '"' => literal.extend(letters.next().map(|(_, escaped)| escaped)),
                        next => literal.push(next),
                    }
                }
                literals.push(literal);
            }
            // An escaped quote: the call is itself in a text.
            '\\' => return "",
            _ => {}
        }
        if depth == 0 {
            return text.get(at + 1..).unwrap_or_default();
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_line_of_the_table_can_be_read() {
        let rows = include_str!("compiled.tsv").lines().filter(|line| !line.starts_with('#'));
        for row in rows {
            assert!(row.split_once('\t').is_some_and(|(_, act)| super::Act::named(act).is_some()), "{row}");
        }
    }

    #[test]
    fn calls_are_known_by_the_ends_of_their_names() {
        for text in
            ["std::fs::write", "Runtime.getRuntime().exec", "x = std::system", "java.io.File", "std::ofstream out"]
        {
            assert!(super::called(text).is_some(), "{text}");
        }
        for text in ["map.remove", "x.system", "my_system", "", "if ", "é"] {
            assert!(super::called(text).is_none(), "{text}");
        }
    }

    #[test]
    fn only_what_is_surely_a_comment_is_one() {
        for line in ["// ", "  // x ", "* ", "/* x ", "# ", "let a = 1; // "] {
            assert!(super::is_comment(line), "{line}");
        }
        for line in
            ["/* */ ", "* p = ", "* p; ", "# define X ", "let x = \" //\"; ", "let c = '\"'; let x = \" //\"; ", ""]
        {
            assert!(!super::is_comment(line), "{line}");
        }
    }
}
