//! `--format html`: one file for readers who never heard of this program. It asks nothing of any server and works without
//! its script, which only finds and filters. A policy in it lets the browser run nothing but that script.

mod causes;
mod effect;
mod excerpt;
mod filters;
mod findings;
mod markup;
pub mod replay;
mod reproduce;
mod rest;
mod rules;
mod sessions;
mod verdict;

use std::collections::BTreeSet;

use excerpt::Excerpt;
use markup::{Html, element, text, void};
use sha2::{Digest as _, Sha256};

use super::measured::grouped;
use super::text::counts;
use super::view::Report;
use agent_strace_model::finding::RuleId;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

pub(super) fn render(report: &Report) -> String {
    let excerpt = Excerpt::new(report);
    let mut page = String::from("<!doctype html>\n<html lang=\"en\">\n");
    page.push_str(head(report).as_str());
    page.push_str(body(report, &excerpt).as_str());
    page.push_str("</html>\n");
    page
}

fn head(report: &Report) -> Html {
    let title = format!("{}: {} – agent-strace", verdict::title(report.verdict), counts(report));
    element("head", &[], heads(&title, STYLE, SCRIPT, ""))
}

/// What every page says of itself: that nothing in it runs but its own script, and that it asks nothing of any server.
/// `directives`: more of its policy.
fn heads(title: &str, style: &'static str, script: &'static str, directives: &str) -> [Html; 7] {
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action \
         'none'{directives}",
        digest(style),
        digest(script)
    );
    [
        void("meta", &[("charset", "utf-8")]),
        void("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy)]),
        void("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]),
        void("meta", &[("name", "color-scheme"), ("content", "light dark")]),
        void("meta", &[("name", "referrer"), ("content", "no-referrer")]),
        element("title", &[], [text(title)]),
        Html::own(format!("<style>{style}</style>\n")),
    ]
}

fn body(report: &Report, excerpt: &Excerpt<'_>) -> Html {
    let mut used: BTreeSet<RuleId> = excerpt.findings().map(|finding| finding.rule).collect();
    used.extend(report.waived.iter().map(|waived| waived.finding.rule));
    let main = [
        causes::section(report, excerpt),
        findings::section(report, excerpt),
        rest::gaps(&report.gaps),
        rest::waived(report),
        sessions::section(report, excerpt),
        verdict::judged_by(report),
        reproduce::section(report),
        rules::section(&used),
    ];
    let parts = [
        element("a", &[("class", "skip"), ("href", "#findings")], [text("Skip to the findings")]),
        verdict::header(report),
        contents(report, excerpt, &used),
        element("main", &[], main),
        if filters::are_needed(excerpt) { filters::shortcuts() } else { Html::default() },
        Html::own(format!("<script>{SCRIPT}</script>\n")),
    ];
    element("body", &[], parts)
}

/// Where the parts of the page are, and how much is in each.
fn contents(report: &Report, excerpt: &Excerpt<'_>, rules: &BTreeSet<RuleId>) -> Html {
    let parts = [
        ("#findings", "Findings", Some(excerpt.total)),
        ("#gaps", "Could not be read", Some(report.gaps.len()).filter(|count| *count > 0)),
        ("#waived", "Does not count", Some(report.waived.len()).filter(|count| *count > 0)),
        ("#sessions", "Sessions", Some(report.sessions.len())),
        ("#judged-by", "Judged by", None),
        ("#reproduce", "Do it yourself", None),
        ("#rules", "Rules", Some(rules.len()).filter(|count| *count > 0)),
    ];
    let is_there =
        |anchor: &str, count: Option<usize>| count.is_some() || matches!(anchor, "#judged-by" | "#reproduce");
    let parts = parts.iter().filter(|(anchor, _, count)| is_there(anchor, *count)).map(|(anchor, name, count)| {
        let count = count.map(|count| format!(" ({})", grouped(count as u64))).unwrap_or_default();
        element("li", &[], [element("a", &[("href", anchor)], [text(&format!("{name}{count}"))])])
    });
    element("nav", &[("aria-label", "Parts of this page")], [element("ul", &[], parts)])
}

/// SHA-256 in Base64, as a content security policy names what may run.
fn digest(text: &str) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut shown = String::new();
    for group in Sha256::digest(text.as_bytes()).chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for index in 0..4 {
            let digit = ALPHABET.get((bits >> (18 - 6 * index) & 63) as usize).filter(|_| index <= group.len());
            shown.push(digit.map_or('=', |digit| char::from(*digit)));
        }
    }
    shown
}
