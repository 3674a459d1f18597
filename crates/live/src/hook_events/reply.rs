//! A decision, in the words of the agent that asked for it.

use serde_json::{Value, json};

use super::Agent;

/// What a hook says to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// Nothing: the agent goes on as it would without the hook. A hook that allows would take away what its user is asked.
    Pass,
    /// It may run, and the agent is told something.
    Context,
    /// Its user has to say.
    Ask,
    Deny,
}

impl Decision {
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Context => "context",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// The decision that an agent can carry out: one that can't ask its user is told to deny.
    #[must_use]
    pub fn by(self, agent: &Agent) -> Self {
        match self {
            Self::Ask if !agent.asks => Self::Deny,
            decision => decision,
        }
    }
}

/// A decision and why.
#[derive(Debug)]
pub struct Answer<'a> {
    pub decision: Decision,
    /// One line; shown to the agent and its user.
    pub reason: &'a str,
}

/// What is written to standard output; empty: nothing. The exit code is 0 with it, as agents read it only then.
pub fn reply(agent: &Agent, answer: &Answer<'_>) -> String {
    let reason = answer.reason;
    let decision = answer.decision.by(agent);
    let word = decision.name();
    let said = match (agent.name, decision) {
        // Copilot and Kimi Code have nothing that is told beside a permission.
        (_, Decision::Pass) | ("copilot-cli" | "kimi", Decision::Context) => return String::new(),
        ("gemini-cli", Decision::Context) => json!({ "systemMessage": reason }),
        ("gemini-cli", _) => json!({ "decision": "deny", "reason": reason }),
        ("cursor", Decision::Context) => json!({ "agent_message": reason }),
        ("cursor", _) => cursor(word, reason),
        ("copilot-cli", _) => json!({ "permissionDecision": word, "permissionDecisionReason": reason }),
        (_, Decision::Context) => specific(&json!({ "hookEventName": "PreToolUse", "additionalContext": reason })),
        (_, _) => specific(&json!({
            "hookEventName": "PreToolUse",
            "permissionDecision": word,
            "permissionDecisionReason": reason,
        })),
    };
    said.to_string() + "\n"
}

fn specific(output: &Value) -> Value {
    json!({ "hookSpecificOutput": output })
}

/// The steps for some tools take a permission, the one for all tools a decision as well.
fn cursor(word: &str, reason: &str) -> Value {
    let mut said = json!({ "permission": word, "user_message": reason, "agent_message": reason });
    if word == "deny"
        && let Some(said) = said.as_object_mut()
    {
        said.insert("decision".to_owned(), "deny".into());
        said.insert("reason".to_owned(), reason.into());
    }
    said
}
