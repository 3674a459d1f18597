//! 6,000 findings, more than any format shows: every format stays within what its readers take, and says how many it does not show.

use std::io::Write as _;

use agent_strace_report::{Format, OutputFormat};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::sarif_check;
use crate::world::World;

const SESSIONS: u32 = 6;
const READS: u32 = 1_000;

/// Every read is of another file, each denied by an entry of its own: no two findings are one in any format.
fn world() -> World {
    let world = World::empty();
    let denied: Vec<String> = (0..SESSIONS * READS).map(|at| format!("private/{at}.txt")).collect();
    let policy = json!({"files": {"read": {"deny": denied}}});
    world.write(".agent-scope.json", &serde_json::to_string_pretty(&policy).unwrap());
    for session in 0..SESSIONS {
        let read = |at| json!({"tool_name": "Read", "arguments": {"file_path": format!("private/{}.txt", session * READS + at)}});
        let events: Vec<(&str, Value)> = (0..READS).map(|at| ("tool_call", read(at))).collect();
        world.session(&format!("{session:08x}"), 1_790_000_000 + session, &events);
    }
    world
}

#[test]
fn what_is_not_shown_is_counted() {
    let world = world();
    let formats = Format::ALL.iter().map(|format| format.name());
    let reports: Vec<String> = formats.map(|format| format!("{format}={format}.out")).collect();
    let mut args = vec!["check", "--quiet"];
    for report in &reports {
        args.extend(["--report", report]);
    }
    let answer = world.run(&args);
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    let report = |format: &str| world.read(&format!("{format}.out"));

    let document: Value = serde_json::from_str(&report("json")).unwrap();
    assert_eq!(document["summary"]["findings"]["error"], 6_000);
    assert_eq!(document["findings"].as_array().unwrap().len(), 6_000);
    assert!(
        report("text")
            .ends_with("FAIL: 6000 errors, 0 warnings, 0 notes, 0 opaque effects, 0 refused attempts, 0 gaps\n")
    );

    let sarif = report("sarif");
    assert_eq!(sarif_check::problems(&sarif), Vec::<String>::new());
    assert!(sarif.contains("1000 more results are not in this file: it has the 5000 worst"), "the count is missing");
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(sarif.as_bytes()).unwrap();
    assert!(packed.finish().unwrap().len() < 10 << 20);
    let log: Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), 5_000);

    let comment = report("markdown");
    assert!(comment.chars().count() <= 60_000, "{}", comment.chars().count());
    assert!(comment.contains(" of 6000 findings are not shown here."));

    let annotations = report("github");
    assert!(annotations.lines().filter(|line| line.starts_with("::error ")).count() <= 9);
    assert!(annotations.contains("5991 more findings not annotated here"), "{annotations}");

    let tests = report("junit");
    assert!(tests.len() < 1 << 20 && tests.contains("and 980 more findings"));

    let quality: Value = serde_json::from_str(&report("gitlab")).unwrap();
    let entries = quality.as_array().unwrap();
    assert!(entries.len() <= 5_001);
    assert!(entries.last().unwrap()["description"].as_str().unwrap().contains("more findings not in this report"));

    let page = report("html");
    assert!(page.len() < 8 << 20, "{}", page.len());
    assert!(page.contains("of 6,000") || page.contains("of 6000"), "the count is missing");
}
