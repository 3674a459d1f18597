//! Commands under their other names: `synonyms.tsv` says which words mean the same as others (`npm i`, `docker container rm`,
//! `kill -KILL`). Entries that forbid and commands are both compared in the words that a line puts first, too.
//!
//! The words of a line are those of a command: operands are its leading ones, options stand anywhere, an operand behind an
//! option is that option's value. `*` is one word, whichever it is.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use agent_strace_effects::Argument;

use super::is_flag;
use crate::globals::{self, Globals};

const TABLE: &str = include_str!("synonyms.tsv");

/// A name may stand for another one that has another one.
const ROUNDS: usize = 3;

/// Other words for a command.
struct Row {
    alias: Vec<&'static str>,
    program: &'static str,
    words: Vec<&'static str>,
}

/// By program, the most words first, and those without `*` before those with one.
static ROWS: LazyLock<BTreeMap<&'static str, Vec<Row>>> = LazyLock::new(|| {
    let mut rows: BTreeMap<&'static str, Vec<Row>> = BTreeMap::new();
    for line in TABLE.lines() {
        let mut names = line.split('\t').map(str::split_whitespace);
        let Some(mut words) = names.next() else { continue };
        let program = words.next().unwrap_or_default();
        let words: Vec<&'static str> = words.collect();
        for mut alias in names {
            let name = alias.next().unwrap_or_default();
            rows.entry(name).or_default().push(Row { alias: alias.collect(), program, words: words.clone() });
        }
    }
    for list in rows.values_mut() {
        list.sort_by_key(|row| (std::cmp::Reverse(row.alias.len()), row.alias.contains(&"*")));
    }
    rows
});

/// The same command in the words that the table puts first: its program and arguments, where they differ.
pub(crate) fn canonical(program: &str, arguments: &[Argument]) -> Option<(String, Vec<Argument>)> {
    let mut found: Option<(String, Vec<Argument>)> = None;
    for _ in 0..ROUNDS {
        let (name, words) = found.as_ref().map_or((program, arguments), |(name, words)| (name.as_str(), words));
        let Some(next) = ROWS.get(name).and_then(|rows| rows.iter().find_map(|row| row.replace(name, words))) else {
            break;
        };
        found = Some(next);
    }
    found
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
            ("yarn workspace web add x", "yarn add x"),
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
    fn the_table_is_sorted_and_no_name_stands_twice() {
        assert!(TABLE.lines().is_sorted());
        let mut names: Vec<&str> = TABLE.lines().flat_map(|line| line.split('\t').skip(1)).collect();
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
            for name in names {
                assert_eq!(spelled(&name), Some(last.clone()), "{name}");
            }
        }
    }
}
