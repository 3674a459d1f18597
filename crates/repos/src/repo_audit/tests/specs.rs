//! Every case of every spec of a rule about repositories, in a repository that it describes.

use agent_strace_testing::specs;
use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use super::super::{Approvals, RepositoryAudit, Settings, audit_repository, tables};
use super::world::World;
use crate::repo_audit::{Location, RepositoryHit};
use agent_strace_git::{Backend, Revisions};
use agent_strace_policy::config;
use agent_strace_policy::config::approved::Approved;
use agent_strace_rules::Check;

/// What a case describes.
#[derive(Default)]
struct Case {
    world: Option<World>,
    today: Option<Date>,
    approved: Option<Vec<Approved>>,
    used: Option<BTreeMap<String, BTreeSet<String>>>,
    configuration: Option<String>,
    branches: Vec<String>,
    commits: Vec<(String, String)>,
}

impl Case {
    fn read(lines: &[&str]) -> Self {
        let mut case = Self { world: Some(World::new()), ..Self::default() };
        let mut rest = lines;
        while let Some((line, after)) = rest.split_first() {
            let length = after.iter().take_while(|line| line.starts_with('|')).count();
            let (content, after) = after.split_at(length);
            let bare =
                |line: &&str| line.trim_start_matches('|').strip_prefix(' ').unwrap_or_default().to_owned() + "\n";
            let text: String = content.iter().map(bare).collect();
            case.add(line, &text);
            rest = after;
        }
        case
    }

    fn add(&mut self, line: &str, text: &str) {
        let (word, value) = line.split_once(' ').unwrap_or_else(|| panic!("no value in `{line}`"));
        match word {
            "file" => {
                if value == ".agent-strace.yaml" {
                    self.configuration = Some(text.to_owned());
                }
                self.world.as_mut().unwrap().file(value, text.as_bytes());
            }
            "commit" => self.commits.push((value.to_owned(), text.to_owned())),
            "branch" => self.branches.push(value.to_owned()),
            "today" => self.today = Some(value.parse().unwrap()),
            "approved" => {
                let names = value.split(',').map(Approved::of_text);
                self.approved.get_or_insert_default().extend(names);
            }
            "used" => {
                let (server, tool) = value.split_once(' ').unwrap();
                self.used.get_or_insert_default().entry(server.to_owned()).or_default().insert(tool.to_owned());
            }
            _ => panic!("what is `{line}`?"),
        }
    }

    fn audit(mut self) -> RepositoryAudit {
        let mut world = self.world.take().unwrap();
        world.commit(("Dana <dana@example.com>", "Dana <dana@example.com>"), "files");
        for (person, message) in &self.commits {
            world.commit((person, person), message);
        }
        for branch in &self.branches {
            world.reference(&format!("refs/heads/{branch}"));
        }
        let file = self.configuration.as_ref().map(|_| ".agent-strace.yaml");
        if let Some(text) = &self.configuration {
            let configuration = config::read_for_repository(".agent-strace.yaml", text.as_bytes()).unwrap();
            self.approved.get_or_insert_default().extend(configuration.approved.unwrap_or_default());
        }
        let today = self.today.unwrap_or_else(|| "2026-03-01".parse().unwrap());
        let approvals = Approvals::new(tables().unwrap(), &self.approved.unwrap_or_default(), today).unwrap();
        let settings = Settings {
            revisions: Some(Revisions::All),
            backend: Backend::Library,
            approvals: &approvals,
            approved_in: file,
            used: self.used.as_ref(),
            deep: false,
        };
        audit_repository(world.path(), &settings).unwrap()
    }
}

fn shown(location: &Location) -> String {
    let line = location.line.map_or_else(String::new, |line| format!(":{line}"));
    let file = location.file.as_ref().map(|file| format!("{file}{line}"));
    let origin = match &location.origin {
        crate::repo_audit::Origin::Head => None,
        // What a commit is called depends on when it was made.
        crate::repo_audit::Origin::Commit(_) => Some("(a commit)".to_owned()),
        crate::repo_audit::Origin::Reference(name) => Some(name.clone()),
        crate::repo_audit::Origin::Worktree => Some("(work tree)".to_owned()),
        crate::repo_audit::Origin::Sessions => Some("(sessions)".to_owned()),
    };
    [file, origin].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The spec with its findings as they are now, and whether its rule was among them.
fn with_findings(text: &str, id: &str) -> (String, bool) {
    let mut fires = false;
    let written = specs::rewritten(text, "repository", |lines| {
        let audit = Case::read(lines).audit();
        assert!(audit.gaps.is_empty(), "{id}: {:?}", audit.gaps);
        fires |= audit.hits.iter().any(|hit| hit.rule.id.as_str() == id);
        let line = |hit: &RepositoryHit| {
            format!("{} {} {}: {}", hit.level.name(), hit.rule.id, shown(&hit.location), hit.message)
        };
        audit.hits.iter().map(line).collect()
    });
    (written, fires)
}

#[test]
fn every_case_of_every_spec_reports_what_it_says() {
    specs::hold(
        agent_strace_rules::all()
            .iter()
            .filter(|rule| matches!(rule.check, Check::Repository))
            .map(|rule| rule.id.as_str()),
        with_findings,
    );
}
