//! Effects of a change on the gate, file by file.

use std::collections::BTreeMap;

use super::gate::{GateFiles, runs_gate};
use super::ignored;
use super::names::{CheckName, Likeness};
use super::systems::{Dialect, dialect};
use super::tree::{Content, Contents, Tree};
use super::work::{Spent, Work};
use super::workflow::{NamedJob, Workflows, sets_checks};
use crate::repo_audit::tables;
use agent_strace_git::change_set::Part;

/// Tools whose files are records: agents write them, and do not follow them.
const RECORDERS: &[&str] = &["specstory", "entire", "git-ai", "gh-aw", "sweep"];

/// Attributes by which git changes content when it is committed.
const REWRITING: &[&str] = &["filter", "working-tree-encoding", "ident"];
/// Attributes by which forges do not show a difference.
const HIDING: &[&str] =
    &["diff", "binary", "linguist-generated", "linguist-vendored", "gitlab-generated", "export-ignore"];

/// A change, as far as its files go.
pub struct Changed<'c> {
    /// The tip of the branch that the change is to be merged into: its gate is the one that counts.
    pub base: &'c dyn Tree,
    /// Where the change began.
    pub before: &'c dyn Contents,
    pub head: &'c dyn Contents,
    /// Paths of all files that differ.
    pub paths: Vec<&'c str>,
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
    let sides = Sides {
        gate: &gate,
        work: &work,
        before: Workflows::new(changed.before, &work),
        head: Workflows::new(changed.head, &work),
    };
    let parts = changed.paths.iter().filter_map(|path| Some(((*path).to_owned(), part(changed, &sides, path)?)));
    Touches { parts: parts.collect(), is_cut: gate.is_cut }
}

/// The gate, and the workflows of both sides.
struct Sides<'s> {
    gate: &'s GateFiles,
    work: &'s Work,
    before: Workflows<'s>,
    head: Workflows<'s>,
}

/// The worst part that a file has.
fn part(changed: &Changed<'_>, sides: &Sides<'_>, path: &str) -> Option<Part> {
    let gate = sides.gate;
    if gate.runs.contains(path) {
        return Some(Part::Runs);
    }
    let dialect = dialect(path);
    let is_read = dialect.is_some() || path.ends_with(".gitignore") || path.ends_with(".gitattributes");
    let content = if is_read { changed.head.read(path) } else { Content::Missing };
    if dialect.is_some() {
        if matches!(&content, Content::Text(_)) && runs_gate(&content) {
            return Some(Part::Runs);
        }
        if runs_gate(&changed.before.read(path)) {
            return Some(Part::Runs);
        }
    }
    if let Some(by) = gate.called.get(path) {
        let is_beside = super::recipes::runs_the_same(changed, gate, path);
        return Some(if is_beside { Part::Beside { by: by.clone() } } else { Part::Called { by: by.clone() } });
    }
    if gate.pipeline.is_match(path)
        && let Some(part) = of_pipeline(changed, gate, path)
    {
        return Some(part);
    }
    let found = match dialect {
        Some(Dialect::Workflow) => of_workflow(changed, sides, path, &content),
        Some(Dialect::Gitlab) => of_gitlab(gate, &content),
        Some(_) => unreadable(&content),
        None => of_git(changed, gate, path, &content).or_else(|| of_script(changed, gate, path)),
    };
    let beside = || Some(Part::Beside { by: gate.beside.get(path)?.clone() });
    let perhaps = || Some(Part::MayRun { used: gate.perhaps.get(path)?.clone() });
    match found {
        Some(Part::NewWorkflow) | None => perhaps().or_else(beside).or(found).or_else(|| of_agent(path)),
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
    let keys = super::formats::keys(text);
    let taken = keys.into_iter().map(CheckName::literal).find(|key| gate.names.contains(key));
    taken.map(|name| Part::TakesName { name: name.shown() })
}

/// A file of the pipeline that runs the gate.
fn of_pipeline(changed: &Changed<'_>, gate: &GateFiles, path: &str) -> Option<Part> {
    let head = changed.head.read(path);
    let shared = |content: &Content| match content {
        Content::Text(text) => super::formats::shared(text),
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
    of_gitlab(gate, &head)
}

/// A script or a file of recipes that runs the gate, called by something that is in no file: settings of a CI server.
fn of_script(changed: &Changed<'_>, gate: &GateFiles, path: &str) -> Option<Part> {
    let Content::Text(text) = changed.before.read(path) else { return None };
    let runs = super::calls::names_gate(&text) && super::resolve::is_code(path, &text) && gives_verdict(&text);
    runs.then_some(Part::NamesGate { is_only: gate.runs.is_empty() })
}

/// Whether a line of a text calls the gate for a verdict.
fn gives_verdict(text: &str) -> bool {
    const VERDICTS: &[&str] = &["check", "audit", "lint", "eval"];
    let of_line = |line: &str| {
        let (_, behind) = line.split_once(super::calls::GATE)?;
        let mut words = behind.split(|letter: char| letter.is_whitespace() || "\"',".contains(letter));
        words.find(|word| VERDICTS.contains(word)).map(drop)
    };
    text.lines().any(|line| of_line(line).is_some())
}

/// Files of git that keep the record out of commits, or out of sight.
fn of_git(changed: &Changed<'_>, gate: &GateFiles, path: &str, content: &Content) -> Option<Part> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Content::Text(after) = content else { return None };
    let before = match changed.before.read(path) {
        Content::Text(text) => text,
        _ => String::new(),
    };
    let within = |path: String| -> Option<String> {
        if folder.is_empty() { Some(path) } else { path.strip_prefix(&format!("{folder}/")).map(str::to_owned) }
    };
    let files = ["events.ndjson", "meta.json"];
    let records = files.iter().filter_map(|file| Some(format!("{}/session/{file}", changed.store?)));
    let records: Vec<String> = records.filter_map(within).collect();
    match name {
        ".gitignore" => {
            let ignores = |text: &str| records.iter().any(|record| ignored::ignores(text, record));
            (ignores(after) && !ignores(&before)).then_some(Part::IgnoresRecord)
        }
        ".gitattributes" => {
            let judging = gate.runs.iter().cloned().chain([".agent-scope.json".to_owned()]);
            let paths: Vec<String> = records.into_iter().chain(judging.filter_map(within)).collect();
            of_attributes(&before, after, &paths)
        }
        _ => None,
    }
}

/// The worst effect of new attributes on files of the record and of the gate.
fn of_attributes(before: &str, after: &str, paths: &[String]) -> Option<Part> {
    let mut hidden = None;
    for path in paths {
        let known = ignored::attributes(before, path);
        for attribute in ignored::attributes(after, path).into_iter().filter(|new| !known.contains(new)) {
            let name = attribute.trim_start_matches(['-', '!']).split('=').next().unwrap_or_default();
            if REWRITING.contains(&name) && !attribute.starts_with(['-', '!']) {
                return Some(Part::RewritesRecord { attribute: attribute.to_owned() });
            }
            if HIDING.contains(&name) && hides(attribute) {
                hidden = Some(Part::HidesRecord { attribute: attribute.to_owned() });
            }
        }
    }
    hidden
}

/// `-diff`, `binary`, `linguist-generated`, and not the other way round.
fn hides(attribute: &str) -> bool {
    let is_off = attribute.starts_with(['-', '!']) || attribute.ends_with("=false");
    let name = attribute.trim_start_matches(['-', '!']);
    if name.starts_with("diff") { attribute == "-diff" } else { !is_off }
}

/// By the tables of agents, which know files that no other list has.
fn of_agent(path: &str) -> Option<Part> {
    let tables = tables().ok()?;
    let mut found = Vec::new();
    let tools = tables.files.matching(path, &mut found).filter_map(|id| tables.signal(id)).map(|(tool, _)| tool);
    let tool = tools.into_iter().find(|tool| !RECORDERS.contains(&tool.id.as_str()))?;
    Some(Part::OfAgent { name: tool.name.clone() })
}
