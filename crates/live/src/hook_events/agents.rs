//! Agents that run hooks: where they are told of them, and what they call the steps. From their vendors' documentation.

use super::Moment;

/// An agent that runs hooks.
#[derive(Debug, PartialEq, Eq)]
pub struct Agent {
    /// As users write it, and as reports name it.
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    /// In text for people.
    pub title: &'static str,
    /// The format of its own log that its hooks say as much as.
    pub format: &'static str,
    /// The file of a project that names its hooks, and the one of a user, below the home folder.
    pub project: &'static str,
    pub user: &'static str,
    pub config: Config,
    pub hooks: &'static [Hooked],
    /// What it gives a hook the project's folder in.
    pub variable: Option<&'static str>,
    /// A hook may have its user asked.
    pub asks: bool,
}

/// How hooks are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Config {
    /// `hooks.EVENT[]` holds groups, each with a `matcher` and `hooks[]` with `type` and `command`.
    Groups,
    /// `hooks.EVENT[]` holds entries with `command`, beside `version: 1` (Cursor).
    Commands,
    /// The same with `type`, `bash` and `powershell` (Copilot).
    Shells,
}

/// A step that the agent is asked to tell of.
#[derive(Debug, PartialEq, Eq)]
pub struct Hooked {
    /// The agent's name of it.
    pub event: &'static str,
    pub moment: Moment,
    /// It is for some tools and has to say for which.
    pub matcher: bool,
}

const fn hook(event: &'static str, moment: Moment) -> Hooked {
    Hooked { event, moment, matcher: false }
}

const fn tools(event: &'static str, moment: Moment) -> Hooked {
    Hooked { event, moment, matcher: true }
}

pub static AGENTS: &[Agent] = &[
    // https://code.claude.com/docs/en/hooks
    Agent {
        name: "claude-code",
        aliases: &["claude"],
        title: "Claude Code",
        format: "claude-code",
        project: ".claude/settings.json",
        user: ".claude/settings.json",
        config: Config::Groups,
        hooks: &[
            hook("UserPromptSubmit", Moment::UserPrompt),
            tools("PreToolUse", Moment::PreTool),
            tools("PostToolUse", Moment::PostTool),
            tools("PostToolUseFailure", Moment::PostToolFailure),
            hook("Stop", Moment::Stop),
            hook("SessionStart", Moment::SessionStart),
            hook("SessionEnd", Moment::SessionEnd),
        ],
        variable: Some("CLAUDE_PROJECT_DIR"),
        asks: true,
    },
    // https://developers.openai.com/codex/hooks; it has no step for the end of a session, and takes no `ask`.
    Agent {
        name: "codex",
        aliases: &[],
        title: "Codex",
        format: "codex",
        project: ".codex/hooks.json",
        user: ".codex/hooks.json",
        config: Config::Groups,
        hooks: &[
            hook("UserPromptSubmit", Moment::UserPrompt),
            tools("PreToolUse", Moment::PreTool),
            tools("PostToolUse", Moment::PostTool),
            hook("Stop", Moment::Stop),
            hook("SessionStart", Moment::SessionStart),
        ],
        variable: None,
        asks: false,
    },
    // https://geminicli.com/docs/hooks/reference
    Agent {
        name: "gemini-cli",
        aliases: &["gemini"],
        title: "Gemini CLI",
        format: "gemini-cli",
        project: ".gemini/settings.json",
        user: ".gemini/settings.json",
        config: Config::Groups,
        hooks: &[
            hook("BeforeAgent", Moment::UserPrompt),
            tools("BeforeTool", Moment::PreTool),
            tools("AfterTool", Moment::PostTool),
            hook("AfterAgent", Moment::Stop),
            hook("SessionStart", Moment::SessionStart),
            hook("SessionEnd", Moment::SessionEnd),
        ],
        variable: Some("GEMINI_PROJECT_DIR"),
        asks: false,
    },
    // https://cursor.com/docs/agent/hooks; the steps for shell and MCP alone are the only ones that its command line runs.
    Agent {
        name: "cursor",
        aliases: &["cursor-agent"],
        title: "Cursor",
        format: "cursor-stream",
        project: ".cursor/hooks.json",
        user: ".cursor/hooks.json",
        config: Config::Commands,
        hooks: &[
            hook("sessionStart", Moment::SessionStart),
            hook("beforeSubmitPrompt", Moment::UserPrompt),
            hook("preToolUse", Moment::PreTool),
            hook("beforeShellExecution", Moment::PreTool),
            hook("beforeMCPExecution", Moment::PreTool),
            hook("postToolUse", Moment::PostTool),
            hook("afterShellExecution", Moment::PostTool),
            hook("postToolUseFailure", Moment::PostToolFailure),
            hook("afterAgentResponse", Moment::Response),
            hook("stop", Moment::Stop),
            hook("sessionEnd", Moment::SessionEnd),
        ],
        variable: Some("CURSOR_PROJECT_DIR"),
        asks: true,
    },
    // https://docs.github.com/en/copilot/reference/hooks-configuration
    Agent {
        name: "copilot-cli",
        aliases: &["copilot"],
        title: "Copilot",
        format: "copilot-cli",
        project: ".github/hooks/agent-strace.json",
        user: ".copilot/hooks/agent-strace.json",
        config: Config::Shells,
        hooks: &[
            hook("sessionStart", Moment::SessionStart),
            hook("userPromptSubmitted", Moment::UserPrompt),
            hook("preToolUse", Moment::PreTool),
            hook("postToolUse", Moment::PostTool),
            hook("postToolUseFailure", Moment::PostToolFailure),
            hook("agentStop", Moment::Stop),
            hook("errorOccurred", Moment::Failure),
            hook("sessionEnd", Moment::SessionEnd),
        ],
        variable: None,
        asks: true,
    },
];

/// The agent with this name.
pub fn agent(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.name == name || agent.aliases.contains(&name))
}
