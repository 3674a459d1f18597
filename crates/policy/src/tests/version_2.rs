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

/// What the pattern denies, asks for and allows, and what it does neither of. A deny covers what is below a path, too.
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
        ("/**", &["a", "a/b/c"], &["/a", "~/a", "C:/a"]),
        ("*/**", &["a/b"], &["C:/a"]),
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
            let is_denied = |path: &str| {
                let effect = file_effect(&format!("read {path}"));
                decide(&deny, &effect, Some("/repo")).decision == Decision::Denied
            };
            let is_below = path.match_indices('/').any(|(at, _)| is_denied(path.get(..at).unwrap_or_default()));
            let denied = if is_below { Decision::Denied } else { Decision::Allowed };
            assert_eq!(decide(&deny, &effect, Some("/repo")).decision, denied, "`{pattern}` denies `{path}`?");
            assert_eq!(
                decide(&allow, &effect, Some("/repo")).decision,
                Decision::Denied,
                "`{pattern}` is not `{path}`"
            );
        }
    }
}

/// `remote:origin` is the remote as its owner configured it, wherever it leads.
#[test]
fn remotes_are_named() {
    let network = |lists: &str| policy(&format!(r#"{{"version": 2, "network": {{{lists}}}}}"#));
    let listed = network(r#""deny_all": true, "allow": ["remote:origin", "git.example"], "deny": ["10.0.0.0/8"]"#);
    decisions(
        &listed,
        &[
            ("host remote:origin", "allowed scope/network"),
            ("host remote:upstream", "unresolved scope/unresolved"),
            ("host -", "unresolved scope/unresolved"),
            ("host git.example", "allowed scope/network"),
        ],
    );
    decisions(
        &network(r#""deny_all": true, "allow": ["remote:*"]"#),
        &[("host remote:upstream", "allowed scope/network"), ("host glob remote:*", "allowed scope/network")],
    );
    decisions(
        &network(r#""deny_all": true, "allow": ["remote:origin"]"#),
        &[("host remote:upstream", "denied scope/network"), ("host glob remote:*", "unresolved scope/unresolved")],
    );
    // An owner's remote may be a host that is denied, unless an entry names the remote.
    decisions(
        &network(r#""deny": ["evil.example"]"#),
        &[("host remote:origin", "unresolved scope/unresolved"), ("host registry:npm", "allowed scope/network")],
    );
    decisions(
        &network(r#""deny": ["remote:upstream"]"#),
        &[("host remote:upstream", "denied scope/network"), ("host remote:origin", "allowed scope/network")],
    );
}

/// As in `.gitignore`; an allow says what is below, and an exception leaves out what it names alone.
#[test]
fn a_deny_of_a_directory_covers_what_is_below() {
    let scope = policy(
        r#"{"version": 2, "files": {
            "read": {"deny": ["secrets", "config/prod", "//etc", "~/.aws", "*.d", "!secrets/public"], "allow": ["/**", "!private"]},
            "write": {"ask": ["deploy"], "allow": ["src"]}}}"#,
    );
    decisions(
        &scope,
        &[
            ("read secrets", "denied scope/read"),
            ("read secrets/key", "denied scope/read"),
            ("read a/Secrets/b/key", "denied scope/read"),
            ("read secrets/public", "allowed scope/read"),
            ("read secrets/public/a", "denied scope/read"),
            ("read config/prod/a.yml", "denied scope/read"),
            ("read x/config/prod/a.yml", "allowed scope/read"),
            ("read config/product/a.yml", "allowed scope/read"),
            ("read /etc/ssl/key.pem", "denied scope/read"),
            ("read ~/.aws/credentials", "denied scope/read"),
            ("read conf.d/x", "denied scope/read"),
            ("read glob secrets/*.key", "denied scope/read"),
            ("read glob secrets/**/*.key", "denied scope/read"),
            ("read glob **/secrets/*.key", "denied scope/read"),
            // A directory on the way that is called so may not exist.
            ("read glob src/**/*.ts", "allowed scope/read"),
            ("read tree config/prod/eu", "denied scope/read"),
            ("read tree .", "denied scope/read"),
            ("read private/a", "denied scope/read"),
            ("write deploy/prod.yml", "asked scope/approval"),
            ("write src/a", "denied scope/write"),
        ],
    );
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
            ("list src", "unruled scope/read"),
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

#[test]
fn denied_command_patterns() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "git push",
            &["git push", "git -C . push -f", "/usr/bin/git -c x=y push", "GIT.exe push"],
            &["git log push", "echo git push"],
        ),
        ("git clean --force", &["git clean --forc"], &["git clean -n"]),
        (
            "git push --force",
            &["git push -f", "git push origin main --force"],
            &["git push", "git push --force-with-lease", "git push --forc"],
        ),
        ("rm -rf", &["rm -fr x", "rm -r --force x", "rm x -rf"], &["rm -r x", "rmdir -rf"]),
        ("npm i", &["npm install x", "npm add x", "npm --prefix web i x"], &["npm ci", "npm run i"]),
        ("docker rm -f", &["docker container rm -f x"], &["docker image rm -f x", "docker rm x"]),
        ("docker container exec", &["docker exec x ls"], &["docker run x"]),
        ("kill -SIGKILL", &["kill -9 1", "kill -s KILL 1"], &["kill -15 1"]),
        ("pip", &["python3 -m pip list", "pip3 install x"], &["python3 -m pipx list"]),
        ("npm run *", &["npm run build", "npm run build x"], &["npm run", "npm test"]),
        ("terraform des*", &["terraform destroy", "terraform -chdir=x destroy"], &["terraform plan"]),
        ("curl", &["curl x"], &["curling x", "wget curl"]),
        ("*curl*", &["curl x", "xcurl"], &["wget curl"]),
        ("rm -rf /", &["rm -rf /", "rm -rf x /"], &["rm -rf x"]),
        ("*", &["ls", "./x"], &[]),
    ];
    for (pattern, matching, others) in cases {
        let scope = policy(&format!(r#"{{"version": 2, "commands": {{"deny": ["{pattern}"]}}}}"#));
        for text in *matching {
            assert_eq!(decide(&scope, &command(text), None).decision, Decision::Denied, "`{pattern}` denies `{text}`");
        }
        for text in *others {
            assert_eq!(decide(&scope, &command(text), None).decision, Decision::Allowed, "`{pattern}` leaves `{text}`");
        }
    }
    // The text of the line plays no role: it may hold the words as data.
    let scope = policy(r#"{"version": 2, "commands": {"deny": ["git push"]}}"#);
    let context = Context { raw_command: Some("git push"), ..Context::default() };
    assert_eq!(scope.judge(&command("echo x"), &context).decision, Decision::Allowed);
}

#[test]
fn allowed_command_patterns() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "git status",
            &[
                "git status",
                "git status -s x",
                "git -C sub status",
                "git --no-pager -C=x status",
                "/usr/bin/git status",
            ],
            &["git", "git -c core.pager=x status", "git push", "./git status", "git x status", "GIT status"],
        ),
        (
            "cargo test --locked",
            &["cargo test --locked", "cargo test -q --locked x", "cargo --locked test"],
            &["cargo test", "cargo test -- --locked"],
        ),
        ("cargo +nightly fmt", &["cargo +nightly fmt"], &["cargo fmt"]),
        ("cargo fmt", &["cargo fmt", "cargo +nightly fmt", "cargo --manifest-path x fmt"], &["cargo --config x fmt"]),
        ("npm run build:*", &["npm run build:a", "npm run build:a b"], &["npm run build", "npm run x build:a"]),
        ("*", &["ls", "./x a", "/opt/y"], &["?x"]),
        ("ls?", &["lsa"], &["ls", "./lsa"]),
        ("scripts/x.sh", &["scripts/x.sh", "./scripts/x.sh a"], &["x.sh"]),
    ];
    for (pattern, matching, others) in cases {
        let scope = policy(&format!(r#"{{"version": 2, "commands": {{"allow": ["{pattern}"]}}}}"#));
        for text in *matching {
            assert_eq!(decide(&scope, &command(text), None).decision, Decision::Allowed, "`{pattern}` allows `{text}`");
        }
        for text in *others {
            let found = decide(&scope, &command(text), None).decision;
            assert!(matches!(found, Decision::Denied | Decision::Unresolved), "`{pattern}` is not `{text}`");
        }
    }
}

#[test]
fn hosts_ports_and_networks() {
    let scope = policy(
        r#"{"version": 2, "network": {"deny_all": true,
            "allow": ["*.example.com", "example.org:443", "10.0.0.0/8", "[fd00::1]:80", "::ffff:192.168.0.0/112", "registry:npm"],
            "deny": ["evil.example.com", "10.1.0.0/16", "*:25"], "ask": ["api.example.com"]}}"#,
    );
    decisions(
        &scope,
        &[
            ("host a.example.com#443", "allowed scope/network"),
            ("host a.b.example.com#443", "allowed scope/network"),
            ("host example.com#443", "denied scope/network"),
            ("host evil.example.com#443", "denied scope/network"),
            ("host EVIL.example.com", "denied scope/network"),
            ("host api.example.com#443", "asked scope/approval"),
            ("host example.org#443", "allowed scope/network"),
            ("host example.org#80", "denied scope/network"),
            ("host 10.2.3.4#1", "allowed scope/network"),
            ("host 10.1.3.4#1", "denied scope/network"),
            ("host a.example.com#25", "denied scope/network"),
            ("host 192.168.0.9#1", "allowed scope/network"),
            ("host 192.169.0.9#1", "denied scope/network"),
            ("host ::ffff:10.2.0.1#1", "allowed scope/network"),
            ("host fd00::1#80", "allowed scope/network"),
            ("host fd00::1#81", "denied scope/network"),
            ("host registry:npm", "denied scope/network"),
            ("host registry:npm#443", "allowed scope/network"),
            ("host -", "unresolved scope/unresolved"),
            ("host glob *.example.com", "denied scope/network"),
        ],
    );
    let open = policy(r#"{"version": 2, "network": {"deny": ["127.0.0.0/8", "*.evil.example"]}}"#);
    decisions(
        &open,
        &[
            ("host localhost#80", "denied scope/network"),
            ("host 127.9.9.9#80", "denied scope/network"),
            ("host evil.example#80", "allowed scope/network"),
            ("host x.evil.example#80", "denied scope/network"),
            ("host good.example#80", "allowed scope/network"),
        ],
    );
}

fn tool(server: &str, tool: &str) -> Effect {
    effect(Kind::Tool { server: Some(server.to_owned()), tool: tool.to_owned() }, Certainty::Exact)
}

#[test]
fn tools_of_servers() {
    let scope = policy(
        r#"{"version": 2, "mcp": {"default": "ask", "servers": {
            "my_github": {"allow": ["get_*"], "deny": ["get_secret*", "delete_*"], "ask": ["get_user"]},
            "files-*": {"deny": ["write"]}}}}"#,
    );
    for (server, name, expected) in [
        ("my_github", "get_issue", "allowed scope/tool"),
        ("my_github", "get_secrets", "denied scope/tool"),
        ("My-GitHub", "delete_repo", "denied scope/tool"),
        ("My-GitHub", "get_issue", "denied scope/tool"),
        ("my_github", "get_user", "asked scope/approval"),
        ("my_github", "list", "denied scope/tool"),
        ("files-a", "write", "denied scope/tool"),
        ("files-a", "read", "asked scope/approval"),
        ("other", "x", "asked scope/approval"),
    ] {
        let found = decide(&scope, &tool(server, name), None);
        assert_eq!(short(&found), expected, "{server}/{name}: {}", found.reason);
    }
    let opaque = Opaque::new(About::Anything, Reason::UnknownMcpTool, Vec::new());
    let opaque = effect(Kind::Opaque(opaque), Certainty::Possible);
    for (name, expected) in [("get_issue", Decision::Allowed), ("other", Decision::Unresolved)] {
        let context = Context { tool: Some((Some("my_github"), name)), ..Context::default() };
        assert_eq!(scope.judge(&opaque, &context).decision, expected, "{name}");
    }
}

#[test]
fn rules_with_names() {
    let scope = policy(
        r#"{"version": 2,
            "commands": {"allow": ["git", "cargo"], "deny": ["git push"]},
            "files": {"write": {"deny": ["vault/**"]}},
            "rules": [
              {"id": "PUSH", "effect": "deny", "owner": "@platform", "reason": "releases go through CI",
               "match": {"exec": {"program": "git", "subcommand": ["push", "send-pack"], "any_flag": ["--force", "--mirror", "+*"]}},
               "examples": {"match": ["git -C . push -f", "git push origin +main"], "not_match": ["git push --dry-run", "git log"]}},
              {"id": "LS", "effect": "allow", "match": {"exec": {"program": ["ls", "exa"], "only_flags": ["-l", "-a"], "operands": ["src*"]}},
               "examples": {"match": ["ls -la src/x"], "not_match": ["ls", "ls -R src"]}},
              {"id": "NOTE", "effect": "deny", "severity": "note", "match": {"read": ["docs/**", "!docs/api/**"]},
               "examples": {"match": ["docs/x"], "not_match": ["docs/api/x", "src/x"]}},
              {"id": "DEL", "effect": "ask", "match": {"delete": "docs/**"}},
              {"id": "NET", "effect": "deny", "match": {"net": ["*.evil.example"]}, "examples": {"match": ["a.evil.example:80"]}},
              {"id": "TOOL", "effect": "deny", "match": {"mcp": {"server": "db", "tools": ["drop_*"]}}, "examples": {"match": ["db/drop_table"]}},
              {"id": "SPAWN", "effect": "deny", "match": {"spawn": ["writer-*"]}, "examples": {"match": ["writer-1"], "not_match": ["reader"]}},
              {"id": "NAMES", "effect": "deny", "match": {"list": ["vault/**"]}}
            ]}"#,
    );
    let named = |effect: &Effect| {
        let found = decide(&scope, effect, Some("/repo"));
        format!(
            "{} {} {}",
            short(&found),
            found.level.name(),
            found.policy_rule.map_or("-".to_owned(), |rule| rule.id.clone())
        )
    };
    for (text, expected) in [
        ("run git push -f", "denied scope/command error PUSH"),
        ("run git push", "denied scope/command error -"),
        ("run git send-pack --mirror", "denied scope/command error PUSH"),
        ("run git send-pack", "allowed scope/command note -"),
        ("run ls -al src", "allowed scope/command note LS"),
        ("run ls docs", "denied scope/command error -"),
        ("read docs/x", "denied scope/read note NOTE"),
        ("read docs/api/x", "allowed scope/read note -"),
        ("delete docs/x", "asked scope/approval error DEL"),
        ("delete vault/x", "denied scope/delete error -"),
        ("write docs/x", "allowed scope/write note -"),
        ("host x.evil.example", "denied scope/network error NET"),
        ("host x.example", "unruled scope/network note -"),
        ("list vault/a", "denied scope/read error NAMES"),
    ] {
        let effect = match text.split_once(' ').unwrap() {
            ("run", rest) => command(rest),
            ("host", rest) => host(rest),
            _ => file_effect(text),
        };
        assert_eq!(named(&effect), expected, "{text}");
    }
    assert_eq!(named(&tool("db", "drop_table")), "denied scope/tool error TOOL");
    let spawn = effect(Kind::Spawn { agent: Some("writer-2".to_owned()) }, Certainty::Exact);
    assert_eq!(named(&spawn), "denied scope/tool error SPAWN");
    let names: Vec<&str> = scope.entries().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names.len(), 4 + 8);
    assert!(names.contains(&"PUSH") && names.contains(&"commands.allow[1]"), "{names:?}");
}

#[test]
fn a_rule_that_allows_closes_nothing_and_vouches() {
    let scope = policy(
        r#"{"version": 2, "commands": {"deny": ["rm"]}, "network": {"deny_all": true},
            "rules": [{"id": "TEST", "effect": "allow", "match": {"exec": {"program": "npm", "subcommand": "test"}}}]}"#,
    );
    decisions(&scope, &[("run ls", "allowed scope/command"), ("run npm test", "allowed scope/command")]);
    let opaque = |words: &[&str]| {
        let vouched_by = words.iter().map(|word| (*word).to_owned()).collect();
        effect(Kind::Opaque(Opaque::new(About::Anything, Reason::RunsPackage, vouched_by)), Certainty::Possible)
    };
    assert_eq!(decide(&scope, &opaque(&["npm", "test"]), None).decision, Decision::Allowed);
    assert_eq!(decide(&scope, &opaque(&["npm", "run"]), None).decision, Decision::Unresolved);
}

/// Who writes a rule that only warns takes nothing away from what is an error without it.
#[test]
fn a_rule_that_only_warns_hides_nothing() {
    let strict = r#"{"version": 2, "files": {"read": {"deny": ["a"]}, "write": {"allow": ["src/**"], "ask": ["b"]}},
        "commands": {"allow": ["ls"]}, "network": {"deny_all": true}, "mcp": {"default": "deny"} MILD}"#;
    let rules: Vec<String> = [
        r#""read": ["**"]"#,
        r#""write": ["**"]"#,
        r#""delete": ["**"]"#,
        r#""exec": {"program": ["rm", "ls"]}"#,
        r#""net": ["*.example"]"#,
        r#""mcp": {"server": "*", "tools": ["*"]}"#,
        r#""spawn": ["*"]"#,
    ]
    .iter()
    .enumerate()
    .map(|(at, matches)| {
        let severity = if at % 2 == 0 { "note" } else { "warning" };
        let effect = if at % 3 == 0 { "ask" } else { "deny" };
        let (id, reason) = (format!("M{at}"), "to look at");
        format!(
            r#"{{"id": "{id}", "effect": "{effect}", "severity": "{severity}", "reason": "{reason}", "match": {{{matches}}}}}"#
        )
    })
    .collect();
    let without = policy(&strict.replace("MILD", ""));
    let with = policy(&strict.replace("MILD", &format!(r#", "rules": [{}]"#, rules.join(", "))));
    let tool = Kind::Tool { server: Some("x".to_owned()), tool: "y".to_owned() };
    let effects = [
        file_effect("read a"),
        file_effect("read c"),
        file_effect("write b"),
        file_effect("write docs/x"),
        file_effect("write src/x"),
        file_effect("write .agent-scope.json"),
        file_effect("write .claude/settings.json"),
        file_effect("delete docs/x"),
        command("rm x"),
        command("ls"),
        command("?$X y"),
        host("pages.example"),
        effect(tool, Certainty::Exact),
        effect(Kind::Spawn { agent: None }, Certainty::Exact),
    ];
    let mut warned = 0;
    for effect in &effects {
        let (before, after) = (decide(&without, effect, Some("/repo")), decide(&with, effect, Some("/repo")));
        let fails = |found: &Judgement| found.matters() && found.level == Level::Error;
        assert!(!fails(&before) || fails(&after), "{effect}: {} became {}", before.reason, after.reason);
        warned += usize::from(after.matters() && !before.matters());
    }
    assert!(warned >= 3, "the rules say nothing");
}

/// A `*` is a word, and what the entry names behind it is another one.
#[test]
fn words_behind_a_wildcard_have_to_be_there() {
    let scope = policy(
        r#"{"version": 2, "rules": [{"id": "A", "effect": "deny", "match":
            {"exec": {"program": "python3", "subcommand": ["setup.py * upload", "x *", "y * a * b"]}}}]}"#,
    );
    for (text, expected) in [
        ("python3 setup.py sdist upload", Decision::Denied),
        ("python3 setup.py --quiet upload", Decision::Denied),
        ("python3 setup.py --quiet sdist upload", Decision::Denied),
        ("python3 setup.py --quiet sdist --formats=zip upload", Decision::Denied),
        ("python3 setup.py --quiet --verbose upload", Decision::Denied),
        ("python3 x --any", Decision::Denied),
        ("python3 y --q a --r b", Decision::Denied),
        ("python3 y c a d b", Decision::Denied),
        ("python3 y --q a b", Decision::Allowed),
        ("python3 setup.py --version", Decision::Allowed),
        ("python3 setup.py --name", Decision::Allowed),
        ("python3 setup.py sdist --formats=zip", Decision::Allowed),
        ("python3 setup.py --quiet sdist", Decision::Allowed),
    ] {
        assert_eq!(decide(&scope, &command(text), Some("/repo")).decision, expected, "{text}");
    }
}

/// What lists can say of a rule: each form denies only what the rule denies.
#[test]
fn rules_are_told_apart_into_entries() {
    let forms = |exec: &str, rest: &str| {
        let text = format!(
            r#"{{"version": 2, "rules": [{{"id": "A", "effect": "deny", "match": {{"exec": {exec}}}{rest}}}]}}"#
        );
        policy(&text).entries().flat_map(|entry| entry.forms.clone()).collect::<Vec<_>>()
    };
    let push =
        r#"{"program": "git", "subcommand": ["push", "remote add"], "any_flag": ["-f", "+*"], "all_flags": "-q"}"#;
    assert_eq!(forms(push, ""), ["git push -q -f", "git remote add -q -f"]);
    assert_eq!(forms(r#"{"program": ["a", "b"]}"#, ""), ["a", "b"]);
    let none: [&str; 0] = [];
    assert_eq!(forms(r#"{"program": "git", "any_flag": "+*"}"#, ""), none, "an operand is no flag");
    assert_eq!(forms(r#"{"program": "git", "only_flags": "-q"}"#, ""), none);
    assert_eq!(forms(r#"{"program": "git", "operands": "x"}"#, ""), none);
    assert_eq!(forms(r#"{"program": "git"}"#, r#", "severity": "note""#), none, "what only warns forbids nothing");
}
