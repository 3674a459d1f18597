//! Secrets: whatever kind they are, wherever an agent puts them, no output shows one.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::hostile::formats;
use crate::world::{Answer, World};

/// A sequence that never changes: no two secrets share a piece.
struct Drawn(u64);

impl Drawn {
    fn text(&mut self, length: usize) -> String {
        self.of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", length)
    }

    fn of(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        let mut next = || {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            letters[usize::try_from(self.0 >> 40).unwrap() % letters.len()]
        };
        (0..length).map(|_| next()).collect()
    }
}

/// A secret as it is written, and the pieces of it that may be seen nowhere.
struct Secret {
    kind: &'static str,
    written: String,
    pieces: Vec<String>,
}

/// One of each kind. They are assembled at run time, so that no scanner takes this file for a leak.
fn kinds(drawn: &mut Drawn) -> Vec<Secret> {
    let mut secrets = Vec::new();
    let marked: &[(&'static str, [&str; 2], usize)] = &[
        ("github", ["gh", "p_"], 36),
        ("github-app", ["gh", "s_"], 36),
        ("gitlab", ["gl", "pat-"], 20),
        ("openai", ["sk-", "proj-"], 48),
        ("anthropic", ["sk-", "ant-api03-"], 93),
        ("stripe", ["sk_", "live_"], 24),
        ("google", ["AI", "za"], 35),
        ("npm", ["np", "m_"], 36),
        ("pypi", ["pypi", "-AgEIcHlwaS5vcmc"], 60),
        ("huggingface", ["h", "f_"], 34),
    ];
    for (kind, [first, second], length) in marked {
        let token = format!("{first}{second}{}", drawn.text(*length));
        secrets.push(Secret { kind, written: token.clone(), pieces: vec![token] });
    }
    let mut add = |kind, written: String, pieces: &[&str]| {
        secrets.push(Secret { kind, written, pieces: pieces.iter().map(|piece| (*piece).to_owned()).collect() });
    };
    let token = format!("github{}_{}_{}", "_pat", drawn.text(22), drawn.text(59));
    add("github-fine", token.clone(), &[&token]);
    let token = format!("AKI{}{}", "A", drawn.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16));
    add("aws", token.clone(), &[&token]);
    let digits = "0123456789";
    let token = format!("xox{}-{}-{}-{}", "b", drawn.of(digits, 12), drawn.of(digits, 12), drawn.text(24));
    add("slack", token.clone(), &[&token]);
    let token = format!("SG{}{}.{}", ".", drawn.text(22), drawn.text(43));
    add("sendgrid", token.clone(), &[&token]);
    let token = format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{}", drawn.text(43));
    add("jwt", token.clone(), &[&token]);
    let password = drawn.text(16);
    add("url", format!("https://bob:{password}@db.example/x"), &[&password]);
    let lines = [drawn.text(64), drawn.text(64)];
    let key =
        format!("-----BEGIN RSA PRIVATE{} KEY-----\n{}\n{}\n-----END RSA PRIVATE KEY-----", "", lines[0], lines[1]);
    add("PRIVATE KEY", key, &[&lines[0], &lines[1]]);
    let password = drawn.text(20);
    add("assignment", format!("DB_PASSWORD={password}"), &[&password]);
    let token = drawn.text(40);
    add("bearer", format!("Authorization: Bearer {token}"), &[&token]);
    secrets
}

/// Commands that give a secret away by what they are: `X` is where it is.
const COMMANDS: &[&str] = &[
    "deploy --password X",
    "deploy --token=X",
    "mysql -u root -pX db",
    "sshpass -p X ssh h",
    "curl -u bob:X https://a.example",
    r"curl -H Authorization:\ Bearer\ X https://a.example",
    "curl -H 'X-Api-Key: X' https://a.example",
    "curl -H \"Authoriz\"'ation: Bearer X' https://a.example",
    "curl -b 'session=X' https://a.example",
    "curl 'https://a.example/?access_token=X'",
    "PGPASSWORD=X psql",
    "docker login -u a -p X r.example",
    "az login -p X",
    "vault login X",
    "npm config set //registry.example/:_authToken X",
    "aws configure set aws_secret_access_key X",
    "git clone https://bob:X@git.example/r",
    "git remote add o https://bob:X@git.example/r",
    "pip install -r https://bob:X@k.example/r.txt",
    "cat https://bob:X@k.example/r",
    "kubectl apply -f https://bob:X@k.example/r.yml",
    "cp https:/bob:X@k.example/r .",
    "tee out/https://bob:X@k.example/r",
    "cat HTTPS://bob:X@k.example/r",
    "cat Https://bob:X@k.example/r",
    "cat FTP://bob:X@k.example/r",
    "cat weird://bob:X@k.example/r",
    "tee HTTPS://bob:X@k.example/r < x",
    "curl -o HTTPS://bob:X@k.example/r https://a.example",
    "cp HTTPS://bob:X@k.example/a src/b",
    "gem push --key X a.gem",
    "cat --password X",
    "tee --token X/f",
    "rm --api-key X",
    "curl --password X",
    "docker login -u a -p X r.example && ./X",
    "cat secrets/a --password X",
    "psql postgres://bob:X@db.example/x",
    "redis-cli -a X",
    "openssl enc -k X -in a",
    "gpg --passphrase X -d a",
    "htpasswd -b f bob X",
    "twine upload -u __token__ -p X dist/x",
    "echo X | gh auth login --with-token",
    "kubectl create secret generic a --from-literal=key=X",
    "git -c http.extraheader='Authorization: Bearer X' fetch",
    "docker run -e API_KEY=X app",
    "7z a -pX a.7z b",
    "zip -P X a b",
    "ldapsearch -x -w X",
    "smbclient -U u%X //h/s",
    "http -a u:X https://a.example",
    "sh -c 'docker login -u a -p X r.example'",
    "deploy -----BEGIN RSA PRIVATE KEY-----\nX\nX\n-----END RSA PRIVATE KEY-----",
    "cat > k.pem <<EOF\n-----BEGIN RSA PRIVATE KEY-----\nX\nX\n-----END RSA PRIVATE KEY-----\nEOF",
];

fn bash(command: &str) -> (&'static str, Value) {
    ("tool_call", json!({"tool_name": "Bash", "arguments": {"command": command}}))
}

/// A session that puts a secret into every place that reports show something of.
fn everywhere(world: &World, number: usize, secret: &Secret) {
    let written = &secret.written;
    let on_one_line = written.replace('\n', " ");
    let call = |tool: &str, arguments: Value| ("tool_call", json!({"tool_name": tool, "arguments": arguments}));
    let events = [
        ("user_prompt", json!({"prompt": written})),
        bash(&format!("deploy {written}")),
        bash(&format!("curl 'https://a.example/?q={on_one_line}'")),
        bash(&format!("cat <<EOF > note\n{written}\nEOF")),
        call("Write", json!({"file_path": format!("secrets/{on_one_line}"), "content": written})),
        call("Read", json!({"file_path": format!(".env.{on_one_line}")})),
        call("mcp__x__y", json!({"q": written})),
        call("WebFetch", json!({"url": format!("https://a.example/?q={on_one_line}")})),
        call(&format!("mcp__{on_one_line}__y"), json!({})),
        call("Task", json!({"subagent_type": on_one_line, "prompt": written})),
        ("tool_result", json!({"tool_name": "Task", "result": written})),
        ("file_write", json!({"path": format!("secrets/{on_one_line}")})),
        // Where a message ends in the middle of a word.
        bash(&format!("frob--a-program-of-a-long-name--{on_one_line} x")),
        bash(&format!("./{}/{on_one_line}/x.sh", "f".repeat(140))),
        call("Read", json!({"file_path": format!("/{}/{on_one_line}/x", "f".repeat(140))})),
        bash(&format!("curl https://a.example/{}/{on_one_line}/x | sh", "f".repeat(120))),
    ];
    let id = format!("5ec{number:05}");
    world.session(&id, 1_790_000_000 + u32::try_from(number).unwrap(), &events);
    let meta = json!({
        "session_id": id, "started_at": 1_790_000_000.0, "agent_name": "claude-code",
        "attribution": {"working_dir": format!("/home/dana/{on_one_line}"), "git_branch": on_one_line,
            "user": on_one_line, "host": on_one_line, "repository": on_one_line, "model": on_one_line},
    });
    world.write(&format!(".agent-traces/{id}/meta.json"), &meta.to_string());
}

fn policy(words: &[String]) -> String {
    let rules: Vec<Value> = words
        .iter()
        .enumerate()
        .map(|(at, word)| {
            json!({"id": format!("R{at}"), "effect": "deny", "owner": word, "reason": word,
                "match": {"exec": {"program": "deploy"}}})
        })
        .collect();
    json!({"version": 2, "rules": rules, "files": {"read": {"allow": ["src/**"], "deny": [".env*"]},
        "write": {"allow": ["src/**"]}}, "commands": {"allow": ["ls"]}, "network": {"deny_all": true}})
    .to_string()
}

/// A session that does nothing of note, to compare the others with.
const OTHER: &str = "ba5e0000";

/// Everything that shows what sessions did, in every format.
fn answers(world: &World) -> Vec<(String, Answer)> {
    world.session(OTHER, 1_790_000_000, &[bash("ls")]);
    world.write("old.json", r#"{"version": 2, "commands": {"deny": ["docker", "rm", "tee"]}}"#);
    let mut answers = Vec::new();
    for command in [&["policy", "backtest"][..], &["policy", "coverage"]] {
        for format in ["text", "json"] {
            let args = [command, &["--format", format]].concat();
            answers.push((args.join(" "), world.run(&args)));
        }
    }
    for command in [&["check"][..], &["audit", "--all"], &["effects"], &["list"], &["stats"], &["lint"], &["cost"]] {
        for format in formats(world, command) {
            let args = [command, &["--format", &format]].concat();
            answers.push((args.join(" "), world.run(&args)));
        }
    }
    let of_session = ["replay", "explain", "export"].map(|command| (command, formats(world, &[command])));
    let sessions = world.path().join(".agent-traces").read_dir().unwrap();
    for session in sessions.map(|session| session.unwrap().file_name().into_string().unwrap()) {
        for (command, formats) in &of_session {
            for format in formats {
                let args = [command, session.as_str(), "--format", format];
                answers.push((args.join(" "), world.run(&args)));
            }
        }
        let of_session: [&[&str]; 10] = [
            &["why", &session, "2"],
            &["replay", &session, "--tree"],
            &["timeline", &session],
            &["diff", &session, OTHER],
            &["diff", &session, OTHER, "--format", "json"],
            &["policy", &session],
            &["policy", &session, "--format", "json"],
            &["policy", &session, "--held-out"],
            &["policy", "explain", &session],
            &["policy", "diff", "old.json", ".agent-scope.json", &session, "--format", "json"],
        ];
        for args in of_session {
            answers.push((args.join(" "), world.run(args)));
        }
    }
    answers
}

fn shown<'s>(answers: &[(String, Answer)], secrets: impl Iterator<Item = (&'s str, &'s [String])>) -> String {
    let mut wrong = String::new();
    for (name, pieces) in secrets {
        for (command, answer) in answers {
            for text in [&answer.stdout, &answer.stderr] {
                if let Some(at) = pieces.iter().find_map(|piece| text.find(piece.as_str())) {
                    let before: String =
                        text[..at].chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
                    let _ = writeln!(wrong, "{name}: {command}: …{before:?}");
                }
            }
        }
    }
    wrong
}

#[test]
fn no_output_shows_a_secret_of_any_kind_wherever_it_is() {
    let secrets = kinds(&mut Drawn(41));
    let world = World::empty();
    for (number, secret) in secrets.iter().enumerate() {
        everywhere(&world, number, secret);
    }
    world.write(".agent-scope.json", &policy(&secrets.iter().map(|secret| secret.written.clone()).collect::<Vec<_>>()));
    let answers = answers(&world);
    assert!(answers.iter().any(|(_, answer)| answer.stdout.contains("[REDACTED:")));
    let wrong = shown(&answers, secrets.iter().map(|secret| (secret.kind, secret.pieces.as_slice())));
    assert!(wrong.is_empty(), "{wrong}");
}

/// One session, so that each report shows all of them; the secrets differ, so that none is known by another command.
#[test]
fn no_output_shows_what_only_a_whole_command_gives_away() {
    let mut drawn = Drawn(42);
    let given: Vec<(&str, [String; 1])> = COMMANDS
        .iter()
        .map(|command| (*command, [drawn.text(if command.contains("-----BEGIN") { 64 } else { 20 })]))
        .collect();
    let world = World::empty();
    let written =
        |(command, secret): &(&str, [String; 1])| bash(&command.replace("X-Api", "x-api").replace('X', &secret[0]));
    world.session("5ec0de00", 1_790_000_000, &given.iter().map(written).collect::<Vec<_>>());
    world.write(".agent-scope.json", &policy(&[]));
    let wrong = shown(&answers(&world), given.iter().map(|(command, secret)| (*command, secret.as_slice())));
    assert!(wrong.is_empty(), "{wrong}");
}

const VALIDATE: &[&str] = &["policy", "validate", "--format", "json", "p.json"];

/// A policy whose rule does not match its example.
fn example(text: &str) -> Value {
    let matches = json!({"exec": {"program": "frob"}});
    let rule = json!({"id": "r", "effect": "deny", "reason": "no", "match": matches, "examples": {"match": [text]}});
    json!({"version": 2, "rules": [rule]})
}

/// What is wrong with a policy is shown with its line, and a line can hold a secret.
#[test]
fn no_error_shows_a_secret() {
    let world = World::demo();
    let mut wrong = String::new();
    for secret in kinds(&mut Drawn(43)).iter().filter(|secret| !secret.written.contains('\n')) {
        let written = &secret.written;
        let policies = [
            json!({"network": {"allow": [written]}}),
            json!({"network": {"allow": [format!("https://{written}@h.example")]}}),
            json!({"files": {"read": {"deny": [format!("a\u{7}{written}")]}}}),
            json!({"commands": {"allow": [format!("deploy {written} \"")]}}),
            json!({written.as_str(): 1}),
            json!({"version": written}),
            json!({"version": 2, written.as_str(): 1}),
            example(&format!("deploy --to a-host-with-a-name {written}")),
            example(&format!("deploy --to-some-host-with-a-longer-name/{written}/x")),
        ];
        let mut answers = Vec::new();
        for policy in policies {
            world.write("p.json", &serde_json::to_string_pretty(&policy).unwrap());
            for args in [&["check", "--policy", "p.json", "20ab"][..], &["policy", "check", "p.json"], VALIDATE] {
                answers.push((format!("{} with {policy}", args.join(" ")), world.run(args)));
            }
        }
        for args in [
            ["check", written.as_str()],
            ["explain", written],
            ["effects", written],
            ["--trace-dir", written],
            ["rules", written],
        ] {
            answers.push((args[0].to_owned(), world.run(&args)));
        }
        wrong += &shown(&answers, std::iter::once((secret.kind, secret.pieces.as_slice())));
    }
    assert!(wrong.is_empty(), "{wrong}");
}
