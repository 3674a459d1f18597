//! What an effect is called in texts for people.

use super::escape::{shorten, terminal};
use super::view::ShownEffect;
use agent_strace_secrets::Redacted;

/// Longest command and longest path that are shown in one line of text.
const LONGEST: usize = 80;
const LONGEST_PATH: usize = 200;

/// `Read src/a.py`, `Ran: uv run pytest`, `Network access example.com`.
pub(super) fn action(effect: &ShownEffect) -> String {
    match effect.kind {
        "read" => format!("Read {}", path(effect)),
        "write" => format!("Write {}", path(effect)),
        "delete" => format!("Delete {}", path(effect)),
        "list" => format!("List {}", path(effect)),
        "execute" => format!("Ran: {}", command(effect)),
        "connect" => format!("Network access {}", host(effect)),
        "spawn" => format!("Sub-agent: {}", one(effect.agent.as_ref()).unwrap_or_else(|| "without a name".to_owned())),
        "env" => {
            let name = one(effect.name.as_ref()).unwrap_or_else(|| "without a name".to_owned());
            format!("Environment variable {}", shorten(&name, LONGEST))
        }
        "opaque" => {
            format!("Not resolved: {}", one(effect.reason.as_ref()).unwrap_or_else(|| "no reason is given".to_owned()))
        }
        _ => format!("Tool: {}", tool(effect)),
    }
}

fn path(effect: &ShownEffect) -> String {
    one(effect.path.as_ref()).map_or_else(|| "a file without a name".to_owned(), |path| shorten(&path, LONGEST_PATH))
}

pub(super) fn command(effect: &ShownEffect) -> String {
    let words: Vec<String> = effect.argv.iter().flatten().map(|word| quoted(word.as_str())).collect();
    shorten(&terminal(&words.join(" ")), LONGEST)
}

/// A word as it would be typed, so that `rm "a b"` is not shown as `rm a b`.
fn quoted(word: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "-_./=:@%+,~[]*?{}^".contains(character);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("'{word}'") }
}

fn host(effect: &ShownEffect) -> String {
    let Some(host) = one(effect.host.as_ref()) else { return "to a host that is not known".to_owned() };
    match effect.port {
        Some(port) if !matches!(port, 80 | 443) => format!("{host}:{port}"),
        _ => host,
    }
}

fn tool(effect: &ShownEffect) -> String {
    let tool = one(effect.tool.as_ref()).unwrap_or_else(|| "without a name".to_owned());
    match one(effect.server.as_ref()) {
        Some(server) => format!("{tool} of {server}"),
        None => tool,
    }
}

fn one(text: Option<&Redacted>) -> Option<String> {
    text.map(|text| terminal(text.as_str()))
}
