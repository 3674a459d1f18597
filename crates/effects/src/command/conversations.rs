//! Programs that take commands of their own from who types: clients of databases, debuggers, editors, shells behind other
//! names. What is typed later comes in calls of another tool, which some hosts run without asking any hook.

use std::sync::LazyLock;

use serde::Deserialize;

/// Where a program takes commands from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Source {
    /// Its input, whatever that is.
    Input,
    /// A terminal; without one it has no use for them.
    Terminal,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(rename = "about")]
    _about: &'static str,
    programs: Vec<Conversation>,
}

/// A row of the table, which says what the members mean.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Conversation {
    names: &'static str,
    reads: Source,
    #[serde(default)]
    first: Vec<&'static str>,
    #[serde(default)]
    has: Vec<&'static str>,
    #[serde(default)]
    last: &'static str,
    #[serde(default)]
    told: &'static str,
    #[serde(default, rename = "told pairs")]
    told_pairs: Vec<&'static str>,
    #[serde(default, rename = "told before")]
    told_before: &'static str,
    #[serde(default)]
    values: &'static str,
    operands: Option<usize>,
    #[serde(default)]
    least: usize,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test runs the examples"))]
    #[serde(default)]
    typed: Vec<&'static str>,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test runs the counterexamples"))]
    #[serde(default, rename = "not typed")]
    not_typed: Vec<&'static str>,
}

/// The data is part of the program and a test loads it.
static TABLE: LazyLock<Vec<Conversation>> = LazyLock::new(|| load().unwrap_or_default());

fn load() -> Result<Vec<Conversation>, serde_json::Error> {
    serde_json::from_str(include_str!("conversations.json")).map(|table: Table| table.programs)
}

/// Where the command takes commands from; `None`: its arguments say what to do.
pub(crate) fn takes_commands(command: &[&str]) -> Option<Source> {
    let (program, words) = command.split_first()?;
    let name = name(program);
    let mut sources = TABLE.iter().filter(|row| row.is_about(name, words)).map(|row| row.reads);
    let first = sources.next()?;
    // One that takes them from its input takes them from a terminal, too.
    Some(if sources.any(|source| source == Source::Input) { Source::Input } else { first })
}

fn name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name)
}

impl Conversation {
    fn is_about(&self, program: &str, words: &[&str]) -> bool {
        if !has(self.names, program) {
            return false;
        }
        let operands = self.operands_of(words);
        let Some((start, count)) = self.subcommand(words, &operands) else { return false };
        let (before, after) = words.split_at(start);
        let is_last = |word: &&str| has(self.last, name(word));
        let is_required = self.has.is_empty() || self.has.iter().any(|needed| holds(words, needed));
        is_required
            && (self.last.is_empty() || words.last().is_some_and(is_last))
            && operands.len() >= self.least
            && self.operands.is_none_or(|most| operands.len() - count <= most)
            && !after.iter().any(|word| self.is_told(word))
            && !self.told_pairs.iter().any(|pair| holds(after, pair))
            && !before.iter().any(|word| has(self.told_before, word))
    }

    /// The places of the words that are no options and no values of options.
    fn operands_of(&self, words: &[&str]) -> Vec<usize> {
        let (mut operands, mut is_value, mut all) = (Vec::new(), false, false);
        for (at, word) in words.iter().enumerate() {
            let is_option = !all && word.len() > 1 && word.starts_with(['-', '+']);
            if !is_value && !is_option {
                operands.push(at);
            }
            all |= *word == "--";
            is_value = is_option && !is_value && has(self.values, word);
        }
        operands
    }

    /// Behind which word the arguments of the subcommand begin, and how many operands name it.
    fn subcommand(&self, words: &[&str], operands: &[usize]) -> Option<(usize, usize)> {
        if self.first.is_empty() {
            return Some((0, 0));
        }
        self.first.iter().find_map(|names| {
            let names: Vec<&str> = names.split(' ').collect();
            let found = operands.get(..names.len())?;
            let is_same = found.iter().zip(&names).all(|(at, name)| words.get(*at) == Some(name));
            is_same.then(|| (found.last().map_or(0, |at| at + 1), names.len()))
        })
    }

    /// The word is an option that gives the program something to do: `-c`, `-cTEXT`, `-Atc`, `--command`, `--command=TEXT`.
    fn is_told(&self, word: &str) -> bool {
        let matches = |told: &str| match (told.strip_prefix('*'), told.strip_suffix('*')) {
            (Some(end), _) => word.ends_with(end),
            (_, Some(start)) => word.starts_with(start),
            _ => word == told || word.strip_prefix(told).is_some_and(|rest| rest.starts_with('=') && told.len() > 2),
        };
        if self.told.split(' ').any(|told| !told.is_empty() && matches(told)) {
            return true;
        }
        let is_long = |option: &str| option.starts_with('-') && !option.starts_with("--") && option.len() > 2;
        // Where an option of several letters has one dash, letters are not joined.
        if self.told.split(' ').chain(self.values.split(' ')).any(is_long) || word.starts_with("--") {
            return false;
        }
        let letters = word.strip_prefix('-').unwrap_or_default().chars().map(|letter| format!("-{letter}"));
        let mut deciding = letters.filter(|letter| has(self.told, letter) || has(self.values, letter));
        deciding.next().is_some_and(|letter| has(self.told, &letter))
    }
}

/// A list of words has this one.
fn has(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|own| own == word)
}

/// These words follow each other; a last `*` stands for any end of a word.
fn holds(words: &[&str], wanted: &str) -> bool {
    let wanted: Vec<&str> = wanted.split(' ').collect();
    let is = |(word, wanted): (&&str, &&str)| match wanted.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        None => word == wanted,
    };
    words.windows(wanted.len()).any(|window| window.iter().zip(&wanted).all(is))
}

#[cfg(test)]
mod tests {
    use super::{TABLE, load, takes_commands};

    /// Each row has examples of what it is about and of what it is not, and all of them hold.
    #[test]
    fn each_row_holds_for_its_examples() {
        assert!(load().unwrap().len() > 50);
        for row in TABLE.iter() {
            assert!(!row.typed.is_empty(), "{}: no example", row.names);
            for example in &row.typed {
                let words = words(example);
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                assert_eq!(takes_commands(&words), Some(row.reads), "{example}");
            }
            let is_open = row.told.is_empty() && row.first.is_empty() && row.has.is_empty() && row.operands.is_none();
            assert_eq!(row.not_typed.is_empty(), is_open, "{}: no counterexample", row.names);
            for example in &row.not_typed {
                let words = words(example);
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                assert_eq!(takes_commands(&words), None, "{example}");
            }
        }
    }

    /// The words of a command with single quotes.
    fn words(command: &str) -> Vec<String> {
        let (mut words, mut quoted) = (vec![String::new()], false);
        for letter in command.chars() {
            match letter {
                '\'' => quoted = !quoted,
                ' ' if !quoted => words.push(String::new()),
                letter => words.last_mut().unwrap().push(letter),
            }
        }
        words
    }

    #[test]
    fn hostile_words_are_no_trouble() {
        for words in [
            &[][..],
            &[""],
            &["psql", "-"],
            &["psql", "--"],
            &["git", "-C"],
            &["psql", "-é", "=", "*"],
            &["docker", ""],
        ] {
            let _ = takes_commands(words);
        }
    }
}
