//! A policy → the `permissions` of `.cursor/cli.json`.

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
    host: |host| {
        let plain = host.chars().all(|c| c.is_ascii_alphanumeric() || ".-*".contains(c)) && !host.starts_with("**");
        if plain { vec![format!("WebFetch({host})")] } else { Vec::new() }
    },
    tool: |server, tool| vec![format!("Mcp({server}:{tool})")],
    strictest: Answer::Deny,
    rest: |kind| if kind == Kind::Read { Answer::Allow } else { Answer::Ask },
};

pub(crate) fn export(exported: &ExportedPolicy<'_>) -> (String, Tokens) {
    let tokens = tokens::export(exported, &LANGUAGE);
    let list = |decision: Answer| -> Vec<String> {
        tokens.list.iter().filter(|token| token.decision == decision).map(|token| token.text.clone()).collect()
    };
    let mut allow = list(Answer::Allow);
    let passes = |kind: Kind| tokens.rests.iter().any(|rest| rest.kind == kind && rest.answer == Answer::Allow);
    if passes(Kind::Edit) {
        allow.push("Write(**)".to_owned());
    }
    // A question has no list of its own: the user is asked about all that no token names.
    let permissions = json!({ "permissions": { "allow": allow, "deny": list(Answer::Deny) } });
    let mut text = serde_json::to_string_pretty(&permissions).unwrap_or_default();
    text.push('\n');
    (text, tokens)
}

fn path(subject: Subject, pattern: &Pattern, side: Side) -> Vec<String> {
    let name = if subject == Subject::Read { "Read" } else { "Write" };
    let body = pattern.body.as_str();
    if body.contains(['(', ')', '[']) && side == Side::Narrower {
        return Vec::new();
    }
    let body = body.replace(['[', ']'], "?");
    let text = match (pattern.start, side) {
        (Start::Root, _) => body,
        (Start::Anywhere, _) => format!("**/{body}"),
        (Start::Home, _) => format!("~/{body}"),
        (Start::Absolute, _) => format!("/{body}"),
    };
    if side == Side::Narrower || text.ends_with("**") {
        return vec![format!("{name}({text})")];
    }
    vec![format!("{name}({text})"), format!("{name}({text}/**)")]
}

fn command(words: &[String], side: Side) -> Vec<String> {
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    if rest.is_empty() {
        return vec![format!("Shell({program})")];
    }
    if side == Side::Narrower {
        return vec![format!("Shell({program}:{} *)", rest.join(" "))];
    }
    let (flags, operands): (Vec<&String>, Vec<&String>) = rest.iter().partition(|word| spelling::is_flag(word));
    let operands: String = operands.iter().flat_map(|word| ["*", word.as_str()]).collect();
    let one = |flags: &[String]| {
        let flags: String = flags.iter().flat_map(|flag| ["*", flag.as_str()]).collect();
        let both = [format!("Shell({program}:{operands}{flags}*)"), format!("Shell({program}:{flags}{operands}*)")];
        both.map(|text| text.replace("**", "*"))
    };
    let mut tokens: Vec<String> = spelling::orders(&flags).iter().flat_map(|flags| one(flags)).collect();
    tokens.dedup();
    tokens
}
