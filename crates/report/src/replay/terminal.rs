//! Sessions event by event as lines of a terminal.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::super::Colour;
use super::super::escape::{shorten, terminal};
use super::super::measured::grouped;
use super::super::paint::Paint;
use super::super::text::{counted, finding_lines};
use super::super::tree::Glyphs;
use super::super::view::ShownFinding;
use super::family::{Depth, Family};
use super::{Note, ReplayReport, ShownDetail, ShownEvents, ShownLine, ShownNote};
use agent_strace_model::Status;
use agent_strace_model::finding::Level;
use agent_strace_secrets::{Redacted, redact};
use agent_strace_session_view::events::{What, plain};

/// Longest texts on a line: what is said, what was asked, and everything else.
const SAID: usize = 200;
const ASKED: usize = 150;
const SHOWN: usize = 120;
const NAME: usize = 60;
/// How much of a fingerprint `explain` takes.
const FINGERPRINT: usize = 12;
/// The line around the summary.
const RULE: usize = 50;

/// How it is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Looks {
    pub colour: Colour,
    pub glyphs: Glyphs,
}

/// Which events are shown.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Only these; empty: all that tell something.
    pub types: BTreeSet<What>,
    pub limit: Option<usize>,
    /// An event by its number, and how many before and after it.
    pub around: Option<(u32, usize)>,
    /// With the sessions that they started.
    pub expanded: bool,
}

/// Something that is written at once.
#[derive(Debug)]
pub struct Frame {
    /// When it happened, where that is recorded.
    pub time: Option<Timestamp>,
    /// Whole lines.
    pub text: String,
}

impl ReplayReport {
    /// What is shown of these sessions, by their indices.
    pub fn frames(&self, sessions: &[usize], wanted: &Wanted, looks: Looks) -> Vec<Frame> {
        let family = if wanted.expanded { Family::of(self) } else { Family::default() };
        let mut stage = Stage {
            report: self,
            family,
            wanted,
            paint: Paint(looks.colour),
            glyphs: looks.glyphs,
            frames: Vec::new(),
            shown: BTreeSet::new(),
            left: wanted.limit.unwrap_or(usize::MAX),
            hidden: Hidden::default(),
        };
        for index in stage.family.tops_first(sessions) {
            if !stage.shown.is_empty() && !stage.shown.contains(&index) {
                stage.note(0, "");
            }
            stage.session(index);
        }
        stage.frames
    }
}

/// What is not shown.
#[derive(Debug, Default)]
struct Hidden {
    /// Events that were not asked for.
    filtered: usize,
    /// Events without meaning for what was done.
    silent: usize,
    /// Events beyond the limit.
    beyond: usize,
    /// Findings at all of these.
    findings: usize,
}

struct Stage<'a> {
    report: &'a ReplayReport,
    family: Family,
    wanted: &'a Wanted,
    paint: Paint,
    glyphs: Glyphs,
    frames: Vec<Frame>,
    /// Sessions that were shown.
    shown: BTreeSet<usize>,
    /// How many more events may be shown.
    left: usize,
    hidden: Hidden,
}

impl Stage<'_> {
    fn note(&mut self, depth: usize, text: &str) {
        let text = format!("{}{text}", self.bars(depth));
        self.frames.push(Frame { time: None, text: format!("{}\n", text.trim_end()) });
    }

    fn bars(&self, depth: usize) -> String {
        if self.glyphs == Glyphs::Ascii { "|  " } else { "│  " }.repeat(depth)
    }

    fn session(&mut self, index: usize) {
        let Some(session) = self.report.sessions.get(index).filter(|_| self.shown.insert(index)) else { return };
        let head = self.summary(session);
        self.frames.push(Frame { time: None, text: head });
        self.hidden = Hidden::default();
        self.events(index, session, 0);
        self.rest(session, 0);
        for line in self.missing() {
            self.note(0, &line);
        }
    }

    /// The events of a session, with those of the sessions that it started below the calls that did so.
    fn events(&mut self, index: usize, session: &ShownEvents, depth: usize) {
        let below = self.family.below(index);
        let width = session.lines.last().map_or(1, |line| line.number.to_string().len()).max(2);
        let window = self.wanted.around.map(|(number, context)| window(session, number, context));
        let mut next = below.iter().peekable();
        for (at, line) in session.lines.iter().enumerate() {
            if window.is_none_or(|(from, to)| (from..=to).contains(&at)) {
                self.event(line, &session.source, depth, width);
            }
            while let Some((_, child)) = next.next_if(|(starter, _)| *starter == Some(at)) {
                self.child(*child, depth + 1);
            }
        }
        if next.peek().is_some() {
            self.note(depth, "started by this session, at an event that its log does not tell:");
        }
        for (_, child) in next {
            self.child(*child, depth + 1);
        }
    }

    fn child(&mut self, index: usize, depth: usize) {
        let Some(session) = self.report.sessions.get(index) else { return };
        let id = cut(&session.id, NAME);
        if self.shown.contains(&index) {
            return self.note(depth, &format!("session {id} is shown above"));
        }
        let (calls, time) = (counted(session.calls, "call"), seconds(session.first, session.last));
        let agent = cut(&session.agent, NAME);
        let head = format!("session {id}  agent={agent} depth={depth}  {calls}, {time}");
        let head = self.paint.bold(&head);
        self.note(depth, &head);
        if depth > Depth::MOST.0 {
            let text = format!("{depth} levels deep, not shown here: `agent-strace replay {id}` shows it");
            return self.note(depth, &text);
        }
        self.shown.insert(index);
        self.events(index, session, depth);
        self.rest(session, depth);
    }

    fn event(&mut self, line: &ShownLine, source: &Redacted, depth: usize, width: usize) {
        let asked = &self.wanted.types;
        let failed_result = line.what == What::Error && line.call.is_some() && asked.contains(&What::ToolResult);
        let told = if asked.is_empty() {
            line.what.is_telling() || !line.findings.is_empty() || !line.notes.is_empty()
        } else {
            asked.contains(&line.what) || failed_result
        };
        if !told || self.left == 0 {
            let hidden = &mut self.hidden;
            hidden.findings += line.findings.len();
            let count = match (told, asked.is_empty()) {
                (true, _) => &mut hidden.beyond,
                (false, true) => &mut hidden.silent,
                (false, false) => &mut hidden.filtered,
            };
            *count += 1;
            return;
        }
        self.left -= 1;
        let bars = self.bars(depth);
        let mut text = String::new();
        for shown in self.lines(line, source, width) {
            text.push_str(format!("{bars}{shown}").trim_end());
            text.push('\n');
        }
        self.frames.push(Frame { time: line.time, text });
    }

    /// The event, what it is about, what people noted at it and what the gate says.
    fn lines(&self, line: &ShownLine, source: &Redacted, width: usize) -> Vec<String> {
        let is_asked = self.wanted.around.is_some_and(|(number, _)| number == line.number);
        let (mark, location) =
            if is_asked { (">", format!(" at {}:{}", cut(source, SAID), line.line)) } else { (" ", String::new()) };
        let head = format!("{} {}{}{location}", icon(line.what, self.glyphs), line.what.name(), acting(line));
        let head = if line.what == What::Error { self.paint.error(&head) } else { head };
        let mut lines = vec![format!("{mark}#{:>width$}  {} {head}", line.number, offset(line.offset))];
        let indent = " ".repeat(width + 15);
        lines.extend(line.detail.iter().flat_map(detail).map(|text| format!("{indent}{text}")));
        lines.extend(line.notes.iter().map(|note| format!("{indent}{}", self.paint.bold(&noted(note)))));
        let shown = self.findings(&line.findings);
        lines.extend(shown.into_iter().map(|text| format!("{indent}{text}")));
        lines
    }

    fn findings(&self, findings: &[ShownFinding]) -> Vec<String> {
        let Some(report) = &self.report.judged else { return Vec::new() };
        let width = findings.iter().map(|finding| finding.rule.as_str().len()).max().unwrap_or(0);
        let lines = findings.iter().flat_map(|finding| {
            let name = finding.fingerprint.get(..FINGERPRINT).unwrap_or(&finding.fingerprint);
            let mut lines = finding_lines(report, finding, width, &self.paint);
            lines.push(format!("             explain {name}"));
            lines
        });
        // They are indented where they stand below an event of their own.
        lines.map(|line| line.strip_prefix("    ").unwrap_or(&line).to_owned()).collect()
    }

    /// What is about the session as a whole.
    fn rest(&mut self, session: &ShownEvents, depth: usize) {
        if !session.notes.is_empty() || !session.findings.is_empty() {
            self.note(depth, "   the whole session");
        }
        let notes = session.notes.iter().map(|note| self.paint.bold(&noted(note)));
        let lines: Vec<String> = notes.chain(self.findings(&session.findings)).collect();
        for line in lines {
            self.note(depth, &format!("     {line}"));
        }
    }

    fn missing(&self) -> Vec<String> {
        let hidden = &self.hidden;
        let events = [
            (hidden.beyond, "beyond --limit"),
            (hidden.filtered, "of types that --filter does not name"),
            (hidden.silent, "without meaning for what was done (`--filter notice,other`)"),
        ];
        let events = events.into_iter().filter(|(count, _)| *count > 0);
        let findings =
            (hidden.findings > 0).then(|| format!("not shown: {} at such events", counted(hidden.findings, "finding")));
        events.map(|(count, why)| format!("not shown: {} {why}", counted(count, "event"))).chain(findings).collect()
    }

    fn summary(&self, session: &ShownEvents) -> String {
        let rule = if self.glyphs == Glyphs::Ascii { "-" } else { "─" }.repeat(RULE);
        let mut rows = vec![
            ("Session:", cut(&session.id, SHOWN)),
            ("Agent:", cut(&session.agent, NAME)),
            ("Log:", cut(&session.source, SAID)),
            ("Duration:", seconds(session.first, session.last)),
            ("Tool calls:", session.calls.to_string()),
            ("Errors:", session.errors.to_string()),
        ];
        if session.tokens > 0 {
            rows.push(("Tokens:", grouped(session.tokens)));
        }
        rows.push(("Findings:", self.verdict(session)));
        let rows = rows.into_iter().map(|(name, value)| format!("{name:<13}{value}"));
        let head = [self.paint.bold("Session Summary"), rule.clone()];
        head.into_iter().chain(rows).chain([rule, String::new()]).collect::<Vec<_>>().join("\n")
    }

    fn verdict(&self, session: &ShownEvents) -> String {
        let Some(report) = &self.report.judged else { return "not judged, without a policy".to_owned() };
        let all = || session.findings.iter().chain(session.lines.iter().flat_map(|line| &line.findings));
        let count = |level: Level| all().filter(|finding| finding.counts_as(level)).count();
        let mut parts = vec![
            counted(count(Level::Error), "error"),
            counted(count(Level::Warning), "warning"),
            counted(count(Level::Note), "note"),
        ];
        let incomplete = all().filter(|finding| finding.is_incomplete()).count();
        if incomplete > 0 {
            parts.push(format!("evidence missing in {}", counted(incomplete, "place")));
        }
        format!("{} {}", parts.join(", "), super::super::text::policy_shown(report))
    }
}

/// ` Bash (sub-agent a7) (51ms)`
pub(super) fn acting(line: &ShownLine) -> String {
    let mut text = String::new();
    if let Some(tool) = &line.tool {
        text.push(' ');
        text.push_str(&cut(tool, NAME));
    }
    if let Some(subagent) = &line.subagent {
        text.extend([" (sub-agent ", &cut(subagent, NAME), ")"]);
    }
    let ended = match (line.what, line.status) {
        (What::ToolCall | What::Error, Some(Status::Denied)) => Some("refused"),
        (What::ToolCall | What::Error, Some(Status::Interrupted)) => Some("interrupted"),
        (What::ToolCall, Some(Status::Missing)) => Some("no result recorded"),
        _ => None,
    };
    text.extend(ended.map(|ended| format!(" ({ended})")));
    text.extend(line.took.map(|took| format!(" ({})", duration(took))));
    text.extend(line.call.map(|call| format!(" of #{call}")));
    text
}

fn noted(note: &ShownNote) -> String {
    let text = |text: &Redacted| terminal(&shorten(text.as_str(), SAID));
    let label = note.label.as_ref().map(|label| format!("[{}] ", text(label)));
    let mark = if note.bookmark { "bookmark " } else { "note " };
    let said = note.said.as_ref().map(text);
    let author = note.author.as_ref().map(|author| format!(" ({})", text(author)));
    let parts = [label, said, author].into_iter().flatten().collect::<String>();
    format!("{mark}{}: {parts}", terminal(note.id.as_str())).trim_end_matches([':', ' ']).to_owned()
}

/// What was noted at a session, a line each.
pub fn note_lines(notes: &[Note]) -> String {
    let width = notes.iter().map(|note| note.event.to_string().len()).max().unwrap_or(1);
    let lines = notes.iter().map(|note| format!("#{:>width$}  {}\n", note.event, noted(&ShownNote::new(note.clone()))));
    lines.collect::<Vec<_>>().concat()
}

/// The indices of the first and the last line that stand around an event.
fn window(session: &ShownEvents, number: u32, context: usize) -> (usize, usize) {
    let from = session.lines.partition_point(|line| line.number < number);
    let to = session.lines.partition_point(|line| line.number <= number);
    (from.saturating_sub(context), to.saturating_sub(1).saturating_add(context))
}

pub(super) fn cut(text: &Redacted, most: usize) -> String {
    terminal(&shorten(text.as_str(), most))
}

/// On one line. What stood on several may be a secret on one, so it is redacted again.
pub(super) fn flat(text: &Redacted, most: usize) -> String {
    let words: Vec<&str> = text.as_str().split_whitespace().collect();
    cut(&redact(words.join(" ")), most)
}

pub fn detail(detail: &ShownDetail) -> Vec<String> {
    match detail {
        ShownDetail::Command(text) => vec![format!("$ {}", flat(text, SHOWN))],
        ShownDetail::Files { paths, replaces } => {
            let replaces = replaces.as_ref().map(|text| format!("replaces \"{}\"", flat(text, 60)));
            paths.iter().map(|path| cut(path, SHOWN)).chain(replaces).collect()
        }
        ShownDetail::Pattern { pattern, path } => {
            let path = path.as_ref().map(|path| format!(" in {}", cut(path, SHOWN)));
            vec![format!("{}{}", flat(pattern, SHOWN), path.unwrap_or_default())]
        }
        ShownDetail::Url(text) | ShownDetail::Argument(text) => vec![cut(text, SHOWN)],
        ShownDetail::Words(text) => vec![format!("\"{}\"", flat(text, ASKED))],
        ShownDetail::Message(text) => vec![format!("\"{}\"", cut(&redact(plain(text.as_str())), SAID))],
        ShownDetail::Text(text) => vec![flat(text, ASKED)],
    }
}

/// `+  3.55s`, `+1m43.67s`
fn offset(offset: Option<i64>) -> String {
    let Some(offset) = offset else { return format!("{:>9}", "") };
    let (sign, centiseconds) = (if offset < 0 { '-' } else { '+' }, (offset.unsigned_abs() + 5) / 10);
    let (seconds, rest) = (centiseconds / 100, centiseconds % 100);
    let shown = match seconds / 60 {
        0 => format!("{sign}{seconds:>3}.{rest:02}s"),
        minutes => format!("{sign}{minutes}m{:02}.{rest:02}s", seconds % 60),
    };
    format!("{shown:<9}")
}

/// `51ms`, `5.88s`, `2m 05s`
fn duration(milliseconds: u64) -> String {
    match milliseconds {
        0..1_000 => format!("{milliseconds}ms"),
        1_000..60_000 => format!("{}.{:02}s", milliseconds / 1000, milliseconds % 1000 / 10),
        _ => super::super::measured::span(milliseconds),
    }
}

/// `112.54s`
pub(super) fn seconds(first: Option<Timestamp>, last: Option<Timestamp>) -> String {
    let between = first.zip(last).map(|(first, last)| last.duration_since(first).as_millis().unsigned_abs());
    between.map_or_else(|| "not recorded".to_owned(), |time| format!("{}.{:02}s", time / 1000, time % 1000 / 10))
}

/// Two cells wide.
fn icon(what: What, glyphs: Glyphs) -> &'static str {
    let [unicode, ascii] = match what {
        What::SessionStart => ["▶ ", "|>"],
        What::SessionEnd => ["■ ", "[]"],
        What::UserPrompt | What::Command => ["👤", "? "],
        What::Instruction => ["✉ ", "? "],
        What::AssistantResponse => ["🤖", "= "],
        What::Reasoning => ["… ", ". "],
        What::ToolCall => ["→ ", "->"],
        What::ToolResult => ["← ", "<-"],
        What::Error => ["✗ ", "x "],
        What::FileRead => ["◂ ", "r "],
        What::FileWrite => ["▸ ", "w "],
        What::FileDelete => ["⌫ ", "d "],
        What::Decision => ["◆ ", "* "],
        What::Hook => ["↪ ", "h "],
        What::Notice | What::Other => ["· ", ". "],
    };
    if glyphs == Glyphs::Ascii { ascii } else { unicode }
}
