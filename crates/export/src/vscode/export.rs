//! A policy → approvals in VS Code's `settings.json`.

use std::fmt::Write as _;

use agent_strace_policy::Subject;
use serde_json::json;

use crate::answer::Answer;
use crate::exported_policy::ExportedPolicy;
use crate::import::Kind;
use crate::paths::{Pattern, Side, Start};
use crate::tokens::{self, Language, Tokens};

const LANGUAGE: Language = Language {
    path,
    command,
    host: |host| {
        let plain = host.chars().all(|c| c.is_ascii_alphanumeric() || ".-*".contains(c)) && !host.starts_with("**");
        if plain { vec![format!("https://{host}")] } else { Vec::new() }
    },
    tool: |_, _| Vec::new(),
    strictest: Answer::Ask,
    rest: |kind| match kind {
        Kind::Read => Answer::Allow,
        _ => Answer::Ask,
    },
};

pub(crate) fn export(exported: &ExportedPolicy<'_>) -> (String, Tokens) {
    let tokens = tokens::export(exported, &LANGUAGE);
    let edits = tokens.rests.iter().any(|rest| rest.kind == Kind::Edit && rest.answer > Answer::Allow);
    let mut text = String::from("{\n");
    section(&mut text, "chat.tools.terminal.autoApprove", &tokens, Kind::Command, None);
    // The last pattern that matches decides.
    let rest = edits.then_some("**/*");
    section(&mut text, "chat.tools.edits.autoApprove", &tokens, Kind::Edit, rest);
    section(&mut text, "chat.tools.urls.autoApprove", &tokens, Kind::Fetch, None);
    let text = text.strip_suffix(",\n").map_or(text.clone(), |text| format!("{text}\n")) + "}\n";
    (text, tokens)
}

fn section(text: &mut String, name: &str, tokens: &Tokens, kind: Kind, refused: Option<&str>) {
    let mut entries: Vec<(String, bool)> = refused.map(|pattern| (pattern.to_owned(), false)).into_iter().collect();
    for decision in [Answer::Allow, Answer::Ask] {
        let of = tokens.list.iter().filter(|token| token.kind == kind && token.decision == decision);
        entries.extend(of.map(|token| (token.text.clone(), decision == Answer::Allow)));
    }
    let _ = writeln!(text, "  \"{name}\": {{");
    for (at, (key, on)) in entries.iter().enumerate() {
        let comma = if at + 1 == entries.len() { "" } else { "," };
        let _ = writeln!(text, "    {}: {on}{comma}", json!(key));
    }
    text.push_str("  },\n");
}

fn path(subject: Subject, pattern: &Pattern, side: Side) -> Vec<String> {
    // Reading is never asked about.
    if subject == Subject::Read {
        return Vec::new();
    }
    let body = &pattern.body;
    if side == Side::Narrower && body.contains('[') {
        return Vec::new();
    }
    let text = match pattern.start {
        Start::Root => body.clone(),
        Start::Anywhere => format!("**/{body}"),
        // Files outside of the workspace are asked about anyway.
        Start::Home | Start::Absolute => {
            return if side == Side::Wider { vec![format!("**/{body}")] } else { Vec::new() };
        }
    };
    vec![text]
}

fn command(words: &[String], side: Side) -> Vec<String> {
    if side == Side::Narrower {
        let text = words.join(" ");
        // A key ends at the border of a word, and `git` would also be `git-lfs`.
        return vec![format!("/^{}(\\s|$)/", regex::escape(&text))];
    }
    let words: Vec<String> =
        words.iter().map(|word| regex::escape(word).replace("\\*", ".*").replace("\\?", ".")).collect();
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let mut texts = vec![format!("/(^|[\\s/]){program}{}/", behind(&mut rest.iter()))];
    if rest.len() > 1 {
        let reversed = behind(&mut rest.iter().rev());
        texts.push(format!("/(^|[\\s/]){program}{reversed}/"));
    }
    texts
}

/// Words behind the program, with anything in front of each.
fn behind(words: &mut dyn Iterator<Item = &String>) -> String {
    words.flat_map(|word| [".*", word.as_str()]).collect()
}
