//! Why something that was done is left to people.

use super::risks::What;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Every call of it was refused.
    Refused,
    /// Every call of it ended with an error.
    Failed,
    /// It touched a sensitive file.
    Sensitive,
    /// No policy allows it.
    Floor(String),
    /// The policy that is added to forbids it, by the entry at this pointer.
    Forbidden(String),
    Risky(What),
    /// It looked into the whole workspace: allowing that would allow all of it.
    Whole,
    /// What it did is not known.
    Unresolved(String),
    /// It ran a program from outside of the workspace.
    Outside,
    /// No entry can say it.
    Inexpressible,
    /// It is a program of many commands, called without any.
    Bare,
    /// An entry would hold a secret.
    Secret,
    /// It was seen in so many sessions only.
    Rare(usize),
    /// Every call of it also did something that is refused.
    BesideRefused,
    /// The policy had an entry for it, and somebody removed that.
    Removed,
    /// What the generated policy says.
    Policy(String),
}

impl Reason {
    /// It stays forbidden even where something around it is allowed.
    pub(super) fn is_firm(&self) -> bool {
        matches!(self, Self::Refused | Self::Sensitive | Self::Floor(_) | Self::Forbidden(_))
    }

    /// A word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Sensitive => "sensitive",
            Self::Floor(_) => "floor",
            Self::Forbidden(_) => "forbidden",
            Self::Risky(What::Destroys) => "destructive",
            Self::Risky(What::Publishes) => "publishing",
            Self::Risky(What::Elevates) => "elevating",
            Self::Risky(What::Escapes) => "escaping",
            Self::Whole => "whole-workspace",
            Self::Unresolved(_) => "unresolved",
            Self::Outside => "outside",
            Self::Inexpressible => "inexpressible",
            Self::Bare => "bare",
            Self::Secret => "secret",
            Self::Rare(_) => "rare",
            Self::BesideRefused => "beside-refused",
            Self::Removed => "removed",
            Self::Policy(_) => "not-allowed",
        }
    }

    /// In words.
    pub fn text(&self) -> String {
        match self {
            Self::Refused => "every call of it was refused".to_owned(),
            Self::Failed => "seen only in calls that failed".to_owned(),
            Self::Sensitive => "a sensitive file".to_owned(),
            Self::Forbidden(pointer) => format!("the policy forbids it: {pointer}"),
            Self::Risky(What::Destroys) => "it destroys or overwrites".to_owned(),
            Self::Risky(What::Publishes) => "it publishes, or changes something elsewhere".to_owned(),
            Self::Risky(What::Elevates) => "it gives more rights, or acts on the machine".to_owned(),
            Self::Risky(What::Escapes) => "it runs what no log shows".to_owned(),
            Self::Whole => "it looks into the whole workspace: name directories, or allow `**` by hand".to_owned(),
            Self::Unresolved(why) => format!("not resolved: {why}"),
            Self::Outside => "a program from outside of the workspace".to_owned(),
            Self::Inexpressible => "too long, or not plain, for an entry".to_owned(),
            Self::Bare => "a program without a command: an entry would allow all of them".to_owned(),
            Self::Secret => "an entry would hold a secret".to_owned(),
            Self::Rare(1) => "seen in one session only".to_owned(),
            Self::Rare(sessions) => format!("seen in {sessions} sessions only"),
            Self::BesideRefused => {
                "every call of it also did something that is refused, so an entry would allow no call".to_owned()
            }
            Self::Removed => {
                "somebody removed its entry from the policy: to allow it again, write the entry by hand, or remove it \
                              from the file `.provenance.json` beside the policy"
                    .to_owned()
            }
            Self::Floor(why) | Self::Policy(why) => why.clone(),
        }
    }
}
