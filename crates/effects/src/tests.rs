//! Tables for paths and hosts, and their properties.

use proptest::prelude::*;

use super::paths::{self, Cwd, PathBase};
use super::{Certainty, Kind, PathTarget, Tracker, World, glob, hosts};
use agent_strace_model::{Access, Arguments, Dialect, Event, EventKind, FileEvent, Origin, Session, Status, ToolCall};

/// root, cwd (`?` unknown), text as written (leading `*` → pattern), expected form (`?` suffix: pattern).
const PATHS: &[(&str, &str, &str, &str)] = &[
    ("/repo", "/repo", "src/a.rs", "src/a.rs"),
    ("/repo", "/repo", "src/../.env", ".env"),
    ("/repo", "/repo", ".//.env", ".env"),
    ("/repo", "/repo", "src/./../.env", ".env"),
    ("/repo", "/repo", "src/", "src"),
    ("/repo", "/repo", "src/.", "src"),
    ("/repo", "/repo", "src/..", "."),
    ("/repo", "/repo", ".", "."),
    ("/repo", "/repo", "", "."),
    ("/repo", "/repo", "/repo", "."),
    ("/repo", "/repo", "/repo/", "."),
    ("/repo", "/repo", "//repo//.env", ".env"),
    ("/repo", "/repo", "/repo/../repo/.env", ".env"),
    ("/repo", "/repo", "/repository/.env", "/repository/.env"),
    ("/repo", "/repo", "/Repo/.env", "/Repo/.env"),
    ("/repo", "/repo", "src/../../../etc/passwd", "/etc/passwd"),
    ("/repo", "/repo/src", "../.env", ".env"),
    ("/repo", "/repo/src", "a", "src/a"),
    ("/repo", "/tmp", "a", "/tmp/a"),
    ("/repo", "/tmp", "../repo/a", "a"),
    ("/repo", "?", "a/b", "**/a/b?"),
    ("/repo", "?", "a[1]", "**/a[[]1]?"),
    ("/repo", "?", "/repo/a", "a"),
    ("/repo", "?", "../a", "**/a?"),
    ("/repo", "/repo", "~/.ssh/id", "~/.ssh/id"),
    ("/repo", "/repo", "~", "~"),
    ("/repo", "/repo", "~bob/x", "~bob/x"),
    ("/repo", "/repo", "~/../x", "**/x?"),
    ("/repo", "/repo", "./~/x", "~/x"),
    ("/home/u/repo", "/home/u/repo", "~/repo/.env", ".env"),
    ("/home/u/repo", "/home/u/repo", "~u/repo/.env", ".env"),
    ("/home/u/repo", "/home/u/repo", "~/.ssh", "/home/u/.ssh"),
    ("/home/u/repo", "/home/u/repo", "~/../v/x", "/home/v/x"),
    ("/root", "/root", "~/a", "a"),
    ("/repo", "/repo/src", "/proc/self/cwd/a", "src/a"),
    ("/repo", "/repo", "/proc/self/cwd/../x", "/x"),
    ("/repo", "/repo", "/proc/self/root/repo/.env", ".env"),
    ("/repo", "/repo", "/proc/thread-self/cwd/.env", ".env"),
    ("/repo", "/repo", "/proc/self/task/7/cwd/.env", ".env"),
    ("/repo", "/repo", "/proc/77/cwd/.env", "**/.env?"),
    ("/repo", "/repo", "/proc/77/root/etc/x", "/etc/x"),
    ("/repo", "/repo", "/proc/self/environ", "/proc/self/environ"),
    ("/repo", "/repo", "file:///repo/.env", ".env"),
    ("/repo", "/repo", "FILE://localhost/repo/%2eenv", ".env"),
    ("/repo", "/repo", "file:/repo/a%20b", "a b"),
    ("/repo", "/repo", "file:///repo/%zz", "%zz"),
    ("/repo", "/repo", "file:notes", "file:notes"),
    ("/repo", "/repo", r"C:\x\y", "C:/x/y"),
    ("/repo", "/repo", "c:/x", "C:/x"),
    ("/repo", "/repo", r"a\b", r"a\b"),
    ("/repo", "/repo", "/mnt/c/x", "/mnt/c/x"),
    ("/repo", "/repo", "/private/tmp/x", "/tmp/x"),
    ("/private/var/w", "/var/w", "a", "a"),
    ("/mnt/c/repo", "/mnt/c/repo", r"C:\repo\.env", ".env"),
    ("/c/repo", "/c/repo", "C:/repo/.env", ".env"),
    (r"C:\repo", r"C:\repo", r"src\..\.env", ".env"),
    (r"C:\repo", r"C:\repo", r"c:\REPO\.env", ".env"),
    (r"C:\repo", r"C:\repo", "/c/repo/.env", ".env"),
    (r"C:\repo", r"C:\repo", "/mnt/c/repo/.env", ".env"),
    (r"C:\repo", r"C:\repo", "/cygdrive/c/repo/.env", ".env"),
    (r"C:\repo", r"C:\repo", "/tmp/x", "/tmp/x"),
    (r"C:\repo", r"C:\repo", r"\\?\C:\repo\.env", ".env"),
    (r"C:\repo", r"C:\repo", r"\\srv\share\x", "//srv/share/x"),
    (r"C:\repo", r"C:\repo", r"file:///C:/repo/.env", ".env"),
    (r"C:\repo", r"C:\repo", r"C:\..\..\x", "C:/x"),
    (r"C:\repo", r"C:\repo", r"\\?\UNC\srv\s\x", "//srv/s/x"),
    (r"\\srv\w\repo", r"\\srv\w\repo", r"a\b", "a/b"),
    ("/Users/u/repo", "/Users/u/repo", "/users/U/Repo/.env", ".env"),
    ("", ".", "src/../.env", ".env"),
    ("", ".", "/repo/.env", "/repo/.env"),
    ("", ".", "../x", "**/x?"),
    ("", ".", "//etc/x", "/etc/x"),
    ("", ".", r"\\srv\share\x", "//srv/share/x"),
    ("/repo", "/repo", r"\\srv\share\x", "//srv/share/x"),
    ("/repo", "/repo", "file://srv/share/x", "//srv/share/x"),
    ("", ".", r"src\..\.env", ".env"),
    ("", "sub", "a", "sub/a"),
    ("", "sub", "../a", "a"),
    ("", "/w", "a", "/w/a"),
    ("", "?", "a", "**/a?"),
    ("/repo", "/repo", "*src/*.rs", "src/*.rs?"),
    ("/repo", "/repo", "*src/**/*.rs", "src/**/*.rs?"),
    ("/repo", "/repo", "*src/**/../x", "**/x?"),
    ("/repo", "/repo", "*src/*/../x", "src/x"),
    ("/repo", "/repo", "*/repo/**", "**?"),
    ("/repo", "/repo", "*/re*/.env", "**/.env?"),
    ("/repo", "/repo", "*/**/.env", "**/.env?"),
    ("/repo", "/repo", "*/etc/*", "/etc/*?"),
    ("/repo", "/repo", "*../*", "/*?"),
    ("/w/u/repo", "/w/u/repo", "*/**/.env", "**/.env?"),
    ("/w/u/repo", "/w/u/repo", "*/w/**", "**?"),
    ("/w/u/repo", "/w/u/repo", "*/w/*/repo/.env", "**/.env?"),
    ("/repo", "/repo", "*~/.*/id", "~/.*/id?"),
    ("/repo", "/repo", "*a/[.]/b", "a/./b"),
    ("/repo", "/repo", "*a/x[*]y", "a/x*y"),
    ("/repo", "/repo", "*a/[/]/../b", "a/[/b"),
    ("/repo", "/repo", "*[.]env", ".env"),
    ("/re[1]", "/re[1]", "*a*", "a*?"),
    ("/re[1]", "/re[1]/../x[1]", "*a*", "/x[[]1]/a*?"),
    ("/repo", "/repo", "a\0b", "a\0b"),
    ("/repo", "/repo", "a\nb", "a\nb"),
];

fn place(root: &str, cwd: &str, text: &str) -> String {
    let root = (!root.is_empty()).then(|| paths::root(root).unwrap());
    let known = match cwd {
        "?" => None,
        cwd => {
            let from = root.clone().unwrap_or_else(|| ".".to_owned());
            paths::directory(PathBase { root: root.as_deref(), cwd: Cwd::Known(&from) }, cwd)
        }
    };
    let base = PathBase { root: root.as_deref(), cwd: known.as_deref().map_or(Cwd::Unknown, Cwd::Known) };
    let (text, certainty) = match text.strip_prefix('*') {
        Some(glob) if !text.starts_with("**") => (glob, Certainty::Pattern),
        _ => (text, Certainty::Exact),
    };
    let (target, certainty) = paths::locate(base, text, certainty);
    format!("{}{}", target.path, if certainty == Certainty::Pattern { "?" } else { "" })
}

#[test]
fn paths_take_their_documented_form() {
    let wrong: Vec<String> = PATHS
        .iter()
        .map(|(root, cwd, text, expected)| (root, cwd, text, expected, place(root, cwd, text)))
        .filter(|(.., expected, got)| got != **expected)
        .map(|(root, cwd, text, expected, got)| format!("{text:?} in {cwd:?} of {root:?}: {got:?}, not {expected:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Text (leading `*` → pattern) → expected connection (`?` suffix: pattern; `-`: none).
const HOSTS: &[(&str, &str)] = &[
    ("https://example.com/x", "https://example.com:443"),
    ("HTTPS://EXAMPLE.com", "https://example.com:443"),
    ("http://localhost:8080/health", "http://localhost:8080"),
    ("http://localhost?x=1", "http://localhost:80"),
    ("http://localhost:80@evil.example/x", "http://evil.example:80"),
    ("https://good.example:x@evil.example/", "https://evil.example:443"),
    ("https://a@b@evil.example/", "https://evil.example:443"),
    ("https://evil.example?https://good.example/", "https://evil.example:443"),
    ("https://evil.example#@good.example/", "https://evil.example:443"),
    (r"http://good.example\@evil.example", "http://<host>:80?"),
    ("http:/evil.example/x", "http://evil.example:80"),
    ("http:///evil.example/x", "http://evil.example:80"),
    ("evil.example", "evil.example"),
    ("evil.example.", "evil.example"),
    ("evil.example:8443/x", "evil.example:8443"),
    ("evil.example/x:y", "evil.example"),
    ("user:pw@evil.example", "evil.example"),
    ("http://2130706433/", "http://127.0.0.1:80"),
    ("http://0x7f.1/", "http://127.0.0.1:80"),
    ("http://0177.0.0.1/", "http://127.0.0.1:80"),
    ("http://[::ffff:a00:1]/", "http://10.0.0.1:80"),
    ("http://[::1]:8080/", "http://[::1]:8080"),
    ("http://[fe80::1%25eth0]/", "http://[fe80::1]:80"),
    ("http://bücher.example", "http://xn--bcher-kva.example:80"),
    ("http://ｅvil.example", "http://evil.example:80"),
    ("git@evil.example:org/r.git", "ssh://evil.example:22"),
    ("evil.example:", "ssh://evil.example:22"),
    ("evil.example:/srv/x", "ssh://evil.example:22"),
    ("ssh://git@evil.example:2222/r", "ssh://evil.example:2222"),
    ("git+ssh://git@evil.example/r", "git+ssh://evil.example:22"),
    ("TCP:evil.example:80", "tcp://evil.example:80"),
    ("TCP4-CONNECT:evil.example:80,retry", "tcp4-connect://evil.example:80"),
    ("openssl:evil.example:443", "openssl://evil.example:443"),
    ("s3://bucket/x", "s3://bucket"),
    ("file:///etc/passwd", "-"),
    ("data:text/plain,x", "-"),
    ("about:blank", "-"),
    ("http://my_host/x", "http://my_host:80"),
    ("http://${HOST}/x", "http://<host>:80?"),
    ("https://{a,b}.example/", "https://<host>:443?"),
    ("", "<host>?"),
    ("https://", "https://<host>:443?"),
    ("*https://**/x", "https://<host>:443?"),
    ("*https://good.example**", "https://<host>:443?"),
    ("*https://good.example/**", "https://good.example:443"),
    ("*https://**.evil.example/", "https://<host>:443?"),
    ("*https://*.evil.example:8443/", "https://*.evil.example:8443?"),
];

#[test]
fn hosts_are_what_clients_connect_to() {
    let mut wrong = Vec::new();
    for (text, expected) in HOSTS {
        let (input, certainty) = match text.strip_prefix('*') {
            Some(glob) => (glob, Certainty::Pattern),
            None => (*text, Certainty::Exact),
        };
        let got = hosts::connection(input, certainty).map_or("-".to_owned(), |(connection, certainty)| {
            format!("{connection}{}", if certainty == Certainty::Pattern { "?" } else { "" })
        });
        if got != *expected {
            wrong.push(format!("{text:?}: {got:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bare_hosts_keep_their_known_part() {
    for (text, certainty, expected) in [
        ("evil.example", Certainty::Exact, "evil.example"),
        ("::1", Certainty::Exact, "[::1]"),
        ("**.evil.example", Certainty::Pattern, "**.evil.example"),
        ("**", Certainty::Pattern, "<host>"),
        ("0x7f000001", Certainty::Exact, "127.0.0.1"),
    ] {
        assert_eq!(hosts::host(text, certainty).0.to_string(), expected);
    }
}

#[test]
fn urls_in_prose_are_found() {
    let shown = |text| hosts::url_in_text(text).iter().map(|(found, _)| found.to_string()).collect::<Vec<_>>();
    assert_eq!(
        shown("read https://a.example/x, (HTTP://b.example:81) and \"https://a.example/y\"."),
        ["https://a.example:443", "http://b.example:81"]
    );
    assert_eq!(shown("see http://good.example,x@evil.example/"), ["http://evil.example:80"]);
    assert_eq!(shown("r https://a.example/?u=http://b.example"), ["https://a.example:443", "http://b.example:80"]);
    assert!(shown("no links: http, https:// nowhere").iter().all(|found| found.contains("<host>")));
}

#[test]
fn folding_makes_alternative_spellings_equal() {
    for (one, other) in [
        (".ENV", ".env"),
        (".env.", ".env"),
        (".env ", ".env"),
        (".env::$DATA", ".env"),
        ("se\u{200b}crets/a", "secrets/a"),
        ("caf\u{e9}", "cafe\u{301}"),
        ("/root/.ssh/id", "~/.ssh/id"),
        ("/home/u/.ssh/id", "~/.ssh/id"),
        ("/Users/u/.ssh/id", "~/.ssh/id"),
        ("C:/Users/u/.ssh/id", "~/.ssh/id"),
        ("/root", "~"),
    ] {
        assert_eq!(paths::fold_for_deny(one), paths::fold_for_deny(other), "{one:?} {other:?}");
    }
    for (one, other) in [("/home", "~"), ("a", "b"), ("...", ""), ("/rooted/x", "~/x"), ("src/**", "src/*")] {
        assert_ne!(paths::fold_for_deny(one), paths::fold_for_deny(other), "{one:?} {other:?}");
    }
}

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
            "read? **/*.pem; read conf/x.pem via src/y.pem",
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

#[test]
fn what_is_forgotten_is_not_unwritten() {
    let mut world = World::new(Some("/repo"));
    let place = |at: usize| PathTarget::new(format!("f{at}"));
    assert_eq!(world.written(&place(1)), None);
    for at in 0..10_001 {
        world.wrote(&place(at), Some("x"));
    }
    assert_eq!(world.written(&place(0)), Some(Some("x")));
    assert_eq!(world.written(&place(10_000)), Some(None));
    assert_eq!(world.written(&place(20_000)), Some(None));
}

#[test]
fn links_in_a_circle_end() {
    let mut world = World::new(Some("/repo"));
    for (one, other) in [("a", "b"), ("b", "c"), ("c", "a"), ("d", "d/d")] {
        world.link(&PathTarget::new(one), &PathTarget::new(other));
    }
    assert!(world.originals("a/x", Certainty::Exact).len() <= 16);
    assert!(world.originals("d", Certainty::Exact).len() <= 16);
}

#[test]
fn globs_match_names() {
    for (pattern, path, expected) in [
        ("*.pem", "a.pem", true),
        ("*.pem", "d/a.pem", false),
        ("**/*.pem", "a.pem", true),
        ("**/*.pem", "d/e/a.pem", true),
        ("src/**", "src/a/b", true),
        ("src/**", "srcs/a", false),
        ("a[0-9]?", "a1x", true),
        ("a[!0-9]", "a1", false),
        ("a[[]b", "a[b", true),
        ("a?b", "a/b", false),
        ("[", "[", true),
    ] {
        assert_eq!(glob::matches(pattern, path), expected, "{pattern} {path}");
    }
}

fn messy_path() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("..".to_owned()),
        Just(".".to_owned()),
        Just(String::new()),
        Just("repo".to_owned()),
        Just("~".to_owned()),
        Just("*".to_owned()),
        Just("**".to_owned()),
        Just("[".to_owned()),
        Just("[/]".to_owned()),
        Just("proc/self/cwd".to_owned()),
        Just("C:".to_owned()),
        Just("\\".to_owned()),
        Just("%2e%2e".to_owned()),
        "\\PC{0,4}",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.join("/"))
}

fn messy_certainty() -> impl Strategy<Value = Certainty> {
    prop_oneof![Just(Certainty::Exact), Just(Certainty::Pattern), Just(Certainty::Possible)]
}

/// An independent reading of a plain Unix path: how deep below `/` it ends.
fn reference(cwd: &str, text: &str) -> Vec<String> {
    let base = if text.starts_with('/') { "" } else { cwd };
    let mut stack: Vec<String> = Vec::new();
    for part in base.split('/').chain(text.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                stack.pop();
            }
            name => stack.push(name.to_owned()),
        }
    }
    stack
}

proptest! {
    #[test]
    fn locating_never_panics_and_is_idempotent(text in messy_path(), certainty in messy_certainty()) {
        for root in [Some("/repo"), Some("/home/u/repo"), Some("C:/repo"), None] {
            for cwd in [Cwd::Known(root.unwrap_or(".")), Cwd::Unknown] {
                let (once, first) = paths::locate(PathBase { root, cwd }, &text, certainty);
                // A literal `~` or `C:` below the root can't be told from a home or a drive once it is relative.
                let ambiguous = once.path.starts_with('~') || once.path.contains(':') || once.path.contains('\\') || once.path.starts_with("//");
                if ambiguous {
                    continue;
                }
                let from_root = Cwd::Known(root.unwrap_or("."));
                let (twice, second) = paths::locate(PathBase { root, cwd: from_root }, &once.path, first);
                prop_assert_eq!(&once.path, &twice.path);
                prop_assert_eq!(first, second);
            }
        }
    }

    #[test]
    fn inside_is_relative_and_outside_absolute(
        parts in prop::collection::vec(prop_oneof![Just(".."), Just("."), Just("repo"), Just("a"), Just("")], 0..9),
    ) {
        let text = parts.join("/");
        let expected = reference("/repo/a", &text);
        let base = PathBase { root: Some("/repo"), cwd: Cwd::Known("/repo/a") };
        let (target, certainty) = paths::locate(base, &text, Certainty::Exact);
        prop_assert_eq!(certainty, Certainty::Exact);
        match expected.split_first() {
            Some((first, rest)) if first == "repo" => {
                let rest = rest.join("/");
                prop_assert_eq!(target.path, if rest.is_empty() { ".".to_owned() } else { rest });
            }
            _ => prop_assert_eq!(target.path, format!("/{}", expected.join("/"))),
        }
    }

    #[test]
    fn hosts_never_panic(text in "\\PC{0,40}", certainty in messy_certainty()) {
        let _ = hosts::connection(&text, certainty);
        let _ = hosts::host(&text, certainty);
        let _ = hosts::url_in_text(&text);
    }

    #[test]
    fn folding_is_idempotent(text in messy_path()) {
        let once = paths::fold_for_deny(&text);
        prop_assert_eq!(paths::fold_for_deny(&once), once);
    }
}
