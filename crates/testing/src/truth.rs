//! The calls that the scripted models behind the logs of this repository sent: `fixtures/real/ground-truth.json`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::corpus::shipped;

/// A call that a model sent.
#[derive(Debug)]
pub struct Sent {
    /// `None`: the client gives calls ids of its own.
    pub id: Option<String>,
    pub tool: String,
    pub input: Value,
}

/// The billed amounts of the models behind the logs of one folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paid {
    pub requests: u64,
    pub tokens: u64,
}

fn document() -> Value {
    serde_json::from_str(&std::fs::read_to_string(shipped().folder.join("ground-truth.json")).unwrap()).unwrap()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// The calls of each log, by its path below `corpus/`.
pub fn calls() -> BTreeMap<String, Vec<Sent>> {
    let call = |call: &Value| Sent {
        id: call["id"].as_str().map(str::to_owned),
        tool: text(&call["name"]),
        input: call["input"].clone(),
    };
    let document = document();
    let logs = document["logs"].as_object().unwrap();
    logs.iter().map(|(log, calls)| (log.clone(), calls.as_array().unwrap().iter().map(call).collect())).collect()
}

/// Requests and tokens of each folder, by its path below `corpus/`.
pub fn paid() -> BTreeMap<String, Paid> {
    let document = document();
    let number = |paid: &Value, key: &str| paid[key].as_u64().unwrap();
    let folders = document["paid"].as_object().unwrap().iter();
    let paid = |paid: &Value| Paid { requests: number(paid, "requests"), tokens: number(paid, "tokens") };
    folders.map(|(folder, spent)| (folder.clone(), paid(spent))).collect()
}
