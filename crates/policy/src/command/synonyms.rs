//! Commands under their other names: `synonyms.tsv` says which words mean the same as others (`npm i`, `docker container rm`,
//! `kill -KILL`). Entries that forbid and commands are both compared in the words that a line puts first, too.
//!
//! The words of a line are those of a command: operands are its leading ones, options stand anywhere, an operand behind an
//! option is that option's value. `*` is one word, and the line holds for any.
//!
//! A name behind `>` says more than the first name does, or does more: a command of that name is one of the first name,
//! too, and an entry is not. Who forbids `git stash drop` forbids `git stash clear`; who forbids `yarn workspace web add`
//! does not forbid `yarn add`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use agent_strace_effects::Argument;

use super::{has_wildcard, is_flag};
use crate::glob::Glob;
use crate::globals::{self, Globals};

const TABLE: &str = include_str!("synonyms.tsv");

/// A name may stand for another one that has another one.
const ROUNDS: usize = 3;

/// The uses of a line: for entries and commands, or for commands alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Always,
    ForCommands,
}

/// A command, by its program's name and its arguments.
type Named = (String, Vec<Argument>);

/// Other words for a command.
struct Row {
    holds: Holds,
    alias: Vec<&'static str>,
    program: &'static str,
    words: Vec<&'static str>,
}

/// By program, the most words first, and those without `*` before those with one.
static ROWS: LazyLock<BTreeMap<&'static str, Vec<Row>>> = LazyLock::new(|| {
    let mut rows: BTreeMap<&'static str, Vec<Row>> = BTreeMap::new();
    for line in TABLE.lines() {
        let mut names = line.split('\t');
        let Some(mut words) = names.next().map(str::split_whitespace) else { continue };
        let program = words.next().unwrap_or_default();
        let words: Vec<&'static str> = words.collect();
        for name in names {
            let (name, holds) = name.strip_prefix('>').map_or((name, Holds::Always), |name| (name, Holds::ForCommands));
            let mut alias = name.split_whitespace();
            let name = alias.next().unwrap_or_default();
            rows.entry(name).or_default().push(Row { holds, alias: alias.collect(), program, words: words.clone() });
        }
    }
    for list in rows.values_mut() {
        list.sort_by_key(|row| (std::cmp::Reverse(row.alias.len()), row.alias.contains(&"*")));
    }
    rows
});

/// The same command in the words that the table puts first: its program and arguments, where they differ.
fn canonical(program: &str, arguments: &[Argument]) -> Option<Named> {
    let mut found: Option<Named> = None;
    for _ in 0..ROUNDS {
        let (name, words) = found.as_ref().map_or((program, arguments), |(name, words)| (name.as_str(), words));
        let Some(next) = rows(name, Holds::Always).find_map(|row| row.replace(name, words)) else { break };
        found = Some(next);
    }
    found
}

fn rows(program: &str, holds: Holds) -> impl Iterator<Item = &'static Row> {
    ROWS.get(program).into_iter().flatten().filter(move |row| row.holds == holds)
}

/// The other names of a command.
pub(crate) fn other_names(program: &str, arguments: &[Argument]) -> Vec<Named> {
    let same = canonical(program, arguments);
    let (name, words) = same.as_ref().map_or((program, arguments), |(name, words)| (name.as_str(), words));
    let mut wider: Vec<Named> = rows(name, Holds::ForCommands)
        .filter_map(|row| row.replace(name, words))
        .map(|(name, words)| canonical(&name, &words).unwrap_or((name, words)))
        .collect();
    wider.dedup();
    same.into_iter().chain(wider).collect()
}

/// The words of an entry as commands are compared with them: those of the same command, or of those that its wildcards name.
pub(super) fn of_entry(program: &str, arguments: &[Argument]) -> Vec<Named> {
    let named = rows(program, Holds::Always).filter_map(|row| row.instead(arguments));
    canonical(program, arguments).into_iter().chain(named).collect()
}

impl Row {
    fn replace(&self, program: &str, arguments: &[Argument]) -> Option<(String, Vec<Argument>)> {
        let taken = self.places(program, arguments)?;
        let captured = self.alias.iter().zip(&taken).find(|(word, _)| **word == "*");
        let captured = captured.and_then(|(_, place)| arguments.get(*place));
        let put = |word: &&str| match captured {
            Some(argument) if *word == "*" => argument.clone(),
            _ => Argument { text: (*word).to_owned(), known: true },
        };
        let first = taken.iter().min().copied().unwrap_or(0);
        let rest = arguments.iter().enumerate().skip(first).filter(|(at, _)| !taken.contains(at));
        let before = arguments.get(..first).unwrap_or_default().iter().cloned();
        let words = before.chain(self.words.iter().map(put)).chain(rest.map(|(_, argument)| argument.clone()));
        Some((self.program.to_owned(), words.collect()))
    }

    /// The words that an entry has for the row's command, where its wildcards name that command: for `docker run` in
    /// `docker container *`.
    fn instead(&self, arguments: &[Argument]) -> Option<Named> {
        let (own, rest) = arguments.split_at_checked(self.alias.len())?;
        let is_grouped = self
            .alias
            .first()
            .zip(own.first())
            .is_some_and(|(word, named)| GROUPS.contains(word) && *word == named.text);
        let names = |(word, argument): (&&str, &Argument)| {
            **word == argument.text || has_wildcard(&argument.text) && Glob::fnmatch(&argument.text).matches(word)
        };
        if !is_grouped
            || !own.iter().any(|argument| has_wildcard(&argument.text))
            || !self.alias.iter().zip(own).all(names)
        {
            return None;
        }
        let words = self.words.iter().map(|word| Argument { text: (*word).to_owned(), known: true });
        Some((self.program.to_owned(), words.chain(rest.iter().cloned()).collect()))
    }

    /// Where each word of the alias stands among the arguments.
    fn places(&self, program: &str, arguments: &[Argument]) -> Option<Vec<usize>> {
        let mut leading = leading(program, arguments).into_iter();
        let mut taken: Vec<usize> = Vec::new();
        let mut behind_flag = false;
        for word in &self.alias {
            let is = |at: &usize| arguments.get(*at).is_some_and(|argument| spells(word, argument));
            let at = if is_flag(word) {
                options(arguments).find(|at| is(at) && !taken.contains(at))?
            } else if behind_flag {
                taken.last().map(|at| at + 1).filter(is)?
            } else {
                leading.next().filter(is)?
            };
            behind_flag = is_flag(word);
            taken.push(at);
        }
        Some(taken)
    }
}

fn spells(word: &str, argument: &Argument) -> bool {
    word == "*" || argument.known && argument.text == word
}

/// Places of options.
fn options(arguments: &[Argument]) -> impl Iterator<Item = usize> {
    let before = arguments.iter().take_while(|argument| !(argument.known && argument.text == "--"));
    before.enumerate().filter(|(_, argument)| argument.known && is_flag(&argument.text)).map(|(at, _)| at)
}

/// Places of the first operands, behind global options and their values.
fn leading(program: &str, arguments: &[Argument]) -> Vec<usize> {
    let mut places = Vec::new();
    let mut skip = false;
    for (at, argument) in arguments.iter().enumerate() {
        if places.len() >= MOST_WORDS {
            break;
        }
        let is_option = argument.known && is_flag(&argument.text);
        if std::mem::take(&mut skip) {
            continue;
        }
        if !is_option {
            places.push(at);
        } else if let Globals::Known(options) = globals::of(program) {
            skip = places.is_empty() && options.contains(&argument.text.as_str());
        }
    }
    places
}

/// Words of a line that only say on what its command works: a wildcard behind one of them names all that it has.
const GROUPS: &[&str] = &["container", "image"];

/// Operands that the words of a line have.
const MOST_WORDS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> Option<String> {
        let mut words = text.split(' ');
        let program = words.next().unwrap();
        let arguments: Vec<Argument> =
            words.map(|text| Argument { text: text.to_owned(), known: !text.starts_with('$') }).collect();
        let (program, words) = canonical(program, &arguments)?;
        let texts = words.iter().map(|argument| argument.text.as_str());
        Some(std::iter::once(program.as_str()).chain(texts).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn other_names_of_commands() {
        for (text, expected) in [
            ("npm i lodash", "npm install lodash"),
            ("npm --prefix web i -D x", "npm --prefix web install -D x"),
            ("docker container rm -f x", "docker rm -f x"),
            ("docker -c far container ls", "docker -c far ps"),
            ("docker-compose down", "docker compose down"),
            ("kill -s 9 1", "kill -9 1"),
            ("kill -KILL 1", "kill -9 1"),
            ("python3 -m pip list", "pip list"),
            ("kubectl -n prod delete pods $x", "kubectl -n prod delete pod $x"),
            ("terraform apply -auto-approve -destroy", "terraform destroy -auto-approve"),
        ] {
            assert_eq!(spelled(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "npm install i",
            "npm run i",
            "docker rm container",
            "kill 9",
            "echo npm i",
            "npm $x i",
            "git -C stage add",
        ] {
            assert_eq!(spelled(text), None, "{text}");
        }
    }

    #[test]
    fn a_command_has_the_wider_names_that_its_own_words_imply() {
        let names = |text: &str| {
            let mut words = text.split(' ');
            let program = words.next().unwrap();
            let arguments: Vec<Argument> = words.map(|text| Argument { text: text.to_owned(), known: true }).collect();
            let shown = other_names(program, &arguments).into_iter().map(|(program, words)| {
                let texts = words.iter().map(|argument| argument.text.as_str());
                std::iter::once(program.as_str()).chain(texts).collect::<Vec<_>>().join(" ")
            });
            shown.collect::<Vec<_>>().join(", ")
        };
        for (text, expected) in [
            ("yarn workspace web add x", "yarn add x"),
            ("yarn workspace web up x", "yarn upgrade x"),
            ("git stash clear", "git stash drop"),
            ("git stash drop", ""),
            ("chmod u+x a", "chmod +x a"),
            ("chmod a+x a", "chmod +x a, chmod g+x a, chmod o+x a, chmod u+x a, chmod ug+x a"),
            ("docker buildx b .", "docker build ."),
            ("chmod 777 a", "chmod +rwx a, chmod =rwx a"),
            ("docker inspect x", "docker container inspect x, docker image inspect x"),
            ("docker container run x", "docker run x"),
            ("docker run x", ""),
            ("pkill -s 9", ""),
        ] {
            assert_eq!(names(text), expected, "{text}");
        }
    }

    #[test]
    fn the_table_is_sorted_and_no_name_stands_twice() {
        assert!(TABLE.lines().is_sorted());
        let names = || TABLE.lines().flat_map(|line| line.split('\t').skip(1)).filter(|name| !name.starts_with('>'));
        let mut names: Vec<&str> = names().collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn every_line_ends_at_its_first_words() {
        for line in TABLE.lines() {
            let mut names = line.split('\t').map(|name| name.replace('*', "get"));
            let first = names.next().unwrap();
            let last = spelled(&first).unwrap_or_else(|| first.clone());
            for name in names.filter(|name| !name.starts_with('>')) {
                assert_eq!(spelled(&name), Some(last.clone()), "{name}");
            }
        }
    }
}
