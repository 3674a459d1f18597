//! Names that writers of logs give to their other files, by the last components of a path.

/// `*` is any text within a component.
const COMPANIONS: &[&str] = &[
    // The native store.
    "meta.json",
    "recorder.json",
    "decisions.ndjson",
    "annotations.jsonl",
    "eval.json",
    "identity.json",
    "watchdog-postmortem.json",
    "rbac.json",
    "identities.json",
    "team_budgets.json",
    "baseline.json",
    "tenant-audit.ndjson",
    "tenant-deletions.ndjson",
    "datasets/*",
    "baselines/*",
    // Any agent: settings, and what people typed.
    "settings.json",
    "settings.local.json",
    "*.settings.json",
    "*.meta.json",
    "history.jsonl",
    "mcp.json",
    "mcp_config.json",
    "config.json",
    "package.json",
    "package-lock.json",
    // Claude Code.
    "todos/*.json",
    "tasks/*/*.json",
    "teams/*/*.json",
    "ide/*.json",
    "statsig/*.json",
    "telemetry/*.json",
    "plugins/*.json",
    "plugins/*/*.json",
    "cache/*.json",
    "backups/*.json",
    "sessions/*.json",
    "sessions-index.json",
    "stats-cache.json",
    "claude.json",
    "keybindings.json",
    "mcp-needs-auth-cache.json",
    "tool-results/*",
    "usage-data/*/*.json",
    "metadata.json",
    // Codex.
    "auth.json",
    "version.json",
    "session_index.jsonl",
    "models_cache.json",
    "internal_storage.json",
    "external_agent_session_imports.json",
    // Gemini and its kin.
    "logs.json",
    "oauth_creds.json",
    "google_accounts.json",
    "installation_id.json",
    "state.json",
    "projects.json",
    "trustedFolders.json",
    // Copilot.
    "mcp-config.json",
    "journal.jsonl",
    "command-history-state.json",
    "ide/*.lock.json",
    "rewind-file-snapshots/*.json",
    "rewind-file-snapshots/backups/*",
    // OpenClaw.
    "*.trajectory-path.json",
    // Qoder, Cowork, Codebuff.
    "*-session.json",
    "local_*.json",
    "run-state.json",
    // Inspect AI.
    "header.json",
    "summaries.json",
    "reductions.json",
    "_journal/*.json",
    "_journal/*/*.json",
    // Grok Build.
    "summary.json",
    "updates.jsonl",
    "signals.json",
    "prompt_context.json",
    // Kimi.
    "agents/*/tasks/*.json",
    // Agentic workflows of GitHub.
    "aw_info.json",
    "agent_output.json",
    "agent_usage.json",
    "policy-manifest.json",
    "token-usage.jsonl",
    "token_usage.jsonl",
    "safe-outputs.jsonl",
    "safe_outputs.jsonl",
    "safeoutputs.jsonl",
    "outputs.jsonl",
    "gateway.jsonl",
    "rpc-messages.jsonl",
    "github_rate_limits.jsonl",
    "models.json",
    "detection.json",
    // Checkpoints.
    "checkpoint.json",
    "content_hash.txt",
    "generation.json",
];

/// Whether a path ends like that of a companion, or a component of it is hidden.
pub(super) fn is_companion(path: &str) -> bool {
    let hidden = path.split('/').any(|part| part.starts_with('.'));
    let plain = path.strip_suffix(".gz").or_else(|| path.strip_suffix(".zst")).unwrap_or(path);
    hidden || COMPANIONS.iter().any(|pattern| ends_like(plain, pattern))
}

fn ends_like(path: &str, pattern: &str) -> bool {
    let mut parts = path.rsplit('/');
    pattern.rsplit('/').all(|pattern| parts.next().is_some_and(|part| is_like(part, pattern)))
}

/// One `*` at most.
fn is_like(part: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => part == pattern,
        Some((before, after)) => {
            part.len() >= before.len() + after.len() && part.starts_with(before) && part.ends_with(after)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_companion;

    #[test]
    fn names_are_matched_from_their_end() {
        for path in ["settings.json", "a/b/settings.json", "x/todos/1.json", "u.settings.json", ".hidden/a.jsonl"] {
            assert!(is_companion(path), "{path}");
        }
        for path in ["session.jsonl", "todos.json", "todos/a/b.json", "mysettings.json"] {
            assert!(!is_companion(path), "{path}");
        }
    }
}
