//! Tables of paths in every form that logs hold, with the form that users and policies see.

use crate::paths::{self, Cwd, PathBase};
use crate::{Certainty, glob};

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
    ("/usr/home/u/repo", "/usr/home/u/repo", "~/repo/.env", ".env"),
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
    ("/repo", "/repo", "/private/var/folders/2x/h_8/T/a.sh", "/tmp/a.sh"),
    ("/repo", "/repo", "/var/folders/2x/h_8/C/a", "/var/folders/2x/h_8/C/a"),
    (r"D:\repo", r"D:\repo", r"C:\Users\x\AppData\Local\Temp\claude\a.sh", "/tmp/claude/a.sh"),
    (r"D:\repo", r"D:\repo", "~/AppData/Local/Temp/../a", "~/AppData/Local/a"),
    (r"D:\repo", r"D:\repo", r"C:\Users\x\AppData\Local\Temporary\a", "C:/Users/x/AppData/Local/Temporary/a"),
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

fn shown(root: &str, cwd: &str, text: &str) -> String {
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
        .map(|(root, cwd, text, expected)| (root, cwd, text, expected, shown(root, cwd, text)))
        .filter(|(.., expected, got)| got != **expected)
        .map(|(root, cwd, text, expected, got)| format!("{text:?} in {cwd:?} of {root:?}: {got:?}, not {expected:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
        ("/usr/home/u/.ssh/id", "~/.ssh/id"),
        ("/var/home/u/.ssh/id", "~/.ssh/id"),
        ("C:/Users/u/.ssh/id", "~/.ssh/id"),
        ("/root", "~"),
    ] {
        assert_eq!(paths::fold_for_deny(one), paths::fold_for_deny(other), "{one:?} {other:?}");
    }
    for (one, other) in [
        ("/home", "~"),
        ("/usr/home", "~"),
        ("/usr/lib/x", "~/x"),
        ("a", "b"),
        ("...", ""),
        ("/rooted/x", "~/x"),
        ("src/**", "src/*"),
    ] {
        assert_ne!(paths::fold_for_deny(one), paths::fold_for_deny(other), "{one:?} {other:?}");
    }
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
