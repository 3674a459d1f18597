//! What the README says of fleets is run as it stands there: the parts of a split run are the whole one.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::audit_tools::repositories::fleet;
use crate::world::{Answer, World, project, skipped};

const CONFIG: &str = "approved:\n  - {tool: claude-code, reason: review 7}\n";

/// A block of the README, by the name in the comment before it.
fn block(name: &str, language: &str) -> String {
    let text = fs::read_to_string(project().join("README.md")).unwrap();
    let start = format!("<!-- {name}: run by tests/suite/fleet.rs -->\n```{language}\n");
    let (_, rest) = text.split_once(&start).unwrap_or_else(|| panic!("no block `{name}`"));
    rest.split_once("\n```").unwrap().0.to_owned()
}

fn yaml(name: &str) -> Value {
    serde_saphyr::from_str(&block(name, "yaml")).unwrap()
}

/// A world with clones, a list and approvals.
fn world() -> World {
    let world = World::empty();
    fleet(&world);
    world.write("repos.txt", &world.read("list.txt")).write("fleet.yaml", CONFIG);
    world
}

/// Runs a command where `agent-strace` is in the path, as a job would have it.
#[expect(clippy::disallowed_methods, reason = "the examples of the README are for shells and interpreters")]
fn run(world: &World, program: &str, args: &[&str], variables: &[(&str, &str)]) -> Answer {
    let binary = Path::new(env!("CARGO_BIN_EXE_agent-strace")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(program);
    command.args(args).current_dir(world.path()).env("PATH", path).envs(variables.iter().copied());
    let output = command.output().unwrap();
    Answer {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}

fn whole(world: &World, more: &str) -> Answer {
    let command = format!("agent-strace audit-tools --repos-from repos.txt --config fleet.yaml {more}");
    run(world, "sh", &["-c", &command], &[])
}

#[test]
fn jobs_of_actions_add_up_to_one_run() {
    let (world, workflow) = (world(), yaml("fleet-actions"));
    let script = |job: &str| {
        let steps = workflow["jobs"][job]["steps"].as_array().unwrap();
        steps.iter().find_map(|step| step["run"].as_str()).unwrap().to_owned()
    };
    for shard in workflow["jobs"]["sweep"]["strategy"]["matrix"]["shard"].as_array().unwrap() {
        let script = script("sweep").replace("${{ matrix.shard }}", &shard.to_string());
        let answer = run(&world, "sh", &["-ec", &script], &[]);
        // One of the repositories is missing, and the job must not lose that.
        assert!(matches!(answer.code, 0 | 3), "{script}: {answer:?}");
    }
    let merged = run(&world, "sh", &["-ec", &script("report")], &[]);
    let one = whole(&world, "--fail-on never --format markdown --report json=one.json");
    assert_eq!(merged, one);
    assert_eq!(world.read("fleet.json"), world.read("one.json"));
    assert_eq!(merged.code, 3);
}

#[test]
fn pods_of_an_indexed_job_add_up_to_one_run() {
    let (world, job) = (world(), yaml("fleet-kubernetes"));
    let container = &job["spec"]["template"]["spec"]["containers"][0];
    let words: Vec<&str> = ["command", "args"]
        .iter()
        .flat_map(|key| container[key].as_array().unwrap())
        .map(|word| word.as_str().unwrap())
        .collect();
    let (program, args) = words.split_first().unwrap();
    for index in 0..job["spec"]["completions"].as_u64().unwrap() {
        let answer = run(&world, program, args, &[("JOB_COMPLETION_INDEX", &index.to_string())]);
        assert_eq!(answer.code, 0, "{answer:?}");
    }
    assert_merged(&world);
    // A pod that could not judge has failed.
    world.write("fleet.yaml", "approvd: []\n");
    assert_ne!(run(&world, program, args, &[("JOB_COMPLETION_INDEX", "0")]).code, 0);
}

#[test]
fn tasks_of_spark_add_up_to_one_run() {
    let Ok(python) = std::env::var("AGENT_STRACE_SPARK") else {
        return skipped("Spark (AGENT_STRACE_SPARK names no Python that has it)");
    };
    let world = world();
    world.write("sweep.py", &block("fleet-spark", "python"));
    let variables = [("SPARK_LOCAL_IP", "127.0.0.1"), ("PYSPARK_PYTHON", python.as_str())];
    let answer = run(&world, &python, &["sweep.py"], &variables);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert_merged(&world);
}

fn assert_merged(world: &World) {
    for format in ["csv", "ndjson", "text"] {
        let command = format!("agent-strace audit-tools merge part-*.ndjson --format {format}");
        let merged = run(world, "sh", &["-c", &command], &[]);
        assert_eq!(merged, whole(world, &format!("--format {format}")), "{format}");
        assert_eq!(merged.code, 1, "{merged:?}");
    }
}

#[test]
fn the_approvals_of_the_readme_are_valid() {
    let text = fs::read_to_string(project().join("README.md")).unwrap();
    let start = "<!-- approved: read by tests/suite/fleet.rs -->\n```yaml\n";
    let (_, rest) = text.split_once(start).expect("approvals");
    let world = world();
    world.write("fleet.yaml", rest.split_once("```").unwrap().0);
    let answer = whole(&world, "--format ndjson");
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(
        answer.stdout.contains("\"approved\":[\"cursor\",\"claude-code\",\"mcp:github\",\"host:anthropic\"]"),
        "{}",
        answer.stdout
    );
}
