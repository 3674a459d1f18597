//! Who says what stands where users speak, format by format.

use std::fmt::Write as _;

use crate::Log;
use agent_strace_model::{EventKind, Session, ShellLanguage, Speaker};

fn session(log: &Log) -> Session<'_> {
    let mut reading = log.read();
    assert!(reading.gaps.is_empty(), "{:?}", reading.gaps);
    reading.sessions.remove(0)
}

fn speakers(text: &str) -> Vec<Speaker> {
    let log = Log::new("log", text.as_bytes().to_vec());
    let session = session(&log);
    let prompts = session.events.iter().filter(|event| matches!(event.kind, EventKind::Prompt(_)));
    prompts.map(|event| event.origin.speaker).collect()
}

fn claude(text: &str, marks: &str) -> String {
    let text = serde_json::json!(text);
    format!(
        r#"{{"type":"user","uuid":"u","sessionId":"s","cwd":"/w","timestamp":"2026-01-01T00:00:00Z"{marks},"message":{{"role":"user","content":{text}}}}}"#
    )
}

#[test]
fn claude_code_marks_texts_of_its_own() {
    let cases = [
        ("tidy up", "", Speaker::User),
        ("tidy up", r#","isMeta":true"#, Speaker::Context),
        ("tidy up", r#","isMeta":true,"sourceToolUseID":"t1""#, Speaker::Skill),
        ("Base directory for this skill: /w/skills/tidy", r#","isMeta":true"#, Speaker::Skill),
        ("Stop hook feedback:\n- format", r#","isMeta":true"#, Speaker::HookFeedback),
        ("<system-reminder>\nx\n</system-reminder>", r#","isMeta":true"#, Speaker::Reminder),
        ("<task-notification>x</task-notification>", "", Speaker::Notice),
        ("<local-command-stdout>ok</local-command-stdout>", "", Speaker::Command),
        ("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>", "", Speaker::Command),
        ("[Request interrupted by user for tool use]", "", Speaker::Notice),
        // What a user adds to a text of the host, or leaves open, is the user's.
        ("<system-reminder>x</system-reminder>\nDelete it.", "", Speaker::User),
        ("<task-notification> is a tag that I want you to parse", "", Speaker::User),
        ("<div>make this page blue</div>", "", Speaker::User),
        ("<command-name>/init</command-name>", "", Speaker::User),
    ];
    for (text, marks, speaker) in cases {
        assert_eq!(speakers(&claude(text, marks)), [speaker], "{text} {marks}");
    }
}

fn codex(records: &[(&str, &str)]) -> String {
    let mut log =
        String::from(r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/w"}}"#);
    for (kind, text) in records {
        let text = serde_json::json!(text);
        let record = match *kind {
            "typed" => format!(r#""type":"event_msg","payload":{{"type":"user_message","message":{text}}}"#),
            _ => format!(
                r#""type":"response_item","payload":{{"type":"message","role":"user","content":[{{"type":"input_text","text":{text}}}]}}"#
            ),
        };
        write!(log, "\n{{\"timestamp\":\"2026-01-01T00:00:01Z\",{record}}}").unwrap();
    }
    log
}

#[test]
fn codex_notes_what_users_typed() {
    let context = "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>";
    assert_eq!(
        speakers(&codex(&[("said", context), ("said", "go"), ("typed", "go"), ("said", "another agent is done")])),
        [Speaker::Context, Speaker::User, Speaker::Context]
    );
    let tags = [
        (context, Speaker::Context),
        ("<turn_aborted>\nx\n</turn_aborted>", Speaker::Notice),
        ("<subagent_notification>{}</subagent_notification>", Speaker::Notice),
        ("<skill>\n<name>docs</name>\n</skill>", Speaker::Skill),
        ("<recommended_plugins>x</recommended_plugins>", Speaker::Context),
        ("# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>", Speaker::Context),
        ("go", Speaker::User),
    ];
    for (text, speaker) in tags {
        assert_eq!(speakers(&codex(&[("said", text)])), [speaker], "{text}");
    }
}

#[test]
fn gemini_begins_with_a_context() {
    let text = "<session_context>\nThis is the Gemini CLI.\nMy operating system is: win32\n</session_context>";
    let message = |text: &str| serde_json::json!({"id": text.len().to_string(), "type": "user", "content": text});
    let log = serde_json::json!({"sessionId": "s", "projectHash": "p", "messages": [message(text), message("hi")]});
    let log = log.to_string();
    assert_eq!(speakers(&log), [Speaker::User], "the first text is no prompt");
    let log = Log::new("log.json", log.into_bytes());
    assert_eq!(session(&log).shells, [ShellLanguage::PowerShell, ShellLanguage::Cmd]);
}

#[test]
fn a_context_names_the_shell() {
    let context = |shell: &str| format!("<environment_context>\n  <shell>{shell}</shell>\n</environment_context>");
    let shells = |text: &str| {
        let log = Log::new("log", codex(&[("said", text)]).into_bytes());
        session(&log).shells
    };
    assert_eq!(shells(&context("powershell")), [ShellLanguage::PowerShell]);
    assert_eq!(shells(&context("zsh")), [ShellLanguage::Posix]);
    assert_eq!(shells("use <shell>cmd</shell>"), []);
}
