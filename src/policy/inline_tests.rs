//! Tests that stand in the policy: calls, and what the policy has to answer.

use crate::finding::PolicyPlace;

/// What a policy answers to a call as a whole: the strictest of what it says about its effects. The stricter, the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Answer {
    Allow,
    Unresolved,
    Ask,
    Deny,
}

impl Answer {
    pub(crate) const ALL: &[Self] = &[Self::Allow, Self::Ask, Self::Deny, Self::Unresolved];
    pub(crate) const NAMES: &[&str] = &["allow", "ask", "deny", "unresolved"];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Unresolved => "unresolved",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|answer| answer.name() == name)
    }
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TestCall {
    pub(crate) tool: String,
    /// JSON text of its arguments.
    pub(crate) arguments: String,
}

impl TestCall {
    /// A command, as agents' shell tools run it.
    pub(crate) fn shell(command: &str) -> Self {
        Self::new("Bash", &serde_json::json!({ "command": command }))
    }

    pub(crate) fn new(tool: &str, arguments: &serde_json::Value) -> Self {
        Self { tool: tool.to_owned(), arguments: arguments.to_string() }
    }
}

/// Who calls, and where; what is not said is what most sessions have: the main agent, at the root of the workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Caller {
    /// Relative to the workspace root, or absolute.
    pub(crate) cwd: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) subagent: Option<String>,
    /// The permission mode.
    pub(crate) mode: Option<String>,
}

/// Calls of one session and what has to come of them.
#[derive(Debug, Clone)]
pub(crate) struct InlineTest {
    pub(crate) name: Option<String>,
    pub(crate) calls: Vec<TestCall>,
    pub(crate) caller: Caller,
    pub(crate) expect: Answer,
    /// The entry or rule that has to decide.
    pub(crate) rule: Option<String>,
    pub(crate) place: PolicyPlace,
}
