//! Tests in which shell a session's commands run, where the log shows Windows.

use crate::{Roots, Tracker};
use agent_strace_model::{Arguments, Dialect, Event, EventKind, Origin, Session, ShellLanguage, Status, ToolCall};

static FORMAT: Dialect = Dialect::new("logs", "agent");

fn session(root: Option<&'static str>, shells: &[ShellLanguage]) -> Session<'static> {
    Session { root: root.map(Into::into), shells: shells.to_vec(), ..Session::new(&FORMAT, "log") }
}

fn call(tool: &'static str, arguments: &serde_json::Value) -> Event<'static> {
    let kind = EventKind::Call(ToolCall {
        call_id: None,
        tool: tool.into(),
        arguments: Arguments::Json(arguments.to_string().into()),
        cwd: None,
        status: Status::Ok,
        subagent: None,
    });
    Event { number: 1, id: None, line: 1, time: None, origin: Origin::default(), kind }
}

fn shown(session: &Session<'_>, tool: &'static str, arguments: &serde_json::Value) -> String {
    let effects = Tracker::new(session, &Roots::only(session.root.as_deref())).effects(&call(tool, arguments));
    effects.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn run(session: &Session<'_>, tool: &'static str, command: &str) -> String {
    shown(session, tool, &serde_json::json!({ "command": command }))
}

const ROOT: Option<&str> = Some(r"C:\work\app");

#[test]
fn powershell_is_read_where_the_log_names_it() {
    let session = session(ROOT, &[ShellLanguage::PowerShell]);
    let cases = [
        (r"cat C:\Users\me\.ssh\id_rsa", "read C:/Users/me/.ssh/id_rsa"),
        (r"type .env", "read .env"),
        (r"Get-Content $env:USERPROFILE\.ssh\id_rsa", "read ~/.ssh/id_rsa"),
        (r"gc ~\.ssh\id_rsa", "read ~/.ssh/id_rsa"),
        (r"echo x > .github\workflows\ci.yml", "write .github/workflows/ci.yml"),
        (r#"echo "C:\temp\"; rm src\a.ts; echo "done\""#, "delete src/a.ts"),
        (r"cp .github\x ..\..\Public\x", "write C:/Public/x"),
        (r"del /q src\a.ts", "delete src/a.ts"),
    ];
    for (command, effect) in cases {
        let got = run(&session, "shell_command", command);
        assert!(got.split("; ").any(|one| one == effect), "{command}: {got}");
        assert!(!got.contains("opaque"), "{command}: {got}");
    }
    assert!(!run(&session, "shell_command", "Get-Content src/a.ts").contains("write"));
    assert_eq!(run(&session, "shell_command", "del /q x"), run(&session, "PowerShell", "del /q x"));
}

#[test]
fn a_shell_of_windows_that_is_not_named_may_be_any() {
    let session = session(ROOT, &[]);
    let cases = [
        (r"cat C:\Users\me\.ssh\id_rsa", "read C:/Users/me/.ssh/id_rsa"),
        (r"type %USERPROFILE%\.ssh\id_rsa", "read ~/.ssh/id_rsa"),
        (r"Get-Content $env:USERPROFILE\.ssh\id_rsa", "read ~/.ssh/id_rsa"),
        (r"rd /s /q build", "delete build/**"),
        (r"cat .e\nv", "read?? .env"),
        (r"rg -n foo src\lib | head -5", "read(search) src/lib/**"),
    ];
    for (command, effect) in cases {
        let got = run(&session, "run_shell_command", command);
        assert!(got.split("; ").any(|one| one == effect), "{command}: {got}");
        assert!(!got.contains("opaque"), "{command}: {got}");
    }
    // To the other shells the whole text is an error.
    let heredoc = "cat > a.txt <<'EOF'\nRemove-Item x\nEOF";
    assert_eq!(run(&session, "run_shell_command", heredoc), run(&session, "Bash", heredoc));
    // A program that no shell knows is reported once.
    let unknown = run(&session, "run_shell_command", r"mytool src\a.ts");
    assert_eq!(unknown.matches("opaque").count(), 1, "{unknown}");
}

#[test]
fn no_reading_drops_backslashes_from_an_exact_path() {
    for root in [ROOT, None] {
        let session = session(root, &[]);
        for tool in ["Bash", "run_shell_command"] {
            let got = run(&session, tool, r"echo x > .github\workflows\ci.yml");
            assert!(got.contains("write .github/workflows/ci.yml"), "{tool}: {got}");
            assert!(!got.contains("write .githubworkflowsci.yml"), "{tool}: {got}");
        }
    }
}

#[test]
fn a_path_of_windows_shows_the_system() {
    let nowhere = session(None, &[]);
    let got = run(&nowhere, "run_shell_command", r#"echo "C:\temp\"; rm src\a.ts; echo "done\""#);
    assert!(got.contains("delete src/a.ts"), "{got}");
    let arguments = serde_json::json!({ "command": "type .env", "directory": r"C:\app" });
    assert!(shown(&nowhere, "run_shell_command", &arguments).contains("read C:/app/.env"));
    let before = call("read_file", &serde_json::json!({ "path": r"C:\app\a" }));
    let session = Session { events: vec![before], ..nowhere };
    assert!(run(&session, "run_shell_command", "type .env").contains("read .env"));
}

#[test]
fn nothing_changes_where_the_system_is_posix() {
    let cases = [
        ("type .env", "execute type .env"),
        (r"cat C:\x", "execute cat C:x; read C:x"),
        (r"grep foo\.bar src", "execute grep foo.bar src; read src"),
    ];
    for (command, effects) in cases {
        assert_eq!(run(&session(Some("/work"), &[]), "shell_command", command), effects);
    }
    // The host of a POSIX system may still be told to run PowerShell.
    let got = run(&session(Some("/work"), &[ShellLanguage::PowerShell]), "shell_command", "gc .env; type x");
    assert!(got.contains("read .env") && got.contains("execute type x"), "{got}");
}
