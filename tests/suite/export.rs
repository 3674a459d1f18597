//! `export` and `reveal`: what leaves the machine, and who can take it back.

use std::fs;

use regex::Regex;
use serde_json::{Value, json};

use crate::world::{Answer, World, project};

/// Invented, in the form of the vendor's.
fn token() -> String {
    ["ghp", "x7Qm2LrT9vBnC4kWz8HsY1pDfG6jE3aR5uXo"].join("_")
}

/// What the trace gives away, in lower case.
const LEAKS: &[&str] =
    &["alice", "devbox-77", "acme-corp", "secret-payments", "fix-billing-99", "wonder", "corp-mail", "bob", "builder"];

/// A session that alice recorded on her machine, in every part of which she can be seen.
fn recorded() -> World {
    let world = World::empty();
    let meta = json!({
        "session_id": "a84664242afa4516", "started_at": 1_790_003_600.0, "agent_name": "claude-code",
        "command": "claude --user alice", "tool_calls": 2,
        "attribution": {
            "os_user": "alice", "hostname": "devbox-77", "working_dir": "/home/alice/secret-payments",
            "git_repo": "git@github.com:acme-corp/secret-payments.git", "git_branch": "alice/fix-billing-99",
        },
    });
    world.write(".agent-traces/a84664242afa4516/meta.json", &meta.to_string());
    let event = |at: u32, kind: &str, data: Value| {
        json!({
            "event_type": kind, "timestamp": 1_790_003_600.5 + f64::from(at), "event_id": format!("a84600{at:06}"),
            "session_id": "a84664242afa4516", "data": data,
        })
        .to_string()
    };
    let arguments =
        json!({"command": "git log && curl -u x https://api.example.com", "cwd": "/home/alice/secret-payments"});
    let lines = [
        event(1, "session_start", json!({"cwd": "/home/alice/secret-payments"})),
        event(2, "user_prompt", json!({"prompt": "mail alice.w@corp-mail.io, the root of it is in /home/runner/work"})),
        event(
            3,
            "tool_call",
            json!({"tool_name": "Bash", "arguments": arguments, "/home/alice/x": 1, "/Users/bob/x": 2}),
        ),
        event(
            4,
            "tool_result",
            json!({"result": format!(
            "alice@devbox-77:~/app$ export TOKEN={}\nAuthor: Alice Wonder <alice.w@corp-mail.io>\nC:\\Users\\bob\\x\n\
             Co-authored-by: Bob Builder <b.builder@corp-mail.io>", token())}),
        ),
        event(5, "assistant_response", json!({"text": "=HYPERLINK(\"http://x\"), done", "n": 1.50})),
    ];
    world.write(".agent-traces/a84664242afa4516/events.ndjson", &(lines.join("\n") + "\n"));
    world
}

fn export(world: &World, args: &[&str], variables: &[(&str, &str)]) -> Answer {
    world.run_with(&[&["export", "a84664", "--anonymize"], args].concat(), variables, "")
}

#[track_caller]
fn assert_clean(text: &str) {
    // A pseudonym is made of letters and digits by chance, and may spell anything.
    let pseudonym = Regex::new("‹([a-z]+):[a-z2-7]{13}›").unwrap();
    let folded = pseudonym.replace_all(text, "‹$1›").to_lowercase();
    let left: Vec<_> = LEAKS.iter().filter(|leak| folded.contains(**leak)).collect();
    assert!(left.is_empty(), "{left:?} in {text}");
    let token = token();
    for start in 0..=token.len() - 12 {
        assert!(!text.contains(&token[start..start + 12]), "a piece of the token in {text}");
    }
}

const RUNNER: &[(&str, &str)] = &[("HOME", "/home/runner"), ("USER", "runner"), ("HOSTNAME", "fv-az-1")];

/// `anon-ci`: who exports a session is not who recorded it.
#[test]
fn a_session_of_somebody_else_is_exported_without_him() {
    let world = recorded();
    let before = world.read(".agent-traces/a84664242afa4516/events.ndjson");
    let answer = export(&world, &[], RUNNER);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{}", answer.stderr);
    let text = world.read("session-a84664242afa-anon.json");
    assert_clean(&text);
    assert_clean(&answer.stderr);
    let document: Value = serde_json::from_str(&text).unwrap();
    let schema = fs::read_to_string(project().join("schemas/export.v1.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    assert!(schema.is_valid(&document), "{:?}", schema.iter_errors(&document).next());
    assert_eq!(document["session_id"], "a84664242afa4516");
    assert_eq!(document["anonymized"], true);
    assert_eq!(document["events"].as_array().unwrap().len(), 5);
    assert!(document["events"][1]["data"]["prompt"].as_str().unwrap().ends_with("root of it is in /home/runner/work"));
    let working = document["meta"]["attribution"]["working_dir"].as_str().unwrap();
    assert!(working.starts_with("‹home:") && working.contains("›/‹repository:"), "{working}");
    // Two users are two, and keys that were two stay two.
    let keys: Vec<&String> = document["events"][2]["data"].as_object().unwrap().keys().collect();
    assert_eq!(keys.iter().filter(|key| key.starts_with("‹home:")).count(), 2, "{keys:?}");
    // Numbers stay as they were written.
    assert!(text.contains("\"n\": 1.5"), "{text}");
    let manifest = &document["anonymization"];
    assert_eq!((manifest["version"].as_u64(), manifest["key_id"].is_null()), (Some(1), true));
    assert!(manifest["counts"]["email"].as_u64() >= Some(3) && manifest["counts"]["secret"] == 1, "{manifest}");
    assert_eq!(world.read(".agent-traces/a84664242afa4516/events.ndjson"), before);
}

/// `anon-same-machine`: also in its summary and in names.
#[test]
fn a_session_of_this_machine_is_exported_without_it() {
    let world = recorded();
    let machine = [("HOME", "/home/alice"), ("USER", "alice"), ("HOSTNAME", "devbox-77")];
    for format in ["json", "csv", "ndjson"] {
        let answer = export(&world, &["--format", format, "--output", "out"], &machine);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        assert_clean(&world.read("out"));
    }
    // Who nothing in the session names, but the machine does.
    world.session("b1", 1_790_000_000, &[("user_prompt", json!({"prompt": "tell Zebediah about it"}))]);
    let answer = world.run_with(&["export", "b1", "--anonymize", "--output", "b"], &[("USER", "zebediah")], "");
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(!world.read("b").contains("ebediah"));
}

/// `anon-badrule`: what can't be read is never left out.
#[test]
fn a_broken_configuration_stops_the_export() {
    for (text, told) in [
        ("rules:\n  - pattern: '(unclosed'\n", ["anonymize.yaml:2:14", "this is no pattern"]),
        ("rules:\n  - patern: x\n", ["anonymize.yaml:2:5", "did you mean `pattern`?"]),
        ("ruls: []\n", ["anonymize.yaml:1:1", "did you mean `rules`?"]),
        ("rules:\n  - pattern: 5\n", ["anonymize.yaml:2:14", "not a text"]),
        ("rules:\n  - pattern: 'x*'\n", ["anonymize.yaml:2:14", "finds the empty text"]),
        (
            "rules:\n  - pattern: comp\n    replacement: <company>\n",
            ["anonymize.yaml:2:5", "finds what this rule writes"],
        ),
        ("keep:\n  - value: alice\n", ["anonymize.yaml:2:5", "`reason` is missing"]),
        ("identities:\n  - {class: hosts, value: x}\n", ["anonymize.yaml:2:13", "did you mean `host`?"]),
        ("rules: [\n", ["anonymize.yaml:1:8", "this is not YAML"]),
    ] {
        let world = recorded();
        world.write(".agent-strace/anonymize.yaml", text);
        let answer = export(&world, &["--output", "out.json"], &[]);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{text}");
        assert!(told.iter().all(|part| answer.stderr.contains(part)), "{text}: {}", answer.stderr);
        assert!(!world.path().join("out.json").exists());
    }
    let world = recorded();
    let answer = export(&world, &["--anonymize-config", "nowhere.yaml"], &[]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("nowhere.yaml") && answer.stderr.contains("no such file"), "{}", answer.stderr);
}

/// `anon-badrepl`, and the examples of the Python tool's README: backslashes are themselves.
#[test]
fn rules_are_taken_as_they_stand() {
    let world = World::empty();
    let prompt = "ACME Corp at 192.168.7.12 and 10.1.2.3, build dir, zz-11";
    world.session("s1", 1_790_000_000, &[("user_prompt", json!({"prompt": prompt}))]);
    let config = "# ours\nrules:  # all of them\n  - pattern: \"ACME Corp\"  # a comment\n    replacement: \"<company>\"\n  \
                  - pattern: \"192\\.168\\.\\d+\\.\\d+\"\n    replacement: \"<internal-ip>\"\n    description: addresses # x\n  \
                  - pattern: build dir\n    replacement: C:\\temp\n  - {pattern: 'zz-\\d+', replacement: \"D:\\new$1\\\\x\"}\n";
    world.write(".agent-strace/anonymize.yml", config);
    let answer = world.run(&["export", "s1", "--anonymize", "--output", "out.json"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let document: Value = serde_json::from_str(&world.read("out.json")).unwrap();
    let prompt = document["events"][0]["data"]["prompt"].as_str().unwrap();
    assert_eq!(prompt, "<company> at <internal-ip> and 10.1.2.3, C:\\temp, D:\\new$1\\x");
    assert_eq!(document["anonymization"]["rules"][1], json!({"rule": 2, "description": "addresses", "count": 1}));
    assert!(answer.stderr.contains("\n    1 addresses\n"), "{}", answer.stderr);
}

/// `anon-username-fp`: names of roles are words.
#[test]
fn who_exports_as_root_keeps_the_word() {
    let world = recorded();
    let answer = export(&world, &["--output", "out.json"], &[("USER", "root"), ("HOME", "/root")]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(world.read("out.json").contains("the root of it"));
    world.write("keep.yaml", "keep:\n  - value: alice\n    reason: she is the public maintainer\n");
    let answer = export(&world, &["--output", "out.json", "--anonymize-config", "keep.yaml"], &[]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(world.read("out.json").contains("\"os_user\": \"alice\""));
    assert!(!world.read("out.json").contains("devbox"));
}

/// `anon-keeps-secrets`: no export holds one, whatever else it keeps.
#[test]
fn secrets_are_redacted_in_every_export() {
    let world = recorded();
    for format in ["json", "csv", "ndjson"] {
        let plain = world.run(&["export", "a84664", "--format", format]);
        assert_eq!((plain.code, plain.stderr.as_str()), (0, ""));
        assert!(
            plain.stdout.contains("[REDACTED:github-token]") && !plain.stdout.contains(&token()[4..16]),
            "{format}"
        );
        assert!(plain.stdout.contains("/home/alice/secret-payments"));
        if format == "ndjson" {
            let stored = world.read(".agent-traces/a84664242afa4516/events.ndjson");
            assert_eq!(plain.stdout, stored.replace(&token(), "[REDACTED:github-token]"));
        }
    }
    let list: Value = serde_json::from_str(&world.run(&["export", "a84664"]).stdout).unwrap();
    assert_eq!(list.as_array().unwrap().len(), 5);
}

#[test]
fn csv_has_the_columns_of_the_python_tool_and_no_formula() {
    let world = recorded();
    world.session("f1", 1, &[("=cmd|' /C calc'!A0", json!({"a": "x,\"y\"\n"}))]);
    let answer = world.run(&["export", "f1", "--format", "csv"]);
    assert_eq!(
        answer.stdout,
        "timestamp,event_type,event_id,parent_id,duration_ms,data\r\n\
         1.0,'=cmd|' /C calc'!A0,000000000000,,,\"{\"\"a\"\":\"\"x,\\\"\"y\\\"\"\\n\"\"}\"\r\n",
        "{}",
        answer.stderr
    );
}

#[test]
fn a_dry_run_writes_nothing_and_says_what_would_go() {
    let world = recorded();
    let answer = export(&world, &["--dry-run", "--key-file", "team.key"], RUNNER);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    assert!(
        answer.stdout.starts_with("Anonymizing session a84664242afa4516...\n\nWould redact:\n"),
        "{}",
        answer.stdout
    );
    assert!(answer.stdout.contains(" home directory paths\n") && answer.stdout.contains(" email addresses\n"));
    assert!(answer.stdout.ends_with("`agent-strace export a84664 --anonymize --output FILE` writes it.\n"));
    assert_clean(&answer.stdout);
    let mut names: Vec<_> =
        fs::read_dir(world.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, [".agent-traces"]);
    let world = World::empty();
    world.write(".agent-traces/p/meta.json", "{\"session_id\":\"p\",\"started_at\":1.0}");
    world.write(
        ".agent-traces/p/events.ndjson",
        "{\"event_type\":\"user_prompt\",\"timestamp\":1.0,\"event_id\":\"e\",\"session_id\":\"p\",\"data\":{\"prompt\":\"hi\"}}\n",
    );
    let answer = world.run(&["export", "p", "--anonymize", "--dry-run"]);
    assert!(answer.stdout.contains("\nNothing to anonymize.\n"), "{}", answer.stdout);
}

/// What would give away what it hides is not written, and an earlier file stays.
#[test]
fn an_export_with_something_left_fails_and_writes_nothing() {
    for (config, told) in [
        ("rules:\n  - {pattern: Harbour Bridge, replacement: <place>, description: hides Harbour Bridge}\n", "rule 1"),
        ("rules:\n  - {pattern: zzz, replacement: <z>, description: what alice said}\n", "usernames"),
    ] {
        let world = recorded();
        world.write("c.yaml", config).write("out.json", "earlier");
        let args = ["--output", "out.json", "--anonymize-config", "c.yaml", "--key-file", "k", "--reversible"];
        let answer = export(&world, &args, &[]);
        assert_eq!(answer.code, 3, "{}", answer.stderr);
        assert!(answer.stderr.contains("nothing was written") && answer.stderr.contains(told), "{}", answer.stderr);
        assert!(answer.stderr.contains("/anonymization/rules/0/description"), "{}", answer.stderr);
        assert_clean(&answer.stderr);
        assert!(!answer.stderr.contains("Harbour"));
        assert_eq!(world.read("out.json"), "earlier");
        assert!(!world.path().join("out.json.vault").exists());
    }
}

#[test]
fn equal_things_are_equal_in_every_export_with_one_key() {
    let world = recorded();
    let home = |name: &str| {
        let document: Value = serde_json::from_str(&world.read(name)).unwrap();
        document["meta"]["attribution"]["working_dir"].as_str().unwrap().to_owned()
    };
    for (name, more) in [
        ("1", &["--key-file", "k"][..]),
        ("2", &["--key-file", "k"]),
        ("3", &["--key-file", "other"]),
        ("4", &[]),
        ("5", &[]),
        ("6", &["--key-file", "k", "--per-session"]),
    ] {
        let answer = export(&world, &[&["--output", name], more].concat(), RUNNER);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
    }
    assert_eq!(world.read("1"), world.read("2"));
    let mut all: Vec<String> = ["1", "3", "4", "5", "6"].map(home).to_vec();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 5, "{all:?}");
    // What is anonymised already stays, whoever does it again.
    assert_eq!(world.run(&["export", "1", "--anonymize", "--output", "again"]).code, 0);
    assert_eq!(world.read("again"), world.read("1"));
    let kept = export(&world, &["--output", "kept", "--key-file", "k", "--keep-domain", "example.org"], RUNNER);
    assert_eq!(kept.code, 0);
    assert_clean(&world.read("kept"));
    let kept = export(&world, &["--output", "kept", "--key-file", "k", "--keep-domain", "corp-mail.io"], RUNNER);
    assert_eq!(kept.code, 0, "{}", kept.stderr);
    assert!(world.read("kept").contains("›@corp-mail.io"));
}

#[cfg(unix)]
#[test]
fn a_key_is_its_owners_alone() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let world = recorded();
    let path = world.path().join("k");
    assert_eq!(export(&world, &["--output", "out", "--key-file", "k"], &[]).code, 0);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    for mode in [0o640, 0o604, 0o644, 0o620] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let answer = export(&world, &["--output", "out2", "--key-file", "k"], &[]);
        assert_eq!(answer.code, 2, "{mode:o}");
        assert!(answer.stderr.contains("others may read or write it") && answer.stderr.contains("chmod 600"));
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&path, world.path().join("link")).unwrap();
    assert_eq!(export(&world, &["--output", "out2", "--key-file", "link"], &[]).code, 2);
    world.write("no.key", "hello\n");
    fs::set_permissions(world.path().join("no.key"), fs::Permissions::from_mode(0o600)).unwrap();
    let answer = export(&world, &["--output", "out2", "--key-file", "no.key"], &[]);
    assert!(answer.code == 2 && answer.stderr.contains("it is no key of this program"), "{}", answer.stderr);
    assert!(!world.path().join("out2").exists());
    // Nothing is written through a link.
    world.write("target", "mine");
    symlink(world.path().join("target"), world.path().join("out.json")).unwrap();
    let answer = export(&world, &["--output", "out.json"], &[]);
    assert!(answer.code == 2 && answer.stderr.contains("it is a link"), "{}", answer.stderr);
    assert_eq!(world.read("target"), "mine");
}

#[test]
fn only_the_key_takes_it_back() {
    let world = recorded();
    let args = ["--output", "out.json", "--key-file", "k", "--reversible"];
    assert_eq!(export(&world, &args, RUNNER).code, 0);
    assert!(!world.read("out.json.vault").contains("alice"));
    let answer = world.run(&["reveal", "--key-file", "k", "out.json"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(document["meta"]["attribution"]["os_user"], "alice");
    assert_eq!(
        document["events"][0]["data"]["cwd"],
        "/home/alice/secret-payments".replace("secret-payments", "git@github.com:acme-corp/secret-payments.git")
    );
    assert!(answer.stdout.contains("alice.w@corp-mail.io") && answer.stdout.contains("[REDACTED:github-token]"));
    // Another key, no key, another vault, no vault.
    assert_eq!(export(&world, &["--output", "o2.json", "--key-file", "k2", "--reversible"], RUNNER).code, 0);
    for (args, told) in [
        (&["reveal", "--key-file", "k2", "out.json"][..], "it belongs to the key"),
        (&["reveal", "--key-file", "nokey", "out.json"], "no such file"),
        (&["reveal", "out.json"], "--key-file"),
        (&["reveal", "--key-file", "k", "--vault", "nowhere", "out.json"], "no such file"),
        (&["reveal", "--key-file", "k", "--vault", "out.json", "out.json"], "it is no vault"),
        (&["reveal", "--key-file", "k", "-"], "`-` has no vault"),
    ] {
        let answer = world.run(args);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{args:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(told), "{args:?}: {}", answer.stderr);
    }
    assert!(!world.path().join("nokey").exists());
    // Pseudonyms that nobody kept.
    let answer = world.run(&["reveal", "--key-file", "k", "--vault", "out.json.vault", "o2.json"]);
    assert_eq!(answer.code, 3);
    assert!(answer.stderr.contains("pseudonyms are not in this vault"), "{}", answer.stderr);
}

/// Names of files and messages are part of it.
#[test]
fn who_is_in_the_id_of_a_session_is_in_no_name() {
    let world = World::empty();
    world.session("quillan-20260301", 1_790_000_000, &[("tool_result", json!({"result": "uid=1000(quillan) gid=1"}))]);
    let answer = world.run(&["export", "--anonymize"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let names = fs::read_dir(world.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names: Vec<String> = names.filter(|name| name != ".agent-traces").collect();
    let [name] = names.as_slice() else { panic!("{names:?}") };
    assert!(name.starts_with("session--user-") && name.ends_with("-anon.json"), "{name}");
    let told = world.run(&["export", "quillan", "--anonymize", "--dry-run"]).stdout;
    for text in [&answer.stderr, &told, name, &world.read(name)] {
        assert!(!text.contains("quillan"), "{text}");
    }
}

#[test]
fn a_session_that_was_written_to_take_up_memory_is_refused() {
    let world = World::empty();
    let homes: Vec<String> = (0..4_100).map(|user| format!("/home/qu{user}il/a ")).collect();
    let homes = homes.concat();
    world.session("s1", 1_790_000_000, &[("tool_result", json!({"result": homes}))]);
    let answer = world.run(&["export", "s1", "--anonymize", "--output", "out.json"]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("more people, machines or secrets"), "{}", answer.stderr);
    assert!(!world.path().join("out.json").exists());
}

#[test]
fn usage_that_can_not_be_meant_is_refused() {
    let world = recorded();
    for args in [
        &["export", "nothing-like-it"][..],
        &["export", "a84664", "--dry-run"],
        &["export", "a84664", "--key-file", "k"],
        &["export", "a84664", "--anonymize", "--reversible"],
        &["export", "a84664", "--anonymize", "--vault", "v"],
        &["export", "a84664", "--format", "xml"],
    ] {
        let answer = world.run(args);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{args:?}");
    }
    let answer = World::empty().run(&["export", "--anonymize"]);
    assert_eq!(answer.code, 3);
    assert!(answer.stderr.contains("no session was found"), "{}", answer.stderr);
}

/// Logs of agents are exported as they would be imported, and what is missing of one is told.
#[test]
fn logs_of_any_agent_are_exported() {
    let world = World::demo();
    for log in ["logs/claude-code.jsonl", "logs/codex.jsonl"] {
        let answer = world.run(&["export", log, "--anonymize", "--output", "out.json"]);
        assert_eq!(answer.code, 0, "{log}: {}", answer.stderr);
        let text = world.read("out.json");
        assert!(!text.contains("dana") && text.contains("‹home:"), "{log}: {text}");
    }
    let several = world.run(&["export", "logs"]);
    assert_eq!(several.code, 2);
    assert!(several.stderr.contains("one is exported at a time"), "{}", several.stderr);
    world.write("cut.jsonl", &(world.read("logs/claude-code.jsonl") + "{\"type\":\"user\",\"mess"));
    let answer = world.run(&["export", "cut.jsonl", "--anonymize", "--output", "cut.json"]);
    assert_eq!(answer.code, 3, "{}", answer.stderr);
    assert!(!world.read("cut.json").contains("dana"));
}
