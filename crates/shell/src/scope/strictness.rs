//! Options of a shell that decide what its status says.

/// Options of a shell that decide what its status says, and whether it says anything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Strictness {
    /// `set -e`
    pub errexit: bool,
    /// `set -o pipefail`
    pub pipefail: bool,
    /// It may have ended with a failure before.
    pub exited: bool,
    /// The same of a function in it.
    pub returned: bool,
    /// It may have left with success before, or a trap may answer for it.
    pub unsure: bool,
}

impl Strictness {
    /// What holds whichever of the two ways was taken.
    pub(super) fn merge(&mut self, other: Self) {
        self.errexit &= other.errexit;
        self.pipefail &= other.pipefail;
        self.exited |= other.exited;
        self.returned |= other.returned;
        self.unsure |= other.unsure;
    }
}
