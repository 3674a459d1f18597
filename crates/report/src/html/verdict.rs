//! The top of the page: the verdict, why, and by what it was judged.

use super::findings::badge;
use super::markup::{Html, code, element, facts, message, span, text};
use crate::change::{AfterMerge, ShownChange, ShownRevision};
use crate::escape::shorten;
use crate::measured::grouped;
use crate::text::counted;
use crate::view::{Report, ShownExtended, ShownManifest, ShownPolicy};
use agent_strace_engine::Verdict;
use agent_strace_model::finding::Level;

/// Longest name of a revision, and the longest reason.
const NAME: usize = 200;
const REASON: usize = 1_000;

pub(super) fn header(report: &Report) -> Html {
    let word = name(report.verdict);
    let mark = match report.verdict {
        Verdict::Pass => "✓",
        Verdict::Fail => "✕",
        Verdict::Incomplete => "?",
    };
    let mark = element("span", &[("class", "seal"), ("aria-hidden", "true")], [text(mark)]);
    let title = element("h1", &[], [span("product", "agent-strace "), span("word", title(report.verdict))]);
    let exit = [text(" Exit code "), code(&report.exit_code().to_string()), text(".")];
    let why = element("p", &[("class", "why")], std::iter::once(text(&sentence(report))).chain(exit));
    let said = element("div", &[("class", "said")], [title, why]);
    let banner = element("div", &[("class", &format!("verdict {word}"))], [mark, said]);
    element("header", &[], [banner, tiles(report)])
}

const ABOUT: &str = "agent-strace reads the logs of AI coding agents, works out which files, commands, hosts and tools \
                     they touched, and judges that by the policy that was committed for this repository.";

/// As other programs spell it.
pub(super) fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::Incomplete => "incomplete",
    }
}

pub(super) fn title(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "Passed",
        Verdict::Fail => "Failed",
        Verdict::Incomplete => "Incomplete",
    }
}

/// One sentence on what the verdict rests on.
fn sentence(report: &Report) -> String {
    match report.verdict {
        Verdict::Pass if report.sessions.is_empty() => {
            "No agent session came with this, and nothing else reached the level that fails this run.".to_owned()
        }
        Verdict::Pass => format!(
            "Everything in {} was read and judged, and nothing in it reached the level that fails this run.",
            counted(report.sessions.len(), "session")
        ),
        Verdict::Fail => format!("{}: a finding reached the level that fails this run.", found(report)),
        Verdict::Incomplete => {
            "No finding fails this run, but not everything could be judged: evidence is missing, and \
                                what is not known is not taken for harmless. This is not a pass."
                .to_owned()
        }
    }
}

/// `8 errors and 2 warnings in 2 of 4 sessions`.
fn found(report: &Report) -> String {
    let counts = [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Note, "note")];
    let counts = counts.map(|(level, noun)| (report.count(level), noun));
    let told = counts.iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> = told
        .map(|(count, noun)| format!("{} {noun}{}", grouped(*count as u64), if *count == 1 { "" } else { "s" }))
        .collect();
    let listed = match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => "Findings".to_owned(),
    };
    let with = report.sessions.iter().filter(|session| !session.findings.is_empty()).count();
    match with {
        0 if report.change.is_some() => format!("{listed} about the change"),
        0 => format!("{listed} about the run as a whole"),
        _ if !report.of_change.is_empty() => {
            format!("{listed} about the change and in {with} of {}", counted(report.sessions.len(), "session"))
        }
        _ => format!("{listed} in {with} of {}", counted(report.sessions.len(), "session")),
    }
}

/// The numbers that a reader must know to trust the verdict.
fn tiles(report: &Report) -> Html {
    let (calls, judged) = (report.sum(|session| session.tool_calls), report.sum(|session| session.judged));
    let lacking = ["place where evidence is missing", "places where evidence is missing"];
    let found = [
        some("error", report.count(Level::Error), ["error", "errors"]),
        some("warning", report.count(Level::Warning), ["warning", "warnings"]),
        some("note", report.count(Level::Note), ["note", "notes"]),
        some("incomplete", report.incomplete(), lacking),
        some("incomplete", report.gaps.len(), ["gap", "gaps"]),
        some("plain", report.waived.len(), ["finding that doesn't count", "findings that don't count"]),
        some("plain", report.sum(|session| session.opaque), ["effect not resolved", "effects not resolved"]),
        some("plain", report.sum(|session| session.attempts), ["refused attempt", "refused attempts"]),
        (judged < calls).then(|| tile("incomplete", calls - judged, ["call not judged", "calls not judged"])),
    ];
    // Almost always none, so that it is told where there are any.
    let unknown = report.sum(|session| session.unknown_records as usize);
    let unknown = (unknown > 0).then(|| tile("plain", unknown, ["record of unknown type", "records of unknown type"]));
    let all: Vec<Html> = found.into_iter().flatten().chain(unknown).collect();
    if all.is_empty() {
        Html::default()
    } else {
        element("ul", &[("class", "tiles"), ("aria-label", "What was found")], all)
    }
}

/// A count of zero is not shown.
fn some(class: &str, count: usize, nouns: [&str; 2]) -> Option<Html> {
    (count > 0).then(|| tile(class, count, nouns))
}

/// A number and what it counts: one of it, or many.
pub(super) fn tile(class: &str, count: usize, [one, many]: [&str; 2]) -> Html {
    let class = if count == 0 { "none" } else { class };
    let number = element("b", &[], [text(&grouped(count as u64))]);
    element("li", &[("class", class)], [number, text(" "), text(if count == 1 { one } else { many })])
}

pub(super) fn judged_by(report: &Report) -> Html {
    let policy = report.policy.as_ref();
    let path = policy.map_or_else(
        || text("none: built-in rules and sensitive files were judged"),
        |policy| [code(policy.path.as_str()), text(&format!(" (version {})", policy.version))].into_iter().collect(),
    );
    let rows = [
        ("Policy", Some(path)),
        ("Judged", Some(text(&judged_in_numbers(report)))),
        ("At revision", policy.and_then(|policy| policy.revision.as_ref()).map(|revision| code(revision.as_str()))),
        ("SHA-256", policy.map(|policy| code(&policy.sha256))),
        ("It extends", policy.filter(|policy| !policy.extends.is_empty()).map(extends)),
        ("Hook policies", (!report.manifests.is_empty()).then(|| manifests(&report.manifests))),
        ("The change", report.change.as_ref().map(change)),
        ("After the merge", report.change.as_ref().and_then(|change| change.after_merge.as_ref()).map(after_merge)),
        ("Judged by", Some(text(concat!("agent-strace ", env!("CARGO_PKG_VERSION"))))),
    ];
    let title = element("h2", &[("id", "judged-by")], [text("Judged by")]);
    let about = element("p", &[("class", "about")], [text(ABOUT)]);
    element("section", &[("aria-labelledby", "judged-by")], [title, about, facts("facts", rows)])
}

/// `2 sessions, 26 events, 9 tool calls, 18 effects`.
fn judged_in_numbers(report: &Report) -> String {
    let counts = [
        (report.sessions.len(), "session"),
        (report.sum(|session| session.events), "event"),
        (report.sum(|session| session.tool_calls), "tool call"),
        (report.sum(|session| session.effects), "effect"),
    ];
    let shown = |(count, noun): &(usize, &str)| {
        format!("{} {noun}{}", grouped(*count as u64), if *count == 1 { "" } else { "s" })
    };
    counts.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// From the base to the head, and how much that is.
fn change(change: &ShownChange) -> Html {
    let commits = if change.commits == 0 { String::new() } else { format!(", {}", counted(change.commits, "commit")) };
    let parts = [
        text("from "),
        revision(&change.base),
        text(" to "),
        revision(&change.head),
        text(&format!(": {}{commits}", counted(change.files, "file"))),
    ];
    parts.into_iter().collect()
}

/// As it was called, and its commit.
fn revision(shown: &ShownRevision) -> Html {
    let (name, commit) = (shown.name.as_str(), shown.commit.as_str());
    if commit.starts_with(name) {
        return code(commit);
    }
    [code(&shorten(name, NAME)), text(" ("), code(commit), text(")")].into_iter().collect()
}

/// What the files of the change itself would say, which will judge once it is merged.
fn after_merge(later: &AfterMerge) -> Html {
    match later {
        AfterMerge::Judged { passes: true, .. } => text("the policy of the change itself would pass it"),
        AfterMerge::Judged { errors, warnings, .. } => text(&format!(
            "the policy of the change itself would not pass it: {}, {}",
            counted(*errors, "error"),
            counted(*warnings, "warning")
        )),
        AfterMerge::Broken(reason) => {
            [text("nothing could be judged: "), message(&shorten(reason.as_str(), REASON))].into_iter().collect()
        }
    }
}

fn extends(policy: &ShownPolicy) -> Html {
    let file = |file: &ShownExtended| digest(&format!("the {} ", file.role), file.path.as_str(), &file.sha256);
    element("ul", &[], policy.extends.iter().map(file))
}

fn manifests(manifests: &[ShownManifest]) -> Html {
    element("ul", &[], manifests.iter().map(|file| digest("", file.path.as_str(), &file.sha256)))
}

fn digest(before: &str, path: &str, sha256: &str) -> Html {
    element("li", &[], [text(before), code(path), text(" sha256 "), code(sha256)])
}

/// The verdict of one session.
pub(super) fn of_session(verdict: Verdict) -> Html {
    badge(name(verdict))
}
