//! Agents that run hooks: where they are told of them, and what they call the steps. From their vendors' documentation.

use super::HookStep;
use super::activation::{Off, SettingsFile, Switch, Trust, UserFolder, machine, off};

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
    /// The file of a project that names its hooks; `None`: it runs those of its user only.
    pub project: Option<&'static str>,
    /// The file of a user, below `folder`.
    pub user: &'static str,
    pub folder: UserFolder,
    pub config: Config,
    pub trust: Trust,
    pub switches: &'static [Switch],
    pub hooks: &'static [Hooked],
    /// What it gives a hook the project's folder in.
    pub variable: Option<&'static str>,
    /// A hook may have its user asked.
    pub asks: bool,
    /// It reports a call that a hook refused as one that failed, with the reason that it was given.
    pub fails_refused: bool,
    /// The exit code of a hook that failed and must not stop the agent.
    pub failed: u8,
}

impl Agent {
    /// The variables of the environment that say where things of the agent are.
    pub fn variables(&self) -> impl Iterator<Item = &'static str> {
        let of_run = match self.trust {
            Trust::FolderLevels { run_variable, .. } => run_variable,
            _ => None,
        };
        [self.variable, self.folder.variable, of_run].into_iter().flatten().chain(self.file_variables())
    }

    /// Those of them that name a file of settings.
    pub fn file_variables(&self) -> impl Iterator<Item = &'static str> {
        let of_trust = match self.trust {
            Trust::FolderLevels { file_variable, .. } => Some(file_variable),
            _ => None,
        };
        let of_machine = self.switches.iter().filter_map(|switch| match switch.file {
            SettingsFile::Machine(file) => file.variable,
            SettingsFile::Project(_) | SettingsFile::User(_) | SettingsFile::Profiles(_) => None,
        });
        of_trust.into_iter().chain(of_machine)
    }
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
    /// `[[hooks]]` of a TOML file, with `event` and `command` (Kimi).
    Tables,
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

const fn below(variable: &'static str, below_home: &'static str) -> UserFolder {
    UserFolder { variable: Some(variable), below_variable: "", below_home }
}

const ALL_HOOKS: &[&str] = &["disableAllHooks"];

const CLAUDE_MANAGED: SettingsFile = machine(
    None,
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
    r"C:\Program Files\ClaudeCode\managed-settings.json",
);
const CODEX_SYSTEM: SettingsFile =
    machine(None, "/etc/codex/config.toml", "/etc/codex/config.toml", r"C:\ProgramData\OpenAI\Codex\config.toml");
const CODEX_REQUIREMENTS: SettingsFile = machine(
    None,
    "/etc/codex/requirements.toml",
    "/etc/codex/requirements.toml",
    r"C:\ProgramData\OpenAI\Codex\requirements.toml",
);
const GEMINI_SYSTEM: SettingsFile = machine(
    Some("GEMINI_CLI_SYSTEM_SETTINGS_PATH"),
    "/etc/gemini-cli/settings.json",
    "/Library/Application Support/GeminiCli/settings.json",
    r"C:\ProgramData\gemini-cli\settings.json",
);
const GEMINI_DEFAULTS: SettingsFile = machine(
    Some("GEMINI_CLI_SYSTEM_DEFAULTS_PATH"),
    "/etc/gemini-cli/system-defaults.json",
    "/Library/Application Support/GeminiCli/system-defaults.json",
    r"C:\ProgramData\gemini-cli\system-defaults.json",
);
const QWEN_SYSTEM: SettingsFile = machine(
    Some("QWEN_CODE_SYSTEM_SETTINGS_PATH"),
    "/etc/qwen-code/settings.json",
    "/Library/Application Support/QwenCode/settings.json",
    r"C:\ProgramData\qwen-code\settings.json",
);
const QWEN_DEFAULTS: SettingsFile = machine(
    Some("QWEN_CODE_SYSTEM_DEFAULTS_PATH"),
    "/etc/qwen-code/system-defaults.json",
    "/Library/Application Support/QwenCode/system-defaults.json",
    r"C:\ProgramData\qwen-code\system-defaults.json",
);

/// The steps of Claude Code, which Qwen Code has, too.
const CLAUDE_STEPS: &[Hooked] = &[
    hook("UserPromptSubmit", HookStep::UserPrompt),
    tools("PreToolUse", HookStep::PreTool),
    tools("PostToolUse", HookStep::PostTool),
    tools("PostToolUseFailure", HookStep::PostToolFailure),
    hook("Stop", HookStep::Stop),
    hook("SessionStart", HookStep::SessionStart),
    hook("SessionEnd", HookStep::SessionEnd),
];

pub static AGENTS: &[Agent] = &[
    // https://code.claude.com/docs/en/hooks
    Agent {
        name: "claude-code",
        aliases: &["claude"],
        title: "Claude Code",
        format: "claude-code",
        project: Some(".claude/settings.json"),
        user: "settings.json",
        folder: below("CLAUDE_CONFIG_DIR", ".claude"),
        config: Config::Groups,
        trust: Trust::NotNeeded,
        switches: &[
            off(SettingsFile::Project(".claude/settings.json"), ALL_HOOKS, Off::True),
            off(SettingsFile::Project(".claude/settings.local.json"), ALL_HOOKS, Off::True),
            off(SettingsFile::User("settings.json"), ALL_HOOKS, Off::True),
            off(CLAUDE_MANAGED, ALL_HOOKS, Off::True),
            off(CLAUDE_MANAGED, &["allowManagedHooksOnly"], Off::True),
        ],
        hooks: CLAUDE_STEPS,
        variable: Some("CLAUDE_PROJECT_DIR"),
        asks: true,
        fails_refused: false,
        failed: 1,
    },
    // https://developers.openai.com/codex/hooks; it has no step for the end of a session, and takes no `ask`.
    Agent {
        name: "codex",
        aliases: &[],
        title: "Codex",
        format: "codex",
        project: Some(".codex/hooks.json"),
        user: "hooks.json",
        folder: below("CODEX_HOME", ".codex"),
        config: Config::Groups,
        trust: Trust::Digests,
        switches: &[
            off(SettingsFile::Project(".codex/config.toml"), &["features", "hooks"], Off::False),
            off(SettingsFile::Project(".codex/config.toml"), &["features", "codex_hooks"], Off::False),
            off(SettingsFile::User("config.toml"), &["features", "hooks"], Off::False),
            off(SettingsFile::User("config.toml"), &["features", "codex_hooks"], Off::False),
            // Profiles are files since 0.134.0, and were tables before.
            off(SettingsFile::User("config.toml"), &["profiles", "*", "features", "hooks"], Off::False),
            off(SettingsFile::User("config.toml"), &["profiles", "*", "features", "codex_hooks"], Off::False),
            off(SettingsFile::Project(".codex/config.toml"), &["profiles", "*", "features", "hooks"], Off::False),
            off(SettingsFile::Project(".codex/config.toml"), &["profiles", "*", "features", "codex_hooks"], Off::False),
            off(SettingsFile::Profiles(".config.toml"), &["features", "hooks"], Off::False),
            off(SettingsFile::Profiles(".config.toml"), &["features", "codex_hooks"], Off::False),
            off(CODEX_SYSTEM, &["features", "hooks"], Off::False),
            off(CODEX_SYSTEM, &["features", "codex_hooks"], Off::False),
            off(CODEX_REQUIREMENTS, &["allow_managed_hooks_only"], Off::True),
            off(CODEX_REQUIREMENTS, &["features", "hooks"], Off::False),
        ],
        hooks: &[
            hook("UserPromptSubmit", HookStep::UserPrompt),
            tools("PreToolUse", HookStep::PreTool),
            tools("PostToolUse", HookStep::PostTool),
            hook("Stop", HookStep::Stop),
            hook("SessionStart", HookStep::SessionStart),
        ],
        variable: None,
        asks: false,
        fails_refused: false,
        failed: 1,
    },
    // https://geminicli.com/docs/hooks/reference
    Agent {
        name: "gemini-cli",
        aliases: &["gemini"],
        title: "Gemini CLI",
        format: "gemini-cli",
        project: Some(".gemini/settings.json"),
        user: "settings.json",
        folder: UserFolder { variable: Some("GEMINI_CLI_HOME"), below_variable: ".gemini", below_home: ".gemini" },
        config: Config::Groups,
        trust: Trust::FolderLevels {
            is_default: true,
            file_variable: "GEMINI_CLI_TRUSTED_FOLDERS_PATH",
            run_variable: Some("GEMINI_CLI_TRUST_WORKSPACE"),
        },
        switches: &[
            off(SettingsFile::Project(".gemini/settings.json"), &["hooksConfig", "enabled"], Off::False),
            off(SettingsFile::Project(".gemini/settings.json"), &["hooksConfig", "disabled"], Off::Listed),
            off(SettingsFile::User("settings.json"), &["hooksConfig", "enabled"], Off::False),
            off(SettingsFile::User("settings.json"), &["hooksConfig", "disabled"], Off::Listed),
            off(GEMINI_SYSTEM, &["hooksConfig", "enabled"], Off::False),
            off(GEMINI_SYSTEM, &["hooksConfig", "disabled"], Off::Listed),
            off(GEMINI_DEFAULTS, &["hooksConfig", "enabled"], Off::False),
            off(GEMINI_DEFAULTS, &["hooksConfig", "disabled"], Off::Listed),
        ],
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
        fails_refused: false,
        failed: 1,
    },
    // https://cursor.com/docs/agent/hooks; the steps for shell and MCP alone are the only ones that its command line runs.
    Agent {
        name: "cursor",
        aliases: &["cursor-agent"],
        title: "Cursor",
        format: "cursor-stream",
        project: Some(".cursor/hooks.json"),
        user: "hooks.json",
        folder: UserFolder { variable: None, below_variable: "", below_home: ".cursor" },
        config: Config::Commands,
        trust: Trust::Unknown,
        switches: &[],
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
        fails_refused: false,
        failed: 1,
    },
    // https://docs.github.com/en/copilot/reference/hooks-configuration
    Agent {
        name: "copilot-cli",
        aliases: &["copilot"],
        title: "Copilot",
        format: "copilot-cli",
        project: Some(".github/hooks/agent-strace.json"),
        user: "hooks/agent-strace.json",
        folder: below("COPILOT_HOME", ".copilot"),
        config: Config::Shells,
        trust: Trust::FolderList,
        switches: &[
            off(SettingsFile::Project(".github/hooks/agent-strace.json"), ALL_HOOKS, Off::True),
            off(SettingsFile::Project(".github/copilot/settings.json"), ALL_HOOKS, Off::True),
            off(SettingsFile::Project(".github/copilot/settings.local.json"), ALL_HOOKS, Off::True),
            off(SettingsFile::User("hooks/agent-strace.json"), ALL_HOOKS, Off::True),
            off(SettingsFile::User("settings.json"), ALL_HOOKS, Off::True),
        ],
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
        fails_refused: false,
        // It denies a call for any other one.
        failed: 0,
    },
    // https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks
    Agent {
        name: "qwen-code",
        aliases: &["qwen"],
        title: "Qwen Code",
        format: "qwen-code",
        project: Some(".qwen/settings.json"),
        user: "settings.json",
        folder: below("QWEN_HOME", ".qwen"),
        config: Config::Groups,
        trust: Trust::FolderLevels {
            is_default: false,
            file_variable: "QWEN_CODE_TRUSTED_FOLDERS_PATH",
            run_variable: None,
        },
        switches: &[
            off(SettingsFile::Project(".qwen/settings.json"), ALL_HOOKS, Off::True),
            off(SettingsFile::User("settings.json"), ALL_HOOKS, Off::True),
            off(QWEN_SYSTEM, ALL_HOOKS, Off::True),
            off(QWEN_DEFAULTS, ALL_HOOKS, Off::True),
        ],
        hooks: CLAUDE_STEPS,
        variable: Some("QWEN_PROJECT_DIR"),
        asks: true,
        fails_refused: false,
        failed: 1,
    },
    // https://moonshotai.github.io/kimi-code/en/customization/hooks; it takes no `ask`.
    Agent {
        name: "kimi",
        aliases: &["kimi-code"],
        title: "Kimi Code",
        format: "kimi",
        project: None,
        user: "config.toml",
        folder: below("KIMI_CODE_HOME", ".kimi-code"),
        config: Config::Tables,
        trust: Trust::NotNeeded,
        switches: &[],
        hooks: &[
            hook("UserPromptSubmit", HookStep::UserPrompt),
            hook("PreToolUse", HookStep::PreTool),
            hook("PostToolUse", HookStep::PostTool),
            hook("PostToolUseFailure", HookStep::PostToolFailure),
            hook("Stop", HookStep::Stop),
            hook("SessionStart", HookStep::SessionStart),
            hook("SessionEnd", HookStep::SessionEnd),
        ],
        variable: None,
        asks: false,
        fails_refused: true,
        failed: 1,
    },
];

/// The agent with this name.
pub fn agent(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.name == name || agent.aliases.contains(&name))
}
