mod commands;
mod extends;
mod faults;
mod named;
mod programs;
mod properties;
mod properties_2;
mod version_1_denies;
mod version_2;
mod without_root;

use super::*;
use agent_strace_effects::{
    About, Argument, Certainty, Connection, Effect, Execution, Kind, Opaque, PathTarget, Purpose, Reason,
};

fn policy(text: &str) -> Policy {
    Policy::from_bytes("scope.json", None, text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"))
}

fn effect(kind: Kind, certainty: Certainty) -> Effect {
    Effect::new(kind, certainty, "argument")
}

/// `read src/a`, `write glob src/*`, `delete tree src`, `list .`, `maybe read x`.
fn file_effect(text: &str) -> Effect {
    let (certainty, text) = match text.strip_prefix("maybe ") {
        Some(rest) => (Certainty::Possible, rest),
        None => (Certainty::Exact, text),
    };
    let (kind, rest) = text.split_once(' ').unwrap();
    let (certainty, subtree, path) = match rest.split_once(' ') {
        Some(("glob", path)) => (Certainty::Pattern, false, path),
        Some(("tree", path)) => (certainty, true, path),
        _ => (certainty, false, rest),
    };
    let target = PathTarget { path: path.to_owned(), subtree };
    let kind = match kind {
        "read" => Kind::Read(target),
        "write" => Kind::Write(target),
        "delete" => Kind::Delete(target),
        "list" => Kind::List(target),
        other => panic!("{other}"),
    };
    effect(kind, certainty)
}

/// Words by blanks; `?x` is an unknown word `x`, `_` in a word is a blank.
fn command(text: &str) -> Effect {
    let (embeds, text) = text.strip_prefix("embeds: ").map_or((false, text), |rest| (true, rest));
    let argv = text
        .split(' ')
        .map(|word| Argument { text: word.trim_start_matches('?').replace('_', " "), known: !word.starts_with('?') })
        .collect();
    effect(Kind::Execute(Execution { argv, inert: false, embeds }), Certainty::Exact)
}

fn host(text: &str) -> Effect {
    let (text, certainty) =
        text.strip_prefix("glob ").map_or((text, Certainty::Exact), |rest| (rest, Certainty::Pattern));
    let (host, port) = text.rsplit_once('#').map_or((text, None), |(host, port)| (host, port.parse().ok()));
    let host = (host != "-").then(|| host.to_owned());
    effect(Kind::Connect(Connection { host, port, scheme: None }), certainty)
}

fn decide(policy: &Policy, effect: &Effect, root: Option<&str>) -> Judgement {
    policy.judge(effect, &Context { root, ..Context::default() })
}

fn short(judgement: &Judgement) -> String {
    format!("{} {}", judgement.decision.name(), judgement.rule)
}

/// Levels of what stays open: files that a program gathers, and names of which a part is unknown.
#[test]
fn gathered_files_that_a_deny_may_name() {
    let scope = policy(
        r#"{"version": 2, "files": {"read": {"deny": [".env", ".env.*", "*.pem", "id_rsa", "secrets/**", "config/prod.yml", "deploy"]},
            "write": {"deny": [".github/**", "*.key"]}}}"#,
    );
    let cases = [
        // The text spells a part of a denied name or of its directory.
        ("search read tree secrets", "denied error"),
        ("search read glob .e*", "denied error"),
        ("search read glob src/**/.env", "denied error"),
        ("whole read glob .*", "denied error"),
        ("whole read glob secrets/*", "denied error"),
        ("whole read glob *.pem", "denied error"),
        ("whole read glob sec*/a", "denied error"),
        ("whole read glob id_*", "denied error"),
        ("none read glob **/.env*", "denied error"),
        // The program shows whole files, and one of them may be denied.
        ("whole read tree .", "unresolved warning"),
        ("whole read tree src", "unresolved warning"),
        ("whole read glob config/*.yml", "unresolved warning"),
        ("whole read glob */a", "unresolved warning"),
        ("none read glob **.txt", "unresolved warning"),
        // Lines of them, or a check.
        ("search read tree .", "left open"),
        ("search read glob .*", "left open"),
        ("check read tree .", "left open"),
        ("check read glob config/*.yml", "left open"),
        // The set holds a denied file only if a directory has the denied name.
        ("whole read glob skills/*/SKILL.md", "left open"),
        // A wildcard does not match a leading dot.
        ("whole read glob src/*.rs", "allowed note"),
        ("whole read glob *.json", "allowed note"),
        ("whole read glob src/**/*.ts", "allowed note"),
        // A program that changes the files which it gathers may change the denied one.
        ("check write tree .", "left open"),
        ("check write glob src/*.ts", "allowed note"),
        ("whole write tree .github/workflows", "denied error"),
        ("whole write glob .git*/x", "denied error"),
        // Names are no content.
        ("whole list glob .env*", "unruled note"),
        ("whole list tree secrets", "unruled note"),
    ];
    for (text, expected) in cases {
        let (purpose, act) = text.split_once(' ').unwrap();
        let gathered = match purpose {
            "whole" => Some(Purpose::Whole),
            "search" => Some(Purpose::Search),
            "check" => Some(Purpose::Check),
            _ => None,
        };
        let found = decide(&scope, &Effect { gathered, ..file_effect(act) }, Some("/repo"));
        let shown = match &found.left_open {
            Some(_) => "left open".to_owned(),
            None => format!("{} {}", found.decision.name(), found.level.name()),
        };
        assert_eq!(shown, expected, "{text}: {}", found.reason);
    }
}

#[test]
fn files() {
    let scope = policy(
        r#"{"files": {"read": {"allow": ["src/**", "*.md", "/opt/data/**", "/repo/lib/*"], "deny": [".env", "secrets/**", "~/.ssh/**", "/repo/vault/*"]},
                      "write": {"allow": ["src/**"], "deny": [".github/**"]}}}"#,
    );
    let cases = [
        ("read src/a.rs", "allowed scope/read"),
        ("read src", "allowed scope/read"),
        ("read docs/x.md", "allowed scope/read"),
        ("read Cargo.toml", "denied scope/read"),
        ("read .env", "denied scope/read"),
        ("read .ENV", "denied scope/read"),
        ("read src/.env", "denied scope/read"),
        ("read src/.env.", "denied scope/read"),
        ("read Secrets/prod", "denied scope/read"),
        ("read SRC/a.rs", "denied scope/read"),
        ("read ~/.ssh/id", "denied scope/read"),
        ("read /root/.ssh/id", "denied scope/read"),
        ("read /home/ana/.ssh/id", "denied scope/read"),
        ("read vault/x", "denied scope/read"),
        ("read lib/x", "allowed scope/read"),
        ("read /opt/data/x/y", "allowed scope/read"),
        ("read glob src/*.rs", "allowed scope/read"),
        ("read glob s*/x", "unresolved scope/unresolved"),
        ("read glob docs/*", "unresolved scope/unresolved"),
        ("read glob .e?v", "denied scope/read"),
        ("read glob docs/[a-c]*", "unresolved scope/unresolved"),
        ("read glob **", "unresolved scope/unresolved"),
        ("list glob **/secrets/*.txt", "unruled scope/read"),
        ("list glob secr*/a.txt", "unruled scope/read"),
        ("list glob **/.env*", "unruled scope/read"),
        ("list glob **/*", "unruled scope/read"),
        ("list glob src/**/index.ts", "unruled scope/read"),
        ("list glob **/index.ts", "unruled scope/read"),
        ("read glob **/index.ts", "denied scope/read"),
        ("read tree src", "allowed scope/read"),
        ("read glob src/*", "allowed scope/read"),
        ("read glob src/[.]env", "denied scope/read"),
        ("read glob src/?env", "allowed scope/read"),
        ("read glob src/.*", "denied scope/read"),
        ("read glob */.??*", "denied scope/read"),
        ("read glob src/.e*", "denied scope/read"),
        ("read tree .", "denied scope/read"),
        ("read tree /", "denied scope/read"),
        ("read tree ~", "denied scope/read"),
        ("read glob /*/.env", "denied scope/read"),
        ("maybe read x", "unruled scope/read"),
        ("maybe read .env", "denied scope/read"),
        ("write src/a", "allowed scope/write"),
        ("write x", "denied scope/write"),
        ("write .GitHub/x", "denied scope/write"),
        ("write tree .", "denied scope/write"),
        ("delete src/a", "allowed scope/delete"),
        ("delete .github", "denied scope/delete"),
        ("list secrets", "unruled scope/read"),
        ("write .agent-scope.json", "denied floor/policy"),
        ("write sub/.claude/settings.local.json", "denied floor/agent-settings"),
        ("write ~/.codex/config.toml", "denied floor/agent-settings"),
        ("delete .git/hooks/pre-commit", "denied floor/hooks"),
        ("delete tree .git", "denied floor/hooks"),
        ("delete tree src", "allowed scope/delete"),
        ("delete tree ~/.claude", "denied floor/agent-settings"),
        ("delete tree /", "denied scope/delete"),
        ("write .agent-traces/s/events.ndjson", "denied floor/trace-store"),
        ("write glob .agent-scope.*", "denied floor/policy"),
        ("write glob **", "unresolved scope/unresolved"),
        ("write src/.husky/x", "denied floor/hooks"),
    ];
    for (text, expected) in cases {
        let found = decide(&scope, &file_effect(text), Some("/repo"));
        assert_eq!(short(&found), expected, "{text}: {}", found.reason);
    }
    let nested = policy(r#"{"files": {"read": {"deny": ["src/**/*.key", "*.pem"]}}}"#);
    for (text, expected) in [("read tree src", "denied"), ("read tree .", "denied"), ("read tree docs", "allowed")] {
        let found = decide(&nested, &file_effect(text), Some("/repo"));
        assert_eq!(short(&found), format!("{expected} scope/read"), "{text}: {}", found.reason);
    }
}

#[test]
fn paths_without_a_recorded_root() {
    let scope = policy(r#"{"files": {"read": {"deny": ["config/prod/*", "/etc/**"]}}}"#);
    for (text, expected) in [
        ("read /home/ana/work/config/prod/a", "denied scope/read"),
        ("read /etc/hosts", "denied scope/read"),
        ("read /srv/etc/hosts", "allowed scope/read"),
        ("read tree /home/ana/work", "denied scope/read"),
        ("read config/prod/a", "denied scope/read"),
        ("read config/dev/a", "allowed scope/read"),
    ] {
        assert_eq!(short(&decide(&scope, &file_effect(text), None)), expected, "{text}");
    }
}

#[test]
fn home_patterns_are_for_files_outside_of_the_root() {
    let scope = policy(r#"{"version": 2, "files": {"read": {"deny": ["~/**"]}, "write": {"deny": ["~/.ssh/**"]}}}"#);
    for (root, text, expected) in [
        ("/home/ana/work", "read a", "allowed scope/read"),
        ("/home/ana/work", "read tree .", "allowed scope/read"),
        ("/home/ana/work", "read ~/a", "denied scope/read"),
        ("/home/ana/work", "write .ssh/config", "allowed scope/write"),
        ("/home/ana/work", "write ~/.ssh/config", "denied scope/write"),
        // Where the home directory is the root, an entry that names something in it still counts.
        ("/home/ana", "write .ssh/config", "denied scope/write"),
        ("/root", "write .ssh/config", "denied scope/write"),
        ("/home/ana", "read a", "allowed scope/read"),
        // Directories of the system hold no home directory; any other directory may be one.
        ("/home/ana/work", "read tree /tmp/build", "allowed scope/read"),
        ("/home/ana/work", "read glob /usr/include/*.h", "allowed scope/read"),
        ("/home/ana/work", "read tree /var/log", "allowed scope/read"),
        ("/home/ana/work", "read tree /home/ana", "denied scope/read"),
        ("/home/ana/work", "read tree /var/root", "denied scope/read"),
        ("/home/ana/work", "write tree /srv/ana", "denied scope/write"),
        // Some systems keep home directories below `/usr`.
        ("/home/ana/work", "read tree /home", "denied scope/read"),
        ("/home/ana/work", "read tree /Users", "denied scope/read"),
        ("/home/ana/work", "read tree /usr/home", "denied scope/read"),
        ("/home/ana/work", "read tree /usr/home/ana", "denied scope/read"),
        ("/home/ana/work", "read glob /usr/home/*/.ssh/*", "denied scope/read"),
        ("/home/ana/work", "read glob /usr/h*/ana/*", "unresolved scope/unresolved"),
        ("/home/ana/work", "read tree /usr", "allowed scope/read"),
        ("/home/ana/work", "write tree /home", "denied scope/write"),
        ("/home/ana/work", "write tree /usr/home", "denied scope/write"),
        ("/home/ana/work", "read glob /usr/*/include/*", "allowed scope/read"),
        ("/home/ana/work", "read tree /usr/include", "allowed scope/read"),
        ("/home/ana/work", "write tree /usr/local", "allowed scope/write"),
        ("/home/ana/work", "write /usr/home/ana/.ssh/config", "denied scope/write"),
        ("/usr/home/ana/work", "read tree .", "allowed scope/read"),
        ("/usr/home/ana/work", "read a", "allowed scope/read"),
        ("/usr/home/ana/work", "read /usr/home/ana/b", "denied scope/read"),
    ] {
        assert_eq!(short(&decide(&scope, &file_effect(text), Some(root))), expected, "{text} in {root}");
    }
}

#[test]
fn the_floor_and_sensitive_files_need_no_policy() {
    let none = Policy::none();
    for (text, decision, sensitive) in [
        ("read .env", "unruled scope/read", true),
        ("read .env.example", "unruled scope/read", false),
        ("read ~/.ssh/config", "unruled scope/read", true),
        ("read /home/u/.aws/credentials", "unruled scope/read", true),
        ("read infra/terraform.tfstate", "unruled scope/read", true),
        ("read keys/id_ecdsa", "unruled scope/read", true),
        ("read keys/id_ecdsa.pub", "unruled scope/read", false),
        ("read /etc/shadow", "unruled scope/read", true),
        ("read .github/workflows/ci.yml", "unruled scope/read", false),
        ("write .github/workflows/ci.yml", "unruled scope/write", true),
        ("read tree .", "unruled scope/read", false),
        ("read tree ~/.ssh", "unruled scope/read", true),
        ("read glob *", "unruled scope/read", false),
        ("read glob .en*", "unruled scope/read", true),
        ("read glob certs/*.pem", "unruled scope/read", true),
        ("read src/main.rs", "unruled scope/read", false),
        ("write .github/workflows/agent-strace.yml", "denied floor/gate", true),
        ("write src/main.rs", "unruled scope/write", false),
        ("delete tree .", "denied floor/policy", false),
        ("delete tree target", "unruled scope/delete", false),
        ("delete tree /", "denied floor/policy", false),
        ("delete tree ~", "denied floor/policy", false),
    ] {
        let found = decide(&none, &file_effect(text), Some("/repo"));
        assert_eq!((short(&found).as_str(), found.sensitive), (decision, sensitive), "{text}: {}", found.reason);
    }
}

#[test]
fn hosts() {
    let scope = policy(
        r#"{"network": {"deny_all": true, "allow": ["api.example.org", "*.cdn.example", "localhost", "[::1]:8080", "db.example:5432", "registry:npm"]}}"#,
    );
    for (text, expected) in [
        ("api.example.org", "allowed scope/network"),
        ("API.example.org#443", "allowed scope/network"),
        ("evil.example", "denied scope/network"),
        ("x.cdn.example", "allowed scope/network"),
        ("cdn.example", "denied scope/network"),
        ("localhost#80", "allowed scope/network"),
        ("127.0.0.1", "denied scope/network"),
        ("::1#8080", "allowed scope/network"),
        ("::1#80", "denied scope/network"),
        ("db.example#5432", "allowed scope/network"),
        ("db.example", "denied scope/network"),
        ("registry:npm", "allowed scope/network"),
        ("registry:pypi", "denied scope/network"),
        ("-", "unresolved scope/unresolved"),
        ("glob *.example", "unresolved scope/unresolved"),
        ("glob a*.cdn.example", "allowed scope/network"),
    ] {
        let found = decide(&scope, &host(text), None);
        assert_eq!(short(&found), expected, "{text}: {}", found.reason);
    }
    let open = policy(r#"{"network": {"allow": ["a.example"]}}"#);
    assert_eq!(short(&decide(&open, &host("b.example"), None)), "allowed scope/network");
    assert_eq!(short(&decide(&Policy::none(), &host("b.example"), None)), "unruled scope/network");
}

fn unresolved(about: About, reason: Reason, vouched: &[&str]) -> Effect {
    let vouched_by = vouched.iter().map(|word| (*word).to_owned()).collect();
    effect(Kind::Opaque(Opaque::new(about, reason, vouched_by)), Certainty::Possible)
}

/// The kind of an unresolved act is what it may do, and only a list of this kind demands that it is allowed.
#[test]
fn classes_of_unresolved_acts_have_their_levels() {
    let lists = [
        r#"{"files": {"write": {"deny": [".env"]}}, "commands": {"deny": ["rm"]}}"#,
        r#"{"commands": {"deny": ["rm"]}, "network": {"deny_all": true}}"#,
        r#"{"commands": {"allow": ["ls"]}}"#,
        r#"{"version": 2, "files": {"write": {"allow": ["/**"]}}}"#,
        r#"{"version": 2, "files": {"write": {"allow": ["src/**"]}}}"#,
        r#"{"version": 2, "files": {"read": {"allow": ["src/**"]}}}"#,
    ];
    // One letter for each of these policies: error, warning or note.
    for (about, reason, levels) in [
        (About::Project, Reason::RunsBuild, "nnennn"),
        (About::Elsewhere, Reason::RunsBuild, "weeeee"),
        (About::Anything, Reason::ScriptContentUnknown, "weewww"),
        (About::Writes, Reason::AnotherRevision, "nnnnwn"),
        (About::Anything, Reason::UnknownFunction, "weeeee"),
        (About::Reads, Reason::ListedFiles, "wwwwwe"),
        (About::Anything, Reason::EvaluatesUnknownText, "eeeeee"),
    ] {
        let found =
            lists.map(|text| match decide(&policy(text), &unresolved(about, reason.clone(), &[]), None).level {
                Level::Error => 'e',
                Level::Warning => 'w',
                Level::Note => 'n',
            });
        assert_eq!(found.iter().collect::<String>(), levels, "{reason} {about:?}");
    }
}

/// An entry vouches for what cannot be known, and never for what is hidden.
#[test]
fn entries_vouch_by_their_words() {
    let project = |vouched: &[&str]| unresolved(About::Project, Reason::RunsBuild, vouched);
    let entry = |entry: &str| policy(&format!(r#"{{"version": 2, "commands": {{"allow": ["{entry}"]}}}}"#));
    for (text, act, vouches) in [
        ("npm test", project(&["npm", "test"]), true),
        ("npm run *", project(&["npm", "run", "build"]), true),
        ("npm run *", project(&["npm", "test"]), false),
        ("npm run", project(&["npm", "run", "build"]), false),
        ("npm *", project(&["npm", "test"]), true),
        ("make", project(&["make"]), true),
        ("./scripts/*", project(&["./scripts/build.sh"]), true),
        ("scripts/*", project(&["./scripts/build.sh"]), true),
        ("./scripts/*", project(&["./tools/build.sh"]), false),
        ("*", project(&["npm", "test"]), true),
        ("*", unresolved(About::Anything, Reason::RunsBuild, &[]), true),
        ("*", unresolved(About::Anything, Reason::RunsPackage, &["npx", "tool"]), false),
        ("*", unresolved(About::Writes, Reason::StashedFiles, &["git", "stash"]), true),
        ("git stash", unresolved(About::Writes, Reason::StashedFiles, &["git", "stash"]), true),
        ("git stash *", unresolved(About::Writes, Reason::StashedFiles, &["git", "stash"]), true),
        ("git", unresolved(About::Writes, Reason::StashedFiles, &["git", "stash"]), false),
        ("*", unresolved(About::Anything, Reason::UnknownProgram("x".into()), &["x"]), true),
        ("*", unresolved(About::Anything, Reason::ScriptContentUnknown, &[]), false),
        ("*", unresolved(About::Anything, Reason::EvaluatesUnknownText, &[]), false),
        ("x", unresolved(About::Anything, Reason::KeysTyped, &["x"]), false),
        ("*", unresolved(About::Anything, Reason::KeysTyped, &["x"]), false),
        ("npx", unresolved(About::Anything, Reason::RunsPackage, &["npx", "tool"]), true),
        ("npx tool", unresolved(About::Anything, Reason::RunsPackage, &["npx", "tool"]), true),
        ("npx other", unresolved(About::Anything, Reason::RunsPackage, &["npx", "tool"]), false),
    ] {
        let found = decide(&entry(text), &act, None).decision;
        let expected = if vouches { Decision::Allowed } else { Decision::Unresolved };
        assert_eq!(found, expected, "`{text}` for {act}");
    }
}

/// An entry for all commands does not vouch for unknown acts that another list judges.
#[test]
fn an_entry_for_all_commands_leaves_other_lists_alone() {
    let lists = |more: &str| policy(&format!(r#"{{"version": 2, "commands": {{"allow": ["*"]}}, {more}}}"#));
    let program = unresolved(About::Anything, Reason::UnknownProgram("x".into()), &["x"]);
    for (more, vouches) in [
        (r#""files": {"write": {"allow": ["/**"]}}"#, true),
        (r#""files": {"write": {"allow": ["src/**"]}}"#, false),
        (r#""files": {"read": {"allow": ["src/**"]}}"#, false),
        (r#""files": {"read": {"deny": [".env"]}}"#, true),
        (r#""network": {"deny_all": true}"#, false),
    ] {
        let found = decide(&lists(more), &program, None).decision;
        assert_eq!(found == Decision::Allowed, vouches, "{more}");
    }
    let build = unresolved(About::Project, Reason::RunsBuild, &["npm", "test"]);
    let narrow = lists(r#""files": {"write": {"allow": ["src/**"]}}, "network": {"deny_all": true}"#);
    assert_eq!(decide(&narrow, &build, None).decision, Decision::Allowed);
}

#[test]
fn a_policy_says_what_classes_weigh() {
    let defaults = |text: &str| policy(&format!(r#"{{"version": 2, "defaults": {{"unresolved": {text}}}}}"#));
    let build = unresolved(About::Project, Reason::RunsBuild, &["make"]);
    let hidden = unresolved(About::Anything, Reason::EvaluatesUnknownText, &[]);
    let levels = |text: &str| [&build, &hidden].map(|act| decide(&defaults(text), act, None).level);
    assert_eq!(levels(r#""deny""#), [Level::Error, Level::Error]);
    assert_eq!(levels(r#""note""#), [Level::Note, Level::Error], "only a reason lowers what is hidden");
    assert_eq!(levels(r#"{"delegated": "warn"}"#), [Level::Warning, Level::Error]);
    let lowered = r#"{"hidden": {"level": "warn", "reason": "a generator of ours evaluates text"}}"#;
    assert_eq!(levels(lowered), [Level::Note, Level::Warning]);
}

#[test]
fn reasons_and_places_are_those_of_the_deciding_entry() {
    let scope = policy("{\n  \"files\": {\"read\": {\"allow\": [\"src/**\"], \"deny\": [\"a\", \".env\"]}}\n}");
    let at = |text: &str| {
        let found = decide(&scope, &file_effect(text), None);
        let location = found.location.unwrap();
        (found.reason, location.pointer, location.line, location.column)
    };
    assert_eq!(at("read .env"), ("denied by files.read.deny".to_owned(), "/files/read/deny/1".to_owned(), 2, 57));
    assert_eq!(at("read x"), ("not in files.read.allow".to_owned(), "/files/read/allow".to_owned(), 2, 31));
    assert_eq!(at("read src/x"), ("matches files.read.allow".to_owned(), "/files/read/allow/0".to_owned(), 2, 32));
}

#[test]
fn shipped_policies_deny_and_allow_what_they_should() {
    // Policy, effect, whether it is reported.
    let cases = [
        ("default", "read .env", true),
        ("default", "read app/.env.local", true),
        ("default", "read ~/.ssh/id_ed25519", true),
        ("default", "read src/main.rs", false),
        ("default", "write src/main.rs", false),
        ("default", "write .github/workflows/ci.yml", true),
        ("default", "write docs/x.md", false),
        ("default", "delete ~/notes", true),
        ("default", "run git push -f", true),
        ("default", "run git push origin main --force", true),
        ("default", "run git push origin main", false),
        ("default", "run git clean -xdf", true),
        ("default", "run cargo test", false),
        ("default", "run rm -rf target", false),
        ("default", "run rm -rf /", true),
        ("default", "run terraform -chdir=x destroy", true),
        ("default", "host pages.example", false),
        ("strict", "read src/main.rs", false),
        ("strict", "read .env.local", true),
        ("strict", "write src/a.rs", false),
        ("strict", "write src/Cargo.lock", true),
        ("strict", "write README.md", true),
        ("strict", "run cargo test -q", false),
        ("strict", "run git difftool", true),
        ("strict", "run git diff --stat", false),
        ("strict", "run git -C . push", true),
        ("strict", "run python3 x.py", true),
        ("strict", "host localhost", false),
        ("strict", "host registry:npm", false),
        ("strict", "host pages.example", true),
    ];
    let shipped = |name: &str| {
        let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .join("policies")
            .join(format!("{name}.json"));
        load_file(&path).unwrap_or_else(|faults| panic!("{faults}"))
    };
    for (name, text, expected) in cases {
        let effect = match text.split_once(' ').unwrap() {
            ("run", rest) => command(rest),
            ("host", rest) => host(rest),
            _ => file_effect(text),
        };
        let found = decide(&shipped(name), &effect, Some("/repo"));
        let reported = matches!(found.decision, Decision::Denied | Decision::Unresolved);
        assert_eq!(reported, expected, "{name}: {text}: {}", found.reason);
    }
}

#[test]
fn the_quick_fold_agrees_with_the_careful_one() {
    for path in
        ["src/Main.rs", ".ENV", "a.b/c", "x.", "a./b", "/root/.ssh", "~/X", "é/A", "a b", ".", "..", "A/.B", "**/X*"]
    {
        assert_eq!(fold::fold(path).as_ref(), agent_strace_effects::fold_for_deny(path).as_str(), "{path}");
    }
}
