//! `audit-tools` as its users run it, on repositories that the `git` program made.
//!
//! Names in quotes behind `//` are rows of what the Python tool of this name gets wrong.

pub(crate) mod repositories;
mod servers;
mod tools;

use serde_json::Value;

use crate::world::{Answer, World};

const NOW: &str = "2026-03-01T12:00:00Z";

fn sweep(world: &World, args: &[&str]) -> Answer {
    let all: Vec<&str> = ["audit-tools", "--now", NOW].iter().chain(args).copied().collect();
    // The `git` program is looked for as users have it.
    let path = std::env::var("PATH").unwrap();
    world.run_with(&all, &[("PATH", &path)], "")
}

/// The only repository of a report.
fn json(world: &World, args: &[&str]) -> (Value, i32) {
    let answer = sweep(world, &[args, &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer:?}"));
    (report["repositories"][0].clone(), answer.code)
}

fn tools(row: &Value) -> Vec<String> {
    row["tools"].as_array().unwrap().iter().map(|tool| tool["id"].as_str().unwrap().to_owned()).collect()
}

fn rules(row: &Value) -> Vec<String> {
    row["findings"].as_array().unwrap().iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}
