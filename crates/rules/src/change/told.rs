//! Which lines of a changed file its sessions account for.

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};

use super::dependency::is_dependency;
use super::touch::{Replaced, Touch};
use agent_strace_git::{ChangedFile, Hunk};

/// A piece of a line accounts for the line from so many characters on, if it is at least half of it.
const LONG_PIECE: usize = 12;
/// Letters and digits of a line of which it matters how often it is there.
const TELLING: usize = 4;
/// Edits of edits that are followed.
const DEEPEST: usize = 12;
/// Texts that one line is followed through.
const MOST_STEPS: usize = 500;
/// Places of a line from which on its order is not looked at.
const MOST_PLACES: usize = 64;
/// Bytes that are compared for one file. A line that is not found within them is not explained.
const WORK: usize = 64 << 20;

/// Runs of lines in one hunk that are shown one by one. What follows the last one is shown with it.
const MOST_RUNS: usize = 50;

/// Lines that differ.
pub(super) struct Place {
    pub(super) first: u32,
    pub(super) last: u32,
    /// Lines were only taken away, after the first one.
    pub(super) is_removal: bool,
}

impl Place {
    fn of(hunk: &Hunk) -> Self {
        let added = u32::try_from(hunk.added.len()).unwrap_or(u32::MAX);
        Self { first: hunk.start, last: hunk.start.saturating_add(added.saturating_sub(1)), is_removal: added == 0 }
    }
}

/// The sessions that touched one file.
pub(super) struct Told<'t> {
    touches: Vec<&'t Touch>,
    file: &'t ChangedFile,
    /// A session ran a program that changes the layout of files.
    is_formatted: bool,
    /// How often each line may still be there.
    allowed: BTreeMap<&'t str, u64>,
    /// How many fewer there are of each line that was taken away somewhere.
    gone: BTreeMap<&'t str, i64>,
    /// Where each line stands in the texts that were written.
    places: OnceCell<BTreeMap<&'t str, Vec<(usize, usize)>>>,
    /// All that was written and that was removed, without layout, as edits left it.
    before: OnceCell<String>,
    /// All that was written and that was added, without layout.
    after: OnceCell<String>,
    work: Cell<usize>,
}

/// The side of a change that a line is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Added,
    Removed,
}

impl<'t> Told<'t> {
    pub(super) fn new(touches: Vec<&'t Touch>, file: &'t ChangedFile, is_formatted: bool) -> Self {
        let mut allowed: BTreeMap<&str, u64> = BTreeMap::new();
        for (line, touch) in touches.iter().flat_map(|touch| touch.lines().map(move |line| (line, touch))) {
            *allowed.entry(line).or_default() += u64::from(touch.written(line));
        }
        for line in file.hunks.iter().flat_map(|hunk| &hunk.removed) {
            if let Some(count) = allowed.get_mut(&**line) {
                *count += 1;
            }
        }
        let mut gone: BTreeMap<&str, i64> = BTreeMap::new();
        for line in file.hunks.iter().flat_map(|hunk| &hunk.removed) {
            *gone.entry(line).or_default() += 1;
        }
        for line in file.hunks.iter().flat_map(|hunk| &hunk.added) {
            if let Some(count) = gone.get_mut(&**line) {
                *count -= 1;
            }
        }
        let (places, before, after) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { touches, file, is_formatted, allowed, gone, places, before, after, work: Cell::new(WORK) }
    }

    /// The places that are not accounted for.
    pub(super) fn untold(&mut self) -> Vec<Place> {
        let file = self.file;
        if self.touches.iter().any(|touch| touch.may_be_anything()) {
            return Vec::new();
        }
        file.hunks.iter().flat_map(|hunk| self.untold_in(hunk)).collect()
    }

    /// Nothing but the layout of a file changed, and a program that does so ran.
    pub(super) fn is_layout(file: &ChangedFile, is_formatted: bool) -> bool {
        let same = |hunk: &Hunk| {
            bare(&hunk.added) == bare(&hunk.removed) || ends_bare(&hunk.added) == ends_bare(&hunk.removed)
        };
        is_formatted && file.whole && !file.hunks.is_empty() && file.hunks.iter().all(same)
    }

    /// The lines of a hunk that are not accounted for; all of it where lines are gone, or in another order.
    fn untold_in(&mut self, hunk: &'t Hunk) -> Vec<Place> {
        let mut runs: Vec<Place> = Vec::new();
        for (line, number) in hunk.added.iter().zip(hunk.start..) {
            if self.added(line, hunk) {
                continue;
            }
            let is_full = runs.len() >= MOST_RUNS;
            match runs.last_mut() {
                Some(run) if run.last.saturating_add(1) == number => run.last = number,
                Some(run) if is_full => {
                    run.last = Place::of(hunk).last;
                    break;
                }
                _ => runs.push(Place { first: number, last: number, is_removal: false }),
            }
        }
        let is_taken = hunk.removed.iter().any(|line| !self.removed(line, hunk));
        if runs.is_empty() && (is_taken || self.is_reordered(hunk)) {
            runs.push(Place::of(hunk));
        }
        runs
    }

    fn added(&mut self, line: &'t str, hunk: &Hunk) -> bool {
        if letters(line) == 0 {
            return line.is_empty() || self.touches.iter().any(|touch| touch.has_content());
        }
        let count = self.allowed.get_mut(line);
        let is_free = letters(line) < TELLING || self.touches.iter().any(|touch| touch.everywhere.contains(line));
        let is_written = match count {
            Some(_) if is_free => true,
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            Some(_) => return self.has_layout_of(line, Side::Added),
            None => false,
        };
        is_written
            || self.holds_piece(line)
            || self.derives(line, hunk)
            || self.is_joined(line, hunk)
            || self.is_managed(line, &hunk.removed)
            || self.has_layout_of(line, Side::Added)
    }

    fn removed(&self, line: &str, hunk: &Hunk) -> bool {
        letters(line) == 0
            || self.touches.iter().any(|touch| {
                touch.may_take_any() || touch.left_out(line, self.file.left.get(line).copied().unwrap_or(0)) || self.took(touch, line, hunk)
            })
            || self.was_joined(line, hunk)
            || self.is_managed(line, &hunk.added)
            || self.has_layout_of(line, Side::Removed)
            // It only moved.
            || self.gone.get(line).is_some_and(|gone| *gone <= 0)
    }

    fn spend(&self, bytes: usize) -> bool {
        self.work.set(self.work.get().saturating_sub(bytes + 1));
        self.work.get() > 0
    }

    /// A long piece of the line was written, between two words.
    fn holds_piece(&self, line: &str) -> bool {
        let ends =
            self.touches.iter().flat_map(|touch| &touch.replaced).flat_map(|edit| [edit.new.first(), edit.new.last()]);
        ends.flatten().any(|piece| {
            let piece = piece.trim();
            self.spend(0)
                && piece.len() >= LONG_PIECE
                && piece.len() * 2 >= line.len()
                && self.spend(line.len())
                && has_words(line, piece)
        })
    }

    /// An edit made this line of one that was removed, or that was written.
    fn derives(&self, line: &str, hunk: &Hunk) -> bool {
        let edits: Vec<&Replaced> = self.touches.iter().flat_map(|touch| &touch.replaced).collect();
        follow(line, |text, before| {
            edits.iter().any(|edit| self.spend(text.len()) && self.derives_by(edit, text, hunk, before))
        })
    }

    /// `earlier` takes the texts that the edit may have made the line of.
    fn derives_by(&self, edit: &Replaced, line: &str, hunk: &Hunk, earlier: &mut Vec<String>) -> bool {
        let (Some(first), Some(last)) = (edit.old.first(), edit.old.last()) else { return false };
        match edit.new.as_slice() {
            [] => hunk
                .removed
                .iter()
                .any(|old| edit.old.len() == 1 && self.spend(old.len()) && old.replace(&**first, "").trim() == line),
            [new] if edit.old.len() == 1 => {
                let mut before = |old: &str, new: &str| {
                    !new.is_empty()
                        && (line.match_indices(new).any(|(at, _)| {
                            let (head, tail) = line.split_at(at);
                            let tail = tail.get(new.len()..).unwrap_or_default();
                            self.was_there(&format!("{head}{old}{tail}"), hunk, earlier)
                        }) || self.was_there(&line.replace(new, old), hunk, earlier))
                };
                before(first, new) || before(first.trim(), new.trim())
            }
            [new, .., end] | [new @ end] => {
                let (new, end) = (new.trim_end(), end.trim_start());
                let head = line.strip_suffix(new.trim_start()).filter(|_| !new.trim().is_empty());
                let tail = line.strip_prefix(end.trim_end()).filter(|_| !end.trim().is_empty());
                head.is_some_and(|head| self.was_start(&format!("{head}{}", first.trim()), hunk))
                    || tail.is_some_and(|tail| self.was_end(&format!("{}{tail}", last.trim()), hunk))
            }
        }
    }

    fn was_there(&self, line: &str, hunk: &Hunk, earlier: &mut Vec<String>) -> bool {
        let line = line.trim();
        if !self.spend(line.len() + hunk.removed.len()) {
            return false;
        }
        let is_there = self.allowed.contains_key(line) || hunk.removed.iter().any(|old| &**old == line);
        if !is_there {
            earlier.push(line.to_owned());
        }
        is_there
    }

    fn was_start(&self, start: &str, hunk: &Hunk) -> bool {
        hunk.removed.iter().any(|old| old.starts_with(start))
            || self.touches.iter().any(|touch| touch.has_line_with_start(start))
    }

    fn was_end(&self, end: &str, hunk: &Hunk) -> bool {
        self.spend(hunk.removed.len() + self.allowed.len())
            && (hunk.removed.iter().any(|old| old.ends_with(end))
                || self.allowed.keys().any(|line| line.ends_with(end)))
    }

    /// An edit of the session held the line in the text that it replaced, or made another line of it that is there now, or
    /// that it took away later.
    fn took(&self, touch: &Touch, line: &str, hunk: &Hunk) -> bool {
        follow(line, |text, later| {
            touch.replaced.iter().any(|edit| self.spend(text.len()) && self.took_by(edit, text, hunk, later))
        })
    }

    /// `later` takes the texts that the edit may have made of the line.
    fn took_by(&self, edit: &Replaced, line: &str, hunk: &Hunk, later: &mut Vec<String>) -> bool {
        let is_held = edit.old.iter().any(|old| old.trim() == line);
        let (Some(first), Some(last)) = (edit.old.first(), edit.old.last()) else { return false };
        if edit.old.len() > 1 {
            let is_end = |piece: &str, is_at: bool| is_at && letters(piece) > 0;
            return is_held
                || is_end(first, line.ends_with(first.trim()))
                || is_end(last, line.starts_with(last.trim()));
        }
        if is_held {
            return true;
        }
        if first.trim().is_empty() || !line.contains(first.trim()) {
            return false;
        }
        let new = edit.new.first().map_or("", |new| &**new);
        let now = [
            line.replacen(first.trim(), new.trim(), 1),
            line.replace(first.trim(), new.trim()),
            line.replace(&**first, new),
        ];
        let is_there = |now: &str| {
            edit.new.len() > 1
                || self.spend(now.len()) && hunk.added.iter().any(|added| &**added == now)
                || self.allowed.contains_key(now)
        };
        let is_told = now.iter().any(|now| is_there(now.trim()));
        later.extend(now.iter().map(|now| now.trim().to_owned()));
        is_told
    }

    /// A text was added behind a last line without an end, and the two became this line.
    fn is_joined(&self, line: &str, hunk: &Hunk) -> bool {
        let lasts = self.behind().filter_map(|behind| line.strip_suffix(behind)).map(str::trim_end);
        lasts.filter(|last| !last.is_empty() && self.spend(hunk.removed.len())).any(|last| {
            hunk.removed.iter().any(|old| &**old == last)
                || self.allowed.contains_key(last)
                || last != line && self.derives(last, hunk)
        })
    }

    /// The line was the last one, and one that is there now begins with it.
    fn was_joined(&self, line: &str, hunk: &Hunk) -> bool {
        self.behind().any(|behind| {
            let is_of = |added: &str| added.strip_suffix(behind).is_some_and(|last| last.trim_end() == line);
            self.spend(hunk.added.len()) && hunk.added.iter().any(|added| is_of(added))
        })
    }

    /// First lines of texts that were added behind others.
    fn behind(&self) -> impl Iterator<Item = &str> {
        self.touches.iter().flat_map(|touch| &touch.behind).map(AsRef::as_ref)
    }

    /// A package manager may have written or taken it: a dependency, or a line that has a comma on one side only.
    fn is_managed(&self, line: &str, others: &[Box<str>]) -> bool {
        let bare = line.trim_end_matches(',');
        let differs_in_comma =
            || self.spend(others.len()) && others.iter().any(|other| other.trim_end_matches(',') == bare);
        self.touches.iter().any(|touch| touch.managed.is_some()) && (is_dependency(line) || differs_in_comma())
    }

    /// A formatter may have made it of what was written or removed, or, of a line that was removed, the text that is there now.
    fn has_layout_of(&self, line: &str, side: Side) -> bool {
        if !self.is_formatted {
            return false;
        }
        let other = |hunk: &'t Hunk| if side == Side::Added { &hunk.removed } else { &hunk.added };
        let all = if side == Side::Added { &self.before } else { &self.after }.get_or_init(|| {
            let written = self.touches.iter().flat_map(|touch| &touch.blocks).map(|block| bare(block));
            let others = self.file.hunks.iter().map(|hunk| bare(other(hunk)));
            let others = others.map(|text| if side == Side::Added { self.edited(text) } else { text });
            written.chain(others).collect::<Vec<_>>().join("\n")
        });
        let line = if side == Side::Added { bare(&[line]) } else { self.edited(bare(&[line])) };
        self.spend(all.len()) && all.contains(line.as_str())
    }

    /// Applies the edits to a text without layout.
    fn edited(&self, mut text: String) -> String {
        for edit in self.touches.iter().flat_map(|touch| &touch.replaced) {
            let old = bare(&edit.old);
            if !old.is_empty() && self.spend(text.len()) {
                text = text.replace(&old, &bare(&edit.new));
            }
        }
        text
    }

    /// Two lines stand the other way round than in every text that holds them.
    fn is_reordered(&self, hunk: &'t Hunk) -> bool {
        let telling: Vec<&str> = hunk.added.iter().map(AsRef::as_ref).filter(|line| letters(line) >= TELLING).collect();
        telling.windows(2).any(|pair| {
            let &[first, second] = pair else { return false };
            let places = self.places.get_or_init(|| places(&self.touches));
            let (Some(before), Some(after)) = (places.get(first), places.get(second)) else { return false };
            let only = |here: &[(usize, usize)], there: &[(usize, usize)], is_inverted: fn(usize, usize) -> bool| {
                here.iter().all(|(text, at)| {
                    let mut others = there.iter().filter(|(other, _)| other == text).peekable();
                    others.peek().is_some() && others.all(|(_, other)| is_inverted(*at, *other))
                })
            };
            first != second
                && before.len().max(after.len()) <= MOST_PLACES
                && only(before, after, |before, after| after < before)
                && only(after, before, |after, before| after < before)
        })
    }
}

fn places<'t>(touches: &[&'t Touch]) -> BTreeMap<&'t str, Vec<(usize, usize)>> {
    let mut places: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    for (text, block) in touches.iter().flat_map(|touch| &touch.blocks).enumerate() {
        for (at, line) in block.iter().enumerate() {
            places.entry(line).or_default().push((text, at));
        }
    }
    places
}

/// Whether `step` finds what it looks for in a text, or in one of those that it made of the text, the nearest first.
fn follow(start: &str, step: impl Fn(&str, &mut Vec<String>) -> bool) -> bool {
    let mut seen = BTreeSet::from([start.to_owned()]);
    let mut texts = vec![start.to_owned()];
    for _ in 0..=DEEPEST {
        let mut next = Vec::new();
        if texts.iter().any(|text| step(text, &mut next)) {
            return true;
        }
        next.retain(|text| seen.len() < MOST_STEPS && seen.insert(text.clone()));
        texts = next;
    }
    false
}

/// Letters and digits of a line.
fn letters(line: &str) -> usize {
    line.chars().filter(|each| each.is_alphanumeric()).count()
}

/// Whether a line holds a piece that begins and ends where words do.
fn has_words(line: &str, piece: &str) -> bool {
    let is_word = |each: Option<char>| each.is_some_and(|each| each.is_alphanumeric() || each == '_');
    line.match_indices(piece).any(|(at, _)| {
        let (before, after) = (line.get(..at).unwrap_or_default(), line.get(at + piece.len()..).unwrap_or_default());
        let starts_inside = is_word(before.chars().next_back()) && is_word(piece.chars().next());
        let ends_inside = is_word(after.chars().next()) && is_word(piece.chars().next_back());
        !starts_inside && !ends_inside
    })
}

/// The text that formatters keep: without blanks, the kind of quotes, and separators that end a list, a block or the text.
fn bare<L: AsRef<str>>(lines: &[L]) -> String {
    let mut bare = String::new();
    for each in lines.iter().flat_map(|line| line.as_ref().chars()).filter(|each| !each.is_whitespace()) {
        if ")]}".contains(each) {
            trim_separators(&mut bare);
        }
        bare.push(if each == '\'' { '"' } else { each });
    }
    trim_separators(&mut bare);
    bare
}

/// Does the same for each line, as some programs add or remove separators at line ends.
fn ends_bare<L: AsRef<str>>(lines: &[L]) -> Vec<String> {
    lines.iter().map(|line| bare(&[line])).filter(|line| !line.is_empty()).collect()
}

fn trim_separators(text: &mut String) {
    text.truncate(text.trim_end_matches([',', ';']).len());
}
