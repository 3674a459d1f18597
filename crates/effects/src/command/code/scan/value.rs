//! What a program builds before it hands it to a call.

use agent_strace_shell::Provenance;

use super::DEPTH;

/// What an argument is known to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::command::code) enum Value {
    Text(String),
    List(Vec<Value>),
    /// A path object, or a file opened from one.
    Path(String),
    Number(i32),
    Module(String),
    /// Files that a pattern matches.
    Glob(String),
    /// `name=value`.
    Named(String, Box<Value>),
    /// An object of a class that the table lists.
    Object(usize),
    /// A function with effects that is passed on.
    Function(String),
    /// One of these: the variable of a loop.
    Each(Vec<Value>),
    /// A text that nobody knows, from a known origin.
    Foreign(Provenance),
    Unknown,
}

impl Value {
    /// What a copy of it costs; `None`: more than `limit`, or it is nested too deeply.
    pub(super) fn weight(&self, limit: usize) -> Option<usize> {
        let mut left = limit;
        self.charge(&mut left, DEPTH)?;
        Some(limit - left)
    }

    fn charge(&self, left: &mut usize, depth: usize) -> Option<()> {
        const BYTES: usize = 64;
        let depth = depth.checked_sub(1)?;
        let own = match self {
            Self::Text(text) | Self::Path(text) | Self::Glob(text) | Self::Module(text) | Self::Function(text) => {
                text.len() / BYTES
            }
            _ => 0,
        };
        *left = left.checked_sub(1 + own)?;
        match self {
            Self::List(list) | Self::Each(list) => list.iter().try_for_each(|value| value.charge(left, depth)),
            Self::Named(_, value) => value.charge(left, depth),
            _ => Some(()),
        }
    }
}
