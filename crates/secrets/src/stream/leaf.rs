//! One text of a log, in windows where it is long: what of it has to be replaced, and where that is in the bytes.

use std::ops::Range;

use super::Detector;
use super::input::Location;
use super::settle::{Clean, Found, search, settled};
use super::text::{Spot, Writing, append, decode, locate};
use crate::Hit;

/// Bytes of the log that are looked at together.
pub(super) const WINDOW: u64 = 1 << 20;
/// What lies so near to the end of a window is decided with the next one: nothing private that is shorter is cut.
const HOLD_BACK: usize = 32 << 10;
/// Text that is seen once more before what follows it.
const CONTEXT: usize = 4 << 10;

/// What a finding is, without the value.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) hit: Hit,
    pub(super) fingerprint: String,
    /// What is written instead, as the log has to have it.
    pub(super) by: String,
}

/// Bytes of a window that have to go.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) known: Known,
    /// Relative to the window.
    pub(super) raw: Range<usize>,
    /// Relative to the leaf.
    pub(super) code_points: Range<u64>,
    pub(super) is_number: bool,
    /// What is before it in the leaf belongs to it and has its mark already.
    pub(super) continues: bool,
}

/// A text that is being read.
#[derive(Debug)]
pub(super) struct Leaf {
    /// Offset of the first byte that is not decided.
    pub(super) from: u64,
    pub(super) writing: Writing,
    /// Where it begins, once somebody asked.
    pub(super) location: Option<Location>,
    /// Text before `from`, or the beginning of what is private and reaches over it.
    context: String,
    code_points: u64,
    running: Option<Known>,
    is_first: bool,
}

/// What there is to decide with.
pub(super) struct Judge<'d> {
    pub(super) detector: &'d dyn Detector,
    pub(super) clean: Clean,
    /// Room to decode a text in.
    pub(super) scratch: Vec<u8>,
}

impl Leaf {
    pub(super) fn new(from: u64, writing: Writing) -> Self {
        let (context, running, location) = (String::new(), None, None);
        Self { from, writing, location, context, code_points: 0, running, is_first: true }
    }

    /// Nothing of it has been decided.
    pub(super) fn is_first(&self) -> bool {
        self.is_first
    }

    /// Decides about a whole text.
    fn whole(&self, judge: &mut Judge<'_>, name: Option<&str>, raw: &[u8]) -> Vec<Part> {
        let mut scratch = std::mem::take(&mut judge.scratch);
        let parts = self.search(judge, name, raw, &mut scratch);
        judge.scratch = scratch;
        parts
    }

    fn search(&self, judge: &mut Judge<'_>, name: Option<&str>, raw: &[u8], scratch: &mut Vec<u8>) -> Vec<Part> {
        let text = decode(raw, self.writing, scratch);
        if text.is_empty() || judge.clean.has(name.map(str::as_bytes), text.as_bytes()) {
            return Vec::new();
        }
        let found = search(judge.detector, name, &text, 0);
        if found.is_empty() {
            judge.clean.keep(name.map(str::as_bytes), &text);
            return Vec::new();
        }
        let bounds = found.iter().flat_map(|Found { hit, .. }| [hit.start, hit.end]);
        let spots = locate(raw, self.writing, bounds);
        let parts = found.into_iter().zip(spots.chunks(2)).filter_map(|(Found { hit, is_number, by }, spots)| {
            let known = Known::replaced(judge.detector, hit, &text, self.writing.of(by));
            Part::new(known, spots, 0).map(|part| Part { is_number, ..part })
        });
        parts.collect()
    }

    /// Decides about the next bytes of a text, as far as that is possible before more of it is seen; says how far that is.
    pub(super) fn next(
        &mut self,
        judge: &mut Judge<'_>,
        name: Option<&str>,
        raw: &[u8],
        is_last: bool,
    ) -> (Vec<Part>, usize) {
        if self.is_first && is_last {
            return (self.whole(judge, name, raw), raw.len());
        }
        self.is_first = false;
        let mut text = std::mem::take(&mut self.context);
        let seen = text.len();
        append(raw, self.writing, !is_last, &mut text);
        let hits = settled(&text, &|text| judge.detector.find(name, text));
        let until = if is_last { text.len() } else { until(&text, seen, &hits) };
        let cut = hits.iter().find(|hit| hit.start < until && hit.end >= until && !is_last).cloned();
        let decided: Vec<Hit> = hits.into_iter().filter(|hit| hit.end > seen && hit.start < until).collect();
        let bounds = decided.iter().flat_map(|hit| [hit.start.max(seen), hit.end.min(until)]).chain([until]);
        let spots = locate(raw, self.writing, bounds.map(|at| at - seen));
        let running = self.running.take();
        let mut parts = Vec::with_capacity(decided.len());
        for (hit, spots) in decided.into_iter().zip(spots.chunks(2)) {
            let before = running.clone().filter(|_| hit.start <= seen);
            let continues = before.is_some();
            let known = before.unwrap_or_else(|| Known::new(judge.detector, hit, &text, self.writing));
            parts.extend(Part::new(known, spots, self.code_points).map(|part| Part { continues, ..part }));
        }
        let from = cut.as_ref().map_or_else(|| until.saturating_sub(CONTEXT), |hit| hit.start);
        let from = text.ceil_char_boundary(from);
        let to = text.floor_char_boundary((from + CONTEXT).min(until));
        text.get(from..to).unwrap_or("").clone_into(&mut self.context);
        self.running = cut.and_then(|_| parts.last().map(|part| part.known.clone()));
        let Some(Spot { raw: consumed, code_points }) = spots.last().copied() else { return (parts, raw.len()) };
        self.code_points += code_points;
        (parts, if is_last { raw.len() } else { consumed })
    }
}

/// How far a window can be decided: up to what might go on behind it. What takes up half of a window is not waited for.
fn until(text: &str, seen: usize, hits: &[Hit]) -> usize {
    let limit = text.floor_char_boundary(text.len().saturating_sub(HOLD_BACK)).max(seen);
    match hits.iter().find(|hit| hit.end > limit) {
        None => limit,
        Some(hit) if hit.start >= seen + (text.len() - seen) / 2 => hit.start,
        Some(hit) => hit.end,
    }
}

impl Known {
    pub(super) fn new(detector: &dyn Detector, hit: Hit, text: &str, writing: Writing) -> Self {
        let by = detector.replacement(&hit, text.get(hit.start..hit.end).unwrap_or(""));
        Self::replaced(detector, hit, text, writing.of(by))
    }

    fn replaced(detector: &dyn Detector, hit: Hit, text: &str, by: String) -> Self {
        let value = text.get(hit.start..hit.end).unwrap_or("");
        Self { fingerprint: detector.fingerprint(&hit, value), hit, by }
    }
}

impl Part {
    fn new(known: Known, spots: &[Spot], before: u64) -> Option<Self> {
        let [from, to] = spots else { return None };
        Some(Self {
            known,
            raw: from.raw..to.raw,
            code_points: before + from.code_points..before + to.code_points,
            is_number: false,
            continues: false,
        })
    }
}
