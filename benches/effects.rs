//! How long hostile and everyday commands take from the log's line to the verdict, on one core, in process.
//!
//!     cargo bench --bench effects
//!
//! CPU time of all threads. Each workload is a session with one call, judged by `check -` once without a policy and once with a policy of the
//! size people write; the time of a session without calls is subtracted from both. What is left is ingesting,
//! parsing, effects and (second column) judging.
#![allow(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::format_collect,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a bench talks and stops when something is wrong"
)]

mod cpu;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::time::Duration;

use cpu::spent;

/// The cheapest of so many runs counts.
const RUNS: usize = 7;

const POLICY: &str = r#"{
  "files": {
    "read": {"allow": ["src/**", "tests/**", "docs/**", "*.md", "Cargo.toml", "data/**"], "deny": [".env", "secrets/**"]},
    "write": {"allow": ["src/**", "tests/**", "out/**"], "deny": [".github/**", "*.lock"]}
  },
  "commands": {
    "allow": ["cd", "cargo", "git status", "git diff", "git log", "rg", "grep", "cat", "ls", "head", "sed", "echo", "bash"],
    "deny": ["rm", "git push", "sudo"]
  },
  "network": {"deny_all": true, "allow": ["api.github.com", "localhost"]}
}"#;

/// A text, and how many simple commands it runs.
struct Workload {
    name: &'static str,
    text: String,
    commands: usize,
}

fn main() {
    let folder = std::env::temp_dir().join(format!("agent-strace-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::env::set_current_dir(&folder).unwrap();
    std::fs::write("policy.json", POLICY).unwrap();
    let wanted = std::env::args().nth(1).filter(|name| !name.starts_with('-')).unwrap_or_default();
    let empty = [checked(&session(&[]), false), checked(&session(&[]), true)];
    println!("{:34} {:>8} {:>8} {:>10} {:>10} {:>14}", "workload", "kB", "commands", "ms", "judged ms", "commands/s");
    for workload in workloads().iter().filter(|workload| workload.name.contains(&wanted)) {
        let log = session(&[&workload.text]);
        let plain = checked(&log, false).saturating_sub(empty[0]);
        let judged = checked(&log, true).saturating_sub(empty[1]);
        println!(
            "{:34} {:>8.1} {:>8} {:>10.2} {:>10.2} {:>14.0}",
            workload.name,
            workload.text.len() as f64 / 1000.0,
            workload.commands,
            plain.as_secs_f64() * 1000.0,
            judged.as_secs_f64() * 1000.0,
            workload.commands as f64 / plain.as_secs_f64()
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The cheapest `check` of a log.
fn checked(log: &str, policy: bool) -> Duration {
    let judge: &[&str] = if policy { &["--policy", "policy.json"] } else { &["--allow-no-policy"] };
    let args: Vec<OsString> = ["agent-strace", "check", "-"].iter().chain(judge).map(OsString::from).collect();
    let runs = (0..RUNS).map(|_| {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let started = spent();
        let code = agent_strace::run(args.clone(), &mut log.as_bytes(), &mut stdout, &mut stderr);
        let took = spent().saturating_sub(started);
        assert!(code < 2, "{}", String::from_utf8_lossy(&stderr));
        took
    });
    runs.min().unwrap()
}

/// A log of one session that runs these commands.
fn session(commands: &[&str]) -> String {
    let mut log = String::new();
    let mut record = |kind: &str, data: serde_json::Value| {
        let id = format!("{:012x}", log.len());
        let record = serde_json::json!({
            "event_type": kind, "timestamp": 1_790_200_000.0, "event_id": id, "session_id": "bench", "data": data,
        });
        writeln!(log, "{record}").unwrap();
    };
    record("session_start", serde_json::json!({"mode": "hook", "cwd": "/repo"}));
    for command in commands {
        record("tool_call", serde_json::json!({"tool_name": "Bash", "arguments": {"command": command}}));
    }
    log
}

fn workloads() -> Vec<Workload> {
    let mut all = everyday();
    all.extend(hostile());
    all
}

/// What agents write, all commands distinct.
fn everyday() -> Vec<Workload> {
    let many = |name, commands: usize, count: usize, line: &dyn Fn(usize) -> String| {
        let lines: Vec<String> = (0..count).map(line).collect();
        Workload { name, text: lines.join("\n"), commands: commands * count }
    };
    vec![
        many("14,000 short commands", 1, 14_000, &|n| format!("echo word{n:05}")),
        many("14,000 reads", 1, 14_000, &|n| format!("cat src/f{n:05}.rs")),
        many("pipelines", 2, 7_000, &|n| format!("cat src/f{n}.rs | head -20")),
        many("git status, same each time", 1, 14_000, &|_| "git status".to_owned()),
        many("cd and test", 2, 5_000, &|n| format!("cd src/m{n} && cargo test --quiet")),
        many("recursive searches", 1, 7_000, &|n| format!("grep -rn 'word{n}' src/m{n}")),
        many("writes", 1, 7_000, &|n| format!("echo x{n} > out/f{n}.txt")),
        many("variables", 2, 5_000, &|n| format!("f=src/f{n}.rs; cat \"$f\"")),
        many("substitutions", 2, 5_000, &|n| format!("echo $(cat src/f{n}.rs)")),
        many("500 sub-commands", 1, 500, &|n| format!("git diff src/f{n}.rs;")),
    ]
}

/// What somebody writes who wants the gate to stop or to give up.
fn hostile() -> Vec<Workload> {
    let one = |name, text: String| Workload { name, text, commands: 1 };
    let lines = |count: usize| (0..count).map(|n| format!("line {n} of it\n")).collect::<String>();
    let shells = (0..12).fold("cat src/a.rs".to_owned(), |inner, _| format!("bash -c {}", quoted(&inner)));
    vec![
        one("200 kB heredoc", format!("cat > out/x <<'E'\n{}E\n", lines(11_000))),
        one("200 kB heredoc, expanded", format!("cat > out/x <<E\n{}E\n", lines(11_000))),
        one("200 kB word", format!("cat {}", "a".repeat(200_000))),
        one("200 kB path", format!("cat {}", "a/".repeat(100_000))),
        one("200 kB in quotes", format!("echo '{}'", "word ".repeat(40_000))),
        one("depth 40 of $(…)", format!("{}cat x{}", "echo $(".repeat(40), ")".repeat(40))),
        one("depth 40 of (…)", format!("{}cat x{}", "( ".repeat(40), " )".repeat(40))),
        one("depth 12 of bash -c", shells),
        one("brace lists", format!("echo {}", "{a,b}".repeat(12))),
        one("brace sequences", "echo {1..999}\n".repeat(14_000)),
        one("brace sequences in one word", format!("echo {}", "{1..999}".repeat(20_000))),
        one("function that calls itself twice", "f() { f; f; }; f".to_owned()),
        one("nested loops of tests", format!("{}[[ x ]]{}", "for i in {1..60}; do ".repeat(8), "; done".repeat(8))),
        one("appended to one file", "echo some-line-of-text >> out/log\n".repeat(6_000)),
        one("long input of many commands", format!("cat <<'E' | {{ {} }}\n{}E\n", "cat;".repeat(10_000), lines(9_000))),
        one("arithmetic that names itself", format!("x='{}'; echo $((x))", "$((x))".repeat(2_000))),
        one("unclosed", "$(\"`".repeat(50_000)),
        one("globs", format!("cat {}", "*/".repeat(60_000))),
    ]
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
