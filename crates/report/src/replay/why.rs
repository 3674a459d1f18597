//! `why`: an event, and the chain that led to it.

use serde::Serialize;

use super::super::gaps::{Missing, missing};
use super::super::json;
use super::super::measured::{Form, shown, told};
use super::super::tree::Glyphs;
use super::terminal::{cut, detail};
use super::{ShownLine, known};
use agent_strace_secrets::Redacted;
use agent_strace_session_view::events::{EventLine, Events};
use agent_strace_session_view::why::{Because, Step};

const NAME: usize = 60;
const PATH: usize = 80;

/// From the root to an event.
#[derive(Debug)]
pub struct Chain {
    pub events: Events,
    /// Indices among these.
    pub steps: Vec<Step>,
}

/// What `agent-strace why` tells.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "agent-strace why, version 1"))]
struct Document {
    schema_version: u32,
    session: String,
    source: String,
    /// The event that was asked about.
    event: u32,
    /// From the root to that event.
    chain: Vec<OfStep>,
    /// Everything that could not be read, and so is no cause.
    gaps: Vec<Missing>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OfStep {
    event: u32,
    event_id: Option<String>,
    #[serde(rename = "type")]
    what: &'static str,
    tool: Option<String>,
    detail: Vec<String>,
    /// What links it to the step before it: `result`, `retry`, `named`, `read-before-write`, `prompt`,
    /// `host-text`, `skill` or `order`; `null`: it is the first one.
    link: Option<&'static str>,
    /// The path or the command that links them.
    by: Option<String>,
}

/// Why an event happened.
pub fn why(chain: Chain, form: Form<'_>) -> String {
    let Chain { events, steps } = chain;
    let numbers: Vec<u32> = events.lines.iter().map(|line| line.number).collect();
    let (session, source) = (told(&events.id), told(&events.source));
    let secrets = known(&events.lines);
    let mut lines: Vec<Option<EventLine>> = events.lines.into_iter().map(Some).collect();
    let steps = steps.into_iter().filter_map(|step| {
        let line = lines.get_mut(step.index)?.take()?;
        let id = line.id.clone();
        Some(Linked { line: ShownLine::new(line, &numbers, &secrets), id, because: step.because })
    });
    let steps: Vec<Linked> = steps.collect();
    match form {
        Form::Text(glyphs) => text(&steps, glyphs),
        Form::Json(gaps) => {
            let event = steps.last().map_or(0, |step| step.line.number);
            let chain = steps.iter().map(Linked::document).collect();
            json::to_text(&Document { schema_version: 1, session, source, event, chain, gaps: missing(gaps) })
        }
    }
}

struct Linked {
    line: ShownLine,
    id: Option<String>,
    because: Option<Because>,
}

fn text(steps: &[Linked], glyphs: Glyphs) -> String {
    let Some(target) = steps.last() else { return String::new() };
    let width = target.line.number.to_string().len().max(2);
    let (to, from) = if glyphs == Glyphs::Ascii { ("->", "<-") } else { ("→", "←") };
    let indent = " ".repeat(from.chars().count());
    let mut lines = vec![
        format!("Why did event #{} happen?", target.line.number),
        String::new(),
        format!("{indent} {}", target.said(width)),
        String::new(),
        format!("Causal chain (root {to} target):"),
        String::new(),
    ];
    let mut before: Option<&Linked> = None;
    for step in steps {
        if let Some((because, before)) = step.because.as_ref().zip(before) {
            lines.push(format!("{indent} {}({})", " ".repeat(width + 3), reason(because, before.line.number)));
        }
        let mark = if before.is_some() { from } else { &indent };
        lines.push(format!("{mark} {}", step.said(width)));
        before = Some(step);
    }
    lines.join("\n") + "\n"
}

impl Linked {
    /// `# 4 tool_call: Bash $ pytest tests/`
    fn said(&self, width: usize) -> String {
        let tool = self.line.tool.as_ref().map(|tool| cut(tool, NAME));
        let detail: Vec<String> = self.line.detail.iter().flat_map(detail).collect();
        let detail = (!detail.is_empty()).then(|| detail.join(", "));
        let words: Vec<String> = [tool, detail].into_iter().flatten().collect();
        let words = if words.is_empty() { String::new() } else { format!(": {}", words.join(" ")) };
        format!("#{:>width$} {}{words}", self.line.number, self.line.what.name())
    }

    fn document(&self) -> OfStep {
        let text = |text: &Redacted| text.as_str().to_owned();
        let (link, by) = match &self.because {
            None => (None, None),
            Some(Because::Answers) => (Some("result"), None),
            Some(Because::Retries) => (Some("retry"), None),
            Some(Because::Named(by)) => (Some("named"), Some(told(by))),
            Some(Because::Read(by)) => (Some("read-before-write"), Some(told(by))),
            Some(Because::Asked) => (Some("prompt"), None),
            Some(Because::Told) => (Some("host-text"), None),
            Some(Because::Loaded) => (Some("skill"), None),
            Some(Because::First) => (Some("order"), None),
        };
        OfStep {
            event: self.line.number,
            event_id: self.id.as_deref().map(told),
            what: self.line.what.name(),
            tool: self.line.tool.as_ref().map(text),
            detail: self.line.detail.iter().flat_map(detail).collect(),
            link,
            by,
        }
    }
}

fn reason(because: &Because, before: u32) -> String {
    match because {
        Because::Answers => format!("result of the call at #{before}"),
        Because::Retries => format!("retry after error at #{before}"),
        Because::Named(text) => format!("{} stands in the result at #{before}", shown(text, PATH)),
        Because::Read(path) => format!("read of {} at #{before} came before this write", shown(path, PATH)),
        Because::Asked => format!("prompt at #{before} triggered this"),
        Because::Told => format!("host text at #{before}, after what was asked"),
        Because::Loaded => format!("text of the skill that the call at #{before} loaded"),
        Because::First => format!("nothing links it to anything after #{before}"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_is_that_of_the_type() {
        agent_strace_testing::schemas::keep("why.v1", &agent_strace_testing::schemas::written::<super::Document>());
    }
}
