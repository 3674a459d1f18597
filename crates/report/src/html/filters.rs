//! The controls over the findings. They are in the page, and hidden until the script makes them work.

use std::collections::BTreeMap;

use super::excerpt::{Excerpt, Subject, level};
use super::findings::badge;
use super::markup::{Html, element, text, void};
use crate::escape::shorten;

/// Longest name of a session in the list of them.
const NAME: usize = 60;

/// How bad findings are, the worst first.
const LEVELS: [&str; 4] = ["error", "incomplete", "warning", "note"];

/// With so few findings, there is nothing to look for.
const FEW: usize = 10;

/// There are so many findings that readers search and filter them.
pub(super) fn are_needed(excerpt: &Excerpt<'_>) -> bool {
    excerpt.shown > FEW
}

pub(super) fn bar(excerpt: &Excerpt<'_>) -> Html {
    let search =
        void("input", &[("type", "search"), ("id", "search"), ("autocomplete", "off"), ("spellcheck", "false")]);
    let search = [element("label", &[("for", "search")], [text("Search")]), search];
    let parts = [
        element("div", &[("class", "field search")], search),
        levels(excerpt),
        select("rule", "Rule", "every rule", rules(excerpt)),
        select("session", "Session", "every session", subjects(excerpt)),
        buttons(),
        element("p", &[("id", "count"), ("role", "status"), ("aria-live", "polite")], []),
    ];
    let attributes = [("id", "filters"), ("role", "search"), ("aria-label", "Filter the findings"), ("hidden", "")];
    element("div", &attributes, parts)
}

fn levels(excerpt: &Excerpt<'_>) -> Html {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in excerpt.findings() {
        *counts.entry(level(finding)).or_default() += 1;
    }
    let there = LEVELS.iter().filter_map(|name| counts.get(name).map(|count| (*name, *count)));
    let boxes = there.map(|(name, count)| {
        let attributes = [("type", "checkbox"), ("name", "level"), ("value", name), ("checked", "")];
        let label = [void("input", &attributes), badge(name), text(&format!(" {count}"))];
        element("label", &[], label)
    });
    let legend = element("legend", &[], [text("Level")]);
    element("fieldset", &[], std::iter::once(legend).chain(boxes))
}

pub(super) fn select(id: &'static str, name: &str, every: &str, options: Vec<Html>) -> Html {
    let label = element("label", &[("for", id)], [text(name)]);
    // The first one stands for all.
    let all = element("option", &[], [text(every)]);
    let select = element("select", &[("id", id)], std::iter::once(all).chain(options));
    element("div", &[("class", "field")], [label, select])
}

fn rules(excerpt: &Excerpt<'_>) -> Vec<Html> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in excerpt.findings() {
        *counts.entry(finding.rule.as_str()).or_default() += 1;
    }
    let options = counts.iter().map(|(rule, count)| option(rule, &format!("{rule} ({count})")));
    options.collect()
}

fn subjects(excerpt: &Excerpt<'_>) -> Vec<Html> {
    let options = excerpt.groups.iter().map(|group| {
        let name = match group.subject {
            Subject::Change => "the change",
            Subject::Run => "exceptions and suppressions",
            Subject::Session(_, session) => session.id.as_str(),
        };
        option(&group.subject.key(), &format!("{} ({})", shorten(name, NAME), group.findings.len()))
    });
    options.collect()
}

pub(super) fn option(value: &str, shown: &str) -> Html {
    element("option", &[("value", value)], [text(shown)])
}

fn buttons() -> Html {
    let buttons = [
        button("expand", "Expand all"),
        button("collapse", "Collapse all"),
        button("reset", "Clear filters"),
        button("help", "Keyboard shortcuts"),
    ];
    element("div", &[("class", "buttons")], buttons)
}

pub(super) fn button(id: &str, name: &str) -> Html {
    element("button", &[("type", "button"), ("id", id)], [text(name)])
}

/// What keys do. Shortcuts of one key get in the way of some readers, so they can be turned off.
pub(super) fn shortcuts() -> Html {
    let row = |key: &str, does: &str| {
        let key = element("dt", &[], [element("kbd", &[], [text(key)])]);
        element("div", &[], [key, element("dd", &[], [text(does)])])
    };
    let rows = [
        row("/", "search"),
        row("j", "next finding"),
        row("k", "previous finding"),
        row("e", "open or close the finding"),
        row("?", "this list"),
        row("Esc", "leave the search, close this list"),
    ];
    let on = [("type", "checkbox"), ("id", "keys"), ("checked", "")];
    let parts = [
        element("h2", &[("id", "shortcuts-title")], [text("Keyboard shortcuts")]),
        element("dl", &[("class", "facts")], rows),
        element("label", &[], [void("input", &on), text(" Keys do this")]),
        element("div", &[("class", "buttons")], [button("close", "Close")]),
    ];
    element("dialog", &[("id", "shortcuts"), ("aria-labelledby", "shortcuts-title")], parts)
}
