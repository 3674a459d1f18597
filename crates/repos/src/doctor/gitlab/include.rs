//! `include`: the files of a pipeline, as far as they are read.

use super::node::{Content, Key, Node};
use super::pipeline::{Perhaps, Pipeline};
use super::rules::{self, Outcome};
use crate::doctor::answer::Fault;
use crate::doctor::{Check, Held, is_pipeline};
use crate::repo_audit::compiled_globs;

const ID: &str = "gate/included";
/// Files of one pipeline: as many as GitLab allows.
const FILES: usize = 150;
/// Templates of GitLab that say which pipelines there are, by the conditions of their rules.
const WORKFLOWS: &[(&str, &[&str])] = &[
    ("Workflows/Branch-Pipelines.gitlab-ci.yml", &["$CI_COMMIT_TAG", "$CI_COMMIT_BRANCH"]),
    (
        "Workflows/MergeRequest-Pipelines.gitlab-ci.yml",
        &["$CI_MERGE_REQUEST_IID", "$CI_COMMIT_TAG", "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"],
    ),
];

impl Pipeline {
    /// Lays what one entry of `include` names over what was there before.
    pub(super) fn include(
        &mut self,
        item: &Node,
        whole: &mut Node,
        held: &Held<'_>,
        depth: usize,
        checks: &mut Vec<Check>,
    ) {
        let local = item.member("local").or(Some(item)).and_then(Node::text).filter(|path| !path.contains("://"));
        let Some(local) = local else { return self.elsewhere(item, whole) };
        let outcome = item.member("rules").map_or(Outcome::Runs, |rules| rules::outcome_of(rules, held));
        if outcome == Outcome::Never {
            return;
        }
        let pattern = local.trim_start_matches('/').trim_start_matches("./");
        let Ok(globs) = compiled_globs([pattern]) else { return };
        let paths: Vec<&String> =
            held.pipelines.iter().map(|(path, _)| path).filter(|path| globs.is_match(path)).collect();
        if paths.is_empty() {
            self.faults.extend(unread(pattern).map(|fault| (fault, item.place.clone())));
        }
        for path in paths {
            if self.files.len() > FILES {
                let fault = Fault::unknown(ID, "too many files are included, and not all of them are read");
                return self.faults.push((fault, item.place.clone()));
            }
            let Some(included) = self.load(path, item.member("inputs"), held, depth, checks) else { continue };
            if outcome != Outcome::Runs {
                let names = included.members().iter().map(|(key, _)| key.name.clone()).collect();
                self.perhaps.push(Perhaps { place: item.place.clone(), names });
            }
            whole.lay(included);
        }
    }

    /// An include of something that is not of this repository. Templates of GitLab bring jobs of their own.
    fn elsewhere(&mut self, item: &Node, whole: &mut Node) {
        let Some(template) = item.member("template") else {
            let message =
                "what this includes is not of this repository, and may change the job: nothing of it is read here";
            return self.faults.push((Fault::limits(ID, message), item.place.clone()));
        };
        let known = WORKFLOWS.iter().find(|(name, _)| template.text() == Some(name));
        let Some((_, conditions)) = known else { return };
        let node = |content| Node { place: item.place.clone(), content };
        let map = |name: &str, value| {
            node(Content::Map(vec![(Key { name: name.to_owned(), place: item.place.clone() }, value)]))
        };
        let rules = conditions.iter().map(|condition| map("if", node(Content::Text((*condition).to_owned()))));
        whole.lay(map("workflow", map("rules", node(Content::List(rules.collect())))));
    }
}

/// A file that is included, and is not there to be read.
fn unread(pattern: &str) -> Option<Fault> {
    let is_exact = !pattern.contains(['*', '$']);
    match is_pipeline(pattern) {
        true if is_exact => Some(Fault::unknown(
            ID,
            format!("`{pattern}` is included, and is no file of this commit: GitLab starts no pipeline then"),
        )),
        // A pattern that fits no file includes nothing.
        true if !pattern.contains('$') => None,
        _ => Some(Fault::limits(ID, format!("`{pattern}` is included, and is not read here: put it into `.gitlab/`"))),
    }
}
