//! Writes replace what was there before, or add to it.

/// A write replaces what a file held, or the values that a setting had, or it adds to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteMode {
    Replace,
    Append,
}
