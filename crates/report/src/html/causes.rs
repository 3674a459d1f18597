//! The causes of findings, above all else: how often each, why, an example, and what to do about it.

use super::excerpt::{Excerpt, Subject, level};
use super::findings::badge;
use super::markup::{Html, code, element, facts, message, text};
use crate::causes::{self, CauseGroup};
use crate::command_line;
use crate::escape::shorten;
use crate::measured::grouped;
use crate::next_step::next_step_of;
use crate::text::counted;
use crate::view::{Report, ShownSession};

/// Causes that show at once: the first finding has to stand on the first screen, too.
const OPEN: usize = 5;
/// Causes in a page.
const MOST: usize = 200;
const LONGEST: usize = 400;

pub(super) fn section(report: &Report, excerpt: &Excerpt<'_>) -> Html {
    let causes = causes::causes(report);
    let is_listed = |cause: &&CauseGroup<'_>| !cause.first().is_some_and(|first| causes::is_counted(report, first));
    let listed: Vec<&CauseGroup<'_>> = causes.iter().filter(is_listed).collect();
    if listed.is_empty() {
        return Html::default();
    }
    let name = if listed.len() > OPEN { "Top causes" } else { "Causes" };
    let mut parts = vec![element("h2", &[("id", "causes")], [text(name)])];
    let (shown, left_out) = listed.split_at(listed.len().min(MOST));
    let (open, folded) = shown.split_at(shown.len().min(OPEN));
    parts.extend(open.iter().map(|cause| item(report, excerpt, cause)));
    if !folded.is_empty() {
        let findings: usize = folded.iter().map(|cause| cause.findings.len()).sum();
        let more = format!("{} with {}", counted(folded.len(), "more cause"), counted(findings, "finding"));
        let summary = element("summary", &[], [text(&more)]);
        let items = folded.iter().map(|cause| item(report, excerpt, cause));
        parts.push(element("details", &[("class", "more")], std::iter::once(summary).chain(items)));
    }
    if !left_out.is_empty() {
        let findings: usize = left_out.iter().map(|cause| cause.findings.len()).sum();
        let notice = format!(
            "{} of {} are on this page, the worst first. The other {} have {}: the JSON report (--format json) lists every \
             finding.",
            grouped(shown.len() as u64),
            counted(listed.len(), "cause"),
            grouped(left_out.len() as u64),
            counted(findings, "finding")
        );
        parts.push(element("p", &[("class", "notice")], [text(&notice)]));
    }
    element("section", &[("aria-labelledby", "causes"), ("class", "causes")], parts)
}

fn item(report: &Report, excerpt: &Excerpt<'_>, cause: &CauseGroup<'_>) -> Html {
    let Some((session, first)) = cause.findings.first() else { return Html::default() };
    let about = [code(first.rule.as_str()), text(&format!(" {}", cause.count()))];
    let summary = [
        badge(level(first)),
        text(" "),
        element("span", &[("class", "message")], [message(&shorten(&cause.reason(), LONGEST))]),
        text(" "),
        element("span", &[("class", "about")], about),
    ];
    let at = cause.example(report).map(|at| code(&shorten(&at, LONGEST)));
    let link = link(report, excerpt, *session);
    let example = at.map(|at| [at, link.unwrap_or_default()].into_iter().collect());
    let said = first.evidence.as_ref().map(|said| code(&shorten(said.as_str(), LONGEST)));
    let step = next_step_of(report, &cause.findings);
    let rows = [
        ("Acts", cause.acts().map(|acts| message(&acts))),
        ("Example", example),
        ("In the log", said),
        ("Next step", (!step.is_empty()).then(|| message(&step))),
        ("Explain it", Some(code(&command_line::explain(report, report.ids.of(&first.fingerprint), *session)))),
    ];
    let summary = element("summary", &[], summary);
    element("details", &[("class", &format!("cause {}", level(first)))], [summary, facts("facts", rows)])
}

/// To the findings of its session, where they are in the page.
fn link(report: &Report, excerpt: &Excerpt<'_>, session: Option<&ShownSession>) -> Option<Html> {
    let is_it = |subject: Subject<'_>| match (subject.session(), session) {
        (Some(one), Some(other)) => std::ptr::eq(one, other),
        (None, None) => true,
        _ => false,
    };
    let group = excerpt.groups.iter().find(|group| is_it(group.subject))?;
    let name = match session {
        Some(_) if report.sessions.len() == 1 => return None,
        Some(_) => "findings of this session",
        None => "findings of this kind",
    };
    let target = format!("#findings-of-{}", group.subject.key());
    Some([text(" · "), element("a", &[("href", &target)], [text(name)])].into_iter().collect())
}
