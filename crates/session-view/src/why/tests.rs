//! Chains of sessions.

use std::borrow::Cow;

use super::{Because, Touch, chain};
use agent_strace_model::dialect::Dialect;
use agent_strace_model::{
    Access, Arguments, Event, EventKind, Origin, RawText, Session, Speaker, Status, ToolCall, ToolResult,
};

static DIALECT: Dialect = Dialect::new("test", "tester");

/// A line each: `prompt TEXT`, `load SKILL`, `skill TEXT`, `reminder TEXT`, `call ID STATUS COMMAND`, `result ID TEXT`, `say TEXT`.
fn session(script: &str) -> Session<'static> {
    let mut session = Session::new(&DIALECT, "log");
    let text = |text: &str| RawText::Plain(Cow::Owned(text.to_owned()));
    for (number, line) in (1..).zip(script.lines().map(str::trim).filter(|line| !line.is_empty())) {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        let kind = match words.as_slice() {
            ["prompt" | "skill" | "reminder", ..] => EventKind::Prompt(text(line)),
            ["load", name] => EventKind::Call(ToolCall {
                call_id: None,
                tool: Cow::Borrowed("Skill"),
                arguments: Arguments::Json(Cow::Owned(serde_json::json!({ "skill": name }).to_string())),
                cwd: None,
                status: Status::Ok,
                subagent: None,
            }),
            ["say", ..] => EventKind::Message(text(line)),
            ["call", id, status, command] => EventKind::Call(ToolCall {
                call_id: Some(Cow::Owned((*id).to_owned())),
                tool: Cow::Borrowed("Bash"),
                arguments: Arguments::Json(Cow::Owned(serde_json::json!({ "command": command }).to_string())),
                cwd: None,
                status: if *status == "error" { Status::Error } else { Status::Ok },
                subagent: None,
            }),
            ["result", id, rest @ ..] => EventKind::Result(ToolResult {
                call_id: Some(Cow::Owned((*id).to_owned())),
                text: Some(text(&rest.join(" "))),
                is_error: false,
            }),
            _ => panic!("{line}"),
        };
        let speaker = match words.first() {
            Some(&"skill") => Speaker::Skill,
            Some(&"reminder") => Speaker::Reminder,
            _ => Speaker::User,
        };
        let origin = Origin { speaker, ..Origin::default() };
        session.events.push(Event { number, id: None, line: number, time: None, origin, kind });
    }
    session
}

/// The numbers of a chain, with what links each to the one before it.
fn chained(script: &str, touches: &[(u32, Option<Access>, &str)], target: usize) -> String {
    let touches: Vec<Touch> = touches
        .iter()
        .map(|(event, access, path)| Touch { event: *event, access: *access, path: (*path).to_owned() })
        .collect();
    let steps = chain(&session(script), &touches, target - 1).into_iter().map(|step| {
        let because = match step.because {
            None => "root".to_owned(),
            Some(Because::Answers) => "answers".to_owned(),
            Some(Because::Retries) => "retries".to_owned(),
            Some(Because::Named(text)) => format!("named {text}"),
            Some(Because::Read(text)) => format!("read {text}"),
            Some(Because::Asked) => "asked".to_owned(),
            Some(Because::Told) => "told".to_owned(),
            Some(Because::Loaded) => "loaded".to_owned(),
            Some(Because::First) => "first".to_owned(),
        };
        format!("{} {because}", step.index + 1)
    });
    steps.collect::<Vec<_>>().join(", ")
}

#[test]
fn events_are_led_back_to_what_was_asked() {
    let script = "
        prompt run the tests
        call a error pytest tests/
        result a exit 1: see tests/test_a.py
        call b ok pytest tests/
        result b ok
        call c ok cat tests/test_a.py
        say done
        prompt now fix it
        call d ok cat src/a.py
        call e ok sed -i s/x/y/ src/a.py
        call f ok pytest tests/";
    let touches = [
        (6, Some(Access::Read), "tests/test_a.py"),
        (9, Some(Access::Read), "src/a.py"),
        (10, Some(Access::Write), "src/a.py"),
    ];
    for (target, expected) in [
        (1, "1 root"),
        (2, "1 root, 2 asked"),
        (4, "1 root, 2 asked, 3 answers, 4 retries"),
        (5, "1 root, 2 asked, 3 answers, 4 retries, 5 answers"),
        (6, "1 root, 2 asked, 3 answers, 6 named tests/test_a.py"),
        (7, "1 root, 7 asked"),
        (10, "8 root, 9 asked, 10 read src/a.py"),
        // What failed before the prompt is another story.
        (11, "8 root, 11 asked"),
    ] {
        assert_eq!(chained(script, &touches, target), expected, "{target}");
    }
}

#[test]
fn the_text_of_a_skill_leads_back_to_the_call_that_loaded_it() {
    let script = "prompt tidy\nload docs\nskill remove old files\nreminder no tasks\ncall a ok rm x";
    assert_eq!(chained(script, &[], 3), "1 root, 2 asked, 3 loaded");
    assert_eq!(chained(script, &[], 5), "1 root, 2 asked, 3 loaded, 5 told");
    assert_eq!(chained("prompt tidy\nreminder no tasks\ncall a ok rm x", &[], 3), "1 root, 3 asked");
}

#[test]
fn without_a_prompt_there_is_the_first_event() {
    assert_eq!(chained("say hello\ncall a ok ls x", &[], 2), "1 root, 2 first");
    assert_eq!(chained("call a ok ls x", &[], 1), "1 root");
}

#[test]
fn a_command_that_a_result_proposes_is_named_by_it() {
    let script = "prompt x\ncall a ok npm t\nresult a did you mean: npm test --all?\ncall b ok npm test --all";
    assert_eq!(chained(script, &[], 4), "1 root, 2 asked, 3 answers, 4 named npm test --all");
}

/// A log may be long, and each event of it the cause of the next one.
#[test]
fn long_chains_take_linear_time() {
    let mut script = "prompt x\n".to_owned();
    for number in 0..20_000 {
        script.extend([format!("call c{number} error make all\n"), format!("result c{number} exit 2\n")]);
    }
    let steps = chained(&script, &[], 40_001);
    assert_eq!(steps.split(", ").count(), 40_001);
}
