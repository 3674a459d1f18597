//! Lines of sessions as they are told.

use std::borrow::Cow;

use super::{Detail, What, events, plain};
use agent_strace_model::dialect::Dialect;
use agent_strace_model::{Arguments, Event, EventKind, Origin, RawText, Session, Status, ToolCall, ToolResult};

static DIALECT: Dialect = Dialect::new("test", "tester");

fn call(id: &'static str, arguments: &'static str, status: Status) -> EventKind<'static> {
    EventKind::Call(ToolCall {
        call_id: Some(Cow::Borrowed(id)),
        tool: Cow::Borrowed("Tool"),
        arguments: Arguments::Json(Cow::Borrowed(arguments)),
        cwd: None,
        status,
        subagent: None,
    })
}

fn result(id: Option<&'static str>) -> EventKind<'static> {
    let text = Some(RawText::Plain(Cow::Borrowed("said")));
    EventKind::Result(ToolResult { call_id: id.map(Cow::Borrowed), text, is_error: false })
}

fn session(kinds: Vec<EventKind<'static>>) -> Session<'static> {
    let mut session = Session::new(&DIALECT, "log");
    session.events = (1..)
        .zip(kinds)
        .map(|(number, kind)| Event {
            number,
            id: None,
            line: number,
            time: Some(Cow::Owned(format!("{}.5", 1_790_000_000 + number))),
            origin: Origin::default(),
            kind,
        })
        .collect();
    session
}

#[test]
fn results_answer_the_calls_that_they_name() {
    let kinds = vec![
        call("a", "{}", Status::Ok),
        call("b", "{}", Status::Denied),
        result(Some("b")),
        result(Some("a")),
        result(None),
        result(Some("c")),
    ];
    let told = events(&session(kinds));
    let seen: Vec<_> = told.lines.iter().map(|line| (line.call, line.took, line.what, line.offset)).collect();
    assert_eq!(
        seen,
        [
            (None, None, What::ToolCall, Some(0)),
            (None, None, What::ToolCall, Some(1000)),
            (Some(1), Some(1000), What::Error, Some(2000)),
            (Some(0), Some(3000), What::ToolResult, Some(3000)),
            (None, None, What::ToolResult, Some(4000)),
            (None, None, What::ToolResult, Some(5000)),
        ]
    );
    assert_eq!(told.lines[2].status, Some(Status::Denied));
    assert_eq!(told.calls, 2);
}

#[test]
fn arguments_tell_what_a_call_is_about() {
    let files = |paths: &[&str], replaces: Option<&str>| Detail::Files {
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        replaces: replaces.map(str::to_owned),
    };
    let cases = [
        (r#"{"command":"ls -la","description":"x"}"#, Detail::Command("ls -la".into())),
        (r#"{"command":["bash","-lc","ls"]}"#, Detail::Command("bash -lc ls".into())),
        (r#"{"file_path":"a.rs","content":"long"}"#, files(&["a.rs"], None)),
        (r#"{"file_path":"a.rs","old_string":"x","new_string":"y"}"#, files(&["a.rs"], Some("x"))),
        (r#"{"pattern":"fn x","path":"src"}"#, Detail::Pattern { pattern: "fn x".into(), path: Some("src".into()) }),
        (r#"{"url":"https://e.com","prompt":"p"}"#, Detail::Url("https://e.com".into())),
        (r#"{"prompt":"do","subagent_type":"Explore"}"#, Detail::Words("do".into())),
        (r#"{"b":{"c":1},"a":"x"}"#, Detail::Argument("x".into())),
        (r#"{"b":{"c":1},"a":2}"#, Detail::Argument("a, b".into())),
        (
            "{\"input\":\"*** Begin Patch\\n*** Update File: a\\n*** Move to: b\\n*** End Patch\"}",
            files(&["a", "b"], None),
        ),
    ];
    for (arguments, expected) in cases {
        let told = events(&session(vec![call("a", arguments, Status::Ok)]));
        assert_eq!(told.lines[0].detail.as_ref(), Some(&expected), "{arguments}");
    }
    assert_eq!(events(&session(vec![call("a", "{}", Status::Ok)])).lines[0].detail, None);
}

#[test]
fn markdown_is_told_without_its_marks() {
    assert_eq!(plain("## **75** tests\n> all `ok`\n\n```sh\nls  __x__\n```\n"), "75 tests all ok ls __x__");
}

#[test]
fn every_type_has_a_name_of_its_own() {
    let mut names: Vec<&str> = What::ALL.iter().map(|what| what.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), What::ALL.len());
}
