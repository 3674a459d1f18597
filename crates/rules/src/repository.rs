//! Rules about repositories. What they look at is no session: `agent_strace_repos::repo_audit` applies them.

use super::{Check, Rule};
use agent_strace_model::finding::{Level, RuleId};

macro_rules! repository {
    ($name:ident, $id:expr, $spec:literal, $level:ident, $summary:literal) => {
        pub static $name: Rule = Rule {
            id: $id,
            level: Level::$level,
            summary: $summary,
            spec: include_str!(concat!("../specs/repo-", $spec, ".md")),
            check: Check::Repository,
        };
    };
}
repository!(
    APPROVAL_EXPIRED,
    RuleId::RepoApprovalExpired,
    "approval-expired",
    Warning,
    "an approval is over and approves nothing any more"
);
repository!(
    UNAPPROVED_TOOL,
    RuleId::RepoUnapprovedTool,
    "unapproved-tool",
    Error,
    "an AI tool is in use that nobody approved"
);
repository!(
    UNAPPROVED_SERVER,
    RuleId::RepoUnapprovedServer,
    "unapproved-server",
    Error,
    "an MCP server is declared that nobody approved"
);
repository!(
    UNAPPROVED_ENDPOINT,
    RuleId::RepoUnapprovedEndpoint,
    "unapproved-endpoint",
    Error,
    "a provider of language models is used that nobody approved"
);
repository!(
    UNKNOWN_ENDPOINT,
    RuleId::RepoUnknownEndpoint,
    "unknown-endpoint",
    Warning,
    "an endpoint of a language model is of no provider we know"
);
repository!(
    SERVER_UNDECLARED,
    RuleId::RepoServerUndeclared,
    "server-undeclared",
    Error,
    "sessions used an MCP server that the repository does not declare"
);
repository!(
    SERVER_UNUSED,
    RuleId::RepoServerUnused,
    "server-unused",
    Note,
    "an MCP server is declared and was not used"
);

repository!(
    AUTO_APPROVE,
    RuleId::RepoAutoApprove,
    "auto-approve",
    Warning,
    "tools of MCP servers run without a question"
);
repository!(
    GATE_DISABLED,
    RuleId::RepoGateDisabled,
    "gate-disabled",
    Error,
    "hooks or the gate itself are switched off"
);
repository!(
    HIDDEN_TEXT,
    RuleId::RepoHiddenText,
    "hidden-text",
    Error,
    "instructions for agents have text that no reader sees"
);
repository!(HOOK_COMMAND, RuleId::RepoHookCommand, "hook-command", Warning, "opening the repository runs a command");
repository!(
    PERMISSION_BYPASS,
    RuleId::RepoPermissionBypass,
    "permission-bypass",
    Error,
    "settings let an agent do everything without a question"
);
repository!(
    SERVER_FLOATING,
    RuleId::RepoServerFloating,
    "server-floating",
    Warning,
    "an MCP server may be another one at each start"
);
repository!(
    SERVER_POISONED,
    RuleId::RepoServerPoisoned,
    "server-poisoned",
    Error,
    "an MCP server tells the model to act against its user"
);
repository!(
    SERVER_UNSAFE,
    RuleId::RepoServerUnsafe,
    "server-unsafe",
    Warning,
    "an MCP server is started in a dangerous way"
);
repository!(WIDE_ALLOW, RuleId::RepoWideAllow, "wide-allow", Warning, "settings allow an agent far more than it needs");
