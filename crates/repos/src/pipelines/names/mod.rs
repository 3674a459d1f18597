//! Names of checks: what a job of a workflow is called where a branch requires it.

mod expressions;

use super::work::{Spent, Work};
pub(super) use expressions::of_job;

/// Characters of a name that are compared.
const LONGEST: usize = 400;
/// A name of a check, some of whose parts only a run knows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CheckName(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Literal(String),
    /// Any text.
    Unknown,
    /// A text that the file could spell and does not: nothing but constants is in it, and it is not worked out.
    Hidden,
}

/// How one name may be another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// Nothing of the name is known.
    Unknown,
    /// The known parts of the two names fit.
    Fits,
}

impl CheckName {
    pub fn literal(text: impl Into<String>) -> Self {
        Self(vec![Part::Literal(text.into())])
    }

    /// The name with `…` for what is not known.
    pub fn shown(&self) -> String {
        let part = |part: &Part| match part {
            Part::Literal(text) => text.clone(),
            Part::Unknown | Part::Hidden => "…".to_owned(),
        };
        self.0.iter().map(part).collect()
    }

    pub(super) fn unknown() -> Self {
        Self(vec![Part::Unknown])
    }

    fn hidden() -> Self {
        Self(vec![Part::Hidden])
    }

    fn and(mut self, other: &Self) -> Self {
        for part in &other.0 {
            if self.len() >= LONGEST {
                // The rest is cut off: it may be any text.
                if self.0.last() != Some(&Part::Unknown) {
                    self.0.push(Part::Unknown);
                }
                break;
            }
            let is_empty = self.0.iter().all(|part| matches!(part, Part::Literal(text) if text.is_empty()));
            if is_empty && let Part::Literal(text) = part {
                // Forges show names without outer blanks.
                self.0 = vec![Part::Literal(text.trim_start().to_owned())];
                continue;
            }
            match (self.0.last_mut(), part) {
                (Some(Part::Unknown), Part::Unknown) => {}
                (Some(Part::Literal(text)), Part::Literal(more)) => text.push_str(more),
                _ => self.0.push(part.clone()),
            }
        }
        self
    }

    /// Bytes and unknown parts of it.
    fn len(&self) -> usize {
        let len = |part: &Part| match part {
            Part::Literal(text) => text.len(),
            Part::Unknown | Part::Hidden => 1,
        };
        self.0.iter().map(len).sum()
    }

    /// Whether nothing that has a letter or a digit is known of it.
    pub(super) fn is_unknown(&self) -> bool {
        let says = |part: &Part| matches!(part, Part::Literal(text) if text.chars().any(char::is_alphanumeric));
        self.0.contains(&Part::Unknown) && !self.0.contains(&Part::Hidden) && !self.0.iter().any(says)
    }

    /// Whether, and how, this may be the name of one of other checks. Case and outer blanks do not count.
    pub(crate) fn may_be_any<'n>(
        &self,
        others: impl IntoIterator<Item = &'n Self>,
        work: &Work,
    ) -> Result<Option<Likeness>, Spent> {
        let mut found = None;
        work.spend(self.len())?;
        let own = self.symbols();
        for other in others {
            if self.is_unknown() {
                return Ok(Some(Likeness::Unknown));
            }
            work.spend(other.len())?;
            let other = other.symbols();
            let (left, right) = without_common_ends(&own, &other);
            work.spend(left.len() * right.len())?;
            if found.is_none() && meet(left, right) {
                found = Some(Likeness::Fits);
            }
        }
        Ok(found)
    }

    /// `None` stands for any text.
    fn symbols(&self) -> Vec<Option<char>> {
        let symbols = self.0.iter().flat_map(|part| match part {
            Part::Unknown | Part::Hidden => vec![None],
            Part::Literal(text) => text.to_lowercase().chars().map(Some).collect(),
        });
        let is_blank = |symbol: &Option<char>| symbol.is_some_and(char::is_whitespace);
        let mut symbols: Vec<Option<char>> = symbols.skip_while(is_blank).take(LONGEST + 1).collect();
        if symbols.len() > LONGEST {
            // The rest is cut off: it may be any text.
            symbols.truncate(LONGEST);
            symbols.push(None);
        }
        while symbols.last().is_some_and(is_blank) {
            symbols.pop();
        }
        symbols
    }
}

/// Cuts off the first and last letters that two names share; if the names differ there, one letter of each stays.
fn without_common_ends<'n>(
    mut left: &'n [Option<char>],
    mut right: &'n [Option<char>],
) -> (&'n [Option<char>], &'n [Option<char>]) {
    while let ([Some(one), rest @ ..], [Some(other), others @ ..]) = (left, right) {
        if one != other {
            return (left.get(..1).unwrap_or_default(), right.get(..1).unwrap_or_default());
        }
        (left, right) = (rest, others);
    }
    while let ([rest @ .., Some(one)], [others @ .., Some(other)]) = (left, right) {
        if one != other {
            return (left.get(left.len() - 1..).unwrap_or_default(), right.get(right.len() - 1..).unwrap_or_default());
        }
        (left, right) = (rest, others);
    }
    (left, right)
}

/// Whether some text is described by both.
fn meet(left: &[Option<char>], right: &[Option<char>]) -> bool {
    // `row[j]`: the rest of `left` and `right[j..]` meet. Worked out from the ends.
    let mut below: Vec<bool> = vec![false; right.len() + 1];
    for i in (0..=left.len()).rev() {
        let mut row = vec![false; right.len() + 1];
        for j in (0..=right.len()).rev() {
            let at = |cells: &[bool], j: usize| cells.get(j).copied().unwrap_or(false);
            let value = match (left.get(i), right.get(j)) {
                (None, None) => true,
                (Some(None), None) => at(&below, j),
                (None, Some(None)) => at(&row, j + 1),
                // Any text is empty, or takes one more letter of the other side.
                (Some(None), Some(_)) | (Some(Some(_)), Some(None)) => at(&below, j) || at(&row, j + 1),
                (Some(Some(left)), Some(Some(right))) => left == right && at(&below, j + 1),
                _ => false,
            };
            if let Some(cell) = row.get_mut(j) {
                *cell = value;
            }
        }
        below = row;
    }
    below.first().copied().unwrap_or(false)
}

/// `caller / callee`.
pub(super) fn below(caller: &CheckName, callee: Option<&CheckName>, work: &Work) -> Result<CheckName, Spent> {
    let any = CheckName::unknown();
    let callee = callee.unwrap_or(&any);
    work.spend(caller.len() + callee.len() + 1)?;
    Ok(caller.clone().and(&CheckName::literal(" / ")).and(callee))
}
