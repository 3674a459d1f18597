//! One finding from what was asked to what can be done about it.

use super::super::actions::action;
use super::super::escape::{shorten, terminal};
use super::super::measured::grouped;
use super::super::next_step::{is_of_rule, next_step};
use super::super::paint::Paint;
use super::super::text::change_shown;
use super::super::view::{Report, ShownEffect, ShownFinding, ShownLocation};
use super::terminal::{acting, cut, detail};
use super::{FoundFinding, Looks, ReplayReport, ShownEvents, ShownLine};
use agent_strace_model::finding::RuleId;
use agent_strace_policy::{WaiverOrigin, covered_by};
use agent_strace_secrets::{Redacted, redact};
use agent_strace_session_view::events::What;

const SAID: usize = 160;
/// Longest line of a policy that is quoted whole.
const QUOTED: usize = 160;
/// Other locations of the same finding that are named.
const OTHERS: usize = 10;

/// A finding, and where else the same act was found.
struct Story<'a> {
    report: &'a Report,
    /// `None`: it is about the change or an exception.
    session: Option<&'a ShownEvents>,
    finding: &'a ShownFinding,
    /// The event, where it is about one.
    line: Option<usize>,
    paint: Paint,
}

impl ReplayReport {
    /// The first of findings that are all the same act. `read`: the bytes of a file of the policy.
    pub fn story(
        &self,
        found: &[FoundFinding],
        read: &dyn Fn(&str) -> Option<Vec<u8>>,
        looks: Looks,
    ) -> Option<String> {
        let (first, others) = found.split_first()?;
        let report = self.judged.as_ref()?;
        let session = first.session.and_then(|index| self.sessions.get(index));
        let is_it =
            |finding: &&ShownFinding| (finding.event, &finding.fingerprint) == (first.event, &first.fingerprint);
        let lines = session.map_or(&[][..], |session| session.lines.as_slice());
        let at = lines.iter().position(|line| line.findings.iter().any(|finding| is_it(&finding)));
        let of_line = at.and_then(|at| lines.get(at)).map_or(&[][..], |line| line.findings.as_slice());
        let of_session = session.map_or(&[][..], |session| session.findings.as_slice());
        let beside: &[&[ShownFinding]] = if session.is_none() { &[&report.of_change, &report.remarks] } else { &[] };
        let finding = of_line.iter().chain(of_session).chain(beside.iter().copied().flatten()).find(is_it)?;
        let story = Story { report, session, finding, line: at, paint: Paint(looks.colour) };
        let mut lines = story.head();
        lines.extend(story.happened());
        lines.extend(story.judged(read));
        lines.extend(story.remedies());
        lines.extend(self.elsewhere(others));
        Some(lines.join("\n") + "\n")
    }

    fn elsewhere(&self, others: &[FoundFinding]) -> Vec<String> {
        if others.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![String::new(), format!("The same act was found {} more", times(others.len()))];
        lines.extend(others.iter().take(OTHERS).map(|found| {
            match found.session.and_then(|index| self.sessions.get(index)) {
                Some(session) => format!("  #{} of session {}", found.event, cut(&session.id, SAID)),
                None => format!("  {}", terminal(&shorten(&found.said, SAID))),
            }
        }));
        if others.len() > OTHERS {
            lines.push(format!("  and {} more", grouped((others.len() - OTHERS) as u64)));
        }
        lines
    }
}

fn times(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

impl Story<'_> {
    fn head(&self) -> Vec<String> {
        let finding = self.finding;
        let level = if finding.is_incomplete() {
            self.paint.warning("incomplete")
        } else {
            self.paint.of_level(finding.level, finding.level.name())
        };
        let (rule, said) = (finding.rule, terminal(&finding.said()));
        vec![format!("{level} {rule}: {said}"), format!("  fingerprint {}", finding.fingerprint)]
    }

    /// From the prompt to the call, what it did, and what came back.
    fn happened(&self) -> Vec<String> {
        let Some(session) = self.session else { return self.outside() };
        let (id, agent, source) = (cut(&session.id, SAID), cut(&session.agent, SAID), cut(&session.source, SAID));
        let mut lines =
            vec![String::new(), self.paint.bold("What happened"), format!("  session {id} ({agent}, {source})")];
        let Some(at) = self.line else {
            lines.push("  it is about the session as a whole".to_owned());
            return lines;
        };
        let mut rows: Vec<(u32, String)> =
            self.finding.causes.iter().map(|cause| (cause.event, terminal(cause.what.as_str()))).collect();
        let before = session.lines.get(..at).unwrap_or_default();
        let asked = before.iter().rposition(|line| line.what == What::UserPrompt);
        let since = before.get(asked.map_or(0, |asked| asked + 1)..).unwrap_or_default();
        rows.extend(asked.and_then(|asked| before.get(asked)).filter(|line| !told(&rows, line)).map(asks));
        let spoke = since.iter().rev().find(|line| line.what == What::AssistantResponse);
        let spoke = spoke.or_else(|| since.iter().rev().find(|line| line.what == What::Reasoning));
        rows.extend(spoke.map(says));
        rows.sort_by_key(|(event, _)| *event);
        if let Some(line) = session.lines.get(at) {
            rows.extend(self.call(line));
            let answers = |other: &&ShownLine| other.call == Some(line.number) && other.what != What::ToolCall;
            rows.extend(session.lines.iter().skip(at + 1).find(answers).map(answered));
        }
        let width = rows.iter().map(|(event, _)| event.to_string().len()).max().unwrap_or(1);
        let mut last = 0;
        lines.extend(rows.iter().map(|(event, text)| {
            let number = if *event == last { " ".repeat(width + 1) } else { format!("#{event:>width$}") };
            last = *event;
            format!("  {number}  {text}")
        }));
        lines
    }

    /// About the change, or about an exception: no session did it.
    fn outside(&self) -> Vec<String> {
        let mut lines = vec![String::new(), self.paint.bold("What happened")];
        lines.extend(self.report.change.as_ref().map(|change| format!("  {}", change_shown(change))));
        let file = self.report.file_of(self.finding);
        if !file.is_empty() {
            lines.push(format!("  {}:{}", terminal(&shorten(file, SAID)), self.finding.line));
        }
        lines.push("  no session is named: it is about the files of the repository".to_owned());
        lines
    }

    /// The call, what it is about, and what it did.
    fn call(&self, line: &ShownLine) -> Vec<(u32, String)> {
        let what = if line.what == What::ToolCall { "calls".to_owned() } else { line.what.name().to_owned() };
        let mut rows = vec![format!("{what}{}", acting(line))];
        rows.extend(line.detail.iter().flat_map(detail).map(|text| format!("  {text}")));
        rows.extend(self.finding.effect.as_ref().map(|effect| format!("  which did: {}", effect_shown(effect))));
        rows.into_iter().map(|text| (line.number, text)).collect()
    }

    /// The entry that decided, as it stands in its file.
    fn judged(&self, read: &dyn Fn(&str) -> Option<Vec<u8>>) -> Vec<String> {
        let mut lines = vec![String::new(), self.paint.bold("Why the gate says so")];
        match &self.finding.policy {
            Some(location) if !self.report.file(location).is_empty() => lines.extend(self.entry(location, read)),
            _ => lines.push("  the rule is built in: no entry of a policy says so".to_owned()),
        }
        lines.extend(section(self.finding.rule.as_str(), "Why it matters", "  "));
        lines
    }

    fn entry(&self, location: &ShownLocation, read: &dyn Fn(&str) -> Option<Vec<u8>>) -> Vec<String> {
        let file = self.report.file(location);
        let mut lines = vec![format!(
            "  {}:{}:{} ({})",
            terminal(file),
            location.line,
            location.column,
            terminal(&location.pointer)
        )];
        lines.extend(location.named().map(|named| format!("  {}", terminal(&named))));
        let bytes = read(file);
        let text = bytes.as_deref().map(String::from_utf8_lossy);
        let line = text.as_deref().and_then(|text| text.lines().nth(location.line.saturating_sub(1) as usize));
        if let Some(line) = line {
            // What stands before the entry is shown as it is, so that the mark below stands where it should.
            let shown = |text: &str| terminal(redact(text).as_str());
            let column = location.column.saturating_sub(1) as usize;
            let before = line.char_indices().nth(column).map_or(line, |(at, _)| line.get(..at).unwrap_or_default());
            let number = location.line.to_string();
            lines.push(format!("  {number} | {}", shorten(&shown(line), QUOTED)));
            let width = shown(before).chars().count();
            if width < QUOTED {
                lines.push(format!("  {} | {}^", " ".repeat(number.len()), " ".repeat(width)));
            }
        }
        lines
    }

    /// Fix the agent, change the scope, or accept the finding: somebody decides.
    fn remedies(&self) -> Vec<String> {
        let finding = self.finding;
        let mut lines = vec![String::new(), self.paint.bold("What can be done")];
        if is_of_rule(self.report, finding) {
            lines.extend(section(finding.rule.as_str(), "How to fix", "  - "));
        } else {
            lines.push(format!("  - {}", terminal(&next_step(self.report, finding))));
        }
        match covered_by(finding.rule).filter(|_| !finding.is_incomplete()) {
            Some(WaiverOrigin::Suppression) => {
                lines.push("  - accept it until a day, in .agent-strace.yaml:".to_owned());
                lines.extend(suppression(finding));
            }
            Some(WaiverOrigin::Exception) => {
                lines.push("  - accept it until a day, among the `exceptions` of a policy of version 2:".to_owned());
                lines.extend(exception(finding));
            }
            None => lines.push("  - it can't be suppressed: what is missing or expired has to be mended".to_owned()),
        }
        if finding.is_sensitive && finding.rule != RuleId::ScopeSensitive {
            let text = "the file is a sensitive one: scope/sensitive stands then, which only an exception of the policy covers";
            lines.push(format!("    {text}"));
        }
        lines.push(format!("  - read about the rule: agent-strace rules {}", finding.rule));
        lines
    }
}

/// Whether the prompt is among the causes already.
fn told(rows: &[(u32, String)], line: &ShownLine) -> bool {
    rows.iter().any(|(event, _)| *event == line.number)
}

fn asks(line: &ShownLine) -> (u32, String) {
    (line.number, format!("the user asks {}", detail_in_line(line)))
}

fn says(line: &ShownLine) -> (u32, String) {
    let who = if line.what == What::Reasoning { "the agent thinks" } else { "the agent says" };
    (line.number, format!("{who} {}", detail_in_line(line)))
}

fn answered(line: &ShownLine) -> (u32, String) {
    let how = if line.what == What::Error { "fails" } else { "answers" };
    (line.number, format!("{how}: {}", detail_in_line(line)))
}

fn detail_in_line(line: &ShownLine) -> String {
    let lines: Vec<String> = line.detail.iter().flat_map(detail).collect();
    if lines.is_empty() { "nothing that was recorded".to_owned() } else { lines.join(", ") }
}

/// What was done, and how sure that is.
fn effect_shown(effect: &ShownEffect) -> String {
    let sure = match effect.certainty {
        Some("pattern") => ", whatever matches",
        Some("possible") => ", which may not have happened",
        _ => "",
    };
    let via = effect.via.as_ref().map(Redacted::as_str).filter(|via| via.contains(' '));
    let via = via.map(|via| format!(", by the {}", terminal(via))).unwrap_or_default();
    format!("{}{sure}{via}", action(effect))
}

/// A section of the documentation of a rule, as it stands there. `mark`: what its first line starts with.
fn section(rule: &str, name: &str, mark: &str) -> Vec<String> {
    let spec = agent_strace_rules::find(rule).map_or("", |rule| rule.spec);
    let lines = spec.lines().skip_while(|line| line.strip_prefix("## ") != Some(name)).skip(1);
    let lines = lines.take_while(|line| !line.starts_with("## "));
    let lines: Vec<&str> = lines.skip_while(|line| line.is_empty()).collect();
    let text = lines.join("\n");
    let text = text.trim_end();
    let indent = " ".repeat(mark.len());
    text.lines().enumerate().map(|(at, line)| format!("{}{line}", if at == 0 { mark } else { &indent })).collect()
}

/// An entry of `.agent-strace.yaml`, to be filled in by whoever answers for it.
fn suppression(finding: &ShownFinding) -> Vec<String> {
    [
        "suppressions:".to_owned(),
        format!("  - rule: {}", finding.rule),
        format!("    match: {{ fingerprint: '{}' }}", finding.fingerprint),
        "    reason: WHY".to_owned(),
        "    owner: '@WHO'".to_owned(),
        "    until: YYYY-MM-DD".to_owned(),
    ]
    .map(|line| format!("      {line}"))
    .to_vec()
}

fn exception(finding: &ShownFinding) -> Vec<String> {
    [
        format!("{{ \"rule\": \"{}\", \"match\": {{ \"fingerprint\": \"{}\" }},", finding.rule, finding.fingerprint),
        "  \"reason\": \"WHY\", \"owner\": \"@WHO\", \"until\": \"YYYY-MM-DD\" }".to_owned(),
    ]
    .map(|line| format!("      {line}"))
    .to_vec()
}
