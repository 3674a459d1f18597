//! Replays as pages: the file they become, what they are made of, and what is never replaced. `tests/browser` opens them.

use std::fs;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::html::{ATTRIBUTES, ELEMENTS, between, decoded, tags, value};
use crate::world::World;

const NAME: &str = "session-7c9e02b6411f.html";
/// What only these pages have.
const MORE: &[&str] = &["min", "selected"];

fn page(world: &World, args: &[&str]) -> (String, i32) {
    let answer = world.run(&[&["replay", "--format", "html", "--output", "-"], args].concat());
    (answer.stdout, answer.code)
}

fn block(page: &str) -> Value {
    serde_json::from_str(between(page, "<script type=\"application/json\" id=\"data\">", "</script>")).unwrap()
}

fn place(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// Only our elements with our attributes, and a policy that names what runs and lets nothing become markup.
fn holds(page: &str) {
    let tags = tags(page);
    for tag in &tags {
        assert!(ELEMENTS.contains(&tag.name), "<{}>", tag.name);
        for (attribute, _) in &tag.attributes {
            assert!(ATTRIBUTES.contains(attribute) || MORE.contains(attribute), "{attribute} of <{}>", tag.name);
        }
    }
    let scripts: Vec<_> = tags.iter().filter(|tag| tag.name == "script").collect();
    let types: Vec<_> = scripts.iter().map(|tag| value(tag, "type")).collect();
    assert_eq!(types, [Some("application/json"), None]);
    let policy = tags.iter().find(|tag| value(tag, "http-equiv") == Some("Content-Security-Policy"));
    let policy = value(policy.unwrap(), "content").unwrap().replace("&#39;", "'");
    assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe") && !policy.contains("http"));
    assert!(policy.ends_with("; require-trusted-types-for 'script'; trusted-types 'none'"), "{policy}");
    for (directive, text) in
        [("style", between(page, "<style>", "</style>")), ("script", between(page, "<script>", "</script>"))]
    {
        let digest = between(&policy, &format!("{directive}-src 'sha256-"), "'");
        assert_eq!(decoded(digest), Sha256::digest(text.as_bytes()).to_vec(), "{directive}");
    }
}

#[test]
fn the_page_tells_what_happened_and_what_the_policy_says() {
    let world = World::demo();
    let (page, code) = page(&world, &["7c9e"]);
    assert_eq!(code, 0);
    holds(&page);
    let block = block(&page);
    assert_eq!(block["rows"].as_array().unwrap().len(), 14);
    let read = &block["rows"][4];
    assert_eq!(
        (&read["id"], &read["what"], &read["tool"], &read["text"]),
        (&json!("e5"), &json!("tool_call"), &json!("Bash"), &json!("command: cat src/../.env"))
    );
    let finding = &block["findings"][place(&read["found"][0])];
    assert_eq!((&finding["rule"], &finding["level"]), (&json!("scope/read"), &json!("error")));
    let entry = &block["entries"][place(&finding["by"])];
    assert_eq!((&entry["at"], &entry["before"]), (&json!(".agent-scope.json:5:16"), &json!(9)));
    assert!(entry["line"].as_str().unwrap().starts_with("\"deny\": [\".env\""), "{entry}");
    let did = read["did"].as_array().unwrap();
    let read = did.iter().find(|did| did["kind"] == "read").expect("it read a file");
    assert_eq!((&read["what"], &read["decision"]), (&json!("Read .env"), &json!("denied")));
    assert_eq!((&block["rows"][5]["call"], &block["rows"][5]["took"]), (&json!(4), &json!(1000)));
    assert_eq!(block["spent"]["all"], "not known");
}

#[test]
fn what_was_not_judged_says_so() {
    let (page, code) = page(&World::demo(), &["7c9e", "--no-policy"]);
    assert_eq!(code, 0);
    holds(&page);
    assert!(page.contains(">Not judged</span>") && !page.contains("details class=\"finding"));
    let block = block(&page);
    assert_eq!(block["findings"], json!([]));
    let did = block["rows"][4]["did"].as_array().unwrap();
    assert!(did.iter().all(|did| did.get("decision").is_none()) && did.iter().any(|did| did["kind"] == "read"));
}

#[test]
fn the_file_is_called_by_its_session_and_only_replays_are_replaced() {
    let world = World::demo();
    let write = |args: &[&str]| world.run(&[&["replay", "7c9e", "--format", "html"], args].concat());
    let first = write(&[]);
    assert_eq!((first.code, first.stderr.as_str()), (0, ""));
    assert!(first.stdout.starts_with(&format!("wrote {NAME}: 14 events and 9 findings, ")), "{}", first.stdout);
    let text = world.read(NAME);
    assert_eq!(write(&[]).code, 0, "a replay is replaced");
    assert_eq!(world.read(NAME), text, "by the same bytes");
    world.write("page.html", "<!doctype html>\n<html lang=\"en\"><title>mine</title>");
    let refused = write(&["-o", "page.html"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    assert!(refused.stderr.contains("`page.html` is there and is no earlier replay"), "{}", refused.stderr);
    assert!(world.read("page.html").contains("mine"));
    // A mark that stands elsewhere in a file makes it no replay.
    world.write("quoted.html", &format!("{}{text}", "<p>notes</p>".repeat(50)));
    assert_eq!(write(&["-o", "quoted.html"]).code, 2);
    assert_eq!(write(&["-o", "page.html", "--force"]).code, 0);
    assert_eq!(world.read("page.html"), text);
    let left: Vec<_> = fs::read_dir(world.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".tmp")), "{left:?}");
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    let world = World::demo();
    world.write("elsewhere", "kept");
    std::os::unix::fs::symlink("elsewhere", world.path().join(NAME)).unwrap();
    for force in [&[][..], &["--force"]] {
        let answer = world.run(&[&["replay", "7c9e", "--format", "html"], force].concat());
        assert_eq!(answer.code, 2, "{}", answer.stderr);
    }
    assert_eq!(world.read("elsewhere"), "kept");
}

#[test]
fn an_id_names_no_folder() {
    let world = World::empty();
    let log = json!({"event_type": "user_prompt", "timestamp": 1, "event_id": "a", "session_id": "../../up", "data": {"prompt": "x"}});
    world.write(".agent-traces/s1/meta.json", &json!({"session_id": "../../up/<b>", "started_at": 1}).to_string());
    world.write(".agent-traces/s1/events.ndjson", &format!("{log}\n"));
    let answer = world.run(&["replay", "--format", "html"]);
    let made: Vec<_> = fs::read_dir(world.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let page = made.iter().find(|name| name.to_string_lossy().ends_with(".html"));
    let page = page.unwrap_or_else(|| panic!("{made:?} {}", answer.stderr)).to_string_lossy().into_owned();
    assert!(page.starts_with("session-") && !page.contains(['<', '/']), "{page}");
}

#[test]
fn options_of_a_terminal_are_refused_where_they_do_nothing() {
    let world = World::demo();
    for (args, said) in [
        (&["--format", "html", "--limit", "3"][..], "`--limit` is for the terminal"),
        (&["--format", "html", "--filter", "error"], "`--filter` is for the terminal"),
        (&["--format", "html", "--live"], "`--live` is for the terminal"),
        (&["--format", "html", "--tree"], "`--tree` is for the terminal"),
        (&["--format", "html", "--around", "#3"], "`--around` is for the terminal"),
        (&["-o", "x.html"], "`--output` is for pages"),
        (&["--force"], "`--force` is for pages"),
    ] {
        let answer = world.run(&[&["replay", "7c9e"], args].concat());
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{args:?}");
        assert!(answer.stderr.contains(said), "{args:?}: {}", answer.stderr);
    }
    assert!(!world.path().join("x.html").exists());
}

#[test]
fn what_can_not_be_read_is_told_and_nothing_is_made_of_nothing() {
    let world = World::empty();
    let nothing = world.run(&["replay", "--format", "html"]);
    assert_ne!(nothing.code, 0);
    assert_eq!(fs::read_dir(world.path()).unwrap().count(), 0);
    world.session("cut", 1_790_300_000, &[("user_prompt", json!({"prompt": "x"}))]);
    let events = world.read(".agent-traces/cut/events.ndjson");
    world.write(".agent-traces/cut/events.ndjson", &format!("{events}{{\"event_type\":"));
    let (page, code) = page(&world, &["cut"]);
    assert_eq!(code, 3);
    holds(&page);
    assert!(page.contains("id=\"gaps\""));
}

#[test]
fn texts_of_a_log_stay_texts() {
    let world = World::empty();
    let hostile = "</script><img src=x onerror=alert(1)>\u{2028}\u{202e}]]><!--";
    world.session(
        "bad",
        1_790_300_000,
        &[
            ("user_prompt", json!({"prompt": hostile})),
            (
                "tool_call",
                json!({"tool_name": hostile, "arguments": {hostile: hostile, "command": format!("cat {hostile}")}}),
            ),
            ("tool_result", json!({"content": hostile})),
            ("assistant_response", json!({"text": "half"})),
        ],
    );
    // Half of a character, which no text of ours can hold.
    let events = world.read(".agent-traces/bad/events.ndjson").replace("\"half\"", "\"half \\ud83d and more\"");
    world.write(".agent-traces/bad/events.ndjson", &events);
    let (page, _) = page(&world, &["bad"]);
    holds(&page);
    assert!(!page.contains("<img") && !page.contains(['\u{2028}', '\u{202e}']));
    assert_eq!(block(&page)["rows"][3]["text"], "half \u{fffd}\u{fffd}\u{fffd} and more");
}

#[test]
fn sessions_that_it_started_stand_below_their_calls() {
    let world = World::empty();
    let call = |prompt: &str| ("tool_call", json!({"tool_name": "Task", "arguments": {"prompt": prompt}}));
    world.session("parent", 1_790_300_000, &[("user_prompt", json!({"prompt": "both"})), call("one")]);
    for (id, event) in [("child-1", Some("000000000001")), ("child-2", None), ("stranger", None)] {
        world.session(id, 1_790_300_100, &[call(id)]);
        let mut meta = json!({"session_id": id, "started_at": 1_790_300_100, "agent_name": "claude-code"});
        if id != "stranger" {
            meta["parent_session_id"] = json!("parent");
        }
        if let Some(event) = event {
            meta["parent_event_id"] = json!(event);
        }
        world.write(&format!(".agent-traces/{id}/meta.json"), &meta.to_string());
    }
    let shape = |args: &[&str]| -> Vec<(String, u64)> {
        let (page, code) = page(&world, args);
        assert_eq!(code, 0);
        let block = block(&page);
        let rows = block["rows"].as_array().unwrap().iter();
        rows.map(|row| (row["id"].as_str().unwrap().to_owned(), row["depth"].as_u64().unwrap_or(0))).collect()
    };
    let rows = |rows: &[(&str, u64)]| rows.iter().map(|(id, depth)| ((*id).to_owned(), *depth)).collect::<Vec<_>>();
    assert_eq!(shape(&["parent"]), rows(&[("e1", 0), ("e2", 0)]));
    let family = rows(&[("e1", 0), ("e2", 0), ("s2start", 1), ("s2e1", 2), ("s3start", 0), ("s3e1", 1)]);
    assert_eq!(shape(&["parent", "--expand-subagents"]), family);
}
