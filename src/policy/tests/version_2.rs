//! The language of version 2, as tables.

use super::*;

/// Decisions on effects that tests write in one line: `read x`, `run git push`, `host x#443`.
fn decisions(scope: &Policy, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let effect = match text.split_once(' ').unwrap() {
            ("run", rest) => command(rest),
            ("host", rest) => host(rest),
            _ => file_effect(text),
        };
        let found = decide(scope, &effect, Some("/repo"));
        assert_eq!(short(&found), *expected, "{text}: {}", found.reason);
    }
}

/// What the pattern denies, and what it does not; what it allows, and what it does not.
#[test]
fn path_patterns() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("src/**", &["src", "src/a", "src/a/b"], &["srcx", "lib/src/a", "~/src/a", "/src/a"]),
        ("src/*", &["src/a", "src/.x"], &["src", "src/a/b"]),
        ("/src/*.rs", &["src/a.rs"], &["src/a/b.rs", "x/src/a.rs"]),
        ("*.md", &["a.md", "docs/x/a.md", "/etc/a.md", "~/a.md"], &["a.mdx", "a.md/x"]),
        (".env", &[".env", "a/.env"], &[".env/x", "env"]),
        ("/.env", &[".env"], &["a/.env", "/.env", "~/.env"]),
        ("./.env", &[".env"], &["a/.env"]),
        ("**/build/*", &["build/x", "a/b/build/x"], &["build/x/y", "/build/x", "~/build/x"]),
        ("**/x", &["x", "a/x", "/x", "~/x"], &["a/xy"]),
        ("/**", &["a", "a/b/c"], &["/a", "~/a"]),
        ("*/x", &["a/x"], &["~/x", "/x", "a/b/x", "x"]),
        ("?/x", &["a/x"], &["~/x"]),
        ("[~a]/x", &["a/x"], &["~/x"]),
        ("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["a/xb", "x/a/b"]),
        ("**", &["a", "a/b", "/etc/x", "~/x"], &[]),
        ("~/.ssh/**", &["~/.ssh/id", "~/.ssh"], &[".ssh/id", "~/x/.ssh/id"]),
        ("//etc/*", &["/etc/hosts"], &["etc/hosts", "/etc/a/b"]),
        ("//C:/x/**", &["C:/x/y"], &["x/y"]),
        ("a[*]b", &["a*b"], &["axb"]),
        ("label:secret", &[".env", "secrets/a/b", "x/a.pem"], &["secrets.md", "x/a.pub.pem"]),
    ];
    for (pattern, matching, others) in cases {
        let scope = |list: &str| {
            policy(&format!(
                r#"{{"version": 2, "labels": {{"secret": [".env", "secrets/**", "*.pem", "!*.pub.pem"]}},
                     "files": {{"read": {{"{list}": ["{pattern}"]}}}}}}"#
            ))
        };
        let (deny, allow, ask) = (scope("deny"), scope("allow"), scope("ask"));
        for path in *matching {
            let effect = file_effect(&format!("read {path}"));
            assert_eq!(decide(&deny, &effect, Some("/repo")).decision, Decision::Denied, "`{pattern}` denies `{path}`");
            assert_eq!(decide(&ask, &effect, Some("/repo")).decision, Decision::Asked, "`{pattern}` asks for `{path}`");
            assert_eq!(
                decide(&allow, &effect, Some("/repo")).decision,
                Decision::Allowed,
                "`{pattern}` allows `{path}`"
            );
        }
        for path in *others {
            let effect = file_effect(&format!("read {path}"));
            assert_eq!(
                decide(&deny, &effect, Some("/repo")).decision,
                Decision::Allowed,
                "`{pattern}` leaves `{path}`"
            );
            assert_eq!(
                decide(&allow, &effect, Some("/repo")).decision,
                Decision::Denied,
                "`{pattern}` is not `{path}`"
            );
        }
    }
}

#[test]
fn what_a_list_leaves_out() {
    let scope = policy(
        r#"{"version": 2,
            "labels": {"keys": ["*.key"]},
            "files": {"read": {"deny": ["!.env.example", "secrets/**", "!secrets/public/**", ".env*"]},
                      "write": {"allow": ["src/**", "!src/gen/**", "!label:keys"], "ask": ["src/api/*", "!src/api/README.md"]},
                      "delete": {"deny": ["**"]}}}"#,
    );
    decisions(
        &scope,
        &[
            ("read .env", "denied scope/read"),
            ("read .env.example", "allowed scope/read"),
            ("read x/.env.example", "allowed scope/read"),
            ("read .ENV.example", "denied scope/read"),
            ("read glob .env.ex*", "denied scope/read"),
            ("read secrets/a", "denied scope/read"),
            ("read secrets/public/a", "allowed scope/read"),
            ("read secrets/Public/a", "denied scope/read"),
            ("read tree secrets/public", "allowed scope/read"),
            ("read tree secrets", "denied scope/read"),
            ("write src/a", "allowed scope/write"),
            ("write src/gen/a", "denied scope/write"),
            ("write src/Gen/a", "denied scope/write"),
            ("write src/x/a.KEY", "denied scope/write"),
            ("write glob src/*", "unresolved scope/unresolved"),
            ("write src/api/x", "asked scope/approval"),
            ("write src/api/README.md", "allowed scope/write"),
            ("delete src/a", "denied scope/delete"),
        ],
    );
}

#[test]
fn defaults_decide_where_no_entry_speaks() {
    let scope = |defaults: &str| {
        policy(&format!(
            r#"{{"version": 2, "defaults": {{{defaults}}}, "files": {{"read": {{"allow": ["src/**"]}}}}, "commands": {{"deny": ["rm"]}}}}"#
        ))
    };
    let silent = scope("");
    decisions(&silent, &[("write x", "unruled scope/write"), ("run ls", "allowed scope/command")]);
    let deny = scope(r#""decision": "deny""#);
    decisions(
        &deny,
        &[
            ("write x", "denied scope/write"),
            ("read x", "denied scope/read"),
            ("read src/x", "allowed scope/read"),
            ("run ls", "denied scope/command"),
            ("host x.example", "denied scope/network"),
            ("host -", "unresolved scope/unresolved"),
            ("list src", "allowed scope/read"),
            ("write glob x*", "unresolved scope/unresolved"),
        ],
    );
    let ask = scope(r#""decision": "ask""#);
    decisions(
        &ask,
        &[("write x", "asked scope/approval"), ("read x", "denied scope/read"), ("run rm x", "denied scope/command")],
    );
    let tool = effect(Kind::Tool { server: None, tool: "Frobnicate".to_owned() }, Certainty::Exact);
    for (word, expected) in [
        ("allow", "allowed scope/tool"),
        ("ask", "asked scope/approval"),
        ("deny", "denied scope/tool"),
        ("unresolved", "unresolved scope/unresolved"),
    ] {
        let found = decide(&scope(&format!(r#""unknown_tool": "{word}""#)), &tool, None);
        assert_eq!(short(&found), expected, "{word}");
    }
    for (word, level) in [("deny", Level::Error), ("warn", Level::Warning), ("note", Level::Note)] {
        let found = decide(&scope(&format!(r#""unresolved": "{word}""#)), &file_effect("read glob **"), None);
        assert_eq!((found.decision, found.level), (Decision::Unresolved, level), "{word}");
    }
}
