//! Qwen Code: `permissions` and `tools` of `.qwen/settings.json`.
//!
//! Read for this on 2026-12-01: `packages/core/src/permissions/rule-parser.ts` and the settings reference of QwenLM/qwen-code,
//! and 0.24.4. Its rules are those of Claude Code with more names for the tools; beside them `tools.allowed`, `tools.exclude`
//! and `tools.core` name tools, and of the shell also the words that a command starts with.

use agent_strace_repos::repo_audit::Language;

use crate::answer::Answer;
use crate::claude::RuleImport;
use crate::import::{Imported, SettingsFault, SettingsFile, SettingsReader, Weight, unknown_permissions};

/// Names of a tool, and how Claude Code calls it.
const NAMES: &[(&str, &str)] = &[
    ("run_shell_command", "Bash"),
    ("Shell", "Bash"),
    ("ShellTool", "Bash"),
    ("edit", "Edit"),
    ("EditTool", "Edit"),
    ("replace", "Edit"),
    ("write_file", "Write"),
    ("WriteFile", "Write"),
    ("WriteFileTool", "Write"),
    ("read_file", "Read"),
    ("ReadFile", "Read"),
    ("ReadFileTool", "Read"),
    ("grep_search", "Grep"),
    ("search_file_content", "Grep"),
    ("glob", "Glob"),
    ("list_directory", "LS"),
    ("web_fetch", "WebFetch"),
    ("WebFetchTool", "WebFetch"),
    ("web_search", "WebSearch"),
    ("WebSearchTool", "WebSearch"),
    ("agent", "Agent"),
    ("task", "Agent"),
    ("AgentTool", "Agent"),
];
const LISTS: &[(&str, Answer)] = &[("deny", Answer::Deny), ("ask", Answer::Ask), ("allow", Answer::Allow)];
const TOP: &[&str] = &["permissions", "tools", "security", "mcp"];

pub(super) fn import(files: &[SettingsFile]) -> Result<Imported, SettingsFault> {
    let mut import = RuleImport::new();
    for file in files {
        let settings = SettingsReader::read(file, Language::Json)?;
        let root = settings.root();
        for key in unknown_permissions(root, TOP) {
            import.unknown(settings.place_of_key(key), &key.name);
        }
        if let Some(permissions) = settings.object(root, "permissions")? {
            for (name, decision) in LISTS {
                for (rule, place) in settings.texts(permissions, name)? {
                    import.rule(*decision, &renamed(rule.trim()), place, file.owner);
                }
            }
        }
        let Some(tools) = settings.object(root, "tools")? else { continue };
        for (name, decision) in [("exclude", Answer::Deny), ("allowed", Answer::Allow)] {
            for (tool, place) in settings.texts(tools, name)? {
                import.rule(decision, &renamed(&prefixed(tool)), place, file.owner);
            }
        }
        for (tool, place) in settings.texts(tools, "core")? {
            let reason = "only the tools of this list are there: the policy does not refuse the others";
            import.left_out(place, tool, Weight::Narrower, reason);
        }
        let modes = &["plan", "default", "auto-edit", "auto_edit", "auto", "yolo"];
        if let Some((mode, place)) = settings.word(tools, "approvalMode", modes)? {
            let name = match mode {
                "auto-edit" | "auto_edit" => "acceptEdits",
                "yolo" => "bypassPermissions",
                other => other,
            };
            // Its project files are taken at their word.
            import.enter(name, mode, place);
        }
    }
    Ok(import.finish())
}

/// The rule with the name that Claude Code has for its tool.
fn renamed(rule: &str) -> String {
    let (tool, rest) = rule.find('(').and_then(|at| rule.split_at_checked(at)).unwrap_or((rule, ""));
    let known = NAMES.iter().find(|(name, _)| *name == tool.trim()).map(|(_, name)| *name);
    let rest = match rest.strip_prefix('(') {
        // A host stands alone, or behind its key.
        Some(inner) if known.unwrap_or(tool) == "WebFetch" && !inner.starts_with("domain:") => {
            format!("(domain:{inner}")
        }
        _ => rest.to_owned(),
    };
    format!("{}{rest}", known.unwrap_or(tool))
}

/// In lists of tools the words in parentheses are the start of a command.
fn prefixed(tool: &str) -> String {
    match tool.strip_suffix(')') {
        Some(start) if start.contains('(') && !start.ends_with('*') => format!("{start} *)"),
        _ => tool.to_owned(),
    }
}
