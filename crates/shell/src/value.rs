//! What is known about a piece of text.

/// A longer value is not followed: a text that doubles a variable forty times must not cost memory.
const MAX_VALUE: usize = 64 * 1024;

/// A stretch of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Known text. `quoted`: it is neither split nor a glob.
    Text { text: String, quoted: bool },
    /// Active glob text.
    Glob(String),
    /// An active tilde: a home directory.
    Tilde(Option<String>),
    /// Any text, but probably this one: an unset variable is empty unless the environment sets it.
    Likely(String),
    /// Some text that this pattern of ours matches: what a loop over `src/*.rs` holds.
    Matching(String),
    /// Any text.
    Unknown,
    /// What the environment gave the shell under this name, and no script made: any text, but not an empty one.
    Inherited,
    /// The end of a field. `hard`: the field counts even if it is empty.
    Break { hard: bool },
}

impl Piece {
    /// Bytes it takes, about.
    pub fn size(&self) -> usize {
        let text = match self {
            Self::Text { text, .. } | Self::Glob(text) | Self::Likely(text) | Self::Matching(text) => text.len(),
            Self::Tilde(_) | Self::Unknown | Self::Inherited | Self::Break { .. } => 0,
        };
        text + size_of::<Self>()
    }
}

/// The value of a variable, of a parameter or of an array's element. It holds no globs and no breaks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Value {
    pieces: Vec<Piece>,
}

impl Value {
    pub fn known(text: impl Into<String>) -> Self {
        Self::new(vec![Piece::Text { text: text.into(), quoted: true }])
    }

    pub fn unknown() -> Self {
        Self { pieces: vec![Piece::Unknown] }
    }

    pub fn inherited() -> Self {
        Self { pieces: vec![Piece::Inherited] }
    }

    /// Some text that a pattern (of a [`super::Field`]) matches.
    pub fn matching(pattern: impl Into<String>) -> Self {
        Self { pieces: vec![Piece::Matching(pattern.into())] }
    }

    pub fn likely(text: impl Into<String>) -> Self {
        Self { pieces: vec![Piece::Likely(text.into())] }
    }

    pub fn home() -> Self {
        Self { pieces: vec![Piece::Tilde(None)] }
    }

    /// A value from what a word expanded to: globs are text in a value.
    pub fn new(pieces: Vec<Piece>) -> Self {
        let mut value = Self::default();
        let mut length = 0;
        for piece in pieces {
            let piece = match piece {
                Piece::Glob(text) | Piece::Text { text, .. } => Piece::Text { text, quoted: true },
                Piece::Break { .. } => Piece::Text { text: " ".to_owned(), quoted: true },
                other => other,
            };
            length += match &piece {
                Piece::Text { text, .. } | Piece::Likely(text) | Piece::Matching(text) => text.len(),
                _ => 1,
            };
            if length > MAX_VALUE {
                return Self::unknown();
            }
            match (value.pieces.last_mut(), piece) {
                (Some(Piece::Text { text: last, .. }), Piece::Text { text, .. }) => last.push_str(&text),
                (_, piece) => value.pieces.push(piece),
            }
        }
        value
    }

    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The text, where all of it is known. A tilde is not: it is a home directory.
    pub fn text(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text { text, .. }] => Some(text),
            _ => None,
        }
    }

    /// The text, or what it probably is.
    pub fn best(&self) -> Option<String> {
        let mut best = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text { text, .. } | Piece::Likely(text) => best.push_str(text),
                Piece::Tilde(user) => {
                    best.push('~');
                    best.push_str(user.as_deref().unwrap_or_default());
                }
                Piece::Glob(_) | Piece::Matching(_) | Piece::Unknown | Piece::Inherited | Piece::Break { .. } => {
                    return None;
                }
            }
        }
        Some(best)
    }

    /// Whether all of it is what the environment gave.
    pub(crate) fn is_inherited(&self) -> bool {
        self.pieces == [Piece::Inherited]
    }

    /// The name and the value of `name=value`, where it is plain what stands before the sign.
    pub fn assigned(&self) -> Option<(&str, Self)> {
        let (Piece::Text { text, .. }, rest) = self.pieces.split_first()? else { return None };
        let (name, text) = text.split_once('=')?;
        let start = Piece::Text { text: text.to_owned(), quoted: true };
        let start = (!text.is_empty()).then_some(start);
        Some((name, Self::new(start.into_iter().chain(rest.iter().cloned()).collect())))
    }

    /// The same text, but it may be another.
    pub fn doubted(&self) -> Self {
        self.best().map_or_else(Self::unknown, Self::likely)
    }

    pub fn appended(&self, more: &Self) -> Self {
        Self::new(self.pieces.iter().chain(&more.pieces).cloned().collect())
    }
}
