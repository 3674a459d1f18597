//! The rules of the evaluator itself: `policy` reports them while it judges an effect.

use super::{Check, Rule};
use agent_strace_model::finding::{Level, RuleId};

macro_rules! evaluator {
    ($name:ident, $id:expr, $spec:literal, $level:ident, $summary:literal) => {
        pub(super) static $name: Rule = Rule {
            id: $id,
            level: Level::$level,
            summary: $summary,
            spec: include_str!(concat!("../specs/", $spec, ".md")),
            check: Check::Evaluator,
        };
    };
}

evaluator!(APPROVAL, RuleId::ScopeApproval, "scope-approval", Error, "what a person has to approve was done");
evaluator!(READ, RuleId::ScopeRead, "scope-read", Error, "a file outside of the read scope was read");
evaluator!(WRITE, RuleId::ScopeWrite, "scope-write", Error, "a file outside of the write scope was written");
evaluator!(DELETE, RuleId::ScopeDelete, "scope-delete", Error, "a file outside of the write scope was deleted");
evaluator!(COMMAND, RuleId::ScopeCommand, "scope-command", Error, "a command outside of the scope was run");
evaluator!(NETWORK, RuleId::ScopeNetwork, "scope-network", Error, "a host outside of the scope was contacted");
evaluator!(ENV, RuleId::ScopeEnv, "scope-env", Error, "an environment variable outside of the scope was set");
evaluator!(SENSITIVE, RuleId::ScopeSensitive, "scope-sensitive", Error, "a file that holds credentials was touched");
evaluator!(TOOL, RuleId::ScopeTool, "scope-tool", Error, "a tool or a sub-agent outside of the scope was used");
evaluator!(
    UNRESOLVED,
    RuleId::ScopeUnresolved,
    "scope-unresolved",
    Error,
    "what a call did could not be proven to be in scope"
);
evaluator!(REMOTE_CODE, RuleId::ScopeRemoteCode, "scope-remote-code", Error, "code from another host was run");
evaluator!(DECODED_CODE, RuleId::ScopeDecodedCode, "scope-decoded-code", Error, "decoded or unpacked code was run");
evaluator!(REMOTE_SHELL, RuleId::ScopeRemoteShell, "scope-remote-shell", Error, "another host was given a shell");
evaluator!(FLOOR_POLICY, RuleId::FloorPolicy, "floor-policy", Error, "the agent changed the policy that judges it");
evaluator!(
    FLOOR_SETTINGS,
    RuleId::FloorAgentSettings,
    "floor-agent-settings",
    Error,
    "the agent changed an agent's settings"
);
evaluator!(FLOOR_HOOKS, RuleId::FloorHooks, "floor-hooks", Error, "the agent changed code that runs by itself");
evaluator!(FLOOR_STORE, RuleId::FloorTraceStore, "floor-trace-store", Error, "the agent changed the recorded evidence");
evaluator!(FLOOR_GATE, RuleId::FloorGate, "floor-gate", Error, "the agent changed the workflow of the gate");
