//! The README shows what really happens: its generated parts are compared, `UPDATE_SPECS=1` writes them.

use std::fmt::Write as _;
use std::fs;

use crate::world::{World, project, update};

/// What the README tells a newcomer to run, without `cargo run --locked --quiet --`.
const DEMO: &str = "check fixtures/demo/.agent-traces fixtures/demo/logs --policy fixtures/demo/.agent-scope.json";

#[test]
fn the_generated_parts_are_current() {
    let path = project().join("README.md");
    let text = fs::read_to_string(&path).unwrap();
    let current = with_part(&with_part(&text, "demo", &demo()), "effects", &effects());
    let current = with_part(&with_part(&current, "rules", &rules()), "inspect", &inspect());
    let current = with_part(&current, "happened", &happened());
    let current = with_part(&current, "many", &crate::shared_base::shown());
    if update() {
        fs::write(&path, &current).unwrap();
    } else {
        assert!(text == current, "README.md is not current (UPDATE_SPECS=1 writes it):\n{current}");
    }
}

/// The README's test command is the one that CI runs.
#[test]
fn the_test_command_is_the_one_of_ci() {
    let command = "cargo test --workspace --locked";
    assert!(fs::read_to_string(project().join("README.md")).unwrap().contains(&format!("```sh\n{command}\n```")));
    assert!(fs::read_to_string(project().join(".ci/run")).unwrap().lines().any(|line| line.starts_with(command)));
}

/// Without a package, `cargo test` runs the tests of the command line alone.
#[test]
fn commands_that_rewrite_specs_reach_their_package() {
    let documents =
        ["CONTRIBUTING.md", "crates/ingest/src/formats/mod.rs", "fixtures/commands.md", "fixtures/tools.md"];
    for name in documents.into_iter().chain(["fixtures/logs/README.md", "fixtures/turns/README.md"]) {
        let text = fs::read_to_string(project().join(name)).unwrap().replace("\n//!", "");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, rest) = text.split_once("`UPDATE_SPECS=1 cargo test ").expect(name);
        let options = rest.split('`').next().unwrap();
        let package = options.strip_prefix("-p agent-strace-").map(|rest| rest.split(' ').next().unwrap());
        let exists = package.is_some_and(|package| project().join("crates").join(package).is_dir());
        assert!(exists || options == "--workspace" || options.starts_with("--test suite"), "{name}: {options}");
    }
}

/// The examples inside of it are checked when it is read.
#[test]
fn the_programs_of_the_readme_are_understood() {
    let text = fs::read_to_string(project().join("README.md")).unwrap();
    let start = "<!-- programs: read by tests/suite/readme.rs -->\n```json\n";
    let (_, rest) = text.split_once(start).expect("a policy with programs");
    let world = World::demo();
    world.write("readme.json", rest.split_once("```").unwrap().0);
    let answer = world.run(&["check", "7c9e", "--policy", "readme.json"]);
    assert_ne!(answer.code, 2, "{}", answer.stderr);
}

/// The evals of the README can be used as they stand.
#[test]
fn the_evals_of_the_readme_are_valid() {
    let text = fs::read_to_string(project().join("README.md")).unwrap();
    let start = "<!-- evals: read by tests/suite/readme.rs -->\n```yaml\n";
    let (_, rest) = text.split_once(start).expect("a file of evals");
    let world = World::demo();
    world.write(".agent-evals.yaml", rest.split_once("```").unwrap().0);
    let answer = world.run(&["eval", "20ab"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert_eq!(world.run(&["eval", "7c9e"]).code, 1);
}

/// So can what else identifies somebody.
#[test]
fn the_anonymizing_of_the_readme_is_valid() {
    let text = fs::read_to_string(project().join("README.md")).unwrap();
    let start = "<!-- anonymize: read by tests/suite/readme.rs -->\n```yaml\n";
    let (_, rest) = text.split_once(start).expect("a file for `export --anonymize`");
    let world = World::empty();
    world.write(".agent-strace/anonymize.yaml", rest.split_once("```").unwrap().0);
    let said = "ACME Corp on 192.168.0.17 and build-7: Project Nightjar, jroe";
    world.session("s1", 1_790_000_000, &[("user_prompt", serde_json::json!({"prompt": said}))]);
    let answer = world.run(&["export", "s1", "--anonymize", "--output", "out.json"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let out = world.read("out.json");
    assert!(out.contains("<company> on <internal-ip> and ‹host:") && out.contains("›: ‹named:"), "{out}");
    assert!(out.contains("›, jroe\""), "{out}");
}

/// Every policy and every lint file that the README shows can be used as it stands.
#[test]
fn the_policies_and_lint_files_of_the_readme_are_valid() {
    let readme = fs::read_to_string(project().join("README.md")).unwrap();
    let world = World::empty();
    let blocks = readme.split("```json\n").skip(1).filter_map(|rest| rest.split_once("```"));
    // A digest that is not written out is the one thing that a reader has to put in.
    let blocks: Vec<&str> = blocks.map(|(block, _)| block).filter(|block| !block.contains("…64 digits…")).collect();
    let lints = |block: &&&str| block.contains("\"tool-loop\"");
    assert_eq!(blocks.iter().filter(lints).count(), 1, "a lint file");
    for (number, block) in blocks.iter().enumerate() {
        let name = format!("{number}.json");
        world.write(&name, block);
        if lints(&block) {
            let answer = World::demo().write("lint.json", block).run(&["lint", "--config", "lint.json"]);
            assert_ne!(answer.code, 2, "{block}\n{}", answer.stderr);
            continue;
        }
        let answer = world.run(&["policy", "validate", &name]);
        assert_eq!(answer.code, 0, "{block}\n{}", answer.stderr);
    }
    assert!(blocks.len() > 5, "{}", blocks.len());
}

fn demo() -> String {
    let world = World::empty();
    world.copy_project("fixtures/demo");
    let answer = world.run(&DEMO.split(' ').collect::<Vec<_>>());
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    format!("```console\n$ cargo run --locked --quiet -- {DEMO}\n{}```\n", answer.stdout)
}

/// What happened in the demo, by the commands that say so.
fn happened() -> String {
    let world = World::demo();
    let commands = ["replay 7c9e --around scope/write --context 1", "explain scope/write", "why 7c9e 6"];
    let shown = commands.map(|command| {
        let answer = world.run(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        format!("$ agent-strace {command}\n{}", answer.stdout)
    });
    format!("```console\n{}```\n", shown.join("\n"))
}

fn inspect() -> String {
    const COMMAND: &str = "inspect --view turns fixtures/turns/codex-review/near.jsonl";
    let world = World::empty();
    world.copy_project("fixtures/turns");
    let answer = world.run(&COMMAND.split(' ').collect::<Vec<_>>());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    format!("```console\n$ cargo run --locked --quiet -- {COMMAND}\n{}```\n", answer.stdout)
}

fn effects() -> String {
    const COMMAND: &str = r#"cat src/../.env > out.txt; bash -c "ls src | xargs rm -rf"; npm test"#;
    let arguments = ["effects", "--policy", "fixtures/demo/.agent-scope.json", "--command"];
    let world = World::empty();
    world.copy_project("fixtures/demo");
    let answer = world.run(&[&arguments[..], &[COMMAND]].concat());
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    format!("```console\n$ agent-strace {} '{COMMAND}'\n{}```\n", arguments.join(" "), answer.stdout)
}

fn rules() -> String {
    let answer = World::empty().run(&["rules"]);
    let mut table = "| rule | level | what it reports |\n|---|---|---|\n".to_owned();
    for line in answer.stdout.lines().skip(1) {
        let cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        let [id, level, summary @ ..] = cells.as_slice() else { panic!("{line}") };
        writeln!(table, "| `{id}` | {level} | {} |", summary.join("  ")).unwrap();
    }
    table
}

fn with_part(text: &str, name: &str, part: &str) -> String {
    let (start, end) =
        (format!("<!-- {name}: generated, see tests/suite/readme.rs -->\n"), format!("<!-- /{name} -->"));
    let (before, rest) = text.split_once(&start).expect("a start");
    let (_, after) = rest.split_once(&end).expect("an end");
    format!("{before}{start}{part}{end}{after}")
}
