//! Real and fictional logs, damaged in every way: no panic, no intact call lost, nothing lost in silence.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use agent_strace_testing::corpus::{Data, data};
use rayon::prelude::*;

use super::logs;
use crate::{Log, Reading};
use agent_strace_model::{Arguments, Event, Status, ToolCall};

/// Small and the same everywhere: what is tried is a matter of the file alone.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }
}

/// A call and where it stands in the file.
#[derive(Debug, Clone)]
struct Call {
    tool: String,
    arguments: String,
    /// 1-based line of its record.
    line: usize,
    /// Offset of its arguments, where the log holds them as they are.
    start: Option<usize>,
}

fn call(text: &[u8], event: &Event<'_>, call: &ToolCall<'_>) -> Call {
    let arguments = match &call.arguments {
        Arguments::Json(text) | Arguments::Text(text) => text,
        Arguments::Missing => "",
    };
    let start = arguments.as_ptr().addr().checked_sub(text.as_ptr().addr());
    Call {
        tool: call.tool.clone().into_owned(),
        arguments: arguments.to_owned(),
        line: event.line as usize,
        start: start.filter(|start| !arguments.is_empty() && *start < text.len()),
    }
}

/// Calls that ran, and what they were asked to do. One that was refused is told by two records, either of which may be
/// the damaged one; one without arguments was only inferred from an outcome that nothing else explains.
fn calls(bytes: &[u8], reading: &Reading<'_>) -> Vec<Call> {
    let all = reading.sessions.iter().flat_map(agent_strace_model::Session::calls);
    let ran = all.filter(|(_, call)| call.status != Status::Denied && call.arguments != Arguments::Missing);
    ran.map(|(event, found)| call(bytes, event, found)).collect()
}

fn counted(calls: &[Call]) -> BTreeMap<(String, String), usize> {
    let mut counts = BTreeMap::new();
    for call in calls {
        // White space around damage is not part of the call.
        *counts.entry((call.tool.clone(), call.arguments.trim().to_owned())).or_default() += 1;
    }
    counts
}

/// Calls of `before` that are not in `after`.
fn lost(before: &[Call], after: &[Call]) -> Vec<Call> {
    let mut left = counted(after);
    let mut lost = Vec::new();
    for call in before {
        match left.get_mut(&(call.tool.clone(), call.arguments.trim().to_owned())) {
            Some(count) if *count > 0 => *count -= 1,
            _ => lost.push(call.clone()),
        }
    }
    lost
}

/// 1-based line of the file that holds this byte.
fn line_at(bytes: &[u8], at: usize) -> usize {
    memchr::memchr_iter(b'\n', &bytes[..at]).count() + 1
}

/// Damage inside a document may cost what is around it; this far away nothing may be lost.
const AROUND: usize = 100_000;

fn read(bytes: &[u8]) -> (Vec<Call>, usize) {
    let log = Log::new("log", bytes.to_vec());
    let reading = log.read();
    assert!(!reading.sessions.is_empty() || !reading.gaps.is_empty(), "an empty pass");
    (calls(&log.bytes, &reading), reading.gaps.len())
}

/// Whether the file is records on lines, and so knows no damage beyond a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Lines,
    Document,
}

impl Layout {
    fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let whole = lines.all(|line| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok());
        if whole && memchr::memchr_iter(b'\n', bytes).count() > 1 { Self::Lines } else { Self::Document }
    }
}

/// Returns how many calls had to survive, all in all.
fn mutate(name: &str, bytes: &[u8], rounds: usize, wrong: &mut Vec<String>) -> usize {
    let (before, _) = read(bytes);
    let layout = Layout::of(bytes);
    let mut compared = 0;
    let mut random = Random(0x9e37_79b9 ^ bytes.len() as u64);
    for _ in 0..rounds {
        compared += cut(name, (bytes, layout), &before, random.below(bytes.len()), wrong);
        compared += flip(name, (bytes, layout), &before, &mut random, wrong);
    }
    if layout == Layout::Lines {
        rearrange(name, bytes, &before, &mut random, wrong);
    }
    compared
}

/// Calls that end before the cut are all there.
fn cut(name: &str, (bytes, layout): (&[u8], Layout), before: &[Call], at: usize, wrong: &mut Vec<String>) -> usize {
    let (after, gaps) = read(&bytes[..at]);
    let line = line_at(bytes, at);
    // In a document a call whose name stands behind its arguments ends later.
    let before_cut = |call: &Call| match call.start {
        _ if layout == Layout::Lines => call.line < line,
        Some(start) => start + call.arguments.len() + 20_000 < at,
        None => false,
    };
    let whole: Vec<Call> = before.iter().filter(|call| before_cut(call)).cloned().collect();
    let lost = lost(&whole, &after);
    if let Some(first) = lost.first() {
        wrong.push(format!("{name}: cut at {at} lost {} of {}, first {first:?}; {gaps} gaps", lost.len(), whole.len()));
    }
    whole.len()
}

/// Only calls near the damage may be lost: in lines, those on the line.
fn flip(
    name: &str,
    (bytes, layout): (&[u8], Layout),
    before: &[Call],
    random: &mut Random,
    wrong: &mut Vec<String>,
) -> usize {
    let at = random.below(bytes.len());
    let mut damaged = bytes.to_vec();
    let Some(byte) = damaged.get_mut(at) else { return 0 };
    *byte ^= 1 << random.below(8);
    let (after, gaps) = read(&damaged);
    let line = line_at(bytes, at);
    // Some formats show themselves in one of their first records alone. Without it the whole file is a gap.
    if line <= 2 && after.is_empty() && gaps > 0 {
        return 0;
    }
    let is_far = |call: &Call| match call.start {
        _ if layout == Layout::Lines => call.line != line,
        Some(start) => start.abs_diff(at) > AROUND,
        None => false,
    };
    let far: Vec<Call> = before.iter().filter(|call| is_far(call)).cloned().collect();
    let lost = lost(&far, &after);
    if let Some(first) = lost.first() {
        wrong.push(format!(
            "{name}: a flip at {at} lost {} of {}, first {first:?}; {gaps} gaps",
            lost.len(),
            far.len()
        ));
    }
    far.len()
}

/// Lines doubled, in another order, glued: every call is there.
fn rearrange(name: &str, bytes: &[u8], before: &[Call], random: &mut Random, wrong: &mut Vec<String>) {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let mut check = |what: &str, text: &[u8]| {
        let (after, _) = read(text);
        let lost = lost(before, &after);
        if !lost.is_empty() {
            wrong.push(format!("{name}: {what} lost {} of {} calls, first {:?}", lost.len(), before.len(), lost[0]));
        }
    };
    check("glueing all lines", &lines.concat());
    let at = random.below(lines.len());
    lines.insert(at, lines[at]);
    check("doubling a line", &lines.join(&b'\n'));
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    // The first line may say what all others mean.
    if one > 0 && other > 0 {
        lines.swap(one, other);
        check("swapping two lines", &lines.join(&b'\n'));
    }
}

#[test]
fn damaged_fixtures_lose_no_intact_call() {
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for path in logs().into_iter().filter(|path| path.is_file()) {
        let bytes = fs::read(&path).unwrap();
        compared += mutate(&path.display().to_string(), &bytes, 40, &mut wrong);
    }
    assert!(compared > 1_000, "only {compared} calls had to survive");
    assert!(wrong.is_empty(), "{} losses:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn damaged_real_logs_lose_no_intact_call() {
    for data in data() {
        damage_all(&data);
    }
}

/// Here, records of requests repeat a refusal as if it were a result, and a call that was refused is read as one that
/// ran. A copy that is cut before them shows it as refused, which is no loss.
const REPEATED_REFUSALS: &str = "claude-code/2.1.332-denied/";

fn damage_all(data: &Data) {
    let mut files = data.logs();
    files.retain(|path| !data.name(path).starts_with(REPEATED_REFUSALS));
    let damage = |path: &PathBuf| {
        let (bytes, mut wrong) = (fs::read(path).unwrap(), Vec::new());
        // A round on a large file takes long.
        let rounds = (400_000 / bytes.len().max(1)).clamp(1, 10);
        let compared = mutate(&data.name(path), &bytes, rounds, &mut wrong);
        (wrong, compared)
    };
    let done: Vec<(Vec<String>, usize)> = files.par_iter().map(damage).collect();
    let compared: usize = done.iter().map(|(_, compared)| compared).sum();
    writeln!(std::io::stderr(), "{} real logs damaged, {compared} calls had to survive", files.len()).unwrap();
    let wrong: Vec<String> = done.into_iter().flat_map(|(wrong, _)| wrong).collect();
    assert!(compared > data.either(1_000, 3_000), "only {compared} calls had to survive");
    assert!(wrong.is_empty(), "{} losses:\n{}", wrong.len(), wrong.join("\n"));
}
