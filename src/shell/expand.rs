//! Words → fields.

/// One field a word expands to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    /// Exact: the text. Pattern: a glob in the dialect of `effects::PathTarget` (`*` within a component, `**` for any
    /// unknown text, literal metacharacters in a class). Unknown: the word as written.
    pub(crate) text: String,
    pub(crate) knowledge: Knowledge,
    /// The word as written.
    pub(crate) source: String,
}

/// How well a field is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Knowledge {
    Exact,
    Pattern,
    Unknown,
}
