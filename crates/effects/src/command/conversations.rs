//! Programs that take commands of their own from whoever types: clients of databases, debuggers, editors, pagers, shells behind
//! other names. Keys that are typed later come in calls of another tool, which some hosts run without asking any hook.

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
pub(crate) struct Conversation {
    names: &'static str,
    pub(crate) reads: Source,
    #[serde(default)]
    pub(crate) pages: bool,
    #[serde(default)]
    first: Vec<&'static str>,
    #[serde(default)]
    has: Vec<&'static str>,
    #[serde(default)]
    told: &'static str,
    #[serde(default, rename = "told before")]
    told_before: &'static str,
    #[serde(default)]
    ends: &'static str,
    #[serde(default)]
    last: &'static str,
    #[serde(default)]
    values: &'static str,
    #[serde(default)]
    leading: bool,
    #[serde(default)]
    stops: &'static str,
    operands: Option<usize>,
    #[serde(default)]
    least: usize,
    #[serde(default)]
    variables: &'static str,
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

/// The rows that hold for a command: its arguments do not say what to do.
pub(crate) fn conversations<'w>(command: &'w [&'w str]) -> impl Iterator<Item = &'static Conversation> + use<'w> {
    let (program, words) = command.split_first().map_or(("", [].as_slice()), |(program, words)| (*program, words));
    let name = name(program);
    TABLE.iter().filter(move |row| row.is_about(name, words))
}

fn name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name)
}

impl Conversation {
    /// The variables that name the program which runs instead, the most important one first.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &'static str> {
        self.variables.split_whitespace()
    }

    fn is_about(&self, program: &str, words: &[&str]) -> bool {
        if !has(self.names, program) {
            return false;
        }
        let operands = self.operands_of(words);
        let Some((start, named)) = self.subcommand(words, &operands) else { return false };
        let count = operands.len() - named;
        let own = self.own(words, start, operands.get(named).copied());
        let before = words.get(..start).unwrap_or_default();
        let is_required = self.has.is_empty() || self.has.iter().any(|wanted| self.holds(own, wanted));
        is_required
            && (self.last.is_empty() || words.last().is_some_and(|word| has(self.last, word)))
            && operands.len() >= self.least
            && self.operands.is_none_or(|most| count <= most)
            && !own.iter().any(|word| self.gives(self.told, word))
            && !before.iter().any(|word| has(self.told_before, word))
            && !self.ends_itself(own, count)
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
        let is_long = |option: &str| option.starts_with('-') && !option.starts_with("--") && option.len() > 2;
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
    fn holds(&self, own: &[&str], wanted: &str) -> bool {
        let Some((option, value)) = wanted.split_once(' ') else {
            return own.iter().any(|word| self.gives(wanted, word));
        };
        let is_pair = |pair: &[&str]| matches!(pair, [first, second] if *first == option && *second == value);
        own.windows(2).any(is_pair) || own.iter().any(|word| word.strip_prefix(option) == Some(value))
    }

    /// A command that is given to the program, and runs when nothing is left to do, ends it.
    fn ends_itself(&self, own: &[&str], operands: usize) -> bool {
        let given: Vec<&str> = own.iter().enumerate().filter_map(|(at, word)| self.given(own, at, word)).collect();
        let ends = |command: &&str| {
            let Some(End { all, forced, writes }) = end_of(command) else { return false };
            // A changed text and files that were not shown yet keep an editor from ending.
            (all || forced || operands <= 1) && (forced || writes || given.len() == 1)
        };
        given.iter().any(ends)
    }

    /// The command that a word, or the one behind it, gives to the program.
    fn given<'w>(&self, own: &[&'w str], at: usize, word: &'w str) -> Option<&'w str> {
        if has(self.ends, word) && word != "+" {
            return own.get(at + 1).copied();
        }
        word.strip_prefix('+').filter(|_| has(self.ends, "+"))
    }
}

/// How a command ends an editor.
struct End {
    /// Whatever files there are.
    all: bool,
    /// Whatever was changed.
    forced: bool,
    /// After it wrote what was changed.
    writes: bool,
}

/// Commands of editors before a `|` that do not take it for a part of what they are given.
const BEFORE_A_BAR: &[&str] = &["s", "w", "d", "set", "sort", "retab", "up", "update"];

fn end_of(command: &str) -> Option<End> {
    let mut parts = command.rsplit('|').map(|part| part.trim().trim_start_matches(':'));
    let last = parts.next()?;
    let is_plain = |part: &str| {
        let part = part.trim_start_matches(|letter: char| letter.is_ascii_digit() || "%,.$".contains(letter));
        let end = part.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(part.len());
        part.get(..end).is_some_and(|name| BEFORE_A_BAR.contains(&name))
    };
    let (last, forced) = last.strip_suffix('!').map_or((last, false), |last| (last, true));
    let (all, writes) = match last {
        "q" | "qu" | "quit" => (false, false),
        "qa" | "qall" | "quita" | "quitall" => (true, false),
        "wq" | "x" | "xit" | "exi" | "exit" => (false, true),
        "wqa" | "wqall" | "xa" | "xall" | "cq" | "cquit" => (true, true),
        _ => return None,
    };
    parts.all(is_plain).then_some(End { all, forced, writes })
}

/// A list of words has this one.
fn has(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|own| own == word)
}

#[cfg(test)]
mod tests {
    use super::{TABLE, conversations, load};

    /// Each row has examples of the commands that it is about and of others, and all of them hold.
    #[test]
    fn each_row_holds_for_its_examples() {
        assert!(load().unwrap().len() > 70);
        let mut wrong = Vec::new();
        for row in TABLE.iter() {
            let is_open = row.told.is_empty() && row.first.is_empty() && row.has.is_empty() && row.operands.is_none();
            assert!(!row.typed.is_empty() && row.not_typed.is_empty() == is_open, "{}: no example", row.names);
            for (example, expected) in [(&row.typed, true), (&row.not_typed, false)]
                .into_iter()
                .flat_map(|(examples, expected)| examples.iter().map(move |example| (*example, expected)))
            {
                let words = words(example);
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                if conversations(&words).next().is_some() != expected {
                    wrong.push(example);
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
            conversations(words).for_each(drop);
        }
    }
}
