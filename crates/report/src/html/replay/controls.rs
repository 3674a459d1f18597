//! The timeline and what moves through it. Everything is in the page, and hidden until the script makes it work.

use std::collections::BTreeMap;

use super::budget::TOTAL;
use super::close::SHOWN;
use super::data::Block;
use super::rows::Of;
use super::{Page, field, input};
use crate::html::filters::{button, option, select};
use crate::html::markup::{Html, element, text};
use crate::measured::grouped;
use crate::text::counted;
use agent_strace_session_view::events::What;

/// What an effect can be.
const KINDS: &[&str] = &["read", "write", "delete", "list", "execute", "connect", "tool", "spawn", "env", "opaque"];
const SPEEDS: &[&str] = &["0.5", "1", "2", "5", "20", "100"];

pub(super) fn timeline(page: &Page<'_>, block: &Block) -> Html {
    let title = element("h2", &[("id", "timeline-title"), ("tabindex", "-1")], [text("Timeline")]);
    let rows = element("div", &[("id", "rows"), ("role", "presentation")], []);
    let tree = [("id", "events"), ("role", "tree"), ("aria-label", "Events"), ("tabindex", "0")];
    let nothing = [text("No event matches the filters.")];
    let detail = [("id", "detail"), ("aria-label", "The event"), ("tabindex", "-1")];
    let stage = [
        element(
            "div",
            &[("class", "list-of-events")],
            [
                element("div", &tree, [rows]),
                element("p", &[("class", "empty"), ("id", "nothing"), ("hidden", "")], nothing),
            ],
        ),
        element("section", &detail, []),
    ];
    let parts = std::iter::once(title).chain(left_out(page, block)).chain([
        filters(page),
        player(),
        element("div", &[("id", "stage")], stage),
    ]);
    element("section", &[("id", "timeline"), ("aria-labelledby", "timeline-title"), ("hidden", "")], parts)
}

/// What is not in the page is told.
fn left_out(page: &Page<'_>, block: &Block) -> Vec<Html> {
    let kilobytes = SHOWN >> 10;
    let megabytes = TOTAL >> 20;
    let said = [
        (page.rows.left_out, "beyond the most that a page has; `agent-strace replay` shows them".to_owned()),
        (block.cut, format!("told in part: of one event at most {kilobytes} KiB are in this page")),
        (block.omitted, format!("without their text: of all events at most {megabytes} MiB are in this page")),
    ];
    let lines = said.iter().filter(|(count, _)| *count > 0);
    let lines = lines.map(|(count, why)| format!("{} {} {why}.", counted(*count, "event"), are(*count)));
    lines.chain(absent(page)).map(|line| element("p", &[("class", "notice left-out")], [text(&line)])).collect()
}

/// Sub-agents with logs of their own that were not read.
fn absent(page: &Page<'_>) -> Option<String> {
    let started: usize = page.sessions().map(|(events, _)| events.started_elsewhere()).sum();
    let shown = page.rows.sessions.len();
    (started > 0 && shown == 1).then(|| {
        let count = counted(started, "sub-agent");
        format!("It started {count} with a log of its own each; `--expand-subagents` adds those of the store.")
    })
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

fn filters(page: &Page<'_>) -> Html {
    let search = input(&[("type", "search"), ("id", "search"), ("autocomplete", "off"), ("spellcheck", "false")]);
    let kinds = KINDS.iter().map(|kind| option(kind, kind)).collect();
    let levels = [
        option("any", "events with findings"),
        option("error", "events with errors"),
        option("incomplete", "events without evidence"),
        option("warning", "events with warnings"),
        option("note", "events with notes of the gate"),
        option("noted", "events with notes of people"),
    ];
    let buttons = [
        button("fold", "Fold sub-agents"),
        button("reset", "Clear filters"),
        button("theme", "Dark or light"),
        button("help", "Keys"),
    ];
    let parts = [
        field("field search", "search", "Search", search),
        select("effect", "Effects", "every event", kinds),
        select("found", "Findings", "every event", levels.into()),
        element("div", &[("class", "buttons")], buttons),
        types(page),
        element("p", &[("id", "count"), ("role", "status"), ("aria-live", "polite")], []),
    ];
    element("div", &[("id", "filters"), ("role", "search"), ("aria-label", "Filter the events")], parts)
}

/// The types that occur, which are the colours, too.
fn types(page: &Page<'_>) -> Html {
    let mut counts: BTreeMap<What, usize> = BTreeMap::new();
    for row in &page.rows.all {
        if let Of::Event(_, line) = row.of {
            *counts.entry(line.what).or_default() += 1;
        }
    }
    let boxes = counts.iter().map(|(what, count)| {
        let mut attributes = vec![("type", "checkbox"), ("name", "type"), ("value", what.name())];
        // They say nothing of what was done.
        attributes.extend(what.is_telling().then_some(("checked", "")));
        let shown = element("span", &[("class", &format!("type is-{}", what.name()))], [text(what.name())]);
        element("label", &[], [input(&attributes), shown, text(&format!(" {}", grouped(*count as u64)))])
    });
    element("fieldset", &[], std::iter::once(element("legend", &[], [text("Types of events")])).chain(boxes))
}

fn player() -> Html {
    let speeds = SPEEDS.iter().map(|speed| {
        let mut attributes = vec![("value", *speed)];
        attributes.extend((*speed == "1").then_some(("selected", "")));
        element("option", &attributes, [text(&format!("{speed}×"))])
    });
    let speed = element("select", &[("id", "speed")], speeds);
    let position =
        [("type", "range"), ("id", "place"), ("min", "0"), ("value", "0"), ("aria-label", "Place in the session")];
    let track = [element("div", &[("id", "marks"), ("aria-hidden", "true")], []), input(&position)];
    let told = [
        element("span", &[("id", "cost-so-far"), ("class", "cost")], []),
        element("span", &[("id", "cost-of-all"), ("class", "meta")], []),
    ];
    let parts = [
        element(
            "div",
            &[("class", "buttons")],
            [button("previous", "Previous finding"), button("play", "Play"), button("next", "Next finding")],
        ),
        field("field speed", "speed", "Speed", speed),
        element("div", &[("class", "track")], track),
        element("p", &[("id", "position"), ("role", "status"), ("aria-live", "polite")], []),
        element("p", &[("class", "spent")], told),
    ];
    element("div", &[("id", "player"), ("role", "group"), ("aria-label", "Playback")], parts)
}

/// What keys do. Shortcuts of one key get in the way of some readers, so they can be turned off.
pub(super) fn shortcuts() -> Html {
    let row = |keys: &[&str], does: &str| {
        let keys = keys.iter().map(|key| element("kbd", &[], [text(key)]));
        element("div", &[], [element("dt", &[], keys), element("dd", &[], [text(does)])])
    };
    let rows = [
        row(&["j", "↓"], "next event"),
        row(&["k", "↑"], "previous event"),
        row(&["n"], "next event with findings"),
        row(&["p"], "previous event with findings"),
        row(&["b"], "next event that somebody noted something at"),
        row(&["Enter"], "to what the event says"),
        row(&["Esc"], "back to the events, out of the search"),
        row(&["Space"], "play and pause"),
        row(&["→", "←"], "unfold and fold a sub-agent"),
        row(&["g", "G"], "first and last event"),
        row(&["/"], "search"),
        row(&["t"], "dark or light"),
        row(&["?"], "this list"),
    ];
    let on = input(&[("type", "checkbox"), ("id", "keys"), ("checked", "")]);
    let parts = [
        element("h2", &[("id", "shortcuts-title")], [text("Keys")]),
        element("dl", &[("class", "facts")], rows),
        element("label", &[], [on, text(" Keys do this")]),
        element("div", &[("class", "buttons")], [button("close", "Close")]),
    ];
    element("dialog", &[("id", "shortcuts"), ("aria-labelledby", "shortcuts-title")], parts)
}
