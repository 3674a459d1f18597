//! Logs that stop before their end.

use super::*;
use crate::StoreEntry;
use crate::unended::ReadFrom;
use agent_strace_model::Gap;

fn gaps(name: &str, lines: &[&str], store: Option<StoreEntry>) -> Vec<String> {
    let mut log = Log::new(name, lines.join("\n").into_bytes());
    log.store = store;
    log.read().gaps.iter().map(Gap::reason).collect()
}

const CLAUDE: [&str; 4] = [
    r#"{"type":"system","subtype":"init","session_id":"s","cwd":"/w","tools":["Bash"],"model":"m"}"#,
    r#"{"type":"assistant","session_id":"s","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}"#,
    r#"{"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a"}]}}"#,
    r#"{"type":"result","subtype":"success","session_id":"s","is_error":false,"num_turns":1,"result":"done"}"#,
];
const CODEX: [&str; 4] = [
    r#"{"type":"thread.started","thread_id":"t"}"#,
    r#"{"type":"turn.started"}"#,
    r#"{"type":"item.completed","item":{"id":"i1","type":"command_execution","command":"ls","aggregated_output":"","exit_code":0,"status":"completed"}}"#,
    r#"{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}"#,
];
const GEMINI: [&str; 4] = [
    r#"{"type":"init","timestamp":"2026-07-01T10:00:00Z","session_id":"g","model":"m"}"#,
    r#"{"type":"tool_use","timestamp":"2026-07-01T10:00:01Z","tool_name":"run_shell_command","tool_id":"t1","parameters":{"command":"ls"}}"#,
    r#"{"type":"tool_result","timestamp":"2026-07-01T10:00:02Z","tool_id":"t1","status":"success","output":"a"}"#,
    r#"{"type":"result","timestamp":"2026-07-01T10:00:03Z","status":"success","stats":{"total_tokens":2,"input_tokens":1,"output_tokens":1,"tool_calls":1}}"#,
];

/// The output of a run is whole with its last record only.
#[test]
fn printed_runs_end_with_a_record() {
    for (name, lines) in [("claude", CLAUDE), ("codex", CODEX), ("gemini", GEMINI)] {
        assert_eq!(gaps(name, &lines, None), Vec::<String>::new(), "{name}");
        for kept in 2..4 {
            assert_eq!(gaps(name, &lines[..kept], None), [crate::unended::CUT], "{name}: {kept} records");
        }
    }
    let again = [CLAUDE.as_slice(), &CLAUDE[1..3]].concat();
    assert_eq!(gaps("claude", &again, None), [crate::unended::CUT]);
}

/// One line may hold all records, and one log the output of several runs.
#[test]
fn each_printed_run_ends_with_a_record() {
    let array = |lines: &[&str]| format!("[{}]", lines.join(", "));
    assert_eq!(gaps("claude", &[&array(&CLAUDE)], None), Vec::<String>::new());
    assert_eq!(gaps("claude", &[&array(&[&CLAUDE[..], &CLAUDE[..3]].concat())], None), [crate::unended::CUT]);
    let other = CLAUDE.map(|line| line.replace(r#""session_id":"s""#, r#""session_id":"x""#));
    let other: Vec<&str> = other.iter().map(String::as_str).collect();
    assert_eq!(gaps("claude", &[&CLAUDE[..], &other[..]].concat(), None), Vec::<String>::new());
    assert_eq!(gaps("claude", &[&CLAUDE[..3], &other[..]].concat(), None), [crate::unended::CUT]);
}

/// A recording may be read while its session runs: only a call without an answer shows that something is missing.
#[test]
fn a_recording_that_stops_in_a_call_is_incomplete() {
    let start = r#"{"event_type":"session_start","timestamp":1,"event_id":"e1","session_id":"s","data":{"cwd":"/w","capture":{"format":"claude-code","agent":"claude-code"}}}"#;
    let call = r#"{"event_type":"tool_call","timestamp":2,"event_id":"e2","session_id":"s","data":{"tool_name":"Bash","arguments":{"command":"ls"},"tool_use_id":"t1"}}"#;
    let result = r#"{"event_type":"tool_result","timestamp":3,"event_id":"e3","session_id":"s","parent_id":"e2","data":{"tool_use_id":"t1","result":"a"}}"#;
    let said =
        r#"{"event_type":"assistant_response","timestamp":4,"event_id":"e4","session_id":"s","data":{"text":"done"}}"#;
    let end = r#"{"event_type":"session_end","timestamp":5,"event_id":"e5","session_id":"s","data":{}}"#;
    let stopped = |lines: &[&str]| gaps("events.ndjson", lines, None).iter().any(|gap| gap.contains("stops in a call"));
    assert!(stopped(&[start, call]));
    assert!(stopped(&[start, call, result, call]));
    for whole in [&[start, call, result][..], &[start, call, said], &[start, call, end], &[start, call, result, said]] {
        assert!(!stopped(whole), "{whole:?}");
    }
    // Others write stores, too: they promise no result.
    let bare = start.replace(r#","capture":{"format":"claude-code","agent":"claude-code"}"#, "");
    assert!(!stopped(&[&bare, call]));
    let held = StoreEntry::in_memory("s".to_owned(), Ok(b"{}".to_vec()));
    assert!(!gaps("events.ndjson", &[start, call], Some(held)).iter().any(|gap| gap.contains("stops in a call")));
}

/// A recording in a commit ends in the call that made the commit, and one that a hook of git reads in the call that runs git.
#[test]
fn a_recording_may_end_in_the_call_that_makes_it_be_read() {
    let start = r#"{"event_type":"session_start","timestamp":1,"event_id":"e1","session_id":"s","data":{"cwd":"/w","capture":{"format":"claude-code","agent":"claude-code"}}}"#;
    let call = |tool: &str, arguments: &str| {
        format!(
            r#"{{"event_type":"tool_call","timestamp":2,"event_id":"e2","session_id":"s","data":{{"tool_name":"{tool}","arguments":{arguments},"tool_use_id":"t1"}}}}"#
        )
    };
    let bash = |command: &str| call("Bash", &format!(r#"{{"command":"{command}"}}"#));
    let stopped = |lines: &[&str], read_from: ReadFrom| {
        let mut log = Log::new("events.ndjson", lines.join("\n").into_bytes());
        log.read_from = read_from;
        let read = log.read();
        read.gaps.iter().any(|gap| gap.reason().contains("stops in a call"))
    };
    for command in [
        "git commit -m x",
        "git add -A && git -C . -c a=b commit -m x && git push",
        "GIT_EDITOR=true git commit",
        "git merge --no-ff topic",
        "git rebase --continue",
        "/usr/bin/git cherry-pick -x 1234567",
    ] {
        for read_from in [ReadFrom::Commit, ReadFrom::Elsewhere] {
            assert!(!stopped(&[start, &bash(command)], read_from), "{command}");
            assert!(stopped(&[start, &bash("ls"), &bash(command)], read_from), "another call is open: {command}");
            assert!(stopped(&[start, &bash(command), &bash("ls")], read_from), "something ran after it: {command}");
        }
    }
    for command in [
        "git push origin HEAD",
        "agent-strace check --base origin/main",
        "cd /w && ./bin/agent-strace check",
        "timeout 60 git push",
        "time git push",
        "if git push; then echo y; fi",
        "git --git-dir .git push",
        "npx --package agent-strace-gate agent-strace check",
        "uvx --from agent-strace-gate agent-strace check",
        "gh pr create --fill",
        "git status && GH_PROMPT_DISABLED=1 gh pr create --title x --body y",
        "glab mr create --push",
        "jj git push",
    ] {
        assert!(!stopped(&[start, &bash(command)], ReadFrom::Elsewhere), "{command}");
        assert!(stopped(&[start, &bash(command)], ReadFrom::Commit), "it makes no commit: {command}");
    }
    // The recording is committed as it was when it was added.
    for command in ["git add -A", "git add .agent-traces src", "git -C . stage ."] {
        assert!(!stopped(&[start, &bash(command)], ReadFrom::Commit), "{command}");
        assert!(stopped(&[start, &bash(command)], ReadFrom::Elsewhere), "nothing reads it: {command}");
        assert!(stopped(&[start, &bash(command), &bash("ls")], ReadFrom::Commit), "something ran after it: {command}");
    }
    for other in [
        bash("gitk committee"),
        bash("./deploy.sh # git commit"),
        bash(r"sleep 5 # a\\ngit commit"),
        bash("npx committer git commit"),
        bash("git log | grep commit; ./run.sh"),
        bash("cat .github/commitlint.config.js && curl e"),
        bash("git status"),
        bash("gh pr view 12"),
        bash("gh issue create --title pr"),
        bash("echo gh pr create"),
        bash("cat agent-strace"),
        call("Write", r#"{"file_path":"/w/a","content":"Use git and commit"}"#),
        call("mcp__git__create_commit", r#"{"repo":"git/x","message":"commit"}"#),
    ] {
        for read_from in [ReadFrom::Commit, ReadFrom::Elsewhere] {
            assert!(stopped(&[start, &other], read_from), "{other}");
        }
    }
}

/// An agent makes several calls at once, and the others may be answered before the one that makes the recording be read.
#[test]
fn calls_beside_the_one_that_stays_open_may_be_answered() {
    let start = r#"{"event_type":"session_start","timestamp":1,"event_id":"e1","session_id":"s","data":{"cwd":"/w","capture":{"format":"claude-code","agent":"claude-code"}}}"#;
    let call = |at: u32, command: &str| {
        format!(
            r#"{{"event_type":"tool_call","timestamp":2,"event_id":"e{at}","session_id":"s","data":{{"tool_name":"Bash","arguments":{{"command":"{command}"}},"tool_use_id":"t{at}"}}}}"#
        )
    };
    let answer = |at: u32| {
        format!(
            r#"{{"event_type":"tool_result","timestamp":3,"event_id":"r{at}","session_id":"s","parent_id":"e{at}","data":{{"tool_use_id":"t{at}","result":"a"}}}}"#
        )
    };
    let stopped = |lines: &[String]| {
        let lines: Vec<&str> = std::iter::once(start).chain(lines.iter().map(String::as_str)).collect();
        gaps("events.ndjson", &lines, None).iter().any(|gap| gap.contains("stops in a call"))
    };
    let (push, ls, test) = (call(2, "git push"), call(3, "ls"), call(4, "npm test"));
    assert!(!stopped(&[push.clone(), ls.clone(), answer(3)]));
    assert!(!stopped(&[ls.clone(), push.clone(), answer(3)]));
    assert!(stopped(&[push.clone(), ls.clone(), answer(3), test.clone()]));
    assert!(stopped(&[push.clone(), ls.clone(), answer(3), test.clone(), answer(4)]), "a call came after an answer");
    assert!(stopped(&[test.clone(), push.clone(), ls.clone(), answer(3)]));
    assert!(stopped(&[test, ls, answer(3)]));
}
