//! Which options exist: `options.tsv` names all options of a program, or of a subcommand of it, as its manual page and its
//! help have them (`crates/effects/options/generate.py` writes the file). For an option that takes a value with effects,
//! the families' files say what the value is for.

use std::sync::OnceLock;

use super::{Entry, OptionRole, Text, builtin, git};
use super::{lines, names};

const OPTIONS: &str = include_str!("options.tsv");

/// All options of an entry, found when somebody asks for the first time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listed {
    names: OnceLock<Vec<Text>>,
}

/// The program understands `given`, without a value, as `option`: long options may be abbreviated. `operands` are the
/// first two words behind the program's name that are no options.
pub fn spells(program: &str, operands: &[&str], given: &str, option: &str) -> bool {
    if given == option {
        return true;
    }
    if !given.starts_with("--") || given.len() < 3 || !option.starts_with(given) {
        return false;
    }
    let mut operands = operands.iter().copied();
    let entry = match (program, operands.next()) {
        ("git", Some(sub)) => Some(git::options(sub, operands.next())),
        (_, sub) => builtin(program).map(|entry| sub.and_then(|sub| entry.subcommand(sub)).unwrap_or(entry)),
    };
    match entry {
        Some(entry) if entry.exists(given) || entry.listed_option(given).is_some() => false,
        Some(entry) if entry.exists(option) => entry.abbreviated(given).all(|one| one == option),
        _ => given.len() > 4,
    }
}

/// How a program understands an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The data says what its value is for, or what the flag does.
    Role(OptionRole),
    /// It exists and takes no value that is known to have effects.
    Flag,
    /// It may be a flag, or short for an option in this role: all options are not known, or several fit.
    Either(OptionRole),
    /// Nothing is known about it.
    Unlisted,
    /// The table lists all options of the program, and this option is not in the table.
    Unknown,
}

impl Meaning {
    /// The role of its value, or of the flag, where there may be one.
    pub(crate) fn role(self) -> Option<OptionRole> {
        match self {
            Self::Role(role) | Self::Either(role) => Some(role),
            Self::Flag | Self::Unlisted | Self::Unknown => None,
        }
    }
}

impl Listed {
    pub(crate) fn of(names: Vec<String>) -> Self {
        let listed = Self::default();
        listed.names.get_or_init(|| sorted(names.into_iter().map(Text::from).collect()));
        listed
    }

    fn names(&self, entry: &Entry) -> &[Text] {
        self.names.get_or_init(|| {
            let lines = entry.keys().filter_map(|key| lines::line(OPTIONS, &key));
            sorted(
                lines
                    .filter_map(|line| line.split_once('\t'))
                    .flat_map(|(_, names)| names.split(' ').map(Text::from))
                    .collect(),
            )
        })
    }
}

fn sorted(mut names: Vec<Text>) -> Vec<Text> {
    names.sort_unstable();
    names.dedup();
    names
}

impl Entry {
    /// An entry for a program that code divides the words of: all it has are the options that exist.
    pub(crate) fn named(name: &str) -> Self {
        Self { names: Text::from(name.to_owned()), ..Self::default() }
    }

    /// The role of an option's value, where the data has one. Long options may be abbreviated.
    pub fn option(&self, name: &str) -> Option<OptionRole> {
        self.meaning(name).role()
    }

    /// What the option `name`, without its value, means. Long options may be abbreviated.
    pub(crate) fn meaning(&self, name: &str) -> Meaning {
        if let Some(role) = self.listed_option(name) {
            return Meaning::Role(role);
        }
        let all = self.listed.names(self);
        let common = names::option(name).map(|role| Meaning::Either(OptionRole { role, attached: false }));
        if self.exists(name) {
            return common.unwrap_or(Meaning::Flag);
        }
        let absent = common.unwrap_or(if all.is_empty() { Meaning::Unlisted } else { Meaning::Unknown });
        if !name.starts_with("--") || name.len() < 3 {
            return absent;
        }
        let mut roles = self.options.iter().filter(|(names, _)| names.split(' ').any(|one| one.starts_with(name)));
        let others = self.abbreviated(name).any(|whole| self.listed_option(whole).is_none());
        let Some((_, role)) = roles.next() else { return if others { Meaning::Flag } else { absent } };
        let alike = roles.all(|(_, other)| other == role);
        if alike && !others && !all.is_empty() { Meaning::Role(*role) } else { Meaning::Either(*role) }
    }

    /// The option that an abbreviation stands for, or the name itself.
    pub(crate) fn whole_option<'n>(&'n self, name: &'n str) -> &'n str {
        if !name.starts_with("--") || name.len() < 3 || self.listed_option(name).is_some() || self.exists(name) {
            return name;
        }
        let listed = self.options.keys().flat_map(|names| names.split(' ')).find(|one| one.starts_with(name));
        listed.or_else(|| self.abbreviated(name).next()).unwrap_or(name)
    }

    /// All options are known, and `name` is one of them, or turns one off.
    fn exists(&self, name: &str) -> bool {
        let all = self.listed.names(self);
        let is_listed = |name: &str| all.binary_search_by(|one| (**one).cmp(name)).is_ok();
        is_listed(name) || name.strip_prefix("--no-").is_some_and(|rest| is_listed(&["--", rest].concat()))
    }

    /// Options that begin like `name`.
    fn abbreviated<'n>(&'n self, name: &'n str) -> impl Iterator<Item = &'n str> {
        let all = self.listed.names(self);
        let start = all.partition_point(|one| **one < *name);
        all.iter().skip(start).map(|one| &**one).take_while(move |one| one.starts_with(name))
    }

    /// The names that it is listed by: its own, behind those of the program that it is a subcommand of.
    fn keys(&self) -> impl Iterator<Item = String> {
        let names = |text: &Text| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let programs = self.program.as_ref().map_or_else(|| vec![String::new()], names);
        let own = names(&self.names);
        programs.into_iter().flat_map(move |program| {
            own.clone().into_iter().map(move |name| format!("{program} {name}").trim_start().to_owned())
        })
    }

    /// All long options of the program itself are listed, not only those of another program with the same entry. A page
    /// that lists neither `--help` nor `--version` leaves out others too.
    pub(crate) fn lists(&self, program: &str) -> bool {
        let is_own = |key: &String| key.split(' ').next() == Some(program);
        let is_whole = |line: &str| line.split(['\t', ' ']).any(|option| matches!(option, "--help" | "--version"));
        self.keys().filter(is_own).filter_map(|key| lines::line(OPTIONS, &key)).any(is_whole)
    }

    /// The options that the tables have of it, with one dash and with two.
    #[cfg(test)]
    pub(crate) fn all_options(&self) -> std::collections::BTreeSet<&str> {
        let own = self.options.keys().flat_map(|names| names.split(' '));
        own.chain(self.listed.names(self).iter().map(|name| &**name)).collect()
    }

    /// Tells its subcommands whose they are.
    pub(super) fn adopt(&mut self) {
        for sub in &mut self.subcommands {
            sub.program = Some(self.names.clone());
            sub.adopt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::knowledge::Role;

    #[test]
    fn the_table_is_in_order_and_without_repetition() {
        let names: Vec<&str> = OPTIONS.lines().map(lines::name).collect();
        assert!(OPTIONS.is_ascii() && crate::command::knowledge::index::INDEX.is_ascii());
        assert!(names.is_sorted(), "generate.py sorts by bytes");
        for line in OPTIONS.lines() {
            let (name, options) = line.split_once('\t').unwrap();
            assert_eq!(lines::line(OPTIONS, name), Some(line));
            let options: Vec<&str> = options.split(' ').collect();
            assert!(options.is_sorted() && options.iter().all(|option| option.len() > 1), "{name}");
        }
    }

    #[test]
    fn an_abbreviation_counts_where_it_is_unambiguous() {
        for (program, words, given, option, expected) in [
            ("git", "reset --h", "--h", "--hard", true),
            ("git", "push --force", "--force", "--force-with-lease", false),
            ("git", "push --force-w", "--force-w", "--force-with-lease", true),
            ("git", "push --f", "--f", "--force", false),
            ("curl", "--data x", "--data", "--data-binary", false),
            ("no-such-program", "--forc", "--forc", "--force", true),
            ("no-such-program", "--f", "--f", "--force", false),
        ] {
            let operands: Vec<&str> = words.split(' ').filter(|word| !word.starts_with('-')).collect();
            assert_eq!(spells(program, &operands, given, option), expected, "{program} {words} {option}");
        }
    }

    #[test]
    fn options_mean_what_the_tables_say() {
        let value = |role| Meaning::Role(OptionRole { role, attached: false });
        for (program, option, expected) in [
            ("grep", "--file", value(Role::PatternFile)),
            ("grep", "--binary", Meaning::Flag),
            ("grep", "--line-number", Meaning::Flag),
            ("grep", "--line-n", Meaning::Flag),
            ("grep", "--max-c", value(Role::Value)),
            ("grep", "--no-such-option", Meaning::Unknown),
            ("column", "--table", Meaning::Flag),
            ("jq", "--slurp", Meaning::Flag),
            ("curl", "--head", Meaning::Flag),
            ("install", "--strip", Meaning::Flag),
        ] {
            let entry = builtin(program).unwrap();
            assert_eq!(entry.meaning(option), expected, "{program} {option}");
        }
    }
}
