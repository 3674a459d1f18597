//! The top of the page: the session, the verdict on it, its numbers, and what is known of it.

use super::Page;
use super::close::CloseUp;
use super::cost;
use crate::escape::shorten;
use crate::html::markup::{Html, code, element, facts, message, span, text};
use crate::html::verdict::{self, tile};
use crate::measured::{grouped, span as lasted};
use crate::replay::ShownEvents;
use crate::text::{counted, policy_shown};
use agent_strace_engine::Verdict;
use agent_strace_metrics::Basis;
use agent_strace_model::finding::Level;
use agent_strace_secrets::redact;

/// Longest id in the title, longest fact, and values of one fact.
const NAME: usize = 60;
const LONGEST: usize = 300;
const VALUES: usize = 10;
/// Sessions whose facts are shown.
const SESSIONS: usize = 50;

/// The worst verdict on its sessions; `None`: nothing judged them.
fn verdict(page: &Page<'_>) -> Option<Verdict> {
    page.replay.judged.as_ref()?;
    let verdicts = page.sessions().filter_map(|(_, judged)| Some(judged?.verdict));
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Fail => 2,
        Verdict::Incomplete => 1,
        Verdict::Pass => 0,
    };
    verdicts.max_by_key(rank)
}

fn word(verdict: Option<Verdict>) -> &'static str {
    verdict.map_or("Not judged", verdict::title)
}

/// The first session, and how many others there are.
fn name(page: &Page<'_>) -> (String, String) {
    let mut sessions = page.sessions();
    let first = sessions.next().map_or_else(|| "none".to_owned(), |(events, _)| shorten(events.id.as_str(), NAME));
    let more = sessions.count();
    (first, if more == 0 { String::new() } else { format!(" and {}", counted(more, "other")) })
}

pub(super) fn title(page: &Page<'_>) -> String {
    let (session, others) = name(page);
    format!("{}: session {session}{others} – agent-strace replay", word(verdict(page)))
}

pub(super) fn header(page: &Page<'_>) -> Html {
    let verdict = verdict(page);
    let (class, mark) = match verdict {
        Some(Verdict::Pass) => ("pass", "✓"),
        Some(Verdict::Fail) => ("fail", "✕"),
        Some(Verdict::Incomplete) => ("incomplete", "?"),
        None => ("unjudged", "–"),
    };
    let mark = element("span", &[("class", "seal"), ("aria-hidden", "true")], [text(mark)]);
    let (session, others) = name(page);
    let session = element("span", &[("class", "session")], [text(": session "), code(&session), text(&others)]);
    let title = element("h1", &[], [span("product", "agent-strace replay "), span("word", word(verdict)), session]);
    let why = element("p", &[("class", "why")], [message(&sentence(page, verdict))]);
    let said = element("div", &[("class", "said")], [title, why]);
    let banner = element("div", &[("class", &format!("verdict {class}"))], [mark, said]);
    element("header", &[], [banner, tiles(page), about(page)])
}

fn sentence(page: &Page<'_>, verdict: Option<Verdict>) -> String {
    let by = page.replay.judged.as_ref().map(policy_shown).unwrap_or_default();
    match verdict {
        None => "What happened is shown here, not whether it was allowed: no policy judged it.".to_owned(),
        Some(Verdict::Pass) => {
            format!("Judged {by}: everything was read, and nothing in it reached the level that fails `check`.")
        }
        Some(Verdict::Fail) => format!(
            "Judged {by}: at least one finding reached the level that fails `check`. Each stands at the event that \
             caused it, with the line of the policy that decided."
        ),
        Some(Verdict::Incomplete) => format!(
            "Judged {by}: no finding fails `check`, but evidence is missing, and what is not known is not taken for \
             harmless. This is not a pass."
        ),
    }
}

fn tiles(page: &Page<'_>) -> Html {
    let list = |label: &str, tiles: Vec<Html>| element("ul", &[("class", "tiles"), ("aria-label", label)], tiles);
    let found = page.replay.judged.is_some().then(|| list("What was found", found(page)));
    found.into_iter().chain([list("What happened", happened(page))]).collect()
}

fn found(page: &Page<'_>) -> Vec<Html> {
    let all = || page.sessions().flat_map(|(events, _)| events.all_findings());
    let level = |level: Level| all().filter(|finding| finding.counts_as(level)).count();
    let incomplete = all().filter(|finding| finding.is_incomplete()).count();
    let mut found = vec![
        tile("error", level(Level::Error), ["error", "errors"]),
        tile("warning", level(Level::Warning), ["warning", "warnings"]),
        tile("note", level(Level::Note), ["note", "notes"]),
    ];
    if incomplete > 0 {
        found.push(tile("incomplete", incomplete, ["place without evidence", "places without evidence"]));
    }
    found
}

fn happened(page: &Page<'_>) -> Vec<Html> {
    let sum = |of: fn(&ShownEvents) -> usize| page.sessions().map(|(events, _)| of(events)).sum::<usize>();
    let tokens = page.sessions().fold(0_u64, |sum, (events, _)| sum.saturating_add(events.tokens));
    let mut counts = vec![
        tile("plain", sum(|events| events.lines.len()), ["event", "events"]),
        tile("plain", sum(|events| events.calls), ["tool call", "tool calls"]),
        tile("plain", sum(|events| events.errors), ["failure", "failures"]),
    ];
    if page.rows.sessions.len() > 1 {
        counts.push(tile("plain", page.rows.sessions.len(), ["session", "sessions"]));
    }
    let told = |before: &str, shown: &str, after: &str| {
        element("li", &[("class", "plain")], [text(before), element("b", &[], [text(shown)]), text(after)])
    };
    if tokens > 0 {
        counts.push(told("", &grouped(tokens), " tokens"));
    }
    let first = page.sessions().next().and_then(|(events, _)| duration(events));
    counts.extend(first.map(|time| told("", &time, " long")));
    let all = cost::total(page);
    counts.push(told("cost ", &cost::spent(&all).all, basis(all.basis)));
    counts
}

fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Recorded => " by recorded usage",
        Basis::Estimated => " estimated: no usage is recorded",
        Basis::Incomplete => "",
    }
}

fn duration(events: &ShownEvents) -> Option<String> {
    let time = events.last?.duration_since(events.first?).as_millis();
    u64::try_from(time).ok().map(lasted)
}

fn about(page: &Page<'_>) -> Html {
    let sessions = page.sessions().zip(page.closes()).take(SESSIONS);
    let cards = sessions.map(|((events, _), close)| card(events, close));
    let missing = page.rows.sessions.len().saturating_sub(SESSIONS);
    let more = crate::html::sessions::not_shown(missing, page.rows.sessions.len(), "sessions");
    let list = element("div", &[("class", "columns")], cards.chain(more));
    let summary = element("summary", &[], [element("span", &[], [text("Who ran it, where and when")])]);
    element("details", &[("class", "card about-it")], [summary, list])
}

fn card(events: &ShownEvents, close: Option<&CloseUp>) -> Html {
    let one = |value: &str| Some(code(&shorten(value, LONGEST)));
    let time = |time: Option<jiff::Timestamp>| time.map(|time| text(&format!("{time:.0}")));
    let mut rows = vec![
        ("Session", one(events.id.as_str())),
        ("Agent", one(events.agent.as_str())),
        ("Log", one(events.source.as_str())),
        ("Began", time(events.first)),
        ("Ended", time(events.last)),
    ];
    rows.extend(close.into_iter().flat_map(|close| &close.who).map(|(name, values)| (*name, all(values))));
    if let Some(close) = close {
        let spent = cost::spent(&close.cost);
        let why: Vec<String> = std::iter::once(format!("{} ({})", spent.all, spent.basis)).chain(spent.why).collect();
        rows.push(("Cost", Some(text(&why.join("; ")))));
    }
    element("section", &[], [facts("facts", rows)])
}

/// Values of a fact; raw log text.
fn all(values: &[String]) -> Option<Html> {
    let shown = values.iter().take(VALUES).map(|value| {
        let value = redact(value);
        element("li", &[], [code(&shorten(value.as_str(), LONGEST))])
    });
    let more = values.len().checked_sub(VALUES).filter(|more| *more > 0);
    let more = more.map(|more| element("li", &[], [text(&format!("and {more} more"))]));
    (!values.is_empty()).then(|| element("ul", &[("class", "values")], shown.chain(more)))
}
