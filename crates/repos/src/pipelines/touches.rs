//! Effects of a change on the gate, file by file.

use std::collections::{BTreeMap, BTreeSet};

use super::gate::{GateFiles, Later, runs_gate};
use super::jobs::{self, Edit};
use super::names::{CheckName, Likeness};
use super::systems::{Dialect, dialect};
use super::tree::{ChangedPath, Content, Contents, Merged, Tree};
use super::work::{Spent, Work};
use super::workflow::{NamedJob, Workflows, sets_checks};
use crate::repo_audit::{Document, Language, gate_calls, items, members, tables};
use agent_strace_git::change_set::Part;

/// Tools whose files are records: agents write them, and do not follow them.
const RECORDERS: &[&str] = &["specstory", "entire", "git-ai", "gh-aw", "sweep"];

/// A change, as far as its files go.
pub struct Changed<'c> {
    /// The tip of the branch that the change is to be merged into: its gate is the one that counts.
    pub base: &'c dyn Tree,
    /// Where the change began.
    pub before: &'c dyn Contents,
    pub head: &'c dyn Contents,
    /// Paths of all files that differ.
    pub paths: Vec<ChangedPath<'c>>,
    /// The folder with sessions.
    pub store: Option<&'c str>,
}

/// The parts that changed files have.
#[derive(Debug, Default)]
pub struct Touches {
    pub parts: BTreeMap<String, Part>,
    /// A limit was reached: files that the gate calls may be missing.
    pub is_cut: bool,
}

pub fn touches(changed: &Changed<'_>) -> Touches {
    let work = Work::new();
    let gate = GateFiles::of(changed.base, &work);
    let merged = Merged::new(changed.base, changed.head, &changed.paths);
    let sides = Sides {
        gate: &gate,
        after: gate.called_in(&merged),
        records: super::record::paths(changed),
        work: &work,
        before: Workflows::new(changed.before, &work),
        head: Workflows::new(changed.head, &work),
    };
    let paths = changed.paths.iter().map(|changed| changed.path);
    let parts = paths.filter_map(|path| Some((path.to_owned(), part(changed, &sides, path)?)));
    Touches { parts: parts.collect(), is_cut: gate.is_cut }
}

/// The gate, and the workflows of both sides.
struct Sides<'s> {
    gate: &'s GateFiles,
    /// Files that the gate of the base would call after the merge.
    after: Later,
    /// Paths of sessions, as the change and the store have them.
    records: Vec<String>,
    work: &'s Work,
    before: Workflows<'s>,
    head: Workflows<'s>,
}

/// The worst part that a file has.
fn part(changed: &Changed<'_>, sides: &Sides<'_>, path: &str) -> Option<Part> {
    let gate = sides.gate;
    let dialect = dialect(path);
    if gate.runs.contains(path) {
        return Some(match jobs::edit(changed, gate, sides.work, path) {
            Edit::Versions(actions) => Part::MovesActions { actions: actions.join("`, `") },
            // The other jobs of GitLab have names of their own.
            Edit::Others if dialect != Some(Dialect::Workflow) => Part::OtherJobs,
            Edit::Others => {
                let content = changed.head.read(path);
                of_workflow(changed, sides, path, &content).unwrap_or(Part::OtherJobs)
            }
            Edit::Unseen => Part::Unseen,
            Edit::Gate => Part::Runs,
        });
    }
    let content = if dialect.is_some() { changed.head.read(path) } else { Content::Missing };
    if dialect.is_some() {
        if matches!(&content, Content::Text(_)) && runs_gate(&content) {
            return Some(Part::Runs);
        }
        if runs_gate(&changed.before.read(path)) {
            return Some(Part::Runs);
        }
    }
    // A program reads it by itself, and reads the same as before.
    let is_same = |started: &BTreeSet<String>| started.contains(path) && super::parts::are_the_same(changed, path);
    if let Some(by) = gate.called.get(path).filter(|_| !is_same(&gate.started)) {
        let is_beside = super::recipes::runs_the_same(changed, gate, path);
        let beside = || super::pins::part(changed, gate, path).unwrap_or_else(|| Part::Beside { by: by.clone() });
        let counted = |by: String| {
            if gate.before.contains(path) { Part::RunsBefore { by } } else { Part::Called { by } }
        };
        return Some(if is_beside { beside() } else { counted(by.clone()) });
    }
    let is_new = || !gate.beside.contains_key(path) && !is_same(&sides.after.started);
    if let Some(by) = sides.after.called.get(path).filter(|_| is_new()) {
        return Some(Part::WouldBeCalled { by: by.clone() });
    }
    let order = super::order::part(changed, gate, path);
    if let Some(by) = super::recipes::shadowed(changed, gate, path) {
        return Some(Part::WouldBeCalled { by });
    }
    if path == ".gitmodules"
        && let Some(by) = super::submodules::moved(changed, gate)
    {
        return Some(Part::Called { by });
    }
    if gate.pipeline.is_match(path)
        && let Some(part) = of_pipeline(changed, gate, path)
    {
        return Some(part);
    }
    if let Some(part @ Part::Supersedes { .. }) = &order {
        return Some(part.clone());
    }
    let found = match dialect {
        Some(Dialect::Workflow) => {
            super::order::awaiting(changed, gate, path).or_else(|| of_workflow(changed, sides, path, &content))
        }
        Some(Dialect::Gitlab) => of_gitlab(gate, &content),
        Some(_) => unreadable(&content),
        None => super::record::part(changed, gate, &sides.records, path)
            .or_else(|| of_script(changed, gate, path))
            .or_else(|| super::pins::part(changed, gate, path)),
    };
    let beside = || Some(Part::Beside { by: gate.beside.get(path)?.clone() });
    let perhaps = || Some(Part::MayRun { used: gate.perhaps.get(path)?.clone() });
    match found {
        Some(Part::NewWorkflow) | None => order
            .or_else(perhaps)
            .or_else(beside)
            .or(found)
            .or_else(|| super::prompts::part(changed, path))
            .or_else(|| of_agent(path)),
        found => found,
    }
}

fn unreadable(content: &Content) -> Option<Part> {
    match content {
        Content::Unreadable(reason) => Some(Part::Unreadable { reason: reason.clone() }),
        _ => None,
    }
}

fn of_workflow(changed: &Changed<'_>, sides: &Sides<'_>, path: &str, content: &Content) -> Option<Part> {
    let Content::Text(text) = content else { return unreadable(content) };
    let jobs = match sides.head.jobs(path) {
        Ok(jobs) => jobs,
        Err((reason, line)) => return Some(Part::Unreadable { reason: format!("line {line}: {reason}") }),
    };
    let known = sides.before.jobs(path).unwrap_or_default();
    let alike = match alike(&jobs, &known, sides) {
        Ok(alike) => alike,
        Err(Spent) => return Some(Part::Unreadable { reason: Spent::reason() }),
    };
    if let Some((Likeness::Fits, name)) = alike {
        return Some(Part::TakesName { name: name.shown() });
    }
    if alike.is_some() || sides.gate.is_unnamed {
        return Some(Part::MayTakeName);
    }
    let before = changed.before.read(path);
    if sets_checks(text) && !matches!(&before, Content::Text(text) if sets_checks(text)) {
        return Some(Part::SetsChecks);
    }
    (before == Content::Missing).then_some(Part::NewWorkflow)
}

/// The name that is most like one of the gate's checks, of those that the change brings.
fn alike<'j>(
    jobs: &'j [NamedJob],
    known: &[NamedJob],
    sides: &Sides<'_>,
) -> Result<Option<(Likeness, &'j CheckName)>, Spent> {
    let mut found: Option<(Likeness, &CheckName)> = None;
    for (job, name) in jobs.iter().flat_map(|job| job.names.iter().map(move |name| (job, name))) {
        let Some(likeness) = name.may_be_any(&sides.gate.names, sides.work)? else { continue };
        sides.work.spend(known.len())?;
        // A name that the job had before is not this change's doing.
        let is_new = !known.iter().any(|known| job.reports_as(name, known));
        if is_new && found.is_none_or(|(best, _)| likeness > best) {
            found = Some((likeness, name));
        }
    }
    Ok(found)
}

/// A job of GitLab that another file of the same pipeline has, too, replaces it.
fn of_gitlab(gate: &GateFiles, content: &Content) -> Option<Part> {
    let Content::Text(text) = content else { return unreadable(content) };
    let divided = super::gitlab::divided(text);
    let keys = [Some(text), divided.as_ref()].into_iter().flatten().flat_map(|text| super::formats::keys(text));
    let mut names = keys.map(CheckName::literal);
    let taken = names.find(|name| gate.names.contains(name));
    taken.map(|name| Part::TakesName { name: name.shown() })
}

/// A file of the pipeline that runs the gate.
fn of_pipeline(changed: &Changed<'_>, gate: &GateFiles, path: &str) -> Option<Part> {
    let head = changed.head.read(path);
    let shared = |content: &Content| match content {
        Content::Text(text) => {
            let bases = super::formats::members_of(text, |key| gate.bases.contains(key));
            [super::formats::shared(text), bases].concat()
        }
        _ => Vec::new(),
    };
    let before = changed.before.read(path);
    let fault_of = |content: &Content| match content {
        Content::Text(text) => super::formats::fault(text),
        _ => None,
    };
    if shared(&head) != shared(&before) {
        return Some(Part::Runs);
    }
    // The file could not be read before the change either.
    if let (Content::Text(text), None) = (&head, fault_of(&before))
        && let Some(reason) = super::formats::fault(text)
    {
        return Some(Part::Unreadable { reason });
    }
    let of = |content: &Content| if let Content::Text(text) = content { text.clone() } else { String::new() };
    let brings_keys = || super::gitlab::brings_keys(&of(&before), &of(&head)).then_some(Part::Runs);
    of_gitlab(gate, &head).or_else(brings_keys)
}

/// A script or a file of recipes that runs the gate, called by something that is in no file: settings of a CI server.
fn of_script(changed: &Changed<'_>, gate: &GateFiles, path: &str) -> Option<Part> {
    let Content::Text(text) = changed.before.read(path) else { return None };
    let is_data = super::resolve::is_yaml(path);
    let is_code = if is_data { calls_gate_in_yaml(&text) } else { super::resolve::is_code(path, &text) };
    if !is_code || !super::calls::names_gate(&text) || !gives_verdict(&text) {
        return None;
    }
    let is_only = gate.runs.is_empty();
    let is_same = || matches!(changed.head.read(path), Content::Text(head) if naming(&head) == naming(&text));
    // Where the gate is called elsewhere, a file of many recipes matters only by those that call it. In YAML it is not known
    // which lines belong to those.
    let holds_more = is_data || super::resolve::is_recipes(path);
    match (is_only, holds_more && is_same()) {
        (false, true) => None,
        (_, is_same) => Some(Part::NamesGate { is_only: is_only && !(is_data && is_same) }),
    }
}

/// Returns true if a value in a file of YAML is a text for a shell that calls the gate, or if the file can't be read.
fn calls_gate_in_yaml(text: &str) -> bool {
    let Ok(document) = Document::read(Language::Yaml, text) else { return true };
    let mut open = vec![&document.root];
    while let Some(value) = open.pop() {
        if crate::repo_audit::text(value).is_some_and(|script| !gate_calls(script).is_empty()) {
            return true;
        }
        open.extend(items(value));
        open.extend(members(value).iter().map(|(_, value)| value));
    }
    false
}

/// The lines that name the gate.
fn naming(text: &str) -> Vec<&str> {
    let lines = text.lines().map(|line| line.trim().trim_end_matches(','));
    lines.filter(|line| super::calls::names_gate(line)).collect()
}

/// Returns true if a line of a text calls the gate for a verdict.
pub(super) fn gives_verdict(text: &str) -> bool {
    const VERDICTS: &[&str] = &["check", "audit", "lint", "eval"];
    let of_line = |line: &str| {
        let (_, behind) = line.split_once(super::calls::GATE)?;
        let mut words = behind.split(|letter: char| letter.is_whitespace() || "\"',".contains(letter));
        words.find(|word| VERDICTS.contains(word)).map(drop)
    };
    text.lines().any(|line| of_line(line).is_some())
}

/// By the tables of agents, which know files that no other list has.
fn of_agent(path: &str) -> Option<Part> {
    let tables = tables().ok()?;
    let mut found = Vec::new();
    let tools = tables.files.matching(path, &mut found).filter_map(|id| tables.signal(id)).map(|(tool, _)| tool);
    let tool = tools.into_iter().find(|tool| !RECORDERS.contains(&tool.id.as_str()))?;
    Some(Part::OfAgent { name: tool.name.clone() })
}
