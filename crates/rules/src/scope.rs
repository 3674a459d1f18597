//! The rules of the evaluator itself: `policy` reports them while it judges an effect.

use super::{Check, Rule};
use agent_strace_model::finding::Level;

macro_rules! evaluator {
    ($name:ident, $id:literal, $spec:literal, $level:ident, $summary:literal) => {
        pub(super) static $name: Rule = Rule {
            id: $id,
            level: Level::$level,
            summary: $summary,
            spec: include_str!(concat!("../specs/", $spec, ".md")),
            check: Check::Evaluator,
        };
    };
}

evaluator!(APPROVAL, "scope/approval", "scope-approval", Error, "what a person has to approve was done");
evaluator!(READ, "scope/read", "scope-read", Error, "a file outside of the read scope was read");
evaluator!(WRITE, "scope/write", "scope-write", Error, "a file outside of the write scope was written");
evaluator!(DELETE, "scope/delete", "scope-delete", Error, "a file outside of the write scope was deleted");
evaluator!(COMMAND, "scope/command", "scope-command", Error, "a command outside of the scope was run");
evaluator!(NETWORK, "scope/network", "scope-network", Error, "a host outside of the scope was contacted");
evaluator!(ENV, "scope/env", "scope-env", Error, "an environment variable outside of the scope was set");
evaluator!(SENSITIVE, "scope/sensitive", "scope-sensitive", Error, "a file that holds credentials was touched");
evaluator!(TOOL, "scope/tool", "scope-tool", Error, "a tool or a sub-agent outside of the scope was used");
evaluator!(
    UNRESOLVED,
    "scope/unresolved",
    "scope-unresolved",
    Error,
    "what a call did could not be proven to be in scope"
);
evaluator!(FLOOR_POLICY, "floor/policy", "floor-policy", Error, "the agent changed the policy that judges it");
evaluator!(
    FLOOR_SETTINGS,
    "floor/agent-settings",
    "floor-agent-settings",
    Error,
    "the agent changed an agent's settings"
);
evaluator!(FLOOR_HOOKS, "floor/hooks", "floor-hooks", Error, "the agent changed code that runs by itself");
evaluator!(FLOOR_STORE, "floor/trace-store", "floor-trace-store", Error, "the agent changed the recorded evidence");
evaluator!(FLOOR_GATE, "floor/gate", "floor-gate", Error, "the agent changed the workflow of the gate");
