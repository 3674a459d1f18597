//! Every example of every table in a repository: what is to be found is found, what looks alike is not.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::super::tables::{Confidence, Ecosystem, Form, Signal, Tool};
use super::super::{Approvals, RepositoryAudit, Settings, audit_repository, tables};
use super::world::World;
use agent_strace_git::{Backend, Revisions};

const DANA: &str = "Dana Moreau <dana@example.com>";

fn audit(world: &World) -> RepositoryAudit {
    let approvals = Approvals::default();
    let settings = Settings {
        revisions: Some(Revisions::All),
        backend: Backend::Library,
        approvals: &approvals,
        approved_in: None,
        used: None,
        deep: false,
    };
    audit_repository(world.path(), &settings).unwrap()
}

/// Puts an example where its kind belongs. `number` tells files of one name apart.
fn plant(world: &mut World, form: &Form, example: &str, number: usize) {
    match form {
        Form::File { .. } => world.file(example, b"x\n"),
        Form::Setting { .. } => {
            let (path, content) = example.split_once('\n').unwrap_or((example, ""));
            world.file(path, content.as_bytes());
        }
        Form::Package { ecosystem, .. } => package(world, *ecosystem, example, number),
        Form::Extension { .. } => {
            let text = format!("{{\"recommendations\": [\"{example}\"]}}");
            world.file(&format!("e{number}/.vscode/extensions.json"), text.as_bytes());
        }
        Form::Feature { .. } => {
            let text = format!("{{\"features\": {{\"{example}\": {{}}}}}}");
            world.file(&format!("f{number}/.devcontainer/devcontainer.json"), text.as_bytes());
        }
        Form::Action { .. } => {
            let text = format!("jobs:\n  a:\n    steps:\n      - uses: {example}\n");
            world.file(&format!(".github/workflows/w{number}.yml"), text.as_bytes());
        }
        Form::Command { .. } => {
            let text = format!("jobs:\n  a:\n    steps:\n      - run: |\n          {example}\n");
            world.file(&format!(".github/workflows/w{number}.yml"), text.as_bytes());
        }
        Form::Trailer { .. } => {
            world.commit((DANA, DANA), &format!("change {number}\n\nWhy it is so.\n\n{example}\n"));
        }
        Form::Message { .. } => {
            world.commit((DANA, DANA), &format!("{example}\n"));
        }
        Form::Identity { role, .. } => {
            let people = match role {
                Some(super::super::tables::Role::Committer) => (DANA, example),
                _ => (example, DANA),
            };
            world.commit(people, "change");
        }
        Form::Branch { .. } => {
            world.commit((DANA, DANA), "start");
            world.reference(&format!("refs/remotes/origin/{example}"));
        }
        Form::Ref { .. } => {
            world.commit((DANA, DANA), "start");
            world.reference(example);
        }
        Form::Ignored { .. } => world.file(&format!("i{number}/.gitignore"), format!("{example}\n").as_bytes()),
    }
}

fn package(world: &mut World, ecosystem: Ecosystem, example: &str, number: usize) {
    let name = |separator: &str| example.rsplit_once(separator).map_or(example, |(name, _)| name).to_owned();
    let npm = example
        .char_indices()
        .skip(1)
        .find(|(_, character)| *character == '@')
        .map_or(example, |(at, _)| example.get(..at).unwrap());
    let plain = example.split(['=', '>', '<', '~', ' ', '[']).next().unwrap_or(example);
    let (file, text) = match ecosystem {
        Ecosystem::Npm => ("package.json", format!("{{\"dependencies\": {{\"{npm}\": \"1\"}}}}")),
        Ecosystem::Pypi => ("requirements.txt", format!("{example}\n")),
        Ecosystem::Cargo => ("Cargo.toml", format!("[dependencies]\n\"{}\" = \"1\"\n", name("@"))),
        Ecosystem::Go => ("go.mod", format!("module x.y/z\nrequire {} v1\n", name("@"))),
        Ecosystem::Gem => ("Gemfile", format!("gem \"{plain}\"\n")),
        Ecosystem::Nuget => ("a.csproj", format!("<PackageReference Include=\"{}\" />", name("@"))),
        Ecosystem::Docker => ("Dockerfile", format!("FROM {example}\n")),
        Ecosystem::Brew => ("Brewfile", format!("brew \"{}\"\n", name("@"))),
        Ecosystem::Maven | Ecosystem::GithubRelease => panic!("no table has {ecosystem:?}"),
    };
    world.file(&format!("p{number}/{file}"), text.as_bytes());
}

/// Whether the sweep found this kind of trace of the tool, at least as sure as its signal says.
fn is_found(audit: &RepositoryAudit, tool: &Tool, signal: &Signal) -> bool {
    let detected = audit.tools.iter().filter(|detected| detected.tool.id == tool.id);
    detected
        .flat_map(|detected| &detected.evidence)
        .any(|evidence| evidence.signal == signal.form.name() && evidence.confidence >= signal.confidence)
}

/// Puts every example of all tables into a repository of its own, and asks what is wrong with what is found there.
fn each_example(
    examples: fn(&Signal) -> &[String],
    wrong: impl Fn(&RepositoryAudit, &Tool, &Signal) -> Option<String> + Sync,
) -> (usize, Vec<String>) {
    let all: Vec<(&Tool, &Signal, usize, &String)> = tables()
        .unwrap()
        .tools()
        .iter()
        .flat_map(|tool| tool.signals.iter().map(move |signal| (tool, signal)))
        .flat_map(|(tool, signal)| {
            examples(signal).iter().enumerate().map(move |(number, example)| (tool, signal, number, example))
        })
        .collect();
    let judged = all.par_iter().filter_map(|(tool, signal, number, example)| {
        let mut world = World::new();
        plant(&mut world, &signal.form, example, *number);
        world.commit((DANA, DANA), "files");
        let reason = wrong(&audit(&world), tool, signal)?;
        Some(format!("{}: {} `{example}` {reason}", tool.id, signal.form.name()))
    });
    (all.len(), judged.collect())
}

#[test]
fn what_is_planted_is_found_each_for_itself() {
    let missed = |audit: &RepositoryAudit, tool: &Tool, signal: &Signal| {
        (!is_found(audit, tool, signal)).then(|| "is not found".to_owned())
    };
    let (planted, missed) = each_example(|signal| &signal.plants, missed);
    assert!(planted >= 150, "{planted}");
    assert!(missed.is_empty(), "{} of {planted}:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn what_looks_alike_is_never_confirmed() {
    let confirmed = |audit: &RepositoryAudit, tool: &Tool, _: &Signal| {
        let detected = audit.tools.iter().find(|detected| detected.tool.id == tool.id)?;
        let texts: Vec<&str> = detected.evidence.iter().map(|evidence| evidence.text.as_str()).collect();
        (detected.confidence == Confidence::Confirmed).then(|| format!("is confirmed by {texts:?}"))
    };
    let (spared, wrong) = each_example(|signal| &signal.spares, confirmed);
    assert!(spared >= 100, "{spared}");
    assert!(wrong.is_empty(), "{} of {spared}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn all_look_alikes_together_confirm_nothing_that_is_not_there() {
    // Names of people, mails of owners, words of databases: in one repository with everyday commits.
    let mut world = World::new();
    world.file("CODEOWNERS", b"* claude@company.example devin@company.example @jules\n");
    world.file("db/query.sql", b"DECLARE cursor_1 CURSOR FOR SELECT 1;\n");
    world.file("src/continue.py", b"while True:\n    continue\n");
    world.file("styles/app.css", b".a { cursor: pointer; }\n");
    world.file("docs/gemini.md", b"The exchange Gemini lists it.\n");
    for person in [
        "Claude Dupont <claude.dupont@example.org>",
        "Devin Smith <devin@example.org>",
        "Jules Verne <jules@example.org>",
        "Junie Park <junie@example.org>",
    ] {
        for message in [
            "reported by Claude Dupont",
            "cursor generated column",
            "fix the cursor of the editor\n\nCo-authored-by: Claude Dupont <claude.dupont@example.org>",
            "continue the loop\n\nReviewed-by: Devin Smith <devin@example.org>",
            "bump amp, goose, warp and zed",
        ] {
            world.commit((person, person), message);
        }
    }
    let found: BTreeSet<String> = audit(&world)
        .tools
        .iter()
        .filter(|detected| detected.confidence > Confidence::Weak)
        .map(|detected| detected.tool.id.clone())
        .collect();
    assert!(found.is_empty(), "{found:?}");
}
