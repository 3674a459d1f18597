//! Lists and objects within a text: elements are added at the end and taken out again, and no other byte changes.
//!
//! Nothing beside the text says what a file was before. The white space before an element does: an element that follows
//! an opening bracket after exactly one space was added to brackets that were empty, which stay when it is taken out.

use std::ops::Range;

/// How a language begins a comment that ends with its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comments {
    /// `//`, and `/* */` besides.
    Slashes,
    /// `#`
    Hash,
}

/// The white space between elements, besides commas.
const WHITE_SPACE: [char; 4] = [' ', '\t', '\r', '\n'];
/// Before the first element of brackets that were empty.
pub(super) const WERE_EMPTY: &str = " ";

/// A list or an object, from its opening to its closing bracket.
#[derive(Debug, Clone)]
pub(super) struct Brackets<'t> {
    pub(super) text: &'t str,
    pub(super) comments: Comments,
    pub(super) range: Range<usize>,
    pub(super) elements: Vec<Range<usize>>,
}

/// A piece of a text that gives way to another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

impl Edit {
    pub(super) fn insert(at: usize, text: String) -> Self {
        Self { range: at..at, text }
    }

    pub(super) fn remove(range: Range<usize>) -> Self {
        Self { range, text: String::new() }
    }

    /// The text with all of the edits, which do not overlap.
    pub(super) fn apply(text: &str, mut edits: Vec<Self>) -> String {
        edits.sort_by_key(|edit| edit.range.start);
        let (mut edited, mut at) = (String::new(), 0);
        for edit in edits {
            edited += text.get(at..edit.range.start).unwrap_or_default();
            edited += &edit.text;
            at = edit.range.end;
        }
        edited + text.get(at..).unwrap_or_default()
    }
}

/// The line break that a text uses.
pub(super) fn line_break(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

impl<'t> Brackets<'t> {
    /// Adds elements after the last one, each behind the separator.
    pub(super) fn append(&self, separator: &str, new: &[String]) -> Vec<Edit> {
        let joined = new.join(&format!(",{separator}"));
        let Some(last) = self.elements.last() else {
            return vec![Edit::insert(self.range.start + 1, format!("{WERE_EMPTY}{joined}"))];
        };
        let after = self.skip(last.end);
        if self.rest(after).starts_with(',') {
            let at = self.end_of_comments(after + 1);
            return vec![Edit::insert(at, format!("{separator}{joined},"))];
        }
        let at = self.end_of_comments(last.end);
        if at == last.end {
            return vec![Edit::insert(at, format!(",{separator}{joined}"))];
        }
        vec![Edit::insert(last.end, ",".to_owned()), Edit::insert(at, format!("{separator}{joined}"))]
    }

    /// Takes an element out, with the white space before it and the comma that it needed.
    pub(super) fn without(&self, index: usize) -> Vec<Edit> {
        let Some(element) = self.elements.get(index) else { return Vec::new() };
        let before = self.text.get(..element.start).unwrap_or_default().trim_end_matches(WHITE_SPACE).len();
        let comma = self.skip(element.end);
        let has_comma = self.rest(comma).starts_with(',');
        let after = if has_comma && comma == element.end { comma + 1 } else { element.end };
        let mut edits = vec![Edit::remove(self.cut(index, before, after)..element.end)];
        if has_comma {
            edits.push(Edit::remove(comma..comma + 1));
        } else if let Some(previous) = index.checked_sub(1).and_then(|index| self.elements.get(index)) {
            let comma = self.skip(previous.end);
            edits.push(Edit::remove(comma..comma + 1));
        }
        edits
    }

    /// The only element was added to brackets that were empty.
    pub(super) fn were_empty(&self) -> bool {
        self.lead() == WERE_EMPTY
    }

    /// The text before the first element.
    pub(super) fn lead(&self) -> &'t str {
        let first = self.elements.first().map_or(self.range.end, |first| first.start);
        self.text.get(self.range.start + 1..first).unwrap_or_default()
    }

    /// The white space with which the line of an element begins, where nothing else is before it.
    pub(super) fn indentation(&self) -> Option<&'t str> {
        let last = self.elements.last()?;
        let line = self.text.get(..last.start)?;
        let line = line.get(line.rfind('\n')? + 1..)?;
        line.trim_start_matches([' ', '\t']).is_empty().then_some(line)
    }

    pub(super) fn is_on_one_line(&self) -> bool {
        !self.text.get(self.range.clone()).unwrap_or_default().contains('\n')
    }

    fn rest(&self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or_default()
    }

    /// The next place that is neither white space nor a comment.
    fn skip(&self, mut at: usize) -> usize {
        loop {
            let rest = self.rest(at);
            let is_space = rest.len() - rest.trim_start_matches(WHITE_SPACE).len();
            let length = is_space + self.comment(rest.get(is_space..).unwrap_or_default());
            if length == 0 {
                return at;
            }
            at += length;
        }
    }

    /// The length of the comment at the start of the text, without white space at its end.
    fn comment(&self, text: &str) -> usize {
        let (line, block) = match self.comments {
            Comments::Slashes => ("//", Some("/*")),
            Comments::Hash => ("#", None),
        };
        if text.starts_with(line) {
            return text.split('\n').next().unwrap_or_default().trim_end_matches(WHITE_SPACE).len();
        }
        match block {
            Some(block) if text.starts_with(block) => text.find("*/").map_or(text.len(), |end| end + 2),
            _ => 0,
        }
    }

    /// The end of the comments that follow on the same line: they are about what is before them.
    fn end_of_comments(&self, from: usize) -> usize {
        let (mut end, mut at) = (from, from);
        loop {
            let rest = self.rest(at);
            at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
            let rest = self.rest(at);
            let length = self.comment(rest);
            if length == 0 || rest.get(..length).is_none_or(|comment| comment.contains('\n')) {
                return end;
            }
            at += length;
            end = at;
        }
    }

    /// Where to cut before an element: what follows it does not become part of a comment before it.
    fn cut(&self, index: usize, before: usize, after: usize) -> usize {
        let breaks = self.rest(after).trim_start_matches([' ', '\t']).starts_with(['\r', '\n']);
        if breaks || !self.ends_in_line_comment(index, before) {
            return before;
        }
        self.rest(before).find('\n').map_or(before, |at| before + at + 1)
    }

    /// The text between an element and the one before it ends in a comment that ends with its line.
    fn ends_in_line_comment(&self, index: usize, end: usize) -> bool {
        let previous = index.checked_sub(1).and_then(|index| self.elements.get(index));
        let mut at = previous.map_or(self.range.start + 1, |previous| previous.end);
        let mut is_line_comment = false;
        while at < end {
            let rest = self.rest(at);
            let length = self.comment(rest);
            is_line_comment = match length {
                0 => is_line_comment && rest.starts_with(WHITE_SPACE),
                _ => !rest.starts_with("/*"),
            };
            at += length.max(1);
        }
        is_line_comment && at == end
    }
}
