use super::*;
use crate::effects::{About, Argument, Certainty, Connection, Effect, Execution, Kind, Opaque, PathTarget};

fn policy(text: &str) -> Policy {
    Policy::from_bytes("scope.json", None, text.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"))
}

fn effect(kind: Kind, certainty: Certainty) -> Effect {
    Effect { kind, certainty, via: "argument".into() }
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
    policy.judge(effect, &Context { root, raw_command: None })
}

fn short(judgement: &Judgement) -> String {
    let decision = match judgement.decision {
        Decision::Allowed => "allowed",
        Decision::Unruled => "unruled",
        Decision::Denied => "denied",
        Decision::Unresolved => "unresolved",
    };
    format!("{decision} {}", judgement.rule)
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
        ("read glob s*/x", "denied scope/read"),
        ("read glob docs/*", "unresolved scope/unresolved"),
        ("read glob .e?v", "denied scope/read"),
        ("read glob docs/[a-c]*", "unresolved scope/unresolved"),
        ("read glob **", "unresolved scope/unresolved"),
        ("read tree src", "allowed scope/read"),
        ("read glob src/*", "allowed scope/read"),
        ("read glob src/?env", "denied scope/read"),
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
        ("list secrets", "denied scope/read"),
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
fn denied_commands() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "rm -rf",
            &[
                "rm -rf x",
                "rm -fr x",
                "rm -r -f x",
                "rm --recursive --force x",
                "rm x -rf",
                "/bin/rm -Rf x",
                "RM.exe -rf x",
                "rm -rfv x",
            ],
            &["rm x", "rm -r x", "rm -- -rf", "grep rm_-rf x", "mkdir -rf"],
        ),
        (
            "rm",
            &["rm x", "rm", "/usr/bin/../bin/rm x", "embeds: direnv exec . rm x"],
            &["rmdir x", "git rm x", "echo rm"],
        ),
        (
            "git push",
            &[
                "git push",
                "git -C . push -f",
                "git -c x=y push",
                "git --git-dir=x push",
                "git push origin +main",
                "C:/Git/bin/git.exe push",
            ],
            &["git log push", "git --no-pager log push", "git stash push", "echo git push"],
        ),
        (
            "git reset --hard",
            &["git reset --hard", "git reset HEAD --hard", "git reset --hard=x"],
            &["git reset", "git reset --soft"],
        ),
        (
            "git push --force",
            &["git push --forc", "git push -f", "git push origin main --force"],
            &["git push --force-with-lease"],
        ),
        ("kubectl delete", &["kubectl -n prod delete pod", "kubectl delete pod"], &["kubectl get delete"]),
        ("npm run *", &["npm run build", "npm run build x"], &["npm test"]),
        ("*curl*", &["curl x", "/usr/bin/curl x"], &["wget x"]),
        ("find -delete", &["find . -delete"], &["find . -type d -ls -e"]),
        ("./deploy.sh", &["./deploy.sh", "deploy.sh", "/repo/deploy.sh"], &["other.sh"]),
        ("scripts/deploy.sh", &["./scripts/deploy.sh", "/repo/scripts/deploy.sh"], &["x/deploy.sh"]),
        (
            "cargo publish",
            &["cargo publish", "cargo +nightly publish", "cargo --color never publish"],
            &["cargo test publish"],
        ),
        ("rm -rf /", &["rm -rf /", "rm -rf x /"], &["rm -rf x"]),
        ("r?", &["rm x"], &["rmdir"]),
        ("git branch -D", &["git branch -D x", "git branch -d x"], &["git branch x"]),
        ("terraform destroy", &["terraform -chdir=x destroy"], &["terraform plan"]),
        ("myctl wipe", &["myctl --profile p wipe"], &["myctl list wipe"]),
    ];
    for (pattern, matching, others) in cases {
        let scope = policy(&format!(r#"{{"commands": {{"deny": ["{pattern}"]}}}}"#));
        for text in *matching {
            assert_eq!(
                decide(&scope, &command(text), None).decision,
                Decision::Denied,
                "`{pattern}` must deny `{text}`"
            );
        }
        for text in *others {
            assert_eq!(
                decide(&scope, &command(text), None).decision,
                Decision::Allowed,
                "`{pattern}` must not deny `{text}`"
            );
        }
    }
}

#[test]
fn unknown_words_of_commands() {
    let scope = policy(r#"{"commands": {"deny": ["git push", "rm -rf"], "allow": ["git", "cat", "npm run *"]}}"#);
    for (text, expected) in [
        ("git ?$X", "unresolved scope/unresolved"),
        ("git log ?$X", "allowed scope/command"),
        ("cat ?$X", "allowed scope/command"),
        ("?$X foo", "unresolved scope/unresolved"),
        ("git ?p*", "denied scope/command"),
        ("?r* -rf", "denied scope/command"),
        ("npm run ?$X", "allowed scope/command"),
        ("npm ?$X build", "unresolved scope/unresolved"),
        ("make ?$X", "denied scope/command"),
    ] {
        let found = decide(&scope, &command(text), None);
        assert_eq!(short(&found), expected, "{text}: {}", found.reason);
    }
}

#[test]
fn allowed_commands() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "cargo test",
            &["cargo test", "cargo test -- --nocapture", "/usr/bin/cargo test"],
            &[
                "cargo",
                "cargo testing",
                "/tmp/cargo test",
                "Cargo test",
                "cargo +nightly test",
                "./cargo test",
                "cargo ?$X",
            ],
        ),
        ("git log *", &["git log -1", "/bin/git log x"], &["git log", "git push", "git log_x"]),
        ("./run.sh", &["./run.sh a"], &["run.sh", "/tmp/run.sh"]),
        ("scripts/a.sh", &["./scripts/a.sh", "scripts/a.sh"], &["a.sh"]),
        ("npm 'run build'", &["npm run_build"], &["npm run build"]),
    ];
    for (pattern, matching, others) in cases {
        let scope = policy(&format!(r#"{{"commands": {{"allow": ["{pattern}"]}}}}"#));
        for text in *matching {
            assert_eq!(
                decide(&scope, &command(text), None).decision,
                Decision::Allowed,
                "`{pattern}` must allow `{text}`"
            );
        }
        for text in *others {
            assert_ne!(
                decide(&scope, &command(text), None).decision,
                Decision::Allowed,
                "`{pattern}` must not allow `{text}`"
            );
        }
    }
}

#[test]
fn what_version_1_denied_in_the_text_is_denied() {
    let scope = policy(r#"{"commands": {"deny": ["*| sh*", "FOO=1 make"]}}"#);
    for (raw, expected) in
        [("curl x | sh", Decision::Denied), ("foo=1 make all", Decision::Denied), ("make", Decision::Allowed)]
    {
        let context = Context { root: None, raw_command: Some(raw) };
        assert_eq!(scope.judge(&command("curl x"), &context).decision, expected, "{raw}");
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

#[test]
fn opaque_effects_are_never_allowed_unless_vouched_for() {
    let opaque = |about, vouched: &[&str]| {
        let vouched_by = vouched.iter().map(|word| (*word).to_owned()).collect();
        effect(Kind::Opaque(Opaque { reason: "runs a script".to_owned(), about, vouched_by }), Certainty::Possible)
    };
    let scope = policy(r#"{"commands": {"allow": ["npm test", "python3", "make b*"]}}"#);
    for (about, vouched, decision, level) in [
        (About::Commands, &["npm", "test"][..], Decision::Allowed, Level::Note),
        (About::Commands, &["python3", "x.py"], Decision::Unresolved, Level::Error),
        (About::Anything, &[], Decision::Unresolved, Level::Error),
        (About::Reads, &[], Decision::Unresolved, Level::Warning),
        (About::Network, &[], Decision::Unresolved, Level::Warning),
        (About::Anything, &["make", "build"], Decision::Allowed, Level::Note),
    ] {
        let found = decide(&scope, &opaque(about, vouched), None);
        assert_eq!((found.decision, found.level), (decision, level), "{about:?} {vouched:?}");
    }
    let found = decide(&Policy::none(), &opaque(About::Anything, &[]), None);
    assert_eq!((found.decision, found.level), (Decision::Unresolved, Level::Warning));
}

#[test]
fn reasons_and_places_are_those_of_the_deciding_entry() {
    let scope = policy("{\n  \"files\": {\"read\": {\"allow\": [\"src/**\"], \"deny\": [\"a\", \".env\"]}}\n}");
    let at = |text: &str| {
        let found = decide(&scope, &file_effect(text), None);
        let place = found.place.unwrap();
        (found.reason, place.pointer, place.line, place.column)
    };
    assert_eq!(at("read .env"), ("denied by files.read.deny".to_owned(), "/files/read/deny/1".to_owned(), 2, 57));
    assert_eq!(at("read x"), ("not in files.read.allow".to_owned(), "/files/read/allow".to_owned(), 2, 31));
    assert_eq!(at("read src/x"), ("matches files.read.allow".to_owned(), "/files/read/allow/0".to_owned(), 2, 32));
}

fn fixtures() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/policies")
}

#[test]
fn broken_policies_are_explained_all_at_once() {
    let update = std::env::var_os("UPDATE_SPECS").is_some();
    let mut names: Vec<_> = fixtures().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    names.sort();
    assert!(!names.is_empty());
    for path in names {
        let shown = path.file_name().unwrap().to_string_lossy();
        let faults = Policy::from_bytes(&shown, None, &std::fs::read(&path).unwrap()).unwrap_err();
        let mut found = faults.to_string();
        let pointers: Vec<&str> = faults.list.iter().map(|fault| fault.place.pointer.as_str()).collect();
        found = format!("{found}pointers: {}\n\n{}", pointers.join(" "), faults.fancy(Colour::Never, 100));
        assert!(!found.contains(|c: char| c.is_control() && c != '\n'), "{shown} shows control characters");
        let expected = path.with_extension("txt");
        if update {
            std::fs::write(&expected, &found).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&expected).unwrap_or_default(), found, "{shown}");
    }
}

#[test]
fn a_missing_policy_is_a_fault_that_names_the_file_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".agent-scope.json"), "{}").unwrap();
    let faults = load_file(&folder.path().join(".agent-scop.json")).unwrap_err().to_string();
    assert!(faults.contains("no such policy file") && faults.contains(".agent-scope.json`?"), "{faults}");
    assert!(load_file(&folder.path().join(".agent-scope.json")).is_ok());
    assert!(load_file(folder.path()).is_err());
}

#[test]
fn comments_a_byte_order_mark_and_a_schema_are_welcome() {
    let text =
        "\u{feff}{ // scope\n\"$schema\": \"x\", \"version\": 1, /* … */ \"files\": {\"read\": {\"deny\": [\"a\"]}}}";
    let scope = policy(text);
    let found = decide(&scope, &file_effect("read a"), None);
    assert_eq!(found.place.map(|place| (place.line, place.column)), Some((2, 67)));
    let identity = scope.identity().unwrap();
    assert_eq!((identity.version, identity.sha256.len()), (1, 64));
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
        ("strict", "read Makefile", true),
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
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("policies").join(format!("{name}.json"));
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

mod properties {
    use proptest::prelude::*;

    use super::*;

    fn path() -> impl Strategy<Value = String> {
        "[ab.]{1,3}(/[ab.]{1,3}){0,3}"
    }

    fn pattern() -> impl Strategy<Value = String> {
        "(\\*\\*|[ab*?.]{1,3})(/(\\*\\*|[ab*?.]{1,3})){0,3}"
    }

    fn scope(allow: &[String], deny: &[String]) -> Option<Policy> {
        let text = serde_json::json!({"files": {"read": {"allow": allow, "deny": deny}}}).to_string();
        Policy::from_bytes("scope.json", None, text.as_bytes()).ok()
    }

    fn read(path: &str, certainty: Certainty, subtree: bool) -> Effect {
        effect(Kind::Read(PathTarget { path: path.to_owned(), subtree }), certainty)
    }

    fn reported(policy: &Policy, effect: &Effect) -> bool {
        matches!(decide(policy, effect, Some("/repo")).decision, Decision::Denied | Decision::Unresolved)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn any_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Policy::from_bytes("x", None, &bytes).map_err(|faults| faults.fancy(Colour::Never, 80));
        }

        #[test]
        fn any_text_like_json_never_panics(text in "[{}\\[\\]\",:/* \\\\\nuefiles0-9é]{0,80}") {
            let _ = Policy::from_bytes("x", None, text.as_bytes()).map_err(|faults| faults.fancy(Colour::Never, 80));
        }

        #[test]
        fn an_added_allow_never_adds_a_finding(
            mut allow in proptest::collection::vec(pattern(), 1..4),
            more in pattern(),
            deny in proptest::collection::vec(pattern(), 0..3),
            path in pattern(),
            subtree: bool,
            exact: bool,
        ) {
            let certainty = if exact { Certainty::Exact } else { Certainty::Pattern };
            let effect = read(&path, certainty, subtree);
            let before = scope(&allow, &deny);
            allow.push(more);
            if let (Some(before), Some(after)) = (before, scope(&allow, &deny)) {
                prop_assert!(!reported(&after, &effect) || reported(&before, &effect));
            }
        }

        #[test]
        fn the_order_of_entries_changes_nothing(
            allow in proptest::collection::vec(pattern(), 0..4),
            deny in proptest::collection::vec(pattern(), 0..4),
            path in path(),
        ) {
            let reversed = |list: &[String]| list.iter().rev().cloned().collect::<Vec<_>>();
            let effect = read(&path, Certainty::Exact, false);
            if let (Some(one), Some(other)) = (scope(&allow, &deny), scope(&reversed(&allow), &reversed(&deny))) {
                let (one, other) = (decide(&one, &effect, None), decide(&other, &effect, None));
                prop_assert_eq!((one.decision, one.reason), (other.decision, other.reason));
            }
        }

        /// What version 1 denied is denied.
        #[test]
        fn folding_never_loses_a_deny(pattern in "[!aAb*?.\\[\\]/-]{1,8}", path in "[aAb.!]{1,3}(/[aAb.]{1,3}){0,2}") {
            if let Some(policy) = scope(&[], std::slice::from_ref(&pattern)) {
                let denied = reported(&policy, &read(&path, Certainty::Exact, false));
                prop_assert!(denied || !super::super::glob::Glob::path(&pattern).matches(&path));
            }
        }

        /// A pattern effect is never judged more kindly than a file it may stand for.
        #[test]
        fn what_a_pattern_may_reach_is_judged_with_it(
            allow in proptest::collection::vec(pattern(), 1..4),
            effect_pattern in "[ab*]{1,3}(/[ab*]{1,3}){0,2}",
            path in "[ab]{1,3}(/[ab]{1,3}){0,2}",
        ) {
            let stands_for = super::super::glob::Glob::effect(&effect_pattern).matches(&path);
            if let (true, Some(policy)) = (stands_for, scope(&allow, &[])) {
                let wide = reported(&policy, &read(&effect_pattern, Certainty::Pattern, false));
                prop_assert!(wide || !reported(&policy, &read(&path, Certainty::Exact, false)));
            }
        }

        #[test]
        fn inclusion_and_intersection_agree_with_matching(inner in pattern(), outer in pattern(), path in path()) {
            use super::super::glob::{Answer, Glob};
            let (inner, outer) = (Glob::effect(&inner), Glob::path(&outer));
            if inner.matches(&path) {
                prop_assert!(outer.matches(&path) || inner.within(&[&outer]) != Answer::Yes);
                prop_assert!(!outer.matches(&path) || inner.meets(&outer) == Answer::Yes);
            }
        }

        #[test]
        fn commands_never_panic(pattern in "[a-c *\\-'?\\[\\]/]{1,12}", words in proptest::collection::vec("[a-c\\-*/$]{0,4}", 0..5)) {
            let text = serde_json::json!({"commands": {"allow": [pattern], "deny": [pattern]}}).to_string();
            if let Ok(policy) = Policy::from_bytes("x", None, text.as_bytes()) {
                let _ = decide(&policy, &command(&words.join(" ")), None);
            }
        }
    }
}

#[test]
fn the_quick_fold_agrees_with_the_careful_one() {
    for path in
        ["src/Main.rs", ".ENV", "a.b/c", "x.", "a./b", "/root/.ssh", "~/X", "é/A", "a b", ".", "..", "A/.B", "**/X*"]
    {
        assert_eq!(super::fold::fold(path), crate::effects::fold_for_deny(path), "{path}");
    }
}

/// Prints effects judged per second; run it in release to compare with the goal of 400,000.
#[test]
#[ignore = "a measurement, not a check"]
fn speed() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("policies/strict.json");
    let scope = load_file(&path).unwrap();
    let context = Context { root: Some("/repo"), raw_command: None };
    for effect in [
        file_effect("read src/policy/judge.rs"),
        file_effect("write src/a.rs"),
        command("git status --short"),
        host("localhost"),
    ] {
        let start = std::time::Instant::now();
        for _ in 0..20_000 {
            std::hint::black_box(scope.judge(&effect, &context));
        }
        eprintln!("{:>9.0} a second: {effect}", 20_000.0 / start.elapsed().as_secs_f64());
    }
}
