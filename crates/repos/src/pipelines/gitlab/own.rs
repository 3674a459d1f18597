//! The jobs of the gate in its pipeline, and what they take from others.

use std::collections::BTreeSet;

use super::closed::{File, Files, Pipeline};
use super::ordinary::has_plain_keys;
use super::plain::merges_keys;
use crate::pipelines::calls::names_gate;
use crate::pipelines::formats::visit_texts;
use crate::pipelines::gate::GateFiles;
use crate::pipelines::names::CheckName;
use crate::pipelines::systems::{Dialect, GITLAB_KEYWORDS, dialect};
use crate::pipelines::work::Work;
use crate::repo_audit::{member, members, text as text_of};
use agent_strace_policy::json::{Data, Key, Value};

/// Settings of a pipeline that its jobs have in common.
const GIVEN: &[&str] = &["variables", "image", "services", "before_script", "after_script", "hooks"];

/// Parts of texts that load what jobs made: addresses of GitLab's API, and its client.
const LOADS: &[&str] = &["artifact", "/jobs", "job=", "glab"];

/// The jobs of the gate.
pub(super) struct Own<'p> {
    /// Those that run, and those that only hold something for others.
    jobs: Vec<(&'p str, &'p Value)>,
    /// Their keys and the names of the gate's checks, in lower case.
    names: BTreeSet<String>,
    /// All texts in them and in what all jobs have in common, in lower case, one below the other.
    text: String,
    /// The words of the text.
    words: BTreeSet<String>,
}

impl<'p> Own<'p> {
    /// `None`: no job of the pipeline runs the gate, one elsewhere does, or readers may differ in what its jobs are.
    pub(super) fn of(gate: &GateFiles, pipeline: &'p Pipeline, files: &Files<'p>) -> Option<Self> {
        let is_of_gitlab = |path: &str| matches!(dialect(path), None | Some(Dialect::Gitlab));
        let mut with_jobs = gate.files_with_jobs().filter(|path| is_of_gitlab(path));
        if with_jobs.any(|path| !pipeline.files.contains_key(path)) {
            return None;
        }
        let mut own = Self { jobs: Vec::new(), names: BTreeSet::new(), text: String::new(), words: BTreeSet::new() };
        let mut is_known = false;
        for (path, file) in &pipeline.files {
            let leading = gate.jobs(path);
            is_known |= leading.iter().any(|key| !key.starts_with('.') && !GITLAB_KEYWORDS.contains(&key.as_str()));
            let jobs = members(&file.root).iter().map(|(key, job)| (key.name.as_str(), job));
            // A variable may hold the address of the program; what runs for all jobs is another thing.
            if leading.iter().any(|key| GITLAB_KEYWORDS.contains(&key.as_str()) && key != "variables") {
                return None;
            }
            let is_own = |key: &str, job: &Value| names(key, job) || leading.contains(key);
            let found: Vec<_> = jobs.filter(|(key, job)| !GITLAB_KEYWORDS.contains(key) && is_own(key, job)).collect();
            if !found.is_empty() && merges_keys(&file.text) {
                return None;
            }
            own.jobs.extend(found);
        }
        own.name(gate);
        own.read(files);
        let has_plain_jobs = own.jobs.iter().all(|(_, job)| has_plain_keys(job));
        let is_plain = has_plain_jobs && own.is_written_once(files.base.values()) && own.is_written_once(files.later());
        (is_known && is_plain).then_some(own)
    }

    fn name(&mut self, gate: &GateFiles) {
        self.names.extend(self.jobs.iter().map(|(key, _)| key.to_lowercase()));
        self.names.extend(gate.bases.iter().map(|base| base.to_lowercase()));
        self.names.extend(gate.names.iter().map(CheckName::shown).map(|name| name.to_lowercase()));
    }

    fn read(&mut self, files: &Files<'p>) {
        let shared = files.base.values().flat_map(File::shared).flat_map(members);
        let shared = shared.filter(|(key, _)| GIVEN.contains(&key.name.as_str())).map(|(_, value)| value);
        // A stage may have the name of a job, and is not one.
        let is_stage = |(key, value): &(Key, Value)| key.name == "stage" && text_of(value).is_some();
        let values = |job: &'p Value| members(job).iter().filter(|member| !is_stage(member)).map(|(_, value)| value);
        let texts = self.jobs.iter().map(|(_, job)| *job).filter(|job| members(job).is_empty());
        let read: Vec<&Value> = shared.chain(texts).chain(self.jobs.iter().flat_map(|(_, job)| values(job))).collect();
        for value in read {
            visit_texts(value, &mut |found| self.text.extend([&found.to_lowercase(), "\n"]));
        }
        self.words.extend(words(&self.text).map(str::to_owned));
    }

    /// Returns true if no two jobs of a pipeline have a key of the gate: GitLab merges the jobs of its files.
    fn is_written_once(&self, files: impl Iterator<Item = &'p File>) -> bool {
        let mut seen = BTreeSet::new();
        let keys = files.flat_map(File::keys).map(str::to_lowercase).filter(|key| self.names.contains(key));
        keys.into_iter().all(|key| seen.insert(key))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(&name.to_lowercase())
    }

    /// Returns true if a key is one of the gate's, or if GitLab may make it of one: `gate 1/2`, `gate: [a]`.
    pub(super) fn is_named_like(&self, key: &str) -> bool {
        let folded = key.to_lowercase();
        let is_of = |name: &String| folded.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with([' ', ':']));
        self.names.contains(&folded) || self.names.iter().any(is_of) || names_gate(key)
    }

    /// Returns true if a text of the gate's jobs is a key, or has it as a word where they load what jobs made.
    pub(super) fn mentions(&self, key: &str, work: &Work) -> bool {
        let folded = key.to_lowercase();
        if !words(&folded).all(|word| self.words.contains(word)) {
            return false;
        }
        if !LOADS.iter().any(|load| self.text.contains(load)) {
            return work.spend(self.text.len()).is_err() || self.text.lines().any(|line| line.trim() == folded);
        }
        let is_apart = |letter: Option<char>| !letter.is_some_and(is_of_word);
        let is_word = |(at, found): (usize, &str)| {
            let (before, behind) = (self.text.get(..at), self.text.get(at + found.len()..));
            let last = before.and_then(|text| text.chars().next_back());
            is_apart(last) && is_apart(behind.and_then(|text| text.chars().next()))
        };
        work.spend(self.text.len()).is_err() || self.text.match_indices(&folded).any(is_word)
    }

    /// Jobs of the gate that run: the key of one that does not begins with a dot.
    pub(super) fn running(&self) -> impl Iterator<Item = &'p Value> {
        self.jobs.iter().filter(|(key, _)| !key.starts_with('.')).map(|(_, job)| *job)
    }

    /// Returns true if no job of the gate gets files or variables from other jobs.
    pub(super) fn takes_nothing(&self, all: &[&File]) -> bool {
        let bases = |job: &Value| ["extends", "<<"].iter().any(|name| member(job, name).is_some());
        let has_cache = |value: &Value| member(value, "cache").is_some_and(|cache| !is_empty(cache));
        let is_shared = all.iter().flat_map(|file| file.shared()).any(has_cache);
        let is_without = |job: &Value| match member(job, "cache") {
            Some(cache) => is_empty(cache),
            None => !is_shared,
        };
        !self.jobs.iter().any(|(_, job)| bases(job))
            && self.running().all(|job| is_alone(job) && is_without(job) && runs_in_known_image(job, all))
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter| !is_of_word(letter)).filter(|word| !word.is_empty())
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || "_-".contains(letter)
}

fn names(key: &str, job: &Value) -> bool {
    let mut found = names_gate(key);
    visit_texts(job, &mut |text| found |= names_gate(text));
    found
}

/// Returns true if a job waits for no other one, or takes nothing from those of earlier stages.
fn is_alone(job: &Value) -> bool {
    let is_none = |name: &str| member(job, name).map(is_empty_list);
    let takes_none =
        matches!((is_none("needs"), is_none("dependencies")), (Some(true), None | Some(true)) | (None, Some(true)));
    takes_none && member(job, "trigger").is_none()
}

/// Returns true if the file says which images a job runs in: one whose name has a variable may be an image that other jobs make.
fn runs_in_known_image(job: &Value, all: &[&File]) -> bool {
    let is_known = |value: &Value| {
        let mut is_known = true;
        visit_texts(value, &mut |text| is_known &= !text.contains('$'));
        is_known
    };
    let of_all = |name: &str| {
        let mut shared = all.iter().flat_map(|file| file.shared()).filter_map(|value| member(value, name));
        shared.all(is_known)
    };
    ["image", "services"].iter().all(|name| member(job, name).map_or_else(|| of_all(name), is_known))
}

fn is_empty_list(value: &Value) -> bool {
    matches!(&value.data, Data::List(items) if items.is_empty())
}

fn is_empty(value: &Value) -> bool {
    is_empty_list(value) || matches!(&value.data, Data::Object(members) if members.is_empty())
}
