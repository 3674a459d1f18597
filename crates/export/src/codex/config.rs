//! The permission profile as a part of `config.toml`.

use std::fmt::Write as _;

use super::super::escape;
use super::Codex;

/// How deep Codex looks for files of a pattern before the sandbox starts.
const DEPTH: u32 = 8;

impl Codex {
    pub(in super::super) fn config_text(&self) -> String {
        let profile = &self.profile;
        let mut text = String::from(
            "# A permission profile for Codex. It can't be used beside `sandbox_mode` or `--sandbox`.\n\
             default_permissions = \"agent-scope\"\napproval_policy = \"on-request\"\n",
        );
        if !profile.web_search {
            text.push_str("web_search = \"disabled\"\n");
        }
        if !profile.network.domains.is_empty() {
            text.push_str("\n[features]\nnetwork_proxy = true\n");
        }
        text.push_str("\n[permissions.agent-scope]\nextends = \":workspace\"\n");
        let deep = profile.roots.keys().any(|path| path.contains("**"));
        if deep || !profile.elsewhere.is_empty() {
            text.push_str("\n[permissions.agent-scope.filesystem]\n");
        }
        if deep {
            let _ = writeln!(text, "glob_scan_max_depth = {DEPTH}");
        }
        for (path, access) in &profile.elsewhere {
            let _ = writeln!(text, "{} = {}", escape::toml(path), escape::toml(access.name()));
        }
        if !profile.roots.is_empty() {
            text.push_str("\n[permissions.agent-scope.filesystem.\":workspace_roots\"]\n");
        }
        for (path, access) in &profile.roots {
            let _ = writeln!(text, "{} = {}", escape::toml(path), escape::toml(access.name()));
        }
        let enabled = !profile.network.domains.is_empty();
        let _ = write!(text, "\n[permissions.agent-scope.network]\nenabled = {enabled}\n");
        if enabled {
            text.push_str("\n[permissions.agent-scope.network.domains]\n");
        }
        for (host, allowed) in &profile.network.domains {
            let access = if *allowed { "allow" } else { "deny" };
            let _ = writeln!(text, "{} = {}", escape::toml(host), escape::toml(access));
        }
        text
    }
}
