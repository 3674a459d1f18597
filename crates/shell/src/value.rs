//! What is known about a stretch of text.

use std::collections::BTreeSet;

use super::Quoting;

/// A longer value is not followed: a text that doubles a variable forty times must not cost memory.
const MAX_VALUE: usize = 64 * 1024;

/// Texts of which a value may be one.
const MAX_EITHER: usize = 8;

/// A field that holds no text counts, or it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyField {
    /// `""` is a field.
    Retained,
    /// An unquoted variable without a value is no field.
    Removed,
}

/// Where text comes from that must not run as code unseen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provenance {
    /// A program decoded or unpacked it.
    Decoded,
    /// A program fetched it from another host.
    Network,
    /// It arrives over an open connection, whose other side may type it.
    Socket,
}

/// One stretch of the text that an expansion yields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fragment {
    /// Known text. Quoted, it is neither split nor a glob.
    Text { text: String, quoting: Quoting },
    /// Active glob text.
    Glob(String),
    /// An active tilde: a home directory.
    Tilde(Option<String>),
    /// Any text, but probably this one: an unset variable is empty unless the environment sets it.
    Likely(String),
    /// Any text, but probably one of these: each is what one way through the script leaves.
    Either(Vec<String>),
    /// Some text that this pattern of ours matches: what a loop over `src/*.rs` holds.
    Matching(String),
    /// Such a name without quotes: blanks in it split it, and globs in it find other names.
    Splitting(String),
    /// Any text.
    Unknown,
    /// Any text, from a known origin.
    Foreign(Provenance),
    /// What the environment gave the shell under this name, and no script made: any text, but not an empty one.
    Inherited,
    /// The end of a field.
    Break(EmptyField),
}

impl Fragment {
    /// Known text that is neither split nor a glob.
    pub(crate) fn quoted(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), quoting: Quoting::Quoted }
    }

    /// Bytes it takes, about.
    pub fn size(&self) -> usize {
        let text = match self {
            Self::Text { text, .. }
            | Self::Glob(text)
            | Self::Likely(text)
            | Self::Matching(text)
            | Self::Splitting(text) => text.len(),
            Self::Either(texts) => texts.iter().map(String::len).sum(),
            Self::Tilde(_) | Self::Unknown | Self::Foreign(_) | Self::Inherited | Self::Break(_) => 0,
        };
        text + size_of::<Self>()
    }
}

/// The value of a variable, of a parameter or of an array's element. It holds no globs and no breaks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Value {
    fragments: Vec<Fragment>,
}

impl Value {
    pub fn known(text: impl Into<String>) -> Self {
        Self::new(vec![Fragment::quoted(text)])
    }

    pub fn unknown() -> Self {
        Self { fragments: vec![Fragment::Unknown] }
    }

    /// Any text, from a known origin.
    pub fn foreign(provenance: Provenance) -> Self {
        Self { fragments: vec![Fragment::Foreign(provenance)] }
    }

    pub fn inherited() -> Self {
        Self { fragments: vec![Fragment::Inherited] }
    }

    /// Some text that a pattern (of a [`super::Field`]) matches.
    pub fn matching(pattern: impl Into<String>) -> Self {
        Self { fragments: vec![Fragment::Matching(pattern.into())] }
    }

    /// Some text that a pattern matches which starts with an active tilde: `~/.ssh/*`.
    pub fn matching_in_home(pattern: &str) -> Self {
        let (start, rest) = pattern.split_at(pattern.find('/').unwrap_or(pattern.len()));
        let user = start.strip_prefix('~').filter(|user| !user.is_empty()).map(str::to_owned);
        Self { fragments: vec![Fragment::Tilde(user), Fragment::Matching(rest.to_owned())] }
    }

    /// The value is some text that a pattern matches.
    pub(crate) fn is_match(&self) -> bool {
        matches!(self.fragments.as_slice(), [Fragment::Matching(_)] | [Fragment::Tilde(_), Fragment::Matching(_)])
    }

    pub fn likely(text: impl Into<String>) -> Self {
        Self { fragments: vec![Fragment::Likely(text.into())] }
    }

    pub fn home() -> Self {
        Self { fragments: vec![Fragment::Tilde(None)] }
    }

    /// A value from what a word expanded to: globs are text in a value.
    pub fn new(fragments: Vec<Fragment>) -> Self {
        let mut value = Self::default();
        let mut length = 0;
        for fragment in fragments {
            let fragment = match fragment {
                Fragment::Glob(text) | Fragment::Text { text, .. } => Fragment::quoted(text),
                Fragment::Break(_) => Fragment::quoted(" "),
                other => other,
            };
            length += match &fragment {
                Fragment::Text { text, .. }
                | Fragment::Likely(text)
                | Fragment::Matching(text)
                | Fragment::Splitting(text) => text.len(),
                Fragment::Either(texts) => texts.iter().map(String::len).sum(),
                _ => 1,
            };
            if length > MAX_VALUE {
                return Self::unknown();
            }
            match (value.fragments.last_mut(), fragment) {
                (Some(Fragment::Text { text: last, .. }), Fragment::Text { text, .. }) => last.push_str(&text),
                (_, fragment) => value.fragments.push(fragment),
            }
        }
        value
    }

    /// The cost of a copy, in pieces of text.
    pub(crate) fn items(&self) -> usize {
        self.fragments.iter().map(|fragment| 1 + fragment.size() / 64).sum()
    }

    pub fn fragments(&self) -> &[Fragment] {
        &self.fragments
    }

    /// The text, where all of it is known. A tilde is not: it is a home directory.
    pub fn text(&self) -> Option<&str> {
        match self.fragments.as_slice() {
            [] => Some(""),
            [Fragment::Text { text, .. }] => Some(text),
            _ => None,
        }
    }

    /// The text, or what it probably is.
    pub fn best(&self) -> Option<String> {
        let mut best = String::new();
        for fragment in &self.fragments {
            match fragment {
                Fragment::Text { text, .. } | Fragment::Likely(text) => best.push_str(text),
                Fragment::Either(texts) => best.push_str(texts.first().map_or("", String::as_str)),
                Fragment::Tilde(user) => {
                    best.push('~');
                    best.push_str(user.as_deref().unwrap_or_default());
                }
                Fragment::Glob(_)
                | Fragment::Matching(_)
                | Fragment::Splitting(_)
                | Fragment::Unknown
                | Fragment::Foreign(_)
                | Fragment::Inherited
                | Fragment::Break(_) => {
                    return None;
                }
            }
        }
        Some(best)
    }

    /// Whether all of it is known; a tilde is a home directory.
    pub(crate) fn is_known(&self) -> bool {
        self.fragments.iter().all(|fragment| matches!(fragment, Fragment::Text { .. } | Fragment::Tilde(_)))
    }

    /// Where a part of it comes from that is not known.
    pub fn provenance(&self) -> Option<Provenance> {
        let foreign = self.fragments.iter().filter_map(|fragment| match fragment {
            Fragment::Foreign(provenance) => Some(*provenance),
            _ => None,
        });
        foreign.max()
    }

    /// Any text, from the same origin.
    pub(crate) fn unknown_too(&self) -> Self {
        self.provenance().map_or_else(Self::unknown, Self::foreign)
    }

    /// Whether all of it is what the environment gave.
    pub(crate) fn is_inherited(&self) -> bool {
        self.fragments == [Fragment::Inherited]
    }

    /// The name and the value of `name=value`, where it is plain what stands before the sign.
    pub fn assigned(&self) -> Option<(&str, Self)> {
        let (Fragment::Text { text, .. }, rest) = self.fragments.split_first()? else { return None };
        let (name, text) = text.split_once('=')?;
        let start = Fragment::quoted(text);
        let start = (!text.is_empty()).then_some(start);
        Some((name, Self::new(start.into_iter().chain(rest.iter().cloned()).collect())))
    }

    /// What it is or `other` is, but it may be another text. A text that is there says more than one that is not.
    pub(crate) fn or(&self, other: &Self) -> Self {
        let mut texts: Vec<String> = Vec::new();
        for value in [self, other] {
            match value.fragments.as_slice() {
                [Fragment::Either(more)] => texts.extend(more.iter().cloned()),
                _ => texts.extend(value.best()),
            }
        }
        texts.retain(|text| !text.is_empty());
        let mut seen = BTreeSet::new();
        texts.retain(|text| seen.insert(text.clone()));
        texts.truncate(MAX_EITHER);
        if texts.len() < 2 {
            let is_empty = self.best().is_none_or(|text| text.is_empty());
            return if is_empty { other.doubted() } else { self.doubted() };
        }
        Self { fragments: vec![Fragment::Either(texts)] }
    }

    /// The same text, but it may be another.
    pub fn doubted(&self) -> Self {
        if let [Fragment::Either(_)] = self.fragments.as_slice() {
            return self.clone();
        }
        self.best().map_or_else(|| self.unknown_too(), Self::likely)
    }

    pub fn appended(&self, more: &Self) -> Self {
        Self::new(self.fragments.iter().chain(&more.fragments).cloned().collect())
    }
}
