//! A workflow that runs the gate: whether a change touches the jobs of the gate, and how.

use std::collections::{BTreeMap, BTreeSet};

use super::formats::{shape, visit_texts};
use super::gate::GateFiles;
use super::gitlab::{self, has_tag, is_merge, lines_with_odd_breaks};
use super::resolve::is_yaml;
use super::systems::{Dialect, dialect};
use super::touches::Changed;
use super::tree::Content;
use super::work::Work;
use crate::repo_audit::{Document, Language, items, member, members, text};
use agent_strace_policy::json::{Data, Value};

/// How a change touches the workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Edit {
    /// Jobs of the gate, or settings of all jobs.
    Gate,
    /// Nothing of them but the versions of actions of other repositories.
    Versions(Vec<String>),
    /// Jobs that the gate does not need, and that do not need it.
    Others,
    /// Nothing that its reader sees: comments, blanks, ends of lines.
    Unseen,
}

/// How the change touches a workflow that runs the gate at the base. A change that can't be read as one of these is an edit of the gate.
pub(super) fn edit(changed: &Changed<'_>, gate: &GateFiles, work: &Work, path: &str) -> Edit {
    let (Content::Text(before), Content::Text(head)) = (changed.before.read(path), changed.head.read(path)) else {
        return Edit::Gate;
    };
    let dialect = dialect(path);
    let is_workflow = dialect == Some(Dialect::Workflow);
    // Readers of YAML differ in where such a line ends: one takes the rest for a comment, another one for a job. Those of
    // workflows read YAML 1.2.
    let odd = |text| {
        let lines = lines_with_odd_breaks(text).into_iter();
        lines.filter(|line| !is_workflow || line.contains('\r')).collect::<Vec<_>>()
    };
    if odd(&before) != odd(&head) {
        return Edit::Gate;
    }
    // Without a dialect it is a file that one of GitLab includes.
    let is_known = matches!(dialect, None | Some(Dialect::Workflow | Dialect::Gitlab)) && is_yaml(path);
    if is_known && reads_the_same(&before, &head, is_workflow) {
        return Edit::Unseen;
    }
    let found = match (dialect, changed.base.read(path)) {
        (Some(Dialect::Workflow), Content::Text(base)) => compared(&base, &before, &head, &gate.jobs(path)),
        (None | Some(Dialect::Gitlab), Content::Text(_)) => {
            gitlab::leaves_the_gate(changed, gate, work, path).then_some(Edit::Others)
        }
        _ => None,
    };
    found.unwrap_or(Edit::Gate)
}

/// Returns true if two texts have the same data for every reader.
fn reads_the_same(before: &str, head: &str, is_workflow: bool) -> bool {
    let read = |text| Document::read(Language::Yaml, text).ok();
    let (Some(old), Some(new)) = (read(before), read(head)) else { return false };
    shape(&old.root) == shape(&new.root)
        && read_otherwise(before, is_workflow) == read_otherwise(head, is_workflow)
        && ambiguous(before, &old.root) == ambiguous(head, &new.root)
}

/// The lines with tags, which the data do not have (`!reference [.setup, script]`). Where a value has a tag or keys are
/// merged, all lines: Ruby takes the last one of equal keys where the data have the first one (`<<: {script: [x]}`), so that
/// the place of such a line counts.
fn read_otherwise(text: &str, is_workflow: bool) -> Vec<String> {
    let is_content = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let lines: Vec<&str> = text.lines().filter(is_content).map(without_comment).collect();
    if lines.iter().any(|line| is_merge(line) || !is_workflow && has_tag(line)) {
        return lines.into_iter().map(|line| line.replace('\'', "\"")).collect();
    }
    lines.into_iter().map(str::trim).filter(|line| line.contains('!')).map(str::to_owned).collect()
}

/// The line without a comment behind it, where it is one for certain.
fn without_comment(line: &str) -> &str {
    let found = line.match_indices('#').find(|(at, _)| line.get(..*at).is_some_and(|text| text.ends_with([' ', '\t'])));
    let (code, comment) = line.split_at(found.map_or(line.len(), |(at, _)| at));
    let is_certain = !code.contains(['"', '\'']) && !comment.contains('!') && !comment.contains("<<");
    if is_certain { code } else { line }.trim_end()
}

/// Texts that other readers take for something else where they are bare (`no`, `0777`), each with how it is written.
fn ambiguous<'t>(text: &'t str, root: &'t Value) -> Vec<(&'t str, &'t str)> {
    const WORDS: &[&str] = &["y", "n", "yes", "no", "on", "off"];
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        if let Data::Text(read) = &value.data
            && (WORDS.contains(&read.to_lowercase().as_str())
                || read.starts_with(|letter: char| letter.is_ascii_digit() || "+-.:".contains(letter)))
        {
            found.push((read.as_str(), written(text, value.span.start)));
        }
        open.extend(items(value));
        open.extend(members(value).iter().map(|(_, value)| value));
    }
    found
}

/// How a text is written: in quotes of either kind, bare, or below a line that may end with `|`.
fn written(text: &str, at: usize) -> &str {
    let (before, behind) = (text.get(..at).unwrap_or_default(), text.get(at..).unwrap_or_default());
    if behind.starts_with(['"', '\'']) {
        return "in quotes";
    }
    let above = before.trim_end();
    let is_below = before.get(above.len()..).is_some_and(|blanks| blanks.contains('\n'));
    let line = above.rsplit('\n').next().unwrap_or_default();
    if is_below && line.contains(['|', '>']) { line } else { "bare" }
}

/// The jobs that wait for those of the gate and decide by themselves what its result means: a branch may require them in its place.
pub(super) fn judging(text: &str, own: &BTreeSet<String>) -> BTreeSet<String> {
    let Some(jobs) = Jobs::of(text) else { return BTreeSet::new() };
    let judges = |key: &String| jobs.jobs.get(key).is_some_and(|job| judges(&job.value));
    jobs.waiting(own).into_iter().filter(|key| !own.contains(key) && judges(key)).collect()
}

fn judges(job: &Value) -> bool {
    let mut reads = false;
    visit_texts(job, &mut |text| reads |= text.contains("needs.") || text.contains("(needs"));
    reads || member(job, "if").is_some()
}

fn compared(base: &str, before: &str, head: &str, own: &BTreeSet<String>) -> Option<Edit> {
    if own.is_empty() {
        return None;
    }
    let (base, old, new) = (Jobs::of(base)?, Jobs::of(before)?, Jobs::of(head)?);
    if old.shared != new.shared {
        return None;
    }
    let mut needed: BTreeSet<String> = own.clone();
    for jobs in [&base, &old, &new] {
        needed.extend(jobs.needed(own));
        needed.extend(jobs.waiting(own));
    }
    let mut moved = BTreeSet::new();
    for key in needed {
        match (old.jobs.get(&key), new.jobs.get(&key)) {
            (None, None) => {}
            (Some(old), Some(new)) => versions(&old.value, &new.value, &mut moved)?,
            _ => return None,
        }
    }
    Some(if moved.is_empty() { Edit::Others } else { Edit::Versions(moved.into_iter().collect()) })
}

/// The jobs of a workflow, and all that is written beside them.
struct Jobs {
    shared: Vec<(String, String)>,
    jobs: BTreeMap<String, Job>,
}

struct Job {
    value: Value,
    needs: BTreeSet<String>,
}

impl Jobs {
    /// `None`: it is no workflow, or readers differ in what it says.
    fn of(text: &str) -> Option<Self> {
        let document = Document::read(Language::Yaml, text).ok()?;
        let shared = members(&document.root).iter().filter(|(key, _)| key.name != "jobs");
        let shared = shared.map(|(key, value)| (key.name.clone(), shape(value))).collect();
        let is_once = members(&document.root).iter().filter(|(key, _)| key.name == "jobs").count() == 1;
        let listed = members(member(&document.root, "jobs").filter(|_| is_once)?);
        let mut jobs = BTreeMap::new();
        for (key, job) in listed {
            let mut needs = BTreeSet::new();
            if let Some(value) = member(job, "needs") {
                visit_texts(value, &mut |text| needs.extend([text.to_owned()]));
            }
            jobs.insert(key.name.clone(), Job { value: job.clone(), needs });
        }
        (jobs.len() == listed.len()).then_some(Self { shared, jobs })
    }

    /// Jobs that some jobs wait for: where one of them fails, those are skipped, and that passes a required check.
    fn needed(&self, of: &BTreeSet<String>) -> BTreeSet<String> {
        let mut open: Vec<&String> = of.iter().collect();
        let mut found = BTreeSet::new();
        while let Some(key) = open.pop() {
            let Some(job) = self.jobs.get(key) else { continue };
            open.extend(job.needs.iter().filter(|key| found.insert((*key).clone())));
        }
        found
    }

    /// Jobs that wait for some jobs, directly or through others: where branches require one job for all, it is one of these.
    fn waiting(&self, of: &BTreeSet<String>) -> BTreeSet<String> {
        let mut waiting: BTreeMap<&String, Vec<&String>> = BTreeMap::new();
        for (key, job) in &self.jobs {
            job.needs.iter().for_each(|needed| waiting.entry(needed).or_default().push(key));
        }
        let mut open: Vec<&String> = of.iter().collect();
        let mut found = BTreeSet::new();
        while let Some(key) = open.pop() {
            let next = waiting.get(key).into_iter().flatten().copied();
            open.extend(next.filter(|key| found.insert((*key).clone())));
        }
        found
    }
}

/// Collects the actions of other repositories that are used at another version. `None`: something else differs, too.
fn versions(old: &Value, new: &Value, moved: &mut BTreeSet<String>) -> Option<()> {
    match (&old.data, &new.data) {
        (Data::List(old), Data::List(new)) if old.len() == new.len() => {
            old.iter().zip(new).try_for_each(|(old, new)| versions(old, new, moved))
        }
        (Data::Object(old), Data::Object(new)) if old.len() == new.len() => {
            old.iter().zip(new).try_for_each(|((key, old), (other, new))| {
                let (before, after) = (text(old).and_then(used), text(new).and_then(used));
                if key.name != other.name {
                    return None;
                }
                match (before, after) {
                    (Some((action, old)), Some((same, new))) if key.name == "uses" && action == same && old != new => {
                        moved.insert(action.to_owned());
                        Some(())
                    }
                    _ => versions(old, new, moved),
                }
            })
        }
        _ => (shape(old) == shape(new)).then_some(()),
    }
}

/// The action of another repository, and its version: `OWNER/NAME@VERSION`.
fn used(used: &str) -> Option<(&str, &str)> {
    let (action, version) = used.split_once('@')?;
    let is_plain = |text: &str| text.chars().all(|letter| letter.is_alphanumeric() || "/._-".contains(letter));
    (!action.starts_with('.') && is_plain(action) && is_plain(version)).then_some((action, version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_edits_of_the_gate_and_of_what_it_needs_count() {
        let text = "on: pull_request\npermissions: {}\njobs:\n  lint:\n    steps:\n      - run: make lint\n  setup:\n    steps:\n      \
                    - uses: actions/setup@aaa # v1\n  gate:\n    needs: [setup]\n    steps:\n      - uses: actions/checkout@aaa # v1\n      \
                    - uses: acme/agent-strace@bbb\n  after:\n    needs: gate\n    steps: [{run: date}]\n";
        let own = BTreeSet::from(["gate".to_owned()]);
        let versions = |names: &[&str]| Some(Edit::Versions(names.iter().map(|name| (*name).to_owned()).collect()));
        for (old, new, expected) in [
            ("make lint", "make lint all", Some(Edit::Others)),
            ("run: date", "run: ls", None),
            ("needs: gate\n", "needs: lint\n", None),
            ("  after:", "  last: {needs: after, steps: []}\n  after:", None),
            ("  lint:\n", "  new:\n    steps: []\n  lint:\n", Some(Edit::Others)),
            ("checkout@aaa # v1", "checkout@ccc # v2", versions(&["actions/checkout"])),
            ("strace@bbb", "strace@ccc", versions(&["acme/agent-strace"])),
            ("setup@aaa", "setup@ccc", versions(&["actions/setup"])),
            ("checkout@aaa", "other@aaa", None),
            ("actions/checkout@aaa", "evil/checkout@ccc", None),
            ("needs: [setup]", "if: false", None),
            ("    needs: [setup]\n", "", None),
            ("permissions: {}", "permissions: {contents: read}", None),
            ("on: pull_request", "on: push", None),
            ("      - uses: acme/agent-strace@bbb\n", "", None),
            ("  gate:", "  gate2:", None),
            ("  lint:", "  gate: {}\n  lint:", None),
            ("[setup]\n    steps:", "[setup]\n    env: {A: b}\n    steps:", None),
            ("setup@aaa # v1\n", "setup@aaa # v1\n      - run: exit 1\n", None),
        ] {
            let head = text.replace(old, new);
            assert_ne!(head, text, "{old}");
            assert_eq!(compared(text, text, &head, &own), expected, "{old} → {new}");
        }
    }
}
