//! The content that one session put into one file.

use std::collections::{BTreeMap, BTreeSet};

use super::git::Source;
use crate::lint::edits::Edit;

/// Edits of one file that are kept of one session. More of them are taken for content that is not in the record.
const MOST_EDITS: usize = 2_000;

/// Lines that are searched for those which edits change inside. Beyond them, a line that was edited stays as it was written
/// first, and the edit accounts for its own text.
const MOST_SEARCHED: usize = 4_000_000;

/// The known content that one session put into one file.
#[derive(Debug, Default)]
pub struct Touch {
    /// It was written, and the record does not say what.
    pub(super) anything: bool,
    pub(super) deleted: bool,
    /// Its rights were changed.
    pub(super) mode: bool,
    /// Redirections wrote it, with known content.
    pub(super) is_spelled: bool,
    /// A package manager may have written it.
    pub(super) managed: Option<Managed>,
    /// The last place of git that the session put it into after it wrote.
    pub(super) kept: Option<Source>,
    /// Lines that were written whole, without blanks around them, and how often.
    lines: BTreeMap<Box<str>, u32>,
    /// All of the file was written, and edits that followed are applied to `lines`.
    is_whole: bool,
    /// Lines that the record does not hold may have been replaced.
    pub(super) is_open: bool,
    /// Texts that were written, line by line.
    pub(super) blocks: Vec<Vec<Box<str>>>,
    pub(super) replaced: Vec<Replaced>,
    /// Lines that were searched for the one that an edit changes.
    searched: usize,
    /// Lines that replaced others as often as they were there.
    pub(super) everywhere: BTreeSet<Box<str>>,
    /// Lines that came behind a last line, which may have had no end.
    pub(super) behind: BTreeSet<Box<str>>,
}

/// How a package manager changes a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Managed {
    /// Only lines that name a package and its version.
    Dependencies,
    All,
}

/// A text that took the place of another. It may begin and end inside of a line.
#[derive(Debug)]
pub(super) struct Replaced {
    pub(super) old: Vec<Box<str>>,
    pub(super) new: Vec<Box<str>>,
}

/// How an edit was meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The new text is all of the file.
    Whole,
    /// The old text was replaced once.
    Once,
    /// The old text was replaced wherever it was.
    Everywhere,
    /// The new text was added behind what was there.
    Behind,
    /// The new text was added, or took the place of lines that the record does not hold.
    Somewhere,
}

impl Touch {
    /// It put content there.
    pub(super) fn has_content(&self) -> bool {
        self.anything || self.managed.is_some() || !self.blocks.is_empty()
    }

    /// Any content may be of it.
    pub(super) fn may_be_anything(&self) -> bool {
        self.anything || self.managed == Some(Managed::All)
    }

    /// It did something to the file that a change can hold.
    pub(super) fn counts(&self) -> bool {
        self.has_content() || self.deleted || self.mode
    }

    /// How often the line was written.
    pub(super) fn written(&self, line: &str) -> u32 {
        self.lines.get(line).copied().unwrap_or(0)
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.keys().map(AsRef::as_ref)
    }

    /// A line that it wrote which begins so.
    pub(super) fn has_line_with_start(&self, start: &str) -> bool {
        let next = self.lines.range::<str, _>((std::ops::Bound::Included(start), std::ops::Bound::Unbounded)).next();
        next.is_some_and(|(line, _)| line.starts_with(start))
    }

    /// It wrote the whole file, and left this line out, or not more often than `left`.
    pub(super) fn left_out(&self, line: &str, left: u32) -> bool {
        self.is_whole && self.written(line) <= left
    }

    pub(super) fn put(&mut self, edit: &Edit, extent: Extent) {
        if self.blocks.len() >= MOST_EDITS {
            self.anything = true;
            return;
        }
        if extent == Extent::Whole {
            self.start_anew();
        }
        self.is_open |= extent == Extent::Somewhere;
        let new = trimmed(&edit.new);
        if let Some(old) = &edit.old {
            let replaced = Replaced { old: texts(old), new: texts(&edit.new) };
            self.take(&replaced);
            self.replaced.push(replaced);
        }
        for line in &new {
            *self.lines.entry(line.clone()).or_default() += 1;
        }
        if extent == Extent::Everywhere {
            self.everywhere.extend(new.iter().cloned());
        }
        if extent == Extent::Behind {
            let first = edit.new.lines().next().unwrap_or_default();
            self.behind.insert(first.trim_end().into());
        }
        self.blocks.push(new);
    }

    /// A redirection put it there, if it happened: what was there before may still be. So it takes nothing of that back.
    pub(super) fn put_by_shell(&mut self, edit: &Edit, extent: Extent) {
        self.is_spelled = true;
        // Behind a file that is gone, the new text is all of it.
        self.is_open |= self.deleted;
        self.put(edit, extent);
    }

    /// Lines that were there before may be gone.
    pub(super) fn may_take_any(&self) -> bool {
        self.is_open || !self.behind.is_empty() && !self.replaced.is_empty()
    }

    /// Something that is not in the record may have written over what redirections wrote.
    pub(super) fn may_be_replaced(&mut self) {
        self.anything |= self.is_spelled;
    }

    /// All that was in the file is gone.
    pub(super) fn empty(&mut self) {
        self.start_anew();
        self.blocks.push(Vec::new());
    }

    fn start_anew(&mut self) {
        *self = Self {
            is_whole: true,
            mode: self.mode,
            managed: self.managed,
            kept: self.kept,
            searched: self.searched,
            ..Self::default()
        };
    }

    /// Git takes it back when it brings back the content that it holds there.
    pub(super) fn is_lost(&self, source: Source) -> bool {
        match self.kept {
            Some(Source::Commit) => false,
            Some(Source::Index) => source == Source::Commit,
            None => true,
        }
    }

    /// Lines that the session wrote itself, and took back.
    fn take(&mut self, replaced: &Replaced) {
        for line in &replaced.old {
            let line = line.trim();
            let is_there = self.lines.contains_key(line);
            if is_there {
                self.take_one(line);
            }
        }
        let ([old], [new]) = (replaced.old.as_slice(), replaced.new.as_slice()) else { return };
        if old.trim().is_empty() || self.lines.contains_key(old.trim()) {
            return;
        }
        self.searched += self.lines.len();
        if self.searched > MOST_SEARCHED {
            return;
        }
        // Editors demand that the text is there once, so it is known which line it was.
        let mut holding = self.lines.keys().filter(|line| line.contains(old.trim()));
        if let (Some(line), None) = (holding.next().cloned(), holding.next()) {
            self.take_one(&line);
            let now: Box<str> = line.replacen(old.trim(), new.trim(), 1).trim().into();
            *self.lines.entry(now).or_default() += 1;
        }
    }

    fn take_one(&mut self, line: &str) {
        if let Some(count) = self.lines.get_mut(line) {
            *count -= 1;
            if *count == 0 {
                self.lines.remove(line);
            }
        }
    }

    /// Adds the writes that were put aside.
    pub(super) fn join(&mut self, other: Self) {
        self.anything |= other.anything;
        self.deleted |= other.deleted;
        self.is_spelled |= other.is_spelled;
        self.mode |= other.mode;
        self.managed = self.managed.max(other.managed);
        self.kept = self.kept.max(other.kept);
        self.searched += other.searched;
        self.is_whole |= other.is_whole;
        self.is_open |= other.is_open;
        for (line, count) in other.lines {
            *self.lines.entry(line).or_default() += count;
        }
        self.blocks.extend(other.blocks);
        self.replaced.extend(other.replaced);
        self.everywhere.extend(other.everywhere);
        self.behind.extend(other.behind);
    }
}

/// Lines without blanks around them; none of them is empty.
fn trimmed(text: &str) -> Vec<Box<str>> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(Into::into).collect()
}

fn texts(text: &str) -> Vec<Box<str>> {
    text.lines().map(Into::into).collect()
}
