//! The HTML report: well-formed, of nothing but its own elements, bounded, and with a policy that holds for what is in it.
//! `tests/browser` opens it in a browser.

use std::collections::BTreeSet;

use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::world::{Answer, World};

pub(crate) const ELEMENTS: &[&str] = &[
    "a", "article", "b", "body", "button", "code", "dd", "details", "dialog", "div", "dl", "dt", "fieldset", "h1",
    "h2", "h3", "h4", "head", "header", "html", "input", "kbd", "label", "legend", "li", "main", "meta", "nav", "ol",
    "option", "p", "pre", "script", "section", "select", "span", "style", "summary", "table", "tbody", "td", "th",
    "thead", "title", "tr", "ul",
];
pub(crate) const ATTRIBUTES: &[&str] = &[
    "aria-hidden",
    "aria-label",
    "aria-labelledby",
    "aria-live",
    "autocomplete",
    "charset",
    "checked",
    "class",
    "content",
    "data-level",
    "data-rule",
    "data-session",
    "for",
    "hidden",
    "href",
    "http-equiv",
    "id",
    "lang",
    "name",
    "open",
    "role",
    "spellcheck",
    "tabindex",
    "type",
    "value",
];

/// A start tag with its attributes.
pub(crate) struct Tag<'a> {
    pub(crate) name: &'a str,
    pub(crate) attributes: Vec<(&'a str, &'a str)>,
}

/// Reads a document more strictly than a browser does: every element is closed in order, every value quoted.
pub(crate) fn tags(page: &str) -> Vec<Tag<'_>> {
    let mut rest = page.strip_prefix("<!doctype html>").expect("a document type");
    let (mut open, mut tags) = (Vec::new(), Vec::new());
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains('>'), "a lone `>` before {}", &rest[start..start + 40]);
        rest = &rest[start + 1..];
        let end = rest.find('>').expect("a tag ends");
        let (tag, after) = (&rest[..end], &rest[end + 1..]);
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "closes what is open");
            continue;
        }
        let tag = parsed(tag);
        match tag.name {
            "input" | "meta" => {}
            // Raw text: nothing in it is markup until its end.
            "style" | "script" => rest = &rest[rest.find(&format!("</{}>", tag.name)).unwrap()..],
            name => open.push(name),
        }
        if matches!(tag.name, "style" | "script") {
            open.push(tag.name);
        }
        tags.push(tag);
    }
    assert_eq!(open, Vec::<&str>::new(), "everything is closed");
    tags
}

fn parsed(tag: &str) -> Tag<'_> {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut attributes = Vec::new();
    while !rest.is_empty() {
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let (attribute, after) = rest.split_at(end);
        let value = match after.strip_prefix("=\"") {
            None => "",
            Some(quoted) => quoted.split_once('"').expect("a value ends").0,
        };
        let used = if after.starts_with('=') { end + value.len() + 3 } else { end };
        rest = rest[used..].trim_start();
        attributes.push((attribute, value));
    }
    Tag { name, attributes }
}

pub(crate) fn value<'a>(tag: &Tag<'a>, name: &str) -> Option<&'a str> {
    tag.attributes.iter().find(|(attribute, _)| *attribute == name).map(|(_, value)| *value)
}

pub(crate) fn between<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
    page.split_once(start).unwrap().1.split_once(end).unwrap().0
}

/// Only our elements with our attributes, unique anchors, links within the page, and a policy that names what runs.
fn holds(page: &str) {
    let tags = tags(page);
    let mut anchors = BTreeSet::new();
    for tag in &tags {
        assert!(ELEMENTS.contains(&tag.name), "<{}>", tag.name);
        for (attribute, _) in &tag.attributes {
            assert!(ATTRIBUTES.contains(attribute), "{attribute} of <{}>", tag.name);
        }
        if let Some(id) = value(tag, "id") {
            assert!(anchors.insert(id), "{id} stands twice");
        }
    }
    for href in tags.iter().filter_map(|tag| value(tag, "href")) {
        let anchor = href.strip_prefix('#').unwrap_or_else(|| panic!("{href} leads out of the page"));
        assert!(anchors.contains(anchor), "{href} leads nowhere");
    }
    assert_eq!(tags.iter().filter(|tag| tag.name == "script").count(), 1);
    let policy = tags.iter().find(|tag| value(tag, "http-equiv") == Some("Content-Security-Policy"));
    let policy = value(policy.unwrap(), "content").unwrap().replace("&#39;", "'");
    assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe") && !policy.contains("http"));
    for (directive, text) in
        [("style", between(page, "<style>", "</style>")), ("script", between(page, "<script>", "</script>"))]
    {
        let digest = between(&policy, &format!("{directive}-src 'sha256-"), "'");
        assert_eq!(decoded(digest), Sha256::digest(text.as_bytes()).to_vec(), "{directive}");
    }
}

/// Base64 of whole bytes.
pub(crate) fn decoded(text: &str) -> Vec<u8> {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.trim_end_matches('=').chars().map(|digit| ALPHABET.find(digit).expect("a digit"));
    let bits: Vec<bool> = digits.flat_map(|digit| (0..6).rev().map(move |bit| digit >> bit & 1 == 1)).collect();
    bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit))).collect()
}

fn page(world: &World, args: &[&str]) -> Answer {
    world.run(&[&["check", "--format", "html"], args].concat())
}

#[test]
fn the_demo_says_what_happened_and_what_decided() {
    let answer = page(&World::demo(), &[".agent-traces", "logs"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (1, ""));
    holds(&answer.stdout);
    for said in [
        "<span class=\"word\">Failed</span>",
        "8 errors, 2 warnings and 3 notes in 4 of 4 sessions",
        "Exit code <code>1</code>",
        "<pre class=\"evidence\"><span>cat src/../.env</span></pre>",
        "reads <code>.env</code>: denied by files.read.deny",
        "<code>.agent-scope.json:5:16</code> <span class=\"meta\">/files/read/deny/0</span>",
        "agent-strace rules scope/read",
        "agent-strace check --policy .agent-scope.json logs/codex.jsonl",
        "danger-full-access",
    ] {
        assert!(answer.stdout.contains(said), "{said}");
    }
}

#[test]
fn each_verdict_is_told_by_its_name() {
    let world = World::demo();
    let clean = page(&world, &["20ab"]);
    holds(&clean.stdout);
    assert_eq!(clean.code, 0);
    assert!(clean.stdout.contains("<span class=\"word\">Passed</span>") && clean.stdout.contains("1 note"));
    // The cause of a note is counted, and no finding is listed.
    assert!(clean.stdout.contains("<li>1 act: searches: ") && !clean.stdout.contains("<details class=\"finding"));
    world.write("odd/a<b>.jsonl", "no log");
    let incomplete = page(&world, &["20ab", "odd"]);
    holds(&incomplete.stdout);
    assert_eq!(incomplete.code, 3);
    assert!(incomplete.stdout.contains("<span class=\"word\">Incomplete</span>"));
    assert!(incomplete.stdout.contains("<code>odd/a&lt;b&gt;.jsonl"), "what could not be read is listed");
    assert!(!incomplete.stdout.contains("Passed"));
}

#[test]
fn the_page_says_the_same_beside_another_report() {
    let world = World::demo();
    let printed = page(&world, &["--now", "2026-03-01T12:00:00Z"]);
    let args = ["check", "--now", "2026-03-01T12:00:00Z", "--report", "html=gate.html", "--format", "json"];
    let json = world.run_with(&args, &[("RAYON_NUM_THREADS", "1")], "");
    assert_eq!((json.code, &world.read("gate.html")), (printed.code, &printed.stdout));
}

#[test]
fn hostile_logs_add_no_element() {
    let answer = page(&crate::hostile::world(), &["bad00001", "odd"]);
    assert_eq!(answer.code, 1);
    holds(&answer.stdout);
    assert!(answer.stdout.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "what the log says is shown");
}

#[test]
fn waived_findings_are_shown_with_who_accepted_them() {
    let world = World::demo();
    let policy = json!({
        "version": 2,
        "files": {"read": {"deny": [".env"]}},
        "exceptions": [{
            "rule": "files.read.deny[0]", "match": {"path": ".env"}, "reason": "INC-42 <b>", "owner": "@ana", "until": "2026-12-31",
        }],
    });
    world.write("scope.json", &policy.to_string());
    let answer = page(&world, &["7c9e", "--policy", "scope.json", "--now", "2026-11-01T00:00:00Z"]);
    holds(&answer.stdout);
    for said in [
        "1 finding of <code>files.read.deny[0]</code> excepted until 2026-12-31 by @ana: INC-42 &lt;b&gt;",
        "Show 1 finding",
    ] {
        assert!(answer.stdout.contains(said), "{said}: {}", answer.stderr);
    }
}

#[test]
fn a_page_has_the_worst_findings_and_says_how_many_are_missing() {
    const FINDINGS: usize = 2_500;
    let world = World::demo();
    let reads = (0..FINDINGS - 1)
        .map(|at| ("tool_call", json!({"tool_name": "Read", "arguments": {"file_path": format!("x/{at}")}})));
    let write = ("tool_call", json!({"tool_name": "Write", "arguments": {"file_path": "last"}}));
    world.session("many0001", 1_790_200_000, &reads.chain([write]).collect::<Vec<_>>());
    let policy = json!({
        "version": 2,
        "rules": [
            {"id": "READS", "effect": "deny", "severity": "warning", "reason": "r", "match": {"read": "x/**"}},
            {"id": "LAST", "effect": "deny", "severity": "error", "reason": "r", "match": {"write": "last"}},
        ],
    });
    world.write("scope.json", &policy.to_string());
    let answer = page(&world, &["many0001", "--policy", "scope.json"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (1, ""));
    holds(&answer.stdout);
    assert_eq!(answer.stdout.matches("<details class=\"finding ").count(), 2_000);
    assert!(answer.stdout.contains("500 of 2,500 findings are not shown here"), "what is left out is told");
    assert!(answer.stdout.contains("<code>last</code>"), "the worst one stays, although it comes last");
    assert!(answer.stdout.len() < 5_000_000, "{}", answer.stdout.len());
}

#[test]
fn what_matters_comes_first_and_nothing_is_counted_that_is_none() {
    let world = World::demo();
    let few = page(&world, &["7c9e"]).stdout;
    holds(&few);
    assert!(few.find("id=\"causes\"") < few.find("id=\"findings\""), "causes come first");
    assert!(!few.contains("id=\"filters\"") && !few.contains("<b>0</b>"), "few findings need no filters");
    let reads: Vec<_> = (0..30)
        .map(|at| ("tool_call", json!({"tool_name": "Read", "arguments": {"file_path": format!("private/{at}")}})))
        .collect();
    for session in ["many0001", "many0002"] {
        world.session(session, 1_790_200_000, &reads);
    }
    world.write("scope.json", r#"{"version": 2, "files": {"read": {"deny": ["private/**"]}}}"#);
    let many = page(&world, &["many0001", "many0002", "--policy", "scope.json"]).stdout;
    holds(&many);
    assert!(many.contains("id=\"filters\""), "many findings are filtered");
    let groups = many.matches("<details class=\"group\"").count();
    let open = many.matches("<details class=\"group\" aria-labelledby=\"findings-of-1\" open>").count();
    assert_eq!((groups, open), (2, 1), "the first group is open");
}
