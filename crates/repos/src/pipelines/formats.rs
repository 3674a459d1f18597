//! Files of CI by their formats: jobs, and the texts in them.

use super::calls::{Node, Reader, names_gate};
use super::gitlab::without_colon;
use super::resolve::Place;
use super::workflow::jobs;
use crate::repo_audit::{Document, Language, items, member, members, text};
use agent_strace_policy::json::{Data, Value};

/// Keys of GitLab at the top of a file whose commands every job of it runs.
const GLOBAL: &[&str] = &["before_script", "after_script", "default", "image", "hooks"];
const SCRIPTS: &[&str] = &["script", "before_script", "after_script", "run", "pre_get_sources_script"];
/// Members of an action that name its code.
const CODE: &[&str] = &["main", "pre", "post", "image", "entrypoint", "pre-entrypoint", "post-entrypoint"];

fn read(reader: &mut Reader<'_>, node: &Node, content: &str) -> Option<Value> {
    if let Ok(document) = Document::read(Language::Yaml, content) {
        return Some(document.root);
    }
    reader.name(node, content);
    None
}

/// Calls `visit` with every text and every key below a value.
pub(super) fn visit_texts(value: &Value, visit: &mut dyn FnMut(&str)) {
    match &value.data {
        Data::Text(text) => visit(text),
        Data::List(items) => items.iter().for_each(|item| visit_texts(item, visit)),
        Data::Object(members) => members.iter().for_each(|(key, value)| {
            visit(&key.name);
            visit_texts(value, visit);
        }),
        _ => {}
    }
}

/// The data of a value as a text: two values have the same one only if their data are the same.
pub(super) fn shape(value: &Value) -> String {
    match &value.data {
        Data::Null => "null".to_owned(),
        Data::Bool(value) => value.to_string(),
        Data::Number(number) => number.clone(),
        Data::Text(text) => format!("{text:?}"),
        Data::List(items) => format!("[{}]", items.iter().map(shape).collect::<Vec<_>>().join(",")),
        Data::Object(members) => {
            let members = members.iter().map(|(key, value)| format!("{:?}:{}", key.name, shape(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
    }
}

/// Whether a file of YAML names the gate, as its reader sees it.
pub(super) fn names_gate_when_read(content: &str) -> bool {
    let Ok(document) = Document::read(Language::Yaml, content) else { return false };
    let mut found = false;
    visit_texts(&document.root, &mut |text| found |= names_gate(text));
    found
}

pub(super) fn workflow(reader: &mut Reader<'_>, node: &Node, content: &str) {
    let Some(root) = read(reader, node, content) else { return };
    for (key, job) in jobs(&root) {
        let part = Node::job(&node.file, &key.name);
        reader.hold(node, part.clone());
        reader.name(&part, &key.name);
        visit_texts(job, &mut |text| reader.name(&part, text));
        if let Some(used) = member(job, "uses").and_then(text) {
            reader.uses(&part, used);
        }
        variables(reader, &part, &[&root, job]);
        needed(reader, &part, job);
        let folder = |value: &Value| member(value, "working-directory").and_then(text).map(str::to_owned);
        let defaults = [Some(job), Some(&root)].into_iter().flatten();
        let mut defaults = defaults.filter_map(|value| member(member(value, "defaults")?, "run"));
        let usual = defaults.clone().find_map(folder);
        if let Some(shell) = defaults.find_map(|run| member(run, "shell")).and_then(text) {
            reader.script(&part, shell, &Place::top());
        }
        for (at, step) in member(job, "steps").map(items).unwrap_or_default().iter().enumerate() {
            reader.step = Some(at);
            let mut place = Place::top();
            if let Some(folder) = folder(step).or_else(|| usual.clone()) {
                place.enter(&folder);
            }
            visit_texts(step, &mut |text| reader.name(&part, text));
            of_step(reader, &part, step, &place);
            reader.step = None;
        }
    }
}

/// Variables by which programs find code.
fn variables(reader: &mut Reader<'_>, node: &Node, of: &[&Value]) {
    for (key, value) in of.iter().filter_map(|value| member(value, "env")).flat_map(members) {
        if let Some(value) = text(value) {
            reader.variable(node, &key.name, value);
        }
    }
}

/// Jobs whose outputs a job reads: they may decide what it does.
fn needed(reader: &mut Reader<'_>, part: &Node, job: &Value) {
    let mut read = Vec::new();
    visit_texts(job, &mut |text| {
        let names = text.split("needs.").skip(1);
        read.extend(names.filter_map(|rest| rest.split_once('.').map(|(name, _)| name.to_owned())));
    });
    for name in read {
        reader.call(part, Node::job(&part.file, &name));
    }
}

/// Inputs of actions that are run, or that name a file that is.
const EXECUTED: &[&str] =
    &["script", "run", "command", "cmd", "commands", "entrypoint", "binary", "shell", "script-path"];

/// Inputs of actions that name a file by which they decide something.
const DECIDING: &[&str] = &["filters", "config", "config-file", "config-path", "configuration-path"];

fn of_step(reader: &mut Reader<'_>, node: &Node, step: &Value, place: &Place) {
    if let Some(used) = member(step, "uses").and_then(text) {
        reader.uses(node, used);
    }
    variables(reader, node, &[step]);
    for script in ["run", "shell"].iter().filter_map(|name| member(step, name).and_then(text)) {
        reader.script(node, script, place);
    }
    // `hashFiles('…')` asks for files.
    if let Some(condition) = member(step, "if").and_then(text) {
        reader.named(node, condition, &Place::top());
    }
    let given = member(step, "with").map(members).unwrap_or_default();
    for input in given.iter().filter(|(key, _)| DECIDING.contains(&key.name.to_ascii_lowercase().as_str())) {
        if let Some(file) = text(&input.1).filter(|file| !file.trim().contains('\n')) {
            reader.named(node, file, &Place::top());
        }
    }
    for input in given.iter().filter(|(key, _)| EXECUTED.contains(&key.name.to_ascii_lowercase().as_str())) {
        if let Some(script) = text(&input.1) {
            reader.script(node, script, place);
            reader.tokens(node, script, place);
        }
    }
}

pub(super) fn action(reader: &mut Reader<'_>, node: &Node, content: &str) {
    let Some(root) = read(reader, node, content) else { return };
    visit_texts(&root, &mut |text| reader.name(node, text));
    let place = Place::of_file(&node.file);
    let Some(runs) = member(&root, "runs") else { return };
    for step in member(runs, "steps").map(items).unwrap_or_default() {
        of_step(reader, node, step, &place);
    }
    let folder = node.file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    for code in CODE.iter().filter_map(|name| member(runs, name).and_then(text)) {
        let Some(path) = super::resolve::joined(&folder, code) else { continue };
        let beside = path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
        let tree = reader.tree;
        // Bundles keep parts beside the file that is named.
        let parts = super::tree::files_in(tree, &beside).filter(|other| *other == path || other.ends_with("js"));
        for path in parts.take(20).map(str::to_owned).collect::<Vec<_>>() {
            reader.call(node, Node::file(path));
        }
    }
}

pub(super) fn gitlab(reader: &mut Reader<'_>, node: &Node, content: &str) {
    let Some(root) = read(reader, node, content) else { return };
    let global: Vec<Value> = members(&root)
        .iter()
        .filter(|(key, _)| GLOBAL.contains(&key.name.as_str()))
        .map(|(_, value)| value.clone())
        .collect();
    for (key, job) in members(&root) {
        match key.name.as_str() {
            "include" => of_include(reader, node, job, true),
            name if GLOBAL.contains(&name) => {}
            name => {
                let part = Node::job(&node.file, name);
                reader.hold(node, part.clone());
                reader.name(&part, name);
                visit_texts(job, &mut |text| reader.name(&part, text));
                for value in global.iter().chain([job]) {
                    of_gitlab_job(reader, &part, value);
                }
            }
        }
    }
}

fn of_gitlab_job(reader: &mut Reader<'_>, part: &Node, job: &Value) {
    // `before_script` itself at the top, or a job.
    let scripts = SCRIPTS
        .iter()
        .filter_map(|name| member(job, name))
        .chain([job].into_iter().filter(|job| members(job).is_empty()));
    for script in scripts {
        visit_texts(script, &mut |text| reader.script(part, text, &Place::top()));
    }
    for trigger in members(job).iter().filter(|(key, _)| key.name == "trigger") {
        if let Some(include) = member(&trigger.1, "include") {
            of_include(reader, part, include, false);
        }
    }
    if let Some(bases) = member(job, "extends") {
        visit_texts(bases, &mut |base| {
            let file = part.file.clone();
            reader.call(part, Node::job(&file, base));
        });
    }
}

/// `include` of a file of this repository, by its path or by a glob, or of another one.
fn of_include(reader: &mut Reader<'_>, node: &Node, include: &Value, is_held: bool) {
    let listed: Vec<&Value> =
        if let Data::List(items) = &include.data { items.iter().collect() } else { vec![include] };
    for item in listed {
        let local = member(item, "local").or(Some(item)).and_then(text);
        let Some(local) = local.filter(|local| !local.contains("://")) else {
            visit_texts(item, &mut |text| {
                reader.name(node, text);
                reader.graph.elsewhere.push((node.clone(), text.to_owned()));
            });
            continue;
        };
        let pattern = local.trim_start_matches('/').trim_start_matches("./");
        let Ok(globs) = crate::repo_audit::compiled_globs([pattern]) else { continue };
        if is_held {
            reader.graph.included.insert(pattern.to_owned());
        }
        let paths: Vec<String> = reader.tree.paths().iter().filter(|path| globs.is_match(path)).cloned().collect();
        for path in paths {
            if is_held { reader.hold(node, Node::file(path)) } else { reader.call(node, Node::file(path)) }
        }
    }
}

/// A file that a CI file includes: most likely of its format.
pub(super) fn included(reader: &mut Reader<'_>, node: &Node, content: &str) {
    let Some(root) = read(reader, node, content) else { return };
    let has_scripts = members(&root).iter().any(|(_, job)| SCRIPTS.iter().any(|name| member(job, name).is_some()));
    if has_scripts { gitlab(reader, node, content) } else { texts(reader, node, &root) }
}

/// Every text may be a command.
pub(super) fn texts(reader: &mut Reader<'_>, node: &Node, root: &Value) {
    let mut found = Vec::new();
    visit_texts(root, &mut |text| found.push(text.to_owned()));
    for text in found {
        reader.script(node, &text, &Place::top());
    }
}

/// Keys at the top of a file of GitLab that bear on every job of the pipeline.
const SHARED: &[&str] = &[
    "workflow",
    "default",
    "variables",
    "before_script",
    "after_script",
    "stages",
    "include",
    "image",
    "hooks",
    "services",
    "cache",
    "spec",
];

/// The keys of a file of GitLab that apply to every job of its pipeline, with their data.
pub(super) fn shared(content: &str) -> Vec<(String, String)> {
    members_of(content, |key| SHARED.contains(&key))
}

/// Some keys at the top of a file, as GitLab takes them, with their data.
pub(super) fn members_of(content: &str, is_asked: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let Ok(document) = Document::read(Language::Yaml, content) else { return Vec::new() };
    let asked = members(&document.root).iter().filter(|(key, _)| is_asked(without_colon(&key.name)));
    asked.map(|(key, value)| (key.name.clone(), shape(value))).collect()
}

/// Why a file of YAML can't be read.
pub(super) fn fault(content: &str) -> Option<String> {
    let fault = Document::read(Language::Yaml, content).err()?;
    Some(format!("line {}: {}", fault.line, fault.reason))
}

/// The keys at the top of a file of GitLab, as GitLab takes them.
pub(super) fn keys(content: &str) -> Vec<String> {
    let root = Document::read(Language::Yaml, content).map(|document| document.root);
    root.map(|root| members(&root).iter().map(|(key, _)| without_colon(&key.name).to_owned()).collect())
        .unwrap_or_default()
}
