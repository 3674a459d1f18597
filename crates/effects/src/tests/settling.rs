//! Results of searches as witnesses: each honest one beside an attack that it must not open.

use agent_strace_model::{
    Arguments, Dialect, Event, EventKind, Origin, RawText, Session, Status, ToolCall, ToolResult,
};
use serde_json::json;

use crate::{Results, Roots, Tracker, Trust};

static CLAUDE: Dialect = Dialect::new("claude-code", "claude-code").shell_stays();

fn event(kind: EventKind<'static>) -> Event<'static> {
    Event { number: 1, id: None, line: 1, time: None, origin: Origin::default(), kind }
}

fn call(tool: &'static str, arguments: &serde_json::Value, id: &'static str) -> Event<'static> {
    event(EventKind::Call(ToolCall {
        call_id: Some(id.into()),
        tool: tool.into(),
        arguments: Arguments::Json(arguments.to_string().into()),
        cwd: None,
        status: Status::Ok,
        subagent: None,
    }))
}

fn result(text: &'static str, id: &'static str) -> Event<'static> {
    let text = Some(RawText::Plain(text.into()));
    event(EventKind::Result(ToolResult { call_id: Some(id.into()), text, is_error: false }))
}

/// The effects of the last call but the commands, after calls that write files.
fn effects(
    dialect: &'static Dialect,
    written: &[&'static str],
    (tool, arguments): (&'static str, &serde_json::Value),
    text: &'static str,
    trust: Trust,
) -> String {
    let mut session: Session<'static> = Session { root: Some("/repo".into()), ..Session::new(dialect, "log") };
    let writes = written.iter().map(|path| call("Write", &json!({"file_path": path, "content": "x"}), "w"));
    session.events = writes.chain([call(tool, arguments, "c"), result(text, "c")]).collect();
    let results = Results::of(&session, trust);
    let mut tracker = Tracker::new(&session, &Roots::only(Some("/repo")));
    let mut shown = String::new();
    for event in &session.events {
        if matches!(event.kind, EventKind::Call(_)) {
            let effects = tracker.step_with(event, &results);
            let acts = effects.iter().map(ToString::to_string).filter(|act| !act.starts_with("execute"));
            shown = acts.collect::<Vec<_>>().join("; ");
        }
    }
    shown
}

const OPEN: &str = "read(search) **";

#[test]
fn complete_results_of_claude_code_settle_its_searches() {
    let claude = &CLAUDE;
    let cases = [
        (
            json!({"pattern": "KEY"}),
            "Found 2 files\nsrc/a.rs\n/repo/src/b.rs",
            "list(search) **; read src/a.rs; read src/b.rs",
        ),
        (json!({"pattern": "KEY"}), "No files found", "list(search) **"),
        (json!({"pattern": "KEY", "output_mode": "content"}), "No matches found", "list(search) **"),
        (
            json!({"pattern": "KEY", "output_mode": "content", "-A": 1}),
            "src/a.rs:3:KEY\nsrc/a.rs-4-x\n--\nsrc/b-2-c.rs:9:KEY",
            "list(search) **; read src/a.rs; read src/b-2-c.rs",
        ),
        (
            json!({"pattern": "KEY", "output_mode": "count"}),
            "src/a.rs:3\n\nFound 3 total occurrences across 1 file.",
            "list(search) **; read src/a.rs",
        ),
        // A file that the result shows was read, even if the result is not complete.
        (json!({"pattern": "KEY"}), "Found 1 file\n.env", "list(search) **; read .env"),
        (
            json!({"pattern": "KEY", "output_mode": "content", "head_limit": 1}),
            ".env:1:KEY=1",
            "read(search) **; read?? .env",
        ),
    ];
    for (arguments, text, expected) in cases {
        assert_eq!(effects(claude, &[], ("Grep", &arguments), text, Trust::Settles), expected, "{arguments} {text}");
    }
}

#[test]
fn results_that_may_hide_a_file_settle_nothing() {
    let claude = &CLAUDE;
    let bash = |command: &str| ("Bash", json!({"command": command}));
    let grep = |given: serde_json::Value| ("Grep", given);
    let cases = [
        // Fewer rows than the head says, a limit, a page, a row of another form, a cut.
        (grep(json!({"pattern": "KEY"})), "Found 3 files\nsrc/a.rs"),
        (grep(json!({"pattern": "KEY"})), "Found 1 file limit: 1\nsrc/a.rs"),
        (grep(json!({"pattern": "KEY", "head_limit": 1})), "Found 1 file\nsrc/a.rs"),
        (grep(json!({"pattern": "KEY", "offset": 5})), "Found 1 file\nsrc/a.rs"),
        (grep(json!({"pattern": "KEY", "output_mode": "content", "-n": false})), "src/a.rs:KEY"),
        (grep(json!({"pattern": "KEY", "output_mode": "content"})), "src/a.rs:3:KEY\n... [12 lines truncated] ..."),
        (bash("rg -n KEY"), "src/a.rs:3:KEY\nOutput too large (45KB). Full output saved to: /tmp/x"),
        // More than one command, redirected, in the background, by another program, with options that drop rows.
        (bash("rg -n KEY | head -1"), "src/a.rs:3:KEY"),
        (bash("rg -n KEY > /tmp/x"), "src/a.rs:3:KEY"),
        (bash("rg -n KEY 2>/dev/null"), "src/a.rs:3:KEY"),
        (bash("rg -n KEY; true"), "src/a.rs:3:KEY"),
        (bash("rg -n KEY &"), "src/a.rs:3:KEY"),
        (bash("RIPGREP_CONFIG_PATH=x rg -n KEY"), "src/a.rs:3:KEY"),
        (bash("grep -rnh KEY ."), "src/a.rs:3:KEY"),
        (bash("grep -rns KEY ."), "src/a.rs:3:KEY"),
        (bash("grep -rn -m1 KEY ."), "src/a.rs:3:KEY"),
        (bash("rg -n --color always KEY"), "src/a.rs:3:KEY"),
        (bash("rg -n --field-match-separator /x: KEY"), "src/a.rs:3:KEY"),
        (bash("rg KEY"), "src/a.rs:KEY"),
        // Printed by something else: names outside of what was searched.
        (bash("rg -n KEY src"), "docs/a.rs:3:KEY"),
    ];
    for ((tool, arguments), text) in cases {
        let found = effects(claude, &[], (tool, &arguments), text, Trust::Settles);
        assert!(found.contains("read(search) "), "{arguments} {text}: {found}");
    }
    let arguments = json!({"pattern": "KEY"});
    let found = effects(claude, &[], ("mcp__fs__Grep", &arguments), "Found 1 file\nsrc/a.rs", Trust::Settles);
    assert!(!found.contains("read src/a.rs"), "a server names no files that its tool reads: {found}");
    let found = effects(claude, &[], ("Grep", &arguments), "Found 1 file\nsrc/a.rs", Trust::Accuses);
    assert!(found.starts_with(OPEN), "{found}");
}

#[test]
fn shell_searches_are_settled_where_nothing_of_the_session_is_in_their_way() {
    let claude = &CLAUDE;
    let run = |written: &[&'static str], command: &str, text: &'static str| {
        effects(claude, written, ("Bash", &json!({"command": command})), text, Trust::Settles)
    };
    let honest = "list(search) **; read src/a.rs";
    assert_eq!(run(&[], "rg -n KEY", "src/a.rs:3:KEY"), honest);
    assert_eq!(run(&[], "grep -rn -A 2 'KEY' .", "./src/a.rs:3:KEY\n./src/a.rs-4-x"), honest);
    assert_eq!(run(&[], "git grep -l KEY", "src/a.rs"), honest);
    assert_eq!(run(&["/repo/README.md"], "rg -n KEY", "src/a.rs:3:KEY"), honest);
    assert_eq!(run(&[], "rg -n KEY src", "src/a.rs:3:KEY"), "list(search) src/**; read src/a.rs");
    for written in ["/root/.bashrc", "/repo/.ripgreprc", "/repo/.git/config", "/repo/.claude/settings.json"] {
        assert!(run(&[written], "rg -n KEY", "src/a.rs:3:KEY").starts_with(OPEN), "{written}");
    }
    // Rows of a search that drops some speak against it all the same.
    let found = run(&[], "rg -n KEY | head -3", "src/a.rs:3:KEY\n.env:1:KEY=1");
    assert!(found.starts_with(OPEN) && found.contains("read?? .env;"), "{found}");
    assert!(run(&[], "git grep KEY HEAD", "HEAD:secrets/key:KEY=k").contains("read?? secrets/key"));
    // Neither is one settled that may show any line.
    let found = run(&[], "rg -n ''", "src/a.rs:3:KEY\n.env:1:KEY=1");
    assert!(found.starts_with("read(set) **") && found.contains("read?? .env;"), "{found}");
    // A command that gathers nothing is not accused by what it prints.
    assert_eq!(run(&[], "cat notes.md", ".env:1:KEY=1"), "read notes.md");
    assert_eq!(run(&[], "git status", ".env"), "");
}

/// The effects of a last search after commands of the same session.
fn after(commands: &[&str], tool: &'static str, arguments: &serde_json::Value, text: &'static str) -> String {
    let mut session: Session<'static> = Session { root: Some("/repo".into()), ..Session::new(&CLAUDE, "log") };
    let earlier = commands.iter().map(|command| call("Bash", &json!({"command": command}), "w"));
    session.events = earlier.chain([call(tool, arguments, "c"), result(text, "c")]).collect();
    let results = Results::of(&session, Trust::Settles);
    let mut tracker = Tracker::new(&session, &Roots::only(Some("/repo")));
    let mut shown = String::new();
    for event in session.events.iter().filter(|event| matches!(event.kind, EventKind::Call(_))) {
        shown = tracker.step_with(event, &results).iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    }
    shown
}

#[test]
fn sessions_that_may_have_prepared_the_shell_settle_nothing() {
    let rg = json!({"command": "rg -n KEY"});
    let run = |command: &str| after(&[command], "Bash", &rg, "src/a.rs:3:KEY");
    for command in [
        "tar xf x.tar -C ~",
        "unzip -o x.zip -d ~/.local/bin",
        "cp -r dots/. ~/",
        "npm i -g grep",
        "sudo make install",
        "python3 -m pip install grep",
        "stow -t ~ x",
    ] {
        assert!(run(command).contains("read(search) **"), "{command}: {}", run(command));
    }
    for command in ["tar xf x.tar -C vendor", "unzip x.zip -d /tmp/x", "npm install", "make test", "cp -r a b"] {
        assert!(!run(command).contains("read(search) **"), "{command}: {}", run(command));
    }
    let given = json!({"pattern": "KEY"});
    let grep = |command: &str| after(&[command], "Grep", &given, "Found 1 file\nsrc/a.rs");
    for command in ["echo '!.env' > .rgignore", "echo '!.env' >> .gitignore", "echo --hidden > .ripgreprc"] {
        assert!(grep(command).contains("read(search) **"), "{command}: {}", grep(command));
    }
    assert!(!grep("echo x > notes.md").contains("read(search) **"));
}

#[test]
fn rows_that_filters_leave_out_make_a_result_incomplete() {
    let run = |command: &str, text| effects(&CLAUDE, &[], ("Bash", &json!({"command": command})), text, Trust::Settles);
    for (command, text) in [
        ("rg -n -g '*.rs' KEY", "secrets/key:3:KEY"),
        ("grep -rn --include='*.{rs,md}' KEY .", "src/a.ts:3:KEY"),
        ("rg -n --glob=src/*.rs KEY", "docs/a.rs:3:KEY"),
    ] {
        assert!(run(command, text).contains("read(search) **"), "{command}: {}", run(command, text));
    }
    for (command, text) in [
        ("rg -n -g '*.rs' KEY", "src/a.rs:3:KEY"),
        ("rg -n -g '!*.md' KEY", "src/a.rs:3:KEY"),
        ("grep -rn --include='*.{rs,md}' KEY .", "./src/a.rs:3:KEY"),
        ("rg -n --glob 'src/**' KEY", "src/b/a.rs:3:KEY"),
    ] {
        assert!(run(command, text).contains("read src/"), "{command}: {}", run(command, text));
    }
    let grep = |text| effects(&CLAUDE, &[], ("Grep", &json!({"pattern": "KEY", "glob": "*.rs"})), text, Trust::Settles);
    assert!(grep("Found 1 file\n.env").contains("read(search) "));
    assert!(!grep("Found 1 file\nsrc/a.rs").contains("read(search) "));
}
