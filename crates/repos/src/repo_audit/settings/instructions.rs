//! Texts that agents read as instructions, whatever people see of them.

use std::sync::LazyLock;

use crate::repo_audit::document::line_at;
use crate::repo_audit::hit::{Location, RepositoryHit};
use crate::repo_audit::lookup::Paths;
use crate::repo_audit::poison;
use agent_strace_rules::repository::HIDDEN_TEXT;

pub(super) const GLOBS: &[&str] = &[
    "**/{CLAUDE,CLAUDE.local,AGENTS,AGENTS.override,AGENT,GEMINI,QWEN,CRUSH,WARP,IFLOW,AMP,CODEX}.md",
    "**/{.cursorrules,.windsurfrules,.clinerules,.roorules,.kilocoderules,.goosehints,.rules,.replit.md,.augment-guidelines}",
    "**/.cursor/{rules,commands,agents}/**/*.{md,mdc}",
    "**/.{clinerules,roo,kilocode,kilo}/**/*.md",
    "**/.{clinerules,roorules}-*",
    "**/.windsurf/{rules,workflows}/**/*.md",
    "**/.github/{copilot-instructions,instructions/**/*,prompts/**/*,agents/**/*,chatmodes/**/*,skills/**/*}.md",
    "**/.github/workflows/*.md",
    "**/.claude/{agents,commands,skills,rules,output-styles}/**/*.md",
    "**/{agents,commands}/*.md",
    "**/SKILL.md",
    "**/.kiro/{steering,specs}/**/*.md",
    "**/.amazonq/{rules,prompts}/**/*.md",
    "**/.continue/{rules,prompts}/**/*.{md,prompt}",
    "**/.junie/**/*.md",
    "**/.augment/{rules,commands}/**/*.md",
    "**/.trae/rules/**/*.md",
    "**/.agents/**/*.md",
    "**/.agent/{rules,workflows}/**/*.md",
    "**/.factory/{droids,commands,skills}/**/*.md",
    "**/.opencode/{agent,agents,command,commands}/**/*.md",
    "**/.codex/prompts/**/*.md",
    "**/.gemini/commands/**/*.toml",
    "**/.qwen/{agents,commands}/**/*.{md,toml}",
    "**/.openhands/microagents/**/*.md",
    "**/*.{prompt,instructions,chatmode,agent}.md",
    "**/{llms,llms-full}.txt",
];

static PATHS: LazyLock<Paths> = LazyLock::new(|| Paths::new(GLOBS.iter().copied()));

/// Whether agents take a file for instructions, by its path.
pub(crate) fn is_instructions(path: &str) -> bool {
    PATHS.matches(path)
}

/// Text in such a file that no reader sees.
pub(crate) fn instructions(path: &str, text: &str) -> Vec<RepositoryHit> {
    let mut found = poison::hidden(text);
    found.extend(poison::in_comments(text));
    found.sort_by_key(|indicator| indicator.at);
    let hit = |indicator: poison::Indicator| {
        let location = Location::head(path, line_at(text, indicator.at));
        let message = format!("this file {}: agents read it and reviewers do not, so take it out", indicator.what);
        RepositoryHit::new(&HIDDEN_TEXT, location, message).about("what", indicator.what)
    };
    found.into_iter().map(hit).collect()
}
