//! Files that say what agents do or may do, beside the settings that the floor holds. People let agents edit them, so that
//! a session gets a note for it; reviewers of a change see how much each of them decides.

use std::sync::LazyLock;

use agent_strace_effects::{Certainty, PathTarget};

use super::Context;
use super::path::{Files, OwnRule};

/// How much a file decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentFile {
    /// It gives an agent tools, commands or rights, or runs by itself when a folder is opened or entered.
    Rights,
    /// Text that an agent follows, and files that set up where it works.
    Instructions,
}

/// Relative to the root, and to any other directory. Compared folded, so all in lower case.
const RIGHTS: &[&str] = &[
    // Agents of their own, with tools, modes and hooks.
    ".claude/agents/**",
    ".codex/agents/**",
    ".cursor/agents/**",
    ".gemini/agents/**",
    ".github/agents/**",
    ".github/chatmodes/**",
    ".opencode/agent*/**",
    ".opencode/mode*/**",
    ".qwen/agents/**",
    ".factory/droids/**",
    ".continue/agents/**",
    ".junie/agents/**",
    ".roomodes",
    ".kilocodemodes",
    ".augment/agents/**",
    ".augment/subagents/**",
    ".trae/agents/**",
    ".openhands/agents/**",
    "agents/*.agent.md",
    // Skills and commands: their front matter allows tools, and lines of them run by themselves.
    "skill.md",
    ".claude/skills/**",
    ".claude/commands/**",
    ".claude/workflows/**",
    ".agents/skills/**",
    ".agents/commands/**",
    ".agents/toolbox/**",
    ".agents/workflows/**",
    ".agents/plugins/**",
    ".agents/*.json",
    ".agent/skills/**",
    ".agent/workflows/**",
    ".amp/toolbox/**",
    ".amp/tools/**",
    ".amp/commands/**",
    ".codex/prompts/**",
    ".codex/skills/**",
    ".codex/environments/**",
    ".cursor/commands/**",
    ".cursor/skills/**",
    ".cursor/worktrees.json",
    ".gemini/commands/**",
    ".gemini/skills/**",
    ".github/prompts/**",
    ".github/skills/**",
    ".opencode/command*/**",
    ".opencode/skill*/**",
    ".opencode/tool*/**",
    ".qwen/commands/**",
    ".qwen/skills/**",
    ".windsurf/workflows/**",
    ".windsurf/skills/**",
    ".roo/commands/**",
    ".roo/skills/**",
    ".kilocode/workflows/**",
    ".kilocode/skills/**",
    ".kilo/command*/**",
    ".kilo/agent*/**",
    ".factory/commands/**",
    ".factory/skills/**",
    ".augment/commands/**",
    ".augment/skills/**",
    ".clinerules/workflows/**",
    ".cline/**",
    ".crush/skills/**",
    ".goose/recipes/**",
    ".warp/workflows/**",
    ".kiro/skills/**",
    ".kiro/powers/**",
    ".continue/prompts/**",
    ".continue/checks/**",
    ".junie/commands/**",
    ".junie/skills/**",
    ".openhands/skills/**",
    ".trae/skills/**",
    ".iflow/commands/**",
    ".iflow/agents/**",
    ".pi/extensions/**",
    ".pi/skills/**",
    ".pi/prompts/**",
    ".pi/agents/**",
    ".devin/skills/**",
    ".devin/agents/**",
    // Plugins and extensions.
    ".claude/plugins/**",
    ".claude-plugin/**",
    ".codex-plugin/**",
    ".cursor-plugin/**",
    ".github/plugin/**",
    ".github/extensions/**",
    ".factory-plugin/**",
    "gemini-extension.json",
    "qwen-extension.json",
    "hooks/hooks.json",
    "hooks/hooks-*.json",
    // MCP servers, where the floor does not hold them.
    "mcp.json",
    ".mcp/**",
    ".continue/mcpservers/**",
    ".cline/mcp*.json",
    ".crush/mcp*.json",
    ".vscode/mcp*.json",
    ".github/mcp.json",
    // What runs by itself when the folder is opened, entered, or set up for an agent in a cloud.
    ".vscode/tasks.json",
    "*.code-workspace",
    ".zed/tasks.json",
    ".zed/debug.json",
    ".idea/runconfigurations/**",
    ".run/*.run.xml",
    ".fleet/run.json",
    ".nvim.lua",
    ".nvimrc",
    ".exrc",
    ".vimrc",
    ".dir-locals.el",
    ".envrc",
    ".devcontainer/**",
    ".devcontainer.json",
    ".gitpod.y*ml",
    ".gitpod.dockerfile",
    ".ona/**",
    ".idx/**",
    ".replit",
    ".codesandbox/**",
    ".claude/environment*",
    ".cursor/dockerfile",
    ".cursor/install.sh",
    ".jules/**",
    ".openhands/microagents/**",
    ".github/workflows/copilot-setup-steps.y*ml",
];

const INSTRUCTIONS: &[&str] = &[
    "claude.md",
    "claude.local.md",
    "agent.md",
    "agents.md",
    "agents.local.md",
    "agents.override.md",
    "gemini.md",
    "qwen.md",
    "crush.md",
    "warp.md",
    "iflow.md",
    "amazonq.md",
    "tabnine.md",
    "replit.md",
    ".rules",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".clinerules-*",
    ".roorules*",
    ".kilocoderules*",
    ".continuerules",
    ".augment-guidelines",
    ".goosehints",
    ".openhands_instructions",
    ".claude/output-styles/**",
    ".claude/rules/**",
    ".agents/**",
    ".agent/rules/**",
    ".amazonq/rules/**",
    ".amazonq/prompts/**",
    ".augment/rules/**",
    ".continue/rules/**",
    ".cursor/rules/**",
    ".cursor/bugbot.md",
    ".factory/rules/**",
    ".gemini/styleguide.md",
    ".gemini/config.y*ml",
    ".github/copilot-instructions.md",
    ".github/instructions/**",
    ".goose/**",
    ".clinerules/**",
    ".devin/rules/**",
    ".kilocode/rules*/**",
    ".windsurf/rules/**",
    ".roo/rules*/**",
    ".trae/rules/**",
    ".kiro/steering/**",
    ".junie/guidelines.md",
    ".coderabbit.y*ml",
    // They set up where an agent works, and may run something there.
    ".worktreeinclude",
    "mise.toml",
    ".mise.toml",
    ".npmrc",
];

static COMPILED: LazyLock<[(AgentFile, Vec<OwnRule>); 2]> = LazyLock::new(|| {
    let compiled = |globs: &[&str]| globs.iter().map(|glob| OwnRule::new(glob)).collect();
    [(AgentFile::Rights, compiled(RIGHTS)), (AgentFile::Instructions, compiled(INSTRUCTIONS))]
});

/// Whether an effect that writes or deletes aims at such a file.
pub(super) fn instructs(files: &Files<'_>) -> bool {
    !files.is_unknown() && COMPILED.iter().flat_map(|(_, globs)| globs).any(|own| files.aims_at(own))
}

/// How much a file of the repository decides about agents; `None`: nothing, or the floor holds it.
pub fn of_path(path: &str) -> Option<AgentFile> {
    let target = PathTarget::new(path);
    let files = Files::new(&target, Certainty::Exact, &Context::default());
    COMPILED.iter().find(|(_, globs)| globs.iter().any(|own| files.aims_at(own))).map(|(class, _)| *class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_agents_are_known_by_how_much_they_decide() {
        let (rights, instructions) = (Some(AgentFile::Rights), Some(AgentFile::Instructions));
        for (path, expected) in [
            (".claude/agents/x.md", rights),
            ("services/api/.claude/skills/x/SKILL.md", rights),
            ("skills/x/SKILL.md", rights),
            (".claude/commands/a/b.md", rights),
            (".claude-plugin/marketplace.json", rights),
            ("hooks/hooks.json", rights),
            (".Claude/Agents/x.md", rights),
            (".pi/extensions/x.ts", rights),
            (".envrc", rights),
            (".vscode/tasks.json", rights),
            (".devcontainer/devcontainer.json", rights),
            (".github/workflows/copilot-setup-steps.yml", rights),
            ("CLAUDE.md", instructions),
            ("services/api/AGENTS.md", instructions),
            (".github/copilot-instructions.md", instructions),
            (".cursor/rules/x.mdc", instructions),
            (".npmrc", instructions),
            ("src/agents/x.rs", None),
            ("docs/skills.md", None),
            ("src/hooks.json", None),
            ("README.md", None),
        ] {
            assert_eq!(of_path(path), expected, "{path}");
        }
    }
}
