//! Who acts, and which parts of a policy are for whom: the key `agents`.
//!
//! A part judges beside the rest of the policy and the strictest judgement counts, so a part only narrows. That decides
//! what happens where a log does not say who acts: the part holds. A session that recorded several permission modes was
//! in all of them, because a log does not tell reliably which call was made in which.

use std::borrow::Cow;

use super::glob::Glob;

/// Who does something, as far as the log says.
#[derive(Debug, Clone, Copy, Default)]
pub struct Actor<'a> {
    /// The agent of the session (`claude-code`); `None` where the log does not name one.
    pub agent: Option<&'a str>,
    pub part: Part<'a>,
    /// Every permission mode that the session recorded, in the agent's own words.
    pub modes: &'a [Cow<'a, str>],
}

/// Who acts for a session.
#[derive(Debug, Clone, Copy, Default)]
pub enum Part<'a> {
    /// The agent itself.
    #[default]
    Main,
    /// A sub-agent by its type and its id, as far as they are known.
    Subagent { names: &'a [&'a str], kind: Known },
}

/// Whether the type of a sub-agent is among its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    Kind,
    /// Only an id is known, if anything.
    Id,
}

/// Who a part of a policy is for.
#[derive(Debug, Clone)]
pub(super) enum Selector {
    Main,
    Subagent(Glob),
    Agent(Glob),
    Mode(Glob),
}

/// Whether a part holds for who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Holds {
    No,
    Yes,
    /// The log does not say; why that may be so.
    Perhaps(&'static str),
}

/// The selectors, for messages.
pub(super) const SELECTORS: &[&str] = &["main", "subagent:", "agent:", "mode:"];

impl Selector {
    /// `None`: it is no selector, or has no pattern.
    pub(super) fn new(text: &str) -> Option<Self> {
        if text == "main" {
            return Some(Self::Main);
        }
        let (kind, pattern) = text.split_once(':')?;
        let glob = Glob::fnmatch(&pattern.to_lowercase());
        match kind {
            _ if pattern.trim().is_empty() => None,
            "subagent" => Some(Self::Subagent(glob)),
            "agent" => Some(Self::Agent(glob)),
            "mode" => Some(Self::Mode(glob)),
            _ => None,
        }
    }

    pub(super) fn holds(&self, actor: &Actor<'_>) -> Holds {
        let matches = |glob: &Glob, name: &str| glob.matches(&name.to_lowercase());
        let yes = |holds: bool| if holds { Holds::Yes } else { Holds::No };
        match (self, actor.part) {
            (Self::Main, part) => yes(matches!(part, Part::Main)),
            (Self::Subagent(_), Part::Main) => Holds::No,
            (Self::Subagent(glob), Part::Subagent { names, kind }) => {
                // Every name, the empty one too.
                if names.iter().any(|name| matches(glob, name)) || matches(glob, "") {
                    Holds::Yes
                } else if kind == Known::Id {
                    Holds::Perhaps("the log does not name the sub-agent's type")
                } else {
                    Holds::No
                }
            }
            (Self::Agent(glob), _) => match actor.agent {
                Some(agent) => yes(matches(glob, agent)),
                None => Holds::Perhaps("the log does not name the agent"),
            },
            (Self::Mode(_), _) if actor.modes.is_empty() => Holds::Perhaps("the log records no permission mode"),
            (Self::Mode(glob), _) => yes(actor.modes.iter().any(|mode| matches(glob, mode))),
        }
    }
}

/// A selector as it stands in the policy.
#[derive(Debug, Clone)]
pub(super) struct Selected {
    pub(super) text: String,
    pub(super) selector: Selector,
}
