//! A policy → the `permission` of `opencode.json`.

use std::fmt::Write as _;

use agent_strace_policy::Subject;
use serde_json::json;

use crate::answer::Answer;
use crate::exported_policy::ExportedPolicy;
use crate::import::Kind;
use crate::paths::{Pattern, Side, Start};
use crate::spelling;
use crate::tokens::{self, Language, Tokens};

const LANGUAGE: Language = Language {
    path,
    command,
    // OpenCode 1.18.33 takes one action for all addresses, no patterns.
    host: |_| Vec::new(),
    tool: |server, tool| vec![format!("{server}_{tool}")],
    strictest: Answer::Deny,
    rest: |_| Answer::Deny,
};

pub(crate) fn export(exported: &ExportedPolicy<'_>) -> (String, Tokens) {
    let mut tokens = tokens::export(exported, &LANGUAGE);
    if exported.limited(Subject::Network).is_some() {
        // Some hosts may be reached: the user says which.
        for rest in tokens.rests.iter_mut().filter(|rest| rest.kind == Kind::Fetch) {
            rest.answer = rest.answer.min(Answer::Ask);
        }
    }
    (text(&tokens), tokens)
}

/// `*` crosses directories: what must not be wider is written only where that changes nothing.
fn path(_: Subject, pattern: &Pattern, side: Side) -> Vec<String> {
    let body = pattern.body.as_str();
    let start = match pattern.start {
        Start::Root | Start::Anywhere => "",
        Start::Home => "~/",
        Start::Absolute => "/",
    };
    let flat = body.replace("**/", "*").replace("**", "*");
    if side == Side::Wider {
        let flat = class_free(&flat);
        let starts: &[&str] = if pattern.start == Start::Anywhere { &["", "*/"] } else { &[start] };
        return starts.iter().flat_map(|start| [format!("{start}{flat}"), format!("{start}{flat}/*")]).collect();
    }
    let crosses = |body: &str| body.contains(['?', '[']) || body.replace("**/*", "").replace("**", "").contains('*');
    match pattern.start {
        // `*.md` and `README.md` in any directory.
        Start::Anywhere if body.starts_with('*') && !crosses(body.trim_start_matches('*')) => vec![body.to_owned()],
        Start::Anywhere if !crosses(body) => vec![body.to_owned(), format!("*/{body}")],
        Start::Root | Start::Home | Start::Absolute if !crosses(body) => {
            vec![format!("{start}{flat}").replace("**", "*")]
        }
        _ => Vec::new(),
    }
}

/// A class is one character: `?` is any.
fn class_free(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        plain.push_str(before);
        plain.push('?');
        rest = after.split_once(']').map_or(after, |(_, behind)| behind);
    }
    plain + rest
}

fn command(words: &[String], side: Side) -> Vec<String> {
    let text = words.join(" ");
    if side == Side::Narrower {
        return vec![format!("{text} *")];
    }
    let spellings = spelling::of(&text).unwrap_or_default();
    spellings.into_iter().map(|text| text.replace("/*/", "*/")).collect()
}

/// The last rule that matches decides: the rest first, then what allows, asks and denies.
fn text(tokens: &Tokens) -> String {
    let names = [
        (Kind::Read, "read"),
        (Kind::Edit, "edit"),
        (Kind::Command, "bash"),
        (Kind::Fetch, "webfetch"),
        (Kind::WebSearch, "websearch"),
    ];
    let mut text = String::from("{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"permission\": {\n");
    text.push_str("    \"external_directory\": {\n      \"*\": \"ask\"");
    let outside = tokens.list.iter().filter(|token| token.text.starts_with(['/', '~']) && token.kind != Kind::Command);
    for token in outside.filter(|token| token.decision == Answer::Deny) {
        let _ = write!(text, ",\n      {}: \"deny\"", json!(token.text));
    }
    text.push_str("\n    }");
    for (kind, name) in names {
        permission(kind, name, tokens, &mut text);
    }
    for decision in DECISIONS {
        for token in tokens.list.iter().filter(|token| token.kind == Kind::Mcp && token.decision == decision) {
            let _ = write!(text, ",\n    {}: {}", json!(token.text), json!(decision.name()));
        }
    }
    text.push_str("\n  }\n}\n");
    text
}

const DECISIONS: [Answer; 3] = [Answer::Allow, Answer::Ask, Answer::Deny];

fn permission(kind: Kind, name: &str, tokens: &Tokens, text: &mut String) {
    let of_kind = || tokens.list.iter().filter(move |token| token.kind == kind);
    let rest = tokens.rests.iter().find(|rest| rest.kind == kind).map_or(Answer::Ask, |rest| rest.answer);
    // A pattern for everything takes the place of the rest: a key stands once.
    let rest = of_kind().filter(|token| token.text == "*").map(|token| token.decision).max().unwrap_or(rest);
    if matches!(kind, Kind::Fetch | Kind::WebSearch) {
        let _ = write!(text, ",\n    \"{name}\": {}", json!(rest.name()));
        return;
    }
    let _ = write!(text, ",\n    \"{name}\": {{\n      \"*\": {}", json!(rest.name()));
    for decision in DECISIONS {
        for token in of_kind().filter(|token| token.decision == decision && token.text != "*") {
            let _ = write!(text, ",\n      {}: {}", json!(token.text), json!(decision.name()));
        }
    }
    text.push_str("\n    }");
}
