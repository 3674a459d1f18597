//! A policy → options for one start of Copilot CLI, one a line.

use agent_strace_policy::Subject;

use crate::answer::Answer;
use crate::exported_policy::ExportedPolicy;
use crate::import::Kind;
use crate::paths::{Pattern, Side};
use crate::spelling;
use crate::tokens::{self, Language, Tokens};

const LANGUAGE: Language = Language {
    path,
    command,
    host: |host| {
        let plain = host.chars().all(|c| c.is_ascii_alphanumeric() || ".-*".contains(c)) && !host.starts_with("**");
        if plain { vec![format!("url={host}")] } else { Vec::new() }
    },
    tool: |server, tool| vec![if tool == "*" { server.to_owned() } else { format!("{server}({tool})") }],
    strictest: Answer::Deny,
    rest: |kind| match kind {
        Kind::Read | Kind::WebSearch => Answer::Allow,
        _ => Answer::Ask,
    },
};

pub(crate) fn export(exported: &ExportedPolicy<'_>) -> (String, Tokens) {
    let tokens = tokens::export(exported, &LANGUAGE);
    let mut text =
        String::from("# Options for Copilot CLI, one a line: no file of a repository holds its permissions.\n");
    for token in &tokens.list {
        let what = match token.decision {
            Answer::Allow => "allow",
            Answer::Deny => "deny",
            // The user is asked about all that no option names.
            Answer::Ask => continue,
        };
        let line = match token.text.strip_prefix("url=") {
            Some(host) => format!("--{what}-url={host}\n"),
            None => format!("--{what}-tool={}\n", token.text),
        };
        text.push_str(&line);
    }
    if tokens.rests.iter().any(|rest| rest.kind == Kind::Edit && rest.answer == Answer::Allow)
        && !tokens.list.iter().any(|token| token.kind == Kind::Edit)
    {
        text.push_str("--allow-tool=write\n");
    }
    (text, tokens)
}

/// All files or none: patterns of files are not compared.
fn path(subject: Subject, pattern: &Pattern, side: Side) -> Vec<String> {
    let all = pattern.body == "**" && subject != Subject::Read;
    if all && side == Side::Wider { vec!["write".to_owned()] } else { Vec::new() }
}

/// A program and its subcommand: no flags are compared.
fn command(words: &[String], side: Side) -> Vec<String> {
    let plain: Vec<&str> =
        words.iter().map(String::as_str).take_while(|word| !spelling::is_flag(word)).take(2).collect();
    let Some(program) = plain.first() else { return Vec::new() };
    if side == Side::Narrower && (plain.len() < words.len() || program.contains('*')) {
        return Vec::new();
    }
    let plain: Vec<&str> = plain.into_iter().take_while(|word| !word.contains(['*', '?', '['])).collect();
    if plain.is_empty() { Vec::new() } else { vec![format!("shell({}:*)", plain.join(" "))] }
}
