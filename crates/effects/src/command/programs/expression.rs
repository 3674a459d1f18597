//! Expressions of `find`: the tests that let through the files which its actions get.

use crate::command::argument::{Arg, Known};

use super::find::command_length;
use super::spelled::{Dialect, Matched, Spelled, Star, glob_of, globs_of, spells_something};

/// Names and paths that the tests of an expression spell.
#[derive(Debug, Default)]
pub(super) struct Tests {
    /// Patterns that let through all that the actions get; `None`: there are none.
    pub(super) cover: Option<Vec<Spelled>>,
    /// Patterns of other tests that are not turned around.
    pub(super) spelled: Vec<Spelled>,
}

/// Tests that all have to be true, up to `-o`.
#[derive(Debug, Default)]
struct Chain {
    cover: Option<Vec<Spelled>>,
    spelled: Vec<(Spelled, bool)>,
    prunes: bool,
    acts: bool,
}

/// An expression in parentheses, or the whole one.
#[derive(Debug, Default)]
struct Group {
    /// `!` stands before it.
    negated: bool,
    /// Chains that ended with `-o`.
    done: Vec<Chain>,
    chain: Chain,
}

impl Tests {
    pub(super) fn of(expression: &[Arg]) -> Self {
        let mut reading = Reading { groups: Vec::new(), top: Group::default(), negates: false, is_uncovered: false };
        let mut at = 0;
        while let Some(word) = expression.get(at) {
            at += 1 + reading.word(word, expression.get(at + 1..).unwrap_or_default());
        }
        reading.end()
    }
}

struct Reading {
    groups: Vec<Group>,
    top: Group,
    /// `!` stands before what follows.
    negates: bool,
    /// An action gets files that no pattern before it let through.
    is_uncovered: bool,
}

impl Reading {
    /// Reads a word, and returns how many of those behind it belong to it.
    fn word(&mut self, word: &Arg, rest: &[Arg]) -> usize {
        let text = word.literal().unwrap_or_default();
        if matches!(text, "!" | "-not") {
            self.negates = !self.negates;
            return 0;
        }
        let negated = std::mem::take(&mut self.negates);
        match text {
            "-o" | "-or" | "," => {
                let chain = std::mem::take(&mut self.top.chain);
                self.top.done.push(chain);
            }
            "(" => {
                let outer = std::mem::replace(&mut self.top, Group { negated, ..Group::default() });
                self.groups.push(outer);
            }
            ")" => self.close(),
            "-prune" => self.top.chain.prunes = true,
            _ => {
                if let Some(values) = values_of_action(text, rest) {
                    self.acts();
                    return values;
                }
                return self.test(text, negated, rest);
            }
        }
        0
    }

    /// Reads a test, and returns how many words behind it belong to it.
    fn test(&mut self, test: &str, negated: bool, rest: &[Arg]) -> usize {
        if !TESTS_WITH_VALUE.contains(&test) && !test.starts_with("-newer") {
            return 0;
        }
        // The shell may expand a glob to names that the glob spells.
        let pattern = rest.first().filter(|word| matches!(word.known, Known::Exact | Known::Glob));
        let patterns = pattern.map(|pattern| patterns(test, &pattern.text)).unwrap_or_default();
        let chain = &mut self.top.chain;
        if negated {
            chain.spelled.extend(patterns.into_iter().map(|pattern| (pattern, true)));
        } else if !patterns.is_empty() {
            chain.cover(patterns);
        }
        1
    }

    fn acts(&mut self) {
        self.top.chain.acts = true;
        let is_covered = |group: &Group| group.chain.cover.is_some();
        self.is_uncovered |= !is_covered(&self.top) && !self.groups.iter().any(is_covered);
    }

    fn close(&mut self) {
        let Some(outer) = self.groups.pop() else { return };
        let mut group = std::mem::replace(&mut self.top, outer);
        group.done.push(group.chain);
        let acts = group.done.iter().any(|chain| chain.acts);
        let chain = &mut self.top.chain;
        chain.acts |= acts;
        chain.prunes |= group.done.iter().any(|chain| chain.prunes);
        let (covers, spelled): (Vec<_>, Vec<_>) =
            group.done.into_iter().map(|chain| (chain.cover, chain.spelled)).unzip();
        chain
            .spelled
            .extend(spelled.into_iter().flatten().map(|(spelled, negated)| (spelled, negated != group.negated)));
        let covers: Option<Vec<Vec<Spelled>>> = covers.into_iter().collect();
        match covers {
            Some(covers) if group.negated => {
                chain.spelled.extend(covers.into_iter().flatten().map(|spelled| (spelled, true)));
            }
            Some(covers) => chain.cover(covers.concat()),
            None => {}
        }
    }

    fn end(mut self) -> Tests {
        while !self.groups.is_empty() {
            self.close();
        }
        let mut chains = self.top.done;
        chains.push(self.top.chain);
        let acts = chains.iter().any(|chain| chain.acts);
        // A pruned directory is selected only where no other action or alternative follows.
        let is_left = |chain: &Chain| chain.prunes && !chain.acts && (acts || chains.len() > 1);
        let kept: Vec<&Chain> = chains.iter().filter(|chain| !is_left(chain)).collect();
        let covers: Option<Vec<Vec<Spelled>>> = kept.iter().map(|chain| chain.cover.clone()).collect();
        let cover = covers.map(|covers| covers.concat()).filter(|cover| !self.is_uncovered && !cover.is_empty());
        let named = kept.iter().flat_map(|chain| {
            let spelled = chain.spelled.iter().filter(|(_, negated)| !negated).map(|(spelled, _)| spelled.clone());
            spelled.chain(chain.cover.iter().flatten().cloned())
        });
        let mut spelled: Vec<Spelled> = Vec::new();
        for pattern in named {
            let is_new = !spelled.contains(&pattern) && spells_something(pattern.glob());
            if is_new && !cover.as_ref().is_some_and(|cover| cover.contains(&pattern)) {
                spelled.push(pattern);
            }
        }
        Tests { cover, spelled }
    }
}

/// Returns the words that belong to an action; `None` for a word that is no action.
fn values_of_action(text: &str, rest: &[Arg]) -> Option<usize> {
    match text {
        "-exec" | "-execdir" | "-ok" | "-okdir" => Some(command_length(rest) + 1),
        "-fprintf" => Some(2),
        "-fprint" | "-fprint0" | "-fls" | "-printf" => Some(1),
        "-delete" | "-print" | "-print0" | "-ls" => Some(0),
        _ => None,
    }
}

/// The names or paths that a test lets through.
fn patterns(test: &str, pattern: &str) -> Vec<Spelled> {
    match test {
        "-name" | "-iname" => vec![Spelled::Name(glob_of(pattern, Star::Component))],
        "-path" | "-ipath" | "-wholename" | "-iwholename" => vec![Spelled::Path(glob_of(pattern, Star::Path))],
        "-regex" | "-iregex" => {
            // Another word may say which dialect it is (`-regextype`).
            let is_extended = !pattern.contains("\\(") && !pattern.contains("\\|");
            let dialect = if is_extended { Dialect::Extended } else { Dialect::Basic };
            globs_of(pattern, dialect, Matched::Whole).into_iter().map(Spelled::Path).collect()
        }
        _ => Vec::new(),
    }
}

impl Chain {
    /// One more test, of which one pattern has to match.
    fn cover(&mut self, patterns: Vec<Spelled>) {
        let Some(known) = self.cover.take() else {
            self.cover = Some(patterns);
            return;
        };
        let joined: Option<Vec<Spelled>> = match patterns.as_slice() {
            [pattern] => known.iter().map(|other| other.and(pattern)).collect(),
            _ => None,
        };
        self.cover = Some(joined.unwrap_or_else(|| {
            self.spelled.extend(patterns.into_iter().map(|pattern| (pattern, false)));
            known
        }));
    }
}

pub(super) const TESTS_WITH_VALUE: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-lname",
    "-ilname",
    "-regex",
    "-iregex",
    "-type",
    "-xtype",
    "-size",
    "-mtime",
    "-atime",
    "-ctime",
    "-mmin",
    "-amin",
    "-cmin",
    "-maxdepth",
    "-mindepth",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-links",
    "-inum",
    "-fstype",
    "-printf",
    "-regextype",
    "-context",
    "-used",
];
