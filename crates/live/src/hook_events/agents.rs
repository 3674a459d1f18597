//! Agents that run hooks: where they are told of them, and what they call the steps. From their vendors' documentation.

use super::HookStep;

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
    pub moment: HookStep,
    /// It is for some tools and has to say for which.
    pub matcher: bool,
}

const fn hook(event: &'static str, moment: HookStep) -> Hooked {
    Hooked { event, moment, matcher: false }
}

const fn tools(event: &'static str, moment: HookStep) -> Hooked {
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
            hook("UserPromptSubmit", HookStep::UserPrompt),
            tools("PreToolUse", HookStep::PreTool),
            tools("PostToolUse", HookStep::PostTool),
            tools("PostToolUseFailure", HookStep::PostToolFailure),
            hook("Stop", HookStep::Stop),
            hook("SessionStart", HookStep::SessionStart),
            hook("SessionEnd", HookStep::SessionEnd),
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
            hook("UserPromptSubmit", HookStep::UserPrompt),
            tools("PreToolUse", HookStep::PreTool),
            tools("PostToolUse", HookStep::PostTool),
            hook("Stop", HookStep::Stop),
            hook("SessionStart", HookStep::SessionStart),
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
            hook("BeforeAgent", HookStep::UserPrompt),
            tools("BeforeTool", HookStep::PreTool),
            tools("AfterTool", HookStep::PostTool),
            hook("AfterAgent", HookStep::Stop),
            hook("SessionStart", HookStep::SessionStart),
            hook("SessionEnd", HookStep::SessionEnd),
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
            hook("sessionStart", HookStep::SessionStart),
            hook("beforeSubmitPrompt", HookStep::UserPrompt),
            hook("preToolUse", HookStep::PreTool),
            hook("beforeShellExecution", HookStep::PreTool),
            hook("beforeMCPExecution", HookStep::PreTool),
            hook("postToolUse", HookStep::PostTool),
            hook("afterShellExecution", HookStep::PostTool),
            hook("postToolUseFailure", HookStep::PostToolFailure),
            hook("afterAgentResponse", HookStep::Response),
            hook("stop", HookStep::Stop),
            hook("sessionEnd", HookStep::SessionEnd),
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
            hook("sessionStart", HookStep::SessionStart),
            hook("userPromptSubmitted", HookStep::UserPrompt),
            hook("preToolUse", HookStep::PreTool),
            hook("postToolUse", HookStep::PostTool),
            hook("postToolUseFailure", HookStep::PostToolFailure),
            hook("agentStop", HookStep::Stop),
            hook("errorOccurred", HookStep::Failure),
            hook("sessionEnd", HookStep::SessionEnd),
        ],
        variable: None,
        asks: true,
    },
];

/// The agent with this name.
pub fn agent(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.name == name || agent.aliases.contains(&name))
}
