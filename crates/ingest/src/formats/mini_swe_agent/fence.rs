//! Commands in the words of an answer, between fences.

use std::borrow::Cow;

use crate::json::{Raw, text};

/// What a fence that holds a command may be marked with.
const LANGUAGES: &[&str] = &["mswea_bash_command", "bash", "sh", ""];

/// Whether a text teaches the agent's way to call, as the first messages of its sessions do.
pub(super) fn is_taught(text: &str) -> bool {
    let ends = ["COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT"];
    text.contains("```mswea_bash_command") || text.contains("```bash") && ends.iter().any(|end| text.contains(end))
}

/// The commands of an answer. The agent runs only a single one, but what it takes for one is its configuration's.
pub(super) fn commands(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut rest = text;
    while let Some((_, opened)) = rest.split_once("```") {
        let Some((language, body)) = opened.split_once('\n') else { break };
        let (inside, after) = match body.strip_prefix("```") {
            Some(after) => ("", after),
            None => body.split_once("\n```").unwrap_or((body, "")),
        };
        let language = language.trim();
        if LANGUAGES.contains(&language) && !inside.trim().is_empty() {
            commands.push(inside.trim().to_owned());
        }
        rest = after;
    }
    commands
}

/// The exit code at the start of an observation.
pub(super) fn returncode(words: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    let words = text(words)?;
    let (code, _) = words.strip_prefix("<returncode>")?.split_once("</returncode>")?;
    Some(Cow::Owned(code.trim().to_owned()))
}
