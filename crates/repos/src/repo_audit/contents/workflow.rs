//! Steps of continuous integration: whose actions they use, in which images they run, and what they run.

use super::super::document::text;
use super::super::tables::Ecosystem;
use super::{List, Reference, container, shell};
use agent_strace_policy::json::{Data, Value};

/// Keys of scripts, over all systems.
const SCRIPTS: &[&str] = &[
    "run",
    "script",
    "before_script",
    "after_script",
    "command",
    "commands",
    "bash",
    "sh",
    "pwsh",
    "powershell",
    "steps",
    "cmd",
    "entrypoint",
    "install",
    "before_install",
    "build_script",
    "test_script",
];

/// The reader bounds the depth.
pub(super) fn read(value: &Value, list: &mut List<'_>) {
    match &value.data {
        Data::Object(members) => {
            for (key, value) in members {
                match (key.name.as_str(), text(value)) {
                    ("uses", Some(action)) => uses(action, value.span.start, list),
                    ("image" | "container", Some(name)) => {
                        list.package(Ecosystem::Docker, container::image(name), value.span.start);
                    }
                    (name, _) if SCRIPTS.contains(&name) => scripts(value, list),
                    (name, Some(words)) if name.ends_with("args") => arguments(name, words, value, list),
                    _ => read(value, list),
                }
            }
        }
        Data::List(items) => {
            for item in items {
                read(item, list);
            }
        }
        _ => {}
    }
}

/// A script, a list of them, or steps that hold some.
fn scripts(value: &Value, list: &mut List<'_>) {
    match &value.data {
        Data::Text(script) => shell::in_text(script, value.span.start, list),
        Data::List(items) => {
            for item in items {
                scripts(item, list);
            }
        }
        _ => read(value, list),
    }
}

/// `claude_args: --max-turns 5`: what an action starts its agent with.
fn arguments(key: &str, words: &str, value: &Value, list: &mut List<'_>) {
    let agent = key.split(['_', '-']).next().unwrap_or(key);
    let mut command = vec![agent.to_owned()];
    command.extend(words.split_whitespace().map(str::to_owned));
    list.add_at(Reference::Command(command), &value.span);
}

fn uses(action: &str, at: usize, list: &mut List<'_>) {
    if let Some(image) = action.strip_prefix("docker://") {
        list.package(Ecosystem::Docker, container::image(image), at);
        return;
    }
    let name = action.split('@').next().unwrap_or(action).to_ascii_lowercase();
    list.add(Reference::Action(name), at);
}
