//! `stats`: what sessions add up to.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::json;
use super::amount::{grouped, price, span};
use super::cost::Amount;
use super::{Form, Missing, Tokens, missing, shown, told};
use agent_strace_metrics::{Ended, Failure, Profile, ToolUse};
use agent_strace_model::Usage;

/// Failures that are listed in the text.
const FAILURES: usize = 20;
/// Longest text of one on a line.
const SAID: usize = 80;

/// A session, alone or with the sessions that it started.
#[derive(Debug)]
pub struct Tree<'a> {
    pub root: &'a Profile,
    /// In the order in which they were found.
    pub below: Vec<&'a Profile>,
}

/// What `agent-strace stats` tells.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "agent-strace stats, version 1"))]
pub(super) struct Document {
    schema_version: u32,
    sessions: Vec<OfTree>,
    /// Everything that could not be read, and so was not counted.
    gaps: Vec<Missing>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OfTree {
    id: String,
    agent: String,
    source: String,
    /// How many sessions the numbers are of: one, and those that it started where they were asked for.
    sessions: usize,
    /// From the first recorded time to the last of all of them.
    duration_ms: Option<u64>,
    /// `completed`, `failed`, `unfinished`, or `untold` where logs of its agent do not say.
    ended: &'static str,
    tool_calls: usize,
    refused: usize,
    model_requests: u64,
    turns: usize,
    errors: usize,
    retries: usize,
    context_resets: usize,
    files_read: usize,
    files_changed: usize,
    redundant_reads: usize,
    commands: usize,
    hosts: Vec<String>,
    /// It contacted hosts that the log does not name.
    unknown_hosts: bool,
    subagents: usize,
    #[serde(flatten)]
    cost: Amount,
    usage: Tokens,
    tools: Vec<OfTool>,
    failures: Vec<OfFailure>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OfTool {
    tool: String,
    calls: usize,
    failed: usize,
    /// Of the calls whose start and end have a time.
    mean_ms: Option<u64>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OfFailure {
    session: String,
    event: u32,
    /// `null`: no call failed, the model could not be asked or the session ended so.
    tool: Option<String>,
    message: Option<String>,
}

/// What sessions add up to.
pub fn stats(trees: &[Tree<'_>], form: Form<'_>) -> String {
    match form {
        Form::Text(_) => trees.iter().map(Tree::text).collect::<Vec<_>>().join("\n"),
        Form::Json(gaps) => {
            let sessions = trees.iter().map(Tree::document).collect();
            json::to_text(&Document { schema_version: 1, sessions, gaps: missing(gaps) })
        }
    }
}

impl<'a> Tree<'a> {
    fn all(&self) -> impl Iterator<Item = &'a Profile> {
        std::iter::once(self.root).chain(self.below.iter().copied())
    }

    fn sum(&self, of: impl Fn(&Profile) -> usize) -> usize {
        self.all().map(of).fold(0, usize::saturating_add)
    }

    fn usage(&self) -> Usage {
        let mut total = Usage::default();
        self.all().for_each(|profile| total.add(&profile.usage));
        total
    }

    /// A sub-agent may go on when the one who started it has ended.
    fn duration(&self) -> Option<u64> {
        let first = self.all().filter_map(|profile| profile.first).min()?;
        let last = self.all().filter_map(|profile| profile.last).max()?;
        u64::try_from(last.duration_since(first).as_millis()).ok()
    }

    fn cost(&self) -> agent_strace_metrics::Cost {
        agent_strace_metrics::Cost::sum(self.all().map(|profile| &profile.cost))
    }

    /// The most used first.
    fn tools(&self) -> Vec<(&'a str, ToolUse)> {
        let mut all: BTreeMap<&str, ToolUse> = BTreeMap::new();
        for (name, tool) in self.all().flat_map(|profile| &profile.tools) {
            let sum = all.entry(name).or_default();
            sum.calls += tool.calls;
            sum.failed += tool.failed;
            sum.timed += tool.timed;
            sum.milliseconds = sum.milliseconds.saturating_add(tool.milliseconds);
        }
        let mut all: Vec<_> = all.into_iter().collect();
        all.sort_by_key(|(_, tool)| std::cmp::Reverse(tool.calls));
        all
    }

    fn failures(&self) -> impl Iterator<Item = (&'a Profile, &'a Failure)> {
        self.all().flat_map(|profile| profile.failures.iter().map(move |failure| (profile, failure)))
    }

    fn document(&self) -> OfTree {
        let tools = self.tools().into_iter().map(|(name, tool)| OfTool {
            tool: told(name),
            calls: tool.calls,
            failed: tool.failed,
            mean_ms: tool.mean(),
        });
        let failures = self.failures().map(|(profile, failure)| OfFailure {
            session: told(&profile.id),
            event: failure.event,
            tool: failure.tool.as_deref().map(told),
            message: failure.said.as_deref().map(told),
        });
        let hosts: std::collections::BTreeSet<&str> =
            self.all().flat_map(|profile| profile.hosts.iter().map(String::as_str)).collect();
        let usage = self.usage();
        OfTree {
            id: told(&self.root.id),
            agent: told(&self.root.agent),
            source: told(&self.root.source),
            sessions: self.below.len() + 1,
            duration_ms: self.duration(),
            ended: self.root.ended.name(),
            tool_calls: self.sum(|profile| profile.calls),
            refused: self.sum(|profile| profile.refused),
            model_requests: usage.requests,
            turns: self.sum(|profile| profile.turns),
            errors: self.sum(Profile::errors),
            retries: self.sum(|profile| profile.retries.len()),
            context_resets: self.sum(|profile| profile.resets),
            files_read: self.sum(|profile| profile.files_read),
            files_changed: self.sum(|profile| profile.files.changed),
            redundant_reads: self.sum(|profile| profile.files.rereads.len()),
            commands: self.sum(|profile| profile.commands.len()),
            hosts: hosts.into_iter().map(told).collect(),
            unknown_hosts: self.all().any(|profile| profile.unknown_hosts),
            subagents: self.sum(|profile| profile.subagents),
            cost: Amount::of(&self.cost()),
            usage: Tokens::of(&usage),
            tools: tools.collect(),
            failures: failures.collect(),
        }
    }

    fn text(&self) -> String {
        let mut lines = self.summary();
        let tools = self.tools();
        if !tools.is_empty() {
            lines.push(String::new());
            lines.push("Tool frequency:".to_owned());
            let rows: Vec<[String; 4]> = tools.iter().map(|(name, tool)| row(name, tool)).collect();
            lines.extend(super::super::columns(&rows).lines().map(str::to_owned));
        }
        let failures: Vec<_> = self.failures().collect();
        if !failures.is_empty() {
            lines.push(String::new());
            lines.push(format!("Errors ({}):", failures.len()));
            lines.extend(failures.iter().take(FAILURES).map(|(profile, failure)| self.failure(profile, failure)));
            lines.extend(super::super::text::more(failures.len(), FAILURES));
        }
        lines.join("\n") + "\n"
    }

    fn failure(&self, profile: &Profile, failure: &Failure) -> String {
        let whose = if profile.id == self.root.id { String::new() } else { format!("{} ", shown(&profile.id, 40)) };
        let tool = failure.tool.as_deref().map_or_else(|| "no call".to_owned(), |tool| shown(tool, 40));
        let said = failure.said.as_deref().map_or_else(String::new, |said| format!(": {}", shown(said, SAID)));
        format!("  {whose}event {}, {tool}{said}", failure.event)
    }

    fn summary(&self) -> Vec<String> {
        let (root, usage) = (self.root, self.usage());
        let fields = |(name, value): (&str, String)| format!("{name:<16}{value}");
        let mut lines = vec![("Session:", shown(&root.id, 80)), ("Agent:", shown(&root.agent, 40))];
        if !self.below.is_empty() {
            lines.push(("Sessions:", format!("{} (with those that it started)", self.below.len() + 1)));
        }
        lines.push(("Duration:", self.duration().map_or_else(|| "not recorded".to_owned(), span)));
        lines.push(("Ended:", ended(&root.ended)));
        let refused = self.sum(|profile| profile.refused);
        let refused = if refused > 0 { format!(" ({refused} refused)") } else { String::new() };
        lines.push(("Tool calls:", format!("{}{refused}", self.sum(|profile| profile.calls))));
        let total = agent_strace_metrics::series::total_tokens(&usage);
        let requests = if usage.requests == 0 { "not recorded".to_owned() } else { grouped(usage.requests) };
        lines.push(("LLM requests:", requests));
        let [input, output, read, written] =
            [usage.input, usage.output, usage.cache_read, usage.cache_write].map(grouped);
        let parts = format!("{input} input, {output} output, {read} cache read, {written} cache write");
        let tokens = if total == 0 { "not recorded".to_owned() } else { format!("{} ({parts})", grouped(total)) };
        lines.push(("Tokens:", tokens));
        let cost = self.cost();
        let why = cost.why.first().map_or_else(|| cost.basis.name().to_owned(), ToString::to_string);
        lines.push(("Cost:", format!("{} ({})", price(&cost), shown(&why, 120))));
        let rereads = self.sum(|profile| profile.files.rereads.len());
        let (read, changed) = (self.sum(|profile| profile.files_read), self.sum(|profile| profile.files.changed));
        lines.push(("Files:", format!("{read} read, {changed} changed, {rereads} redundant reads")));
        lines.push(("Retries:", self.sum(|profile| profile.retries.len()).to_string()));
        lines.push(("Errors:", self.sum(Profile::errors).to_string()));
        lines.into_iter().map(fields).collect()
    }
}

fn row(name: &str, tool: &ToolUse) -> [String; 4] {
    [
        format!("  {}", shown(name, 60)),
        tool.calls.to_string(),
        tool.mean().map_or_else(String::new, |mean| format!("mean {}", milliseconds(mean))),
        if tool.failed > 0 { format!("{} failed", tool.failed) } else { String::new() },
    ]
}

fn milliseconds(mean: u64) -> String {
    if mean < 1000 { format!("{mean} ms") } else { span(mean) }
}

fn ended(ended: &Ended) -> String {
    match ended {
        Ended::Recorded { failed, status, reason } => {
            let word = if *failed { "failed" } else { "completed" };
            let said: Vec<String> = [status, reason].into_iter().flatten().map(|text| shown(text, SAID)).collect();
            if said.is_empty() { word.to_owned() } else { format!("{word} ({})", said.join(", ")) }
        }
        Ended::Unfinished => "the log does not say, and logs of its kind do: it was left, or goes on".to_owned(),
        Ended::Untold => "logs of its kind do not say".to_owned(),
    }
}
