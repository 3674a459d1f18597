//! Files of git that hide sessions.

use super::*;

#[test]
fn files_of_git_that_hide_the_record_are_found() {
    let gate = step("uses: acme/agent-strace@v1");
    for (path, text, expected) in [
        (".gitignore", ".agent-traces\n", "ignores"),
        (".gitignore", "target/\n", "nothing"),
        (".gitignore", ".agent-traces/[0-9a-f]*\n", "ignores"),
        (".gitignore", ".agent-traces/a*/\n", "ignores"),
        (".gitignore", ".agent-traces/*-*\n", "ignores"),
        (".gitignore", ".agent-traces/????????/\n", "ignores"),
        (".gitignore", ".agent-traces/20[0-9][0-9]*\n", "ignores"),
        (".gitignore", ".agent-traces/*/e*\n", "ignores"),
        (".gitignore", "*.ndjson\n", "ignores"),
        (".gitignore", "events.ndjson\n", "ignores"),
        (".gitignore", "meta.json\n", "ignores"),
        (".gitignore", "**/[!m]*.ndjson\n", "ignores"),
        (".gitignore", "*.ndjson\n!.agent-traces/**/*.ndjson\n", "nothing"),
        (".gitignore", ".agent-traces/*\n!.agent-traces/session\n", "ignores"),
        (".gitignore", ".agent-traces/*\n!.agent-traces/*/\n", "nothing"),
        (".gitignore", ".agent-traces/.active-session\n*.log\n.env\n*.tmp\n/dist/\n", "nothing"),
        (".gitignore", "*.json\n!/package.json\n", "ignores"),
        (".gitignore", "traces/\nlogs/*.ndjson\n", "nothing"),
        (".gitignore", "*\n!src\n", "ignores"),
        ("src/.gitignore", "*\n", "nothing"),
        (".agent-traces/.gitignore", "*\n", "ignores"),
        (".gitattributes", "* text=auto\n*.png binary\n", "nothing"),
        (".gitattributes", ".agent-traces/** filter=lfs\n", "rewrites"),
        (".gitattributes", "*.ndjson filter=lfs diff=lfs merge=lfs -text\n", "rewrites"),
        (".gitattributes", ".agent-traces/[0-9]*/** filter=lfs\n", "rewrites"),
        (".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n", "nothing"),
        (".gitattributes", "[attr]quiet -diff\n*.ndjson quiet\n", "hides"),
        (".gitattributes", "* -diff\n.agent-traces/** diff\n.github/** diff\n.agent-scope.json diff\n", "nothing"),
        (".gitattributes", ".agent-traces/** export-ignore\n", "hides"),
        (".gitattributes", ".agent-scope.json merge=ours\n", "hides"),
        (".gitattributes", "*.lock merge=ours\n", "nothing"),
        (".gitattributes", "*.ndjson linguist-generated\n", "hides"),
        (".gitattributes", ".github/** -diff\n", "hides"),
        (".gitattributes", "*.json -linguist-generated diff=json\n", "nothing"),
    ] {
        let found = part(&[(WORKFLOW, &gate)], path, Some(text.as_bytes()));
        assert_eq!(kind(found.as_ref()), expected, "{path} {text:?}");
    }
    let base = [(WORKFLOW, gate.as_str()), (".gitignore", ".agent-traces\n")];
    assert_eq!(kind(part(&base, ".gitignore", Some(b".agent-traces\ntarget\n")).as_ref()), "nothing");
}

/// Content that the gate can't read may keep sessions out of commits, where it is about them.
#[test]
fn a_file_of_git_that_can_not_be_read_is_no_empty_one() {
    let link = format!("{}elsewhere", super::LINK);
    for (path, expected) in [
        (".gitignore", "unreadable"),
        (".gitattributes", "unreadable"),
        (".agent-traces/.gitignore", "unreadable"),
        ("docs/.gitignore", "nothing"),
    ] {
        let part = super::part(&[], path, Some(link.as_bytes()));
        assert_eq!(super::kind(part.as_ref()), expected, "{path}");
    }
}
