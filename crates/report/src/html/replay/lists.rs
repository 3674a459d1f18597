//! What stands below the timeline, and is there without a script: findings and notes.

use super::Page;
use super::data::anchors;
use super::numbered::NumberedFinding;
use crate::escape::shorten;
use crate::html::excerpt::Subject;
use crate::html::findings::event;
use crate::html::markup::{Html, code, element, message, span, text};
use crate::measured::grouped;
use crate::replay::{ShownEvents, ShownNote};

/// Notes that are listed, and the longest.
const NOTES: usize = 500;
const LONGEST: usize = 1_000;
const NAME: usize = 80;

/// Where the parts of the page are, and how much is in each.
pub(super) fn contents(page: &Page<'_>) -> Html {
    let notes = page.sessions().map(|(events, _)| count_notes(events)).sum::<usize>();
    let parts = [
        ("findings", "Findings", Some(page.found.total).filter(|_| page.replay.judged.is_some())),
        ("notes", "Notes", Some(notes).filter(|count| *count > 0)),
        ("gaps", "Could not be read", Some(page.gaps.len()).filter(|count| *count > 0)),
        ("rules", "Rules", Some(page.found.rules().len()).filter(|count| *count > 0)),
    ];
    let link = |anchor: &str, shown: &str| element("a", &[("href", &format!("#{anchor}"))], [text(shown)]);
    let parts = parts.iter().filter_map(|(anchor, name, count)| {
        let shown = format!("{name} ({})", grouped((*count)? as u64));
        Some(element("li", &[], [link(anchor, &shown)]))
    });
    let timeline = element("li", &[("id", "to-timeline"), ("hidden", "")], [link("timeline", "Timeline")]);
    let parts = std::iter::once(timeline).chain(parts);
    element("nav", &[("aria-label", "Parts of this page")], [element("ul", &[], parts)])
}

pub(super) fn findings(page: &Page<'_>) -> Html {
    let title = element("h2", &[("id", "findings"), ("tabindex", "-1")], [text("Findings")]);
    let mut parts = vec![title];
    let empty = |said: &str| element("p", &[("class", "empty")], [message(said)]);
    let Some(report) = &page.replay.judged else {
        parts.push(empty("Nothing was judged: `--policy FILE` names what judges."));
        return element("section", &[("aria-labelledby", "findings")], parts);
    };
    let missing = page.found.total.saturating_sub(page.found.shown.len());
    parts.extend(crate::html::sessions::not_shown(missing, page.found.total, "findings"));
    if page.found.total == 0 {
        parts.push(empty("Nothing was found."));
    }
    let anchors = anchors(&page.rows.all);
    let mut number = 0;
    let of_sessions = page.found.shown.chunk_by(|left, right| left.session == right.session);
    for of_session in of_sessions {
        let Some(first) = of_session.first() else { continue };
        let Some((events, Some(judged))) = page.sessions().nth(first.session) else { continue };
        let id = shorten(events.id.as_str(), NAME);
        parts.push(element("h3", &[("class", "of-session")], [text("Session "), code(&id)]));
        for found in
            of_session.chunk_by(|left, right| (left.row, left.finding.event) == (right.row, right.finding.event))
        {
            parts.extend(found.first().and_then(|first| jump(first, &anchors)));
            let these: Vec<_> = found.iter().map(|found| found.finding).collect();
            parts.push(event(report, Subject::Session(first.session + 1, judged), &these, &mut number));
        }
    }
    if !report.remarks.is_empty() {
        parts.push(element("h3", &[("class", "of-session")], [text("Exceptions and suppressions")]));
        let remarks: Vec<_> = report.remarks.iter().collect();
        parts.push(event(report, Subject::Run, &remarks, &mut number));
    }
    element("section", &[("aria-labelledby", "findings")], parts)
}

/// A link to the event in the timeline. Without a script it leads to where it stands.
fn jump(found: &NumberedFinding<'_>, anchors: &[String]) -> Option<Html> {
    let anchor = anchors.get(found.row?)?;
    let name = format!("Event {} in the timeline", found.finding.event);
    let link = element("a", &[("href", &format!("#{anchor}"))], [text(&name)]);
    Some(element("p", &[("class", "jump"), ("id", anchor)], [link]))
}

fn count_notes(events: &ShownEvents) -> usize {
    events.notes.len() + events.lines.iter().map(|line| line.notes.len()).sum::<usize>()
}

/// What people noted, bookmarks among it.
pub(super) fn notes(page: &Page<'_>) -> Html {
    let total = page.sessions().map(|(events, _)| count_notes(events)).sum::<usize>();
    if total == 0 {
        return Html::default();
    }
    let anchors = anchors(&page.rows.all);
    let at_rows = page.rows.all.iter().zip(&anchors).flat_map(|(row, anchor)| match row.of {
        super::rows::Of::Event(_, line) => {
            line.notes.iter().map(|note| (Some((line.number, anchor.as_str())), note)).collect::<Vec<_>>()
        }
        super::rows::Of::Session(..) | super::rows::Of::Elsewhere(..) => Vec::new(),
    });
    let of_sessions = page.sessions().flat_map(|(events, _)| &events.notes).map(|note| (None, note));
    let notes: Vec<Html> =
        at_rows.chain(of_sessions).take(NOTES).map(|(location, shown)| note(location, shown)).collect();
    let missing = total.saturating_sub(notes.len());
    let title = element("h2", &[("id", "notes")], [text("Notes")]);
    let why = element("p", &[("class", "meta")], [text("What people noted at events. Nothing is judged by it.")]);
    let list = element("ul", &[("class", "list")], notes);
    let more = crate::html::sessions::not_shown(missing, total, "notes");
    element("section", &[("aria-labelledby", "notes")], [title, why, list].into_iter().chain(more))
}

fn note(location: Option<(u32, &str)>, note: &ShownNote) -> Html {
    let location = match location {
        Some((event, anchor)) => {
            element("a", &[("href", &format!("#{anchor}")), ("class", "to-event")], [text(&format!("Event {event}"))])
        }
        None => text("The whole session"),
    };
    let shown = |text: &agent_strace_secrets::Redacted| shorten(text.as_str(), LONGEST);
    let mut parts = vec![location];
    parts.extend(note.bookmark.then(|| text(" ★ bookmark")));
    parts.extend(note.label.as_ref().map(|label| [text(" "), code(&shown(label))].into_iter().collect()));
    parts.extend(note.said.as_ref().map(|said| text(&format!(": {}", shown(said)))));
    parts.extend(note.author.as_ref().map(|author| span("meta", &format!(" ({})", shown(author)))));
    element("li", &[], parts)
}
