//! Rules about repositories. What they look at is no session: `agent_strace_repos::repo_audit` applies them.

use super::{Check, Rule};
use agent_strace_model::finding::Level;

macro_rules! repository {
    ($name:ident, $id:literal, $spec:literal, $level:ident, $summary:literal) => {
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
    "repo/approval-expired",
    "approval-expired",
    Warning,
    "an approval is over and approves nothing any more"
);
repository!(
    UNAPPROVED_TOOL,
    "repo/unapproved-tool",
    "unapproved-tool",
    Error,
    "an AI tool is in use that nobody approved"
);
repository!(
    UNAPPROVED_SERVER,
    "repo/unapproved-server",
    "unapproved-server",
    Error,
    "an MCP server is declared that nobody approved"
);
repository!(
    UNAPPROVED_ENDPOINT,
    "repo/unapproved-endpoint",
    "unapproved-endpoint",
    Error,
    "a provider of language models is used that nobody approved"
);
repository!(
    UNKNOWN_ENDPOINT,
    "repo/unknown-endpoint",
    "unknown-endpoint",
    Warning,
    "an endpoint of a language model is of no provider we know"
);
repository!(
    SERVER_UNDECLARED,
    "repo/server-undeclared",
    "server-undeclared",
    Error,
    "sessions used an MCP server that the repository does not declare"
);
repository!(SERVER_UNUSED, "repo/server-unused", "server-unused", Note, "an MCP server is declared and was not used");

repository!(AUTO_APPROVE, "repo/auto-approve", "auto-approve", Warning, "tools of MCP servers run without a question");
repository!(GATE_DISABLED, "repo/gate-disabled", "gate-disabled", Error, "hooks or the gate itself are switched off");
repository!(
    HIDDEN_TEXT,
    "repo/hidden-text",
    "hidden-text",
    Error,
    "instructions for agents have text that no reader sees"
);
repository!(HOOK_COMMAND, "repo/hook-command", "hook-command", Warning, "opening the repository runs a command");
repository!(
    PERMISSION_BYPASS,
    "repo/permission-bypass",
    "permission-bypass",
    Error,
    "settings let an agent do everything without a question"
);
repository!(
    SERVER_FLOATING,
    "repo/server-floating",
    "server-floating",
    Warning,
    "an MCP server may be another one at each start"
);
repository!(
    SERVER_POISONED,
    "repo/server-poisoned",
    "server-poisoned",
    Error,
    "an MCP server tells the model to act against its user"
);
repository!(
    SERVER_UNSAFE,
    "repo/server-unsafe",
    "server-unsafe",
    Warning,
    "an MCP server is started in a dangerous way"
);
repository!(WIDE_ALLOW, "repo/wide-allow", "wide-allow", Warning, "settings allow an agent far more than it needs");
