//! `replay --format html`: a session to look through, in one file. It asks nothing of any server. Its facts, findings and
//! notes are there without its script, which shows the events themselves: of tens of thousands only those in sight are in
//! the document. What logs say is data to it, and becomes text of elements, never markup: the browser enforces that, too.

mod budget;
mod close;
mod controls;
mod cost;
mod data;
mod head;
mod lists;
mod numbered;
mod quote;
mod rows;
#[cfg(test)]
mod tests;

use super::markup::{Html, element, text, void};
use super::{heads, rest, rules};
use crate::replay::{ReplayReport, ShownEvents};
use crate::text::counted;
use crate::view::{ShownGap, ShownSession};
use agent_strace_model::Gap;
use numbered::Findings;
use quote::Read;
use rows::Rows;

pub use close::{CloseEvent, CloseUp, TEXT};

const STYLE: &str = concat!(include_str!("../page.css"), include_str!("replay.css"));
const SCRIPT: &str = concat!(
    "\"use strict\";\n{\n",
    include_str!("script/model.js"),
    include_str!("script/element.js"),
    include_str!("script/timeline.js"),
    include_str!("script/detail.js"),
    include_str!("script/player.js"),
    include_str!("script/page.js"),
    "}\n"
);

/// By this a page is known as one of these.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"agent-strace replay\">";
/// How far from the start of a page [`GENERATOR`] stands at most.
pub const GENERATOR_WITHIN: usize = 256;

/// What a page is made of.
pub struct Sources<'a> {
    pub replay: &'a ReplayReport,
    /// In the order of the report's sessions; `None`: it could not be looked at.
    pub close: &'a [Option<CloseUp>],
    /// The sessions that were asked for, by their indices.
    pub roots: &'a [usize],
    pub gaps: &'a [Gap],
    /// Reads a file of the policy, where it is there and not too large.
    pub read: Read<'a>,
}

/// A finished page.
pub struct Written {
    pub text: String,
    /// `14 events and 9 findings`.
    pub holds: String,
}

struct Page<'a> {
    replay: &'a ReplayReport,
    close: &'a [Option<CloseUp>],
    rows: Rows<'a>,
    found: Findings<'a>,
    gaps: Vec<ShownGap>,
    read: Read<'a>,
}

impl<'a> Page<'a> {
    /// Sessions of the page, with what was judged of each.
    fn sessions(&self) -> impl Iterator<Item = (&'a ShownEvents, Option<&'a ShownSession>)> {
        let replay = self.replay;
        self.rows.sessions.iter().filter_map(move |index| {
            let judged = replay.judged.as_ref().and_then(|report| report.sessions.get(*index));
            Some((replay.sessions.get(*index)?, judged))
        })
    }

    fn closes(&self) -> impl Iterator<Item = Option<&'a CloseUp>> {
        let close = self.close;
        self.rows.sessions.iter().map(move |index| close.get(*index).and_then(Option::as_ref))
    }
}

pub fn render(sources: &Sources<'_>) -> Written {
    let rows = Rows::new(sources.replay, sources.roots);
    let found = Findings::new(sources.replay, &rows);
    let gaps = sources.gaps.iter().map(ShownGap::new).collect();
    let page = Page { replay: sources.replay, close: sources.close, rows, found, gaps, read: sources.read };
    let block = data::block(&page);
    let mut written = String::from("<!doctype html>\n<html lang=\"en\">\n");
    let title = head::title(&page);
    let trusted = "; require-trusted-types-for 'script'; trusted-types 'none'";
    let named = Html::own(format!("{GENERATOR}\n"));
    let head = element("head", &[], std::iter::once(named).chain(heads(&title, STYLE, SCRIPT, trusted)));
    written.push_str(head.as_str());
    written.push('\n');
    written.push_str(body(&page, &block).as_str());
    written.push_str("\n</html>\n");
    let events = counted(page.rows.events(), "event");
    Written { text: written, holds: format!("{events} and {}", counted(page.found.total, "finding")) }
}

fn body(page: &Page<'_>, block: &data::Block) -> Html {
    let main = [
        element("p", &[("class", "notice"), ("id", "static")], [text(STATIC)]),
        controls::timeline(page, block),
        lists::findings(page),
        lists::notes(page),
        rest::gaps(&page.gaps),
        rules::section(&page.found.rules()),
    ];
    let parts = [
        element("a", &[("class", "skip"), ("href", "#findings")], [text("Skip to the findings")]),
        head::header(page),
        lists::contents(page),
        element("main", &[], main),
        controls::shortcuts(),
        Html::own(format!("<script type=\"application/json\" id=\"data\">{}</script>\n", block.json)),
        Html::own(format!("<script>{SCRIPT}</script>\n")),
    ];
    element("body", &[], parts)
}

const STATIC: &str = "The timeline needs the script of this page, which does not run here. Facts, findings and notes stand \
                      below; `agent-strace replay` shows the events in a terminal.";

/// A field of a form with its label.
fn field(class: &str, id: &str, name: &str, control: Html) -> Html {
    element("div", &[("class", class)], [element("label", &[("for", id)], [text(name)]), control])
}

fn input(attributes: &[super::markup::Attribute<'_>]) -> Html {
    void("input", attributes)
}
