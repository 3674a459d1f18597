//! Programs that read commands which an agent or a person types: clients of databases, debuggers, editors, pagers, shells
//! behind other names. The agent types in calls of another tool, which some hosts run without asking any hook.

use std::sync::LazyLock;

use serde::Deserialize;

/// Where a program takes commands from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Source {
    /// Its standard input.
    Input,
    /// The terminal, even where its input is a pipe or a file.
    Keys,
    /// The terminal; without one it has another use.
    Terminal,
}

/// How a program is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// The terminal is there.
    Shown,
    /// The record does not say whether it is there. A program counts as ended if one of its arguments ends it.
    Unseen,
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
    told: &'static str,
    #[serde(default)]
    ends: &'static str,
    #[serde(default)]
    last: &'static str,
    #[serde(default)]
    inner: bool,
    #[serde(default)]
    values: &'static str,
    #[serde(default)]
    leading: bool,
    #[serde(default)]
    stops: &'static str,
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

/// From where a command takes commands, because its arguments do not say what to do: by each row of the table that holds.
pub(crate) fn conversations<'w>(command: &'w [&'w str], manner: Manner) -> impl Iterator<Item = Source> + use<'w> {
    let (program, words) = command.split_first().map_or(("", [].as_slice()), |(program, words)| (*program, words));
    let name = name(program);
    TABLE.iter().filter(move |row| row.is_called(&name) && row.is_about(words, manner)).map(|row| row.reads)
}

/// The longest command that is searched for programs.
const MOST: usize = 64;

/// One of the words is a program that takes commands, with the words behind it. A longer command may hold one.
fn starts_another(words: &[&str], manner: Manner) -> bool {
    let is_other = |at: usize| {
        let Some((program, rest)) = words.get(at..).and_then(<[&str]>::split_first) else { return false };
        let name = name(program);
        TABLE.iter().any(|row| !row.inner && row.is_called(&name) && row.is_about(rest, manner))
    };
    words.len() > MOST || (0..words.len()).any(is_other)
}

/// The name of a program without its folder and without what systems of the Windows family add to it.
fn name(program: &str) -> String {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let lower = name.to_ascii_lowercase();
    let base = [".exe", ".cmd", ".bat"].iter().find_map(|end| lower.strip_suffix(end));
    base.unwrap_or(name).to_owned()
}

impl Conversation {
    /// `python3.12` and `vim.tiny` are `python` and `vim`.
    fn is_called(&self, name: &str) -> bool {
        let unnumbered = name.trim_end_matches(|end: char| end.is_ascii_digit() || end == '.' || end == '-');
        let variant = name.strip_prefix("vim.").map(|_| "vim");
        has(self.names, name) || has(self.names, unnumbered) || variant.is_some_and(|name| has(self.names, name))
    }

    fn is_about(&self, words: &[&str], manner: Manner) -> bool {
        if self.inner && !starts_another(words, manner) {
            return false;
        }
        let (operands, values) = self.divided(words);
        let Some((start, named)) = self.subcommand(words, &operands) else { return false };
        let count = operands.len() - named;
        let own = self.own(words, start, operands.get(named).copied());
        let is_value = |at: usize| values.binary_search(&(start + at)).is_ok();
        let is_required = self.has.is_empty() || self.has.iter().any(|wanted| self.holds(own, &is_value, wanted));
        let is_told = || own.iter().enumerate().any(|(at, word)| !is_value(at) && self.tells(own, at, word));
        let ends = || manner == Manner::Unseen && self.ends_itself(own);
        is_required
            && (self.last.is_empty() || words.last().is_some_and(|word| has(self.last, &name(word))))
            && count >= self.least
            && self.operands.is_none_or(|most| count <= most)
            && !is_told()
            && !ends()
    }

    /// The words that the program reads as its own options: not those behind `--`, or behind an option that stops them, and,
    /// where they lead, none behind the first operand.
    fn own<'w>(&self, words: &'w [&'w str], start: usize, operand: Option<usize>) -> &'w [&'w str] {
        let end = operand.filter(|_| self.leading).unwrap_or(words.len());
        let own = words.get(start..end).unwrap_or_default();
        let own = own.split(|word| *word == "--").next().unwrap_or_default();
        let stop = own.iter().position(|word| has(self.stops, word));
        stop.and_then(|at| own.get(..at + 2)).unwrap_or(own)
    }

    /// The places of the words that are no options and no values of options, and those of the values.
    fn divided(&self, words: &[&str]) -> (Vec<usize>, Vec<usize>) {
        let (mut operands, mut values) = (Vec::new(), Vec::new());
        let (mut is_value, mut all) = (false, false);
        for (at, word) in words.iter().enumerate() {
            let marks: &[char] = if has(self.ends, "+") { &['-', '+'] } else { &['-'] };
            let is_option = !all && word.len() > 1 && word.starts_with(marks);
            if is_value {
                values.push(at);
            } else if !is_option {
                operands.push(at);
            }
            all |= *word == "--" && !is_value;
            is_value = is_option && !is_value && has(self.values, word);
        }
        (operands, values)
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

    /// The word gives the program something to do, other than to read what is typed: `-f -`.
    fn tells(&self, own: &[&str], at: usize, word: &str) -> bool {
        let value = word.split_once('=').map(|(_, value)| value).or_else(|| own.get(at + 1).copied());
        let is_typed =
            value.is_some_and(|value| value == "-" || value.starts_with("/dev/") || value.starts_with("/proc/"));
        self.gives(self.told, word) && !is_typed
    }

    /// A word is one of these options: `-c`, `-cTEXT`, `-Atc`, `--command`, `--command=TEXT`; or one of these words.
    fn gives(&self, options: &str, word: &str) -> bool {
        let matches = |option: &str| match (option.strip_prefix('*'), option.strip_suffix('*')) {
            (Some(end), _) => word.ends_with(end),
            (_, Some(start)) => word.starts_with(start),
            _ => {
                word == option
                    || word.strip_prefix(option).is_some_and(|rest| rest.starts_with('=') && option.len() > 2)
            }
        };
        options.split_whitespace().any(matches)
            || self.first_letter(options, word).is_some_and(|letter| has(options, &letter))
    }

    /// The first letter of joined ones that decides, as an option: one of `options`, or one that takes the rest as its value.
    fn first_letter(&self, options: &str, word: &str) -> Option<String> {
        let is_long = |option: &str| {
            option.starts_with('-') && !option.starts_with("--") && option.len() > 2 && !option.ends_with('*')
        };
        // Where an option of several letters has one dash, letters are not joined.
        if [options, self.told, self.values].iter().flat_map(|list| list.split(' ')).any(is_long) {
            return None;
        }
        let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
        letters
            .chars()
            .map(|letter| format!("-{letter}"))
            .find(|letter| has(options, letter) || has(self.values, letter))
    }

    /// One of the words is this option, or several of them are these words; `-mpdb` is `-m pdb`.
    fn holds(&self, own: &[&str], is_value: &dyn Fn(usize) -> bool, wanted: &str) -> bool {
        let Some((option, value)) = wanted.split_once(' ') else {
            return own.iter().enumerate().any(|(at, word)| !is_value(at) && self.gives(wanted, word));
        };
        let is_pair = |pair: &[&str]| matches!(pair, [first, second] if *first == option && *second == value);
        own.windows(2).any(is_pair) || own.iter().any(|word| word.strip_prefix(option) == Some(value))
    }

    /// A command that is given to the program ends it.
    fn ends_itself(&self, own: &[&str]) -> bool {
        own.iter().enumerate().any(|(at, word)| self.given(own, at, word).is_some_and(ends))
    }

    /// The command that a word, or the one behind it, gives to the program.
    fn given<'w>(&self, own: &[&'w str], at: usize, word: &'w str) -> Option<&'w str> {
        if has(self.ends, word) && word != "+" {
            return own.get(at + 1).copied();
        }
        let joined = || word.strip_prefix("-c").filter(|rest| !rest.is_empty() && has(self.ends, "-c"));
        word.strip_prefix('+').filter(|_| has(self.ends, "+")).or_else(joined)
    }
}

/// The last command of a line ends an editor: `%s/a/b/ | wq!`. What follows `normal` is typed, bars included.
fn ends(command: &str) -> bool {
    let last = command.rsplit('|').next().unwrap_or(command).trim().trim_start_matches(':');
    let last = last.strip_prefix("silent ").or_else(|| last.strip_prefix("silent! ")).unwrap_or(last);
    let last = last.trim_end_matches('!');
    if command.trim_start_matches(':').starts_with("norm") {
        return false;
    }
    let names = "q qu quit qa qall quita quitall wq wqa wqall x xit xa xall exi exit cq cquit";
    has(names, last)
}

/// A list of words has this one.
fn has(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|own| own == word)
}

#[cfg(test)]
mod tests {
    use super::{Manner, TABLE, conversations, load, name};

    /// Each row has examples of the commands that it is about and of others, and all of them hold.
    #[test]
    fn each_row_holds_for_its_examples() {
        assert!(load().unwrap().len() > 70);
        let mut wrong = Vec::new();
        for row in TABLE.iter() {
            let is_open = row.told.is_empty() && row.first.is_empty() && row.has.is_empty() && row.operands.is_none();
            assert!(!row.typed.is_empty() && row.not_typed.is_empty() == is_open, "{}: no example", row.names);
            let examples = row.typed.iter().map(|example| (example, true));
            for (example, expected) in examples.chain(row.not_typed.iter().map(|example| (example, false))) {
                let words = words(example);
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let holds = row.is_called(&name(words[0])) && row.is_about(&words[1..], Manner::Unseen);
                if holds != expected {
                    wrong.push(*example);
                }
            }
        }
        assert_eq!(wrong, [""; 0]);
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
            &["vim", "+"],
            &["vim", "-c"],
            &["vim", "-c", "|"],
        ] {
            conversations(words, Manner::Shown).for_each(drop);
            conversations(words, Manner::Unseen).for_each(drop);
        }
    }
}
