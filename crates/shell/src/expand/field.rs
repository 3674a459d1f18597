//! Fragments → fields.

use super::group;
use crate::Quoting;
use crate::value::{EmptyField, Fragment, Provenance, Value};

/// More fields than this are not told apart.
pub(super) const MAX_FIELDS: usize = 4096;

/// Texts that one field may be.
const MAX_READINGS: usize = 8;

/// All fields of a word together may have this many bytes.
const MAX_TEXT: usize = 1 << 20;

/// One field a word expands to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Exact: the text. Pattern: a glob in the dialect of `effects::PathTarget` (`*` within a component, `**` for any
    /// unknown text, literal metacharacters in a class). Unknown: the word as written.
    pub text: String,
    pub knowledge: Knowledge,
    /// The leading `~` of the text is a home directory; without this it is a plain character.
    pub tilde: bool,
    /// What the field probably is if it is not exact: unset variables are empty, defaults apply.
    pub likely: Option<String>,
    /// Texts that the script assigned, of which the field may be any one.
    pub readings: Vec<String>,
    /// The pattern that the unknown field matches unless blanks split it.
    pub unsplit: Option<String>,
    /// The origin of a part of the text that is not known.
    pub provenance: Option<Provenance>,
}

/// How well a field is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knowledge {
    Exact,
    Pattern,
    /// A pattern in which `**` stands for text that nobody knows, `..` and blanks among it.
    Partly,
    Unknown,
}

impl Field {
    pub fn exact(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            knowledge: Knowledge::Exact,
            tilde: false,
            likely: None,
            unsplit: None,
            readings: Vec::new(),
            provenance: None,
        }
    }

    pub fn unknown(source: &str) -> Self {
        Self { knowledge: Knowledge::Unknown, ..Self::exact(source) }
    }
}

/// The fields of a word so far.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) all: Vec<Field>,
    bytes: usize,
}

impl Fields {
    /// One more; false if they are too many or too long.
    fn push(&mut self, field: Field) -> bool {
        self.bytes += field.text.len() + field.likely.as_ref().map_or(0, String::len);
        self.bytes += field.readings.iter().map(String::len).sum::<usize>();
        self.all.push(field);
        self.all.len() <= MAX_FIELDS && self.bytes <= MAX_TEXT
    }
}

/// Splits fragments into fields; false if they are too many or too long. `lone_empty` says whether an empty field
/// counts that is the only one.
pub(super) fn collect(
    fragments: &[Fragment],
    separators: &str,
    source: &str,
    lone_empty: EmptyField,
    fields: &mut Fields,
) -> bool {
    let mut length = 0_usize;
    let mut split = Split { separators, current: Vec::new(), all: Vec::new() };
    for fragment in fragments {
        if let Fragment::Text { text, .. } | Fragment::Glob(text) = fragment {
            length += text.len();
        }
        if length > MAX_TEXT || split.all.len() > MAX_FIELDS {
            return false;
        }
        split.fragment(fragment);
    }
    split.end(EmptyField::Removed);
    let only_empty = split.all.len() == 1
        && split
            .all
            .iter()
            .flatten()
            .all(|fragment| matches!(fragment, Fragment::Text { text, .. } if text.is_empty()));
    let is_removed = lone_empty == EmptyField::Removed && only_empty;
    is_removed
        || split.all.iter().all(|field| match group::ways(field) {
            Some(ways) => ways.iter().all(|way| fields.push(render(way, source))),
            None => fields.push(render(field, source)),
        })
}

/// One field, nothing split.
pub fn joined(value: &Value, source: &str) -> Field {
    render(value.fragments(), source)
}

/// A field as an array's element.
pub(super) fn into_value(field: Field) -> Value {
    if let Some(provenance) = field.provenance {
        return Value::foreign(provenance);
    }
    match (field.knowledge, field.likely) {
        (Knowledge::Exact, _) if field.tilde => {
            let rest = field.text.get(1..).unwrap_or_default();
            let (user, path) = rest.split_at_checked(rest.find('/').unwrap_or(rest.len())).unwrap_or_default();
            let user = (!user.is_empty()).then(|| user.to_owned());
            Value::new(vec![Fragment::Tilde(user), Fragment::quoted(path)])
        }
        (Knowledge::Exact, _) => Value::known(field.text),
        (_, Some(likely)) => Value::likely(likely),
        (_, None) => Value::unknown(),
    }
}

struct Split<'a> {
    separators: &'a str,
    current: Vec<Fragment>,
    all: Vec<Vec<Fragment>>,
}

impl Split<'_> {
    fn fragment(&mut self, fragment: &Fragment) {
        match fragment {
            Fragment::Text { text, quoting: Quoting::Unquoted } => self.text(text),
            Fragment::Break(empty) => self.end(*empty),
            other => self.current.push(other.clone()),
        }
    }

    /// Splits text that an expansion brought, and finds its globs.
    fn text(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = rest.find(|c| self.separators.contains(c)) {
            let (before, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
            self.globbed(before);
            let gap = behind.len() - behind.trim_start_matches(|c| self.separators.contains(c)).len();
            let marks = behind.get(..gap).unwrap_or_default().chars().filter(|c| !c.is_ascii_whitespace()).count();
            // Each separator that is no white space ends a field, also an empty one.
            self.end(if marks > 0 { EmptyField::Retained } else { EmptyField::Removed });
            for _ in 1..marks {
                self.end(EmptyField::Retained);
            }
            rest = behind.get(gap..).unwrap_or_default();
        }
        self.globbed(rest);
    }

    fn globbed(&mut self, text: &str) {
        let mut plain = String::new();
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            let glob = match character {
                '*' | '?' => character.to_string(),
                '[' => {
                    let Some((inner, behind)) = class(rest.as_str()) else {
                        plain.push('[');
                        continue;
                    };
                    rest = behind.chars();
                    format!("[{inner}]")
                }
                _ => {
                    plain.push(character);
                    continue;
                }
            };
            if !plain.is_empty() {
                self.current.push(Fragment::quoted(std::mem::take(&mut plain)));
            }
            self.current.push(Fragment::Glob(glob));
        }
        if !plain.is_empty() {
            self.current.push(Fragment::quoted(plain));
        }
    }

    fn end(&mut self, empty: EmptyField) {
        if empty == EmptyField::Retained || !self.current.is_empty() {
            self.all.push(std::mem::take(&mut self.current));
        }
    }
}

/// The inside of a class whose `[` has been read, and what follows it. Classes are short: looking far ahead for each
/// bracket would be quadratic.
fn class(rest: &str) -> Option<(&str, &str)> {
    let near = rest.get(..rest.floor_char_boundary(256))?;
    let (inner, _) = near.split_once(']')?;
    let behind = rest.get(inner.len() + 1..)?;
    (!inner.is_empty() && !inner.contains('/')).then_some((inner, behind))
}

fn render(fragments: &[Fragment], source: &str) -> Field {
    let is_empty = |fragment: &&Fragment| matches!(fragment, Fragment::Text { text, .. } if text.is_empty());
    let first = fragments.iter().find(|fragment| !is_empty(fragment));
    let mut rendering = Rendering { tilde: matches!(first, Some(Fragment::Tilde(_))), ..Rendering::default() };
    for fragment in fragments {
        rendering.push(fragment);
    }
    let unsplit = fragments.iter().any(|fragment| matches!(fragment, Fragment::Splitting(_)));
    let unsplit = unsplit.then(|| rendered_unsplit(fragments, source)).flatten();
    Field { unsplit, ..rendering.field(fragments, source) }
}

/// The pattern of a field whose names are not split.
fn rendered_unsplit(fragments: &[Fragment], source: &str) -> Option<String> {
    let whole = fragments.iter().map(|fragment| match fragment {
        Fragment::Splitting(text) => Fragment::Matching(text.clone()),
        other => other.clone(),
    });
    let field = render(&whole.collect::<Vec<_>>(), source);
    (field.knowledge == Knowledge::Pattern).then_some(field.text)
}

/// The texts that known and assigned stretches make in all their combinations.
fn readings(fragments: &[Fragment]) -> Vec<String> {
    let mut all = vec![String::new()];
    for fragment in fragments {
        let next: Vec<&str> = match fragment {
            Fragment::Text { text, .. } | Fragment::Likely(text) => vec![text],
            Fragment::Tilde(user) => vec!["~", user.as_deref().unwrap_or_default()],
            Fragment::Either(texts) if all.len() == MAX_READINGS => {
                texts.first().map(String::as_str).into_iter().collect()
            }
            Fragment::Either(texts) => {
                let longer = all.iter().flat_map(|start| texts.iter().map(move |text| format!("{start}{text}")));
                all = longer.take(MAX_READINGS).collect();
                continue;
            }
            _ => continue,
        };
        for start in &mut all {
            start.extend(next.iter().copied());
        }
    }
    all
}

/// A field while it is put together.
#[derive(Debug, Default)]
struct Rendering {
    /// It starts with a tilde that stands for a home directory.
    tilde: bool,
    /// The text, as long as all of it is known.
    plain: String,
    pattern: String,
    likely: String,
    /// A stretch of it is not known, or only if a variable is unset.
    is_unread: bool,
    /// Groups of the pattern that are open.
    groups: usize,
    is_inexact: bool,
    has_text: bool,
    is_likely: bool,
    is_unknown: bool,
    /// A stretch of it may be any text.
    is_open: bool,
    provenance: Option<Provenance>,
}

impl Rendering {
    fn push(&mut self, fragment: &Fragment) {
        match fragment {
            Fragment::Text { text, .. } => {
                self.has_text |= !text.is_empty();
                self.plain.push_str(text);
                self.likely.push_str(text);
                if self.groups == 0 {
                    escape(text, &mut self.pattern);
                }
            }
            Fragment::Tilde(user) => {
                self.has_text = true;
                let text = format!("~{}", user.as_deref().unwrap_or_default());
                self.plain.push_str(&text);
                self.likely.push_str(&text);
                self.pattern.push_str(&text);
            }
            Fragment::Glob(text) => self.glob(text),
            Fragment::Likely(text) => {
                (self.is_inexact, self.is_likely, self.is_open) = (true, true, true);
                self.likely.push_str(text);
                self.is_unread |= text.is_empty();
                any(&mut self.pattern);
            }
            Fragment::Either(texts) => {
                (self.is_inexact, self.is_likely, self.is_open) = (true, true, true);
                self.likely.push_str(texts.first().map_or("", String::as_str));
                any(&mut self.pattern);
            }
            Fragment::Matching(text) => {
                (self.is_inexact, self.has_text, self.is_unknown) = (true, true, true);
                self.pattern.push_str(text);
            }
            Fragment::Splitting(_)
            | Fragment::Unknown
            | Fragment::Foreign(_)
            | Fragment::Inherited
            | Fragment::Break(_) => {
                if let Fragment::Foreign(provenance) = fragment {
                    self.provenance = self.provenance.max(Some(*provenance));
                }
                (self.is_inexact, self.is_unknown, self.is_open) = (true, true, true);
                any(&mut self.pattern);
            }
        }
    }

    fn glob(&mut self, text: &str) {
        (self.is_inexact, self.has_text, self.is_unread) = (true, true, true);
        // A class of one is that character, or nothing.
        match text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            Some(member) if member.chars().count() == 1 => {
                self.is_likely = true;
                self.likely.push_str(member);
            }
            _ => self.likely.push_str(text),
        }
        glob(text, &mut self.groups, &mut self.pattern);
    }

    fn field(self, fragments: &[Fragment], source: &str) -> Field {
        let likely = (self.is_likely && !self.is_unknown).then_some(self.likely);
        let (text, knowledge) = match (self.is_inexact, self.has_text) {
            (false, _) => (self.plain, Knowledge::Exact),
            (true, true) if self.is_open => (self.pattern, Knowledge::Partly),
            (true, true) => (self.pattern, Knowledge::Pattern),
            (true, false) => (source.to_owned(), Knowledge::Unknown),
        };
        let tilde = self.tilde && knowledge != Knowledge::Unknown;
        let is_read =
            likely.is_some() && !self.is_unread && matches!(knowledge, Knowledge::Partly | Knowledge::Unknown);
        let readings = if is_read { readings(fragments) } else { Vec::new() };
        Field { text, knowledge, tilde, likely, readings, unsplit: None, provenance: self.provenance }
    }
}

fn escape(text: &str, pattern: &mut String) {
    for character in text.chars() {
        match character {
            '*' => pattern.push_str("[*]"),
            '?' => pattern.push_str("[?]"),
            '[' => pattern.push_str("[[]"),
            other => pattern.push(other),
        }
    }
}

/// Any text at all.
fn any(pattern: &mut String) {
    while pattern.ends_with('*') {
        pattern.pop();
    }
    pattern.push_str("**");
}

/// Active glob text of the shell in our dialect. A group (`!(a|b)`) is any text, also one that starts with a dot: it may say
/// so, and zsh has qualifiers (`*(D)`). `groups` counts those that are open.
fn glob(text: &str, groups: &mut usize, pattern: &mut String) {
    let mut class = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let opens = matches!(character, '@' | '?' | '*' | '+' | '!') && characters.peek() == Some(&'(');
        match character {
            _ if opens && !class => {
                characters.next();
                *groups += 1;
                dotted_star(pattern);
            }
            ')' if *groups > 0 => *groups -= 1,
            _ if *groups > 0 => {}
            // Some shells let `**` cross directories, bash does if it is told to.
            '*' if !class && pattern.is_empty() | pattern.ends_with('/') && crosses(&mut characters) => {
                pattern.push_str("**");
            }
            '*' if !class => star(pattern),
            other => {
                class = (class || other == '[') && other != ']';
                pattern.push(other);
            }
        }
    }
}

/// What follows the `*` that starts a component makes it `**/`, or `**` at the end.
fn crosses(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    let mut ahead = characters.clone();
    let whole = ahead.next() == Some('*') && matches!(ahead.next(), None | Some('/'));
    if whole {
        characters.next();
    }
    whole
}

/// Any text within a component. At its start, a dot may be the first character.
fn dotted_star(pattern: &mut String) {
    if pattern.is_empty() || pattern.ends_with('/') { pattern.push_str("***") } else { star(pattern) }
}

fn star(pattern: &mut String) {
    if !pattern.ends_with('*') {
        pattern.push('*');
    }
}
