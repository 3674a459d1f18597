//! What an agent may never write or delete: whatever judges it, configures it, or records it.

use std::sync::LazyLock;

use agent_strace_effects::{Certainty, PathTarget, Purpose};
use agent_strace_model::finding::RuleId;

use super::Context;
use super::glob::Glob;
use super::judge::files::Reached;
use super::own_places::OwnFile;
use super::path::{Files, OwnRule};

struct Row {
    rule: RuleId,
    why: &'static str,
    globs: &'static [&'static str],
}

/// Relative to the root, to a home directory, and to any other directory. Compared folded, so all in lower case.
const TABLE: &[Row] = &[
    Row {
        rule: RuleId::FloorPolicy,
        why: "the policy and its settings judge the agent",
        globs: &[
            ".agent-scope.json",
            ".agent-scope.provenance.json",
            ".agent-strace.yaml",
            ".agent-strace.yml",
            ".agent-strace-lint.json",
            ".agent-evals.yaml",
            ".agent-evals.yml",
            ".agent-strace/**",
            ".claw-policy.json",
            ".codex-policy.json",
        ],
    },
    Row {
        rule: RuleId::FloorAgentSettings,
        why: "agent settings decide what the agent may do without asking",
        globs: &[
            ".claude/settings*.json",
            ".claude/managed-settings.json",
            ".claude/managed-mcp.json",
            ".claude.json",
            ".claude/approvals.yml",
            "claude-code/managed-*.json",
            "claudecode/managed-*.json",
            ".mcp.json",
            ".cursor/mcp.json",
            ".cursor/cli*.json",
            ".cursor/permissions.json",
            ".cursor/sandbox.json",
            ".cursor/environment.json",
            ".codex/config.toml",
            ".codex/*.json",
            ".codex/*.config.toml",
            ".codex/requirements.toml",
            "etc/codex/*.toml",
            ".kimi-code/config.toml",
            ".kimi-code/plugins/**",
            ".kimi/config.toml",
            ".codex/rules/**",
            ".gemini/settings.json",
            ".gemini/policies/**",
            ".gemini/trustedfolders.json",
            ".gemini/extensions/**",
            "gemini-cli/settings.json",
            "gemini-cli/system-defaults.json",
            ".qwen/settings*.json",
            ".qwen/trustedfolders.json",
            ".qwen/extensions/**",
            "qwen-code/settings.json",
            "qwen-code/system-defaults.json",
            ".vscode/mcp.json",
            ".vscode/settings.json",
            ".copilot/mcp-config.json",
            ".copilot/config.json",
            ".copilot/settings.json",
            ".github/copilot/settings*.json",
            "opencode.json",
            "opencode.jsonc",
            ".opencode/opencode.json*",
            ".opencode/plugin/**",
            ".opencode/plugins/**",
            ".config/opencode/**",
            ".amp/settings.json",
            ".config/amp/settings.json",
            ".factory/settings.json",
            ".factory/mcp.json",
            ".claw.json",
            ".claw/settings*.json",
            ".aider.conf.yml",
            ".goose/config.yaml",
            ".config/goose/**",
            "crush.json",
            ".crush.json",
            ".config/crush/**",
            ".amazonq/mcp.json",
            ".amazonq/cli-agents/**",
            ".aws/amazonq/mcp.json",
            ".aws/amazonq/cli-agents/**",
            ".openhands/config.toml",
            ".pi/settings.json",
            ".augment/settings.json",
            ".iflow/settings.json",
            ".kilocode/mcp.json",
            ".rovodev/config.yml",
            ".rovodev/mcp.json",
            ".trae/mcp.json",
            ".zed/settings.json",
            ".config/zed/settings.json",
            "cline_mcp_settings.json",
            "mcp_settings.json",
            ".continue/config.*",
            ".windsurf/mcp_config.json",
            ".codeium/windsurf/mcp_config.json",
            ".kiro/settings/**",
            ".kiro/agents/**",
            ".roo/mcp.json",
            ".junie/mcp/**",
            ".agent-permissions.json*",
            ".failproofai/**",
            ".cc-safety-net/**",
            ".cupcake/**",
            ".safe-chains.toml",
        ],
    },
    Row {
        rule: RuleId::FloorHooks,
        why: "hooks run by themselves, outside of any scope",
        globs: &[
            ".git/hooks/**",
            ".husky/**",
            ".huskyrc*",
            ".githooks/**",
            ".git-hooks/**",
            ".claude/hooks/**",
            ".cursor/hooks*",
            ".cursor/hooks/**",
            ".codex/hooks/**",
            ".gemini/hooks/**",
            ".github/hooks/**",
            ".copilot/hooks/**",
            ".clinerules/hooks/**",
            ".factory/hooks.json",
            ".factory/hooks/**",
            ".claude/plugins/**/hooks/hooks.json",
            ".kiro/hooks/**",
            ".qwen/hooks/**",
            ".windsurf/hooks.json",
            ".codeium/windsurf/hooks.json",
            ".claw-hooks.json",
            ".devin/hooks*",
            ".openhands/hooks.json",
            ".openhands/setup.sh",
            ".openhands/pre-commit.sh",
            ".pre-commit-config.y*ml",
            ".overcommit.yml",
            ".simple-git-hooks.*",
            "lefthook.*",
            ".lefthook.*",
            "lefthook-local.*",
            ".lefthook-local.*",
            ".lefthook/**",
            ".lefthook-local/**",
        ],
    },
    Row { rule: RuleId::FloorTraceStore, why: "the trace store is the evidence", globs: &[".agent-traces/**"] },
    Row {
        rule: RuleId::FloorTraceStore,
        why: "the logs of agents are the evidence",
        // Beside their logs, agents keep notes and plans that they may write.
        globs: &[
            ".claude/projects/**/*.jsonl",
            ".claude/history.jsonl",
            ".codex/sessions/**",
            ".codex/archived_sessions/**",
            ".codex/history.jsonl",
            ".copilot/session-state/**/*.jsonl",
            ".copilot/history-session-state/**",
            ".gemini/tmp/**/chats/**",
            ".local/share/opencode/storage/**",
        ],
    },
    Row {
        rule: RuleId::FloorGate,
        why: "the gate's workflow decides whether anything is judged",
        globs: &[".github/workflows/*agent-strace*", ".gitlab/*agent-strace*"],
    },
];

/// Repositories keep other programs in folders of these names. The evaluator names the file where it is known to lie in a folder
/// that is deleted.
static PROGRAM: Row = Row {
    rule: RuleId::FloorGate,
    why: "hooks and workflows run this program to judge the agent",
    globs: &["bin/agent-strace", "bin/agent-strace.exe", ".bin/agent-strace*", "scripts/agent-strace.exe"],
};

/// Where installers put the program: folders of users and systems, which hold what was installed without a trace in the repository.
const INSTALLED: &[&str] = &[
    "~/bin/agent-strace",
    "~/.cargo/bin/agent-strace",
    "~/.local/bin/agent-strace",
    "/usr/local/bin/agent-strace",
    "/usr/bin/agent-strace",
    "/opt/homebrew/bin/agent-strace",
];

fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.iter().chain([&PROGRAM])
}

fn compile(row: &'static Row) -> (&'static Row, Vec<OwnRule>) {
    (row, row.globs.iter().map(|glob| OwnRule::new(glob)).collect())
}

static COMPILED: LazyLock<Vec<(&'static Row, Vec<OwnRule>)>> = LazyLock::new(|| rows().map(compile).collect());

static PLACES: LazyLock<Vec<Glob>> = LazyLock::new(|| INSTALLED.iter().map(|place| Glob::effect(place)).collect());

/// Every entry, for engines that know no floor.
pub fn globs() -> impl Iterator<Item = &'static str> {
    rows().flat_map(|row| row.globs).copied()
}

/// What the floor says of a file of the repository, written or deleted.
pub fn of_path(path: &str) -> Option<(RuleId, &'static str)> {
    let target = PathTarget::new(path);
    let files = Files::new(&target, Certainty::Exact, &Context::default());
    let (row, _) = COMPILED.iter().find(|(_, globs)| globs.iter().any(|own| files.reaches(own)))?;
    Some((row.rule, row.why))
}

/// Whether something of the floor lies below a folder of the repository, given in lower case.
pub fn lies_below(folder: &str) -> bool {
    let below = format!("{folder}/");
    let inside = |glob: &str| glob.starts_with(&below) || below.ends_with(&format!("/{}", first(glob)));
    globs().any(|glob| glob.starts_with('.') && glob.contains('/') && inside(glob))
}

/// The first folder of a glob, `/` at the end.
fn first(glob: &str) -> &str {
    glob.split_inclusive('/').next().unwrap_or_default()
}

/// What the floor says of the program, wherever it is.
pub(super) fn of_program() -> (RuleId, &'static str) {
    (PROGRAM.rule, PROGRAM.why)
}

/// What the floor says of settings of agents, wherever they are.
pub(super) fn of_settings() -> (RuleId, &'static str) {
    let row = TABLE.iter().find(|row| row.rule == RuleId::FloorAgentSettings);
    (RuleId::FloorAgentSettings, row.map_or("", |row| row.why))
}

/// What the floor has below a folder of the user.
pub(super) fn below(folder: &str) -> impl Iterator<Item = (RuleId, &'static str, &'static str)> {
    let globs = TABLE.iter().flat_map(|row| row.globs.iter().map(move |glob| (row.rule, row.why, *glob)));
    globs.filter_map(move |(rule, why, glob)| {
        let rest = glob.strip_prefix(folder)?.strip_prefix('/')?;
        Some((rule, why, rest))
    })
}

/// How an effect meets the floor.
pub(super) enum Floor {
    Broken {
        rule: RuleId,
        why: &'static str,
    },
    /// The path is not known well enough to say.
    Perhaps,
}

/// The floor holds every one of the files, whatever they are called in full.
pub(super) fn covers(files: &Files<'_>) -> Option<(RuleId, &'static str)> {
    let is_covered = |own: &OwnRule| files.all_in(&own.at_root);
    let (row, _) = COMPILED.iter().find(|(_, globs)| globs.iter().any(is_covered))?;
    Some((row.rule, row.why))
}

/// The way in which an effect changes files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Written,
    Deleted,
}

/// For effects that write or delete. `judging`: the files of the policy itself, and others of this machine.
pub(super) fn check(files: &Files<'_>, reached: Reached, change: Change, judging: &[OwnFile]) -> Option<Floor> {
    if files.is_unknown() && reached.gathered != Some(Purpose::Check) {
        return Some(Floor::Perhaps);
    }
    let is_gathered = reached.gathered.is_some();
    let broken = |own: &OwnRule| match reached.certainty {
        Certainty::Pattern => files.aims_at(own) || files.asks_for(own) || files.sweeps(own),
        Certainty::Exact | Certainty::Possible if is_gathered => files.aims_at(own) || files.sweeps(own),
        Certainty::Exact | Certainty::Possible => files.reaches(own),
    };
    let is_set = is_gathered || reached.certainty == Certainty::Pattern;
    let is_broken = |file: &&OwnFile| broken(&file.own) || is_set && file.is_swept_by(files);
    if let Some(file) = judging.iter().find(is_broken) {
        return Some(Floor::Broken { rule: file.rule, why: file.why });
    }
    let is_broken = |(row, globs): &&(&Row, Vec<OwnRule>)| {
        let is_named = |own: &OwnRule| !std::ptr::eq(*row, &raw const PROGRAM) || !files.are_of_another_folder(own);
        globs.iter().any(|own| is_named(own) && broken(own))
    };
    if let Some((row, _)) = COMPILED.iter().find(is_broken) {
        return Some(Floor::Broken { rule: row.rule, why: row.why });
    }
    let is_uninstalled = change == Change::Deleted && !is_gathered && reached.certainty == Certainty::Exact;
    if is_uninstalled && PLACES.iter().any(|place| files.take_along(place)) {
        return Some(Floor::Broken { rule: PROGRAM.rule, why: PROGRAM.why });
    }
    let reaches = |own: &OwnRule| files.reaches(own);
    let perhaps =
        || judging.iter().any(|file| reaches(&file.own)) || COMPILED.iter().any(|(_, globs)| globs.iter().any(reaches));
    // Formatters and linters change files of their languages only.
    let writes_any = is_gathered && reached.gathered != Some(Purpose::Check);
    (writes_any && reached.certainty != Certainty::Pattern && perhaps()).then_some(Floor::Perhaps)
}
