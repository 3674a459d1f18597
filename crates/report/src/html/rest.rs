//! What could not be read, and what was found but does not count.

use super::excerpt::level;
use super::findings::badge;
use super::markup::{Html, code, element, message, text};
use super::sessions::not_shown;
use crate::escape::shorten;
use crate::text::counted;
use crate::view::{Report, ShownGap, ShownUse, ShownWaived};
use agent_strace_policy::WaiverOrigin;

/// Entries of one list, and the longest text of one.
const MOST: usize = 200;
const LONGEST: usize = 500;

pub(super) fn gaps(gaps: &[ShownGap]) -> Html {
    if gaps.is_empty() {
        return Html::default();
    }
    let title = element("h2", &[("id", "gaps")], [text("Could not be read")]);
    let why = "What is missing may have been harmless or not: it was not judged.";
    let list = element("ul", &[("class", "list")], gaps.iter().take(MOST).map(gap));
    let more = not_shown(gaps.len().saturating_sub(MOST), gaps.len(), "gaps");
    let parts = [title, element("p", &[], [text(why)]), list];
    element("section", &[("aria-labelledby", "gaps")], parts.into_iter().chain(more))
}

fn gap(gap: &ShownGap) -> Html {
    let line = gap.line.map(|line| format!(":{line}")).unwrap_or_default();
    let location = code(&format!("{}{line}", shorten(gap.file.as_str(), LONGEST)));
    element("li", &[], [location, text(": "), text(&shorten(gap.reason.as_str(), LONGEST))])
}

pub(super) fn waived(report: &Report) -> Html {
    if report.uses.is_empty() && report.waived.is_empty() {
        return Html::default();
    }
    let title = element("h2", &[("id", "waived")], [text("Does not count")]);
    let mut parts = vec![title];
    if !report.uses.is_empty() {
        parts.push(element(
            "ul",
            &[("class", "list")],
            report.uses.iter().take(MOST).map(|used| use_line(report, used)),
        ));
        parts.extend(not_shown(report.uses.len().saturating_sub(MOST), report.uses.len(), "exceptions"));
    }
    if report.baselined() > 0 {
        let known = format!("{} known from the baseline.", counted(report.baselined(), "finding"));
        parts.push(element("p", &[], [text(&known)]));
    }
    if !report.waived.is_empty() {
        let summary = element("summary", &[], [text(&format!("Show {}", counted(report.waived.len(), "finding")))]);
        let list = report.waived.iter().take(MOST).map(|found| waived_finding(report, found));
        let list = element("ul", &[("class", "list")], list);
        let more = not_shown(report.waived.len().saturating_sub(MOST), report.waived.len(), "findings");
        parts.push(element("details", &[("class", "card")], [summary, list].into_iter().chain(more)));
    }
    element("section", &[("aria-labelledby", "waived")], parts)
}

/// Who decided that findings don't count, why, and until when.
fn use_line(report: &Report, used: &ShownUse) -> Html {
    let how = match used.origin {
        WaiverOrigin::Exception => "excepted",
        WaiverOrigin::Suppression => "suppressed",
    };
    let short = |text: &str| shorten(text, LONGEST);
    let until = format!(" {how} until {} by {}: ", used.until, short(used.owner.as_str()));
    let location = format!("{}:{}:{}", report.file(&used.location), used.location.line, used.location.column);
    let parts = [
        text(&format!("{} of ", counted(used.uses, "finding"))),
        code(&short(used.rule.as_str())),
        text(&until),
        text(&short(used.reason.as_str())),
        text(" ("),
        code(&short(&location)),
        text(")"),
    ];
    element("li", &[], parts)
}

fn waived_finding(report: &Report, waived: &ShownWaived) -> Html {
    let finding = &waived.finding;
    let session = report.sessions.get(waived.session);
    let mut parts = vec![badge(level(finding)), text(" "), code(finding.rule.as_str()), text(" ")];
    parts.push(message(&shorten(finding.message.as_str(), LONGEST)));
    if let Some(session) = session {
        let id = code(&shorten(session.id.as_str(), LONGEST));
        parts.extend([text(" (session "), id, text(&format!(", event {})", finding.event))]);
    }
    let why = waived.by.as_ref().map_or("known from the baseline", |used| used.reason.as_str());
    parts.extend([text(": "), text(&shorten(why, LONGEST))]);
    element("li", &[], parts)
}
