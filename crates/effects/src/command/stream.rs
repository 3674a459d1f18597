//! Knowledge about text that flows from one command to the next.

use std::borrow::Cow;

use agent_strace_shell::{Provenance, Value};

use super::argument::{Arg, Known};

/// Longer texts are not followed.
const LIMIT: usize = 256 * 1024;

/// Standard input or output as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Nobody connected anything: input is what the agent's tool left open.
    Unconnected,
    Known(String),
    /// Probably this, but not certainly (`a || echo x`).
    Likely(String),
    /// Names of files, one a line, that match these globs.
    Names(Vec<Arg>),
    Unknown,
    /// Text that nobody knows, from a known origin.
    Foreign(Provenance),
}

impl Stream {
    pub(crate) fn nothing() -> Self {
        Self::Known(String::new())
    }

    /// Follows a text unless it is too long.
    pub(crate) fn of(text: String) -> Self {
        if text.len() > LIMIT { Self::Unknown } else { Self::Known(text) }
    }

    /// The number of its bytes that are known.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Known(text) | Self::Likely(text) => text.len(),
            Self::Names(names) => names.iter().map(|name| size_of::<Arg>() + name.text.len()).sum(),
            Self::Unconnected | Self::Unknown | Self::Foreign(_) => 0,
        }
    }

    pub(crate) fn is_connected(&self) -> bool {
        *self != Self::Unconnected
    }

    /// The origin of a text that nobody knows.
    pub(crate) fn provenance(&self) -> Option<Provenance> {
        if let Self::Foreign(provenance) = self { Some(*provenance) } else { None }
    }

    /// Something is known of its text.
    pub(crate) fn is_readable(&self) -> bool {
        matches!(self, Self::Known(_) | Self::Likely(_))
    }

    /// What a program that copies its input prints: what nobody connected holds any text.
    pub(crate) fn copied(&self) -> Self {
        if self.is_connected() { self.clone() } else { Self::Unknown }
    }

    /// This, then `next`.
    pub(crate) fn then(self, next: Self) -> Self {
        match (self, next) {
            (Self::Unconnected, other) | (other, Self::Unconnected) => other,
            (Self::Known(first), other) if first.is_empty() => other,
            (other, Self::Known(second)) if second.is_empty() => other,
            (Self::Known(first), Self::Known(second)) => Self::of(first + &second),
            (Self::Known(first) | Self::Likely(first), Self::Known(second) | Self::Likely(second)) => {
                Self::of(first + &second).doubted()
            }
            (Self::Names(mut first), Self::Names(second)) => {
                first.extend(second);
                Self::Names(first)
            }
            (Self::Foreign(first), Self::Foreign(second)) => Self::Foreign(first.max(second)),
            (Self::Foreign(provenance), _) | (_, Self::Foreign(provenance)) => Self::Foreign(provenance),
            _ => Self::Unknown,
        }
    }

    /// One pattern for all names that it carries, if one of theirs covers the others, as the value of a variable.
    pub(crate) fn matching(&self) -> Option<Value> {
        let Self::Names(names) = self else { return None };
        if let [name] = names.as_slice()
            && name.known == Known::Glob
        {
            return Some(name.value());
        }
        let patterns: Vec<Cow<'_, str>> = names.iter().map(Arg::pattern).collect::<Option<_>>()?;
        let widest = patterns.iter().find(|wide| patterns.iter().all(|other| covers(wide, other)))?;
        Some(Value::matching(widest.clone()))
    }

    /// Joins the streams of two ways: it carries one of the two texts.
    pub(crate) fn or(self, other: Self) -> Self {
        if self == other {
            return self;
        }
        match (self, other) {
            (Self::Foreign(first), Self::Foreign(second)) => Self::Foreign(first.max(second)),
            (Self::Foreign(provenance), _) | (_, Self::Foreign(provenance)) => Self::Foreign(provenance),
            (Self::Known(one) | Self::Likely(one), Self::Known(other) | Self::Likely(other)) => {
                match Self::of(one + "\n" + &other) {
                    Self::Known(either) => Self::Likely(either),
                    unknown => unknown,
                }
            }
            (Self::Known(text) | Self::Likely(text), _) | (_, Self::Known(text) | Self::Likely(text)) => {
                Self::Likely(text)
            }
            _ => Self::Unknown,
        }
    }

    /// The same, where it may not have happened.
    pub(crate) fn doubted(self) -> Self {
        match self {
            Self::Known(text) if !text.is_empty() => Self::Likely(text),
            other => other,
        }
    }

    /// What a program prints of this input where nothing else is known of its output.
    pub(crate) fn or_passed_on(self, input: &Self) -> Self {
        match (self, input) {
            (Self::Unknown, Self::Foreign(provenance)) => Self::Foreign(*provenance),
            (output, _) => output,
        }
    }

    /// What a program makes of it that decodes or unpacks: not known, unless it is computed.
    pub(crate) fn decoded(&self) -> Self {
        Self::Foreign(if let Self::Foreign(provenance) = self { *provenance } else { Provenance::Decoded })
    }

    /// The text, where all of it is known.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Known(text) => Some(text),
            Self::Unconnected | Self::Likely(_) | Self::Names(_) | Self::Unknown | Self::Foreign(_) => None,
        }
    }
}

/// Returns whether a pattern matches all names that another matches, as far as their text shows.
fn covers(wide: &str, other: &str) -> bool {
    // `*` in the place of a name that may be a file would lose what the command spells.
    let is_one_name = |name: &str| !name.contains(['/', '.']) && !name.contains("**");
    match wide.strip_suffix("**").map(|start| start.trim_end_matches('/')) {
        Some("" | ".") => true,
        Some(start) => other == start || other.strip_prefix(start).is_some_and(|rest| rest.starts_with('/')),
        None => wide == other || wide == "*" && is_one_name(other),
    }
}
