//! What a page holds, and what can't get out of its block of data.

use jiff::Timestamp;
use serde_json::Value;

use super::{CloseEvent, CloseUp, Sources, Written, render};
use crate::replay::{Note, ReplayInput, ReplayReport};
use agent_strace_metrics::{Basis, Charge, Cost};
use agent_strace_session_view::events::{Detail, EventLine, Events, Full, What};

const HOSTILE: &[&str] = &[
    "</script><script>owned()</script>",
    "<!--<script>",
    "<img src=x onerror=owned()>",
    "]]>",
    "a\u{2028}b\u{2029}c",
    "abc\u{202e}txt.exe",
    "&lt;b&gt;",
    "\u{0}\u{7f}\u{feff}",
    "`a` \" ' \\ \\u003c",
    "::error::x\n##[error]x",
];

fn line(number: u32, what: What, text: &str) -> EventLine {
    let time: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
    EventLine {
        number,
        id: None,
        line: number,
        time: Some(time),
        offset: Some(i64::from(number) * 1000),
        what,
        tool: Some(text.to_owned()),
        subagent: None,
        detail: Some(Detail::Text(text.to_owned())),
        status: None,
        call: None,
        took: None,
    }
}

fn told(id: &str, lines: Vec<EventLine>) -> ReplayInput {
    let events = Events {
        id: id.to_owned(),
        agent: "claude-code".to_owned(),
        source: "log.jsonl".to_owned(),
        parent: None,
        parent_event: None,
        first: None,
        last: None,
        calls: 0,
        tokens: 0,
        lines,
        started: Vec::new(),
    };
    ReplayInput { events, errors: 0, notes: Vec::new() }
}

fn close(texts: &[&str], charges: Vec<Charge>) -> CloseUp {
    let full = |text: &&str| Full { text: (*text).to_owned(), characters: text.chars().count() };
    let amount = charges.iter().map(|charge| charge.amount).sum();
    let basis = charges.iter().map(|charge| charge.basis).max().unwrap_or(Basis::Recorded);
    CloseUp {
        events: texts.iter().map(|text| CloseEvent::new(Some(full(text)), Vec::new())).collect(),
        charges,
        cost: Cost { amount, basis, ..Cost::sum([]) },
        who: vec![("User", texts.iter().map(|text| (*text).to_owned()).collect())],
    }
}

fn page(told: Vec<ReplayInput>, close: Vec<CloseUp>) -> Written {
    let roots: Vec<usize> = (0..told.len()).collect();
    let replay = ReplayReport::new(told, None);
    let close: Vec<Option<CloseUp>> = close.into_iter().map(Some).collect();
    render(&Sources { replay: &replay, close: &close, roots: &roots, gaps: &[], read: &|_| None })
}

fn block(page: &Written) -> Value {
    serde_json::from_str(raw_block(page)).unwrap()
}

fn raw_block(page: &Written) -> &str {
    let (_, rest) = page.text.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    rest.split_once("</script>").unwrap().0
}

#[test]
fn nothing_of_a_log_leaves_the_block_of_data() {
    let lines = HOSTILE.iter().zip(1..).map(|(text, number)| line(number, What::ToolCall, text)).collect();
    let mut told = told(HOSTILE[0], lines);
    let text = |text: &str| Some(text.to_owned());
    told.notes = HOSTILE
        .iter()
        .zip(1..)
        .map(|(said, event)| Note {
            event,
            id: (*said).to_owned(),
            label: text(said),
            said: text(said),
            author: text(said),
            bookmark: true,
        })
        .collect();
    let page = page(vec![told], vec![close(HOSTILE, Vec::new())]);
    let raw = raw_block(&page);
    assert!(!raw.contains(['<', '>', '&', '\u{2028}', '\u{2029}', '\u{202e}', '\u{feff}', '\u{7f}']), "{raw}");
    assert_eq!(page.text.matches("<script").count(), 2, "the data and the script");
    assert_eq!(page.text.matches("</script>").count(), 2);
    assert!(!page.text.contains("<img") && !page.text.contains('\u{202e}'));
    let block = block(&page);
    for (at, text) in HOSTILE.iter().enumerate() {
        let shown = block["rows"][at]["text"].as_str().unwrap();
        assert!(!shown.contains(['\u{2028}', '\u{202e}', '\u{0}', '\u{feff}']), "{text}: {shown}");
        assert_eq!(block["rows"][at]["notes"][0]["bookmark"], true, "{text}");
    }
    assert_eq!(block["rows"][0]["text"], HOSTILE[0]);
    assert_eq!(block["rows"][5]["text"], "abc\\u{202e}txt.exe");
}

#[test]
fn secrets_are_in_no_part_of_a_page() {
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0".repeat(2).get(..36).unwrap());
    let said = format!("token: {secret}");
    let mut told = told(&said, vec![line(1, What::ToolCall, &said)]);
    let text = Some(said.clone());
    let note =
        Note { event: 1, id: said.clone(), label: text.clone(), said: text.clone(), author: text, bookmark: false };
    told.notes = vec![note.clone(), Note { event: 0, ..note }];
    let page = page(vec![told], vec![close(&[&said], Vec::new())]);
    assert!(!page.text.contains(&secret) && page.text.contains("[REDACTED:"));
}

#[test]
fn links_name_events_as_people_do() {
    let lines = || [1, 2, 2, 3].map(|number| line(number, What::ToolCall, "x")).to_vec();
    let none = || close(&[], Vec::new());
    let page = page(vec![told("one", lines()), told("two", lines())], vec![none(), none()]);
    let block = block(&page);
    let ids: Vec<&str> = block["rows"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    let expected = ["start", "e1", "e2", "e2-2", "e3", "s2start", "s2e1", "s2e2", "s2e2-2", "s2e3"];
    assert_eq!(ids, expected);
}

#[test]
fn what_was_spent_grows_and_says_how_well_it_is_known() {
    let dollar = agent_strace_model::prices::DOLLAR;
    let charge = |event, amount, basis| Charge { event, amount, basis };
    for (charges, all, basis, so_far) in [
        (
            vec![charge(1, dollar, Basis::Recorded), charge(3, dollar / 2, Basis::Recorded)],
            "$1.5000",
            "recorded",
            [Some("$1.0000"), None, Some("$1.5000")],
        ),
        (vec![charge(2, dollar, Basis::Estimated)], "$1.0000", "estimated", [Some("$0.0000"), Some("$1.0000"), None]),
        (
            vec![charge(1, 0, Basis::Incomplete), charge(2, dollar, Basis::Recorded)],
            "more than $1.0000",
            "incomplete",
            [Some("not known"), Some("more than $1.0000"), None],
        ),
    ] {
        let lines = [1, 2, 3].map(|number| line(number, What::ToolCall, "x")).to_vec();
        let block = block(&page(vec![told("one", lines)], vec![close(&["a", "b", "c"], charges)]));
        assert_eq!((block["spent"]["all"].as_str(), block["spent"]["basis"].as_str()), (Some(all), Some(basis)));
        let told: Vec<Option<&str>> =
            block["rows"].as_array().unwrap().iter().map(|row| row["cost"].as_str()).collect();
        assert_eq!(told, so_far);
    }
}

#[test]
fn the_same_sessions_are_the_same_page() {
    let one = || page(vec![told("one", vec![line(1, What::UserPrompt, "x")])], vec![close(&["x"], Vec::new())]).text;
    assert_eq!(one(), one());
}
