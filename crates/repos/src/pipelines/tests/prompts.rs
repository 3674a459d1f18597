//! Texts of agents: with rights or without.

use super::*;

#[test]
fn texts_of_agents_count_by_the_rights_in_them() {
    let matter = |line: &str| format!("---\nname: x\ndescription: Reviews.\n{line}\n---\nReview it.\n");
    for (path, text, expected) in [
        (".claude/skills/x/SKILL.md", matter("license: MIT"), "instructs"),
        (".claude/skills/x/SKILL.md", "Review it. Be brief!\n".to_owned(), "instructs"),
        (".claude/skills/x/SKILL.md", matter("allowed-tools: Bash(*)"), "gives rights"),
        (".claude/skills/x/SKILL.md", matter("allowed-tools: Read, Grep, Glob"), "instructs"),
        (".claude/skills/x/SKILL.md", matter("allowed-tools: [Read, Write]"), "gives rights"),
        (
            ".claude/skills/x/SKILL.md",
            matter("hooks: {PreToolUse: [{hooks: [{type: command, command: x}]}]}"),
            "gives rights",
        ),
        (".claude/skills/x/SKILL.md", matter("a: [\n"), "gives rights"),
        (".claude/skills/x/reference.md", "Text.\n".to_owned(), "instructs"),
        (".claude/skills/x/run.sh", "date\n".to_owned(), "nothing"),
        (".claude/agents/x.md", matter("permissionMode: bypassPermissions"), "gives rights"),
        (".claude/agents/x.md", matter("permissionMode: plan\ntools: Read"), "instructs"),
        (".claude/agents/x.md", matter("permissionMode: plan"), "gives rights"),
        (".claude/agents/x.md", matter("tools:"), "gives rights"),
        (".claude/agents/README.md", "Text.\n".to_owned(), "instructs"),
        (".opencode/command/a.md", "a:!`id`\n".to_owned(), "gives rights"),
        (".claude/agents/x.md", matter("permission-mode: acceptEdits"), "gives rights"),
        (".claude/agents/x.md", matter("tools: Read, Grep"), "instructs"),
        (".claude/agents/x.md", matter("tools: Bash"), "gives rights"),
        (".claude/agents/x.md", matter("mcpServers: {a: {command: npx}}"), "gives rights"),
        (".claude/commands/x.md", "Look at !`git status` first.\n".to_owned(), "gives rights"),
        (".claude/commands/x.md", "```!\ncurl x | sh\n```\n".to_owned(), "gives rights"),
        (".claude/commands/x.md", "Say wow!`code` and `!`.\n".to_owned(), "instructs"),
        ("skills/x/SKILL.md", matter("allowed-tools: Bash(git:*)"), "gives rights"),
        (".gemini/commands/x.toml", "prompt = \"Look at !{git diff}\"\n".to_owned(), "gives rights"),
        (".gemini/commands/x.toml", "prompt = \"Look at it\"\n".to_owned(), "instructs"),
        (".opencode/agent/x.md", matter("tools: {bash: true}"), "gives rights"),
        (".opencode/agent/x.md", matter("tools: {bash: false, read: true}"), "gives rights"),
        (".opencode/agent/x.md", matter("tools: {bash: false, write: false, edit: false}"), "instructs"),
        (".opencode/agent/x.md", matter("tools: {'*': false, read: true}"), "instructs"),
        (".opencode/agent/x.md", matter("mode: subagent"), "gives rights"),
        (".opencode/agents/a/x.md", "Review it.\n".to_owned(), "gives rights"),
        (".opencode/mode/x.md", matter("model: y"), "gives rights"),
        (".opencode/command/x.md", matter("model: y"), "instructs"),
        (".opencode/agent/x.md", matter("permission: deny"), "instructs"),
        (".opencode/agent/x.md", matter("permission: {'*': ask}"), "instructs"),
        (".opencode/agent/x.md", matter("permission: {edit: deny}"), "gives rights"),
        (
            ".opencode/agent/x.md",
            matter("permission: {edit: deny, bash: {'*': ask, 'git diff': allow}}"),
            "gives rights",
        ),
        (".opencode/agent/x.md", matter("permissions: [{action: '*', effect: deny}]"), "instructs"),
        (".opencode/agent/x.md", matter("permissions: [{action: edit, resource: '*', effect: deny}]"), "gives rights"),
        (
            ".opencode/agent/x.md",
            matter("permissions: [{action: '*', effect: deny}, {action: shell, effect: allow}]"),
            "gives rights",
        ),
        (".opencode/agent/x.md", matter("permission: {edit: deny, bash: ask}"), "instructs"),
        (".opencode/agent/x.md", matter("permission: {bash: allow}"), "gives rights"),
        (".github/agents/x.agent.md", matter("tools: ['read', 'search']"), "instructs"),
        (".github/agents/x.agent.md", matter("tools: ['*']"), "gives rights"),
        (".devcontainer/README.md", "Text.\n".to_owned(), "instructs"),
    ] {
        let found = part(&[(WORKFLOW, "jobs: {}\n")], path, Some(text.as_bytes()));
        let found = kind(found.as_ref());
        let found = if path.contains("run.sh") && found == "of an agent" { "nothing" } else { found };
        assert_eq!(found, expected, "{path}: {text}");
    }
    // Rights that it had before are not the change's doing; no text has some once it is gone.
    let with = matter("allowed-tools: Bash(git:*)");
    let base = [(WORKFLOW, "jobs: {}\n"), (".claude/skills/x/SKILL.md", with.as_str())];
    for (text, expected) in [
        (Some(with.replace("Review it.", "Review all of it.")), "instructs"),
        (Some(with.replace("git:*", "*")), "gives rights"),
        (Some(matter("a: b")), "instructs"),
        (None, "instructs"),
    ] {
        let found = part(&base, ".claude/skills/x/SKILL.md", text.as_deref().map(str::as_bytes));
        assert_eq!(kind(found.as_ref()), expected, "{text:?}");
    }
}
