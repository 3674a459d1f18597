//! The words behind the names of programs, of which each is read once.
//!
//! A text may name a program at every word, and what stands behind one name stands behind those before it, too. So all of
//! them share their words, and each word knows which rows of the table have looked at it.

use super::programs::Row;
use super::shell::{FAR, Step, Word, step};
use super::text::{floor, looked_at};

/// How many words of a command are looked at.
const WORDS: usize = 64;
/// From so many steps on, those that were taken are forgotten before the next command: no more than a command looks at are
/// taken anew.
const MANY: usize = 64 * WORDS;

/// A row of the table, as a bit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark(u128);

impl Mark {
    /// A row beyond the last bit has none, and looks at words as often as it is asked to.
    pub(super) fn of(row: &Row) -> Self {
        Self(1_u128.checked_shl(row.number).unwrap_or(0))
    }

    #[cfg(test)]
    pub(super) fn is_own(self) -> bool {
        self.0 != 0
    }
}

/// Whether a row has looked at a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    Not,
    /// It would hold a secret, were the name that of a program.
    IfProgram,
    All,
}

/// A step, and the rows that have looked at its word.
struct Taken<'t> {
    from: usize,
    /// `None`: the command ends.
    step: Option<Step<'t>>,
    seen: u128,
    if_program: u128,
}

/// The words of the commands of a text.
pub(super) struct Commands<'t> {
    text: &'t str,
    taken: Vec<Taken<'t>>,
    /// Where among these the step from an offset is, by the last bits of the offset: a command looks no further than there
    /// are places.
    places: Vec<u32>,
    /// The words of the command that is looked at, as far as they were asked for.
    words: Vec<usize>,
    /// Where its next word is looked for; `None`: it has no more.
    next: Option<usize>,
    limit: usize,
}

impl<'t> Commands<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let (taken, places, words) = (Vec::new(), Vec::new(), Vec::new());
        Self { text, taken, places, words, next: None, limit: 0 }
    }

    /// Turns to the command whose words begin at an offset.
    pub(super) fn begin(&mut self, from: usize) {
        if self.taken.len() > MANY {
            self.taken.clear();
        }
        self.words.clear();
        self.next = Some(from);
        self.limit = floor(self.text, from + FAR);
    }

    /// A word of the command, counted from 0.
    pub(super) fn word(&mut self, number: usize) -> Option<Word<'t>> {
        while self.words.len() <= number {
            self.read()?;
        }
        self.taken.get(*self.words.get(number)?)?.step.as_ref()?.word
    }

    /// How many words the command has.
    pub(super) fn count(&mut self) -> usize {
        while self.read().is_some() {}
        self.words.len()
    }

    /// Whether no word follows one, not even one that is too far away.
    pub(super) fn ends_with(&self, number: usize) -> bool {
        self.next.is_none() && self.words.len() == number + 1
    }

    pub(super) fn seen(&self, number: usize, mark: Mark) -> Seen {
        let taken = self.words.get(number).and_then(|place| self.taken.get(*place));
        match taken {
            Some(taken) if taken.if_program & mark.0 != 0 => Seen::IfProgram,
            Some(taken) if taken.seen & mark.0 != 0 => Seen::All,
            _ => Seen::Not,
        }
    }

    pub(super) fn note(&mut self, number: usize, mark: Mark, seen: Seen) {
        let Some(taken) = self.words.get(number).and_then(|place| self.taken.get_mut(*place)) else { return };
        let set = |bits: u128, is_set: bool| if is_set { bits | mark.0 } else { bits & !mark.0 };
        taken.seen = set(taken.seen, seen != Seen::Not);
        taken.if_program = set(taken.if_program, seen == Seen::IfProgram);
    }

    /// Reads the next word of the command.
    fn read(&mut self) -> Option<()> {
        while self.words.len() < WORDS {
            looked_at(0);
            let from = self.next.filter(|from| *from < self.limit)?;
            let place = self.take(from);
            let step = self.taken.get(place)?.step.as_ref();
            self.next = step.map(|step| step.end);
            if step?.word.is_some() {
                self.words.push(place);
                return Some(());
            }
        }
        None
    }

    /// Where the step from an offset is.
    fn take(&mut self, from: usize) -> usize {
        if self.places.is_empty() {
            self.places = vec![0; self.text.len().next_power_of_two().clamp(1, FAR)];
        }
        let slot = from & (self.places.len() - 1);
        let known = self.places.get(slot).map_or(0, |place| *place as usize);
        if self.taken.get(known).is_some_and(|taken| taken.from == from) {
            return known;
        }
        let place = self.taken.len();
        let step = step(self.text, from, floor(self.text, from + FAR));
        self.taken.push(Taken { from, step, seen: 0, if_program: 0 });
        if let (Some(slot), Ok(place)) = (self.places.get_mut(slot), u32::try_from(place)) {
            *slot = place;
        }
        place
    }
}
