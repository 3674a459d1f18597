//! Which commits are asked for.
//!
//! Dates of commits are claims of whoever wrote them, and so is their order. A walk that ends at the first old commit
//! (`git log --since`) is led astray by one forged date, so a commit counts as new where it *or any of its ancestors*
//! is dated at or after the moment, and what a range leaves out is worked out over the whole history, too.

use std::collections::HashMap;

use super::super::GitError;
use super::{Id, Revisions};

/// What a backend knows about names.
pub(crate) trait Names {
    /// The commit of `HEAD`; none where there is no commit yet.
    fn head(&self) -> Result<Option<Id>, GitError>;
    /// All references and the objects they name, sorted.
    fn references(&self) -> Result<Vec<(String, Id)>, GitError>;
    /// The commit a revision stands for.
    fn commit(&self, revision: &str) -> Result<Id, GitError>;
}

/// Where a walk starts and what of it is asked for. Starts may be tags, and objects that are no commits are passed over.
#[derive(Debug)]
pub(super) struct Selection {
    pub(super) starts: Vec<Id>,
    pub(super) rule: Rule,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rule {
    All,
    /// Seconds since 1970.
    Since(i64),
    /// Not this commit and not its ancestors.
    Without(Id),
}

impl Rule {
    /// Whether a commit of this date is asked for whatever else there is, so that it needn't wait for the others.
    pub(super) fn is_certain(&self, seconds: i64) -> bool {
        match self {
            Self::All => true,
            // git takes a date before 1970 for one in the far future, so it counts as new here, too.
            Self::Since(moment) => seconds >= *moment || seconds < 0,
            Self::Without(_) => false,
        }
    }
}

impl Selection {
    pub(super) fn resolve(names: &dyn Names, revisions: &Revisions) -> Result<Self, GitError> {
        match revisions {
            Revisions::All => {
                let references = names.references()?.into_iter().map(|(_, id)| id);
                let mut starts: Vec<Id> = references.chain(names.head()?).collect();
                starts.sort_unstable();
                starts.dedup();
                Ok(Self { starts, rule: Rule::All })
            }
            Revisions::Since(moment) => {
                // A commit has whole seconds, so it is at or after a moment from the next whole second on.
                let second = moment.as_second() + i64::from(moment.subsec_nanosecond() > 0);
                Ok(Self { starts: names.head()?.into_iter().collect(), rule: Rule::Since(second) })
            }
            Revisions::Range(text) => Self::range(names, text),
        }
    }

    fn range(names: &dyn Names, text: &str) -> Result<Self, GitError> {
        let unknown = |_| GitError::NoRevision(text.to_owned());
        let side = |revision: &str| {
            let revision = if revision.is_empty() { "HEAD" } else { revision };
            names.commit(revision)
        };
        let Some((left, right)) = text.split_once("...").or_else(|| text.split_once("..")) else {
            return Ok(Self { starts: vec![side(text).map_err(unknown)?], rule: Rule::All });
        };
        let (left, right) = (side(left).map_err(unknown)?, side(right).map_err(unknown)?);
        Ok(Self { starts: vec![right, left], rule: Rule::Without(left) })
    }
}

/// Commits with their dates and parents, in the order they were added.
#[derive(Debug, Default)]
pub(super) struct Graph {
    numbers: HashMap<Id, usize>,
    commits: Vec<(Id, usize)>,
    /// The dates of `commits`.
    seconds: Vec<i64>,
    /// Numbers of a child and one of its parents.
    edges: Vec<(usize, usize)>,
}

impl Graph {
    pub(super) fn add(&mut self, id: Id, seconds: i64, parents: impl Iterator<Item = Id>) {
        let number = self.number(id);
        self.commits.push((id, number));
        self.seconds.push(seconds);
        for parent in parents {
            let parent = self.number(parent);
            self.edges.push((number, parent));
        }
    }

    fn number(&mut self, id: Id) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(id).or_insert(next)
    }

    /// The commits that the rule asks for without being certain by their date, in the order they were added.
    pub(super) fn wanted(self, rule: &Rule) -> Vec<Id> {
        let all = self.numbers.len();
        let dated = self.commits.into_iter().zip(self.seconds);
        let (certain, open): (Vec<_>, Vec<_>) = dated.partition(|(_, seconds)| rule.is_certain(*seconds));
        let (marked, keep) = match rule {
            Rule::All => return Vec::new(),
            Rule::Since(_) => {
                let seeds = certain.into_iter().map(|((_, number), _)| number).collect();
                (spread(all, seeds, self.edges.iter().map(|(child, parent)| (*parent, *child))), true)
            }
            Rule::Without(id) => {
                let seeds = self.numbers.get(id).copied().into_iter().collect();
                (spread(all, seeds, self.edges.iter().copied()), false)
            }
        };
        let is_wanted = |number: usize| marked.get(number).copied().unwrap_or(keep) == keep;
        open.into_iter().filter(|((_, number), _)| is_wanted(*number)).map(|((id, _), _)| id).collect()
    }
}

/// Everything that can be reached from the seeds along the edges.
fn spread(all: usize, seeds: Vec<usize>, edges: impl Iterator<Item = (usize, usize)>) -> Vec<bool> {
    let mut edges: Vec<(usize, usize)> = edges.collect();
    edges.sort_unstable();
    let mut marked = vec![false; all];
    let mut stack = seeds;
    while let Some(number) = stack.pop() {
        match marked.get_mut(number) {
            Some(mark) if !*mark => *mark = true,
            _ => continue,
        }
        let first = edges.partition_point(|(from, _)| *from < number);
        let next = edges.get(first..).unwrap_or_default().iter().take_while(|(from, _)| *from == number);
        stack.extend(next.map(|(_, to)| *to));
    }
    marked
}
