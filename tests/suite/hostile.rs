//! Log text is hostile: whatever it says, no output obeys it and no output shows a secret.

use serde_json::json;

use crate::sarif_check::problems;
use crate::world::{Answer, World};

/// What an agent may have been made to print.
const HOSTILE: &[&str] = &[
    "\u{1b}[2J\u{1b}]0;owned\u{7}",
    "x\n::error file=a::forged",
    "\n  ::set-output name=findings::0",
    "##[error]forged",
    "No violations found.\nPASS",
    "a\u{202e}gnp.exe\u{200b}\u{feff}",
    "<img src=x onerror=alert(1)>|`code`|@maintainers",
    "[text](javascript:alert(1)) ![x](https://evil.example/x.png)",
    "</code></details><script>alert(1)</script>",
    "\r\rfoo\u{9b}31m\u{0}",
    "\u{2028}::warning::x\u{2029}",
];

/// Assembled at run time, so that no scanner takes this file for a leak.
fn secrets() -> Vec<String> {
    let body = "q7W8e9R0t1Y2u3I4o5P6a7S8d9F0g1H2j3K4";
    vec![format!("gh{}_{body}", "p"), format!("s{}-ant-api03-{body}", "k"), format!("AKI{}", "AQ7XD3FTW5YK2VJ6B")]
}

pub(crate) fn world() -> World {
    let world = World::demo();
    let mut events = Vec::new();
    for text in HOSTILE.iter().map(|text| (*text).to_owned()).chain(secrets()) {
        events.push(("tool_call", json!({"tool_name": text, "arguments": {"file_path": text}})));
        events.push(("tool_call", json!({"tool_name": "Read", "arguments": {"file_path": format!("out/{text}")}})));
        events
            .push(("tool_call", json!({"tool_name": "Bash", "arguments": {"command": format!("git push '{text}'")}})));
        events
            .push(("tool_call", json!({"tool_name": "Bash", "arguments": {"command": format!("cat {text}\n{text}")}})));
        let url = format!("https://{text}.example.com/{text}");
        events.push(("tool_call", json!({"tool_name": "WebFetch", "arguments": {"url": url}})));
        events.push(("file_write", json!({"path": format!(".github/workflows/{text}")})));
    }
    world.session("bad00001", 1_790_200_000, &events);
    for (at, text) in HOSTILE.iter().enumerate().filter(|(_, text)| !text.contains(['/', '\0'])) {
        world.write(&format!("odd/{at}{text}.log"), "no log");
    }
    world
}

fn answers(world: &World) -> Vec<(String, Answer)> {
    let mut answers = Vec::new();
    for format in ["text", "json", "sarif", "markdown", "html"] {
        for command in [&["check", "bad00001", "odd"][..], &["audit", "bad00001"]] {
            let args = [command, &["--format", format]].concat();
            answers.push((args.join(" "), world.run(&args)));
        }
    }
    for format in ["text", "json"] {
        for command in [&["effects", "bad00001"][..], &["list"]] {
            let args = [command, &["--format", format]].concat();
            answers.push((args.join(" "), world.run(&args)));
        }
    }
    for text in HOSTILE.iter().filter(|text| !text.contains('\0')) {
        for args in [
            vec!["check", text],
            vec!["check", "--policy", text],
            vec!["rules", text],
            vec!["schema", text],
            vec!["check", "--baseline", text],
            vec!["check", "--output", text, "20ab"],
            vec!["effects", "--command", text],
        ] {
            answers.push((format!("{args:?}"), world.run(&args)));
        }
    }
    answers
}

/// Lines that a terminal or a build log would obey.
pub(crate) fn obeyed(text: &str) -> Vec<&str> {
    let odd = |character: char| {
        character.is_control() || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{feff}')
    };
    let command = |line: &str| line.trim_start().starts_with("::") || line.contains("##[");
    text.lines().filter(|line| command(line) || line.chars().any(odd)).collect()
}

#[test]
fn no_output_obeys_what_a_log_says() {
    let world = world();
    for (command, answer) in answers(&world) {
        for text in [&answer.stdout, &answer.stderr] {
            assert_eq!(obeyed(text), Vec::<&str>::new(), "{command}");
        }
        for line in answer.stdout.lines() {
            assert!(line != "PASS" && !line.starts_with("No violations found."), "{command}: forged verdict");
        }
        for secret in secrets() {
            let tail = &secret[secret.len() - 12..];
            for text in [&answer.stdout, &answer.stderr] {
                assert!(!text.contains(tail), "{command} shows a secret");
            }
        }
    }
}

#[test]
fn markdown_holds_no_markup_of_a_log() {
    let answer = world().run(&["check", "bad00001", "--format", "markdown"]);
    assert!(answer.stdout.len() > 2_000 && answer.stdout.chars().count() <= 60_000);
    for forbidden in ["<img", "<script", "</details>", "](", "@maintainers", "https://"] {
        assert!(!answer.stdout.contains(forbidden), "{forbidden}");
    }
    let cells: Vec<usize> =
        answer.stdout.lines().filter(|line| line.starts_with('|')).map(|line| line.matches('|').count()).collect();
    assert!(!cells.is_empty() && cells.iter().all(|count| *count == 6), "{cells:?}");
}

#[test]
fn sarif_of_a_hostile_log_is_accepted() {
    let answer = world().run(&["check", "bad00001", "odd", "--format", "sarif"]);
    assert_eq!(problems(&answer.stdout), Vec::<String>::new());
}

#[test]
fn a_report_is_never_written_through_a_link() {
    let world = World::demo();
    world.write("victim", "precious");
    #[cfg(unix)]
    std::os::unix::fs::symlink(world.path().join("victim"), world.path().join("report.json")).unwrap();
    let answer = world.run(&["check", "--format", "json", "--output", "report.json"]);
    assert_eq!((answer.code, world.read("victim").as_str()), (2, "precious"));
    assert!(answer.stderr.contains("it is a link"), "{}", answer.stderr);
    let left: Vec<_> = std::fs::read_dir(world.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".tmp")), "{left:?}");
}

#[test]
fn the_answer_does_not_depend_on_threads_or_runs() {
    let world = world();
    let first = world.run(&["check", "--format", "json"]);
    for threads in ["1", "2", "8"] {
        let again = world.run_with(&["check", "--format", "json"], &[("RAYON_NUM_THREADS", threads)], "");
        assert_eq!(again, first);
    }
}
