//! Dockerfiles and compose files.

use super::super::document::{members, text};
use super::super::tables::Ecosystem;
use super::{List, shell};
use agent_strace_policy::json::{Data, Value};

/// An image without its tag and digest.
pub(super) fn image(reference: &str) -> &str {
    let reference = reference.split('@').next().unwrap_or(reference);
    match reference.rsplit_once(':') {
        // A port of a registry has a path behind it.
        Some((name, tag)) if !tag.contains('/') => name,
        _ => reference,
    }
}

/// `FROM`, and the commands of `RUN`, `CMD` and `ENTRYPOINT` with their continued lines.
pub(super) fn dockerfile(list: &mut List<'_>) {
    let text = list.text;
    let (mut at, mut start, mut instruction) = (0, 0, String::new());
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if instruction.is_empty() {
            start = at;
        }
        at += line.len();
        if bare.starts_with('#') {
            continue;
        }
        if let Some(part) = bare.strip_suffix('\\') {
            instruction.push_str(part);
            instruction.push(' ');
        } else {
            instruction.push_str(bare);
            read_instruction(&std::mem::take(&mut instruction), start, list);
        }
    }
    read_instruction(&instruction, start, list);
}

fn read_instruction(instruction: &str, at: usize, list: &mut List<'_>) {
    let Some((word, rest)) = instruction.split_once(char::is_whitespace) else { return };
    match word.to_ascii_uppercase().as_str() {
        "FROM" => {
            if let Some(name) = rest.split_whitespace().find(|word| !word.starts_with("--")) {
                list.package(Ecosystem::Docker, image(name), at);
            }
        }
        "RUN" | "CMD" | "ENTRYPOINT" => {
            let command = rest.trim();
            // The words of a command as a list of JSON.
            match serde_json::from_str::<Vec<String>>(command) {
                Ok(words) => {
                    let quoted: Vec<String> =
                        words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
                    shell::in_text(&quoted.join(" "), at, list);
                }
                Err(_) => shell::in_text(command, at, list),
            }
        }
        _ => {}
    }
}

/// `image:` and commands, wherever they stand. The reader bounds the depth.
pub(super) fn compose(value: &Value, list: &mut List<'_>) {
    for (key, value) in members(value) {
        match key.name.as_str() {
            "image" => {
                if let Some(name) = text(value) {
                    list.package(Ecosystem::Docker, image(name), value.span.start);
                }
            }
            "command" | "entrypoint" => shell::in_value(value, list),
            _ => compose(value, list),
        }
    }
    if let Data::List(items) = &value.data {
        for item in items {
            compose(item, list);
        }
    }
}
