//! Tests that stand in the policy: calls, and what the policy has to answer.

use agent_strace_model::finding::PolicyLocation;

/// What a policy answers to a call as a whole: the strictest of what it says about its effects. The stricter, the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    Allow,
    Unresolved,
    Ask,
    Deny,
}

impl Answer {
    pub const ALL: &[Self] = &[Self::Allow, Self::Ask, Self::Deny, Self::Unresolved];
    pub const NAMES: &[&str] = &["allow", "ask", "deny", "unresolved"];

    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Unresolved => "unresolved",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|answer| answer.name() == name)
    }
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestCall {
    pub tool: String,
    /// JSON text of its arguments.
    pub arguments: String,
}

impl TestCall {
    /// A command, as agents' shell tools run it.
    pub fn shell(command: &str) -> Self {
        Self::new("Bash", &serde_json::json!({ "command": command }))
    }

    pub fn new(tool: &str, arguments: &serde_json::Value) -> Self {
        Self { tool: tool.to_owned(), arguments: arguments.to_string() }
    }
}

/// Who calls, and where; what is not said is what most sessions have: the main agent, at the root of the workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// Relative to the workspace root, or absolute.
    pub cwd: Option<String>,
    pub agent: Option<String>,
    pub subagent: Option<String>,
    /// The permission mode.
    pub mode: Option<String>,
}

/// Calls of one session and what has to come of them.
#[derive(Debug, Clone)]
pub struct InlineTest {
    pub name: Option<String>,
    pub calls: Vec<TestCall>,
    pub caller: Caller,
    pub expect: Answer,
    /// The entry or rule that has to decide.
    pub rule: Option<String>,
    pub location: PolicyLocation,
}
