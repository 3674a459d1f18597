//! Tests calls of a session in order: where they run, and how earlier calls change later ones.

use crate::{Certainty, Kind, Tracker};
use agent_strace_model::{Access, Arguments, Dialect, Event, EventKind, FileEvent, Origin, Session, Status, ToolCall};

static STAYS: Dialect = Dialect::new("one-shell", "a").shell_stays();
static FRESH: Dialect = Dialect::new("many-shells", "a");

fn session(root: Option<&str>, dialect: &'static Dialect) -> Session<'static> {
    Session { id: "s".into(), root: root.map(|root| root.to_owned().into()), ..Session::new(dialect, "log") }
}

fn event(kind: EventKind<'static>) -> Event<'static> {
    Event { number: 1, id: None, line: 1, time: None, origin: Origin::default(), kind }
}

fn call(tool: &'static str, arguments: &str, cwd: Option<&'static str>, status: Status) -> Event<'static> {
    event(EventKind::Call(ToolCall {
        call_id: None,
        tool: tool.into(),
        arguments: Arguments::Json(arguments.to_owned().into()),
        cwd: cwd.map(Into::into),
        status,
        subagent: None,
    }))
}

/// Effects with how they came about, where that is an alias.
fn shown(tracker: &mut Tracker, event: &Event<'_>) -> String {
    let effects = tracker.effects(event);
    let shown: Vec<String> = effects
        .iter()
        .map(|effect| match effect.via.strip_prefix("alias ") {
            Some(alias) => format!("{effect} via {alias}"),
            None => effect.to_string(),
        })
        .collect();
    shown.join("; ")
}

fn read(tracker: &mut Tracker, path: &str) -> String {
    shown(tracker, &call("Read", &format!(r#"{{"file_path":"{path}"}}"#), None, Status::Ok))
}

#[test]
fn records_say_where_calls_run() {
    let mut tracker = Tracker::new(&session(Some("/repo"), &STAYS));
    let here = call("Read", r#"{"file_path":"a"}"#, Some("/repo/src"), Status::Ok);
    assert_eq!(shown(&mut tracker, &here), "read src/a");
    assert_eq!(read(&mut tracker, "a"), "read src/a");
    let mut tracker = Tracker::new(&session(None, &FRESH));
    assert_eq!(read(&mut tracker, "src/../a"), "read a");
    assert_eq!(read(&mut tracker, "/repo/a"), "read /repo/a");
    assert_eq!(read(&mut tracker, "../a"), "read? **/a");
}

fn run(tracker: &mut Tracker, tool: &'static str, command: &str) -> String {
    let arguments = serde_json::json!({ "command": command }).to_string();
    shown(tracker, &call(tool, &arguments, None, Status::Ok))
}

#[test]
fn a_shell_that_may_live_on_keeps_functions_and_positional_parameters() {
    for tool in ["run_in_terminal", "execute_command", "run_terminal_cmd", "bash_20250124", "terminal", "bash"] {
        let mut tracker = Tracker::new(&session(Some("/repo"), &STAYS));
        assert_eq!(run(&mut tracker, tool, "ls() { rm -rf build; }"), "", "{tool}");
        let both = "execute(inert) ls; execute rm -rf build; delete build/**; execute ls; list .";
        assert_eq!(run(&mut tracker, tool, "ls"), both, "{tool}");
        assert_eq!(run(&mut tracker, tool, "set -- rm x"), "execute set -- rm x", "{tool}");
        assert_eq!(run(&mut tracker, tool, "\"$@\""), "execute rm x; delete x", "{tool}");
    }
}

#[test]
fn the_last_definition_of_a_function_counts() {
    let mut tracker = Tracker::new(&session(Some("/repo"), &STAYS));
    for text in ["f() { rm a; }", "f() { rm b; }", "f() { rm a; }"] {
        assert_eq!(run(&mut tracker, "terminal", text), "");
    }
    assert!(run(&mut tracker, "terminal", "f").contains("delete a"));
}

#[test]
fn a_fresh_shell_knows_no_functions() {
    for (tool, dialect) in [("Bash", &STAYS), ("bash", &FRESH), ("run_shell_command", &FRESH)] {
        let mut tracker = Tracker::new(&session(Some("/repo"), dialect));
        assert_eq!(run(&mut tracker, tool, "ls() { rm -rf build; }"), "", "{tool}");
        assert_eq!(run(&mut tracker, tool, "ls"), "execute ls; list .", "{tool}");
    }
}

/// Definitions are kept as they are, so their number and their texts cost later calls nothing.
#[test]
fn any_number_of_definitions_is_kept() {
    let mut tracker = Tracker::new(&session(Some("/repo"), &STAYS));
    for number in 0..100 {
        assert_eq!(run(&mut tracker, "terminal", &format!("f{number}() {{ rm {number}; }}")), "");
    }
    assert!(run(&mut tracker, "terminal", "f0").contains("delete 0"));
    assert!(run(&mut tracker, "terminal", "f99").contains("delete 99"));
    assert_eq!(run(&mut tracker, "terminal", "ls"), "execute ls; list .");
}

/// Short calls that run what earlier calls wrote share what a session may cost.
#[test]
fn a_session_costs_no_more_than_its_length_allows() {
    let mut tracker = Tracker::new(&session(Some("/repo"), &FRESH));
    let script = "ls; ".repeat(1_000);
    let write = serde_json::json!({ "file_path": "s.sh", "content": script }).to_string();
    shown(&mut tracker, &call("Write", &write, None, Status::Ok));
    assert!(!run(&mut tracker, "Bash", "sh s.sh").contains("too much"));
    tracker.spend(1 << 20);
    assert!(run(&mut tracker, "Bash", "sh s.sh").contains("opaque: too much to work out"));
    assert_eq!(run(&mut tracker, "Bash", "ls"), "execute ls; list .");
}

#[test]
fn links_and_copies_are_followed() {
    let links = [("src/link", "../conf/keys"), ("src/dir", "/etc"), ("src/again", "link")];
    let links = links.map(|(link, target)| (link.to_owned(), target.to_owned())).into();
    let mut tracker = Tracker::new(&session(Some("/repo"), &STAYS)).with_links(&links);
    let copy = call("copy_file", r#"{"source":"conf/x.pem","destination":"src/y.pem"}"#, None, Status::Ok);
    shown(&mut tracker, &copy);
    let write = |path: &str| call("Write", &format!(r#"{{"file_path":"{path}","content":""}}"#), None, Status::Ok);
    for (event, expected) in [
        (call("Read", r#"{"file_path":"src/link"}"#, None, Status::Ok), "read src/link; read conf/keys via src/link"),
        (write("src/link"), "write src/link; write conf/keys via src/link"),
        (write("src/dir/hosts"), "write src/dir/hosts; write /etc/hosts via src/dir"),
        (
            call("Read", r#"{"file_path":"src/again"}"#, None, Status::Ok),
            "read src/again; read src/link via src/again; read conf/keys via src/link",
        ),
        (
            call("Read", r#"{"file_path":"src/y.pem"}"#, None, Status::Ok),
            "read src/y.pem; read conf/x.pem via src/y.pem",
        ),
        (write("src/y.pem"), "write src/y.pem"),
        (call("Delete", r#"{"path":"src/link.rs"}"#, None, Status::Ok), "delete src/link.rs"),
        (
            call("Delete", r#"{"path":"src/dir/x.rs"}"#, None, Status::Ok),
            "delete src/dir/x.rs; delete /etc/x.rs via src/dir",
        ),
        (
            call("Grep", r#"{"pattern":"k","glob":"*.pem"}"#, None, Status::Ok),
            "read? **/**.pem; read conf/x.pem via src/y.pem",
        ),
        (call("Glob", r#"{"pattern":"src/dir/*"}"#, None, Status::Ok), "list? src/dir/*; list? /etc/* via src/dir"),
    ] {
        assert_eq!(shown(&mut tracker, &event), expected);
    }
    let tree = shown(&mut tracker, &call("Grep", r#"{"pattern":"k","path":"src"}"#, None, Status::Ok));
    assert!(tree.contains("read conf/keys/** via src/link") && tree.contains("read /etc/** via src/dir"), "{tree}");
}

#[test]
fn an_outer_directory_holds_the_workspace() {
    let mut tracker = Tracker::new(&session(Some("/home/u/repo"), &STAYS));
    let mut grep = |path: &str| {
        let arguments = format!(r#"{{"pattern":"k","path":"{path}"}}"#);
        shown(&mut tracker, &call("Grep", &arguments, None, Status::Ok))
    };
    assert_eq!(grep("/"), "read /**; read **");
    assert_eq!(grep("/home"), "read /home/**; read **");
    assert_eq!(grep("~"), "read /home/u/**; read **");
    assert_eq!(grep("/home/v"), "read /home/v/**");
    assert_eq!(grep(".."), "read /home/u/**; read **");
    assert_eq!(grep("src"), "read src/**");
}

#[test]
fn a_workspace_that_is_the_whole_disk_has_two_names() {
    let mut tracker = Tracker::new(&session(Some("/"), &STAYS));
    assert_eq!(read(&mut tracker, "/etc/x"), "read etc/x; read?? /etc/x");
}

#[test]
fn a_refused_call_leaves_nothing_behind() {
    let mut tracker = Tracker::new(&session(Some("/repo"), &STAYS));
    let copy = r#"{"source":"conf/x.pem","destination":"src/y.pem"}"#;
    assert_eq!(shown(&mut tracker, &call("copy_file", copy, None, Status::Denied)), "read conf/x.pem; write src/y.pem");
    assert_eq!(read(&mut tracker, "src/y.pem"), "read src/y.pem");
}

#[test]
fn recorded_file_events_are_effects() {
    let mut tracker = Tracker::new(&session(Some("/repo"), &STAYS));
    for (access, target, expected) in [
        (Access::Read, "file:///repo/a%2Eb", "read a.b"),
        (Access::Write, "src/a", "write src/a"),
        (Access::Delete, "/tmp/a", "delete /tmp/a"),
    ] {
        let event = event(EventKind::File(FileEvent { access, target: target.into() }));
        assert_eq!(shown(&mut tracker, &event), expected);
    }
}

#[test]
fn hooks_only_run_possibly() {
    let mut tracker = Tracker::new(&session(Some("/repo"), &STAYS));
    let effects = tracker.effects(&event(EventKind::Hook { command: "make check && ls".into() }));
    let only = |kind: &Kind| matches!(kind, Kind::Execute(_));
    assert!(effects.iter().all(|effect| only(&effect.kind) && effect.certainty == Certainty::Possible));
}
