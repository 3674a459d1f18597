//! The words of an examination: strengths, states, what was looked at, and the answer.

/// How strongly the gate binds the author of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// Nothing judges changes, or something takes that back.
    None,
    /// The author of the change, and everybody sees that.
    Visible,
    /// Its author, if an owner approves.
    Reviewed,
    /// Nobody who can only propose changes: the workflow is not the change's.
    Enforced,
}

impl Strength {
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Visible => "visible",
            Self::Reviewed => "reviewed",
            Self::Enforced => "enforced",
        }
    }
}

/// The result of one examination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// It could not be read: nothing is known.
    Unknown,
    /// It takes the gate out of force.
    Defeated,
    /// It could be stronger.
    Weak,
    Good,
    /// Only the settings of the forge say it.
    Unseen,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Defeated => "defeated",
            Self::Weak => "weak",
            Self::Good => "good",
            Self::Unseen => "unseen",
        }
    }
}

/// One thing that was looked at. All text of the repository in it is hostile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub id: &'static str,
    pub state: State,
    /// Lower case, one line: what it is, and what to do.
    pub message: String,
    /// A file from the top of the repository, and a line of it.
    pub location: Option<(String, u32)>,
    /// The gate is visible at most: an owner who approves may not see what this lets happen.
    pub(super) limits: bool,
}

impl Check {
    pub(super) fn new(id: &'static str, state: State, message: impl Into<String>) -> Self {
        Self { id, state, message: message.into(), location: None, limits: false }
    }

    pub(super) fn limiting(mut self) -> Self {
        self.limits = true;
        self
    }

    /// The gate is not in force with it, as far as is known.
    pub(super) fn is_fatal(&self) -> bool {
        matches!(self.state, State::Defeated | State::Unknown)
    }

    pub(super) fn at(mut self, file: &str, line: u32) -> Self {
        self.location = Some((file.to_owned(), line));
        self
    }
}

/// Something wrong with a gate, before its place in a file is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) id: &'static str,
    pub(super) state: State,
    pub(super) message: String,
    limits: bool,
}

impl Fault {
    fn new(id: &'static str, state: State, message: impl Into<String>) -> Self {
        Self { id, state, message: message.into(), limits: false }
    }

    /// It takes the gate out of force.
    pub(super) fn defeats(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(id, State::Defeated, message)
    }

    /// The doctor can't follow it, so that nothing is known.
    pub(super) fn unknown(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(id, State::Unknown, message)
    }

    /// The author of a change can use it to get around the gate, or may be able to.
    pub(super) fn limits(id: &'static str, message: impl Into<String>) -> Self {
        Self { limits: true, ..Self::new(id, State::Weak, message) }
    }

    pub(super) fn weak(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(id, State::Weak, message)
    }

    /// The gate is not in force with it, as far as is known.
    pub(super) fn is_fatal(&self) -> bool {
        matches!(self.state, State::Defeated | State::Unknown)
    }

    pub(super) fn at(self, file: &str, line: u32) -> Check {
        let check = Check::new(self.id, self.state, self.message).at(file, line);
        if self.limits { check.limiting() } else { check }
    }
}

/// A job that judges changes.
#[derive(Debug, PartialEq, Eq)]
pub struct Gate {
    pub file: String,
    /// The name of the job's check. The rules of a branch require it by this name.
    pub job: String,
    pub(super) key: String,
    pub line: u32,
    /// It is the same whatever the change brings: it runs as it is on the branch that is merged into.
    pub is_independent: bool,
    /// It only shows the verdict of another job of its file, and passes whatever that is.
    pub(super) is_view: bool,
    /// Jobs of its file that it waits for.
    pub(super) needs: Vec<String>,
    /// Other files that are part of it: workflows that it calls.
    pub(super) parts: Vec<String>,
    /// Policies that it names, other than the usual one.
    pub(super) policies: Vec<String>,
    pub(super) checks: Vec<Check>,
}

impl Gate {
    pub(super) fn new(file: &str, job: &str, key: &str, line: u32) -> Self {
        Self {
            file: file.to_owned(),
            job: job.to_owned(),
            key: key.to_owned(),
            line,
            is_independent: false,
            is_view: false,
            needs: Vec::new(),
            parts: Vec::new(),
            policies: Vec::new(),
            checks: Vec::new(),
        }
    }

    /// The strength that it has by itself.
    pub(super) fn strength(&self) -> Strength {
        let has = |test: fn(&Check) -> bool| self.checks.iter().any(test);
        if self.is_view || has(Check::is_fatal) {
            Strength::None
        } else if has(|check| check.limits) {
            Strength::Visible
        } else if self.is_independent {
            Strength::Enforced
        } else {
            Strength::Reviewed
        }
    }
}

/// The answer.
#[derive(Debug)]
pub struct Examination {
    pub strength: Strength,
    pub gates: Vec<Gate>,
    /// The worst first.
    pub checks: Vec<Check>,
}

impl Examination {
    /// 0 where a gate is in force, 1 where none is, 2 where that is not known: a job beside an intact gate may be unclear.
    pub fn exit_code(&self) -> u8 {
        if self.strength != Strength::None {
            0
        } else if self.checks.iter().any(|check| check.state == State::Unknown) {
            2
        } else {
            1
        }
    }
}
